//! What is known of the pruning tables of [`NxTable`](super::NxTable).

use twistbase_puzzle::cube3::Metric;

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
