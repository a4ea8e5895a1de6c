//! A mapped unit whose blocks are verified when they are first touched.

use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::format::{BLOCK_BYTES, HEADER_BYTES, Opened, UnitIdentity};
use super::map::Mapping;
use twistbase_core::context::Context;
use twistbase_core::error::Error;
use twistbase_core::math::prefetch::prefetch_at;

/// Blocks between two looks at whether a verification is cancelled: 64 MiB.
const STEP_BLOCKS: usize = 1024;

/// A block of a cache file that is not what was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadBlock(pub usize);

/// Why a unit was not read into memory.
#[derive(Debug)]
pub(super) enum ReadFault {
    /// The file is not what was published.
    Bad(BadBlock),
    /// The system refuses to read it.
    Io(io::Error),
    /// It was interrupted.
    Interrupted,
}

/// Reads the payload of a file that passed [`probe`](super::format::probe), verifying each block where it was read to, on all
/// threads of rayon's pool. What is in `to` after an error has no meaning.
///
/// Reading takes less time than mapping, verifying and copying do, and the pages of a map would count as the process's memory.
///
/// # Panics
/// If `to` is not as long as the payload.
pub(super) fn read_verified(
    identity: &UnitIdentity,
    opened: &Opened,
    to: &mut [u8],
    ctx: &Context,
) -> Result<(), ReadFault> {
    assert_eq!(to.len() as u64, identity.payload, "room for another unit");
    to.par_chunks_mut(BLOCK_BYTES).enumerate().try_for_each(|(block, bytes)| {
        ctx.check().map_err(|_| ReadFault::Interrupted)?;
        let at = HEADER_BYTES as u64 + (block * BLOCK_BYTES) as u64;
        opened.file.read_exact_at(bytes, at).map_err(ReadFault::Io)?;
        match opened.hashes.get(block) == Some(&identity.block_hash(block, bytes)) {
            true => Ok(()),
            false => Err(ReadFault::Bad(BadBlock(block))),
        }
    })
}

/// A unit of a table in a mapped file.
#[derive(Debug)]
pub(super) struct MappedUnit {
    identity: UnitIdentity,
    mapping: Mapping,
    hashes: Vec<u64>,
    /// A bit per block: its bytes matched its hash. Bits are only ever set.
    verified: Vec<AtomicU64>,
    /// Set when all of them are set, so that solvers may ask for all bytes again and again.
    whole: AtomicBool,
    /// Set when a block was found damaged: the blocks verified before remain usable.
    damaged: AtomicBool,
}

impl MappedUnit {
    /// Maps the payload of a file that passed [`probe`](super::format::probe).
    ///
    /// # Errors
    /// When the system refuses the mapping.
    pub fn new(identity: UnitIdentity, opened: Opened) -> io::Result<Self> {
        let len = usize::try_from(identity.payload).map_err(io::Error::other)?;
        let mapping = Mapping::of_published(&opened, len)?;
        let verified = (0..opened.hashes.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self {
            identity,
            mapping,
            hashes: opened.hashes,
            verified,
            whole: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
        })
    }

    /// The byte at `at`, if its block has been verified.
    #[inline]
    pub fn byte(&self, at: usize) -> Option<u8> {
        if self.is_verified(at / BLOCK_BYTES) { self.mapping.bytes().get(at).copied() } else { None }
    }

    /// Asks for the byte at `at` before it is read.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        if let Some(byte) = self.mapping.bytes().get(at) {
            prefetch_at(byte);
        }
    }

    #[inline]
    fn is_verified(&self, block: usize) -> bool {
        // Relaxed: the bytes are the same before and after the bit is set; the bit orders nothing.
        self.verified.get(block / 64).is_some_and(|bits| bits.load(Ordering::Relaxed) >> (block % 64) & 1 == 1)
    }

    /// Verifies the block of the byte at `at`.
    pub fn verify_at(&self, at: usize) -> Result<(), BadBlock> {
        self.verify_block(at / BLOCK_BYTES)
    }

    /// Some bytes, after verifying those of their blocks that were not verified yet; `None` beyond the end.
    pub fn verified_range(&self, range: std::ops::Range<usize>) -> Result<Option<&[u8]>, BadBlock> {
        let Some(bytes) = self.mapping.bytes().get(range.clone()) else { return Ok(None) };
        let mut blocks =
            (range.start / BLOCK_BYTES..range.end.div_ceil(BLOCK_BYTES)).filter(|&block| !self.is_verified(block));
        blocks.try_for_each(|block| self.verify_block(block))?;
        Ok(Some(bytes))
    }

    fn verify_block(&self, block: usize) -> Result<(), BadBlock> {
        let bytes = self.mapping.bytes().chunks(BLOCK_BYTES).nth(block);
        let right = bytes.is_some_and(|bytes| self.hashes.get(block) == Some(&self.identity.block_hash(block, bytes)));
        if !right {
            return Err(BadBlock(block));
        }
        self.verified[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        Ok(())
    }

    // No advice to the system goes before: populating or huge pages cost more than the faults of these threads do
    // (`schema/decisions/cache-row-files.md`).
    /// All bytes, after verifying the blocks that were not verified yet, on all threads of rayon's pool.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn verified_bytes(&self, ctx: &Context) -> Result<Result<&[u8], BadBlock>, Error> {
        if !self.whole.load(Ordering::Relaxed) {
            let blocks = (0..self.hashes.len()).into_par_iter().filter(|&block| !self.is_verified(block));
            let verified = blocks.try_for_each(|block| match ctx.is_cancelled() {
                true => Err(None),
                false => self.verify_block(block).map_err(Some),
            });
            match verified {
                Ok(()) => {
                    self.mapping.expect_random_reads();
                    self.whole.store(true, Ordering::Relaxed);
                }
                Err(Some(bad)) => return Ok(Err(bad)),
                Err(None) => return Err(Error::Interrupted),
            }
        }
        Ok(Ok(self.mapping.bytes()))
    }

    /// Every block that does not match its hash, in order.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn bad_blocks(&self, ctx: &Context) -> Result<Vec<BadBlock>, Error> {
        let mut bad = Vec::new();
        for first in (0..self.hashes.len()).step_by(STEP_BLOCKS) {
            ctx.check()?;
            let blocks = first..self.hashes.len().min(first + STEP_BLOCKS);
            ctx.progress().advance(blocks.len() as u64);
            bad.par_extend(blocks.into_par_iter().filter_map(|block| self.verify_block(block).err()));
        }
        Ok(bad)
    }

    /// Marks the unit as damaged; returns whether this call was the first to do so.
    pub fn condemn(&self) -> bool {
        !self.damaged.swap(true, Ordering::Relaxed)
    }

    pub fn is_condemned(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }
}
