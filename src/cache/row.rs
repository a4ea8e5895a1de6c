//! A mapped row whose blocks are verified when they are first touched.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::format::{BLOCK_BYTES, HEADER_BYTES, Opened, RowIdentity};
use super::map::Mapping;

/// A block of a cache file that is not what was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadBlock(pub usize);

/// A row in a mapped file.
#[derive(Debug)]
pub(super) struct MappedRow {
    identity: RowIdentity,
    mapping: Mapping,
    hashes: Vec<u64>,
    /// A bit per block: its bytes matched its hash. Bits are only ever set.
    verified: Vec<AtomicU64>,
    /// Set when a block was found damaged: the blocks verified before remain usable.
    damaged: AtomicBool,
}

impl MappedRow {
    /// Maps the payload of a file that passed [`probe`](super::format::probe).
    ///
    /// # Errors
    /// When the system refuses the mapping.
    pub fn new(identity: RowIdentity, opened: Opened) -> io::Result<Self> {
        let len = usize::try_from(identity.payload).map_err(io::Error::other)?;
        let mapping = Mapping::new(&opened.file, HEADER_BYTES as u64, len)?;
        let verified = (0..opened.hashes.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { identity, mapping, hashes: opened.hashes, verified, damaged: AtomicBool::new(false) })
    }

    /// The byte at `at`, if its block has been verified.
    #[inline]
    pub fn byte(&self, at: usize) -> Option<u8> {
        let block = at / BLOCK_BYTES;
        // Relaxed: the bytes are the same before and after the bit is set; the bit orders nothing.
        let bits = self.verified.get(block / 64)?.load(Ordering::Relaxed);
        if bits >> (block % 64) & 1 == 1 { self.mapping.bytes().get(at).copied() } else { None }
    }

    /// Verifies the block of the byte at `at`.
    pub fn verify_at(&self, at: usize) -> Result<(), BadBlock> {
        self.verify_block(at / BLOCK_BYTES)
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

    /// The whole row, after verifying the blocks that were not verified yet.
    pub fn verified_bytes(&self) -> Result<&[u8], BadBlock> {
        let pending = (0..self.hashes.len())
            .filter(|block| self.verified[block / 64].load(Ordering::Relaxed) >> (block % 64) & 1 == 0);
        for block in pending {
            self.verify_block(block)?;
        }
        Ok(self.mapping.bytes())
    }

    /// Every block that does not match its hash.
    pub fn bad_blocks(&self) -> Vec<BadBlock> {
        (0..self.hashes.len()).into_par_iter().filter_map(|block| self.verify_block(block).err()).collect()
    }

    /// Marks the row as damaged; returns whether this call was the first to do so.
    pub fn condemn(&self) -> bool {
        !self.damaged.swap(true, Ordering::Relaxed)
    }

    pub fn is_condemned(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }
}
