//! What a table is: its kind, the goal of its distances, its geometry, how it is generated, and what must come out.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{
    BuildDepth, Counted, DefinedTable, EndingTable, Generated, HugeTable, NxTable, PhaseOneTable, PhaseTwoTable,
    RestoreRows, TwistTable,
};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_levelset::Options;
use twistbase_puzzle::cube3::coordinate::{EoKind, EpKind};
use twistbase_puzzle::cube3::{Cube, Metric};
use twistbase_store::{CacheUnit, Packing, TableLayout};

/// The kind of a table, with its definition as the type that has the kind's coordinates and values.
///
/// Whatever depends on the kind of a table matches on this without a catch-all arm: a new kind compiles only when every
/// consumer handles it.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Distances of a puzzle of the Square-1 family.
    Twists(&'static TwistTable),
    /// Distances of a puzzle of the Square-1 family to the position one twist from solved.
    Endings(&'static EndingTable),
    /// Distances of the cube's cosets of H, for phase 1.
    PhaseOne(&'static PhaseOneTable),
    /// Distances of the cube's cosets of the subgroup of Kociemba's huge solver.
    Huge(&'static HugeTable),
    /// Distances of positions in H by moves of H, for phase 2.
    PhaseTwo(&'static PhaseTwoTable),
    /// A pruning table of Rokicki's family, in two bits.
    Pruning(&'static NxTable),
    /// Distances of a puzzle that is data.
    Defined(&'static DefinedTable),
}

impl Kind {
    /// The definition without its type.
    pub fn definition(self) -> &'static dyn Definition {
        match self {
            Self::Twists(table) => table,
            Self::Endings(table) => table,
            Self::PhaseOne(table) => table,
            Self::Huge(table) => table,
            Self::PhaseTwo(table) => table,
            Self::Pruning(table) => table,
            Self::Defined(table) => table,
        }
    }

    /// The table's name.
    pub fn name(self) -> &'static str {
        self.definition().name()
    }

    /// A table that is looked up by the coset of a position of the cube: distances or bounds to a subgroup.
    pub fn cosets(self) -> Option<&'static dyn CosetTable> {
        match self {
            Self::PhaseOne(table) => Some(table),
            Self::Huge(table) => Some(table),
            Self::Pruning(table) => Some(table),
            Self::Twists(_) | Self::Endings(_) | Self::PhaseTwo(_) | Self::Defined(_) => None,
        }
    }
}

/// The positions at distance 0, and the moves that distances are counted by if these are not all moves of the puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The solved position of the Square-1 family, also turned over, whatever the middle layer.
    SolvedButMiddleLayer,
    /// The position of the Square-1 family that one twist solves, also turned over, whatever the middle layer.
    LastTwist,
    /// The solved position.
    Solved,
    /// H = ⟨U, D, R2, F2, L2, B2⟩.
    H,
    /// The positions in H whose middle edges are solved.
    HugeSubgroup,
    /// The solved position, by moves of H.
    SolvedInH,
    /// H': the positions that lack the order of the middle edges at most, by moves of H.
    HPrime,
    /// The positions that agree with solved in all that a pruning table distinguishes: the places of the U corners, the
    /// corner orientations, the places of the middle edges, and these.
    PruningSubgroup {
        /// Which edge orientations.
        eo: EoKind,
        /// What of the permutation of the edges.
        ep: EpKind,
    },
}

impl Goal {
    /// The goal in words, as the metadata of an export name it.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::SolvedButMiddleLayer => "solved, up to flips and the middle layer",
            Self::LastTwist => "the position one twist from solved, up to flips and the middle layer",
            Self::H | Self::HugeSubgroup | Self::PruningSubgroup { .. } => "the subgroup of the table",
            Self::SolvedInH => "solved, by moves of H",
            Self::HPrime => "solved but for the middle edges, by moves of H",
        }
    }

    /// The meaning of distances to this goal for the distance to solved.
    pub const fn tells(self) -> LevelMeaning {
        match self {
            Self::SolvedButMiddleLayer | Self::Solved | Self::SolvedInH => LevelMeaning::Distance,
            Self::H | Self::HugeSubgroup | Self::HPrime | Self::PruningSubgroup { .. } => LevelMeaning::Bound,
            Self::LastTwist => LevelMeaning::Other,
        }
    }
}

/// What a level of a table is for someone who asks how far a position is from solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LevelMeaning {
    /// The distance.
    Distance,
    /// A lower bound.
    Bound,
    /// Neither: it is how far the position is from something else.
    Other,
}

/// The metric of a table's distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableMetric {
    /// Twists `/`; turns of the layers between them are free.
    Twists,
    /// Turns of a face of a cube.
    FaceTurns(Metric),
    /// Moves of a definition and their powers: each is one.
    Moves,
}

impl TableMetric {
    /// Its name: `twists`, `htm`, `qtm` or `moves`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Twists => "twists",
            Self::FaceTurns(metric) => metric.name(),
            Self::Moves => "moves",
        }
    }

    /// So many, in words: `1 twist`, `3 moves (htm)`.
    pub fn count(self, number: usize) -> String {
        match self {
            Self::Twists => Counted::Twists.count(number),
            Self::Moves => Counted::Moves.count(number),
            Self::FaceTurns(metric) => format!("{} ({})", Counted::Moves.count(number), metric.name()),
        }
    }
}

impl fmt::Display for TableMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for TableMetric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What people and programs ask about a table.
#[derive(Debug, Clone, Copy)]
pub struct TableFacts {
    /// The puzzle it is about, as named on the command line.
    pub puzzle: &'static str,
    /// What a row is ("shape", "coset").
    pub row_noun: &'static str,
    /// The metric its distances are counted in.
    pub metric: TableMetric,
    /// What its distances are counted to.
    pub goal: Goal,
    /// One line for people.
    pub summary: &'static str,
    /// The distribution that must come out; `None` if nobody knows it.
    pub expected: Option<Distribution>,
    /// How the source of the distribution numbers distance 0 (Cube21's author calls it level 1).
    pub first_level: u8,
    /// Whether the last number of the distribution is that of all distances from there on.
    pub last_is_open: bool,
    /// Whether it is built when all tables are asked for: not those of a family of which one is chosen by its size.
    pub is_in_all: bool,
    /// How strong it is as the heuristic of an optimal search among the tables of its metric, the weakest and smallest
    /// being 0; `None` if no optimal search can use it.
    pub strength: Option<u8>,
}

impl TableFacts {
    pub(crate) const fn new(
        [puzzle, row_noun]: [&'static str; 2],
        metric: TableMetric,
        goal: Goal,
        summary: &'static str,
        expected: Option<Distribution>,
    ) -> Self {
        let (first_level, last_is_open, is_in_all, strength) = (0, false, true, None);
        Self { puzzle, row_noun, metric, goal, summary, expected, first_level, last_is_open, is_in_all, strength }
    }
}

/// The layout of a table without padding, in its first version.
pub(crate) const fn first_layout(
    (name, id): (&'static str, u16),
    [rows, pages, page_entries]: [usize; 3],
    packing: Packing,
    unit: CacheUnit,
) -> TableLayout {
    let [rows, pages, page_entries] = [rows as u32, pages as u32, page_entries as u32];
    let (padding, spec_version, generator_version) = (0, 1, 1);
    TableLayout { name, id, rows, pages, packing, page_entries, padding, unit, spec_version, generator_version }
}

/// What a table is: its kind, its geometry, how it is generated, and what must come out.
pub trait Definition: Sync {
    /// Its kind.
    fn kind(&'static self) -> Kind;

    /// What people and programs ask about it.
    fn facts(&self) -> &TableFacts;

    /// Name, geometry and versions.
    fn layout(&self) -> &TableLayout;

    /// The name of the layout, which may take a moment to make.
    fn name(&self) -> &'static str {
        self.layout().name
    }

    /// The puzzle it is about, as named on the command line.
    fn puzzle(&self) -> &'static str {
        self.facts().puzzle
    }

    /// The metric its distances are counted in.
    fn metric(&self) -> TableMetric {
        self.facts().metric
    }

    /// What its distances are counted to.
    fn goal(&self) -> Goal {
        self.facts().goal
    }

    /// One line for people.
    fn summary(&self) -> &'static str {
        self.facts().summary
    }

    /// What a row is ("shape", "coset").
    fn row_noun(&self) -> &'static str {
        self.facts().row_noun
    }

    /// A name of a row for people; `row` is below the layout's number of rows.
    fn row_name(&self, row: u32) -> String;

    /// The value that is stored for an entry of a row at distance 0, 1, 2, …; `None` where the row has no entry at that
    /// distance. `None` altogether if an entry's value does not follow from its distance, or there are values of no distance.
    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        let most = if self.layout().packing == Packing::Nibbles { u8::MAX } else { 3 };
        Some((0..self.expected()?.positions.len() as u8).map(|level| Some(level % most)).collect())
    }

    /// Number of positions that the entries of a row stand for.
    fn row_positions(&self, row: u32) -> u64;

    /// Number of positions that all entries stand for.
    fn positions(&self) -> u64 {
        (0..self.layout().rows).map(|row| self.row_positions(row)).sum()
    }

    /// The distribution that must come out; `None` if nobody knows it.
    fn expected(&self) -> Option<&Distribution> {
        self.facts().expected.as_ref()
    }

    /// What restores rows from others; `None` where only the whole table can be generated. Making it takes a moment,
    /// restoring many rows with it does not take another.
    fn restorer(&self) -> Option<Box<dyn RestoreRows + '_>> {
        None
    }

    /// Bytes of memory that the generator takes if it may.
    fn working_set(&self) -> u64;

    /// Bytes of memory below which the generator refuses.
    fn least_memory(&self) -> u64 {
        self.working_set()
    }

    /// The largest depth to which it can be built without being complete; `None` if its entries have no value that says
    /// "farther".
    fn deepest(&self) -> Option<u8> {
        None
    }

    /// Generates the table as far as `build_depth` says.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) for a depth that [`depth_of`](super::depth_of) refuses;
    /// [`Error::Memory`](twistbase_core::error::Error::Memory); [`Error::Io`](twistbase_core::error::Error::Io) from a scratch file;
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted); those of reading what is known.
    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>>;
}

/// A known number of positions at each distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distribution {
    /// Positions at distance 0, 1, 2, …
    pub positions: &'static [u64],
    /// Who says so.
    pub source: &'static str,
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
