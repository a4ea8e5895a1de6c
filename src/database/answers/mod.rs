//! What is told of a position of any puzzle: the answers, solutions and positions of each, together.

pub mod cube2;
pub mod cube3;
pub mod square1;

use serde::Serialize;

use crate::TableId;
use cube2::{Cube2Answer, Cube2PositionReport, Cube2SolutionReport};
use cube3::{Cube3Answer, Cube3PositionReport, CubeDistances, HSolution, OptimalSolution, TwoPhaseSolution};
use square1::{Square1Answer, Square1PositionReport, Square1SolutionReport};
use twistbase_picture::Picture;

/// What is known about a position.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of the Square-1 family: `schema/json/query.json`.
    Square1(Square1Answer),
    /// Of the Rubik's cube: `schema/json/query-cube3.json`.
    Cube3(Cube3Answer),
    /// Of the 2×2×2 cube: `schema/json/query-cube2.json`.
    Cube2(Cube2Answer),
}

impl Answer {
    /// The exact distance from solved in the metric of the question, where it is known; of the Rubik's cube by moves of H where a
    /// table told that alone.
    pub fn distance(&self) -> Option<u8> {
        match self {
            Self::Square1(answer) => Some(answer.distance()),
            Self::Cube3(answer) => answer.exact.as_ref().and_then(|it| it.distance).or(answer.distances.distance),
            Self::Cube2(answer) => Some(answer.distance),
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

    /// How far the position is, as the tables tell it.
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

/// How far a position is, as the tables tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BriefAnswer {
    /// The distance to solved in the metric of the question, or what the one table tells that was named. `None` where it tells
    /// nothing and the question was to be searched for.
    Distance(Option<u8>),
    /// Of the Rubik's cube, where no table was named.
    Cube3(CubeDistances),
}

impl Cube3Answer {
    /// How far the position is, as the tables tell it.
    pub fn brief(&self) -> BriefAnswer {
        self.distances.brief(self.only)
    }
}

impl CubeDistances {
    /// In brief, where `only` was the table that was named.
    pub(crate) fn brief(self, only: Option<TableId>) -> BriefAnswer {
        if only.is_some() { BriefAnswer::Distance(self.only()) } else { BriefAnswer::Cube3(self) }
    }
}

/// A solution: `schema/json/solution.json`, `solution-cube3.json`, `optimal-cube3.json` and `solution-cube2.json`.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Solution {
    /// Of the Square-1 family.
    Square1(Square1SolutionReport),
    /// Of the 2×2×2 cube.
    Cube2(Cube2SolutionReport),
    /// A shortest one by moves of H.
    H(HSolution),
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
            Self::H(solution) => &solution.solution,
            Self::TwoPhase(solution) => &solution.solution,
            Self::Optimal(solution) => &solution.solution,
        }
    }

    /// Its length in the metric that was asked for.
    pub fn length(&self) -> usize {
        match self {
            Self::Square1(solution) => solution.length,
            Self::Cube2(solution) => solution.length,
            Self::H(solution) => solution.length,
            Self::TwoPhase(solution) => solution.length,
            Self::Optimal(solution) => solution.length,
        }
    }
}

/// A position in the notations of its puzzle: `schema/json/random.json`, `random-cube3.json` and `random-cube2.json`.
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
