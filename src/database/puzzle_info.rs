//! The list of puzzles, and the options of each.

use std::sync::{PoisonError, RwLock};

use serde::Serialize;

use super::{cube3, square1};
use twistbase_core::error::{Error, Result};
use twistbase_definition::{Geometry, PuzzleDefinition, PuzzleSpace};
use twistbase_tables::{self as tables, DefinedTable, Definition};

/// The name of the Rubik's cube.
pub const CUBE3: &str = "cube3";
/// The name of the 2×2×2 cube.
pub const CUBE2: &str = "cube2";

/// A puzzle and its options: `schema/json/puzzle.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PuzzleInfo {
    /// Its name.
    pub puzzle: &'static str,
    /// Its name to show to people.
    pub title: &'static str,
    /// The solved position.
    pub solved: &'static str,
    /// Its metrics, the default first.
    pub metrics: &'static [&'static str],
    /// More metrics, for solvers only.
    pub solve_metrics: &'static [&'static str],
    /// Its solving methods, if there is a choice.
    pub methods: &'static [&'static str],
    /// Its goals other than solved, by the names of [`Question::goal`](super::Question::goal).
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::{Context, Database, Question};
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let cube = Database::open(folder.path())?.building_missing(true).puzzle("cube3")?;
    /// let cross = Question { goal: Some("cross:any".to_owned()), ..Question::default() };
    /// let answer = cube.query("R U F2 D L2 B' R", &cross, &Context::silent())?;
    /// assert_eq!(answer.distance(), Some(4));
    /// assert!(Database::find_puzzle("cube3")?.goals.contains(&"cross"));
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    pub goals: &'static [&'static str],
    /// Whether a question can name a table.
    pub chooses_table: bool,
    /// Whether it changes its shape.
    pub has_shapes: bool,
    /// Whether it has pictures. The page shows puzzles with pictures.
    pub has_pictures: bool,
    /// Whether its positions have a table. Else a search answers.
    pub has_table: bool,
    /// Whether it is a goal of another one: it has a table like a puzzle, but is a question about that one.
    #[serde(skip)]
    pub(super) is_goal: bool,
}

/// The information about all puzzles, once it was requested, and how many of them are data with a table. A longer list replaces it
/// when puzzles are added.
static KNOWN: RwLock<(usize, &'static [PuzzleInfo])> = RwLock::new((0, &[]));

/// The information about puzzles that are in no list, once it was requested: boxes, stacks and rings of any size, and those of files.
static UNLISTED: RwLock<Vec<&'static PuzzleInfo>> = RwLock::new(Vec::new());

impl PuzzleInfo {
    /// The puzzles that are written in code.
    const CODED: [Self; 5] = [
        Self::square1("cube21", "Cube21"),
        Self::square1("square1", "Square-1"),
        Self::square1("square1-corners", "Square-1, corners alone"),
        Self::cube(
            CUBE3,
            "Rubik's cube",
            "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB",
            &["auto", "two-phase", "optimal", "phase2"],
        ),
        Self::cube(CUBE2, "2×2×2 cube", "UUUURRRRFFFFDDDDLLLLBBBB", &[]),
    ];

    /// All puzzles.
    pub(super) fn all() -> &'static [Self] {
        let defined = tables::defined_tables();
        let count = defined.clone().count();
        let known = *KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        if known.0 == count {
            return known.1;
        }
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let goals_of =
            |puzzle| &*cube3::goal::names(puzzle).chain(square1::goal::names(puzzle)).collect::<Vec<_>>().leak();
        let with_goals = |info: Self| Self { goals: goals_of(info.puzzle), ..info };
        let coded = Self::CODED.into_iter().map(with_goals);
        let coded: Vec<Self> = coded.chain(defined.map(Self::defined)).collect();
        let has_table = |name: &str| coded.iter().any(|info| info.puzzle == name);
        let large = Geometry::names().filter(|name| !has_table(name)).map(|name| Self {
            puzzle: name,
            title: Geometry::title_of(name).unwrap_or(name),
            goals: PuzzleDefinition::goal_names_of(name).collect::<Vec<_>>().leak(),
            has_pictures: true,
            ..Self::LARGE
        });
        *known = (count, coded.iter().copied().chain(large).collect::<Vec<_>>().leak());
        known.1
    }

    /// A puzzle of the list.
    pub(super) fn of(puzzle: &str) -> &'static Self {
        Self::all().iter().find(|info| info.puzzle == puzzle).expect("a puzzle of the list")
    }

    /// Whether a puzzle is in the list.
    pub(super) fn is_listed(puzzle: &str) -> bool {
        Self::all().iter().any(|info| info.puzzle == puzzle)
    }

    /// A puzzle that is in no list, but known by name: a box, a stack of pancakes, or a ring.
    pub(super) fn known(name: &str) -> Option<&'static Self> {
        let name = &name.to_ascii_lowercase();
        let known =
            UNLISTED.read().unwrap_or_else(PoisonError::into_inner).iter().find(|info| info.puzzle == name).copied();
        known.or_else(|| PuzzleDefinition::named(name).map(|definition| Self::unlisted(name, &definition)))
    }

    /// The information about a puzzle that is in no list.
    pub(super) fn unlisted(name: &str, definition: &PuzzleDefinition) -> &'static Self {
        let has_pictures = !definition.geometry.is_empty();
        let goals: Vec<&str> = definition.goals.iter().map(|goal| goal.name.as_str()).collect();
        let is_it = |info: &Self| info.puzzle == name && info.has_pictures == has_pictures && info.goals == goals;
        let mut known = UNLISTED.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.iter().find(|info| is_it(info)) {
            return known;
        }
        let name: &'static str = name.to_owned().leak();
        let goals = goals.into_iter().map(|goal| &*goal.to_owned().leak()).collect::<Vec<_>>().leak();
        let info = Box::leak(Box::new(Self { puzzle: name, title: name, goals, has_pictures, ..Self::LARGE }));
        known.push(info);
        info
    }

    /// A puzzle with pictures and without choices.
    const PLAIN: Self = Self {
        puzzle: "",
        title: "",
        solved: "",
        metrics: &[],
        solve_metrics: &[],
        methods: &[],
        goals: &[],
        chooses_table: false,
        has_shapes: false,
        has_pictures: true,
        has_table: true,
        is_goal: false,
    };

    /// A puzzle that is data and has no table.
    const LARGE: Self =
        Self { solved: PuzzleSpace::SOLVED, metrics: &["moves"], has_pictures: false, has_table: false, ..Self::PLAIN };

    /// A puzzle of the Square-1 family.
    const fn square1(puzzle: &'static str, title: &'static str) -> Self {
        let (solved, metrics, solve_metrics) = ("01234567-89ABCDEF-", &["twists", "wca"], &["face"]);
        Self { puzzle, title, solved, metrics, solve_metrics, has_shapes: true, ..Self::PLAIN }
    }

    /// A cube. Only the Rubik's cube has several tables.
    const fn cube(
        puzzle: &'static str,
        title: &'static str,
        solved: &'static str,
        methods: &'static [&'static str],
    ) -> Self {
        let (metrics, chooses_table) = (&["htm", "qtm"], !methods.is_empty());
        Self { puzzle, title, solved, metrics, methods, chooses_table, ..Self::PLAIN }
    }

    /// A puzzle that is data.
    fn defined(table: &'static DefinedTable) -> Self {
        Self {
            puzzle: table.puzzle(),
            title: table.title(),
            solved: PuzzleSpace::SOLVED,
            metrics: &["moves"],
            has_pictures: table.has_geometry(),
            goals: goals_of(table),
            is_goal: table.cube_goal().is_some() || table.puzzle_goal().is_some(),
            ..Self::PLAIN
        }
    }
}

/// The goals of a puzzle that is data. Those that come with the program are known before its definition is read.
fn goals_of(table: &'static DefinedTable) -> &'static [&'static str] {
    match table.is_shipped() {
        true => PuzzleDefinition::goal_names_of(table.puzzle()).collect::<Vec<_>>().leak(),
        false => table.definition().goals.iter().map(|goal| goal.name.as_str()).collect::<Vec<_>>().leak(),
    }
}

/// The name of a puzzle in errors: "the puzzle cube3".
pub(super) fn noun(puzzle: &str) -> String {
    format!("the puzzle {puzzle}")
}

/// The same of questions with a goal.
pub(super) fn noun_with_goal(puzzle: &str) -> String {
    format!("{} with a goal", noun(puzzle))
}

/// The error of a goal that a puzzle does not have.
pub(super) fn no_goal(puzzle: &str, goal: &str) -> Error {
    let all = PuzzleInfo::of(puzzle).goals.join(", ");
    Error::Usage(format!("there is no goal {goal:?} of {puzzle}; choose from: {all}"))
}

/// Rejects given options outside `own`.
pub(super) fn refuse_foreign(of: &str, options: &[(&'static str, bool)], own: &[&str]) -> Result<()> {
    let foreign = options.iter().filter(|(name, is_given)| *is_given && !own.contains(name)).map(|&(name, _)| name);
    let options: Vec<&'static str> = foreign.collect();
    if options.is_empty() { Ok(()) } else { Err(Error::ForeignOptions { options, of: of.to_owned() }) }
}
