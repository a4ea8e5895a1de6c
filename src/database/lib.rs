//! The facade: a folder of tables, and everything that a front asks of it.
//!
//! A [`Database`] builds, lists, checks and mends tables, opens puzzles, and answers. What it returns is typed; what is JSON on
//! the command line is `Serialize`. It prints nothing, changes nothing of the process, and reports and stops through the
//! [`Context`](twistbase_core::context::Context) that it is given.

mod arrays;
mod batch;
mod build;
mod cache;
mod cube2;
pub mod cube3;
mod explanation;
#[cfg(feature = "export")]
mod export;
#[cfg(feature = "export")]
mod import;
mod item;
mod levels;
pub mod lines;
mod look_up;
mod metric;
mod missing;
mod named;
mod opened;
mod picture;
mod position;
mod prove;
mod puzzle;
mod puzzle_name;
mod rebuild;
mod sets;
mod solving;
mod square1;
mod stats;
mod table_check;
mod table_id;
mod tables;
mod verify;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use etcetera::BaseStrategy;

pub use arrays::{ManyPositions, NeighbourArrays, PuzzleArrays, TableArrays};
pub use batch::{BatchEnd, BatchStop, LineAnswer, LineSolution, LineSolved, SolveBatch};
pub use build::{BuildOutcome, BuildReport};
pub use cache::{CacheDropReport, CacheStatusReport, CacheWarmReport};
pub use cube2::{Cube2, Cube2Answer, Cube2PositionReport, Cube2SolutionReport, SharedCube2Table};
pub use cube3::{
    Beyond, Cube3, Cube3Answer, Cube3PositionReport, CubeDistances, CubeTables, CubeText, ExactReport, FaceTurnReport,
    HSolution, OptimalQuestion, OptimalRecord, OptimalSolution, OptimalSummary, SearchEnd, TableChoice,
    TwoPhaseSolution,
};
pub use explanation::TableExplanation;
#[cfg(feature = "export")]
pub use export::{ExportReport, FileFormat};
#[cfg(feature = "export")]
pub use import::{ImportOutcome, ImportReport};
pub use item::StoreItem;
pub use levels::{CountUnit, LevelCount, LevelCounts};
pub use metric::QuestionMetric;
pub use named::Named;
pub use picture::SceneReport;
pub use position::PuzzlePosition;
pub use prove::{
    CountComparison, ParityReport, WcaComparison, WcaReport, parity_memory, prove_parity, prove_wca, wca_memory,
};
pub use puzzle::{
    Answer, BriefAnswer, Detail, PositionReport, Prepared, Puzzle, PuzzleInfo, Question, RandomRequest, Scrambles,
    Solution, Solutions, Solver,
};
pub use rebuild::{CosetsPlan, RebuildAction, RebuildReport, RowFault};
pub use sets::TableSet;
pub use solving::{
    BoundInMetric, ExactSearch, SearchBudget, Shortfall, SolveEvent, SolveMethod, SolveOutcome, SolveRequest, Solved,
};
pub use square1::{
    FaceSearchReport, NextMoves, SharedSquare1Table, Square1, Square1Answer, Square1PositionReport,
    Square1SolutionReport, Square1Text,
};
pub use stats::{BeyondDepth, TableStats};
pub use table_check::TableCheck;
pub use table_id::TableId;
#[doc(hidden)]
pub use tables::path_as_text;
pub use tables::{BuildFit, BuildRecord, TableCondition, TableInfo};
pub use twistbase_core::memory::available_memory;
pub use verify::{FaultReport, Verification, VerifySummary};

pub use twistbase_tables::Counted;

use opened::OpenedTables;
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
    builds_missing: bool,
    /// Held by the thread that builds them.
    building: Arc<Mutex<()>>,
    /// The tables that were asked for many positions at once.
    arrays: Arc<OpenedTables<TableId, TableArrays>>,
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
            .map_err(|error| Error::Usage(format!("cannot tell where data belongs ({error})")))?;
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

    /// The results about cosets, and the solution of more.
    pub fn cosets(&self) -> CosetDatabase {
        CosetDatabase::new(&self.store, self.cache)
    }
}
