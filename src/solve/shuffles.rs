//! The kernel for x86-64 with AVX2 and BMI2. Measured against the portable one: `schema/decisions/optimal-search.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::packed_cube::{CubeKernel, EDGE_ORIENTATION_BIT, PackedCube};
use twistbase_core::math::prefetch::prefetch_at;
use twistbase_core::simd::Avx2Bmi2;
use twistbase_puzzle::cube3::CORNERS;

/// Byte shuffles and `pext`, of a processor that has them: its witness is what makes these functions safe to call. Where
/// they are not inlined into [`Avx2Bmi2::run`], each instruction is a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shuffles(pub Avx2Bmi2);

impl CubeKernel for Shuffles {
    #[inline(always)]
    fn product(self, a: &PackedCube, b: &PackedCube) -> PackedCube {
        // SAFETY: the processor has SSSE3 (see `Shuffles`).
        let corners = unsafe {
            let a = _mm_cvtsi64_si128(i64::from_le_bytes(a.corners));
            let b = _mm_cvtsi64_si128(i64::from_le_bytes(b.corners));
            let corner_orientations = _mm_and_si128(b, _mm_set1_epi8(0x30));
            let sum = _mm_add_epi8(_mm_shuffle_epi8(a, _mm_and_si128(b, _mm_set1_epi8(7))), corner_orientations);
            let sum = _mm_min_epu8(sum, _mm_sub_epi8(sum, _mm_set1_epi8(3 << 4)));
            _mm_cvtsi128_si64(sum).to_le_bytes()
        };
        PackedCube { edges: self.edges(&a.edges, &b.edges), corners }
    }

    #[inline(always)]
    fn edges(self, a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
        // SAFETY: as above.
        unsafe {
            let (a, b): (__m128i, __m128i) = (bytemuck::cast(*a), bytemuck::cast(*b));
            // A shuffle looks at the lowest four bits of an index, and at the highest, which is never set.
            let moved = _mm_shuffle_epi8(a, b);
            bytemuck::cast(_mm_xor_si128(moved, _mm_and_si128(b, _mm_set1_epi8(1 << EDGE_ORIENTATION_BIT))))
        }
    }

    #[inline(always)]
    fn edge_bits<const BIT: u32>(self, edges: &[u8; 16]) -> u32 {
        // SAFETY: as above.
        let bits = unsafe {
            let edges = bytemuck::cast::<_, __m128i>(*edges);
            _mm_movemask_epi8(_mm_sll_epi16(edges, _mm_cvtsi32_si128(7 - BIT as i32)))
        };
        bits as u32 & 0xfff
    }

    #[inline(always)]
    fn corner_bits<const BIT: u32>(self, corners: &[u8; CORNERS]) -> u32 {
        // SAFETY: as above.
        let bits = unsafe {
            let corners = _mm_cvtsi64_si128(i64::from_le_bytes(*corners));
            _mm_movemask_epi8(_mm_sll_epi16(corners, _mm_cvtsi32_si128(7 - BIT as i32)))
        };
        bits as u32 & 0xff
    }

    #[inline(always)]
    fn gather(self, bits: u32, mask: u32) -> u32 {
        // SAFETY: the processor has BMI2 (see `Shuffles`).
        unsafe { _pext_u32(bits, mask) }
    }

    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        prefetch_at(bytes.as_ptr().wrapping_add(at));
    }
}
