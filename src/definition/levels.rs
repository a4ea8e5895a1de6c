//! The numbers of positions at each distance.
//!
//! Near solved a plain search finds them: every position is a list of pieces in a set. Where the positions are a
//! [product of coordinates](super::space) that fits the memory, the search continues there, with three bits a position. Both must
//! agree at the distances that both reach. Where they do not fit, or are many, they are counted [up to symmetry](super::classes).

use std::path::Path;

use hashbrown::HashSet;
use num_bigint::BigUint;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_levelset::{ClassOptions, Keep, count_classes};

use super::model::{PuzzleDefinition, Transformation, Turn};
use super::space::PuzzleSpace;

/// Bytes for a position beside its own: pointer, length, the allocator's share, and free places of the set.
const BYTES_BESIDE: u64 = 64;

/// Positions of a level at which the plain search is left.
const PLAIN: usize = 1 << 12;

/// Positions that are counted without symmetries if they fit the memory: finding their classes takes as long.
const FEW: u128 = 1 << 31;

/// Positions of a level at which the plain search is left where classes must be found first.
const LISTED: usize = 1 << 18;

/// The numbers of positions at each distance from solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// The number of positions at distance 0, 1, 2 and so on. Each turn counts one.
    pub counts: Vec<u64>,
    /// Whether these are all positions that the moves reach. Else the search ended at the depth or the memory.
    pub complete: bool,
}

/// Continues levels with another search, which begins at the first and says whether nothing is left. Both must agree.
fn continued(
    mut levels: Levels,
    mut level: impl FnMut(usize, u64) -> Result<()>,
    search: impl FnOnce(&mut dyn FnMut(usize, u64) -> Result<()>) -> Result<bool>,
) -> Result<Levels> {
    let known = levels.counts.len();
    levels.complete = search(&mut |distance, count| {
        if distance >= known {
            levels.counts.push(count);
            return level(distance, count);
        }
        assert_eq!(count, levels.counts[distance], "both searches agree on level {distance}");
        Ok(())
    })?;
    Ok(levels)
}

/// A position: the pieces of all places, then their orientations.
type Key = Box<[u8]>;

impl PuzzleDefinition {
    /// Counts the positions at each distance from solved, up to `depth`. A turn (a move or a power of it) counts one. `level`
    /// gets each distance with its number as soon as it is known; an error of its own ends the search.
    ///
    /// Takes three bits a position if these fit `memory` bytes, on all threads of the caller's pool; two bits for each class of many
    /// positions that are the same up to symmetry. Else it keeps the last two levels and the new one as lists, on one thread, and
    /// stops when they would take more.
    ///
    /// With a folder `work` the classes are in its files, which stay there: one bit each is in memory, or less. An interrupted count
    /// continues behind the last level that was complete.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::Memory`]; those of `level`; those of [`PuzzleSpace::new`] for a puzzle that is solved up to moves;
    /// with a folder also [`Error::Usage`] for a puzzle that has no classes, [`Error::Io`], and [`Error::Busy`] if another count uses
    /// the files.
    pub fn count_levels(
        &self,
        depth: usize,
        memory: u64,
        work: Option<&Path>,
        ctx: &Context,
        mut level: impl FnMut(usize, u64) -> Result<()>,
    ) -> Result<Levels> {
        let no_files = || {
            let reason = "positions are illegal or count up to moves, or there are too many kinds of pieces";
            Error::Usage(format!("the positions of this puzzle cannot be counted in files (--work): {reason}"))
        };
        if !self.up_to.is_empty() {
            if work.is_some() {
                return Err(no_files());
            }
            let (space, none) = (PuzzleSpace::new(self.clone())?, Levels { counts: Vec::new(), complete: false });
            return continued(none, level, |level| space.product.count_levels(&space.solved, depth, ctx, level));
        }
        let levels = self.count_plainly(depth, PLAIN, memory, ctx, &mut level)?;
        if levels.complete || levels.counts.len() > depth {
            return Ok(levels);
        }
        // Three bits a position: what cannot fit is not numbered first.
        let least = self.least_positions();
        let may_fit = least.as_ref().is_some_and(|least| least * 3u32 / 8u32 <= BigUint::from(memory));
        let space = (work.is_none() && may_fit).then(|| PuzzleSpace::new(self.clone()).ok()).flatten();
        let space = space.filter(|space| space.product.memory(Keep::Reached) <= memory.into());
        let is_small = space.as_ref().is_some_and(|space| space.states() <= FEW);
        // Two bits for at most 512 positions: what cannot fit is not looked at for symmetries.
        let least = least.filter(|least| !is_small && (work.is_some() || *least <= BigUint::from(memory) << 11u32));
        let splits = least.and_then(|least| self.splits(&least));
        let split = splits.as_ref().and_then(|splits| Some((splits, splits.best()?)));
        let split = split.filter(|(_, (_, needed))| match &space {
            Some(space) => needed.most < space.product.memory(Keep::Reached) as f64,
            None => work.is_some() || needed.least <= memory as f64,
        });
        if work.is_some() && split.is_none() {
            return Err(no_files());
        }
        let counted = levels.counts.len() - 1;
        let mut again = |depth, count| if depth > counted { level(depth, count) } else { Ok(()) };
        if let Some((splits, (split, needed))) = split {
            // Files are for long counts.
            let most = if work.is_some() { PLAIN } else { LISTED };
            let levels = self.count_plainly(depth, most, memory, ctx, &mut again)?;
            if levels.complete || levels.counts.len() > depth {
                return Ok(levels);
            }
            Error::check_memory(memory, needed.least_in_files.ceil() as u64)?;
            let space = splits.space(split, memory, ctx)?;
            let identity = splits.identity(split);
            let options = ClassOptions { identity: &identity, folder: work, memory, depth };
            return continued(levels, level, |level| count_classes(&space, &options, ctx, level));
        }
        match space {
            Some(space) => {
                continued(levels, level, |level| space.product.count_levels(&space.solved, depth, ctx, level))
            }
            None => self.count_plainly(depth, usize::MAX, memory, ctx, &mut again),
        }
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
