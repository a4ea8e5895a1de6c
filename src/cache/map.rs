//! Mapping a published file into memory: the one home of memmap2, and of `unsafe`.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// A range of a published cache file, mapped read-only.
#[derive(Debug)]
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps `len` bytes from `offset` of a file that twistbase published.
    ///
    /// The caller has checked that the file is regular and at least `offset + len` bytes long.
    ///
    /// # Errors
    /// What the system says, for instance that there is no address space left.
    pub fn new(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        // SAFETY: a mapping of a file is sound as long as nobody changes or truncates that file while it is mapped.
        // twistbase never does: a cache file is complete, synced and made read-only (0444) before it is renamed to
        // the name it is opened under, nothing opens it for writing afterwards, and it is replaced and removed by
        // name only, which leaves the mapped inode as it is. What remains is another program that changes files in
        // twistbase's folder against their mode, or a disk that fails: a truncation or a read error then ends the
        // process with SIGBUS, as it would with any memory-mapped file; a user who expects that turns the cache off.
        let map = unsafe { MmapOptions::new().offset(offset).len(len).map(file)? };
        Ok(Self(map))
    }

    /// The bytes. They are not verified; see [`MappedUnit`](super::unit::MappedUnit).
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}
