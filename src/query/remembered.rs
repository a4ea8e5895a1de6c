//! What was found out near the goal, to be used by all walks that end there.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Result;
use crate::levelset::zeroed_atomics;
use crate::math::prefetch::prefetch_at;
use crate::tables::Definition;

/// Numbers that are remembered, a power of two: 32 MiB.
const SLOTS: usize = 1 << 22;
/// Bits of a number; a key has the others.
const NUMBER_BITS: u32 = 8;

/// A number for each of some keys, which are below 2^56 and not 0. What another key displaces is found out again.
/// Threads share it.
#[derive(Debug)]
pub(super) struct Remembered(
    /// By a hash of the key: key and number, or 0.
    Vec<AtomicU64>,
);

impl Remembered {
    /// Without numbers yet.
    ///
    /// # Errors
    /// [`Error::Budget`](crate::error::Error::Budget) when there is no memory for it, 32 MiB.
    pub fn new() -> Result<Self> {
        zeroed_atomics(SLOTS).map(Self)
    }

    /// How far from the goal of a table there are not too many entries to be remembered, going by how many positions
    /// share one on average.
    pub fn known_distance(definition: &dyn Definition) -> u8 {
        let Some(expected) = definition.expected() else { return 0 };
        let entries = u128::from(definition.layout().entries());
        let positions: u128 = expected.positions.iter().map(|&positions| u128::from(positions)).sum();
        let mut near = 0;
        let is_near = |&&level: &&u64| {
            near += u128::from(level);
            near * entries <= positions * SLOTS as u128 / 2
        };
        (expected.positions.iter().take_while(is_near).count() as u8).saturating_sub(1)
    }

    /// Multiplied by 2^64 over the golden ratio.
    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.0[(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.trailing_zeros())) as usize]
    }

    pub fn prefetch(&self, key: u64) {
        prefetch_at(self.slot(key));
    }

    pub fn get(&self, key: u64) -> Option<u8> {
        let found = self.slot(key).load(Ordering::Relaxed);
        (found >> NUMBER_BITS == key).then_some(found as u8)
    }

    pub fn put(&self, key: u64, number: u8) {
        // Key and number are one number, so that threads see both or others.
        self.slot(key).store(key << NUMBER_BITS | u64::from(number), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables;

    #[test]
    fn what_is_put_is_found_until_it_is_displaced() {
        let remembered = Remembered::new().unwrap();
        assert_eq!(remembered.get(1), None);
        (1..1000).for_each(|key| remembered.put(key << 40 | key, key as u8));
        (1..1000).for_each(|key| assert!(remembered.get(key << 40 | key).is_none_or(|number| number == key as u8)));
        assert!((1..1000).filter(|key| remembered.get(key << 40 | key).is_some()).count() > 900);
        assert!((1..1000).all(|key| remembered.get(key << 40).is_none()));
    }

    /// Two million entries at most: 1.73 million of phase2-exact are within 9 moves.
    #[test]
    fn as_far_as_there_is_room() {
        let known = [("phase2-exact", 9), ("phase2-kociemba", 9), ("phase1-kociemba", 7), ("huge", 6)];
        for (name, farthest) in known {
            assert_eq!(Remembered::known_distance(tables::find(name).unwrap()), farthest, "{name}");
        }
    }
}
