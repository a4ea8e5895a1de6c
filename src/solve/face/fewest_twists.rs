//! The cheapest of the solutions of the fewest twists: an upper bound for few look-ups.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::search::WAYS;
use super::shared::FaceShared;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::{LyingPieces, LyingTwist, Middle};
use twistbase_query::MiddleGoal;
use twistbase_store::Entries;

/// After each twist only this number of positions are stored, those that took the fewest moves: else positions that have very
/// many such solutions would take longer than the search itself.
const KEPT: usize = 1 << 6;

/// A position on the way.
struct FaceStep {
    at: LyingPieces,
    /// Moves that lead to it.
    moves: u8,
    /// The twist to it, and the number of the position before it among those after one twist less.
    twist: LyingTwist,
    before: usize,
}

/// A solution of this number of twists, which are the fewest: the cheapest, if there are not too many. `None` if there is none
/// that ends as the solved position lies, or a budget is spent before there is one.
pub(super) fn cheapest<E: Entries>(
    shared: &FaceShared<'_, E>,
    start: &LyingPieces,
    middle: Middle,
    twists: u8,
) -> Result<Option<Vec<LyingTwist>>> {
    let none = LyingTwist::new(0, false);
    let mut levels = vec![vec![FaceStep { at: *start, moves: 0, twist: none, before: 0 }]];
    let mut middle = middle;
    for left in (0..twists).rev() {
        middle = middle.twisted();
        let mut next = level_after(shared, &levels[levels.len() - 1], levels.len() == 1, middle, left)?;
        // What there is of the last level is solved.
        if left > 0 && shared.meter.is_over() {
            return Ok(None);
        }
        next.sort_by_key(|step| step.moves);
        next.truncate(KEPT);
        levels.push(next);
    }
    let ends = levels[levels.len() - 1].iter().enumerate();
    let solved = ends.filter_map(|(number, step)| Some((step.moves + shared.turns_at_end(&step.at)?, number)));
    let Some((_, mut number)) = solved.min() else { return Ok(None) };
    let mut path = Vec::new();
    for level in levels[1..].iter().rev() {
        path.push(level[number].twist);
        number = level[number].before;
    }
    path.reverse();
    Ok(Some(path))
}

/// The positions that a twist leads to from those of a level and that are `left` twists from solved.
fn level_after<E: Entries>(
    shared: &FaceShared<'_, E>,
    level: &[FaceStep],
    is_first: bool,
    middle: Middle,
    left: u8,
) -> Result<Vec<FaceStep>> {
    let (table, mut next) = (shared.table, Vec::<FaceStep>::new());
    let mut numbers: HashMap<LyingPieces, usize> = HashMap::new();
    for (before, step) in level.iter().enumerate() {
        shared.meter.spend(1)?;
        if shared.meter.is_over() {
            break;
        }
        let place = |(number, pieces)| {
            let place = table.place_of_pieces(&pieces);
            table.entries().prefetch(place.row, place.entry.into());
            (number, place)
        };
        let neighbours = (0..).zip(step.at.pieces().neighbours()).filter(|(_, pieces)| pieces.shape.twists() <= left);
        let places: Vec<(u8, _)> = neighbours.map(place).collect();
        for (number, place) in places {
            if table.distance_beside(place, middle, MiddleGoal::Square)?.twists() != left {
                continue;
            }
            for twist in WAYS.map(|is_more| LyingTwist::new(number, is_more)) {
                let turns = step.at.layers_turned(twist);
                if turns == 0 && !is_first {
                    continue;
                }
                let reached = FaceStep { at: step.at.twisted(twist), moves: step.moves + turns + 1, twist, before };
                match numbers.entry(reached.at) {
                    Entry::Vacant(entry) => {
                        entry.insert(next.len());
                        next.push(reached);
                    }
                    Entry::Occupied(entry) => {
                        let known = &mut next[*entry.get()];
                        if reached.moves < known.moves {
                            *known = reached;
                        }
                    }
                }
            }
        }
    }
    Ok(next)
}
