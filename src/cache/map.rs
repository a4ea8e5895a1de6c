//! The memory that the cache answers from: private bytes that are filled block by block, and the one map of a file.
#![allow(unsafe_code)]

use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use memmap2::{Advice, Mmap, MmapOptions, MmapRaw};

use super::format::BLOCK_BYTES;
use twistbase_core::math::prefetch::prefetch_at;
use twistbase_core::memory::{available_memory, leaves_room};

/// Locks of the blocks of a unit: more than threads that want blocks at the same time.
const LOCKS: usize = 64;

/// Blocks that follow each other and share a lock: a part of a word of the bits.
const RUN: usize = 16;

/// When more than one byte in five of a unit is there, a block is filled with its neighbours.
const MANY: u64 = 5;

/// How many bytes of memory some units may fill together.
#[derive(Debug, Default)]
pub(super) struct Budget {
    most: OnceLock<u64>,
    filled: AtomicU64,
}

impl Budget {
    /// The budget of all units of this process: half of the memory that was available when the first of them was opened.
    pub fn of_process() -> &'static Self {
        static BUDGET: Budget = Budget { most: OnceLock::new(), filled: AtomicU64::new(0) };
        BUDGET.most.get_or_init(|| available_memory() / 2);
        &BUDGET
    }

    #[cfg(test)]
    pub fn of(most: u64) -> Self {
        Self { most: most.into(), ..Self::default() }
    }

    /// Takes bytes of it, if there are as many.
    fn take(&self, bytes: u64) -> bool {
        let most = self.most.get().copied().unwrap_or(u64::MAX);
        let is_there = self.filled.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= most;
        if !is_there {
            self.give_back(bytes);
        }
        is_there
    }

    fn give_back(&self, bytes: u64) {
        self.filled.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Bytes in memory of this process alone, which are there block by block once they have been filled in, and never change
/// afterwards.
#[derive(Debug)]
pub(super) struct Blocks {
    memory: MmapRaw,
    /// A bit per block: it is filled. Bits are only ever set.
    ready: Vec<AtomicU64>,
    /// Bytes of the blocks that are filled.
    filled: AtomicU64,
    /// Whoever fills a block holds the lock that it shares with its neighbours.
    filling: Box<[Mutex<()>; LOCKS]>,
    budget: &'static Budget,
}

impl Blocks {
    /// Reserves addresses for a number of bytes. A block takes memory when it is filled.
    ///
    /// # Errors
    /// When the system refuses, or too few addresses would be left for anything else.
    pub fn new(len: usize, budget: &'static Budget) -> io::Result<Self> {
        let memory = MmapOptions::new().len(len).no_reserve_swap().map_anon()?.into();
        leaves_room(len)?;
        let ready = (0..len.div_ceil(BLOCK_BYTES).div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self {
            memory,
            ready,
            filled: AtomicU64::new(0),
            filling: Box::new([const { Mutex::new(()) }; LOCKS]),
            budget,
        })
    }

    #[inline]
    pub fn is_ready(&self, block: usize) -> bool {
        // Acquire: what was written before the bit was set is then seen.
        self.ready.get(block / 64).is_some_and(|bits| bits.load(Ordering::Acquire) >> (block % 64) & 1 == 1)
    }

    /// The byte at `at`, if its block is filled.
    #[inline]
    pub fn byte(&self, at: usize) -> Option<u8> {
        let is_there = at < self.memory.len() && self.is_ready(at / BLOCK_BYTES);
        // SAFETY: the byte lies within the memory, which lives as long as `self`. Its block is ready: it was written before
        // the bit was set, which was seen with `Acquire`, and nothing writes to it any more (see `fill`).
        is_there.then(|| unsafe { self.memory.as_ptr().add(at).read() })
    }

    /// Some bytes, if all of their blocks are filled; `None` also beyond the end.
    pub fn range(&self, range: Range<usize>) -> Option<&[u8]> {
        let mut blocks = range.start / BLOCK_BYTES..range.end.div_ceil(BLOCK_BYTES);
        let is_there =
            range.start <= range.end && range.end <= self.memory.len() && blocks.all(|block| self.is_ready(block));
        // SAFETY: the bytes lie within the memory, which lives as long as `self`, and so as long as the slice. All of their
        // blocks are ready: as for `byte`, they were written before, and nothing writes to them any more.
        is_there.then(|| unsafe { slice::from_raw_parts(self.memory.as_ptr().add(range.start), range.len()) })
    }

    /// Asks for the byte at `at` before it is read, whether its block is filled or not.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        if at < self.memory.len() {
            prefetch_at(self.memory.as_ptr().wrapping_add(at));
        }
    }

    /// Fills a block, unless it is filled, the budget is spent, or there is no such block. `write` writes the bytes from the block
    /// of that number on; it gets those of its neighbours, too, where many of the blocks are filled already. Of two threads that want
    /// the same block one fills it, the other waits.
    ///
    /// # Errors
    /// That of `write`: nothing then is filled.
    pub fn fill<E>(&self, block: usize, write: impl FnOnce(usize, &mut [u8]) -> Result<(), E>) -> Result<(), E> {
        let _held = self.filling[block / RUN % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
        if block >= self.count() || self.is_ready(block) {
            return Ok(());
        }
        let blocks = self.wanted_with(block);
        let begin = blocks.start * BLOCK_BYTES;
        let length = self.memory.len().min(blocks.end * BLOCK_BYTES) - begin;
        if !self.budget.take(length as u64) {
            return Ok(());
        }
        // SAFETY: the bytes lie within the memory, which is this process's own, writable and initialized, zero at
        // first. Nobody else has a reference to them: `byte` and `range` read a block only when it is ready. None of these is
        // (see `wanted_with`), and only this function makes them ready. All of them share a lock, which is held for as long as this
        // slice lives, so that another thread in this function does not get one of them. References to other blocks are to other
        // bytes.
        let bytes = unsafe { slice::from_raw_parts_mut(self.memory.as_mut_ptr().add(begin), length) };
        write(blocks.start, bytes).inspect_err(|_| self.budget.give_back(length as u64))?;
        let bits = u64::MAX >> (64 - blocks.len()) << (blocks.start % 64);
        self.filled.fetch_add(length as u64, Ordering::Relaxed);
        // Release, under the lock: the bytes are written before, and are never written again.
        self.ready[block / 64].fetch_or(bits, Ordering::Release);
        Ok(())
    }

    /// A block that is not ready, with those around it that are not ready either and share its lock, where many of all blocks are:
    /// who has read that much of a unit will read nearly all of it, and one long read takes less time than many short ones.
    fn wanted_with(&self, block: usize) -> Range<usize> {
        let mut blocks = block..block + 1;
        if self.filled.load(Ordering::Relaxed) * MANY > self.memory.len() as u64 {
            let run = block / RUN * RUN..self.count().min((block / RUN + 1) * RUN);
            while blocks.start > run.start && !self.is_ready(blocks.start - 1) {
                blocks.start -= 1;
            }
            while blocks.end < run.end && !self.is_ready(blocks.end) {
                blocks.end += 1;
            }
        }
        blocks
    }

    fn count(&self) -> usize {
        self.memory.len().div_ceil(BLOCK_BYTES)
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.budget.give_back(*self.filled.get_mut());
    }
}

/// A range of a published file, mapped read-only, for tables that are larger than memory.
///
/// Other programs can change what it shows, and end the process by making the file shorter. See [`FileMap::is_unchanged`].
#[derive(Debug)]
pub(super) struct FileMap {
    map: Mmap,
    file: File,
    /// The file when it was mapped.
    mapped: Metadata,
}

impl FileMap {
    /// Maps `len` bytes from `offset` of a file that was opened as a valid cache file. What the bytes are is not looked at.
    ///
    /// # Errors
    /// What the system says, for instance that there is no address space left, or too little for anything else; a file
    /// that is shorter than `offset + len`.
    pub fn of_published(file: File, offset: u64, len: usize) -> io::Result<Self> {
        let end = offset.checked_add(len as u64).ok_or(io::ErrorKind::InvalidInput)?;
        let mapped = file.metadata()?;
        if mapped.len() < end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // SAFETY: a map asks that its bytes stay as they are. twistbase never changes a published file: it is complete,
        // synced and made read-only (0444) before it is renamed to the name it is opened under, nothing opens it for writing
        // afterwards, and it is replaced and removed by name only; `probe` follows no link out of the folder. What remains
        // is another program that changes files in twistbase's folder against their mode, or a disk that fails. A user
        // asks for a map knowing that (`TablePlace::Mapped`), and such a change does not stay unseen: bytes that are gone, or
        // cannot be read, end the process with SIGBUS, before any code has seen them; after other bytes were written,
        // whoever reads the map throws away what it concluded (`is_unchanged`).
        let map = unsafe { MmapOptions::new().offset(offset).len(len).map(&file)? };
        leaves_room(len)?;
        Ok(Self { map, file, mapped })
    }

    /// Tells the system that from now on bytes far from each other are asked for: of a file that is larger than memory, it need
    /// not read ahead what nobody will ask for.
    pub fn expect_random_reads(&self) {
        // It is advice: a system that does not take it reads more than it has to.
        let _ = self.map.advise(Advice::Random);
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether the system says that nobody has written to the file, or changed its length, since it was mapped.
    pub fn is_unchanged(&self) -> bool {
        let written = |file: &Metadata| (file.len(), file.mtime(), file.mtime_nsec());
        // Who sets the time of writing back changes this one. So does who removes the file, or puts another one in its
        // place, which leaves the bytes as they are.
        let touched = |file: &Metadata| (file.ctime(), file.ctime_nsec());
        self.file.metadata().is_ok_and(|now| {
            let is_renamed = now.nlink() != self.mapped.nlink();
            written(&now) == written(&self.mapped) && (is_renamed || touched(&now) == touched(&self.mapped))
        })
    }
}
