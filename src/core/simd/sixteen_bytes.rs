//! Sixteen bytes at a time, for each kind of processor.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use crate::math::bits;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2Bmi2, VectorWork};

/// Work on sixteen bytes.
pub trait SixteenBytes: Copy {
    /// The bytes at some places. Of a place the lowest four bits count; the highest is not set.
    fn at(self, bytes: &[u8; 16], places: &[u8; 16]) -> [u8; 16];

    /// The lowest bit of each byte, as a number of sixteen bits.
    fn lowest_bits(self, bytes: &[u8; 16]) -> u32;

    /// Whether each number below 16 is there once.
    fn are_all_numbers(self, bytes: &[u8; 16]) -> bool;

    /// Sixteen nibbles as a byte each, the lowest first.
    fn of_nibbles(self, nibbles: u64) -> [u8; 16];
}

/// Something to do with them.
pub trait BytesWork {
    /// The type of the result.
    type Output;

    /// Does it. All that it calls with the kernel has to be inlined (`#[inline(always)]`), or the kernel's instructions become calls.
    fn run<K: SixteenBytes>(self, kernel: K) -> Self::Output;
}

/// Does something with the fastest instructions for bytes that this processor has.
#[inline]
pub fn with_sixteen_bytes<W: BytesWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(instructions) = Avx2Bmi2::detect() {
        return instructions.run(WithShuffledBytes(instructions, work));
    }
    work.run(PortableBytes)
}

/// Something to do with the shuffles of AVX2.
#[cfg(target_arch = "x86_64")]
struct WithShuffledBytes<W>(Avx2Bmi2, W);

#[cfg(target_arch = "x86_64")]
impl<W: BytesWork> VectorWork for WithShuffledBytes<W> {
    type Output = W::Output;

    #[inline(always)]
    fn run(self) -> W::Output {
        self.1.run(self.0)
    }
}

/// The instructions of any processor.
#[derive(Debug, Clone, Copy)]
struct PortableBytes;

impl SixteenBytes for PortableBytes {
    #[inline(always)]
    fn at(self, bytes: &[u8; 16], places: &[u8; 16]) -> [u8; 16] {
        let mut found = [0; 16];
        for (to, place) in found.iter_mut().zip(places) {
            *to = bytes[usize::from(place & 15)];
        }
        found
    }

    #[inline(always)]
    fn lowest_bits(self, bytes: &[u8; 16]) -> u32 {
        let bytes = u128::from_le_bytes(*bytes);
        bits::lowest_of_bytes(bytes as u64) | bits::lowest_of_bytes((bytes >> 64) as u64) << 8
    }

    #[inline(always)]
    fn are_all_numbers(self, bytes: &[u8; 16]) -> bool {
        bytes.iter().fold(0u32, |found, &number| found | 1 << number.min(16)) == 0xFFFF
    }

    #[inline(always)]
    fn of_nibbles(self, nibbles: u64) -> [u8; 16] {
        let spread = |nibbles: u64| {
            let pairs = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF;
            let bytes = (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF;
            (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F
        };
        let (low, high) = (spread(nibbles & 0xFFFF_FFFF), spread(nibbles >> 32));
        (u128::from(low) | u128::from(high) << 64).to_le_bytes()
    }
}

#[cfg(target_arch = "x86_64")]
impl SixteenBytes for Avx2Bmi2 {
    #[inline(always)]
    fn at(self, bytes: &[u8; 16], places: &[u8; 16]) -> [u8; 16] {
        // SAFETY: the processor has AVX2 and what came before it, or there were no witness.
        bytemuck::cast(unsafe { _mm_shuffle_epi8(bytemuck::cast(*bytes), bytemuck::cast(*places)) })
    }

    #[inline(always)]
    fn lowest_bits(self, bytes: &[u8; 16]) -> u32 {
        // SAFETY: as above.
        unsafe { _mm_movemask_epi8(_mm_slli_epi16::<7>(bytemuck::cast(*bytes))) as u32 }
    }

    #[inline(always)]
    fn are_all_numbers(self, bytes: &[u8; 16]) -> bool {
        // SAFETY: as above.
        unsafe {
            let bytes = bytemuck::cast::<_, __m128i>(*bytes);
            let are_below = _mm_testz_si128(bytes, _mm_set1_epi8(0xF0u8 as i8)) == 1;
            // Bit n % 8 of each n, for those below 8 and for the others. Eight powers of two are at least needed for a sum of 255, and
            // eight have it only if they all differ: with sixteen bytes both sums are 255 only so.
            let powers = bytemuck::cast::<u128, __m128i>(0x8040_2010_0804_0201);
            let low = _mm_shuffle_epi8(powers, bytes);
            let high = _mm_shuffle_epi8(_mm_slli_si128::<8>(powers), bytes);
            let sums = _mm_add_epi64(
                _mm_slli_epi64::<32>(_mm_sad_epu8(low, _mm_setzero_si128())),
                _mm_sad_epu8(high, _mm_setzero_si128()),
            );
            let sums = _mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums));
            are_below && _mm_cvtsi128_si64(sums) == 255 << 32 | 255
        }
    }

    #[inline(always)]
    fn of_nibbles(self, nibbles: u64) -> [u8; 16] {
        // SAFETY: as above.
        unsafe {
            let nibbles = _mm_cvtsi64_si128(nibbles as i64);
            let low = _mm_set1_epi8(0x0F);
            let even = _mm_and_si128(nibbles, low);
            let odd = _mm_and_si128(_mm_srli_epi16::<4>(nibbles), low);
            bytemuck::cast(_mm_unpacklo_epi8(even, odd))
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// What kernels do, against one byte after the other.
    struct BytesCheck;

    impl BytesWork for BytesCheck {
        type Output = ();

        fn run<K: SixteenBytes>(self, kernel: K) {
            let mut rng = ChaCha8Rng::seed_from_u64(4);
            let all: [u8; 16] = std::array::from_fn(|number| number as u8);
            assert!(kernel.are_all_numbers(&all));
            for _ in 0..2000 {
                let bytes: [u8; 16] = rng.random();
                let places = bytes.map(|byte| byte & 0x7F);
                assert_eq!(kernel.at(&bytes, &places), places.map(|place| bytes[usize::from(place % 16)]));
                let lowest = bytes.iter().rev().fold(0, |bits, byte| bits << 1 | u32::from(byte & 1));
                assert_eq!(kernel.lowest_bits(&bytes), lowest);
                let nibbles: u64 = rng.random();
                let expected: [u8; 16] = std::array::from_fn(|number| (nibbles >> (4 * number)) as u8 & 15);
                assert_eq!(kernel.of_nibbles(nibbles), expected);
                assert!(!kernel.are_all_numbers(&bytes));
                // One number in place of another, whatever it is: sixteen that differ, or not.
                let mut order = all;
                (1..16).for_each(|place| order.swap(place, rng.random_range(0..=place)));
                assert!(kernel.are_all_numbers(&order));
                let place = rng.random_range(0..16);
                let before = std::mem::replace(&mut order[place], rng.random());
                assert_eq!(kernel.are_all_numbers(&order), order[place] == before, "{order:?}");
                // Several of them below 16.
                let few: [u8; 16] = std::array::from_fn(|number| if rng.random_bool(0.8) { number as u8 } else { 7 });
                let distinct: std::collections::HashSet<_> = few.into_iter().collect();
                assert_eq!(kernel.are_all_numbers(&few), distinct.len() == 16);
            }
        }
    }

    #[test]
    fn the_portable_instructions_do_what_is_told() {
        BytesCheck.run(PortableBytes);
    }

    #[test]
    fn the_instructions_of_this_processor_do_what_is_told() {
        with_sixteen_bytes(BytesCheck);
    }
}
