//! The folder of tables.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use etcetera::BaseStrategy;

use super::opened::{FileEdition, OpenedTables};
use super::{TableArrays, TableId};
use twistbase_cache::CacheMode;
use twistbase_core::error::{Error, Result};
use twistbase_cosets::CosetDatabase;
use twistbase_store::Store;

/// A folder of tables, and all operations on them. Cloning is cheap: the folder is the state.
#[derive(Debug, Clone)]
pub struct Database {
    store: Store,
    cache: CacheMode,
    /// Whether questions build missing tables.
    pub(super) builds_missing: bool,
    /// Held by the thread that builds missing tables.
    pub(super) building: Arc<Mutex<()>>,
    /// The open tables for many positions at once.
    pub(super) arrays: Arc<OpenedTables<TableId, TableArrays>>,
}

impl Database {
    /// Opens the database in a folder. The first build creates a missing folder.
    ///
    /// Unlike the command line it reads no environment variables (see [`default_folder`](Self::default_folder)). Questions build missing
    /// tables only with [`building_missing`](Self::building_missing).
    ///
    /// # Errors
    /// [`Error::Io`] if the path is no folder.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self> {
        let folder = folder.into();
        if folder.exists() && !folder.is_dir() {
            return Err(Error::io("open", &folder, io::ErrorKind::NotADirectory.into()));
        }
        Ok(Self {
            store: Store::open(folder),
            cache: CacheMode::OnDemand,
            builds_missing: false,
            building: Arc::default(),
            arrays: Arc::default(),
        })
    }

    /// The default folder of a user's tables: `twistbase` in the user's data folder.
    ///
    /// # Errors
    /// [`Error::Usage`] if the user has no home folder.
    pub fn default_folder() -> Result<PathBuf> {
        let strategy = etcetera::base_strategy::choose_native_strategy()
            .map_err(|error| Error::Usage(format!("cannot find the folder for data ({error})")))?;
        Ok(strategy.data_dir().join("twistbase"))
    }

    /// Changes the use of the hot cache.
    #[must_use]
    pub fn with_cache(self, cache: CacheMode) -> Self {
        Self { cache, arrays: Arc::default(), ..self }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.store.dir()
    }

    /// The files of the tables.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The use of the hot cache.
    pub fn cache_mode(&self) -> CacheMode {
        self.cache
    }

    /// The current editions of tables' files, to notice changes.
    #[doc(hidden)]
    pub fn editions(&self, tables: &[TableId]) -> Vec<FileEdition> {
        let edition = |table: &TableId| {
            let found = fs::metadata(self.store.file_of(table.definition().layout())).ok()?;
            Some((found.dev(), found.ino(), found.mtime(), found.mtime_nsec()))
        };
        tables.iter().map(edition).collect()
    }

    /// The stored results for cosets of H, and the solver for more of them. The solver needs `phase1`, and
    /// [builds it](Self::building_missing) if missing.
    pub fn cosets(&self) -> CosetDatabase {
        CosetDatabase::new(&self.store, self.cache).with_builder(Arc::new(self.clone()))
    }
}
