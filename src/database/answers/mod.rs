//! Answers, solutions and positions of all puzzles, with common JSON schemas: `schema/json/query.json`, `solution.json` and
//! `random.json`.

pub mod cube3;
pub mod square1;
pub mod table;

use std::fmt;

use serde::Serialize;

use crate::TableId;
use crate::position::WrittenPosition;
use cube3::{Cube3Answer, CubeDistances, CubeText, OptimalSolution, TwoPhaseSolution};
use square1::{Square1Answer, Square1SolutionReport, Square1Text};
use table::{TableAnswer, TableSolution};
use twistbase_picture::Picture;
use twistbase_puzzle::square1::Middle;

/// The answer about a position: `schema/json/query.json`.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of the Square-1 family.
    Square1(Square1Answer),
    /// Of the Rubik's cube.
    Cube3(Cube3Answer),
    /// Of the 2×2×2 cube, a puzzle that is data, or a goal: from a complete table, or from a search.
    Table(TableAnswer),
}

impl Answer {
    /// The distance from solved in the metric of the question.
    pub fn from_solved(&self) -> FromSolved {
        match self {
            Self::Square1(answer) => FromSolved::exactly(answer.distance),
            Self::Cube3(answer) => answer.from_solved,
            Self::Table(answer) => answer.from_solved,
        }
    }

    /// The exact distance from solved, if known.
    pub fn distance(&self) -> Option<u8> {
        self.from_solved().distance
    }

    /// A shortest solution, from a full answer or a search.
    pub fn solution(&self) -> Option<&str> {
        match self {
            Self::Square1(answer) => answer.solution.as_deref(),
            Self::Cube3(answer) => answer.search.as_ref()?.solution.as_deref(),
            Self::Table(answer) => answer.solution.as_deref(),
        }
    }

    /// Marks the answer of a cube that was first turned by `turns`.
    #[must_use]
    pub fn after_turns(mut self, turns: Option<String>) -> Self {
        match &mut self {
            Self::Square1(_) => {}
            Self::Cube3(answer) => answer.turned = turns,
            Self::Table(answer) => answer.turned = turns,
        }
        self
    }

    /// The distance alone, for brief answers.
    pub fn brief(&self) -> BriefAnswer {
        match self {
            Self::Square1(answer) => BriefAnswer::Distance(Some(answer.distance)),
            Self::Cube3(answer) => answer.brief(),
            Self::Table(answer) => answer.from_solved.brief(),
        }
    }

    /// A picture of the position; `None` for a puzzle without pictures.
    pub fn picture(&self) -> Option<Picture> {
        match self {
            Self::Square1(answer) => Some(answer.picture()),
            Self::Cube3(answer) => Some(Picture::cube3(&answer.position, &[]).with_centres(answer.centres)),
            Self::Table(answer) => answer.picture(),
        }
    }
}

/// The distance of a position from solved: exact, or a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FromSolved {
    /// The exact distance, if known.
    pub distance: Option<u8>,
    /// A lower bound of the distance; equal to the distance if that is known.
    pub at_least: u8,
}

impl FromSolved {
    /// An exact distance.
    pub const fn exactly(distance: u8) -> Self {
        Self { distance: Some(distance), at_least: distance }
    }

    /// The distance alone, or its lower bound.
    pub(crate) fn brief(self) -> BriefAnswer {
        self.distance.map_or(BriefAnswer::AtLeast(self.at_least), |distance| BriefAnswer::Distance(Some(distance)))
    }

    /// Combines a lower and an upper bound: the distance, if they are equal.
    pub(crate) fn between(at_least: u8, at_most: Option<u8>) -> Self {
        Self { distance: at_most.filter(|&most| most == at_least), at_least }
    }

    /// Combines two answers about the same position.
    pub(crate) fn with(self, other: Self) -> Self {
        let distance = self.distance.or(other.distance);
        Self { distance, at_least: distance.unwrap_or_else(|| self.at_least.max(other.at_least)) }
    }
}

/// The distance of a position, for a line of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BriefAnswer {
    /// The distance in the metric of the question, or the number in the named table. `None` if the table has no number for the
    /// position and a search should find it.
    Distance(Option<u8>),
    /// A lower bound of the distance, where a search found no more.
    AtLeast(u8),
    /// Of the Rubik's cube, without a named table.
    Cube3(FromSolved, CubeDistances),
}

impl Cube3Answer {
    /// The distance alone, for brief answers.
    pub fn brief(&self) -> BriefAnswer {
        BriefAnswer::of_cube3(self.only, self.distances, || self.from_solved)
    }
}

impl BriefAnswer {
    /// Of the Rubik's cube, where `only` is the named table.
    #[inline]
    pub(crate) fn of_cube3(
        only: Option<TableId>,
        distances: CubeDistances,
        from_solved: impl FnOnce() -> FromSolved,
    ) -> Self {
        match only {
            Some(_) => Self::Distance(distances.only()),
            None => Self::Cube3(from_solved(), distances),
        }
    }
}

/// An answer as JSON: the common members, then the puzzle's own.
#[derive(Serialize)]
struct AnswerWire<'a, Own, Next> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    #[serde(flatten)]
    from_solved: FromSolved,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<u128>,
    #[serde(flatten)]
    own: Own,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<NextMoveWire<Next>>>,
}

/// The result of a next move, as JSON.
#[derive(Serialize)]
struct NextMoveWire<Own> {
    r#move: String,
    #[serde(flatten)]
    from_solved: FromSolved,
    #[serde(flatten)]
    own: Own,
}

/// No members of the puzzle's own.
#[derive(Serialize)]
struct NoMembers {}

/// A solution: `schema/json/solution.json`, and `optimal-cube3.json` of an optimal search.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Solution {
    /// Of the Square-1 family.
    Square1(Square1SolutionReport),
    /// From tables. Of the Rubik's cube, a listed one: shortest by all moves, or by moves of H.
    Table(TableSolution),
    /// A solution of the two-phase method, or a shortest one by moves of H from a search.
    TwoPhase(TwoPhaseSolution),
    /// A solution of an optimal search.
    Optimal(OptimalSolution),
}

impl Solution {
    /// Its moves as text.
    pub fn moves(&self) -> &str {
        match self {
            Self::Square1(solution) => &solution.solution,
            Self::Table(solution) => &solution.solution,
            Self::TwoPhase(solution) => &solution.solution,
            Self::Optimal(solution) => &solution.solution,
        }
    }

    /// Its length in the metric of the question.
    pub fn length(&self) -> usize {
        match self {
            Self::Square1(solution) => solution.length,
            Self::Table(solution) => solution.length,
            Self::TwoPhase(solution) => solution.length,
            Self::Optimal(solution) => solution.length,
        }
    }
}

/// A position in the notations of its puzzle: `schema/json/random.json`.
#[derive(Debug, Clone, Serialize)]
pub struct PositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The position, written.
    #[serde(flatten)]
    pub text: PositionText,
    /// The moves to this position, for a walk or a scramble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

/// A position in all notations of its puzzle.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum PositionText {
    /// Of the Square-1 family.
    Square1 {
        /// The position, written.
        #[serde(flatten)]
        written: Square1Text,
        /// The middle layer, if known.
        middle: Option<Middle>,
        /// The position's numbers in Cube21's own program; only for Cube21 positions.
        #[serde(skip_serializing_if = "Option::is_none")]
        author: Option<String>,
    },
    /// Of the Rubik's cube.
    Cube3 {
        /// The position, written.
        #[serde(flatten)]
        written: CubeText,
        /// Whether it is in H = ⟨U, D, R2, F2, L2, B2⟩.
        in_h: bool,
    },
    /// Of the 2×2×2 cube, and of puzzles that are data.
    Table(WrittenPosition),
}

/// Writes the position in the notation of its puzzle.
impl fmt::Display for PositionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Square1 { written, .. } => f.write_str(&written.hex),
            Self::Cube3 { written, .. } => f.write_str(&written.facelets),
            Self::Table(written) => written.fmt(f),
        }
    }
}
