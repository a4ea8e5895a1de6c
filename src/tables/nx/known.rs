//! What is known of the pruning tables of [`NxTable`](super::NxTable).

use crate::Distribution;
use twistbase_puzzle::cube3::Metric;

/// The distribution of a table, the last number being of all distances from three above its base on. The tables that are
/// not here have been built by nobody.
pub(super) const fn known(number: usize, metric: Metric) -> Option<Distribution> {
    Some(match (number, metric) {
        (0, Metric::Htm) => published!("nx-eo1-ep1-htm"),
        (0, Metric::Qtm) => published!("nx-eo1-ep1-qtm"),
        (4, Metric::Htm) => published!("nx-eo2-ep1-htm"),
        (4, Metric::Qtm) => published!("nx-eo2-ep1-qtm"),
        (1, Metric::Htm) => published!("nx-eo1-ep2-htm"),
        (1, Metric::Qtm) => published!("nx-eo1-ep2-qtm"),
        (5, Metric::Htm) => published!("nx-eo2-ep2-htm"),
        (6, Metric::Htm) => published!("nx-eo2-ep3-htm"),
        (8, Metric::Htm) => published!("nx-eo3-ep1-htm"),
        (2, Metric::Htm) => published!("nx-eo1-ep3-htm"),
        (2, Metric::Qtm) => published!("nx-eo1-ep3-qtm"),
        (8, Metric::Qtm) => published!("nx-eo3-ep1-qtm"),
        (5, Metric::Qtm) => published!("nx-eo2-ep2-qtm"),
        _ => return None,
    })
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
