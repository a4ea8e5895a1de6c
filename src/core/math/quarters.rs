//! Entries of two bits, four to a byte, the lowest bits first.

use super::bytes::count_bytes;

/// Entries in a byte.
pub const PER_BYTE: usize = 4;

/// The entry that `index` selects of the byte that holds it.
#[inline]
pub const fn pick(byte: u8, index: usize) -> u8 {
    (byte >> ((index & 3) * 2)) & 3
}

/// How often each value occurs in `bytes`.
pub fn histogram(bytes: &[u8]) -> [u64; 4] {
    let mut counts = [0; 4];
    for (byte, count) in (0..=255).zip(count_bytes(bytes)) {
        (0..PER_BYTE).for_each(|index| counts[usize::from(pick(byte, index))] += count);
    }
    counts
}

/// Exchanges rows and columns of a matrix of 64 × 64 bits: bit `i` of word `j` becomes bit `j` of word `i`.
pub fn transpose(words: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::MAX >> 32);
    while width != 0 {
        // Squares of that width, the upper right with the lower left one.
        let mut row = 0;
        while row < 64 {
            let t = ((words[row] >> width) ^ words[row + width]) & mask;
            words[row] ^= t << width;
            words[row + width] ^= t;
            row = (row + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Brings the bits of `low` to the even places of a number and those of `high` to the odd ones.
#[inline]
pub const fn interleave(low: u64, high: u64) -> u128 {
    spread(low as u32) as u128
        | (spread(high as u32) as u128) << 1
        | (spread((low >> 32) as u32) as u128) << 64
        | (spread((high >> 32) as u32) as u128) << 65
}

/// The bits of a word, each with a zero above it.
#[inline]
const fn spread(word: u32) -> u64 {
    let mut bits = word as u64;
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_bits_come_first() {
        assert_eq!([0, 1, 2, 3].map(|index| pick(0b00_01_10_11, index)), [3, 2, 1, 0]);
    }

    #[test]
    fn every_value_is_counted() {
        assert_eq!(histogram(&[0b1110_0100, 0, 0xff]), [5, 1, 1, 5]);
    }

    #[test]
    fn rows_become_columns() {
        let matrix: [u64; 64] = std::array::from_fn(|row| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(row as u64 + 1));
        let mut turned = matrix;
        transpose(&mut turned);
        for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
            assert_eq!(turned[i] >> j & 1, matrix[j] >> i & 1, "{i} {j}");
        }
    }

    #[test]
    fn bits_are_interleaved() {
        let (low, high) = (0x0123_4567_89ab_cdef_u64, 0xfedc_ba98_1357_9bdf_u64);
        let both = interleave(low, high);
        for bit in 0..64 {
            assert_eq!(both >> (2 * bit) & 3, u128::from(low >> bit & 1 | (high >> bit & 1) << 1));
        }
    }
}
