//! The search from some positions to a depth.

use super::bounds::Bounds;
use super::heuristic::Heuristic;
use super::node::{End, MoveTables, OptimalNode};
use super::orders::{LookUp, LookUps};
use super::shared::OptimalShared;
use super::{AXES, LOOK_UPS};
use crate::packed_cube::{CubeKernel, CubeWork, on_this_processor};
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::{Metric, Move};

/// Positions that are gone on from at once.
///
/// What they need from the table misses the processor's caches, but a processor has a dozen misses and more under way
/// if none waits for another: so the moves of many positions are made first, then looked up one after the other.
const WAVE: usize = 32;
/// The most moves that a wave has to look at.
const CANDIDATES: usize = WAVE * Move::COUNT;
/// Nodes between looks at the clock.
const NODES_BETWEEN_CHECKS: u64 = 1 << 15;
/// The faces, and the turns of each.
const FACES: usize = 6;
const TURNS_OF_FACE: usize = 3;

/// A move made at a node of the wave.
#[derive(Clone, Copy)]
struct OptimalCandidate {
    /// The edges of what is looked up.
    edges: [u8; 16],
    /// The key of what is looked up, then where it is.
    at: usize,
    /// What was seen so far.
    bounds: Bounds,
    /// The look-ups that remain.
    look_ups: LookUps,
    node: u8,
    /// The move that the side that moves on makes.
    made: u8,
    /// The other turns of the face that may be made, a bit each, while none of them is looked up.
    siblings: u8,
    /// Moves left after it.
    left: u8,
}

/// By how many moves turns of a face differ at most.
const fn turns_apart(metric: Metric) -> u8 {
    match metric {
        Metric::Htm => 1,
        Metric::Qtm => 2,
    }
}

/// The search of one thread.
pub(super) struct OptimalSearch<'s, 'a, G> {
    heuristic: &'s G,
    shared: &'s OptimalShared<'a>,
    tables: &'static MoveTables,
    /// Where to go on: from the last first.
    open: Vec<OptimalNode>,
    /// The nodes that are gone on from, and at which end.
    wave: Vec<OptimalNode>,
    ends: [End; WAVE],
    /// The moves that are not ruled out, and those that wait for what a turn of the same face tells.
    candidates: Vec<OptimalCandidate>,
    siblings: Vec<OptimalCandidate>,
    /// Nodes and look-ups that the shared counts do not have yet.
    nodes: u64,
    look_ups: u64,
    /// All nodes.
    visited: u64,
}

impl<'s, 'a, G: Heuristic> OptimalSearch<'s, 'a, G> {
    pub fn new(heuristic: &'s G, shared: &'s OptimalShared<'a>) -> Self {
        Self {
            heuristic,
            shared,
            tables: MoveTables::get(),
            open: Vec::new(),
            wave: Vec::with_capacity(WAVE),
            ends: [End::Front; WAVE],
            candidates: Vec::with_capacity(CANDIDATES),
            siblings: Vec::with_capacity(CANDIDATES),
            nodes: 0,
            look_ups: 0,
            visited: 0,
        }
    }

    /// Goes on from a node to the end; returns the number of nodes.
    pub fn run(&mut self, node: OptimalNode) -> Result<u64> {
        let before = self.visited;
        self.open.push(node);
        let result = on_this_processor(&mut *self);
        self.open.clear();
        result.and(self.spend()).map(|()| self.visited - before)
    }

    /// Goes on from the last open nodes.
    #[inline(always)]
    fn wave<K: CubeKernel>(&mut self, kernel: K) -> Result<()> {
        self.wave.clear();
        self.wave.extend(self.open.drain(self.open.len().saturating_sub(WAVE)..));
        self.nodes += self.wave.len() as u64;
        self.visited += self.wave.len() as u64;
        self.candidates.clear();
        for number in 0..self.wave.len() {
            self.make_moves(number)?;
        }
        // First a turn of each face, then the others of faces that it does not rule out.
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut siblings = std::mem::take(&mut self.siblings);
        siblings.clear();
        self.look_up(kernel, &mut candidates, Some(&mut siblings));
        self.look_up(kernel, &mut siblings, None);
        candidates.extend_from_slice(&siblings);
        for _ in 1..if G::TELLS_BOUNDS { LOOK_UPS - 1 } else { AXES } {
            self.look_up(kernel, &mut candidates, None);
        }
        let metric = self.heuristic.metric();
        for candidate in &candidates {
            let number = usize::from(candidate.node) % WAVE;
            let (node, end) = (&self.wave[number], self.ends[number]);
            if let Some(made) = Move::from_index(candidate.made.into()) {
                self.open.extend(node.after(kernel, self.tables, end, end.made(made), candidate.bounds, metric));
            }
        }
        (self.candidates, self.siblings) = (candidates, siblings);
        if self.nodes >= NODES_BETWEEN_CHECKS { self.spend() } else { Ok(()) }
    }

    /// Makes a turn of each face at a node of the wave.
    #[inline(always)]
    fn make_moves(&mut self, number: usize) -> Result<()> {
        let (node, metric) = (&self.wave[number], self.heuristic.metric());
        let (front, back) = (node.allowed(End::Front, metric), node.allowed(End::Back, metric));
        if node.left == 1 {
            return self.finish(number, front & back);
        }
        // The end with fewer moves.
        let (end, made) = if G::TELLS_BOUNDS && back.count_ones() < front.count_ones() {
            (End::Back, inverses(back))
        } else {
            (End::Front, front)
        };
        self.ends[number] = end;
        let look_ups = if G::TELLS_BOUNDS {
            *self.tables.orders.of(end, node.bounds, node.left, self.shared.others)
        } else {
            [THREE_AXES; AXES]
        };
        for face in 0..FACES {
            let turns = made >> (TURNS_OF_FACE * face) & 7;
            if turns != 0 {
                // A turn of an axis at one end does not change what the other end sees along it.
                let same = AXES * (1 - end as usize) + face % AXES;
                self.candidates.push(OptimalCandidate {
                    edges: [0; 16],
                    at: 0,
                    bounds: Bounds::default().with(same, node.bounds.get(same)),
                    look_ups: look_ups[face % AXES],
                    node: number as u8,
                    made: (TURNS_OF_FACE * face) as u8 + turns.trailing_zeros() as u8,
                    siblings: (turns & (turns - 1)) as u8,
                    left: node.left - 1,
                });
            }
        }
        Ok(())
    }

    /// Makes a look-up of each candidate, and drops those that it rules out. Puts to `siblings` the other turns of the
    /// faces that it does not rule out.
    #[inline(always)]
    fn look_up<K: CubeKernel>(
        &mut self,
        kernel: K,
        candidates: &mut Vec<OptimalCandidate>,
        mut siblings: Option<&mut Vec<OptimalCandidate>>,
    ) {
        self.look_ups += candidates.len() as u64;
        for candidate in candidates.iter_mut() {
            let node = &self.wave[usize::from(candidate.node)];
            let look_up = LookUp::first(candidate.look_ups);
            let seen = node.seen_after(kernel, self.tables, look_up, usize::from(candidate.made));
            candidate.at = self.heuristic.key(kernel, &seen) as usize;
            candidate.edges = seen.edges;
        }
        for candidate in candidates.iter_mut() {
            candidate.at = self.heuristic.index(kernel, candidate.at as u32, &candidate.edges);
            self.heuristic.prefetch(kernel, candidate.at);
        }
        let apart = turns_apart(self.heuristic.metric());
        let mut kept = 0;
        for i in 0..candidates.len() {
            let mut candidate = candidates[i];
            let look_up = LookUp::first(candidate.look_ups);
            let before =
                if G::TELLS_BOUNDS { 0 } else { self.wave[usize::from(candidate.node)].bounds.get(look_up.number()) };
            let bound = self.heuristic.bound(candidate.at, before);
            if let Some(siblings) = &mut siblings
                && candidate.siblings != 0
                && bound <= candidate.left + apart
            {
                let first = candidate.made - candidate.made % TURNS_OF_FACE as u8;
                let mut turns = candidate.siblings;
                while turns != 0 {
                    siblings.push(OptimalCandidate {
                        made: first + turns.trailing_zeros() as u8,
                        siblings: 0,
                        ..candidate
                    });
                    turns &= turns - 1;
                }
            }
            candidate.bounds = candidate.bounds.with(look_up.number(), bound);
            candidate.look_ups >>= 8;
            candidates[kept] = candidate;
            kept += usize::from(!candidate.bounds.are_hopeless(candidate.left));
        }
        candidates.truncate(kept);
    }

    /// The last move.
    fn finish(&mut self, number: usize, allowed: u32) -> Result<()> {
        let node = &self.wave[number];
        for turn in Move::of_mask(allowed) {
            let [before, after] = node.neighbours().map(|turn| turn.map(Move::face));
            // Two quarter turns before and after it would be three of one face.
            let thrice = before == Some(turn.face()) && after == before;
            if !thrice && node.is_solved_by(self.tables, turn) {
                self.shared.offer(&node.ended(turn).moves())?;
            }
        }
        Ok(())
    }

    fn spend(&mut self) -> Result<()> {
        self.shared.spend(std::mem::take(&mut self.nodes), std::mem::take(&mut self.look_ups))
    }
}

/// The look-ups along the three axes of a position that moved on.
const THREE_AXES: LookUps = {
    let mut look_ups = 0;
    let mut axis = AXES;
    while axis > 0 {
        axis -= 1;
        look_ups = LookUp::new(axis, End::Front).before(look_ups);
    }
    look_ups
};

/// The inverses of some moves, a bit each.
#[inline(always)]
const fn inverses(moves: u32) -> u32 {
    (moves & 0o111_111) << 2 | moves & 0o222_222 | (moves & 0o444_444) >> 2
}

impl<G: Heuristic> CubeWork for &mut OptimalSearch<'_, '_, G> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<K: CubeKernel>(self, kernel: K) -> Result<()> {
        while !self.open.is_empty() && !self.shared.meter.is_over() {
            self.wave(kernel)?;
        }
        Ok(())
    }
}
