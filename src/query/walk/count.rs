//! How many shortest paths there are.

use hashbrown::HashMap;

use super::graph::DistanceGraph;
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// A number of paths, or several such numbers that differ in which paths are counted as one.
pub(crate) trait PathCount<Key>: Copy {
    /// At the goal: the path without steps.
    const ONE: Self;

    /// At a node from which a step leads to each of `branches`: nodes of these keys, where so many paths begin.
    fn sum(branches: &[(Key, Self)]) -> Self;
}

impl<Key> PathCount<Key> for u64 {
    const ONE: Self = 1;

    fn sum(branches: &[(Key, Self)]) -> Self {
        branches.iter().map(|(_, count)| count).sum()
    }
}

/// The number of the shortest paths from `start`, which is at `distance`: those that
/// [`ShortestPaths`](super::ShortestPaths) lists. Each node on them is expanded once for each distance at which it is
/// met.
///
/// # Errors
/// Those of [`DistanceGraph::distance`]; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
pub(crate) fn count_paths<G, C>(graph: &G, start: &G::Node, distance: u8, ctx: &Context) -> Result<C>
where
    G: DistanceGraph,
    C: PathCount<G::Key>,
{
    PathCounter { graph, known: HashMap::new(), ctx }.count(start, graph.key(start), distance)
}

struct PathCounter<'a, G: DistanceGraph, C> {
    graph: &'a G,
    /// By key and distance: where the goal asks more than the key tells, one node can be met at two distances.
    known: HashMap<(G::Key, u8), C>,
    ctx: &'a Context,
}

impl<G: DistanceGraph, C: PathCount<G::Key>> PathCounter<'_, G, C> {
    fn count(&mut self, node: &G::Node, key: G::Key, distance: u8) -> Result<C> {
        if distance == 0 {
            return Ok(C::ONE);
        }
        let key = (key, distance);
        if let Some(&count) = self.known.get(&key) {
            return Ok(count);
        }
        self.ctx.check()?;
        let nearer = self.graph.nearer(node, distance)?;
        if nearer.is_empty() {
            self.graph.check_dead_end(node, distance)?;
        }
        let mut branches = Vec::with_capacity(nearer.len());
        for step in nearer {
            let to = self.graph.key(&step.to);
            branches.push((to, self.count(&step.to, to, distance - step.cost)?));
        }
        let count = C::sum(&branches);
        self.known.insert(key, count);
        Ok(count)
    }
}
