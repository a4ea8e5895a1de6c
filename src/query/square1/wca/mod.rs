//! The metric of the World Cube Association (rule 12c4): a turn of the layers counts 1, and so does a twist.
//!
//! Positions are taken as they lie, and the goal is the solved position as it lies, its middle layer square: a layer that
//! is to be turned costs a move, and the solved position turned over is another one.
//!
//! A solution of `t` twists counts `2t - 1`, and one more each where it begins and where it ends with a turn. The number
//! of twists has the parity of the middle layer, so `t + 2` twists count more than any solution of `t` does: the
//! shortest solutions are among those of the fewest twists. What is left to be known is whether one of these needs no
//! turn at its end ([`Endings`]).
//!
//! All that holds up to the side that is up. A turn by half a circle more before a twist changes it ([`Side`]), so two
//! turns before twists that can be chosen freely make any solution end the right side up. Solutions of five moves have
//! two such turns. Shorter ones may have fewer, hence what is near the solved position is searched ([`NearSolved`]).

mod endings;
mod graph;
mod near;
mod side;
#[cfg(test)]
mod tests;

use std::ops::Deref;

use self::endings::Endings;
use self::graph::WcaNode;
use self::near::NearSolved;
use super::middle_goal::MiddleGoal;
use super::solution::Square1Solution;
use super::solutions::{SolutionCounts, TwistPathCount};
use super::table::Square1Table;
use crate::Distance;
use crate::walk::{ShortestPaths, count_paths};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::{Position, Step};
use twistbase_store::Entries;

/// What a table of twists tells in the metric of the World Cube Association; `T` refers to the
/// [table](Square1Table), by `&` or [`Arc`](std::sync::Arc).
///
/// It remembers what it finds out, so it is for a few questions about positions that are near each other; making one
/// costs nothing.
#[derive(Debug)]
pub struct WcaDistances<T> {
    endings: Endings<T>,
    near: &'static NearSolved,
}

/// What a move does to a position's distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WcaOutcome {
    /// The move: a twist, or a turn after which one is possible.
    pub step: Step,
    /// The position after it.
    pub position: Position,
    /// Its distance.
    pub distance: Distance,
    /// Its distance less the one before: -1 on a shortest solution, 0 or 1.
    pub change: i8,
}

/// Where the shortest solutions of a position are found.
enum Search {
    /// Among all sequences of so few moves.
    Near(u8),
    /// Among the solutions of the fewest twists.
    Far(u8),
}

impl<T, E> WcaDistances<T>
where
    T: Deref<Target = Square1Table<E>>,
    E: Entries,
{
    /// Over a table.
    pub fn new(table: T) -> Self {
        let near = NearSolved::of(table.colouring());
        Self { endings: Endings::new(table), near }
    }

    /// The exact distance of a position as it lies, in moves.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`].
    pub fn distance(&self, position: &Position) -> Result<Distance> {
        let (Search::Near(moves) | Search::Far(moves)) = self.search(position)?;
        Ok(Distance::new(moves))
    }

    fn search(&self, position: &Position) -> Result<Search> {
        if let Some(moves) = self.near.distance(position) {
            return Ok(Search::Near(moves));
        }
        let moves = self.free_distance(position)?;
        Ok(if moves <= NearSolved::LISTED { Search::Near(NearSolved::LISTED) } else { Search::Far(moves) })
    }

    /// The distance, if every turn before a twist could be chosen freely.
    fn free_distance(&self, position: &Position) -> Result<u8> {
        let table = self.endings.table();
        let twists = table.distance(position, MiddleGoal::Square)?.twists();
        if twists < 2 {
            return Ok(0);
        }
        let twisted = position.twist().map(|next| (next, table.place(&next)));
        let nearer = match twisted {
            Some((next, place)) => {
                let reached = table.distance_beside(place, next.middle(), MiddleGoal::Square)?.twists();
                (reached < twists).then_some(next)
            }
            None => None,
        };
        Ok(match nearer {
            // Whatever solutions that begin with a turn do, they are no shorter.
            Some(next) => 2 * twists - 1 + self.turn_at_end(&next, twists - 1)?,
            None => 2 * twists + self.turn_at_end(position, twists)?,
        })
    }

    /// 0 if a solution of this number of twists, which are the fewest, needs no turn at its end, else 1.
    fn turn_at_end(&self, position: &Position, twists: u8) -> Result<u8> {
        Ok(u8::from(!self.endings.ends_with_twist(&position.canonical_pieces(), twists)?))
    }

    /// What each move does: the twist, where it is possible, then every turn after which it is, in the order of the
    /// turns.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`].
    pub fn moves(&self, position: &Position) -> Result<Vec<WcaOutcome>> {
        let before = self.distance(position)?.moves() as i8;
        let mut turns: Vec<_> = position.alignments().filter(|turn| !turn.is_none()).collect();
        turns.sort_by_key(|turn| turn.wca());
        let twist = position.twist().map(|next| (Step::Twist, next));
        let turns = turns.into_iter().map(|turn| (Step::Turn(turn), position.turn(turn)));
        let outcome = |(step, position)| {
            let distance = self.distance(&position)?;
            Ok(WcaOutcome { step, position, distance, change: distance.moves() as i8 - before })
        };
        twist.into_iter().chain(turns).map(outcome).collect()
    }

    /// The number of shortest solutions: those that [`WcaDistances::solutions`] lists, in
    /// [`alignments`](SolutionCounts::alignments); all sequences of moves, in [`sequences`](SolutionCounts::sequences).
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`]; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn count(&self, position: &Position, ctx: &Context) -> Result<SolutionCounts> {
        let moves = match self.search(position)? {
            Search::Near(moves) => return Ok(self.near.count(position, moves)),
            Search::Far(moves) => moves,
        };
        let twists = self.endings.table().distance(position, MiddleGoal::Square)?.twists();
        let TwistPathCount { alignments, paths } = count_paths(self, &WcaNode::start(position), moves, ctx)?;
        // Each turn before a twist is one of two, but a first twist may have none before it, and what has been chosen for
        // the others decides the last one; that before it, too, where no turn follows. Both ways of `2t` moves come to the
        // same.
        let free = moves - twists - 2;
        Ok(SolutionCounts { alignments, sequences: alignments << free, paths })
    }

    /// Every shortest solution, one after the other; none is stored, unless they are of a few moves. Of those that differ
    /// only in turns by `(t,b)` and `(t+6,b+6)` before a twist one is listed. Each is right as it stands: it has as many
    /// moves as the distance, and ends at the solved position as it lies, its middle layer square.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`]; the iterator's items can fail in the same ways.
    pub fn solutions(self, position: &Position) -> Result<impl Iterator<Item = Result<Square1Solution>> + use<T, E>> {
        let (near, far) = match self.search(position)? {
            Search::Near(moves) => (self.near.solutions(position, moves), None),
            Search::Far(_) => (Vec::new(), Some(ShortestPaths::new(self, WcaNode::start(position))?)),
        };
        Ok(near.into_iter().map(Ok).chain(far.into_iter().flatten()))
    }
}
