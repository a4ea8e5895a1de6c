//! The result of a coset as text.

use twistbase_cosets::CosetRecord;
use twistbase_database::Counted;
use twistbase_solve::CosetLevel;

use crate::format::{self, counted, grouped};

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

fn moves(depth: u8) -> String {
    Counted::Moves.count(depth.into())
}

/// A result in a sentence.
pub fn summary(record: &CosetRecord) -> String {
    let name = match record.number() {
        Some(number) => format!("coset {number} of the cover ({} of all)", record.coset),
        None => format!("coset {}", record.coset),
    };
    let exact = record.exact_to.map_or_else(|| "no exact count".to_owned(), |depth| format!("exact to depth {depth}"));
    let rest = match (record.remaining, record.levels.last()) {
        (0, Some(last)) => format!("every position within {}", moves(last.depth)),
        (left, _) => {
            format!("{} not reached within {}", counted(left, "position"), moves(record.depth))
        }
    };
    format!("{name}: {exact}; {rest}; {}", format::seconds(record.seconds))
}
