//! What the coset solver tells.

use serde::{Deserialize, Serialize};

use twistbase_puzzle::cube3::Cube;

/// A level of a coset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CosetLevel {
    /// The number of moves.
    pub depth: u8,
    /// Positions first reached at this depth; `None` if the level or the one before was not counted.
    pub positions: Option<u64>,
    /// Positions reached at this depth or before; `None` if the level was not counted.
    pub total: Option<u64>,
    /// The sum of the weights of the positions first reached at this depth, if there are weights and `positions` is known.
    pub weighted: Option<u64>,
    /// Whether `positions` is the number of positions at this distance exactly: all levels to this one were searched to
    /// the end. Otherwise `total` is a lower bound of the number of positions that are not farther.
    pub exact: bool,
    /// Whether it was searched, if only in part.
    pub searched: bool,
    /// Whether its search ended early, with enough positions.
    pub ended_early: bool,
    /// Sequences into H that the search met, and products of positions and excursions: each had its bit set.
    pub sequences: u64,
    /// Seconds of the prepass; zero if there was none.
    pub prepass_seconds: f64,
    /// Seconds of the search; zero if there was none.
    pub search_seconds: f64,
}

/// What is heard of while a coset is solved.
#[derive(Debug, Clone, Copy)]
pub enum CosetEvent<'a> {
    /// A level is finished. Levels come in order, from the first that has a position. One that a checkpoint was restored from
    /// comes again.
    Level(&'a CosetLevel),
    /// A position that no level so far reached, to be listed.
    Remaining(&'a Cube),
}

/// What became of a coset.
#[derive(Debug, Clone, PartialEq)]
pub struct CosetResult {
    /// The levels, in order, from the first that has a position.
    pub levels: Vec<CosetLevel>,
    /// The last level that is exact; all before it are, too. `None` if none is.
    pub exact_to: Option<u8>,
    /// Positions not reached. 0 if every position has been reached: then the last level is an upper bound for all.
    pub remaining: u64,
}
