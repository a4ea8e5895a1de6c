//! Answers about positions of the Rubik's cube from the tables of the two phases.

mod cosets;
mod in_h;
mod phase_two;
mod solutions;

pub use cosets::Cosets;
pub use in_h::layers_in_h;
pub use phase_two::PhaseTwo;
pub use solutions::HSolutions;

use super::Distance;
use crate::error::Error;
use crate::puzzle::cube3::Move;
use crate::store::TableLayout;

/// What a move does to a position's distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveOutcome {
    /// The move.
    pub turn: Move,
    /// The distance after it.
    pub distance: Distance,
    /// That less the distance before.
    pub change: i8,
}

/// The error for a position that no neighbour is nearer than.
#[cold]
fn inconsistent(layout: &TableLayout, (row, entry): (u32, u64)) -> Error {
    layout.damaged(row, entry, format!("none of the neighbours of entry {entry} is nearer"))
}
