//! `coset run`: cosets of the cover, one after the other.

use twistbase::cosets::{CosetReport, CosetRun, CosetRunTotals, CoverRange};
use twistbase::error::Error;

use super::options::SolveOptions;
use super::report;
use crate::cli::callback::Callback;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase coset run --range 100..102 -S 4 -d 4

Cosets that the store knows well enough are passed over: the same command goes on
where it was stopped, whatever stopped it, and at most the coset in hand is lost
(with --checkpoint, not even that). Counts are weighted for the whole cube.

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
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if !args.replaced.is_empty() {
        let instead = "farm plan cosets and farm work spread cosets over machines, and farm merge brings them together";
        return Err(Error::Usage(format!("--shard, --out and --per-file are no more: {instead}")).into());
    }
    let (cosets, context, mut out) = (args.options.cosets(env)?, env.context()?, env.output());
    let range = args.range.unwrap_or_else(CoverRange::all);
    let run = CosetRun { range, request: args.options.request() };
    let callback = Callback::default();
    let totals = cosets.run(&run, &context, &mut |record| {
        callback.run(|| {
            if env.json() {
                out.json(&CosetReport::new(None, false, record))?;
            } else if !env.quiet() {
                out.line(report::summary(record))?;
            }
            out.flush()
        })
    });
    let CosetRunTotals { solved, known, unreached } = callback.outcome(totals)?;
    out.finish()?;
    if !env.quiet() {
        context.progress().note(&format!("{solved} cosets solved, {known} were known"));
    }
    if unreached > 0 {
        return Err(Failure::Unreached(format!(
            "of {unreached} cosets not all positions were reached within 20 moves"
        )));
    }
    Ok(())
}
