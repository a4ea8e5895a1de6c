//! Distances, and how much of them is known.

use std::fmt;

use twistbase_core::error::Result;
use twistbase_tables::Definition;

/// An exact distance: the fewest moves that solve a position, or bring it where a table's distances are counted from,
/// in that table's metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Distance(u8);

impl Distance {
    /// A distance that a table gave before.
    pub const fn new(moves: u8) -> Self {
        Self(moves)
    }

    /// The number of moves, in the table's metric.
    pub const fn moves(self) -> u8 {
        self.0
    }

    /// The number of twists `/`, 0..=13, for positions of the Square-1 family; turns between them are free.
    pub const fn twists(self) -> u8 {
        self.0
    }
}

/// The distance of a position from a table, which may have been built to a depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownDistance {
    /// Exactly so far.
    Exactly(Distance),
    /// Farther than this, the depth to which the table was built.
    Beyond(u8),
}

impl KnownDistance {
    /// The distance, if it is known.
    pub const fn distance(self) -> Option<Distance> {
        match self {
            Self::Exactly(distance) => Some(distance),
            Self::Beyond(_) => None,
        }
    }

    /// The distance; of a position that is farther than `table` was built to, the error that says so.
    pub(super) fn within(self, table: &dyn Definition) -> Result<Distance> {
        match self {
            Self::Exactly(distance) => Ok(distance),
            Self::Beyond(depth) => Err(table.layout().beyond(&table.metric().count(depth.into()))),
        }
    }

    /// The same of a position that is one move away from one at the distance `before`, where the move counts `cost`: if
    /// it cannot be farther than one more than the depth, that is how far it is.
    #[must_use]
    pub const fn beside(self, before: Distance, cost: u8) -> Self {
        match self {
            Self::Beyond(depth) if before.0 + cost == depth + 1 => Self::Exactly(Distance(depth + 1)),
            known_distance => known_distance,
        }
    }
}

/// A number that a distance is not less than.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LowerBound(u8);

impl LowerBound {
    #[doc(hidden)]
    /// A distance that a table gave before.
    pub const fn new(moves: u8) -> Self {
        Self(moves)
    }

    /// The number of moves, in the table's metric.
    pub const fn moves(self) -> u8 {
        self.0
    }
}

impl fmt::Display for LowerBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_just_beyond_the_depth_is_known_beside_what_is_not() {
        let beside =
            |before, cost| KnownDistance::Beyond(5).beside(Distance(before), cost).distance().map(Distance::moves);
        assert_eq!([beside(5, 1), beside(4, 2), beside(5, 2)], [Some(6), Some(6), None]);
        assert_eq!(KnownDistance::Exactly(Distance(3)).beside(Distance(2), 1), KnownDistance::Exactly(Distance(3)));
    }
}
