//! Mapping a published file into memory: the one place where a file is mapped.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::{Advice, Mmap, MmapOptions};

use super::format::{HEADER_BYTES, Opened};
use twistbase_core::memory::leaves_room;

/// A range of a published cache file, mapped read-only.
#[derive(Debug)]
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps `len` bytes from `offset` of a file.
    ///
    /// A file that is shorter than `offset + len` is an error; a file that has room for all is mapped as it is, which
    /// says nothing about what the bytes are.
    ///
    /// # Safety
    /// As long as the mapping exists, nobody, in this process or in another one, changes those bytes or makes the file
    /// shorter. Replacing or removing the *name* of the file is allowed: the mapping keeps the file it was made of.
    ///
    /// # Errors
    /// What the system says, for instance that there is no address space left, or too little for anything else.
    pub unsafe fn new(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        let end = offset.checked_add(len as u64).ok_or(io::ErrorKind::InvalidInput)?;
        if file.metadata()?.len() < end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // SAFETY: the caller promises that the bytes stay as they are, which is all that a mapping asks.
        let map = unsafe { MmapOptions::new().offset(offset).len(len).map(file)? };
        leaves_room(len)?;
        Ok(Self(map))
    }

    /// Maps the payload of a cache file that passed [`probe`](super::format::probe).
    ///
    /// # Errors
    /// As [`Mapping::new`].
    pub fn of_published(opened: &Opened, len: usize) -> io::Result<Self> {
        // SAFETY: twistbase never changes a published file: it is complete, synced and made read-only (0444) before it
        // is renamed to the name it is opened under, nothing opens it for writing afterwards, and it is replaced and
        // removed by name only; `probe` follows no link out of the folder. What remains is another program that changes
        // files in twistbase's folder against their mode, or a disk that fails: a truncation or a read error then ends
        // the process with SIGBUS, as it would with any memory-mapped file; a user who expects that turns the cache off.
        unsafe { Self::new(&opened.file, HEADER_BYTES as u64, len) }
    }

    /// Tells the system that from now on bytes far from each other are asked for: of a file that is larger than memory, it need
    /// not read ahead what nobody will ask for.
    pub fn expect_random_reads(&self) {
        // It is advice: a system that does not take it reads more than it has to.
        let _ = self.0.advise(Advice::Random);
    }

    /// The bytes. They are not verified; see [`MappedUnit`](super::unit::MappedUnit).
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}
