//! `coset run`: cosets of the cover, one after the other.

use twistbase_core::error::Error;
use twistbase_cosets::{CosetReport, CosetRun, CosetRunTotals, CoverRange};

use super::options::{ListOptions, SolveOptions};
use super::report;
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::counted;

const EXAMPLES: &str = "\
Examples:
  twistbase coset run --range 100..102 -S 11 -d 11
  twistbase coset run --range 43117932..43117933 -S 8 --list-from 18 --list far.txt --force

Results:
  Skips cosets with a stored result that is good enough. So the same command resumes
  after any interruption. You lose at most the current coset, and with --checkpoint
  only part of it. Skips cosets beyond the search depth (-S) and reports their number;
  --force stores them as empty. Counts are weighted for the whole cube.

Lists:
  --list solves all cosets of the range. The file gets its name after the last one.
  Lists are short from level 20 on, or for cosets near H. Most cosets have about 700
  million positions at 19 moves, and 14,000 million at 18 or more.

twistbase farm plan cosets spreads cosets over many machines.";

/// Solve cosets of the cover, one after the other
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Cosets A to B-1 of the cover [default: all]
    #[arg(long, value_name = "A..B")]
    range: Option<CoverRange>,

    /// Options of earlier versions, refused with their replacement
    #[arg(long = "shard", aliases = ["out", "per-file"], hide = true, value_name = "OLD")]
    replaced: Vec<String>,

    #[command(flatten)]
    options: SolveOptions,

    #[command(flatten)]
    list: ListOptions,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if !args.replaced.is_empty() {
        let instead = "use farm plan cosets, farm work and farm merge";
        return Err(Error::Usage(format!("--shard, --out and --per-file were removed; {instead}")).into());
    }
    let (cosets, context, mut out) = (args.options.cosets(env)?, env.context(), env.output());
    let range = args.range.unwrap_or_else(CoverRange::all);
    let request = args.options.request(&args.list);
    let depth = request.options.search_depth;
    let run = CosetRun { range, request };
    if let Some(lines) = run.expected_list().filter(|&lines| lines > 0.0 && !env.quiet()) {
        context.progress().note(&format!(
            "average cosets have about {lines:.1e} positions for this list; those near H have far fewer"
        ));
    }
    let callback = Callback::default();
    let has_reports = !args.list.is_on_output();
    let totals = cosets.run(&run, args.list.begin(run.request.force)?, &context, &mut |record| {
        callback.run(|| {
            if has_reports && (env.json() || !env.quiet()) {
                out.report(&CosetReport::new(None, false, record), |_| report::summary(record))?;
            }
            out.flush()
        })
    });
    let totals = callback.outcome(totals).map_err(Failure::of_standard_output)?;
    let CosetRunTotals { solved, known, unreached, beyond, listed } = totals;
    out.finish()?;
    args.list.report(listed, &context);
    if !env.quiet() {
        let skipped = if beyond > 0 {
            format!(", {beyond} skipped: all their positions are farther than {depth} moves")
        } else {
            String::new()
        };
        context.progress().note(&format!("{} solved, {known} already stored{skipped}", counted(solved, "coset")));
    }
    if unreached > 0 {
        return Err(Failure::Unreached(format!(
            "{} with positions that were not reached within 20 moves",
            counted(unreached, "coset")
        )));
    }
    Ok(())
}
