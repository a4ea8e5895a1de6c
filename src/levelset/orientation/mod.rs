//! The engine for spaces whose words are sets of edge orientations.
//!
//! A state is (row, part, group, edge orientations): the edge orientations of four or eight places, or of twelve of
//! which an even number is set, so that the last follows from the others and there are 2^11. The edge orientations of a
//! block, a group of a part, are bits; a move permutes the places and turns some of them over, which moves the bits by
//! exchanging bits of their *numbers*: a few masked shifts for all of them, or fewer steps where a processor has the
//! instructions. The permutation may depend on the part; where a group goes depends on it, too.
//!
//! Levels are kept in `P` bit planes modulo 2^P - 1, and the planes serve as the frontier, too: a state next to one
//! whose level leaves the remainder of the last level, and not reached yet, belongs to the next level, because
//! neighbours of older levels have been reached. So nothing is in memory but the table itself. If it is too large for
//! that, its rows are in a scratch file.

mod features;
mod generate;
mod lanes;
mod map;
mod marks;
#[cfg(target_arch = "x86_64")]
mod orders;
#[cfg(target_arch = "x86_64")]
mod registers;
mod rows;
mod set;
mod space;
#[cfg(target_arch = "x86_64")]
mod steps;
#[cfg(test)]
mod tests;

pub use generate::{
    BoundedRow, EnterOrientations, KnownOrientations, OrientationBounds, OrientationLevels, OrientationSeed,
    generate_bounds, generate_orientations,
};
pub use map::{ByteMap, SmallMap, WordMap};
pub use set::{
    OrientationPlanes, OrientationSet, OrientationSet4, OrientationSet8, OrientationSet12, OrientationWords,
};
pub use space::{OrientationMoves, OrientationShape, OrientationSource, OrientationSpace, PartMove};
