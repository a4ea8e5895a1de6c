//! Farms that are not there: how long, how dear and how large one would be.
//!
//! A [`FarmModel`] says what a farm has to do and on what; [`FarmModel::simulate`] plays it through, task by task, with failures
//! drawn at random.

mod events;
mod files;
mod staging;

use serde::Serialize;

use super::MOST_SHARDS;
use twistbase_core::error::{Error, Result};

/// The most tasks at once that are simulated.
const MOST_SLOTS: u64 = 1_000_000;
/// The most items that are simulated.
const MOST_ITEMS: u64 = 1_000_000_000_000;
/// The longest time of anything, in seconds: longer ones would only be typing errors.
const LONGEST_TIME: f64 = 1e9;

/// A farm on a batch system.
///
/// All shards are submitted at once, and start in their order as tasks end. The batch system starts the tasks of a node that
/// failed again by itself; what failed or was cut is submitted again when nothing else is left to do.
#[derive(Debug, Clone, PartialEq)]
pub struct FarmModel {
    /// The number of items.
    pub items: u64,
    /// Mean time of an item on one core, in seconds.
    pub item_seconds: f64,
    /// Standard deviation of that, in seconds.
    pub item_spread: f64,
    /// Cores of a task, which does one item at a time on all of them.
    pub cores: u32,
    /// How many cores the cores of a task are worth, as a part of them: 1 if two take half the time of one.
    pub efficiency: f64,
    /// Nodes.
    pub nodes: u32,
    /// Tasks that run on a node at the same time.
    pub tasks_per_node: u32,
    /// How long a task is to take, in seconds: that decides into how many shards items are cut.
    pub shard_seconds: f64,
    /// What a batch system takes to start and end a task, in seconds.
    pub overhead_seconds: f64,
    /// Tables that a node copies to its own disk before its first task, and anew when it comes back, in bytes.
    pub stage_bytes: u64,
    /// What the file server gives to all nodes that copy tables at the same time, in bytes a second.
    pub server_bandwidth: f64,
    /// How often a node fails in an hour.
    pub node_failures_per_hour: f64,
    /// When a node that failed is back, in seconds.
    pub node_return_seconds: f64,
    /// Probability that a task fails by itself, some time between its beginning and its end.
    pub task_failure: f64,
    /// How often journals are brought to the disk, in seconds: a node that fails loses what came after that. 0: each item.
    pub journal_seconds: f64,
    /// Time limit of a task in seconds; the current item is lost.
    pub time_limit: Option<f64>,
    /// Tasks that may run at the same time, whatever nodes there are.
    pub throttle: Option<u32>,
    /// Tasks of the largest array that the batch system takes.
    pub largest_array: u32,
    /// Bytes of an item in the file of a finished shard.
    pub item_bytes: u64,
    /// Bytes of an item in a journal.
    pub journal_bytes: u64,
    /// Price of a core for an hour, in any currency.
    pub price: f64,
    /// Entries that a folder of the file system may have.
    pub folder_entries: u64,
    /// Files and folders that the file system may have.
    pub files: u64,
}

impl Default for FarmModel {
    /// A thousand cosets that are shown to be within 20 moves, as measured; nodes of 16 cores, of which one fails in five years.
    fn default() -> Self {
        Self {
            items: 1000,
            item_seconds: 100.0,
            item_spread: 10.0,
            cores: 1,
            efficiency: 1.0,
            nodes: 100,
            tasks_per_node: 16,
            shard_seconds: 3600.0,
            overhead_seconds: 0.9,
            stage_bytes: 28_000_000,
            server_bandwidth: 1e9,
            node_failures_per_hour: 2.3e-5,
            node_return_seconds: 3600.0,
            task_failure: 0.0,
            journal_seconds: 10.0,
            time_limit: None,
            throttle: None,
            largest_array: 1000,
            item_bytes: 500,
            journal_bytes: 2000,
            price: 0.0,
            folder_entries: 10_000,
            files: 100_000,
        }
    }
}

impl FarmModel {
    /// Checks that this is a farm that can be simulated.
    ///
    /// # Errors
    /// [`Error::Usage`] with every reason against it.
    pub fn check(&self) -> Result<()> {
        let mut reasons = Vec::new();
        let mut demand = |holds: bool, reason: String| {
            if !holds {
                reasons.push(reason);
            }
        };
        let slots = u64::from(self.nodes) * u64::from(self.tasks_per_node);
        demand(
            (1..=MOST_ITEMS).contains(&self.items),
            format!("{} items are out of range: 1 to {MOST_ITEMS}", self.items),
        );
        for (name, time) in [("an item", self.item_seconds), ("a task", self.shard_seconds)] {
            let is_time = (1e-6..=LONGEST_TIME).contains(&time);
            demand(is_time, format!("{time} s for {name} is out of range: 0.000001 to {LONGEST_TIME}"));
        }
        for (name, time) in [
            ("the spread of an item's time", self.item_spread),
            ("the overhead of a task", self.overhead_seconds),
            ("the return of a node", self.node_return_seconds),
            ("the delay of a journal", self.journal_seconds),
        ] {
            demand(
                (0.0..=LONGEST_TIME).contains(&time),
                format!("{time} s for {name} is out of range: 0 to {LONGEST_TIME}"),
            );
        }
        demand(self.cores >= 1, "a task needs at least 1 core".to_owned());
        demand(
            self.efficiency > 0.0 && self.efficiency <= 1.0,
            format!("efficiency {} is out of range: above 0, at most 1", self.efficiency),
        );
        demand(
            (1..=MOST_SLOTS).contains(&slots),
            format!(
                "{} nodes of {} tasks are out of range: 1 to {MOST_SLOTS} tasks in all",
                self.nodes, self.tasks_per_node
            ),
        );
        let has_bandwidth = self.server_bandwidth >= 1.0 && self.server_bandwidth.is_finite();
        demand(
            has_bandwidth,
            format!("a bandwidth of {} bytes per second is out of range: at least 1", self.server_bandwidth),
        );
        let failures = self.node_failures_per_hour;
        demand(
            (0.0..=3600.0).contains(&failures),
            format!("{failures} failures of a node per hour are out of range: 0 to 3600"),
        );
        demand(
            (0.0..=0.99).contains(&self.task_failure),
            format!("a fraction of {} failing tasks is out of range: 0 to 0.99", self.task_failure),
        );
        let least = self.overhead_seconds + self.staging_seconds() + self.task_item_seconds();
        if let Some(limit) = self.time_limit {
            demand(
                limit > least && limit <= LONGEST_TIME,
                format!("a time limit of {limit} s is too short: the first item takes {least:.1} s"),
            );
        }
        demand(self.throttle != Some(0), "a limit of 0 running tasks is too low: at least 1".to_owned());
        demand(self.largest_array >= 1, "arrays of 0 tasks are too small: at least 1".to_owned());
        demand(
            self.price >= 0.0 && self.price.is_finite(),
            format!("price {} is out of range: at least 0", self.price),
        );
        if reasons.is_empty() { Ok(()) } else { Err(Error::Usage(reasons.join("; "))) }
    }

    /// The number of shards into which a plan cuts the items.
    pub fn shards(&self) -> u32 {
        let wanted = (self.items as f64 * self.task_item_seconds() / self.shard_seconds).ceil();
        // No shard is empty.
        let most = u64::from(MOST_SHARDS).min(self.items);
        (wanted as u64).clamp(1, most.max(1)) as u32
    }

    /// Cores at work when no task waits.
    pub fn cores_in_all(&self) -> u64 {
        let slots = u64::from(self.nodes) * u64::from(self.tasks_per_node);
        slots.min(self.throttle.map_or(u64::MAX, u64::from)) * u64::from(self.cores)
    }

    /// Plays the farm through. The same seed brings the same failures and times.
    ///
    /// # Errors
    /// As [`FarmModel::check`].
    pub fn simulate(&self, seed: u64) -> Result<Simulated> {
        self.check()?;
        Ok(events::Simulation::new(self, seed).run())
    }

    /// Mean time of an item in a task.
    fn task_item_seconds(&self) -> f64 {
        self.item_seconds / self.speed()
    }

    /// How many times as fast as one core a task is.
    fn speed(&self) -> f64 {
        f64::from(self.cores) * self.efficiency
    }

    /// Time to stage tables where nobody else does.
    fn staging_seconds(&self) -> f64 {
        self.stage_bytes as f64 / self.server_bandwidth
    }
}

/// What came out, as JSON: `schema/json/farm-simulate.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulated {
    /// Items.
    pub items: u64,
    /// Cores at work when no task waits.
    pub cores: u64,
    /// Shards of the plan.
    pub shards: u32,
    /// Items of the largest shard.
    pub items_per_shard: u64,
    /// Arrays of tasks that were submitted.
    pub arrays: u64,
    /// Started tasks, including restarts after failures.
    pub tasks: u64,
    /// Number of times that missing shards were submitted again.
    pub resubmissions: u64,
    /// Nodes that failed.
    pub node_failures: u64,
    /// Time from the beginning to the end, in seconds.
    pub wall_seconds: f64,
    /// Time of all cores that tasks had, in seconds.
    pub core_seconds: f64,
    /// Core time of the items with stored results, in seconds.
    pub work_seconds: f64,
    /// The part of the core time whose results were lost.
    pub lost: f64,
    /// Price of the time of all cores.
    pub cost: f64,
    /// Files at the end.
    pub files: u64,
    /// Maximum number of files at any time.
    pub files_at_most: u64,
    /// Folders.
    pub folders: u64,
    /// Maximum number of entries of a folder at any time.
    pub fullest_folder: u64,
    /// Bytes of the results.
    pub bytes: u64,
    /// Bytes written to the file server per second, on average.
    pub written_per_second: f64,
    /// Bytes of tables that were copied to nodes.
    pub staged_bytes: u64,
    /// Shards that were not finished when the simulation gave up.
    pub unfinished: u32,
    /// Whether the farm finished within the limits of the file system.
    pub fits: bool,
    /// Why it does not fit, each reason for itself.
    pub reasons: Vec<String>,
}

#[cfg(test)]
mod tests;
