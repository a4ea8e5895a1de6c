//! Square-1 and its relatives: the twelve-unit shape-shifting puzzles.
//!
//! Two layers of 12 units (30° each) and a middle layer of two halves. Eight *big* pieces (corners)
//! fill 2 units each, eight *small* pieces (edges) fill 1. A *turn* rotates the two layers; a
//! *twist*, written `/`, turns the right half of the puzzle by 180°. Distance is counted in twists:
//! turns between twists are free.
//!
//! # Conventions
//! - The puzzle is held with the seam from front to back. A layer has 12 *slots*, numbered
//!   anticlockwise **seen from above** in both layers, from the front end of the seam: slots 0 to 5
//!   are the right half, bottom slot `j` lies under top slot `j`.
//! - [`Turn`] counts units of 30° anticlockwise seen from above, in both layers. The World Cube
//!   Association counts clockwise seen from each layer's own face: `(t, b)` here is `(-t, b)` there.
//! - *Turning over* rotates the whole puzzle by 180° about its left-right axis (x2). A turn-over
//!   leaves the middle layer as it is, a twist changes it.
//! - Read as *rings* ([`Position::rings`]), each layer in the same handedness seen from its own side,
//!   a twist exchanges ring 0 `[0..6]` with ring 1 `[6..12]`, order kept.
//!
//! Source of the slots, the hexadecimal names and the turn-over: Pavel Savara's Cube21
//! (<http://cube21.sf.net/>, 2007).

mod canonical;
mod coordinate;
mod ending_coordinate;
mod lying;
mod neighbours;
pub mod notation;
mod pairs;
mod piece;
mod piece_list;
mod position;
mod random;
mod sequence;
mod shape;
mod turn;

#[cfg(test)]
mod tests;

pub use canonical::{CanonicalPieces, SlotPermutation, TwistedShape};
pub use coordinate::{Coordinate, Place};
pub use ending_coordinate::{EndingCoordinate, EndingTwist};
pub use lying::{LyingPieces, LyingTwist};
pub use neighbours::{Neighbour, Neighbours};
pub use piece::{Colouring, Piece};
#[doc(hidden)]
pub use piece_list::PieceList;
pub use position::{BlockedCut, IllegalPosition, Layer, Middle, Position};
pub use random::{random_position, random_state, random_walk};
pub use sequence::{BlockedTwist, Step, TwistSequence};
pub use shape::{HalfShape, Shape, Slot};
pub use turn::Turn;
