//! The numbers of positions at each distance.
//!
//! Near solved a plain search finds them: every position is a list of pieces in a set. Where the positions are a
//! [product of coordinates](super::space) that fits the memory, the search continues there, with three bits a position. Both must
//! agree at the distances that both reach.

use hashbrown::HashSet;
use num_bigint::BigUint;

use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_levelset::Keep;

use super::model::{PuzzleDefinition, Transformation, Turn};
use super::space::PuzzleSpace;

/// Bytes for a position beside its own: pointer, length, the allocator's share, and free places of the set.
const BYTES_BESIDE: u64 = 64;

/// Positions of a level at which the plain search is left.
const PLAIN: usize = 1 << 12;

/// The numbers of positions at each distance from solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// The number of positions at distance 0, 1, 2 and so on. Each turn counts one.
    pub counts: Vec<u64>,
    /// Whether these are all positions that the moves reach. Else the search ended at the depth or the memory.
    pub complete: bool,
}

/// A position: the pieces of all places, then their orientations.
type Key = Box<[u8]>;

impl PuzzleDefinition {
    /// Counts the positions at each distance from solved, up to `depth`. A turn (a move or a power of it) counts one. `level`
    /// gets each distance with its number as soon as it is known; an error of its own ends the search.
    ///
    /// Takes three bits a position if these fit `memory` bytes, on all threads of the caller's pool. Else it keeps the last two
    /// levels and the new one as lists, on one thread, and stops when they would take more.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted); [`Error::Memory`](twistbase_core::error::Error::Memory);
    /// those of `level`; those of [`PuzzleSpace::new`] for a puzzle that is solved up to moves.
    pub fn count_levels(
        &self,
        depth: usize,
        memory: u64,
        ctx: &Context,
        mut level: impl FnMut(usize, u64) -> Result<()>,
    ) -> Result<Levels> {
        if !self.up_to.is_empty() {
            let none = Levels { counts: Vec::new(), complete: false };
            return self.count_in_space(&PuzzleSpace::new(self.clone())?, none, depth, ctx, level);
        }
        let levels = self.count_plainly(depth, PLAIN, memory, ctx, &mut level)?;
        let counted = levels.counts.len() - 1;
        if levels.complete || counted >= depth {
            return Ok(levels);
        }
        // Three bits a position: what cannot fit is not numbered first.
        let may_fit = self.least_positions().is_some_and(|least| least * 3u32 / 8u32 <= BigUint::from(memory));
        let space = may_fit.then(|| PuzzleSpace::new(self.clone()).ok()).flatten();
        match space.filter(|space| space.product.memory(Keep::Reached) <= memory.into()) {
            Some(space) => self.count_in_space(&space, levels, depth, ctx, level),
            None => {
                let mut again = |depth, count| if depth > counted { level(depth, count) } else { Ok(()) };
                self.count_plainly(depth, usize::MAX, memory, ctx, &mut again)
            }
        }
    }

    /// Counts all levels in a space; `levels` are those that are known.
    fn count_in_space(
        &self,
        space: &PuzzleSpace,
        mut levels: Levels,
        depth: usize,
        ctx: &Context,
        mut level: impl FnMut(usize, u64) -> Result<()>,
    ) -> Result<Levels> {
        let known = levels.counts.len();
        levels.complete = space.product.count_levels(&space.solved, depth, ctx, |distance, count| {
            if distance >= known {
                levels.counts.push(count);
                return level(distance, count);
            }
            assert_eq!(count, levels.counts[distance], "both searches agree on level {distance}");
            Ok(())
        })?;
        Ok(levels)
    }

    /// The slow, obvious way: makes every turn of every position. Stops after a level that has more positions than `most`, and
    /// where `memory` ends.
    pub(crate) fn count_plainly(
        &self,
        depth: usize,
        most: usize,
        memory: u64,
        ctx: &Context,
        level: &mut dyn FnMut(usize, u64) -> Result<()>,
    ) -> Result<Levels> {
        let (turns, places) = (self.turns(), self.places());
        let (first, period) = self.periods();
        let turn_into = |to: &mut [u8], key: &[u8], turn: &Turn| {
            let Transformation { from, twist } = &turn.transformation;
            for (place, (&from, twist)) in from.iter().zip(twist).enumerate() {
                let piece = key[usize::from(from)];
                let sum = u16::from(key[places + usize::from(from)]) + u16::from(*twist);
                to[place] = piece;
                to[places + place] = (sum % u16::from(period[first[place] + usize::from(piece)])) as u8;
            }
        };

        let solved: Key = self.solved.pieces.iter().chain(&self.solved.twist).copied().collect();
        let bytes_each = 2 * places as u64 + BYTES_BESIDE;
        let (mut before, mut last) = (HashSet::<Key>::new(), HashSet::from([solved]));
        let (mut counts, mut turned) = (vec![1], vec![0; 2 * places]);
        level(0, 1)?;
        while counts.len() <= depth && last.len() <= most {
            let mut next = HashSet::<Key>::new();
            for (number, position) in last.iter().enumerate() {
                if number % 1024 == 0 {
                    ctx.check()?;
                    if (before.len() + last.len() + next.len()) as u64 * bytes_each > memory {
                        return Ok(Levels { counts, complete: false });
                    }
                }
                for turn in &turns {
                    turn_into(&mut turned, position, turn);
                    // Turns have inverses among the turns: what is nearer than the last level lies in the one before.
                    if !before.contains(&*turned) && !last.contains(&*turned) && self.may_lie(&turned) {
                        next.get_or_insert_with(&*turned, |key| key.into());
                    }
                }
            }
            if next.is_empty() {
                return Ok(Levels { counts, complete: true });
            }
            level(counts.len(), next.len() as u64)?;
            counts.push(next.len() as u64);
            (before, last) = (last, next);
        }
        Ok(Levels { counts, complete: false })
    }
}
