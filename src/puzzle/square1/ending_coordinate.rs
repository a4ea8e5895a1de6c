//! Positions as (row, entry) where it matters with which twist a solution ends.
//!
//! Whether a solution ends with a twist that leaves nothing to be turned is a question about the distance to one
//! position: `K`, the solved one after a twist. Of the relabellings that keep solved solved fewer keep `K` what it is,
//! so that classes are smaller than those of [`Coordinate`]. A mirror keeps it, too: where there is one, of two shapes that
//! are each other's mirror images one has a row, and positions of the other are mirrored before they are looked up.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use twistbase_core::math::perm8::{PERMUTATIONS, Perm8, Relabelling};

use super::canonical::{CanonicalPieces, SlotPermutation, TwistedShape};
use super::coordinate::{Coordinate, LabelMap, LabelSymmetry, Place};
use super::piece::{Colouring, Piece};
use super::position::Position;
use super::shape::Shape;

/// A mirror of positions that keeps the solved position and `K`: both rings read backwards, and the pieces renamed.
#[derive(Debug)]
struct Mirror {
    /// The new name of each piece.
    pieces: [Piece; 16],
    /// The same on labels of the outer and of the inner arrangement.
    labels: LabelMap,
}

/// The coordinate of one colouring, for distances to the position one twist from solved.
#[derive(Debug)]
pub struct EndingCoordinate {
    classes: Coordinate,
    /// `None` where no mirror keeps them: then every shape has a row.
    mirror: Option<Mirror>,
    /// The shapes that have a row, rising.
    shapes: Vec<Shape>,
    /// The row of each shape or of its mirror image, by id.
    rows: [u8; Shape::COUNT],
}

/// A twist into a row.
#[derive(Debug, Clone, Copy)]
pub struct EndingTwist {
    /// The row that it leads to.
    pub row: u32,
    /// From where the slots are filled, mirrored or not.
    pub slots: SlotPermutation,
    /// Whether it leads to the mirror image of the row's shape.
    is_mirrored: bool,
}

impl EndingCoordinate {
    /// The coordinate of a colouring; made at its first use (some ten milliseconds).
    pub fn of(colouring: Colouring) -> &'static Self {
        static SQUARE1: LazyLock<EndingCoordinate> = LazyLock::new(|| EndingCoordinate::new(Colouring::Square1));
        static CUBE21: LazyLock<EndingCoordinate> = LazyLock::new(|| EndingCoordinate::new(Colouring::Cube21));
        static CORNERS: LazyLock<EndingCoordinate> = LazyLock::new(|| EndingCoordinate::new(Colouring::Corners));
        match colouring {
            Colouring::Square1 => &SQUARE1,
            Colouring::Cube21 => &CUBE21,
            Colouring::Corners => &CORNERS,
        }
    }

    fn new(colouring: Colouring) -> Self {
        let last = Self::last_position().canonical_pieces();
        let least_last = Self::last_pieces(colouring);
        let keeps_last = |pieces: CanonicalPieces| pieces.least(colouring) == least_last;
        let symmetries = || LabelSymmetry::all(colouring);
        let group = symmetries().filter(|g| keeps_last(renamed(&last, &g.pieces()))).collect();
        let classes = Coordinate::by_group(colouring, group);
        let solved = Position::SOLVED.canonical_pieces();
        let backwards = mirrored(&solved);
        // What brings the solved position read backwards back to itself.
        let back: [Piece; 16] = std::array::from_fn(|index| {
            let find = |from: &[Piece; 8], to: &[Piece; 8]| {
                from.iter().position(|piece| usize::from(piece.index()) == index).map(|slot| to[slot])
            };
            let found = find(&backwards.big, &solved.big).or_else(|| find(&backwards.small, &solved.small));
            found.expect("every piece is somewhere")
        });
        let mut mirrors = symmetries().map(|g| {
            let after = g.pieces();
            back.map(|piece| after[usize::from(piece.index())])
        });
        let mirror = mirrors.find_map(|pieces| {
            let labels = classes.label_map(&pieces)?;
            keeps_last(renamed(&mirrored(&last), &pieces)).then_some(Mirror { pieces, labels })
        });
        let first = |shape: Shape| if mirror.is_some() { shape.min(shape.mirrored().shape) } else { shape };
        let shapes: Vec<Shape> = Shape::all().filter(|&shape| first(shape) == shape).collect();
        let mut rows = [0; Shape::COUNT];
        for shape in Shape::all() {
            let row = shapes.binary_search(&first(shape)).expect("one of a pair has a row");
            rows[usize::from(shape.id())] = row as u8;
        }
        Self { classes, mirror, shapes, rows }
    }

    /// `K`: the position that a twist solves.
    pub fn last_position() -> Position {
        Position::SOLVED.twist().expect("the solved position can be twisted")
    }

    /// The pieces of `K`, as [`CanonicalPieces::least`] has them.
    pub fn last_pieces(colouring: Colouring) -> CanonicalPieces {
        Self::last_position().canonical_pieces().least(colouring)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.shapes.len()
    }

    /// The shape of a row; positions of its mirror image are found there, too.
    pub fn shape(&self, row: u32) -> Option<Shape> {
        self.shapes.get(row as usize).copied()
    }

    /// Whether a row stands for two shapes.
    pub fn is_chiral(&self, row: u32) -> bool {
        self.mirror.is_some() && self.shape(row).is_some_and(|shape| shape.mirrored().shape != shape)
    }

    /// Number of classes of outer arrangements: blocks of a row.
    pub fn classes(&self) -> usize {
        self.classes.classes()
    }

    /// Number of relabellings that the classes are taken by.
    pub fn relabellings(&self) -> u64 {
        self.classes.relabellings()
    }

    /// Where a position is found.
    #[inline]
    pub fn place(&self, position: &Position) -> Place {
        self.place_of_pieces(&position.canonical_pieces())
    }

    /// As [`EndingCoordinate::place`], for pieces already listed in canonical order.
    #[inline]
    pub fn place_of_pieces(&self, pieces: &CanonicalPieces) -> Place {
        let row = self.rows[usize::from(pieces.shape.id())];
        let place = match &self.mirror {
            Some(mirror) if self.shapes[usize::from(row)] != pieces.shape => {
                self.classes.place_of_pieces(&renamed(&mirrored(pieces), &mirror.pieces))
            }
            _ => self.classes.place_of_pieces(pieces),
        };
        Place { row: row.into(), ..place }
    }

    /// A position found at `place`; `None` if there is no such place.
    pub fn position(&self, place: Place) -> Option<Position> {
        self.classes.position(Place { row: u32::from(self.shape(place.row)?.id()), ..place })
    }

    /// The other rows that twists of the positions of a row lead to, rising.
    pub fn sources(&self, row: u32) -> BTreeSet<usize> {
        self.twists(row).map(|twist| twist.row as usize).filter(|&other| other != row as usize).collect()
    }

    /// The twists of the positions of a row, one for each of the [alignments](Shape::alignments) of its shape, in
    /// their order.
    pub fn twists(&self, row: u32) -> impl Iterator<Item = EndingTwist> {
        let shape = self.shape(row);
        let alignments = shape.into_iter().flat_map(|shape| shape.alignments().into_iter().map(move |at| (shape, at)));
        alignments.filter_map(|(shape, (u, v))| {
            let to = shape.twisted(u, v)?;
            let row = self.rows[usize::from(to.shape.id())];
            let is_mirrored = self.shapes[usize::from(row)] != to.shape;
            let slots = if is_mirrored {
                let TwistedShape { slots, .. } = to.shape.mirrored();
                let (big, small) = slots.apply(&to.slots.big, &to.slots.small);
                SlotPermutation { big, small }
            } else {
                to.slots
            };
            Some(EndingTwist { row: row.into(), slots, is_mirrored })
        })
    }

    /// Splits slot permutations of big and small pieces into (outer, inner).
    pub fn split<'a>(&self, slots: &'a SlotPermutation) -> (&'a Perm8, &'a Perm8) {
        self.classes.split(&slots.big, &slots.small)
    }

    /// The class that a twist makes of a class, and the relabelling of inner labels that goes with it.
    pub fn move_class(&self, class: u32, twist: &EndingTwist) -> (u32, Relabelling) {
        let (outer, _) = self.split(&twist.slots);
        self.classes.move_class_by(
            class,
            outer,
            self.mirror.as_ref().filter(|_| twist.is_mirrored).map(|mirror| &mirror.labels),
        )
    }

    /// The class of [`Coordinate::of`] that a class is part of, and the relabelling of inner labels that goes with it.
    pub fn whole_class(&self, class: u32) -> (u32, Relabelling) {
        Coordinate::of(self.classes.colouring()).class_of(self.classes.representative(class))
    }

    /// The least of the places of a position, of its relabellings that keep `K`, and of its mirror image; `None` if
    /// there is no such place.
    pub fn least_place(&self, place: Place) -> Option<Place> {
        let pieces = self.position(place)?.canonical_pieces();
        let image = self.mirror.as_ref().map(|mirror| renamed(&mirrored(&pieces), &mirror.pieces));
        let both = [Some(pieces), image].into_iter().flatten();
        both.flat_map(|pieces| self.places_of_pieces(pieces)).min()
    }

    /// The places of all orders of the pieces that a shape allows.
    fn places_of_pieces(&self, pieces: CanonicalPieces) -> impl Iterator<Item = Place> {
        pieces.orders().map(|pieces| self.place_of_pieces(&pieces))
    }

    /// The places of all arrangements of `K`, as (row, class, rank).
    pub fn last_places(&self) -> Vec<(u32, u32, u32)> {
        let permutations = PERMUTATIONS as u32;
        let places = self.places_of_pieces(Self::last_position().canonical_pieces());
        let mut places: Vec<_> =
            places.map(|Place { row, entry }| (row, entry / permutations, entry % permutations)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// A position read backwards, its pieces still named as before.
fn mirrored(pieces: &CanonicalPieces) -> CanonicalPieces {
    let TwistedShape { shape, slots } = pieces.shape.mirrored();
    let (big, small) = slots.apply(&pieces.big, &pieces.small);
    CanonicalPieces { shape, big, small }
}

/// The pieces renamed.
fn renamed(pieces: &CanonicalPieces, names: &[Piece; 16]) -> CanonicalPieces {
    let rename = |piece: Piece| names[usize::from(piece.index())];
    CanonicalPieces { big: pieces.big.map(rename), small: pieces.small.map(rename), ..*pieces }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::square1::random_position;
    use twistbase_core::math::perm8;

    #[test]
    fn two_of_the_relabellings_of_square1_and_a_mirror_keep_the_last_position() {
        let coordinate = EndingCoordinate::of(Colouring::Square1);
        assert_eq!((coordinate.relabellings(), coordinate.classes(), coordinate.rows()), (2, 20_160, 65));
        let cube21 = EndingCoordinate::of(Colouring::Cube21);
        assert_eq!(cube21.classes() as u64 * cube21.relabellings(), 2520);
    }

    #[test]
    fn places_are_found_again_and_twists_lead_where_twisting_leads() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for colouring in Colouring::ALL {
            let coordinate = EndingCoordinate::of(colouring);
            for _ in 0..200 {
                let position = random_position(&mut rng);
                let place = coordinate.place(&position);
                let again = coordinate.position(place).expect("a place in range");
                assert_eq!(coordinate.place(&again), place);
                let (class, rank) = (place.entry / PERMUTATIONS as u32, place.entry % PERMUTATIONS as u32);
                let found = coordinate.twists(place.row).map(|twist| {
                    let (to, relabelling) = coordinate.move_class(class, &twist);
                    let (_, inner) = coordinate.split(&twist.slots);
                    let moved = perm8::compose(&perm8::unrank(rank), inner);
                    let entry = to * PERMUTATIONS as u32 + perm8::rank(&perm8::compose(&relabelling.labels(), &moved));
                    Place { row: twist.row, entry }
                });
                let found: Vec<Place> = found.collect();
                // A place may be one of several of a position: positions are compared, not places.
                let least = |place: Place| coordinate.least_place(place).expect("a place in range");
                let expected: Vec<_> =
                    again.neighbours().map(|next| least(coordinate.place_of_pieces(&next.pieces))).collect();
                let mut found: Vec<_> = found.into_iter().map(least).collect();
                let mut expected = expected;
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected);
            }
        }
    }
}
