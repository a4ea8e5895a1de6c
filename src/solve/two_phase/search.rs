//! The search from one root: phase 1, and phase 2 from each position in H that it reaches.

use std::sync::atomic::Ordering;

use super::roots::{Permutations, Root, View};
use super::shared::Shared;
use super::{LONGEST, NODES_BETWEEN_CHECKS, TwoPhase, distance};
use crate::error::Result;
use crate::puzzle::cube3::{CanonicalState, Metric, Move};
use crate::solve::coset_moves::{Coset, CosetMoves};
use crate::solve::near::NearCosets;
use crate::store::Entries;

/// The search of one view of a position.
pub(super) struct Search<'s, 'a, B, E> {
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
    pub fn new(solver: &'s TwoPhase<B, E>, shared: &'s Shared<'a>, view: &'s View, root: &'s Root) -> Self {
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
    pub fn run(&mut self, length: u8, distance: u8) -> Result<()> {
        if self.shared.is_over() || i16::from(length) > self.shared.bound.load(Ordering::Relaxed) {
            return Ok(());
        }
        let left = length - self.root.after;
        let Root { coset, pieces, .. } = self.root;
        self.enter(*coset, pieces, left, distance, CanonicalState::START)?;
        self.shared.spend(std::mem::take(&mut self.nodes))
    }

    /// Makes all moves that can lead into H in `left` moves, at least 1, from a coset that is at most so far.
    pub fn descend(&mut self, coset: Coset, pieces: &Permutations, left: u8, state: CanonicalState) -> Result<()> {
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
    pub fn descend_near(
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
    pub fn finish_all(&mut self, last: impl Iterator<Item = Move>, pieces: &Permutations) -> Result<()> {
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
    pub fn make(
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
    pub fn enter(
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
    pub fn count_node(&mut self) -> Result<()> {
        self.nodes += 1;
        if self.nodes >= NODES_BETWEEN_CHECKS { self.shared.spend(std::mem::take(&mut self.nodes)) } else { Ok(()) }
    }

    /// Phase 2, from a position in H; returns how many moves too far from solved that is, at least.
    pub fn finish(&mut self, pieces: &Permutations) -> Result<u8> {
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
pub(super) const fn can_end(distance: u8, left: u8) -> bool {
    distance == left || (distance < left && distance + left >= 5)
}

/// The moves of a mask, by number.
pub(super) fn moves(mut mask: u32) -> impl Iterator<Item = Move> {
    std::iter::from_fn(move || {
        let turn = Move::from_index(mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(turn)
    })
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
