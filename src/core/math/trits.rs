//! Entries of three values (0, 1, 2), five to a byte: 3^5 = 243 of a byte's 256 values.
//!
//! The arrangement is Herbert Kociemba's (his optimal solver keeps distances modulo 3 so), made to need no division by
//! five. Of a row of `B` bytes, entry `e < 4B` is digit `e mod 4` of byte `e div 4`; the entries from `4B` on are digit
//! 4 of byte `e - 4B`. Digit `k` has weight 3^k.

use rayon::prelude::*;

use super::bytes::count_bytes;

/// Digits in a byte.
pub const PER_BYTE: usize = 5;

/// What [`pick`] makes of a byte that is not five digits: no digit.
pub const INVALID: u8 = 3;

/// 3^k, the weight of digit k.
const WEIGHTS: [u8; PER_BYTE] = [1, 3, 9, 27, 81];

/// Values that a byte can have: 3^5.
const BYTES: usize = 243;

/// Bytes that are packed by one task: enough to be worth one, few enough to share a row between threads.
const TASK_BYTES: usize = 1 << 14;

/// The digits of each byte; of the thirteen that are not five digits, [`INVALID`].
static DIGITS: [[u8; PER_BYTE]; 256] = digits();

const fn digits() -> [[u8; PER_BYTE]; 256] {
    let mut digits = [[INVALID; PER_BYTE]; 256];
    let mut byte = 0;
    while byte < BYTES {
        let mut slot = 0;
        while slot < PER_BYTE {
            digits[byte][slot] = (byte / WEIGHTS[slot] as usize % 3) as u8;
            slot += 1;
        }
        byte += 1;
    }
    digits
}

/// The byte that holds `entry` in a row of `row_bytes` bytes, and the digit's number in it. For an entry past the
/// end of the row, the byte is past its end as well.
#[inline]
pub const fn locate(row_bytes: usize, entry: u64) -> (usize, usize) {
    let four = 4 * row_bytes as u64;
    if entry < four { ((entry >> 2) as usize, (entry & 3) as usize) } else { ((entry - four) as usize, 4) }
}

/// Digit number `slot` of a byte; [`INVALID`] when the byte is not five digits.
///
/// # Panics
/// When `slot` is not below [`PER_BYTE`].
#[inline]
pub fn pick(byte: u8, slot: usize) -> u8 {
    DIGITS[usize::from(byte)][slot]
}

/// The number with the remainder `digit` by 3 that is at most one more or less than `before`. (0 for -1.)
#[inline(always)]
pub const fn beside(before: u8, digit: u8) -> u8 {
    (before + (digit + 4 - before % 3) % 3).saturating_sub(1)
}

/// Entry number `entry` of a row, or `None` past its end.
pub fn get(row: &[u8], entry: u64) -> Option<u8> {
    let (byte, slot) = locate(row.len(), entry);
    row.get(byte).map(|&byte| pick(byte, slot))
}

/// Stores `digit` (0 to 2) as entry number `entry` of a row of valid bytes.
///
/// # Panics
/// If the entry is past the end of the row.
#[inline]
pub fn set(row: &mut [u8], entry: u64, digit: u8) {
    debug_assert!(digit < 3, "{digit} is not a digit");
    let (byte, slot) = locate(row.len(), entry);
    let old = pick(row[byte], slot);
    row[byte] = row[byte] - old * WEIGHTS[slot] + digit * WEIGHTS[slot];
}

/// Fills a row with `digit(entry)` (0 to 2) for each entry below `entries`, and 0 for those behind, on all threads of
/// rayon's pool.
pub fn pack_row(out: &mut [u8], entries: u64, digit: impl Fn(u64) -> u8 + Sync) {
    let four = 4 * out.len() as u64;
    let weighted = |entry: u64, slot: usize| {
        let digit = if entry < entries { digit(entry) } else { 0 };
        debug_assert!(digit < 3, "entry {entry} is {digit}, not a digit");
        digit * WEIGHTS[slot]
    };
    out.par_chunks_mut(TASK_BYTES).enumerate().for_each(|(task, bytes)| {
        for (at, byte) in (task as u64 * TASK_BYTES as u64..).zip(bytes) {
            let low: u8 = (0..4).map(|slot| weighted(4 * at + slot as u64, slot)).sum();
            *byte = low + weighted(four + at, 4);
        }
    });
}

/// Entries of a word of a plane.
const WORD: usize = u64::BITS as usize;

/// Fills a row from two planes of bits that hold `1 + digit` of each entry, on all threads of rayon's pool: `planes(w)` has
/// the words of entries `64 w` to `64 w + 63`.
///
/// # Panics
/// Unless the row is a whole number of words long.
pub fn pack_planes(out: &mut [u8], planes: impl Fn(usize) -> [u64; 2] + Sync) {
    assert!(out.len().is_multiple_of(WORD), "{} bytes are no whole number of words", out.len());
    let four = 4 * out.len() / WORD;
    out.par_chunks_mut(TASK_BYTES).enumerate().for_each(|(task, bytes)| {
        for (at, bytes) in (task * (TASK_BYTES / WORD)..).zip(bytes.chunks_exact_mut(WORD)) {
            for (low, bytes) in (4 * at..).zip(bytes.chunks_exact_mut(WORD / 4)) {
                nibbles(planes(low)).zip(bytes).for_each(|(four, byte)| *byte = FOUR_DIGITS[four]);
            }
            for (last, bytes) in nibbles(planes(four + at)).zip(bytes.chunks_exact_mut(4)) {
                bytes.iter_mut().zip(FIFTH_DIGITS[last]).for_each(|(byte, digit)| *byte += digit);
            }
        }
    });
}

/// The planes of four entries after the other, those of the first plane in the low nibble.
fn nibbles([low, high]: [u64; 2]) -> impl Iterator<Item = usize> {
    (0..WORD).step_by(4).map(move |bit| (low >> bit & 15 | (high >> bit & 15) << 4) as usize)
}

/// Of four entries whose planes are in a byte, the sum of their digits as the first four of a byte.
static FOUR_DIGITS: [u8; 256] = {
    let (mut sums, mut planes) = ([0; 256], 0);
    while planes < 256 {
        let mut slot = 0;
        while slot < 4 {
            sums[planes] += digit_of_planes(planes, slot) * WEIGHTS[slot];
            slot += 1;
        }
        planes += 1;
    }
    sums
};

/// The same entries as the last digits of four bytes.
static FIFTH_DIGITS: [[u8; 4]; 256] = {
    let (mut sums, mut planes) = ([[0; 4]; 256], 0);
    while planes < 256 {
        let mut slot = 0;
        while slot < 4 {
            sums[planes][slot] = digit_of_planes(planes, slot) * WEIGHTS[4];
            slot += 1;
        }
        planes += 1;
    }
    sums
};

/// The digit of an entry; 0 without one.
const fn digit_of_planes(planes: usize, slot: usize) -> u8 {
    let one_more = planes >> slot & 1 | (planes >> (slot + 4) & 1) << 1;
    (one_more as u8).saturating_sub(1)
}

/// How often each digit occurs in `bytes`, or `None` when one of them is not five digits.
pub fn histogram(bytes: &[u8]) -> Option<[u64; 3]> {
    let mut counts = [0u64; 3];
    for (digits, count) in DIGITS.iter().zip(count_bytes(bytes)).filter(|&(_, count)| count > 0) {
        for &digit in digits {
            *counts.get_mut(usize::from(digit))? += count;
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fifth_digits_come_last() {
        // 2 + 1*3 + 0*9 + 2*27 + 1*81, and a byte of zeros: entries 0 to 3, 4 to 7, then 8 and 9.
        let row = [140, 0];
        let entries: Vec<u8> = (0..10).filter_map(|entry| get(&row, entry)).collect();
        assert_eq!(entries, [2, 1, 0, 2, 0, 0, 0, 0, 1, 0]);
        assert_eq!(get(&row, 10), None);
    }

    #[test]
    fn every_entry_has_a_place_of_its_own() {
        for len in [1, 2, 7, 64] {
            let mut places: Vec<_> = (0..5 * len as u64).map(|entry| locate(len, entry)).collect();
            places.sort_unstable();
            let all: Vec<_> = (0..len).flat_map(|byte| (0..PER_BYTE).map(move |slot| (byte, slot))).collect();
            assert_eq!(places, all);
            assert_eq!(locate(len, 5 * len as u64).0, len);
        }
    }

    #[test]
    fn a_remainder_tells_a_number_beside_another() {
        for before in 0..31u8 {
            for after in [before, before + 1].into_iter().chain(before.checked_sub(1)) {
                assert_eq!(beside(before, after % 3), after, "beside {before}");
            }
        }
    }

    #[test]
    fn set_changes_one_digit_only() {
        let mut row = [242u8; 3];
        for (entry, digit) in [(5, 0), (14, 1), (12, 0), (5, 1)] {
            set(&mut row, entry, digit);
        }
        for entry in 0..15 {
            let right = match entry {
                5 | 14 => 1,
                12 => 0,
                _ => 2,
            };
            assert_eq!(get(&row, entry), Some(right), "entry {entry}");
        }
    }

    #[test]
    fn a_packed_row_reads_back_and_its_end_is_zero() {
        let digit = |entry: u64| (entry * entry % 11 % 3) as u8;
        for (len, entries) in [(1, 1), (3, 15), (3, 13), (100_000, 499_983)] {
            let mut row = vec![255; len];
            pack_row(&mut row, entries, digit);
            for entry in 0..5 * len as u64 {
                assert_eq!(get(&row, entry), Some(if entry < entries { digit(entry) } else { 0 }), "{entry} of {len}");
            }
            let mut one_by_one = vec![0; len];
            (0..entries).for_each(|entry| set(&mut one_by_one, entry, digit(entry)));
            assert_eq!(row, one_by_one);
        }
    }

    #[test]
    fn planes_are_packed_as_entries_are() {
        let digit = |entry: u64| (entry * entry % 11 % 3) as u8;
        for len in [64, 8064, TASK_BYTES + 64] {
            let plane = |word: usize, bit: u8| {
                let entries = (0..64).map(|at| u64::from((1 + digit(64 * word as u64 + at)) >> bit & 1) << at);
                entries.sum::<u64>()
            };
            let [mut packed, mut expected] = [vec![255; len], vec![255; len]];
            pack_planes(&mut packed, |word| [plane(word, 0), plane(word, 1)]);
            pack_row(&mut expected, 5 * len as u64, digit);
            assert_eq!(packed, expected);
        }
    }

    #[test]
    fn bytes_that_are_not_five_digits_are_told() {
        assert!((0..=242).all(|byte| histogram(&[byte]).is_some() && (0..5).all(|slot| pick(byte, slot) < 3)));
        assert!(
            (243..=255).all(|byte| histogram(&[0, byte]).is_none() && (0..5).all(|slot| pick(byte, slot) == INVALID))
        );
    }

    #[test]
    fn histogram_counts_all_five() {
        assert_eq!(histogram(&[0, 242, 140]), Some([5 + 1, 2 - 1 + 1, 5 + 2]));
    }
}
