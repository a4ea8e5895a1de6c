//! The hot cache of tables.

use serde::Serialize;

use super::{Database, TableId};
use twistbase_cache::{self as cache, CacheStatus, CachedTable};
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// What there is of a table's cache: `schema/json/cache-status.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheStatusReport {
    /// The table.
    pub table: TableId,
    /// Files of a whole cache.
    pub files: u32,
    /// Files of this edition of the table.
    pub valid: u32,
    /// Files of another edition.
    pub stale: u32,
    /// Files that cannot be used.
    pub damaged: u32,
    /// Bytes on disk.
    pub bytes: u64,
}

/// What was copied into a table's cache: `schema/json/cache-warm.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheWarmReport {
    /// The table.
    pub table: TableId,
    /// Files that were there.
    pub files_present: u32,
    /// Files that were added.
    pub files_added: u32,
    /// Bytes of entries that were added.
    pub bytes: u64,
}

/// What removing a table's cache came to: `schema/json/cache-drop.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheDropReport {
    /// The table.
    pub table: TableId,
    /// Bytes of disk that became free.
    pub bytes: u64,
}

impl Database {
    /// What there is of a table's cache. Without a usable table every file is stale.
    ///
    /// # Errors
    /// [`Error::Io`](twistbase_core::Error::Io), [`Error::Busy`](twistbase_core::Error::Busy).
    pub fn cache_status(&self, table: TableId) -> Result<CacheStatusReport> {
        let CacheStatus { files, valid, stale, damaged, bytes } =
            cache::status(self.store(), table.definition().layout())?;
        Ok(CacheStatusReport { table, files, valid, stale, damaged, bytes })
    }

    /// Copies the whole of a table, as far as it is built, into the cache.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::Error::Data) for a table that is not there or cannot be read;
    /// [`Error::Busy`](twistbase_core::Error::Busy), [`Error::Io`](twistbase_core::Error::Io),
    /// [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    pub fn cache_warm(&self, table: TableId, ctx: &Context) -> Result<CacheWarmReport> {
        let layout = table.definition().layout();
        let warmed = CachedTable::open_to_depth(self.store(), layout, cache::CacheMode::OnDemand)?.warm(ctx)?;
        Ok(CacheWarmReport { table, files_present: warmed.present, files_added: warmed.added, bytes: warmed.bytes })
    }

    /// Removes a table's cache; queries fill it again. Whoever has files of it mapped keeps them.
    ///
    /// # Errors
    /// [`Error::Io`](twistbase_core::Error::Io).
    pub fn cache_drop(&self, table: TableId) -> Result<CacheDropReport> {
        Ok(CacheDropReport { table, bytes: cache::drop_cache(self.store(), table.name())? })
    }
}
