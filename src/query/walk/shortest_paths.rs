//! All shortest paths, one after the other.

use std::fmt;

use super::graph::{DistanceGraph, PathStep};
use twistbase_core::error::Result;

/// The shortest paths from a node to the goal, found by depth-first search when they are asked for; no more than one
/// path and the steps beside it is stored.
pub struct ShortestPaths<G: DistanceGraph> {
    graph: G,
    start: G::Node,
    distance: u8,
    /// The steps taken so far.
    path: Vec<PathStep<G::Move, G::Node>>,
    /// For each of them, the steps that remain to be taken in its place; the next of them is the last.
    others: Vec<Vec<PathStep<G::Move, G::Node>>>,
    /// The distance from the end of the path to the goal.
    left: u8,
    ended: bool,
}

impl<G: DistanceGraph> ShortestPaths<G> {
    /// Those from `start`.
    ///
    /// # Errors
    /// Those of [`DistanceGraph::distance`]; the iterator's items can fail in the same ways.
    pub(crate) fn new(graph: G, start: G::Node) -> Result<Self> {
        let distance = graph.distance(&start)?;
        Ok(Self { graph, start, distance, path: Vec::new(), others: Vec::new(), left: distance, ended: false })
    }

    /// The length of each of them, in the table's metric.
    pub fn distance(&self) -> u8 {
        self.distance
    }

    /// Completes the path, taking the first step everywhere and another one instead of those that lead to a dead end;
    /// `false` if none is left.
    fn descend(&mut self) -> Result<bool> {
        while self.left > 0 {
            let node = self.path.last().map_or(&self.start, |step| &step.to);
            let mut nearer = self.graph.nearer(node, self.left)?;
            nearer.reverse();
            if let Some(first) = nearer.pop() {
                self.others.push(nearer);
                self.take(first);
            } else {
                self.graph.check_dead_end(node, self.left)?;
                if !self.retreat() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Goes back to the last place where another step remains, and takes it; `false` if there is none.
    fn retreat(&mut self) -> bool {
        while let Some(step) = self.path.pop() {
            self.left += step.cost;
            if let Some(other) = self.others.last_mut().and_then(Vec::pop) {
                self.take(other);
                return true;
            }
            self.others.pop();
        }
        false
    }

    fn take(&mut self, step: PathStep<G::Move, G::Node>) {
        self.left -= step.cost;
        self.path.push(step);
    }

    /// Goes on to the next whole path; `false` if there is none.
    fn advance(&mut self) -> Result<bool> {
        if self.path.is_empty() || self.retreat() { self.descend() } else { Ok(false) }
    }
}

impl<G: DistanceGraph> Iterator for ShortestPaths<G> {
    type Item = Result<G::Solution>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = self.advance();
        // At the goal there is one path, and no step to go back to.
        self.ended = !matches!(found, Ok(true)) || self.distance == 0;
        match found {
            Ok(true) => Some(self.graph.solution(&self.start, &self.path)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl<G: DistanceGraph> std::iter::FusedIterator for ShortestPaths<G> {}

impl<G: DistanceGraph> fmt::Debug for ShortestPaths<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("ShortestPaths");
        fields.field("distance", &self.distance).field("left", &self.left).field("ended", &self.ended);
        fields.finish_non_exhaustive()
    }
}
