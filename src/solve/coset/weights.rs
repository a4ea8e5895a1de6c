//! Weights of the positions of a coset.

use std::fmt;

use twistbase_core::error::{Error, Result};
use twistbase_core::math::perm8::PERMUTATIONS;

/// A weight for each position of a coset, by what the sequence that solves it makes of the edges of the U and D layers:
/// with weights, levels are counted for the whole cube.
///
/// For the position that `s` solves, that is the lexicographic rank of the
/// [edges](twistbase_puzzle::cube3::coordinate::PhaseTwoPosition::edges) of `representative s`, which is in H.
#[derive(Clone, PartialEq, Eq)]
pub struct CosetWeights {
    by_edges: Vec<u16>,
}

impl CosetWeights {
    /// The most different weights that a coset can have: each costs a pass over the new bits of a level.
    pub const MOST_DIFFERENT: usize = 64;

    /// Weights by [rank of the edges](twistbase_puzzle::cube3::coordinate::PhaseTwoPosition::edge_rank), 40,320 of them.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is another number, or more than [`Self::MOST_DIFFERENT`] are different from each other.
    pub fn new(by_edges: Vec<u16>) -> Result<Self> {
        let mut different = by_edges.clone();
        different.sort_unstable();
        different.dedup();
        if by_edges.len() != PERMUTATIONS || different.len() > Self::MOST_DIFFERENT {
            let (weights, different) = (by_edges.len(), different.len());
            return Err(Error::Usage(format!(
                "{weights} weights, {different} of them different, where {PERMUTATIONS} are needed and {} can differ",
                Self::MOST_DIFFERENT
            )));
        }
        Ok(Self { by_edges })
    }

    /// The same weight for all.
    pub fn uniform(weight: u16) -> Self {
        Self { by_edges: vec![weight; PERMUTATIONS] }
    }

    /// The weights by rank of the edges.
    pub fn by_edges(&self) -> &[u16] {
        &self.by_edges
    }
}

impl fmt::Debug for CosetWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CosetWeights").finish_non_exhaustive()
    }
}
