//! One builder per table: a lock file that also says who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::files::{open_regular, read_regular};
use super::place::LockFile;
use twistbase_core::error::{Error, Result};

/// How often and how long a lock is waited for: a status display holds it for microseconds.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// The most that is read of what a holder wrote about itself.
const NOTE_LIMIT: u64 = 4096;

/// The holder of a lock in memory.
const THREAD: &str = "another thread of this process";

/// A file with this process's lock on it, if it has one (not every file system has locks): dropped, the lock is free at once.
///
/// To close it is not enough where another thread starts a process meanwhile: the child has the file as well, and with it the
/// lock, until it runs its own program.
#[derive(Debug)]
pub struct Locked {
    file: File,
    /// The process that locked it.
    process: u32,
}

impl Locked {
    /// A file that this process has locked.
    pub fn of(file: File) -> Self {
        Self { file, process: std::process::id() }
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.file
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // A child that inherits this has no say in what its parent holds.
        if self.process == std::process::id() {
            // Where there are no locks there is nothing to give up.
            let _ = self.file.unlock();
        }
    }
}

/// Held by the process that builds a table. The operating system releases it when that process ends, however it
/// ends; the file stays, because removing a lock file would let two processes lock two files of one name.
#[derive(Debug)]
pub(super) enum BuildLock {
    File {
        file: Locked,
        /// Whether this process wrote its name into the file and has to remove it.
        note: bool,
    },
    /// In memory: free when it is dropped.
    Memory { _held: Arc<()> },
}

impl BuildLock {
    /// Takes the lock of a table.
    ///
    /// # Errors
    /// [`Error::Busy`] naming the holder, [`Error::Io`].
    pub fn acquire(lock: &LockFile, table: &str) -> Result<Self> {
        let busy = |holder| Error::Busy { what: format!("table {table}"), holder };
        let path = match lock {
            LockFile::Disk(path) => path,
            LockFile::Memory(lock) => {
                let held = lock.try_lock().ok_or_else(|| busy(THREAD.to_owned()))?;
                return Ok(Self::Memory { _held: held });
            }
        };
        let cannot_lock = |source| Error::io("lock", path, source);
        let mut options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let mut file = open_regular(&mut options, path).map_err(cannot_lock)?;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(busy(describe(&mut file)));
                }
                Err(TryLockError::Error(source)) => return Err(cannot_lock(source)),
            }
        }
        // Only a courtesy to whoever finds the lock taken: on a full disk the build fails later and says so.
        let _ = write_note(&mut file);
        Ok(Self::File { file: Locked::of(file), note: true })
    }

    /// Keeps builders away for a moment, to look at what an interrupted build left.
    ///
    /// # Errors
    /// The holder in words, when a build is running. A lock file that cannot be opened counts as free. In memory no builder
    /// disturbs who looks.
    pub fn look(lock: &LockFile) -> Result<Option<Self>, String> {
        let path = match lock {
            LockFile::Disk(path) => path,
            LockFile::Memory(lock) if lock.is_held() => return Err(THREAD.to_owned()),
            LockFile::Memory(_) => return Ok(None),
        };
        let Ok(mut file) = read_regular(path) else { return Ok(None) };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self::File { file: Locked::of(file), note: false })),
            Err(TryLockError::WouldBlock) => Err(describe(&mut file)),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

impl Drop for BuildLock {
    fn drop(&mut self) {
        if let Self::File { file, note: true } = self {
            let _ = file.set_len(0);
        }
    }
}

fn write_note(file: &mut File) -> std::io::Result<()> {
    let command: Vec<_> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}\n{}\n{}\n", std::process::id(), seconds_since_1970(), command.join(" "))
}

/// Turns a holder's note (pid, start, command; a line each) into words. A note half written is no error.
fn describe(file: &mut File) -> String {
    let mut note = String::new();
    let _ = file.rewind();
    let _ = file.take(NOTE_LIMIT).read_to_string(&mut note);
    let mut lines = note.lines();
    let (Some(pid), Some(start)) = (lines.next(), lines.next().and_then(|line| line.parse::<u64>().ok())) else {
        return "another process".to_owned();
    };
    let minutes = seconds_since_1970().saturating_sub(start) / 60;
    let command = lines.next().unwrap_or_default();
    let started = if minutes == 0 { "just now".to_owned() } else { format!("{minutes} min ago") };
    format!("process {pid} (\"{command}\", started {started})")
}

/// The system's time in seconds since 1970, 0 for clocks set before.
pub fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_given_up_by_its_process_whoever_else_has_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.lock");
        let is_locked = || File::open(&path).unwrap().try_lock().is_err();
        let file = File::create(&path).unwrap();
        file.try_lock().unwrap();
        // As processes have it that another thread starts: one goes on with what it inherits, one runs its own program.
        let [inherited, _open] = [(); 2].map(|()| file.try_clone().unwrap());
        let locked = Locked::of(file);
        drop(Locked { file: inherited, process: std::process::id() + 1 });
        assert!(is_locked());
        drop(locked);
        assert!(!is_locked());
    }

    #[test]
    fn the_second_one_learns_who_the_first_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = LockFile::Disk(dir.path().join("t.lock"));
        assert!(BuildLock::look(&path).is_ok());
        let lock = BuildLock::acquire(&path, "t").unwrap();
        let pid = std::process::id().to_string();
        assert!(BuildLock::look(&path).unwrap_err().contains(&pid));
        let Err(Error::Busy { what, holder }) = BuildLock::acquire(&path, "t") else { panic!("not busy") };
        assert!(what == "table t" && holder.contains(&pid), "{holder}");
        drop(lock);
        assert!(BuildLock::look(&path).is_ok());
        BuildLock::acquire(&path, "t").unwrap();
    }

    #[test]
    fn the_age_of_a_lock_is_given_in_minutes() {
        let dir = tempfile::tempdir().unwrap();
        let age = |start: u64| {
            let mut file = tempfile::tempfile_in(dir.path()).unwrap();
            write!(file, "77\n{start}\ntwistbase build t\n").unwrap();
            let holder = describe(&mut file);
            assert!(holder.starts_with("process 77 (\"twistbase build t\""), "{holder}");
            if holder.ends_with("started just now)") {
                return 0;
            }
            let minutes = holder.split_once("started ").and_then(|(_, rest)| rest.split_once(" min"));
            minutes.and_then(|(minutes, _)| minutes.parse::<u64>().ok()).unwrap_or_else(|| panic!("{holder}"))
        };
        // The clock goes on meanwhile, by how much nobody knows.
        let minutes = age(seconds_since_1970() - 90 * 60);
        assert!((90..180).contains(&minutes), "{minutes}");
        // A clock that was set back.
        assert_eq!(age(u64::MAX), 0);
    }

    #[test]
    fn a_note_that_is_half_written_names_nobody() {
        let dir = tempfile::tempdir().unwrap();
        for note in ["", "77\n", "77\nyesterday\n"] {
            let mut file = tempfile::tempfile_in(dir.path()).unwrap();
            write!(file, "{note}").unwrap();
            assert_eq!(describe(&mut file), "another process", "{note:?}");
        }
    }

    /// Others look whether anybody builds, and are gone before the builder gives up.
    #[test]
    fn a_builder_waits_for_those_who_only_look() {
        let dir = tempfile::tempdir().unwrap();
        let path = LockFile::Disk(dir.path().join("t.lock"));
        drop(BuildLock::acquire(&path, "t").unwrap());
        // On a busy machine the one who looks may be gone too late.
        let waited = (0..20).any(|_| {
            let looking = BuildLock::look(&path).unwrap().unwrap();
            std::thread::scope(|scope| {
                let (begins, begun) = std::sync::mpsc::channel();
                let path = &path;
                let builder = scope.spawn(move || {
                    begins.send(()).unwrap();
                    BuildLock::acquire(path, "t").is_ok()
                });
                begun.recv().unwrap();
                std::thread::sleep(PAUSE);
                drop(looking);
                builder.join().unwrap()
            })
        });
        assert!(waited);
    }
}
