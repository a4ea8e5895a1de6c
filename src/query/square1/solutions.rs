//! Every shortest solution, listed or counted.

use std::hash::Hash;
use std::ops::Deref;

use hashbrown::HashMap;
use serde::Serialize;

use super::middle_goal::MiddleGoal;
use super::solution::Square1Solution;
use super::table::Square1Table;
use crate::walk::{DistanceGraph, PathCount, PathStep, ShortestPaths, count_paths};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::{CanonicalPieces, Position, Turn};
use twistbase_store::Entries;

/// The shortest solutions of a position, found one after the other; `T` refers to the [table](Square1Table), by `&` or
/// [`Arc`](std::sync::Arc).
pub type Square1Solutions<T> = ShortestPaths<TwistGraph<T>>;

/// Numbers of shortest solutions, counted in three ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SolutionCounts {
    /// Sequences of alignments, `(t,b)` and `(t+6,b+6)` before a twist being the same. This is what
    /// [`Square1Table::solutions`] lists.
    pub alignments: u128,
    /// Sequences with both of those counted: `alignments × 2^twists`.
    pub sequences: u128,
    /// Sequences of positions passed, up to turns and turning over.
    pub paths: u128,
}

/// The positions of a table and their twists, with a goal for the middle layer.
#[derive(Debug, Clone, Copy)]
pub struct TwistGraph<T> {
    table: T,
    goal: MiddleGoal,
}

impl<E: Entries> Square1Table<E> {
    /// Every shortest solution, one after the other; none is stored.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`]; the iterator's items can fail in the same ways.
    pub fn solutions(&self, position: &Position, goal: MiddleGoal) -> Result<Square1Solutions<&Self>> {
        Self::solutions_from(self, position, goal)
    }

    /// The same from any reference to a table; with an [`Arc`](std::sync::Arc) the iterator borrows nothing.
    ///
    /// # Errors
    /// As [`Square1Table::solutions`].
    pub fn solutions_from<T>(table: T, position: &Position, goal: MiddleGoal) -> Result<Square1Solutions<T>>
    where
        T: Deref<Target = Self>,
    {
        ShortestPaths::new(TwistGraph { table, goal }, *position)
    }

    /// The number of shortest solutions, without listing them.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`]; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn count(&self, position: &Position, goal: MiddleGoal, ctx: &Context) -> Result<SolutionCounts> {
        let distance = self.distance(position, goal)?.twists();
        let graph = TwistGraph { table: self, goal };
        let TwistPathCount { alignments, paths } = count_paths(&graph, position, distance, ctx)?;
        Ok(SolutionCounts { alignments, sequences: alignments << distance, paths })
    }
}

impl<T, E> DistanceGraph for TwistGraph<T>
where
    T: Deref<Target = Square1Table<E>>,
    E: Entries,
{
    type Node = Position;
    type Move = Turn;
    type Key = CanonicalPieces;
    type Solution = Square1Solution;

    fn distance(&self, position: &Position) -> Result<u8> {
        Ok(self.table.distance(position, self.goal)?.twists())
    }

    fn nearer(&self, position: &Position, distance: u8) -> Result<Vec<PathStep<Turn, Position>>> {
        let step = |turn| position.turn(turn).twist().map(|to| PathStep { turn, cost: 1, to });
        Ok(self.table.nearer_twists(position, self.goal, distance)?.into_iter().filter_map(step).collect())
    }

    fn check_dead_end(&self, position: &Position, distance: u8) -> Result<()> {
        // Any twist may follow any other.
        Err(self.table.inconsistent(position, distance))
    }

    fn key(&self, position: &Position) -> CanonicalPieces {
        position.canonical_pieces().least(self.table.colouring())
    }

    fn solution(&self, start: &Position, path: &[PathStep<Turn, Position>]) -> Result<Square1Solution> {
        let turns: Vec<Turn> = path.iter().map(|step| step.turn).collect();
        if !self.table.ends_solved() {
            return Ok(Square1Solution::of_twists(start, &turns));
        }
        let before = path.len().checked_sub(2).map_or(start, |last_but_one| &path[last_but_one].to);
        Ok(Square1Solution::new(start, &turns, before, self.table.colouring()))
    }
}

/// Paths by their turns and by their positions.
#[derive(Clone, Copy)]
pub(super) struct TwistPathCount {
    pub alignments: u128,
    pub paths: u128,
}

impl<Key: Eq + Hash> PathCount<Key> for TwistPathCount {
    const ONE: Self = Self { alignments: 1, paths: 1 };

    fn sum(branches: &[(Key, Self)]) -> Self {
        // Several turns may lead to the same position.
        let by_position: HashMap<&Key, u128> = branches.iter().map(|(key, count)| (key, count.paths)).collect();
        let alignments = branches.iter().map(|(_, count)| count.alignments).sum();
        Self { alignments, paths: by_position.into_values().sum() }
    }
}
