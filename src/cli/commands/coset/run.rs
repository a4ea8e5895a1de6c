//! `coset run`: cosets of the cover, one after the other.

use std::path::PathBuf;

use twistbase::cosets::{CosetReport, CosetRun, CosetRunTotals, CoverRange, ShardPart};

use super::callback::Callback;
use super::options::SolveOptions;
use super::report;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase coset run --range 100..102 -S 4 -d 4
  twistbase coset run --range 0..4 -S 4 -d 4 --shard 2/2 --out shards

Cosets that the store knows well enough are passed over: the same command goes on
where it was stopped, whatever stopped it, and at most the coset in hand is lost
(with --checkpoint, not even that). Counts are weighted for the whole cube.

With --shard and --out the range is divided among N machines. Each writes files
of --per-file cosets into its folder DIR, and none touches the results in the store;
the table phase1 is needed on each. A file gets its name when its cosets are done,
and is not made again. coset merge brings the files together.";

/// Solve cosets of the cover, one after the other
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Numbers of the cosets in the cover: from A up to, but not including, B [default: all]
    #[arg(long, value_name = "A..B")]
    range: Option<CoverRange>,

    /// Of N equal parts of the range, the Ith, from 1 (needs --out)
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<ShardPart>,

    /// Write files into this folder instead of the store
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Cosets in a file of --out
    #[arg(long, value_name = "K", default_value_t = CosetRun::PER_FILE, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    per_file: u32,

    #[command(flatten)]
    options: SolveOptions,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (cosets, context, mut out) = (args.options.cosets(env)?, env.context()?, env.output());
    let run = CosetRun {
        range: args.range.unwrap_or_else(CoverRange::all),
        shard: args.shard,
        out: args.out,
        per_file: args.per_file,
        request: args.options.request(),
    };
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
