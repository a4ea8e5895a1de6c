//! Distances, and what counts as solved.

use std::fmt;

use crate::error::Result;
use crate::puzzle::square1::Middle;
use crate::tables::Definition;

/// An exact distance: the fewest moves that solve a position, or bring it where a table's distances are counted from,
/// in that table's metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Distance(u8);

impl Distance {
    pub(super) const fn new(moves: u8) -> Self {
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

/// How far a position is, as far as a table tells that may have been built to a depth.
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
            Self::Beyond(depth) => Err(table.layout().beyond(depth, table.metric())),
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
    pub(crate) const fn new(moves: u8) -> Self {
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

/// Whether the middle layer has to be right at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MiddleGoal {
    /// It may end in either state.
    #[default]
    Ignored,
    /// It has to end as a square.
    Square,
}

impl MiddleGoal {
    /// The distance to this goal of a position whose distance is `ignored` when the middle layer is ignored.
    ///
    /// Every twist changes the middle layer, so the number of twists must have its parity. If `ignored` has not, one
    /// twist more does: `/` equals `(6,0)/(6,0)/(6,0)`, which is possible wherever `/` is, and may replace any twist
    /// of a solution. The solved position has no twist to replace and takes 3: no position is its own neighbour.
    /// `twistbase prove` confirms it by exhaustive search.
    pub(super) const fn distance(self, ignored: u8, middle: Middle) -> Distance {
        let needs_odd = matches!(middle, Middle::Kite);
        match (self, ignored) {
            (Self::Ignored, _) => Distance(ignored),
            (Self::Square, 0) if needs_odd => Distance(3),
            (Self::Square, _) if (ignored % 2 == 1) == needs_odd => Distance(ignored),
            (Self::Square, _) => Distance(ignored + 1),
        }
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

    #[test]
    fn the_middle_layer_costs_at_most_one_twist_but_for_solved() {
        let square = |ignored, middle| MiddleGoal::Square.distance(ignored, middle).twists();
        assert_eq!([square(0, Middle::Square), square(0, Middle::Kite)], [0, 3]);
        assert_eq!([square(5, Middle::Square), square(5, Middle::Kite)], [6, 5]);
        assert_eq!([square(12, Middle::Square), square(12, Middle::Kite)], [12, 13]);
        assert_eq!(MiddleGoal::Ignored.distance(5, Middle::Square), Distance(5));
    }
}
