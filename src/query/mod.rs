//! Answers about positions: exact distances, what each move does, and every shortest solution.

pub mod cube3;
mod deep;
mod distance;
mod remembered;
pub mod square1;
mod walk;

pub use deep::{DeepRequest, DeepVerified, verify_deep};
pub use distance::{Distance, KnownDistance, LowerBound};
pub use square1::{
    FirstSolutions, GivenPosition, MiddleGoal, SolutionCounts, Square1Solution, Square1Solutions, Square1Table,
    TwistOrder, TwistOutcome, parse,
};
pub use walk::{DistanceGraph, PathStep, ShortestPaths};
