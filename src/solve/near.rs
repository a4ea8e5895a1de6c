//! The cosets near H, each with the moves that lead nearer.
//!
//! Most nodes of phase 1 are near its end. There the next moves come from a table that fits a processor's cache, in place of
//! a look-up for each move in one that does not.

use std::sync::LazyLock;

use super::coset_moves::CosetMoves;
use crate::puzzle::cube3::coordinate::TWISTS;
use crate::puzzle::cube3::{Cube, Move};

/// The cosets at distance 1 to [`NearCosets::FARTHEST`], in a hash table of slots.
pub(super) struct NearCosets {
    /// The number of a coset in the upper bits, the moves of its representative that lead nearer in the lower 18.
    slots: Vec<u64>,
}

const EMPTY: u64 = u64::MAX;
/// Slots, as a power of 2: the table is half full.
const SLOT_BITS: u32 = 14;

impl NearCosets {
    /// 87,236 of the 2,217,093,120 cosets are this far: one farther would take the table out of a core's cache.
    pub const FARTHEST: u8 = 5;

    /// The only instance; computed, in a few milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static NEAR: LazyLock<NearCosets> = LazyLock::new(NearCosets::new);
        &NEAR
    }

    fn new() -> Self {
        let moves = CosetMoves::get();
        let mut near = Self { slots: vec![EMPTY; 1 << SLOT_BITS] };
        let mut level: Vec<usize> = moves.indices(moves.coset(&Cube::SOLVED)).collect();
        for index in &level {
            near.insert(*index, 0);
        }
        for _ in 0..Self::FARTHEST {
            let mut next = Vec::new();
            for &index in &level {
                let coset = moves.representative(index / TWISTS, (index % TWISTS) as u16);
                for neighbour in Move::all().map(|turn| moves.turned(coset, turn)) {
                    next.extend(moves.indices(neighbour).filter(|&index| near.find(index).is_none()));
                }
            }
            next.sort_unstable();
            next.dedup();
            let masks = next.iter().map(|&index| near.mask(index, &level)).collect::<Vec<_>>();
            next.iter().zip(masks).for_each(|(&index, mask)| near.insert(index, mask));
            level = next;
        }
        near
    }

    /// The moves of a representative that lead into `level`, whose numbers rise.
    fn mask(&self, index: usize, level: &[usize]) -> u64 {
        let moves = CosetMoves::get();
        let coset = moves.representative(index / TWISTS, (index % TWISTS) as u16);
        let leads = |turn: &Move| level.binary_search(&moves.index(moves.turned(coset, *turn)).0).is_ok();
        Move::all().filter(leads).fold(0, |mask, turn| mask | 1 << turn.index())
    }

    /// The moves of its representative that lead nearer from the coset with that number; none if it is not near.
    #[inline]
    pub fn nearer(&self, index: usize) -> u32 {
        self.find(index).map_or(0, |slot| slot as u32 & 0x3ffff)
    }

    #[inline]
    fn find(&self, index: usize) -> Option<u64> {
        let mut at = hash(index);
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return None;
            } else if (slot >> 18) as usize == index {
                return Some(slot);
            }
            at = (at + 1) % self.slots.len();
        }
    }

    fn insert(&mut self, index: usize, mask: u64) {
        let mut at = hash(index);
        while self.slots[at] != EMPTY {
            at = (at + 1) % self.slots.len();
        }
        self.slots[at] = (index as u64) << 18 | mask;
    }
}

/// The first slot to look at: the highest bits of a product with an odd constant (2^64 / golden ratio).
#[inline]
const fn hash(index: usize) -> usize {
    ((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::cube3::{Metric, random_walk};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use std::collections::HashMap;

    #[test]
    fn all_moves_that_lead_nearer_are_known_and_no_other() {
        let (moves, near) = (CosetMoves::get(), NearCosets::get());
        let used = near.slots.iter().filter(|&&slot| slot != EMPTY).count();
        assert!(used < near.slots.len() * 2 / 3, "{used}");
        // A search of its own, over cosets as they are.
        let mut distances = HashMap::from([(moves.coset(&Cube::SOLVED), 0)]);
        let mut level = vec![moves.coset(&Cube::SOLVED)];
        for distance in 1..=4 {
            let mut next = Vec::new();
            for neighbour in level.iter().flat_map(|&c| Move::all().map(move |turn| moves.turned(c, turn))) {
                distances.entry(neighbour).or_insert_with(|| {
                    next.push(neighbour);
                    distance
                });
            }
            level = next;
        }
        // CUBE3.md's numbers of cosets at distance 0 to 4.
        assert_eq!(distances.len(), 1 + 4 + 50 + 592 + 7156);
        for (&coset, &distance) in distances.iter().filter(|&(_, &distance)| distance > 0) {
            let (index, symmetry) = moves.index(coset);
            let mask = moves.mask_back(symmetry, near.nearer(index));
            for turn in Move::all() {
                let nearer = distances.get(&moves.turned(coset, turn)) == Some(&(distance - 1));
                assert_eq!(mask >> turn.index() & 1 == 1, nearer, "{coset:?} {turn}");
            }
        }
        let (_, far) = random_walk(&mut ChaCha8Rng::seed_from_u64(1), Metric::Htm, 40);
        assert_eq!(near.nearer(moves.index(moves.coset(&far)).0), 0);
    }
}
