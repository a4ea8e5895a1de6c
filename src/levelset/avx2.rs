//! The inner step with AVX2 alone, four words at a time.
//!
//! A word is an 8 × 8 bit matrix (row dP, column dQ). Multiplying dP in D4 permutes its bytes (`vpshufb`). Multiplying dQ
//! permutes the bits of every byte: as D4's elements are numbered, in three exchanges of bits, each of which depends on the
//! word's factor only by a mask. Exchanging P and Q transposes the word, and what is then done to dQ can be done to the
//! rows before. Measured against the other steps: `schema/decisions/square-coordinate.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::sync::LazyLock;

use twistbase_core::math::perm8::Relabelling;
use twistbase_core::math::square::D4_ORDER;
use twistbase_core::simd::Words256;

use super::block::{BLOCK_WORDS, Block};
use super::kernel::{Products, left_factors};
use super::space::SlotMove;

/// The maps `d -> left d right` for one left factor, as `vpshufb` looks them up.
///
/// The bits of an element's index are `r0`, `r1` (its rotation) and `s` (its reflection). A map changes `r0` and `s` by
/// constants, and `r1` by what depends on `r0` and `s` only: once on each, without regard to the other.
struct Maps {
    /// The image of `r0`, where the other bits are 0, by `right + 8 r0`.
    images: [u8; 16],
    /// What `s` changes in the image, by `right`.
    of_s: [u8; 16],
    /// The bits of a byte that trade places with those so many bits above, one for each of [`DISTANCES`], by `right`.
    exchanges: [[u8; 16]; 3],
}

/// Exchanged are bits whose numbers differ in `s`, in `r0`, and in `r1`.
const DISTANCES: [i32; 3] = [4, 1, 2];

/// By left factor.
static MAPS: LazyLock<[Maps; D4_ORDER]> = LazyLock::new(|| std::array::from_fn(Maps::new));

impl Maps {
    fn new(left: usize) -> Self {
        let mut maps = Self { images: [0; 16], of_s: [0; 16], exchanges: [[0; 16]; 3] };
        for right in 0..D4_ORDER {
            let index = &Products::get().index[left * 8 + right];
            maps.images[right] = index[0];
            maps.images[right + 8] = index[1];
            maps.of_s[right] = index[0] ^ index[4];
            for (d, &image) in index.iter().enumerate() {
                let changed = usize::from(image) ^ d;
                for (exchanges, distance) in maps.exchanges.iter_mut().zip(DISTANCES) {
                    let is_lower = d & distance as usize == 0;
                    if is_lower && changed & distance as usize != 0 {
                        exchanges[right] |= 1 << d;
                    }
                }
            }
        }
        maps
    }
}

/// Four words at a time.
#[inline]
pub(super) fn or_moved(_: Words256, to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
    // SAFETY: the processor has the instructions that both enable, or there were no witness.
    unsafe {
        match relabelling.swap {
            true => four::<true>(to, from, slots, relabelling),
            false => four::<false>(to, from, slots, relabelling),
        }
    }
}

#[target_feature(enable = "avx2")]
fn four<const SWAP: bool>(to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
    let (p_left, q_left) = left_factors(relabelling);
    let (p_maps, q_maps) = (Registers::new(&MAPS[p_left]), Registers::new(&MAPS[q_left]));
    let words = &slots.words[usize::from(SWAP)];
    for first in (0..BLOCK_WORDS).step_by(4) {
        // SAFETY: `first + 4 <= BLOCK_WORDS`, the length of every array read or written here; the gathered indices
        // are words of a block (`SlotMove::new` writes none past WORDS, which is below BLOCK_WORDS); blocks are
        // aligned to 64 bytes.
        unsafe {
            let from_word = |lane: usize| *from.0.as_ptr().add(usize::from(*words.as_ptr().add(first + lane))) as i64;
            let mut word = _mm256_set_epi64x(from_word(3), from_word(2), from_word(1), from_word(0));
            let p = spread(slots.p.as_ptr().add(first).cast::<i32>().read_unaligned());
            let q = spread(slots.q.as_ptr().add(first).cast::<i32>().read_unaligned());
            if SWAP {
                word = transpose(_mm256_shuffle_epi8(word, q_maps.shuffles(q)));
                word = _mm256_shuffle_epi8(word, p_maps.shuffles(p));
            } else {
                word = _mm256_shuffle_epi8(word, p_maps.shuffles(p));
                word = q_maps.exchange(word, q);
            }
            let target = to.0.as_mut_ptr().add(first).cast();
            _mm256_store_si256(target, _mm256_or_si256(_mm256_load_si256(target), word));
        }
    }
}

/// Each of four bytes in all bytes of a word.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(bytes: i32) -> __m256i {
    let lanes = _mm256_set_epi64x(0x0303_0303_0303_0303, 0x0202_0202_0202_0202, 0x0101_0101_0101_0101, 0);
    _mm256_shuffle_epi8(_mm256_set1_epi32(bytes), lanes)
}

/// [`Maps`] in registers, the tables twice.
struct Registers {
    images: __m256i,
    of_s: __m256i,
    exchanges: [__m256i; 3],
}

impl Registers {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(maps: &Maps) -> Self {
        let twice = |table: &[u8; 16]| {
            // SAFETY: the pointer comes from a reference to 16 bytes.
            _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
        };
        let [first, second, third] = &maps.exchanges;
        Self {
            images: twice(&maps.images),
            of_s: twice(&maps.of_s),
            exchanges: [twice(first), twice(second), twice(third)],
        }
    }

    /// Byte shuffles `d -> left d right` of four words, from the right factor of each in all its bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn shuffles(&self, right: __m256i) -> __m256i {
        // The images are looked up by r0; shuffles count bytes within pairs of words.
        let r0 = _mm256_set1_epi64x(0x0800_0800_0800_0800);
        let (r1, s) = (0x0202_0000_0202_0000, _mm256_set1_epi64x(!0xffff_ffff));
        let odd_words = r1 | 0x0808_0808_0808_0808;
        let others = _mm256_set_epi64x(odd_words, r1, odd_words, r1);
        let images = _mm256_shuffle_epi8(self.images, _mm256_or_si256(right, r0));
        let of_s = _mm256_and_si256(_mm256_shuffle_epi8(self.of_s, right), s);
        _mm256_xor_si256(_mm256_xor_si256(images, others), of_s)
    }

    /// Permutes the bits of each byte by `d -> left d right`, from the right factor of each word in all its bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn exchange(&self, mut word: __m256i, right: __m256i) -> __m256i {
        let [fours, ones, twos] = self.exchanges;
        word = exchange::<4>(word, _mm256_shuffle_epi8(fours, right));
        word = exchange::<1>(word, _mm256_shuffle_epi8(ones, right));
        exchange::<2>(word, _mm256_shuffle_epi8(twos, right))
    }
}

/// Exchanges the bits in `mask` with those `DISTANCE` above them.
#[inline]
#[target_feature(enable = "avx2")]
fn exchange<const DISTANCE: i32>(word: __m256i, mask: __m256i) -> __m256i {
    let differ = _mm256_and_si256(_mm256_xor_si256(word, _mm256_srli_epi64::<DISTANCE>(word)), mask);
    _mm256_xor_si256(word, _mm256_xor_si256(differ, _mm256_slli_epi64::<DISTANCE>(differ)))
}

/// Transposes four 8 × 8 bit matrices.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(mut word: __m256i) -> __m256i {
    word = exchange::<7>(word, _mm256_set1_epi64x(0x00aa_00aa_00aa_00aa));
    word = exchange::<14>(word, _mm256_set1_epi64x(0x0000_cccc_0000_cccc));
    exchange::<28>(word, _mm256_set1_epi64x(0x0000_0000_f0f0_f0f0))
}
