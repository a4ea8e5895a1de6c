//! The inner step with AVX-512 and GFNI.
//!
//! A word is an 8 × 8 bit matrix (row dP, column dQ). Multiplying dP in D4 permutes its bytes (`vpshufb`), multiplying
//! dQ permutes the bits of every byte (`vgf2p8affineqb` with a permutation matrix), exchanging P and Q transposes it
//! (`vgf2p8affineqb` with the word itself as the matrix). Measured on a Sapphire Rapids core against the portable
//! step: see `schema/decisions/0002-square-coordinate.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::sync::LazyLock;

use crate::math::perm8::Relabelling;

use super::block::{BLOCK_WORDS, Block};
use super::kernel::{Products, left_factors};
use super::space::SlotMove;

/// Whether this processor can run [`or_moved`].
pub(super) fn is_supported() -> bool {
    static SUPPORTED: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("gfni")
    });
    *SUPPORTED
}

/// For each left factor, eight operands, one for each right factor.
struct Operands {
    /// Byte shuffles `d -> left d right`.
    shuffles: [[u64; 8]; 8],
    /// Bit matrices in the order that `vgf2p8affineqb` wants: byte `7 - d` selects the input bit of output bit `d`.
    matrices: [[u64; 8]; 8],
}

static OPERANDS: LazyLock<Operands> = LazyLock::new(|| {
    let mut operands = Operands { shuffles: [[0; 8]; 8], matrices: [[0; 8]; 8] };
    for (map, index) in Products::get().index.iter().enumerate() {
        operands.shuffles[map / 8][map % 8] = u64::from_le_bytes(*index);
        let rows: [u8; 8] = std::array::from_fn(|byte| 1 << index[7 - byte]);
        operands.matrices[map / 8][map % 8] = u64::from_le_bytes(rows);
    }
    operands
});

/// See [`Kernel::or_moved`](super::Kernel::or_moved). Does nothing useful, but nothing unsound, on a processor
/// without the instructions: it panics.
#[inline]
pub(super) fn or_moved(to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
    assert!(is_supported(), "this processor has no AVX-512 with GFNI");
    // SAFETY: the processor has every feature that the callee enables, checked on the line above.
    unsafe {
        if relabelling.swap {
            step::<true>(to, from, slots, relabelling);
        } else {
            step::<false>(to, from, slots, relabelling);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn step<const SWAP: bool>(to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
    let operands = &*OPERANDS;
    let (p_left, q_left) = left_factors(relabelling);
    let odd_words = _mm512_set_epi64(
        0x0808_0808_0808_0808,
        0,
        0x0808_0808_0808_0808,
        0,
        0x0808_0808_0808_0808,
        0,
        0x0808_0808_0808_0808,
        0,
    );
    let reverse = _mm512_or_si512(_mm512_set1_epi64(0x0001_0203_0405_0607), odd_words);
    let identity = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
    // SAFETY: each pointer comes from a reference to 64 bytes.
    let (shuffles, matrices) = unsafe {
        (
            _mm512_loadu_si512(operands.shuffles[p_left].as_ptr().cast()),
            _mm512_loadu_si512(operands.matrices[q_left].as_ptr().cast()),
        )
    };
    let words = &slots.words[usize::from(SWAP)];
    for first in (0..BLOCK_WORDS).step_by(8) {
        // SAFETY: `first + 8 <= BLOCK_WORDS`, the length of every array read or written here; the gathered indices
        // are words of a block (`SlotMove::new` writes none past WORDS, which is below BLOCK_WORDS).
        unsafe {
            let index = _mm256_cvtepu16_epi32(_mm_loadu_si128(words.as_ptr().add(first).cast()));
            let mut word = _mm512_i32gather_epi64::<8>(index, from.0.as_ptr().cast());
            if SWAP {
                word = _mm512_gf2p8affine_epi64_epi8::<0>(identity, _mm512_shuffle_epi8(word, reverse));
            }
            let p = _mm512_cvtepu8_epi64(_mm_loadl_epi64(slots.p.as_ptr().add(first).cast()));
            let q = _mm512_cvtepu8_epi64(_mm_loadl_epi64(slots.q.as_ptr().add(first).cast()));
            let shuffle = _mm512_or_si512(_mm512_permutexvar_epi64(p, shuffles), odd_words);
            word = _mm512_shuffle_epi8(word, shuffle);
            word = _mm512_gf2p8affine_epi64_epi8::<0>(word, _mm512_permutexvar_epi64(q, matrices));
            let target = to.0.as_mut_ptr().add(first).cast();
            _mm512_store_si512(target, _mm512_or_si512(_mm512_load_si512(target), word));
        }
    }
}

/// Asks for the cache lines of a block.
#[inline]
pub(super) fn prefetch(block: &Block) {
    for line in block.0.chunks(8) {
        // SAFETY: a prefetch never faults, and the address is that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
}
