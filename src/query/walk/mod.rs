//! Shortest paths to the goal along the distances that a table holds, for any puzzle: all of them one after the other,
//! their number, and one for each of many positions side by side.
//!
//! A puzzle implements [`DistanceGraph`] for the first two. The third, [`Descent`], is for tables that do not fit the
//! processor's caches; where that does not matter, the first of [`ShortestPaths`] serves.

mod count;
mod graph;
mod shortest_paths;
mod side_by_side;
#[cfg(test)]
mod tests;

pub(super) use count::{PathCount, count_paths};
pub use graph::{DistanceGraph, PathStep};
pub use shortest_paths::ShortestPaths;
pub(super) use side_by_side::{Descent, SIDE_BY_SIDE, StepProbe, walk_down};
