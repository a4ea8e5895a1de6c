//! A table's folder of cache files: names, publishing, removal.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};
use tempfile::NamedTempFile;

use super::format::{FORMAT_VERSION, HEADER_BYTES, RowIdentity};
use crate::error::{Error, Result};
use crate::store::files::{bytes_used, is_full, sync_dir};

/// What a temporary file's name ends with.
const TEMPORARY: &str = ".tmp";

/// How often a writer begins again because a cleaner took its file in the moment before it was locked.
const ATTEMPTS: u32 = 100;

/// The folder `cache/NAME` of a store.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub fn new(store: &Path, table: &str) -> Self {
        Self(store.join("cache").join(table))
    }

    /// The file of a row. Five digits are for people who list the folder; larger rows get more.
    pub fn row_path(&self, row: u32) -> PathBuf {
        self.0.join(format!("row-{row:05}.v{FORMAT_VERSION}"))
    }

    /// Writes a row's file under a temporary name and publishes it by renaming.
    ///
    /// Several processes may publish the same row at once: each writes a file of its own, all of them are valid, and
    /// the last one to be renamed stays.
    ///
    /// # Errors
    /// [`Error::Io`]; nothing is left behind then.
    pub fn publish(&self, identity: &RowIdentity, payload: &[u8]) -> Result<()> {
        fs::create_dir_all(&self.0).map_err(|source| Error::io("create", &self.0, source))?;
        let path = self.row_path(identity.row);
        self.write_and_rename(&path, identity, payload).map_err(|source| {
            let kind = source.kind();
            let full = is_full(&source);
            let source = if full { io::Error::new(kind, "no space is left for the cache") } else { source };
            Error::io("write", &path, source)
        })
    }

    fn write_and_rename(&self, path: &Path, identity: &RowIdentity, payload: &[u8]) -> io::Result<()> {
        let mut temporary = self.locked_temporary()?;
        write_row(temporary.as_file_mut(), identity, payload)?;
        temporary.as_file().set_permissions(Permissions::from_mode(0o444))?;
        temporary.persist(path).map_err(|error| error.error)?;
        sync_dir(&self.0)
    }

    /// A new temporary file (`O_EXCL`, mode 0600), removed when dropped. Its lock tells cleaners that the writer is
    /// alive; it is lost with the process, however that ends.
    fn locked_temporary(&self) -> io::Result<NamedTempFile> {
        for _ in 0..ATTEMPTS {
            let temporary = tempfile::Builder::new().prefix(".row-").suffix(TEMPORARY).tempfile_in(&self.0)?;
            match temporary.as_file().try_lock() {
                // A cleaner that came before the lock has removed the name: the file would never be found again.
                Ok(()) if temporary.as_file().metadata()?.nlink() > 0 => return Ok(temporary),
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::other("temporary files vanish as soon as they are made"))
    }

    /// Removes a row's file, so that it is made again. Not finding it is fine.
    pub fn discard(&self, row: u32) -> Result<()> {
        remove(&self.row_path(row))
    }

    /// Removes the temporary files of writers that are gone.
    pub fn clean(&self) {
        for path in self.files().unwrap_or_default() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(".row-") && name.ends_with(TEMPORARY) {
                // Someone else may have been faster, and a leftover file does no harm.
                let _ = remove_abandoned(&path);
            }
        }
    }

    /// Removes all files of the cache, of any version, and the folder; returns the bytes that they occupied.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_all(&self) -> Result<u64> {
        let mut freed = 0;
        for path in self.files()? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("row-") || name.starts_with(".row-") {
                freed += bytes_used(&path);
                remove(&path)?;
            }
        }
        // Fails when somebody keeps other files there, which is then right.
        let _ = fs::remove_dir(&self.0);
        Ok(freed)
    }

    /// Everything in the folder; nothing when there is no folder.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        match fs::read_dir(&self.0) {
            Ok(entries) => Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(Error::io("read", &self.0, source)),
        }
    }
}

/// Writes payload, hashes and, last, the header; then syncs.
fn write_row(file: &mut File, identity: &RowIdentity, payload: &[u8]) -> io::Result<()> {
    reserve(file, identity.file_bytes())?;
    let hashes = identity.block_hashes(payload);
    file.write_all_at(payload, HEADER_BYTES as u64)?;
    file.write_all_at(&hashes, HEADER_BYTES as u64 + identity.payload)?;
    file.write_all_at(&identity.header(&hashes), 0)?;
    file.flush()?;
    file.sync_all()
}

/// Takes the file's whole space at once, so that a full disk is noticed before anything is written.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) => Ok(()),
        // Not every file system can; plain writes notice a full disk as well, only later.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => file.set_len(bytes),
        Err(error) => Err(error.into()),
    }
}

/// Removes a temporary file unless its writer lives. The lock is held until the name is gone, so that a writer that has
/// just made the file either holds the lock already or finds its file without a name.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_file() {
        let file = File::open(path)?;
        file.try_lock()?;
        fs::remove_file(path)?;
    }
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path, source)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_abandoned_temporary_files_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), "t");
        fs::create_dir_all(&folder.0).unwrap();
        for name in [".row-left.tmp", ".row-held.tmp", "row-00001.v1"] {
            fs::write(folder.0.join(name), "").unwrap();
        }
        let held = File::open(folder.0.join(".row-held.tmp")).unwrap();
        held.try_lock().unwrap();
        folder.clean();
        let mut left: Vec<_> =
            folder.files().unwrap().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        left.sort();
        assert_eq!(left, [".row-held.tmp", "row-00001.v1"]);
    }

    #[test]
    fn cleaners_and_writers_do_not_harm_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), "t");
        let identity = RowIdentity { table: 1, spec_version: 1, uuid: [7; 16], generation: 1, row: 0, payload: 64 };
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|row| {
                    let (folder, identity) = (&folder, RowIdentity { row, ..identity });
                    scope.spawn(move || (0..60).for_each(|_| folder.publish(&identity, &[3; 64]).unwrap()))
                })
                .collect();
            while writers.iter().any(|writer| !writer.is_finished()) {
                folder.clean();
            }
        });
        assert_eq!(folder.files().unwrap().len(), 3);
    }
}
