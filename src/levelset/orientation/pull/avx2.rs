//! The orders of four edges with their sixteen edge orientations, in two registers: AVX2.
//!
//! The 24 sets of a group of orders are two bytes each: all lower bytes are one register, all upper ones another. A move
//! permutes the bytes of both alike, and moves all sets alike: the images of four half bytes, looked up. Measured
//! against the portable kernel: `schema/decisions/nx-generation.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::sync::LazyLock;

use crate::orientation::moves::MOVED_ORIENTATIONS;
use crate::orientation::representation::OrientationSet4;
use twistbase_core::simd::Words256;

use super::orders::{ORDERS, PLANES, inverted_planes};
use super::sources::{RowSources, SourceRow};

/// Adds to the groups `found` of a row what some of its parts are next to by one move.
pub(super) fn add_orders<const P: usize>(
    _: Words256,
    row: &RowSources<'_, OrientationSet4, P>,
    source: &SourceRow<'_, OrientationSet4, P>,
    parts: &[u16],
    found: &mut [OrientationSet4],
) {
    // SAFETY: the processor has the instructions, or there were no witness.
    unsafe { add_parts(row, source, parts, found) }
}

/// The images of the half bytes of a set, the lowest first: what they add to its lower byte and to its upper one.
type HalfByteImages = [[[u8; 16]; 2]; 4];

/// By the steps that move a set ([`PlaceMap4`](crate::orientation::moves::PlaceMap4)).
static IMAGES: LazyLock<Box<[HalfByteImages]>> = LazyLock::new(|| {
    let images = |moved: &[u8; 16]| {
        let mut images = [[[0; 16]; 2]; 4];
        for (from, &to) in moved.iter().enumerate() {
            for bits in (0..16).filter(|bits| bits >> (from % 4) & 1 == 1) {
                images[from / 4][usize::from(to / 8)][bits] |= 1 << (to % 8);
            }
        }
        images
    };
    MOVED_ORIENTATIONS.iter().map(images).collect()
});

#[target_feature(enable = "avx2")]
fn add_parts<const P: usize>(
    row: &RowSources<'_, OrientationSet4, P>,
    source: &SourceRow<'_, OrientationSet4, P>,
    parts: &[u16],
    found: &mut [OrientationSet4],
) {
    let (found, _) = found.as_chunks_mut::<ORDERS>();
    let (blocks, _) = bytemuck::cast_slice::<_, [OrientationSet4; PLANES]>(source.blocks).as_chunks::<ORDERS>();
    let (upper, images) = (row.space.shape().groups / ORDERS, &**IMAGES);
    let inverted = _mm256_set1_epi32(inverted_planes(row.code));
    for &part in parts {
        let part = usize::from(part);
        let from = &source.parts[part];
        let (outer, inner) = row.space.group_sources(from);
        let bytes = source_bytes(inner.first_chunk().expect("an order for each"));
        let images = &images[usize::from(source.prepared.steps(part))];
        let blocks = &blocks[usize::from(from.part) * upper..][..upper];
        for (to, &outer) in found[part * upper..][..upper].iter_mut().zip(outer) {
            let sets = selected(&blocks[usize::from(outer)], inverted).map(|bytes_of| permuted(bytes_of, bytes));
            add(to, moved(sets, images));
        }
    }
}

/// The bytes of [`selected`] that the sets of these orders come from, in the order in which [`add`] wants them: 0 to 7,
/// 16 to 23, 8 to 15.
#[inline]
#[target_feature(enable = "avx2")]
fn source_bytes(orders: &[u16; ORDERS]) -> __m256i {
    let first = orders.as_ptr();
    // SAFETY: sixteen and eight numbers of two bytes are all there are.
    let (low, high) = unsafe { (_mm256_loadu_si256(first.cast()), _mm_loadu_si128(first.add(16).cast())) };
    let orders = _mm256_packus_epi16(low, _mm256_zextsi128_si256(high));
    // Order 8 i + 4 j + k is byte 4 i + k of half j.
    let [i, j, k] = [0x18, 4, 3].map(|bits| _mm256_and_si256(orders, _mm256_set1_epi8(bits)));
    _mm256_or_si256(_mm256_or_si256(_mm256_srli_epi16::<1>(i), _mm256_slli_epi16::<2>(j)), k)
}

/// The sets of the blocks, with their planes inverted like this: their lower and their upper bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn selected(blocks: &[[OrientationSet4; PLANES]; ORDERS], inverted: __m256i) -> [__m256i; 2] {
    let sets = [0, 8, 16].map(|first| {
        // SAFETY: eight blocks of four bytes from each of these on are all there are.
        let planes = unsafe { _mm256_loadu_si256(blocks.as_ptr().add(first).cast()) };
        let planes = _mm256_xor_si256(planes, inverted);
        // The upper half of each is 0.
        _mm256_and_si256(_mm256_srli_epi32::<16>(planes), planes)
    });
    let [first, last] = [[sets[0], sets[1]], [sets[2], sets[2]]].map(|[a, b]| _mm256_packus_epi32(a, b));
    let lower = _mm256_set1_epi16(0xff);
    [
        _mm256_packus_epi16(_mm256_and_si256(first, lower), _mm256_and_si256(last, lower)),
        _mm256_packus_epi16(_mm256_srli_epi16::<8>(first), _mm256_srli_epi16::<8>(last)),
    ]
}

/// The bytes with these numbers, each below 32.
#[inline]
#[target_feature(enable = "avx2")]
fn permuted(bytes: __m256i, numbers: __m256i) -> __m256i {
    let low = _mm256_shuffle_epi8(_mm256_permute2x128_si256::<0x00>(bytes, bytes), numbers);
    let high = _mm256_shuffle_epi8(_mm256_permute2x128_si256::<0x11>(bytes, bytes), numbers);
    // Bit 4 of the number, as the highest bit of the byte.
    _mm256_blendv_epi8(low, high, _mm256_slli_epi16::<3>(numbers))
}

/// The sets, moved by these images.
#[inline]
#[target_feature(enable = "avx2")]
fn moved([lower, upper]: [__m256i; 2], images: &HalfByteImages) -> [__m256i; 2] {
    let half = _mm256_set1_epi8(0xf);
    let mut moved = [_mm256_setzero_si256(); 2];
    let halves = [lower, _mm256_srli_epi16::<4>(lower), upper, _mm256_srli_epi16::<4>(upper)];
    for (bits, images) in halves.into_iter().zip(images) {
        let bits = _mm256_and_si256(bits, half);
        for (moved, images) in moved.iter_mut().zip(images) {
            // SAFETY: there are 16 bytes.
            let images = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(images.as_ptr().cast()) });
            *moved = _mm256_or_si256(*moved, _mm256_shuffle_epi8(images, bits));
        }
    }
    moved
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(to: &mut [OrientationSet4; ORDERS], [lower, upper]: [__m256i; 2]) {
    let low = _mm256_unpacklo_epi8(lower, upper);
    let high = _mm256_castsi256_si128(_mm256_unpackhi_epi8(lower, upper));
    let to = to.as_mut_ptr();
    // SAFETY: sixteen and eight sets of two bytes are all there are.
    unsafe {
        let (first, last) = (to.cast(), to.add(16).cast());
        _mm256_storeu_si256(first, _mm256_or_si256(low, _mm256_loadu_si256(first)));
        _mm_storeu_si128(last, _mm_or_si128(high, _mm_loadu_si128(last)));
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::orientation::moves::exchanged;

    /// Any order of the orders, any steps, any code.
    #[test]
    fn orders_are_moved_one_by_one() {
        if Words256::detect().is_none() {
            twistbase_testing::skipped::skipped("this processor does not shuffle bytes in registers");
            return;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(24);
        for (steps, code) in (0..IMAGES.len()).flat_map(|steps| (1..4u16).map(move |code| (steps, code))) {
            let mut set = || OrientationSet4(rng.random());
            let blocks: [[_; PLANES]; ORDERS] = std::array::from_fn(|_| [set(), set()]);
            let before: [_; ORDERS] = std::array::from_fn(|_| set());
            let mut orders: [u16; ORDERS] = std::array::from_fn(|order| order as u16);
            orders.shuffle(&mut rng);
            let (mut found, mut expected) = (before, before);
            for (expected, &order) in expected.iter_mut().zip(&orders) {
                let of_code = |bit: u16, plane: OrientationSet4| if code & bit == 0 { !plane.0 } else { plane.0 };
                let [first, second] = blocks[usize::from(order)];
                expected.0 |= exchanged(of_code(1, first) & of_code(2, second), steps as u16);
            }
            // SAFETY: the processor has the instructions.
            unsafe {
                let bytes = source_bytes(&orders);
                let sets = selected(&blocks, _mm256_set1_epi32(inverted_planes(code as u8)))
                    .map(|bytes_of| permuted(bytes_of, bytes));
                add(&mut found, moved(sets, &IMAGES[steps]));
            }
            assert_eq!(found, expected, "{orders:?} {steps:#x} {code}");
        }
    }
}
