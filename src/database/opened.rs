//! Tables that were opened and are kept, until one of their files is another.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::hash::Hash;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Database, TableId};
use crate::error::Result;

/// What tells one edition of a table's file from another: a table is only ever replaced by renaming. `None` where there is
/// no file.
pub(crate) type FileEdition = Option<(u64, u64, i64, i64)>;

/// What was opened, by what was asked for. Whoever holds something that is opened again meanwhile keeps the old one.
pub(super) struct OpenedTables<K, V>(Mutex<HashMap<K, Arc<OpenedSlot<V>>>>);

/// What was opened for one key. It is locked while it is opened, so that who asks for something else need not wait.
type OpenedSlot<V> = Mutex<Option<OpenedEdition<V>>>;

/// What was opened, and the editions of the files that decide about it.
type OpenedEdition<V> = (Vec<FileEdition>, Arc<V>);

impl<K: Eq + Hash, V> OpenedTables<K, V> {
    /// What is kept for `key`; what `open` makes if there is nothing, or if the file of one of `tables` is another than it was.
    ///
    /// # Errors
    /// Those of `open`.
    pub fn get(
        &self,
        database: &Database,
        key: K,
        tables: &[TableId],
        open: impl FnOnce() -> Result<V>,
    ) -> Result<Arc<V>> {
        let edition = database.editions(tables);
        let slot = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let mut opened = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = opened.as_ref().filter(|(known, _)| *known == edition) {
            return Ok(Arc::clone(value));
        }
        // Under the lock: two threads that ask the same for the first time open it once. What is stale goes first, for its memory.
        *opened = None;
        let value = Arc::new(open()?);
        *opened = Some((edition, Arc::clone(&value)));
        Ok(value)
    }
}

impl<K, V> Default for OpenedTables<K, V> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K, V> fmt::Debug for OpenedTables<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedTables").finish_non_exhaustive()
    }
}

impl Database {
    /// What tells the present editions of tables from all others.
    pub(crate) fn editions(&self, tables: &[TableId]) -> Vec<FileEdition> {
        let edition = |table: &TableId| {
            let found = fs::metadata(self.store().file_of(table.definition().layout())).ok()?;
            Some((found.dev(), found.ino(), found.mtime(), found.mtime_nsec()))
        };
        tables.iter().map(edition).collect()
    }
}
