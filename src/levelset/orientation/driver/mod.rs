//! Breadth-first search over a space of edge orientations: all its levels, or bounds and the levels just above them.

mod batch;
mod bounds;
mod enter;
mod known;
mod levels;
mod memory;
mod merge;
mod reached;
mod search;

pub use bounds::{BoundedRow, OrientationBounds, generate_bounds};
pub use known::KnownOrientations;
pub use levels::{OrientationLevels, generate_orientations};
pub use reached::{ReachedLevels, ReachedOptions, ReachedTallies, count_reached, reached_least_memory};
pub use search::OrientationSeed;
