//! The numbers of positions at each distance, by a plain search: every position is a list of pieces in a set.

use hashbrown::HashSet;

use twistbase_core::context::Context;
use twistbase_core::error::Result;

use super::model::{PuzzleDefinition, Transformation, Turn};

/// Bytes for a position beside its own: pointer, length, the allocator's share, and free places of the set.
const BYTES_BESIDE: u64 = 64;

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
    /// This is the slow, obvious way: it makes every turn of every position. It keeps the last two levels and the new one, and
    /// stops when they would take more than `memory` bytes.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted); those of `level`.
    pub fn count_levels(
        &self,
        depth: usize,
        memory: u64,
        ctx: &Context,
        mut level: impl FnMut(usize, u64) -> Result<()>,
    ) -> Result<Levels> {
        let (turns, places) = (self.turns(), self.places());
        // The first place of the orbit of each place, and the period of each piece at that place plus its number.
        let first: Vec<usize> = self.ranges().flat_map(|(_, range)| vec![range.start; range.len()]).collect();
        let mut period = vec![1; places];
        for (place, &first) in first.iter().enumerate() {
            period[first + usize::from(self.solved.pieces[place])] = self.solved.period[place];
        }
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
        while counts.len() <= depth {
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
