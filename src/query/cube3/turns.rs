//! The positions of a table and the turns of faces between them, for walks along shortest paths.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Deref;

use super::{FaceTurnOutcome, inconsistent};
use crate::walk::{DistanceGraph, PathStep};
use crate::{KnownDistance, PositionTable};
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::{CanonicalState, Metric, Move};

/// A table whose positions turns of faces lead to.
pub trait FaceTurnTable: PositionTable<Position: Debug + Eq + Hash> {
    /// How turns are counted.
    fn metric(&self) -> Metric;

    /// How far a position is, as far as the table reaches.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
    fn known_distance(&self, position: &Self::Position) -> Result<KnownDistance>;

    /// The turns of a position, and what makes the positions that they lead to. Those of the half-turn metric serve both metrics: in
    /// the quarter-turn metric a half turn stands for two.
    fn turned(&self, position: &Self::Position) -> impl Iterator<Item = (Move, impl FnOnce() -> Self::Position)>;

    /// How far a position is after each of the [turns](FaceTurnTable::turned), by number, with what the turn counts.
    ///
    /// # Errors
    /// Those of [`FaceTurnTable::known_distance`].
    fn known_distances(&self, position: &Self::Position) -> Result<Vec<(u8, KnownDistance)>> {
        let turned = self.turned(position);
        turned.map(|(turn, make)| Ok((self.metric().cost(turn), self.known_distance(&make())?))).collect()
    }

    /// What each of the [turns](FaceTurnTable::turned) does, by number.
    ///
    /// # Errors
    /// As there; [`Error::Data`](twistbase_core::error::Error::Data) (bounded) if the position is farther than the table was
    /// built to.
    fn moves(&self, position: &Self::Position) -> Result<Vec<FaceTurnOutcome>> {
        let before = self.known_distance(position)?.within(self.definition())?;
        let turns = self.turned(position).zip(self.known_distances(position)?);
        Ok(turns.map(|((turn, _), (cost, known))| FaceTurnOutcome::new(turn, cost, before, known)).collect())
    }
}

/// The positions of a table and the turns between them; `T` refers to the [table](FaceTurnTable).
#[derive(Debug, Clone, Copy)]
pub struct FaceTurnGraph<T>(pub(super) T);

/// A position, and the state of the sequence of turns that led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FaceTurnNode<P> {
    pub(super) position: P,
    state: CanonicalState,
}

impl<P: Copy> FaceTurnNode<P> {
    pub(super) fn start(position: &P) -> Self {
        Self { position: *position, state: CanonicalState::START }
    }

    /// The turns that may follow.
    pub(super) fn steps<D>(&self, table: &D) -> impl Iterator<Item = PathStep<Move, Self>>
    where
        D: FaceTurnTable<Position = P> + ?Sized,
    {
        table.turned(&self.position).filter_map(|(turn, make)| {
            let state = self.state.next(Metric::Htm, turn)?;
            Some(PathStep { turn, cost: table.metric().cost(turn), to: Self { position: make(), state } })
        })
    }
}

impl<T> DistanceGraph for FaceTurnGraph<T>
where
    T: Deref<Target: FaceTurnTable>,
{
    type Node = FaceTurnNode<<T::Target as PositionTable>::Position>;
    type Move = Move;
    type Key = Self::Node;
    type Solution = Vec<Move>;

    fn distance(&self, node: &Self::Node) -> Result<u8> {
        Ok(self.0.known_distance(&node.position)?.within(self.0.definition())?.moves())
    }

    fn nearer(&self, node: &Self::Node, distance: u8) -> Result<Vec<PathStep<Move, Self::Node>>> {
        let mut nearer = Vec::new();
        for step in node.steps(&*self.0).filter(|step| step.cost <= distance) {
            let reached = self.0.known_distance(&step.to.position)?.distance();
            if reached.is_some_and(|reached| reached.moves() + step.cost == distance) {
                nearer.push(step);
            }
        }
        Ok(nearer)
    }

    fn check_dead_end(&self, node: &Self::Node, _distance: u8) -> Result<()> {
        if node.state == CanonicalState::START {
            return Err(inconsistent(self.0.definition().layout(), self.0.place(&node.position)));
        }
        Ok(())
    }

    fn key(&self, node: &Self::Node) -> Self::Node {
        *node
    }

    fn solution(&self, _start: &Self::Node, path: &[PathStep<Move, Self::Node>]) -> Result<Vec<Move>> {
        Ok(path.iter().map(|step| step.turn).collect())
    }
}
