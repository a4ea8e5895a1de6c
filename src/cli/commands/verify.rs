//! `twistbase verify`: is every byte what it was when it was written?

use std::time::Instant;

use serde::Serialize;
use twistbase::cache;
use twistbase::context::Context;
use twistbase::error::{DataError, Error, Fault, collect_faults};
use twistbase::query::{DeepRequest, DeepVerified, verify_deep};
use twistbase::store::{Store, TableState, Verified};
use twistbase::tables::{Definition, REGISTRY};

use crate::cli::arguments::{EngineArgs, TableArg, any_table};
use crate::cli::environment::Environment;
use crate::cli::failure::{DataBody, Failure};
use crate::cli::format;
use crate::cli::output::Output;

const EXAMPLES: &str = "\
Examples:
  twistbase verify                   every table there is
  twistbase verify square1 --json
  twistbase verify cube21 --deep --rows 3

Checks the checksum of every page, the digest and the distribution of every
row, the digest of the table, and every block of its hot cache. Every fault is
listed with its table, row and page; if there is any, the exit status is 4.
Nothing is changed: queries pass over what is damaged, and each fault names the
command that mends it; twistbase rebuild does so for all.

With --deep the mathematics is checked, too: that every entry at distance d > 0
has a neighbour at d - 1 and none nearer. Of the Square-1 family whole rows are
computed anew from those of their neighbours; of the Rubik's cube, positions
drawn at random are looked up with all their neighbours.";

/// Check every page of tables, and of their hot cache, against its checksum
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Tables to check [default: those that are there]
    #[arg(value_name = "TABLE", value_parser = any_table())]
    tables: Vec<TableArg>,

    /// Check that the distances of neighbours fit together, too
    #[arg(long)]
    deep: bool,

    /// Of the Square-1 family, check so many rows, drawn at random [default: all]
    #[arg(long, value_name = "N", requires = "deep", value_parser = clap::value_parser!(u32).range(1..))]
    rows: Option<u32>,

    /// Of the Rubik's cube, check so many positions, drawn at random
    #[arg(long, value_name = "N", requires = "deep", default_value_t = 100_000)]
    positions: u64,

    /// What --rows and --positions are drawn with
    #[arg(long, value_name = "SEED", requires = "deep", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    engine: EngineArgs,
}

/// A fault, as JSON.
#[derive(Debug, Serialize)]
struct Finding<'a> {
    #[serde(flatten)]
    body: DataBody<'a>,
    /// The row's name.
    row_name: Option<String>,
}

/// What was checked, as JSON: the last line about a table.
#[derive(Debug, Serialize)]
struct Summary {
    table: &'static str,
    /// Whether the table is intact.
    intact: bool,
    rows: u32,
    pages: u64,
    /// Files of the hot cache that are intact.
    cached_files: u32,
    /// Rows, and positions, that were checked against their neighbours.
    deep_rows: u32,
    deep_positions: u64,
    faults: u64,
    seconds: f64,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (store, ctx, mut out) = (env.store()?, env.context()?, env.output());
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let deep = DeepRequest { rows: args.rows, positions: args.positions, seed: args.seed, memory, kernel };
    let deep = args.deep.then_some(deep);
    let mut tables: Vec<_> = args.tables.into_iter().map(|TableArg(table)| table).collect();
    if tables.is_empty() {
        tables = present(&store)?;
    }
    if tables.is_empty() {
        return Err(Failure::Findings(format!("there is no table in {} to verify", store.dir().display())));
    }
    let mut faults = 0;
    for table in tables {
        faults += verify(table, deep.as_ref(), &store, &ctx, &mut out, env.json())?;
        out.flush()?;
    }
    out.finish()?;
    match faults {
        0 => Ok(()),
        1 => Err(Failure::Findings("1 fault found".to_owned())),
        _ => Err(Failure::Findings(format!("{} faults found", format::grouped(faults)))),
    }
}

/// The tables of which there is a file that claims to be complete.
fn present(store: &Store) -> Result<Vec<&'static dyn Definition>, Error> {
    let mut found = Vec::new();
    for table in REGISTRY {
        match store.status(table.layout())?.state {
            TableState::Missing | TableState::Unfinished(_) => {}
            _ => found.push(table),
        }
    }
    Ok(found)
}

/// Verifies one table, prints what is found, and returns the number of faults.
fn verify(
    table: &'static dyn Definition,
    deep: Option<&DeepRequest>,
    store: &Store,
    ctx: &Context,
    out: &mut Output,
    json: bool,
) -> Result<u64, Failure> {
    let started = Instant::now();
    let (checked, mut faults) = check_store(table, store, ctx)?;
    // Without a usable table no file of the cache is used: there is nothing to compare it with.
    let mut cached_files = 0;
    if checked.rows > 0 {
        cached_files = cache::verify(store, table.layout(), ctx, &mut |fault| faults.push(fault))?;
    }
    let mut deeply = DeepVerified::default();
    // What is damaged contradicts its neighbours, which would say nothing new.
    if let Some(request) = deep
        && faults.is_empty()
    {
        (deeply, faults) = collect_faults(|found| verify_deep(store, table, request, ctx, found))?;
    }
    for fault in &faults {
        if json { out.json(&finding(table, fault))? } else { out.line(finding_text(table, fault))? }
    }
    let summary = Summary {
        table: table.layout().name,
        intact: faults.is_empty(),
        rows: checked.rows,
        pages: checked.pages,
        cached_files,
        deep_rows: deeply.rows,
        deep_positions: deeply.positions,
        faults: faults.len() as u64,
        seconds: started.elapsed().as_secs_f64(),
    };
    if json {
        out.json(&summary)?
    } else {
        out.line(summary_text(&summary, table.row_noun()))?
    }
    Ok(summary.faults)
}

/// Checks the stored table. A file that cannot be used at all is a fault like any other; that there is none, or that
/// it cannot be read, is an error.
fn check_store(table: &dyn Definition, store: &Store, ctx: &Context) -> Result<(Verified, Vec<DataError>), Error> {
    let stored = match store.table(table.layout()) {
        Ok(stored) => stored,
        Err(Error::Data(fault)) if !matches!(fault.fault, Fault::Missing | Fault::Unfinished) => {
            return Ok((Verified::default(), vec![fault]));
        }
        Err(other) => return Err(other),
    };
    collect_faults(|found| stored.verify(ctx, found))
}

fn finding<'a>(table: &dyn Definition, fault: &'a DataError) -> Finding<'a> {
    Finding { body: DataBody::from(fault), row_name: fault.row.map(|row| table.row_name(row)) }
}

fn finding_text(table: &dyn Definition, fault: &DataError) -> String {
    let mut text = fault.table.clone();
    if let Some(row) = fault.row {
        text += &format!(", {} {row} ({})", table.row_noun(), table.row_name(row));
    }
    if let Some(page) = fault.page {
        text += &format!(", page {page}");
    }
    format!("{text}: {}: {}; run: twistbase {}", fault.fault, fault.detail, fault.remedy)
}

fn summary_text(summary: &Summary, row_noun: &str) -> String {
    let (table, time) = (summary.table, format::seconds(summary.seconds));
    let mut scope = format!("{}, {} pages", format::counted(summary.rows, row_noun), format::grouped(summary.pages));
    if summary.cached_files > 0 {
        scope += &format!(", {} cache files", summary.cached_files);
    }
    if summary.deep_rows > 0 {
        scope += &format!(", {} against their neighbours", format::counted(summary.deep_rows, row_noun));
    }
    if summary.deep_positions > 0 {
        scope += &format!(", {} positions against their neighbours", format::grouped(summary.deep_positions));
    }
    match summary.faults {
        0 => format!("{table}: intact ({scope}, {time})"),
        faults => format!("{table}: faults: {} ({scope}, {time})", format::grouped(faults)),
    }
}
