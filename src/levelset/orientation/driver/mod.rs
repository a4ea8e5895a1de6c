//! Breadth-first search over a space of edge orientations: all its levels, or bounds and the levels just above them.

mod batch;
mod bounds;
mod enter;
mod known;
mod levels;
mod memory;
mod merge;
mod search;

pub use bounds::{BoundedRow, OrientationBounds, generate_bounds};
pub use known::KnownOrientations;
pub use levels::{OrientationLevels, generate_orientations};
pub use search::OrientationSeed;
