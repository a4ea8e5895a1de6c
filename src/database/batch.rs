//! Batches: many positions, one a line.

use std::path::PathBuf;

use serde::Serialize;

use super::answers::Solution;
use super::answers::cube3::OptimalRecord;
use super::solving::Shortfall;
use twistbase_core::error::{Error, Result};

/// How the lines of a batch are solved.
#[derive(Debug, Clone, Default)]
pub struct SolveBatch {
    /// A file to which answers are added as they are found, and whose complete answers are not searched again (optimal).
    pub results: Option<PathBuf>,
    /// Whether answers come when they are found, not in the order of the lines (optimal).
    pub as_finished: bool,
}

impl SolveBatch {
    /// Refuses what only optimal searches have; `what` solves the lines, for instance "the two-phase method".
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
    /// What it came to.
    pub solved: Result<LineSolution>,
    /// Whether the next answer is there already: whoever writes answers need not hand on what was collected.
    pub is_followed: bool,
}

/// The solution of a line of a batch.
#[derive(Debug)]
pub struct LineSolution {
    /// The best solution, or the record of an optimal search with all that it found.
    pub answer: LineAnswer,
    /// By what that comes short of what was asked.
    pub shortfall: Option<Shortfall>,
}

/// What a line of a batch is answered with.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum LineAnswer {
    /// A solution.
    Solution(Solution),
    /// The record of an optimal search: `schema/json/optimal-cube3.json`.
    Optimal(OptimalRecord),
}

/// What ended a batch from outside: whoever takes the answers takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchStop;

/// Why a batch ended before its last line.
#[derive(Debug)]
pub enum BatchEnd {
    /// Something failed.
    Failed(Error),
    /// Nobody takes the answers any more.
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
