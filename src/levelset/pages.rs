//! Pages: equal pieces of one large allocation, each with an owner of its own.
//!
//! A pass that replaces a set can so write into the pages of rows that nothing reads any more, on several threads, in the
//! little memory that such an order leaves; and threads can add states to the pages of all rows at once.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::block::{BLOCK_WORDS, Block};
use twistbase_core::error::Result;
use twistbase_core::math::prefetch::prefetch_at;
use twistbase_core::memory::Zeroed;

/// Some blocks of an allocation, which no one else reads or writes while this exists.
pub(super) struct Page {
    blocks: NonNull<Block>,
    len: usize,
    /// Keeps the blocks allocated.
    _memory: Arc<Zeroed<Block>>,
}

// SAFETY: a page is the only way to its blocks, as a `Box<[Block]>` is, and blocks are plain data.
unsafe impl Send for Page {}
// SAFETY: as above; a shared page gives shared blocks only.
unsafe impl Sync for Page {}

impl Page {
    /// `count` zeroed pages of `len` blocks each.
    pub fn allocate(count: usize, len: usize) -> Result<Vec<Self>> {
        let mut memory: Zeroed<Block> = Zeroed::new(count * len)?;
        let first = NonNull::from(&mut memory[..]).cast::<Block>();
        let memory = Arc::new(memory);
        let page = |number| Self {
            // SAFETY: `number < count`, so the page ends within the `count × len` blocks. The blocks do not move with
            // `memory`, which holds them behind a pointer, and are not reached through it again.
            blocks: unsafe { first.add(number * len) },
            len,
            _memory: Arc::clone(&memory),
        };
        Ok((0..count).map(page).collect())
    }
}

impl Deref for Page {
    type Target = [Block];
    #[inline]
    fn deref(&self) -> &[Block] {
        // SAFETY: `len` initialised blocks, alive as long as `_memory` and reached through this page only.
        unsafe { std::slice::from_raw_parts(self.blocks.as_ptr(), self.len) }
    }
}

impl DerefMut for Page {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Block] {
        // SAFETY: as in `deref`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.blocks.as_ptr(), self.len) }
    }
}

/// Pages to which several threads add states at once.
pub(super) struct SharedPages<'a> {
    pages: Vec<NonNull<Block>>,
    /// Words of each page.
    words: usize,
    borrowed: PhantomData<&'a mut [Page]>,
}

// SAFETY: the pages are borrowed exclusively, and every access through this is atomic.
unsafe impl Send for SharedPages<'_> {}
// SAFETY: as above.
unsafe impl Sync for SharedPages<'_> {}

impl<'a> SharedPages<'a> {
    /// Shares pages, which must be equally long.
    pub fn new(pages: impl Iterator<Item = &'a mut Page>) -> Self {
        let mut words = None;
        let share = |page: &'a mut Page| {
            let len = page.len * BLOCK_WORDS;
            assert!(*words.get_or_insert(len) == len, "pages of one length");
            page.blocks
        };
        let pages = pages.map(share).collect();
        Self { pages, words: words.unwrap_or(0), borrowed: PhantomData }
    }

    #[inline]
    fn word(&self, page: usize, word: usize) -> NonNull<u64> {
        assert!(word < self.words);
        // SAFETY: within the page, by the assertion.
        unsafe { self.pages[page].cast::<u64>().add(word) }
    }

    /// Starts to load a word.
    #[inline]
    pub fn prefetch(&self, page: usize, word: usize) {
        prefetch_at(self.word(page, word).as_ptr());
    }

    /// Sets bits of a word; returns those that were set before.
    #[inline]
    pub fn set(&self, page: usize, word: usize, bits: u64) -> u64 {
        // SAFETY: an aligned word of a page that is borrowed exclusively for the life of `self`, through which all
        // accesses are atomic.
        let word = unsafe { AtomicU64::from_ptr(self.word(page, word).as_ptr()) };
        // Most are set already when a search adds states one by one, and looking costs less than locking.
        if word.load(Ordering::Relaxed) & bits == bits {
            return bits;
        }
        word.fetch_or(bits, Ordering::Relaxed) & bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_apart_and_add_up() {
        let mut pages = Page::allocate(5, 3).unwrap();
        for (number, page) in (0..).zip(&mut pages) {
            page.iter_mut().for_each(|block| block.insert(number));
        }
        pages.swap_remove(1);
        std::thread::spawn(move || {
            let shared = SharedPages::new(pages.iter_mut());
            assert_eq!(shared.set(1, 2 * BLOCK_WORDS, 0b1111), 0b10000 & 0b1111);
            assert_eq!(shared.set(0, 0, 0b1), 0b1);
            let counts: Vec<u64> = pages.iter().map(|page| page.iter().map(Block::count).sum()).collect();
            assert_eq!(counts, [3, 7, 3, 3]);
        })
        .join()
        .unwrap();
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn words_outside_a_page_are_refused() {
        let mut pages = Page::allocate(2, 1).unwrap();
        SharedPages::new(pages.iter_mut()).set(0, BLOCK_WORDS, 1);
    }
}
