//! Breadth-first search over (state, parity of the number of moves).

use rayon::prelude::*;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};

use super::block::Block;
use super::generate::{BlockFrontier, Seed};
use super::kernel::Kernel;
use super::space::Space;
use twistbase_core::memory::Zeroed;

/// What one row contributes to a level of the search by parity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ParityCount {
    /// States reached for the first time with this parity.
    pub reached: u64,
    /// Of these, states that the other parity had reached before, but not exactly one level before.
    pub exceptions: u64,
}

/// The levels of a space searched over (state, parity).
#[derive(Debug, Clone)]
pub struct ParityLevels {
    /// By level and row. Level `n` holds the states whose shortest path with the parity of `n` has `n` moves.
    pub levels: Vec<Vec<ParityCount>>,
    /// Pairs (state, parity) that no path reaches.
    pub unreached: u64,
}

/// Bytes of memory for [`sweep`] over a space of that many blocks: four sets, and marks.
fn parity_memory(blocks: usize) -> u64 {
    (blocks * (4 * size_of::<Block>() + 2)) as u64
}

/// More levels than any puzzle has; a search that gets here does not end.
const MOST_LEVELS: usize = 64;

/// Searches all of `space` from `seeds`, over pairs of a state and the parity of the moves made.
///
/// # Errors
/// [`Error::Memory`] if the four sets do not fit into `memory` bytes, [`Error::Interrupted`].
pub fn sweep(space: &Space, seeds: &[Seed], kernel: Kernel, memory: u64, ctx: &Context) -> Result<ParityLevels> {
    let total = space.total_blocks();
    Error::check_memory(memory, parity_memory(total))?;
    let mut reached: [Zeroed<Block>; 2] = [Zeroed::new(total)?, Zeroed::new(total)?];
    let (mut frontier, mut next) = (Zeroed::<Block>::new(total)?, Zeroed::<Block>::new(total)?);
    let mut active = vec![false; total];
    let mut first = vec![ParityCount::default(); space.rows()];
    for seed in seeds {
        let id = seed.row as usize * space.blocks() + seed.block as usize;
        reached[0][id].insert(seed.rank);
        frontier[id].insert(seed.rank);
        active[id] = true;
        first[seed.row as usize].reached += 1;
    }
    let mut levels = vec![first];
    while levels.last().is_some_and(|rows| rows.iter().any(|row| row.reached > 0)) && levels.len() < MOST_LEVELS {
        let [even, odd] = &mut reached;
        let (mine, other) = if levels.len() % 2 == 0 { (even, &*odd) } else { (odd, &*even) };
        let sets = BlockFrontier { space, kernel, levels: vec![(&frontier, &active)] };
        ctx.progress().begin(&format!("level {}", levels.len()), total as u64, "blocks");
        let counts: Vec<ParityCount> = mine
            .par_iter_mut()
            .zip(&mut *next)
            .zip(&other[..])
            .enumerate()
            .with_min_len(8)
            .map(|(id, ((mine, new), other))| {
                ctx.progress().advance(1);
                if ctx.is_cancelled() { ParityCount::default() } else { step(&sets, id, mine, new, other) }
            })
            .collect();
        ctx.check()?;
        active = counts.iter().map(|count| count.reached > 0).collect();
        std::mem::swap(&mut frontier, &mut next);
        levels.push(counts.chunks(space.blocks()).map(sum).collect());
    }
    ctx.progress().end();
    levels.pop();
    let unreached = reached.iter().flat_map(|sets| sets.iter()).map(|set| Block::FULL.count() - set.count()).sum();
    Ok(ParityLevels { levels, unreached })
}

/// One block of one level: `mine` is what this parity has reached and grows by `new`.
fn step(sets: &BlockFrontier<'_>, id: usize, mine: &mut Block, new: &mut Block, other: &Block) -> ParityCount {
    *new = Block::EMPTY;
    if !sets.touches(id) {
        return ParityCount::default();
    }
    let wanted = Block::FULL.combine(mine, |all, mine| all & !mine);
    *new = sets.neighbours(id, &wanted).combine(&wanted, |near, wanted| near & wanted);
    *mine = mine.combine(new, |mine, new| mine | new);
    let before = other.combine(&sets.levels[0].0[id], |other, last| other & !last);
    let exceptions = new.combine(&before, |new, before| new & before).count();
    ParityCount { reached: new.count(), exceptions }
}

fn sum(counts: &[ParityCount]) -> ParityCount {
    counts.iter().fold(ParityCount::default(), |sum, count| ParityCount {
        reached: sum.reached + count.reached,
        exceptions: sum.exceptions + count.exceptions,
    })
}
