//! Kociemba's huge table.

use rayon::prelude::*;

use super::definition::first_layout;
use super::generated::{Generated, VisitRow};
use super::slice_cosets::{search_slice_cosets, slice_coset_distribution, slice_coset_shape, weighed_row};
use super::{BuildDepth, CosetTable, Definition, Goal, Kind, TableFacts, TableMetric};
use crate::published::published;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::trits;
use twistbase_levelset::{Options, OrientationLevels, OrientationPlanes, OrientationSet12};
use twistbase_puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, SliceClasses, SliceKind, corner_orientation, edge_orientation,
    set_corner_orientation, set_edge_orientation,
};
use twistbase_puzzle::cube3::{Cube, Metric};
use twistbase_store::{CacheUnit, Packing, TableLayout};

/// Bit planes that hold distances modulo 3.
const PLANES_MOD3: usize = 2;
/// Bytes of a row: a fifth of its entries, rounded up to a number that makes the arrangement end with a block.
const HUGE_ROW_BYTES: usize = 896_000;
/// Blocks whose entries are the first four digits of the bytes; those of the others are the fifth.
const FOUR_DIGIT_BLOCKS: usize = 4 * HUGE_ROW_BYTES / EDGE_ORIENTATIONS;
/// Pages of a row.
const HUGE_PAGES: usize = 14;

/// 788 classes of UDSliceSorted × 2187 corner orientations × 2048 edge orientations.
pub static TABLE: HugeTable = HugeTable {
    layout: TableLayout {
        padding: (HUGE_ROW_BYTES * trits::PER_BYTE - CORNER_ORIENTATIONS * EDGE_ORIENTATIONS) as u32,
        ..first_layout(
            ("huge", 30),
            [788, HUGE_PAGES, HUGE_ROW_BYTES / HUGE_PAGES * trits::PER_BYTE],
            Packing::Mod3,
            CacheUnit::Table,
        )
    },
    facts: TableFacts {
        // Stronger than `phase1`, and weaker than all but the smallest table of Rokicki's family.
        strength: Some(3),
        ..TableFacts::new(
            ["cube3", "UDSliceSorted class"],
            TableMetric::FaceTurns(Metric::Htm),
            Goal::HugeSubgroup,
            "orientations and middle edges, modulo 3",
            Some(published("huge")),
        )
    },
};

const _: () = assert!(HUGE_ROW_BYTES.is_multiple_of(HUGE_PAGES));
const _: () = assert!(
    FOUR_DIGIT_BLOCKS * EDGE_ORIENTATIONS == 4 * HUGE_ROW_BYTES
        && 5 * HUGE_ROW_BYTES >= CORNER_ORIENTATIONS * EDGE_ORIENTATIONS
);

/// Kociemba's table for his huge optimal solver: how far the orientations and the distinct middle edges are from
/// solved, modulo 3.
#[derive(Debug)]
pub struct HugeTable {
    layout: TableLayout,
    facts: TableFacts,
}

impl CosetTable for HugeTable {
    /// Row = class of the middle edges (UDSliceSorted), entry = 2048 × corner orientations + edge orientations, after
    /// the symmetry that makes the middle edges the representative of their class.
    ///
    /// Kociemba's index has the corner orientations last; with the edge orientations last an entry is found without
    /// multiplying by 2187.
    #[inline]
    fn place(&self, position: &Cube) -> (u32, u64) {
        let kind = SliceKind::Sorted;
        let (class, symmetry) = SliceClasses::get(kind).of(kind.rank(position.edges()));
        let image = symmetry.of(position);
        (
            class.into(),
            (usize::from(corner_orientation(&image)) * EDGE_ORIENTATIONS) as u64 + u64::from(edge_orientation(&image)),
        )
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube> {
        let kind = SliceKind::Sorted;
        let class = SliceClasses::get(kind).classes().get(row as usize)?;
        let corner_orientations = u16::try_from(entry / EDGE_ORIENTATIONS as u64)
            .ok()
            .filter(|&corner_orientations| usize::from(corner_orientations) < CORNER_ORIENTATIONS)?;
        let mut position = Cube { ep: kind.edges(class.representative), ..Cube::SOLVED };
        set_corner_orientation(&mut position, corner_orientations);
        set_edge_orientation(&mut position, (entry % EDGE_ORIENTATIONS as u64) as u16);
        Some(position.with_parity_by_upper_edges())
    }

    fn is_reached(&self, position: &Cube) -> bool {
        position.is_in_h() && position.edges()[8..] == Cube::SOLVED.edges()[8..]
    }

    fn move_metric(&self) -> Metric {
        Metric::Htm
    }
}

impl Definition for HugeTable {
    fn kind(&'static self) -> Kind {
        Kind::Huge(self)
    }

    fn facts(&self) -> &TableFacts {
        &self.facts
    }

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn row_name(&self, row: u32) -> String {
        let classes = SliceClasses::get(SliceKind::Sorted).classes();
        classes.get(row as usize).map_or_else(|| row.to_string(), |class| class.representative.to_string())
    }

    fn row_positions(&self, row: u32) -> u64 {
        let classes = SliceClasses::get(SliceKind::Sorted).classes();
        classes.get(row as usize).map_or(0, |class| class.size() * self.layout.row_entries())
    }

    fn working_set(&self) -> u64 {
        let shape = slice_coset_shape(SliceKind::Sorted, Metric::Htm);
        shape.working_set::<OrientationSet12, PLANES_MOD3>() + HUGE_ROW_BYTES as u64
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        build_depth.must_be_whole(self)?;
        Ok(Box::new(HugeRows {
            levels: search_slice_cosets(SliceKind::Sorted, Metric::Htm, None, None, options, ctx)?,
        }))
    }
}

/// The huge table, generated.
struct HugeRows {
    levels: OrientationLevels<OrientationSet12, PLANES_MOD3>,
}

impl Generated for HugeRows {
    fn distribution(&self) -> Vec<u64> {
        slice_coset_distribution(SliceKind::Sorted, &self.levels)
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let mut bytes = vec![0; HUGE_ROW_BYTES];
        for (row, class) in SliceClasses::get(SliceKind::Sorted).classes().iter().enumerate() {
            pack_blocks(self.levels.row(row), &mut bytes);
            visit(row as u32, &bytes, &weighed_row(&self.levels, row, class))?;
        }
        Ok(())
    }
}

/// Packs the blocks of a row, as [`trits::pack_row`] would: a byte's first four digits are four neighbouring entries,
/// so they come from half a byte of each plane; the fifth is an entry of the last blocks.
fn pack_blocks(blocks: &[OrientationPlanes<OrientationSet12, PLANES_MOD3>], bytes: &mut [u8]) {
    let (four, fifth) = blocks.split_at(FOUR_DIGIT_BLOCKS);
    bytes.par_chunks_mut(EDGE_ORIENTATIONS).zip(four.par_chunks(4)).enumerate().for_each(|(part, (bytes, four))| {
        for (bytes, block) in bytes.chunks_mut(EDGE_ORIENTATIONS / 4).zip(four) {
            let [low, high] = block.planes();
            for (bytes, (&low, &high)) in bytes.chunks_mut(16).zip(low.words().iter().zip(high.words())) {
                for (i, byte) in bytes.iter_mut().enumerate() {
                    let codes = (low >> (4 * i) & 15) | (high >> (4 * i) & 15) << 4;
                    *byte = FOUR_DIGITS[codes as usize];
                }
            }
        }
        if let Some(block) = fifth.get(part) {
            let mut codes = [0; EDGE_ORIENTATIONS];
            block.write_codes(&mut codes);
            assert!(codes.iter().all(|&code| code > 0), "every coset is reached");
            bytes.iter_mut().zip(codes).for_each(|(byte, code)| *byte += 81 * (code - 1));
        }
    });
}

/// By four bits of each plane: the first four digits of a byte. A code is one more than the digit.
static FOUR_DIGITS: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut codes = 0;
    while codes < 256 {
        let (mut digit, mut weight) = (0, 1);
        while digit < 4 {
            let code = (codes >> digit & 1) | (codes >> (digit + 4) & 1) << 1;
            bytes[codes] += if code == 0 { 0 } else { (code as u8 - 1) * weight };
            weight *= 3;
            digit += 1;
        }
        codes += 1;
    }
    bytes
};

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_levelset::OrientationSet;

    #[test]
    fn blocks_are_packed_as_their_entries_would_be() {
        let digit = |entry: u64| (entry * entry % 13 % 3) as u8;
        let mut blocks: Vec<OrientationPlanes<OrientationSet12, PLANES_MOD3>> =
            vec![bytemuck::Zeroable::zeroed(); CORNER_ORIENTATIONS];
        for (block, planes) in (0..).zip(&mut blocks) {
            for level in 0..3 {
                let mut set = OrientationSet12::EMPTY;
                let numbers = (0..EDGE_ORIENTATIONS as u16)
                    .filter(|&n| digit(block * EDGE_ORIENTATIONS as u64 + u64::from(n)) == level);
                numbers.for_each(|number| set.insert(number));
                planes.assign(&set, level);
            }
        }
        let (mut found, mut expected) = (vec![0; HUGE_ROW_BYTES], vec![0; HUGE_ROW_BYTES]);
        pack_blocks(&blocks, &mut found);
        trits::pack_row(&mut expected, (CORNER_ORIENTATIONS * EDGE_ORIENTATIONS) as u64, digit);
        assert!(found == expected);
    }
}
