//! What is known of the pruning tables of [`super::nx`].

use super::Distribution;
use crate::puzzle::cube3::Metric;

/// The distribution of a table, the last number being of all distances from three above its base on. The tables that are
/// not here have been built by nobody.
pub(super) const fn known(number: usize, metric: Metric) -> Option<Distribution> {
    let positions: &[u64] = match (number, metric) {
        (0, Metric::Htm) => {
            &[1, 12, 133, 1_594, 19_138, 232_204, 2_720_096, 29_418_548, 240_591_144, 733_843_578, 205_646_352]
        }
        (0, Metric::Qtm) => &[
            1,
            8,
            76,
            672,
            6_045,
            53_768,
            468_860,
            3_973_222,
            31_450_014,
            199_885_766,
            630_092_940,
            341_921_072,
            4_620_356,
        ],
        (4, Metric::Htm) => &[
            1,
            12,
            133,
            1_602,
            19_422,
            242_236,
            3_020_094,
            36_947_476,
            426_319_150,
            3_830_907_638,
            12_355_080_048,
            2_747_026_988,
        ],
        (4, Metric::Qtm) => &[
            1,
            8,
            76,
            680,
            6_165,
            56_800,
            522_274,
            4_766_232,
            42_880_880,
            369_252_072,
            2_683_146_228,
            10_095_129_356,
            6_132_942_298,
            70_861_730,
        ],
        (1, Metric::Htm) => &[
            1,
            12,
            162,
            2_044,
            25_442,
            316_290,
            3_899_553,
            46_650_252,
            517_476_714,
            4_480_840_746,
            16_776_040_760,
            7_259_620_140,
            14_475_084,
        ],
        (1, Metric::Qtm) => &[
            1,
            8,
            76,
            696,
            6_418,
            57_912,
            514_318,
            4_496_206,
            38_304_572,
            308_312_232,
            2_142_297_548,
            9_789_496_784,
            14_800_845_359,
            2_015_015_070,
        ],
        (5, Metric::Htm) => &[
            1,
            12,
            162,
            2_052,
            25_686,
            325_870,
            4_167_322,
            53_137_394,
            670_461_923,
            8_122_624_881,
            80_531_180_155,
            303_597_242_330,
            72_610_387_412,
        ],
        (8, Metric::Htm) => &[
            1,
            12,
            133,
            1_602,
            19_518,
            244_892,
            3_080_590,
            38_441_460,
            470_328_584,
            5_368_215_656,
            44_357_827_016,
            96_779_083_572,
            8_179_275_364,
        ],
        _ => &[],
    };
    if positions.is_empty() { None } else { Some(Distribution { positions, source: "twistbase, 2026" }) }
}

/// The mean value of a look-up, from Rokicki's list (`nxopt.md`), which lacks the two largest tables.
pub(super) const fn known_average(number: usize, metric: Metric) -> Option<f64> {
    const AVERAGES: [[f64; 2]; 12] = [
        [8.90627, 9.88396],
        [9.92374, 11.492],
        [10.2745, 11.7077],
        [11.4555, 13.0704],
        [9.88681, 11.0091],
        [10.9391, 12.4016],
        [11.3619, 12.8229],
        [0.0, 0.0],
        [10.6748, 11.8365],
        [11.79, 13.3901],
        [12.1112, 13.8659],
        [0.0, 0.0],
    ];
    let average = AVERAGES[number][metric as usize];
    if average > 0.0 { Some(average) } else { None }
}
