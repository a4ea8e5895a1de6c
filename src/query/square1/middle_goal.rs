//! What counts as solved.

use serde::Serialize;

use crate::Distance;
use twistbase_puzzle::square1::Middle;

/// Whether the middle layer has to be right at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
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
    pub const fn distance(self, ignored: u8, middle: Middle) -> Distance {
        let needs_odd = matches!(middle, Middle::Kite);
        match (self, ignored) {
            (Self::Ignored, _) => Distance::new(ignored),
            (Self::Square, 0) if needs_odd => Distance::new(3),
            (Self::Square, _) if (ignored % 2 == 1) == needs_odd => Distance::new(ignored),
            (Self::Square, _) => Distance::new(ignored + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_layer_costs_at_most_one_twist_but_for_solved() {
        let square = |ignored, middle| MiddleGoal::Square.distance(ignored, middle).twists();
        assert_eq!([square(0, Middle::Square), square(0, Middle::Kite)], [0, 3]);
        assert_eq!([square(5, Middle::Square), square(5, Middle::Kite)], [6, 5]);
        assert_eq!([square(12, Middle::Square), square(12, Middle::Kite)], [12, 13]);
        assert_eq!(MiddleGoal::Ignored.distance(5, Middle::Square), Distance::new(5));
    }
}
