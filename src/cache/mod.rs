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

use folder::Folder;
use format::{Probe, RowIdentity, probe};
use row::MappedRow;

pub use reader::{CacheMode, CachedTable, Warmed};

use crate::context::Context;
use crate::error::{Error, Result};
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

/// A cached row that is not what was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRow {
    /// The row.
    pub row: u32,
    /// What is wrong.
    pub reason: &'static str,
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

/// Verifies every block of every cached row. Damaged rows are handed to `found` and their files removed; stale ones
/// are left. Returns the number of rows that are cached and right.
///
/// # Errors
/// As [`Store::table`]; [`Error::Io`] when a damaged file cannot be removed; [`Error::Interrupted`].
pub fn verify(store: &Store, layout: &TableLayout, ctx: &Context, found: &mut dyn FnMut(BadRow)) -> Result<u32> {
    let table = store.table(layout)?;
    let folder = Folder::new(store.dir(), layout.name);
    let mut intact = 0;
    ctx.progress().begin(&format!("verifying the cache of {}", layout.name), u64::from(layout.rows), "rows");
    for row in 0..layout.rows {
        ctx.check()?;
        let identity = RowIdentity::of(&table, row);
        let fault = match probe(&folder.row_path(row), &identity) {
            Ok(Probe::Absent | Probe::Stale) => None,
            Ok(Probe::Damaged(reason)) => Some(reason),
            Ok(Probe::Valid(opened)) => match MappedRow::new(identity, opened) {
                Ok(map) if map.verified_bytes().is_ok() => {
                    intact += 1;
                    None
                }
                Ok(_) => Some("a block does not match its hash"),
                Err(_) => Some("it cannot be mapped"),
            },
            Err(_) => Some("it cannot be read"),
        };
        if let Some(reason) = fault {
            folder.discard(row)?;
            found(BadRow { row, reason });
        }
        ctx.progress().advance(1);
    }
    ctx.progress().end();
    Ok(intact)
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
