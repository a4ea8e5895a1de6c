//! Tables of the distance to H, in both metrics.

use super::Distribution;
use super::phase_one::{PhaseOneTable, layout, packed_layout};
use crate::puzzle::cube3::Metric;
use crate::store::TableLayout;

const HALF_TURNS: Distribution = Distribution {
    positions: &[
        1,
        4,
        50,
        592,
        7_156,
        87_236,
        1_043_817,
        12_070_278,
        124_946_368,
        821_605_960,
        1_199_128_738,
        58_202_444,
        476,
    ],
    source: "Herbert Kociemba, Tomas Rokicki",
};

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
    summary: "the same in quarter turns",
    expected: Distribution {
        positions: &[
            1,
            4,
            34,
            312,
            2_772,
            24_996,
            225_949,
            2_017_078,
            17_554_890,
            139_132_730,
            758_147_361,
            1_182_378_518,
            117_594_403,
            14_072,
        ],
        source: "Michael Reid, Cube-Lovers, 1995",
    },
};

/// Distances to H modulo 3, as Kociemba packs them.
pub static KOCIEMBA: PhaseOneTable = PhaseOneTable {
    layout: TableLayout { name: "phase1-kociemba", id: 12, ..packed_layout() },
    metric: Metric::Htm,
    summary: "phase1 modulo 3, five entries a byte",
    expected: HALF_TURNS,
};
