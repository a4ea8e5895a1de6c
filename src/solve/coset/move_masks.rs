//! The cosets on the last moves before the tails, each with what its moves do to the distance.
//!
//! Where few moves are left, few of them lead on. One look-up shows which, where the table of distances takes one for
//! each move.

use rayon::prelude::*;

use crate::coset_moves::CosetMoves;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::hash::HashTable;
use twistbase_core::math::nibble;
use twistbase_puzzle::cube3::Move;
use twistbase_puzzle::cube3::coordinate::{CORNER_ORIENTATIONS, FlipSliceClasses};

/// The cosets up to a distance.
pub(super) struct MoveMaskTable {
    /// By the number of a coset, from the lowest bit: the representative's moves that lead nearer, those that keep the
    /// distance, the distance (4 bits).
    known: HashTable<{ DISTANCE_AT + 4 }>,
}

/// What is known of a coset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MoveMasks {
    /// Its distance from H.
    pub distance: u8,
    /// Its representative's moves that lead nearer.
    pub nearer: u32,
    /// Those that keep the distance.
    pub same: u32,
}

const MASK_BITS: u32 = Move::COUNT as u32;
const MASK: u64 = (1 << MASK_BITS) - 1;
const DISTANCE_AT: u32 = 2 * MASK_BITS;
/// Slots, as a power of 2: the table is half full.
const SLOT_BITS: u32 = 24;

impl MoveMaskTable {
    /// 8.6 million of the 140.9 million numbers are not farther.
    pub const FARTHEST: u8 = 8;
    /// Bytes of memory.
    pub const MEMORY: u64 = 8 << SLOT_BITS;

    /// All of them, by the bytes of `phase1`.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn new(phase1: &[u8], ctx: &Context) -> Result<Self> {
        let distance = |number: usize| nibble::pick(phase1[number / 2], number);
        let of_coset = |number: usize| {
            let (moves, at) = (CosetMoves::get(), distance(number));
            let coset = moves.representative(number / CORNER_ORIENTATIONS, (number % CORNER_ORIENTATIONS) as u16);
            let [mut nearer, mut same] = [0u64; 2];
            for turn in Move::all() {
                let after = distance(moves.index(moves.turned(coset, turn)).0);
                nearer |= u64::from(after < at) << turn.index();
                same |= u64::from(after == at) << turn.index();
            }
            (number, nearer | same << MASK_BITS | u64::from(at) << DISTANCE_AT)
        };
        let of_class = |class: usize| {
            let numbers = class * CORNER_ORIENTATIONS..(class + 1) * CORNER_ORIENTATIONS;
            numbers.filter(|&number| !ctx.is_cancelled() && distance(number) <= Self::FARTHEST).map(of_coset)
        };
        let found: Vec<(usize, u64)> =
            (0..FlipSliceClasses::COUNT).into_par_iter().with_min_len(64).flat_map_iter(of_class).collect();
        let mut move_masks = Self { known: HashTable::new(SLOT_BITS) };
        for found in found.chunks(1 << 16) {
            ctx.check()?;
            found.iter().for_each(|&(number, known)| move_masks.known.insert(number, known));
        }
        Ok(move_masks)
    }

    /// The slots, and where [`Self::find`] looks first: to be loaded in advance.
    #[inline(always)]
    pub fn slot(&self, number: usize) -> (&[u64], usize) {
        self.known.slot(number)
    }

    /// What is known of the coset with that number; `None` if it is farther.
    #[inline(always)]
    pub fn find(&self, number: usize) -> Option<MoveMasks> {
        let known = self.known.get(number)?;
        Some(MoveMasks {
            distance: (known >> DISTANCE_AT) as u8,
            nearer: (known & MASK) as u32,
            same: (known >> MASK_BITS & MASK) as u32,
        })
    }
}

#[cfg(test)]
pub(super) mod tests;
