//! Breadth-first search over spaces whose levels do not fit: of each state the remainder of its level by three is stored.
//!
//! That is enough to search on, since neighbours differ by one level at most (Cooperman and Finkelstein), and whoever
//! knows a level of a state to within one knows it exactly.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::block::Block;
use super::generate::{MOST_LEVELS, NextToFrontier, Options, Seed};
use super::kernel::Kernel;
use super::restore::sources_of;
use super::row_store::RowStore;
use super::space::{BlockSource, RowSource, Space};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::perm8::WORDS;
use twistbase_core::math::trits;
use twistbase_core::memory::Zeroed;

/// The levels of the permutations of one block modulo 3, as two bit planes of `1 + level % 3`; 0 is "not reached".
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub struct BlockModulo3(pub [Block; 2]);

impl BlockModulo3 {
    /// The permutations that have a level.
    pub fn reached(&self) -> Block {
        let [low, high] = &self.0;
        low.combine(high, |low, high| low | high)
    }

    /// The permutations whose level leaves the same remainder by 3 as `level`.
    pub fn at(&self, level: u8) -> Block {
        let [low, high] = &self.0;
        match level % 3 {
            0 => low.combine(high, |low, high| low & !high),
            1 => low.combine(high, |low, high| !low & high),
            _ => low.combine(high, |low, high| low & high),
        }
    }

    /// Gives `level` to the permutations of `set`, which must have none yet.
    fn assign(&mut self, set: &Block, level: u8) {
        for (bit, plane) in self.0.iter_mut().enumerate() {
            if (1 + level % 3) >> bit & 1 == 1 {
                *plane = plane.combine(set, |old, new| old | new);
            }
        }
    }
}

/// The levels of a whole space modulo 3.
pub struct LevelsModulo3 {
    rows: RowStore<BlockModulo3>,
    counts: Vec<Vec<u64>>,
}

impl LevelsModulo3 {
    /// Number of states of a row at each level up to the last one of the space, each state counted once.
    pub fn counts(&self, row: usize) -> &[u64] {
        &self.counts[row]
    }

    /// Brings rows into memory: at most as many as a row of the space and all those that it is reached from. Others may
    /// leave it.
    ///
    /// # Errors
    /// [`Error::Io`] from the scratch file; [`Error::Interrupted`].
    pub fn bring(&mut self, rows: &[usize]) -> Result<()> {
        self.rows.bring(rows)
    }

    /// The blocks of a row that is in memory.
    pub fn row(&self, row: usize) -> &[BlockModulo3] {
        self.rows.row(row)
    }

    /// Packs the levels of a row modulo 3 into bytes, five to a byte ([`trits`]): all its states must have one.
    ///
    /// # Errors
    /// [`Error::Io`] from the scratch file.
    pub fn pack_row(&mut self, row: usize, bytes: &mut [u8]) -> Result<()> {
        self.rows.bring(&[row])?;
        let blocks = self.rows.row(row);
        trits::pack_planes(bytes, |word| {
            let (block, word) = (&blocks[word / WORDS], word % WORDS);
            block.0.each_ref().map(|plane| plane.words()[word])
        });
        Ok(())
    }

    /// Lets the blocks of a row be changed, into whatever is wanted of them.
    ///
    /// # Errors
    /// [`Error::Io`] from the scratch file.
    pub fn change_row(&mut self, row: usize, mut change: impl FnMut(&mut [BlockModulo3])) -> Result<()> {
        self.rows.bring(&[row])?;
        self.rows.rows_mut(&[row]).into_iter().for_each(&mut change);
        Ok(())
    }
}

/// Bytes of a row in memory.
fn row_bytes(blocks: usize) -> u64 {
    (blocks * size_of::<BlockModulo3>()) as u64
}

/// Bytes of memory besides rows: what a row finds, marks, and where blocks are reached from by sixteen moves, which is
/// what the spaces have on average.
fn other_memory(rows: usize, blocks: usize) -> u64 {
    (blocks * size_of::<Block>() + rows * blocks * (2 + 16 * size_of::<BlockSource>())) as u64
}

/// Bytes of memory in which a space of that many rows of that many blocks is searched without a scratch file.
pub fn modulo3_working_set(rows: usize, blocks: usize) -> u64 {
    rows as u64 * row_bytes(blocks) + other_memory(rows, blocks)
}

/// Bytes of memory without which such a space, whose rows are reached from at most `sources` others, cannot be searched.
pub fn modulo3_least_memory(rows: usize, blocks: usize, sources: usize) -> u64 {
    (sources + 1).min(rows) as u64 * row_bytes(blocks) + other_memory(rows, blocks)
}

/// Finds the distance modulo 3 of every state of `space` from the nearest of `seeds`. Every move must count one.
///
/// # Errors
/// [`Error::Memory`] if the memory does not suffice, [`Error::Budget`] if there are [`MOST_LEVELS`] levels or more, [`Error::Io`] from
/// the scratch file, [`Error::Usage`] if a move counts more than one, [`Error::Interrupted`].
pub fn generate_modulo3(space: &Space, seeds: &[Seed], options: &Options, ctx: &Context) -> Result<LevelsModulo3> {
    let mut search = SearchModulo3::new(space, options, ctx)?;
    search.start(seeds)?;
    for level in 1..MOST_LEVELS as u8 {
        if search.pull(level, ctx)? == 0 {
            ctx.progress().end();
            let SearchModulo3 { rows, mut counts, .. } = search;
            counts.iter_mut().for_each(|counts| counts.truncate(usize::from(level)));
            return Ok(LevelsModulo3 { rows, counts });
        }
    }
    Err(Error::Budget(format!("the space has states at distance {MOST_LEVELS} or more, beyond the supported depth")))
}

/// What is known of a block besides its planes.
#[derive(Clone, Copy, Default)]
struct BlockMark {
    /// Bit `r`: it has states whose level leaves the remainder `r` by 3.
    present: u8,
    /// Whether every state is reached.
    is_full: bool,
}

/// The search between two levels.
struct SearchModulo3<'a> {
    space: &'a Space,
    kernel: Kernel,
    rows: RowStore<BlockModulo3>,
    marks: Vec<BlockMark>,
    /// What the row at hand finds, and how much, by block.
    found: Zeroed<Block>,
    fresh: Vec<u16>,
    counts: Vec<Vec<u64>>,
}

impl<'a> SearchModulo3<'a> {
    fn new(space: &'a Space, options: &Options, ctx: &Context) -> Result<Self> {
        if space.most_cost() > 1 {
            return Err(Error::Usage("levels modulo 3 need a metric in which each move counts one".to_owned()));
        }
        let (rows, blocks) = (space.rows(), space.blocks());
        let most_sources = (0..rows).map(|row| sources_of(space, &[row].into()).len()).max().unwrap_or(0);
        let least = modulo3_least_memory(rows, blocks, most_sources);
        let store = match options.scratch_folder(modulo3_working_set(rows, blocks), least)? {
            None => RowStore::in_memory(rows, blocks)?,
            Some(folder) => {
                let slots = (options.memory - other_memory(rows, blocks)) / row_bytes(blocks);
                RowStore::in_file(rows, blocks, slots as usize, folder, ctx)?
            }
        };
        Ok(Self {
            space,
            kernel: options.kernel,
            rows: store,
            marks: vec![BlockMark::default(); space.total_blocks()],
            found: Zeroed::new(blocks)?,
            fresh: vec![0; blocks],
            counts: vec![Vec::new(); rows],
        })
    }

    /// Enters the seeds at level 0.
    fn start(&mut self, seeds: &[Seed]) -> Result<()> {
        self.counts.iter_mut().for_each(|counts| counts.push(0));
        for seed in seeds {
            let (row, block) = (seed.row as usize, seed.block as usize);
            let mut set = Block::EMPTY;
            set.insert(seed.rank);
            self.rows.bring(&[row])?;
            for blocks in self.rows.rows_mut(&[row]) {
                if !blocks[block].reached().contains(seed.rank) {
                    blocks[block].assign(&set, 0);
                    self.counts[row][0] += 1;
                }
            }
            self.marks[row * self.space.blocks() + block].present = 1;
        }
        Ok(())
    }

    /// Gives `level` to every unreached state next to the level before; returns how many there are.
    ///
    /// A row that got its new states already is no trouble for those after it: what they pull from has another
    /// remainder. States of the level three nearer come along, whose neighbours are all reached.
    fn pull(&mut self, level: u8, ctx: &Context) -> Result<u64> {
        ctx.progress().begin(&format!("level {level}"), self.space.total_blocks() as u64, "blocks");
        let mut total = 0;
        for row in 0..self.space.rows() {
            ctx.check()?;
            let count = self.pull_row(row, level, ctx)?;
            self.counts[row].push(count);
            total += count;
        }
        Ok(total)
    }

    fn pull_row(&mut self, row: usize, level: u8, ctx: &Context) -> Result<u64> {
        let Self { space, kernel, rows, marks, found, fresh, .. } = self;
        let (space, kernel, blocks) = (*space, *kernel, space.blocks());
        let ids = row * blocks..(row + 1) * blocks;
        let from = 1 << ((level - 1) % 3);
        let is_present = |source: &RowSource, block: usize| {
            marks[source.row as usize * blocks + source.blocks[block].block as usize].present & from != 0
        };
        let can_grow = |block: usize| {
            !marks[row * blocks + block].is_full && space.sources(row).iter().any(|source| is_present(source, block))
        };
        if !(0..blocks).into_par_iter().any(can_grow) {
            ctx.progress().advance(blocks as u64);
            return Ok(0);
        }
        let needed: Vec<usize> = sources_of(space, &[row].into()).into_iter().chain([row]).collect();
        rows.bring(&needed)?;
        let pull_block = |block: usize, found: &mut Block| -> u16 {
            if ctx.is_cancelled() || !can_grow(block) {
                return 0;
            }
            let reached = rows.row(row)[block].reached();
            let wanted = Block::FULL.combine(&reached, |all, reached| all & !reached);
            let mut near = NextToFrontier::EMPTY;
            let mut origins = space.sources(row).iter().filter(|source| is_present(source, block)).peekable();
            let mut moves = 0;
            while let Some(source) = origins.next() {
                if let Some(next) = origins.peek() {
                    rows.row(next.row as usize)[next.blocks[block].block as usize].0.iter().for_each(Block::prefetch);
                }
                let origin = source.blocks[block];
                let set = rows.row(source.row as usize)[origin.block as usize].at(level - 1);
                kernel.or_moved(near.part(source.part), &set, &source.slots, origin.relabelling);
                moves += 1;
                // Late levels complete a block after a few moves, but looking after each costs too much.
                if moves % 3 == 0 && wanted.is_subset(near.merge()) {
                    break;
                }
            }
            *found = near.merge().combine(&wanted, |near, wanted| near & wanted);
            found.count() as u16
        };
        found
            .par_iter_mut()
            .zip(&mut *fresh)
            .enumerate()
            .with_min_len(8)
            .for_each(|(block, (found, fresh))| *fresh = pull_block(block, found));
        ctx.check()?;
        ctx.progress().advance(blocks as u64);
        for planes in rows.rows_mut(&[row]) {
            let marked = planes.par_iter_mut().zip(&mut marks[ids.clone()]);
            marked.zip(&**found).zip(&*fresh).filter(|(_, fresh)| **fresh > 0).for_each(
                |(((planes, mark), set), _)| {
                    planes.assign(set, level);
                    mark.present |= 1 << (level % 3);
                    mark.is_full = planes.reached().is_full();
                },
            );
        }
        Ok(fresh.iter().map(|&fresh| u64::from(fresh)).sum())
    }
}
