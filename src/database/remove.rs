//! Deleting tables.

use serde::Serialize;

use super::{Database, TableId};
use twistbase_cache as cache;
use twistbase_core::error::Result;

/// The report of deleting a table: `schema/json/remove.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemoveReport {
    /// The table.
    pub table: TableId,
    /// Whether there was something to delete.
    pub removed: bool,
    /// Freed bytes, of the cache, too.
    pub bytes: u64,
}

impl Database {
    /// Deletes a table with its unfinished build and its hot cache, or with `only_unfinished` the unfinished build alone. Who has
    /// the table open, in this process or in another, reads on.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::*; pub use twistbase_tables::BuildRequest; }
    /// use twistbase::{BuildRequest, Database, TableId, context::Context};
    ///
    /// let database = Database::in_memory();
    /// let corners: TableId = "square1-corners".parse()?;
    /// database.build(corners, &BuildRequest::default(), &Context::silent())?;
    /// assert!(database.remove(corners, false)?.removed);
    /// assert!(!database.remove(corners, false)?.removed);
    /// # Ok::<(), twistbase::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Busy`](twistbase_core::Error::Busy) if a process builds the table; [`Error::Io`](twistbase_core::Error::Io), also for a
    /// table that is a link.
    pub fn remove(&self, table: TableId, only_unfinished: bool) -> Result<RemoveReport> {
        let removed = self.store().remove(table.definition().layout(), only_unfinished)?;
        let cached = if only_unfinished { 0 } else { cache::drop_cache(self.store(), table.name())? };
        let bytes = removed.unwrap_or_default() + cached;
        Ok(RemoveReport { table, removed: removed.is_some() || cached > 0, bytes })
    }
}
