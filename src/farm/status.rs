//! The progress of a farm, from its files alone.

use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use super::claim::worker;
use super::shard_file::{ShardFile, ShardHead};
use super::summary::FarmSummary;
use super::task::failure_of;
use super::{Farm, FarmWork};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Fault, Result};

/// The state of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShardState {
    /// All of it.
    Done,
    /// A task works on it.
    Running,
    /// A task failed.
    Failed,
    /// Some of it, and no task works on it.
    Interrupted,
    /// Nothing.
    Missing,
    /// A file that is not as it was written, or that is not of this plan: reported only if files are checked.
    Damaged,
}

/// How far a farm is, as JSON: `schema/json/farm-status.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FarmStatus {
    /// The folder.
    #[serde(serialize_with = "twistbase_database::path_as_text")]
    pub farm: PathBuf,
    /// The plan.
    pub plan: String,
    /// The work on each item.
    pub work: FarmWork,
    /// Shards in all.
    pub shards: u32,
    /// Shards that are done.
    pub done: u32,
    /// Shards that a task works on.
    pub running: u32,
    /// Shards whose last task failed.
    pub failed: u32,
    /// Unfinished shards with some results, and no task at work.
    pub interrupted: u32,
    /// Shards without any results.
    pub missing: u32,
    /// Shards whose file cannot be used; `null` if the files were not checked.
    pub damaged: Option<u32>,
    /// Items in all.
    pub items: u64,
    /// Items of the shards that are done.
    pub items_done: u64,
    /// Total seconds of the shards that are done.
    pub shard_seconds: f64,
    /// Seconds until all is done, if as many tasks go on as work now; none if nothing is done or nobody works.
    pub seconds_left: Option<f64>,
    /// The sum of the shards that are done.
    pub summary: FarmSummary,
    /// Why tasks failed.
    pub failures: Vec<FailedShard>,
    /// The shards that are not done and that nobody works on.
    pub to_do: Vec<u32>,
}

/// Why the last task of a shard failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedShard {
    /// The shard.
    pub shard: u32,
    /// The machine; none where a file says nothing of it.
    pub host: Option<String>,
    /// When, in seconds since 1970.
    pub failed: Option<u64>,
    /// The class of the error.
    pub class: String,
    /// The error.
    pub message: String,
}

/// What was found of a shard.
struct ShardFinding {
    state: ShardState,
    seconds: f64,
    summary: Option<FarmSummary>,
    failure: Option<FailedShard>,
}

impl ShardFinding {
    fn of(state: ShardState) -> Self {
        Self { state, seconds: 0.0, summary: None, failure: None }
    }
}

impl FarmStatus {
    /// Whether all shards are done.
    pub fn is_done(&self) -> bool {
        self.done == self.shards
    }
}

impl Farm {
    /// The progress. With `check`, reads every byte of finished shards, as before a merge; else trusts the files.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Interrupted`]; [`Error::Data`] if the list of items is not that of the plan.
    pub fn status(&self, check: bool, ctx: &Context) -> Result<FarmStatus> {
        let list = if check { Some(self.plan().list(&self.folder)?) } else { None };
        ctx.progress().begin("looking at shards", self.shards().into(), "shards");
        let found = (0..self.shards()).into_par_iter().map(|shard| {
            ctx.check()?;
            let finding = match &list {
                Some(list) => match ShardFile::read(self, list, shard) {
                    Ok(file) => Some(file.head),
                    Err(Error::Data(error)) if error.fault == Fault::Missing => None,
                    Err(error @ Error::Data(_)) => {
                        let class = error.class().code().to_owned();
                        let message = error.to_string();
                        let failure = FailedShard { shard, host: None, failed: None, class, message };
                        return Ok(ShardFinding { failure: Some(failure), ..ShardFinding::of(ShardState::Damaged) });
                    }
                    Err(other) => return Err(other),
                },
                None => ShardFile::head(self, shard),
            };
            ctx.progress().advance(1);
            let done = |ShardHead { seconds, summary, .. }| ShardFinding {
                seconds,
                summary: Some(summary),
                ..ShardFinding::of(ShardState::Done)
            };
            Ok(finding.map_or_else(|| self.unfinished(shard), done))
        });
        let found = found.collect::<Result<Vec<_>>>()?;
        ctx.progress().end();
        self.add_up(found, check)
    }

    /// The state of an unfinished shard.
    fn unfinished(&self, shard: u32) -> ShardFinding {
        let paths = self.folder.shard(shard);
        if worker(&paths.lock()).is_some() {
            return ShardFinding::of(ShardState::Running);
        }
        if let Some(note) = failure_of(&paths.failed()) {
            let (host, failed) = (Some(note.task.host), Some(note.failed));
            let failure = FailedShard { shard, host, failed, class: note.class, message: note.message };
            return ShardFinding { failure: Some(failure), ..ShardFinding::of(ShardState::Failed) };
        }
        ShardFinding::of(if paths.journal().exists() { ShardState::Interrupted } else { ShardState::Missing })
    }

    fn add_up(&self, found: Vec<ShardFinding>, check: bool) -> Result<FarmStatus> {
        let count = |state| found.iter().filter(|finding| finding.state == state).count() as u32;
        let (done, running) = (count(ShardState::Done), count(ShardState::Running));
        let (mut summary, mut items_done, mut shard_seconds) = (FarmSummary::empty(&self.plan().work), 0, 0.0);
        let (mut failures, mut to_do) = (Vec::new(), Vec::new());
        for (finding, shard) in found.iter().zip(0..) {
            match finding.state {
                ShardState::Done => {
                    let items = self.plan().items_of(shard)?;
                    items_done += items.end - items.start;
                    shard_seconds += finding.seconds;
                }
                ShardState::Running => {}
                _ => to_do.push(shard),
            }
            finding.summary.iter().for_each(|more| summary.add(more));
            failures.extend(finding.failure.clone());
        }
        let left = f64::from(self.shards() - done) - f64::from(running) / 2.0;
        // Of tasks that run, half is done on average.
        let seconds_left =
            (done > 0 && running > 0).then(|| shard_seconds / f64::from(done) * left.max(0.0) / f64::from(running));
        Ok(FarmStatus {
            farm: self.path().to_path_buf(),
            plan: self.plan().id.clone(),
            work: self.plan().work.clone(),
            shards: self.shards(),
            done,
            running,
            failed: count(ShardState::Failed),
            interrupted: count(ShardState::Interrupted),
            missing: count(ShardState::Missing),
            damaged: check.then(|| count(ShardState::Damaged)),
            items: self.plan().items,
            items_done,
            shard_seconds,
            seconds_left,
            summary,
            failures,
            to_do,
        })
    }
}
