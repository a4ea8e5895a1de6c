//! `twistbase rebuild`: what is missing, stale or damaged, and no more.

use std::collections::BTreeMap;

use serde::Serialize;
use twistbase::store::{Store, TableState};
use twistbase::tables::{self, BuildRequest, Built, Definition, Plan, REGISTRY, Rebuilt};

use crate::cli::arguments::{EngineArgs, TableArg, any_table};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format;
use crate::cli::output::Output;

const EXAMPLES: &str = "\
Examples:
  twistbase rebuild --dry-run        what would be done, and why
  twistbase rebuild                  every table there is
  twistbase rebuild cube21 phase1    these, also if they are missing

Every page is checked first, as by verify. Rows of the Square-1 family that are
damaged are restored from the rows of their neighbours, which takes a second or
two, and compared with the digests of what was lost. Tables of the Rubik's cube
are generated anew: that is as fast. A table that is missing, unfinished, or of
an older version is built. What is intact is not touched, and the old table
answers until the new one is complete.";

/// Restore or generate what is missing, stale or damaged, and nothing else
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Tables to look after [default: those that are there, complete or not]
    #[arg(value_name = "TABLE", value_parser = any_table())]
    tables: Vec<TableArg>,

    /// Tell what would be done, and why, and do nothing
    #[arg(long, short = 'n')]
    dry_run: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

/// What was done, or would be, as JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    table: &'static str,
    /// "intact", "restore" or "build".
    plan: &'static str,
    /// Why the whole table is built.
    reason: Option<&'a str>,
    /// The rows to restore, each with what is wrong.
    rows: Vec<Row<'a>>,
    /// Whether it has been done.
    done: bool,
    /// The digest of the table afterwards.
    digest: Option<String>,
    seconds: Option<f64>,
}

/// A row to restore.
#[derive(Debug, Serialize)]
struct Row<'a> {
    row: u32,
    row_name: String,
    reason: &'a str,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (store, ctx, mut out) = (env.store()?, env.context()?, env.output());
    let request = BuildRequest { force: false, memory: args.engine.memory(), kernel: args.engine.kernel() };
    let mut chosen: Vec<_> = args.tables.into_iter().map(|TableArg(table)| table).collect();
    if chosen.is_empty() {
        chosen = present(&store)?;
    }
    if chosen.is_empty() {
        return Err(Failure::Findings(format!("there is no table in {} to rebuild", store.dir().display())));
    }
    for table in chosen {
        let plan = tables::plan(&store, table, request.memory, &ctx)?;
        let done = if args.dry_run { None } else { Some(tables::rebuild(&store, table, &plan, &request, &ctx)?) };
        let line = describe(table, &plan, done.as_ref());
        if env.json() {
            out.json(&line)?
        } else {
            print(&line, table, &mut out)?
        }
        out.flush()?;
    }
    out.finish()
}

/// The tables of which there is anything.
fn present(store: &Store) -> Result<Vec<&'static dyn Definition>, Failure> {
    let mut found = Vec::new();
    for table in REGISTRY {
        if !matches!(store.status(table.layout())?.state, TableState::Missing) {
            found.push(table);
        }
    }
    Ok(found)
}

fn describe<'a>(table: &'static dyn Definition, plan: &'a Plan, done: Option<&Rebuilt>) -> Line<'a> {
    static NONE: BTreeMap<u32, String> = BTreeMap::new();
    let (name, reason, rows) = match plan {
        Plan::Intact => ("intact", None, &NONE),
        Plan::Build { reason, .. } => ("build", Some(reason.as_str()), &NONE),
        Plan::Restore { rows } => ("restore", None, rows),
    };
    let rows = rows.iter().map(|(&row, reason)| Row { row, row_name: table.row_name(row), reason }).collect();
    let result = match done {
        Some(Rebuilt::Restored { manifest, seconds }) => Some((manifest, *seconds)),
        Some(Rebuilt::Built(Built::Now { manifest, .. } | Built::Already(manifest))) => {
            Some((manifest, manifest.seconds))
        }
        Some(Rebuilt::Intact) | None => None,
    };
    Line {
        table: table.layout().name,
        plan: name,
        reason,
        rows,
        done: done.is_some(),
        digest: result.map(|(manifest, _)| manifest.digest.clone()),
        seconds: result.map(|(_, seconds)| seconds),
    }
}

fn print(line: &Line<'_>, table: &dyn Definition, out: &mut Output) -> Result<(), Failure> {
    let (name, noun) = (line.table, table.row_noun());
    for row in &line.rows {
        out.line(format!("{name}, {noun} {} ({}): {}", row.row, row.row_name, row.reason))?;
    }
    let count = format::counted(line.rows.len() as u32, noun);
    let time = line.seconds.map(format::seconds).unwrap_or_default();
    out.line(match (line.plan, line.reason, line.done) {
        ("intact", ..) => format!("{name}: intact, nothing to do"),
        ("restore", _, false) => format!("{name}: would restore {count} from those of their neighbours"),
        ("restore", _, true) => format!("{name}: {count} restored in {time}; the table's digest is {}", digest(line)),
        (_, reason, false) => format!("{name}: would be built: {}", reason.unwrap_or_default()),
        (_, reason, true) => format!("{name}: built in {time}; it was {}", reason.unwrap_or_default()),
    })
}

fn digest<'a>(line: &'a Line<'_>) -> &'a str {
    line.digest.as_deref().unwrap_or_default()
}
