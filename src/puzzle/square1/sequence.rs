//! Sequences of moves, whatever the notation they are written in.

use std::fmt;

use super::notation::wca;
use super::{BlockedCut, Position, Shape, Turn};

/// One step of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The layers turn.
    Turn(Turn),
    /// The right half turns by 180°.
    Twist,
    /// The whole puzzle is turned over about its left-right axis (x2).
    TurnOver,
}

/// Steps to be made one after the other. Displayed as the World Cube Association writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct TwistSequence {
    steps: Vec<Step>,
}

/// A twist of a sequence with big pieces in its way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("twist {twist}: the cut is blocked: {}", cuts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
pub struct BlockedTwist {
    /// Its index among the steps of the sequence, from 0.
    pub step: usize,
    /// Its number among the twists of the sequence, from 1.
    pub twist: usize,
    /// What is in the way: at least one piece.
    pub cuts: Vec<BlockedCut>,
}

impl TwistSequence {
    /// The sequence of these steps.
    pub const fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// Its steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Its length in the twist metric: the number of twists.
    pub fn twists(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Twist)).count()
    }

    /// Its length in the metric of the World Cube Association (rule 12c4): a turn of the layers counts 1, whatever
    /// turns, and so does a twist. Turning the puzzle over counts nothing.
    pub fn wca_moves(&self) -> usize {
        self.steps.iter().filter(|step| !matches!(step, Step::TurnOver)).count()
    }

    /// Its length in face turns: a turn of one layer counts 1, a turn of both 2, and a twist 1. Turning the puzzle over
    /// counts nothing.
    pub fn face_moves(&self) -> usize {
        let moves = |step: &Step| match step {
            Step::Turn(turn) => usize::from(turn.layers()),
            Step::Twist => 1,
            Step::TurnOver => 0,
        };
        self.steps.iter().map(moves).sum()
    }

    /// The shape at the start and after each twist; one that is not possible changes nothing.
    pub fn shapes_from(&self, start: &Position) -> Vec<Shape> {
        let mut position = *start;
        let mut shapes = vec![position.shape()];
        for step in &self.steps {
            match *step {
                Step::Turn(turn) => position = position.turn(turn),
                Step::TurnOver => position = position.turn_over(),
                Step::Twist => {
                    position = position.twist().unwrap_or(position);
                    shapes.push(position.shape());
                }
            }
        }
        shapes
    }

    /// The position that it leads to.
    ///
    /// # Errors
    /// Fails at the first twist that is not possible.
    pub fn apply(&self, position: &Position) -> Result<Position, BlockedTwist> {
        let mut position = *position;
        let mut twist = 0;
        for (step, &move_) in self.steps.iter().enumerate() {
            position = match move_ {
                Step::Turn(turn) => position.turn(turn),
                Step::TurnOver => position.turn_over(),
                Step::Twist => {
                    twist += 1;
                    let blocked = || BlockedTwist { step, twist, cuts: position.blocked_cuts().collect() };
                    position.twist().ok_or_else(blocked)?
                }
            };
        }
        Ok(position)
    }

    /// The sequence that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let undo = |step: &Step| match *step {
            Step::Turn(turn) => Step::Turn(turn.inverse()),
            other => other,
        };
        Self::new(self.steps.iter().rev().map(undo).collect())
    }

    /// The sequence with a step more; turns of the layers in a row are one.
    #[must_use]
    pub fn followed_by(&self, step: Step) -> Self {
        let mut steps = self.steps.clone();
        match (steps.last().copied(), step) {
            (Some(Step::Turn(last)), Step::Turn(next)) => {
                steps.pop();
                steps.extend(Some(last.then(next)).filter(|turn| !turn.is_none()).map(Step::Turn));
            }
            _ => steps.push(step),
        }
        Self { steps }
    }

    /// The same without turning over, made with the puzzle held as it is at the start, and whether
    /// the puzzle is to be turned over at the end to get the same position.
    pub fn without_turn_overs(&self) -> (Self, bool) {
        let mut is_over = false;
        let mut steps = Vec::with_capacity(self.steps.len());
        for &step in &self.steps {
            match step {
                Step::TurnOver => is_over = !is_over,
                Step::Turn(turn) if is_over => steps.push(Step::Turn(turn.turned_over())),
                // The axis of a twist is that of turning over: one does not mind the other.
                _ => steps.push(step),
            }
        }
        (Self::new(steps), is_over)
    }
}

impl FromIterator<Step> for TwistSequence {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self::new(steps.into_iter().collect())
    }
}

impl From<Step> for TwistSequence {
    fn from(step: Step) -> Self {
        Self::new(vec![step])
    }
}

impl fmt::Display for TwistSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&wca::print(self))
    }
}
