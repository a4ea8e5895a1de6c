//! Tables of positions in H: bounds without the middle edges, exact distances with them, in both metrics.

use super::Distribution;
use super::phase_two::{MIDDLES, PhaseTwoTable, layout};
use crate::math::trits;
use crate::puzzle::cube3::Metric;
use crate::puzzle::cube3::coordinate::CornerClasses;
use crate::store::{Packing, TableLayout};

const H_PRIME: Distribution = Distribution {
    positions: &[
        1,
        10,
        67,
        420,
        2_335,
        12_260,
        61_038,
        291_004,
        1_327_429,
        5_821_374,
        24_141_784,
        89_480_354,
        262_907_144,
        485_409_604,
        508_704_668,
        232_904_952,
        14_508_468,
        129_376,
        112,
    ],
    source: "Tomas Rokicki, phase2prune",
};

/// Distances in H', in nibbles as Rokicki's.
pub static TABLE: PhaseTwoTable = PhaseTwoTable {
    layout: TableLayout { name: "phase2", id: 20, ..layout(1) },
    metric: Metric::Htm,
    exact: false,
    summary: "positions in H without the middle edges: a bound for phase 2",
    expected: H_PRIME,
};

/// The same in the quarter-turn metric.
pub static QTM: PhaseTwoTable = PhaseTwoTable {
    layout: TableLayout { name: "phase2-qtm", id: 21, ..layout(1) },
    metric: Metric::Qtm,
    exact: false,
    summary: "the same in quarter turns",
    expected: Distribution {
        positions: &[
            1,
            8,
            22,
            54,
            185,
            464,
            1_160,
            3_447,
            8_372,
            21_386,
            57_618,
            135_920,
            351_710,
            847_762,
            2_079_954,
            4_937_599,
            11_748_558,
            26_634_580,
            58_461_252,
            119_265_364,
            213_443_520,
            321_079_536,
            367_470_848,
            302_010_080,
            159_280_800,
            35_224_732,
            2_579_168,
            57_136,
            1_160,
            4,
        ],
        source: "twistbase, 2026; nobody published it",
    },
};

/// Distances in H' modulo 3, as Kociemba packs and orders them.
pub static KOCIEMBA: PhaseTwoTable = PhaseTwoTable {
    layout: TableLayout {
        name: "phase2-kociemba",
        id: 22,
        rows: 1,
        pages: CornerClasses::COUNT as u32,
        packing: Packing::Mod3,
        page_entries: 40_320,
        ..layout(1)
    },
    metric: Metric::Htm,
    exact: false,
    summary: "phase2 modulo 3, five entries a byte",
    expected: H_PRIME,
};

const _: () = assert!(40_320 % trits::PER_BYTE == 0);

/// Distances in H.
pub static EXACT: PhaseTwoTable = PhaseTwoTable {
    layout: TableLayout { name: "phase2-exact", id: 23, ..layout(MIDDLES) },
    metric: Metric::Htm,
    exact: true,
    summary: "every position in H, exact distance in moves of H",
    expected: Distribution {
        positions: &[
            1,
            10,
            67,
            456,
            3_079,
            19_948,
            123_074,
            736_850,
            4_185_118,
            22_630_733,
            116_767_872,
            552_538_680,
            2_176_344_160,
            5_627_785_188,
            7_172_925_794,
            3_608_731_814,
            224_058_996,
            1_575_608,
            1_352,
        ],
        source: "Tomas Rokicki, phase2prune",
    },
};

/// The same in the quarter-turn metric.
pub static EXACT_QTM: PhaseTwoTable = PhaseTwoTable {
    layout: TableLayout { name: "phase2-exact-qtm", id: 24, ..layout(MIDDLES) },
    metric: Metric::Qtm,
    exact: true,
    summary: "the same in quarter turns",
    expected: Distribution {
        positions: &[
            1,
            8,
            22,
            54,
            209,
            688,
            2_040,
            6_579,
            20_296,
            59_486,
            178_912,
            514_870,
            1_408_602,
            3_949_928,
            10_639_738,
            27_880_303,
            74_183_996,
            185_279_328,
            453_036_048,
            1_044_761_216,
            2_111_928_532,
            3_639_550_480,
            4_746_985_140,
            4_186_967_764,
            2_403_048_516,
            575_368_226,
            40_940_438,
            1_702_380,
            14_840,
            160,
        ],
        source: "twistbase, 2026; nobody published it",
    },
};
