//! The first moves of a search: how it is split, and in which order its parts are searched.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::heuristic::{Heuristic, first_bounds};
use super::node::{MoveTables, OptimalNode};
use super::search::OptimalSearch;
use super::shared::OptimalShared;
use crate::error::Result;
use crate::puzzle::cube3::{Cube, Metric, Move, Symmetry};
use crate::solve::packed_cube::Portable;

/// First moves by which a search is split, once the depth before had more than so many nodes: many parts can be put in
/// order and shared among threads, but each is looked up anew for each depth.
const SPLITS: [(u8, u64); 2] = [(3, 20_000), (4, 20_000_000)];

/// The positions after all first moves of some number.
pub(super) struct Roots {
    /// How many first moves.
    moves: u8,
    roots: Vec<OptimalRoot>,
    /// Whether one of several positions that are images of each other is enough.
    one_of_images: bool,
}

/// A position, what leads to it, and how many nodes its search is expected to have: more of them make a solution more
/// likely.
struct OptimalRoot {
    position: Cube,
    node: OptimalNode,
    weight: f64,
}

impl Roots {
    /// The start alone. If it is symmetric and any solution will do, positions that are images of each other (or of
    /// their inverses) are not searched twice.
    ///
    /// # Errors
    /// See [`first_bounds`].
    pub fn new<G: Heuristic>(heuristic: &G, start: &Cube, any: bool) -> Result<Self> {
        let node = OptimalNode::start(start, first_bounds(heuristic, start)?, 0);
        let one_of_images = any && is_symmetric(start);
        Ok(Self { moves: 0, roots: vec![OptimalRoot { position: *start, node, weight: 0.0 }], one_of_images })
    }

    /// Searches all solutions of `depth` moves, at least 1, when those of fewer moves have been searched for; returns
    /// the number of nodes.
    pub fn search<G: Heuristic>(&mut self, heuristic: &G, shared: &OptimalShared<'_>, depth: u8) -> Result<u64> {
        self.roots.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let (next, nodes) = (AtomicUsize::new(0), AtomicU64::new(0));
        let weights: Vec<_> = self.roots.iter().map(|_| AtomicU64::new(0)).collect();
        let left = depth - self.moves;
        let work = || -> Result<()> {
            let mut search = OptimalSearch::new(heuristic, shared);
            while let number = next.fetch_add(1, Ordering::Relaxed)
                && let Some(root) = self.roots.get(number)
                && !shared.is_over()
            {
                let node = root.node.with_left(left);
                if !node.bounds.are_hopeless(left) {
                    let visited = search.run(node)?;
                    weights[number].store(visited, Ordering::Relaxed);
                    nodes.fetch_add(visited, Ordering::Relaxed);
                    shared.tell_nodes();
                }
            }
            Ok(())
        };
        if shared.limits.parallel {
            let threads = rayon::current_num_threads();
            (0..threads).into_par_iter().with_max_len(1).try_for_each(|_| work())?;
        } else {
            work()?;
        }
        for (root, visited) in self.roots.iter_mut().zip(weights) {
            // Relative to how many moves may follow: that is no sign of a solution.
            root.weight = visited.into_inner() as f64 / f64::from(root.node.follow(heuristic.metric()).max(1));
        }
        Ok(nodes.into_inner())
    }

    /// Makes further first moves, if the search of the last depth was long enough for that and the next one is deep
    /// enough.
    ///
    /// # Errors
    /// See [`first_bounds`].
    pub fn split<G: Heuristic>(&mut self, heuristic: &G, last_nodes: u64, depth: u8) -> Result<()> {
        for (moves, nodes) in SPLITS {
            while self.moves < moves && last_nodes > nodes && depth > moves + 1 {
                self.make_moves(heuristic.metric());
                if self.moves == moves {
                    for root in &mut self.roots {
                        root.node.bounds = first_bounds(heuristic, &root.position)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn make_moves(&mut self, metric: Metric) {
        let tables = MoveTables::get();
        let mut known = HashSet::new();
        let mut roots = Vec::new();
        for root in &self.roots {
            for turn in Move::all() {
                // Moves left do not matter yet.
                let Some(node) = root.node.with_left(1).turned(Portable, tables, turn, metric) else { continue };
                let position = root.position.turned(turn);
                if !self.one_of_images {
                    roots.push(OptimalRoot { position, node, weight: root.weight });
                } else if known.insert(least_image(&position)) {
                    // A solution that turns the opposite face first may be the image of one whose turns come in order.
                    // (One that turns the same face first would be a shorter solution.)
                    roots.push(OptimalRoot { position, node: node.in_any_order(), weight: root.weight });
                }
            }
        }
        (self.roots, self.moves) = (roots, self.moves + 1);
    }
}

/// The images of a position and of its inverse.
fn images(position: &Cube) -> impl Iterator<Item = Cube> {
    [*position, position.inverse()].into_iter().flat_map(|side| Symmetry::all().map(move |symmetry| symmetry.of(&side)))
}

/// Whether a symmetry other than the identity takes a position to itself.
fn is_symmetric(position: &Cube) -> bool {
    Symmetry::all().skip(1).any(|symmetry| symmetry.of(position) == *position)
}

/// The least of the images of a position, the same for all of them.
fn least_image(position: &Cube) -> [[u8; 12]; 4] {
    let pad = |corners: &[u8; 8]| std::array::from_fn(|i| corners.get(i).copied().unwrap_or(0));
    let bytes = |image: Cube| {
        [*image.edges(), *image.edge_orientations(), pad(image.corners()), pad(image.corner_orientations())]
    };
    images(position).map(bytes).min().expect("a position has images")
}
