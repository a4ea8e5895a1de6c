//! The tables of phase 1: distances to H in both metrics.

mod generate;

use super::definition::first_layout;
use super::slice_cosets::slice_coset_shape;
use super::{BuildDepth, CosetTable, Definition, Distribution, Generated, Goal, Kind, TableFacts, TableMetric};
use crate::published::published;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::trits;
use twistbase_levelset::{Options, OrientationSet12};
use twistbase_puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, FlipSliceClass, FlipSliceClasses, PhaseOnePlace, SliceKind, set_corner_orientation,
};
use twistbase_puzzle::cube3::{Cube, Metric};
use twistbase_store::{CacheUnit, Packing, TableLayout};

/// Classes of FlipUDSlice in a row of the table in nibbles: 64,430 = 85 × 758.
const ROW_CLASSES: usize = 758;
/// Bit planes that hold distances to H, which are below 15.
const PLANES: usize = 4;

const HALF_TURNS: Distribution = published("phase1");

/// Distances to H.
pub static TABLE: PhaseOneTable =
    in_nibbles(("phase1", 10), Metric::Htm, "every coset of H: moves to reach H", HALF_TURNS);

/// The same in the quarter-turn metric.
pub static QTM: PhaseOneTable =
    in_nibbles(("phase1-qtm", 11), Metric::Qtm, "the same table, in quarter turns", published("phase1-qtm"));

/// Distances to H modulo 3, as Kociemba packs them, in one row.
pub static KOCIEMBA: PhaseOneTable = PhaseOneTable {
    layout: first_layout(
        ("phase1-kociemba", 12),
        [1, PACKED_PAGES, FlipSliceClasses::COUNT / PACKED_PAGES * CORNER_ORIENTATIONS],
        Packing::Mod3,
        CacheUnit::Table,
    ),
    metric: Metric::Htm,
    facts: facts("row", Metric::Htm, "phase1 modulo 3, five entries a byte", HALF_TURNS, 1),
};

/// Pages of the table modulo 3.
const PACKED_PAGES: usize = 758;

/// A table of distances to H.
#[derive(Debug)]
pub struct PhaseOneTable {
    layout: TableLayout,
    metric: Metric,
    facts: TableFacts,
}

/// A table in nibbles. A page is the corner orientations of two classes, a whole number of bytes.
const fn in_nibbles(
    name: (&'static str, u16),
    metric: Metric,
    summary: &'static str,
    expected: Distribution,
) -> PhaseOneTable {
    let size = [FlipSliceClasses::COUNT / ROW_CLASSES, ROW_CLASSES / 2, 2 * CORNER_ORIENTATIONS];
    PhaseOneTable {
        layout: first_layout(name, size, Packing::Nibbles, CacheUnit::Table),
        metric,
        facts: facts("class range", metric, summary, expected, 2),
    }
}

/// The strength is between the smallest table of Rokicki's family and `huge`. Modulo 3, inverses cannot be looked up.
const fn facts(
    row_noun: &'static str,
    metric: Metric,
    summary: &'static str,
    expected: Distribution,
    strength: u8,
) -> TableFacts {
    let facts = TableFacts::new(["cube3", row_noun], TableMetric::FaceTurns(metric), Goal::H, summary, Some(expected));
    TableFacts { strength: Some(strength), ..facts }
}

const _: () = assert!(FlipSliceClasses::COUNT.is_multiple_of(ROW_CLASSES) && ROW_CLASSES.is_multiple_of(2));
const _: () = assert!((FlipSliceClasses::COUNT / PACKED_PAGES * CORNER_ORIENTATIONS).is_multiple_of(trits::PER_BYTE));

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

    fn row_classes(&self) -> usize {
        match self.layout.packing {
            Packing::Nibbles => ROW_CLASSES,
            Packing::Mod3 | Packing::Quarters => FlipSliceClasses::COUNT,
        }
    }
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

impl Definition for PhaseOneTable {
    fn kind(&'static self) -> Kind {
        Kind::PhaseOne(self)
    }

    fn facts(&self) -> &TableFacts {
        &self.facts
    }

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn row_name(&self, row: u32) -> String {
        let first = row as usize * self.row_classes();
        format!("{first}..{}", first + self.classes_of(row).len())
    }

    fn row_positions(&self, row: u32) -> u64 {
        self.classes_of(row).iter().map(|class| class.size() * CORNER_ORIENTATIONS as u64).sum()
    }

    fn working_set(&self) -> u64 {
        slice_coset_shape(SliceKind::Places, self.metric).working_set::<OrientationSet12, PLANES>()
            + self.layout.row_bytes() as u64
    }

    fn deepest(&self) -> Option<u8> {
        // Every distance is below 15, which says "farther".
        let levels = self.facts.expected.filter(|_| self.layout.packing == Packing::Nibbles)?.positions.len();
        Some(levels as u8 - 2)
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
