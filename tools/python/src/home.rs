//! Open resources of a process. A forked child opens everything anew, because locks that the parent's threads held during the fork
//! stay locked for ever.

use std::mem;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use twistbase::Database;
use twistbase::cache::CacheMode;

use crate::errors::OrRaise;

/// A value that each process creates for itself.
pub struct PerProcess<T>(Mutex<Option<(u32, Arc<T>)>>);

impl<T> PerProcess<T> {
    /// This process's value, created on first use. Every holder of this lock also holds the interpreter's lock, and so does the forking
    /// thread: the lock is free in a child.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get(&self, _: Python<'_>, make: impl FnOnce() -> PyResult<T>) -> PyResult<Arc<T>> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = process::id();
        if let Some((process, value)) = &*kept()
            && *process == own
        {
            return Ok(Arc::clone(value));
        }
        // Outside the lock: it may call the interpreter, which may switch threads.
        let made = Arc::new(make()?);
        // What a parent has open is its own to close.
        mem::forget(kept().replace((own, Arc::clone(&made))));
        Ok(made)
    }
}

impl<T> PerProcess<T> {
    /// Drops this process's value. Current users still have it.
    pub fn release(&self, _: Python<'_>) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            // What a parent has open is its own to close.
            Some((process, value)) if process != process::id() => mem::forget(value),
            own => drop(own),
        }
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

/// A folder of tables, with the options of its database.
pub struct Home {
    pub folder: PathBuf,
    /// Whether questions build missing tables: "auto" or "never".
    pub policy: &'static str,
    /// The use of the hot cache.
    pub cache: CacheMode,
    database: PerProcess<Database>,
    /// How often this object has built or rebuilt tables.
    changes: AtomicU64,
}

impl Home {
    /// A folder, which need not exist.
    pub fn new(folder: PathBuf, policy: &'static str, cache: CacheMode) -> Self {
        Self { folder, policy, cache, database: PerProcess::default(), changes: AtomicU64::new(0) }
    }

    /// How often tables were built here: what was opened before the last time is looked at again.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Says that tables may have changed.
    pub fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// The database in the folder.
    ///
    /// # Errors
    /// `StorageError` if the path is no folder.
    pub fn database(&self, py: Python<'_>) -> PyResult<Arc<Database>> {
        self.database.get(py, || {
            let opened = Database::open(&self.folder).or_raise(py)?;
            Ok(opened.building_missing(self.policy == "auto").with_cache(self.cache))
        })
    }

    /// Closes the database. The next question opens it again.
    pub fn close(&self, py: Python<'_>) {
        self.database.release(py);
    }
}
