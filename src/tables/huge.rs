//! Kociemba's huge table.

use super::Distribution;
use super::phase_one::{HUGE_ROW_BYTES, HugeTable};
use crate::math::trits;
use crate::puzzle::cube3::coordinate::{CORNER_ORIENTATIONS, EDGE_ORIENTATIONS};
use crate::store::{CacheUnit, Packing, TableLayout};

const PAGES: usize = 14;

/// 788 classes of UDSliceSorted × 2187 corner orientations × 2048 edge orientations.
pub static TABLE: HugeTable = HugeTable {
    layout: TableLayout {
        name: "huge",
        id: 30,
        rows: 788,
        pages: PAGES as u32,
        packing: Packing::Mod3,
        page_entries: (HUGE_ROW_BYTES / PAGES * trits::PER_BYTE) as u32,
        padding: (HUGE_ROW_BYTES * trits::PER_BYTE - CORNER_ORIENTATIONS * EDGE_ORIENTATIONS) as u32,
        unit: CacheUnit::Table,
        spec_version: 1,
        generator_version: 1,
    },
    summary: "orientations and middle edges, modulo 3",
    expected: Distribution {
        positions: &[
            1,
            12,
            138,
            1_688,
            20_929,
            262_200,
            3_265_169,
            39_854_632,
            465_657_683,
            4_716_114_612,
            26_231_976_362,
            21_580_883_866,
            172_197_548,
            40,
        ],
        source: "twistbase, 2026",
    },
};

const _: () = assert!(HUGE_ROW_BYTES.is_multiple_of(PAGES));
