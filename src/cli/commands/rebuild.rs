//! `twistbase rebuild`: what is missing, stale or damaged, and no more.

use std::collections::BTreeMap;

use serde::Serialize;
use twistbase::context::Context;
use twistbase::cosets::{COSETS_NAME, CosetResults};
use twistbase::error::{DataError, Remedy};
use twistbase::store::{Store, TableState};
use twistbase::tables::{self, BuildRequest, Built, Definition, Plan, Rebuilt};

use super::verify::check_cosets;
use crate::cli::arguments::{Checked, EngineArgs, any_checked};
use crate::cli::environment::Environment;
use crate::cli::failure::{Failure, advice};
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
answers until the new one is complete. A table that was built to a depth is
rebuilt to that depth.

Results about cosets that are damaged are not solved again here, since that may
take hours: the command that does so is named for each, and the exit status is 4.";

/// Restore or generate what is missing, stale or damaged, and nothing else
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Tables to look after, or cosets for the results about cosets [default: those that are there, complete or not]
    #[arg(value_name = "TABLE", value_parser = any_checked())]
    tables: Vec<Checked>,

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
    /// "intact", "restore", "build" or "solve".
    plan: &'static str,
    /// Why the whole table is built.
    reason: Option<&'a str>,
    /// To which depth it is built; none if all of it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
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
    row_name: Option<String>,
    reason: &'a str,
    /// The command that mends it, without the program's name; `None` if this one does.
    remedy: Option<&'a Remedy>,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (store, ctx, mut out) = (env.store()?, env.context()?, env.output());
    // Plans say to which depth, and what is replaced.
    let request =
        BuildRequest { depth: None, force: false, memory: args.engine.memory(), kernel: args.engine.kernel() };
    let mut chosen = args.tables;
    if chosen.is_empty() {
        chosen = present(&store)?;
    }
    if chosen.is_empty() {
        return Err(Failure::Findings(format!("there is no table in {} to rebuild", store.dir().display())));
    }
    let mut unsolved = 0;
    for one in chosen {
        let Checked::Table(table) = one else {
            unsolved = look_at_cosets(&store, &ctx, &mut out, env.json())?;
            continue;
        };
        let table = table.definition();
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
    out.finish()?;
    if unsolved > 0 && !args.dry_run {
        return Err(Failure::Findings(format!("damaged results about cosets have to be solved again: {unsolved}")));
    }
    Ok(())
}

/// Tells which results about cosets are to be solved again, and how; returns how many faults there are.
fn look_at_cosets(store: &Store, ctx: &Context, out: &mut Output, json: bool) -> Result<usize, Failure> {
    let (_, faults) = check_cosets(store, ctx)?;
    let of_coset = |fault: &DataError| (fault.row, format!("{}: {}", fault.fault, fault.detail), fault.remedy.clone());
    let faults: Vec<_> = faults.iter().map(of_coset).collect();
    if json {
        let rows = faults.iter().filter_map(|(coset, reason, remedy)| {
            let row = (*coset)?;
            Some(Row { row, row_name: Checked::Cosets.row_name(row), reason, remedy: Some(remedy) })
        });
        let whole = faults.iter().find(|(coset, ..)| coset.is_none());
        out.json(&Line {
            table: COSETS_NAME,
            plan: if faults.is_empty() { "intact" } else { "solve" },
            reason: whole.map(|(_, reason, _)| reason.as_str()),
            depth: None,
            rows: rows.collect(),
            done: false,
            digest: None,
            seconds: None,
        })?;
        return Ok(faults.len());
    }
    for (coset, reason, remedy) in &faults {
        let name = coset.and_then(|coset| Checked::Cosets.row_name(coset));
        let name = name.map_or_else(String::new, |name| format!(" ({name})"));
        let coset = coset.map_or_else(String::new, |coset| format!(", coset {coset}{name}"));
        out.line(format!("{COSETS_NAME}{coset}: {reason}; {}", advice(remedy)))?;
    }
    out.line(match faults.len() {
        0 => format!("{COSETS_NAME}: intact, nothing to do"),
        count => format!("{COSETS_NAME}: {} to be solved again", format::counted(count as u32, "result")),
    })?;
    Ok(faults.len())
}

/// What there is anything of.
fn present(store: &Store) -> Result<Vec<Checked>, Failure> {
    let mut found = Vec::new();
    for &table in tables::all() {
        if !matches!(store.status(table.layout())?.state, TableState::Missing) {
            found.push(Checked::Table(table.into()));
        }
    }
    if CosetResults::open(store.dir()).path().exists() {
        found.push(Checked::Cosets);
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
    let rows = rows
        .iter()
        .map(|(&row, reason)| Row { row, row_name: Some(table.row_name(row)), reason, remedy: None })
        .collect();
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
        depth: if let Plan::Build { depth, .. } = plan { *depth } else { None },
        rows,
        done: done.is_some(),
        digest: result.map(|(manifest, _)| manifest.digest.clone()),
        seconds: result.map(|(_, seconds)| seconds),
    }
}

fn print(line: &Line<'_>, table: &dyn Definition, out: &mut Output) -> Result<(), Failure> {
    let (name, noun) = (line.table, table.row_noun());
    for row in &line.rows {
        let row_name = row.row_name.as_deref().unwrap_or_default();
        out.line(format!("{name}, {noun} {} ({row_name}): {}", row.row, row.reason))?;
    }
    let count = format::counted(line.rows.len() as u32, noun);
    let time = line.seconds.map(format::seconds).unwrap_or_default();
    let depth = line.depth.map_or_else(String::new, |depth| format!(" to depth {depth}"));
    out.line(match (line.plan, line.reason, line.done) {
        ("intact", ..) => format!("{name}: intact, nothing to do"),
        ("restore", _, false) => format!("{name}: would restore {count} from those of their neighbours"),
        ("restore", _, true) => format!("{name}: {count} restored in {time}; the table's digest is {}", digest(line)),
        (_, reason, false) => format!("{name}: would be built{depth}: {}", reason.unwrap_or_default()),
        (_, reason, true) => format!("{name}: built{depth} in {time}; it was {}", reason.unwrap_or_default()),
    })
}

fn digest<'a>(line: &'a Line<'_>) -> &'a str {
    line.digest.as_deref().unwrap_or_default()
}
