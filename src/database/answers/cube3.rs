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

/// The answer about a position of the Rubik's cube: `schema/json/query.json`.
#[derive(Debug, Clone)]
pub struct Cube3Answer {
    /// The input, as given.
    pub input: String,
    /// The position, of the cube as it is held.
    pub position: Cube,
    /// The centres, as the cube is held.
    pub centres: Centres,
    /// The order of the facelets in the input.
    pub order: FaceletOrder,
    /// The turns of the whole cube made first, if any.
    pub turned: Option<String>,
    /// The position as one of phase 2, if it is in H.
    pub h_position: Option<PhaseTwoPosition>,
    /// The metric.
    pub metric: Metric,
    /// The tables used.
    pub tables: ArrayVec<&'static str, 5>,
    /// The table named in the question.
    pub only: Option<TableId>,
    /// The distance by all moves of the cube.
    pub from_solved: FromSolved,
    /// The numbers of the tables.
    pub distances: CubeDistances,
    /// The result of an optimal search, if there was one.
    pub search: Option<ExactReport>,
    /// The number of shortest solutions by moves of H.
    pub solutions_in_h: Option<u64>,
    /// The results of the eighteen moves.
    pub moves: Option<Vec<FaceTurnReport>>,
}

/// The members of the JSON that only the Rubik's cube has.
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

/// The numbers of moves that tables hold for a position. H is ⟨U, D, R2, F2, L2, B2⟩.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CubeDistances {
    /// The fewest moves that bring it into H.
    pub to_h: Option<u8>,
    /// For a position in H, the fewest moves of H that solve it. With all moves of the cube some positions are nearer.
    pub distance_in_h: Option<u8>,
    /// A lower bound of [`Self::distance_in_h`]: the distance in H', which ignores the middle edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_in_h: Option<u8>,
    /// A lower bound of the distance: that to the subgroup of the table `huge`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge: Option<u8>,
    /// A lower bound of the distance, from the named pruning table.
    #[serde(rename = "nx", skip_serializing_if = "Option::is_none")]
    pub pruning: Option<u8>,
    /// The depths of tables that the position is beyond, if they were built to a depth.
    #[serde(skip_serializing_if = "Beyond::is_nowhere")]
    pub beyond: Beyond,
}

/// A position of H that 5 or more moves of H solve is at least 5 half turns from solved: at each distance up to 4 there are as many
/// positions of H by all moves as by moves of H (`tests/cube3/full.rs`).
const LEAST_IF_FAR_IN_H: u8 = 5;

impl CubeDistances {
    /// The only known number.
    pub fn only(&self) -> Option<u8> {
        self.distance_in_h.or(self.to_h).or(self.bound_in_h).or(self.huge).or(self.pruning)
    }

    /// How far the position is from solved by all moves, as far as these bounds show it.
    pub(crate) fn shown(&self, position: &Cube, metric: Metric) -> FromSolved {
        if position.is_solved() {
            return FromSolved::exactly(0);
        }
        let &Self { to_h, distance_in_h, huge, pruning, beyond, .. } = self;
        let in_h = match metric {
            Metric::Htm => distance_in_h.map(|moves| moves.min(LEAST_IF_FAR_IN_H)),
            Metric::Qtm => None,
        };
        let beyond = beyond.to_h.map(|depth| depth + 1);
        let bounds = [in_h, to_h, huge, pruning, beyond].into_iter().flatten();
        FromSolved::between(possible(bounds.fold(1, u8::max), position, metric), distance_in_h)
    }
}

/// The least possible distance from `at_least` on: every quarter turn changes the parity.
pub(crate) fn possible(at_least: u8, position: &Cube, metric: Metric) -> u8 {
    match metric {
        Metric::Htm => at_least,
        Metric::Qtm => at_least + u8::from(position.is_odd() != (at_least % 2 == 1)),
    }
}

/// The depths of tables that a position is beyond.
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
    /// The distance after it.
    pub from_solved: FromSolved,
    /// The numbers of the tables.
    pub distances: CubeDistances,
}

/// The result of an optimal search for the distance by all moves of the cube.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactReport {
    /// The distance, or the proven bound.
    pub from_solved: FromSolved,
    /// A shortest solution, if the distance is known.
    pub solution: Option<String>,
    /// The number of shortest solutions, if all are found. Solutions that differ only in the order of turns of opposite faces count
    /// once.
    pub solutions: Option<u64>,
    /// The moves that begin a shortest solution, if all are found.
    pub nearer: Option<Vec<Move>>,
    /// The table that guided the search.
    pub table: &'static str,
}

impl ExactReport {
    /// The bound, in the metric of the question, if the distance is unknown.
    pub fn only_bound(&self, metric: Metric) -> Option<BoundInMetric> {
        let FromSolved { distance, at_least } = self.from_solved;
        distance.is_none().then(|| BoundInMetric { at_least, metric: metric.into() })
    }
}

impl FromSolved {
    /// The distance after a move. `nearer`: the moves that begin a shortest solution, if all are known. `shown`: the tables' answer for
    /// the position after the move.
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
        // Any other move leads at least to the next possible distance: quarter turns change the parity.
        let step = match metric {
            Metric::Htm => 1,
            Metric::Qtm => 2,
        };
        let at_least = shown.at_least.max((before + step).saturating_sub(cost));
        // Another turn of the same face then leads to the same place as the nearer one.
        let of_face = nearer.iter().filter(|other| other.face() == turn.face());
        let between = |other: Move| Move::new(turn.face(), (4 + other.quarters() - turn.quarters()) % 4);
        let by_face = of_face.map(|&other| before - metric.cost(other) + metric.cost(between(other)));
        let at_most = by_face.chain([before + cost]).chain(shown.distance).min();
        Self::between(at_least, at_most)
    }
}

/// A solution found by a search: `schema/json/solution.json`.
#[derive(Debug, Clone, Serialize)]
pub struct TwoPhaseSolution {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The number of moves.
    pub length: usize,
    /// The metric.
    pub metric: &'static str,
    /// The moves.
    pub solution: String,
    /// The goal instead of solved, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// "auto", "two-phase" or "phase2".
    pub method: &'static str,
    /// The tables used.
    pub tables: Vec<&'static str>,
    /// Nodes visited so far, or at the end.
    pub nodes: u64,
    /// Seconds so far.
    pub seconds: f64,
    /// The proven bound, in the final record of the method auto.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub proof: Option<LengthProof>,
    /// Why the search ended, in the final record.
    pub stopped: Option<Stopped>,
    /// Whether this is the final record: the shortest solution found.
    pub r#final: bool,
}

/// The proven bound of a search, for its best solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LengthProof {
    /// The bound: no solution has fewer moves.
    pub at_least: u8,
    /// Whether the solution has this length, and so is a shortest one.
    pub optimal: bool,
}

/// A solution of an optimal search: `schema/json/optimal-cube3.json`.
#[derive(Debug, Clone, Serialize)]
pub struct OptimalSolution {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The number of moves.
    pub length: usize,
    /// The metric.
    pub metric: &'static str,
    /// The moves.
    pub solution: String,
    /// The goal instead of solved, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// "optimal".
    pub method: &'static str,
    /// The number of the solution, from 1.
    pub number: u64,
    /// Seconds until the solution was found.
    pub seconds: f64,
}

/// The summary of an optimal search: `schema/json/optimal-cube3.json`.
#[derive(Debug, Clone, Serialize)]
pub struct OptimalSummary {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The metric.
    pub metric: &'static str,
    /// The goal instead of solved, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// "optimal".
    pub method: &'static str,
    /// The pruning table; `None` of a puzzle whose tables are made for the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<&'static str>,
    /// The length of the shortest solutions, if one was found.
    pub length: Option<u8>,
    /// Proven lower bound: no solution has fewer moves.
    pub at_least: u8,
    /// Number of solutions found.
    pub solutions: u64,
    /// Whether these are all requested solutions; unknown if the limit on their number ended the search.
    pub complete: bool,
    /// Solutions that are symmetric to each other are all listed.
    pub symmetric_copies: bool,
    /// Nodes visited.
    pub nodes: u64,
    /// Table look-ups; unknown after an interrupt.
    pub look_ups: Option<u64>,
    /// Seconds of the search.
    pub seconds: f64,
}

/// The answer to a line of a batch, as JSON and as a line of a result file: `schema/json/optimal-cube3.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimalRecord {
    /// The number of the line among those that are neither blank nor comments, from 1.
    pub number: u64,
    /// The line.
    pub input: String,
    /// The question.
    #[serde(flatten)]
    pub asked: OptimalQuestion,
    /// The pruning table.
    pub table: String,
    /// The length of the shortest solutions, if one was found.
    pub length: Option<u8>,
    /// One of them.
    pub solution: Option<String>,
    /// Proven lower bound: no solution has fewer moves.
    pub at_least: u8,
    /// Number of solutions found.
    pub solutions: u64,
    /// All of them, if the request was for more than one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub found: Option<Vec<String>>,
    /// Whether these are all requested solutions.
    pub complete: bool,
    /// Nodes visited.
    pub nodes: u64,
    /// Table look-ups.
    pub look_ups: u64,
    /// Seconds of the search.
    pub seconds: f64,
}

/// The question about each line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptimalQuestion {
    /// The puzzle.
    pub puzzle: String,
    /// The metric.
    pub metric: String,
    /// The goal instead of solved, as given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// The method.
    pub method: String,
    /// The request for all solutions of up to this many moves more than the shortest; `null` for one solution.
    pub extra: Option<u8>,
    /// Maximum number of solutions.
    pub limit: Option<u64>,
}

/// A position in the notations of the cube.
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
