//! `coset total`: sums over what has been solved.

use serde::Serialize;
use twistbase::cosets::{CosetRecord, CosetResults};
use twistbase::puzzle::cube3::Cover;
use twistbase::solve::CosetOptions;

use super::report::number;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, Align, grouped};
use crate::cli::positions::cube3::NAME;

/// The sum over a depth.
#[derive(Debug, Serialize)]
struct Sum {
    depth: u8,
    /// Cosets of the cover that are exact to this depth and weighted.
    cosets: u64,
    /// Positions of the whole cube at this distance that they count.
    #[serde(serialize_with = "whole")]
    positions: u128,
    /// Whether these are all there are: all cosets of the cover have been counted.
    complete: bool,
}

/// Sums of 2^64 and more are written out, too.
fn whole<S: serde::Serializer>(sum: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u128(*sum)
}

#[derive(Debug, Serialize)]
struct Report {
    puzzle: &'static str,
    cover: &'static str,
    cosets_of_cover: u32,
    /// Results in the store, those about cosets of the cover, and of these the ones that reach every position.
    solved: u64,
    solved_of_cover: u64,
    complete_of_cover: u64,
    /// The greatest number of moves that a position of a complete coset was found to need, as a bound.
    farthest: Option<u8>,
    seconds: f64,
    levels: Vec<Sum>,
}

pub fn run(env: &Environment) -> Result<(), Failure> {
    let mut totals = Totals::default();
    for record in CosetResults::open(env.store()?.dir()).iter() {
        totals.add(&record?);
    }
    let report = totals.report();
    let mut out = env.output();
    if env.json() {
        out.json(&report)?;
        return out.finish();
    }
    use Align::Right;
    let columns = [("depth", Right), ("positions of the cube", Right), ("cosets", Right), ("of the cover, %", Right)];
    let mut table = format::table(&columns);
    for sum in &report.levels {
        let share = format::share(sum.cosets, report.cosets_of_cover.into());
        table.add_row([sum.depth.to_string(), sum.positions.to_string(), grouped(sum.cosets), share]);
    }
    out.line(table.trim_fmt())?;
    let Report { solved, solved_of_cover, complete_of_cover, cosets_of_cover, seconds, .. } = report;
    let time = format::seconds(seconds);
    let [solved, of_cover, complete, all] =
        [solved, solved_of_cover, complete_of_cover, cosets_of_cover.into()].map(grouped);
    out.line(format_args!(
        "{solved} cosets solved in {time}; {of_cover} of the {all} of the cover, {complete} completely"
    ))?;
    out.finish()
}

/// What is added up, result after result.
#[derive(Debug, Default)]
struct Totals {
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

impl Totals {
    fn add(&mut self, record: &CosetRecord) {
        self.solved += 1;
        self.seconds += record.seconds;
        if number(record).is_none() {
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

    fn report(self) -> Report {
        let cosets_of_cover = Cover::get().count();
        let sum = |(depth, (cosets, positions))| Sum {
            depth,
            cosets,
            positions,
            complete: cosets == u64::from(cosets_of_cover),
        };
        let levels = self.deepest.map_or(0, |deepest| usize::from(deepest) + 1);
        Report {
            puzzle: NAME,
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
    if record.cover.as_deref() != Some(Cover::identity()) {
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
