//! The search from one root: phase 1, and phase 2 from each position in H that it reaches.

use arrayvec::ArrayVec;
use std::sync::atomic::Ordering;

use super::roots::{Permutations, PhaseOneRoot, View};
use super::shared::TwoPhaseShared;
use super::{LONGEST, NODES_BETWEEN_CHECKS};
use crate::coset_moves::{Coset, CosetMoves, can_end};
use crate::near::NearCosets;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{CanonicalState, Cube, Face, Metric, Move};
use twistbase_query::LowerBound;
use twistbase_query::cube3::PhaseTwo;
use twistbase_store::Entries;

/// Positions of phase 1 that are taken on at once, and positions in H.
///
/// What they need from the tables misses the processor's caches, but a processor has a dozen or two misses under way if
/// none waits for another: so the look-ups of many positions are made one after the other, before any is gone on from.
/// (That takes a sixth off the time of going on from each position at once.)
const WAVE: usize = 16;
/// The most moves that a wave has to look at.
const CANDIDATES: usize = WAVE * Move::COUNT;

/// Where a search starts, and the moves that it may begin with, a bit each.
#[derive(Clone, Copy)]
pub(super) struct PhaseOneStart<'s> {
    pub root: &'s PhaseOneRoot,
    pub first: u32,
}

/// A position on the way into H.
#[derive(Clone, Copy)]
struct PhaseOneNode<'s> {
    root: &'s PhaseOneRoot,
    coset: Coset,
    pieces: Permutations,
    /// Where its canonical sequence stands.
    state: CanonicalState,
    /// The moves that may follow, a bit each: at a start fewer than the sequence allows.
    follow: u32,
    /// The distance of its coset from H.
    distance: u8,
    /// The moves that it has left to get there.
    left: u8,
    /// The moves made, and how many.
    made: u8,
    path: [u8; LONGEST as usize],
}

impl<'s> PhaseOneNode<'s> {
    fn start(PhaseOneStart { root, first }: PhaseOneStart<'s>, left: u8) -> Self {
        let &PhaseOneRoot { coset, distance, pieces, .. } = root;
        let path = [0; LONGEST as usize];
        Self { root, coset, pieces, state: CanonicalState::START, follow: first, distance, left, made: 0, path }
    }

    /// After a move, to a coset at that distance; `None` if the move may not follow.
    #[inline]
    fn turned(&self, metric: Metric, turn: Move, coset: Coset, distance: u8) -> Option<Self> {
        let state = self.state.next(metric, turn)?;
        let (follow, pieces) = (state.allowed(metric), self.pieces.then(&Permutations::turns()[turn.index()]));
        let (left, made) = (self.left - 1, self.made + 1);
        let mut next = Self { coset, pieces, state, follow, distance, left, made, ..*self };
        next.path[usize::from(self.made)] = turn.index() as u8;
        Some(next)
    }

    /// The moves made.
    fn moves(&self) -> impl Iterator<Item = Move> {
        self.path[..usize::from(self.made)].iter().filter_map(|&turn| Move::from_index(turn.into()))
    }

    /// With its last move, a quarter turn, made the other way.
    fn turned_back(&self) -> Option<Self> {
        let (last, before) = (usize::from(self.made).checked_sub(1)?, self.path);
        let turn = Move::from_index(before[last].into())?;
        let half = Move::new(turn.face(), 2);
        let mut other = Self { pieces: self.pieces.then(&Permutations::turns()[half.index()]), ..*self };
        other.path[last] = turn.inverse().index() as u8;
        Some(other)
    }
}

/// A move from the node of a wave with that number, and the number of the coset that it leads to.
#[derive(Clone, Copy)]
struct PhaseOneCandidate {
    node: u8,
    turn: Move,
    coset: Coset,
    index: u32,
}

/// Exact distances in H, over any reader: the search is compiled once for all.
pub(super) trait ExactInH: Sync {
    /// A shortest solution in H, if it has at most `left` moves.
    fn shortest_within(&self, h_position: &PhaseTwoPosition, left: u8) -> Result<Option<Vec<Move>>>;
}

impl<E: Entries> ExactInH for PhaseTwo<E> {
    fn shortest_within(&self, h_position: &PhaseTwoPosition, left: u8) -> Result<Option<Vec<Move>>> {
        if self.distance(h_position)?.moves() > left {
            return Ok(None);
        }
        self.solutions(h_position)?.next().transpose()
    }
}

/// The search from some roots.
pub(super) struct PhaseOneSearch<'s, 'a> {
    exact: Option<&'s dyn ExactInH>,
    shared: &'s TwoPhaseShared<'a>,
    views: &'s [View],
    moves: &'static CosetMoves,
    near: &'static NearCosets,
    /// Where to go on: from the last first.
    open: Vec<PhaseOneNode<'s>>,
    /// Positions in H to be looked up.
    reached: Vec<PhaseOneNode<'s>>,
    /// Room for the moves of a wave, and the distances that they lead to.
    candidates: Box<[PhaseOneCandidate; CANDIDATES]>,
    distances: [u8; CANDIDATES],
    /// Nodes that the shared count does not have yet.
    nodes: u64,
}

impl<'s, 'a> PhaseOneSearch<'s, 'a> {
    pub fn new(exact: Option<&'s dyn ExactInH>, shared: &'s TwoPhaseShared<'a>, views: &'s [View]) -> Self {
        let (moves, near) = (CosetMoves::get(), NearCosets::get(shared.metric));
        let coset = moves.coset(&Cube::SOLVED);
        let none = PhaseOneCandidate { node: 0, turn: Move::new(Face::U, 1), coset, index: 0 };
        Self {
            exact,
            shared,
            views,
            moves,
            near,
            open: Vec::new(),
            reached: Vec::new(),
            candidates: Box::new([none; CANDIDATES]),
            distances: [0; CANDIDATES],
            nodes: 0,
        }
    }

    /// Tries all ways into H that make, with the moves after phase 2, `length` moves, from these starts.
    pub fn run(&mut self, starts: &[PhaseOneStart<'s>], length: u8) -> Result<()> {
        let mut starts = starts.iter();
        let is_pointless = i16::from(length) > self.shared.bound.load(Ordering::Relaxed);
        while !is_pointless && !self.shared.is_over() {
            for &start in starts.by_ref().take(WAVE.saturating_sub(self.open.len())) {
                self.open.push(PhaseOneNode::start(start, length - start.root.after));
            }
            let is_last = self.open.is_empty();
            self.wave()?;
            if self.reached.len() >= WAVE || is_last {
                self.finish_reached()?;
            }
            if is_last {
                break;
            }
        }
        self.open.clear();
        self.reached.clear();
        self.shared.meter.spend(std::mem::take(&mut self.nodes))
    }

    /// Goes on from the last open positions.
    fn wave(&mut self) -> Result<()> {
        let metric = self.shared.metric;
        let mut wave = ArrayVec::<PhaseOneNode<'s>, WAVE>::new();
        wave.extend(self.open.drain(self.open.len().saturating_sub(WAVE)..));
        let mut count = 0;
        for (number, node) in (0..).zip(&wave) {
            if node.left == 0 {
                self.reached.push(*node);
            } else if node.distance <= NearCosets::FARTHEST {
                self.descend_near(node)?;
            } else {
                self.count_node()?;
                for turn in Move::of_mask(node.follow) {
                    let coset = self.moves.turned(node.coset, turn);
                    let (index, bound) = self.moves.index_and_bound(coset);
                    // Written in any case, which is cheaper than a branch that cannot be foreseen.
                    self.candidates[count] = PhaseOneCandidate { node: number, turn, coset, index: index as u32 };
                    count += usize::from(bound < node.left);
                }
            }
        }
        for (next, found) in self.candidates[..count].iter().zip(&mut self.distances) {
            *found = self.shared.to_h.distance_beside(next.index as usize, wave[usize::from(next.node)].distance);
        }
        for (&PhaseOneCandidate { node, turn, coset, .. }, &distance) in
            self.candidates[..count].iter().zip(&self.distances)
        {
            let node = &wave[usize::from(node)];
            if can_end(distance, node.left - 1) {
                self.open.extend(node.turned(metric, turn, coset, distance));
            }
        }
        Ok(())
    }

    /// Goes on from a coset near H: one look-up, in a table that fits the cache, shows what all its moves do.
    fn descend_near(&mut self, node: &PhaseOneNode<'s>) -> Result<()> {
        self.count_node()?;
        let metric = self.shared.metric;
        let (index, symmetry) = self.moves.index(node.coset);
        let (nearer, level) = self.near.masks(index);
        let (nearer, level) = (self.moves.mask_back(symmetry, nearer), self.moves.mask_back(symmetry, level));
        let (allowed, distance, left) = (node.follow, node.distance, node.left - 1);
        if left == 0 {
            // The two quarter turns of a face differ by a half turn, which does not leave H: one stands for both.
            let clockwise = Move::of_mask(nearer & allowed).filter(|turn| turn.quarters() == 1 && !turn.is_in_h());
            self.reached.extend(clockwise.filter_map(|turn| node.turned(metric, turn, node.coset, 0)));
            return Ok(());
        }
        let groups =
            [(distance.wrapping_sub(1), nearer), (distance, level), (distance + 1, allowed & !nearer & !level)];
        for (distance, mask) in groups.into_iter().filter(|&(distance, _)| can_end(distance, left)) {
            for turn in Move::of_mask(mask & allowed) {
                let coset = self.moves.turned(node.coset, turn);
                let Some(next) = node.turned(metric, turn, coset, distance) else { continue };
                if distance <= NearCosets::FARTHEST {
                    self.descend_near(&next)?;
                } else {
                    self.open.push(next);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn count_node(&mut self) -> Result<()> {
        self.nodes += 1;
        if self.nodes >= NODES_BETWEEN_CHECKS {
            self.shared.meter.spend(std::mem::take(&mut self.nodes))
        } else {
            Ok(())
        }
    }

    /// Phase 2, from the positions reached in H.
    fn finish_reached(&mut self) -> Result<()> {
        let reached = std::mem::take(&mut self.reached);
        let h_position: Vec<PhaseTwoPosition> = reached.iter().map(|node| node.pieces.h_position()).collect();
        // The smaller table first: more of it is in the processor's caches.
        let bounds = self.shared.bounds.bounds(&h_position)?;
        for ((node, h_position), least) in reached.iter().zip(&h_position).zip(bounds) {
            let excess = self.finish(node, h_position, least)?;
            // The last move made the other way leads to what is a half turn from here.
            let half = self.shared.metric.cost(Move::new(Face::U, 2));
            if let Some(other) = node.turned_back().filter(|_| excess <= half.into()) {
                let h_position = other.pieces.h_position();
                self.finish(&other, &h_position, self.shared.bounds.bound(&h_position)?)?;
            }
            if self.shared.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// Phase 2, from a position in H that is `least` moves from solved or more; returns how many moves too far that is,
    /// at least.
    fn finish(&mut self, node: &PhaseOneNode<'s>, h_position: &PhaseTwoPosition, least: LowerBound) -> Result<i16> {
        let left = self.shared.bound.load(Ordering::Relaxed) - i16::from(node.made + node.root.after);
        let excess = i16::from(least.moves()) - left;
        let Ok(left) = u8::try_from(left) else { return Ok(excess) };
        if excess > 0 {
            return Ok(excess);
        }
        let rest = match self.exact {
            Some(exact) => exact.shortest_within(h_position, left)?,
            None => {
                let Self { shared, nodes, .. } = self;
                shared.bounds.solve(h_position, left, &mut || {
                    *nodes += 1;
                    if *nodes >= NODES_BETWEEN_CHECKS {
                        shared.meter.spend(std::mem::take(nodes))?;
                    }
                    Ok(true)
                })?
            }
        };
        let Some(rest) = rest else { return Ok(0) };
        self.shared.meter.count(std::mem::take(&mut self.nodes));
        let whole: Vec<Move> = joined(node.moves().chain(rest).chain(node.root.last()));
        self.shared.offer(self.views[usize::from(node.root.view)].translate(&whole)).map(|()| 0)
    }
}

/// A sequence with turns of the same face made one, also across turns of the opposite face.
pub(super) fn joined(moves: impl Iterator<Item = Move>) -> Vec<Move> {
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
