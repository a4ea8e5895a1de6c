//! The tables in a folder, or in memory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use etcetera::BaseStrategy;

use super::opened::OpenedTables;
use super::{TableArrays, TableId};
use twistbase_cache::CacheMode;
use twistbase_core::error::{Error, Result};
use twistbase_cosets::CosetDatabase;
use twistbase_store::{FileEdition, IN_MEMORY, Store};

/// A folder of tables, or tables in memory, and all operations on them. Cloning is cheap: the folder or the memory is the state.
#[derive(Debug, Clone)]
pub struct Database {
    store: Store,
    cache: CacheMode,
    /// The most bytes for the tables of a search.
    search_memory: Option<u64>,
    /// Whether questions build missing tables.
    pub(super) builds_missing: bool,
    /// Held by the thread that builds missing tables.
    pub(super) building: Arc<Mutex<()>>,
    /// The open tables for many positions at once.
    pub(super) arrays: Arc<OpenedTables<TableId, TableArrays>>,
}

impl Database {
    /// Opens the database in a folder. The first build creates a missing folder. The process then knows the
    /// [puzzles](Self::add_puzzle) that were added there. `:memory:` is no folder, but a new
    /// [database in memory](Self::in_memory); `./:memory:` is a folder.
    ///
    /// Unlike the command line it reads no environment variables (see [`default_folder`](Self::default_folder)). Questions build missing
    /// tables only with [`building_missing`](Self::building_missing).
    ///
    /// # Errors
    /// [`Error::Io`] if the path is no folder, or has the definition of a puzzle that cannot be used.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self> {
        let folder = folder.into();
        if folder.as_os_str() == IN_MEMORY {
            return Ok(Self::in_memory());
        }
        if folder.exists() && !folder.is_dir() {
            return Err(Error::io("open", &folder, io::ErrorKind::NotADirectory.into()));
        }
        Self::know_puzzles(&folder)?;
        Ok(Self::over(Store::open(folder)))
    }

    /// A new database in the memory of this process. It begins empty, writes nothing to a disk, and is gone with its last clone.
    /// It has no hot cache, and a build fails that needs a scratch file.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::*; }
    /// use twistbase::{Database, Question, context::Context};
    ///
    /// let database = Database::in_memory().building_missing(true);
    /// let answer = database.puzzle("cube2")?.query("R U F", &Question::default(), &Context::silent())?;
    /// assert_eq!((answer.distance(), database.folder()), (Some(3), None));
    /// # Ok::<(), twistbase::error::Error>(())
    /// ```
    pub fn in_memory() -> Self {
        Self::over(Store::in_memory())
    }

    fn over(store: Store) -> Self {
        Self {
            store,
            cache: CacheMode::OnDemand,
            search_memory: None,
            builds_missing: false,
            building: Arc::default(),
            arrays: Arc::default(),
        }
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

    /// Changes the use of the hot cache. In memory there is none.
    #[must_use]
    pub fn with_cache(self, cache: CacheMode) -> Self {
        Self { cache, arrays: Arc::default(), ..self }
    }

    /// Limits the bytes of the tables that each search makes for itself, of puzzles that have no table. By default they take up to half of
    /// the free memory.
    #[must_use]
    pub fn with_search_memory(self, bytes: u64) -> Self {
        Self { search_memory: Some(bytes), ..self }
    }

    /// The most bytes for the tables of a search.
    pub(super) fn search_memory(&self) -> Option<u64> {
        self.search_memory
    }

    /// The folder; `None` in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.store.dir()
    }

    /// The tables as they are stored.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The use of the hot cache.
    pub fn cache_mode(&self) -> CacheMode {
        self.cache
    }

    /// The current editions of tables' files, to notice changes.
    #[doc(hidden)]
    pub fn editions(&self, tables: &[TableId]) -> Vec<Option<FileEdition>> {
        tables.iter().map(|table| self.store.edition(table.definition().layout())).collect()
    }

    /// The stored results for cosets of H, and the solver for more of them. The solver needs `phase1`, and
    /// [builds it](Self::building_missing) if missing.
    pub fn cosets(&self) -> CosetDatabase {
        CosetDatabase::new(&self.store, self.cache).with_builder(Arc::new(self.clone()))
    }
}
