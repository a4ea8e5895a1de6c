//! The bit-parallel breadth-first engine: level sets of spaces made of rows of blocks of words.
//!
//! A state is (row, block, permutation of eight). A move sends a row to a row, permutes the blocks of the row,
//! and acts on the eight by moving their slots and, when the block was brought to a representative, by
//! relabelling them. The 40,320 permutations of a block are bits; a move acts on 64 of them with one table
//! look-up. The engine knows no puzzle: [`Space`] holds where each block of a row comes from.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod block;
mod classes;
mod generate;
#[cfg(target_arch = "x86_64")]
mod gfni;
mod kernel;
mod level_files;
mod modulo3;
mod orientation;
mod pages;
mod parity;
mod product;
mod restore;
mod row_store;
mod scratch;
mod space;
mod spread;
#[cfg(test)]
mod tests;

pub use block::{BLOCK_WORDS, Block, BlockLevels, UNSET};
pub use classes::{ClassOptions, ClassSpace, count_classes};
pub use generate::{KnownLevels, Levels, MOST_LEVELS, Options, Seed, generate, least_memory, working_set};
pub use kernel::Kernel;
pub use modulo3::{BlockModulo3, LevelsModulo3, generate_modulo3, modulo3_least_memory, modulo3_working_set};
pub use orientation::{
    BoundedRow, KnownOrientations, MovableOrientations, OrientationBounds, OrientationLevels, OrientationMoves,
    OrientationPlanes, OrientationSeed, OrientationSet, OrientationSet4, OrientationSet8, OrientationSet12,
    OrientationShape, OrientationSource, OrientationSpace, PartMove, PullableOrientations, ReachedLevels,
    ReachedOptions, ReachedTallies, count_reached, generate_bounds, generate_orientations, reached_least_memory,
};
pub use parity::{ParityCount, sweep};
pub use product::{Coordinate, Guided, Keep, KnownRows, LevelSearch, ProductLevels, ProductSpace};
pub use restore::{RestoredNibbles, restore, restore_memory, sources_of};
pub use space::{BlockSource, Part, RowSource, SlotMove, Space};
pub use spread::{SQUARE, SharedSet, Spread, SpreadSet, SpreadSource};
