//! Answers from one complete table, for people: the 2×2×2 cube, puzzles that are data, and goals.

use twistbase_database::TableAnswer;

use super::next_moves::{Group, next_moves};
use crate::format::{self, grouped};

/// The answer about one position, without the end of the last line.
pub fn answers(answer: &TableAnswer) -> String {
    let mut lines = vec![format!("{} position {}", answer.position.puzzle(), answer.position)];
    lines.extend(answer.goal.as_ref().map(|goal| format!("  goal       {goal}")));
    lines.push(format!("  distance   {}", answer.metric.count(answer.distance.into())));
    let solution = answer.solution.as_deref().filter(|solution| !solution.is_empty());
    lines.extend(solution.map(|moves| format!("  solution   {moves}")));
    lines.extend(answer.solutions.map(|number| format!("  solutions  {} shortest", grouped(number))));
    lines.extend(answer.index.map(|index| format!("  index      {index}")));
    let moves = answer.moves.iter().flatten().map(|(name, after)| (Group::number(after.moves()), name.clone()));
    let before = Some(Group::number(answer.distance));
    lines.extend(next_moves("next moves, by the distance they lead to", before, moves.collect(), format::width()));
    lines.join("\n")
}
