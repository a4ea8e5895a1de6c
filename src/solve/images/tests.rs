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
