//! Positions of the cube that are images of each other by a symmetry: where any solution will do, one of them is searched.

use twistbase_puzzle::cube3::{Cube, Symmetry};

/// The images of a position and of its inverse, the position first.
pub(super) fn images(position: &Cube) -> impl Iterator<Item = Cube> {
    [*position, position.inverse()].into_iter().flat_map(|side| Symmetry::all().map(move |symmetry| symmetry.of(&side)))
}

/// Whether a symmetry other than the identity takes a position to itself.
pub(super) fn is_symmetric(position: &Cube) -> bool {
    Symmetry::all().skip(1).any(|symmetry| symmetry.of(position) == *position)
}

/// Whether a position is an image of itself, or of its inverse.
pub(super) fn is_symmetric_with_its_inverse(position: &Cube) -> bool {
    images(position).skip(1).any(|image| image == *position)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use twistbase_puzzle::cube3::notation::parse_sequence;

    /// Every symmetry keeps it.
    pub const SUPERFLIP: &str = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";

    /// The position after a sequence.
    pub fn position(moves: &str) -> Cube {
        parse_sequence(moves).unwrap().apply(&Cube::SOLVED)
    }

    #[test]
    fn what_looks_the_same_again() {
        // An image of itself, of its inverse alone, and neither.
        for (moves, again) in [("U2 D2", true), ("R U", true), ("R U R'", false), ("R U F' L2 D", false)] {
            assert_eq!(is_symmetric_with_its_inverse(&position(moves)), again, "{moves}");
        }
    }
}
