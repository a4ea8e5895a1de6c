//! A task: a shard done, or as much of it as there is time for.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::claim::{Claim, TaskNote};
use super::engine::Engine;
use super::journal::{ShardJournal, remove_if_there};
use super::plan::ItemList;
use super::shard_file::ShardFile;
use super::stage::stage;
use super::{Farm, FarmSummary};
use twistbase_core::context::Context;
use twistbase_core::error::{Class, Error, Fault, Result};
use twistbase_cosets::CosetRequest;
use twistbase_database::Database;
use twistbase_store::{NewFile, create_folder, json_line_of, read_whole, seconds_since_1970};

/// How a task works.
#[derive(Debug, Clone, Default)]
pub struct TaskRequest {
    /// The shards to do; all that are not done and that nobody works on if there is nothing.
    pub shards: Option<Vec<u32>>,
    /// The folder on this machine's own disk to copy the tables to.
    pub stage: Option<PathBuf>,
    /// Memory, kernel and checkpoints of the solver; the rest of the options is the plan's.
    pub solver: CosetRequest,
}

/// What became of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShardOutcome {
    /// It is done now.
    Done,
    /// It was done before.
    Known,
    /// Another task works on it.
    Busy,
}

/// What became of a shard, as JSON: `schema/json/farm-work.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShardReport {
    /// The shard.
    pub shard: u32,
    /// What became of it.
    pub outcome: ShardOutcome,
    /// Items done by this task.
    pub items: u64,
    /// Items that its journal had.
    pub journalled: u64,
    /// Seconds that were worked on it now.
    pub seconds: f64,
    /// What its records come to, where it was done now.
    pub summary: Option<FarmSummary>,
}

impl ShardReport {
    fn of(shard: u32, outcome: ShardOutcome) -> Self {
        Self { shard, outcome, items: 0, journalled: 0, seconds: 0.0, summary: None }
    }
}

/// Why the last task of a shard failed, as the file beside it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FailureNote {
    #[serde(flatten)]
    pub task: TaskNote,
    /// When, in seconds since 1970.
    pub failed: u64,
    /// The class of the error.
    pub class: String,
    /// The error.
    pub message: String,
}

impl Farm {
    /// Works on shards, one after the other, with the tables of a database; `on` hears what became of each. A shard that is done
    /// takes no time. Finished items survive any end of the task, and the next task of the shard resumes there.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is no such shard; [`Error::Busy`] if the only shard that was asked for has a task;
    /// [`Error::Data`] if a table is missing or is not that of the plan; those of the work and of `on`;
    /// [`Error::Interrupted`].
    pub fn work(
        &self,
        database: &Database,
        request: &TaskRequest,
        ctx: &Context,
        on: &mut dyn FnMut(&ShardReport) -> Result<()>,
    ) -> Result<()> {
        let shards = request.shards.clone().unwrap_or_else(|| (0..self.shards()).collect());
        shards.iter().try_for_each(|&shard| self.plan().items_of(shard).map(drop))?;
        let list = self.plan().list(&self.folder)?;
        let mut task = FarmTask { farm: self, database, request, list, ctx, engine: None };
        let is_one = request.shards.as_ref().is_some_and(|shards| shards.len() == 1);
        let mut foreign = None;
        for shard in shards {
            ctx.check()?;
            let report = match task.shard(shard) {
                Err(Error::Busy { what, .. }) if !is_one && what == format!("shard {shard}") => {
                    ShardReport::of(shard, ShardOutcome::Busy)
                }
                // A file of another plan is left to whoever put it there, and holds up no other shard.
                Err(Error::Data(error)) if !is_one && error.file == Some(self.folder.shard(shard).done()) => {
                    foreign.get_or_insert(error);
                    continue;
                }
                other => other?,
            };
            on(&report)?;
        }
        ctx.progress().end();
        foreign.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Whether a shard is done, in a file that is as it was written.
    ///
    /// # Errors
    /// [`Error::Data`] if it is of another plan, other tables or another program; [`Error::Io`].
    fn is_done(&self, list: &ItemList, shard: u32) -> Result<bool> {
        match ShardFile::read(self, list, shard) {
            Ok(_) => Ok(true),
            Err(Error::Data(error)) if matches!(error.fault, Fault::Missing | Fault::Damaged) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Puts the file of a shard aside that is not as it was written.
    fn put_aside(&self, shard: u32) -> Result<()> {
        let paths = self.folder.shard(shard);
        if !paths.done().exists() {
            return Ok(());
        }
        tracing::warn!(file = %paths.done().display(), "setting a damaged shard aside and running it again");
        fs::rename(paths.done(), paths.damaged()).map_err(|source| Error::io("rename", paths.done(), source))
    }
}

/// A task at work.
struct FarmTask<'a> {
    farm: &'a Farm,
    database: &'a Database,
    request: &'a TaskRequest,
    list: ItemList,
    ctx: &'a Context,
    /// Made when it is first needed.
    engine: Option<Engine>,
}

impl FarmTask<'_> {
    /// Does a shard; a failure is noted beside it.
    fn shard(&mut self, shard: u32) -> Result<ShardReport> {
        let done = self.try_shard(shard);
        if let Err(error) = &done
            && !matches!(error.class(), Class::Busy | Class::Interrupted)
        {
            let note = FailureNote {
                task: TaskNote::own(),
                failed: seconds_since_1970(),
                class: error.class().code().to_owned(),
                message: error.to_string(),
            };
            // Only a courtesy: the error itself is returned.
            let _ = NewFile::write_whole(&self.farm.folder.shard(shard).failed(), json_line_of(&note).as_bytes());
        }
        done
    }

    fn try_shard(&mut self, shard: u32) -> Result<ShardReport> {
        if self.farm.is_done(&self.list, shard)? {
            return Ok(self.known(shard));
        }
        let paths = self.farm.folder.shard(shard);
        let claim = Claim::acquire(&paths.lock(), shard)?;
        // The task that had it may have finished it since.
        if self.farm.is_done(&self.list, shard)? {
            return Ok(self.known(shard));
        }
        self.farm.put_aside(shard)?;
        let (mut journal, mut known) = ShardJournal::open(&paths.journal(), &self.farm.plan().id, shard, &self.list)?;
        let items = self.farm.plan().items_of(shard)?;
        known.retain(|item, _| items.contains(item));
        let journalled = known.len() as u64;
        let todo: Vec<u64> = items.filter(|item| !known.contains_key(item)).collect();
        if !todo.is_empty() {
            self.open_engine()?;
        }
        let stage = format!("shard {shard}");
        let unit = format!("{}s", self.farm.plan().work.noun());
        self.ctx.progress().begin(&stage, todo.len() as u64 + journalled, &unit);
        self.ctx.progress().advance(journalled);
        let started = Instant::now();
        if let Some(engine) = &mut self.engine {
            let ctx = self.ctx;
            let worked = engine.run(&todo, &self.list, ctx, &mut |record| {
                journal.add(&record)?;
                known.insert(record.item, record);
                ctx.progress().advance(1);
                Ok(())
            });
            // However that ended, what was finished is not to be lost.
            journal.sync().and(worked)?;
        }
        let seconds = started.elapsed().as_secs_f64();
        let records: Vec<_> = known.into_values().collect();
        let seconds_of_all = self.seconds_of_all(seconds, todo.len() as u64, journalled);
        let file = ShardFile::new(self.farm, shard, seconds_of_all, records);
        file.write(&paths.done())?;
        journal.remove()?;
        remove_if_there(&paths.failed())?;
        remove_if_there(&paths.damaged())?;
        drop(claim);
        let outcome = ShardOutcome::Done;
        Ok(ShardReport {
            shard,
            outcome,
            items: todo.len() as u64,
            journalled,
            seconds,
            summary: Some(file.head.summary),
        })
    }

    /// A shard that was done; what a task that was killed at its very end left beside it is removed.
    fn known(&self, shard: u32) -> ShardReport {
        let paths = self.farm.folder.shard(shard);
        // It does no harm where it cannot be removed.
        let _ = remove_if_there(&paths.journal()).and(remove_if_there(&paths.failed()));
        ShardReport::of(shard, ShardOutcome::Known)
    }

    /// What all items took, where only some were done now: as long for each.
    fn seconds_of_all(&self, seconds: f64, now: u64, before: u64) -> f64 {
        match now {
            0 => self.farm.plan().item_seconds * before as f64,
            now => seconds * (now + before) as f64 / now as f64,
        }
    }

    /// Opens the tables, staged if that is wanted, once they are known to be those of the plan.
    fn open_engine(&mut self) -> Result<()> {
        if self.engine.is_some() {
            return Ok(());
        }
        let tables = &self.farm.plan().tables;
        let staged = match &self.request.stage {
            Some(folder) => stage(self.database, folder, tables, self.ctx)?,
            None => None,
        };
        let database = staged.as_ref().unwrap_or(self.database);
        tables.iter().try_for_each(|table| table.check(database))?;
        let mut solver = self.request.solver.clone();
        if let Some(every) = solver.checkpoint_every {
            let folder = self.farm.folder.checkpoints();
            create_folder(&folder)?;
            solver.options.checkpoint = Some(twistbase_solve::CosetCheckpoint { folder, every });
        }
        self.engine = Some(Engine::open(&self.farm.plan().work, &solver, database, self.ctx)?);
        Ok(())
    }
}

/// Why the last task of a shard failed.
pub(super) fn failure_of(path: &Path) -> Option<FailureNote> {
    serde_json::from_slice(&read_whole(path).ok()?).ok()
}
