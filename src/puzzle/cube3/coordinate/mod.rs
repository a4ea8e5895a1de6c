//! Coordinates: positions as numbers, reduced by the symmetries that keep the axis from U to D.

mod axis_classes;
mod corner_cosets;
mod coset_of_h;
mod crossings;
mod edge_cosets;
mod orbits;
mod phase_one;
mod phase_two;
mod three_colours;

pub use axis_classes::AxisClasses;
#[doc(hidden)]
pub use corner_cosets::moved_corner_coset;
pub use corner_cosets::{CORNER_COSETS, CornerCosetClasses, corner_coset};
pub use coset_of_h::CosetOfH;
pub use crossings::Crossings;
#[doc(hidden)]
pub use edge_cosets::{EdgeMove, EdgeMoves, exchanges_layers, layer_images, middle_names, order_images};
pub use edge_cosets::{EoKind, EpKind};
pub use orbits::{SymmetryClass, SymmetryClasses};
pub use phase_one::{
    CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, FlipSliceClass, FlipSliceClasses, PhaseOnePlace, SliceClass, SliceClasses,
    SliceKind, corner_orientation, edge_orientation,
};
#[doc(hidden)]
pub use phase_one::{
    corner_orientation_number, moved_corner_orientations, set_corner_orientation, set_edge_orientation,
};
pub use phase_two::{CornerClass, CornerClasses, PhaseTwoPlace, PhaseTwoPosition};
#[doc(hidden)]
pub use phase_two::{edge_relabelling, middle_coset, middle_of_coset, motions};
pub use three_colours::{
    THREE_COLOUR_CORNERS, THREE_COLOUR_EDGES, ThreeColourClasses, ThreeColourMoves, three_colour_corners,
    three_colour_edges,
};
