//! Large zeroed arrays on huge pages.
//!
//! The pull step reads 5 KB blocks in random order from hundreds of megabytes: with 4 KiB pages nearly every block
//! costs address-translation misses, and faulting the arrays in costs more than a level of the search.
#![allow(unsafe_code)]

use bytemuck::Zeroable;

use crate::error::{Error, Result};

/// `len` zeroed values, on huge pages where the system grants them.
pub(super) fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>> {
    let array = bytemuck::try_zeroed_vec(len)
        .map_err(|()| Error::Budget(format!("cannot allocate {} bytes of memory", len * size_of::<T>())))?;
    #[cfg(target_os = "linux")]
    advise_huge_pages(&array);
    Ok(array)
}

#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(array: &[T]) {
    const PAGE: usize = 4096;
    let start = (array.as_ptr() as usize).next_multiple_of(PAGE);
    let end = array.as_ptr_range().end as usize / PAGE * PAGE;
    if end > start {
        // SAFETY: the range lies within the array's allocation; this advice changes neither contents nor validity.
        // Failure (a kernel without huge pages) costs speed only.
        let _ = unsafe { rustix::mm::madvise(start as *mut _, end - start, rustix::mm::Advice::LinuxHugepage) };
    }
}
