//! Large zeroed arrays on huge pages, the room that is left beside them, and room for large files.
//!
//! Searches and hash tables read them in random order: with pages of 4 KiB nearly every read costs an address-translation
//! miss, and faulting the arrays in is slow.
#![allow(unsafe_code)]

mod available;

use std::fmt;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

use bytemuck::{Pod, Zeroable};
use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::units;

pub use available::available_memory;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Bytes that are left by whoever takes much: for the small things of every command, whose allocation ends the program where it
/// fails.
pub const LEFT: usize = 16 << 20;

/// Bytes of an array that is small.
const SMALL: usize = 1 << 20;

/// A fixed number of values, zero at first, beginning with a cache line.
///
/// An allocation of ordinary words is zeroed by the system when it is touched, in parallel and only if it is; a
/// `Vec` of values with a large alignment would be cleared by one thread at once.
pub struct Zeroed<T> {
    words: Vec<u64>,
    /// Words before the first aligned one.
    offset: usize,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Pod> Zeroed<T> {
    /// `len` zeroed values, on huge pages where the system grants them.
    pub fn new(len: usize) -> Result<Self> {
        let bytes = bytes_of::<T>(len)?;
        let align = align_of::<T>().max(LINE);
        let words = bytes.div_ceil(8).saturating_add(align / 8);
        let words: Vec<u64> = zeroed_vec(words, bytes)?;
        #[cfg(target_os = "linux")]
        advise_huge_pages(&words);
        let misaligned = words.as_ptr() as usize % align;
        let offset = if misaligned == 0 { 0 } else { (align - misaligned) / 8 };
        Ok(Self { words: truncated(words, offset + bytes.div_ceil(8)), offset, len, values: PhantomData })
    }
}

impl<T> fmt::Debug for Zeroed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zeroed").field("len", &self.len).finish_non_exhaustive()
    }
}

/// The first `len` words; never moves them.
fn truncated(mut words: Vec<u64>, len: usize) -> Vec<u64> {
    words.truncate(len);
    words
}

impl<T: Pod> Deref for Zeroed<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&bytemuck::cast_slice::<_, u8>(&self.words[self.offset..])[..self.len * size_of::<T>()])
    }
}

impl<T: Pod> DerefMut for Zeroed<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(
            &mut bytemuck::cast_slice_mut::<_, u8>(&mut self.words[self.offset..])[..self.len * size_of::<T>()],
        )
    }
}

/// `len` numbers that threads share, zero at first, on huge pages where the system grants them.
pub fn zeroed_atomics(len: usize) -> Result<Vec<AtomicU64>> {
    let bytes = bytes_of::<AtomicU64>(len)?;
    let values = zeroed_vec(len, bytes)?;
    #[cfg(target_os = "linux")]
    advise_huge_pages(&values);
    Ok(values)
}

/// An empty vector with room for `capacity` values, on huge pages where the system grants them.
pub fn huge_vec<T>(capacity: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(capacity);
    #[cfg(target_os = "linux")]
    advise_huge_pages(values.spare_capacity_mut());
    values
}

/// Bytes of a number of values.
fn bytes_of<T>(len: usize) -> Result<usize> {
    let none = || Error::Memory(format!("{len} values do not fit in memory"));
    len.checked_mul(size_of::<T>()).ok_or_else(none)
}

/// `len` zeroed values of about `bytes` bytes, which leave room for small allocations.
fn zeroed_vec<T: Zeroable>(len: usize, bytes: usize) -> Result<Vec<T>> {
    let none = || Error::Memory(format!("cannot allocate {} of memory", units::bytes(bytes as u64)));
    let values = bytemuck::try_zeroed_vec(len).map_err(|()| none())?;
    leaves_room(bytes).map_err(|_| none())?;
    Ok(values)
}

/// Whether the system has so much memory for this process now.
///
/// # Errors
/// What it says where it has not.
pub fn has_room(bytes: usize) -> io::Result<()> {
    match address_space_left() {
        // Memory that is taken for a try is not there for other threads meanwhile: with a known limit, none is taken.
        Some(left) if left < bytes as u64 => Err(io::ErrorKind::OutOfMemory.into()),
        Some(_) => Ok(()),
        None => MmapMut::map_anon(bytes).map(drop),
    }
}

/// Bytes that the limit of its address space (`ulimit -v`) leaves this process; `None` without a limit, or if the system does not report it.
pub fn address_space_left() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
        let pages = pages_mapped(&std::fs::read_to_string("/proc/self/statm").ok()?)?;
        Some(limit.saturating_sub(pages.saturating_mul(rustix::param::page_size() as u64)))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The first number of `/proc/self/statm`: pages of address space.
#[cfg(target_os = "linux")]
fn pages_mapped(statm: &str) -> Option<u64> {
    statm.split_whitespace().next()?.parse().ok()
}

/// Whether a number of bytes that was just taken, or mapped, leaves [what everything needs](LEFT).
///
/// # Errors
/// As [`has_room`].
pub fn leaves_room(taken: usize) -> io::Result<()> {
    if taken < SMALL { Ok(()) } else { has_room(LEFT) }
}

/// Sets the length of a file, and reserves its space on the disk if the file system can.
pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::{Errno, retry_on_intr};
        match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, bytes)) {
            // Not every file system can; plain writes notice a full disk as well, only later.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    file.set_len(bytes)
}

#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(values: &[T]) {
    const PAGE: usize = 4096;
    let start = (values.as_ptr() as usize).next_multiple_of(PAGE);
    let end = values.as_ptr_range().end as usize / PAGE * PAGE;
    if end > start {
        // SAFETY: the range lies within the allocation of `values`; this advice changes neither contents nor validity.
        // Failure (a kernel without huge pages) costs speed only.
        let _ = unsafe { rustix::mm::madvise(start as *mut _, end - start, rustix::mm::Advice::LinuxHugepage) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn pages_that_are_mapped_are_read() {
        assert_eq!(pages_mapped("8123 410 300 2 0 77 0\n"), Some(8123));
        assert_eq!([pages_mapped(""), pages_mapped("many")], [None; 2]);
    }

    #[test]
    fn more_than_any_memory_is_an_error_and_little_is_none() {
        assert!(has_room(usize::MAX / 4).is_err() && has_room(1 << 20).is_ok());
        assert!(Zeroed::<u64>::new(usize::MAX / 32).is_err() && zeroed_atomics(usize::MAX / 8).is_err());
        assert!(Zeroed::<u64>::new(1 << 20).unwrap().iter().all(|&value| value == 0));
    }
}
