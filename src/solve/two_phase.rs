//! Kociemba's two-phase algorithm: into H by phase 1, home by phase 2.
//!
//! Phase 1 goes through all ways into H of a length, guided by exact distances to H, so that every node it visits leads to
//! one. For each position in H that it reaches, the table of phase 2 tells whether the whole becomes short enough. It is
//! done for the three axes, and for the position and its inverse: the six searches go side by side, length by length.

use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::coset_moves::{Coset, CosetMoves};
use super::near::NearCosets;
use crate::context::Context;
use crate::error::{DataError, Error, Fault, Result};
use crate::math::nibble;
use crate::math::perm8::{Perm8, compose};
use crate::puzzle::cube3::coordinate::Layers;
use crate::puzzle::cube3::{CanonicalState, Cube, EDGES, Metric, Move, Symmetry};
use crate::query::cube3::PhaseTwo;
use crate::store::{Entries, FlatTable};
use crate::tables::{self, Definition};

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
pub struct Found {
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

/// Nodes between looks at the clock.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;
/// The longest solution that comes of taking the first way into H and a shortest one home: phase 1 takes at most 12
/// moves and phase 2 at most 18.
pub const LONGEST: u8 = 30;

impl<B: AsRef<[u8]> + Sync, E: Entries> TwoPhase<B, E> {
    /// The solver over the bytes of `phase1` and `phase2`, row after row, and a reader of `phase2-exact`.
    ///
    /// # Errors
    /// [`Error::Usage`] when their lengths are not the tables'.
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
    /// Those of the readers; [`Error::Data`] (damaged) if a solution does not solve; [`Error::Interrupted`].
    pub fn solve(
        &self,
        start: &Cube,
        goal: &Cube,
        limits: &Limits,
        ctx: &Context,
        improved: &mut (dyn FnMut(&[Move], u64) + Send),
    ) -> Result<Found> {
        let position = goal.inverse().then(start);
        let shared = Shared {
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
        Ok(Found { solution, nodes: shared.nodes.into_inner(), stopped })
    }

    fn search_all(&self, shared: &Shared<'_>) -> Result<Stopped> {
        let views = View::all(&shared.position);
        let mut roots: [Vec<Root>; STAGES] = Default::default();
        for length in 0..=LONGEST {
            for (after, roots) in roots.iter_mut().enumerate().filter(|&(after, _)| length >= FIRST_LENGTHS[after]) {
                if roots.is_empty() {
                    *roots = self.roots(&views, after);
                }
                let run = |&(root, distance): &(&Root, u8)| {
                    Search::new(self, shared, &views[usize::from(root.view)], root).run(length, distance)
                };
                let starts = self.starts(roots, length);
                if shared.limits.parallel {
                    starts.par_iter().try_for_each(run)?;
                } else {
                    starts.iter().try_for_each(run)?;
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
    fn starts<'r>(&self, roots: &'r [Root], length: u8) -> Vec<(&'r Root, u8)> {
        let (moves, phase1) = (CosetMoves::get(), self.phase1.as_ref());
        let near = roots.iter().filter_map(|root| {
            let left = length.checked_sub(root.after)?;
            Some((root, left, moves.index_within(root.coset, left)?))
        });
        // All look-ups after one another: those that miss the processor's caches then overlap.
        let distances = near.map(|(root, left, index)| (root, left, distance(phase1, index)));
        distances.filter(|&(_, left, distance)| can_end(distance, left)).map(|(root, _, d)| (root, d)).collect()
    }

    /// The positions from which phase 1 starts for solutions that end with `after` moves after phase 2.
    fn roots(&self, views: &[View], after: usize) -> Vec<Root> {
        let (mut roots, moves_table) = (Vec::new(), CosetMoves::get());
        for (view, start) in (0..).zip(views) {
            let mut add = |position: &Cube, moves: &[u8; STAGES - 1]| {
                let (coset, pieces) = (moves_table.coset(position), Permutations::of(position));
                roots.push(Root { view, coset, pieces, last: *moves, after: after as u8 });
            };
            for_each_ending(&start.position, after, &mut [0; STAGES - 1], CanonicalState::START, &mut add);
        }
        roots
    }
}

/// Up to so many moves less one are made after phase 2.
const STAGES: usize = 4;
/// From which length of all moves outside phase 2 on 0, 1, 2, … of them are made after it. Each more makes as many more ways
/// of that length, of which each is as likely as any to be a solution, but takes 13 times the positions to start from: it
/// pays when the next length would take longer.
const FIRST_LENGTHS: [u8; STAGES] = [0, 7, 9, 11];

/// Visits what is to be solved by the first two phases if `count` moves come after them, with these moves: the first of
/// them is none of H, or it could be made in phase 2.
///
/// If `x s b` is solved, so is `b x s`.
fn for_each_ending(
    position: &Cube,
    count: usize,
    moves: &mut [u8; STAGES - 1],
    state: CanonicalState,
    visit: &mut impl FnMut(&Cube, &[u8; STAGES - 1]),
) {
    if count == 0 {
        return visit(position, moves);
    }
    // Backwards: the inverses of the moves, so that the canonical order is that of a sequence.
    for turn in Move::all() {
        let Some(state) = state.next(Metric::Htm, turn.inverse()) else { continue };
        if count > 1 || !turn.is_in_h() {
            moves[count - 1] = turn.index() as u8;
            for_each_ending(&turn.cube().then(position), count - 1, moves, state, visit);
        }
    }
}

/// A position to start phase 1 from.
struct Root {
    /// The view that it belongs to.
    view: u8,
    coset: Coset,
    pieces: Permutations,
    /// The moves after phase 2, and how many.
    last: [u8; STAGES - 1],
    after: u8,
}

impl Root {
    fn last(&self) -> impl Iterator<Item = Move> {
        self.last[..usize::from(self.after)].iter().filter_map(|&turn| Move::from_index(turn.into()))
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

/// What the searches of one position share.
struct Shared<'a> {
    position: Cube,
    /// The bytes of `phase1`, and `phase2`: what they are held in is asked once, not for each look-up.
    phase1: &'a [u8],
    bounds: PhaseTwo<FlatTable<&'a [u8]>>,
    limits: &'a Limits,
    ctx: &'a Context,
    /// Only solutions of at most so many moves are of interest; -1 after the empty one.
    bound: AtomicI16,
    nodes: AtomicU64,
    spent: AtomicBool,
    best: Mutex<Best<'a>>,
}

/// The shortest solution so far, and who is told of a shorter one.
struct Best<'a> {
    solution: Option<Vec<Move>>,
    improved: &'a mut (dyn FnMut(&[Move], u64) + Send),
}

impl Shared<'_> {
    /// Why to stop after the ways into H of `length` moves have been tried.
    fn stopped(&self, length: u8) -> Option<Stopped> {
        let bound = self.bound.load(Ordering::Relaxed);
        if bound < self.limits.target.into() {
            Some(Stopped::Target)
        } else if self.spent.load(Ordering::Relaxed) {
            Some(Stopped::Budget)
        } else {
            (i16::from(length) >= bound).then_some(Stopped::Shortest)
        }
    }

    /// Whether nothing more is wanted.
    fn is_over(&self) -> bool {
        self.bound.load(Ordering::Relaxed) < i16::from(self.limits.target) || self.spent.load(Ordering::Relaxed)
    }

    /// Takes a solution, if it is still shorter than the others.
    fn offer(&self, solution: Vec<Move>) -> Result<()> {
        if !self.position.after(&solution).is_solved() {
            return Err(contradiction());
        }
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if best.solution.as_ref().is_none_or(|best| solution.len() < best.len()) {
            self.bound.store(solution.len() as i16 - 1, Ordering::Relaxed);
            (best.improved)(&solution, self.nodes.load(Ordering::Relaxed));
            best.solution = Some(solution);
        }
        Ok(())
    }

    /// Looks at the clock and the budgets after some nodes.
    fn spend(&self, nodes: u64) -> Result<()> {
        let nodes = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.limits.max_nodes.is_some_and(|most| nodes >= most) {
            self.spent.store(true, Ordering::Relaxed);
        }
        self.ctx.check()
    }
}

/// The error for tables by which a sequence would solve that does not.
#[cold]
fn contradiction() -> Error {
    DataError {
        fault: Fault::Damaged,
        table: "phase1".to_owned(),
        file: None,
        row: None,
        page: None,
        detail: "the tables of the two phases contradict each other".to_owned(),
        remedy: "verify phase1 phase2 phase2-exact".to_owned(),
    }
    .into()
}

/// The position seen along another axis, or its inverse.
struct View {
    position: Cube,
    axis: Symmetry,
    inverted: bool,
}

impl View {
    /// The six ways to look at a position, without those that look the same.
    fn all(position: &Cube) -> Vec<Self> {
        let mut views: Vec<Self> = Vec::with_capacity(6);
        for inverted in [false, true] {
            for axis in [0, 16, 32].map(Symmetry::from_index) {
                let position = if inverted { position.inverse() } else { *position };
                let position = axis.of(&position);
                if views.iter().all(|other| other.position != position) {
                    views.push(Self { position, axis, inverted });
                }
            }
        }
        views
    }

    /// Turns a solution of this view into one of the position.
    fn translate(&self, moves: &[Move]) -> Vec<Move> {
        let back = self.axis.inverse();
        let moves = moves.iter().map(|&turn| back.of_move(turn));
        if self.inverted { moves.rev().map(Move::inverse).collect() } else { moves.collect() }
    }
}

/// What phase 1 leaves to phase 2: where the pieces are.
#[derive(Clone, Copy)]
struct Permutations {
    corners: Perm8,
    edges: [u8; EDGES],
}

impl Permutations {
    /// What the moves do.
    fn turns() -> &'static [Self; Move::COUNT] {
        static TURNS: LazyLock<[Permutations; Move::COUNT]> = LazyLock::new(|| {
            std::array::from_fn(|turn| Permutations::of(&Move::from_index(turn).expect("below 18").cube()))
        });
        &TURNS
    }

    fn of(position: &Cube) -> Self {
        Self { corners: *position.corners(), edges: *position.edges() }
    }

    #[inline]
    fn then(&self, turn: &Self) -> Self {
        Self {
            corners: compose(&self.corners, &turn.corners),
            edges: turn.edges.map(|from| self.edges[usize::from(from)]),
        }
    }

    /// As a position in H: the middle edges are in their layer.
    fn layers(&self) -> Layers {
        Layers {
            corners: self.corners,
            edges: std::array::from_fn(|i| self.edges[i]),
            middle: std::array::from_fn(|i| self.edges[8 + i] & 3),
        }
    }
}

/// The search of one view of a position.
struct Search<'s, 'a, B, E> {
    solver: &'s TwoPhase<B, E>,
    shared: &'s Shared<'a>,
    view: &'s View,
    root: &'s Root,
    moves: &'static CosetMoves,
    near: &'static NearCosets,
    /// The moves made, and how many of them.
    path: [u8; LONGEST as usize],
    made: usize,
    /// Nodes that the shared count does not have yet.
    nodes: u64,
}

impl<'s, 'a, B: AsRef<[u8]> + Sync, E: Entries> Search<'s, 'a, B, E> {
    fn new(solver: &'s TwoPhase<B, E>, shared: &'s Shared<'a>, view: &'s View, root: &'s Root) -> Self {
        Self {
            solver,
            shared,
            view,
            root,
            moves: CosetMoves::get(),
            near: NearCosets::get(),
            path: [0; LONGEST as usize],
            made: 0,
            nodes: 0,
        }
    }

    /// Tries all ways into H that make, with the moves after phase 2, `length` moves.
    fn run(&mut self, length: u8, distance: u8) -> Result<()> {
        if self.shared.is_over() || i16::from(length) > self.shared.bound.load(Ordering::Relaxed) {
            return Ok(());
        }
        let left = length - self.root.after;
        let Root { coset, pieces, .. } = self.root;
        self.enter(*coset, pieces, left, distance, CanonicalState::START)?;
        self.shared.spend(std::mem::take(&mut self.nodes))
    }

    /// Makes all moves that can lead into H in `left` moves, at least 1, from a coset that is at most so far.
    fn descend(&mut self, coset: Coset, pieces: &Permutations, left: u8, state: CanonicalState) -> Result<()> {
        self.count_node()?;
        // All look-ups first: those of the distances, which miss the processor's caches, then overlap.
        let mut next = [(0, coset, 0); Move::COUNT];
        let mut count = 0;
        for turn in moves(state.allowed(Metric::Htm)) {
            let coset = self.moves.turned(coset, turn);
            if let Some(index) = self.moves.index_within(coset, left - 1) {
                next[count] = (turn.index(), coset, index);
                count += 1;
            }
        }
        let distances = next.map(|(_, _, index)| distance(self.shared.phase1, index));
        for (&(turn, coset, _), distance) in next[..count].iter().zip(distances) {
            if can_end(distance, left - 1) {
                self.make(turn, coset, pieces, left - 1, distance, state)?;
            }
            if self.shared.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// As [`Search::descend`], from a coset near H: one look-up tells what all its moves do.
    fn descend_near(
        &mut self,
        coset: Coset,
        pieces: &Permutations,
        left: u8,
        distance: u8,
        state: CanonicalState,
    ) -> Result<()> {
        self.count_node()?;
        let (index, symmetry) = self.moves.index(coset);
        let (nearer, level) = self.near.masks(index);
        let [nearer, level] = [nearer, level].map(|mask| self.moves.mask_back(symmetry, mask));
        let allowed = state.allowed(Metric::Htm);
        if left == 1 {
            return self.finish_all(moves(nearer & allowed), pieces);
        }
        let groups =
            [(distance.wrapping_sub(1), nearer), (distance, level), (distance + 1, allowed & !nearer & !level)];
        for (distance, mask) in groups.into_iter().filter(|&(distance, _)| can_end(distance, left - 1)) {
            for turn in moves(mask & allowed) {
                let coset = self.moves.turned(coset, turn);
                self.make(turn.index(), coset, pieces, left - 1, distance, state)?;
                if self.shared.is_over() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Phase 2 after each of some moves into H.
    fn finish_all(&mut self, last: impl Iterator<Item = Move>, pieces: &Permutations) -> Result<()> {
        let mut hopeless = None;
        for turn in last.filter(|turn| !turn.is_in_h()) {
            // The two quarter turns of a face differ by a half turn: what one leads to is one move from the other.
            if hopeless == Some(turn.face()) {
                continue;
            }
            self.path[self.made] = turn.index() as u8;
            self.made += 1;
            let excess = self.finish(&pieces.then(&Permutations::turns()[turn.index()]))?;
            self.made -= 1;
            hopeless = (excess > 1).then_some(turn.face());
        }
        Ok(())
    }

    /// Makes a move to a coset at `distance`, and goes on from there.
    fn make(
        &mut self,
        turn: usize,
        coset: Coset,
        pieces: &Permutations,
        left: u8,
        distance: u8,
        state: CanonicalState,
    ) -> Result<()> {
        let turned = Move::from_index(turn).and_then(|turn| state.next(Metric::Htm, turn));
        let Some(state) = turned else { return Ok(()) };
        let pieces = pieces.then(&Permutations::turns()[turn]);
        self.path[self.made] = turn as u8;
        self.made += 1;
        self.enter(coset, &pieces, left, distance, state)?;
        self.made -= 1;
        Ok(())
    }

    /// Goes on from a coset at `distance` with `left` moves of phase 1.
    fn enter(
        &mut self,
        coset: Coset,
        pieces: &Permutations,
        left: u8,
        distance: u8,
        state: CanonicalState,
    ) -> Result<()> {
        if left == 0 {
            self.finish(pieces).map(drop)
        } else if distance <= NearCosets::FARTHEST {
            self.descend_near(coset, pieces, left, distance, state)
        } else {
            self.descend(coset, pieces, left, state)
        }
    }

    #[inline]
    fn count_node(&mut self) -> Result<()> {
        self.nodes += 1;
        if self.nodes >= NODES_BETWEEN_CHECKS { self.shared.spend(std::mem::take(&mut self.nodes)) } else { Ok(()) }
    }

    /// Phase 2, from a position in H; returns how many moves too far from solved that is, at least.
    fn finish(&mut self, pieces: &Permutations) -> Result<u8> {
        let bound = self.shared.bound.load(Ordering::Relaxed);
        let Ok(left) = u8::try_from(bound - self.made as i16 - i16::from(self.root.after)) else { return Ok(u8::MAX) };
        let layers = pieces.layers();
        // The smaller table first: more of it is in the processor's caches.
        let least = self.shared.bounds.bound(&layers)?.moves();
        if least > left {
            return Ok(least - left);
        }
        let rest = match &self.solver.exact {
            Some(exact) if exact.distance(&layers)?.moves() > left => None,
            Some(exact) => exact.solutions(&layers)?.next().transpose()?,
            None => {
                let Self { shared, nodes, .. } = self;
                shared.bounds.solve(&layers, left, &mut || {
                    *nodes += 1;
                    if *nodes >= NODES_BETWEEN_CHECKS { shared.spend(std::mem::take(nodes)) } else { Ok(()) }
                })?
            }
        };
        let Some(rest) = rest else { return Ok(0) };
        let made = self.path[..self.made].iter().filter_map(|&turn| Move::from_index(turn.into()));
        let whole: Vec<Move> = joined(made.chain(rest).chain(self.root.last()));
        self.shared.offer(self.view.translate(&whole)).map(|()| 0)
    }
}

/// Whether ways into H of exactly `left` moves, the last of which is none of H, can begin at that distance from it.
///
/// A shortest way and another one make a sequence from H to H, and there is none of fewer than 5 moves that matters
/// (Rokicki): any of those goes through H earlier, or says the same with a move of H made later.
#[inline]
const fn can_end(distance: u8, left: u8) -> bool {
    distance == left || (distance < left && distance + left >= 5)
}

/// The moves of a mask, by number.
fn moves(mut mask: u32) -> impl Iterator<Item = Move> {
    std::iter::from_fn(move || {
        let turn = Move::from_index(mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(turn)
    })
}

/// A sequence with turns of the same face made one, also across turns of the opposite face.
fn joined(moves: impl Iterator<Item = Move>) -> Vec<Move> {
    let mut joined: Vec<Move> = Vec::new();
    for turn in moves {
        let last = joined.len();
        let before = joined.iter().rposition(|other| other.face() != turn.face().opposite());
        match before.filter(|&at| joined[at].face() == turn.face()) {
            Some(at) if (joined[at].quarters() + turn.quarters()).is_multiple_of(4) => drop(joined.remove(at)),
            Some(at) => joined[at] = Move::new(turn.face(), joined[at].quarters() + turn.quarters()),
            None => joined.insert(last, turn),
        }
    }
    joined
}
