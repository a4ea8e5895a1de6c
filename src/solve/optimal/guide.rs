//! What guides the search: tables of bounds, each looked up its own way.

use super::pieces::{FLIP_BIT, Kernel, MIDDLE_BIT, Pieces, twist_number};
use crate::error::Result;
use crate::math::nibble;
use crate::puzzle::cube3::Metric;
use crate::puzzle::cube3::coordinate::{FLIPS, FlipSliceClasses, SliceKind, TWISTS};
use crate::store::FlatTable;
use crate::tables::{CosetTable, Definition, PhaseOneTable};

/// A table of lower bounds over its bytes: distances to a subgroup that holds all turns of U and D.
pub(super) trait Guide: Sync {
    /// How moves are counted.
    fn metric(&self) -> Metric;

    /// Where the bound of a position is.
    fn index<K: Kernel>(&self, seen: &Pieces) -> usize;

    /// Asks for what [`Guide::bound`] will read.
    fn prefetch<K: Kernel>(&self, index: usize);

    /// The bound at an index.
    fn bound(&self, index: usize) -> u8;

    /// Of all positions, the part that has a bound of at most 0, 1, 2, ….
    fn parts(&self) -> Vec<f64>;
}

/// `phase1` or `phase1-qtm`.
pub(super) struct PhaseOne<'a> {
    table: &'static PhaseOneTable,
    classes: &'static FlipSliceClasses,
    bytes: &'a [u8],
}

impl<'a> PhaseOne<'a> {
    /// # Errors
    /// [`Error::Usage`](crate::error::Error::Usage) when there are not as many bytes as the table has.
    pub fn new(table: &'static PhaseOneTable, bytes: &'a [u8]) -> Result<Self> {
        // Checks the length.
        FlatTable::new(*table.layout(), bytes)?;
        Ok(Self { table, classes: FlipSliceClasses::get(), bytes })
    }
}

impl Guide for PhaseOne<'_> {
    fn metric(&self) -> Metric {
        self.table.move_metric()
    }

    #[inline(always)]
    fn index<K: Kernel>(&self, seen: &Pieces) -> usize {
        let places = SliceKind::rank_of_places(K::edge_bits::<MIDDLE_BIT>(&seen.edges) as u16);
        let placed = self.classes.placed(places, twist_number(&seen.corners));
        let flips = K::edge_bits::<FLIP_BIT>(&seen.edges) as usize % FLIPS;
        let (class, _, twist) = self.classes.flipped(&placed, flips as u16);
        usize::from(class) * TWISTS + usize::from(twist)
    }

    #[inline(always)]
    fn prefetch<K: Kernel>(&self, index: usize) {
        K::prefetch(self.bytes, index / 2);
    }

    #[inline(always)]
    fn bound(&self, index: usize) -> u8 {
        nibble::pick(self.bytes[index / 2], index)
    }

    fn parts(&self) -> Vec<f64> {
        parts(self.table.expected().positions)
    }
}

/// The parts of all positions that are at most so far.
fn parts(positions: &[u64]) -> Vec<f64> {
    let (all, mut sum) = (positions.iter().sum::<u64>() as f64, 0);
    positions
        .iter()
        .map(|&count| {
            sum += count;
            sum as f64 / all
        })
        .collect()
}
