//! Writing the file of a unit as its bytes come, without ever holding all of them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rayon::prelude::*;

use super::format::{BLOCK_BYTES, BlockHasher, HEADER_BYTES, UnitIdentity};
use twistbase_core::memory::reserve;

/// Writes payload, block hashes and, last, the header.
pub(super) struct UnitWriter<'a> {
    file: &'a File,
    identity: UnitIdentity,
    hasher: BlockHasher,
    /// Bytes of the payload written so far.
    written: u64,
    /// The bytes since the last whole block.
    open: Vec<u8>,
    /// The hashes of the whole blocks.
    hashes: Vec<[u8; 8]>,
}

impl<'a> UnitWriter<'a> {
    /// Begins with an empty file and takes all its space at once, so that a full disk is noticed before anything is
    /// written.
    ///
    /// # Errors
    /// When there is no space.
    pub fn new(file: &'a File, identity: UnitIdentity) -> io::Result<Self> {
        reserve(file, identity.file_bytes())?;
        let hashes = Vec::with_capacity(identity.blocks());
        Ok(Self {
            file,
            identity,
            hasher: identity.hasher(),
            written: 0,
            open: Vec::with_capacity(BLOCK_BYTES),
            hashes,
        })
    }

    /// Writes the next bytes of the payload; blocks begin and end where they may.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, HEADER_BYTES as u64 + self.written)?;
        self.written += bytes.len() as u64;
        let missing = (BLOCK_BYTES - self.open.len()) % BLOCK_BYTES;
        let (end, rest) = bytes.split_at(missing.min(bytes.len()));
        self.open.extend_from_slice(end);
        if self.open.len() == BLOCK_BYTES {
            self.close_block();
        }
        let (blocks, rest) = rest.as_chunks::<BLOCK_BYTES>();
        let (hasher, first) = (self.hasher, self.hashes.len());
        let hash = |(at, block): (usize, &[u8; BLOCK_BYTES])| hasher.hash(first + at, block).to_le_bytes();
        self.hashes.par_extend(blocks.par_iter().enumerate().map(hash));
        self.open.extend_from_slice(rest);
        Ok(())
    }

    fn close_block(&mut self) {
        self.hashes.push(self.hasher.hash(self.hashes.len(), &self.open).to_le_bytes());
        self.open.clear();
    }

    /// Writes hashes and header behind and before a complete payload, and syncs.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self) -> io::Result<()> {
        if !self.open.is_empty() {
            self.close_block();
        }
        let hashes = self.hashes.concat();
        self.file.write_all_at(&hashes, HEADER_BYTES as u64 + self.written)?;
        self.file.write_all_at(&self.identity.header(&hashes), 0)?;
        self.file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Probe, probe};

    #[test]
    fn the_file_does_not_depend_on_how_the_bytes_come() {
        let dir = tempfile::tempdir().unwrap();
        let payload: Vec<u8> = (0..200_000u32).map(|at| (at.wrapping_mul(0x9E37_79B9) >> 24) as u8).collect();
        let identity =
            UnitIdentity { table: 1, spec_version: 1, uuid: [7; 16], generation: 1, unit: 0, payload: 200_000 };
        let file_of = |part: usize| {
            let path = dir.path().join(part.to_string());
            let file = File::create(&path).unwrap();
            let mut writer = UnitWriter::new(&file, identity).unwrap();
            payload.chunks(part).for_each(|part| writer.write(part).unwrap());
            writer.finish().unwrap();
            path
        };
        let whole = file_of(payload.len());
        assert!(matches!(probe(&whole, &identity).unwrap(), Probe::Valid(opened) if opened.hashes.len() == 49));
        let right = std::fs::read(whole).unwrap();
        assert_eq!(right[4096..4096 + payload.len()], payload);
        for part in [997, 4095, 4096, 4097, 100_000, 131_072] {
            assert!(std::fs::read(file_of(part)).unwrap() == right, "parts of {part} bytes");
        }
    }
}
