//! Submits shards to Slurm.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::options::{SlurmOptions, is_line};
use super::programs;
use super::script::TaskArray;
use crate::Farm;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_store::{Locked, NewFile, create_folder, json_line_of, seconds_since_1970};

/// What was submitted, as JSON: `schema/json/farm-submit.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubmitReport {
    /// The folder.
    #[serde(serialize_with = "twistbase_database::path_as_text")]
    pub farm: PathBuf,
    /// The plan.
    pub plan: String,
    /// The arrays.
    pub arrays: Vec<SubmittedArray>,
    /// Shards that were submitted.
    pub shards: u32,
    /// Shards that wait in the queue already.
    pub waiting: u32,
    /// Shards that are done.
    pub done: u32,
    /// Shards that a task works on.
    pub running: u32,
}

/// An array that was submitted, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubmittedArray {
    /// Its number; none if it was not submitted.
    pub job: Option<String>,
    /// Its script.
    #[serde(serialize_with = "twistbase_database::path_as_text")]
    pub script: PathBuf,
    /// The shard of index 0.
    pub first: u32,
    /// The indices, as sbatch reads them.
    pub indices: String,
    /// Its number of shards.
    pub shards: u32,
    /// The script, where it was not submitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The stored note of a submitted array.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct JobNote {
    job: String,
    first: u32,
    indices: String,
    submitted: u64,
}

impl Farm {
    /// Submits a farm of which nothing was submitted yet. With `dry_run` nothing is written or submitted: the scripts are
    /// returned.
    ///
    /// # Errors
    /// [`Error::Usage`] for options that make no sense, and if it was submitted before; [`Error::Busy`] while another process
    /// submits it; [`Error::Io`] with what Slurm says; [`Error::Interrupted`].
    pub fn submit(&self, options: &SlurmOptions, dry_run: bool, ctx: &Context) -> Result<SubmitReport> {
        let submitting = Submitting::begin(self, options.clone(), dry_run)?;
        if let Some(job) = &submitting.last_job {
            let why = format!("{} was submitted already, as job {job}", self.path().display());
            return Err(Error::Usage(format!("{why}; farm resubmit submits the missing shards")));
        }
        submitting.run(false, ctx)
    }

    /// Submits the missing and damaged shards that are neither in work nor waiting in the queue. Options default to those of
    /// the last time.
    ///
    /// # Errors
    /// As [`Farm::submit`], but for what was submitted before.
    pub fn resubmit(&self, options: &SlurmOptions, dry_run: bool, ctx: &Context) -> Result<SubmitReport> {
        let kept = self.folder.slurm();
        let last = if kept.exists() { SlurmOptions::read(&kept)? } else { SlurmOptions::default() };
        Submitting::begin(self, options.clone().or(last), dry_run)?.run(true, ctx)
    }

    /// What the names of its jobs begin with; the first shard follows. This finds a job that sbatch took and then failed to
    /// say so.
    fn job_name(&self) -> String {
        format!("twistbase-{}-", self.plan().id.get(..8).unwrap_or_default())
    }
}

/// A submission under way.
struct Submitting<'a> {
    farm: &'a Farm,
    options: SlurmOptions,
    dry_run: bool,
    /// The job that was submitted last.
    last_job: Option<String>,
    /// The number of the next array.
    next: u32,
    /// Held while it is under way.
    _lock: Option<Locked>,
}

impl<'a> Submitting<'a> {
    fn begin(farm: &'a Farm, options: SlurmOptions, dry_run: bool) -> Result<Self> {
        options.check()?;
        let folder = farm.folder.jobs();
        let lock = if dry_run { None } else { Some(lock(&folder)?) };
        let (mut last, mut next) = (None, 0);
        for path in paths_in(&folder)? {
            let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<u32>().ok());
            next = next.max(number.map_or(0, |number| number + 1));
            if path.extension().is_some_and(|end| end == "json") {
                let text = fs::read(&path).map_err(|source| Error::io("read", &path, source))?;
                let note: JobNote = serde_json::from_slice(&text)
                    .map_err(|error| Error::Usage(format!("{} is not a note of a job: {error}", path.display())))?;
                last = last.max(Some((number, note.job)));
            }
        }
        let last_job = last.map(|(_, job)| job);
        Ok(Self { farm, options, dry_run, last_job, next, _lock: lock })
    }

    fn run(mut self, again: bool, ctx: &Context) -> Result<SubmitReport> {
        let status = self.farm.status(again, ctx)?;
        let queued = match if again { self.queued() } else { Ok(BTreeSet::new()) } {
            // What would be submitted where there is Slurm can be seen elsewhere.
            Err(_) if self.dry_run => BTreeSet::new(),
            other => other?,
        };
        let to_do: Vec<u32> = status.to_do.iter().copied().filter(|shard| !queued.contains(shard)).collect();
        let size = match programs::array_size() {
            Err(_) if self.dry_run => programs::LARGEST_ARRAY,
            other => other?,
        };
        let mut report = SubmitReport {
            farm: self.farm.path().to_path_buf(),
            plan: self.farm.plan().id.clone(),
            arrays: Vec::new(),
            shards: 0,
            waiting: status.to_do.len() as u32 - to_do.len() as u32,
            done: status.done,
            running: status.running,
        };
        let farm = fs::canonicalize(self.farm.path()).map_err(|source| Error::io("read", self.farm.path(), source))?;
        if !is_line(&farm) {
            return Err(Error::Usage(format!("{farm:?} is not one line of text; Slurm needs such a path")));
        }
        if !self.dry_run && !to_do.is_empty() {
            NewFile::write_whole(&self.farm.folder.slurm(), self.options.to_toml().as_bytes())?;
        }
        for array in TaskArray::of(&to_do, size) {
            ctx.check()?;
            let submitted = self.submit_array(&farm, &array)?;
            report.shards += submitted.shards;
            report.arrays.push(submitted);
        }
        Ok(report)
    }

    fn submit_array(&mut self, farm: &Path, array: &TaskArray) -> Result<SubmittedArray> {
        let (number, folder) = (self.next, self.farm.folder.jobs());
        self.next += 1;
        let script = folder.join(format!("{number:04}.sbatch"));
        let logs = farm.join("logs").join(format!("{number:04}"));
        let name = format!("{}{}", self.farm.job_name(), array.first);
        let text = array.script(&name, farm, &logs, &self.options);
        let (first, indices) = (array.first, array.written());
        let shards = array.indices.len() as u32;
        if self.dry_run {
            return Ok(SubmittedArray { job: None, script, first, indices, shards, text: Some(text) });
        }
        create_folder(&logs)?;
        NewFile::write_whole(&script, text.as_bytes())?;
        let job = programs::submit(&script)?;
        let note = JobNote { job: job.clone(), first, indices: indices.clone(), submitted: seconds_since_1970() };
        NewFile::write_whole(&folder.join(format!("{number:04}.json")), json_line_of(&note).as_bytes())?;
        Ok(SubmittedArray { job: Some(job), script, first, indices, shards, text: None })
    }

    /// The shards whose tasks wait in the queue, or run.
    fn queued(&self) -> Result<BTreeSet<u32>> {
        let name = self.farm.job_name();
        let task = |(job, index): (String, u32)| Some(job.strip_prefix(&name)?.parse::<u32>().ok()? + index);
        Ok(programs::waiting()?.into_iter().filter_map(task).collect())
    }
}

/// The files in a folder, which need not exist. A folder that cannot be read does not count as empty, lest arrays be submitted twice.
fn paths_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect()),
    };
    entries.map_err(|source| Error::io("read", folder, source))
}

/// Keeps others from submitting the same farm at the same time.
fn lock(folder: &Path) -> Result<Locked> {
    create_folder(folder)?;
    let path = folder.join("submit.lock");
    let options = OpenOptions::new().write(true).create(true).truncate(false).clone();
    let file = options.open(&path).map_err(|source| Error::io("create", &path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(Locked::of(file)),
        Err(TryLockError::WouldBlock) => {
            let what = "the farm's list of jobs".to_owned();
            Err(Error::Busy { what, holder: "another process that submits it".to_owned() })
        }
        // Where there are no locks, tasks of the same shard find each other, or do it twice.
        Err(TryLockError::Error(_)) => Ok(Locked::of(file)),
    }
}
