//! Breadth-first search over a whole space.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::perm8::PERMUTATIONS;

use super::block::{Block, BlockLevels};
use super::kernel::Kernel;
use super::scratch::{LEVELS_BYTES, SET_BYTES, Storage};
use super::space::{BlockSource, Part, RowSource, Space};
use twistbase_core::memory::Zeroed;

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
    /// Bytes of memory to stay within. With less than the working set the levels live in a scratch file.
    pub memory: u64,
    /// The folder of a scratch file; `None` if there may be none.
    pub scratch: Option<PathBuf>,
}

impl Options {
    /// The folder of a scratch file, if what takes `working_set` bytes in memory needs one, and with one at least `least`.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn scratch_folder(&self, working_set: u64, least: u64) -> Result<Option<&Path>> {
        if self.memory >= working_set {
            return Ok(None);
        }
        Error::check_memory(self.memory, if self.scratch.is_some() { least } else { working_set })?;
        Ok(self.scratch.as_deref())
    }
}

/// Bytes per block besides its levels and its frontier: three marks, and where it is reached from by sixteen moves,
/// which is what the spaces have on average; the moves' own tables are small beside that.
const OTHER_BYTES: usize = 2 + 1 + 1 + 16 * size_of::<BlockSource>();
/// Fewest blocks in a batch of a scratch file: below this, reading them costs more than searching.
const LEAST_BATCH: usize = 256;

/// More levels than any space here has; a search that gets here fails.
pub const MOST_LEVELS: usize = 64;

/// Bytes of memory in which a space of that many blocks is searched without a scratch file; `most_cost` is that of
/// its moves.
pub fn working_set(blocks: usize, most_cost: u8) -> u64 {
    (blocks * LEVELS_BYTES) as u64 + fixed_memory(blocks, most_cost)
}

/// Bytes of memory without which such a space cannot be searched.
pub fn least_memory(blocks: usize, most_cost: u8) -> u64 {
    (LEAST_BATCH.min(blocks) * LEVELS_BYTES) as u64 + fixed_memory(blocks, most_cost)
}

/// What is in memory in any case: a frontier for each cost, and the rest.
fn fixed_memory(blocks: usize, most_cost: u8) -> u64 {
    (blocks * (usize::from(most_cost) * SET_BYTES + OTHER_BYTES)) as u64
}

/// The levels of a whole space.
pub struct Levels {
    storage: Storage,
    blocks: usize,
    counts: Vec<Vec<u64>>,
}

impl Levels {
    /// Number of states of a row at each level up to the last one of the space, each state counted once.
    pub fn counts(&self, row: usize) -> &[u64] {
        &self.counts[row]
    }

    /// The levels of all blocks, row after row, in memory.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is no room, [`Error::Io`] from the scratch file.
    pub fn into_memory(self) -> Result<Zeroed<BlockLevels>> {
        self.storage.into_memory()
    }

    /// Visits the rows in order; `visit` gets the row and its levels modulo 15 as nibbles
    /// ([`BlockLevels::write_nibbles`], block after block), which it may change: the next row does not see it.
    pub fn for_each_row(&mut self, mut visit: impl FnMut(usize, &mut [u8]) -> Result<()>) -> Result<()> {
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
                    visit((first + done) / per_row - 1, &mut row)?;
                }
            }
            Ok(false)
        })
    }
}

/// States to pull from: those of one level.
struct LevelSet {
    sets: Zeroed<Block>,
    /// Whether a block's set is not empty.
    active: Vec<bool>,
}

impl LevelSet {
    /// Takes the states of a level from those of some blocks. Where levels are stored modulo 15, states of the level 15
    /// nearer come along: their neighbours have been reached.
    fn take(&mut self, first: usize, batch: &[BlockLevels], level: u8) {
        let range = first..first + batch.len();
        let sets = self.sets[range.clone()].par_iter_mut().zip(&mut self.active[range]).zip(batch);
        sets.for_each(|((set, active), levels)| {
            *set = levels.at(level);
            *active = !set.is_subset(&Block::EMPTY);
        });
    }
}

/// The search of a space of blocks, between two levels.
struct BlockSearch<'a> {
    space: &'a Space,
    kernel: Kernel,
    storage: Storage,
    /// The last levels, the latest first: one for each cost of a move.
    frontiers: Vec<LevelSet>,
    /// Number of states that the level at hand adds to each block.
    fresh: Vec<u16>,
    /// Whether a block has no unreached state left.
    full: Vec<bool>,
}

/// Levels of a space that are known already.
pub struct KnownLevels<'a> {
    /// Every state at this level or nearer has its level, no other has one.
    pub depth: u8,
    /// Number of states at each of these levels, by row.
    pub counts: Vec<Vec<u64>>,
    /// Is asked for the levels of a row, as [`Levels::for_each_row`] gives them; once for each row, in order.
    pub read: &'a mut dyn FnMut(usize, &mut [u8]) -> Result<()>,
}

/// Finds the distance of every state of `space` from the nearest of `seeds`; with a depth, of those at most so far.
/// States of levels that are known are not searched again.
///
/// # Errors
/// [`Error::Memory`] if the memory does not suffice, [`Error::Budget`] if there are [`MOST_LEVELS`] levels or more, [`Error::Io`] from
/// the scratch file, [`Error::Interrupted`]; those of reading what is known.
pub fn generate(
    space: &Space,
    seeds: &[Seed],
    known: Option<KnownLevels<'_>>,
    depth: Option<u8>,
    options: &Options,
    ctx: &Context,
) -> Result<Levels> {
    let mut search = BlockSearch::new(space, options)?;
    let (first, mut counts) = match known {
        Some(known) => (known.depth + 1, search.continue_from(known, ctx)?),
        None => {
            search.start(seeds)?;
            (0, vec![Vec::new(); space.rows()])
        }
    };
    let is_empty = |level: usize| counts.iter().all(|counts| counts.get(level).is_none_or(|&count| count == 0));
    // A level may be empty and the next one not, if a move costs two.
    let mut empty = (0..usize::from(first)).rev().take_while(|&level| is_empty(level)).count() as u8;
    for level in first..MOST_LEVELS as u8 {
        if level > 0 {
            search.pull(level, ctx)?;
        }
        empty = if search.count(&mut counts) == 0 { empty + 1 } else { 0 };
        if empty == space.most_cost() || depth == Some(level) {
            ctx.progress().end();
            counts.iter_mut().for_each(|counts| counts.truncate(usize::from(level + 1 - empty)));
            return Ok(Levels { storage: search.storage, blocks: space.blocks(), counts });
        }
        // The seeds are the first frontier already; as an older one, too, they would be a level too near.
        if level > 0 {
            search.next_frontier(level, ctx)?;
        }
    }
    Err(Error::Budget(format!("the space has states at distance {MOST_LEVELS} or more, beyond the supported depth")))
}

impl<'a> BlockSearch<'a> {
    fn new(space: &'a Space, options: &Options) -> Result<Self> {
        let (total, most_cost) = (space.total_blocks(), space.most_cost());
        let storage = match options.scratch_folder(working_set(total, most_cost), least_memory(total, most_cost))? {
            None => Storage::in_memory(total)?,
            Some(folder) => {
                let rest = options.memory - fixed_memory(total, most_cost);
                Storage::in_file(total, rest as usize / LEVELS_BYTES, folder)?
            }
        };
        let frontier = |_| Ok(LevelSet { sets: Zeroed::new(total)?, active: vec![false; total] });
        Ok(Self {
            space,
            kernel: options.kernel,
            storage,
            frontiers: (0..most_cost).map(frontier).collect::<Result<_>>()?,
            fresh: vec![0; total],
            full: vec![false; total],
        })
    }

    /// Enters the seeds at level 0.
    fn start(&mut self, seeds: &[Seed]) -> Result<()> {
        let Self { space, storage, frontiers, fresh, .. } = self;
        let latest = &mut frontiers[0];
        for seed in seeds {
            let id = seed.row as usize * space.blocks() + seed.block as usize;
            latest.sets[id].insert(seed.rank);
            latest.active[id] = true;
        }
        storage.for_each_batch(|first, batch| {
            for (id, levels) in (first..).zip(batch) {
                if latest.active[id] {
                    levels.assign(&latest.sets[id], 0);
                    fresh[id] = latest.sets[id].count() as u16;
                }
            }
            Ok(true)
        })
    }

    /// Enters the known levels, the last ones as the frontier; returns their counts by row.
    fn continue_from(&mut self, known: KnownLevels<'_>, ctx: &Context) -> Result<Vec<Vec<u64>>> {
        const BYTES: usize = PERMUTATIONS / 2;
        let Self { space, storage, frontiers, full, .. } = self;
        let KnownLevels { depth, counts, read } = known;
        let blocks = space.blocks();
        let (mut nibbles, mut held) = (vec![0; blocks * BYTES], None);
        ctx.progress().begin(&format!("reading levels 0 to {depth}"), space.total_blocks() as u64, "blocks");
        storage.for_each_batch(|first, batch| {
            // A batch may begin and end inside a row.
            let mut done = 0;
            while done < batch.len() {
                ctx.check()?;
                let (row, within) = ((first + done) / blocks, (first + done) % blocks);
                let count = (blocks - within).min(batch.len() - done);
                if held != Some(row) {
                    read(row, &mut nibbles)?;
                    held = Some(row);
                }
                let some = batch[done..done + count].par_iter_mut();
                let nibbles = nibbles[within * BYTES..(within + count) * BYTES].par_chunks_exact(BYTES);
                some.zip(nibbles).for_each(|(levels, nibbles)| levels.read_nibbles(nibbles));
                for (id, levels) in (first + done..).zip(&batch[done..done + count]) {
                    full[id] = Block::FULL.is_subset(&levels.reached());
                }
                done += count;
                ctx.progress().advance(count as u64);
            }
            for (level, frontier) in (0..=depth).rev().zip(&mut *frontiers) {
                frontier.take(first, batch, level);
            }
            Ok(true)
        })?;
        Ok(counts)
    }

    /// Gives `level` to every unreached state next to the frontier.
    fn pull(&mut self, level: u8, ctx: &Context) -> Result<()> {
        let Self { space, kernel, storage, frontiers, fresh, full } = self;
        let (space, kernel) = (*space, *kernel);
        let levels = frontiers.iter().map(|level| (&level.sets[..], &level.active[..])).collect();
        let sets = BlockFrontier { space, kernel, levels };
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
    fn count(&self, counts: &mut [Vec<u64>]) -> u64 {
        let mut total = 0;
        for (counts, fresh) in counts.iter_mut().zip(self.fresh.chunks(self.space.blocks())) {
            let count: u64 = fresh.iter().map(|&n| u64::from(n)).sum();
            counts.push(count);
            total += count;
        }
        total
    }

    /// Makes the level just found the frontier. It is read back from the levels: keeping it beside the old frontier
    /// while that is in use would take one more set for each block.
    fn next_frontier(&mut self, level: u8, ctx: &Context) -> Result<()> {
        let Self { storage, frontiers, fresh, .. } = self;
        frontiers.rotate_right(1);
        let LevelSet { sets, active } = &mut frontiers[0];
        storage.for_each_batch(|first, batch| {
            let range = first..first + batch.len();
            batch
                .par_iter()
                .zip(&mut sets[range.clone()])
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

/// The states to pull from.
pub(super) struct BlockFrontier<'a> {
    pub(super) space: &'a Space,
    pub(super) kernel: Kernel,
    /// Per cost of a move, from 1: the sets of the level that such a move comes from, and which are not empty.
    pub(super) levels: Vec<(&'a [Block], &'a [bool])>,
}

/// The states of a block next to a frontier, apart by the [`Part`] of the sources that they were found through.
pub(super) struct NextToFrontier {
    all: Block,
    /// What was found through sources for even and for odd permutations, where there are such.
    parts: Option<[Block; 2]>,
}

impl NextToFrontier {
    pub(super) const EMPTY: Self = Self { all: Block::EMPTY, parts: None };

    pub(super) fn part(&mut self, part: Part) -> &mut Block {
        match part {
            Part::All => &mut self.all,
            Part::Even => &mut self.parts.get_or_insert([Block::EMPTY; 2])[0],
            Part::Odd => &mut self.parts.get_or_insert([Block::EMPTY; 2])[1],
        }
    }

    /// Brings the parts together.
    pub(super) fn merge(&mut self) -> &Block {
        if let Some([even, odd]) = &self.parts {
            let parts = even.select(odd, Block::even());
            self.all = self.all.combine(&parts, |all, part| all | part);
        }
        &self.all
    }
}

impl BlockFrontier<'_> {
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

    /// The sources of a block whose sets hold anything, each with that set.
    fn origins(&self, id: usize) -> impl Iterator<Item = (&RowSource, &Block)> {
        let (row, block) = (id / self.space.blocks(), id % self.space.blocks());
        self.space.sources(row).iter().filter_map(move |source| {
            let (sets, active) = self.levels[usize::from(source.cost) - 1];
            let from = source.row as usize * self.space.blocks() + source.blocks[block].block as usize;
            active[from].then(|| (source, &sets[from]))
        })
    }

    /// Whether any state of a block can be next to the frontier.
    pub(super) fn touches(&self, id: usize) -> bool {
        self.origins(id).next().is_some()
    }

    /// The states of a block next to the frontier; those outside `wanted` may be left out.
    pub(super) fn neighbours(&self, id: usize, wanted: &Block) -> Block {
        let block = id % self.space.blocks();
        let mut near = NextToFrontier::EMPTY;
        let mut origins = self.origins(id).peekable();
        let mut moves = 0;
        while let Some((source, set)) = origins.next() {
            if let Some(&(_, next)) = origins.peek() {
                next.prefetch();
            }
            let relabelling = source.blocks[block].relabelling;
            self.kernel.or_moved(near.part(source.part), set, &source.slots, relabelling);
            moves += 1;
            // Late levels complete a block after a few moves, but looking after each costs too much.
            if moves % 3 == 0 && wanted.is_subset(near.merge()) {
                break;
            }
        }
        *near.merge()
    }
}
