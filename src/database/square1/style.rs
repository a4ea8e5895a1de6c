//! Options of questions about the Square-1 family: metric, goal, notation.

use std::sync::Arc;

use crate::answers::Solution;
use crate::answers::square1::Square1SolutionReport;
use crate::metric::QuestionMetric;
use crate::puzzle_info::PuzzleInfo;
use twistbase_cache::CachedTable;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_puzzle::square1::{Position, TwistSequence};
use twistbase_query::{MiddleGoal, Square1Solution, Square1Table, WcaDistances};
use twistbase_store::Entries;
use twistbase_tables::{Definition, TwistTable};

/// An open table of the Square-1 family, for questions from any thread.
pub type SharedSquare1Table = Arc<Square1Table<CachedTable>>;

/// The metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Square1Metric {
    Twists,
    Wca,
}

impl Square1Metric {
    fn new(definition: &TwistTable, asked: Option<QuestionMetric>) -> Result<Self> {
        match asked.unwrap_or(QuestionMetric::Twists) {
            QuestionMetric::Twists => Ok(Self::Twists),
            QuestionMetric::Wca => Ok(Self::Wca),
            QuestionMetric::Face => {
                let why = "the metric face has no table; use solve, which searches";
                Err(Error::Usage(why.to_owned()))
            }
            metric @ (QuestionMetric::Htm | QuestionMetric::Qtm | QuestionMetric::Moves) => {
                Err(metric.is_none_of(PuzzleInfo::of(definition.puzzle())))
            }
        }
    }

    /// The length of a sequence.
    fn length(self, sequence: &TwistSequence) -> usize {
        match self {
            Self::Twists => sequence.twists(),
            Self::Wca => sequence.wca_moves(),
        }
    }
}

impl From<Square1Metric> for QuestionMetric {
    fn from(metric: Square1Metric) -> Self {
        match metric {
            Square1Metric::Twists => Self::Twists,
            Square1Metric::Wca => Self::Wca,
        }
    }
}

/// The error for ignoring the middle layer in a metric that counts it.
pub(super) fn middle_is_square(metric: QuestionMetric) -> Error {
    let metric = metric.name();
    Error::Usage(format!("the metric {metric} requires a square middle layer; it cannot ignore it"))
}

/// Metric, goals and notation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Square1Style {
    pub metric: Square1Metric,
    pub goal: MiddleGoal,
    pub notation: SequenceNotation,
    /// What is reached instead of solved, by its name.
    pub part: Option<&'static str>,
}

impl Square1Style {
    pub fn new(
        definition: &TwistTable,
        metric: Option<QuestionMetric>,
        middle: Option<MiddleGoal>,
        notation: Option<SequenceNotation>,
    ) -> Result<Self> {
        let metric = Square1Metric::new(definition, metric)?;
        let goal = match (metric, middle) {
            (Square1Metric::Twists, middle) => middle.unwrap_or_default(),
            (Square1Metric::Wca, None | Some(MiddleGoal::Square)) => MiddleGoal::Square,
            (Square1Metric::Wca, Some(MiddleGoal::Ignored)) => {
                return Err(middle_is_square(QuestionMetric::Wca));
            }
        };
        Ok(Self { metric, goal, notation: notation.unwrap_or_default(), part: None })
    }

    /// All shortest solutions.
    pub fn solutions<E>(self, table: Arc<Square1Table<E>>, position: &Position) -> Result<Square1SolutionList>
    where
        E: Entries + Send + 'static,
    {
        Ok(match self.metric {
            Square1Metric::Twists => Box::new(Square1Table::solutions_from(table, position, self.goal)?),
            Square1Metric::Wca => Box::new(WcaDistances::new(table).solutions(position)?),
        })
    }

    /// The first of them.
    pub fn first<E>(self, table: Arc<Square1Table<E>>, position: &Position) -> Result<Square1Solution>
    where
        E: Entries + Send + 'static,
    {
        self.solutions(table, position)?.next().expect("every position has a solution")
    }

    /// A solution as a report.
    pub fn report(self, input: &str, definition: &TwistTable, solution: &Square1Solution, shapes: bool) -> Solution {
        Solution::Square1(Square1SolutionReport {
            input: input.to_owned(),
            puzzle: definition.puzzle(),
            goal: self.part,
            length: self.metric.length(solution.sequence()),
            metric: self.metric.into(),
            middle_goal: self.goal,
            solution: self.notation.write(solution.sequence()),
            shapes: shapes.then(|| solution.shapes().iter().map(|shape| shape.name()).collect()),
            stays_in_cube_shape: shapes.then(|| solution.stays_in_cube_shape()),
            search: None,
        })
    }
}

/// Solutions, found one at a time.
type Square1SolutionList = Box<dyn Iterator<Item = Result<Square1Solution>> + Send>;
