//! The inner step compiled for the wider registers that a processor may have.
//!
//! It is the same source for every processor, which the compiler turns into steps of two, four or eight words.
//! Measured: `schema/decisions/nx-generation.md`.
#![allow(unsafe_code)]

use crate::math::prefetch::prefetch;

/// Something to do in wide registers.
pub(super) trait Work {
    type Output;

    /// Does it. What it calls has to be inlined (`#[inline(always)]`) to be compiled for wide registers as well.
    fn run(self) -> Self::Output;
}

/// Does something in the widest registers that this processor has.
#[inline]
pub(super) fn in_wide_registers<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: just checked.
            return unsafe { with_avx512(work) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: just checked.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn with_avx512<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}

/// Whether this processor moves bits by 8 × 8 matrices in registers of 64 bytes: `gfni` and `avx512f`, `bw` and `vl`.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_bit_matrices() -> bool {
    is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

/// More than so many bytes of a block are left to the processor's own foresight.
const MOST: usize = 512;

/// Asks for what will be read soon, as far as the processor does not foresee it.
#[inline(always)]
pub(super) fn prefetch_start<T>(values: &[T]) {
    prefetch(&values[..values.len().min(MOST.div_ceil(size_of::<T>()))]);
}
