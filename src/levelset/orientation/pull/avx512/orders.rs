//! The orders of four edges with their sixteen edge orientations, as one register: AVX-512 with GFNI.
//!
//! A move permutes the 24 sets of a group of orders, which is one permutation of lanes, and moves all of them alike. A
//! set is two bytes, and moving it takes bits of each byte to each byte: four 8 × 8 bit matrices. Measured against the
//! portable kernel: `schema/decisions/nx-generation.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::sync::LazyLock;

use crate::orientation::moves::MOVED_ORIENTATIONS;
use crate::orientation::pull::orders::{ORDERS, PLANES, inverted_planes};
use crate::orientation::pull::sources::{RowSources, SourceRow};
use crate::orientation::representation::OrientationSet4;
use twistbase_core::simd::Gfni512;

/// Adds to the groups `found` of a row what some of its parts are next to by one move.
pub(in crate::orientation::pull) fn add_orders<const P: usize>(
    _: Gfni512,
    row: &RowSources<'_, OrientationSet4, P>,
    source: &SourceRow<'_, OrientationSet4, P>,
    parts: &[u16],
    found: &mut [OrientationSet4],
) {
    // SAFETY: the processor has the instructions, or there were no witness.
    unsafe { add_parts(row, source, parts, found) }
}

/// The matrices that take each byte to itself, and those to the other one; of each pair, the lower byte's first.
type Matrices = [[u64; 2]; 2];

/// By the steps that move a set ([`PlaceMap4`](crate::orientation::moves::PlaceMap4)), the matrices that do the
/// same.
static MATRICES: LazyLock<Box<[Matrices]>> = LazyLock::new(|| {
    let matrices = |moved: &[u8; 16]| {
        let mut matrices = [[[0u8; 8]; 2]; 2];
        for (from, &to) in moved.iter().enumerate() {
            let to = usize::from(to);
            let crosses = usize::from(from / 8 != to / 8);
            // `vgf2p8affineqb` wants the row of output bit `i` in byte `7 - i`.
            matrices[crosses][to / 8][7 - to % 8] |= 1 << (from % 8);
        }
        matrices.map(|pair| pair.map(u64::from_le_bytes))
    };
    MOVED_ORIENTATIONS.iter().map(matrices).collect()
});

#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
fn add_parts<const P: usize>(
    row: &RowSources<'_, OrientationSet4, P>,
    source: &SourceRow<'_, OrientationSet4, P>,
    parts: &[u16],
    found: &mut [OrientationSet4],
) {
    let (found, _) = found.as_chunks_mut::<ORDERS>();
    let (blocks, _) = bytemuck::cast_slice::<_, [OrientationSet4; PLANES]>(source.blocks).as_chunks::<ORDERS>();
    let upper = row.space.shape().groups / ORDERS;
    let inverted = _mm512_set1_epi32(inverted_planes(row.code));
    for &part in parts {
        let part = usize::from(part);
        let from = &source.parts[part];
        let (outer, inner) = row.space.group_sources(from);
        let inner = load_orders(inner.first_chunk().expect("an order for each"));
        let matrices = &MATRICES[usize::from(source.prepared.steps(part))];
        let blocks = &blocks[usize::from(from.part) * upper..][..upper];
        for (to, &outer) in found[part * upper..][..upper].iter_mut().zip(outer) {
            let sets = _mm512_permutexvar_epi16(inner, selected(&blocks[usize::from(outer)], inverted));
            add(to, moved(sets, matrices));
        }
    }
}

/// The lanes in which there are sets.
const LANES: __mmask32 = (1 << ORDERS) - 1;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
fn load_orders(orders: &[u16; ORDERS]) -> __m512i {
    // SAFETY: only the lanes of the array are read.
    unsafe { _mm512_maskz_loadu_epi16(LANES, orders.as_ptr().cast()) }
}

/// The sets of the blocks, with their planes inverted like this.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
fn selected(blocks: &[[OrientationSet4; PLANES]; ORDERS], inverted: __m512i) -> __m512i {
    let first = blocks.as_ptr();
    // SAFETY: sixteen and eight blocks of four bytes are all there are.
    let (low, high) = unsafe { (_mm512_loadu_epi32(first.cast()), _mm256_loadu_epi32(first.add(16).cast())) };
    let [low, high] = [low, _mm512_zextsi256_si512(high)].map(|planes| {
        let planes = _mm512_xor_si512(planes, inverted);
        _mm512_cvtepi32_epi16(_mm512_and_si512(planes, _mm512_srli_epi32::<16>(planes)))
    });
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// The sets, moved by these matrices.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
fn moved(sets: __m512i, matrices: &Matrices) -> __m512i {
    const UPPER_BYTES: __mmask64 = 0xaaaa_aaaa_aaaa_aaaa;
    let crossed = _mm512_or_si512(_mm512_slli_epi16::<8>(sets), _mm512_srli_epi16::<8>(sets));
    let [[same_low, same_high], [cross_low, cross_high]] =
        matrices.map(|pair| pair.map(|matrix| _mm512_set1_epi64(matrix as i64)));
    let same = _mm512_gf2p8affine_epi64_epi8::<0>(sets, same_low);
    let same = _mm512_mask_gf2p8affine_epi64_epi8::<0>(same, UPPER_BYTES, sets, same_high);
    let cross = _mm512_gf2p8affine_epi64_epi8::<0>(crossed, cross_low);
    let cross = _mm512_mask_gf2p8affine_epi64_epi8::<0>(cross, UPPER_BYTES, crossed, cross_high);
    _mm512_or_si512(same, cross)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
fn add(to: &mut [OrientationSet4; ORDERS], sets: __m512i) {
    let to = to.as_mut_ptr().cast();
    // SAFETY: only the lanes of the array are read and written.
    unsafe { _mm512_mask_storeu_epi16(to, LANES, _mm512_or_si512(sets, _mm512_maskz_loadu_epi16(LANES, to))) }
}
