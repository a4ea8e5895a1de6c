//! The levels of the whole cube: coset of the cover by coset, those alone that have positions at the distance.
//!
//! In most cosets a level has few positions, for which a bitmap of the whole coset would be a waste. So what sequences of a
//! length reach is stored as numbers that are sorted; the positions are those that no shorter sequence reaches. Sequences that
//! end with a move of H are not searched: they are made from the positions of the level before. Of cosets near H, which
//! have many positions, the levels can be counted by [`CosetSolver`](super::CosetSolver).

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::coset_moves::{Coset, CosetMoves, can_end};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::nibble;
use twistbase_core::units::bytes;
use twistbase_puzzle::cube3::coordinate::{CosetOfH, PhaseTwoPosition};
use twistbase_puzzle::cube3::{CanonicalState, Cover, Cube, Metric, Move};
use twistbase_store::FlatTable;
use twistbase_tables::{self as tables, Definition};

/// Cosets of the cover whose distances are looked up at once.
const COSETS_AT_ONCE: u32 = 1 << 14;
/// Nodes between looks at whether to stop.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;

/// The cosets of the cover that have positions within a depth.
pub struct WholeCube<B> {
    /// The bytes of `phase1`, or of `phase1-qtm`.
    phase1: B,
    metric: Metric,
    /// By distance from H, up to the depth.
    by_distance: Vec<Vec<CosetOfH>>,
}

impl<B> std::fmt::Debug for WholeCube<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WholeCube").field("metric", &self.metric).finish_non_exhaustive()
    }
}

/// What was counted of a level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WholeCubeCount {
    /// Cosets that were searched.
    pub cosets: u64,
    /// Positions of the whole cube.
    pub positions: u128,
}

impl<B: AsRef<[u8]> + Sync> WholeCube<B> {
    /// Finds the cosets of the cover with these numbers that have positions of at most `depth` moves, by the bytes of the
    /// metric's table of phase 1. A coset takes four bytes; from 11 moves on nearly all are among them.
    ///
    /// # Errors
    /// [`Error::Usage`] when the bytes' length is not the table's; [`Error::Interrupted`].
    pub fn new(phase1: B, metric: Metric, cosets: Range<u32>, depth: u8, ctx: &Context) -> Result<Self> {
        let bytes = phase1.as_ref();
        FlatTable::new(*tables::phase_one(metric).layout(), bytes)?;
        let of_part = |part: u32| {
            let mut found: Vec<Vec<CosetOfH>> = vec![Vec::new(); usize::from(depth) + 1];
            if !ctx.is_cancelled() {
                let first = cosets.start + part * COSETS_AT_ONCE;
                let numbers = first..cosets.end.min(first.saturating_add(COSETS_AT_ONCE));
                for coset in numbers.filter_map(|number| Cover::get().coset(number)) {
                    let number = coset.number() as usize;
                    let distance = nibble::pick(bytes[number / 2], number);
                    if let Some(found) = found.get_mut(usize::from(distance)) {
                        found.push(coset);
                    }
                }
            }
            found
        };
        let parts: Vec<_> = (0..(cosets.end.saturating_sub(cosets.start)).div_ceil(COSETS_AT_ONCE))
            .into_par_iter()
            .map(of_part)
            .collect();
        ctx.check()?;
        let mut by_distance: Vec<Vec<CosetOfH>> = vec![Vec::new(); usize::from(depth) + 1];
        for part in parts {
            by_distance.iter_mut().zip(part).for_each(|(all, found)| all.extend(found));
        }
        Ok(Self { phase1, metric, by_distance })
    }

    /// The cosets of the cover at a distance of at most the depth.
    pub fn cosets_at(&self, distance: u8) -> &[CosetOfH] {
        self.by_distance.get(usize::from(distance)).map_or(&[], Vec::as_slice)
    }

    /// The table that guides the searches.
    pub fn phase1(&self) -> &B {
        &self.phase1
    }

    /// Counts the positions of the whole cube at a distance, without those in cosets nearer than `nearest`. Reports
    /// cosets as progress; uses the threads of rayon's pool.
    ///
    /// # Errors
    /// [`Error::Usage`] for a depth beyond that of [`Self::new`]; [`Error::Memory`] when the positions of a coset outgrow `memory`,
    /// in bytes, shared among the threads; [`Error::Interrupted`].
    pub fn count(&self, depth: u8, nearest: u8, memory: u64, ctx: &Context) -> Result<WholeCubeCount> {
        if usize::from(depth) >= self.by_distance.len() {
            let last = self.by_distance.len() - 1;
            return Err(Error::Usage(format!("cosets are solved to {last} moves; {depth} needs more")));
        }
        let count: usize = (nearest..=depth).map(|distance| self.cosets_at(distance).len()).sum();
        ctx.progress().begin(&format!("level {depth}"), count as u64, "cosets");
        // Half for what is sorted, half for vectors that grow by doubling.
        let most = (memory / (4 * size_of::<u64>() as u64) / rayon::current_num_threads() as u64) as usize;
        let (positions, is_full) = (AtomicU64::new(0), AtomicBool::new(false));
        // The nearest first: they take longest.
        for distance in nearest..=depth {
            self.cosets_at(distance).par_iter().try_for_each_init(
                || LengthSearch::new(self.phase1.as_ref(), self.metric, most, ctx),
                |search, &coset| {
                    if is_full.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    match search.level(coset, depth)? {
                        None => is_full.store(true, Ordering::Relaxed),
                        Some(weighted) => drop(positions.fetch_add(weighted, Ordering::Relaxed)),
                    }
                    ctx.progress().advance(1);
                    Ok::<(), Error>(())
                },
            )?;
        }
        ctx.progress().end();
        if is_full.into_inner() {
            let memory = bytes(memory);
            let detail = format!("the positions of a coset at {depth} moves do not fit {memory} of memory");
            return Err(Error::Memory(detail));
        }
        Ok(WholeCubeCount { cosets: count as u64, positions: positions.into_inner().into() })
    }
}

/// Searches cosets for the sequences of a length that lead into H.
struct LengthSearch<'a> {
    phase1: &'a [u8],
    metric: Metric,
    moves: &'static CosetMoves,
    ctx: &'a Context,
    nodes: u64,
    /// The moves of H that count one.
    in_h: Vec<PhaseTwoPosition>,
    /// What was reached, as [`number_of`] numbers it.
    reached: Vec<u64>,
    /// The numbers that a search may reach at most.
    most: usize,
}

impl<'a> LengthSearch<'a> {
    fn new(phase1: &'a [u8], metric: Metric, most: usize, ctx: &'a Context) -> Self {
        let in_h = metric.moves().filter_map(|turn| PhaseTwoPosition::of(&turn.cube())).collect();
        Self { phase1, metric, moves: CosetMoves::get(), ctx, nodes: 0, in_h, reached: Vec::new(), most }
    }

    /// The positions of a coset at a distance, weighted for the whole cube; `None` if there are too many.
    fn level(&mut self, coset: CosetOfH, depth: u8) -> Result<Option<u64>> {
        let representative = coset.representative();
        let start = self.moves.coset(&representative);
        let first = self.distance(self.moves.index(start).0);
        // All positions so far, and those of the last level.
        let [mut before, mut last] = [Vec::new(), Vec::new()];
        for length in first..=depth {
            self.reached.clear();
            if before.len().saturating_add(last.len() * self.in_h.len()) > self.most {
                return Ok(None);
            }
            let after = |&number: &u64| self.in_h.iter().map(move |turn| number_of(&h_position(number).then(turn)));
            self.reached.extend(last.iter().flat_map(after));
            self.search(&representative, start, length, CanonicalState::START)?;
            if self.reached.len() + before.len() > self.most {
                return Ok(None);
            }
            self.reached.sort_unstable();
            self.reached.dedup();
            self.reached.retain(|number| before.binary_search(number).is_err());
            last.clone_from(&self.reached);
            before.extend(&self.reached);
            before.sort_unstable();
        }
        // A weight depends on which U and D edges have odd numbers, and on nothing else, as in the weights of a whole coset.
        let mut known = [None; 256];
        let weight = |&number: &u64| {
            let reached = h_position(number);
            let mask = [1, 3, 5, 7].into_iter().fold(0, |mask, place: usize| mask | 1usize << reached.edges[place]);
            *known[mask].get_or_insert_with(|| {
                // What is reached is `r s`; `s` solves the position that differs from `r` by it.
                let position = reached.position().inverse().then(&representative);
                u64::from(Cover::get().weight(&position).unwrap_or_default())
            })
        };
        Ok(Some(last.iter().map(weight).sum()))
    }

    fn distance(&self, number: usize) -> u8 {
        nibble::pick(self.phase1[number / 2], number)
    }

    /// Reaches what every canonical sequence of `left` moves into H that goes on in that state, and does not end with a move
    /// of H, makes of `position`.
    fn search(&mut self, position: &Cube, coset: Coset, left: u8, state: CanonicalState) -> Result<()> {
        if left == 0 {
            if self.reached.len() <= self.most {
                self.reached.extend(PhaseTwoPosition::of(position).map(|position| number_of(&position)));
            }
            return Ok(());
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_BETWEEN_CHECKS) {
            self.ctx.check()?;
        }
        for turn in Move::of_mask(state.allowed(self.metric)).filter(|turn| left > 1 || !turn.is_in_h()) {
            let next = self.moves.turned(coset, turn);
            // A bound in half turns holds for quarter turns as well.
            let (number, bound) = self.moves.index_and_bound(next);
            if bound < left && self.can_end(self.distance(number), left - 1) {
                let state = state.next(self.metric, turn).expect("an allowed move");
                self.search(&position.turned(turn), next, left - 1, state)?;
            }
        }
        Ok(())
    }

    /// Whether such sequences can begin at that distance from H.
    fn can_end(&self, distance: u8, left: u8) -> bool {
        match self.metric {
            Metric::Htm => can_end(distance, left),
            Metric::Qtm => distance <= left,
        }
    }
}

/// A position in H as a number: seven corners and seven edges of three bits, three middle edges of two. The last of each
/// are what is left.
fn number_of(position: &PhaseTwoPosition) -> u64 {
    let packed =
        |number: u64, pieces: &[u8], bits: u32| pieces.iter().fold(number, |n, &piece| n << bits | u64::from(piece));
    packed(packed(packed(0, &position.corners[..7], 3), &position.edges[..7], 3), &position.middle[..3], 2)
}

/// The position in H with a number.
fn h_position(mut number: u64) -> PhaseTwoPosition {
    let mut position = PhaseTwoPosition::SOLVED;
    let mut unpack = |pieces: &mut [u8], bits: u32| {
        let count = pieces.len() as u8;
        let (last, known) = pieces.split_last_mut().expect("pieces");
        for piece in known.iter_mut().rev() {
            *piece = (number & ((1 << bits) - 1)) as u8;
            number >>= bits;
        }
        *last = known.iter().fold((0..count).fold(0, |all, piece| all ^ piece), |left, piece| left ^ piece);
    };
    unpack(&mut position.middle, 2);
    unpack(&mut position.edges, 3);
    unpack(&mut position.corners, 3);
    position
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use twistbase_puzzle::cube3::random_in_h;

    #[test]
    fn numbers_and_positions_of_h_lead_to_each_other() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..1000 {
            let position = PhaseTwoPosition::of(&random_in_h(&mut rng)).expect("in H");
            assert_eq!(h_position(number_of(&position)), position);
        }
        assert_eq!(h_position(number_of(&PhaseTwoPosition::SOLVED)), PhaseTwoPosition::SOLVED);
    }
}
