//! A table's folder of cache files: names, publishing, removal.

use std::fs::{self, Permissions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::format::{FORMAT_VERSION, UnitIdentity};
use super::writer::UnitWriter;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::Zeroed;
use twistbase_store::CacheUnit;
use twistbase_store::files::{bytes_used, is_full, locked_temporary, remove_abandoned, sync_dir};

/// What a temporary file's name begins and ends with.
const PREFIX: &str = ".unit-";
const TEMPORARY: &str = ".tmp";

/// What version 1 of the format began the names of temporary files with.
const PREFIX_1: &str = ".row-";

/// The folder `cache/NAME` of a store.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub fn new(store: &Path, table: &str) -> Self {
        Self(store.join("cache").join(table))
    }

    /// The file of a unit. Five digits are for people who list the folder; larger rows get more.
    pub fn unit_path(&self, kind: CacheUnit, unit: u32) -> PathBuf {
        self.0.join(match kind {
            CacheUnit::Row => format!("row-{unit:05}.v{FORMAT_VERSION}"),
            CacheUnit::Table => format!("table.v{FORMAT_VERSION}"),
        })
    }

    /// Writes the file of a unit under a temporary name and publishes it by renaming. The unit is made of `rows`, each
    /// of which `read` puts into the buffer that it is given; only one is in memory at a time.
    ///
    /// Several processes may publish the same unit at once: each writes a file of its own, all of them are valid, and
    /// the last one to be renamed stays.
    ///
    /// # Errors
    /// [`Error::Io`], and those of `read`; nothing is left behind then.
    pub fn publish(
        &self,
        path: &Path,
        identity: &UnitIdentity,
        rows: Range<u32>,
        mut read: impl FnMut(u32, &mut [u8]) -> Result<()>,
    ) -> Result<()> {
        fs::create_dir_all(&self.0).map_err(|source| Error::io("create", &self.0, source))?;
        let failed = |source| cannot_write(path, source);
        let temporary = locked_temporary(&self.0, PREFIX.as_ref(), TEMPORARY.as_ref(), 0o600).map_err(failed)?;
        let mut writer = UnitWriter::new(temporary.as_file(), *identity).map_err(failed)?;
        let mut buffer = Zeroed::<u8>::new(identity.payload as usize / rows.len())?;
        for row in rows {
            read(row, &mut buffer)?;
            writer.write(&buffer).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        self.rename(temporary, path).map_err(failed)
    }

    /// Puts a finished file in its place. It is synced already, and the folder is synced after.
    fn rename(&self, temporary: NamedTempFile, path: &Path) -> io::Result<()> {
        temporary.as_file().set_permissions(Permissions::from_mode(0o444))?;
        temporary.persist(path).map_err(|error| error.error)?;
        sync_dir(&self.0)
    }

    /// Removes the temporary files of writers that are gone.
    pub fn clean(&self) {
        for path in self.files().unwrap_or_default() {
            if kind(&path) == Some(CacheFileKind::Temporary) {
                // Someone else may have been faster, and a leftover file does no harm.
                let _ = remove_abandoned(&path);
            }
        }
    }

    /// Removes the files of older versions of the format, which nothing opens any more.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_older(&self) -> Result<()> {
        let older =
            |path: &&PathBuf| matches!(kind(path), Some(CacheFileKind::Unit { version }) if version < FORMAT_VERSION);
        self.files()?.iter().filter(older).try_for_each(|path| remove(path))
    }

    /// Removes all files of the cache, of any version, and the folder; but not what somebody writes there at the moment. Returns
    /// the bytes that they occupied.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_all(&self) -> Result<u64> {
        let mut freed = 0;
        for path in &self.files()? {
            let occupied = bytes_used(path);
            match kind(path) {
                Some(CacheFileKind::Unit { .. }) => remove(path)?,
                // A writer that lives would lose its work, and call it a failure of the disk.
                Some(CacheFileKind::Temporary) if remove_abandoned(path).is_ok() => {}
                Some(CacheFileKind::Temporary) | None => continue,
            }
            freed += occupied;
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

/// What a file in the folder is.
#[derive(Debug, PartialEq, Eq)]
enum CacheFileKind {
    /// Published, in a version of the format.
    Unit { version: u32 },
    /// Being written, or left by a writer that is gone.
    Temporary,
}

/// What a file is by its name; `None` for what no version of the program made.
fn kind(path: &Path) -> Option<CacheFileKind> {
    let name = path.file_name()?.to_str()?;
    if name.ends_with(TEMPORARY) && [PREFIX, PREFIX_1].iter().any(|prefix| name.starts_with(prefix)) {
        return Some(CacheFileKind::Temporary);
    }
    let (unit, version) = name.rsplit_once(".v")?;
    let row = |number: &str| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let is_unit = unit == "table" || unit.strip_prefix("row-").is_some_and(row);
    version.parse().ok().filter(|_| is_unit).map(|version| CacheFileKind::Unit { version })
}

fn cannot_write(path: &Path, source: io::Error) -> Error {
    let kind = source.kind();
    let full = is_full(&source);
    Error::io("write", path, if full { io::Error::new(kind, "no space left for the cache") } else { source })
}

/// Removes a file. Not finding it is fine.
pub(super) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path, source)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn only_abandoned_temporary_files_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), "t");
        fs::create_dir_all(&folder.0).unwrap();
        for name in [".unit-left.tmp", ".row-left.tmp", ".unit-held.tmp", ".mine.tmp", "row-00001.v3"] {
            fs::write(folder.0.join(name), "").unwrap();
        }
        let held = File::open(folder.0.join(".unit-held.tmp")).unwrap();
        held.try_lock().unwrap();
        folder.clean();
        assert_eq!(names(&folder), [".mine.tmp", ".unit-held.tmp", "row-00001.v3"]);
    }

    fn names(folder: &Folder) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<_> = folder.files().unwrap().iter().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn older_versions_are_removed_and_strangers_stay() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), "t");
        fs::create_dir_all(&folder.0).unwrap();
        let strangers = ["row-.v1", "row-1x.v1", "table", "table.v", "tables.v1"];
        let ours = ["row-00001.v1", "row-123456.v3", "table.v2", "table.v3", "table.v4"];
        for name in strangers.iter().chain(&ours) {
            fs::write(folder.0.join(name), "").unwrap();
        }
        folder.remove_older().unwrap();
        assert_eq!(
            names(&folder),
            [
                &["row-.v1", "row-123456.v3"][..],
                &["row-1x.v1", "table", "table.v"],
                &["table.v3", "table.v4", "tables.v1"]
            ]
            .concat()
        );
        folder.remove_all().unwrap();
        assert_eq!(names(&folder), strangers);
    }

    #[test]
    fn what_is_being_written_is_not_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), "t");
        fs::create_dir_all(&folder.0).unwrap();
        let written = locked_temporary(&folder.0, PREFIX.as_ref(), TEMPORARY.as_ref(), 0o600).unwrap();
        let (published, left) = (folder.unit_path(CacheUnit::Row, 0), folder.0.join(".unit-left.tmp"));
        [&published, &left].into_iter().for_each(|path| fs::write(path, "").unwrap());
        folder.remove_all().unwrap();
        assert!(written.path().exists() && !published.exists() && !left.exists());
        drop(written);
        folder.remove_all().unwrap();
        assert!(!folder.0.exists());
    }

    #[test]
    fn cleaners_and_writers_do_not_harm_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), "t");
        let identity = UnitIdentity { table: 1, spec_version: 1, uuid: [7; 16], generation: 1, unit: 0, payload: 64 };
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|unit| {
                    let (folder, identity) = (&folder, UnitIdentity { unit, ..identity });
                    let path = folder.unit_path(CacheUnit::Row, unit);
                    scope.spawn(move || {
                        (0..60).for_each(|_| folder.publish(&path, &identity, 0..2, |_, _| Ok(())).unwrap());
                    })
                })
                .collect();
            while writers.iter().any(|writer| !writer.is_finished()) {
                folder.clean();
            }
        });
        assert_eq!(folder.files().unwrap().len(), 3);
    }
}
