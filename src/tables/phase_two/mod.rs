//! The tables of phase 2: positions in H = ⟨U, D, R2, F2, L2, B2⟩, by moves that stay in H.
//!
//! Rows are classes of corner permutations under the 16 symmetries that keep the axis. With the middle edges the
//! distances are those in H, 19,508,428,800 positions. Without them they are those in H', a lower bound for H that is
//! a twelfth of the size (Tomas Rokicki's phase 2 table).
//!
//! These distances are in moves of H. The trivial coset of the coset solver holds the same positions, but counts all
//! moves of the cube, by which some are nearer: the numbers agree up to distance 4 only.

mod generate;

use crate::published::published;
use std::sync::LazyLock;

use super::definition::first_layout;
use super::{BuildDepth, Definition, Distribution, Generated, Goal, Kind, TableFacts, TableMetric};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::perm8::{PERMUTATIONS, is_odd};
use twistbase_core::math::trits;
use twistbase_levelset::{self as levelset, Options, UNSET};
use twistbase_puzzle::cube3::coordinate::{CornerClass, CornerClasses, PhaseTwoPlace, PhaseTwoPosition};
use twistbase_puzzle::cube3::{Face, Metric, Move};
use twistbase_store::{CacheUnit, Packing, TableLayout};

const H_PRIME: Distribution = published("phase2");

/// Distances in H', in nibbles as Rokicki's.
pub static TABLE: PhaseTwoTable = in_nibbles(
    ("phase2", 20),
    Metric::Htm,
    false,
    "positions in H without the middle edges: a bound for phase 2",
    H_PRIME,
);

/// The same in the quarter-turn metric.
pub static QTM: PhaseTwoTable =
    in_nibbles(("phase2-qtm", 21), Metric::Qtm, false, "the same table, in quarter turns", published("phase2-qtm"));

/// Distances in H' modulo 3, as Kociemba packs and orders them.
pub static KOCIEMBA: PhaseTwoTable = PhaseTwoTable {
    layout: first_layout(
        ("phase2-kociemba", 22),
        [1, CornerClasses::COUNT, PERMUTATIONS],
        Packing::Mod3,
        CacheUnit::Table,
    ),
    metric: Metric::Htm,
    exact: false,
    facts: facts("row", Metric::Htm, false, "phase2 modulo 3, five entries a byte", H_PRIME),
};

const _: () = assert!(PERMUTATIONS.is_multiple_of(trits::PER_BYTE));

/// Distances in H.
pub static EXACT: PhaseTwoTable = in_nibbles(
    ("phase2-exact", 23),
    Metric::Htm,
    true,
    "every position in H, exact distance in moves of H",
    published("phase2-exact"),
);

/// The same in the quarter-turn metric.
pub static EXACT_QTM: PhaseTwoTable = in_nibbles(
    ("phase2-exact-qtm", 24),
    Metric::Qtm,
    true,
    "the same table, in quarter turns",
    published("phase2-exact-qtm"),
);

/// A table of distances in H or in H'.
#[derive(Debug)]
pub struct PhaseTwoTable {
    layout: TableLayout,
    metric: Metric,
    /// Whether the middle edges are distinguished: H, not H'.
    exact: bool,
    facts: TableFacts,
}

/// A table in nibbles. A page is the 40,320 entries of an arrangement of the middle edges.
const fn in_nibbles(
    name: (&'static str, u16),
    metric: Metric,
    exact: bool,
    summary: &'static str,
    expected: Distribution,
) -> PhaseTwoTable {
    let size = [CornerClasses::COUNT, if exact { PhaseTwoPlace::MIDDLES } else { 1 }, PERMUTATIONS];
    PhaseTwoTable {
        layout: first_layout(name, size, Packing::Nibbles, CacheUnit::Table),
        metric,
        exact,
        facts: facts("corner class", metric, exact, summary, expected),
    }
}

const fn facts(
    row_noun: &'static str,
    metric: Metric,
    exact: bool,
    summary: &'static str,
    expected: Distribution,
) -> TableFacts {
    let goal = if exact { Goal::SolvedInH } else { Goal::HPrime };
    TableFacts::new(["cube3", row_noun], TableMetric::FaceTurns(metric), goal, summary, Some(expected))
}

impl PhaseTwoTable {
    /// How moves are counted.
    pub fn move_metric(&self) -> Metric {
        self.metric
    }

    /// Whether distances are those in H; otherwise the middle edges are ignored and they are those in H'.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The entry, and the row it is in, of a position in H.
    #[inline]
    pub fn place(&self, h_position: &PhaseTwoPosition) -> (u32, u64) {
        self.place_of(PhaseTwoPlace::of(h_position))
    }

    /// The same of a position whose corners are the representative of their class.
    #[inline]
    #[doc(hidden)]
    pub fn place_of_representative(&self, class: u16, h_position: &PhaseTwoPosition) -> (u32, u64) {
        self.place_of(PhaseTwoPlace::of_representative(class, &h_position.edges, h_position.middle))
    }

    #[inline]
    fn place_of(&self, place: PhaseTwoPlace) -> (u32, u64) {
        let block = if self.exact { u64::from(place.middle) } else { 0 };
        let entry = block * PERMUTATIONS as u64 + u64::from(place.edges);
        match self.layout.packing {
            Packing::Nibbles => (u32::from(place.corners), entry),
            // Kociemba's order: all classes of the first permutation of the edges, then of the next.
            Packing::Mod3 | Packing::Quarters => (0, entry * CornerClasses::COUNT as u64 + u64::from(place.corners)),
        }
    }

    /// A position at an entry of a row: of those without the middle edges, with these as near to home as the parity
    /// allows. `None` if there is no such entry.
    pub fn position_at(&self, row: u32, entry: u64) -> Option<PhaseTwoPosition> {
        let (corners, entry) = match self.layout.packing {
            Packing::Nibbles => (row.into(), entry),
            Packing::Mod3 | Packing::Quarters if row == 0 => {
                (entry % CornerClasses::COUNT as u64, entry / CornerClasses::COUNT as u64)
            }
            Packing::Mod3 | Packing::Quarters => return None,
        };
        let (middle, edges) = (entry / PERMUTATIONS as u64, entry % PERMUTATIONS as u64);
        let place = PhaseTwoPlace {
            corners: u16::try_from(corners).ok()?,
            middle: u8::try_from(middle).ok().filter(|&middle| usize::from(middle) < self.blocks())?,
            edges: edges as u16,
        };
        place.h_position()
    }

    /// Whether the corners of a row are permuted oddly, in a table whose rows are classes of them.
    fn row_is_odd(&self, row: u32) -> bool {
        CornerClasses::get().classes().get(row as usize).is_some_and(|class| is_odd(&class.representative))
    }

    /// The largest distance that there is.
    pub fn farthest(&self) -> u8 {
        // A table has fewer than 32 levels.
        self.facts.expected.map_or(0, |expected| expected.positions.len() as u8 - 1)
    }

    fn blocks(&self) -> usize {
        if self.exact { PhaseTwoPlace::MIDDLES } else { 1 }
    }

    fn total_blocks(&self) -> usize {
        CornerClasses::COUNT * self.blocks()
    }

    fn most_cost(&self) -> u8 {
        match self.metric {
            Metric::Htm => 1,
            Metric::Qtm => 2,
        }
    }

    /// What `value`, stored in the row of corners of that parity, means for the distance.
    ///
    /// In the half-turn metric a nibble is the distance less one, so that it holds 1 to 16: 0 is for solved, too, and
    /// 15 for all that is farther (Rokicki). In the quarter-turn metric a nibble is half the distance, which is at most
    /// 30 and whose parity is that of the corners. Modulo 3 there is no more information.
    #[inline]
    #[doc(hidden)]
    pub fn stored_distance(&self, value: u8, odd: bool) -> StoredDistance {
        match (self.layout.packing, self.metric) {
            (Packing::Mod3 | Packing::Quarters, _) => StoredDistance::Modulo3(value),
            (Packing::Nibbles, Metric::Htm) => match value {
                0 => StoredDistance::Either(0, 1),
                15 => StoredDistance::AtLeast(16),
                _ => StoredDistance::Exactly(value + 1),
            },
            (Packing::Nibbles, Metric::Qtm) => StoredDistance::Exactly(2 * value + u8::from(odd)),
        }
    }
}

/// The meaning of a stored value for a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredDistance {
    /// All.
    Exactly(u8),
    /// The first if the position is solved, otherwise the second.
    Either(u8, u8),
    /// That it is not less.
    AtLeast(u8),
    /// Its remainder.
    Modulo3(u8),
}

impl Definition for PhaseTwoTable {
    fn kind(&'static self) -> Kind {
        Kind::PhaseTwo(self)
    }

    fn facts(&self) -> &TableFacts {
        &self.facts
    }

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn row_name(&self, row: u32) -> String {
        match (self.layout.packing, CornerClasses::get().classes().get(row as usize)) {
            (Packing::Nibbles, Some(class)) => class.representative.map(|corner| corner.to_string()).concat(),
            _ => "all".to_owned(),
        }
    }

    fn values_by_level(&self, row: u32) -> Option<Vec<Option<u8>>> {
        let odd = self.row_is_odd(row);
        let value = |level: u8| match (self.layout.packing, self.metric) {
            (Packing::Mod3 | Packing::Quarters, _) => Some(level % 3),
            (Packing::Nibbles, Metric::Qtm) if (level % 2 == 1) != odd => None,
            (Packing::Nibbles, metric) => Some(stored(metric, level)),
        };
        Some((0..=self.farthest()).map(value).collect())
    }

    fn row_positions(&self, row: u32) -> u64 {
        let of_class = |class: &CornerClass| class.size() * self.blocks() as u64 * PERMUTATIONS as u64;
        let classes = CornerClasses::get().classes();
        match self.layout.packing {
            Packing::Nibbles => classes.get(row as usize).map_or(0, of_class),
            Packing::Mod3 | Packing::Quarters => classes.iter().map(of_class).sum(),
        }
    }

    fn working_set(&self) -> u64 {
        let packed = if self.layout.packing == Packing::Mod3 { self.layout.row_bytes() as u64 } else { 0 };
        levelset::working_set(self.total_blocks(), self.most_cost()) + packed
    }

    fn least_memory(&self) -> u64 {
        levelset::least_memory(self.total_blocks(), self.most_cost())
    }

    fn deepest(&self) -> Option<u8> {
        // One less than the least distance that the nibble 15 stands for.
        let beyond = (0..=self.farthest()).find(|&distance| stored(self.metric, distance) == UNSET);
        beyond.filter(|_| self.layout.packing == Packing::Nibbles).map(|distance| distance - 1)
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        self.search(build_depth, options, ctx)
    }
}

/// The nibble of a distance: what [`PhaseTwoTable::stored_distance`] reads.
fn stored(metric: Metric, distance: u8) -> u8 {
    match metric {
        Metric::Htm => distance.saturating_sub(1).min(15),
        // No distance is above 30.
        Metric::Qtm => distance / 2,
    }
}

/// A move of H.
#[derive(Debug, Clone, Copy)]
pub struct HMove {
    /// The move.
    pub turn: Move,
    /// What it does.
    pub effect: PhaseTwoPosition,
}

/// The moves of H from which all others are made: in the half-turn metric all ten, in the quarter-turn metric all but
/// U2 and D2, the half turns of the sides counting two.
pub fn h_moves(metric: Metric) -> impl Iterator<Item = &'static HMove> + Clone {
    static MOVES: LazyLock<Vec<HMove>> = LazyLock::new(|| {
        Move::all().filter_map(|turn| Some(HMove { turn, effect: PhaseTwoPosition::of(&turn.cube())? })).collect()
    });
    let made_of_others = |turn: Move| matches!(turn.face(), Face::U | Face::D) && turn.quarters() == 2;
    MOVES.iter().filter(move |turn| metric == Metric::Htm || !made_of_others(turn.turn))
}
