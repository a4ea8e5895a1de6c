//! `twistbase rebuild`: what is missing, stale or damaged, and no more.

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

A file that another program wrote is left alone, and so are rows whose neighbours are
wrong, too: what to do is said, the other tables are looked after, and the exit status
is 4. So it is for results about cosets that are damaged: they are not solved again
here, since that may take hours, but the command that does so is named for each.";

/// Restore or generate what is missing, stale or damaged, and nothing else
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Tables to look after, or cosets for the results about cosets [default: those that are there, complete or not]
    #[arg(value_name = "TABLE", value_parser = any_item())]
    tables: Vec<StoreItem>,

    /// Tell what would be done, and why, and do nothing
    #[arg(long, short = 'n')]
    dry_run: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (database, ctx, mut out) = (env.database()?, env.context()?, env.output());
    // Plans say to which depth, and what is replaced.
    let request =
        BuildRequest { depth: None, force: false, memory: args.engine.memory(), kernel: args.engine.kernel() };
    let chosen = if args.tables.is_empty() { database.begun()? } else { args.tables };
    if chosen.is_empty() {
        return Err(Failure::Findings(format!("there is no table in {} to rebuild", database.folder().display())));
    }
    let (mut unsolved, mut left_alone) = (0, 0);
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
            // The others are looked after all the same.
            Err(Error::Data(fault)) => (RebuildReport::left_alone(table, &fault), Some(fault.remedy)),
            Err(error) => return Err(error.into()),
        };
        left_alone += usize::from(remedy.is_some());
        if env.json() {
            out.json(&report)?
        } else {
            print(&report, remedy.as_ref(), item.row_noun(), &mut out)?
        }
        out.flush()?;
    }
    out.finish()?;
    if left_alone > 0 {
        let count = format::counted(left_alone as u32, "file");
        return Err(Failure::Findings(format!("left alone: {count}, as was said")));
    }
    if unsolved > 0 && !args.dry_run {
        return Err(Failure::Findings(format!("damaged results about cosets have to be solved again: {unsolved}")));
    }
    Ok(())
}

/// Prints which results about cosets are to be solved again, and how; returns the faults, of a result each, or of the file.
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
        // How many results are in it is not known.
        _ if faults.iter().any(|fault| fault.row.is_none()) => format!("{cosets}: left alone: the file cannot be used"),
        count => format!("{cosets}: {} to be solved again", format::counted(count as u32, "result")),
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
    let advice = remedy.map(advice).unwrap_or_default();
    out.line(match (report.plan, report.done) {
        (RebuildAction::Leave, _) => format!("{name}: left alone: {reason}; {advice}"),
        (RebuildAction::Intact, _) => format!("{name}: intact, nothing to do"),
        (RebuildAction::Restore, false) => format!("{name}: would restore {count} from those of their neighbours"),
        (RebuildAction::Restore, true) => format!("{name}: {count} restored in {time}; the table's digest is {digest}"),
        (RebuildAction::Build | RebuildAction::Solve, false) => format!("{name}: would be built{depth}: {reason}"),
        (RebuildAction::Build | RebuildAction::Solve, true) => {
            format!("{name}: built{depth} in {time}; it was {reason}")
        }
    })
}
