//! The hot cache: rows of the store as flat nibbles in mapped files. `schema/cache.md` states format and protocol.
//!
//! The cache only ever repeats what the store says. It may be deleted at any time, and a file in it that is stale,
//! damaged or unreadable costs speed, never a wrong answer.

mod folder;
mod format;
mod map;
mod reader;
mod row;
#[cfg(test)]
mod tests;

use std::path::Path;

use folder::Folder;
use format::{BLOCK_BYTES, Probe, RowIdentity, probe};
use row::{BadBlock, MappedRow};

pub use reader::{CacheMode, CachedTable, Warmed};

use crate::context::Context;
use crate::error::{DataError, Error, Fault, Result};
use crate::store::files::bytes_used;
use crate::store::{Store, TableLayout, check_name};

/// What there is of a table's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStatus {
    /// Rows of the table.
    pub rows: u32,
    /// Rows whose file belongs to this edition of the table and has a valid header.
    pub valid: u32,
    /// Rows whose file belongs to another edition; they are replaced when they are needed.
    pub stale: u32,
    /// Rows whose file is not valid.
    pub damaged: u32,
    /// Bytes that all files of the folder occupy on disk.
    pub bytes: u64,
}

/// Looks at the headers of a table's cache files. Without a usable table in the store every file is stale.
///
/// # Errors
/// [`Error::Io`] when the folder cannot be read; [`Error::Busy`] when the table is being written to.
pub fn status(store: &Store, layout: &TableLayout) -> Result<CacheStatus> {
    layout.check()?;
    let folder = Folder::new(store.dir(), layout.name);
    let bytes = folder.files()?.iter().map(|path| bytes_used(path)).sum();
    let mut status = CacheStatus { rows: layout.rows, bytes, ..CacheStatus::default() };
    let table = match store.table(layout) {
        Ok(table) => table,
        Err(Error::Data(_)) => {
            status.stale = (0..layout.rows).filter(|&row| folder.row_path(row).exists()).count() as u32;
            return Ok(status);
        }
        Err(other) => return Err(other),
    };
    for row in 0..layout.rows {
        match probe(&folder.row_path(row), &RowIdentity::of(&table, row)) {
            Ok(Probe::Valid(_)) => status.valid += 1,
            Ok(Probe::Stale) => status.stale += 1,
            Ok(Probe::Absent) => {}
            Ok(Probe::Damaged(_)) | Err(_) => status.damaged += 1,
        }
    }
    Ok(status)
}

/// Verifies every block of every cached row, and changes nothing. Each fault is handed to `found` with its row and, for a
/// block, the first of the pages that it belongs to. Rows of another edition are passed over: no reader uses them.
/// Returns the number of rows that are cached and right.
///
/// # Errors
/// As [`Store::table`]; [`Error::Interrupted`].
pub fn verify(store: &Store, layout: &TableLayout, ctx: &Context, found: &mut dyn FnMut(DataError)) -> Result<u32> {
    let table = store.table(layout)?;
    let folder = Folder::new(store.dir(), layout.name);
    let mut intact = 0;
    ctx.progress().begin(&format!("verifying the cache of {}", layout.name), u64::from(layout.rows), "rows");
    for row in 0..layout.rows {
        ctx.check()?;
        let path = folder.row_path(row);
        match faults_of(&path, &RowIdentity::of(&table, row)) {
            Some(faults) if faults.is_empty() => intact += 1,
            Some(faults) => faults.into_iter().for_each(|fault| found(fault.locate(layout, row, &path))),
            None => {}
        }
        ctx.progress().advance(1);
    }
    ctx.progress().end();
    Ok(intact)
}

/// What is wrong with a cache file.
enum RowFault {
    File(String),
    Block(usize),
}

/// What is wrong with a row's file; `None` when there is none of this edition.
fn faults_of(path: &Path, identity: &RowIdentity) -> Option<Vec<RowFault>> {
    let whole = |reason: String| Some(vec![RowFault::File(reason)]);
    match probe(path, identity) {
        Ok(Probe::Absent | Probe::Stale) => None,
        Ok(Probe::Damaged(reason)) => whole(reason.to_owned()),
        Ok(Probe::Valid(opened)) => match MappedRow::new(*identity, opened) {
            Ok(map) => Some(map.bad_blocks().into_iter().map(|BadBlock(block)| RowFault::Block(block)).collect()),
            Err(error) => whole(format!("it cannot be mapped: {error}")),
        },
        Err(error) => whole(format!("it cannot be read: {error}")),
    }
}

impl RowFault {
    /// The error that names the place in the table. Nothing is lost with a cached row: the remedy makes it again.
    fn locate(self, layout: &TableLayout, row: u32, path: &Path) -> DataError {
        let (page, detail) = match self {
            Self::File(reason) => (None, format!("the cached row is not used: {reason}")),
            Self::Block(block) => {
                // A row has at most 2^32 pages.
                let page = |byte: usize| (byte / layout.page_bytes()) as u32;
                let first = page(block * BLOCK_BYTES);
                let last = page(((block + 1) * BLOCK_BYTES).min(layout.row_bytes()) - 1);
                (
                    Some(first),
                    format!("block {block} of the cached row (pages {first} to {last}) does not match its hash"),
                )
            }
        };
        DataError {
            fault: Fault::Damaged,
            table: layout.name.to_owned(),
            file: Some(path.to_path_buf()),
            row: Some(row),
            page,
            detail,
            remedy: format!("cache warm {}", layout.name),
        }
    }
}

/// Removes a table's cache and returns the bytes it occupied. Processes that have rows mapped keep them until they
/// end.
///
/// # Errors
/// [`Error::Usage`] for what cannot be a table's name; [`Error::Io`].
pub fn drop_cache(store: &Store, table: &str) -> Result<u64> {
    check_name(table)?;
    Folder::new(store.dir(), table).remove_all()
}
