//! How the tables are generated: cosets by the engine of edge orientations, packed as blocks.

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use super::{BLOCK_BYTES, BLOCK_ENTRIES, BLOCKS, MOST_LEAST, NxTable, SPACE_BYTES};
use crate::Definition;
use crate::generated::{Generated, VisitRow, sum_of_levels, sum_of_positions, weighed};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::quarters;
use twistbase_levelset::{
    BoundedRow, Options, OrientationBounds, OrientationMoves, OrientationSeed, OrientationSet, OrientationSource,
    OrientationSpace, PartMove, PullableOrientations, generate_bounds,
};
use twistbase_puzzle::cube3::coordinate::{
    CornerCosetClasses, EdgeMove, EdgeMoves, SliceKind, corner_coset, exchanges_layers, layer_images, middle_names,
    moved_corner_coset, order_images,
};
use twistbase_puzzle::cube3::{AXIS_SYMMETRIES, Cube, Move, Symmetry};
use twistbase_store::RowLevels;

impl NxTable {
    /// Generates the table, with edge orientations in sets of the type that fits them.
    pub(super) fn search<S: PullableOrientations>(
        &self,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        let space = self.space::<S>();
        let home = Cube::SOLVED;
        let seed = OrientationSeed {
            row: CornerCosetClasses::get().of(corner_coset(&home)).0.into(),
            part: SliceKind::Places.rank(home.edges()).into(),
            group: self.ep.rank(&home).into(),
            orientations: self.eo.rank(&home),
        };
        Error::check_memory(options.memory, self.least_memory())?;
        let options = Options { memory: options.memory - SPACE_BYTES, ..options.clone() };
        let bounds = generate_bounds::<S>(&space, &[seed], self.base, &options, ctx)?;
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
        // What is not distinguished stays where it is.
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

/// A table, generated.
struct NxRows<'t, S: OrientationSet> {
    table: &'t NxTable,
    bounds: OrientationBounds<S>,
}

impl<S: OrientationSet> NxRows<'_, S> {
    /// The levels of a class of corners, which is a row of the engine's.
    fn class_levels(&self, class: usize) -> RowLevels {
        let size = CornerCosetClasses::get().classes()[class].size();
        weighed(self.bounds.counts(class), |entries| entries * size)
    }

    fn row_levels(&self, row: u32) -> RowLevels {
        sum_of_levels(self.table.classes_of_row(row).map(|class| self.class_levels(class)))
    }
}

impl<S: OrientationSet> Generated for NxRows<'_, S> {
    fn distribution(&self) -> Vec<u64> {
        sum_of_positions((0..CornerCosetClasses::COUNT).map(|class| self.class_levels(class)))
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let (base, group_bytes) = (self.table.base, S::STATES * BLOCKS * BLOCK_BYTES);
        let class_bytes = self.table.class_entries() as usize / quarters::PER_BYTE;
        let mut bytes = vec![0; self.table.layout.row_bytes()];
        for row in 0..self.table.layout.rows {
            for (class, bytes) in self.table.classes_of_row(row).zip(bytes.chunks_mut(class_bytes)) {
                let bounded = self.bounds.row(class)?;
                let groups = bytes.par_chunks_mut(group_bytes).enumerate();
                groups
                    .with_min_len((1 << 16) / group_bytes + 1)
                    .for_each(|(group, bytes)| pack(&bounded, base, group, bytes));
            }
            visit(row, &bytes, &self.row_levels(row))?;
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
        // What is stored is 15 less the level; where nothing is, all entries are three above the base or more.
        let least = if most >> bit & 1 == 1 { !kept | none } else { !kept & !none };
        planes[bit & 1][BLOCK_ENTRIES + bit / 2] |= (least & mask) << shift;
    }
}
