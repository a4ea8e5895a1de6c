//! Answers about positions: exact distances, what each move does, and every shortest solution.

pub mod cube3;
mod deep;
mod defined;
mod distance;
mod position_table;
mod remembered;
pub mod square1;
mod walk;

#[cfg(test)]
mod tests;

pub use deep::{DeepRequest, DeepVerified, RowCheck, RowChecker, verify_deep};
pub use defined::{DefinedDistances, DefinedGraph, DefinedNode, DefinedSolutions};
#[doc(hidden)]
pub use defined::{parse_defined, parse_held_cube2};
pub use distance::{Distance, KnownDistance, LowerBound};
#[doc(hidden)]
pub use position_table::{PositionTable, no_such_index};
#[doc(hidden)]
pub use square1::index_of;
pub use square1::{
    DeepenedEntries, Deepening, DeepeningRequest, EndingDistances, EndingEntries, FirstSolutions, GivenPosition,
    MiddleGoal, ShapeEntries, ShapeGoal, SolutionCounts, Square1Solution, Square1Solutions, Square1Table, TwistOrder,
    TwistOutcome, WcaDistances, WcaOutcome, WcaPositions, parse,
};
pub use walk::{DistanceGraph, PathStep, ShortestPaths};
