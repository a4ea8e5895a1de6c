//! `farm simulate`: estimates time, cost and size of farms.

use std::time::Duration;

use twistbase_cosets::CoverReport;
use twistbase_farm::{FarmModel, Simulated};

use crate::arguments::duration;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align, counted, grouped};
use crate::memory::Size;

/// Cosets of the farms that are simulated by default, before the whole cover.
const POWERS_OF_TEN: std::ops::RangeInclusive<u32> = 2..=7;

const EXAMPLES: &str = "\
Examples:
  twistbase farm simulate                            100 cosets to the whole cover
  twistbase farm simulate --nodes 625 --price 0.04   ten thousand cores, with a price
  twistbase farm simulate --cosets 5000 --shard-time 30m --time-limit 1h --throttle 200
  twistbase farm simulate --failures-per-node-hour 1e-3 --task-failures 0.02 --json

Simulates farms task by task. Failures are random; the same seed gives the same
failures. All shards are submitted at once. The batch system restarts the tasks of a
failed node. Tasks that failed or hit the time limit are submitted again when all
others are done.

The default time per coset and the sizes are measured (BENCHMARKS.md), for cosets that
are shown to be within 20 moves (coset run --bound-20), on one thread.";

/// Estimate time, cost and size of farms of cosets
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Numbers of cosets [default: 100, 1000, … 10000000, and the whole cover]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    cosets: Vec<u64>,

    /// Seed of the failures
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    work: WorkArgs,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    files: FileArgs,
}

/// The work.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Work")]
struct WorkArgs {
    /// Mean time of a coset on one core
    #[arg(long, value_name = "DURATION", value_parser = time_given, default_value_t = time(model().item_seconds))]
    item_time: humantime::Duration,

    /// Standard deviation of this time
    #[arg(long, value_name = "DURATION", value_parser = time_given, default_value_t = time(model().item_spread))]
    item_spread: humantime::Duration,

    /// Time per task
    #[arg(long, value_name = "DURATION", value_parser = time_given, default_value_t = time(model().shard_seconds))]
    shard_time: humantime::Duration,

    /// Cores per task
    #[arg(long, value_name = "N", default_value_t = model().cores)]
    cores: u32,

    /// Efficiency of each core of a task
    #[arg(long, value_name = "X", default_value_t = model().efficiency)]
    efficiency: f64,
}

/// The machines.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Cluster")]
struct ClusterArgs {
    /// Nodes
    #[arg(long, value_name = "N", default_value_t = model().nodes)]
    nodes: u32,

    /// Tasks that run at once on a node
    #[arg(long, value_name = "N", default_value_t = model().tasks_per_node)]
    tasks_per_node: u32,

    /// Time to start and end a task
    #[arg(long, value_name = "DURATION", value_parser = time_given, default_value_t = time(model().overhead_seconds))]
    overhead: humantime::Duration,

    /// Time limit of a task [default: none]
    #[arg(long, value_name = "DURATION", value_parser = time_given)]
    time_limit: Option<humantime::Duration>,

    /// Limit of running tasks [default: as many as fit]
    #[arg(long, value_name = "N")]
    throttle: Option<u32>,

    /// Tasks in the largest array
    #[arg(long, value_name = "N", default_value_t = model().largest_array)]
    largest_array: u32,

    /// Failures of a node per hour
    #[arg(long, value_name = "X", default_value_t = model().node_failures_per_hour)]
    failures_per_node_hour: f64,

    /// Time until a failed node is back
    #[arg(long, value_name = "DURATION", value_parser = time_given, default_value_t = time(model().node_return_seconds))]
    node_return: humantime::Duration,

    /// Fraction of tasks that fail by themselves
    #[arg(long, value_name = "X", default_value_t = model().task_failure)]
    task_failures: f64,

    /// Price of a core hour
    #[arg(long, value_name = "X", default_value_t = model().price)]
    price: f64,
}

/// The files.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Files")]
struct FileArgs {
    /// Size of the tables that each node copies
    #[arg(long, value_name = "SIZE", default_value_t = Size(model().stage_bytes))]
    stage_bytes: Size,

    /// Bandwidth of the file server per second
    #[arg(long, value_name = "SIZE", default_value_t = Size(model().server_bandwidth as u64))]
    bandwidth: Size,

    /// Time between writes of a journal; 0s: each coset
    #[arg(long, value_name = "DURATION", value_parser = time_given, default_value_t = time(model().journal_seconds))]
    journal_time: humantime::Duration,

    /// Size of a coset in a journal
    #[arg(long, value_name = "SIZE", default_value_t = Size(model().journal_bytes))]
    journal_bytes: Size,

    /// Size of a coset in the file of a shard
    #[arg(long, value_name = "SIZE", default_value_t = Size(model().item_bytes))]
    item_bytes: Size,

    /// Limit of entries per folder
    #[arg(long, value_name = "N", default_value_t = model().folder_entries)]
    most_entries: u64,

    /// Limit of files and folders
    #[arg(long, value_name = "N", default_value_t = model().files)]
    most_files: u64,
}

fn model() -> FarmModel {
    FarmModel::default()
}

/// Parses a time as other commands do.
fn time_given(text: &str) -> Result<humantime::Duration, String> {
    duration(text).map(humantime::Duration::from)
}

fn time(seconds: f64) -> humantime::Duration {
    Duration::from_secs_f64(seconds).into()
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let mut model = args.model();
    // All are checked before the first is simulated.
    let farms: Vec<u64> = match args.cosets.is_empty() {
        true => POWERS_OF_TEN.map(|power| 10u64.pow(power)).chain([CoverReport::get().cosets.into()]).collect(),
        false => args.cosets,
    };
    for &items in &farms {
        model.items = items;
        model.check()?;
    }
    let mut out = env.output();
    let mut table = head(model.price > 0.0);
    let mut reasons = Vec::new();
    for items in farms {
        model.items = items;
        let found = model.simulate(args.seed)?;
        if env.json() {
            out.json(&found)?;
            out.flush()?;
        } else {
            table.add_row(row(&found, model.price > 0.0));
            reasons.extend(found.reasons.iter().map(|reason| format!("{}: {reason}", counted(items, "coset"))));
        }
    }
    if !env.json() {
        out.line(table.trim_fmt())?;
        reasons.into_iter().try_for_each(|reason| out.line(reason))?;
    }
    out.finish()
}

impl Args {
    /// As the library takes them, of some number of items.
    fn model(&self) -> FarmModel {
        let (work, cluster, files) = (&self.work, &self.cluster, &self.files);
        FarmModel {
            items: 1,
            item_seconds: work.item_time.as_secs_f64(),
            item_spread: work.item_spread.as_secs_f64(),
            cores: work.cores,
            efficiency: work.efficiency,
            nodes: cluster.nodes,
            tasks_per_node: cluster.tasks_per_node,
            shard_seconds: work.shard_time.as_secs_f64(),
            overhead_seconds: cluster.overhead.as_secs_f64(),
            stage_bytes: files.stage_bytes.0,
            server_bandwidth: files.bandwidth.0 as f64,
            node_failures_per_hour: cluster.failures_per_node_hour,
            node_return_seconds: cluster.node_return.as_secs_f64(),
            task_failure: cluster.task_failures,
            journal_seconds: files.journal_time.as_secs_f64(),
            time_limit: cluster.time_limit.map(|limit| limit.as_secs_f64()),
            throttle: cluster.throttle,
            largest_array: cluster.largest_array,
            item_bytes: files.item_bytes.0,
            journal_bytes: files.journal_bytes.0,
            price: cluster.price,
            folder_entries: files.most_entries,
            files: files.most_files,
        }
    }
}

fn head(has_price: bool) -> comfy_table::Table {
    use Align::Right;
    let columns = [
        ("cosets", Right),
        ("shards", Right),
        ("tasks", Right),
        ("again", Right),
        ("time", Right),
        ("core time", Right),
        ("lost, %", Right),
        ("files", Right),
        ("in a folder", Right),
        ("results", Right),
        ("copied", Right),
        ("cost", Right),
    ];
    format::table(&columns[..columns.len() - usize::from(!has_price)])
}

fn row(found: &Simulated, has_price: bool) -> Vec<String> {
    let mut row = vec![
        grouped(found.items),
        grouped(found.shards.into()),
        grouped(found.tasks),
        grouped(found.resubmissions),
        format::long_time(found.wall_seconds),
        format::long_time(found.core_seconds),
        format!("{:.2}", found.lost * 100.0),
        grouped(found.files_at_most),
        grouped(found.fullest_folder),
        format::bytes(found.bytes),
        format::bytes(found.staged_bytes),
    ];
    if has_price {
        row.push(grouped(found.cost.round() as u64));
    }
    row
}
