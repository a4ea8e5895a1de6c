//! Asking for memory before it is read, so that waits for it overlap.
#![allow(unsafe_code)]

/// The bytes that a processor fetches at once.
pub(crate) const LINE: usize = 64;

/// Asks for the cache lines of some values.
#[inline(always)]
pub(crate) fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..size_of_val(values)).step_by(LINE) {
        let line = values.as_ptr().cast::<i8>().wrapping_add(at);
        // SAFETY: a prefetch does not access memory, whatever the address.
        unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}
