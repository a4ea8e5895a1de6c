//! Generating the tables of phase 1.
//!
//! The search runs in the shape that is fast (rows are classes of the middle edges' places, words are edge
//! orientations); the table is stored in the shape that is looked up.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{PLANES, PhaseOneTable, ROW_CLASSES};
use crate::BuildDepth;
use crate::generated::{Generated, VisitRow, sum_of_levels, weighed};
use crate::slice_cosets::{search_slice_cosets, slice_coset_distribution};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::nibble::UNSET;
use twistbase_core::math::{nibble, trits};
use twistbase_levelset::{KnownOrientations, Options, OrientationLevels, OrientationPlanes, OrientationSet12};
use twistbase_puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, FlipSliceClass, FlipSliceClasses, PhaseOnePlace, SliceClasses, SliceKind,
};
use twistbase_store::{Entries, Packing, RowLevels, StoredTable};

/// Corner orientations whose levels are laid out at once: few enough to stay in a core's cache, and a cache line of results.
const TILE: usize = 64;
/// Bytes of one of them: a cache line over the number of edge orientations, so that the same one of a whole tile lies in
/// different sets of the cache.
const TILE_STRIDE: usize = EDGE_ORIENTATIONS + 64;

impl PhaseOneTable {
    /// Searches all cosets as far as `build_depth` says.
    ///
    /// # Errors
    /// Those of [`Definition::generate`](crate::Definition::generate).
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
    /// The distances of some classes, class by class and in each by corner orientation, [`UNSET`] beyond the depth.
    ///
    /// The search has the edge orientations of a corner orientation together, and the table has it the other way round.
    fn find_distances(&self, classes: &[FlipSliceClass], distances: &mut [u8]) {
        let of_tile = |tile: usize| {
            let first = tile * TILE;
            let count = TILE.min(CORNER_ORIENTATIONS - first);
            let (mut codes, mut found) = (vec![0; TILE * TILE_STRIDE], vec![[0; TILE]; classes.len()]);
            let mut laid_out = None;
            for (class, found) in classes.iter().zip(&mut found) {
                if laid_out != Some(class.slice) {
                    let blocks = &self.levels.row(usize::from(class.slice))[first..first + count];
                    blocks
                        .iter()
                        .zip(codes.chunks_mut(TILE_STRIDE))
                        .for_each(|(block, codes)| block.write_codes(codes));
                    laid_out = Some(class.slice);
                }
                let codes = codes.iter().skip(usize::from(class.edge_orientation)).step_by(TILE_STRIDE);
                // A code is one more than the distance; that of no level becomes the nibble that says so.
                found.iter_mut().zip(codes).for_each(|(found, code)| *found = code.wrapping_sub(1) & UNSET);
            }
            found
        };
        let tiles: Vec<_> = (0..CORNER_ORIENTATIONS.div_ceil(TILE)).into_par_iter().map(of_tile).collect();
        distances.par_chunks_mut(CORNER_ORIENTATIONS).enumerate().for_each(|(class, distances)| {
            distances.chunks_mut(TILE).zip(&tiles).for_each(|(to, tile)| to.copy_from_slice(&tile[class][..to.len()]));
        });
    }

    /// The levels of some classes with these distances.
    fn row_levels(&self, classes: &[FlipSliceClass], distances: &[u8]) -> RowLevels {
        let of_class = |(class, distances): (&FlipSliceClass, &[u8])| {
            let mut entries = vec![0; 16];
            distances.iter().for_each(|&distance| entries[usize::from(distance)] += 1);
            weighed(&entries, |count| count * class.size())
        };
        let add = |a, b| sum_of_levels([a, b].into_iter());
        let by_class = classes.par_iter().zip(distances.par_chunks_exact(CORNER_ORIENTATIONS));
        let mut levels = by_class.map(of_class).reduce(RowLevels::default, add);
        let last = self.levels.counts(0).len();
        levels.entries.truncate(last);
        levels.positions.truncate(last);
        levels
    }

    fn pack(&self, distances: &[u8], row: &mut [u8]) {
        match self.table.layout.packing {
            Packing::Nibbles => {
                let pairs = distances.par_chunks_exact(2 * CORNER_ORIENTATIONS);
                row.par_chunks_exact_mut(CORNER_ORIENTATIONS).zip(pairs).for_each(|(bytes, distances)| {
                    let (pairs, _) = distances.as_chunks::<2>();
                    bytes.iter_mut().zip(pairs).for_each(|(byte, [low, high])| *byte = low | high << 4);
                });
            }
            Packing::Mod3 | Packing::Quarters => {
                trits::pack_row(row, distances.len() as u64, |entry| distances[entry as usize] % 3);
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
        let mut distances = vec![0; self.table.row_classes() * CORNER_ORIENTATIONS];
        for row in 0..self.table.layout.rows {
            let classes = self.table.classes_of(row);
            let parts = distances.chunks_mut(ROW_CLASSES * CORNER_ORIENTATIONS);
            classes.chunks(ROW_CLASSES).zip(parts).for_each(|(classes, part)| self.find_distances(classes, part));
            self.pack(&distances, &mut bytes);
            visit(row, &bytes, &self.row_levels(classes, &distances))?;
        }
        Ok(())
    }
}
