//! `farm work`: runs shards.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use twistbase_cosets::CosetRequest;
use twistbase_farm::{Farm, ShardOutcome, ShardReport, TaskRequest};
use twistbase_solve::CosetOptions;

use crate::arguments::{CacheArgs, EngineArgs, duration};
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase farm work plan --shard 7 --stage /scratch/twistbase
  twistbase farm work plan                  all free shards

Skips finished shards. Ctrl-C, SIGTERM and kill -9 lose no finished item: the next task
of the shard, on any machine, resumes it. --stage copies the tables to that folder
once for all tasks of a machine, and checks the copies each time. If that fails, tasks
read the original tables.

Exit status 5: another task works on the shard.";

/// Run shards of a farm
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Folder of the farm
    #[arg(value_name = "DIR")]
    farm: PathBuf,

    /// Shards, like 7 or 0,3,7-9 [default: all free shards]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    shard: Vec<ShardNumbers>,

    /// Folder on this machine's own disk for copies of tables
    #[arg(long, value_name = "FOLDER")]
    stage: Option<PathBuf>,

    /// Time between checkpoints of a coset (up to 2.5 GB per task)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    checkpoint_every: Option<Duration>,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Numbers of shards: one, or from one to another.
#[derive(Debug, Clone)]
struct ShardNumbers(RangeInclusive<u32>);

impl FromStr for ShardNumbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = first.trim().parse().ok().zip(last.trim().parse().ok());
        let range = range.filter(|(first, last)| first <= last);
        range
            .map(|(first, last)| Self(first..=last))
            .ok_or_else(|| format!("{text:?} is not a shard number or range; write 7 or 7-9"))
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let farm = Farm::open(args.farm)?;
    let (database, ctx, mut out) = (args.cache.database(env)?, env.context(), env.output());
    // Before ranges become lists of numbers: a range may be huge.
    args.shard.iter().try_for_each(|ShardNumbers(numbers)| farm.plan().items_of(*numbers.end()).map(drop))?;
    let shards: Vec<u32> = args.shard.into_iter().flat_map(|ShardNumbers(numbers)| numbers).collect();
    let options =
        CosetOptions { kernel: args.engine.kernel(), memory: args.engine.memory(), ..CosetOptions::default() };
    let request = TaskRequest {
        shards: (!shards.is_empty()).then_some(shards),
        stage: args.stage,
        solver: CosetRequest { options, force: false, checkpoint_every: args.checkpoint_every },
    };
    let callback = Callback::default();
    let worked = farm.work(&database, &request, &ctx, &mut |report| {
        callback.run(|| {
            if env.json() || !env.quiet() {
                out.report(report, text)?;
            }
            out.flush()
        })
    });
    callback.outcome(worked)?;
    out.finish()
}

fn text(report: &ShardReport) -> String {
    let ShardReport { shard, outcome, items, journalled, seconds, .. } = report;
    match outcome {
        ShardOutcome::Known => format!("shard {shard}: already done"),
        ShardOutcome::Busy => format!("shard {shard}: another task works on it"),
        ShardOutcome::Done => {
            let (items, seconds) = (format::counted(*items, "item"), format::seconds(*seconds));
            let earlier = match journalled {
                0 => String::new(),
                before => format!(", {} earlier", format::grouped(*before)),
            };
            format!("shard {shard}: done, {items} in {seconds}{earlier}")
        }
    }
}
