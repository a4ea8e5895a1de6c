//! `twistbase rebuild`: repairs missing, stale and damaged data only.

use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Remedy};
use twistbase_database::{CosetsPlan, Database, RebuildAction, RebuildReport, StoreItem};
use twistbase_tables::BuildRequest;

use crate::arguments::{EngineArgs, any_item};
use crate::environment::Environment;
use crate::failure::{Failure, advice};
use crate::format;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  twistbase rebuild --dry-run        the plan, and its reasons
  twistbase rebuild                  every table in the store
  twistbase rebuild cube21 phase1    build these if they are missing

Repairs:
  Checks every page first, as verify does, and leaves intact tables alone. The old
  table answers queries until the new one is complete.
  Square-1 family: restores damaged rows from neighbouring rows in a second or two,
  and compares them with the stored digests.
  Rubik's cube: rebuilds damaged tables, which is as fast.
  Builds missing and unfinished tables and those of older versions. A table built to
  a depth is rebuilt to that depth.

  A table for which memory or disk is missing does not stop the others.

Not repaired (exit status 4):
  Files of other programs, rows whose neighbours are damaged too, and results about
  cosets, which may take hours. The output names the command for each of them.";

/// Repair the store: restore or rebuild missing, stale and damaged tables
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Tables, or cosets (results about cosets) [default: all in the store]
    #[arg(value_name = "TABLE", value_parser = any_item(), hide_possible_values = true)]
    tables: Vec<StoreItem>,

    /// Print the plan and its reasons; change nothing
    #[arg(long, short = 'n')]
    dry_run: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (database, ctx, mut out) = (env.database()?, env.context(), env.output());
    // Plans say to which depth, and what is replaced.
    let request =
        BuildRequest { depth: None, force: false, memory: args.engine.memory(), kernel: args.engine.kernel() };
    let chosen = if args.tables.is_empty() { database.begun()? } else { args.tables };
    if chosen.is_empty() {
        return Err(Failure::Findings(format!(
            "there is no table in {}; run: twistbase build TABLE",
            database.store()
        )));
    }
    let (mut unsolved, mut left_alone, mut failed) = (0, 0, None);
    for item in chosen {
        let StoreItem::Table(table) = item else {
            let faults = look_at_cosets(&database, &ctx, &mut out, env.json())?;
            let damaged = faults.iter().filter(|fault| fault.row.is_some()).count();
            left_alone += usize::from(damaged < faults.len());
            unsolved = damaged;
            continue;
        };
        let done = database.plan_rebuild(table, request.memory, &ctx).and_then(|plan| match args.dry_run {
            true => Ok(RebuildReport::new(table, &plan, None)),
            false => database.rebuild(table, &plan, &request, &ctx),
        });
        let (report, remedy) = match done {
            Ok(report) => (report, None),
            Err(Error::Interrupted) => return Err(Error::Interrupted.into()),
            // The other tables are still repaired.
            Err(error) => {
                let report = RebuildReport::left_alone(table, &error);
                if let Error::Data(fault) = error {
                    left_alone += 1;
                    (report, Some(fault.remedy))
                } else {
                    failed.get_or_insert(error);
                    (report, None)
                }
            }
        };
        if env.json() {
            out.json(&report)?
        } else {
            print(&report, remedy.as_ref(), item.row_noun(), &mut out)?
        }
        out.flush()?;
    }
    out.finish()?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    if left_alone > 0 {
        let count = format::counted(left_alone as u32, "file");
        return Err(Failure::Findings(format!("{count} left unchanged; the reasons are in the output")));
    }
    if unsolved > 0 && !args.dry_run {
        return Err(Failure::Findings(format!(
            "{} damaged; the output names the commands that solve them again",
            format::counted(unsolved as u32, "result of cosets")
        )));
    }
    Ok(())
}

/// Prints which results about cosets need another search, and the commands for it; returns the faults.
fn look_at_cosets(database: &Database, ctx: &Context, out: &mut Output, json: bool) -> Result<Vec<DataError>, Failure> {
    let CosetsPlan { report, faults } = database.plan_cosets(ctx)?;
    if json {
        out.json(&report)?;
        return Ok(faults);
    }
    let cosets = StoreItem::Cosets;
    for fault in &faults {
        let name = fault.row.and_then(|coset| cosets.row_name(coset));
        let name = name.map_or_else(String::new, |name| format!(" ({name})"));
        let coset = fault.row.map_or_else(String::new, |coset| format!(", coset {coset}{name}"));
        out.line(format!("{cosets}{coset}: {}: {}; {}", fault.fault, fault.detail, advice(&fault.remedy)))?;
    }
    out.line(match faults.len() {
        0 => format!("{cosets}: intact, nothing to do"),
        // The number of its results is unknown.
        _ if faults.iter().any(|fault| fault.row.is_none()) => {
            format!("{cosets}: left unchanged: the file is unusable")
        }
        count => format!("{cosets}: {} to solve again", format::counted(count as u32, "result")),
    })?;
    Ok(faults)
}

fn print(report: &RebuildReport, remedy: Option<&Remedy>, noun: &str, out: &mut Output) -> Result<(), Failure> {
    let name = report.table;
    for row in &report.rows {
        let row_name = row.row_name.as_deref().unwrap_or_default();
        out.line(format!("{name}, {noun} {} ({row_name}): {}", row.row, row.reason))?;
    }
    let count = format::counted(report.rows.len() as u32, noun);
    let time = report.seconds.map(format::seconds).unwrap_or_default();
    let depth = report.depth.map_or_else(String::new, |depth| format!(" to depth {depth}"));
    let reason = report.reason.as_deref().unwrap_or_default();
    let digest = report.digest.as_deref().unwrap_or_default();
    let advice = remedy.map(|remedy| format!("; {}", advice(remedy))).unwrap_or_default();
    out.line(match (report.plan, report.done) {
        (RebuildAction::Leave, _) => format!("{name}: left unchanged: {reason}{advice}"),
        (RebuildAction::Intact, _) => format!("{name}: intact, nothing to do"),
        (RebuildAction::Restore, false) => format!("{name}: would restore {count} from neighbouring rows"),
        (RebuildAction::Restore, true) => format!("{name}: {count} restored in {time}; the table's digest is {digest}"),
        (RebuildAction::Build | RebuildAction::Solve, false) => format!("{name}: would build{depth}: {reason}"),
        (RebuildAction::Build | RebuildAction::Solve, true) => {
            format!("{name}: built{depth} in {time}; it was {reason}")
        }
    })
}
