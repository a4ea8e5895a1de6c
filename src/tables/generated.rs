//! What a generator hands to the store.

use rayon::prelude::*;

use twistbase_core::error::Result;
use twistbase_levelset::Levels;
use twistbase_store::RowLevels;

/// Receives a row: its number, its bytes as the table's layout packs them, and its levels.
pub type VisitRow<'a> = dyn FnMut(u32, &[u8], &RowLevels) -> Result<()> + 'a;

/// A table that was generated and is not stored yet.
pub trait Generated {
    /// Positions of the puzzle at each distance, up to the last one.
    fn distribution(&self) -> Vec<u64>;

    /// Visits the rows in order.
    ///
    /// # Errors
    /// Those of `visit`, and [`Error::Io`](twistbase_core::error::Error::Io) from a scratch file.
    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()>;
}

/// The levels of the block engine, as rows of nibbles.
pub(super) struct BlockRows<W, C> {
    /// What the engine found.
    pub levels: Levels,
    /// Number of rows.
    pub rows: u32,
    /// The number of positions that some entries of a row stand for.
    pub weigh: W,
    /// Turns a row of levels modulo 15 into what is stored.
    pub convert: C,
}

impl<W: Fn(u32, u64) -> u64, C: Fn(u32, &mut [u8])> BlockRows<W, C> {
    fn row_levels(&self, row: u32) -> RowLevels {
        weighed(self.levels.counts(row as usize), |entries| (self.weigh)(row, entries))
    }
}

impl<W: Fn(u32, u64) -> u64, C: Fn(u32, &mut [u8])> Generated for BlockRows<W, C> {
    fn distribution(&self) -> Vec<u64> {
        sum_of_positions((0..self.rows).map(|row| self.row_levels(row)))
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let row_levels: Vec<_> = (0..self.rows).map(|row| self.row_levels(row)).collect();
        let Self { levels, convert, .. } = self;
        levels.for_each_row(|row, nibbles| {
            convert(row as u32, nibbles);
            visit(row as u32, nibbles, &row_levels[row])
        })
    }
}

/// The levels of a row from its entries by level, with the number of positions that they stand for.
pub(super) fn weighed(entries: &[u64], weigh: impl Fn(u64) -> u64) -> RowLevels {
    RowLevels { entries: entries.to_vec(), positions: entries.iter().map(|&count| weigh(count)).collect() }
}

/// The positions of all rows by level.
pub(super) fn sum_of_positions(rows: impl Iterator<Item = RowLevels>) -> Vec<u64> {
    sum(rows.map(|row| row.positions))
}

/// The levels of some rows, or of parts of one, together.
pub(super) fn sum_of_levels(parts: impl Iterator<Item = RowLevels>) -> RowLevels {
    let (entries, positions): (Vec<_>, Vec<_>) = parts.map(|part| (part.entries, part.positions)).unzip();
    RowLevels { entries: sum(entries.into_iter()), positions: sum(positions.into_iter()) }
}

/// Sums counts by level.
pub(super) fn sum(rows: impl Iterator<Item = Vec<u64>>) -> Vec<u64> {
    rows.fold(Vec::new(), |mut sum, counts| {
        sum.resize(sum.len().max(counts.len()), 0);
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        sum
    })
}

/// Replaces each nibble `n` by `values[n]`.
pub(super) fn map_nibbles(nibbles: &mut [u8], values: &[u8; 16]) {
    let bytes: [u8; 256] = std::array::from_fn(|byte| values[byte & 15] | values[byte >> 4] << 4);
    nibbles.par_chunks_mut(1 << 14).for_each(|part| part.iter_mut().for_each(|byte| *byte = bytes[usize::from(*byte)]));
}
