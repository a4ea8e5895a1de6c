//! A small cache of decoded pages, for readers that ask entry by entry.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use twistbase_core::hash::spread;

/// Shards, a power of two, so that threads seldom wait for each other.
const SHARDS: usize = 16;

/// Bytes of all decoded pages together. Queries walk from one position to its neighbours, which lie in the pages of
/// a handful of rows; random look-ups gain nothing from any cache much smaller than the table.
const BUDGET: usize = 16 << 20;

/// The most pages in a shard: they are searched one by one.
const MOST_PER_SHARD: usize = 64;

/// The pages used last, by (row, page).
#[derive(Debug)]
pub(super) struct PageCache {
    shards: Vec<Mutex<VecDeque<Decoded>>>,
    per_shard: usize,
}

#[derive(Debug)]
struct Decoded {
    key: (u32, u32),
    bytes: Vec<u8>,
}

impl PageCache {
    pub fn new(page_bytes: usize) -> Self {
        let per_shard = (BUDGET / SHARDS / page_bytes.max(1)).clamp(1, MOST_PER_SHARD);
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), per_shard }
    }

    fn shard(&self, (row, page): (u32, u32)) -> &Mutex<VecDeque<Decoded>> {
        &self.shards[spread(u64::from(row) << 32 | u64::from(page), SHARDS.ilog2())]
    }

    /// Byte number `byte` of a page, if the page is held.
    pub fn get(&self, key: (u32, u32), byte: usize) -> Option<u8> {
        let mut shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        let at = shard.iter().position(|page| page.key == key)?;
        shard.swap(0, at);
        shard[0].bytes.get(byte).copied()
    }

    /// A buffer for a page about to be decoded: that of the page used longest ago, or a new one.
    pub fn buffer(&self, key: (u32, u32)) -> Vec<u8> {
        let mut shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        if shard.len() < self.per_shard {
            Vec::new()
        } else {
            shard.pop_back().map(|page| page.bytes).unwrap_or_default()
        }
    }

    /// Holds a page.
    pub fn put(&self, key: (u32, u32), bytes: Vec<u8>) {
        let mut shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        shard.push_front(Decoded { key, bytes });
        shard.truncate(self.per_shard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_it_was_given_and_stays_within_its_budget() {
        let cache = PageCache::new(BUDGET / SHARDS / 2);
        assert_eq!(cache.per_shard, 2);
        for page in 0..1000 {
            cache.put((1, page), vec![(page % 15) as u8; 4]);
            assert_eq!(cache.get((1, page), 0), Some((page % 15) as u8));
        }
        let held = cache.shards.iter().map(|shard| shard.lock().unwrap().len()).sum::<usize>();
        assert!(held <= 2 * SHARDS);
        assert_eq!(cache.get((2, 999), 0), None);
    }
}
