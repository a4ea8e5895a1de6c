//! Shortest solutions as they are made on the puzzle.

use twistbase_puzzle::square1::{Colouring, Position, Shape, Step, Turn, TwistSequence};

/// A shortest solution of a position, ready to be executed on the puzzle as it is held: its last turn aligns the
/// layers, and it ends right side up. Only a position that is solved but upside down is turned over (`x2`), since no
/// twist is allowed there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Square1Solution {
    start: Position,
    sequence: TwistSequence,
}

impl Square1Solution {
    /// The moves: a turn before each twist where one is needed, and the last turn.
    pub fn sequence(&self) -> &TwistSequence {
        &self.sequence
    }

    /// The shape at the start and after each twist.
    pub fn shapes(&self) -> Vec<Shape> {
        self.sequence.shapes_from(&self.start)
    }

    /// Whether every shape on the way is the solved one, two squares.
    pub fn stays_in_cube_shape(&self) -> bool {
        self.shapes().iter().all(|&shape| shape == Shape::SOLVED)
    }

    /// The sequence that makes `turns`, each followed by a twist.
    pub(super) fn of_twists(start: &Position, turns: &[Turn]) -> Self {
        let mut steps = Vec::with_capacity(2 * turns.len());
        for &turn in turns {
            push_turn(&mut steps, turn);
            steps.push(Step::Twist);
        }
        Self { start: *start, sequence: TwistSequence::new(steps) }
    }

    /// A solution that is written already.
    pub(super) fn of_sequence(start: &Position, sequence: TwistSequence) -> Self {
        Self { start: *start, sequence }
    }

    /// The solution that makes `turns`, each followed by a twist; the last one leads from `before` to a solved
    /// position.
    ///
    /// A turn of half a circle more of both layers before the last twist leads to the same position upside down, so
    /// of the two the one is taken that ends right side up.
    pub(super) fn new(start: &Position, turns: &[Turn], before: &Position, colouring: Colouring) -> Self {
        let mut steps = Vec::with_capacity(2 * turns.len() + 2);
        let mut end = *before;
        if let Some((&last, earlier)) = turns.split_last() {
            for &turn in earlier {
                push_turn(&mut steps, turn);
                steps.push(Step::Twist);
            }
            let upright = |turn: Turn| {
                let end = before.turn(turn).twist()?;
                end.solving_turn(colouring).map(|_| (turn, end))
            };
            if let Some((turn, solved)) = upright(last).or_else(|| upright(last.opposite())) {
                push_turn(&mut steps, turn);
                steps.push(Step::Twist);
                end = solved;
            }
        } else if end.solving_turn(colouring).is_none() {
            steps.push(Step::TurnOver);
            end = end.turn_over();
        }
        push_turn(&mut steps, end.solving_turn(colouring).unwrap_or(Turn::NONE));
        Self { start: *start, sequence: TwistSequence::new(steps) }
    }
}

/// Adds a turn, if it turns anything.
fn push_turn(steps: &mut Vec<Step>, turn: Turn) {
    if !turn.is_none() {
        steps.push(Step::Turn(turn));
    }
}
