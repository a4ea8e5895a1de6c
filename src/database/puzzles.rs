//! Puzzles and tables by name.

use std::sync::Arc;

use super::defined::DefinedPuzzle;
use super::large::LargePuzzle;
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
        let info = Self::find_puzzle(name)?;
        Ok(match info.puzzle {
            CUBE3 => Box::new(self.cube3()),
            CUBE2 => Box::new(DefinedPuzzle::new(self, [Metric::Htm, Metric::Qtm].map(tables::cube2).into())),
            _ if !info.has_table => Box::new(DefinedPuzzle::large(self, LargePuzzle::of(info))),
            name => match tables::defined_tables().find(|table| table.puzzle() == name) {
                Some(table) => Box::new(DefinedPuzzle::new(self, vec![table])),
                None => Box::new(self.square1(name)?),
            },
        })
    }

    /// A puzzle that has only a definition, under a name: a search answers. Nothing is added to the database.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_definition as definition; pub use twistbase_database::*; }
    /// use twistbase::definition::PuzzleDefinition;
    /// use twistbase::{Database, Question, context::Context};
    ///
    /// let row = PuzzleDefinition::parse("Set TILE 4 1\nMove S\nTILE\n2 1 3 4\nEnd\nMove T\nTILE\n2 3 4 1\nEnd\n")?;
    /// let puzzle = Database::in_memory().puzzle_of("row-of-four", row);
    /// let solutions = puzzle.solutions("S T S", &Question::default(), &Context::silent())?;
    /// assert_eq!(solutions.map(|solution| solution.unwrap().moves().to_owned()).collect::<Vec<_>>(), ["S T' S", "T S T"]);
    /// # Ok::<(), twistbase::error::Error>(())
    /// ```
    pub fn puzzle_of(&self, name: &str, definition: PuzzleDefinition) -> Box<dyn Puzzle> {
        let large = LargePuzzle::new(PuzzleInfo::unlisted(name, &definition), definition);
        Box::new(DefinedPuzzle::large(self, large))
    }

    /// The information about a puzzle, by its name or another usual name: `3x3`, `Rubik's cube`, `sq1`. Ignores case and signs. Puzzles
    /// of any size are known by name, though no list has them: `2x3x4`, `pancake-20`, `topspin-20-4`
    /// ([`PuzzleDefinition::named`]).
    ///
    /// # Errors
    /// [`Error::Usage`] that names the nearest puzzles.
    pub fn find_puzzle(name: &str) -> Result<&'static PuzzleInfo> {
        let found = puzzle_name::find(name).or_else(|| PuzzleInfo::known(name));
        found.ok_or_else(|| Error::Usage(Self::unknown_puzzle(name)))
    }

    /// The information about a puzzle of the list, by its name or another usual name.
    #[doc(hidden)]
    pub fn find_listed(name: &str) -> Option<&'static PuzzleInfo> {
        puzzle_name::find(name)
    }

    /// The error for an unknown name; it names the nearest puzzles.
    #[doc(hidden)]
    pub fn unknown_puzzle(name: &str) -> String {
        spelling::unknown("puzzle", name, Self::puzzles())
    }

    /// The error for a puzzle that is known by name but has no table, also for `4x4` for `4x4x4`.
    #[doc(hidden)]
    pub fn known_without_table(name: &str) -> Option<String> {
        let known = Self::find_puzzle(name).ok().filter(|info| !info.has_table)?.puzzle;
        let goals: Vec<&str> = tables::goals_of(known).map(Definition::name).collect();
        let but = match goals.len() {
            0 => String::new(),
            1 => format!(", but {} has", goals[0]),
            _ => format!(", but {} have", goals.join(", ")),
        };
        Some(format!(
            "{known} has no table{but}; query and solve search for its solutions, 'puzzle add {known} --name NAME' makes a \
             table if the positions fit"
        ))
    }

    /// The names of all puzzles.
    pub fn puzzles() -> impl Iterator<Item = &'static str> + Clone {
        Self::puzzle_infos().map(|info| info.puzzle)
    }

    /// The information about all puzzles. Goals have tables like puzzles, but are questions about their puzzle.
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
