//! What is told of positions of the 2×2×2 cube: answers, solutions and positions, as values and as JSON.

use serde::{Serialize, Serializer};

use crate::puzzle_info::CUBE2;
use twistbase_puzzle::cube2::{Cube2Position, notation};
use twistbase_puzzle::cube3::notation::FaceletOrder;
use twistbase_puzzle::cube3::{Centres, Metric, Move, MoveSequence};
use twistbase_query::Distance;

/// What is known about a position of the 2×2×2 cube. As JSON: `schema/json/query-cube2.json`.
#[derive(Debug, Clone)]
pub struct Cube2Answer {
    /// The position as it was given.
    pub input: String,
    /// The position, of the cube as it is held.
    pub position: Cube2Position,
    /// The colours of its faces: how it is held.
    pub centres: Centres,
    /// The order of the facelets in the input.
    pub order: FaceletOrder,
    /// The turns of the whole cube that were made first, where there were any.
    pub turned: Option<String>,
    /// How moves are counted.
    pub metric: Metric,
    /// The fewest moves that solve it.
    pub distance: u8,
    /// The index of the position in the table.
    pub index: u64,
    /// The number of shortest solutions.
    pub solutions: Option<u64>,
    /// The moves that count one, and how far the position then is.
    pub moves: Option<Vec<(Move, Distance)>>,
}

/// [`Cube2Answer`] as JSON: what is costly to write is written only here.
#[derive(Serialize)]
struct Cube2AnswerWire<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    distance: u8,
    facelets: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned: Option<&'a str>,
    index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<Cube2TurnWire>>,
}

#[derive(Serialize)]
struct Cube2TurnWire {
    r#move: String,
    distance: u8,
    change: i8,
}

impl Serialize for Cube2Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turn = |&(turn, after): &(Move, Distance)| Cube2TurnWire {
            r#move: turn.to_string(),
            distance: after.moves(),
            change: after.moves() as i8 - self.distance as i8,
        };
        let wire = Cube2AnswerWire {
            input: &self.input,
            puzzle: CUBE2,
            metric: self.metric.name(),
            distance: self.distance,
            facelets: notation::print(&self.position),
            order: self.order.unusual().map(|order| order.to_string()),
            turned: self.turned.as_deref(),
            index: self.index,
            solutions: self.solutions,
            moves: self.moves.as_ref().map(|moves| moves.iter().map(turn).collect()),
        };
        wire.serialize(serializer)
    }
}

/// A shortest solution of a position of the 2×2×2 cube: `schema/json/solution-cube2.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube2SolutionReport {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// Its moves.
    pub length: usize,
    /// How they are counted.
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

/// A position of the 2×2×2 cube: `schema/json/random-cube2.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube2PositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The 24 facelets.
    pub facelets: String,
    /// The moves that lead there, of a walk or a scramble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

impl Cube2PositionReport {
    pub(crate) fn new(position: &Cube2Position, moves: Option<String>) -> Self {
        Self { puzzle: CUBE2, facelets: notation::print(position), moves }
    }
}
