//! What was found out near the goal, to be used by all walks that end there.

use twistbase_core::error::Result;
use twistbase_core::hash::LossyTable;
use twistbase_tables::Definition;

/// Numbers that are remembered, as a power of two: 32 MiB.
const SLOT_BITS: u32 = 22;

/// A number for each of some keys, which are below 2^56 and not 0. What another key displaces is found out again.
/// Threads share it.
#[derive(Debug)]
pub(super) struct Remembered(LossyTable<8>);

impl Remembered {
    /// Without numbers yet.
    ///
    /// # Errors
    /// [`Error::Memory`](twistbase_core::error::Error::Memory) when there is no memory for it, 32 MiB.
    pub fn new() -> Result<Self> {
        LossyTable::new(SLOT_BITS).map(Self)
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
            near * entries <= positions << (SLOT_BITS - 1)
        };
        (expected.positions.iter().take_while(is_near).count() as u8).saturating_sub(1)
    }

    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        self.0.prefetch(key);
    }

    #[inline(always)]
    pub fn get(&self, key: u64) -> Option<u8> {
        self.0.get(key).map(|number| number as u8)
    }

    #[inline(always)]
    pub fn put(&self, key: u64, number: u8) {
        self.0.put(key, number.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_tables as tables;

    /// Two million entries at most: 1.73 million of phase2-exact are within 9 moves.
    #[test]
    fn as_far_as_there_is_room() {
        let known = [("phase2-exact", 9), ("phase2-kociemba", 9), ("phase1-kociemba", 7), ("huge", 6)];
        for (name, farthest) in known {
            assert_eq!(Remembered::known_distance(tables::find(name).unwrap()), farthest, "{name}");
        }
    }
}
