//! Open addressing with linear probing, eight bytes an entry.

use super::GOLDEN;
use crate::memory::huge_vec;

/// Bits of a key.
const KEY_BITS: u32 = 28;
const EMPTY: u64 = u64::MAX;

/// A table of numbers of `VALUE_BITS` bits (40 at most), by keys below 2^28.
///
/// A slot need not hold the whole key, because hashing is a permutation of the keys (a product with an odd number modulo
/// 2^28 can be undone): the first slot to look at is the upper part of the hash, and a slot holds the lower part and how
/// far it is from its first slot (Cleary's quotienting).
pub struct HashTable<const VALUE_BITS: u32> {
    /// From the lowest bit: the value; the rest of the key's hash; how many slots after the first this is. Or
    /// [`EMPTY`].
    slots: Vec<u64>,
    /// Bits of a slot's number.
    bits: u32,
}

impl<const VALUE_BITS: u32> HashTable<VALUE_BITS> {
    /// An empty table of 2^`bits` slots, 1 to 28 bits. Of these half may be used without looking far.
    pub fn new(bits: u32) -> Self {
        const { assert!(VALUE_BITS <= 40) };
        assert!((1..=KEY_BITS).contains(&bits));
        let mut slots = huge_vec(1 << bits);
        slots.resize(1 << bits, EMPTY);
        Self { slots, bits }
    }

    /// An empty table for a number of entries.
    pub fn for_entries(entries: usize) -> Self {
        Self::new((2 * entries).next_power_of_two().ilog2().max(1))
    }

    /// Adds an entry, whose key must be new.
    ///
    /// # Panics
    /// When key or value is too large, or no slot near enough is free.
    pub fn insert(&mut self, key: usize, value: u64) {
        assert!(key < 1 << KEY_BITS && value >> VALUE_BITS == 0, "an entry that fits a slot");
        let (mut at, mut mark) = self.first(key);
        while self.slots[at] != EMPTY {
            (at, mark) = self.next(at, mark);
        }
        assert!(mark < u64::MAX >> VALUE_BITS, "a free slot near the first");
        self.slots[at] = mark << VALUE_BITS | value;
    }

    /// The value of a key below 2^28.
    #[inline(always)]
    pub fn get(&self, key: usize) -> Option<u64> {
        debug_assert!(key < 1 << KEY_BITS);
        let (mut at, mut mark) = self.first(key);
        loop {
            let slot = self.slots[at];
            if slot >> VALUE_BITS == mark {
                return Some(slot & ((1 << VALUE_BITS) - 1));
            } else if slot == EMPTY {
                return None;
            }
            (at, mark) = self.next(at, mark);
        }
    }

    /// The slots, and where [`Self::get`] looks first: to be loaded in advance.
    #[inline(always)]
    pub fn slot(&self, key: usize) -> (&[u64], usize) {
        (&self.slots, self.first(key).0)
    }

    /// The first slot to look at, and its upper bits if it holds the key.
    #[inline(always)]
    fn first(&self, key: usize) -> (usize, u64) {
        let (hash, rest_bits) = (permuted(key), KEY_BITS - self.bits);
        (hash >> rest_bits, hash as u64 & ((1 << rest_bits) - 1))
    }

    /// The same of the slot to look at after one.
    #[inline(always)]
    fn next(&self, at: usize, mark: u64) -> (usize, u64) {
        ((at + 1) % (1 << self.bits), mark + (1 << (KEY_BITS - self.bits)))
    }

    /// Slots in use, and slots.
    pub fn used(&self) -> (usize, usize) {
        (self.slots.iter().filter(|&&slot| slot != EMPTY).count(), self.slots.len())
    }
}

/// A key's hash, which is another key's number: the product with an odd number modulo 2^28.
#[inline(always)]
const fn permuted(key: usize) -> usize {
    const FACTOR: usize = (GOLDEN >> (64 - KEY_BITS)) as usize | 1;
    key.wrapping_mul(FACTOR) % (1 << KEY_BITS)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn a_hash_tells_its_key() {
        // The inverse of the factor modulo 2^28, by Newton's method.
        let factor = permuted(1);
        let inverse = (0..6).fold(1usize, |x, _| x.wrapping_mul(2usize.wrapping_sub(factor.wrapping_mul(x))));
        for key in (0..1 << KEY_BITS).step_by(1 << 8) {
            assert_eq!(permuted(key).wrapping_mul(inverse) % (1 << KEY_BITS), key);
        }
    }

    /// In tables from one slot for each key to nearly full ones, keys together and apart.
    #[test]
    fn it_holds_what_a_map_holds() {
        let mut rng = ChaCha8Rng::seed_from_u64(28);
        for (bits, entries) in [(1, 1), (4, 15), (10, 512), (14, 9000), (20, 100)] {
            let (mut table, mut map) = (HashTable::<36>::new(bits), HashMap::new());
            while map.len() < entries {
                let key = rng.random_range(0..1usize << if map.len() % 2 == 0 { KEY_BITS } else { 14 });
                let value = rng.random_range(0..1 << 36);
                map.entry(key).or_insert_with(|| {
                    table.insert(key, value);
                    value
                });
            }
            assert_eq!(table.used(), (entries, 1 << bits));
            for key in map.keys().copied().chain(0..1 << 14) {
                assert_eq!(table.get(key), map.get(&key).copied(), "{key}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "an entry that fits a slot")]
    fn a_value_that_is_too_large_is_refused() {
        HashTable::<32>::for_entries(1).insert(0, 1 << 32);
    }
}
