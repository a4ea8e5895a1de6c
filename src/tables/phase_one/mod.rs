//! The tables of phase 1: distances to H in both metrics.

mod generate;

use super::slice_cosets::slice_coset_shape;
use super::{BuildDepth, CosetTable, Definition, Distribution, Generated, Goal, Kind, TableMetric};
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

const HALF_TURNS: Distribution = published!("phase1");

/// Distances to H.
pub static TABLE: PhaseOneTable = PhaseOneTable {
    layout: TableLayout { name: "phase1", id: 10, ..layout() },
    metric: Metric::Htm,
    summary: "every coset of H: moves to reach H",
    expected: HALF_TURNS,
};

/// The same in the quarter-turn metric.
pub static QTM: PhaseOneTable = PhaseOneTable {
    layout: TableLayout { name: "phase1-qtm", id: 11, ..layout() },
    metric: Metric::Qtm,
    summary: "the same table, in quarter turns",
    expected: published!("phase1-qtm"),
};

/// Distances to H modulo 3, as Kociemba packs them.
pub static KOCIEMBA: PhaseOneTable = PhaseOneTable {
    layout: TableLayout { name: "phase1-kociemba", id: 12, ..packed_layout() },
    metric: Metric::Htm,
    summary: "phase1 modulo 3, five entries a byte",
    expected: HALF_TURNS,
};

/// A table of distances to H.
#[derive(Debug)]
pub struct PhaseOneTable {
    layout: TableLayout,
    metric: Metric,
    summary: &'static str,
    expected: Distribution,
}

/// The layout in nibbles; name and id to be filled in. A page is the corner orientations of two classes, a whole number
/// of bytes.
const fn layout() -> TableLayout {
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
const fn packed_layout() -> TableLayout {
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
        Goal::H
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
        slice_coset_shape(SliceKind::Places, self.metric).working_set::<OrientationSet12, PLANES>()
            + self.layout.row_bytes() as u64
    }

    fn least_memory(&self) -> u64 {
        self.working_set()
    }

    fn strength(&self) -> Option<u8> {
        // Between the smallest table of Rokicki's family and `huge`. Modulo 3, inverses cannot be looked up.
        Some(if self.layout.packing == Packing::Nibbles { 2 } else { 1 })
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
        self.search(build_depth, options, ctx)
    }
}
