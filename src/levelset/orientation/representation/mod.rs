//! The lowest layer: sets of edge orientations as words, their levels as bit planes, and the rows made of these.

mod frontier;
mod marks;
mod planes;
mod set;
mod shape;

pub(crate) use frontier::Frontier;
pub(crate) use marks::{PartMarks, PartSet};
pub use planes::OrientationPlanes;
pub use set::{OrientationSet, OrientationSet4, OrientationSet8, OrientationSet12, OrientationWords};
pub(crate) use shape::LEAST_PLANES;
pub use shape::OrientationShape;
