//! Names of the store's files and the few calls on files that std does not have.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The files of one table.
#[derive(Debug, Clone)]
pub(crate) struct TableFiles {
    /// The complete table.
    pub complete: PathBuf,
    /// A build in progress, or one that was interrupted.
    pub building: PathBuf,
    /// Locked while a build runs.
    pub lock: PathBuf,
}

impl TableFiles {
    pub fn new(dir: &Path, table: &str) -> Self {
        Self {
            complete: dir.join(format!("{table}.redb")),
            building: dir.join(format!("{table}.building.redb")),
            lock: dir.join(format!("{table}.lock")),
        }
    }
}

/// Makes renames and removals in a directory survive a power cut.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Bytes that a file occupies: redb's files are sparse, so their length says little. 0 when there is no such file.
pub(crate) fn bytes_used(path: &Path) -> u64 {
    // st_blocks counts units of 512 bytes whatever the file system's block size is (POSIX stat).
    fs::metadata(path).map_or(0, |found| found.blocks() * 512)
}

/// Whether an error says that the disk, or the user's share of it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
