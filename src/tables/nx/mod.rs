//! Rokicki's pruning tables for optimal solving: how far positions are from twelve subgroups, in two bits.
//!
//! The tables distinguish where the U corners are and all corner orientations, where the middle edges are, and more or
//! less of the edge orientations and of the order of edges. Distances are from the subgroup of all positions that agree
//! with solved in that, reachable or not.

mod generate;
mod known;

use std::ops::Range;

use crate::published::find;
use known::known_average;

use super::definition::first_layout;
use super::generated::Generated;
use super::{BuildDepth, CosetTable, Definition, Goal, Kind, TableFacts, TableMetric};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::quarters;
use twistbase_levelset::{Options, OrientationSet4, OrientationSet8, OrientationSet12, OrientationShape};
use twistbase_puzzle::cube3::coordinate::{CORNER_COSETS, CornerCosetClasses, EoKind, EpKind, SliceKind, corner_coset};
use twistbase_puzzle::cube3::{Cube, Metric};
use twistbase_store::{CacheUnit, Entries, Packing, TableLayout};

/// Entries of a block that are looked up; two more hold the least value of these.
pub const BLOCK_ENTRIES: usize = 62;
/// Entries of a block for which there is room.
pub const BLOCK_SLOTS: usize = 64;
/// Bytes of a block.
pub const BLOCK_BYTES: usize = BLOCK_SLOTS / quarters::PER_BYTE;
/// Blocks for the places of the middle edges: 495 = 7 × 62 + 61.
const BLOCKS: usize = SliceKind::Places.count().div_ceil(BLOCK_ENTRIES);
/// Bytes of a page.
const PAGE_BYTES: usize = 4096;
/// Classes of a row, where one takes less than a page: a row has a record besides its pages.
const ROW_CLASSES: usize = 30;
const _: () = assert!(CornerCosetClasses::COUNT.is_multiple_of(ROW_CLASSES));
/// The largest value that is stored as the least of a block.
const MOST_LEAST: u8 = 15;
/// Bytes for what the generator holds besides its rows: where moves lead, some megabytes.
const SPACE_BYTES: u64 = 16 << 20;

/// A pruning table of the family.
#[derive(Debug)]
pub struct NxTable {
    layout: TableLayout,
    metric: Metric,
    eo: EoKind,
    ep: EpKind,
    /// Classes of corners that a row has.
    row_classes: usize,
    /// Only the minimum of a block distinguishes distances up to this one.
    base: u8,
    facts: TableFacts,
}

/// The information of an entry about a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NxValue {
    /// The distance is at least that.
    pub bound: u8,
    /// It is that.
    pub is_exact: bool,
}

/// The base of each table, by edge orientations, edges, then metric: Rokicki's choice, but for the last of the second
/// and the third line, for which his list has none.
const BASES: [[[u8; 2]; 4]; 3] = [
    [[7, 9], [9, 10], [9, 10], [10, 12]],
    [[8, 10], [9, 11], [10, 12], [11, 13]],
    [[9, 11], [10, 12], [11, 12], [11, 13]],
];

/// Ranks among the tables of a metric as heuristics, by edge orientations and edges: the smallest is weaker than
/// `phase1`, all others are stronger than `huge`, in the order of Rokicki's averages of six look-ups. The two of which he
/// has none come last.
const STRENGTHS: [[u8; 4]; 3] = [[0, 5, 6, 10], [4, 8, 9, 13], [7, 11, 12, 14]];

const fn table(name: &'static str, eo: EoKind, ep: EpKind, metric: Metric, summary: &'static str) -> NxTable {
    let number = eo as usize * 4 + ep as usize;
    let class_bytes = eo.count() * ep.count() * BLOCKS * BLOCK_BYTES;
    let row_classes = if class_bytes < PAGE_BYTES { ROW_CLASSES } else { 1 };
    let row_bytes = row_classes * class_bytes;
    assert!(row_bytes.is_multiple_of(PAGE_BYTES));
    let noun = if row_classes > 1 { "class range" } else { "corner coset class" };
    let goal = Goal::PruningSubgroup { eo, ep };
    let expected = find(name);
    let size = [CornerCosetClasses::COUNT / row_classes, row_bytes / PAGE_BYTES, PAGE_BYTES * quarters::PER_BYTE];
    let id = (40 + 2 * number + metric as usize) as u16;
    NxTable {
        layout: TableLayout {
            // 2: several classes are a row.
            spec_version: if row_classes > 1 { 2 } else { 1 },
            ..first_layout((name, id), size, Packing::Quarters, CacheUnit::Table)
        },
        metric,
        eo,
        ep,
        row_classes,
        base: BASES[eo as usize][ep as usize][metric as usize],
        facts: TableFacts {
            last_is_open: true,
            is_in_all: false,
            strength: Some(STRENGTHS[eo as usize][ep as usize]),
            ..TableFacts::new(["cube3", noun], TableMetric::FaceTurns(metric), goal, summary, expected)
        },
    }
}

/// The tables of one choice of edges, in both metrics.
macro_rules! in_both_metrics {
    ($($name:literal $eo:ident $ep:ident $summary:literal;)*) => {
        &[$(
            table(concat!($name, "-htm"), EoKind::$eo, EpKind::$ep, Metric::Htm, $summary),
            table(concat!($name, "-qtm"), EoKind::$eo, EpKind::$ep, Metric::Qtm, "the same table, in quarter turns"),
        )*]
    };
}

/// The tables: by the edge orientations that they distinguish, then by edges, then by metric.
pub(super) static FAMILY: &[NxTable] = in_both_metrics! {
    "nx-eo1-ep1" Middle None "pruning: corners, middle edges and their flips";
    "nx-eo1-ep2" Middle Middle "pruning: corners, middle edges in order and their flips";
    "nx-eo1-ep3" Middle Layers "pruning: corners, edges by layer, flips of the middle ones";
    "nx-eo1-ep4" Middle Both "pruning: corners, edges by layer, middle ones in order and their flips";
    "nx-eo2-ep1" Layers None "pruning: corners, middle edges, flips of the others";
    "nx-eo2-ep2" Layers Middle "pruning: corners, middle edges in order, flips of the others";
    "nx-eo2-ep3" Layers Layers "pruning: corners, edges by layer, flips but of the middle ones";
    "nx-eo2-ep4" Layers Both "pruning: corners, edges by layer, middle ones in order, other flips";
    "nx-eo3-ep1" All None "pruning: corners, middle edges, all flips";
    "nx-eo3-ep2" All Middle "pruning: corners, middle edges in order, all flips";
    "nx-eo3-ep3" All Layers "pruning: corners, edges by layer, all flips";
    "nx-eo3-ep4" All Both "pruning: corners, edges by layer, middle ones in order, all flips";
};

/// The entry of a class of corners, from what the edges are: block `(ep × edge_orientations + eo) × 8 + slice / 62`, slot `slice %
/// 62`.
#[inline]
pub const fn nx_entry(kind: EoKind, ep: u16, eo: u16, slice: u16) -> u64 {
    let edge_orientations = ep as u64 * kind.count() as u64 + eo as u64;
    let (block, slot) = (slice as u64 / BLOCK_ENTRIES as u64, slice as u64 % BLOCK_ENTRIES as u64);
    (edge_orientations * BLOCKS as u64 + block) * BLOCK_SLOTS as u64 + slot
}

impl NxTable {
    /// Distances up to this have no value of their own.
    pub fn base(&self) -> u8 {
        self.base
    }

    /// The distinctions between edges, besides the places of the middle ones.
    pub fn edges(&self) -> (EoKind, EpKind) {
        (self.eo, self.ep)
    }

    /// Entries of each class of corners; those of the classes follow each other, row by row.
    pub fn class_entries(&self) -> u64 {
        (self.eo.count() * self.ep.count() * BLOCKS * BLOCK_SLOTS) as u64
    }

    /// The classes of corners that a row has, by their numbers; none if there is no such row.
    pub fn classes_of_row(&self, row: u32) -> Range<usize> {
        let first = (row as usize).saturating_mul(self.row_classes).min(CornerCosetClasses::COUNT);
        first..(first + self.row_classes).min(CornerCosetClasses::COUNT)
    }

    /// The mean of the values of all cosets, each counted once, as Rokicki published it.
    pub fn known_average(&self) -> Option<f64> {
        known_average(self.eo as usize * 4 + self.ep as usize, self.metric)
    }

    /// Whether an entry of a row is looked up; others hold the least value of their block, or are left over.
    pub fn is_entry(&self, entry: u64) -> bool {
        let (slot, block) = (entry % BLOCK_SLOTS as u64, entry / BLOCK_SLOTS as u64);
        let slice = block % BLOCKS as u64 * BLOCK_ENTRIES as u64 + slot;
        slot < BLOCK_ENTRIES as u64 && slice < SliceKind::Places.count() as u64
    }

    /// The value of an entry, from the bytes of its row: a lower bound of the distance.
    ///
    /// # Panics
    /// If the row has no such entry.
    #[inline]
    pub fn value(&self, row_bytes: &[u8], entry: u64) -> u8 {
        let byte = row_bytes[(entry / 4) as usize];
        match quarters::pick(byte, (entry & 3) as usize) {
            0 => row_bytes[(entry / BLOCK_SLOTS as u64) as usize * BLOCK_BYTES + BLOCK_BYTES - 1] >> 4,
            code => self.base + code,
        }
    }

    /// The bound of the table for a position's distance.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn look_up<E: Entries>(&self, entries: &E, position: &Cube) -> Result<NxValue> {
        let (row, entry) = self.place(position);
        let least = entry / BLOCK_SLOTS as u64 * BLOCK_SLOTS as u64 + BLOCK_ENTRIES as u64;
        Ok(match entries.get(row, entry)? {
            0 => {
                let bound = entries.get(row, least)? | entries.get(row, least + 1)? << 2;
                NxValue { bound, is_exact: bound >= self.base }
            }
            code => NxValue { bound: self.base + code, is_exact: code < 3 },
        })
    }

    /// The size of the space that is searched.
    fn shape(&self) -> OrientationShape {
        OrientationShape {
            rows: CornerCosetClasses::COUNT,
            parts: SliceKind::Places.count(),
            groups: self.ep.count(),
            moves: self.metric.moves().count(),
            gathered: BLOCK_ENTRIES,
        }
    }
}

impl CosetTable for NxTable {
    /// Row = class of the corners, or several of them in their order; the entry follows from the edges after the symmetry that
    /// makes the corners the representative of their class: [`nx_entry`], after the entries of the classes before.
    #[inline]
    fn place(&self, position: &Cube) -> (u32, u64) {
        let (class, symmetry) = CornerCosetClasses::get().of(corner_coset(position));
        let image = symmetry.of(position);
        let slice = SliceKind::Places.rank(image.edges());
        let class = usize::from(class);
        let before = (class % self.row_classes) as u64 * self.class_entries();
        let entry = nx_entry(self.eo, self.ep.rank(&image), self.eo.rank(&image), slice);
        ((class / self.row_classes) as u32, before + entry)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube> {
        let class = self.classes_of_row(row).nth((entry / self.class_entries()) as usize)?;
        let class = &CornerCosetClasses::get().classes()[class];
        let entry = entry % self.class_entries();
        let (slot, block) = (entry % BLOCK_SLOTS as u64, entry / BLOCK_SLOTS as u64);
        let slice = block % BLOCKS as u64 * BLOCK_ENTRIES as u64 + slot;
        if !self.is_entry(entry) {
            return None;
        }
        let (edge_orientations, edges) =
            (block / BLOCKS as u64 % self.eo.count() as u64, block / BLOCKS as u64 / self.eo.count() as u64);
        let edges = u16::try_from(edges).ok().filter(|&edges| usize::from(edges) < self.ep.count())?;
        let mut position = Cube { ep: self.ep.edges(slice as u16, edges), ..CornerCosetClasses::position(class) };
        self.eo.set(&mut position, edge_orientations as u16);
        Some(position.with_parity_by_upper_edges())
    }

    fn is_reached(&self, position: &Cube) -> bool {
        let of = |cube: &Cube| {
            (corner_coset(cube), SliceKind::Places.rank(cube.edges()), self.eo.rank(cube), self.ep.rank(cube))
        };
        of(position) == of(&Cube::SOLVED)
    }

    fn move_metric(&self) -> Metric {
        self.metric
    }
}

impl Definition for NxTable {
    fn kind(&'static self) -> Kind {
        Kind::Pruning(self)
    }

    fn facts(&self) -> &TableFacts {
        &self.facts
    }

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn row_name(&self, row: u32) -> String {
        if self.row_classes > 1 {
            let Range { start, end } = self.classes_of_row(row);
            return format!("{start}..{end}");
        }
        let class = CornerCosetClasses::get().classes().get(row as usize);
        class.map_or_else(|| row.to_string(), |class| class.representative.to_string())
    }

    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        None
    }

    fn row_positions(&self, row: u32) -> u64 {
        let classes = &CornerCosetClasses::get().classes()[self.classes_of_row(row)];
        classes.iter().map(|class| class.size() * self.cosets_of_corners()).sum()
    }

    fn positions(&self) -> u64 {
        CORNER_COSETS as u64 * self.cosets_of_corners()
    }

    fn working_set(&self) -> u64 {
        let shape = self.shape();
        let rows = match self.eo {
            EoKind::Middle => shape.working_set::<OrientationSet4, 2>(),
            EoKind::Layers => shape.working_set::<OrientationSet8, 2>(),
            EoKind::All => shape.working_set::<OrientationSet12, 2>(),
        };
        rows + SPACE_BYTES
    }

    fn least_memory(&self) -> u64 {
        let shape = self.shape();
        let rows = match self.eo {
            EoKind::Middle => shape.least_memory::<OrientationSet4, 2>(),
            EoKind::Layers => shape.least_memory::<OrientationSet8, 2>(),
            EoKind::All => shape.least_memory::<OrientationSet12, 2>(),
        };
        rows + SPACE_BYTES
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        build_depth.must_be_whole(self)?;
        match self.eo {
            EoKind::Middle => self.search::<OrientationSet4>(options, ctx),
            EoKind::Layers => self.search::<OrientationSet8>(options, ctx),
            EoKind::All => self.search::<OrientationSet12>(options, ctx),
        }
    }
}

impl NxTable {
    /// Cosets for each coset of corners.
    fn cosets_of_corners(&self) -> u64 {
        (SliceKind::Places.count() * self.eo.count() * self.ep.count()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_that_were_published() {
        let bytes = |table: &NxTable| table.layout.bytes();
        let megabytes: Vec<u64> = FAMILY.iter().step_by(2).map(|table| bytes(table) / 1_000_000).collect();
        assert_eq!(megabytes[..5], [20, 488, 1423, 34_165, 325]);
        assert_eq!(megabytes[5..], [7809, 22_777, 546_648, 2603, 62_474, 182_216, 4_373_191]);
        for (id, table) in (40..).zip(FAMILY) {
            assert_eq!(table.layout.id, id);
            table.layout.check().unwrap();
            assert_eq!(table.layout.name.ends_with("qtm"), table.metric == Metric::Qtm);
            let entries = table.cosets_of_corners() / SliceKind::Places.count() as u64 * (BLOCKS * BLOCK_SLOTS) as u64;
            assert_eq!(table.class_entries(), entries);
            // A row of small classes has many: all of them, and each once.
            let rows = (0..table.layout.rows).map(|row| table.classes_of_row(row));
            assert!(rows.clone().all(|row| row.len() as u64 * entries == table.layout.row_entries()));
            assert!(rows.flatten().eq(0..CornerCosetClasses::COUNT));
            assert!(table.classes_of_row(table.layout.rows).is_empty() && table.classes_of_row(u32::MAX).is_empty());
            assert_eq!(table.row_positions(table.layout.rows), 0);
            assert_eq!(table.position(table.layout.rows, 0), None);
            assert_eq!(table.position(0, table.layout.row_entries()), None);
        }
    }

    #[test]
    fn a_row_of_many_classes_is_named_by_their_numbers() {
        let [many, one] = [&FAMILY[0], &FAMILY[2]];
        assert_eq!(
            (many.row_noun(), many.row_name(0).as_str(), many.row_name(330).as_str()),
            ("class range", "0..30", "9900..9930")
        );
        let representative = CornerCosetClasses::get().classes()[7].representative.to_string();
        assert_eq!((one.row_noun(), one.row_name(7)), ("corner coset class", representative));
    }
}
