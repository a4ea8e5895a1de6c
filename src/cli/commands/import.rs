//! `twistbase import`: the table of a raw export, into a store.

use std::path::PathBuf;

use twistbase_core::error::Class;
use twistbase_database::{ImportOutcome, ImportReport};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase import cube21.twraw
  twistbase import cube21.twraw --force --json

Import first checks the whole file: its checksums, each row against its digest and
levels, and the levels against the published counts. The imported table equals a
built one, digest for digest. An interrupted import resumes at its first missing
row. Rows of an unfinished build must equal those of the file; --force replaces
rows that differ.";

/// Import a table that export --raw wrote
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// File written by export --raw
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Replace the stored table, and differing rows of an unfinished build
    #[arg(long)]
    force: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (database, ctx) = (env.database()?, env.context());
    let report = database.import(&args.file, args.force, &ctx).map_err(|error| match error.class() {
        Class::Interrupted => Failure::Interrupted("imported rows are stored; the same command resumes".into()),
        _ => error.into(),
    })?;
    env.print(&report, text)
}

fn text(report: &ImportReport) -> String {
    let (table, stored) = (report.table, report.rows_kept);
    if report.outcome != ImportOutcome::Imported {
        return format!("{table}: already stored, with the same digest");
    }
    let stored = if stored > 0 { format!(", {stored} of them earlier") } else { String::new() };
    let rows = format::counted(table.definition().layout().rows, "row");
    format!("{table}: {rows} imported{stored}, digest {}, {}", report.digest, format::seconds(report.seconds))
}
