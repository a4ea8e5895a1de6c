//! The engine for spaces whose words are sets of flips.
//!
//! A state is (row, block, flips): the flips of twelve places, of which an even number is set, so that the last follows
//! from the others and there are 2^11. The 2048 flips of a block are bits; a move permutes the places and turns some of
//! them over, which moves the bits by exchanging bits of their *numbers*: a few masked shifts for all 2048.
//!
//! Levels are kept in `P` bit planes modulo 2^P - 1, and the planes serve as the frontier, too: a state next to one whose
//! level leaves the remainder of the last level, and not reached yet, belongs to the next level, because neighbours of
//! older levels have been reached. So nothing is in memory but the table itself.

mod generate;
mod map;
mod set;
#[cfg(test)]
mod tests;

pub use generate::{FlipLevels, FlipSeed, FlipSource, FlipSpace, flip_memory, generate_flips};
pub use map::FlipMap;
pub use set::{FLIP_WORDS, FlipPlanes, FlipSet};
