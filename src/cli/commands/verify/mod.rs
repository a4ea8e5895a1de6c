//! `twistbase verify`: is every byte what it was when it was written?

mod cosets;

pub use cosets::check as check_cosets;

use std::time::Instant;

use serde::Serialize;
use twistbase::cache;
use twistbase::context::Context;
use twistbase::cosets::CosetResults;
use twistbase::error::{DataError, DataReport, Error, Fault, collect_faults};
use twistbase::query::{DeepRequest, DeepVerified, verify_deep};
use twistbase::store::{Store, TableState, Verified};
use twistbase::tables::{self, Definition};

use crate::cli::arguments::{Checked, EngineArgs, any_checked};
use crate::cli::environment::Environment;
use crate::cli::failure::{Failure, advice};
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
drawn at random are looked up with all their neighbours. Of results about cosets
the first levels are counted again, which needs the table phase1.";

/// Check every page of tables, and of their hot cache, against its checksum
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Tables to check, or cosets for the results about cosets [default: those that are there]
    #[arg(value_name = "TABLE", value_parser = any_checked())]
    tables: Vec<Checked>,

    /// Check that the distances of neighbours fit together, too
    #[arg(long)]
    deep: bool,

    /// Of the Square-1 family check so many rows, of cosets so many results, drawn at random [default: all]
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
struct Finding {
    #[serde(flatten)]
    body: DataReport,
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
    let mut chosen = args.tables;
    if chosen.is_empty() {
        chosen = present(&store)?;
    }
    if chosen.is_empty() {
        return Err(Failure::Findings(format!("there is no table in {} to verify", store.dir().display())));
    }
    let mut faults = 0;
    for one in chosen {
        faults += match one {
            Checked::Table(table) => verify(table.definition(), deep.as_ref(), &store, &ctx, &mut out, env.json())?,
            Checked::Cosets => {
                let (summary, faults) = cosets::verify(&store, deep.as_ref(), &ctx)?;
                print(&summary, &faults, one, &mut out, env.json())?;
                summary.faults
            }
        };
        out.flush()?;
    }
    out.finish()?;
    match faults {
        0 => Ok(()),
        1 => Err(Failure::Findings("1 fault found".to_owned())),
        _ => Err(Failure::Findings(format!("{} faults found", format::grouped(faults)))),
    }
}

/// What there is a file of that claims to be complete.
fn present(store: &Store) -> Result<Vec<Checked>, Error> {
    let mut found = Vec::new();
    for &table in tables::all() {
        match store.status(table.layout())?.state {
            TableState::Missing | TableState::Unfinished(_) => {}
            _ => found.push(Checked::Table(table.into())),
        }
    }
    if CosetResults::open(store.dir()).path().exists() {
        found.push(Checked::Cosets);
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
    print(&summary, &faults, Checked::Table(table.into()), out, json)?;
    Ok(summary.faults)
}

/// Prints what was found.
fn print(summary: &Summary, faults: &[DataError], of: Checked, out: &mut Output, json: bool) -> Result<(), Failure> {
    for fault in faults {
        let row_name = fault.row.and_then(|row| of.row_name(row));
        if json {
            out.json(&Finding { body: DataReport::from(fault), row_name })?
        } else {
            out.line(finding_text(of.row_noun(), row_name, fault))?
        }
    }
    if json {
        return out.json(summary);
    }
    out.line(match of {
        Checked::Table(table) => summary_text(summary, table.definition().row_noun()),
        Checked::Cosets => cosets::summary_text(summary),
    })
}

/// Checks the stored table. A file that cannot be used at all is a fault like any other; that there is none, or that
/// it cannot be read, is an error.
fn check_store(table: &dyn Definition, store: &Store, ctx: &Context) -> Result<(Verified, Vec<DataError>), Error> {
    let stored = match store.table_to_depth(table.layout()) {
        Ok(stored) => stored,
        Err(Error::Data(fault)) if !matches!(fault.fault, Fault::Missing | Fault::Unfinished) => {
            return Ok((Verified::default(), vec![fault]));
        }
        Err(other) => return Err(other),
    };
    collect_faults(|found| stored.verify(ctx, found))
}

fn finding_text(row_noun: &str, row_name: Option<String>, fault: &DataError) -> String {
    let mut text = fault.table.clone();
    if let Some(row) = fault.row {
        text += &format!(", {row_noun} {row}");
    }
    if let Some(name) = row_name {
        text += &format!(" ({name})");
    }
    if let Some(page) = fault.page {
        text += &format!(", page {page}");
    }
    format!("{text}: {}: {}; {}", fault.fault, fault.detail, advice(&fault.remedy))
}

fn summary_text(summary: &Summary, row_noun: &str) -> String {
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
    verdict(summary, &scope)
}

/// Whether a table is intact, and what was looked at.
fn verdict(summary: &Summary, scope: &str) -> String {
    let (table, time) = (summary.table, format::seconds(summary.seconds));
    match summary.faults {
        0 => format!("{table}: intact ({scope}, {time})"),
        faults => format!("{table}: faults: {} ({scope}, {time})", format::grouped(faults)),
    }
}
