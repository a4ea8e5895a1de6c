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
pub(super) mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase_levelset::{self as levelset, Options};
    use twistbase_puzzle::cube3::{Metric, random_walk};
    use twistbase_query::cube3::Cosets;
    use twistbase_store::{FlatTable, RowLevels};
    use twistbase_tables::{self as tables, Definition};

    /// The bytes of `phase1`.
    pub(in crate::coset) fn phase1() -> Vec<u8> {
        let options =
            Options { kernel: levelset::Kernel::detect(), memory: 1 << 30, scratch: Some(std::env::temp_dir()) };
        let mut phase1 = Vec::new();
        let mut keep = |_: u32, row: &[u8], _: &RowLevels| {
            phase1.extend_from_slice(row);
            Ok(())
        };
        let levels = tables::phase_one(Metric::Htm).generate(tables::BuildDepth::WHOLE, &options, &Context::silent());
        levels.unwrap().for_each_row(&mut keep).unwrap();
        phase1
    }

    /// Against walks through the cube and the distances that `phase1` tells of where they come by.
    #[test]
    #[ignore = "long suite: all cosets up to distance 8"]
    fn what_is_known_of_cosets_is_what_their_neighbours_tell() {
        let (table, phase1) = (tables::phase_one(Metric::Htm), phase1());
        let move_masks = MoveMaskTable::new(&phase1, &Context::silent()).unwrap();
        let distances = Cosets::over(table, FlatTable::new(*table.layout(), &phase1).unwrap());
        let moves = CosetMoves::get();
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut known = [0; 13];
        for walk in 0..4000 {
            let (_, position) = random_walk(&mut rng, Metric::Htm, walk % 14);
            let distance = distances.distance(&position).unwrap().moves();
            let (number, symmetry) = moves.index(moves.coset(&position));
            let found = move_masks.find(number);
            assert_eq!(found.is_some(), distance <= MoveMaskTable::FARTHEST, "{distance}");
            let Some(MoveMasks { distance: told, nearer, same }) = found else { continue };
            assert_eq!(told, distance);
            let [nearer, same] = [nearer, same].map(|mask| moves.mask_back(symmetry, mask));
            for step in distances.moves(&position).unwrap() {
                let [nearer, same] = [nearer, same].map(|mask| mask >> step.turn.index() & 1 == 1);
                let change = step.change.expect("of a complete table");
                assert_eq!((nearer, same), (change < 0, change == 0), "{}", step.turn);
            }
            known[usize::from(distance)] += 1;
        }
        assert!(known[..=usize::from(MoveMaskTable::FARTHEST)].iter().all(|&count| count > 0), "{known:?}");
    }
}
