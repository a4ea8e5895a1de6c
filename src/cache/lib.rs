//! The hot cache: the bytes of the store, uncompressed, in files of a row or a table each.
//! `schema/cache.md` states format and protocol.
//!
//! The cache only ever repeats what the store says. It may be deleted at any time, and a file in it that is stale,
//! damaged or unreadable costs speed, never a wrong answer.

mod folder;
mod format;
mod map;
mod reader;
#[cfg(test)]
#[path = "../store/tests/samples.rs"]
mod samples;
#[cfg(test)]
mod tests;
mod unit;
mod units;
mod writer;

use std::path::Path;

use folder::Folder;
use format::{BLOCK_BYTES, Probe, UnitIdentity, probe};
use unit::BadBlock;
use units::Units;

pub use reader::{CacheMode, CachedTable, MappedTable, Warmed};

use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_store::files::bytes_used;
use twistbase_store::{CacheUnit, Store, TableLayout, check_name};

/// The state of a table's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStatus {
    /// Files of a full cache: one per row, or one for the table.
    pub files: u32,
    /// Files that belong to this edition of the table and have a valid header.
    pub valid: u32,
    /// Files that belong to another edition; they are replaced when they are needed.
    pub stale: u32,
    /// Files that are not valid.
    pub damaged: u32,
    /// Bytes that all files of the folder occupy on disk.
    pub bytes: u64,
}

/// The folder of a table's cache; `None` in memory, where a table needs no second copy.
fn folder_of(store: &Store, table: &str) -> Option<Folder> {
    store.dir().map(|dir| Folder::new(dir, table))
}

/// Looks at the headers of a table's cache files. Without a usable table in the store every file is stale.
///
/// # Errors
/// [`Error::Io`] when the folder cannot be read; [`Error::Busy`] when the table is being written to.
pub fn status(store: &Store, layout: &TableLayout) -> Result<CacheStatus> {
    layout.check()?;
    let Some(folder) = folder_of(store, layout.name) else { return Ok(CacheStatus::default()) };
    let bytes = folder.files()?.iter().map(|path| bytes_used(path)).sum();
    let units = Units::of(layout);
    let mut status = CacheStatus { files: units.count(), bytes, ..CacheStatus::default() };
    let path = |unit| folder.unit_path(layout.unit, unit);
    let table = match store.table_to_depth(layout) {
        Ok(table) => table,
        Err(Error::Data(_)) => {
            status.stale = (0..units.count()).filter(|&unit| path(unit).exists()).count() as u32;
            return Ok(status);
        }
        Err(other) => return Err(other),
    };
    for unit in 0..units.count() {
        match probe(&path(unit), &UnitIdentity::of(&table, unit)) {
            Ok(Probe::Valid(_)) => status.valid += 1,
            Ok(Probe::Stale) => status.stale += 1,
            Ok(Probe::Absent) => {}
            Ok(Probe::Damaged(_)) | Err(_) => status.damaged += 1,
        }
    }
    Ok(status)
}

/// Verifies every block of every cache file, and changes nothing. Each fault is handed to `found` with, for a block,
/// the first row and page that it belongs to. Files of another edition are passed over: no reader uses them. Returns the
/// number of files that are there and right.
///
/// # Errors
/// As [`Store::table_to_depth`]; [`Error::Interrupted`].
pub fn verify(store: &Store, layout: &TableLayout, ctx: &Context, found: &mut dyn FnMut(DataError)) -> Result<u32> {
    let table = store.table_to_depth(layout)?;
    let Some(folder) = folder_of(store, layout.name) else { return Ok(0) };
    let units = Units::of(layout);
    let mut intact = 0;
    let files = (0..units.count()).map(|unit| (unit, UnitIdentity::of(&table, unit)));
    let blocks = files.clone().map(|(_, identity)| identity.blocks() as u64).sum();
    ctx.progress().begin(&format!("verifying the cache of {}", layout.name), blocks, "blocks");
    for (unit, identity) in files {
        ctx.check()?;
        let path = folder.unit_path(layout.unit, unit);
        match faults_of(&path, &identity, ctx)? {
            Some(faults) if faults.is_empty() => intact += 1,
            Some(faults) => faults.into_iter().for_each(|fault| found(fault.locate(layout, unit, &path))),
            None => ctx.progress().advance(identity.blocks() as u64),
        }
    }
    ctx.progress().end();
    Ok(intact)
}

/// The fault of a cache file.
enum UnitFault {
    File(String),
    Block(BadBlock),
}

/// The fault of the file of a unit; `None` without a file of this edition.
fn faults_of(path: &Path, identity: &UnitIdentity, ctx: &Context) -> Result<Option<Vec<UnitFault>>> {
    let reason = match probe(path, identity) {
        Ok(Probe::Absent | Probe::Stale) => return Ok(None),
        Ok(Probe::Damaged(reason)) => reason.to_owned(),
        Ok(Probe::Valid(opened)) => {
            let bad = opened.bad_blocks(ctx)?;
            return Ok(Some(bad.into_iter().map(UnitFault::Block).collect()));
        }
        Err(error) => format!("it cannot be read: {error}"),
    };
    Ok(Some(vec![UnitFault::File(reason)]))
}

impl UnitFault {
    /// The error that names the place in the table. Nothing is lost with a cache file: the remedy makes it again.
    fn locate(self, layout: &TableLayout, unit: u32, path: &Path) -> DataError {
        let (row, page, detail) = match self {
            Self::File(reason) => {
                let row = (layout.unit == CacheUnit::Row).then_some(unit);
                (row, None, format!("the cache file is not used: {reason}"))
            }
            Self::Block(bad) => {
                let (units, block) = (Units::of(layout), bad.block);
                let (row, page) = units.page_at(unit, block * BLOCK_BYTES);
                let (last_row, last_page) = units.page_at(unit, ((block + 1) * BLOCK_BYTES).min(units.bytes()) - 1);
                let pages = if row == last_row {
                    format!("pages {page} to {last_page}")
                } else {
                    format!("row {row}, page {page} to row {last_row}, page {last_page}")
                };
                (Some(row), Some(page), format!("block {block} of the cache file ({pages}) {bad}"))
            }
        };
        let remedy = Remedy::WarmCache { table: layout.name.into() };
        let file = Some(path.to_path_buf());
        DataError { file, row, page, ..DataError::new(Fault::Damaged, layout.name, detail, remedy) }
    }
}

/// Removes a table's cache and returns the bytes it occupied. Processes that have files of it open keep them until
/// they end.
///
/// # Errors
/// [`Error::Usage`] for what cannot be a table's name; [`Error::Io`].
pub fn drop_cache(store: &Store, table: &str) -> Result<u64> {
    check_name(table)?;
    folder_of(store, table).map_or(Ok(0), |folder| folder.remove_all())
}
