//! `twistbase verify`: is every byte as it was written?

use twistbase_core::error::{Error, Remedy};
use twistbase_database::{FaultReport, StoreItem, Verification, VerifySummary};
use twistbase_query::DeepRequest;
use twistbase_tables::Kind;

use crate::arguments::{EngineArgs, any_item};
use crate::environment::Environment;
use crate::failure::{Failure, advice};
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase verify                   every table in the store
  twistbase verify square1 --json
  twistbase verify cube21 --deep --rows 3

Checks:
  The checksum of every page, the digest and the distribution of every row, the digest
  of the table, and every block of its hot cache. Lists each fault with table, row,
  page and the command that repairs it. twistbase rebuild repairs all of them.
  Changes nothing; queries skip damaged parts. Exit status 4: faults were found.

Deep checks (--deep):
  Every entry at distance d > 0 has a neighbour at d - 1, and none nearer.
  Square-1 family: computes whole rows again from neighbouring rows.
  Rubik's cube: looks up random positions and all their neighbours.
  Results about cosets: counts the first levels again; this needs the table phase1.";

/// Check every page of the tables and their hot cache
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Tables, or cosets (results about cosets) [default: all in the store]
    #[arg(value_name = "TABLE", value_parser = any_item(), hide_possible_values = true)]
    tables: Vec<StoreItem>,

    /// Also check the distances of neighbours against each other
    ///
    /// Reads tables through the hot cache, and fills it.
    #[arg(long)]
    deep: bool,

    /// Check N random rows (Square-1 family, cosets) [default: all]
    #[arg(long, value_name = "N", requires = "deep", value_parser = clap::value_parser!(u32).range(1..))]
    rows: Option<u32>,

    /// Check N random positions (cubes, *-endings) [default: 100000]
    #[arg(long, value_name = "N", requires = "deep", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,

    /// Seed of --rows and --positions
    #[arg(long, value_name = "SEED", requires = "deep", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    engine: EngineArgs,
}

/// Positions to look up by default.
const POSITIONS: u64 = 100_000;

impl Args {
    /// Refuses a number that applies to no chosen table.
    fn check_draws(&self) -> Result<(), Error> {
        let by_rows = |item: &StoreItem| match item {
            StoreItem::Table(table) => matches!(table.definition().kind(), Kind::Twists(_)),
            StoreItem::Cosets => true,
        };
        let of_none =
            |is_checked: &dyn Fn(&StoreItem) -> bool| !self.tables.is_empty() && !self.tables.iter().any(is_checked);
        if self.rows.is_some() && of_none(&by_rows) {
            let needs = "--rows applies to the Square-1 family and to cosets; use --positions for other tables";
            return Err(Error::Usage(needs.to_owned()));
        }
        if self.positions.is_some() && of_none(&|item| !by_rows(item)) {
            let needs = "--positions applies to the tables of cubes and to *-endings; use --rows for other tables";
            return Err(Error::Usage(needs.to_owned()));
        }
        Ok(())
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (database, ctx, mut out) = (env.database()?, env.context(), env.output());
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    args.check_draws()?;
    let positions = args.positions.unwrap_or(POSITIONS);
    let deep = DeepRequest { rows: args.rows, positions, seed: args.seed, memory, kernel };
    let deep = args.deep.then_some(deep);
    let chosen = if args.tables.is_empty() { database.built()? } else { args.tables };
    if chosen.is_empty() {
        let mut text = format!("there is no table in {}; run: twistbase build TABLE", database.store());
        for item in database.begun()? {
            text += &format!("\n  the build of {item} is unfinished; {}", advice(&Remedy::build(item.name())));
        }
        return Err(Failure::Findings(text));
    }
    let mut found = 0;
    for item in chosen {
        let Verification { faults, summary } = database.verify(item, deep.as_ref(), &ctx)?;
        faults.iter().try_for_each(|fault| out.report(fault, |fault| fault_text(item, fault)))?;
        out.report(&summary, |summary| summary_text(item, summary))?;
        found += summary.faults;
        out.flush()?;
    }
    out.finish()?;
    match found {
        0 => Ok(()),
        _ => Err(Failure::Findings(format!("{} found", format::counted(found, "fault")))),
    }
}

fn fault_text(item: StoreItem, report: &FaultReport) -> String {
    let FaultReport { fault, row_name } = report;
    let mut text = fault.table.clone();
    if let Some(row) = fault.row {
        text += &format!(", {} {row}", item.row_noun());
    }
    if let Some(name) = row_name {
        text += &format!(" ({name})");
    }
    if let Some(page) = fault.page {
        text += &format!(", page {page}");
    }
    format!("{text}: {}: {}; {}", fault.fault, fault.detail, advice(&fault.remedy))
}

/// The verdict, and the scope of the check.
fn summary_text(item: StoreItem, summary: &VerifySummary) -> String {
    let scope = match item {
        StoreItem::Table(_) => scope_of_table(item.row_noun(), summary),
        StoreItem::Cosets => scope_of_cosets(summary),
    };
    let (table, time) = (summary.table, format::seconds(summary.seconds));
    match summary.faults {
        0 => format!("{table}: intact ({scope}, {time})"),
        faults => format!("{table}: faults: {} ({scope}, {time})", format::grouped(faults)),
    }
}

fn scope_of_table(row_noun: &str, summary: &VerifySummary) -> String {
    let mut scope = format!("{}, {}", format::counted(summary.rows, row_noun), format::counted(summary.pages, "page"));
    if summary.cached_files > 0 {
        scope += &format!(", {}", format::counted(summary.cached_files, "cache file"));
    }
    if summary.deep_rows > 0 {
        scope += &format!(", {} against their neighbours", format::counted(summary.deep_rows, row_noun));
    }
    if summary.deep_positions > 0 {
        scope += &format!(", {} against their neighbours", format::counted(summary.deep_positions, "position"));
    }
    scope
}

fn scope_of_cosets(summary: &VerifySummary) -> String {
    let mut scope = format::counted(summary.rows, "result");
    if summary.deep_rows > 0 {
        scope += &format!(", {} of them counted again", format::grouped(summary.deep_rows.into()));
    }
    scope
}
