//! Kociemba's two-phase algorithm: into H by phase 1, home by phase 2.
//!
//! Phase 1 goes through all ways into H of a length, guided by exact distances to H, so that every node it visits leads to
//! one. For each position in H that it reaches, the table of phase 2 tells whether the whole becomes short enough. It is
//! done for the three axes, and for the position and its inverse: the six searches go side by side, length by length.

mod roots;
mod search;
pub(in crate::solve) mod shared;

use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU64};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::coset_moves::{CosetMoves, can_end};
use crate::context::Context;
use crate::error::Result;
use crate::math::nibble;
use crate::puzzle::cube3::{CanonicalState, Cube, Metric, Move};
use crate::query::cube3::PhaseTwo;
use crate::store::{Entries, FlatTable};
use crate::tables::{self, Definition};

use roots::{FIRST_LENGTHS, Permutations, PhaseOneRoot, STAGES, View, for_each_ending};
use search::PhaseOneSearch;
use shared::{Best, TwoPhaseShared};

/// The two-phase solver over its tables: `phase1` and `phase2` as bytes in memory or mapped, and `phase2-exact` over any
/// reader, if there is one.
#[derive(Debug)]
pub struct TwoPhase<B, E> {
    phase1: B,
    phase2: B,
    exact: Option<PhaseTwo<E>>,
}

/// When a search ends.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A solution of at most so many moves is good enough. All positions have one of 20.
    pub target: u8,
    /// Longer solutions than this are of no interest: at least `target`, and at most [`LONGEST`], of which there is
    /// always one at once.
    pub longest: u8,
    /// Time to stop.
    pub deadline: Option<Instant>,
    /// Nodes (positions visited by either phase) to stop after.
    pub max_nodes: Option<u64>,
    /// Whether the six searches share the threads of rayon's pool. With one thread, the same solution comes out each
    /// time.
    pub parallel: bool,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwoPhaseFound {
    /// The shortest solution met, if any.
    pub solution: Option<Vec<Move>>,
    /// Nodes visited.
    pub nodes: u64,
    /// Why it ended.
    pub stopped: Stopped,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The solution is as short as was asked for.
    Target,
    /// There is no shorter one: everything shorter has been tried.
    Shortest,
    /// Time or nodes are spent.
    Budget,
}

/// Roots that a thread takes on at once.
const ROOTS_AT_ONCE: usize = 32;
/// Nodes between looks at the clock.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;
/// The longest solution that comes of taking the first way into H and a shortest one home: phase 1 takes at most 12
/// moves and phase 2 at most 18.
pub const LONGEST: u8 = 30;

impl<B: AsRef<[u8]> + Sync, E: Entries> TwoPhase<B, E> {
    /// The solver over the bytes of `phase1` and `phase2`, row after row, and a reader of `phase2-exact`.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::error::Error::Usage) when their lengths are not the tables'.
    pub fn new(phase1: B, phase2: B, exact: Option<PhaseTwo<E>>) -> Result<Self> {
        // Checks the lengths.
        FlatTable::new(*tables::phase_one(Metric::Htm).layout(), phase1.as_ref())?;
        bounds(phase2.as_ref())?;
        Ok(Self { phase1, phase2, exact })
    }

    /// Whether it has exact distances in H.
    pub fn is_exact(&self) -> bool {
        self.exact.is_some()
    }

    /// Searches a sequence that leads from `start` to `goal`; `improved` gets each solution that is shorter than those
    /// before, with the nodes visited so far.
    ///
    /// # Errors
    /// Those of the readers; [`Error::Data`](crate::error::Error::Data) (damaged) if a solution does not solve; [`Error::Interrupted`](crate::error::Error::Interrupted).
    pub fn solve(
        &self,
        start: &Cube,
        goal: &Cube,
        limits: &Limits,
        ctx: &Context,
        improved: &mut (dyn FnMut(&[Move], u64) + Send),
    ) -> Result<TwoPhaseFound> {
        let position = goal.inverse().then(start);
        let shared = TwoPhaseShared {
            position,
            phase1: self.phase1.as_ref(),
            bounds: bounds(self.phase2.as_ref())?,
            limits,
            ctx,
            bound: AtomicI16::new(limits.longest.min(LONGEST).into()),
            nodes: AtomicU64::new(0),
            spent: AtomicBool::new(false),
            best: Mutex::new(Best { solution: None, improved }),
        };
        let stopped = self.search_all(&shared)?;
        let Best { solution, .. } = shared.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(TwoPhaseFound { solution, nodes: shared.nodes.into_inner(), stopped })
    }

    fn search_all(&self, shared: &TwoPhaseShared<'_>) -> Result<Stopped> {
        let views = View::all(&shared.position);
        let mut roots: [Vec<PhaseOneRoot>; STAGES] = Default::default();
        for length in 0..=LONGEST {
            for (after, roots) in roots.iter_mut().enumerate().filter(|&(after, _)| length >= FIRST_LENGTHS[after]) {
                if roots.is_empty() {
                    *roots = self.roots(&views, after);
                }
                let starts = self.starts(roots, length);
                let run = |starts: &[_]| PhaseOneSearch::new(self, shared, &views).run(starts, length);
                if shared.limits.parallel {
                    starts.par_chunks(ROOTS_AT_ONCE).try_for_each(run)?;
                } else {
                    run(&starts)?;
                }
                if shared.is_over() {
                    break;
                }
            }
            if let Some(stopped) = shared.stopped(length) {
                return Ok(stopped);
            }
        }
        Ok(Stopped::Shortest)
    }

    /// Those roots from which there may be solutions with `length` moves outside phase 2, with their distances from H.
    fn starts<'r>(&self, roots: &'r [PhaseOneRoot], length: u8) -> Vec<(&'r PhaseOneRoot, u8)> {
        let (moves, phase1) = (CosetMoves::get(), self.phase1.as_ref());
        let near = roots.iter().filter_map(|root| {
            let left = length.checked_sub(root.after)?;
            let (index, bound) = moves.index_and_bound(root.coset);
            (bound <= left).then_some((root, left, index))
        });
        // All look-ups after one another: those that miss the processor's caches then overlap.
        let near: Vec<_> = near.collect();
        let distances: Vec<u8> = near.iter().map(|&(_, _, index)| distance(phase1, index)).collect();
        let starts = near.iter().zip(distances).filter(|&(&(_, left, _), distance)| can_end(distance, left));
        starts.map(|(&(root, ..), distance)| (root, distance)).collect()
    }

    /// The positions from which phase 1 starts for solutions that end with `after` moves after phase 2.
    fn roots(&self, views: &[View], after: usize) -> Vec<PhaseOneRoot> {
        let (mut roots, moves_table) = (Vec::new(), CosetMoves::get());
        for (view, start) in (0..).zip(views) {
            let mut add = |position: &Cube, moves: &[u8; STAGES - 1]| {
                let (coset, pieces) = (moves_table.coset(position), Permutations::of(position));
                roots.push(PhaseOneRoot { view, coset, pieces, last: *moves, after: after as u8 });
            };
            for_each_ending(&start.position, after, &mut [0; STAGES - 1], CanonicalState::START, &mut add);
        }
        roots
    }
}

#[inline]
fn distance(phase1: &[u8], index: usize) -> u8 {
    nibble::pick(phase1[index / 2], index)
}

/// The table of H' over its bytes.
fn bounds(bytes: &[u8]) -> Result<PhaseTwo<FlatTable<&[u8]>>> {
    let definition = tables::phase_two(Metric::Htm, false);
    Ok(PhaseTwo::over(definition, FlatTable::new(*definition.layout(), bytes)?))
}
