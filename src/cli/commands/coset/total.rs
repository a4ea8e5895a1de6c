//! `coset total`: sums over what has been solved.

use serde::Serialize;
use twistbase::puzzle::cube3::Cover;
use twistbase::store::CosetRecord;

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
    let records = env.store()?.cosets().all()?;
    let report = report(&records);
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

fn report(records: &[CosetRecord]) -> Report {
    let of_cover: Vec<&CosetRecord> = records.iter().filter(|record| number(record).is_some()).collect();
    let complete: Vec<&&CosetRecord> = of_cover.iter().filter(|record| record.is_complete()).collect();
    let deepest = of_cover.iter().filter_map(|record| record.exact_to).max();
    let levels = deepest.map_or_else(Vec::new, |deepest| (0..=deepest).map(|depth| sum(&of_cover, depth)).collect());
    Report {
        puzzle: NAME,
        cover: Cover::identity(),
        cosets_of_cover: Cover::get().count(),
        solved: records.len() as u64,
        solved_of_cover: of_cover.len() as u64,
        complete_of_cover: complete.len() as u64,
        farthest: complete.iter().filter_map(|record| record.levels.last()).map(|last| last.depth).max(),
        seconds: records.iter().map(|record| record.seconds).sum(),
        levels,
    }
}

fn sum(records: &[&CosetRecord], depth: u8) -> Sum {
    let counts: Vec<u64> = records.iter().filter_map(|record| weighted(record, depth)).collect();
    let cosets = counts.len() as u64;
    let positions = counts.into_iter().map(u128::from).sum();
    Sum { depth, cosets, positions, complete: cosets == u64::from(Cover::get().count()) }
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
