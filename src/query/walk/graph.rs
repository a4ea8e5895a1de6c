//! What the walks need to know of a puzzle.

use std::hash::Hash;

use twistbase_core::error::Result;

/// The positions of a puzzle, its moves, and how far each position is from the goal.
pub trait DistanceGraph {
    /// A position, together with what the moves so far allow to follow: the state of canonical sequences, or nothing.
    type Node;
    /// A move.
    type Move;
    /// What the number of shortest paths from a node depends on.
    type Key: Copy + Eq + Hash;
    /// A path as it is handed out.
    type Solution;

    /// The distance of a node from the goal.
    ///
    /// # Errors
    /// Those of the table's reader; [`Error::Data`](twistbase_core::error::Error::Data) if the table does not hold it.
    fn distance(&self, node: &Self::Node) -> Result<u8>;

    /// The steps from a node at `distance` that bring it nearer by all that they cost, in the order in which paths are
    /// listed. A step costs at least 1 and at most `distance`.
    ///
    /// # Errors
    /// As [`DistanceGraph::distance`].
    fn nearer(&self, node: &Self::Node, distance: u8) -> Result<Vec<PathStep<Self::Move, Self::Node>>>;

    /// Called for a node at `distance` without such steps. That is right only where the order of commuting moves
    /// forbids those that there are.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) where it is not: the table contradicts itself.
    fn check_dead_end(&self, node: &Self::Node, distance: u8) -> Result<()>;

    /// Equal for two nodes only if equally many shortest paths begin at them when their distances are equal.
    fn key(&self, node: &Self::Node) -> Self::Key;

    /// What a whole path from `start` to the goal is handed out as.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the path is none.
    fn solution(&self, start: &Self::Node, path: &[PathStep<Self::Move, Self::Node>]) -> Result<Self::Solution>;
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathStep<M, N> {
    /// The move.
    pub turn: M,
    /// By how much it brings nearer, in the table's metric.
    pub cost: u8,
    /// The node that it leads to.
    pub to: N,
}
