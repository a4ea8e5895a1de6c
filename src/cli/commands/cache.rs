//! `cache`: the hot cache.

use clap::Subcommand;
use twistbase_core::error::{Error, Fault};
use twistbase_database::{CacheStatusReport, Database, TableId};

use crate::arguments::any_table;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align, bytes, counted};

const EXAMPLES: &str = "\
Examples:
  twistbase cache warm square1      copy the whole table
  twistbase cache warm phase2
  twistbase cache status
  twistbase cache drop              free the space; nothing is lost

The cache stores rows, or whole tables, without compression, in one file each.
Queries add the rows that they read often. A file copied from a table that was
rebuilt since is stale, and queries ignore it.";

/// Manage the hot cache: uncompressed copies of tables that queries read
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: CacheAction,
}

#[derive(Debug, Subcommand)]
enum CacheAction {
    /// Copy whole tables into the cache
    Warm {
        /// Tables [default: all tables in the store]
        #[arg(value_name = "TABLE", value_parser = any_table(), hide_possible_values = true)]
        tables: Vec<TableId>,
    },
    /// List the cached files of each table
    Status {
        /// Tables [default: all]
        #[arg(value_name = "TABLE", value_parser = any_table(), hide_possible_values = true)]
        tables: Vec<TableId>,
    },
    /// Delete cached files; queries fill the cache again
    Drop {
        /// Tables [default: all]
        #[arg(value_name = "TABLE", value_parser = any_table(), hide_possible_values = true)]
        tables: Vec<TableId>,
    },
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let database = env.database()?;
    match args.action {
        CacheAction::Warm { tables } => warm(&tables, &database, env),
        CacheAction::Status { tables } => status(&tables, &database, env),
        CacheAction::Drop { tables } => drop_cache(&tables, &database, env),
    }
}

/// The tables named, or all there are.
fn chosen(names: &[TableId]) -> Vec<TableId> {
    if names.is_empty() { TableId::all().collect() } else { names.to_vec() }
}

fn warm(names: &[TableId], database: &Database, env: &Environment) -> Result<(), Failure> {
    let (context, mut output) = (env.context(), env.output());
    let mut found = false;
    for table in chosen(names) {
        let report = match database.cache_warm(table, &context) {
            Err(Error::Data(error))
                if names.is_empty() && matches!(error.fault, Fault::Missing | Fault::Unfinished) =>
            {
                continue;
            }
            report => report?,
        };
        found = true;
        output.report(&report, |report| {
            let (added, size) = (counted(report.files_added, "file"), bytes(report.bytes));
            format!("{table}: {added} added ({size}), {} already cached", report.files_present)
        })?;
        output.flush()?;
    }
    output.finish()?;
    if found {
        return Ok(());
    }
    Err(Failure::Findings(format!("there is no table in {}; run: twistbase build TABLE", database.store())))
}

fn status(names: &[TableId], database: &Database, env: &Environment) -> Result<(), Failure> {
    let reports =
        chosen(names).into_iter().map(|table| database.cache_status(table)).collect::<Result<Vec<_>, Error>>()?;
    env.print_all(&reports, |reports| listing(reports).trim_fmt())
}

fn listing(reports: &[CacheStatusReport]) -> comfy_table::Table {
    use Align::{Left, Right};
    let columns = [
        ("table", Left),
        ("files", Right),
        ("cached", Right),
        ("stale", Right),
        ("damaged", Right),
        ("on disk", Right),
    ];
    let mut table = format::table(&columns);
    for report in reports {
        let counts = [report.files, report.valid, report.stale, report.damaged].map(|count| count.to_string());
        table.add_row([&[report.table.to_string()], &counts[..], &[bytes(report.bytes)]].concat());
    }
    table
}

fn drop_cache(names: &[TableId], database: &Database, env: &Environment) -> Result<(), Failure> {
    let mut output = env.output();
    for table in chosen(names) {
        let report = database.cache_drop(table)?;
        output.report(&report, |report| format!("{table}: {} freed", bytes(report.bytes)))?;
    }
    output.finish()
}
