//! What is known about a position of the 2×2×2 cube, for people.

use std::cmp::Ordering;

use twistbase_database::Cube2Answer;
use twistbase_puzzle::cube2::notation;
use twistbase_tables::TableMetric;

use crate::format::{self, grouped};

/// The answers about one position, without the end of the last line.
pub fn answers(answer: &Cube2Answer) -> String {
    let distance = TableMetric::FaceTurns(answer.metric).count(answer.distance.into());
    let mut lines = vec![
        format!("cube2 position {}", notation::print(&answer.position)),
        format!("  index      {}", answer.index),
        format!("  distance   {distance}"),
    ];
    lines.extend(answer.solutions.map(|number| format!("  solutions  {} shortest", grouped(number))));
    lines.extend(next_moves(answer, format::width()));
    lines.join("\n")
}

/// The next moves by the distance that they lead to, in lines of at most `width`.
fn next_moves(answer: &Cube2Answer, width: usize) -> Vec<String> {
    let Some(moves) = &answer.moves else { return Vec::new() };
    let mut lines = vec![String::new(), "next move by the distance that it leads to".to_owned()];
    for (order, word) in [(Ordering::Less, "nearer"), (Ordering::Equal, "as far"), (Ordering::Greater, "farther")] {
        let same: Vec<_> = moves.iter().filter(|(_, after)| after.moves().cmp(&answer.distance) == order).collect();
        let Some((_, after)) = same.first() else { continue };
        let label = format!("  {after:>2} {word:<7} {:>3} ", format!("{}:", same.len()));
        let turns: Vec<String> = same.iter().map(|(turn, _)| turn.to_string()).collect();
        lines.extend(format::wrapped(&label, &turns, width));
    }
    lines
}
