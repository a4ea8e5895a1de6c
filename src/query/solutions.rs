//! Shortest solutions, walked down level by level.

use super::distance::MiddleGoal;
use super::table::Square1Table;
use crate::error::Result;
use crate::puzzle::square1::{Colouring, Position, Sequence, Shape, Step, Turn};
use crate::store::Entries;

/// A shortest solution of a position, ready to be executed on the puzzle as it is held: its last turn aligns the
/// layers, and it ends right side up. Only a position that is solved but upside down is turned over (`x2`), since no
/// twist is allowed there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    start: Position,
    sequence: Sequence,
}

impl Solution {
    /// The moves: a turn before each twist where one is needed, and the last turn.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The shape at the start and after each twist.
    pub fn shapes(&self) -> Vec<Shape> {
        let mut position = self.start;
        let mut shapes = vec![position.shape()];
        for step in self.sequence.steps() {
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

    /// Whether every shape on the way is the solved one, two squares.
    pub fn stays_in_cube_shape(&self) -> bool {
        self.shapes().iter().all(|&shape| shape == Shape::SOLVED)
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
        Self { start: *start, sequence: Sequence::new(steps) }
    }
}

/// Adds a turn, if it turns anything.
fn push_turn(steps: &mut Vec<Step>, turn: Turn) {
    if !turn.is_none() {
        steps.push(Step::Turn(turn));
    }
}

/// The shortest solutions of a position: a depth-first walk over its nearer neighbours, with no more memory than its
/// path.
#[derive(Debug)]
pub struct Solutions<'a, E> {
    table: &'a Square1Table<E>,
    goal: MiddleGoal,
    start: Position,
    distance: u8,
    /// For each twist made so far, the choices that remain at its place; the one taken is the last.
    choices: Vec<Vec<(Turn, Position)>>,
    turns: Vec<Turn>,
    ended: bool,
}

impl<'a, E: Entries> Solutions<'a, E> {
    pub(super) fn new(table: &'a Square1Table<E>, start: Position, goal: MiddleGoal) -> Result<Self> {
        let distance = table.distance(&start, goal)?.twists();
        Ok(Self { table, goal, start, distance, choices: Vec::new(), turns: Vec::new(), ended: false })
    }

    /// The number of twists of each of them.
    pub fn twists(&self) -> u8 {
        self.distance
    }

    /// Goes down from `position` to a solved one, taking the first choice everywhere.
    fn descend(&mut self, mut position: Position) -> Result<()> {
        while self.turns.len() < usize::from(self.distance) {
            let left = self.distance - self.turns.len() as u8;
            let mut nearer = self.table.nearer(&position, self.goal, left)?;
            nearer.reverse();
            let &(turn, next) = nearer.last().ok_or_else(|| self.table.inconsistent(&position, left))?;
            self.choices.push(nearer);
            self.turns.push(turn);
            position = next;
        }
        Ok(())
    }

    /// Goes back to the last place with another choice, and takes it; `false` if there is none.
    fn advance(&mut self) -> Result<bool> {
        while let Some(choices) = self.choices.last_mut() {
            choices.pop();
            self.turns.pop();
            if let Some(&(turn, next)) = choices.last() {
                self.turns.push(turn);
                return self.descend(next).map(|()| true);
            }
            self.choices.pop();
        }
        Ok(false)
    }

    /// The solution that the walk is at.
    fn solution(&self) -> Solution {
        let penultimate = self.choices.len().checked_sub(2).and_then(|place| self.choices[place].last());
        let before = penultimate.map_or(self.start, |&(_, position)| position);
        Solution::new(&self.start, &self.turns, &before, self.table.colouring())
    }

    fn step(&mut self) -> Result<bool> {
        if self.choices.is_empty() { self.descend(self.start).map(|()| true) } else { self.advance() }
    }
}

impl<E: Entries> Iterator for Solutions<'_, E> {
    type Item = Result<Solution>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = self.step();
        // A position at distance 0 has one solution and no choices to come back to.
        self.ended = !matches!(found, Ok(true)) || self.distance == 0;
        match found {
            Ok(true) => Some(Ok(self.solution())),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
