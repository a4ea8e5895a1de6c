//! Answers about positions of the Rubik's cube from the tables of the two phases.

mod cosets;
mod first_solutions;
mod in_h;
mod modulo3;
mod phase_two;
mod positions;
mod solutions;
mod turns;

pub use cosets::{CosetSolutions, Cosets};
pub use first_solutions::{FirstHSolutions, HMoveOrder};
pub use in_h::position_in_h;
#[doc(hidden)]
pub use modulo3::{Modulo3, distance as distance_modulo_3};
pub use phase_two::PhaseTwo;
pub use solutions::HSolutions;
pub use turns::{FaceTurnGraph, FaceTurnNode, FaceTurnTable};

use super::{Distance, KnownDistance};
use twistbase_core::error::Error;
use twistbase_puzzle::cube3::Move;
use twistbase_store::TableLayout;

/// What a move does to a position's distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaceTurnOutcome {
    /// The move.
    pub turn: Move,
    /// How far it then is.
    pub known_distance: KnownDistance,
    /// That less the distance before, if it is known.
    pub change: Option<i8>,
}

impl FaceTurnOutcome {
    /// What a move that counts `cost` does to a position at the distance `before`, where the table gives
    /// `known_distance`.
    fn new(turn: Move, cost: u8, before: Distance, known_distance: KnownDistance) -> Self {
        let known_distance = known_distance.beside(before, cost);
        let change = known_distance.distance().map(|after| after.moves() as i8 - before.moves() as i8);
        Self { turn, known_distance, change }
    }
}

/// The error for a position that no neighbour is nearer than.
#[cold]
pub(super) fn inconsistent(layout: &TableLayout, (row, entry): (u32, u64)) -> Error {
    layout.damaged(row, entry, format!("entry {entry} has no nearer neighbour"))
}
