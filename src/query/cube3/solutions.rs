//! Every shortest solution by moves of H, listed or counted.

use std::ops::Deref;

use super::inconsistent;
use super::phase_two::PhaseTwo;
use crate::KnownDistance;
use crate::walk::{DistanceGraph, PathStep, ShortestPaths, count_paths};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{CanonicalState, Metric, Move};
use twistbase_store::Entries;
use twistbase_tables::{Definition, h_moves};

/// The shortest solutions of a position in H, found one after the other; `T` refers to the [table](PhaseTwo), by `&` or
/// [`Arc`](std::sync::Arc).
pub type HSolutions<T> = ShortestPaths<HGraph<T>>;

/// The positions of a table and the moves of H between them.
#[derive(Debug, Clone, Copy)]
pub struct HGraph<T>(T);

/// A position in H, and where the sequence of moves that led to it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HNode {
    pub(super) h_position: PhaseTwoPosition,
    state: CanonicalState,
}

impl HNode {
    pub(super) fn start(h_position: &PhaseTwoPosition) -> Self {
        Self { h_position: *h_position, state: CanonicalState::START }
    }

    /// The moves of H that may follow. Those of the half-turn metric serve both metrics: in the quarter-turn metric a
    /// half turn of U or D stands for two moves.
    pub(super) fn steps(&self, metric: Metric) -> impl Iterator<Item = PathStep<Move, Self>> {
        h_moves(Metric::Htm).filter_map(move |turn| {
            let to = Self {
                h_position: self.h_position.then(&turn.effect),
                state: self.state.next(Metric::Htm, turn.turn)?,
            };
            Some(PathStep { turn: turn.turn, cost: metric.cost(turn.turn), to })
        })
    }
}

impl<E: Entries> PhaseTwo<E> {
    /// Every shortest solution by moves of H, one after the other; none is stored. Of sequences that differ only in the
    /// order of turns of opposite faces, one is listed ([`CanonicalState`]).
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) unless the table
    /// [is exact](twistbase_tables::PhaseTwoTable::is_exact); those of [`PhaseTwo::distance`], also from the iterator's
    /// items.
    pub fn solutions(&self, h_position: &PhaseTwoPosition) -> Result<HSolutions<&Self>> {
        Self::solutions_from(self, h_position)
    }

    /// The same from any reference to a table; with an [`Arc`](std::sync::Arc) the iterator borrows nothing.
    ///
    /// # Errors
    /// As [`PhaseTwo::solutions`].
    pub fn solutions_from<T>(table: T, h_position: &PhaseTwoPosition) -> Result<HSolutions<T>>
    where
        T: Deref<Target = Self>,
    {
        table.check_exact()?;
        ShortestPaths::new(HGraph(table), HNode::start(h_position))
    }

    /// The number of solutions that [`PhaseTwo::solutions`] lists, without listing them.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn count(&self, h_position: &PhaseTwoPosition, ctx: &Context) -> Result<u64> {
        self.check_exact()?;
        let distance = self.distance(h_position)?.moves();
        count_paths(&HGraph(self), &HNode::start(h_position), distance, ctx)
    }
}

impl<T, E> DistanceGraph for HGraph<T>
where
    T: Deref<Target = PhaseTwo<E>>,
    E: Entries,
{
    type Node = HNode;
    type Move = Move;
    type Key = HNode;
    type Solution = Vec<Move>;

    fn distance(&self, node: &HNode) -> Result<u8> {
        Ok(self.0.distance(&node.h_position)?.moves())
    }

    fn nearer(&self, node: &HNode, distance: u8) -> Result<Vec<PathStep<Move, HNode>>> {
        let mut nearer = Vec::new();
        for step in node.steps(self.0.definition().move_metric()) {
            let leads_nearer = |known_distance: KnownDistance| {
                known_distance.distance().is_some_and(|reached| reached.moves() + step.cost == distance)
            };
            if step.cost <= distance && leads_nearer(self.0.known_distance(&step.to.h_position)?) {
                nearer.push(step);
            }
        }
        Ok(nearer)
    }

    fn check_dead_end(&self, node: &HNode, _distance: u8) -> Result<()> {
        if node.state == CanonicalState::START {
            let definition = self.0.definition();
            return Err(inconsistent(definition.layout(), definition.place(&node.h_position)));
        }
        Ok(())
    }

    fn key(&self, node: &HNode) -> HNode {
        *node
    }

    fn solution(&self, _start: &HNode, path: &[PathStep<Move, HNode>]) -> Result<Vec<Move>> {
        Ok(path.iter().map(|step| step.turn).collect())
    }
}
