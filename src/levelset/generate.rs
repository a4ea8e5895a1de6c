//! Breadth-first search over a whole space.

use std::path::PathBuf;

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::math::perm8::PERMUTATIONS;

use super::block::{Block, BlockLevels, UNSET};
use super::kernel::Kernel;
use super::memory::Zeroed;
use super::scratch::{LEVELS_BYTES, SET_BYTES, Storage};
use super::space::{BlockSource, Space};

/// A state at distance 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed {
    /// Its row.
    pub row: u32,
    /// Its block in the row.
    pub block: u32,
    /// The rank of its permutation, 0..40320.
    pub rank: u32,
}

/// How to search.
#[derive(Debug, Clone)]
pub struct Options {
    /// The inner step to use.
    pub kernel: Kernel,
    /// Bytes of memory to stay within. With less than [`working_set`] the levels live in a scratch file.
    pub memory: u64,
    /// Where a scratch file goes.
    pub scratch: PathBuf,
}

/// Bytes per block besides its levels and its frontier: three marks, and where it is reached from by sixteen moves,
/// which is what the spaces have on average; the moves' own tables are small beside that.
const OTHER_BYTES: usize = 2 + 1 + 1 + 16 * size_of::<BlockSource>();
/// Fewest blocks in a batch of a scratch file: below this, reading them costs more than searching.
const LEAST_BATCH: usize = 256;

/// Bytes of memory in which a space of that many blocks is searched without a scratch file.
pub fn working_set(blocks: usize) -> u64 {
    (blocks * (LEVELS_BYTES + SET_BYTES + OTHER_BYTES)) as u64
}

/// Bytes of memory without which a space of that many blocks cannot be searched.
pub fn least_memory(blocks: usize) -> u64 {
    (blocks * (SET_BYTES + OTHER_BYTES) + LEAST_BATCH.min(blocks) * LEVELS_BYTES) as u64
}

/// The levels of a whole space.
pub struct Levels {
    storage: Storage,
    blocks: usize,
    counts: Vec<[u64; UNSET as usize]>,
}

impl Levels {
    /// Number of states of a row at each level, each state of the space counted once.
    pub fn counts(&self, row: usize) -> &[u64; UNSET as usize] {
        &self.counts[row]
    }

    /// Visits the rows in order; `visit` gets the row and its levels as nibbles ([`BlockLevels::write_nibbles`], block
    /// after block).
    pub fn for_each_row(&mut self, mut visit: impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        const BYTES: usize = PERMUTATIONS / 2;
        let per_row = self.blocks;
        let mut row = vec![0; per_row * BYTES];
        self.storage.for_each_batch(|first, batch| {
            // A batch may begin and end inside a row.
            let mut done = 0;
            while done < batch.len() {
                let within = (first + done) % per_row;
                let count = (per_row - within).min(batch.len() - done);
                row[within * BYTES..(within + count) * BYTES]
                    .par_chunks_exact_mut(BYTES)
                    .zip(&batch[done..done + count])
                    .for_each(|(nibbles, levels)| levels.write_nibbles(nibbles));
                done += count;
                if within + count == per_row {
                    visit((first + done) / per_row - 1, &row)?;
                }
            }
            Ok(false)
        })
    }
}

/// The search between two levels.
struct Search<'a> {
    space: &'a Space,
    kernel: Kernel,
    storage: Storage,
    /// States of the last level.
    frontier: Zeroed<Block>,
    /// Whether a block's frontier is not empty.
    active: Vec<bool>,
    /// Number of states that the level at hand adds to each block.
    fresh: Vec<u16>,
    /// Whether a block has no unreached state left.
    full: Vec<bool>,
}

/// Finds the distance of every state of `space` from the nearest of `seeds`.
///
/// # Errors
/// [`Error::Budget`] if the memory does not suffice or a distance exceeds 14, [`Error::Io`] from the scratch file,
/// [`Error::Interrupted`].
pub fn generate(space: &Space, seeds: &[Seed], options: &Options, ctx: &Context) -> Result<Levels> {
    let mut search = Search::new(space, options)?;
    let mut counts = vec![[0; UNSET as usize]; space.rows()];
    search.start(seeds)?;
    for level in 0..UNSET {
        if level > 0 {
            search.pull(level, ctx)?;
        }
        let total = search.count(level, &mut counts);
        if total == 0 {
            ctx.progress().end();
            return Ok(Levels { storage: search.storage, blocks: space.blocks(), counts });
        }
        search.next_frontier(level, ctx)?;
    }
    Err(Error::Budget(format!("the space has states at distance {UNSET} or more, which a nibble cannot hold")))
}

impl<'a> Search<'a> {
    fn new(space: &'a Space, options: &Options) -> Result<Self> {
        let total = space.total_blocks();
        let least = least_memory(total);
        if options.memory < least {
            let given = options.memory;
            return Err(Error::Budget(format!("a memory budget of {given} bytes is too small: this needs {least}")));
        }
        let storage = if options.memory >= working_set(total) {
            Storage::in_memory(total)?
        } else {
            let fixed = (total * (SET_BYTES + OTHER_BYTES)) as u64;
            Storage::in_file(total, (options.memory - fixed) as usize / LEVELS_BYTES, &options.scratch)?
        };
        Ok(Self {
            space,
            kernel: options.kernel,
            storage,
            frontier: Zeroed::new(total)?,
            active: vec![false; total],
            fresh: vec![0; total],
            full: vec![false; total],
        })
    }

    /// Enters the seeds at level 0.
    fn start(&mut self, seeds: &[Seed]) -> Result<()> {
        for seed in seeds {
            let id = seed.row as usize * self.space.blocks() + seed.block as usize;
            self.frontier[id].insert(seed.rank);
            self.active[id] = true;
        }
        let Self { frontier, active, fresh, .. } = self;
        self.storage.for_each_batch(|first, batch| {
            for (id, levels) in (first..).zip(batch) {
                if active[id] {
                    levels.assign(&frontier[id], 0);
                    fresh[id] = frontier[id].count() as u16;
                }
            }
            Ok(true)
        })
    }

    /// Gives `level` to every unreached state next to the frontier.
    fn pull(&mut self, level: u8, ctx: &Context) -> Result<()> {
        let Self { space, kernel, storage, frontier, active, fresh, full } = self;
        let (space, kernel) = (*space, *kernel);
        let sets = Frontier { space, kernel, sets: frontier, active };
        ctx.progress().begin(&format!("level {level}"), space.total_blocks() as u64, "blocks");
        storage.for_each_batch(|first, batch| {
            let range = first..first + batch.len();
            batch
                .par_iter_mut()
                .zip(&mut fresh[range.clone()])
                .zip(&mut full[range])
                .enumerate()
                .with_min_len(8)
                .for_each(|(i, ((levels, fresh), full))| {
                    *fresh =
                        if *full || ctx.is_cancelled() { 0 } else { sets.pull_block(first + i, levels, level, full) };
                    ctx.progress().advance(1);
                });
            ctx.check()?;
            Ok(true)
        })
    }

    /// Adds the sizes of the level just found to the rows' counts; returns the number of states.
    fn count(&self, level: u8, counts: &mut [[u64; UNSET as usize]]) -> u64 {
        let mut total = 0;
        for (counts, fresh) in counts.iter_mut().zip(self.fresh.chunks(self.space.blocks())) {
            let count: u64 = fresh.iter().map(|&n| u64::from(n)).sum();
            counts[level as usize] = count;
            total += count;
        }
        total
    }

    /// Makes the level just found the frontier. It is read back from the levels: keeping it beside the old frontier
    /// while that is in use would take a quarter more memory.
    fn next_frontier(&mut self, level: u8, ctx: &Context) -> Result<()> {
        let Self { storage, frontier, active, fresh, .. } = self;
        storage.for_each_batch(|first, batch| {
            let range = first..first + batch.len();
            batch
                .par_iter()
                .zip(&mut frontier[range.clone()])
                .zip(&mut active[range.clone()])
                .zip(&fresh[range])
                .with_min_len(8)
                .for_each(|(((levels, set), active), &fresh)| {
                    if fresh > 0 {
                        *set = levels.at(level);
                    } else if *active {
                        *set = Block::EMPTY;
                    }
                    *active = fresh > 0;
                });
            ctx.check()?;
            Ok(false)
        })
    }
}

/// A set of states to pull from.
pub(super) struct Frontier<'a> {
    pub(super) space: &'a Space,
    pub(super) kernel: Kernel,
    pub(super) sets: &'a [Block],
    pub(super) active: &'a [bool],
}

impl Frontier<'_> {
    /// Finds the unreached states of a block next to the frontier, gives them `level`, and returns how many.
    fn pull_block(&self, id: usize, levels: &mut BlockLevels, level: u8, full: &mut bool) -> u16 {
        if !self.touches(id) {
            return 0;
        }
        let reached = levels.reached();
        let wanted = Block::FULL.combine(&reached, |all, reached| all & !reached);
        let near = self.neighbours(id, &wanted);
        let new = near.combine(&wanted, |near, wanted| near & wanted);
        *full = wanted.is_subset(&new);
        let count = new.count() as u16;
        if count > 0 {
            levels.assign(&new, level);
        }
        count
    }

    /// The blocks that a block is reached from and that hold anything, each with its move's index.
    fn origins(&self, id: usize) -> impl Iterator<Item = (usize, usize)> {
        let (row, block) = (id / self.space.blocks(), id % self.space.blocks());
        let sources = self.space.sources(row).iter().enumerate();
        sources
            .map(move |(m, source)| {
                (m, source.row as usize * self.space.blocks() + source.blocks[block].block as usize)
            })
            .filter(|&(_, from)| self.active[from])
    }

    /// Whether any state of a block can be next to the frontier.
    pub(super) fn touches(&self, id: usize) -> bool {
        self.origins(id).next().is_some()
    }

    /// The states of a block next to the frontier; those outside `wanted` may be left out.
    pub(super) fn neighbours(&self, id: usize, wanted: &Block) -> Block {
        let (row, block) = (id / self.space.blocks(), id % self.space.blocks());
        let mut near = Block::EMPTY;
        let mut origins = self.origins(id).peekable();
        let mut moves = 0;
        while let Some((m, from)) = origins.next() {
            if let Some(&(_, next)) = origins.peek() {
                self.kernel.prefetch(&self.sets[next]);
            }
            let source = &self.space.sources(row)[m];
            self.kernel.or_moved(&mut near, &self.sets[from], &source.slots, source.blocks[block].relabelling);
            moves += 1;
            // Late levels complete a block after a few moves; looking costs as much as a fifth of a move.
            if moves % 3 == 0 && wanted.is_subset(&near) {
                break;
            }
        }
        near
    }
}
