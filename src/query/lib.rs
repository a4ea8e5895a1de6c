//! Answers about positions: exact distances, what each move does, and every shortest solution.

mod cube2;
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

pub use cube2::{Cube2Distances, Cube2Graph, Cube2Node, Cube2Solutions};
#[doc(hidden)]
pub use cube2::{parse_cube2, parse_held_cube2};
pub use deep::{DeepRequest, DeepVerified, RowCheck, RowChecker, verify_deep};
#[doc(hidden)]
pub use defined::parse_defined;
pub use defined::{DefinedDistances, DefinedGraph, DefinedNode, DefinedSolutions};
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
