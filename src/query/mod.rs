//! Answers about positions: exact distances, what each move does, and every shortest solution.

pub mod cube3;
mod deep;
mod descent;
mod distance;
mod first_solutions;
mod index;
mod remembered;
mod solutions;
mod table;

pub use deep::{DeepRequest, DeepVerified, verify_deep};
pub use distance::{Distance, KnownDistance, LowerBound, MiddleGoal};
pub use first_solutions::{FirstSolutions, TwistOrder};
pub use index::{Given, parse};
pub use solutions::{Solution, Solutions};
pub use table::{Counts, MoveOutcome, Square1Table};
