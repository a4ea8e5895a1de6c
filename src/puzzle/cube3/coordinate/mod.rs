//! Coordinates: positions as numbers, reduced by the symmetries that keep the axis from U to D.

mod axis_classes;
mod corner_cosets;
mod coset_of_h;
mod edge_cosets;
mod orbits;
mod phase_one;
mod phase_two;

pub use axis_classes::AxisClasses;
pub(crate) use corner_cosets::moved_corner_coset;
pub use corner_cosets::{CORNER_COSETS, CornerCosetClass, CornerCosetClasses, corner_coset};
pub use coset_of_h::CosetOfH;
pub(crate) use edge_cosets::{EdgeMove, EdgeMoves, exchanges_layers, layer_images, middle_names, order_images};
pub use edge_cosets::{EoKind, EpKind};
pub use phase_one::{
    FLIPS, FlipSliceClass, FlipSliceClasses, PhaseOnePlace, SliceClass, SliceClasses, SliceKind, TWISTS, flip, twist,
};
pub(crate) use phase_one::{moved_twists, set_flip, set_twist, twist_number};
pub use phase_two::{CornerClass, CornerClasses, Layers, PhaseTwoPlace};
pub(crate) use phase_two::{edge_relabelling, middle_coset, middle_of_coset, motions};
