//! Next moves, grouped by the distance that they lead to.

use std::cmp::Ordering;

use twistbase_database::FromSolved;

use crate::format;

/// A number of moves that next moves are grouped by: exact, or one that it is at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    moves: u8,
    is_bound: bool,
}

impl Group {
    /// An exact number.
    pub const fn number(moves: u8) -> Self {
        Self { moves, is_bound: false }
    }

    /// An exact number, or more than a depth.
    pub fn number_or_more(moves: Option<u8>, beyond: Option<u8>) -> Option<Self> {
        let more = beyond.map(|depth| Self { moves: depth + 1, is_bound: true });
        moves.map(Self::number).or(more)
    }

    /// A distance from solved, or a bound of it.
    pub fn of(FromSolved { distance, at_least }: FromSolved) -> Self {
        Self { moves: at_least, is_bound: distance.is_none() }
    }

    /// Whether it is no bound.
    pub const fn is_exact(self) -> bool {
        !self.is_bound
    }

    /// How it compares with the number before the move; nothing, where bounds leave that open.
    fn compared(self, before: Self) -> &'static str {
        match (self.moves.cmp(&before.moves), before.is_bound, self.is_bound) {
            (_, true, _) | (Ordering::Less, _, true) => "",
            (Ordering::Equal, _, true) => "no nearer",
            (Ordering::Less, ..) => "nearer",
            (Ordering::Equal, ..) => "as far",
            (Ordering::Greater, ..) => "farther",
        }
    }
}

/// A title and, under it, the moves of each group, in lines of at most `width`; nothing without moves. `before` is the number of the
/// position itself, where it can be compared.
pub fn next_moves(title: &str, before: Option<Group>, moves: Vec<(Group, String)>, width: usize) -> Vec<String> {
    let mut groups: Vec<Group> = moves.iter().map(|&(group, _)| group).collect();
    groups.sort_unstable();
    groups.dedup();
    if groups.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), title.to_owned()];
    for group in groups {
        let same: Vec<String> =
            moves.iter().filter(|(of, _)| *of == group).map(|(_, written)| written.clone()).collect();
        let shown = format!("{}{}", if group.is_bound { ">=" } else { "" }, group.moves);
        let word = before.map_or("", |before| group.compared(before));
        let label = format!(" {shown:>4} {word:<9} {:>3} ", format!("{}:", same.len()));
        lines.extend(format::wrapped(&label, &same, width));
    }
    lines
}
