//! Positions as they lie, and what turns of the layers and a twist make of them, found without moving a ring: the tables of
//! shapes show where each piece goes, and where the seam is then.

use super::canonical::CanonicalPieces;
use super::neighbours::shape_twists;
use super::position::{Middle, Position};
use super::turn::Turn;

/// Slots of a layer, and of its right half.
const LAYER: u8 = 12;
const HALF: u8 = 6;

/// A position as it lies, but for its middle layer: its pieces in canonical order, and how the puzzle that holds them
/// is held.
///
/// The right half begins at an element of each ring; of the top ring this is its element 0, of the bottom ring its element 6,
/// and in canonical order it may be any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LyingPieces {
    pieces: CanonicalPieces,
    /// The element of each canonical ring at which the right half begins.
    seam: [u8; 2],
    /// Whether the first canonical ring is the bottom layer.
    is_over: bool,
}

/// A twist, and the turns before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LyingTwist {
    /// The number of the [neighbour](CanonicalPieces::neighbours) that it leads to.
    number: u8,
    /// Whether both layers are turned by half a circle more.
    is_more: bool,
}

impl LyingTwist {
    /// The twist to the neighbour of this number, as the shape's tables cut the layers, or half a circle further.
    pub const fn new(number: u8, is_more: bool) -> Self {
        Self { number, is_more }
    }
}

impl LyingPieces {
    /// How a position lies.
    pub fn of(position: &Position) -> Self {
        let (form, pieces) = position.canonical_form();
        let (seam, is_over) = form.landing([0, HALF]);
        Self { pieces, seam, is_over }
    }

    /// The pieces.
    #[inline]
    pub fn pieces(&self) -> &CanonicalPieces {
        &self.pieces
    }

    /// How many layers have to be turned before a twist, 0 to 2.
    #[inline]
    pub fn layers_turned(&self, twist: LyingTwist) -> u8 {
        let [first, second] = self.cuts(twist);
        u8::from(first != self.seam[0]) + u8::from(second != self.seam[1])
    }

    /// The turn before a twist.
    pub fn turn_before(&self, twist: LyingTwist) -> Turn {
        let cuts = self.cuts(twist);
        // Anticlockwise seen from its own side, which brings a later element to where an earlier one was if negative.
        let turned: [i32; 2] = std::array::from_fn(|ring| i32::from(self.seam[ring]) - i32::from(cuts[ring]));
        let [top, bottom] = if self.is_over { [turned[1], turned[0]] } else { turned };
        Turn::new(top, -bottom)
    }

    /// The position after a twist and the turn before it.
    #[inline]
    pub fn twisted(&self, twist: LyingTwist) -> Self {
        let made = &shape_twists(self.pieces.shape)[usize::from(twist.number)];
        let is_over = self.is_over != made.is_swapped();
        let [first, second] = made.landing();
        let seam = if twist.is_more { [half_further(first), half_further(second)] } else { [first, second] };
        // Half a circle more leads to the same position turned over.
        Self { pieces: made.after(&self.pieces), seam, is_over: is_over != twist.is_more }
    }

    /// The elements of the canonical rings at which the right half begins when a twist is made.
    #[inline]
    fn cuts(&self, twist: LyingTwist) -> [u8; 2] {
        let cuts = shape_twists(self.pieces.shape)[usize::from(twist.number)].cuts();
        if twist.is_more { cuts.map(half_further) } else { cuts }
    }

    /// The position, with that middle layer.
    pub fn position(&self, middle: Middle) -> Position {
        let mut rings = super::canonical::filled_rings(self.pieces.shape, &self.pieces.big, &self.pieces.small);
        for (ring, seam) in rings.iter_mut().zip(self.seam) {
            ring.rotate_left(usize::from(seam));
        }
        if self.is_over {
            rings.swap(0, 1);
        }
        rings[1].rotate_right(usize::from(HALF));
        Position::from_legal_rings(rings, middle)
    }
}

/// The element half a circle further.
#[inline]
const fn half_further(element: u8) -> u8 {
    (element + HALF) % LAYER
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::square1::{Shape, random_position};

    #[test]
    fn what_lies_is_the_position_and_twists_are_those_of_positions() {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        for _ in 0..500 {
            // Also such as cannot be twisted as they lie.
            let turn = Turn::new(rng.random_range(0..12), rng.random_range(0..12));
            let position = random_position(&mut rng).turn(turn);
            let lying = LyingPieces::of(&position);
            assert_eq!(lying.position(position.middle()), position);
            let mut turns = Vec::new();
            for number in 0..lying.pieces().neighbours().len() as u8 {
                for twist in [LyingTwist::new(number, false), LyingTwist::new(number, true)] {
                    let turn = lying.turn_before(twist);
                    let layers = u8::from(turn.top() != 0) + u8::from(turn.bottom() != 0);
                    assert_eq!(lying.layers_turned(twist), layers);
                    let next = position.turn(turn).twist().expect("an alignment");
                    assert_eq!(lying.twisted(twist).position(next.middle()), next, "{position:?} {turn:?}");
                    turns.push(turn.wca());
                }
            }
            let mut alignments: Vec<_> = position.alignments().map(Turn::wca).collect();
            turns.sort_unstable();
            alignments.sort_unstable();
            assert_eq!(turns, alignments);
        }
    }

    #[test]
    fn the_solved_position_is_told_from_itself_turned_over() {
        let over = Position::SOLVED.turn_over();
        assert_ne!(LyingPieces::of(&over), LyingPieces::of(&Position::SOLVED));
        assert_eq!(LyingPieces::of(&over).position(Middle::Square), over);
        assert_eq!(LyingPieces::of(&Position::SOLVED).pieces().shape, Shape::SOLVED);
    }
}
