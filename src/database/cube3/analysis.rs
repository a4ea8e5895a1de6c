//! Numbers about a scramble for people who solve for fewest moves: bad pieces, and the distances to goals from every side.

use serde::{Serialize, Serializer};

use super::Cube3;
use super::choice::TableChoice;
use super::exact::ExactSearcher;
use super::goal::{ANY_SIDE, Goal, KnownGoal, SIDES};
use crate::answers::FromSolved;
use crate::position::PuzzlePosition;
use crate::puzzle::{Detail, Question};
use crate::puzzle_info::CUBE3;
use crate::solving::{ExactSearch, SearchBudget};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::{Cube, Face, Metric, Symmetry};

/// The goals, in the order in which people reach them.
const GOALS: [&str; 9] =
    ["eo", "dr", "dr-from-eo", "htr-from-dr", "half-turns", "co", "cross", "roux-block", "block-222"];

/// What to find besides the distances to goals.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalysisRequest {
    /// Searches for a shortest solution, within this budget.
    pub optimal: Option<SearchBudget>,
    /// Analyses many positions in parallel: a search then takes one thread.
    pub many: bool,
}

/// A value for each side that a goal is seen from: `UD`, `FB` and `RL`, or `D`, or `DBL`. As JSON an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BySide<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for BySide<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(side, value)| (side, value)))
    }
}

/// The numbers of a position: `schema/json/analysis.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CubeAnalysis {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The metric of distances.
    pub metric: &'static str,
    /// For each axis, the edges that need quarter turns of its faces. The inverse has as many.
    pub bad_edges: BySide<usize>,
    /// For each axis, the corners without a sticker of its faces on them. The inverse has as many.
    pub bad_corners: BySide<usize>,
    /// The distances to goals.
    pub goals: Vec<GoalDistances>,
    /// The distance from solved, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimal: Option<OptimalLength>,
}

/// The distances to a goal from each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoalDistances {
    /// The goal: `dr` is domino reduction by all moves.
    pub goal: &'static str,
    /// Of the position; `None` where the moves of the goal do not lead to it.
    pub normal: BySide<Option<u8>>,
    /// Of its inverse.
    pub inverse: BySide<Option<u8>>,
}

impl GoalDistances {
    /// The least distance, from any side, of the position or of its inverse.
    pub fn least(&self) -> Option<u8> {
        self.normal.0.iter().chain(&self.inverse.0).filter_map(|(_, distance)| *distance).min()
    }
}

/// The distance from solved, as far as a search found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptimalLength {
    /// The distance, or a lower bound.
    #[serde(flatten)]
    pub from_solved: FromSolved,
    /// A shortest solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solution: Option<String>,
}

/// Opened tables that analyse positions.
#[derive(Debug)]
pub struct CubeAnalyzer {
    goals: Vec<SeenGoal>,
    optimal: Option<ExactSearcher>,
}

/// A goal, with the ways to see it and the name of the side that each is from.
#[derive(Debug)]
struct SeenGoal {
    name: &'static str,
    views: Vec<(Symmetry, String)>,
    goal: KnownGoal,
}

impl SeenGoal {
    fn open(cube: &Cube3, name: &'static str, ctx: &Context) -> Result<Self> {
        let goal = KnownGoal::new(Goal::open(cube.goals(), name, Some(ANY_SIDE), Metric::Htm, ctx)?);
        let mut views: Vec<_> = goal.views.iter().map(|&view| (view, goal.faces(view))).collect();
        let place = |face: &Face| SIDES.iter().position(|side| side == face);
        views.sort_by_key(|(_, faces)| faces.iter().map(place).collect::<Vec<_>>());
        let named = |(view, faces): (_, Vec<Face>)| (view, faces.into_iter().map(Face::letter).collect());
        Ok(Self { name, views: views.into_iter().map(named).collect(), goal })
    }

    /// The distances of a cube. A side has the least of the ways to see the goal from it.
    fn distances(&self, cube: &Cube) -> Result<BySide<Option<u8>>> {
        let mut sides: Vec<(String, Option<u8>)> = Vec::new();
        for (view, side) in &self.views {
            let distance = self.goal.seen_from(*view, cube)?.map(|seen| seen.distance.moves());
            match sides.last_mut().filter(|(last, _)| last == side) {
                Some((_, least)) => *least = least.iter().copied().chain(distance).min(),
                None => sides.push((side.clone(), distance)),
            }
        }
        Ok(BySide(sides))
    }

    /// Numbers of the cube as it is seen from each side.
    fn count(&self, cube: &Cube, count: impl Fn(&Cube) -> usize) -> BySide<usize> {
        BySide(self.views.iter().map(|(view, side)| (side.clone(), count(&view.of(cube)))).collect())
    }
}

impl Cube3 {
    /// Opens the tables that analyse positions.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::database::{AnalysisRequest, Puzzle};
    /// use twistbase::{Context, Database};
    ///
    /// let (folder, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
    /// let cube = Database::open(folder.path())?.building_missing(true).cube3();
    /// let analyzer = cube.analyzer(AnalysisRequest::default(), &ctx)?;
    /// let analysis = analyzer.analyze(&cube.read("R U F")?, "R U F", &ctx)?;
    /// let eo = analysis.goals.iter().find(|goal| goal.goal == "eo").unwrap();
    /// assert_eq!(eo.normal.0, [("UD", Some(2)), ("FB", Some(1)), ("RL", Some(3))].map(|(side, moves)| (side.to_owned(), moves)));
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of opening the tables, and of a build if the database [builds missing tables](crate::Database::building_missing).
    pub fn analyzer(&self, request: AnalysisRequest, ctx: &Context) -> Result<CubeAnalyzer> {
        let goals = GOALS.map(|name| SeenGoal::open(self, name, ctx)).into_iter().collect::<Result<_>>()?;
        let search = |budget| {
            let detail = if request.many { Detail::Brief } else { Detail::Full };
            let question = Question { exact: Some(ExactSearch::Within(budget)), detail, ..Question::default() };
            ExactSearcher::open(self, TableChoice::Built(Metric::Htm), &question, ctx)
        };
        Ok(CubeAnalyzer { goals, optimal: request.optimal.map(search).transpose()?.flatten() })
    }
}

impl CubeAnalyzer {
    /// The numbers of a position, reported as `input`. An interrupt of the search leaves a lower bound.
    ///
    /// # Errors
    /// Those of the tables; [`Error::Usage`](twistbase_core::error::Error::Usage) for a position of another puzzle.
    pub fn analyze(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<CubeAnalysis> {
        let cube = position.of_cube3()?;
        let inverse = cube.inverse();
        let distances = |goal: &SeenGoal| {
            let (normal, inverse) = (goal.distances(cube)?, goal.distances(&inverse)?);
            Ok(GoalDistances { goal: goal.name, normal, inverse })
        };
        let named = |name| self.goals.iter().find(|goal| goal.name == name).expect("one of the goals");
        let turned = |orientations: &[u8]| orientations.iter().filter(|&&orientation| orientation != 0).count();
        let search = |searcher: &ExactSearcher| -> Result<OptimalLength> {
            let found = searcher.search(cube, ctx)?;
            Ok(OptimalLength { from_solved: found.from_solved, solution: found.solution })
        };
        Ok(CubeAnalysis {
            input: input.to_owned(),
            puzzle: CUBE3,
            metric: Metric::Htm.name(),
            bad_edges: named("eo").count(cube, |cube| turned(cube.edge_orientations())),
            bad_corners: named("co").count(cube, |cube| turned(cube.corner_orientations())),
            goals: self.goals.iter().map(distances).collect::<Result<_>>()?,
            optimal: self.optimal.as_ref().map(search).transpose()?,
        })
    }
}
