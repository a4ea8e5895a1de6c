//! Answers, solutions and positions of the Rubik's cube, as values and as JSON.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize, Serializer};

use super::{AnswerWire, FromSolved, NextMoveWire};
use crate::TableId;
use crate::metric::BoundInMetric;
use crate::puzzle_info::CUBE3;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::notation::{FaceletOrder, facelets, reid};
use twistbase_puzzle::cube3::{Centres, Cube, Metric, Move};
use twistbase_solve::Stopped;

/// What is known about a position of the cube. As JSON: `schema/json/query.json`.
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
    /// How far it is from solved by all moves of the cube.
    pub from_solved: FromSolved,
    /// What the tables hold about it.
    pub distances: CubeDistances,
    /// What an optimal search found, where one was made.
    pub search: Option<ExactReport>,
    /// The number of shortest solutions by moves of H.
    pub solutions_in_h: Option<u64>,
    /// The results of the eighteen moves.
    pub moves: Option<Vec<FaceTurnReport>>,
}

/// What is particular to an answer about the Rubik's cube, as JSON.
#[derive(Serialize)]
struct Cube3Wire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_with: Option<&'static str>,
    in_h: bool,
    #[serde(flatten)]
    distances: CubeDistances,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions_in_h: Option<u64>,
    #[serde(flatten)]
    text: CubeText,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned: Option<&'a str>,
    tables: &'a [&'static str],
}

impl Serialize for Cube3Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let search = self.search.as_ref();
        let next = |&FaceTurnReport { r#move, from_solved, distances }: &FaceTurnReport| NextMoveWire {
            r#move: r#move.to_string(),
            from_solved,
            own: distances,
        };
        let own = Cube3Wire {
            searched_with: search.map(|search| search.table),
            in_h: self.h_position.is_some(),
            distances: self.distances,
            solutions_in_h: self.solutions_in_h,
            text: CubeText::new(&self.position),
            order: self.order.unusual().map(|order| order.to_string()),
            turned: self.turned.as_deref(),
            tables: &self.tables,
        };
        let wire = AnswerWire {
            input: &self.input,
            puzzle: CUBE3,
            metric: self.metric.name(),
            from_solved: self.from_solved,
            solution: search.and_then(|search| search.solution.as_deref()),
            solutions: search.and_then(|search| search.solutions).map(u128::from),
            own,
            moves: self.moves.as_ref().map(|moves| moves.iter().map(next).collect()),
        };
        wire.serialize(serializer)
    }
}

/// What the tables hold about a position, in moves. H is ⟨U, D, R2, F2, L2, B2⟩.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CubeDistances {
    /// The fewest moves that bring it into H.
    pub to_h: Option<u8>,
    /// The fewest moves of H that solve it, of a position in H. Some positions are nearer by all moves of the cube.
    pub distance_in_h: Option<u8>,
    /// A lower bound of [`Self::distance_in_h`]: the distance in H', which ignores the middle edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_in_h: Option<u8>,
    /// A lower bound of the distance: the distance to the subgroup of the huge table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge: Option<u8>,
    /// A lower bound of the distance, of the pruning table that was named.
    #[serde(rename = "nx", skip_serializing_if = "Option::is_none")]
    pub pruning: Option<u8>,
    /// What these are more than, where a table was built to a depth.
    #[serde(skip_serializing_if = "Beyond::is_nowhere")]
    pub beyond: Beyond,
}

/// The least distance by moves of H, in half turns, of a position that other moves solve in fewer: up to 4 the numbers of positions
/// of H at each distance are the same for both (`tests/cube3/full.rs`).
const NEAREST_DIFFERENCE_IN_H: u8 = 5;

impl CubeDistances {
    /// The only one that is known.
    pub fn only(&self) -> Option<u8> {
        self.distance_in_h.or(self.to_h).or(self.bound_in_h).or(self.huge).or(self.pruning)
    }

    /// How far the position is from solved by all moves, as far as these bounds show it.
    pub(crate) fn shown(&self, position: &Cube, metric: Metric) -> FromSolved {
        let &Self { to_h, distance_in_h, huge, pruning, beyond, .. } = self;
        let in_h = match metric {
            Metric::Htm => distance_in_h.map(|moves| moves.min(NEAREST_DIFFERENCE_IN_H)),
            Metric::Qtm => None,
        };
        let beyond = beyond.to_h.map(|depth| depth + 1);
        let least = u8::from(!position.is_solved());
        let bounds = [in_h, to_h, huge, pruning, beyond].into_iter().flatten();
        FromSolved::between(possible(bounds.fold(least, u8::max), position, metric), distance_in_h)
    }
}

/// The least number from `at_least` on that can be the position's distance: every quarter turn changes the parity.
pub(crate) fn possible(at_least: u8, position: &Cube, metric: Metric) -> u8 {
    match metric {
        Metric::Htm => at_least,
        Metric::Qtm => at_least + u8::from(position.is_odd() != (at_least % 2 == 1)),
    }
}

/// The depth of each table that a position is beyond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Beyond {
    /// Of the table of distances to H.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_h: Option<u8>,
    /// Of the table of exact distances in H.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_in_h: Option<u8>,
    /// Of the table of distances in H'.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_in_h: Option<u8>,
}

impl Beyond {
    fn is_nowhere(&self) -> bool {
        *self == Self::default()
    }
}

/// The result of a move.
#[derive(Debug, Clone, Copy)]
pub struct FaceTurnReport {
    /// The move.
    pub r#move: Move,
    /// How far the position then is from solved.
    pub from_solved: FromSolved,
    /// What the tables hold about it.
    pub distances: CubeDistances,
}

/// A shortest solution, by all moves or by moves of H: `schema/json/solution.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube3Solution {
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

/// What an optimal search found about the distance of a position by all moves of the cube.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactReport {
    /// The distance, or the bound that was reached.
    pub from_solved: FromSolved,
    /// A shortest solution, where the distance is known.
    pub solution: Option<String>,
    /// The number of shortest solutions, if all have been found; of those that differ only in the order of turns of opposite faces
    /// one is counted.
    pub solutions: Option<u64>,
    /// The moves that begin a shortest solution, if all of these have been found.
    pub nearer: Option<Vec<Move>>,
    /// The table that guided the search.
    pub table: &'static str,
}

impl ExactReport {
    /// The bound that is all that is known, in the metric of the question, where the distance is not.
    pub fn only_bound(&self, metric: Metric) -> Option<BoundInMetric> {
        let FromSolved { distance, at_least } = self.from_solved;
        distance.is_none().then(|| BoundInMetric { at_least, metric: metric.into() })
    }
}

impl FromSolved {
    /// The same after a move: `nearer` are the moves that begin a shortest solution, where all of them are known, and `shown` is what
    /// the tables show of the position that the move leads to.
    pub(crate) fn after(self, turn: Move, nearer: Option<&[Move]>, shown: Self, metric: Metric) -> Self {
        let cost = metric.cost(turn);
        let Some((before, nearer)) = self.distance.zip(nearer) else {
            let at_least = shown.at_least.max(self.at_least.saturating_sub(cost));
            let at_most = self.distance.map(|before| before + cost).into_iter().chain(shown.distance).min();
            return Self::between(at_least, at_most);
        };
        if nearer.contains(&turn) {
            return Self::exactly(before - cost);
        }
        // A move that is not nearer leads to the next distance that is possible: quarter turns change the parity.
        let step = match metric {
            Metric::Htm => 1,
            Metric::Qtm => 2,
        };
        let at_least = shown.at_least.max((before + step).saturating_sub(cost));
        // From there a turn of the same face leads to where the nearer one does.
        let of_face = nearer.iter().filter(|other| other.face() == turn.face());
        let between = |other: Move| Move::new(turn.face(), (4 + other.quarters() - turn.quarters()) % 4);
        let by_face = of_face.map(|&other| before - metric.cost(other) + metric.cost(between(other)));
        let at_most = by_face.chain([before + cost]).chain(shown.distance).min();
        Self::between(at_least, at_most)
    }
}

/// A solution that was searched for: `schema/json/solution.json`.
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

/// A position of the cube in all notations: `schema/json/random.json`.
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
