//! The puzzles: their positions and moves, their coordinates and symmetries, their notations.
//!
//! A position that exists is legal: what a person types is parsed to an unchecked form and then
//! checked, and the error carries every reason found.

pub mod cube2;
pub mod cube3;
mod input;
pub mod square1;
