//! Rubik's cube (3×3×3).
//!
//! Conventions are those of Herbert Kociemba's programs: corners URF UFL ULB UBR DFR DLF DBL DRB, edges UR UF UL UB DR
//! DF DL DB FR FL BL BR, faces U R F D L B; a [`Cube`] says which piece is in each place.

pub mod coordinate;
mod cube;
mod moves;
mod symmetry;

pub use cube::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES};
pub use moves::{Face, Metric, Move};
pub use symmetry::{AXIS_SYMMETRIES, SYMMETRIES, Symmetry};
