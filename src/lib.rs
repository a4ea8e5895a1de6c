//! twistbase: an embedded database of puzzle states.
//!
//! It generates complete level databases and pruning tables of twisty puzzles, keeps them in [redb], and answers for
//! any position: how far is it, what does each move do to the distance, what are all its shortest solutions. Its
//! solvers read the same tables.
//!
//! # Layers
//! Dependencies point downward only.
//!
//! | layer | what |
//! |---|---|
//! | `export` | tables as Parquet, CSV, JSON Lines or raw bytes, and back |
//! | [`solve`] | searches guided by tables: the two-phase solver of the Rubik's cube |
//! | [`query`] | distances, moves and solutions, over any reader of a table |
//! | [`cache`], [`store`] | mapped files ([`cache`] alone knows mmap), redb files ([`store`] alone knows redb) |
//! | [`tables`] | the registry: what each table is, how it is built, what must come out |
//! | `levelset` | bit-parallel breadth-first search; knows no puzzle |
//! | [`puzzle`] | models, coordinates, notations |
//! | `math`, `hash`, `simd` | permutations, small groups, packed nibbles and digits; hash tables; what a processor can do |
//!
//! # Features
//! `default-features = false` is the library alone. `export` (default) adds Parquet, CSV, JSON Lines and raw bytes; `cli`
//! (default) is what the program needs.
//!
//! # From nothing to an answer
//! [`tables::build`] fills a [`store::Store`]; [`query::Square1Table`] answers. The example of [`query::Square1Table`]
//! does both with a table that is built in a few milliseconds.
//!
//! ```no_run
//! use twistbase::cache::{CacheMode, CachedTable};
//! use twistbase::puzzle::square1::notation::parse_position;
//! use twistbase::query::{MiddleGoal, Square1Table};
//! use twistbase::store::Store;
//! use twistbase::tables::{self, Definition};
//!
//! # fn main() -> twistbase::error::Result<()> {
//! let store = Store::open("/var/lib/twistbase"); // after `twistbase build square1`
//! let definition = tables::find_twists("square1")?;
//! let entries = CachedTable::open(&store, definition.layout(), CacheMode::OnDemand)?;
//! let table = Square1Table::over(definition, entries);
//! let position = parse_position("13A8DEF2-70964B5C", table.colouring())?.position;
//! println!("{} twists", table.distance(&position, MiddleGoal::Square)?);
//! # Ok(())
//! # }
//! ```
//!
//! [redb]: https://docs.rs/redb
#![warn(missing_docs)]
#![warn(unsafe_op_in_unsafe_fn)]
#![deny(unsafe_code)]

#[cfg(test)]
#[path = "../tests/support/fuzz.rs"]
mod fuzz;

pub mod cache;
pub mod context;
pub mod cosets;
pub mod database;
pub mod error;
#[cfg(feature = "export")]
pub mod export;
mod hash;
mod levelset;
mod math;
pub mod puzzle;
pub mod query;
mod simd;
pub mod solve;
pub mod store;
pub mod tables;

pub use database::{Database, TableId};
pub use error::{Error, Result};
pub use levelset::Kernel;
pub use puzzle::square1::Position;
pub use query::{Distance, MiddleGoal, Square1Table};
pub use store::Store;

/// What the benches measure. No part of the interface: it changes without notice.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::levelset::{Block, SlotMove};
    pub use crate::math::perm8::{PERMUTATIONS, Relabelling, unrank};
    pub use crate::math::square::D4;
}
