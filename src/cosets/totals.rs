//! Sums over what has been solved, weighted for the whole cube.

use serde::Serialize;

use super::report::PUZZLE;
use super::{CosetRecord, CosetResults};
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::Cover;
use twistbase_solve::CosetOptions;

/// Sums over the results, as JSON: `schema/json/coset-total.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CosetTotals {
    /// "cube3".
    pub puzzle: &'static str,
    /// The identity of the cover.
    pub cover: &'static str,
    /// Cosets of the cover.
    pub cosets_of_cover: u32,
    /// Results.
    pub solved: u64,
    /// Results about cosets of the cover.
    pub solved_of_cover: u64,
    /// Of these, the ones that reach every position.
    pub complete_of_cover: u64,
    /// The greatest number of moves that a position of a complete coset was found to need, as a bound.
    pub farthest: Option<u8>,
    /// Time that all results took.
    pub seconds: f64,
    /// The depths, from 0 to the greatest to which a coset of the cover is exact.
    pub levels: Vec<CosetLevelTotal>,
}

/// The sum over a depth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CosetLevelTotal {
    /// The number of moves.
    pub depth: u8,
    /// Cosets of the cover that are exact to this depth and weighted.
    pub cosets: u64,
    /// Positions of the whole cube at this distance, counted by these cosets.
    pub positions: u128,
    /// Whether these are all there are: all cosets of the cover have been counted.
    pub complete: bool,
}

impl CosetResults {
    /// Adds up all results.
    ///
    /// # Errors
    /// Those of reading them.
    pub fn totals(&self) -> Result<CosetTotals> {
        let mut sums = TotalsSoFar::default();
        for record in self.iter() {
            sums.add(&record?);
        }
        Ok(sums.totals())
    }
}

/// The sums over results.
#[derive(Debug, Default)]
struct TotalsSoFar {
    solved: u64,
    of_cover: u64,
    complete: u64,
    farthest: Option<u8>,
    /// The greatest depth to which a coset of the cover is exact.
    deepest: Option<u8>,
    seconds: f64,
    /// Per depth: cosets of the cover that are exact and weighted, and their positions.
    levels: [(u64, u128); CosetOptions::DEEPEST as usize + 1],
}

impl TotalsSoFar {
    fn add(&mut self, record: &CosetRecord) {
        self.solved += 1;
        self.seconds += record.seconds;
        if record.number().is_none() {
            return;
        }
        self.of_cover += 1;
        if record.is_complete() {
            self.complete += 1;
            self.farthest = self.farthest.max(record.levels.last().map(|last| last.depth));
        }
        self.deepest = self.deepest.max(record.exact_to);
        for (depth, (cosets, positions)) in (0..).zip(&mut self.levels) {
            if let Some(count) = weighted(record, depth) {
                *cosets += 1;
                *positions += u128::from(count);
            }
        }
    }

    fn totals(self) -> CosetTotals {
        let cosets_of_cover = Cover::get().count();
        let sum = |(depth, (cosets, positions))| CosetLevelTotal {
            depth,
            cosets,
            positions,
            complete: cosets == u64::from(cosets_of_cover),
        };
        let levels = self.deepest.map_or(0, |deepest| usize::from(deepest) + 1);
        CosetTotals {
            puzzle: PUZZLE,
            cover: Cover::identity(),
            cosets_of_cover,
            solved: self.solved,
            solved_of_cover: self.of_cover,
            complete_of_cover: self.complete,
            farthest: self.farthest,
            seconds: self.seconds,
            levels: (0..).zip(self.levels).take(levels).map(sum).collect(),
        }
    }
}

/// The weighted count of a result at a depth, if it is exact.
fn weighted(record: &CosetRecord, depth: u8) -> Option<u64> {
    if !record.has_own_weights() {
        return None;
    }
    match record.levels.iter().find(|level| level.depth == depth) {
        Some(level) => level.weighted.filter(|_| level.exact),
        // Before the first level, and after the last of a coset that is counted to its end, there are no positions.
        None => {
            let is_before = record.exact_to.is_some_and(|exact| depth <= exact);
            let is_after = record.is_complete() && record.levels.iter().all(|level| level.exact);
            (is_before || is_after).then_some(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    #[test]
    fn exact_levels_of_the_cover_are_added_up() {
        let coset = |number| Cover::get().coset(number).unwrap().number();
        let mut sums = TotalsSoFar::default();
        // Exact to 5 and to 4; the third is about no coset.
        let records = [record(coset(7), &[2, 18, 118], 2), record(coset(8), &[3, 5], 1), record(u32::MAX, &[1], 1)];
        records.iter().for_each(|record| sums.add(record));
        let totals = sums.totals();
        assert_eq!((totals.solved, totals.solved_of_cover, totals.complete_of_cover), (3, 2, 0));
        let levels: Vec<_> = totals.levels.iter().map(|level| (level.depth, level.cosets, level.positions)).collect();
        assert_eq!(levels[3..], [(3, 2, 0), (4, 2, 240), (5, 1, 864)]);
    }
}
