//! `coset run`: cosets of the cover, one after the other.

use twistbase_core::error::Error;
use twistbase_cosets::{CosetReport, CosetRun, CosetRunTotals, CoverRange};

use super::options::{ListOptions, SolveOptions};
use super::report;
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase coset run --range 100..102 -S 11 -d 11
  twistbase coset run --range 43117932..43117933 -S 8 --list-from 18 --list far.txt --force

Cosets that the store knows well enough are passed over: the same command goes on
where it was stopped, whatever stopped it, and at most the coset in hand is lost
(with --checkpoint, not even that). Cosets beyond the depth of the search (-S), of
which nothing can be counted, are passed over, too, and their number is told; with
--force they are kept as empty. Counts are weighted for the whole cube.

With --list all cosets of the range are solved, and the file gets its name when the
last is done. Lists are short from level 20 on, or of cosets near H; a coset has
about 700 million positions at 19 moves and 14,000 million at 18 or more.

To spread cosets over many machines: twistbase farm plan cosets.";

/// Solve cosets of the cover, one after the other
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Numbers of the cosets in the cover: from A up to, but not including, B [default: all]
    #[arg(long, value_name = "A..B")]
    range: Option<CoverRange>,

    /// Options of earlier versions, to say what has taken their place
    #[arg(long = "shard", aliases = ["out", "per-file"], hide = true, value_name = "OLD")]
    replaced: Vec<String>,

    #[command(flatten)]
    options: SolveOptions,

    #[command(flatten)]
    list: ListOptions,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if !args.replaced.is_empty() {
        let instead = "farm plan cosets and farm work spread cosets over machines, and farm merge brings them together";
        return Err(Error::Usage(format!("--shard, --out and --per-file are no more: {instead}")).into());
    }
    let (cosets, context, mut out) = (args.options.cosets(env)?, env.context()?, env.output());
    let range = args.range.unwrap_or_else(CoverRange::all);
    let request = args.options.request(&args.list);
    let depth = request.options.search_depth;
    let run = CosetRun { range, request };
    if let Some(lines) = run.expected_list().filter(|&lines| lines > 0.0 && !env.quiet()) {
        context.progress().note(&format!("about {lines:.1e} positions to list, or more; of cosets near H fewer"));
    }
    let callback = Callback::default();
    let has_reports = !args.list.is_on_output();
    let totals = cosets.run(&run, args.list.begin()?, &context, &mut |record| {
        callback.run(|| {
            if has_reports && env.json() {
                out.json(&CosetReport::new(None, false, record))?;
            } else if has_reports && !env.quiet() {
                out.line(report::summary(record))?;
            }
            out.flush()
        })
    });
    let totals = callback.outcome(totals).map_err(Failure::of_standard_output)?;
    let CosetRunTotals { solved, known, unreached, beyond, listed } = totals;
    out.finish()?;
    args.list.tell(listed, &context);
    if !env.quiet() {
        let passed = if beyond > 0 {
            format!(", {beyond} passed over: all their positions are farther than {depth} moves")
        } else {
            String::new()
        };
        context.progress().note(&format!("{solved} cosets solved, {known} were known{passed}"));
    }
    if unreached > 0 {
        return Err(Failure::Unreached(format!(
            "of {unreached} cosets not all positions were reached within 20 moves"
        )));
    }
    Ok(())
}
