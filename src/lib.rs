//! twistbase: an embedded database of puzzle states.
//!
//! It generates complete level databases and pruning tables of twisty puzzles, keeps them in [redb], and answers for
//! any position: how far is it, what does each move do to the distance, what are all its shortest solutions. Its
//! solvers read the same tables.
//!
//! # Layers
//! Each is a crate of its own, re-exported here. Dependencies point downward only.
//!
//! | layer | what |
//! |---|---|
//! | `http` | the HTTP front: a database as a service |
//! | [`farm`] | work in shards that machines share |
//! | [`database`] | the facade: a folder of tables, the puzzles in it, and everything that can be asked of them |
//! | [`cosets`] | results about cosets of the Rubik's cube: batches, what is stored of each |
//! | `arrow` | records as batches of Apache Arrow |
//! | `export` | tables as Parquet, CSV, JSON Lines or raw bytes, and back; records in batches |
//! | [`picture`] | positions as drawings (SVG, PNG), and as scenes in space |
//! | [`solve`] | searches guided by tables: two-phase, optimal, cosets of H |
//! | [`query`] | distances, moves and solutions, over any reader of a table |
//! | [`cache`] | the hot cache; it alone maps files |
//! | [`tables`] | the registry: what each table is, how it is built, what must come out |
//! | [`store`] | redb files; it alone knows redb |
//! | `levelset` | bit-parallel breadth-first search; knows no puzzle |
//! | [`definition`] | puzzles as data, from files: their groups, symmetries and levels |
//! | [`puzzle`] | models, coordinates, notations |
//! | [`threads`], [`error`], [`context`] | threads that are started only where there is room; typed errors; progress and cancellation |
//!
//! # Features
//! `default-features = false` is the library alone. The others are part of the default, but for `arrow`:
//!
//! | feature | what it adds |
//! |---|---|
//! | `export` | tables as Parquet, CSV, JSON Lines and raw bytes |
//! | `arrow` | exports as batches of Apache Arrow, and `export` |
//! | `png` | pictures in pixels |
//! | `serve` | the HTTP front |
//! | `cli` | what the program needs, which is all of these but `arrow`, and more |
//!
//! # From nothing to an answer
//! A [`Database`] is a folder of tables. Its [puzzles](Database::puzzle) answer in the notations of people, and a
//! question can build the tables that it needs:
//!
//! ```
//! use twistbase::{Context, Database, Question};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path();
//! let database = Database::open(folder)?.building_missing(true);
//! let puzzle = database.puzzle("square1-corners")?;
//! let answer = puzzle.query("(1,0)/(3,3)/(-3,0)/", &Question::default(), &Context::silent())?;
//! assert_eq!(answer.distance(), Some(3));
//! # Ok::<(), twistbase::Error>(())
//! ```
//!
//! Many positions at once are arrays of numbers: [`Puzzle::arrays`], [`Database::table_arrays`].
//!
//! Below that are the typed puzzles ([`Database::square1`], [`Database::cube3`]), and below these the tables
//! themselves: the example of [`Square1Table`] builds one and asks it.
//!
//! [redb]: https://docs.rs/redb

#[cfg(feature = "arrow")]
#[doc(inline)]
pub use twistbase_arrow as arrow;
#[doc(inline)]
pub use twistbase_cache as cache;
#[doc(inline)]
pub use twistbase_core::{context, error, threads};
#[doc(inline)]
pub use twistbase_cosets as cosets;
#[doc(inline)]
pub use twistbase_database as database;
#[doc(inline)]
pub use twistbase_definition as definition;
#[cfg(feature = "export")]
#[doc(inline)]
pub use twistbase_export as export;
#[doc(inline)]
pub use twistbase_farm as farm;
#[cfg(feature = "serve")]
#[doc(inline)]
pub use twistbase_http as http;
#[doc(inline)]
pub use twistbase_picture as picture;
#[doc(inline)]
pub use twistbase_puzzle as puzzle;
#[doc(inline)]
pub use twistbase_query as query;
#[doc(inline)]
pub use twistbase_solve as solve;
#[doc(inline)]
pub use twistbase_store as store;
#[doc(inline)]
pub use twistbase_tables as tables;

pub use context::Context;
pub use database::{
    Answer, Cube3, Database, Detail, Puzzle, PuzzlePosition, Question, QuestionMetric, RandomRequest, SearchBudget,
    Shortfall, Solution, SolveEvent, SolveMethod, SolveOutcome, SolveRequest, Solved, Square1, TableId,
};
pub use error::{Error, Result};
pub use puzzle::cube2::Cube2Position;
pub use puzzle::cube3::{Cube as Cube3Position, Metric};
pub use puzzle::square1::Position as Square1Position;
pub use query::{Distance, MiddleGoal, Square1Table};
pub use store::Store;
pub use tables::BuildRequest;
pub use twistbase_levelset::Kernel;
