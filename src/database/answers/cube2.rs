//! Answers, solutions and positions of the 2×2×2 cube, as values and as JSON.

use serde::{Serialize, Serializer};

use super::{AnswerWire, FromSolved, NextMoveWire, NoMembers};
use crate::puzzle_info::CUBE2;
use twistbase_puzzle::cube2::{Cube2Position, notation};
use twistbase_puzzle::cube3::notation::FaceletOrder;
use twistbase_puzzle::cube3::{Centres, Metric, Move, MoveSequence};
use twistbase_query::Distance;

/// The answer about a position of the 2×2×2 cube: `schema/json/query.json`.
#[derive(Debug, Clone)]
pub struct Cube2Answer {
    /// The input, as given.
    pub input: String,
    /// The position, of the cube as it is held.
    pub position: Cube2Position,
    /// The colours of its faces, as the cube is held.
    pub centres: Centres,
    /// The order of the facelets in the input.
    pub order: FaceletOrder,
    /// The turns of the whole cube made first, if any.
    pub turned: Option<String>,
    /// The metric.
    pub metric: Metric,
    /// The distance.
    pub distance: u8,
    /// The index of the position in the table.
    pub index: u64,
    /// A shortest solution.
    pub solution: Option<String>,
    /// The number of shortest solutions.
    pub solutions: Option<u64>,
    /// The moves of length one, and the distance after each.
    pub moves: Option<Vec<(Move, Distance)>>,
}

/// The members of the JSON that only the 2×2×2 cube has.
#[derive(Serialize)]
struct Cube2Wire<'a> {
    facelets: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned: Option<&'a str>,
    index: u64,
}

impl Serialize for Cube2Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let next = |&(turn, after): &(Move, Distance)| NextMoveWire {
            r#move: turn.to_string(),
            from_solved: FromSolved::exactly(after.moves()),
            own: NoMembers {},
        };
        let own = Cube2Wire {
            facelets: notation::print(&self.position),
            order: self.order.unusual().map(|order| order.to_string()),
            turned: self.turned.as_deref(),
            index: self.index,
        };
        let wire = AnswerWire {
            input: &self.input,
            puzzle: CUBE2,
            metric: self.metric.name(),
            from_solved: FromSolved::exactly(self.distance),
            solution: self.solution.as_deref(),
            solutions: self.solutions.map(u128::from),
            own,
            moves: self.moves.as_ref().map(|moves| moves.iter().map(next).collect()),
        };
        wire.serialize(serializer)
    }
}

/// A shortest solution of a position of the 2×2×2 cube: `schema/json/solution.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube2SolutionReport {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// Its moves.
    pub length: usize,
    /// The metric.
    pub metric: &'static str,
    /// Turns of U, R and F, of the cube as it is held.
    pub solution: String,
}

impl Cube2SolutionReport {
    pub(crate) fn new(input: &str, metric: Metric, moves: Vec<Move>) -> Self {
        let solution = MoveSequence::new(moves);
        let (length, metric) = (solution.length(metric), metric.name());
        Self { input: input.to_owned(), puzzle: CUBE2, length, metric, solution: solution.to_string() }
    }
}

/// A position of the 2×2×2 cube: `schema/json/random.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube2PositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The 24 facelets.
    pub facelets: String,
    /// The moves to this position, for a walk or a scramble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

impl Cube2PositionReport {
    pub(crate) fn new(position: &Cube2Position, moves: Option<String>) -> Self {
        Self { puzzle: CUBE2, facelets: notation::print(position), moves }
    }
}
