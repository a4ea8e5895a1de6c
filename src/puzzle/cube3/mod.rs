//! Rubik's cube (3×3×3).
//!
//! Conventions are those of Herbert Kociemba's programs: corners URF UFL ULB UBR DFR DLF DBL DRB, edges UR UF UL UB DR
//! DF DL DB FR FL BL BR, faces U R F D L B; a [`Cube`] says which piece is in each place.

mod canonical;
mod centres;
mod colours;
pub mod coordinate;
mod cover;
mod cube;
mod cubies;
mod moves;
pub mod notation;
mod random;
mod sequence;
mod symmetry;

pub use canonical::CanonicalState;
pub use centres::Centres;
pub(crate) use colours::corner_shown;
#[doc(hidden)]
pub use cover::class_costs;
pub use cover::{Cover, CoverClasses};
pub use cube::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES};
pub(crate) use cubies::check_corners;
pub use cubies::{Cubie, CubieKind, Cubies, IllegalCube, IllegalReason};
pub use moves::{Face, Metric, Move};
pub(crate) use random::random_sequence;
pub use random::{random_cube, random_in_h, random_walk};
pub use sequence::MoveSequence;
pub use symmetry::{AXIS_SYMMETRIES, SYMMETRIES, Symmetry};
