//! The fast search: all sequences of a length into H, on all threads.
//!
//! A node is a coset and what the moves so far did to the pieces. Nodes with equally many moves left wait in *waves*:
//! what a node needs from a table is asked for when it joins its wave, and is there when the wave is full. The last
//! moves come from [`Tails`]; bits wait in a queue in the same way.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arrayvec::ArrayVec;
use rayon::prelude::*;

use super::count::Weigher;
use super::move_masks::MoveMaskTable;
use super::places::{BitFinder, BitPlaces};
use super::tails::{Ending, Forbidden, Tail, Tails, permutations};
use crate::coset_moves::{Coset, CosetMoves};
use crate::packed_cube::{CubeKernel, CubeWork, PackedCube, on_this_processor};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::nibble;
use twistbase_levelset::SharedSet;
use twistbase_puzzle::cube3::{AXIS_SYMMETRIES, CanonicalState, Cube, Metric, Move, Symmetry};

/// Nodes in a wave.
const WAVE: usize = 32;
/// Bits in the queue.
const QUEUE: usize = 128;
/// The first moves are made in advance, so many of them: what follows is split among threads.
const SPLIT: u8 = 4;
/// First moves that a thread takes on at once.
const STARTS_AT_ONCE: usize = 64;

/// What searches need that does not change from coset to coset.
pub(super) struct SearchTables {
    forbidden: Forbidden,
    finder: BitFinder,
    /// What the moves do to the pieces, and the inverses and the motions of the symmetries.
    turns: [PackedCube; Move::COUNT],
    motions: [[PackedCube; 2]; AXIS_SYMMETRIES],
}

impl SearchTables {
    pub fn finder(&self) -> &BitFinder {
        &self.finder
    }

    pub fn new() -> Self {
        let pieces = |symmetry: Symmetry| permutations(symmetry.motion());
        Self {
            forbidden: Forbidden::new(),
            finder: BitFinder::new(BitPlaces::get()),
            turns: std::array::from_fn(|turn| permutations(&Move::from_index(turn).expect("below 18").cube())),
            motions: std::array::from_fn(|index| {
                let symmetry = Symmetry::from_index(index);
                [pieces(symmetry.inverse()), pieces(symmetry)]
            }),
        }
    }
}

/// The search of a level.
pub(super) struct LevelSearch<'a> {
    pub ground: &'a SearchTables,
    pub phase1: &'a [u8],
    /// If there is one.
    pub move_masks: Option<&'a MoveMaskTable>,
    pub tails: &'a Tails,
    pub ending: Ending,
    pub set: &'a SharedSet<'a>,
    pub weigher: Option<&'a Weigher>,
    pub ctx: &'a Context,
    /// The search ends when more bits than this are new.
    pub enough: u64,
    pub counts: SearchCounters,
    pub stopped: AtomicBool,
}

/// What a search of a level counts.
#[derive(Debug, Default)]
pub(super) struct SearchCounters {
    /// Sequences into H.
    pub sequences: AtomicU64,
    /// Bits that were not set before.
    pub positions: AtomicU64,
    /// The sum of their weights.
    pub weighted: AtomicU64,
}

impl SearchCounters {
    /// Adds what was counted; returns the positions by now.
    pub fn add(&self, counted: SearchCounts) -> u64 {
        self.sequences.fetch_add(counted.sequences, Ordering::Relaxed);
        self.weighted.fetch_add(counted.weighted, Ordering::Relaxed);
        self.positions.fetch_add(counted.positions, Ordering::Relaxed) + counted.positions
    }

    pub fn into_counted(self) -> SearchCounts {
        SearchCounts {
            sequences: self.sequences.into_inner(),
            positions: self.positions.into_inner(),
            weighted: self.weighted.into_inner(),
        }
    }
}

/// What a part of a search counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SearchCounts {
    pub sequences: u64,
    pub positions: u64,
    pub weighted: u64,
}

impl LevelSearch<'_> {
    /// Sets the bits of all sequences of `depth` moves, which must not be fewer than those of the tails.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn run(&self, representative: &Cube, depth: u8) -> Result<()> {
        let split = SPLIT.min(depth - self.tails.length());
        let mut starts = vec![CosetNode::start(representative)];
        for _ in 0..split {
            starts = starts.iter().flat_map(|node| node.followers(self.ground)).collect();
        }
        let progress = self.ctx.progress();
        progress.begin(&format!("level {depth}: search"), starts.len() as u64, "first moves");
        starts.par_chunks(STARTS_AT_ONCE).for_each(|starts| {
            if !self.is_over() {
                on_this_processor(SearchPart { level: self, starts, left: depth - split });
            }
            progress.advance(starts.len() as u64);
        });
        self.ctx.check()
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.ctx.is_cancelled()
    }
}

/// A coset on the way into H.
#[derive(Clone, Copy)]
struct CosetNode {
    /// What all moves but the last do to the pieces of the representative.
    pieces: PackedCube,
    /// The last move, or 18 where there is none.
    turn: u8,
    state: CanonicalState,
    coset: Coset,
    /// The coset's number, and the symmetry that takes it to the representative with that number.
    number: u32,
    symmetry: Symmetry,
}

impl CosetNode {
    fn start(representative: &Cube) -> Self {
        let coset = CosetMoves::get().coset(representative);
        let (turn, state) = (Move::COUNT as u8, CanonicalState::START);
        let (number, symmetry) = CosetMoves::get().index(coset);
        Self { pieces: permutations(representative), turn, state, coset, number: number as u32, symmetry }
    }

    #[inline(always)]
    fn made<K: CubeKernel>(&self, kernel: K, ground: &SearchTables) -> PackedCube {
        match ground.turns.get(usize::from(self.turn)) {
            Some(turn) => kernel.product(&self.pieces, turn),
            None => self.pieces,
        }
    }

    fn followers(&self, ground: &SearchTables) -> Vec<Self> {
        let pieces = self.made(crate::packed_cube::Portable, ground);
        let follower = |turn: Move| {
            let coset = CosetMoves::get().turned(self.coset, turn);
            let state = self.state.next(Metric::Htm, turn)?;
            let (number, symmetry) = CosetMoves::get().index(coset);
            Some(Self { pieces, turn: turn.index() as u8, state, coset, number: number as u32, symmetry })
        };
        Move::all().filter_map(follower).collect()
    }
}

/// The search from some first moves.
struct SearchPart<'a> {
    level: &'a LevelSearch<'a>,
    starts: &'a [CosetNode],
    left: u8,
}

impl CubeWork for SearchPart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<K: CubeKernel>(self, kernel: K) {
        let mut search = WaveSearch::new(self.level, self.left);
        self.starts.iter().for_each(|node| search.push(kernel, *node, self.left));
        while let Some(left) = search.next_wave()
            && !self.level.is_over()
        {
            if left == search.length {
                search.finish(kernel);
            } else {
                search.expand_wave(kernel, left);
            }
        }
        search.set_bits();
        search.add_counts();
    }
}

/// A bit to be set.
#[derive(Clone, Copy)]
struct Bit {
    row: u32,
    /// Word of the row, and bit of the word in the lowest six bits.
    place: u32,
}

struct WaveSearch<'a> {
    level: &'a LevelSearch<'a>,
    moves: &'static CosetMoves,
    /// Moves of a tail.
    length: u8,
    /// By moves left.
    waves: Vec<Vec<CosetNode>>,
    queue: Vec<Bit>,
    counted: SearchCounts,
}

impl<'a> WaveSearch<'a> {
    fn new(level: &'a LevelSearch<'a>, left: u8) -> Self {
        Self {
            level,
            moves: CosetMoves::get(),
            length: level.tails.length(),
            waves: (0..=left).map(|_| Vec::with_capacity(WAVE)).collect(),
            queue: Vec::with_capacity(QUEUE),
            counted: SearchCounts::default(),
        }
    }

    /// Lets a node with this number of moves left join its wave.
    #[inline(always)]
    fn push<K: CubeKernel>(&mut self, kernel: K, node: CosetNode, left: u8) {
        let number = node.number as usize;
        if left == self.length {
            let (slots, at) = self.level.tails.slot(number);
            kernel.prefetch(bytemuck::cast_slice(slots), at * size_of::<u64>());
        } else if let Some(move_masks) = self.move_masks(left) {
            let (slots, at) = move_masks.slot(number);
            kernel.prefetch(bytemuck::cast_slice(slots), at * size_of::<u64>());
        } else {
            kernel.prefetch(self.level.phase1, number / 2);
        }
        self.waves[usize::from(left)].push(node);
    }

    /// The wave to go on with, by moves left: the nearest to the end that is full, or else the farthest that holds
    /// anything.
    #[inline(always)]
    fn next_wave(&self) -> Option<u8> {
        let (first, last) = (self.length, self.waves.len() as u8 - 1);
        let full = (first..=last).find(|&left| self.waves[usize::from(left)].len() >= WAVE);
        full.or_else(|| (first..=last).rev().find(|&left| !self.waves[usize::from(left)].is_empty()))
    }

    /// Takes nodes out of a wave, those that joined it last.
    #[inline(always)]
    fn take(&mut self, left: u8) -> ArrayVec<CosetNode, WAVE> {
        let wave = &mut self.waves[usize::from(left)];
        wave.drain(wave.len().saturating_sub(WAVE)..).collect()
    }

    /// Goes on from nodes of a wave.
    #[inline(always)]
    fn expand_wave<K: CubeKernel>(&mut self, kernel: K, left: u8) {
        for node in &self.take(left) {
            self.expand(kernel, node, left);
        }
    }

    /// The table of move masks, if it knows all cosets from which H can be reached in this number of moves.
    #[inline(always)]
    fn move_masks(&self, left: u8) -> Option<&'a MoveMaskTable> {
        self.level.move_masks.filter(|_| left <= MoveMaskTable::FARTHEST)
    }

    /// The moves after which H may still be reached; `None` if it cannot be reached at all.
    #[inline(always)]
    fn leading(&self, node: &CosetNode, left: u8) -> Option<u32> {
        const ALL: u32 = (1 << Move::COUNT) - 1;
        let (number, ending) = (node.number as usize, self.level.ending);
        let Some(move_masks) = self.move_masks(left) else {
            let distance = nibble::pick(self.level.phase1[number / 2], number);
            return ending.is_possible(distance, left).then_some(ALL);
        };
        let near = move_masks.find(number).filter(|near| ending.is_possible(near.distance, left))?;
        let of_representative = match left - near.distance {
            0 => near.nearer,
            1 => near.nearer | near.same,
            _ => return Some(ALL),
        };
        Some(self.moves.mask_back(node.symmetry, of_representative))
    }

    /// Makes all moves after which H can still be reached.
    #[inline(always)]
    fn expand<K: CubeKernel>(&mut self, kernel: K, node: &CosetNode, left: u8) {
        let Some(leading) = self.leading(node, left) else { return };
        let pieces = node.made(kernel, self.level.ground);
        let mut allowed = node.state.allowed(Metric::Htm) & leading;
        while allowed != 0 {
            let index = allowed.trailing_zeros() as usize;
            allowed &= allowed - 1;
            let turn = Move::from_index(index).expect("below 18");
            let coset = self.moves.turned(node.coset, turn);
            let (number, symmetry, bound) = self.moves.index_symmetry_and_bound(coset);
            if bound < left {
                let state = node.state.next(Metric::Htm, turn).expect("an allowed move");
                let next = CosetNode { pieces, turn: index as u8, state, coset, number: number as u32, symmetry };
                self.push(kernel, next, left - 1);
            }
        }
    }

    /// Ends the sequences of nodes that have tails.
    #[inline(always)]
    fn finish<K: CubeKernel>(&mut self, kernel: K) {
        let tails = self.level.tails;
        let mut near: ArrayVec<(CosetNode, &[Tail]), WAVE> = ArrayVec::new();
        for node in &self.take(self.length) {
            let found = tails.find(node.number as usize);
            if let Some(tail) = found.first() {
                kernel.prefetch(&tail.pieces.edges, 0);
                near.push((*node, found));
            }
        }
        for (node, tails) in &near {
            let [back, there] = &self.level.ground.motions[node.symmetry.index()];
            let pieces = kernel.product(&node.made(kernel, self.level.ground), back);
            let forbidden = self.level.ground.forbidden.faces(node.symmetry, node.state);
            for tail in tails.iter().filter(|tail| tail.first & forbidden == 0) {
                let reached = kernel.product(&kernel.product(&pieces, &tail.pieces), there);
                self.reach(kernel, &reached);
            }
        }
    }

    /// Puts the bit of a position in H into the queue.
    #[inline(always)]
    fn reach<K: CubeKernel>(&mut self, kernel: K, pieces: &PackedCube) {
        let (row, place) = self.level.ground.finder.find(kernel, pieces);
        self.level.set.prefetch(row, place / 64);
        self.queue.push(Bit { row, place });
        if self.queue.len() == QUEUE {
            self.set_bits();
        }
    }

    /// Not inlined: in its place are the registers of the search.
    #[inline(never)]
    fn set_bits(&mut self) {
        self.counted.sequences += self.queue.len() as u64;
        for bit in self.queue.drain(..) {
            let is_new = self.level.set.insert(bit.row, bit.place / 64, bit.place % 64);
            self.counted.positions += u64::from(is_new);
            if is_new && let Some(weigher) = self.level.weigher {
                self.counted.weighted += weigher.weight(bit.row, BitFinder::rank(bit.place));
            }
        }
        if self.level.enough < u64::MAX {
            self.add_counts();
        }
    }

    fn add_counts(&mut self) {
        if self.level.counts.add(std::mem::take(&mut self.counted)) > self.level.enough {
            self.level.stopped.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::coset::move_masks::tests::phase1;
    use crate::coset::spread;
    use twistbase_levelset::SpreadSet;
    use twistbase_puzzle::cube3::random_cube;

    /// A look-up of move masks rules out what leads nowhere, and nothing else. The solver makes their table only where
    /// hundreds of millions of sequences are searched; far from H, a level in which they matter has some thousands.
    #[test]
    #[ignore = "tier two: hundreds of millions of sequences"]
    fn full_move_masks_leave_out_no_sequence() {
        const DEPTH: u8 = 13;
        let phase1 = phase1();
        let (ground, ctx) = (SearchTables::new(), Context::silent());
        let known = MoveMaskTable::new(&phase1, &ctx).expect("not cancelled");
        let mut set = SpreadSet::new(spread()).expect("memory");
        let representative = random_cube(&mut ChaCha8Rng::seed_from_u64(13));
        for ending in [Ending::FromOutside, Ending::Any, Ending::NotInH] {
            let tails = Tails::new(&phase1, ending);
            let counts = [None, Some(&known)].map(|move_masks| {
                set.clear();
                set.share(|set| {
                    let (phase1, tails, ground, ctx) = (phase1.as_slice(), &tails, &ground, &ctx);
                    let (weigher, enough) = (None, u64::MAX);
                    let (counts, stopped) = (SearchCounters::default(), AtomicBool::new(false));
                    let search = LevelSearch {
                        ground,
                        phase1,
                        move_masks,
                        tails,
                        ending,
                        set,
                        weigher,
                        ctx,
                        enough,
                        counts,
                        stopped,
                    };
                    search.run(&representative, DEPTH).expect("not cancelled");
                    let SearchCounts { sequences, positions, .. } = search.counts.into_counted();
                    (sequences, positions)
                })
            });
            assert_eq!(counts[0], counts[1], "{ending:?}");
            assert!(counts[0].1 > 10_000, "{ending:?}: {counts:?}");
        }
    }
}
