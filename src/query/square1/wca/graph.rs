//! Shortest solutions as paths along twists, each with the turn before it.

use std::ops::Deref;

use super::WcaDistances;
use super::side::made;
use crate::square1::middle_goal::MiddleGoal;
use crate::square1::solution::Square1Solution;
use crate::square1::table::Square1Table;
use crate::walk::{DistanceGraph, PathStep};
use twistbase_core::error::Result;
use twistbase_puzzle::square1::{CanonicalPieces, Position, Step, Turn, TwistSequence};
use twistbase_store::Entries;

/// A position on the way to the solved one, up to turns and turning over but where the way begins.
#[derive(Debug, Clone, Copy)]
pub struct WcaNode {
    position: Position,
    /// Whether the position lies as it is, so that a twist may do without a turn before it. After a twist, a turn has to
    /// follow.
    is_start: bool,
}

impl WcaNode {
    /// Where a way begins.
    pub(super) fn start(position: &Position) -> Self {
        Self { position: *position, is_start: true }
    }
}

/// A step is a twist with the turn before it, where there is one; the last one has the turn after it, too. So the moves
/// that are left show whether such a turn is wanted: after a twist `2t + 1` with it, `2t` without.
impl<T, E> DistanceGraph for WcaDistances<T>
where
    T: Deref<Target = Square1Table<E>>,
    E: Entries,
{
    type Node = WcaNode;
    type Move = Turn;
    type Key = (CanonicalPieces, bool);
    type Solution = Square1Solution;

    fn distance(&self, node: &WcaNode) -> Result<u8> {
        if node.is_start {
            return Ok(self.distance(&node.position)?.moves());
        }
        let twists = self.endings.table().distance(&node.position, MiddleGoal::Square)?.twists();
        Ok(2 * twists + self.turn_at_end(&node.position, twists)?)
    }

    fn nearer(&self, node: &WcaNode, distance: u8) -> Result<Vec<PathStep<Turn, WcaNode>>> {
        let WcaNode { position, is_start } = *node;
        let table = self.endings.table();
        table.check_walk(distance)?;
        let twists = table.distance(&position, MiddleGoal::Square)?.twists();
        let mut nearer = Vec::new();
        for turn in table.nearer_twists(&position, MiddleGoal::Square, twists)? {
            let cost = if is_start && turn.is_none() { 1 } else { 2 };
            let Some(has_turn) = distance.checked_sub(cost + 2 * (twists - 1)).filter(|&more| more < 2) else {
                continue;
            };
            let Some(to) = position.turn(turn).twist() else { continue };
            if has_turn == 1 || self.ends_without_turn(&to, twists - 1)? {
                let cost = if twists == 1 { distance } else { cost };
                nearer.push(PathStep { turn, cost, to: WcaNode { position: to, is_start: false } });
            }
        }
        Ok(nearer)
    }

    fn check_dead_end(&self, node: &WcaNode, distance: u8) -> Result<()> {
        Err(self.endings.table().inconsistent(&node.position, distance))
    }

    fn key(&self, node: &WcaNode) -> (CanonicalPieces, bool) {
        (node.position.canonical_pieces().least(self.endings.table().colouring()), node.is_start)
    }

    fn solution(&self, start: &WcaNode, path: &[PathStep<Turn, WcaNode>]) -> Result<Square1Solution> {
        let turns: Vec<Turn> = path.iter().map(|step| step.turn).collect();
        let moves: usize = path.iter().map(|step| usize::from(step.cost)).sum();
        Ok(Square1Solution::of_sequence(&start.position, self.sequence(&start.position, &turns, moves)?))
    }
}

impl<T, E> WcaDistances<T>
where
    T: Deref<Target = Square1Table<E>>,
    E: Entries,
{
    /// Whether a position that a twist leads to is solved by this number of twists, which are the fewest, without a turn after
    /// them.
    fn ends_without_turn(&self, position: &Position, twists: u8) -> Result<bool> {
        if twists > 0 {
            return self.endings.ends_with_twist(&position.canonical_pieces(), twists);
        }
        // As it lies on the path, it may still be turned over, and then both layers by half a circle.
        let colouring = self.endings.table().colouring();
        let turn = position.solving_turn(colouring).or_else(|| position.turn_over().solving_turn(colouring));
        Ok(turn.is_some_and(|turn| turn.is_none() || turn.opposite().is_none()))
    }

    /// The sequence of this number of moves that makes these turns, each followed by a twist, and ends at the solved position as
    /// it lies. Half a circle more before the last two twists that have a turn before them makes it so.
    fn sequence(&self, start: &Position, turns: &[Turn], moves: usize) -> Result<TwistSequence> {
        let colouring = self.endings.table().colouring();
        let first = usize::from(turns.first().is_some_and(|turn| turn.is_none()));
        let mut last = (first..turns.len()).rev();
        let [last, before] = [last.next(), last.next()].map(|number| number.as_slice().to_vec());
        let ways = [vec![], last.clone(), before.clone(), [before, last].concat()];
        let solving = ways.iter().find_map(|more| {
            let (mut steps, end) = made(start, turns, more)?;
            let turn = end.solving_turn(colouring)?;
            steps.extend((!turn.is_none()).then_some(Step::Turn(turn)));
            (steps.len() == moves).then_some(steps)
        });
        // Of five moves and more one of the ways ends at solved, unless a table told another distance.
        solving.map(TwistSequence::new).ok_or_else(|| self.endings.table().contradicted(start))
    }
}
