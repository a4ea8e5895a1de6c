//! Names of the store's files and the few calls on files that std does not have.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

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

/// Makes the name of a file survive a power cut.
///
/// # Errors
/// [`Error::Io`].
pub fn sync_name(file: &Path) -> Result<()> {
    let folder = folder_of(file);
    sync_dir(folder).map_err(|source| Error::io("write", folder, source))
}

/// Creates a folder, and those above it that are missing, so that they survive a power cut.
///
/// # Errors
/// [`Error::Io`].
pub fn create_folder(dir: &Path) -> Result<()> {
    let failed = |source| Error::io("create", dir, source);
    let missing: Vec<&Path> =
        dir.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()).collect();
    // The lowest that is there may have been made by a run that was killed before it was synced.
    let there = missing.last().map_or(dir, |highest| folder_of(highest));
    match sync_dir(folder_of(there)) {
        // Not ours, then.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        synced => synced.map_err(failed)?,
    }
    for folder in missing.into_iter().rev() {
        fs::create_dir_all(folder).and_then(|()| sync_dir(folder_of(folder))).map_err(failed)?;
    }
    Ok(())
}

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that has its name only when it is complete, and then takes the place of one that was there. Until then, or if it is
/// dropped, there is a temporary file beside its place.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl NewFile {
    /// Begins to write a file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn create(path: &Path) -> Result<Self> {
        let folder = folder_of(path);
        // What the user's mask leaves of it, as of any file.
        let mode = Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().prefix(".twistbase-").permissions(mode).tempfile_in(folder);
        let file = file.map_err(|source| Error::io("create a file in", folder, source))?;
        Ok(Self { path: path.to_path_buf(), file: BufWriter::new(file) })
    }

    /// Gives the file its name, when all of it is on the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn publish(self) -> Result<()> {
        let failed = |source| Error::io("write", &self.path, source);
        let file = self.file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        sync_dir(folder_of(&self.path)).map_err(failed)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
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
