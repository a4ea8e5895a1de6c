//! What the coset solver tells.

use crate::puzzle::cube3::Cube;
use crate::store::CosetLevel;

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

impl CosetResult {
    /// Whether every position of the coset was reached.
    pub fn is_complete(&self) -> bool {
        self.remaining == 0
    }
}
