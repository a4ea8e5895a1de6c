//! What is known about a coset, for people and as JSON.

use serde::Serialize;
use twistbase::cosets::CosetRecord;
use twistbase::puzzle::cube3::Cover;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::solve::CosetLevel;

use crate::cli::format::{self, grouped};
use crate::cli::positions::cube3::NAME;

/// A result, as JSON: `schema/json/coset.json`.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    puzzle: &'static str,
    /// The sequence or position that was given.
    input: Option<&'a str>,
    number: Option<u32>,
    /// Whether it was found in the store, and not solved now.
    stored: bool,
    complete: bool,
    #[serde(flatten)]
    record: &'a CosetRecord,
}

impl<'a> Report<'a> {
    pub fn new(input: Option<&'a str>, stored: bool, record: &'a CosetRecord) -> Self {
        Self { puzzle: NAME, input, number: number(record), stored, complete: record.is_complete(), record }
    }
}

/// The number of a result's coset in the cover.
pub fn number(record: &CosetRecord) -> Option<u32> {
    Cover::get().number(CosetOfH::from_number(record.coset)?)
}

/// The head of the lines of levels.
pub const HEAD: &str = "depth       positions           total       sequences  prepass   search";

/// A level as a line.
pub fn line(level: &CosetLevel) -> String {
    let count = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), grouped);
    let time = |seconds: f64| if seconds > 0.0 { format::seconds(seconds) } else { "-".to_owned() };
    let sequences = if level.searched { grouped(level.sequences) } else { "-".to_owned() };
    let kind = match (level.exact, level.ended_early) {
        (true, _) => "",
        (false, true) => "  bound, ended early",
        (false, false) => "  bound",
    };
    let weighted = level.weighted.map_or_else(String::new, |weighted| format!("  weighted {}", grouped(weighted)));
    let (positions, total) = (count(level.positions), count(level.total));
    let (prepass, search) = (time(level.prepass_seconds), time(level.search_seconds));
    format!("{:>5} {positions:>15} {total:>15} {sequences:>15} {prepass:>8} {search:>8}{kind}{weighted}", level.depth)
}

/// A result in a sentence.
pub fn summary(record: &CosetRecord) -> String {
    let name = match number(record) {
        Some(number) => format!("coset {} ({number} of the cover)", record.coset),
        None => format!("coset {}", record.coset),
    };
    let exact = record.exact_to.map_or_else(|| "no exact count".to_owned(), |depth| format!("exact to depth {depth}"));
    let rest = match (record.remaining, record.levels.last()) {
        (0, Some(last)) => format!("every position within {} moves", last.depth),
        (left, _) => format!("{} positions not reached within {} moves", grouped(left), record.depth),
    };
    format!("{name}: {exact}; {rest}; {}", format::seconds(record.seconds))
}
