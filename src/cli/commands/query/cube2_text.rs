//! Answers about the 2×2×2 cube, for people.

use twistbase_database::Cube2Answer;
use twistbase_puzzle::cube2::notation;
use twistbase_tables::TableMetric;

use super::next_moves::{Group, next_moves};
use crate::format::{self, grouped};

/// The answer about one position, without the end of the last line.
pub fn answers(answer: &Cube2Answer) -> String {
    let distance = TableMetric::FaceTurns(answer.metric).count(answer.distance.into());
    let mut lines =
        vec![format!("cube2 position {}", notation::print(&answer.position)), format!("  distance   {distance}")];
    let solution = answer.solution.as_ref().filter(|solution| !solution.is_empty());
    lines.extend(solution.map(|moves| format!("  solution   {moves}")));
    lines.extend(answer.solutions.map(|number| format!("  solutions  {} shortest", grouped(number))));
    lines.push(format!("  index      {}", answer.index));
    let moves = answer.moves.iter().flatten();
    let moves = moves.map(|(turn, after)| (Group::number(after.moves()), turn.to_string())).collect();
    let before = Some(Group::number(answer.distance));
    lines.extend(next_moves("next moves, by the distance they lead to", before, moves, format::width()));
    lines.join("\n")
}
