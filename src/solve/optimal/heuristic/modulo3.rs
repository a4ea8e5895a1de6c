//! Tables of distances modulo 3 as guides: an entry gives the change since a neighbour.

use super::phase_one::coset_number;
use super::{Heuristic, Images};
use crate::optimal::AXES;
use crate::optimal::bounds::Bounds;
use crate::packed_cube::{CubeKernel, EDGE_ORIENTATION_BIT};
use twistbase_core::error::Result;
use twistbase_core::math::trits;
use twistbase_puzzle::cube3::coordinate::{
    EDGE_ORIENTATIONS, FlipSliceClasses, SliceClasses, SliceKind, SymmetryClasses,
};
use twistbase_puzzle::cube3::{Cube, Metric};
use twistbase_query::cube3::Cosets;
use twistbase_store::FlatTable;
use twistbase_tables::{CosetTable, HugeTable, PhaseOneTable};

/// Where the entry of a position is in a table of distances modulo 3.
pub(in crate::optimal) trait LocateEntry: Sync {
    /// The row and the entry of it, from the corner orientations and the edges.
    fn locate<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> (u16, usize);
}

/// A table of distances modulo 3, five to a byte, whose entries give the change since a neighbour. A place for a digit of a
/// byte is one number.
pub(in crate::optimal) struct Modulo3Heuristic<'a, P> {
    table: &'static dyn CosetTable,
    locator: P,
    row_bytes: usize,
    bytes: &'a [u8],
}

/// Places that are counted for a byte.
pub(super) const SLOTS: usize = 8;

impl<'a, P: LocateEntry> Modulo3Heuristic<'a, P> {
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) when there are not as many bytes as the table has.
    fn new(table: &'static dyn CosetTable, locator: P, bytes: &'a [u8]) -> Result<Self> {
        // Checks the length.
        FlatTable::new(*table.layout(), bytes)?;
        Ok(Self { table, locator, row_bytes: table.layout().row_bytes(), bytes })
    }

    /// Without bytes.
    #[cfg(test)]
    pub(super) fn places_alone(table: &'static dyn CosetTable, locator: P) -> Self {
        Self { table, locator, row_bytes: table.layout().row_bytes(), bytes: &[] }
    }
}

impl<'a> Modulo3Heuristic<'a, LocatePhaseOne> {
    /// Over `phase1-kociemba`.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) when there are not as many bytes as the table has.
    pub fn over_phase_one(table: &'static PhaseOneTable, bytes: &'a [u8]) -> Result<Self> {
        Self::new(table, LocatePhaseOne::get(), bytes)
    }
}

impl<'a> Modulo3Heuristic<'a, LocateHuge> {
    /// Over `huge`.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) when there are not as many bytes as the table has.
    pub fn over_huge(table: &'static HugeTable, bytes: &'a [u8]) -> Result<Self> {
        Self::new(table, LocateHuge::get(), bytes)
    }
}

impl<P: LocateEntry> Heuristic for Modulo3Heuristic<'_, P> {
    const TELLS_BOUNDS: bool = false;

    fn metric(&self) -> Metric {
        self.table.move_metric()
    }

    #[inline(always)]
    fn index<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> usize {
        let (row, entry) = self.locator.locate(kernel, key, edges);
        let (byte, slot) = trits::locate(self.row_bytes, entry as u64);
        (usize::from(row) * self.row_bytes + byte) * SLOTS + slot
    }

    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize) {
        kernel.prefetch(self.bytes, index / SLOTS);
    }

    #[inline(always)]
    fn bound(&self, index: usize, before: u8) -> u8 {
        // A move changes the distance by one at most.
        trits::beside(before, trits::pick(self.bytes[index / SLOTS], index % SLOTS))
    }

    /// The distances of a position along the axes: walks give them.
    fn first_bounds(&self, seen: [Cube; AXES]) -> Result<Bounds> {
        let cosets = Cosets::over(self.table, FlatTable::new(*self.table.layout(), self.bytes)?);
        let mut bounds = Bounds::default();
        for (axis, seen) in seen.iter().enumerate() {
            bounds = bounds.with(axis, cosets.distance(seen)?.moves());
        }
        Ok(bounds)
    }
}

/// Where entries of `phase1-kociemba` are.
pub(in crate::optimal) struct LocatePhaseOne(&'static FlipSliceClasses);

impl LocatePhaseOne {
    pub(super) fn get() -> Self {
        Self(FlipSliceClasses::get())
    }
}

impl LocateEntry for LocatePhaseOne {
    #[inline(always)]
    fn locate<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> (u16, usize) {
        (0, coset_number(self.0, kernel, key, edges) as usize)
    }
}

/// Where entries of `huge` are.
pub(in crate::optimal) struct LocateHuge {
    classes: &'static SymmetryClasses<u16>,
    corner_orientations: &'static FlipSliceClasses,
    images: &'static Images,
}

impl LocateHuge {
    pub(super) fn get() -> Self {
        let (classes, corner_orientations) = (SliceClasses::get(SliceKind::Sorted), FlipSliceClasses::get());
        Self { classes, corner_orientations, images: Images::get() }
    }
}

impl LocateEntry for LocateHuge {
    #[inline(always)]
    fn locate<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> (u16, usize) {
        let (row, symmetry) = self.classes.of(SliceKind::Sorted.rank(&std::array::from_fn(|place| edges[place] & 15)));
        let edge_orientations = kernel.edge_bits::<EDGE_ORIENTATION_BIT>(&self.images.of(kernel, symmetry, edges))
            as usize
            % EDGE_ORIENTATIONS;
        let corner_orientation = self.corner_orientations.corner_orientations(symmetry)[key as usize];
        (row, usize::from(corner_orientation) * EDGE_ORIENTATIONS + edge_orientations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_store::Packing;
    use twistbase_tables as tables;

    #[test]
    fn changes_modulo_3_are_followed() {
        let table = tables::huge();
        for before in 0..14u8 {
            for after in [before.saturating_sub(1), before, before + 1] {
                let bytes = [after % 3 * 9];
                assert_eq!(Packing::Mod3.get(&bytes, 2), Some(after % 3));
                let heuristic = Modulo3Heuristic {
                    row_bytes: 1,
                    bytes: &bytes,
                    ..Modulo3Heuristic::places_alone(table, LocateHuge::get())
                };
                assert_eq!(heuristic.bound(2, before), after);
            }
        }
    }
}
