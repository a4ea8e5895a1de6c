//! Puzzles and tables by name.

use std::sync::Arc;

use super::defined::DefinedPuzzle;
use super::puzzle::Puzzle;
use super::puzzle_info::{CUBE2, CUBE3, PuzzleInfo};
use super::{Database, TableArrays, TableId, puzzle_name};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::spelling;
use twistbase_definition::PuzzleDefinition;
use twistbase_puzzle::cube3::Metric;
use twistbase_tables::{self as tables, Definition};

impl Database {
    /// The puzzle with a [name](Self::find_puzzle).
    ///
    /// # Errors
    /// [`Error::Usage`] that names the nearest puzzles.
    pub fn puzzle(&self, name: &str) -> Result<Box<dyn Puzzle>> {
        Ok(match Self::find_puzzle(name)?.puzzle {
            CUBE3 => Box::new(self.cube3()),
            CUBE2 => Box::new(DefinedPuzzle::new(self, [Metric::Htm, Metric::Qtm].map(tables::cube2).into())),
            name => match tables::defined_tables().find(|table| table.puzzle() == name) {
                Some(table) => Box::new(DefinedPuzzle::new(self, vec![table])),
                None => Box::new(self.square1(name)?),
            },
        })
    }

    /// The information about a puzzle, by its name or another usual name: `3x3`, `Rubik's cube`, `sq1`. Ignores case and signs.
    ///
    /// # Errors
    /// [`Error::Usage`] that names the nearest puzzles.
    pub fn find_puzzle(name: &str) -> Result<&'static PuzzleInfo> {
        puzzle_name::find(name).ok_or_else(|| Error::Usage(Self::unknown_puzzle(name)))
    }

    /// The error for an unknown name; it names the nearest puzzles. A puzzle without a table is solved by search.
    #[doc(hidden)]
    pub fn unknown_puzzle(name: &str) -> String {
        Self::known_without_table(name).unwrap_or_else(|| spelling::unknown("puzzle", name, Self::puzzles()))
    }

    /// The error for a puzzle that is known by name but has no table, also for `4x4` for `4x4x4`.
    #[doc(hidden)]
    pub fn known_without_table(name: &str) -> Option<String> {
        let name = name.to_ascii_lowercase();
        let cube = name.split_once('x').filter(|(width, height)| width == height);
        let cube = cube.map(|(width, _)| format!("{name}x{width}"));
        let known = [Some(name), cube].into_iter().flatten().find(|name| PuzzleDefinition::named(name).is_some())?;
        let goals: Vec<&str> = tables::goals_of(&known).map(Definition::name).collect();
        let but = match goals.len() {
            0 => String::new(),
            1 => format!(", but {} has", goals[0]),
            _ => format!(", but {} have", goals.join(", ")),
        };
        Some(format!(
            "{known} has no table{but}; 'puzzle solve {known}' searches for solutions, 'puzzle add {known}' makes a table if \
             the positions fit"
        ))
    }

    /// The names of all puzzles.
    pub fn puzzles() -> impl Iterator<Item = &'static str> + Clone {
        Self::puzzle_infos().map(|info| info.puzzle)
    }

    /// The information about all puzzles. Goals have tables like puzzles, but are questions about their
    /// puzzle; those of a puzzle that is too large for a table are puzzles of their own.
    pub fn puzzle_infos() -> impl Iterator<Item = &'static PuzzleInfo> + Clone {
        PuzzleInfo::all().iter().filter(|info| !info.is_goal)
    }

    /// A table, complete or built to a depth, for many positions at once. It stays open, and reopens after a rebuild.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`](twistbase_cache::CachedTable::open_to_depth); those of a build, if the database
    /// [builds missing tables](Database::building_missing).
    pub fn table_arrays(&self, table: TableId, ctx: &Context) -> Result<Arc<TableArrays>> {
        self.build_missing(&[table], ctx)?;
        let open = || TableArrays::open(self.store(), self.cache_mode(), table);
        self.arrays.get(self.editions(&[table]), table, ctx, open)
    }
}
