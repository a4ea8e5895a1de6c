//! A unit in memory whose blocks are read and verified when they are first touched.

use std::fmt;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::format::{BLOCK_BYTES, HEADER_BYTES, Opened};
use super::map::{Blocks, Budget, FileMap};
use twistbase_core::context::Context;
use twistbase_core::error::Error;

/// Blocks between two looks at whether a verification is cancelled: 64 MiB.
const STEP_BLOCKS: usize = 16_384;

/// Bytes that a thread reads or verifies at once where all are wanted: whole blocks.
const RUN_BYTES: usize = 16 * BLOCK_BYTES;

/// A block of a cache file that is not what was published.
#[derive(Debug)]
pub(super) struct BadBlock {
    pub block: usize,
    /// Why it cannot be read; `None` where it can, and does not match its hash.
    error: Option<io::Error>,
}

/// The fault.
impl fmt::Display for BadBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            None => f.write_str("does not match its hash"),
            Some(error) => write!(f, "cannot be read: {error}"),
        }
    }
}

/// Why the bytes of a unit were not all found to be right.
#[derive(Debug)]
pub(super) enum VerifyFault {
    /// The file is not what was published.
    Bad(BadBlock),
    /// It was interrupted.
    Interrupted,
}

impl Opened {
    /// Reads bytes from a block on, whole blocks or to the end, and verifies them where they were read to: what happens to the
    /// file afterwards changes nothing.
    fn read(&self, first: usize, to: &mut [u8]) -> Result<(), BadBlock> {
        let read = self.file.read_exact_at(to, HEADER_BYTES as u64 + (first * BLOCK_BYTES) as u64);
        read.map_err(|error| BadBlock { block: first, error: Some(error) })?;
        self.verify(first, to)
    }

    /// Compares bytes from a block on with their hashes.
    fn verify(&self, first: usize, bytes: &[u8]) -> Result<(), BadBlock> {
        let is_wrong =
            |(block, bytes): &(usize, &[u8])| self.hashes.get(*block) != Some(&self.hasher.hash(*block, bytes));
        match (first..).zip(bytes.chunks(BLOCK_BYTES)).find(is_wrong) {
            None => Ok(()),
            Some((block, _)) => Err(BadBlock { block, error: None }),
        }
    }

    /// Reads the payload to memory, verified, on all threads of rayon's pool. What is in `to` after an error has no meaning.
    ///
    /// # Panics
    /// If `to` is not as long as the payload.
    pub fn read_all(&self, to: &mut [u8], ctx: &Context) -> Result<(), VerifyFault> {
        assert_eq!(to.len(), self.payload, "room for another unit");
        to.par_chunks_mut(RUN_BYTES).enumerate().try_for_each(|(run, bytes)| {
            ctx.check().map_err(|_| VerifyFault::Interrupted)?;
            self.read(run * (RUN_BYTES / BLOCK_BYTES), bytes).map_err(VerifyFault::Bad)
        })
    }

    // No advice to the system goes before: populating or huge pages cost more than the faults of these threads do
    // (`schema/decisions/cache-row-files.md`).
    /// Maps the payload, verified, on all threads of rayon's pool.
    ///
    /// # Errors
    /// When the system refuses the map.
    pub fn map_all(self, ctx: &Context) -> io::Result<Result<FileMap, VerifyFault>> {
        let map = FileMap::of_published(self.file.try_clone()?, HEADER_BYTES as u64, self.payload)?;
        let verified = map.bytes().par_chunks(RUN_BYTES).enumerate().try_for_each(|(run, bytes)| {
            ctx.check().map_err(|_| VerifyFault::Interrupted)?;
            self.verify(run * (RUN_BYTES / BLOCK_BYTES), bytes).map_err(VerifyFault::Bad)
        });
        map.expect_random_reads();
        Ok(verified.map(|()| map))
    }

    /// Every block that is not what was published, in order.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn bad_blocks(&self, ctx: &Context) -> Result<Vec<BadBlock>, Error> {
        let mut bad = Vec::new();
        for first in (0..self.hashes.len()).step_by(STEP_BLOCKS) {
            ctx.check()?;
            let blocks = first..self.hashes.len().min(first + STEP_BLOCKS);
            ctx.progress().advance(blocks.len() as u64);
            let find = |buffer: &mut [u8; BLOCK_BYTES], block: usize| {
                let length = BLOCK_BYTES.min(self.payload - block * BLOCK_BYTES);
                self.read(block, &mut buffer[..length]).err()
            };
            bad.par_extend(blocks.into_par_iter().map_init(|| [0; BLOCK_BYTES], find).flatten());
        }
        Ok(bad)
    }
}

/// A unit of a table, read from its file block by block.
#[derive(Debug)]
pub(super) struct CachedUnit {
    opened: Opened,
    blocks: Blocks,
    /// Set when a block was found damaged: the blocks that are there remain usable.
    damaged: AtomicBool,
}

impl CachedUnit {
    /// Over a file that passed [`probe`](super::format::probe).
    ///
    /// # Errors
    /// When the system has no addresses left for it.
    pub fn new(opened: Opened, budget: &'static Budget) -> io::Result<Self> {
        Ok(Self { blocks: Blocks::new(opened.payload, budget)?, opened, damaged: AtomicBool::new(false) })
    }

    /// The byte at `at`, if its block is there.
    #[inline]
    pub fn byte(&self, at: usize) -> Option<u8> {
        self.blocks.byte(at)
    }

    /// Asks for the byte at `at` before it is read.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        self.blocks.prefetch(at);
    }

    /// The byte at `at`, after reading its block; `None` beyond the end, and where nothing more is read: no memory is left for
    /// it, or the file is damaged.
    pub fn read_byte(&self, at: usize) -> Result<Option<u8>, BadBlock> {
        self.read_block(at / BLOCK_BYTES)?;
        Ok(self.byte(at))
    }

    /// Some bytes, after reading those of their blocks that are not there; `None` as above.
    pub fn read_range(&self, range: Range<usize>) -> Result<Option<&[u8]>, BadBlock> {
        (range.start / BLOCK_BYTES..range.end.div_ceil(BLOCK_BYTES)).try_for_each(|block| self.read_block(block))?;
        Ok(self.blocks.range(range))
    }

    fn read_block(&self, block: usize) -> Result<(), BadBlock> {
        if self.is_condemned() || self.blocks.is_ready(block) {
            return Ok(());
        }
        self.blocks.fill(block, |first, bytes| self.opened.read(first, bytes))
    }

    /// Marks the unit as damaged; returns whether this call was the first to do so.
    pub fn condemn(&self) -> bool {
        !self.damaged.swap(true, Ordering::Relaxed)
    }

    pub fn is_condemned(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }
}
