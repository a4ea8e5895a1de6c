//! Where a store is: in a folder, or in the memory of this process. The files of a table, and what differs between the two places.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::files::{behind_link, bytes_used, create_folder, sync_name};
use super::memory::{Memory, MemoryFile, MemoryLock};
use twistbase_core::error::{Error, Result};

/// What a store in memory is called where a folder would be named.
pub const IN_MEMORY: &str = ":memory:";

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Folder(PathBuf),
    Memory(Memory),
}

impl Place {
    /// The files of a table.
    pub fn files(&self, table: &str) -> TableFiles {
        match self {
            Self::Folder(dir) => TableFiles::in_folder(dir, table),
            Self::Memory(memory) => memory.files(table),
        }
    }

    /// Creates the folder, and those above it that are missing.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn create(&self) -> Result<()> {
        match self {
            Self::Folder(dir) => create_folder(dir),
            Self::Memory(_) => Ok(()),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(dir) => dir.display().fmt(f),
            Self::Memory(_) => f.write_str(IN_MEMORY),
        }
    }
}

/// The files of one table.
#[derive(Debug, Clone)]
pub(crate) struct TableFiles {
    /// The complete table.
    pub complete: StoreFile,
    /// A build in progress, or one that was interrupted.
    pub building: StoreFile,
    /// Locked while a build runs.
    pub lock: LockFile,
}

impl TableFiles {
    /// A table may be a link into another folder: there it is built, too, so that the link stays, and renaming stays within
    /// a file system; and there it is locked, for all that have such a link.
    fn in_folder(dir: &Path, table: &str) -> Self {
        let complete = behind_link(&dir.join(format!("{table}.redb")));
        let beside = |ending: &str| complete.with_file_name(format!("{table}.{ending}"));
        Self {
            building: StoreFile::Disk(beside("building.redb")),
            lock: LockFile::Disk(beside("lock")),
            complete: StoreFile::Disk(complete),
        }
    }

    pub fn in_memory() -> Self {
        let file = || StoreFile::Memory(MemoryFile::default());
        Self { complete: file(), building: file(), lock: LockFile::Memory(MemoryLock::default()) }
    }

    /// Puts the closed file of the build in the place of the complete one. The order makes it crash-safe: content, name, directory.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn publish(&self) -> Result<()> {
        match (&self.building, &self.complete) {
            (StoreFile::Memory(from), StoreFile::Memory(to)) => {
                from.rename(to);
                Ok(())
            }
            (from, to) => {
                let (from, to) = (from.name(), to.name());
                let synced = File::open(from).and_then(|file| file.sync_all());
                synced.map_err(|source| Error::io("write", from, source))?;
                fs::rename(from, to).map_err(|source| Error::io("replace", to, source))?;
                sync_name(to)
            }
        }
    }
}

/// Who builds a table has this locked.
#[derive(Debug, Clone)]
pub(crate) enum LockFile {
    Disk(PathBuf),
    Memory(MemoryLock),
}

/// A file of redb's, which need not exist.
#[derive(Debug, Clone)]
pub(crate) enum StoreFile {
    Disk(PathBuf),
    Memory(MemoryFile),
}

/// Identifies the edition of a file: a file is only ever replaced by another one.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEdition {
    /// Device, inode, and when it was changed.
    Disk(u64, u64, i64, i64),
    /// What no other file in memory has.
    Memory(Uuid),
}

impl StoreFile {
    /// The path of a file on a disk.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Disk(path) => Some(path),
            Self::Memory(_) => None,
        }
    }

    /// What errors call it.
    pub fn name(&self) -> &Path {
        self.path().unwrap_or(Path::new(IN_MEMORY))
    }

    /// Whether there is a file, or something in its place.
    ///
    /// # Errors
    /// [`Error::Io`] when that cannot be seen.
    pub fn is_there(&self) -> Result<bool> {
        match self {
            // A dangling link is something in the way, not a missing file.
            Self::Disk(path) => match fs::symlink_metadata(path) {
                Ok(_) => Ok(true),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(source) => Err(Error::io("read", path, source)),
            },
            Self::Memory(file) => Ok(file.edition().is_some()),
        }
    }

    /// The edition that is there.
    pub fn edition(&self) -> Option<FileEdition> {
        match self {
            Self::Disk(path) => {
                let found = fs::metadata(path).ok()?;
                Some(FileEdition::Disk(found.dev(), found.ino(), found.mtime(), found.mtime_nsec()))
            }
            Self::Memory(file) => file.edition().map(FileEdition::Memory),
        }
    }

    /// Bytes that it takes on the disk, or in memory; 0 when there is none.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Disk(path) => bytes_used(path),
            Self::Memory(file) => file.bytes(),
        }
    }

    /// Makes the name of a file that was created survive a power cut.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync_name(&self) -> Result<()> {
        self.path().map_or(Ok(()), sync_name)
    }

    /// Removes it. Not finding it is fine.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(&self) -> Result<()> {
        match self {
            Self::Disk(path) => match fs::remove_file(path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path, source)),
                _ => Ok(()),
            },
            Self::Memory(file) => {
                file.remove();
                Ok(())
            }
        }
    }
}
