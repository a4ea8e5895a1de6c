//! Batches: many positions, one per line.

use std::path::PathBuf;

use serde::Serialize;

use super::answers::Solution;
use super::answers::cube3::OptimalRecord;
use super::solving::{Shortfall, SolveOutcome, Solved};
use twistbase_core::error::{Error, Result};

/// Options for solving a batch.
#[derive(Debug, Clone, Default)]
pub struct SolveBatch {
    /// A result file (optimal): appends each answer at once, and skips lines that have a complete answer there.
    pub results: Option<PathBuf>,
    /// Whether to report answers as they are found instead of in the order of the lines (optimal).
    pub as_finished: bool,
}

impl SolveBatch {
    /// Rejects options that only optimal searches have. `what` names the solver, for instance "the two-phase method".
    pub(super) fn refuse_results(&self, what: &str) -> Result<()> {
        let given = [("a file of results", self.results.is_some()), ("answers as they are found", self.as_finished)];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Error::Usage(format!("{what} has not {name}, which only optimal searches have"))),
            None => Ok(()),
        }
    }
}

/// The answer to a line of a batch.
#[derive(Debug)]
pub struct LineSolved {
    /// The number of the line among those that are neither blank nor comments, from 1.
    pub number: u64,
    /// The line.
    pub input: String,
    /// The result.
    pub solved: Result<LineSolution>,
    /// Whether the next answer is ready. A writer can then wait with flushing.
    pub is_followed: bool,
}

/// The solution of a line of a batch.
#[derive(Debug)]
pub struct LineSolution {
    /// The best solution, or the record of an optimal search with all that it found.
    pub answer: LineAnswer,
    /// Why the result misses the request, if it does.
    pub shortfall: Option<Shortfall>,
}

impl LineSolution {
    /// A search's outcome as the answer to a line.
    ///
    /// # Errors
    /// [`Error::Budget`] with the reason why there is no solution.
    pub(super) fn of(Solved { outcome, shortfall }: Solved) -> Result<Self> {
        if let SolveOutcome::Found(solution) = outcome {
            return Ok(Self { answer: LineAnswer::Solution(solution), shortfall });
        }
        let reason = shortfall.map(|shortfall| shortfall.to_string());
        Err(Error::Budget(reason.unwrap_or_else(|| "the search found no solution".to_owned())))
    }
}

/// The content of an answer to a line of a batch.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum LineAnswer {
    /// A solution.
    Solution(Solution),
    /// All solutions that were asked for.
    Listed(Vec<Solution>),
    /// The record of an optimal search: `schema/json/optimal-cube3.json`.
    Optimal(OptimalRecord),
}

/// The caller's error that ended a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchStop;

/// Why a batch ended before its last line.
#[derive(Debug)]
pub enum BatchEnd {
    /// Something failed.
    Failed(Error),
    /// The caller takes no more answers.
    Stopped,
}

impl From<Error> for BatchEnd {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<BatchStop> for BatchEnd {
    fn from(_: BatchStop) -> Self {
        Self::Stopped
    }
}
