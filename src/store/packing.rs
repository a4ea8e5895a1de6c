//! How entries are packed into the bytes of a row.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::math::{nibble, trits};

/// The least bytes that are worth counting by a task of their own.
const TASK_BYTES: usize = 1 << 12;

/// How the entries of a row are packed into its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// Four bits each ([`nibble`]): 0 to 14, and 15 for "unset".
    #[default]
    Nibbles,
    /// Five digits 0 to 2 in a byte ([`trits`]): distances modulo 3.
    Mod3,
}

impl Packing {
    /// Entries in a byte.
    pub const fn per_byte(self) -> u32 {
        match self {
            Self::Nibbles => 2,
            Self::Mod3 => trits::PER_BYTE as u32,
        }
    }

    /// Values that an entry can have.
    pub const fn values(self) -> u8 {
        match self {
            Self::Nibbles => 16,
            Self::Mod3 => 3,
        }
    }

    /// The byte of a row of `row_bytes` bytes that holds `entry`, and the entry's slot in it. For an entry past the end
    /// of the row, the byte is past its end as well.
    #[inline]
    pub const fn locate(self, row_bytes: usize, entry: u64) -> (usize, usize) {
        match self {
            Self::Nibbles => ((entry / 2) as usize, (entry & 1) as usize),
            Self::Mod3 => trits::locate(row_bytes, entry),
        }
    }

    /// The entry in `slot` of the byte that holds it.
    #[inline]
    pub fn pick(self, byte: u8, slot: usize) -> u8 {
        match self {
            Self::Nibbles => nibble::pick(byte, slot),
            Self::Mod3 => trits::pick(byte, slot),
        }
    }

    /// Entry number `entry` of a row, or `None` past its end.
    #[inline]
    pub fn get(self, row: &[u8], entry: u64) -> Option<u8> {
        let (byte, slot) = self.locate(row.len(), entry);
        row.get(byte).map(|&byte| self.pick(byte, slot))
    }

    /// How often each value occurs in `bytes`, or `None` when one of the bytes does not hold entries. Counted in
    /// parallel.
    pub(super) fn histogram(self, bytes: &[u8]) -> Option<[u64; 16]> {
        let count = |bytes: &[u8]| match self {
            Self::Nibbles => Some(nibble::histogram(bytes)),
            Self::Mod3 => trits::histogram(bytes).map(|digits| {
                let mut counts = [0; 16];
                counts[..digits.len()].copy_from_slice(&digits);
                counts
            }),
        };
        let tasks = bytes.par_chunks(TASK_BYTES.max(bytes.len() / (8 * rayon::current_num_threads())));
        tasks.map(count).try_reduce(
            || [0; 16],
            |mut sum, counts| {
                sum.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
                Some(sum)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_packings_place_and_count_every_entry() {
        for packing in [Packing::Nibbles, Packing::Mod3] {
            let row: Vec<u8> = (0..10_000).map(|at| (at * 7 % 243) as u8).collect();
            let entries = row.len() as u64 * u64::from(packing.per_byte());
            let mut counts = [0; 16];
            (0..entries).for_each(|entry| counts[usize::from(packing.get(&row, entry).unwrap())] += 1);
            assert_eq!(packing.histogram(&row), Some(counts));
            assert!(counts[usize::from(packing.values())..].iter().all(|&count| count == 0));
            assert_eq!((packing.get(&row, entries), packing.get(&row, u64::MAX)), (None, None));
        }
        assert_eq!(Packing::Mod3.histogram(&[242, 243]), None);
    }
}
