//! Shortest solutions by moves of H, walked down level by level.

use super::inconsistent;
use super::phase_two::{PhaseTwo, Step};
use crate::error::Result;
use crate::puzzle::cube3::coordinate::PhaseTwoPosition;
use crate::puzzle::cube3::{CanonicalState, Move};
use crate::store::Entries;
use crate::tables::Definition;

/// The shortest solutions of a position in H: a depth-first walk over its nearer neighbours, with no more memory than
/// its path.
#[derive(Debug)]
pub struct HSolutions<'a, E> {
    table: &'a PhaseTwo<E>,
    start: PhaseTwoPosition,
    distance: u8,
    /// For each move made so far, the choices that remain at its place; the one taken is the last.
    choices: Vec<Vec<Step>>,
    ended: bool,
}

impl<'a, E: Entries> HSolutions<'a, E> {
    pub(super) fn new(table: &'a PhaseTwo<E>, start: PhaseTwoPosition) -> Result<Self> {
        let distance = table.distance(&start)?.moves();
        Ok(Self { table, start, distance, choices: Vec::new(), ended: false })
    }

    /// The number of moves of each of them, in the table's metric.
    pub fn moves(&self) -> u8 {
        self.distance
    }

    /// The moves made so far.
    fn path(&self) -> Vec<Move> {
        self.choices.iter().filter_map(|choices| Some(choices.last()?.turn)).collect()
    }

    /// Goes down to solved, taking the last choice everywhere; choices that lead nowhere, because of the order of
    /// turns of opposite faces, are passed over. `false` if none is left.
    fn descend(&mut self) -> Result<bool> {
        let metric = self.table.definition().move_metric();
        loop {
            let left = self.distance - metric.length(&self.path()) as u8;
            if left == 0 {
                return Ok(true);
            }
            let (state, at) = match self.choices.last().and_then(|choices| choices.last()) {
                Some(step) => (step.state, step.h_position),
                None => (CanonicalState::START, self.start),
            };
            let mut nearer = self.table.nearer(&at, state, left)?;
            if nearer.is_empty() && state == CanonicalState::START {
                let definition = self.table.definition();
                return Err(inconsistent(definition.layout(), definition.place(&at)));
            }
            nearer.reverse();
            let dead_end = nearer.is_empty();
            if !dead_end {
                self.choices.push(nearer);
            } else if !self.retreat() {
                return Ok(false);
            }
        }
    }

    /// Goes back to the last place with another choice, and takes it; `false` if there is none.
    fn retreat(&mut self) -> bool {
        while let Some(choices) = self.choices.last_mut() {
            choices.pop();
            if !choices.is_empty() {
                return true;
            }
            self.choices.pop();
        }
        false
    }

    fn step(&mut self) -> Result<bool> {
        if self.choices.is_empty() || self.retreat() { self.descend() } else { Ok(false) }
    }
}

impl<E: Entries> Iterator for HSolutions<'_, E> {
    type Item = Result<Vec<Move>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = self.step();
        // The solved position has one solution and no choices to come back to.
        self.ended = !matches!(found, Ok(true)) || self.distance == 0;
        match found {
            Ok(true) => Some(Ok(self.path())),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
