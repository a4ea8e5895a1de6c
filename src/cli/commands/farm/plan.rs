//! `farm plan`: splits work into shards.

use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use twistbase_core::error::Result;
use twistbase_cosets::CoverRange;
use twistbase_database::{Database, SearchBudget, SolveMethod, SolveRequest, TableId};
use twistbase_farm::{Farm, PlanRequest, ShardSize};
use twistbase_puzzle::cube3::Metric;
use twistbase_tables::{Definition, TwistTable};

use crate::arguments::{cube_metric, duration, twist_table};
use crate::batch::text_of;
use crate::commands::coset::SearchOptions;
use crate::commands::solve::OptimalQuestionArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase farm plan cosets --range 0..1000 --bound-20 --to proof --item-time 3m
  twistbase farm plan cosets --numbers numbers.txt -S 12 -d 12 --to twelve
  twistbase farm plan solve scrambles.txt --to scrambles --table nx-eo1-ep2-htm
  twistbase farm plan verify square1 --to verified

The store must have the tables. The plan records their digests, and tasks refuse other
tables and other versions of the program. Estimates of the time are rough: give
--item-time when some items are done. A task runs one shard. Longer shards save
start-up time; shorter ones lose less when a file system loses data.";

/// Plan the work of a farm
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    work: PlannedWork,
}

#[derive(Debug, Subcommand)]
enum PlannedWork {
    /// Solve cosets of the cover, weighted for the whole cube
    Cosets(CosetArgs),
    /// Solve positions of the Rubik's cube optimally
    Solve(SolveArgs),
    /// Check each row of a table against its neighbours
    Verify(VerifyArgs),
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct ShardArgs {
    /// Folder for the farm, on a shared file system
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    /// Work per shard in core time, like 20m or 2h
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration)]
    shard_time: Duration,

    /// Measured time of an item on one core, like 90s or 5ms
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    item_time: Option<Duration>,

    /// Items per shard
    #[arg(long, value_name = "N", conflicts_with_all = ["shard_time", "item_time"], value_parser = clap::value_parser!(u64).range(1..))]
    shard_items: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct CosetArgs {
    /// Cosets A to B-1 of the cover [default: all]
    #[arg(long, value_name = "A..B")]
    range: Option<CoverRange>,

    /// File of coset numbers, one per line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "range", alias = "list")]
    numbers: Option<PathBuf>,

    #[command(flatten)]
    search: SearchOptions,

    #[command(flatten)]
    shards: ShardArgs,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct SolveArgs {
    /// File of positions, one per line; - is standard input
    #[arg(value_name = "FILE")]
    positions: PathBuf,

    /// Metric [default: htm]
    #[arg(long, value_parser = cube_metric())]
    metric: Option<Metric>,

    /// Position to solve to [default: solved]
    #[arg(long, value_name = "POSITION")]
    goal: Option<String>,

    /// Stop at a position after N nodes
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,

    #[command(flatten)]
    question: OptimalQuestionArgs,

    #[command(flatten)]
    shards: ShardArgs,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct VerifyArgs {
    /// Table of the Square-1 family
    #[arg(value_name = "TABLE", value_parser = twist_table())]
    table: &'static TwistTable,

    #[command(flatten)]
    shards: ShardArgs,
}

impl PlannedWork {
    /// The request to the library, and the options about shards.
    fn request(self, database: &Database) -> Result<(PlanRequest, ShardArgs)> {
        Ok(match self {
            Self::Cosets(CosetArgs { range, numbers, search, shards }) => {
                let request = match numbers {
                    Some(numbers) => PlanRequest::coset_list(&text_of(&numbers)?, &search.options())?,
                    None => PlanRequest::cosets(&range.unwrap_or_else(CoverRange::all), &search.options())?,
                };
                (request, shards)
            }
            Self::Solve(SolveArgs { positions, metric, goal, max_nodes, question, shards }) => {
                question.check(metric.map(Into::into))?;
                let request = SolveRequest {
                    method: Some(SolveMethod::Optimal),
                    metric: metric.map(Into::into),
                    goal,
                    budget: SearchBudget { time: None, nodes: max_nodes },
                    ..question.request()
                };
                (PlanRequest::positions(&text_of(&positions)?, &request, database)?, shards)
            }
            Self::Verify(VerifyArgs { table, shards }) => {
                (PlanRequest::verify(TableId::from(table as &'static dyn Definition), database)?, shards)
            }
        })
    }
}

pub fn run(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let (database, ctx) = (env.database()?, env.context());
    let (request, ShardArgs { to, shard_time, item_time, shard_items }) = args.work.request(&database)?;
    let request = request.in_shards(shard_items.map_or(ShardSize::Time(shard_time), ShardSize::Items));
    let request = item_time.into_iter().fold(request, PlanRequest::with_item_time);
    let farm = Farm::create(&database, &to, &request, &ctx)?;
    env.print(&farm.report(), |_| summary(&farm))
}

fn summary(farm: &Farm) -> String {
    let plan = farm.plan();
    let noun = plan.work.noun();
    let (items, shards) = (format::grouped(plan.items), format::counted(plan.shards(), "shard"));
    let each = format::seconds(plan.item_seconds * plan.items as f64 / f64::from(plan.shards()));
    format!("{items} {noun}s in {shards}, about {each} of one core each: {}", farm.path().display())
}
