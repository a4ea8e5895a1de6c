//! Cube21: big pieces all different, small pieces of four kinds, two of each.

use super::Distribution;
use super::twists::{TwistTable, layout};
use crate::puzzle::square1::Colouring;
use crate::store::TableLayout;

/// The complete level database of Cube21: 90 shapes × 315 classes of small pieces × 8! orders of big ones.
pub static TABLE: TwistTable = TwistTable {
    layout: TableLayout { name: "cube21", id: 1, ..layout(315) },
    colouring: Colouring::Cube21,
    summary: "Cube21 (two-coloured Square-1), every position",
    first_level: 1,
    expected: Distribution {
        positions: &[
            1,
            32,
            536,
            7_652,
            102_204,
            1_296_753,
            15_250_126,
            153_335_000,
            1_138_303_312,
            4_067_633_460,
            1_434_709_972,
            164_952,
        ],
        source: "Pavel Savara, Cube21, 2007 (levels 1 to 12)",
    },
    with_middle: Some(Distribution {
        positions: &[
            1,
            32,
            568,
            8_189,
            109_856,
            1_398_957,
            16_546_879,
            168_585_126,
            1_291_638_312,
            5_205_936_772,
            5_502_343_432,
            1_434_874_924,
            164_952,
        ],
        source: "twistbase's design prototype",
    }),
    not_identified: None,
};
