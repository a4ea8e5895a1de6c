//! What the level databases of the Square-1 family have in common: their space, seeds and weights.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::definition::first_layout;
use super::generated::{BlockRows, Generated, weighed};
use super::restore::{ReadRow, RestoreRows, RestoredRow};
use super::{BuildDepth, Definition, Distribution, Goal, Kind, KnownWcaCounts, TableFacts, TableMetric};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::nibble::{self, UNSET};
use twistbase_core::math::perm8::{PERMUTATIONS, Perm8, Relabelling};
use twistbase_levelset::{
    self as levelset, BlockSource, Kernel, KnownLevels, Options, Part, RowSource, Seed, SlotMove, Space,
};
use twistbase_puzzle::square1::{CanonicalPieces, Colouring, Coordinate, Position, Shape};
use twistbase_store::{CacheUnit, Packing, RowLevels, TableLayout};

/// A level database of the Square-1 family: distances in twists from solved, the middle layer ignored.
#[derive(Debug)]
pub struct TwistTable {
    pub(super) layout: TableLayout,
    pub(super) colouring: Colouring,
    pub(super) facts: TableFacts,
    /// Pairs (position, middle layer) by distance, where they are known.
    pub with_middle: Option<Distribution>,
    /// The same with the turned-over puzzle counted as different (see [`ParityProof::not_identified`]), where someone counted so. Only where all pieces
    /// differ can it be told: elsewhere the puzzle with both halves of the middle layer turned looks solved.
    pub not_identified: Option<Distribution>,
    /// Positions as they lie by WCA's metric, the turned-over puzzle counted as different, where they are known.
    pub wca: Option<KnownWcaCounts>,
}

impl TwistTable {
    /// The table of a colouring that has so many classes of outer arrangements. A page is the 40,320 entries of a class.
    pub(super) const fn new(
        colouring: Colouring,
        id: u16,
        classes: usize,
        summary: &'static str,
        expected: Distribution,
    ) -> Self {
        let size = [Shape::COUNT, classes, PERMUTATIONS];
        let words = [colouring.name(), "shape"];
        let facts = TableFacts::new(words, TableMetric::Twists, Goal::SolvedButMiddleLayer, summary, Some(expected));
        Self {
            layout: first_layout((colouring.name(), id), size, Packing::Nibbles, CacheUnit::Row),
            colouring,
            facts: TableFacts { first_level: matches!(colouring, Colouring::Cube21) as u8, ..facts },
            with_middle: None,
            not_identified: None,
            wca: None,
        }
    }

    /// The colouring of its puzzle.
    pub fn colouring(&self) -> Colouring {
        self.colouring
    }

    /// Its coordinate.
    pub fn coordinate(&self) -> &'static Coordinate {
        Coordinate::of(self.colouring)
    }

    /// The number of blocks of its space.
    fn blocks(&self) -> usize {
        blocks(self.coordinate())
    }

    /// Searches all pairs (position, parity of the number of twists) and compares with the theorem that the parity
    /// that is not a position's own takes exactly one twist more.
    ///
    /// # Errors
    /// [`Error::Memory`](twistbase_core::error::Error::Memory), [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn prove_parity(&self, kernel: Kernel, memory: u64, ctx: &Context) -> Result<ParityProof> {
        let coordinate = self.coordinate();
        let found = levelset::sweep(&space(coordinate), &seeds(coordinate), kernel, memory, ctx)?;
        let weighted =
            |rows: &[u64]| -> u64 { (0..).zip(rows).map(|(row, &count)| positions(coordinate, row, count)).sum() };
        let levels = found.levels.iter();
        let sums = levels.map(|rows| {
            let part = |pick: fn(&levelset::ParityCount) -> u64| weighted(&rows.iter().map(pick).collect::<Vec<_>>());
            (part(|count| count.reached), part(|count| count.exceptions))
        });
        let (pairs, exceptions) = sums.unzip();
        Ok(ParityProof { pairs, exceptions, unreached: found.unreached })
    }
}

/// What an exhaustive search over both parities found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParityProof {
    /// Pairs (position, middle layer) at distance 0, 1, 2, …
    pub pairs: Vec<u64>,
    /// Of these, pairs whose position has the other middle layer at a smaller distance that is not one less.
    pub exceptions: Vec<u64>,
    /// Pairs (entry, middle layer) that no sequence of twists reaches.
    pub unreached: u64,
}

impl ParityProof {
    /// Whether the theorem holds: everything is reached, and the only exception is the solved position, whose
    /// other middle layer takes 3 twists.
    pub fn holds(&self) -> bool {
        let only_solved = self.exceptions.iter().enumerate().all(|(level, &count)| count == u64::from(level == 3));
        self.unreached == 0 && only_solved
    }

    /// The same counts with the turned-over puzzle not identified, as Masonjones counted in 2005: a turn of half
    /// a circle of both layers before any twist turns the result over, so every pair but the two at distance 0
    /// and its turned-over twin counts double; that twin, solved but upside down, takes 2 twists.
    pub fn not_identified(&self) -> Vec<u64> {
        let mut counts: Vec<u64> =
            self.pairs.iter().enumerate().map(|(level, &pairs)| if level == 0 { pairs } else { 2 * pairs }).collect();
        if let Some(two) = counts.get_mut(2) {
            *two += 1;
        }
        counts
    }
}

impl Definition for TwistTable {
    fn kind(&'static self) -> Kind {
        Kind::Twists(self)
    }

    fn facts(&self) -> &TableFacts {
        &self.facts
    }

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn row_name(&self, row: u32) -> String {
        let shape = u8::try_from(row).ok().and_then(Shape::new);
        shape.map_or_else(|| row.to_string(), Shape::name)
    }

    fn row_positions(&self, row: u32) -> u64 {
        positions(self.coordinate(), row, self.layout.row_entries())
    }

    fn working_set(&self) -> u64 {
        levelset::working_set(self.blocks(), 1)
    }

    fn least_memory(&self) -> u64 {
        levelset::least_memory(self.blocks(), 1)
    }

    fn restorer(&self) -> Option<Box<dyn RestoreRows + '_>> {
        let coordinate = self.coordinate();
        Some(Box::new(TwistRows { coordinate, space: space(coordinate), seeds: seeds(coordinate) }))
    }

    fn deepest(&self) -> Option<u8> {
        // Every distance is below 15, which says "farther".
        Some(self.facts.expected?.positions.len() as u8 - 2)
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        let coordinate = self.coordinate();
        let mut read = |row: usize, nibbles: &mut [u8]| match build_depth.known {
            Some(stored) => stored.read_row(row as u32, nibbles),
            None => Ok(()),
        };
        let known = build_depth.known_counts()?;
        let known = known.map(|(depth, counts)| KnownLevels { depth, counts, read: &mut read });
        let (space, seeds) = (space(coordinate), seeds(coordinate));
        let levels = levelset::generate(&space, &seeds, known, build_depth.depth, options, ctx)?;
        let weigh = |row, entries| positions(coordinate, row, entries);
        // Every distance is below 15, and stored as it is.
        Ok(Box::new(BlockRows { levels, rows: self.layout.rows, weigh, convert: |_, _: &mut [u8]| {} }))
    }
}

/// Restores rows of a table.
struct TwistRows {
    coordinate: &'static Coordinate,
    space: Space,
    seeds: Vec<Seed>,
}

impl RestoreRows for TwistRows {
    fn sources(&self, rows: &BTreeSet<u32>) -> BTreeSet<u32> {
        levelset::sources_of(&self.space, &numbers(rows)).into_iter().map(|row| row as u32).collect()
    }

    fn restore_memory(&self, rows: &BTreeSet<u32>) -> u64 {
        levelset::restore_memory(&self.space, &numbers(rows))
    }

    fn levels(&self, row: u32, bytes: &[u8]) -> RowLevels {
        // A distance is stored as it is; unset entries have no level.
        let counts = nibble::histogram(bytes);
        weighed(&counts[..usize::from(UNSET)], |entries| positions(self.coordinate, row, entries)).trimmed()
    }

    fn restore(
        &self,
        rows: &BTreeSet<u32>,
        depth: Option<u8>,
        read: &mut ReadRow<'_>,
        kernel: Kernel,
        ctx: &Context,
    ) -> Result<Vec<RestoredRow>> {
        let read = &mut |row: usize, nibbles: &mut [u8]| read(row as u32, nibbles);
        let restored = levelset::restore(&self.space, &numbers(rows), &self.seeds, depth, read, kernel, ctx)?;
        let row = |found: levelset::RestoredNibbles| {
            let row = found.row as u32;
            let levels = weighed(&found.counts, |entries| positions(self.coordinate, row, entries));
            RestoredRow { row, bytes: found.nibbles, levels }
        };
        Ok(restored.into_iter().map(row).collect())
    }
}

/// Rows as the engine numbers them.
fn numbers(rows: &BTreeSet<u32>) -> BTreeSet<usize> {
    rows.iter().map(|&row| row as usize).collect()
}

/// The number of blocks of the space of a coordinate.
pub(super) fn blocks(coordinate: &Coordinate) -> usize {
    Shape::COUNT * coordinate.classes()
}

/// The number of positions that some entries of a row stand for.
///
/// Each position of a shape has as many arrangements as the shape's stabiliser has elements, and each entry stands for
/// as many arrangements as there are relabellings; both act freely.
fn positions(coordinate: &Coordinate, row: u32, entries: u64) -> u64 {
    let stabiliser = u8::try_from(row).ok().and_then(Shape::new).map_or(1, Shape::stabiliser_order);
    entries * coordinate.relabellings() / u64::from(stabiliser)
}

/// The moves of the twist metric between the entries of a coordinate.
pub(super) fn space(coordinate: &Coordinate) -> Space {
    let rows = Shape::all().map(|shape| sources(coordinate, shape)).collect();
    Space::new(coordinate.classes(), rows)
}

/// The twists of one shape. A twist undoes a twist, so the moves out of a row are the moves into it.
fn sources(coordinate: &Coordinate, shape: Shape) -> Vec<RowSource> {
    let twisted = shape.alignments().into_iter().filter_map(|(u, v)| shape.twisted(u, v));
    twisted
        .map(|to| {
            let (outer, inner) = coordinate.split(&to.slots.big, &to.slots.small);
            let classes = (0..coordinate.classes() as u32).map(|class| coordinate.move_class(class, outer));
            twist_into(to.shape.id().into(), inner, classes)
        })
        .collect()
}

/// A twist between a row and the row `from`, by the slots of inner pieces and, for each class, the class it makes of it and
/// the relabelling that goes with that.
pub(super) fn twist_into(from: u32, inner: &Perm8, classes: impl Iterator<Item = (u32, Relabelling)>) -> RowSource {
    let blocks = classes.map(|(block, relabelling)| BlockSource { block, relabelling }).collect();
    RowSource { row: from, cost: 1, part: Part::All, slots: Arc::new(SlotMove::new(inner)), blocks }
}

/// Every entry of the solved position: one for each element of its shape's stabiliser, up to relabelling.
pub(super) fn seeds(coordinate: &Coordinate) -> Vec<Seed> {
    let solved = Position::SOLVED.canonical_pieces();
    let places: BTreeSet<_> = solved
        .shape
        .stabiliser()
        .into_iter()
        .map(|slots| {
            let (big, small) = slots.apply(&solved.big, &solved.small);
            coordinate.place_of_pieces(&CanonicalPieces { big, small, ..solved })
        })
        .collect();
    let permutations = PERMUTATIONS as u32;
    places
        .into_iter()
        .map(|place| Seed { row: place.row, block: place.entry / permutations, rank: place.entry % permutations })
        .collect()
}
