//! `coset MOVES`: one coset.

use std::path::PathBuf;

use twistbase_cosets::{CosetRecord, CosetReport, CosetSolve, SolvedCoset};

use super::options::SolveOptions;
use super::report;
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::Output;
use crate::positions::cube3::read;

/// Arguments of a coset given by a sequence.
#[derive(Debug, clap::Args)]
pub struct Given {
    /// A sequence to a position of the coset, like F1R1U2 or "F R U2" (or the position); "U" for H itself
    #[arg(required = true)]
    moves: Option<String>,

    #[command(flatten)]
    options: SolveOptions,

    /// Count each position as often as the cover's cosets need so that together they count the whole cube
    #[arg(long)]
    weighted: bool,

    /// Write the positions that no level before this one reached, as cubies in Reid's order (needs --list)
    ///
    /// From 21 on there are none, if the search reaches so far. A list of more than about a thousand million lines is
    /// refused without --force.
    #[arg(long, value_name = "LEVEL", requires = "list", value_parser = clap::value_parser!(u8).range(0..=21))]
    list_from: Option<u8>,

    /// The file to write them to
    #[arg(long, value_name = "FILE", requires = "list_from")]
    list: Option<PathBuf>,
}

pub fn run(args: Given, env: &Environment) -> Result<(), Failure> {
    let input = args.moves.as_deref().unwrap_or_default();
    let representative = read(input)?;
    let (cosets, context, mut out) = (args.options.cosets(env)?, env.context()?, env.output());
    let mut request = args.options.request();
    request.options.list_from = args.list_from;
    let solve = CosetSolve { request, weighted: args.weighted, list: args.list };
    let callback = Callback::default();
    let is_shown = !env.json() && !env.quiet();
    let mut has_head = false;
    let solved = cosets.solve(&representative, &solve, &context, &mut |level| {
        callback.run(|| {
            if is_shown {
                print_head(&mut has_head, &mut out)?;
                out.line(report::line(level))?;
                out.flush()?;
            }
            Ok(())
        })
    });
    let SolvedCoset { record, stored } = callback.outcome(solved)?;
    if env.json() {
        out.json(&CosetReport::new(Some(input), stored, &record))?;
    } else if stored {
        if is_shown {
            print_levels(&record, &mut out)?;
        }
        out.line(format_args!("{} (from the store; --force solves it again)", report::summary(&record)))?;
    } else {
        if is_shown {
            print_head(&mut has_head, &mut out)?;
        }
        out.line(report::summary(&record))?;
    }
    out.finish()?;
    if record.falls_short() {
        let left = record.remaining;
        return Err(Failure::Unreached(format!(
            "{left} positions were not reached within 20 moves; search deeper (-S 17)"
        )));
    }
    Ok(())
}

/// Prints the head of the levels before the first of them.
fn print_head(is_printed: &mut bool, out: &mut Output) -> Result<(), Failure> {
    if std::mem::replace(is_printed, true) { Ok(()) } else { out.line(report::HEAD) }
}

/// Prints the levels of a result.
pub fn print_levels(record: &CosetRecord, out: &mut Output) -> Result<(), Failure> {
    out.line(report::HEAD)?;
    record.levels.iter().try_for_each(|level| out.line(report::line(level)))
}
