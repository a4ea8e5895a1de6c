//! Answers from one complete table or from a search, for people: the 2×2×2 cube, puzzles that are data, and goals.

use twistbase_database::{FromSolved, TableAnswer, WrittenPosition};

use super::next_moves::{Group, next_moves};
use crate::format::{self, grouped};

/// The answer about one position, without the end of the last line.
pub fn answers(answer: &TableAnswer, is_searched: bool) -> String {
    let puzzle = answer.position.puzzle();
    // A KPattern is long, and hardly read by people: it comes last.
    let (mut lines, pattern) = match answer.position.written() {
        WrittenPosition::KPattern(pattern) => (vec![format!("{puzzle} position {}", answer.input)], Some(pattern)),
        written => (vec![format!("{puzzle} position {written}")], None),
    };
    lines.extend(answer.goal.as_ref().map(|goal| format!("  goal       {goal}")));
    let FromSolved { distance, at_least } = answer.from_solved;
    lines.push(match distance {
        Some(distance) => format!("  distance   {}", answer.metric.count(distance.into())),
        None => {
            let advice = if is_searched { "" } else { "; to search on, add --exact" };
            format!("  distance   at least {}{advice}", answer.metric.count(at_least.into()))
        }
    });
    let solution = answer.solution.as_deref().filter(|solution| !solution.is_empty());
    lines.extend(solution.map(|moves| format!("  solution   {moves}")));
    lines.extend(answer.solutions.map(|number| format!("  solutions  {} shortest", grouped(number))));
    lines.extend(answer.index.map(|index| format!("  index      {index}")));
    let moves = answer.moves.iter().flatten().map(|(name, after)| (Group::of(*after), name.clone()));
    let before = Some(Group::of(answer.from_solved));
    lines.extend(next_moves("next moves, by the distance they lead to", before, moves.collect(), format::width()));
    let pattern = pattern.filter(|_| !answer.input.trim_start().starts_with('{'));
    lines.extend(pattern.map(|pattern| format!("\nas a KPattern\n    {pattern}")));
    lines.join("\n")
}
