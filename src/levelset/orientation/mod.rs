//! The engine for spaces whose words are sets of edge orientations.
//!
//! A state is (row, part, group, orientation), where an *orientation* is that of all edges in four or eight places, or
//! in twelve of which an even number is flipped, so that the last follows from the others and there are 2^11. The
//! orientations of a *block*, a group of a part, are bits; a move permutes the places and flips some of them, which
//! exchanges bits of the orientations' *numbers*: a few masked shifts for a whole set, or fewer steps where a processor
//! has the instructions. The permutation may depend on the part; where a group goes depends on it, too.
//!
//! Levels are stored in `P` bit planes modulo 2^P - 1, and the planes serve as the frontier, too: a state next to one
//! whose level leaves the remainder of the last level, and not reached yet, belongs to the next level, because
//! neighbours of older levels have been reached. So nothing is in memory but the table itself. If it is too large for
//! that, its rows are in a scratch file.
//!
//! A layer imports only from those below it:
//!
//! | layer | what it knows |
//! |---|---|
//! | `driver` | the breadth-first search: seeds, known levels, bounds, batches of rows, budgets of memory |
//! | `pull` | the inner step, one kernel for each size of set and instruction set |
//! | `moves` | what a permutation of places and its flips do to a set; the space that moves connect |
//! | `representation` | sets as words, levels as planes, rows in memory or in a file, marks of parts |

mod driver;
mod moves;
mod pull;
mod representation;
#[cfg(test)]
mod tests;

pub use driver::{
    BoundedRow, KnownOrientations, OrientationBounds, OrientationLevels, OrientationSeed, ReachedLevels,
    ReachedOptions, ReachedTallies, count_reached, generate_bounds, generate_orientations, reached_least_memory,
};
pub use moves::{MovableOrientations, OrientationMoves, OrientationSource, OrientationSpace, PartMove};
pub use pull::PullableOrientations;
pub use representation::{
    OrientationPlanes, OrientationSet, OrientationSet4, OrientationSet8, OrientationSet12, OrientationShape,
};
