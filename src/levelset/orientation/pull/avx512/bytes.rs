//! Sets of the edge orientations of eight or twelve places in registers: AVX-512 with VBMI and GFNI.
//!
//! Sets are moved in the [`ByteSteps`] into which their permutation is decomposed: bytes go anywhere by `vpermb` and
//! `vpermi2b`, bits are transposed by `vgf2p8affineqb`. A set of eight places is 32 bytes, and two of them are moved in a
//! register; one of twelve places is four registers. Measured against the portable kernel:
//! `schema/decisions/nx-generation.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use rayon::prelude::*;

use crate::orientation::moves::{ByteSteps, MovableOrientations, OrientationMoves, PartMove};
use crate::orientation::representation::{OrientationPlanes, OrientationSet8, OrientationSet12};
use twistbase_core::simd::Vbmi512;

/// Registers that hold a set of the edge orientations of twelve places.
const REGISTERS: usize = 4;

/// Sets that are moved in registers.
pub(crate) trait RegisterSet: MovableOrientations {
    /// Adds to group `i` of `near` what group `inner[i]` of `from` has of that code, moved in these steps and flipped.
    ///
    /// # Safety
    /// The processor has the instructions: there is a [`Vbmi512`].
    unsafe fn add_moved<const P: usize>(
        near: &mut [Self],
        groups: (&[OrientationPlanes<Self, P>], &[u16]),
        moves: (&ByteSteps, u16),
        code: u8,
    );
}

/// What a move does to sets, by part; once, if that is the same for all parts; `None` if this processor does not have
/// the instructions.
pub struct RegisterMoves(Option<(Vbmi512, Box<[ByteSteps]>)>);

impl RegisterMoves {
    /// What moves do.
    pub(crate) fn prepare<S: RegisterSet>(moves: &OrientationMoves<S>) -> Vec<Self> {
        let Some(instructions) = Vbmi512::detect() else {
            return moves.parts.iter().map(|_| Self(None)).collect();
        };
        let maps: Vec<ByteSteps> = moves.orientations.par_iter().map(ByteSteps::new::<S>).collect();
        let of_parts = |parts: &[PartMove]| {
            let is_alike = parts.iter().all(|part| part.orientations == parts[0].orientations);
            let different = if is_alike { &parts[..parts.len().min(1)] } else { parts };
            // Not by map: the search visits them in this order.
            let steps = different.iter().map(|part| maps[usize::from(part.orientations)]);
            Self(Some((instructions, steps.collect())))
        };
        moves.parts.iter().map(|parts| of_parts(parts)).collect()
    }

    /// Adds to group `i` of `near` what group `inner[i]` of `from` has of that code, moved as part `number` is; `false`
    /// if this processor does not have the instructions.
    #[inline(always)]
    pub(crate) fn add<S: RegisterSet, const P: usize>(
        &self,
        groups: (&[OrientationPlanes<S, P>], &[u16]),
        (part, number): (&PartMove, usize),
        code: u8,
        near: &mut [S],
    ) -> bool {
        let Some((_, steps)) = &self.0 else { return false };
        let steps = &steps[number.min(steps.len() - 1)];
        // SAFETY: a `Vbmi512` is there, which only detecting the instructions makes.
        unsafe { S::add_moved(near, groups, (steps, part.turned & (S::STATES - 1) as u16), code) };
        true
    }
}

impl RegisterSet for OrientationSet8 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
    unsafe fn add_moved<const P: usize>(
        near: &mut [Self],
        (from, inner): (&[OrientationPlanes<Self, P>], &[u16]),
        (steps, turned): (&ByteSteps, u16),
        code: u8,
    ) {
        let inverted = inverted::<P>(code);
        let mut sources = [_mm512_setzero_si512(); 3];
        for ((source, matrix), turned) in sources.iter_mut().zip(steps.bytes).zip(steps.turning(turned)) {
            *source = source_bytes(numbers(), matrix, turned);
        }
        let moved = |sets| {
            let sets = transposed(_mm512_permutexvar_epi8(sources[0], sets));
            let sets = _mm512_permutexvar_epi8(sources[1], sets);
            if steps.is_short { sets } else { _mm512_permutexvar_epi8(sources[2], transposed(sets)) }
        };
        let (pairs, last) = near.as_chunks_mut::<2>();
        let (inner, last_inner) = inner.as_chunks::<2>();
        for (near, inner) in pairs.iter_mut().zip(inner) {
            let [first, second] = inner.map(|group| &from[usize::from(group)]);
            add(bytemuck::cast_mut(near), moved(selected(first, second, inverted)));
        }
        if let ([near], [group]) = (last, last_inner) {
            let only = &from[usize::from(*group)];
            let sets = _mm512_castsi512_si256(moved(selected(only, only, inverted)));
            // SAFETY: a set is 32 bytes.
            unsafe {
                let near = std::ptr::from_mut(near).cast();
                _mm256_storeu_si256(near, _mm256_or_si256(sets, _mm256_loadu_si256(near)));
            }
        }
    }
}

/// The sets of two blocks, with their planes inverted like this.
#[inline]
#[target_feature(enable = "avx512f")]
fn selected<const P: usize>(
    first: &OrientationPlanes<OrientationSet8, P>,
    second: &OrientationPlanes<OrientationSet8, P>,
    inverted: [__m512i; P],
) -> __m512i {
    let mut sets = _mm512_set1_epi64(-1);
    for ((first, second), inverted) in first.planes().iter().zip(second.planes()).zip(inverted) {
        // SAFETY: a set is 32 bytes.
        let [first, second] = [first, second].map(|set| unsafe { _mm256_loadu_si256(std::ptr::from_ref(set).cast()) });
        let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
        sets = _mm512_and_si512(sets, _mm512_xor_si512(both, inverted));
    }
    sets
}

impl RegisterSet for OrientationSet12 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
    unsafe fn add_moved<const P: usize>(
        near: &mut [Self],
        (from, inner): (&[OrientationPlanes<Self, P>], &[u16]),
        (steps, turned): (&ByteSteps, u16),
        code: u8,
    ) {
        let (inverted, turned) = (inverted::<P>(code), steps.turning(turned));
        for (near, &group) in near.iter_mut().zip(inner) {
            let mut set = [_mm512_set1_epi64(-1); REGISTERS];
            for (plane, inverted) in from[usize::from(group)].planes().iter().zip(inverted) {
                for (set, bytes) in set.iter_mut().zip(bytemuck::bytes_of(plane).as_chunks::<64>().0) {
                    *set = _mm512_and_si512(*set, _mm512_xor_si512(load(bytes), inverted));
                }
            }
            set = permuted(set, steps.bytes[0], turned[0]).map(|part| transposed(part));
            set = permuted(set, steps.bytes[1], turned[1]);
            if !steps.is_short {
                set = permuted(set.map(|part| transposed(part)), steps.bytes[2], turned[2]);
            }
            for (near, part) in bytemuck::bytes_of_mut(near).as_chunks_mut::<64>().0.iter_mut().zip(set) {
                add(near, part);
            }
        }
    }
}

/// A set of 256 bytes, each taken from the byte that this map names.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
fn permuted(set: [__m512i; REGISTERS], matrix: u64, turned: u8) -> [__m512i; REGISTERS] {
    let mut to = set;
    for (register, to) in to.iter_mut().enumerate() {
        let number = _mm512_xor_si512(numbers(), _mm512_set1_epi8((64 * register) as u8 as i8));
        let source = source_bytes(number, matrix, turned);
        let low = _mm512_permutex2var_epi8(set[0], source, set[1]);
        let high = _mm512_permutex2var_epi8(set[2], source, set[3]);
        *to = _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(source), high);
    }
    to
}

/// By plane, what is inverted of it: everything where the code's bit is 0.
#[inline]
#[target_feature(enable = "avx512f")]
fn inverted<const P: usize>(code: u8) -> [__m512i; P] {
    let mut inverted = [_mm512_setzero_si512(); P];
    for (bit, inverted) in inverted.iter_mut().enumerate() {
        *inverted = _mm512_set1_epi64(i64::from(code >> bit & 1) - 1);
    }
    inverted
}

/// The numbers of the bytes that bytes of these numbers come from.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn source_bytes(numbers: __m512i, matrix: u64, turned: u8) -> __m512i {
    let moved = _mm512_gf2p8affine_epi64_epi8::<0>(numbers, _mm512_set1_epi64(matrix as i64));
    _mm512_xor_si512(moved, _mm512_set1_epi8(turned as i8))
}

/// The numbers of the bytes of a register.
#[inline]
#[target_feature(enable = "avx512f")]
fn numbers() -> __m512i {
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut byte = 0;
        while byte < 64 {
            numbers[byte] = byte as u8;
            byte += 1;
        }
        numbers
    };
    load(&NUMBERS)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: there are 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(to: &mut [u8; 64], sets: __m512i) {
    let to = to.as_mut_ptr().cast();
    // SAFETY: there are 64 bytes.
    unsafe { _mm512_storeu_si512(to, _mm512_or_si512(sets, _mm512_loadu_si512(to))) }
}

/// Every eight bytes transposed and inverted: bit `i` of byte `j` is bit `j` of byte `7 - i`.
#[inline]
#[target_feature(enable = "avx512f,gfni")]
fn transposed(sets: __m512i) -> __m512i {
    const ROWS: u64 = 0x80_40_20_10_08_04_02_01;
    _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(ROWS as i64), sets)
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Any permutation, any flips, any code, any number of groups.
    fn registers_do_as_words_do<S: RegisterSet, const P: usize>() {
        let mut rng = ChaCha8Rng::seed_from_u64(64);
        for trial in 0..2000 {
            let mut places: Vec<u8> = (0..S::PLACES as u8).collect();
            places.shuffle(&mut rng);
            let map = S::map(&places);
            let turned = if trial % 4 == 0 { 0 } else { rng.random_range(0..S::STATES as u16) };
            let turned = if S::PLACES == 12 { turned | ((turned.count_ones() & 1) as u16) << 11 } else { turned };
            let part = PartMove { turned, ..PartMove::default() };
            let moves = OrientationMoves::<S> {
                parts: vec![[part; 3].into()],
                orientations: vec![S::map(&places)],
                outer: Vec::new(),
                inner: Vec::new(),
            };
            let prepared = RegisterMoves::prepare(&moves);
            let groups = 1 + trial % 7;
            let mut set = || S::from_words(|_| rng.random());
            let from: Vec<S> = (0..groups * P).map(|_| set()).collect();
            let from: &[OrientationPlanes<S, P>] = bytemuck::cast_slice(&from);
            let near: Vec<S> = (0..groups).map(|_| set().and(&set())).collect();
            let mut inner: Vec<u16> = (0..groups as u16).collect();
            inner.shuffle(&mut rng);
            for code in 1..1 << P {
                let (mut found, mut expected) = (near.clone(), near.clone());
                assert!(prepared[0].add((from, &inner), (&part, trial % 3), code, &mut found));
                for (expected, &group) in expected.iter_mut().zip(&inner) {
                    expected.add(&from[usize::from(group)].of(code).moved(&map, turned));
                }
                assert!(found == expected, "{places:?} {turned:#x} {code}");
            }
        }
    }

    #[test]
    fn all_sets_are_moved_as_words_are() {
        if Vbmi512::detect().is_none() {
            twistbase_testing::skipped::skipped("this processor does not move sets in registers");
            return;
        }
        registers_do_as_words_do::<OrientationSet8, 2>();
        registers_do_as_words_do::<OrientationSet8, 4>();
        registers_do_as_words_do::<OrientationSet12, 2>();
        registers_do_as_words_do::<OrientationSet12, 4>();
    }
}
