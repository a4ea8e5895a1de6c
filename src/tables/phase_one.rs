//! The tables of cosets: how far a position is from H, with the middle edges' order told apart or not.
//!
//! Both are generated in the shape that is fast (rows are classes of the middle edges' places, words are edge
//! orientations) and stored in the shape that is looked up.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::generated::{Generated, VisitRow, sum, weighed};
use super::{BuildDepth, Definition, Distribution};
use crate::context::Context;
use crate::error::Result;
use crate::levelset::{
    KnownOrientations, MovableOrientations, Options, OrientationLevels, OrientationMoves, OrientationPlanes,
    OrientationSeed, OrientationSet12, OrientationShape, OrientationSource, OrientationSpace, PartMove,
    generate_orientations,
};
use crate::math::nibble::UNSET;
use crate::math::{nibble, trits};
use crate::puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, FlipSliceClass, FlipSliceClasses, PhaseOnePlace, SliceClass, SliceClasses,
    SliceKind, corner_orientation, edge_orientation, moved_corner_orientations, set_corner_orientation,
    set_edge_orientation,
};
use crate::puzzle::cube3::{Cube, Metric, Move};
use crate::store::{CacheUnit, Entries, Packing, RowLevels, StoredTable, TableLayout};

/// Classes of FlipUDSlice in a row of the table in nibbles: 64,430 = 85 × 758.
const ROW_CLASSES: usize = 758;
/// Bit planes that hold distances to H, which are below 15.
const PLANES: usize = 4;

/// A table of distances to H.
#[derive(Debug)]
pub struct PhaseOneTable {
    pub(super) layout: TableLayout,
    pub(super) metric: Metric,
    pub(super) summary: &'static str,
    pub(super) expected: Distribution,
}

/// A table of how far positions are from a subgroup, looked up by what the position's coset is.
pub trait CosetTable: Definition {
    /// The entry, and the row it is in, of a position's coset.
    fn place(&self, position: &Cube) -> (u32, u64);

    /// A position of the coset at an entry of a row; `None` if nothing is found there.
    fn position(&self, row: u32, entry: u64) -> Option<Cube>;

    /// Whether a position is in the subgroup: at distance 0.
    fn is_reached(&self, position: &Cube) -> bool;

    /// How moves are counted.
    fn move_metric(&self) -> Metric;
}

impl CosetTable for PhaseOneTable {
    #[inline]
    fn place(&self, position: &Cube) -> (u32, u64) {
        self.place_of(FlipSliceClasses::get().place(position))
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube> {
        let class = self.classes_of(row).get((entry / CORNER_ORIENTATIONS as u64) as usize)?;
        let mut position = class.position();
        set_corner_orientation(&mut position, (entry % CORNER_ORIENTATIONS as u64) as u16);
        Some(position.with_parity_by_upper_edges())
    }

    fn is_reached(&self, position: &Cube) -> bool {
        position.is_in_h()
    }

    fn move_metric(&self) -> Metric {
        self.metric
    }
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

/// The layout in nibbles; name and id to be filled in. A page is the corner orientations of two classes, a whole number
/// of bytes.
pub(super) const fn layout() -> TableLayout {
    TableLayout {
        name: "",
        id: 0,
        rows: (FlipSliceClasses::COUNT / ROW_CLASSES) as u32,
        pages: ROW_CLASSES as u32 / 2,
        packing: Packing::Nibbles,
        page_entries: 2 * CORNER_ORIENTATIONS as u32,
        padding: 0,
        unit: CacheUnit::Table,
        spec_version: 1,
        generator_version: 1,
    }
}

/// The layout modulo 3, as one row; name and id to be filled in.
pub(super) const fn packed_layout() -> TableLayout {
    const PAGES: usize = 758;
    TableLayout {
        rows: 1,
        pages: PAGES as u32,
        packing: Packing::Mod3,
        page_entries: (FlipSliceClasses::COUNT / PAGES * CORNER_ORIENTATIONS) as u32,
        ..layout()
    }
}

const _: () = assert!(FlipSliceClasses::COUNT.is_multiple_of(ROW_CLASSES) && ROW_CLASSES.is_multiple_of(2));
const _: () = assert!((FlipSliceClasses::COUNT / 758 * CORNER_ORIENTATIONS).is_multiple_of(trits::PER_BYTE));

impl PhaseOneTable {
    /// The entry, and the row it is in, of a coset.
    #[inline]
    pub fn place_of(&self, place: PhaseOnePlace) -> (u32, u64) {
        let (class, rows) = (usize::from(place.class), self.row_classes());
        ((class / rows) as u32, (class % rows * CORNER_ORIENTATIONS) as u64 + u64::from(place.corner_orientation))
    }

    /// The classes of a row.
    fn classes_of(&self, row: u32) -> &'static [FlipSliceClass] {
        let mut rows = FlipSliceClasses::get().classes().chunks(self.row_classes());
        rows.nth(row as usize).unwrap_or_default()
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

    fn row_classes(&self) -> usize {
        match self.layout.packing {
            Packing::Nibbles => ROW_CLASSES,
            Packing::Mod3 | Packing::Quarters => FlipSliceClasses::COUNT,
        }
    }
}

impl Definition for PhaseOneTable {
    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn puzzle(&self) -> &'static str {
        "cube3"
    }

    fn metric(&self) -> &'static str {
        self.metric.name()
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn row_noun(&self) -> &'static str {
        match self.layout.packing {
            Packing::Nibbles => "class range",
            Packing::Mod3 | Packing::Quarters => "row",
        }
    }

    fn row_name(&self, row: u32) -> String {
        let first = row as usize * self.row_classes();
        format!("{first}..{}", first + self.classes_of(row).len())
    }

    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        let value = |level| if self.layout.packing == Packing::Nibbles { level } else { level % 3 };
        Some((0..self.expected.positions.len() as u8).map(|level| Some(value(level))).collect())
    }

    fn row_positions(&self, row: u32) -> u64 {
        self.classes_of(row).iter().map(|class| class.size() * CORNER_ORIENTATIONS as u64).sum()
    }

    fn expected(&self) -> Option<&Distribution> {
        Some(&self.expected)
    }

    fn working_set(&self) -> u64 {
        shape(SliceKind::Places, self.metric).working_set::<OrientationSet12, PLANES>() + self.layout.row_bytes() as u64
    }

    fn least_memory(&self) -> u64 {
        self.working_set()
    }

    fn deepest(&self) -> Option<u8> {
        // Every distance is below 15, which says "farther".
        (self.layout.packing == Packing::Nibbles).then(|| self.expected.positions.len() as u8 - 2)
    }

    fn generate(
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
        let levels = search(SliceKind::Places, self.metric, known, build_depth.depth, options, ctx)?;
        Ok(Box::new(Cosets { table: self, levels }))
    }
}

/// Searches all cosets, with the middle edges told apart as `kind` says.
fn search<const P: usize>(
    kind: SliceKind,
    metric: Metric,
    known: Option<KnownOrientations<'_, OrientationSet12, P>>,
    depth: Option<u8>,
    options: &Options,
    ctx: &Context,
) -> Result<OrientationLevels<OrientationSet12, P>> {
    let classes = SliceClasses::get(kind);
    let solved = classes.of(kind.rank(Cube::SOLVED.edges())).0;
    let part = corner_orientation(&Cube::SOLVED).into();
    let seed = OrientationSeed { row: solved.into(), part, group: 0, orientations: edge_orientation(&Cube::SOLVED) };
    generate_orientations(&space(classes, metric), &[seed], known, depth, options.memory, ctx)
}

/// The size of the space of cosets.
fn shape(kind: SliceKind, metric: Metric) -> OrientationShape {
    let rows = SliceClasses::get(kind).classes().len();
    OrientationShape { rows, parts: CORNER_ORIENTATIONS, groups: 1, moves: metric.moves().count(), gathered: 0 }
}

/// The moves between cosets.
fn space(classes: &SliceClasses, metric: Metric) -> OrientationSpace<OrientationSet12> {
    let mut corner_orientations = HashMap::new();
    let mut numbers = HashMap::new();
    let mut parts = Vec::new();
    let mut edge_orientations = Vec::new();
    let rows = classes.classes().iter().map(|class| {
        let position = Cube { ep: classes.kind().edges(class.representative), ..Cube::SOLVED };
        let source = |turn: Move| {
            let moved = position.turned(turn);
            let (row, symmetry) = classes.of(classes.kind().rank(moved.edges()));
            let (corner_orientations, map) = corner_orientations.entry((turn, symmetry)).or_insert_with(|| {
                let (turned, back) = (turn.cube(), symmetry.inverse().motion());
                edge_orientations
                    .push(OrientationSet12::map(&back.edges().map(|place| turned.edges()[usize::from(place)])));
                let images = FlipSliceClasses::get().corner_orientations(symmetry);
                let moved = moved_corner_orientations(turn)
                    .iter()
                    .map(|&corner_orientation| images[usize::from(corner_orientation)]);
                (moved.collect::<Vec<u16>>(), edge_orientations.len() as u16 - 1)
            });
            let turned = symmetry
                .of(&moved)
                .edge_orientations()
                .iter()
                .rev()
                .fold(0, |bits, &edge_orientation| bits << 1 | u16::from(edge_orientation));
            let number = *numbers.entry((turn, symmetry, turned)).or_insert_with(|| {
                let part = |&part: &u16| PartMove { part, turned, orientations: *map, ..PartMove::default() };
                parts.push(corner_orientations.iter().map(part).collect());
                parts.len() as u32 - 1
            });
            OrientationSource { row: row.into(), parts: number }
        };
        metric.moves().map(source).collect()
    });
    let rows = rows.collect();
    OrientationSpace::new(
        CORNER_ORIENTATIONS,
        0,
        OrientationMoves { parts, orientations: edge_orientations, outer: Vec::new(), inner: Vec::new() },
        rows,
    )
}

/// Positions by level of a space of cosets.
fn distribution<const P: usize>(kind: SliceKind, levels: &OrientationLevels<OrientationSet12, P>) -> Vec<u64> {
    let classes = SliceClasses::get(kind).classes().iter().enumerate();
    sum(classes.map(|(row, class)| weighed_row(levels, row, class).positions))
}

fn weighed_row<const P: usize>(
    levels: &OrientationLevels<OrientationSet12, P>,
    row: usize,
    class: &SliceClass,
) -> RowLevels {
    weighed(levels.counts(row), |entries| entries * class.size())
}

/// Distances to H, generated.
struct Cosets<'t> {
    table: &'t PhaseOneTable,
    levels: OrientationLevels<OrientationSet12, PLANES>,
}

impl Cosets<'_> {
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

impl Generated for Cosets<'_> {
    fn distribution(&self) -> Vec<u64> {
        distribution(SliceKind::Places, &self.levels)
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

/// Kociemba's table for his huge optimal solver: how far the orientations and the middle edges, told apart, are from
/// solved, modulo 3.
#[derive(Debug)]
pub struct HugeTable {
    pub(super) layout: TableLayout,
    pub(super) summary: &'static str,
    pub(super) expected: Distribution,
}

/// Bit planes that hold distances modulo 3.
const PLANES_MOD3: usize = 2;
/// Bytes of a row: a fifth of its entries, rounded up to a number that makes the arrangement end with a block.
pub(super) const HUGE_ROW_BYTES: usize = 896_000;
/// Blocks whose entries are the first four digits of the bytes; those of the others are the fifth.
const FOUR_DIGIT_BLOCKS: usize = 4 * HUGE_ROW_BYTES / EDGE_ORIENTATIONS;

const _: () = assert!(
    FOUR_DIGIT_BLOCKS * EDGE_ORIENTATIONS == 4 * HUGE_ROW_BYTES
        && 5 * HUGE_ROW_BYTES >= CORNER_ORIENTATIONS * EDGE_ORIENTATIONS
);

impl Definition for HugeTable {
    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn puzzle(&self) -> &'static str {
        "cube3"
    }

    fn metric(&self) -> &'static str {
        Metric::Htm.name()
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn row_noun(&self) -> &'static str {
        "UDSliceSorted class"
    }

    fn row_name(&self, row: u32) -> String {
        let classes = SliceClasses::get(SliceKind::Sorted).classes();
        classes.get(row as usize).map_or_else(|| row.to_string(), |class| class.representative.to_string())
    }

    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        Some((0..self.expected.positions.len() as u8).map(|level| Some(level % 3)).collect())
    }

    fn row_positions(&self, row: u32) -> u64 {
        let classes = SliceClasses::get(SliceKind::Sorted).classes();
        classes.get(row as usize).map_or(0, |class| class.size() * self.layout.row_entries())
    }

    fn expected(&self) -> Option<&Distribution> {
        Some(&self.expected)
    }

    fn working_set(&self) -> u64 {
        let shape = shape(SliceKind::Sorted, Metric::Htm);
        shape.working_set::<OrientationSet12, PLANES_MOD3>() + HUGE_ROW_BYTES as u64
    }

    fn least_memory(&self) -> u64 {
        self.working_set()
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        build_depth.must_be_whole(self)?;
        Ok(Box::new(Huge { levels: search(SliceKind::Sorted, Metric::Htm, None, None, options, ctx)? }))
    }
}

/// The huge table, generated.
struct Huge {
    levels: OrientationLevels<OrientationSet12, PLANES_MOD3>,
}

impl Generated for Huge {
    fn distribution(&self) -> Vec<u64> {
        distribution(SliceKind::Sorted, &self.levels)
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
            for (number, byte) in (0..).zip(bytes) {
                *byte += 81 * block.level(number).expect("every coset is reached");
            }
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
    use crate::levelset::OrientationSet;

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
