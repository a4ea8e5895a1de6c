//! The cosets on the last moves before the tails, each with what its moves do to the distance.
//!
//! Where few moves are left, few of them lead on. One look-up tells which, where the table of distances takes one for
//! each move.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::Result;
use crate::levelset::huge_vec;
use crate::math::nibble;
use crate::puzzle::cube3::Move;
use crate::puzzle::cube3::coordinate::{CORNER_ORIENTATIONS, FlipSliceClasses};
use crate::solve::coset_moves::CosetMoves;

/// The cosets up to a distance, in a hash table of slots.
pub(super) struct Guide {
    /// A slot holds, from the lowest bit: the representative's moves that lead nearer, those that keep the distance,
    /// the distance (4 bits), and 24 bits that tell the coset.
    slots: Vec<u64>,
}

/// What is known of a coset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Near {
    /// Its distance from H.
    pub distance: u8,
    /// Its representative's moves that lead nearer.
    pub nearer: u32,
    /// Those that keep the distance.
    pub same: u32,
}

const EMPTY: u64 = u64::MAX;
/// Bits of the numbers of cosets.
const NUMBER_BITS: u32 = 28;
const MASK_BITS: u32 = Move::COUNT as u32;
const MASK: u64 = (1 << MASK_BITS) - 1;
const DISTANCE_AT: u32 = 2 * MASK_BITS;
const KEY_AT: u32 = DISTANCE_AT + 4;
/// Slots, as a power of 2: the table is half full.
const SLOT_BITS: u32 = 24;
/// Bits of a hash that the slot does not tell.
const REST_BITS: u32 = NUMBER_BITS - SLOT_BITS;

const _: () = assert!(FlipSliceClasses::COUNT * CORNER_ORIENTATIONS <= 1 << NUMBER_BITS);

impl Guide {
    /// 8.6 million of the 140.9 million numbers are not farther.
    pub const FARTHEST: u8 = 8;
    /// Bytes of memory.
    pub const MEMORY: u64 = 8 << SLOT_BITS;

    /// All of them, by the bytes of `phase1`.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::error::Error::Interrupted).
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
        let mut slots = huge_vec(1 << SLOT_BITS);
        slots.resize(1 << SLOT_BITS, EMPTY);
        let mut guide = Self { slots };
        for found in found.chunks(1 << 16) {
            ctx.check()?;
            found.iter().for_each(|&(number, known)| guide.insert(number, known));
        }
        Ok(guide)
    }

    fn insert(&mut self, number: usize, known: u64) {
        let (first, rest) = hash(number);
        let mut tries = 0;
        while self.slots[(first + tries) % self.slots.len()] != EMPTY {
            tries += 1;
        }
        let at = (first + tries) % self.slots.len();
        self.slots[at] = known | key(rest, tries) << KEY_AT;
    }

    /// The slots, and where [`Self::find`] looks first: to be loaded in advance.
    #[inline(always)]
    pub fn slot(&self, number: usize) -> (&[u64], usize) {
        (&self.slots, hash(number).0)
    }

    /// What is known of the coset with that number; `None` if it is farther.
    #[inline(always)]
    pub fn find(&self, number: usize) -> Option<Near> {
        let (first, rest) = hash(number);
        let mut tries = 0;
        loop {
            let slot = self.slots[(first + tries) % (1 << SLOT_BITS)];
            if slot >> KEY_AT == key(rest, tries) {
                return Some(Near {
                    distance: (slot >> DISTANCE_AT & 15) as u8,
                    nearer: (slot & MASK) as u32,
                    same: (slot >> MASK_BITS & MASK) as u32,
                });
            } else if slot == EMPTY {
                return None;
            }
            tries += 1;
        }
    }
}

/// The first slot to look at, and the rest of the hash. A product with an odd number (2^32 / golden ratio) modulo a
/// power of 2 can be undone: slot and rest together tell the number.
#[inline(always)]
const fn hash(number: usize) -> (usize, u64) {
    let hash = (number as u64).wrapping_mul(0x9e37_79b1) & ((1 << NUMBER_BITS) - 1);
    ((hash >> REST_BITS) as usize, hash & ((1 << REST_BITS) - 1))
}

/// What tells the coset in a slot so many slots after its first.
#[inline(always)]
const fn key(rest: u64, tries: usize) -> u64 {
    rest | (tries as u64) << REST_BITS
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::levelset::{self, Options};
    use crate::puzzle::cube3::{Metric, random_walk};
    use crate::query::cube3::Cosets;
    use crate::store::{FlatTable, RowLevels};
    use crate::tables::{self, Definition};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn slot_and_rest_tell_the_number() {
        for number in (0..1 << NUMBER_BITS).step_by(1 << 8) {
            let (slot, rest) = hash(number);
            assert!(slot < 1 << SLOT_BITS && rest < 1 << REST_BITS);
            let hash = slot << REST_BITS | rest as usize;
            // The inverse of the factor modulo 2^28, by Newton's method.
            let factor = 0x9e37_79b1_u64;
            let inverse = (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(x))));
            assert_eq!((hash as u64).wrapping_mul(inverse) & ((1 << NUMBER_BITS) - 1), number as u64);
        }
    }

    /// The bytes of `phase1`.
    pub(in crate::solve::coset) fn phase1() -> Vec<u8> {
        let options = Options { kernel: levelset::Kernel::detect(), memory: 1 << 30, scratch: std::env::temp_dir() };
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
        let guide = Guide::new(&phase1, &Context::silent()).unwrap();
        let distances = Cosets::over(table, FlatTable::new(*table.layout(), &phase1).unwrap());
        let moves = CosetMoves::get();
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut known = [0; 13];
        for walk in 0..4000 {
            let (_, position) = random_walk(&mut rng, Metric::Htm, walk % 14);
            let distance = distances.distance(&position).unwrap().moves();
            let (number, symmetry) = moves.index(moves.coset(&position));
            let found = guide.find(number);
            assert_eq!(found.is_some(), distance <= Guide::FARTHEST, "{distance}");
            let Some(Near { distance: told, nearer, same }) = found else { continue };
            assert_eq!(told, distance);
            let [nearer, same] = [nearer, same].map(|mask| moves.mask_back(symmetry, mask));
            for step in distances.moves(&position).unwrap() {
                let [nearer, same] = [nearer, same].map(|mask| mask >> step.turn.index() & 1 == 1);
                let change = step.change.expect("of a complete table");
                assert_eq!((nearer, same), (change < 0, change == 0), "{}", step.turn);
            }
            known[usize::from(distance)] += 1;
        }
        assert!(known[..=usize::from(Guide::FARTHEST)].iter().all(|&count| count > 0), "{known:?}");
    }
}
