//! Rows that are lost, from the rows that they are reached from.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::block::{Block, BlockLevels, UNSET};
use super::generate::{NextToFrontier, Seed};
use super::kernel::Kernel;
use super::space::Space;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::perm8::PERMUTATIONS;
use twistbase_core::memory::Zeroed;

/// Bytes of a block's levels as nibbles ([`BlockLevels::write_nibbles`]).
const BLOCK_NIBBLES: usize = PERMUTATIONS / 2;

/// A row that was restored.
pub struct RestoredNibbles {
    /// Its number.
    pub row: usize,
    /// Its levels as nibbles, block after block.
    pub nibbles: Vec<u8>,
    /// How many states are at each level, up to the last one of the row.
    pub counts: Vec<u64>,
}

/// The rows that some rows are reached from, without these.
pub fn sources_of(space: &Space, rows: &BTreeSet<usize>) -> BTreeSet<usize> {
    let from = rows.iter().flat_map(|&row| space.sources(row)).map(|source| source.row as usize);
    from.filter(|row| !rows.contains(row)).collect()
}

/// Bytes of memory that [`restore`] takes.
pub fn restore_memory(space: &Space, rows: &BTreeSet<usize>) -> u64 {
    let held = (rows.len() + sources_of(space, rows).len()) * size_of::<BlockLevels>();
    (space.blocks() * (held + rows.len() * size_of::<Block>())) as u64
}

/// Finds the levels of `rows` from those of the rows that they are reached from.
///
/// The level of a state that is no seed is one more than the least level of the states that it is reached from. Within `rows`
/// that is found level by level, as the whole space would be. It comes out right because on any shortest path to a
/// state each step is one level nearer: the path comes from a seed or from outside of `rows`. `read` is asked for the
/// nibbles of the others, once for each row. All levels must be below 15. With a depth, states that are farther get no
/// level, and have none in what is read.
///
/// # Errors
/// Those of `read`; [`Error::Usage`] if a move counts more than one; [`Error::Interrupted`].
pub fn restore(
    space: &Space,
    rows: &BTreeSet<usize>,
    seeds: &[Seed],
    depth: Option<u8>,
    read: &mut dyn FnMut(usize, &mut [u8]) -> Result<()>,
    kernel: Kernel,
    ctx: &Context,
) -> Result<Vec<RestoredNibbles>> {
    if space.most_cost() > 1 {
        return Err(Error::Usage("restoring rows needs a metric in which each move counts one".to_owned()));
    }
    let mut levels: Vec<Option<Zeroed<BlockLevels>>> = (0..space.rows()).map(|_| None).collect();
    let mut nibbles = vec![0; space.blocks() * BLOCK_NIBBLES];
    for row in sources_of(space, rows) {
        ctx.check()?;
        read(row, &mut nibbles)?;
        let mut known = Zeroed::<BlockLevels>::new(space.blocks())?;
        known.par_iter_mut().zip(nibbles.par_chunks_exact(BLOCK_NIBBLES)).for_each(|(to, from)| to.read_nibbles(from));
        levels[row] = Some(known);
    }
    for &row in rows {
        levels[row] = Some(Zeroed::new(space.blocks())?);
    }
    let mut search = Restore { space, kernel, levels };
    for level in 0..=depth.map_or(UNSET - 1, |depth| depth.min(UNSET - 1)) {
        let found = if level == 0 { search.seeds(rows, seeds) } else { search.pull(rows, level, ctx)? };
        search.assign(found, level);
    }
    rows.iter().map(|&row| search.restored(row)).collect()
}

/// Levels of some rows, growing.
struct Restore<'a> {
    space: &'a Space,
    kernel: Kernel,
    /// Per row: what is known, or found so far.
    levels: Vec<Option<Zeroed<BlockLevels>>>,
}

/// States of a block that get a level.
struct NewStates {
    row: usize,
    block: usize,
    states: Block,
}

impl Restore<'_> {
    fn seeds(&self, rows: &BTreeSet<usize>, seeds: &[Seed]) -> Vec<NewStates> {
        let inside = seeds.iter().filter(|seed| rows.contains(&(seed.row as usize)));
        let found = |seed: &Seed| {
            let mut states = Block::EMPTY;
            states.insert(seed.rank);
            NewStates { row: seed.row as usize, block: seed.block as usize, states }
        };
        inside.map(found).collect()
    }

    /// The states of `rows` without a level that are next to the level before.
    fn pull(&self, rows: &BTreeSet<usize>, level: u8, ctx: &Context) -> Result<Vec<NewStates>> {
        let mut all = Vec::new();
        for &row in rows {
            ctx.check()?;
            let blocks = (0..self.space.blocks()).into_par_iter();
            all.par_extend(blocks.filter_map(|block| self.pull_block(row, block, level)));
        }
        Ok(all)
    }

    fn pull_block(&self, row: usize, block: usize, level: u8) -> Option<NewStates> {
        let reached = self.levels[row].as_ref()?[block].reached();
        let wanted = Block::FULL.combine(&reached, |all, reached| all & !reached);
        if wanted.is_subset(&Block::EMPTY) {
            return None;
        }
        let mut near = NextToFrontier::EMPTY;
        for source in self.space.sources(row) {
            let from = source.blocks[block];
            let set = self.levels[source.row as usize].as_ref()?[from.block as usize].at(level - 1);
            self.kernel.or_moved(near.part(source.part), &set, &source.slots, from.relabelling);
        }
        let states = near.merge().combine(&wanted, |near, wanted| near & wanted);
        (!states.is_subset(&Block::EMPTY)).then_some(NewStates { row, block, states })
    }

    fn assign(&mut self, found: Vec<NewStates>, level: u8) {
        for NewStates { row, block, states } in found {
            if let Some(levels) = &mut self.levels[row] {
                levels[block].assign(&states, level);
            }
        }
    }

    fn restored(&self, row: usize) -> Result<RestoredNibbles> {
        let mut nibbles = vec![0; self.space.blocks() * BLOCK_NIBBLES];
        let mut counts = vec![0; usize::from(UNSET)];
        if let Some(levels) = &self.levels[row] {
            levels
                .par_iter()
                .zip(nibbles.par_chunks_exact_mut(BLOCK_NIBBLES))
                .for_each(|(from, to)| from.write_nibbles(to));
            for (level, count) in (0..).zip(&mut counts) {
                *count = levels.par_iter().map(|levels| levels.at(level).count()).sum();
            }
        }
        let used = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        counts.truncate(used);
        Ok(RestoredNibbles { row, nibbles, counts })
    }
}
