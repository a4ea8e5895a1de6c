//! The right to work on a shard, while a task lives.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use twistbase_core::error::{Error, Result};
use twistbase_core::threads;
use twistbase_store::files::has_no_locks;
use twistbase_store::{Locked, open_regular, read_regular, seconds_since_1970};

/// How often a task shows that it lives, for those who cannot see its lock.
const BEAT: Duration = Duration::from_secs(20);
/// A task that has shown nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(90);
/// How often and how long a lock is waited for: whoever looks at it holds it for a moment.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);
/// The most that is read of what a task wrote about itself.
const NOTE_LIMIT: u64 = 4096;

/// Who works on a shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskNote {
    /// The machine.
    pub host: String,
    /// The process there.
    pub pid: u32,
    /// The job of the batch system, if known.
    pub job: Option<String>,
    /// When it began, in seconds since 1970.
    pub started: u64,
}

impl TaskNote {
    /// This process.
    pub fn own() -> Self {
        Self { host: host_name(), pid: std::process::id(), job: job_id(), started: seconds_since_1970() }
    }
}

/// The name of this machine.
pub(super) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The job of which this process is a task, as Slurm says.
fn job_id() -> Option<String> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    match (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) {
        (Some(job), Some(task)) => Some(format!("{job}_{task}")),
        _ => variable("SLURM_JOB_ID"),
    }
}

/// Held by the task that works on a shard. It only saves work: where a file system has no locks, two tasks may do a shard
/// twice, and each leaves a whole file.
#[derive(Debug)]
pub(super) struct Claim {
    path: PathBuf,
    /// Dropped to end the beats.
    ends: Option<Sender<()>>,
    beats: Option<JoinHandle<()>>,
    /// The lock, released when it is dropped.
    _file: Locked,
}

impl Claim {
    /// Takes a shard.
    ///
    /// # Errors
    /// [`Error::Busy`] naming the task that has it; [`Error::Io`].
    pub fn acquire(path: &Path, shard: u32) -> Result<Self> {
        let cannot = |source| Error::io("lock", path, source);
        let mut attempts = 1..=ATTEMPTS;
        let mut file = loop {
            let mut options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
            let file = open_regular(&mut options, path).map_err(cannot)?;
            let file = match file.try_lock() {
                Ok(()) => Locked::of(file),
                Err(TryLockError::WouldBlock) => match attempts.next() {
                    Some(_) => {
                        thread::sleep(PAUSE);
                        continue;
                    }
                    None => return Err(busy(&file, shard)),
                },
                // No locks here: whoever else works on it does the same.
                Err(TryLockError::Error(error)) if has_no_locks(&error) => break Locked::of(file),
                Err(TryLockError::Error(error)) => return Err(cannot(error)),
            };
            // Whoever had it may have removed its name since it was opened.
            let own = file.metadata().map_err(cannot)?.ino();
            if fs::metadata(path).is_ok_and(|found| found.ino() == own) {
                break file;
            }
        };
        let note = serde_json::to_string(&TaskNote::own()).unwrap_or_default();
        // Only a courtesy: on a full disk the shard fails later and says so.
        let _ = file.set_len(0).and_then(|()| file.write_all(note.as_bytes()));
        let (ends, ended) = mpsc::channel();
        let beating = file.try_clone().map_err(cannot)?;
        let beat = move || {
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                let _ = beating.set_modified(SystemTime::now());
            }
        };
        let beats = threads::start("claim", beat).map_err(|error| {
            let _ = fs::remove_file(path);
            Error::no_thread(error)
        })?;
        Ok(Self { path: path.to_path_buf(), ends: Some(ends), beats: Some(beats), _file: file })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        drop(self.ends.take());
        if let Some(beats) = self.beats.take() {
            let _ = beats.join();
        }
        // Before the lock is released, so that nobody takes a name that is about to go.
        let _ = fs::remove_file(&self.path);
    }
}

fn busy(file: &File, shard: u32) -> Error {
    let holder = match note_of(file) {
        Some(TaskNote { host, pid, job: Some(job), .. }) => format!("process {pid} on {host} (job {job})"),
        Some(TaskNote { host, pid, .. }) => format!("process {pid} on {host}"),
        None => "another task".to_owned(),
    };
    Error::Busy { what: format!("shard {shard}"), holder }
}

/// What a task wrote about itself; none if it was killed while it did.
fn note_of(file: &File) -> Option<TaskNote> {
    let mut text = String::new();
    file.take(NOTE_LIMIT).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// The task that works on a shard, if one does: its lock is held or, where that cannot be seen, it showed that it lives a short
/// time ago.
pub(super) fn worker(path: &Path) -> Option<Option<TaskNote>> {
    let file = Locked::of(read_regular(path).ok()?);
    let is_held = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let own = TaskNote::own().host;
    let silence = file.metadata().and_then(|found| found.modified()).ok()?.elapsed().unwrap_or_default();
    let note = note_of(&file);
    // The lock of a task on this machine can be seen from here.
    let is_elsewhere = note.as_ref().is_some_and(|note| note.host != own);
    (is_held || is_elsewhere && silence < SILENCE).then_some(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_has_one_task() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("7.lock");
        assert_eq!(worker(&path), None);
        let claim = Claim::acquire(&path, 7).unwrap();
        let Err(Error::Busy { what, holder }) = Claim::acquire(&path, 7) else { panic!("not busy") };
        assert!(what == "shard 7" && holder.contains(&std::process::id().to_string()), "{holder}");
        assert_eq!(worker(&path).unwrap().unwrap().pid, std::process::id());
        drop(claim);
        assert!(!path.exists() && worker(&path).is_none());
        drop(Claim::acquire(&path, 7).unwrap());
    }

    #[test]
    fn what_a_killed_task_leaves_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("7.lock");
        // Here its lock would be seen, elsewhere it is believed for a while.
        let note = |host: String| serde_json::to_string(&TaskNote { host, ..TaskNote::own() }).unwrap();
        fs::write(&path, note(host_name())).unwrap();
        assert_eq!(worker(&path), None);
        fs::write(&path, note("elsewhere".to_owned())).unwrap();
        assert!(worker(&path).is_some());
        File::open(&path).unwrap().set_modified(SystemTime::now() - 2 * SILENCE).unwrap();
        assert_eq!(worker(&path), None);
        drop(Claim::acquire(&path, 7).unwrap());
    }
}
