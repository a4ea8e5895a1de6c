//! `twistbase remove`: delete tables.

use twistbase_database::RemoveReport;
use twistbase_store::Store;

use crate::arguments::{TableOrSet, table_or_set};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::bytes;

const EXAMPLES: &str = "\
Examples:
  twistbase remove square1
  twistbase remove cube21 square1-family
  twistbase remove square1 --unfinished   only what an interrupted build left

Deletes the table, its unfinished build and its hot cache at once, without asking.
'twistbase build TABLE' builds it again. Commands that read the table finish with it. A
table that another process builds stays (exit status 5).";

/// Delete tables, with their unfinished builds and their cache
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Tables, or sets of tables: cube3, square1-family
    #[arg(value_name = "TABLE", value_parser = table_or_set(), required = true, hide_possible_values = true)]
    tables: Vec<TableOrSet>,

    /// Delete only unfinished builds
    #[arg(long)]
    unfinished: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (database, mut out) = (env.database()?, env.output());
    for table in TableOrSet::tables(&args.tables) {
        let report = database.remove(table, args.unfinished)?;
        out.report(&report, |report| text(report, args.unfinished, database.store()))?;
        out.flush()?;
    }
    out.finish()
}

fn text(report: &RemoveReport, only_unfinished: bool, store: &Store) -> String {
    let &RemoveReport { table, removed, bytes: freed } = report;
    match removed {
        true => format!("{table}: {} freed", bytes(freed)),
        false => format!("{table}: no {} in {store}", if only_unfinished { "unfinished build" } else { "table" }),
    }
}
