//! Square-1: all sixteen pieces different.

use super::Distribution;
use super::twists::{TwistTable, layout};
use crate::puzzle::square1::Colouring;
use crate::store::TableLayout;

/// All of Square-1: 90 shapes × 1260 classes of big pieces × 8! orders of small ones.
pub static TABLE: TwistTable = TwistTable {
    layout: TableLayout { name: "square1", id: 2, ..layout(1260) },
    colouring: Colouring::Square1,
    summary: "Square-1, every position",
    first_level: 0,
    expected: Distribution {
        positions: &[
            1,
            32,
            544,
            7_980,
            109_592,
            1_436_137,
            18_010_478,
            208_005_091,
            2_021_578_661,
            14_813_953_724,
            59_937_201_744,
            31_893_833_640,
            78_726_376,
        ],
        source: "twistbase's design prototype; with the middle layer, Mike Masonjones, 2005",
    },
    with_middle: Some(Distribution {
        positions: &[
            1,
            32,
            576,
            8_525,
            117_572,
            1_545_729,
            19_446_615,
            226_015_569,
            2_229_583_752,
            16_835_532_385,
            74_751_155_468,
            91_831_035_384,
            31_972_560_016,
            78_726_376,
        ],
        source: "twistbase's design prototype; Mike Masonjones, 2005",
    }),
    not_identified: Some(Distribution {
        positions: &[
            1,
            64,
            1_153,
            17_050,
            235_144,
            3_091_458,
            38_893_230,
            452_031_138,
            4_459_167_504,
            33_671_064_770,
            149_502_310_936,
            183_662_070_768,
            63_945_120_032,
            157_452_752,
        ],
        source: "Mike Masonjones, 2005",
    }),
};
