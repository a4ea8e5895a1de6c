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
            4,
            10,
            36,
            99,
            240,
            728,
            1_840,
            4_607,
            12_984,
            30_244,
            81_128,
            194_910,
            493_188,
            1_174_120,
            2_900_940,
            6_774_553,
            15_914_860,
            35_634_668,
            75_659_772,
            146_947_444,
            248_940_640,
            334_822_344,
            342_123_656,
            262_836_928,
            124_415_680,
            24_376_220,
            2_305_072,
            54_320,
            1_160,
            4,
        ],
        source: "twistbase, 2026",
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
            4,
            10,
            36,
            123,
            368,
            1_192,
            3_792,
            11_263,
            34_352,
            102_638,
            287_320,
            810_144,
            2_261_028,
            5_941_838,
            16_291_708,
            41_973_415,
            107_458_884,
            269_542_476,
            628_442_876,
            1_367_654_200,
            2_613_422_312,
            3_997_726_648,
            4_444_701_268,
            3_661_653_732,
            1_906_936_668,
            407_132_392,
            34_358_944,
            1_664_168,
            14_840,
            160,
        ],
        source: "twistbase, 2026",
    },
};
