//! A table that threads share without waiting for each other, and that forgets.

use std::sync::atomic::{AtomicU64, Ordering};

use super::spread;
use crate::error::Result;
use crate::math::prefetch::prefetch_at;
use crate::memory::zeroed_atomics;

/// A number of `NUMBER_BITS` bits, fewer than 32, for each of some keys, which have the other bits of 64 and are not 0. A key
/// has one slot and displaces what another key has there.
#[derive(Debug)]
pub struct LossyTable<const NUMBER_BITS: u32> {
    /// By a hash of the key: key and number, or 0.
    slots: Vec<AtomicU64>,
    /// Bits of a slot's number.
    bits: u32,
}

impl<const NUMBER_BITS: u32> LossyTable<NUMBER_BITS> {
    /// An empty table of 2^`bits` slots of eight bytes.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory) when there is no memory for it.
    pub fn new(bits: u32) -> Result<Self> {
        Ok(Self { slots: zeroed_atomics(1 << bits)?, bits })
    }

    #[inline(always)]
    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.slots[spread(key, self.bits)]
    }

    /// Loads the slot of a key into the processor's cache.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        prefetch_at(self.slot(key));
    }

    /// The number stored for a key, unless another key has taken its slot.
    #[inline(always)]
    pub fn get(&self, key: u64) -> Option<u32> {
        let found = self.slot(key).load(Ordering::Relaxed);
        (found >> NUMBER_BITS == key).then_some((found & ((1 << NUMBER_BITS) - 1)) as u32)
    }

    /// Stores a number for a key, in place of what its slot holds.
    #[inline(always)]
    pub fn put(&self, key: u64, number: u32) {
        debug_assert_eq!((number >> NUMBER_BITS, key << NUMBER_BITS >> NUMBER_BITS), (0, key));
        // Key and number are one word, so that threads see both or neither.
        self.slot(key).store(key << NUMBER_BITS | u64::from(number), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_found_until_it_is_displaced() {
        let table = LossyTable::<8>::new(22).unwrap();
        assert_eq!(table.get(1), None);
        let number = |key| key as u32 % 256;
        (1..1000).for_each(|key| table.put(key << 40 | key, number(key)));
        (1..1000).for_each(|key| assert!(table.get(key << 40 | key).is_none_or(|found| found == number(key))));
        assert!((1..1000).filter(|key| table.get(key << 40 | key).is_some()).count() > 900);
        assert!((1..1000).all(|key| table.get(key << 40).is_none()));
    }
}
