//! The facade: a folder of tables, and all operations of the fronts on it.
//!
//! A [`Database`] builds, lists, checks and repairs tables, opens puzzles, and answers questions. Its results are typed, and
//! `Serialize` to the command line's JSON. It prints nothing and changes nothing in the process. The caller's
//! [`Context`](twistbase_core::context::Context) receives progress and cancels calls.
//!
//! The files, bottom up: the list of puzzles (`puzzle_info`, `puzzle_name`), the folder and its tables (`database`, `table_id`),
//! metrics (`metric`), answers about positions (`answers`, `large`, `position`, `facelet_orders`, `solving`, `batch`), questions (`puzzle`), the puzzles
//! (`square1`, `cube3`, `searched`, `defined`), puzzles by name (`puzzles`). No file uses one that comes later.

mod answer_lines;
mod answers;
mod arrays;
mod batch;
mod build;
mod build_queue;
mod cache;
pub mod cube3;
mod database;
mod defined;
mod defined_store;
mod explanation;
#[cfg(feature = "export")]
mod export;
mod facelet_orders;
#[cfg(feature = "export")]
mod import;
mod item;
mod large;
mod levels;
mod line_batch;
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
mod puzzle_info;
mod puzzle_name;
mod puzzles;
mod random;
mod rebuild;
mod remove;
mod results;
mod searched;
mod sets;
mod solving;
mod square1;
mod stats;
mod table_check;
mod table_id;
mod tables;
mod verify;
mod waves;

pub use answer_lines::{AnswerLines, OnShortfall, column};
pub use answers::cube3::{
    Beyond, Cube3Answer, CubeDistances, CubeText, ExactReport, FaceTurnReport, LengthProof, OptimalQuestion,
    OptimalRecord, OptimalSolution, OptimalSummary, TwoPhaseSolution,
};
pub use answers::square1::{FaceSearchReport, NextMoves, Square1Answer, Square1SolutionReport, Square1Text};
pub use answers::table::{TableAnswer, TableSolution};
pub use answers::{Answer, BriefAnswer, FromSolved, PositionReport, PositionText, Solution};
pub use arrays::{ManyPositions, NeighbourArrays, PuzzleArrays, TableArrays};
pub use batch::{BatchEnd, BatchStop, LineAnswer, LineSolution, LineSolved, SolveBatch};
pub use build::{BuildOutcome, BuildReport};
pub use build_queue::{BuildProgress, BuildQueue, BuildState, TableBuild};
pub use cache::{CacheDropReport, CacheStatusReport, CacheWarmReport};
pub use cube3::{
    AnalysisRequest, BySide, Cube3, CubeAnalysis, CubeAnalyzer, CubeState, CubeTables, FoundInsertions, GoalCounts,
    GoalDistances, GoalLevel, GoalTables, Insertion, InsertionsRequest, InsertionsSolution, InsertionsSolver, Niss,
    OptimalLength, SolvedStep, StepPlan, StepsRequest, StepsSolution, StepsSolver, TableChoice,
};
pub use database::Database;
pub use explanation::TableExplanation;
#[cfg(feature = "export")]
pub use export::ExportReport;
pub use facelet_orders::FaceletOrders;
#[cfg(feature = "export")]
pub use import::{ImportOutcome, ImportReport};
pub use item::StoreItem;
pub use levels::{CountUnit, LevelCount, LevelCounts};
pub use metric::{BoundInMetric, QuestionMetric};
pub use named::Named;
pub use picture::SceneReport;
pub use position::{NormalizedPosition, PuzzlePosition, WrittenPosition};
pub use prove::{
    ColoursProbe, ColoursReport, ColoursRequest, CountComparison, ParityReport, THREE_COLOURS, WcaComparison,
    WcaReport, prove_parity, prove_three_colours, prove_wca, wca_memory,
};
pub use puzzle::{Detail, OnLine, OnSolve, Prepared, Puzzle, Question, Solutions, Solver};
#[doc(hidden)]
pub use puzzle::{Effort, SolveTask};
pub use puzzle_info::PuzzleInfo;
pub use random::{RandomRequest, Scrambles};
pub use rebuild::{CosetsPlan, RebuildAction, RebuildReport, RowFault};
pub use remove::RemoveReport;
pub use sets::TableSet;
pub use solving::{ExactSearch, SearchBudget, Shortfall, SolveEvent, SolveMethod, SolveOutcome, SolveRequest, Solved};
pub use square1::{SharedSquare1Table, Square1};
pub use stats::{BeyondDepth, TableStats};
pub use table_check::TableCheck;
pub use table_id::TableId;
#[doc(hidden)]
pub use tables::path_as_text;
pub use tables::{BuildFit, BuildRecord, TableCondition, TableInfo};
pub use twistbase_core::memory::available_memory;
pub use verify::{FaultReport, Verification, VerifySummary};

pub use twistbase_solve::Stopped as SearchEnd;
pub use twistbase_tables::Counted;
