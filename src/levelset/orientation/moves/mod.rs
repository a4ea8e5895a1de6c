//! What a move does to sets of edge orientations: permutations of places as masked shifts, or as permutations of bytes
//! and transpositions of bits; and the spaces that such moves connect.

#[cfg(target_arch = "x86_64")]
mod byte_steps;
mod map12;
mod map4;
mod map8;
mod movable;
mod shifts;
mod space;

#[cfg(target_arch = "x86_64")]
pub(crate) use byte_steps::ByteSteps;
pub(crate) use map4::{MOVED_ORIENTATIONS, PlaceMap4, exchanged};
pub use movable::MovableOrientations;
pub use space::{OrientationMoves, OrientationSource, OrientationSpace, PartMove};
