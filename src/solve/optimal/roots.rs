//! The first moves of a search: how it is split, and in which order its parts are searched.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::heuristic::{Heuristic, first_bounds};
use super::node::{MoveTables, OptimalNode};
use super::search::OptimalSearch;
use super::shared::OptimalShared;
use crate::images;
use crate::packed_cube::Portable;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::{Cube, Metric, Move};

/// First moves by which a search is split, once the depth before had more than this number of nodes: many parts can be put in
/// order and shared among threads, but each is looked up anew for each depth. The second number is for tables of which a
/// look-up gives a bound, the first for those that have to be walked for it.
const SPLITS: [(u8, [u64; 2]); 2] = [(3, [20_000, 2_000]), (4, [20_000_000; 2])];

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
        let one_of_images = any && images::is_symmetric(start);
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
                && !shared.meter.is_over()
            {
                let node = root.node.with_left(left);
                if !node.bounds.are_hopeless(left) {
                    let visited = search.run(node)?;
                    weights[number].store(visited, Ordering::Relaxed);
                    nodes.fetch_add(visited, Ordering::Relaxed);
                    shared.tell_nodes()?;
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
            while self.moves < moves && last_nodes > nodes[usize::from(G::TELLS_BOUNDS)] && depth > moves + 1 {
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

/// The least of the images of a position and of its inverse, the same for all of them.
fn least_image(position: &Cube) -> Cube {
    images::images(position).min().unwrap_or(*position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::tests::{SUPERFLIP, position};
    use crate::packed_cube::CubeKernel;

    /// Knows which corner orientations are not solved.
    struct CornersTwisted;

    impl Heuristic for CornersTwisted {
        fn metric(&self) -> Metric {
            Metric::Htm
        }

        fn index<K: CubeKernel>(&self, _kernel: K, key: u32, _edges: &[u8; 16]) -> usize {
            key as usize
        }

        fn prefetch<K: CubeKernel>(&self, _kernel: K, _index: usize) {}

        fn bound(&self, index: usize, _before: u8) -> u8 {
            u8::from(index != 0)
        }
    }

    /// Knows nothing, and has to be walked for it.
    struct Walked;

    impl Heuristic for Walked {
        const TELLS_BOUNDS: bool = false;

        fn metric(&self) -> Metric {
            Metric::Htm
        }

        fn index<K: CubeKernel>(&self, _kernel: K, _key: u32, _edges: &[u8; 16]) -> usize {
            0
        }

        fn prefetch<K: CubeKernel>(&self, _kernel: K, _index: usize) {}

        fn bound(&self, _index: usize, _before: u8) -> u8 {
            0
        }
    }

    fn roots(start: &Cube, any: bool, moves: u8) -> Roots {
        let mut roots = Roots::new(&CornersTwisted, start, any).unwrap();
        (0..moves).for_each(|_| roots.make_moves(Metric::Htm));
        roots
    }

    /// Positions after this number of moves, whatever they are.
    fn after(start: &Cube, moves: u8) -> Vec<Cube> {
        (0..moves)
            .fold(vec![*start], |all, _| all.iter().flat_map(|at| Move::all().map(|turn| at.turned(turn))).collect())
    }

    /// 18 first moves, 243 positions after two, each reached by one sequence of those that are searched.
    #[test]
    fn every_sequence_of_first_moves_has_a_root() {
        let without_symmetry = [("R U F' L2 D", true), ("R U F' L2 D", false), (SUPERFLIP, false)];
        for (start, any) in without_symmetry.map(|(moves, any)| (position(moves), any)) {
            for (moves, count) in [(0, 1), (1, 18), (2, 243), (3, 3240)] {
                let roots = roots(&start, any, moves);
                assert_eq!((roots.roots.len(), roots.moves), (count, moves));
                let images = |all: &mut dyn Iterator<Item = Cube>| {
                    all.map(|position| (*position.corners(), *position.edges(), *position.edge_orientations()))
                        .collect::<HashSet<_>>()
                };
                let found = images(&mut roots.roots.iter().map(|root| root.position));
                assert_eq!(found.len(), count);
                if moves == 2 {
                    let two = images(&mut after(&start, 2).into_iter());
                    // All but what one move or none leads to as well.
                    assert!(found.is_subset(&two) && two.len() == 243 + 18 + 1);
                }
            }
        }
    }

    /// Where one solution is enough, every position after the first moves has an image among the roots, and no root is an
    /// image of another.
    #[test]
    fn one_of_several_images_is_kept() {
        // Known: how many positions there are one move and two from solved, up to symmetry and inversion. The superflip commutes
        // with every position.
        let known = [Some(2), Some(8)];
        let starts = [("", known), (SUPERFLIP, known), ("U2 D2", [None; 2]), ("R2 L2 U2 D2 F2 B2", [None; 2])];
        for (start, counts) in starts {
            let start = position(start);
            for (moves, count) in (1..).zip(counts) {
                let roots = roots(&start, true, moves);
                let found: HashSet<_> = roots.roots.iter().map(|root| least_image(&root.position)).collect();
                assert_eq!(found.len(), roots.roots.len());
                assert!(count.is_none_or(|count| count == found.len()), "{}", found.len());
                // A shorter sequence leads to those that are missing.
                let shorter: HashSet<_> =
                    (0..moves).flat_map(|less| after(&start, less)).map(|p| least_image(&p)).collect();
                for position in after(&start, moves) {
                    let image = least_image(&position);
                    assert!(found.contains(&image) || shorter.contains(&image));
                }
            }
        }
    }

    /// A root that stands for its images allows turns of the opposite face next, whatever was turned last: the images of such
    /// solutions may be canonical where these are not.
    #[test]
    fn any_other_face_may_follow_where_one_image_is_kept() {
        let tables = MoveTables::get();
        let may_follow = |root: &OptimalRoot, turn: Move| {
            root.node.with_left(1).turned(Portable, tables, turn, Metric::Htm).is_some()
        };
        let is_free = |root: &OptimalRoot| {
            let last = root.node.neighbours()[0].map(Move::face);
            Move::all().filter(|turn| Some(turn.face()) != last).all(|turn| may_follow(root, turn))
        };
        for (start, moves) in [("", 2), (SUPERFLIP, 2), ("U2 D2", 2), ("R2 L2 U2 D2 F2 B2", 3)] {
            let are_free = |any| roots(&position(start), any, moves).roots.iter().all(is_free);
            // Where all are searched, D, L and B are not followed by turns of U, R and F.
            assert!(are_free(true) && !are_free(false), "{start:?}");
        }
    }

    /// A longer search is split after more moves, unless hardly any would follow; each root then has bounds of its own.
    #[test]
    fn a_search_is_split_when_the_last_one_was_long() {
        let start = position("R U F' L2 D");
        for (nodes, depth, moves) in
            [(2_000, 12, 0), (2_001, 4, 0), (2_001, 5, 3), (20_000_000, 12, 3), (20_000_001, 5, 3), (20_000_001, 6, 4)]
        {
            let mut walked = Roots::new(&Walked, &start, true).unwrap();
            walked.split(&Walked, nodes, depth).unwrap();
            assert_eq!(walked.moves, if nodes > 20_000 { moves } else { 0 }, "{nodes} nodes, depth {depth}");
            let mut roots = Roots::new(&CornersTwisted, &start, true).unwrap();
            roots.split(&CornersTwisted, nodes, depth).unwrap();
            assert_eq!(roots.moves, moves, "{nodes} nodes, depth {depth}");
            for root in roots.roots.iter().step_by(97) {
                assert!(root.node.bounds == first_bounds(&CornersTwisted, &root.position).unwrap());
            }
        }
    }
}
