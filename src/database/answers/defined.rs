//! Answers, solutions and positions of puzzles that are data, as values and as JSON.

use serde::{Serialize, Serializer};

use super::{AnswerWire, FromSolved, NextMoveWire, NoMembers};
use crate::metric::QuestionMetric;
use twistbase_definition::{KPattern, SpacePosition};
use twistbase_picture::Picture;
use twistbase_query::Distance;
use twistbase_tables::{DefinedTable, Definition};

/// The answer about a position of a puzzle that is data: `schema/json/query.json`.
#[derive(Debug, Clone)]
pub struct DefinedAnswer {
    /// The input, as given.
    pub input: String,
    /// The table, which has the puzzle's name.
    pub table: &'static DefinedTable,
    /// The position.
    pub position: SpacePosition,
    /// The distance.
    pub distance: u8,
    /// A shortest solution.
    pub solution: Option<String>,
    /// The number of shortest solutions.
    pub solutions: Option<u64>,
    /// The distance after each turn, in the order of [turns](twistbase_definition::PuzzleSpace::turns).
    pub moves: Option<Vec<Distance>>,
}

impl DefinedAnswer {
    /// The index of the position in the table.
    pub fn index(&self) -> u64 {
        self.table.layout().index(self.position.row, self.position.entry)
    }

    /// A picture of the position, if the puzzle has a geometry.
    pub(crate) fn picture(&self) -> Option<Picture> {
        let position = self.table.space().pattern_of(self.position);
        Picture::defined(self.table.geometry()?, &position, "").ok()
    }

    /// The names of the turns, and the distance after each.
    pub fn next_moves(&self) -> Option<impl Iterator<Item = (&'static str, Distance)>> {
        let names = self.table.space().turns().iter().map(|turn| turn.name.as_str());
        Some(names.zip(self.moves.as_ref()?.iter().copied()))
    }
}

/// The members of the JSON that these puzzles have of their own.
#[derive(Serialize)]
struct DefinedWire {
    position: KPattern,
    index: u64,
}

impl Serialize for DefinedAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let next = |(name, after): (&str, Distance)| NextMoveWire {
            r#move: name.to_owned(),
            from_solved: FromSolved::exactly(after.moves()),
            own: NoMembers {},
        };
        let wire = AnswerWire {
            input: &self.input,
            puzzle: self.table.puzzle(),
            metric: QuestionMetric::Moves.name(),
            from_solved: FromSolved::exactly(self.distance),
            solution: self.solution.as_deref(),
            solutions: self.solutions.map(u128::from),
            own: DefinedWire { position: self.table.space().kpattern(self.position), index: self.index() },
            moves: self.next_moves().map(|moves| moves.map(next).collect()),
        };
        wire.serialize(serializer)
    }
}

/// A shortest solution of a position of a puzzle that is data: `schema/json/solution.json`.
#[derive(Debug, Clone, Serialize)]
pub struct DefinedSolutionReport {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// Its moves.
    pub length: usize,
    /// The metric.
    pub metric: &'static str,
    /// Moves by the names of the definition.
    pub solution: String,
}

impl DefinedSolutionReport {
    pub(crate) fn new(input: &str, table: &DefinedTable, turns: &[usize], solution: String) -> Self {
        let (input, metric) = (input.to_owned(), QuestionMetric::Moves.name());
        Self { input, puzzle: table.puzzle(), length: turns.len(), metric, solution }
    }
}

/// A position of a puzzle that is data: `schema/json/random.json`.
#[derive(Debug, Clone, Serialize)]
pub struct DefinedPositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The position.
    pub position: KPattern,
    /// The moves to this position, for a walk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

impl DefinedPositionReport {
    pub(crate) fn new(table: &DefinedTable, position: SpacePosition, moves: Option<String>) -> Self {
        Self { puzzle: table.puzzle(), position: table.space().kpattern(position), moves }
    }
}
