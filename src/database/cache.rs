//! The hot cache of tables.

use serde::Serialize;

use super::{Database, TableId};
use twistbase_cache::{self as cache, CacheStatus, CachedTable};
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// The state of a table's cache: `schema/json/cache-status.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheStatusReport {
    /// The table.
    pub table: TableId,
    /// Number of files of a full cache.
    pub files: u32,
    /// Files of this edition of the table.
    pub valid: u32,
    /// Files of another edition.
    pub stale: u32,
    /// Unusable files.
    pub damaged: u32,
    /// Bytes on disk.
    pub bytes: u64,
}

/// The report of filling a table's cache: `schema/json/cache-warm.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheWarmReport {
    /// The table.
    pub table: TableId,
    /// Existing files.
    pub files_present: u32,
    /// Added files.
    pub files_added: u32,
    /// Bytes of added entries.
    pub bytes: u64,
}

/// The report of removing a table's cache: `schema/json/cache-drop.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheDropReport {
    /// The table.
    pub table: TableId,
    /// Freed bytes of disk.
    pub bytes: u64,
}

impl Database {
    /// The state of a table's cache. Without a usable table every file is stale.
    ///
    /// # Errors
    /// [`Error::Io`](twistbase_core::Error::Io), [`Error::Busy`](twistbase_core::Error::Busy).
    pub fn cache_status(&self, table: TableId) -> Result<CacheStatusReport> {
        let CacheStatus { files, valid, stale, damaged, bytes } =
            cache::status(self.store(), table.definition().layout())?;
        Ok(CacheStatusReport { table, files, valid, stale, damaged, bytes })
    }

    /// Copies a whole table, up to its depth, into the cache.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::Error::Usage) in memory, where there is no cache;
    /// [`Error::Data`](twistbase_core::Error::Data) for a missing or unreadable table;
    /// [`Error::Busy`](twistbase_core::Error::Busy), [`Error::Io`](twistbase_core::Error::Io),
    /// [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    pub fn cache_warm(&self, table: TableId, ctx: &Context) -> Result<CacheWarmReport> {
        let layout = table.definition().layout();
        self.store().dir_for("a cache")?;
        let warmed = CachedTable::open_to_depth(self.store(), layout, cache::CacheMode::OnDemand)?.warm(ctx)?;
        Ok(CacheWarmReport { table, files_present: warmed.present, files_added: warmed.added, bytes: warmed.bytes })
    }

    /// Removes a table's cache; queries fill it again. Processes that have its files open can still read them.
    ///
    /// # Errors
    /// [`Error::Io`](twistbase_core::Error::Io).
    pub fn cache_drop(&self, table: TableId) -> Result<CacheDropReport> {
        Ok(CacheDropReport { table, bytes: cache::drop_cache(self.store(), table.name())? })
    }
}
