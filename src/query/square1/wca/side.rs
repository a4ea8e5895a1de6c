//! Which side of the puzzle is up while a sequence of turns and twists is made.

use twistbase_puzzle::square1::{Position, Step, Turn, TwistSequence};

/// Half a circle of both layers.
const HALF: Turn = Turn::new(6, 6);

/// How a position as it is held lies to the same position on a path: turned over or not, and then both layers turned by
/// half a circle or not.
///
/// Half a circle more before a twist changes both: `p (6,6) /` is `p /` turned over, then both layers turned by half a
/// circle, as the model says. The next turn takes the half circle back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Side {
    is_over: bool,
    is_half: bool,
}

impl Side {
    /// The turn of the path as it is made on the puzzle that is held so.
    fn held(self, turn: Turn) -> Turn {
        let turn = if self.is_over { turn.turned_over() } else { turn };
        if self.is_half { turn.then(HALF) } else { turn }
    }

    /// The turn of the path that is made so.
    fn of_path(self, held: Turn) -> Turn {
        let turn = if self.is_half { held.then(HALF) } else { held };
        if self.is_over { turn.turned_over() } else { turn }
    }

    /// The side after a turn of the path and a twist, where the turn was made by half a circle more or not.
    fn after_twist(self, is_more: bool) -> Self {
        Self { is_over: self.is_over != is_more, is_half: is_more }
    }
}

/// A sequence by its turns before each twist, those that differ by half a circle being the same: its first turn, whether
/// there is one before the first twist, and whether there is one after the last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Alignments {
    turns: Vec<Turn>,
    begins_with_turn: bool,
    ends_with_turn: bool,
}

impl Alignments {
    /// Those of a sequence without turning over, and without two turns in a row.
    pub fn of(sequence: &TwistSequence) -> Self {
        let (mut side, mut turn, mut turns) = (Side::default(), Turn::NONE, Vec::new());
        for step in sequence.steps() {
            match *step {
                Step::Turn(next) => turn = next,
                Step::Twist => {
                    let (distinct, is_more) = side.of_path(turn).distinct();
                    turns.push(distinct);
                    (side, turn) = (side.after_twist(is_more), Turn::NONE);
                }
                Step::TurnOver => {}
            }
        }
        let is_turn = |step: Option<&Step>| matches!(step, Some(Step::Turn(_)));
        let [begins_with_turn, ends_with_turn] = [sequence.steps().first(), sequence.steps().last()].map(is_turn);
        Self { turns, begins_with_turn, ends_with_turn }
    }
}

/// The steps of a path, turns each followed by a twist, as they are made from `start` with half a circle more before the
/// twists of these numbers; and the position after them. `None` where a twist is not possible.
pub(super) fn made(start: &Position, turns: &[Turn], more: &[usize]) -> Option<(Vec<Step>, Position)> {
    let (mut side, mut position, mut steps) = (Side::default(), *start, Vec::with_capacity(2 * turns.len() + 1));
    for (number, &turn) in turns.iter().enumerate() {
        let is_more = more.contains(&number);
        let turn = side.held(turn).then(if is_more { HALF } else { Turn::NONE });
        steps.extend((!turn.is_none()).then_some(Step::Turn(turn)).into_iter().chain([Step::Twist]));
        position = position.turn(turn).twist()?;
        side = side.after_twist(is_more);
    }
    Some((steps, position))
}
