//! Copies of tables on a machine's own disk, each made and checked once for all tasks there.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::plan::PlannedTable;
use crate::{FARM, fault_of};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Fault, Remedy, Result};
use twistbase_database::Database;
use twistbase_store::files::{has_no_locks, is_full};
use twistbase_store::{Locked, NewFile, Store, create_folder, open_regular, read_regular};

/// Bytes that are read at once.
const PIECE: usize = 1 << 22;
/// How often it is looked whether another task has finished a copy.
const PATIENCE: Duration = Duration::from_millis(200);

/// The database in a folder on this machine's own disk, with the tables of a plan, which plans of the same tables share; `None`,
/// with a warning, if the disk does not take them.
///
/// # Errors
/// [`Error::Data`] if the tables of the database are not those of the plan; [`Error::Io`], [`Error::Interrupted`].
pub(super) fn stage(
    database: &Database,
    folder: &Path,
    tables: &[PlannedTable],
    ctx: &Context,
) -> Result<Option<Database>> {
    let staged = create_folder(folder)
        .and_then(|()| tables.iter().try_for_each(|table| StagedTable::new(database, folder, table)?.make_sure(ctx)));
    match staged {
        Ok(()) => Ok(Some(Database::open(folder)?.with_cache(database.cache_mode()))),
        Err(Error::Io { path, source, .. }) if path.starts_with(folder) && cannot_be_used(&source) => {
            tracing::warn!(
                path = %path.display(), %source,
                "cannot stage the tables on this machine; reading the originals"
            );
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

/// Whether an error says that a disk takes nothing, as it is: the tasks of a machine where it is full would otherwise all fail,
/// one after the other, as quickly as they are handed out.
fn cannot_be_used(error: &io::Error) -> bool {
    is_full(error) || matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A table and its copy.
struct StagedTable<'a> {
    table: &'a PlannedTable,
    from: PathBuf,
    to: PathBuf,
    lock: PathBuf,
}

impl<'a> StagedTable<'a> {
    fn new(database: &Database, folder: &Path, table: &'a PlannedTable) -> Result<Self> {
        let layout = table.id()?.definition().layout();
        let to = Store::open(folder).file_for(layout, FARM)?;
        Ok(Self { table, from: database.store().file_for(layout, FARM)?, lock: to.with_extension("staging"), to })
    }

    /// The copy is there and right when this returns: one task makes it while the others wait, and each looks at all its bytes.
    /// Where there are no locks nobody waits: several may make it, and each puts a whole file in its place.
    fn make_sure(&self, ctx: &Context) -> Result<()> {
        let mut options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let lock = open_regular(&mut options, &self.lock).map_err(|source| Error::io("create", &self.lock, source))?;
        let lock = Locked::of(lock);
        self.wait(|| lock.try_lock_shared(), ctx)?;
        if self.is_right(ctx)? {
            return Ok(());
        }
        match lock.unlock() {
            Err(source) if !has_no_locks(&source) => return Err(Error::io("unlock", &self.lock, source)),
            _ => {}
        }
        self.wait(|| lock.try_lock(), ctx)?;
        // Another task may have made it meanwhile.
        if self.is_right(ctx)? {
            return Ok(());
        }
        if self.to.exists() {
            tracing::warn!(path = %self.to.display(), "copying a damaged staged table again");
        }
        self.copy(ctx)
    }

    fn wait(&self, lock: impl Fn() -> std::result::Result<(), TryLockError>, ctx: &Context) -> Result<()> {
        loop {
            ctx.check()?;
            match lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) => thread::sleep(PATIENCE),
                Err(TryLockError::Error(source)) if has_no_locks(&source) => return Ok(()),
                Err(TryLockError::Error(source)) => return Err(Error::io("lock", &self.lock, source)),
            }
        }
    }

    fn is_right(&self, ctx: &Context) -> Result<bool> {
        match fs::metadata(&self.to) {
            Ok(found) if found.len() == self.table.bytes => Ok(hash_file(&self.to, ctx)?.0 == self.table.file_blake3),
            _ => Ok(false),
        }
    }

    fn copy(&self, ctx: &Context) -> Result<()> {
        let failed = |source| Error::io("read", &self.from, source);
        let mut from = read_regular(&self.from).map_err(failed)?;
        let mut to = NewFile::create(&self.to)?;
        let (mut hasher, mut piece) = (blake3::Hasher::new(), vec![0; PIECE]);
        ctx.progress().begin(&format!("staging {}", self.table.name), self.table.bytes, "bytes");
        loop {
            ctx.check()?;
            let read = from.read(&mut piece).map_err(failed)?;
            if read == 0 {
                break;
            }
            hasher.update(&piece[..read]);
            to.write_all(&piece[..read]).map_err(|source| Error::io("write", &self.to, source))?;
            ctx.progress().advance(read as u64);
        }
        if hasher.finalize().to_hex().as_str() != self.table.file_blake3 {
            let detail = format!("the file of {} differs from that of the plan", self.table.name);
            return Err(fault_of(Fault::Stale, self.from.clone(), detail, Remedy::PlanFarm));
        }
        to.publish()
    }
}

/// The BLAKE3 hash of a file, and its bytes.
///
/// # Errors
/// [`Error::Io`], [`Error::Interrupted`].
pub(super) fn hash_file(path: &Path, ctx: &Context) -> Result<(String, u64)> {
    let failed = |source| Error::io("read", path, source);
    let mut file = read_regular(path).map_err(failed)?;
    let (mut hasher, mut piece, mut bytes) = (blake3::Hasher::new(), vec![0; PIECE], 0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ctx.progress().begin(&format!("reading {name}"), file.metadata().map_err(failed)?.len(), "bytes");
    loop {
        ctx.check()?;
        let read = file.read(&mut piece).map_err(failed)?;
        if read == 0 {
            return Ok((hasher.finalize().to_hex().to_string(), bytes));
        }
        hasher.update(&piece[..read]);
        bytes += read as u64;
        ctx.progress().advance(read as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_database::TableId;
    use twistbase_tables::BuildRequest;

    #[test]
    fn a_damaged_copy_is_made_again_and_another_table_is_refused() {
        let (dir, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
        let database = Database::open(dir.path().join("store")).unwrap();
        let table: TableId = "square1-corners".parse().unwrap();
        database.build(table, &BuildRequest::default(), &ctx).unwrap();
        let source = database.store().file_of(table.definition().layout()).unwrap();
        let (file_blake3, bytes) = hash_file(&source, &ctx).unwrap();
        let planned =
            PlannedTable { name: table.name().to_owned(), depth: None, digest: String::new(), file_blake3, bytes };
        let folder = dir.path().join("node");
        let stage_all = |planned: &PlannedTable| stage(&database, &folder, std::slice::from_ref(planned), &ctx);
        // Several at once: one makes it.
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| stage_all(&planned).unwrap().unwrap());
            }
        });
        let copy = stage_all(&planned).unwrap().unwrap().folder().unwrap().join("square1-corners.redb");
        let original = fs::read(&source).unwrap();
        assert_eq!(fs::read(&copy).unwrap(), original);
        let mut flipped = original.clone();
        flipped[original.len() / 2] ^= 4;
        fs::write(&copy, flipped).unwrap();
        stage_all(&planned).unwrap();
        assert_eq!(fs::read(&copy).unwrap(), original);
        let other = PlannedTable { file_blake3: "0".repeat(64), ..planned };
        assert!(matches!(stage_all(&other), Err(Error::Data(error)) if error.fault == Fault::Stale));
        assert_eq!(fs::read(&copy).unwrap(), original);
    }
}
