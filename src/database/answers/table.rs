//! Answers, solutions and positions where one complete table holds all distances, as values and as JSON: the 2×2×2 cube, puzzles that
//! are data, and goals of the Rubik's cube.

use serde::{Serialize, Serializer};

use super::{AnswerWire, FromSolved, NextMoveWire, NoMembers};
use crate::position::{PuzzlePosition, WrittenPosition};
use twistbase_picture::Picture;
use twistbase_tables::TableMetric;

/// The answer about a position from a complete table, or from a search where there is none: `schema/json/query.json`.
#[derive(Debug, Clone)]
pub struct TableAnswer {
    /// The input, as given.
    pub input: String,
    /// The position, of a cube as it is held.
    pub position: PuzzlePosition,
    /// The goal, if it is not the solved position.
    pub goal: Option<String>,
    /// The turns of the whole cube made first, if any.
    pub turned: Option<String>,
    /// The metric.
    pub metric: TableMetric,
    /// The distance: always known where a table holds it, not always where a search finds it.
    pub from_solved: FromSolved,
    /// The index of the position in the table, if it is the only one that the question is about.
    pub index: Option<u64>,
    /// A shortest solution.
    pub solution: Option<String>,
    /// The number of shortest solutions.
    pub solutions: Option<u64>,
    /// The moves of length one, and the distance after each.
    pub moves: Option<Vec<(String, FromSolved)>>,
}

impl TableAnswer {
    /// A picture of the position, if its puzzle has pictures.
    pub(crate) fn picture(&self) -> Option<Picture> {
        self.position.picture("").ok()
    }
}

/// The members of the JSON of these answers alone.
#[derive(Serialize)]
struct TableWire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<&'a str>,
    #[serde(flatten)]
    written: WrittenPosition,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u64>,
}

impl Serialize for TableAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let next = |(name, after): &(String, FromSolved)| NextMoveWire {
            r#move: name.clone(),
            from_solved: *after,
            own: NoMembers {},
        };
        let own = TableWire {
            goal: self.goal.as_deref(),
            written: self.position.written(),
            order: self.position.order().map(|order| order.to_string()),
            turned: self.turned.as_deref(),
            index: self.index,
        };
        let wire = AnswerWire {
            input: &self.input,
            puzzle: self.position.puzzle(),
            metric: self.metric.name(),
            from_solved: self.from_solved,
            solution: self.solution.as_deref(),
            solutions: self.solutions.map(u128::from),
            own,
            moves: self.moves.as_ref().map(|moves| moves.iter().map(next).collect()),
        };
        wire.serialize(serializer)
    }
}

/// A shortest solution from tables: `schema/json/solution.json`.
#[derive(Debug, Clone, Serialize)]
pub struct TableSolution {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The goal, if it is not the solved position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Its moves.
    pub length: usize,
    /// The metric.
    pub metric: TableMetric,
    /// Its moves as text, for a cube as it is held.
    pub solution: String,
}
