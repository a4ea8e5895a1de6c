//! `twistbase import`: the table of a raw export, into a store.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use twistbase::error::Class;
use twistbase::export::{Imported, import_raw};

use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format;

const EXAMPLES: &str = "\
Examples:
  twistbase import cube21.twraw
  twistbase import cube21.twraw --force --json

The whole file is checked before anything is stored: its checksums, every row
against its digest and its levels, and the levels against those that are known.
The table that comes out is equal to one that was built, digest for digest. An
import that was ended goes on with its first missing row.";

/// Put a table that was exported with --raw into the store
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Replace the table if it is there
    #[arg(long)]
    force: bool,
}

/// What an import did, as JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    table: &'static str,
    file: String,
    /// "imported", "already-complete" or "already-there".
    outcome: &'static str,
    /// Rows taken over from an import that was ended.
    rows_kept: u32,
    digest: &'a str,
    seconds: f64,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (store, ctx, mut out) = (env.store()?, env.context()?, env.output());
    let started = Instant::now();
    let imported = import_raw(&store, &args.file, args.force, &ctx).map_err(|error| match error.class() {
        Class::Interrupted => {
            Failure::Interrupted("the rows that are stored are kept; the same command goes on".into())
        }
        _ => error.into(),
    })?;
    let Imported { table, manifest, already, rows_kept } = &imported;
    let outcome = match (already, manifest.depth) {
        (true, None) => "already-complete",
        (true, Some(_)) => "already-there",
        (false, _) => "imported",
    };
    let (table, file, seconds) =
        (table.layout().name, args.file.display().to_string(), started.elapsed().as_secs_f64());
    if env.json() {
        out.json(&Line { table, file, outcome, rows_kept: *rows_kept, digest: &manifest.digest, seconds })?;
    } else if *already {
        out.line(format_args!("{table}: there already, with the same digest"))?;
    } else {
        let kept = if *rows_kept > 0 { format!(", {rows_kept} rows of them from before") } else { String::new() };
        let (rows, time) = (format::grouped(table_rows(&imported)), format::seconds(seconds));
        out.line(format_args!("{table}: {rows} rows imported{kept}, digest {}, {time}", manifest.digest))?;
    }
    out.finish()
}

fn table_rows(imported: &Imported) -> u64 {
    imported.table.layout().rows.into()
}
