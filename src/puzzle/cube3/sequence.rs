//! Sequences of moves.

use std::fmt;

use super::notation::wca;
use super::{Cube, Metric, Move};

/// Turns of the faces to be made one after the other, the cube held still. Displayed as the World Cube Association
/// writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Sequence {
    moves: Vec<Move>,
}

impl Sequence {
    /// The sequence of these moves.
    pub const fn new(moves: Vec<Move>) -> Self {
        Self { moves }
    }

    /// Its moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Its length in a metric.
    pub fn length(&self, metric: Metric) -> usize {
        metric.length(&self.moves)
    }

    /// The position to which it leads from another.
    #[must_use]
    pub fn apply(&self, position: &Cube) -> Cube {
        position.after(&self.moves)
    }

    /// The sequence that undoes it.
    #[must_use]
    pub fn inverse(&self) -> Self {
        self.moves.iter().rev().map(|turn| turn.inverse()).collect()
    }
}

impl FromIterator<Move> for Sequence {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        Self::new(moves.into_iter().collect())
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&wca::print(&self.moves))
    }
}
