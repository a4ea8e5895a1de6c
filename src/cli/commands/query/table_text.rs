//! Answers about puzzles with one complete table for each metric, for people: the 2×2×2 cube, and puzzles that are data.

use twistbase_database::{Cube2Answer, DefinedAnswer};
use twistbase_puzzle::cube2::notation;
use twistbase_query::Distance;
use twistbase_tables::{Definition, TableMetric};

use super::next_moves::{Group, next_moves};
use crate::format::{self, grouped};

/// The answer about one position of the 2×2×2 cube, without the end of the last line.
pub fn of_cube2(answer: &Cube2Answer) -> String {
    let position = format!("cube2 position {}", notation::print(&answer.position));
    let moves = answer.moves.iter().flatten().map(|&(turn, after)| (turn.to_string(), after)).collect();
    let of_distance = (TableMetric::FaceTurns(answer.metric), answer.distance);
    text(position, of_distance, answer.solution.as_deref(), answer.solutions, answer.index, moves)
}

/// The answer about one position of a puzzle that is data, without the end of the last line.
pub fn of_defined(answer: &DefinedAnswer) -> String {
    let table = answer.table;
    let position = format!("{} position {}", table.puzzle(), table.space().kpattern(answer.position));
    let moves = answer.next_moves().into_iter().flatten().map(|(name, after)| (name.to_owned(), after)).collect();
    let of_distance = (table.metric(), answer.distance);
    text(position, of_distance, answer.solution.as_deref(), answer.solutions, answer.index(), moves)
}

fn text(
    position: String,
    (metric, distance): (TableMetric, u8),
    solution: Option<&str>,
    solutions: Option<u64>,
    index: u64,
    moves: Vec<(String, Distance)>,
) -> String {
    let mut lines = vec![position, format!("  distance   {}", metric.count(distance.into()))];
    let solution = solution.filter(|solution| !solution.is_empty());
    lines.extend(solution.map(|moves| format!("  solution   {moves}")));
    lines.extend(solutions.map(|number| format!("  solutions  {} shortest", grouped(number))));
    lines.push(format!("  index      {index}"));
    let moves = moves.into_iter().map(|(name, after)| (Group::number(after.moves()), name)).collect();
    let before = Some(Group::number(distance));
    lines.extend(next_moves("next moves, by the distance they lead to", before, moves, format::width()));
    lines.join("\n")
}
