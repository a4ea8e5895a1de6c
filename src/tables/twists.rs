//! What the level databases of the Square-1 family have in common: their space, seeds and weights.

use std::collections::BTreeSet;

use crate::levelset::{BlockSource, Seed, SlotMove, Source, Space};
use crate::math::perm8::PERMUTATIONS;
use crate::puzzle::square1::{Coordinate, Position, Shape};

/// The moves of the twist metric between the entries of a coordinate.
pub fn space(coordinate: &Coordinate) -> Space {
    let rows = Shape::all().map(|shape| sources(coordinate, shape)).collect();
    Space::new(coordinate.classes(), rows)
}

/// The twists of one shape. A twist undoes a twist, so the moves out of a row are the moves into it.
fn sources(coordinate: &Coordinate, shape: Shape) -> Vec<Source> {
    let twisted = shape.alignments().into_iter().filter_map(|(u, v)| shape.twisted(u, v));
    twisted
        .map(|to| {
            let (outer, inner) = coordinate.split(&to.slots.big, &to.slots.small);
            let blocks = (0..coordinate.classes() as u32)
                .map(|class| {
                    let (block, relabelling) = coordinate.move_class(class, outer);
                    BlockSource { block, relabelling }
                })
                .collect();
            Source { row: u32::from(to.shape.id()), slots: Box::new(SlotMove::new(inner)), blocks }
        })
        .collect()
}

/// Every entry of the solved position: one for each element of its shape's stabiliser, up to relabelling.
pub fn seeds(coordinate: &Coordinate) -> Vec<Seed> {
    let solved = Position::SOLVED.canonical_pieces();
    let places: BTreeSet<_> = solved
        .shape
        .stabiliser()
        .into_iter()
        .map(|slots| {
            let (big, small) = slots.apply(&solved.big, &solved.small);
            coordinate.place_of_pieces(&crate::puzzle::square1::CanonicalPieces { big, small, ..solved })
        })
        .collect();
    let permutations = PERMUTATIONS as u32;
    places
        .into_iter()
        .map(|place| Seed { row: place.row, block: place.entry / permutations, rank: place.entry % permutations })
        .collect()
}

/// Number of positions that `entries` entries of a row stand for.
///
/// Each position of a shape has as many arrangements as the shape's stabiliser has elements, and each entry stands
/// for as many arrangements as there are relabellings; both act freely.
pub fn positions(coordinate: &Coordinate, shape: Shape, entries: u64) -> u64 {
    entries * coordinate.relabellings() / u64::from(shape.stabiliser_order())
}
