//! Generating the tables of phase 1.
//!
//! The search runs in the shape that is fast (rows are classes of the middle edges' places, words are edge
//! orientations); the table is stored in the shape that is looked up.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{PLANES, PhaseOneTable};
use crate::context::Context;
use crate::error::Result;
use crate::levelset::{KnownOrientations, Options, OrientationLevels, OrientationPlanes, OrientationSet12};
use crate::math::nibble::UNSET;
use crate::math::{nibble, trits};
use crate::puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, FlipSliceClass, FlipSliceClasses, PhaseOnePlace, SliceClasses, SliceKind,
};
use crate::store::{Entries, Packing, RowLevels, StoredTable};
use crate::tables::BuildDepth;
use crate::tables::generated::{Generated, VisitRow, sum, weighed};
use crate::tables::slice_cosets::{search_slice_cosets, slice_coset_distribution};

impl PhaseOneTable {
    /// Searches all cosets as far as `build_depth` says.
    ///
    /// # Errors
    /// Those of [`Definition::generate`](crate::tables::Definition::generate).
    pub(super) fn search(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        if self.layout.packing != Packing::Nibbles {
            build_depth.must_be_whole(self)?;
        }
        let mut enter = |rows: &mut [&mut [OrientationPlanes<OrientationSet12, PLANES>]]| match build_depth.known {
            Some(stored) => self.enter(stored, rows),
            None => Ok(()),
        };
        let depth = build_depth.known.and_then(Entries::depth);
        let known = depth.map(|depth| KnownOrientations { depth, enter: &mut enter });
        let levels = search_slice_cosets(SliceKind::Places, self.metric, known, build_depth.depth, options, ctx)?;
        Ok(Box::new(PhaseOneRows { table: self, levels }))
    }

    /// Enters the distances that are stored into the blocks of the search: those of a class of the middle edges' places
    /// are in a few rows that follow each other.
    fn enter(
        &self,
        stored: &StoredTable,
        rows: &mut [&mut [OrientationPlanes<OrientationSet12, PLANES>]],
    ) -> Result<()> {
        let classes = FlipSliceClasses::get();
        let mut held: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for (slice, blocks) in SliceClasses::get(SliceKind::Places).classes().iter().zip(rows) {
            let members: Vec<_> = (0..EDGE_ORIENTATIONS as u16)
                .map(|edge_orientation| classes.of(edge_orientation, slice.representative))
                .collect();
            let places = members.iter().map(|&(class, symmetry)| {
                let (row, first) = self.place_of(PhaseOnePlace { class, corner_orientation: 0 });
                (row, first, classes.corner_orientations(symmetry))
            });
            let places: Vec<_> = places.collect();
            let needed: BTreeSet<u32> = places.iter().map(|&(row, ..)| row).collect();
            held.retain(|row, _| needed.contains(row));
            for &row in &needed {
                if let Entry::Vacant(place) = held.entry(row) {
                    let mut bytes = vec![0; self.layout.row_bytes()];
                    stored.read_row(row, &mut bytes)?;
                    place.insert(bytes);
                }
            }
            let places: Vec<_> = places
                .into_iter()
                .map(|(row, first, corner_orientations)| (&held[&row][..], first as usize, corner_orientations))
                .collect();
            blocks.par_iter_mut().enumerate().for_each(|(corner_orientation, block)| {
                *block = OrientationPlanes::of_levels(|edge_orientation| {
                    let (bytes, first, corner_orientations) = places[usize::from(edge_orientation)];
                    let entry = first + usize::from(corner_orientations[corner_orientation]);
                    Some(nibble::pick(bytes[entry / 2], entry)).filter(|&level| level != UNSET)
                });
            });
        }
        Ok(())
    }
}

/// Distances to H, generated.
struct PhaseOneRows<'t> {
    table: &'t PhaseOneTable,
    levels: OrientationLevels<OrientationSet12, PLANES>,
}

impl PhaseOneRows<'_> {
    /// The distances of a class by corner orientation, [`UNSET`] beyond the depth.
    fn distances<'a>(&'a self, class: &'a FlipSliceClass) -> impl Iterator<Item = u8> + 'a {
        let row = self.levels.row(usize::from(class.slice));
        row.iter().map(|planes: &OrientationPlanes<OrientationSet12, PLANES>| {
            planes.level(class.edge_orientation).unwrap_or(UNSET)
        })
    }

    /// The levels of some classes.
    fn row_levels(&self, classes: &[FlipSliceClass]) -> RowLevels {
        let of_class = |class: &FlipSliceClass| {
            let mut entries = vec![0; 16];
            self.distances(class).for_each(|distance| entries[usize::from(distance)] += 1);
            weighed(&entries, |count| count * class.size())
        };
        let add = |a: RowLevels, b: RowLevels| RowLevels {
            entries: sum([a.entries, b.entries].into_iter()),
            positions: sum([a.positions, b.positions].into_iter()),
        };
        let mut levels = classes.par_iter().map(of_class).reduce(RowLevels::default, add);
        let last = self.levels.counts(0).len();
        levels.entries.truncate(last);
        levels.positions.truncate(last);
        levels
    }

    fn pack(&self, classes: &[FlipSliceClass], row: &mut [u8]) {
        match self.table.layout.packing {
            Packing::Nibbles => {
                row.par_chunks_mut(CORNER_ORIENTATIONS).zip(classes.par_chunks(2)).for_each(|(bytes, classes)| {
                    let distances = classes.iter().flat_map(|class| self.distances(class));
                    distances.enumerate().for_each(|(entry, distance)| nibble::set(bytes, entry, distance));
                })
            }
            Packing::Mod3 | Packing::Quarters => {
                let mut digits = vec![0; classes.len() * CORNER_ORIENTATIONS];
                digits.par_chunks_mut(CORNER_ORIENTATIONS).zip(classes).for_each(|(digits, class)| {
                    digits.iter_mut().zip(self.distances(class)).for_each(|(digit, distance)| *digit = distance % 3);
                });
                trits::pack_row(row, digits.len() as u64, |entry| digits[entry as usize]);
            }
        }
    }
}

impl Generated for PhaseOneRows<'_> {
    fn distribution(&self) -> Vec<u64> {
        slice_coset_distribution(SliceKind::Places, &self.levels)
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let mut bytes = vec![0; self.table.layout.row_bytes()];
        for row in 0..self.table.layout.rows {
            let classes = self.table.classes_of(row);
            self.pack(classes, &mut bytes);
            visit(row, &bytes, &self.row_levels(classes))?;
        }
        Ok(())
    }
}
