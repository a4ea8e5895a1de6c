//! Breadth-first search over a space of flips.

use std::sync::Arc;

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::levelset::MOST_LEVELS;
use crate::levelset::memory::Zeroed;

use super::map::FlipMap;
use super::set::{FlipPlanes, FlipSet};

/// One move into a row: the state (row, b, f) is reached from the state (`row`, `blocks[b]`, f moved by `flips`).
pub struct FlipSource {
    /// The row it comes from.
    pub row: u32,
    /// Per block of the destination row; moves that do the same share it.
    pub blocks: Arc<[u16]>,
    /// How the flips move.
    pub flips: Arc<FlipMap>,
}

/// A space of rows × blocks × 2048 flips, with the moves into each row.
///
/// As for [`Space`](crate::levelset::Space), the moves must come in inverse pairs, and the seeds must be closed under
/// whatever symmetry makes two states of a row one position.
pub struct FlipSpace {
    blocks: usize,
    rows: Vec<Vec<FlipSource>>,
}

impl FlipSpace {
    /// A space of `rows.len()` rows of `blocks` blocks, with the moves into each row.
    ///
    /// # Panics
    /// If a move names a row or block that does not exist.
    pub fn new(blocks: usize, rows: Vec<Vec<FlipSource>>) -> Self {
        for source in rows.iter().flatten() {
            assert!((source.row as usize) < rows.len() && source.blocks.len() == blocks);
        }
        assert!(rows.iter().flatten().all(|s| s.blocks.iter().all(|&block| usize::from(block) < blocks)));
        Self { blocks, rows }
    }
}

/// A state at distance 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlipSeed {
    /// Its row.
    pub row: u32,
    /// Its block in the row.
    pub block: u32,
    /// The number of its flips, 0..2048.
    pub flips: u16,
}

/// The levels of a whole space.
pub struct FlipLevels<const P: usize> {
    planes: Zeroed<FlipPlanes<P>>,
    blocks: usize,
    counts: Vec<Vec<u64>>,
}

impl<const P: usize> FlipLevels<P> {
    /// Number of states of a row at each level up to the last one of the space, each state counted once.
    pub fn counts(&self, row: usize) -> &[u64] {
        &self.counts[row]
    }

    /// The blocks of a row.
    pub fn row(&self, row: usize) -> &[FlipPlanes<P>] {
        &self.planes[row * self.blocks..][..self.blocks]
    }
}

/// Bytes of memory in which such a space is searched.
pub fn flip_memory<const P: usize>(rows: usize, blocks: usize) -> u64 {
    let chunk = rows_at_once(rayon::current_num_threads()).min(rows);
    ((rows * blocks) * (P * size_of::<FlipSet>() + 4) + chunk * blocks * size_of::<FlipSet>()) as u64
}

/// Rows that are searched before what they found is entered: a few for each thread.
fn rows_at_once(threads: usize) -> usize {
    (4 * threads).max(16)
}

/// Finds the distance of every state of `space` from the nearest of `seeds`, modulo 2^P - 1.
///
/// # Errors
/// [`Error::Budget`] if `memory` is less than [`flip_memory`] or there are [`MOST_LEVELS`] levels or more;
/// [`Error::Interrupted`].
pub fn generate_flips<const P: usize>(
    space: &FlipSpace,
    seeds: &[FlipSeed],
    memory: u64,
    ctx: &Context,
) -> Result<FlipLevels<P>> {
    let needed = flip_memory::<P>(space.rows.len(), space.blocks);
    if memory < needed {
        return Err(Error::Budget(format!("a memory budget of {memory} bytes is too small: this needs {needed}")));
    }
    let mut search = Search::<P>::new(space, seeds)?;
    for level in 1..=MOST_LEVELS as u8 {
        if search.counts.iter().all(|counts| counts.last() == Some(&0)) {
            ctx.progress().end();
            search.counts.iter_mut().for_each(|counts| counts.truncate(usize::from(level) - 1));
            return Ok(FlipLevels { planes: search.planes, blocks: space.blocks, counts: search.counts });
        }
        search.pull(level, ctx)?;
    }
    Err(Error::Budget(format!("the space has states at distance {MOST_LEVELS} or more, which nobody expected")))
}

/// The search between two levels.
struct Search<'a, const P: usize> {
    space: &'a FlipSpace,
    planes: Zeroed<FlipPlanes<P>>,
    /// Number of states that the last level, and the level at hand, add to each block.
    last: Vec<u16>,
    fresh: Vec<u16>,
    counts: Vec<Vec<u64>>,
    /// What the rows at hand found.
    found: Zeroed<FlipSet>,
}

impl<'a, const P: usize> Search<'a, P> {
    fn new(space: &'a FlipSpace, seeds: &[FlipSeed]) -> Result<Self> {
        let (rows, blocks) = (space.rows.len(), space.blocks);
        let chunk = rows_at_once(rayon::current_num_threads()).min(rows);
        let mut search = Self {
            space,
            planes: Zeroed::new(rows * blocks)?,
            last: vec![0; rows * blocks],
            fresh: vec![0; rows * blocks],
            counts: vec![vec![0]; rows],
            found: Zeroed::new(chunk * blocks)?,
        };
        for seed in seeds {
            let id = seed.row as usize * blocks + seed.block as usize;
            let mut set = FlipSet::EMPTY;
            set.insert(seed.flips);
            if search.planes[id].level(seed.flips).is_none() {
                search.planes[id].assign(&set, 0);
                search.last[id] += 1;
                search.counts[seed.row as usize][0] += 1;
            }
        }
        Ok(search)
    }

    /// Gives `level` to every unreached state next to the level before.
    ///
    /// Rows are done some at a time: first what they find, with the planes only read, then the planes.
    fn pull(&mut self, level: u8, ctx: &Context) -> Result<()> {
        let Self { space, planes, last, fresh, counts, found } = self;
        let blocks = space.blocks;
        ctx.progress().begin(&format!("level {level}"), space.rows.len() as u64, "rows");
        let chunk = found.len() / blocks;
        for first in (0..space.rows.len()).step_by(chunk) {
            ctx.check()?;
            let rows = chunk.min(space.rows.len() - first);
            let range = first * blocks..(first + rows) * blocks;
            let frontier = Frontier { space, planes, last, level: level - 1 };
            found[..rows * blocks]
                .par_iter_mut()
                .zip(&mut fresh[range.clone()])
                .enumerate()
                .with_min_len(64)
                .for_each(|(i, (found, fresh))| *fresh = frontier.pull_block(range.start + i, found));
            let fresh = &fresh[range.clone()];
            planes[range].par_iter_mut().zip(&found[..rows * blocks]).zip(fresh).with_min_len(64).for_each(
                |((planes, found), &fresh)| {
                    if fresh > 0 {
                        planes.assign(found, level);
                    }
                },
            );
            ctx.progress().advance(rows as u64);
        }
        for (counts, fresh) in counts.iter_mut().zip(fresh.chunks(blocks)) {
            counts.push(fresh.iter().map(|&n| u64::from(n)).sum());
        }
        std::mem::swap(last, fresh);
        Ok(())
    }
}

/// The states to pull from.
struct Frontier<'a, const P: usize> {
    space: &'a FlipSpace,
    planes: &'a [FlipPlanes<P>],
    /// Number of states of the frontier in each block.
    last: &'a [u16],
    level: u8,
}

impl<const P: usize> Frontier<'_, P> {
    /// Finds the unreached states of a block next to the frontier; returns how many.
    fn pull_block(&self, id: usize, found: &mut FlipSet) -> u16 {
        let (row, block) = (id / self.space.blocks, id % self.space.blocks);
        let origins = self.space.rows[row].iter().filter_map(|source| {
            let from = source.row as usize * self.space.blocks + usize::from(source.blocks[block]);
            (self.last[from] > 0).then(|| (&*source.flips, &self.planes[from]))
        });
        let mut origins = origins.peekable();
        if origins.peek().is_none() {
            return 0;
        }
        let reached = self.planes[id].reached();
        let wanted = FlipSet(reached.0.map(|word| !word));
        if wanted == FlipSet::EMPTY {
            return 0;
        }
        let mut near = FlipSet::EMPTY;
        for (moves, (flips, from)) in (1..).zip(origins) {
            flips.add_moved(&mut near, from, self.level);
            if moves % 2 == 0 && wanted.is_subset(&near) {
                break;
            }
        }
        *found = near.and(&wanted);
        found.count()
    }
}
