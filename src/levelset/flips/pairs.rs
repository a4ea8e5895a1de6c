//! Sets of the flips of eight places, two at a time in a register: AVX-512 with VBMI and GFNI.
//!
//! A set is 32 bytes. Of the eight bits of a flip's number, three select a bit in a byte and five a byte. Bytes go anywhere in one
//! step (`vpermb`), and 8 × 8 bits are transposed in another (`vgf2p8affineqb`), which exchanges the three bits with three of the
//! five. So any permutation of the places takes three or five steps, whatever is turned over. Measured against the portable
//! way: `schema/decisions/nx-generation.md`.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::map::ByteMap;
use super::set::{FlipPlanes, FlipSet, FlipSet8};

/// Bit planes of a block whose sets are moved here.
pub(super) const PLANES: usize = 2;
/// Bits of a number that select a bit in a byte.
const IN_BYTE: usize = 3;

/// Whether sets are moved here: if this processor has the instructions.
pub(super) fn are_moved() -> bool {
    is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
}

/// How sets are moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    /// What takes the number of a byte to that of the byte it comes from, one for each permutation of bytes.
    bytes: [u64; 3],
    /// What is turned over in these numbers, in the first two.
    turned: [u8; 2],
    /// Whether the first two, with one transposition between them, are all.
    is_short: bool,
}

impl Steps {
    /// Those that move sets as `map` does, turning over `turned`.
    pub fn new(map: &ByteMap, turned: u16) -> Self {
        // By bit of a number, the bit of the number that it comes from.
        let mut from = [0; 8];
        for bit in 0..8 {
            let source = FlipSet8::from_words(|word| if word == (1 << bit) / 64 { 1 << ((1 << bit) % 64) } else { 0 });
            let moved = source.moved(map, 0);
            let to = (0..8u8).find(|&to| moved.contains(1 << to)).expect("a permutation moves bits to bits");
            from[usize::from(to)] = bit;
        }
        // What the bits of the number are by now, after each step.
        let mut bits = [0, 1, 2, 3, 4, 5, 6, 7];
        let (in_byte, of_byte) = from.split_at(IN_BYTE);
        let is_short = in_byte.iter().all(|&bit| bit >= IN_BYTE as u8);
        let rest = |chosen: &[u8], bits: &[u8]| -> Vec<u8> {
            bits.iter().copied().filter(|bit| !chosen.contains(bit)).collect()
        };
        let mut bytes = [permute_bytes(&mut bits, None); 3];
        let transpose = |bits: &mut [u8; 8]| (0..IN_BYTE).for_each(|bit| bits.swap(bit, bit + IN_BYTE));
        if is_short {
            let first = [in_byte, &rest(in_byte, &bits[IN_BYTE..])].concat();
            bytes[0] = permute_bytes(&mut bits, Some(&first));
            transpose(&mut bits);
            bytes[1] = permute_bytes(&mut bits, Some(of_byte));
        } else {
            // What has to come into the byte waits where a transposition does not reach it.
            let mut waiting: Vec<u8> = in_byte.iter().copied().filter(|&bit| bit >= IN_BYTE as u8).collect();
            let others = rest(&waiting, &bits[IN_BYTE..]);
            let (leaving, more) = others.split_at(IN_BYTE);
            waiting.extend(more);
            bytes[0] = permute_bytes(&mut bits, Some(&[leaving, &waiting].concat()));
            transpose(&mut bits);
            let second = [in_byte, &rest(in_byte, &bits[IN_BYTE..])].concat();
            bytes[1] = permute_bytes(&mut bits, Some(&second));
            transpose(&mut bits);
            bytes[2] = permute_bytes(&mut bits, Some(of_byte));
        }
        debug_assert_eq!(bits, from);
        let mut steps = Self { bytes, turned: [0; 2], is_short };
        // Transpositions turn bits over, too.
        let turned = steps.source_of_zero() ^ turned as u8;
        steps.turned = [turned >> IN_BYTE, turned & 7];
        steps
    }

    /// The number from which that of nothing comes.
    fn source_of_zero(&self) -> u8 {
        let byte = |step: usize, number: u8| {
            let rows = self.bytes[step].to_le_bytes();
            let moved = |bit: usize| ((rows[7 - bit] & number).count_ones() as u8 & 1) << bit;
            (0..5).fold(self.turned[step.min(1)] & ((step < 2) as u8).wrapping_neg(), |to, bit| to ^ moved(bit))
        };
        let permuted = |step: usize, number: u8| byte(step, number >> IN_BYTE) << IN_BYTE | number & 7;
        let transposed = |number: u8| number & 0xC0 | (number & 7 ^ 7) << IN_BYTE | number >> IN_BYTE & 7;
        let number = if self.is_short { 0 } else { transposed(permuted(2, 0)) };
        permuted(0, transposed(permuted(1, number)))
    }
}

/// Makes `order` of the bits that select a byte, and tells the matrix that takes numbers of bytes to those that they come from.
/// The sixth bit selects the set, and stays.
fn permute_bytes(bits: &mut [u8; 8], order: Option<&[u8]>) -> u64 {
    let before = *bits;
    let before = &before[IN_BYTE..];
    let order = order.unwrap_or(before);
    let mut rows = [0; 8];
    for (to, bit) in order.iter().enumerate() {
        let from = before.iter().position(|other| other == bit).expect("the same bits in another order");
        // `vgf2p8affineqb` wants the row of output bit `i` in byte `7 - i`.
        rows[7 - from] = 1 << to;
    }
    rows[7 - order.len()] = 1 << order.len();
    bits[IN_BYTE..].copy_from_slice(order);
    u64::from_le_bytes(rows)
}

/// Adds to the groups `near` of a part every flip whose source in the groups `from` has that code: to group `i` from group
/// `inner[i]`.
///
/// # Panics
/// If there is no such group, or sets are not moved here ([`are_moved`]): that is known when `steps` are made.
pub(super) fn add_moved<const P: usize>(
    near: &mut [FlipSet8],
    from: &[FlipPlanes<FlipSet8, P>],
    inner: &[u16],
    steps: &Steps,
    code: u8,
) {
    let (from, rest) = bytemuck::cast_slice::<_, FlipSet8>(from).as_chunks::<PLANES>();
    assert!(P == PLANES && rest.is_empty() && near.len() == inner.len());
    // SAFETY: whoever makes steps has asked whether the processor has the instructions.
    unsafe { add_moved_in_registers(near, from, inner, steps, code) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
fn add_moved_in_registers(near: &mut [FlipSet8], from: &[[FlipSet8; PLANES]], inner: &[u16], steps: &Steps, code: u8) {
    // Where the code has bits that are 0, planes count inverted.
    let inverted = [1, 2].map(|bit| _mm512_set1_epi64(if code & bit == 0 { -1 } else { 0 }));
    let numbers = numbers();
    let turned = [steps.turned[0], steps.turned[1], 0];
    let mut sources = [_mm512_setzero_si512(); 3];
    for ((source, matrix), turned) in sources.iter_mut().zip(steps.bytes).zip(turned) {
        let moved = _mm512_gf2p8affine_epi64_epi8::<0>(numbers, _mm512_set1_epi64(matrix as i64));
        *source = _mm512_xor_si512(moved, _mm512_set1_epi8(turned as i8));
    }
    let (pairs, last) = near.as_chunks_mut::<2>();
    let (inner, last_inner) = inner.as_chunks::<2>();
    for (near, inner) in pairs.iter_mut().zip(inner) {
        let [first, second] = inner.map(|from_group| load(&from[usize::from(from_group)]));
        let sets = moved(selected(first, second, inverted), sources, steps.is_short);
        // SAFETY: two sets are 64 bytes.
        unsafe {
            let near = near.as_mut_ptr().cast();
            _mm512_storeu_si512(near, _mm512_or_si512(sets, _mm512_loadu_si512(near)));
        }
    }
    if let ([near], [from_group]) = (last, last_inner) {
        let only = load(&from[usize::from(*from_group)]);
        let sets = _mm512_castsi512_si256(moved(selected(only, only, inverted), sources, steps.is_short));
        // SAFETY: a set is 32 bytes.
        unsafe {
            let near = std::ptr::from_mut(near).cast();
            _mm256_storeu_si256(near, _mm256_or_si256(sets, _mm256_loadu_si256(near)));
        }
    }
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
    // SAFETY: there are 64.
    unsafe { _mm512_loadu_si512(NUMBERS.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &[FlipSet8; PLANES]) -> __m512i {
    // SAFETY: two sets are 64 bytes.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

/// The sets of two blocks whose planes are to be inverted so.
#[inline]
#[target_feature(enable = "avx512f")]
fn selected(first: __m512i, second: __m512i, inverted: [__m512i; 2]) -> __m512i {
    let low = _mm512_shuffle_i64x2::<0b01_00_01_00>(first, second);
    let high = _mm512_shuffle_i64x2::<0b11_10_11_10>(first, second);
    _mm512_and_si512(_mm512_xor_si512(low, inverted[0]), _mm512_xor_si512(high, inverted[1]))
}

/// Two sets, moved.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
fn moved(sets: __m512i, sources: [__m512i; 3], is_short: bool) -> __m512i {
    let sets = transposed(_mm512_permutexvar_epi8(sources[0], sets));
    let sets = _mm512_permutexvar_epi8(sources[1], sets);
    if is_short { sets } else { _mm512_permutexvar_epi8(sources[2], transposed(sets)) }
}

/// Each eight bytes transposed and turned over: bit `i` of byte `j` is bit `j` of byte `7 - i`.
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

    /// Any permutation, anything turned over, any code, any number of groups.
    #[test]
    fn registers_do_as_words_do() {
        if !are_moved() {
            println!("this processor does not move pairs");
            return;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(64);
        let mut short = 0;
        for trial in 0..3000 {
            let mut places: Vec<u8> = (0..8).collect();
            places.shuffle(&mut rng);
            let map = FlipSet8::map(&places);
            let turned = if trial % 4 == 0 { 0 } else { rng.random_range(0..256) };
            let steps = Steps::new(&map, turned);
            short += usize::from(steps.is_short);
            let groups = 1 + trial % 7;
            let mut set = || FlipSet8::from_words(|_| rng.random());
            let from: Vec<[FlipSet8; 2]> = (0..groups).map(|_| [set(), set()]).collect();
            let from: &[FlipPlanes<FlipSet8, 2>] = bytemuck::cast_slice(&from);
            let near: Vec<FlipSet8> = (0..groups).map(|_| set().and(&set())).collect();
            let mut inner: Vec<u16> = (0..groups as u16).collect();
            inner.shuffle(&mut rng);
            for code in 1..=3 {
                let (mut found, mut expected) = (near.clone(), near.clone());
                add_moved(&mut found, from, &inner, &steps, code);
                for (expected, &group) in expected.iter_mut().zip(&inner) {
                    expected.add(&from[usize::from(group)].of(code).moved(&map, turned));
                }
                assert!(found == expected, "{places:?} {turned:#x} {code}");
            }
        }
        // Three of the five bits that select a byte come into it: 5 × 4 × 3 of 8 × 7 × 6 permutations.
        assert!((400..700).contains(&short), "{short}");
    }
}
