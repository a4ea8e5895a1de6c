//! Distances to cube shape: those of all positions of a shape are the same, so a search over shapes takes the place of a table.

use super::table::Square1Table;
use twistbase_core::error::Result;
use twistbase_core::math::perm8::is_odd;
use twistbase_puzzle::square1::{CanonicalPieces, Coordinate, Piece, Place, Position, Shape};
use twistbase_store::Entries;
use twistbase_tables::TwistTable;

/// A goal of the Square-1 family: cube shape, both layers squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeGoal {
    /// With any pieces in any places.
    CubeShape,
    /// With an even permutation of the sixteen pieces: an even number of exchanges of two pieces solves it.
    EvenCubeShape,
}

/// Twists to cube shape by shape, in place of the entries of a puzzle's table.
#[derive(Debug)]
pub struct ShapeEntries {
    coordinate: &'static Coordinate,
    goal: ShapeGoal,
    /// For each shape, those of even and odd orders of its pieces.
    twists: Vec<[u8; 2]>,
}

impl Square1Table<ShapeEntries> {
    /// Distances to a goal that is a shape, for positions of the puzzle of a table. Solutions end with their last twist.
    pub fn of_shapes(definition: &'static TwistTable, goal: ShapeGoal) -> Self {
        let twists = match goal {
            ShapeGoal::CubeShape => Shape::all().map(|shape| [shape.twists(); 2]).collect(),
            ShapeGoal::EvenCubeShape => twists_by_order(),
        };
        Self::over(definition, ShapeEntries { coordinate: definition.coordinate(), goal, twists }).ending_anyhow()
    }
}

impl Entries for ShapeEntries {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        let place = Place { row, entry: entry as u32 };
        let pieces = (self.goal == ShapeGoal::EvenCubeShape).then(|| self.coordinate.pieces(place)).flatten();
        let is_odd = pieces.is_some_and(|pieces| is_odd_order(&pieces));
        Ok(self.twists[row as usize][usize::from(is_odd)])
    }
}

/// Whether the pieces, in the places of their shape, are an odd permutation of their rising order.
fn is_odd_order(pieces: &CanonicalPieces) -> bool {
    is_odd(&pieces.big.map(Piece::rank)) != is_odd(&pieces.small.map(Piece::rank))
}

/// Twists from each shape, with pieces in an even and in an odd order, to cube shape with those of the solved position up to an even
/// permutation. Turns are free: where one makes an odd order even, both are as far.
fn twists_by_order() -> Vec<[u8; 2]> {
    const FAR: u8 = u8::MAX;
    let mut found = vec![[FAR; 2]; Shape::all().len()];
    let (mut level, mut twists) = (vec![(Shape::SOLVED, is_odd_order(&Position::SOLVED.canonical_pieces()))], 0);
    while !level.is_empty() {
        let mut next = Vec::new();
        for (shape, order) in level {
            for own in shape.stabiliser() {
                let order = order ^ is_odd(&own.big) ^ is_odd(&own.small);
                let at = &mut found[usize::from(shape.id())][usize::from(order)];
                if *at != FAR {
                    continue;
                }
                *at = twists;
                let twisted = shape.alignments().into_iter().filter_map(|(u, v)| shape.twisted(u, v));
                next.extend(twisted.map(|to| (to.shape, order ^ is_odd(&to.slots.big) ^ is_odd(&to.slots.small))));
            }
        }
        (level, twists) = (next, twists + 1);
    }
    found
}
