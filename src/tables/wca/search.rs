//! How far each position is from being solved, and from ending with a twist: all of them at once.

use rayon::prelude::*;

use crate::endings::{least_search_memory, seeds, space};
use crate::twists;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::perm8::Relabelling;
use twistbase_core::memory::Zeroed;
use twistbase_levelset::{
    self as levelset, Block, BlockLevels, BlockModulo3, Kernel, LevelsModulo3, Options, SlotMove, Space,
};
use twistbase_puzzle::square1::{Coordinate, EndingCoordinate};

/// For the states of a block two sets, where their levels modulo 3 were: those nearer to `K` than to solved, and those
/// not farther from `K` than from solved. `K` is the position that a twist solves. Distances are in twists, the middle
/// layer ignored; the two differ by one at most.
#[derive(Clone, Copy)]
pub(super) struct BlockEndings<'a>(&'a BlockModulo3);

impl<'a> BlockEndings<'a> {
    /// Those of a block after [`EndingSearch::compare`].
    pub(super) fn of(block: &'a BlockModulo3) -> Self {
        Self(block)
    }

    /// States nearer to `K` than to solved.
    pub(super) fn nearer(self) -> &'a Block {
        &self.0.0[0]
    }

    /// States not farther from `K` than from solved.
    pub(super) fn not_farther(self) -> &'a Block {
        &self.0.0[1]
    }
}

/// All positions, by their distance to solved and to `K`.
pub(super) struct EndingSearch {
    pub(super) coordinate: &'static EndingCoordinate,
    pub(super) kernel: Kernel,
    /// The twists between the entries of [`EndingSearch::coordinate`], and between those of [`Coordinate::of`].
    pub(super) space: Space,
    pub(super) whole_space: Space,
    /// The distances to solved, in the blocks of [`Coordinate::of`].
    whole: Zeroed<BlockLevels>,
    /// What is known of each row: after [`EndingSearch::compare`] [`BlockEndings`].
    pub(super) levels: LevelsModulo3,
}

/// Bytes of memory of the distances to solved, which are there in any case.
fn whole_bytes(whole: &Coordinate) -> u64 {
    (twists::blocks(whole) * size_of::<BlockLevels>()) as u64
}

/// Bytes of memory without which [`EndingSearch::new`] cannot search.
pub(super) fn least_memory(whole: &Coordinate, coordinate: &EndingCoordinate) -> u64 {
    (whole_bytes(whole) + least_search_memory(coordinate)).max(levelset::working_set(twists::blocks(whole), 1))
}

/// Bytes of memory in which it searches without a scratch file.
pub(super) fn working_set(whole: &Coordinate, coordinate: &EndingCoordinate) -> u64 {
    whole_bytes(whole) + levelset::modulo3_working_set(coordinate.rows(), coordinate.classes())
}

impl EndingSearch {
    /// Searches both distances.
    ///
    /// # Errors
    /// Those of [`levelset::generate`] and [`levelset::generate_modulo3`].
    pub(super) fn new(
        whole: &'static Coordinate,
        coordinate: &'static EndingCoordinate,
        options: &Options,
        ctx: &Context,
    ) -> Result<Self> {
        let whole_space = twists::space(whole);
        let solved = levelset::generate(&whole_space, &twists::seeds(whole), None, None, options, ctx)?;
        let solved = solved.into_memory()?;
        let rest = Options { memory: options.memory.saturating_sub(whole_bytes(whole)), ..options.clone() };
        let space = space(coordinate);
        let levels = levelset::generate_modulo3(&space, &seeds(coordinate), &rest, ctx)?;
        let kernel = options.kernel;
        let mut search = Self { coordinate, kernel, space, whole_space, whole: solved, levels };
        search.compare(ctx)?;
        Ok(search)
    }

    /// The row of [`Coordinate::of`] that has the positions of a row.
    pub(super) fn whole_row(&self, row: usize) -> usize {
        self.coordinate.shape(row as u32).map_or(0, |shape| usize::from(shape.id()))
    }

    /// The distances to solved of a row of [`Coordinate::of`].
    pub(super) fn whole_levels(&self, whole_row: usize) -> &[BlockLevels] {
        let blocks = self.whole_space.blocks();
        &self.whole[whole_row * blocks..][..blocks]
    }

    /// Replaces the distances to `K` modulo 3 by how they compare with those to solved.
    fn compare(&mut self, ctx: &Context) -> Result<()> {
        let in_place = in_place();
        let blocks = self.space.blocks();
        ctx.progress().begin("comparing", self.space.total_blocks() as u64, "blocks");
        let whole_class: Vec<_> = (0..blocks as u32).map(|class| self.coordinate.whole_class(class)).collect();
        for row in 0..self.space.rows() {
            ctx.check()?;
            let solved = self.whole_levels(self.whole_row(row)).par_iter().map(BlockLevels::modulo3);
            let (solved, kernel): (Vec<BlockModulo3>, _) = (solved.collect(), self.kernel);
            self.levels.change_row(row, |row| {
                row.par_iter_mut().zip(&whole_class).for_each(|(block, &(class, relabelling))| {
                    *block = endings(block, &solved[class as usize], &in_place, relabelling, kernel);
                });
            })?;
            ctx.progress().advance(blocks as u64);
        }
        ctx.progress().end();
        Ok(())
    }
}

/// The [`BlockEndings`] of a block, from the distances to `K` and, before a relabelling, those to solved.
fn endings(
    last: &BlockModulo3,
    solved: &BlockModulo3,
    in_place: &SlotMove,
    relabelling: Relabelling,
    kernel: Kernel,
) -> BlockModulo3 {
    let [mut nearer, mut not_farther] = [Block::EMPTY; 2];
    for level in 0..3 {
        let mut here = Block::EMPTY;
        kernel.or_moved(&mut here, &solved.at(level), in_place, relabelling);
        let near = last.at(level + 2).combine(&here, |last, here| last & here);
        let same = last.at(level).combine(&here, |last, here| last & here);
        nearer = nearer.combine(&near, |all, near| all | near);
        not_farther = not_farther.combine(&near, |all, near| all | near).combine(&same, |all, same| all | same);
    }
    BlockModulo3([nearer, not_farther])
}

/// Leaves every slot where it is.
pub(super) fn in_place() -> SlotMove {
    SlotMove::new(&[0, 1, 2, 3, 4, 5, 6, 7])
}
