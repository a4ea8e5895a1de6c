//! What is told of positions of the Rubik's cube: answers, solutions and positions, as values and as JSON.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize, Serializer};

use crate::TableId;
use crate::metric::BoundInMetric;
use crate::puzzle_info::CUBE3;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::notation::{FaceletOrder, facelets, reid};
use twistbase_puzzle::cube3::{Centres, Cube, Metric, Move};
use twistbase_solve::Stopped;

/// What is known about a position of the cube. As JSON: `schema/json/query-cube3.json`.
#[derive(Debug, Clone)]
pub struct Cube3Answer {
    /// The position as it was given.
    pub input: String,
    /// The position, of the cube as it is held.
    pub position: Cube,
    /// The centres: how it is held.
    pub centres: Centres,
    /// The order of the facelets in the input.
    pub order: FaceletOrder,
    /// The turns of the whole cube that were made first, where there were any.
    pub turned: Option<String>,
    /// The same as a position of phase 2, if it is in H.
    pub h_position: Option<PhaseTwoPosition>,
    /// How moves are counted.
    pub metric: Metric,
    /// The tables that were asked.
    pub tables: ArrayVec<&'static str, 5>,
    /// The one table that was named.
    pub only: Option<TableId>,
    /// What the tables say about how far it is.
    pub distances: CubeDistances,
    /// How far it is by all moves, if that was searched for.
    pub exact: Option<ExactReport>,
    /// The number of shortest solutions by moves of H.
    pub solutions: Option<u64>,
    /// What each of the eighteen moves does.
    pub moves: Option<Vec<FaceTurnReport>>,
}

/// [`Cube3Answer`] as JSON: what is costly to write is written only here.
#[derive(Serialize)]
struct Cube3AnswerWire<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    #[serde(flatten)]
    distances: CubeDistances,
    in_h: bool,
    #[serde(flatten)]
    position: CubeText,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned: Option<&'a str>,
    tables: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<&'a ExactReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<&'a [FaceTurnReport]>,
}

impl Serialize for Cube3Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let wire = Cube3AnswerWire {
            input: &self.input,
            puzzle: CUBE3,
            metric: self.metric.name(),
            distances: self.distances,
            in_h: self.h_position.is_some(),
            position: CubeText::new(&self.position),
            order: self.order.unusual().map(|order| order.to_string()),
            turned: self.turned.as_deref(),
            tables: &self.tables,
            exact: self.exact.as_ref(),
            solutions: self.solutions,
            moves: self.moves.as_deref(),
        };
        wire.serialize(serializer)
    }
}

/// What the tables say about how far a position is, in moves. What no table says is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CubeDistances {
    /// Exactly to solved, by moves of H.
    pub distance: Option<u8>,
    /// Exactly to H.
    pub to_h: Option<u8>,
    /// At least to solved by moves of H: exactly in H'.
    pub bound: Option<u8>,
    /// At least to solved: exactly to the subgroup of the huge table.
    pub huge: Option<u8>,
    /// At least to solved: what a pruning table says about the distance to its subgroup.
    #[serde(rename = "nx")]
    pub pruning: Option<u8>,
    /// What these are more than, where a table was built to a depth.
    #[serde(skip_serializing_if = "Beyond::is_nowhere")]
    pub beyond: Beyond,
}

impl CubeDistances {
    /// The only one that is known.
    pub fn only(&self) -> Option<u8> {
        self.distance.or(self.to_h).or(self.bound).or(self.huge).or(self.pruning)
    }
}

/// The depth of each table that a position is beyond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Beyond {
    /// Of the table of exact distances in H.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u8>,
    /// Of the table of distances to H.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_h: Option<u8>,
    /// Of the table of distances in H'.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u8>,
}

impl Beyond {
    fn is_nowhere(&self) -> bool {
        *self == Self::default()
    }
}

/// What a move does.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FaceTurnReport {
    /// The move.
    #[serde(serialize_with = "as_text")]
    pub r#move: Move,
    /// How far the position then is.
    #[serde(flatten)]
    pub distances: CubeDistances,
}

fn as_text<S: Serializer>(turn: &Move, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(turn)
}

/// A shortest solution by moves of H.
#[derive(Debug, Clone, Serialize)]
pub struct HSolution {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// Its moves.
    pub length: usize,
    /// How they are counted.
    pub metric: &'static str,
    /// The moves.
    pub solution: String,
}

/// How far a position is from solved by all moves of the cube. As JSON: `exact` in `schema/json/query-cube3.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExactReport {
    /// The fewest moves that solve it, if the search came so far.
    pub distance: Option<u8>,
    /// It is at least so far: the distance itself, where that is known.
    pub at_least: u8,
    /// A shortest solution, where the distance is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solution: Option<String>,
    /// The moves that begin a shortest solution, if all of these have been found.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_texts")]
    pub nearer: Option<Vec<Move>>,
    /// The table that guided the search.
    pub table: &'static str,
}

impl ExactReport {
    /// The bound that is all that is known, in the metric of the question, where the distance is not.
    pub fn only_bound(&self, metric: Metric) -> Option<BoundInMetric> {
        self.distance.is_none().then(|| BoundInMetric { at_least: self.at_least, metric: metric.into() })
    }
}

fn as_texts<S: Serializer>(moves: &Option<Vec<Move>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(moves.iter().flatten().map(|turn| turn.to_string()))
}

/// A solution that was searched for: `schema/json/solution-cube3.json`.
#[derive(Debug, Clone, Serialize)]
pub struct TwoPhaseSolution {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The number of moves.
    pub length: usize,
    /// How they are counted.
    pub metric: &'static str,
    /// The moves.
    pub solution: String,
    /// Where the solution leads instead of solved, as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// "auto", "two-phase" or "phase2".
    pub method: &'static str,
    /// The tables that were asked.
    pub tables: Vec<&'static str>,
    /// Nodes visited when it was found, or at the end.
    pub nodes: u64,
    /// Seconds by then.
    pub seconds: f64,
    /// The proof about the length, in the final record of the method auto.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub proof: Option<LengthProof>,
    /// Why the search ended, once it has.
    pub stopped: Option<SearchEnd>,
    /// Whether the search has ended, and this is the shortest that it found.
    pub r#final: bool,
}

/// What a search proved about the length of its best solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LengthProof {
    /// No solution has fewer moves.
    pub at_least: u8,
    /// Whether the solution has this length: it is a shortest one.
    pub optimal: bool,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchEnd {
    /// The solution is as short as was asked for.
    Target,
    /// There is no shorter one.
    Shortest,
    /// A budget is spent.
    Budget,
    /// It was interrupted.
    Interrupted,
}

impl From<Stopped> for SearchEnd {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Target => Self::Target,
            Stopped::Shortest => Self::Shortest,
            Stopped::Budget => Self::Budget,
            Stopped::Interrupted => Self::Interrupted,
        }
    }
}

/// A solution of an optimal search: `schema/json/optimal-cube3.json`.
#[derive(Debug, Clone, Serialize)]
pub struct OptimalSolution {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The number of moves.
    pub length: usize,
    /// How they are counted.
    pub metric: &'static str,
    /// The moves.
    pub solution: String,
    /// Where the solution leads instead of solved, as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// "optimal".
    pub method: &'static str,
    /// The number of the solution, from 1.
    pub number: u64,
    /// Seconds until it was found.
    pub seconds: f64,
}

/// What an optimal search found out: `schema/json/optimal-cube3.json`.
#[derive(Debug, Clone, Serialize)]
pub struct OptimalSummary {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// How moves are counted.
    pub metric: &'static str,
    /// Where the solutions lead instead of solved, as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// "optimal".
    pub method: &'static str,
    /// The pruning table.
    pub table: &'static str,
    /// The length of the shortest solutions, if one was found.
    pub length: Option<u8>,
    /// There is no solution of fewer moves.
    pub at_least: u8,
    /// Solutions that were found.
    pub solutions: u64,
    /// Whether they are all that were asked for: a limit on their number leaves that open.
    pub complete: bool,
    /// Solutions that are symmetric to each other are all listed.
    pub symmetric_copies: bool,
    /// Nodes visited.
    pub nodes: u64,
    /// Look-ups made in the table; lost where the search was interrupted.
    pub look_ups: Option<u64>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// The answer to a line of a batch, as JSON and as a line of a result file: `schema/json/optimal-cube3.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimalRecord {
    /// The number of the line among those that are neither blank nor comments, from 1.
    pub number: u64,
    /// The line.
    pub input: String,
    /// What was asked.
    #[serde(flatten)]
    pub asked: OptimalQuestion,
    /// The pruning table.
    pub table: String,
    /// The length of the shortest solutions, if one was found.
    pub length: Option<u8>,
    /// One of them.
    pub solution: Option<String>,
    /// There is no solution of fewer moves.
    pub at_least: u8,
    /// Solutions that were found.
    pub solutions: u64,
    /// All of them, where more than one was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub found: Option<Vec<String>>,
    /// Whether the solutions are all that were asked for.
    pub complete: bool,
    /// Nodes visited.
    pub nodes: u64,
    /// Look-ups made in the table.
    pub look_ups: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What was asked about each line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptimalQuestion {
    /// The puzzle.
    pub puzzle: String,
    /// How moves are counted.
    pub metric: String,
    /// Where solutions lead instead of solved, as it was given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// How it is solved.
    pub method: String,
    /// Up to how many moves more than the shortest all solutions were wanted; `null` for one solution.
    pub extra: Option<u8>,
    /// At most so many solutions.
    pub limit: Option<u64>,
}

/// A position in the notations for positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CubeText {
    /// The 54 facelets.
    pub facelets: String,
    /// The cubies in Reid's order.
    pub reid: String,
}

impl CubeText {
    /// Writes a position.
    pub fn new(position: &Cube) -> Self {
        Self { facelets: facelets::print(position), reid: reid::print(position) }
    }
}

/// A position of the cube in all notations: `schema/json/random-cube3.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube3PositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The position, written.
    #[serde(flatten)]
    pub position: CubeText,
    /// Whether it is in H = ⟨U, D, R2, F2, L2, B2⟩.
    pub in_h: bool,
    /// The moves that lead there, of a walk or a scramble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

impl Cube3PositionReport {
    pub(crate) fn new(position: &Cube, moves: Option<String>) -> Self {
        Self { puzzle: CUBE3, position: CubeText::new(position), in_h: position.is_in_h(), moves }
    }
}
