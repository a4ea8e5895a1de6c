//! Asking for memory before it is read, so that waits for it overlap.
#![allow(unsafe_code)]

/// The bytes that a processor fetches at once.
pub const LINE: usize = 64;

/// Asks for the cache lines of some values.
#[inline(always)]
pub fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..size_of_val(values)).step_by(LINE) {
        prefetch_at(values.as_ptr().cast::<u8>().wrapping_add(at));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

/// Asks for the cache line at an address.
#[inline(always)]
pub fn prefetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch does not access memory, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
