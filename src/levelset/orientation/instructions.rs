//! The one place where an instruction set is chosen, and entered.
//!
//! Most work is one source, which the compiler turns into steps of two, four or eight words for the registers that a
//! processor has. Kernels in other instructions take a token that only detection makes.
//! Measured: `schema/decisions/nx-generation.md`.
#![allow(unsafe_code)]

/// Something to do in wide registers.
pub(super) trait WideWork {
    type Output;

    /// Does it. What it calls has to be inlined (`#[inline(always)]`) to be compiled for wide registers as well.
    fn run(self) -> Self::Output;
}

/// Does something in the widest registers that this processor has.
#[inline]
pub(super) fn in_wide_registers<W: WideWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() && is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("popcnt") {
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
fn with_avx512<W: WideWork>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn with_avx2<W: WideWork>(work: W) -> W::Output {
    work.run()
}

/// AVX-512 F, BW and VL.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl")
}

/// Proof that this processor multiplies 8 × 8 bit matrices in registers of 64 bytes: `avx512f,avx512bw,avx512vl,gfni`.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct BitMatrices(());

#[cfg(target_arch = "x86_64")]
impl BitMatrices {
    /// The token, if this processor has the instructions.
    pub(super) fn detect() -> Option<Self> {
        (has_avx512() && is_x86_feature_detected!("gfni")).then_some(Self(()))
    }
}

/// Proof that this processor also permutes the bytes of such a register: `avx512f,avx512bw,avx512vl,avx512vbmi,gfni`.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct BytePermutations(());

#[cfg(target_arch = "x86_64")]
impl BytePermutations {
    /// The token, if this processor has the instructions.
    pub(super) fn detect() -> Option<Self> {
        BitMatrices::detect().filter(|_| is_x86_feature_detected!("avx512vbmi")).map(|_| Self(()))
    }
}
