//! Positions as they lie, counted by the moves of their solutions.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::search::{BlockEndings, EndingSearch, in_place};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::perm8::{PERMUTATIONS, Relabelling};
use twistbase_core::simd::{VectorWork, in_wide_registers};
use twistbase_levelset::{Block, BlockModulo3, Kernel, RowSource, SlotMove, UNSET};
use twistbase_puzzle::square1::Place;

/// Numbers by the distance to solved in twists, the middle layer ignored.
type ByTwists = [u64; UNSET as usize];

/// Numbers for the middle layer that needs as many twists as without it, and for the other one, which needs one more.
type ByMiddle = [ByTwists; 2];

/// What is counted of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowCounts {
    /// Entries.
    pub(super) entries: ByTwists,
    /// Entries with a shortest solution that ends with a twist.
    pub(super) ending: ByMiddle,
    /// Pairs of an entry and a [twist](twistbase_puzzle::square1::Shape::alignments) for which a shortest solution begins
    /// with this twist and ends with one.
    pub(super) neither: ByMiddle,
    /// Pairs for which one begins with this twist, or one ends with a twist.
    pub(super) at_most_one: ByMiddle,
}

impl RowCounts {
    fn numbers(&mut self) -> impl Iterator<Item = &mut u64> {
        let pairs = [&mut self.ending, &mut self.neither, &mut self.at_most_one];
        self.entries.iter_mut().chain(pairs.into_iter().flatten().flatten())
    }

    fn sum(mut self, mut other: Self) -> Self {
        self.numbers().zip(other.numbers()).for_each(|(own, other)| *own += *other);
        self
    }
}

/// The blocks of a row that are, relabelled, the same block of [`Coordinate::of`](twistbase_puzzle::square1::Coordinate):
/// by that block, each with the relabelling that leads from there.
type Members = Vec<Vec<(u32, Relabelling)>>;

/// Counts what the rows have, one after the other.
pub(super) struct Counter<'a> {
    search: &'a mut EndingSearch,
    members: Members,
    in_place: SlotMove,
}

impl<'a> Counter<'a> {
    /// For what was searched.
    pub(super) fn new(search: &'a mut EndingSearch) -> Self {
        let mut members = vec![Vec::new(); search.whole_space.blocks()];
        for class in 0..search.space.blocks() as u32 {
            let (whole, relabelling) = search.coordinate.whole_class(class);
            members[whole as usize].push((class, relabelling.inverse()));
        }
        Self { search, members, in_place: in_place() }
    }

    /// Counts the entries of a row, and their twists.
    ///
    /// # Errors
    /// [`Error::Io`](twistbase_core::error::Error::Io) from the scratch file,
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub(super) fn row(&mut self, row: usize, ctx: &Context) -> Result<RowCounts> {
        let Self { search, members, in_place } = self;
        let needed: BTreeSet<usize> = search.coordinate.sources(row as u32).into_iter().chain([row]).collect();
        let needed: Vec<usize> = needed.into_iter().collect();
        search.levels.bring(&needed)?;
        let row = CountedRow { search, members, in_place, row, whole_row: search.whole_row(row) };
        let blocks = (0..search.whole_space.blocks()).into_par_iter();
        let counts = blocks.map(|block| {
            let counts = if ctx.is_cancelled() { RowCounts::default() } else { row.block(block) };
            ctx.progress().advance(members[block].len() as u64);
            counts
        });
        let counts = counts.reduce(RowCounts::default, RowCounts::sum);
        ctx.check().map(|()| counts)
    }
}

/// The entries of a row at a distance from solved, those left out for which a solution can end with a twist whatever
/// the middle layer, unless these are wanted, too.
///
/// # Errors
/// As [`Counter::row`].
pub(super) fn entries_at(
    search: &mut EndingSearch,
    row: usize,
    twists: u8,
    wants_ending: bool,
    ctx: &Context,
) -> Result<Vec<Place>> {
    ctx.check()?;
    search.levels.bring(&[row])?;
    let (search, in_place) = (&*search, in_place());
    let (whole, blocks) = (search.whole_levels(search.whole_row(row)), search.levels.row(row));
    let entries = |block: usize| -> Vec<Place> {
        let (class, relabelling) = search.coordinate.whole_class(block as u32);
        let mut here = Block::EMPTY;
        search.kernel.or_moved(&mut here, &whole[class as usize].at(twists), &in_place, relabelling);
        let ending = BlockEndings::of(&blocks[block]).not_farther();
        let wanted = here.combine(ending, |here, ending| if wants_ending { here } else { here & !ending });
        let first = block as u32 * PERMUTATIONS as u32;
        wanted.ranks().map(|rank| Place { row: row as u32, entry: first + rank }).collect()
    };
    Ok((0..blocks.len()).into_par_iter().flat_map_iter(entries).collect())
}

/// A row whose neighbours are in memory.
struct CountedRow<'a> {
    search: &'a EndingSearch,
    members: &'a Members,
    in_place: &'a SlotMove,
    row: usize,
    whole_row: usize,
}

/// Sets of the states of a block, by their distance to solved.
type SetsByTwists = Vec<(usize, Block)>;

/// States for which a shortest solution ends with a twist, as a middle layer needs twists.
struct EndingStates([Block; 2]);

impl CountedRow<'_> {
    fn kernel(&self) -> Kernel {
        self.search.kernel
    }

    fn endings(&self, row: u32, block: u32) -> BlockEndings<'_> {
        BlockEndings::of(&self.search.levels.row(row as usize)[block as usize])
    }

    /// Counts what is, relabelled, a block of the row of [`Coordinate::of`](twistbase_puzzle::square1::Coordinate).
    fn block(&self, whole: usize) -> RowCounts {
        let mut counts = RowCounts::default();
        let levels = &self.search.whole_levels(self.whole_row)[whole];
        let by_twists = (0..UNSET).map(|twists| (usize::from(twists), levels.at(twists)));
        let by_twists: SetsByTwists = by_twists.filter(|(_, set)| !set.is_subset(&Block::EMPTY)).collect();
        let own = levels.modulo3();
        let members = &self.members[whole];
        let endings: Vec<EndingStates> = members
            .iter()
            .map(|&(block, relabelling)| {
                let from = self.endings(self.row as u32, block);
                EndingStates([from.nearer(), from.not_farther()].map(|set| self.moved(set, self.in_place, relabelling)))
            })
            .collect();
        for EndingStates(ending) in &endings {
            for (twists, set) in &by_twists {
                counts.entries[*twists] += set.count();
                for (count, ending) in counts.ending.iter_mut().zip(ending) {
                    count[*twists] += self.kernel().count_in(set, ending);
                }
            }
        }
        let whole_sources = self.search.whole_space.sources(self.whole_row);
        for (whole_source, source) in whole_sources.iter().zip(self.search.space.sources(self.row)) {
            let next = self.next(&own, whole, whole_source);
            for (&(block, relabelling), EndingStates(ending)) in members.iter().zip(&endings) {
                let from = source.blocks[block as usize];
                let there = self.endings(source.row, from.block);
                let relabelling = relabelling.then(from.relabelling);
                let next_ending =
                    [there.nearer(), there.not_farther()].map(|set| self.moved(set, &source.slots, relabelling));
                in_wide_registers(CountPairs {
                    by_twists: &by_twists,
                    next: &next,
                    ending,
                    next_ending: &next_ending,
                    counts: &mut counts,
                });
            }
        }
        counts
    }

    fn moved(&self, set: &Block, slots: &SlotMove, relabelling: Relabelling) -> Block {
        let mut moved = Block::EMPTY;
        self.kernel().or_moved(&mut moved, set, slots, relabelling);
        moved
    }

    /// How a twist changes the distance to solved of the states of a block.
    fn next(&self, own: &BlockModulo3, whole: usize, source: &RowSource) -> NextStates {
        let from = source.blocks[whole];
        let levels = self.search.whole_levels(source.row as usize)[from.block as usize].modulo3();
        let mut next = NextStates { nearer: Block::EMPTY, as_far: Block::EMPTY };
        for level in 0..3 {
            let there = self.moved(&levels.at(level), &source.slots, from.relabelling);
            for (to, before) in [(&mut next.nearer, level + 1), (&mut next.as_far, level)] {
                let both = there.combine(&own.at(before), |there, before| there & before);
                *to = to.combine(&both, |all, both| all | both);
            }
        }
        next
    }
}

/// The states that a twist brings nearer to solved, and those that it leaves as far.
struct NextStates {
    nearer: Block,
    as_far: Block,
}

/// Counts the states of a block with one twist.
struct CountPairs<'a> {
    by_twists: &'a SetsByTwists,
    next: &'a NextStates,
    ending: &'a [Block; 2],
    /// [`CountPairs::ending`] of the states after the twist, at the states before it.
    next_ending: &'a [Block; 2],
    counts: &'a mut RowCounts,
}

impl VectorWork for CountPairs<'_> {
    type Output = ();

    /// Let a state be at distance d. With the middle layer that needs d twists, a solution can begin with the twist if
    /// that leads to d - 1, and then end with one if that state can, with the middle layer that needs d - 1. With the
    /// other middle layer, d + 1 twists are needed, and d after the first: it may lead to d, with the middle layer that
    /// needs d, or to d - 1, with the other one.
    #[inline(always)]
    fn run(self) {
        let (nearer, as_far) = (self.next.nearer.words(), self.next.as_far.words());
        let [ending, other_ending] = self.ending.each_ref().map(Block::words);
        let [next, other_next] = self.next_ending.each_ref().map(Block::words);
        for (twists, set) in self.by_twists {
            let [mut neither, mut at_most_one] = [[0; 2]; 2];
            for (i, &set) in set.words().iter().enumerate() {
                let begins = [nearer[i], nearer[i] | as_far[i]];
                let both = [nearer[i] & next[i], (as_far[i] & next[i]) | (nearer[i] & other_next[i])];
                for (middle, ends) in [ending[i], other_ending[i]].into_iter().enumerate() {
                    neither[middle] += u64::from((set & both[middle]).count_ones());
                    at_most_one[middle] += u64::from((set & (begins[middle] | ends)).count_ones());
                }
            }
            for middle in 0..2 {
                self.counts.neither[middle][*twists] += neither[middle];
                self.counts.at_most_one[middle][*twists] += at_most_one[middle];
            }
        }
    }
}
