//! `farm plan`: what is to be done, in shards.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use twistbase_core::error::{Error, Result};
use twistbase_cosets::CoverRange;
use twistbase_database::{Database, SearchBudget, SolveMethod, SolveRequest, TableId};
use twistbase_farm::{Farm, PlanRequest, ShardSize};
use twistbase_tables::{Definition, TwistTable};

use crate::arguments::{duration, twist_table};
use crate::commands::coset::SearchOptions;
use crate::commands::solve::OptimalQuestionArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format;
use crate::positions::cube3::MetricArg;

const EXAMPLES: &str = "\
Examples:
  twistbase farm plan cosets --range 0..1000 --bound-20 --to proof --item-time 3m
  twistbase farm plan cosets --numbers numbers.txt -S 12 -d 12 --to twelve
  twistbase farm plan solve scrambles.txt --to scrambles --table nx-eo1-ep2-htm
  twistbase farm plan verify square1 --to verified

The plan holds the digests of the tables that are needed; they have to be in the store. Tasks
refuse other tables, and other versions of the program. Of cosets and rows the times are
estimated roughly, and of positions by their number of moves where they are sequences: give
--item-time when some have been done. A task takes a shard; the longer, the less is spent on
starting tasks, and the more is lost to the next one where a file system forgets.";

/// Plan what is to be done
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
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
    /// Compute each row of a table anew from those of its neighbours, and compare
    Verify(VerifyArgs),
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct ShardArgs {
    /// Folder for the farm, on a file system that all machines share
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    /// Work of one core that a shard is to be, like 20m or 2h
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration)]
    shard_time: Duration,

    /// Time that an item takes on one core, like 90s or 5ms, where it was measured
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    item_time: Option<Duration>,

    /// Items in a shard, whatever they take
    #[arg(long, value_name = "N", conflicts_with_all = ["shard_time", "item_time"], value_parser = clap::value_parser!(u64).range(1..))]
    shard_items: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct CosetArgs {
    /// Numbers of the cosets in the cover: from A up to, but not including, B [default: all]
    #[arg(long, value_name = "A..B")]
    range: Option<CoverRange>,

    /// File of numbers of cosets in the cover, one a line; - is standard input
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
    /// File of positions, one a line, in any notation; - is standard input
    #[arg(value_name = "FILE")]
    positions: PathBuf,

    /// How to count moves [default: htm]
    #[arg(long, value_enum)]
    metric: Option<MetricArg>,

    /// Where solutions are to lead instead of solved, in any notation
    #[arg(long, value_name = "POSITION")]
    goal: Option<String>,

    /// Give up a position after visiting N nodes
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
    /// The table, one of the Square-1 family
    #[arg(value_name = "TABLE", value_parser = twist_table())]
    table: &'static TwistTable,

    #[command(flatten)]
    shards: ShardArgs,
}

impl PlannedWork {
    /// What is asked of the library, and where the farm is to be.
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
    let (database, ctx, mut out) = (env.database()?, env.context()?, env.output());
    let (request, ShardArgs { to, shard_time, item_time, shard_items }) = args.work.request(&database)?;
    let request = request.in_shards(shard_items.map_or(ShardSize::Time(shard_time), ShardSize::Items));
    let request = item_time.into_iter().fold(request, PlanRequest::with_item_time);
    let farm = Farm::create(&database, &to, &request, &ctx)?;
    if env.json() {
        out.json(&farm.report())?;
    } else {
        out.line(summary(&farm))?;
    }
    out.finish()
}

fn text_of(path: &PathBuf) -> Result<String> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|source| Error::io("read", path, source))?;
    // Who reads the lines tells which of them is no text.
    let text = String::from_utf8_lossy(&bytes);
    // Some programs put a byte order mark before a text.
    Ok(text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned())
}

fn summary(farm: &Farm) -> String {
    let plan = farm.plan();
    let noun = plan.work().noun();
    let (items, shards) = (format::grouped(plan.items()), format::counted(plan.shards(), "shard"));
    let each = format::seconds(plan.item_seconds() * plan.items() as f64 / f64::from(plan.shards()));
    format!("{items} {noun}s in {shards}, about {each} of one core each: {}", farm.path().display())
}
