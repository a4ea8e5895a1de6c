//! Entries of four bits, two to a byte: the low nibble holds the even index.

use super::bytes::count_bytes;

/// The one value that is not an entry: "not reached", "not computed".
pub const UNSET: u8 = 15;

/// The nibble at `index` of `bytes`, or `None` past the end.
#[inline]
pub fn get(bytes: &[u8], index: usize) -> Option<u8> {
    bytes.get(index / 2).map(|&byte| pick(byte, index))
}

/// The nibble that `index` selects of the byte that holds it.
#[inline]
pub const fn pick(byte: u8, index: usize) -> u8 {
    (byte >> ((index & 1) * 4)) & 15
}

/// Stores the low four bits of `value` at `index`.
///
/// # Panics
/// If `index` is past the end of `bytes`.
#[inline]
pub fn set(bytes: &mut [u8], index: usize, value: u8) {
    let shift = (index & 1) * 4;
    let byte = &mut bytes[index / 2];
    *byte = (*byte & !(15 << shift)) | ((value & 15) << shift);
}

/// How often each of the sixteen values occurs among the nibbles of `bytes`.
pub fn histogram(bytes: &[u8]) -> [u64; 16] {
    let mut counts = [0u64; 16];
    for (byte, count) in count_bytes(bytes).into_iter().enumerate() {
        counts[byte & 15] += count;
        counts[byte >> 4] += count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_nibble_comes_first() {
        assert_eq!(get(&[0xA7], 0), Some(7));
        assert_eq!(get(&[0xA7], 1), Some(10));
        assert_eq!(get(&[0xA7], 2), None);
    }

    #[test]
    fn set_changes_one_nibble_only() {
        let mut bytes = [0xFFu8; 3];
        set(&mut bytes, 3, 0x24);
        assert_eq!(bytes, [0xFF, 0x4F, 0xFF]);
        set(&mut bytes, 2, 9);
        assert_eq!(bytes, [0xFF, 0x49, 0xFF]);
        assert_eq!((0..6).map(|i| get(&bytes, i).unwrap()).collect::<Vec<_>>(), [15, 15, 9, 4, 15, 15]);
    }

    #[test]
    fn histogram_counts_both_halves() {
        let counts = histogram(&[0x10, 0x11, 0xF0]);
        assert_eq!((counts[0], counts[1], counts[15]), (2, 3, 1));
        assert_eq!(counts.iter().sum::<u64>(), 6);
    }
}
