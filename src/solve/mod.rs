//! Solvers: programs that search, with the tables as their guides.

mod coset_moves;
mod near;
mod open;
mod two_phase;

pub use open::TableBytes;
pub use two_phase::{Found, LONGEST, Limits, Stopped, TwoPhase};
