//! Answers about positions: exact distances, what each move does, and every shortest solution.

mod distance;
mod solutions;
mod table;

pub use distance::{Distance, MiddleGoal};
pub use solutions::{Solution, Solutions};
pub use table::{Counts, MoveOutcome, Table};
