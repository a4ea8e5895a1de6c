//! The cosets near H, each with what its moves do to the distance.
//!
//! Most nodes of phase 1 are near its end. There one look-up in a table that fits a processor's cache tells the
//! distances after all moves, in place of a look-up for each move in a table that does not.

use std::sync::OnceLock;

use super::coset_moves::{Coset, CosetMoves};
use twistbase_core::hash::HashTable;
use twistbase_puzzle::cube3::coordinate::CORNER_ORIENTATIONS;
use twistbase_puzzle::cube3::{Cube, Metric, Move};

/// The cosets at distance 0 to [`NearCosets::FARTHEST`] in a metric.
pub(super) struct NearCosets {
    /// By the number of a coset, two masks of its representative's moves: those that keep the distance, above those that
    /// lead nearer.
    masks: HashTable<{ 2 * MASK_BITS }>,
}

/// Slots, as a power of 2: the table is half full.
const SLOT_BITS: u32 = 14;
/// Bits of a mask of moves.
const MASK_BITS: u32 = Move::COUNT as u32;
const MASK: u64 = (1 << MASK_BITS) - 1;

impl NearCosets {
    /// 94,887 of the 2,217,093,120 cosets are not farther, or 28,119 in quarter turns: one more would take the table out of a core's cache.
    pub const FARTHEST: u8 = 5;

    /// The only instance of a metric; computed, in a few milliseconds, when first asked for.
    pub fn get(metric: Metric) -> &'static Self {
        static NEAR: [OnceLock<NearCosets>; 2] = [const { OnceLock::new() }; 2];
        NEAR[metric as usize].get_or_init(|| Self::new(metric))
    }

    fn new(metric: Metric) -> Self {
        let moves = CosetMoves::get();
        let mut near = Self { masks: HashTable::new(SLOT_BITS) };
        let mut before = Vec::new();
        let mut level: Vec<usize> = moves.indices(moves.coset(&Cube::SOLVED)).collect();
        level.dedup();
        for _ in 0..=Self::FARTHEST {
            let mut next = Vec::new();
            for &index in &level {
                let neighbours = metric.moves().map(|turn| (turn.index(), moves.turned(representative(index), turn)));
                let neighbours: Vec<(usize, usize, Coset)> =
                    neighbours.map(|(turn, coset)| (turn, moves.index(coset).0, coset)).collect();
                let mask = |numbers: &[usize]| {
                    let leads = neighbours.iter().filter(|(_, index, _)| numbers.binary_search(index).is_ok());
                    leads.fold(0u64, |mask, (turn, ..)| mask | 1 << turn)
                };
                let (nearer, same) = (mask(&before), mask(&level));
                near.masks.insert(index, nearer | same << MASK_BITS);
                let farther = neighbours.iter().filter(|(turn, ..)| (nearer | same) >> turn & 1 == 0);
                next.extend(farther.flat_map(|&(_, _, coset)| moves.indices(coset)));
            }
            next.sort_unstable();
            next.dedup();
            before = std::mem::replace(&mut level, next);
        }
        near
    }

    /// Of the moves of its representative, those that lead nearer and those that keep the distance, from the coset with
    /// that number; none if it is not near.
    #[inline]
    pub fn masks(&self, index: usize) -> (u32, u32) {
        let masks = self.masks.get(index).unwrap_or(0);
        ((masks & MASK) as u32, (masks >> MASK_BITS) as u32)
    }
}

fn representative(index: usize) -> Coset {
    CosetMoves::get().representative(index / CORNER_ORIENTATIONS, (index % CORNER_ORIENTATIONS) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use std::collections::HashMap;
    use twistbase_puzzle::cube3::random_walk;

    #[test]
    fn all_moves_that_lead_nearer_are_known_and_no_other() {
        // The numbers of cosets at distance 0 to 4, published in half turns.
        check(Metric::Htm, 1 + 4 + 50 + 592 + 7156);
        check(Metric::Qtm, 1 + 4 + 34 + 312 + 2772);
    }

    fn check(metric: Metric, count: usize) {
        let (moves, near) = (CosetMoves::get(), NearCosets::get(metric));
        let (used, slots) = near.masks.used();
        assert!(used < slots * 2 / 3, "{used}");
        // A search of its own, over cosets as they are.
        let mut distances = HashMap::from([(moves.coset(&Cube::SOLVED), 0)]);
        let mut level = vec![moves.coset(&Cube::SOLVED)];
        for distance in 1..=4 {
            let mut next = Vec::new();
            for neighbour in level.iter().flat_map(|&c| metric.moves().map(move |turn| moves.turned(c, turn))) {
                distances.entry(neighbour).or_insert_with(|| {
                    next.push(neighbour);
                    distance
                });
            }
            level = next;
        }
        assert_eq!(distances.len(), count);
        for (&coset, &distance) in distances.iter().filter(|&(_, &distance)| distance < 4) {
            let (index, symmetry) = moves.index(coset);
            let (nearer, same) = near.masks(index);
            let masks = [nearer, same].map(|mask| moves.mask_back(symmetry, mask));
            for turn in metric.moves() {
                let after = distances.get(&moves.turned(coset, turn));
                let [nearer, same] = masks.map(|mask| mask >> turn.index() & 1 == 1);
                assert_eq!(nearer, after.is_some_and(|&after| after < distance), "{coset:?} {turn}");
                assert_eq!(same, after == Some(&distance), "{coset:?} {turn}");
            }
        }
        let (_, far) = random_walk(&mut ChaCha8Rng::seed_from_u64(1), Metric::Htm, 40);
        assert_eq!(near.masks(moves.index(moves.coset(&far)).0), (0, 0));
    }
}
