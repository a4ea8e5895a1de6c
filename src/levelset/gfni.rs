//! The inner step with AVX-512 and GFNI, eight words at a time.
//!
//! A word is an 8 × 8 bit matrix (row dP, column dQ). Multiplying dP in D4 permutes its bytes (`vpshufb`), multiplying
//! dQ permutes the bits of every byte (`vgf2p8affineqb` with a permutation matrix), exchanging P and Q transposes it
//! (`vgf2p8affineqb` with the word itself as the matrix). Measured against the portable step: `schema/decisions/square-coordinate.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::sync::LazyLock;

use twistbase_core::math::perm8::Relabelling;
use twistbase_core::simd::Gfni512;

use super::block::{BLOCK_WORDS, Block};
use super::kernel::{Products, left_factors};
use super::space::SlotMove;

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

/// Eight words at a time.
#[inline]
pub(super) fn or_moved(_: Gfni512, to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
    // SAFETY: the processor has the instructions that both enable, or there were no witness.
    unsafe {
        match relabelling.swap {
            true => eight::<true>(to, from, slots, relabelling),
            false => eight::<false>(to, from, slots, relabelling),
        }
    }
}

/// Added to the shuffle of every second word: shuffles count bytes within pairs of words.
const ODD_WORD: i64 = 0x0808_0808_0808_0808;
/// The shuffle that reverses the bytes of a word.
const REVERSE: i64 = 0x0001_0203_0405_0607;
/// The bit matrix that changes nothing, as data: transforming its bytes by a word as the matrix reads the columns of
/// the word, bytes reversed. So a word with its bytes reversed comes out transposed.
const IDENTITY: i64 = 0x8040_2010_0804_0201_u64 as i64;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn eight<const SWAP: bool>(to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
    let operands = &*OPERANDS;
    let (p_left, q_left) = left_factors(relabelling);
    let odd_words = _mm512_set_epi64(ODD_WORD, 0, ODD_WORD, 0, ODD_WORD, 0, ODD_WORD, 0);
    let reverse = _mm512_or_si512(_mm512_set1_epi64(REVERSE), odd_words);
    let identity = _mm512_set1_epi64(IDENTITY);
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
        // are words of a block (`SlotMove::new` writes none past WORDS, which is below BLOCK_WORDS); blocks are
        // aligned to 64 bytes.
        unsafe {
            let from_word = |lane: usize| *from.0.as_ptr().add(usize::from(*words.as_ptr().add(first + lane))) as i64;
            let mut word = _mm512_set_epi64(
                from_word(7),
                from_word(6),
                from_word(5),
                from_word(4),
                from_word(3),
                from_word(2),
                from_word(1),
                from_word(0),
            );
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
