//! Solvers: programs that search, with the tables as their guides.

mod coset;
mod coset_moves;
mod cover;
mod face;
mod half_turns;
mod images;
mod near;
mod open;
mod optimal;
mod packed_cube;
#[cfg(target_arch = "x86_64")]
mod shuffles;
#[cfg(test)]
mod tests;
mod two_phase;

pub use coset::{
    CosetCheckpoint, CosetEvent, CosetLevel, CosetMode, CosetOptions, CosetResult, CosetSolver, CosetWeights,
    WholeCube, WholeCubeCount, sequence_into,
};
pub use cover::CoverSearch;
pub use face::{FaceAnswer, FaceDepth, FaceLimits, FaceStop, solve_by_face_turns};
pub use half_turns::HalfTurnReduction;
#[doc(hidden)]
pub use open::{SearchBytes, first_complete};
pub use open::{TableBytes, TablePlace};
pub use optimal::{Event, LONGEST_SEARCH, Optimal, OptimalLimits, SearchAnswer, Wanted};
pub use two_phase::{LONGEST, Limits, Stopped, TwoPhase, TwoPhaseFound};
