//! Rokicki's pruning tables for optimal solving: how far positions are from twelve subgroups, in two bits.
//!
//! The tables tell apart where the U corners are and all corner orientations, where the middle edges are, and more or
//! less of the edge orientations and of the order of edges. Distances are from the subgroup of all positions that agree
//! with solved in that, reachable or not.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::PathBuf;

use rayon::prelude::*;

use super::generated::{Generated, VisitRow, sum_of_positions, weighed};
use super::nx_known::{known, known_average};
use super::{BuildDepth, CosetTable, Definition, Distribution, Goal, Kind, TableMetric};
use crate::context::Context;
use crate::error::Result;
use crate::levelset::{
    BoundedRow, Options, OrientationBounds, OrientationMoves, OrientationSeed, OrientationSet, OrientationSet4,
    OrientationSet8, OrientationSet12, OrientationShape, OrientationSource, OrientationSpace, PartMove,
    PullableOrientations, generate_bounds,
};
use crate::math::quarters;
use crate::puzzle::cube3::coordinate::{
    CORNER_COSETS, CornerCosetClasses, EdgeMove, EdgeMoves, EoKind, EpKind, SliceKind, corner_coset, exchanges_layers,
    layer_images, middle_names, moved_corner_coset, order_images,
};
use crate::puzzle::cube3::{AXIS_SYMMETRIES, Cube, Metric, Move, Symmetry};
use crate::store::{CacheUnit, Entries, Packing, RowLevels, TableLayout};

/// Entries of a block that are looked up; two more hold the least value of these.
pub const BLOCK_ENTRIES: usize = 62;
/// Entries of a block for which there is room.
pub(crate) const BLOCK_SLOTS: usize = 64;
/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = BLOCK_SLOTS / quarters::PER_BYTE;
/// Blocks for the places of the middle edges: 495 = 7 × 62 + 61.
const BLOCKS: usize = SliceKind::Places.count().div_ceil(BLOCK_ENTRIES);
/// Bytes of a page, where a row has so many.
const PAGE_BYTES: usize = 4096;
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
    /// Distances up to this are told only by the least of their block.
    base: u8,
    summary: &'static str,
    expected: Option<Distribution>,
}

/// What an entry tells of a distance.
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
const STRENGTHS: [[u8; 4]; 3] = [[0, 4, 5, 9], [3, 7, 8, 12], [6, 10, 11, 13]];

const fn table(name: &'static str, eo: EoKind, ep: EpKind, metric: Metric, summary: &'static str) -> NxTable {
    let number = eo as usize * 4 + ep as usize;
    let row_bytes = eo.count() * ep.count() * BLOCKS * BLOCK_BYTES;
    let page_bytes = if row_bytes < PAGE_BYTES { row_bytes } else { PAGE_BYTES };
    assert!(row_bytes.is_multiple_of(page_bytes));
    NxTable {
        layout: TableLayout {
            name,
            id: (40 + 2 * number + metric as usize) as u16,
            rows: CornerCosetClasses::COUNT as u32,
            pages: (row_bytes / page_bytes) as u32,
            packing: Packing::Quarters,
            page_entries: (page_bytes * quarters::PER_BYTE) as u32,
            padding: 0,
            unit: CacheUnit::Table,
            spec_version: 1,
            generator_version: 1,
        },
        metric,
        eo,
        ep,
        base: BASES[eo as usize][ep as usize][metric as usize],
        summary,
        expected: known(number, metric),
    }
}

/// The tables of one choice of edges, in both metrics.
macro_rules! in_both_metrics {
    ($($name:literal $eo:ident $ep:ident $summary:literal;)*) => {
        &[$(
            table(concat!($name, "-htm"), EoKind::$eo, EpKind::$ep, Metric::Htm, $summary),
            table(concat!($name, "-qtm"), EoKind::$eo, EpKind::$ep, Metric::Qtm, "the same in quarter turns"),
        )*]
    };
}

/// The tables: by which edge orientations are told apart, then by edges, then by metric.
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

/// The entry of a row, from what the edges are: block `(ep × edge_orientations + eo) × 8 + slice / 62`, slot `slice %
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

    /// What is told apart about the edges, besides the places of the middle ones.
    pub fn edges(&self) -> (EoKind, EpKind) {
        (self.eo, self.ep)
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

    /// What an entry tells, from the bytes of its row: the value, which the distance is not less than.
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

    /// What the table tells of a position's distance.
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

    fn search<S: PullableOrientations>(&self, options: &Options, ctx: &Context) -> Result<Box<dyn Generated + '_>> {
        let space = self.space::<S>();
        let home = Cube::SOLVED;
        let seed = OrientationSeed {
            row: CornerCosetClasses::get().of(corner_coset(&home)).0.into(),
            part: SliceKind::Places.rank(home.edges()).into(),
            group: self.ep.rank(&home).into(),
            orientations: self.eo.rank(&home),
        };
        let memory = options.memory.saturating_sub(SPACE_BYTES);
        let folder = PathBuf::from(&options.scratch);
        let bounds = generate_bounds::<S>(&space, &[seed], self.base, memory, &folder, ctx)?;
        Ok(Box::new(NxRows { table: self, bounds }))
    }

    /// The moves between cosets.
    fn space<S: PullableOrientations>(&self) -> OrientationSpace<S> {
        let classes = CornerCosetClasses::get();
        let turns: Vec<Move> = self.metric.moves().collect();
        let rows = classes.classes().par_iter().map(|class| {
            let source = |(number, &turn): (usize, &Move)| {
                let (row, symmetry) = classes.of(moved_corner_coset(class.representative, turn));
                OrientationSource { row: row.into(), parts: (number * AXIS_SYMMETRIES + symmetry.index()) as u32 }
            };
            turns.iter().enumerate().map(source).collect()
        });
        let rows = rows.collect();
        let slices = 0..SliceKind::Places.count() as u16;
        let pairs =
            turns.par_iter().flat_map_iter(|&turn| Symmetry::keeping_axis().map(move |symmetry| (turn, symmetry)));
        let moved = pairs.map(|(turn, symmetry)| {
            let moves = EdgeMoves::new(turn, symmetry);
            (symmetry, slices.clone().map(|slice| moves.at(slice)).collect())
        });
        let moved: Vec<(Symmetry, Vec<EdgeMove>)> = moved.collect();
        let mut maps = EdgeMaps::new(self);
        let parts = moved.iter().map(|(symmetry, moved)| maps.parts(*symmetry, moved)).collect();
        let edge_orientations = maps.orientations.all.iter().map(|places| S::map(places)).collect();
        let moves =
            OrientationMoves { parts, orientations: edge_orientations, outer: maps.outer.all, inner: maps.inner.all };
        OrientationSpace::new(SliceKind::Places.count(), BLOCK_ENTRIES, moves, rows)
    }
}

/// Different things, numbered as they come.
struct Numbering<K, T> {
    all: Vec<T>,
    numbers: HashMap<K, usize>,
}

impl<K: Eq + Hash, T> Numbering<K, T> {
    fn new() -> Self {
        Self { all: Vec::new(), numbers: HashMap::new() }
    }

    /// The number of the thing that is known by `key`.
    fn number(&mut self, key: K, thing: impl FnOnce() -> T) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.all.push(thing());
            self.all.len() - 1
        })
    }
}

/// Up to sixteen places as one number.
fn packed(places: &[u8]) -> u64 {
    places.iter().fold(0, |packed, &place| packed << 4 | u64::from(place))
}

/// How edge orientations and orders of edges move.
struct EdgeMaps<'t> {
    table: &'t NxTable,
    orientations: Numbering<u64, Box<[u8]>>,
    outer: Numbering<(bool, u64), Box<[u16]>>,
    inner: Numbering<([u8; 4], u64), Box<[u16]>>,
}

impl<'t> EdgeMaps<'t> {
    fn new(table: &'t NxTable) -> Self {
        let mut maps = Self { table, orientations: Numbering::new(), outer: Numbering::new(), inner: Numbering::new() };
        // What is not told apart stays where it is.
        if table.ep.layers() == 1 {
            maps.outer.all.push([0].into());
        }
        if table.ep.orders() == 1 {
            maps.inner.all.push([0].into());
        }
        maps
    }

    /// What a move and then a symmetry do, by the places of the middle edges.
    fn parts(&mut self, symmetry: Symmetry, moved: &[EdgeMove]) -> Box<[PartMove]> {
        let NxTable { eo, ep, .. } = *self.table;
        let (names, exchanged) = (middle_names(symmetry), exchanges_layers(symmetry));
        let Self { orientations: edge_orientations, outer, inner, .. } = self;
        let mut part = |moved: &EdgeMove| {
            let EdgeMove { slice, middle, layers, .. } = moved;
            let from = moved.from(eo);
            PartMove {
                part: *slice,
                turned: moved.turned(eo),
                // There are at most 8! permutations, and 24 × 24 of orders.
                orientations: edge_orientations.number(packed(from), || from.into()) as u16,
                inner: match ep.orders() {
                    1 => 0,
                    _ => inner.number((names, packed(middle)), || order_images(&names, middle)) as u16,
                },
                outer: match ep.layers() {
                    1 => 0,
                    _ => outer.number((exchanged, packed(layers)), || layer_images(exchanged, layers)) as u32,
                },
            }
        };
        moved.iter().map(&mut part).collect()
    }
}

impl CosetTable for NxTable {
    /// Row = class of the corners; the entry follows from the edges after the symmetry that makes the corners the
    /// representative of their class: [`nx_entry`].
    #[inline]
    fn place(&self, position: &Cube) -> (u32, u64) {
        let (class, symmetry) = CornerCosetClasses::get().of(corner_coset(position));
        let image = symmetry.of(position);
        let slice = SliceKind::Places.rank(image.edges());
        (class.into(), nx_entry(self.eo, self.ep.rank(&image), self.eo.rank(&image), slice))
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube> {
        let class = CornerCosetClasses::get().classes().get(row as usize)?;
        let (slot, block) = (entry % BLOCK_SLOTS as u64, entry / BLOCK_SLOTS as u64);
        let slice = block % BLOCKS as u64 * BLOCK_ENTRIES as u64 + slot;
        if !self.is_entry(entry) {
            return None;
        }
        let (edge_orientations, edges) =
            (block / BLOCKS as u64 % self.eo.count() as u64, block / BLOCKS as u64 / self.eo.count() as u64);
        let edges = u16::try_from(edges).ok().filter(|&edges| usize::from(edges) < self.ep.count())?;
        let mut position = Cube { ep: self.ep.edges(slice as u16, edges), ..class.position() };
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

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn puzzle(&self) -> &'static str {
        "cube3"
    }

    fn metric(&self) -> TableMetric {
        TableMetric::FaceTurns(self.metric)
    }

    fn goal(&self) -> Goal {
        Goal::PruningSubgroup { eo: self.eo, ep: self.ep }
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn row_noun(&self) -> &'static str {
        "corner coset class"
    }

    fn row_name(&self, row: u32) -> String {
        let class = CornerCosetClasses::get().classes().get(row as usize);
        class.map_or_else(|| row.to_string(), |class| class.representative.to_string())
    }

    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        None
    }

    fn row_positions(&self, row: u32) -> u64 {
        let class = CornerCosetClasses::get().classes().get(row as usize);
        class.map_or(0, |class| class.size() * self.cosets_of_row())
    }

    fn positions(&self) -> u64 {
        CORNER_COSETS as u64 * self.cosets_of_row()
    }

    fn expected(&self) -> Option<&Distribution> {
        self.expected.as_ref()
    }

    fn last_is_open(&self) -> bool {
        true
    }

    fn is_in_all(&self) -> bool {
        false
    }

    fn strength(&self) -> Option<u8> {
        Some(STRENGTHS[self.eo as usize][self.ep as usize])
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
    /// Cosets that a row has for each of its corners.
    fn cosets_of_row(&self) -> u64 {
        (SliceKind::Places.count() * self.eo.count() * self.ep.count()) as u64
    }
}

/// A table, generated.
struct NxRows<'t, S: OrientationSet> {
    table: &'t NxTable,
    bounds: OrientationBounds<S>,
}

impl<S: OrientationSet> NxRows<'_, S> {
    fn row_levels(&self, row: usize) -> RowLevels {
        let class = CornerCosetClasses::get().classes()[row];
        weighed(self.bounds.counts(row), |entries| entries * class.size())
    }
}

impl<S: OrientationSet> Generated for NxRows<'_, S> {
    fn distribution(&self) -> Vec<u64> {
        sum_of_positions((0..CornerCosetClasses::COUNT).map(|row| self.row_levels(row)))
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let (base, group_bytes) = (self.table.base, S::STATES * BLOCKS * BLOCK_BYTES);
        let mut bytes = vec![0; self.table.layout.row_bytes()];
        for row in 0..CornerCosetClasses::COUNT {
            let bounded = self.bounds.row(row)?;
            let groups = bytes.par_chunks_mut(group_bytes).enumerate();
            groups
                .with_min_len((1 << 16) / group_bytes + 1)
                .for_each(|(group, bytes)| pack(&bounded, base, group, bytes));
            visit(row as u32, &bytes, &self.row_levels(row))?;
        }
        Ok(())
    }
}

/// Packs a group of a row: for each of its edge orientations, eight blocks.
fn pack<S: OrientationSet>(row: &BoundedRow<'_, S>, base: u8, group: usize, bytes: &mut [u8]) {
    // The edge orientations fill words, or words hold the edge orientations of several blocks.
    let together = (64 / S::STATES).max(1);
    let states = S::STATES.min(64);
    for word in 0..S::WORDS {
        for first in (0..BLOCKS).step_by(together) {
            let mut planes = [[0u64; 64]; 2];
            for within in 0..together {
                let block = first + within;
                gather(row, block, group, word, within * states, &mut planes);
                least_values(row, base, block, group, word, within * states, &mut planes);
            }
            planes.iter_mut().for_each(quarters::transpose);
            let [low, high] = &planes;
            for (at, (&low, &high)) in low.iter().zip(high).enumerate() {
                let (within, state) = (at / states, word * 64 + at % states);
                let to = (state * BLOCKS + first + within) * BLOCK_BYTES;
                bytes[to..to + BLOCK_BYTES].copy_from_slice(&quarters::interleave(low, high).to_le_bytes());
            }
        }
    }
}

/// The codes of a block's entries, from bit `shift` on: 3 for those that are not used, too.
fn gather<S: OrientationSet>(
    row: &BoundedRow<'_, S>,
    block: usize,
    group: usize,
    word: usize,
    shift: usize,
    planes: &mut [[u64; 64]; 2],
) {
    let mask = if S::STATES < 64 { (1 << S::STATES) - 1 } else { u64::MAX };
    let parts = block * BLOCK_ENTRIES..SliceKind::Places.count().min((block + 1) * BLOCK_ENTRIES);
    let [lows, highs] = planes;
    for (slot, (to_low, to_high)) in lows.iter_mut().zip(highs).take(BLOCK_ENTRIES).enumerate() {
        let part = parts.start + slot;
        let [low, high] = if part < parts.end { row.planes(part, group).map(|plane| plane.word(word)) } else { [0; 2] };
        // One less than the engine's code, and 3 for its 0.
        *to_low |= (!low & mask) << shift;
        *to_high |= (!(low ^ high) & mask) << shift;
    }
}

/// The least values of a block, in the two entries behind the others.
fn least_values<S: OrientationSet>(
    row: &BoundedRow<'_, S>,
    base: u8,
    block: usize,
    group: usize,
    word: usize,
    shift: usize,
    planes: &mut [[u64; 64]; 2],
) {
    let mask = if S::STATES < 64 { (1 << S::STATES) - 1 } else { u64::MAX };
    let kept = row.least(block, group).map(|plane| plane.word(word));
    let none = !kept.iter().fold(0, |any, plane| any | plane);
    let most = (base + 3).min(MOST_LEAST);
    for (bit, kept) in kept.into_iter().enumerate() {
        // What is kept is 15 less the level; where nothing is, all entries are three above the base or more.
        let least = if most >> bit & 1 == 1 { !kept | none } else { !kept & !none };
        planes[bit & 1][BLOCK_ENTRIES + bit / 2] |= (least & mask) << shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_that_were_published() {
        let bytes = |table: &NxTable| table.layout.row_bytes() as u64 * u64::from(table.layout.rows);
        let megabytes: Vec<u64> = FAMILY.iter().step_by(2).map(|table| bytes(table) / 1_000_000).collect();
        assert_eq!(megabytes[..5], [20, 488, 1423, 34_165, 325]);
        assert_eq!(megabytes[5..], [7809, 22_777, 546_648, 2603, 62_474, 182_216, 4_373_191]);
        for (id, table) in (40..).zip(FAMILY) {
            assert_eq!(table.layout.id, id);
            table.layout.check().unwrap();
            assert_eq!(table.layout.name.ends_with("qtm"), table.metric == Metric::Qtm);
            let entries = table.cosets_of_row() / SliceKind::Places.count() as u64 * (BLOCKS * BLOCK_SLOTS) as u64;
            assert_eq!(table.layout.row_entries(), entries);
        }
    }
}
