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

/// A folder of tables, open for everything that can be done with them. Cloning is cheap: the folder is the state.
#[derive(Debug, Clone)]
pub struct Database {
    store: Store,
    cache: CacheMode,
    /// Whether questions build the tables that they need and that are missing.
    pub(super) builds_missing: bool,
    /// Held by the thread that builds them.
    pub(super) building: Arc<Mutex<()>>,
    /// The tables that were asked for many positions at once.
    pub(super) arrays: Arc<OpenedTables<TableId, TableArrays>>,
}

impl Database {
    /// The database in a folder, which need not exist: it is made when something is built.
    ///
    /// Unlike the command line it takes nothing from the environment (see [`default_folder`](Self::default_folder)), and questions
    /// build no table unless [`building_missing`](Self::building_missing) says so.
    ///
    /// # Errors
    /// [`Error::Io`] if the path leads to something that is no folder.
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

    /// The folder where a user's tables belong when nothing else is said: `twistbase` below the user's data folder.
    ///
    /// # Errors
    /// [`Error::Usage`] when the user has no home folder.
    pub fn default_folder() -> Result<PathBuf> {
        let strategy = etcetera::base_strategy::choose_native_strategy()
            .map_err(|error| Error::Usage(format!("cannot find the folder for data ({error})")))?;
        Ok(strategy.data_dir().join("twistbase"))
    }

    /// The same with another use of the hot cache.
    #[must_use]
    pub fn with_cache(self, cache: CacheMode) -> Self {
        Self { cache, arrays: Arc::default(), ..self }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.store.dir()
    }

    /// The tables as files.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// How the hot cache is used.
    pub fn cache_mode(&self) -> CacheMode {
        self.cache
    }

    /// Identifies the present editions of tables.
    #[doc(hidden)]
    pub fn editions(&self, tables: &[TableId]) -> Vec<FileEdition> {
        let edition = |table: &TableId| {
            let found = fs::metadata(self.store.file_of(table.definition().layout())).ok()?;
            Some((found.dev(), found.ino(), found.mtime(), found.mtime_nsec()))
        };
        tables.iter().map(edition).collect()
    }

    /// The results about cosets, and the solution of more: for that, a missing `phase1`
    /// [is built](Self::building_missing).
    pub fn cosets(&self) -> CosetDatabase {
        CosetDatabase::new(&self.store, self.cache).with_builder(Arc::new(self.clone()))
    }
}
