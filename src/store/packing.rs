//! How entries are packed into the bytes of a row.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use twistbase_core::math::{nibble, quarters, trits};

/// The least bytes that are worth counting by a task of their own.
const TASK_BYTES: usize = 1 << 12;

/// How the entries of a row are packed into its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// Four bits each: 0 to 14, and 15 for "unset".
    #[default]
    Nibbles,
    /// Five digits 0 to 2 in a byte: distances modulo 3.
    Mod3,
    /// Two bits each: what 0 to 3 mean, and which entries are none of their own, is the table's affair.
    Quarters,
}

impl Packing {
    /// Entries in a byte.
    pub const fn per_byte(self) -> u32 {
        match self {
            Self::Nibbles => 2,
            Self::Mod3 => trits::PER_BYTE as u32,
            Self::Quarters => quarters::PER_BYTE as u32,
        }
    }

    /// Values that an entry can have.
    pub const fn values(self) -> u8 {
        match self {
            Self::Nibbles => 16,
            Self::Mod3 => 3,
            Self::Quarters => 4,
        }
    }

    /// The byte of a row of `row_bytes` bytes that holds `entry`, and the entry's slot in it. For an entry past the end
    /// of the row, the byte is past its end as well.
    #[inline]
    pub const fn locate(self, row_bytes: usize, entry: u64) -> (usize, usize) {
        match self {
            Self::Nibbles => ((entry / 2) as usize, (entry & 1) as usize),
            Self::Mod3 => trits::locate(row_bytes, entry),
            Self::Quarters => ((entry / 4) as usize, (entry & 3) as usize),
        }
    }

    /// The entry in `slot` of the byte that holds it.
    #[inline]
    pub fn pick(self, byte: u8, slot: usize) -> u8 {
        match self {
            Self::Nibbles => nibble::pick(byte, slot),
            Self::Mod3 => trits::pick(byte, slot),
            Self::Quarters => quarters::pick(byte, slot),
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
    pub fn histogram(self, bytes: &[u8]) -> Option<[u64; 16]> {
        fn widened<const N: usize>(few: [u64; N]) -> [u64; 16] {
            let mut counts = [0; 16];
            counts[..N].copy_from_slice(&few);
            counts
        }
        let count = |bytes: &[u8]| match self {
            Self::Nibbles => Some(nibble::histogram(bytes)),
            Self::Mod3 => trits::histogram(bytes).map(widened),
            Self::Quarters => Some(widened(quarters::histogram(bytes))),
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
    fn all_packings_place_and_count_every_entry() {
        for packing in [Packing::Nibbles, Packing::Mod3, Packing::Quarters] {
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
