//! Walks down to the goal along distances that a table holds.

mod side_by_side;

pub(super) use side_by_side::{Descent, Probe, SIDE_BY_SIDE, walk_down};
