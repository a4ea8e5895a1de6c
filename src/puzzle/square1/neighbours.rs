//! The positions one twist away, found without moving a piece: the tables of shapes show where each piece goes.

use std::sync::LazyLock;

use super::canonical::{CanonicalPieces, TwistedShape};
use super::shape::{CanonicalForm, Shape};
use super::{Position, Turn};

/// A position one twist away from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// The turn before the twist: one of [`Position::distinct_alignments`].
    pub turn: Turn,
    /// The position after the twist, in one of the orders that its shape allows.
    pub pieces: CanonicalPieces,
}

/// The neighbours of a position, by number: as many as its shape has distinct twists.
#[derive(Debug, Clone, Copy)]
pub struct Neighbours {
    form: CanonicalForm,
    pieces: CanonicalPieces,
}

impl Neighbours {
    /// No position has more: one ring is cut at one of six places, the other at one of twelve.
    pub const MOST: usize = 6 * 12;

    /// Those of a position.
    pub fn of(position: &Position) -> Self {
        let (form, pieces) = position.canonical_form();
        Self { form, pieces }
    }

    /// The position's shape, which decides how many they are and of what shapes.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.pieces.shape
    }

    /// The pieces of the position itself.
    #[inline]
    pub fn own_pieces(&self) -> &CanonicalPieces {
        &self.pieces
    }

    /// The pieces of a neighbour, in one of the orders that its shape allows.
    #[inline]
    pub fn pieces(&self, number: usize) -> Option<CanonicalPieces> {
        shape_twists(self.shape()).get(number).map(|twist| self.after(twist))
    }

    /// The turn before the twist to a neighbour: one of [`Position::distinct_alignments`].
    #[inline]
    pub fn turn(&self, number: usize) -> Option<Turn> {
        shape_twists(self.shape()).get(number).map(|twist| turn_before(&self.form, twist))
    }

    #[inline]
    fn after(&self, twist: &ShapeTwist) -> CanonicalPieces {
        twist.after(&self.pieces)
    }
}

impl CanonicalPieces {
    /// The positions one twist away, by their numbers, each in one of the orders that its shape allows.
    pub fn neighbours(&self) -> impl ExactSizeIterator<Item = Self> + '_ {
        shape_twists(self.shape).iter().map(|twist| twist.after(self))
    }
}

/// A twist of a shape.
pub(super) struct ShapeTwist {
    u: u8,
    v: u8,
    to: TwistedShape,
    /// Where the right half begins in the canonical rings afterwards.
    landing: [u8; 2],
    /// Whether the first canonical ring is then the layer that the second one was.
    is_swapped: bool,
}

impl ShapeTwist {
    /// Where the twist cuts the canonical rings.
    #[inline]
    pub(super) fn cuts(&self) -> [u8; 2] {
        [self.u, self.v]
    }

    #[inline]
    pub(super) fn landing(&self) -> [u8; 2] {
        self.landing
    }

    #[inline]
    pub(super) fn is_swapped(&self) -> bool {
        self.is_swapped
    }

    /// What it makes of pieces of its shape.
    #[inline]
    pub(super) fn after(&self, pieces: &CanonicalPieces) -> CanonicalPieces {
        let (big, small) = self.to.slots.apply(&pieces.big, &pieces.small);
        CanonicalPieces { shape: self.to.shape, big, small }
    }
}

/// The twists of each shape, by id.
static TWISTS: LazyLock<Vec<Vec<ShapeTwist>>> = LazyLock::new(|| {
    let twists = |shape: Shape| {
        let alignments = shape.alignments().into_iter();
        let twist = |(u, v)| {
            let (to, (landing, is_swapped)) = (shape.twisted(u, v)?, shape.landing(u, v));
            Some(ShapeTwist { u, v, to, landing, is_swapped })
        };
        alignments.filter_map(twist).collect()
    };
    Shape::all().map(twists).collect()
});

/// Twists from the solved shape to each shape, by id.
static SHAPE_TWISTS: LazyLock<[u8; Shape::COUNT]> = LazyLock::new(|| {
    let mut twists = [u8::MAX; Shape::COUNT];
    twists[usize::from(Shape::SOLVED.id())] = 0;
    let mut level = vec![Shape::SOLVED];
    for distance in 1.. {
        let mut next = Vec::new();
        for to in level.iter().flat_map(|shape| shape.neighbours()) {
            let known = &mut twists[usize::from(to.id())];
            if *known == u8::MAX {
                *known = distance;
                next.push(to);
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    twists
});

/// The twists of a shape.
#[inline]
pub(super) fn shape_twists(shape: Shape) -> &'static [ShapeTwist] {
    &TWISTS[usize::from(shape.id())]
}

impl Shape {
    /// The shapes of the neighbours of its positions, by their numbers.
    pub fn neighbours(self) -> impl ExactSizeIterator<Item = Self> {
        shape_twists(self).iter().map(|twist| twist.to.shape)
    }

    /// The fewest twists that lead from this shape to the solved one, whatever the pieces: 0 to 7. No position of the
    /// shape is nearer to solved.
    pub fn twists(self) -> u8 {
        SHAPE_TWISTS[usize::from(self.id())]
    }
}

/// The turn that brings the cut of a shape's twist to the seam.
fn turn_before(form: &CanonicalForm, twist: &ShapeTwist) -> Turn {
    let [first, second] = form.physical_cuts([twist.u, twist.v]);
    // The cut runs before element 0 of ring 0 and before element 6 of ring 1, and turning ring 1
    // anticlockwise seen from above lowers the number of an element.
    Turn::new(-i32::from(first), i32::from(second) - 6).distinct().0
}

impl Position {
    /// What a twist after each of the [distinct alignments](Self::distinct_alignments) leads to, in the order of their
    /// numbers. A few nanoseconds each, where turning and twisting take a hundred.
    pub fn neighbours(&self) -> impl Iterator<Item = Neighbour> + use<> {
        let neighbours = Neighbours::of(self);
        shape_twists(neighbours.shape())
            .iter()
            .map(move |twist| Neighbour { turn: turn_before(&neighbours.form, twist), pieces: neighbours.after(twist) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square1::{Colouring, random_position};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_shape_is_at_most_seven_twists_from_the_solved_one() {
        let mut levels = [0; 8];
        Shape::all().for_each(|shape| levels[usize::from(shape.twists())] += 1);
        assert_eq!(levels.iter().sum::<usize>(), Shape::COUNT);
        // Known to solvers: the deepest shapes take seven twists, and four of five of them at most five.
        assert!(levels[0] == 1 && levels[7] > 0 && levels.iter().all(|&count| count > 0), "{levels:?}");
    }

    #[test]
    fn neighbours_are_what_turning_and_twisting_gives() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..2000 {
            let position = random_position(&mut rng).turn(Turn::new(1, 1));
            let least = |pieces: CanonicalPieces| pieces.least(Colouring::Square1);
            let mut found: Vec<_> = position.neighbours().map(|n| (n.turn.wca(), least(n.pieces))).collect();
            let slow = position.distinct_alignments().map(|turn| {
                let next = position.turn(turn).twist().expect("an alignment");
                (turn.wca(), least(next.canonical_pieces()))
            });
            let mut expected: Vec<_> = slow.collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected);
        }
    }
}
