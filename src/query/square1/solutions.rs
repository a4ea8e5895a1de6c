//! Shortest solutions, walked down level by level.

use super::middle_goal::MiddleGoal;
use super::solution::Square1Solution;
use super::table::Square1Table;
use crate::error::Result;
use crate::puzzle::square1::{Position, Turn};
use crate::store::Entries;

/// The shortest solutions of a position: a depth-first walk over its nearer neighbours, with no more memory than its
/// path.
#[derive(Debug)]
pub struct Square1Solutions<'a, E> {
    table: &'a Square1Table<E>,
    goal: MiddleGoal,
    start: Position,
    distance: u8,
    /// For each twist made so far, the choices that remain at its place; the one taken is the last.
    choices: Vec<Vec<(Turn, Position)>>,
    turns: Vec<Turn>,
    ended: bool,
}

impl<'a, E: Entries> Square1Solutions<'a, E> {
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
    fn solution(&self) -> Square1Solution {
        let penultimate = self.choices.len().checked_sub(2).and_then(|place| self.choices[place].last());
        let before = penultimate.map_or(self.start, |&(_, position)| position);
        Square1Solution::new(&self.start, &self.turns, &before, self.table.colouring())
    }

    fn step(&mut self) -> Result<bool> {
        if self.choices.is_empty() { self.descend(self.start).map(|()| true) } else { self.advance() }
    }
}

impl<E: Entries> Iterator for Square1Solutions<'_, E> {
    type Item = Result<Square1Solution>;

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
