//! Coordinates: positions as numbers, reduced by the symmetries that keep the axis from U to D.

mod phase_two;

pub use phase_two::{CornerClass, CornerClasses, Layers, PhaseTwoPlace};
