//! `coset count`: positions of the whole cube at each distance.

use twistbase_cosets::{CoverRange, CubeCount, CubeLevel};
use twistbase_puzzle::cube3::Metric;

use crate::arguments::{CacheArgs, EngineArgs, cube_metric};
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, grouped, grouped_wide};

const EXAMPLES: &str = "\
Examples:
  twistbase coset count --depth 4
  twistbase coset count --depth 4 --range 0..1000

Searches the cosets of the cover that have positions near enough, and counts each
position once, by its weight. Prints each level when it is finished, next to the
published number. Stores nothing: an interrupted count starts again. --metric qtm
needs the table phase1-qtm.

Each level takes about 13 times as long as the one before, 9 times in quarter turns.
On two cores, 8 moves take half a minute, 9 some minutes, 10 more than an hour, 11 a
day and 12 two weeks. For deep counts, give each machine a --range and add up the
counts.";

/// Count the positions of the whole cube at each distance
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Last distance
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=20))]
    depth: u8,

    /// Metric
    #[arg(long, value_parser = cube_metric(), default_value = "htm")]
    metric: Metric,

    /// Count in cosets A to B-1 of the cover [default: all]
    ///
    /// Machines can share a deep count: the counts of ranges without gaps add up to the whole cube.
    #[arg(long, value_name = "A..B")]
    range: Option<CoverRange>,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let cosets = args.cache.database(env)?.cosets();
    let (context, mut out) = (env.context(), env.output());
    let (kernel, memory) = (args.engine.kernel(), args.engine.memory());
    let range = args.range.unwrap_or_else(CoverRange::all);
    let count = CubeCount { metric: args.metric, range, depth: args.depth, memory, kernel };
    let callback = Callback::default();
    let mut head = (!env.json()).then_some(HEAD);
    let counted = cosets.count(&count, &context, &mut |level| {
        callback.run(|| {
            // Not earlier: an error has no table.
            head.take().map_or(Ok(()), |head| out.line(head))?;
            out.report(level, line)?;
            out.flush()
        })
    });
    callback.outcome(counted)?;
    out.finish()
}

const HEAD: &str = "depth                positions                    total      cosets     time";

/// A level as a line.
fn line(level: &CubeLevel) -> String {
    let CubeLevel { depth, positions, total, cosets, seconds, published, .. } = level;
    let [positions, total] = [positions, total].map(|&count| grouped_wide(count));
    let known = if published.is_some() { "  as published" } else { "" };
    format!("{depth:>5} {positions:>24} {total:>24} {:>11} {:>8}{known}", grouped(*cosets), format::seconds(*seconds))
}
