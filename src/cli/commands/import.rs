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

The whole file is checked before anything is stored: its checksums, every row
against its digest and its levels, and the levels against those that are known.
The table that comes out is equal to one that was built, digest for digest. An
import that was ended goes on with its first missing row; rows of an unfinished
build have to be those of the file, or are replaced with --force.";

/// Put a table that was exported with --raw into the store
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Replace the table if it is there, and rows of an unfinished build that are others
    #[arg(long)]
    force: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (database, ctx, mut out) = (env.database()?, env.context()?, env.output());
    let report = database.import(&args.file, args.force, &ctx).map_err(|error| match error.class() {
        Class::Interrupted => {
            Failure::Interrupted("the rows that are stored are kept; the same command goes on".into())
        }
        _ => error.into(),
    })?;
    if env.json() {
        out.json(&report)?;
    } else {
        out.line(text(&report))?;
    }
    out.finish()
}

fn text(report: &ImportReport) -> String {
    let (table, kept) = (report.table, report.rows_kept);
    if report.outcome != ImportOutcome::Imported {
        return format!("{table}: there already, with the same digest");
    }
    let kept = if kept > 0 { format!(", {kept} rows of them from before") } else { String::new() };
    let rows = format::grouped(table.definition().layout().rows.into());
    format!("{table}: {rows} rows imported{kept}, digest {}, {}", report.digest, format::seconds(report.seconds))
}
