//! What questions are put to: every puzzle by its name, and every table.

use std::sync::Arc;

use super::puzzle::Puzzle;
use super::puzzle_info::{CUBE2, CUBE3, PuzzleInfo};
use super::{Database, TableArrays, TableId, puzzle_name};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};

impl Database {
    /// The puzzle of a [name](Self::find_puzzle).
    ///
    /// # Errors
    /// [`Error::Usage`] naming the puzzles there are.
    pub fn puzzle(&self, name: &str) -> Result<Box<dyn Puzzle>> {
        Ok(match Self::find_puzzle(name)?.puzzle {
            CUBE3 => Box::new(self.cube3()),
            CUBE2 => Box::new(self.cube2()),
            name => Box::new(self.square1(name)?),
        })
    }

    /// What a puzzle is, by its name or another that people type: `3x3`, `Rubik's cube`, `sq1`. Case and signs do not matter.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the puzzles there are.
    pub fn find_puzzle(name: &str) -> Result<&'static PuzzleInfo> {
        puzzle_name::find(name).ok_or_else(|| Error::Usage(Self::unknown_puzzle(name)))
    }

    /// That there is no puzzle of a name, and which there are.
    #[doc(hidden)]
    pub fn unknown_puzzle(name: &str) -> String {
        let names: Vec<_> = Self::puzzles().collect();
        format!("there is no puzzle {name:?}; choose from: {}", names.join(", "))
    }

    /// The names of all puzzles.
    pub fn puzzles() -> impl Iterator<Item = &'static str> + Clone {
        Self::puzzle_infos().map(|info| info.puzzle)
    }

    /// All puzzles, for whoever chooses one.
    pub fn puzzle_infos() -> impl Iterator<Item = &'static PuzzleInfo> + Clone {
        PuzzleInfo::ALL.iter()
    }

    /// A table, complete or built to a depth, for questions about many positions at once. It stays open, and is opened again when
    /// it was built again.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`](twistbase_cache::CachedTable::open_to_depth); those of building, where missing tables
    /// [are built](Database::building_missing).
    pub fn table_arrays(&self, table: TableId, ctx: &Context) -> Result<Arc<TableArrays>> {
        self.build_missing(&[table], ctx)?;
        let open = || TableArrays::open(self.store(), self.cache_mode(), table);
        self.arrays.get(self.editions(&[table]), table, ctx, open)
    }
}
