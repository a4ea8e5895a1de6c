//! What a process has open. One that was forked opens everything anew: locks that other threads of its parent held at that moment
//! stay locked for ever.

use std::mem;
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use twistbase::Database;
use twistbase::cache::CacheMode;

use crate::errors::OrRaise;

/// Something that each process has for itself.
pub struct PerProcess<T>(Mutex<Option<(u32, Arc<T>)>>);

impl<T> PerProcess<T> {
    /// What this process has, made if it has none yet. The interpreter's lock is held whenever this one is, and by the thread that
    /// forks: so this one is free in a child.
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
        // Not under the lock, for it may call the interpreter, which may let another thread go on.
        let made = Arc::new(make()?);
        // What a parent has open is its own to close.
        mem::forget(kept().replace((own, Arc::clone(&made))));
        Ok(made)
    }
}

impl<T> PerProcess<T> {
    /// Lets go of what this process has; whoever uses it still has it.
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

/// A folder of tables, and what questions may build in it.
pub struct Home {
    pub folder: PathBuf,
    /// Which tables questions build: "auto" or "never".
    pub policy: &'static str,
    /// How the hot cache of tables is used.
    pub cache: CacheMode,
    database: PerProcess<Database>,
}

impl Home {
    /// A folder, which need not exist.
    pub fn new(folder: PathBuf, policy: &'static str, cache: CacheMode) -> Self {
        Self { folder, policy, cache, database: PerProcess::default() }
    }

    /// The database in the folder.
    ///
    /// # Errors
    /// `StorageError` if the path leads to something that is no folder.
    pub fn database(&self, py: Python<'_>) -> PyResult<Arc<Database>> {
        self.database.get(py, || {
            let opened = Database::open(&self.folder).or_raise(py)?;
            Ok(opened.building_missing(self.policy == "auto").with_cache(self.cache))
        })
    }

    /// Lets go of the database; the next question opens it again.
    pub fn close(&self, py: Python<'_>) {
        self.database.release(py);
    }
}
