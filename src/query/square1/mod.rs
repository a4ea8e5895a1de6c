//! Answers about positions of the Square-1 family.

mod deepened;
mod ending_distances;
mod first_solutions;
mod index;
mod middle_goal;
mod near_twists;
mod positions;
mod shapes;
mod solution;
mod solutions;
mod table;
mod twist_order;
mod wca;

pub use deepened::{DeepenedEntries, Deepening, DeepeningRequest};
pub use ending_distances::{EndingDistances, EndingEntries};
pub use first_solutions::FirstSolutions;
pub use index::index_of;
pub use index::{GivenPosition, parse};
pub use middle_goal::MiddleGoal;
pub use positions::WcaPositions;
pub use shapes::{ShapeEntries, ShapeGoal};
pub use solution::Square1Solution;
pub use solutions::{SolutionCounts, Square1Solutions, TwistGraph};
pub use table::{Square1Table, TwistOutcome};
pub use twist_order::TwistOrder;
pub use wca::{WcaDistances, WcaOutcome};
