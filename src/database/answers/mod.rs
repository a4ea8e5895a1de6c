//! Answers, solutions and positions of every puzzle. As JSON they have one shape: `schema/json/query.json`, `solution.json` and
//! `random.json`.

pub mod cube2;
pub mod cube3;
pub mod square1;

use serde::Serialize;

use cube2::{Cube2Answer, Cube2PositionReport, Cube2SolutionReport};
use cube3::{Cube3Answer, Cube3PositionReport, Cube3Solution, CubeDistances, OptimalSolution, TwoPhaseSolution};
use square1::{Square1Answer, Square1PositionReport, Square1SolutionReport};
use twistbase_picture::Picture;

/// What is known about a position. As JSON: `schema/json/query.json`.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of the Square-1 family.
    Square1(Square1Answer),
    /// Of the Rubik's cube.
    Cube3(Cube3Answer),
    /// Of the 2×2×2 cube.
    Cube2(Cube2Answer),
}

impl Answer {
    /// How far the position is from solved in the metric of the question.
    pub fn from_solved(&self) -> FromSolved {
        match self {
            Self::Square1(answer) => FromSolved::exactly(answer.distance()),
            Self::Cube3(answer) => answer.from_solved,
            Self::Cube2(answer) => FromSolved::exactly(answer.distance),
        }
    }

    /// The exact distance from solved, where it is known.
    pub fn distance(&self) -> Option<u8> {
        self.from_solved().distance
    }

    /// A shortest solution, where a full answer or a search found one.
    pub fn solution(&self) -> Option<&str> {
        match self {
            Self::Square1(answer) => answer.solution.as_deref(),
            Self::Cube3(answer) => answer.search.as_ref()?.solution.as_deref(),
            Self::Cube2(answer) => answer.solution.as_deref(),
        }
    }

    /// The answer about a cube that was turned by `turns` first.
    #[must_use]
    pub fn after_turns(mut self, turns: Option<String>) -> Self {
        match &mut self {
            Self::Square1(_) => {}
            Self::Cube3(answer) => answer.turned = turns,
            Self::Cube2(answer) => answer.turned = turns,
        }
        self
    }

    /// The distance without what only longer answers have.
    pub fn brief(&self) -> BriefAnswer {
        match self {
            Self::Square1(answer) => BriefAnswer::Distance(Some(answer.distance())),
            Self::Cube3(answer) => answer.brief(),
            Self::Cube2(answer) => BriefAnswer::Distance(Some(answer.distance)),
        }
    }

    /// The position, to be shown.
    pub fn picture(&self) -> Picture {
        match self {
            Self::Square1(answer) => answer.picture(),
            Self::Cube3(answer) => Picture::cube3(&answer.position, &[]).with_centres(answer.centres),
            Self::Cube2(answer) => Picture::cube2(&answer.position, &[]).with_centres(answer.centres),
        }
    }
}

/// The distance of a position from solved: exact, or a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FromSolved {
    /// The fewest moves that solve the position, where they are known.
    pub distance: Option<u8>,
    /// A lower bound of the distance: the distance itself, where that is known.
    pub at_least: u8,
}

impl FromSolved {
    /// An exact distance.
    pub const fn exactly(distance: u8) -> Self {
        Self { distance: Some(distance), at_least: distance }
    }

    /// Two bounds as one: the distance, where they meet.
    pub(crate) fn between(at_least: u8, at_most: Option<u8>) -> Self {
        Self { distance: at_most.filter(|&most| most == at_least), at_least }
    }

    /// What this and another answer about the same position show together.
    pub(crate) fn with(self, other: Self) -> Self {
        let distance = self.distance.or(other.distance);
        Self { distance, at_least: distance.unwrap_or_else(|| self.at_least.max(other.at_least)) }
    }
}

/// The distance of a position, for a line of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BriefAnswer {
    /// The distance in the metric of the question, or the number that the one table holds that was named. `None` where that table
    /// has no number for the position and a search was to find it.
    Distance(Option<u8>),
    /// Of the Rubik's cube, where no table was named.
    Cube3(FromSolved, CubeDistances),
}

impl Cube3Answer {
    /// The distance without what only longer answers have.
    pub fn brief(&self) -> BriefAnswer {
        match self.only {
            Some(_) => BriefAnswer::Distance(self.distances.only()),
            None => BriefAnswer::Cube3(self.from_solved, self.distances),
        }
    }
}

/// An answer as JSON: the members that every puzzle has, then those that are particular to the puzzle.
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

/// No members beside those of every puzzle.
#[derive(Serialize)]
struct NoMembers {}

/// A solution: `schema/json/solution.json`, and `optimal-cube3.json` of an optimal search.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Solution {
    /// Of the Square-1 family.
    Square1(Square1SolutionReport),
    /// Of the 2×2×2 cube.
    Cube2(Cube2SolutionReport),
    /// A listed one of the Rubik's cube: shortest by all moves, or by moves of H.
    Cube3(Cube3Solution),
    /// One of the two-phase method, or a shortest one by moves of H that was searched for.
    TwoPhase(TwoPhaseSolution),
    /// One of an optimal search.
    Optimal(OptimalSolution),
}

impl Solution {
    /// Its moves as they are written.
    pub fn moves(&self) -> &str {
        match self {
            Self::Square1(solution) => &solution.solution,
            Self::Cube2(solution) => &solution.solution,
            Self::Cube3(solution) => &solution.solution,
            Self::TwoPhase(solution) => &solution.solution,
            Self::Optimal(solution) => &solution.solution,
        }
    }

    /// Its length in the metric that was asked for.
    pub fn length(&self) -> usize {
        match self {
            Self::Square1(solution) => solution.length,
            Self::Cube2(solution) => solution.length,
            Self::Cube3(solution) => solution.length,
            Self::TwoPhase(solution) => solution.length,
            Self::Optimal(solution) => solution.length,
        }
    }
}

/// A position in the notations of its puzzle: `schema/json/random.json`.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum PositionReport {
    /// Of the Square-1 family.
    Square1(Square1PositionReport),
    /// Of the Rubik's cube.
    Cube3(Cube3PositionReport),
    /// Of the 2×2×2 cube.
    Cube2(Cube2PositionReport),
}
