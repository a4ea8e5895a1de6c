//! The tables of phase 1 as guides, their distances packed into two bits.

use rayon::prelude::*;

use super::{Blocks, Heuristic};
use crate::packed_cube::{CubeKernel, EDGE_ORIENTATION_BIT, MIDDLE_BIT};
use twistbase_core::error::Result;
use twistbase_core::memory::Zeroed;
use twistbase_puzzle::cube3::Metric;
use twistbase_puzzle::cube3::coordinate::{CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, FlipSliceClasses, SliceKind};
use twistbase_store::FlatTable;
use twistbase_tables::{BLOCK_BYTES, BLOCK_ENTRIES, CosetTable, Definition, PhaseOneTable};

/// The distances of `phase1` or `phase1-qtm` as bounds in two bits each: half of the memory, and as good as all of what
/// they tell.
#[derive(Debug)]
pub(in crate::optimal) struct PackedPhaseOne {
    base: u8,
    blocks: Zeroed<[u8; BLOCK_BYTES]>,
}

/// Bytes of the table that make a block.
const BLOCK_SOURCE: usize = BLOCK_ENTRIES / 2;

impl PackedPhaseOne {
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) when there are not as many bytes as the table has,
    /// [`Error::Memory`](twistbase_core::error::Error::Memory) when the memory cannot be had.
    pub fn new(table: &'static PhaseOneTable, bytes: &[u8]) -> Result<Self> {
        // Checks the length.
        FlatTable::new(*table.layout(), bytes)?;
        Self::pack(bytes, base_of(table))
    }

    fn pack(bytes: &[u8], base: u8) -> Result<Self> {
        const PART: usize = 1 << 12;
        let mut blocks = Zeroed::new(bytes.len().div_ceil(BLOCK_SOURCE))?;
        blocks.par_chunks_mut(PART).zip(bytes.par_chunks(PART * BLOCK_SOURCE)).for_each(|(blocks, bytes)| {
            let (whole, rest) = bytes.as_chunks::<BLOCK_SOURCE>();
            blocks.iter_mut().zip(whole).for_each(|(block, bytes)| *block = pack_block(bytes, base));
            blocks[whole.len()..].iter_mut().for_each(|block| *block = pack_block(rest, base));
        });
        Ok(Self { base, blocks })
    }
}

/// The base for a table: two less than the distance that most cosets have.
fn base_of(table: &PhaseOneTable) -> u8 {
    let positions = table.expected().map_or(&[][..], |expected| expected.positions);
    let frequent = (0..).zip(positions).max_by_key(|(_, count)| **count).map_or(0, |(distance, _)| distance);
    frequent - frequent.min(2)
}

/// A block of the values in some bytes. (Loops of a fixed number of steps, for which a compiler finds vector instructions; it copies
/// bytes of a number that it knows five times as fast.)
#[inline(always)]
fn pack_block(bytes: &[u8], base: u8) -> [u8; BLOCK_BYTES] {
    // What is past the end is not the least.
    let mut pairs = [u8::MAX; 2 * BLOCK_BYTES];
    pairs[..bytes.len()].copy_from_slice(bytes);
    let (mut codes, mut least) = ([0; 2 * BLOCK_BYTES], [0; 2 * BLOCK_BYTES]);
    let code = |value: u8| value.saturating_sub(base).min(3);
    for (at, pair) in pairs.into_iter().enumerate() {
        codes[at] = code(pair & 15) | code(pair >> 4) << 2;
        least[at] = (pair & 15).min(pair >> 4);
    }
    let mut half = BLOCK_BYTES;
    while half > 0 {
        (0..half).for_each(|at| least[at] = least[at].min(least[at + half]));
        half /= 2;
    }
    let mut block = std::array::from_fn(|at| {
        let two = u16::from_le_bytes([codes[2 * at], codes[2 * at + 1]]);
        (two | two >> 4) as u8
    });
    block[BLOCK_BYTES - 1] = block[BLOCK_BYTES - 1] & 15 | least[0] << 4;
    block
}

/// `phase1` or `phase1-qtm`.
pub(in crate::optimal) struct PhaseOne<'a> {
    table: &'static PhaseOneTable,
    classes: &'static FlipSliceClasses,
    blocks: Blocks<'a>,
}

impl<'a> PhaseOne<'a> {
    pub fn new(table: &'static PhaseOneTable, packed: &'a PackedPhaseOne) -> Self {
        let PackedPhaseOne { base, blocks } = packed;
        Self::over(table, Blocks { base: *base, blocks })
    }

    pub(super) fn over(table: &'static PhaseOneTable, blocks: Blocks<'a>) -> Self {
        Self { table, classes: FlipSliceClasses::get(), blocks }
    }
}

impl Heuristic for PhaseOne<'_> {
    fn metric(&self) -> Metric {
        self.table.move_metric()
    }

    #[inline(always)]
    fn index<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> usize {
        let number = coset_number(self.classes, kernel, key, edges);
        // Each block has two places more than values.
        (number + 2 * (number / BLOCK_ENTRIES as u32)) as usize
    }

    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize) {
        self.blocks.prefetch(kernel, index);
    }

    #[inline(always)]
    fn bound(&self, index: usize, _before: u8) -> u8 {
        self.blocks.bound(index)
    }
}

/// The number of a coset of H in the tables of phase 1, from its corner orientations and its edges.
#[inline(always)]
pub(super) fn coset_number<K: CubeKernel>(classes: &FlipSliceClasses, kernel: K, key: u32, edges: &[u8; 16]) -> u32 {
    let places = SliceKind::rank_of_places(kernel.edge_bits::<MIDDLE_BIT>(edges) as u16);
    let placed = classes.placed(places, key as u16);
    let edge_orientations = kernel.edge_bits::<EDGE_ORIENTATION_BIT>(edges) as usize % EDGE_ORIENTATIONS;
    let (class, _, corner_orientation) = classes.flipped(&placed, edge_orientations as u16);
    u32::from(class) * CORNER_ORIENTATIONS as u32 + u32::from(corner_orientation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use twistbase_core::math::nibble;
    use twistbase_tables::{self as tables, BLOCK_SLOTS};

    #[test]
    fn bases_are_two_below_most_distances() {
        assert_eq!([Metric::Htm, Metric::Qtm].map(|metric| base_of(tables::phase_one(metric))), [8, 9]);
    }

    /// Nothing more than the table's value is told, the value itself where it is among the most frequent ones, and of
    /// the others the least of a block.
    #[test]
    fn packed_distances_are_told_as_far_as_two_bits_go() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for length in [1, 30, 31, 32, 62, 1000] {
            let value = |rng: &mut ChaCha8Rng| (0..3).map(|_| rng.random_range(0..=4u8)).sum::<u8>();
            let values: Vec<u8> = (0..2 * length).map(|_| value(&mut rng)).collect();
            let bytes: Vec<u8> = values.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
            assert!(values.iter().enumerate().all(|(index, &value)| nibble::pick(bytes[index / 2], index) == value));
            let PackedPhaseOne { base, blocks } = &PackedPhaseOne::pack(&bytes, 4).unwrap();
            assert_eq!((*base, blocks.len()), (4, values.len().div_ceil(BLOCK_ENTRIES)));
            let told = Blocks { base: *base, blocks };
            for (block, values) in values.chunks(BLOCK_ENTRIES).enumerate() {
                let least = values.iter().copied().min().unwrap();
                for (at, &value) in values.iter().enumerate() {
                    let expected = if value <= *base { least } else { value.min(base + 3) };
                    assert_eq!(told.bound(block * BLOCK_SLOTS + at), expected, "{value} of {values:?}");
                }
            }
        }
    }
}
