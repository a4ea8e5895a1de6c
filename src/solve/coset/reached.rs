//! The positions up to a level, and the excursions from them.
//!
//! A row is filled at once, from all rows from which an excursion leads to it: it stays in a core's second-level cache,
//! and no other thread writes to it.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::count::Weigher;
use super::excursions::{Excursions, SameCorners};
use super::places::{BitFinder, BitPlaces};
use super::search::{SearchCounters, SearchCounts};
use crate::packed_cube::{CubeKernel, CubeWork, on_this_processor};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::perm8::unrank;
use twistbase_levelset::{Block, SpreadSet};

/// The positions that were reached up to a level, by row.
pub(super) struct ReachedPositions {
    rows: Vec<Box<[ReachedPosition]>>,
    count: u64,
}

/// A position in its row: its edges as bytes from the lowest on, and its block in the highest four bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReachedPosition(u64);

const BLOCK_AT: u32 = 60;

impl ReachedPosition {
    fn new(block: u64, rank: u32) -> Self {
        Self(u64::from_le_bytes(unrank(rank)) | block << BLOCK_AT)
    }

    fn block(self) -> usize {
        (self.0 >> BLOCK_AT) as usize
    }

    /// The edges in the lowest three bits of the lowest lanes.
    #[inline(always)]
    fn edges(self) -> [u8; 16] {
        u128::from(self.0).to_le_bytes()
    }
}

impl ReachedPositions {
    /// Bytes of each position.
    pub const BYTES_OF_POSITION: u64 = size_of::<ReachedPosition>() as u64;

    /// All that are in a set.
    pub fn new(set: &SpreadSet) -> Self {
        let mut rows: Vec<Box<[ReachedPosition]>> = vec![Box::default(); set.rows()];
        let touched: Vec<usize> = set.touched().collect();
        let found: Vec<(usize, Box<[ReachedPosition]>)> =
            touched.into_par_iter().map(|row| (row, of_row(set.row(row)))).collect();
        found.into_iter().for_each(|(row, positions)| rows[row] = positions);
        let count = rows.iter().map(|row| row.len() as u64).sum();
        Self { rows, count }
    }

    /// Number of positions.
    pub fn count(&self) -> u64 {
        self.count
    }
}

fn of_row(blocks: &[Block]) -> Box<[ReachedPosition]> {
    let count: u64 = blocks.iter().map(Block::count).sum();
    let mut positions = Vec::with_capacity(count as usize);
    for (number, block) in (0..).zip(blocks) {
        positions.extend(block.ranks().map(|rank| ReachedPosition::new(number, rank)));
    }
    positions.into_boxed_slice()
}

/// Adds to a level what excursions reach.
pub(super) struct ExcursionSearch<'a> {
    /// By length of the excursions from [`Excursions::SHORTEST`] on: the positions from which they begin, if there are
    /// any.
    pub before: Vec<Option<&'a ReachedPositions>>,
    pub excursions: &'a Excursions,
    pub finder: &'a BitFinder,
    pub weigher: Option<&'a Weigher>,
    pub ctx: &'a Context,
    /// The search ends when more bits than this are new.
    pub enough: u64,
    pub counts: SearchCounters,
    pub stopped: AtomicBool,
}

impl ExcursionSearch<'_> {
    /// Sets the bits; `level` is what the progress is called by.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn run(&self, set: &mut SpreadSet, level: u8) -> Result<()> {
        let progress = self.ctx.progress();
        progress.begin(&format!("level {level}: excursions"), set.rows() as u64, "rows");
        set.change_rows(|row, blocks| {
            if !self.stopped.load(Ordering::Relaxed) && !self.ctx.is_cancelled() {
                let new = on_this_processor(RowProducts { search: self, row, blocks });
                if self.counts.add(new) > self.enough {
                    self.stopped.store(true, Ordering::Relaxed);
                }
            }
            progress.advance(1);
        });
        self.ctx.check()
    }
}

/// A row to be filled.
struct RowProducts<'a> {
    search: &'a ExcursionSearch<'a>,
    row: usize,
    blocks: &'a mut [Block],
}

impl CubeWork for RowProducts<'_> {
    type Output = SearchCounts;

    #[inline(always)]
    fn run<K: CubeKernel>(mut self, kernel: K) -> SearchCounts {
        let mut counts = SearchCounts::default();
        for (length, reached) in (Excursions::SHORTEST..).zip(&self.search.before) {
            let Some(reached) = reached else { continue };
            for group in self.search.excursions.of_length(length) {
                self.fill(kernel, reached, group, &mut counts);
            }
        }
        counts
    }
}

impl RowProducts<'_> {
    /// Sets the bits that excursions reach which do the same to the corners.
    #[inline(always)]
    fn fill<K: CubeKernel>(
        &mut self,
        kernel: K,
        reached: &ReachedPositions,
        group: &SameCorners,
        counts: &mut SearchCounts,
    ) {
        let (search, row) = (self.search, self.row);
        let from = BitPlaces::get().after(row, &group.corners_back);
        let positions = &reached.rows[from];
        for excursion in &group.excursions {
            if positions.is_empty() {
                break;
            }
            let slots = search.finder.between_rows(kernel, from, &excursion.edges, row);
            for &position in positions {
                let rank = search.finder.rank_of_edges(kernel, &kernel.edges(&position.edges(), &slots));
                let is_new = self.blocks[usize::from(excursion.blocks[position.block()])].add(rank);
                counts.positions += u64::from(is_new);
                if is_new && let Some(weigher) = search.weigher {
                    counts.weighted += weigher.weight(row as u32, rank);
                }
            }
            counts.sequences += positions.len() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::coset::places::BitPlace;
    use crate::coset::{CosetLevel, CosetWeights, before_excursions, spread};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
    use twistbase_puzzle::cube3::random_in_h;

    fn places(set: &SpreadSet) -> BTreeSet<BitPlace> {
        let of_block = |row: usize, block: usize| {
            let place = move |rank| BitPlace { row: row as u32, block: block as u8, rank: rank as u16 };
            set.row(row)[block].ranks().map(place)
        };
        let blocks = |row| (0..set.row(row).len()).map(move |block| (row, block));
        set.touched().flat_map(blocks).flat_map(|(row, block)| of_block(row, block)).collect()
    }

    /// What is reached is what the excursions make of the positions, one by one.
    #[test]
    fn excursions_lead_where_their_moves_lead() {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        let mut in_h = |count: usize| -> Vec<PhaseTwoPosition> {
            (0..count).map(|_| PhaseTwoPosition::of(&random_in_h(&mut rng)).unwrap()).collect()
        };
        // Any elements of H do; two of those of a length do the same to the corners.
        let mut lengths = vec![in_h(3), in_h(2), Vec::new(), in_h(1)];
        let twin = PhaseTwoPosition { corners: lengths[0][0].corners, ..lengths[0][1] };
        lengths[0].push(twin);
        let excursions = Excursions::of(&lengths);
        let levels = [in_h(4), in_h(3)];
        let sets = levels.each_ref().map(|level| {
            let mut set = SpreadSet::new(spread()).unwrap();
            for place in level.iter().map(|position| BitPlaces::get().of(position)) {
                set.row_mut(place.row as usize)[usize::from(place.block)].insert(place.rank.into());
            }
            set
        });
        let [near, far] = sets.each_ref().map(ReachedPositions::new);
        assert_eq!((near.count(), far.count()), (4, 3));
        let (finder, weigher) = (BitFinder::new(BitPlaces::get()), Weigher::new(&CosetWeights::uniform(3)));
        let ctx = Context::silent();
        let search = |enough| ExcursionSearch {
            before: vec![Some(&near), None, None, Some(&far)],
            excursions: &excursions,
            finder: &finder,
            weigher: Some(&weigher),
            ctx: &ctx,
            enough,
            counts: SearchCounters::default(),
            stopped: AtomicBool::new(false),
        };
        let mut set = SpreadSet::new(spread()).unwrap();
        let (early, all) = (search(0), search(u64::MAX));
        all.run(&mut set, 9).unwrap();
        // With as many as are enough, the rows after the first that has any are left.
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        one_thread.install(|| early.run(&mut SpreadSet::new(spread()).unwrap(), 9)).unwrap();
        let found = early.counts.into_counted().positions;
        assert!(early.stopped.into_inner() && found > 0 && found < places(&set).len() as u64, "{found}");
        let products = [(&levels[0], &lengths[0]), (&levels[1], &lengths[3])].map(|(level, excursions)| {
            level
                .iter()
                .flat_map(|before| excursions.iter().map(|excursion| before.then(excursion)))
                .collect::<Vec<_>>()
        });
        let expected: BTreeSet<BitPlace> =
            products.concat().iter().map(|position| BitPlaces::get().of(position)).collect();
        assert_eq!(places(&set), expected);
        let SearchCounts { sequences, positions, weighted } = all.counts.into_counted();
        assert_eq!((sequences, positions, weighted), (19, expected.len() as u64, 3 * expected.len() as u64));
        // An interrupt that came before leaves all rows.
        ctx.cancel();
        let interrupted = search(u64::MAX);
        assert!(matches!(interrupted.run(&mut set, 9), Err(twistbase_core::error::Error::Interrupted)));
        assert_eq!((interrupted.counts.into_counted().sequences, places(&set)), (0, expected));
    }

    /// Each length leads to a level from the one that is as far before, if the coset has positions there.
    #[test]
    fn excursions_begin_as_far_before_a_level_as_they_are_long() {
        let level = |depth| CosetLevel {
            depth,
            positions: None,
            total: None,
            weighted: None,
            exact: true,
            searched: true,
            ended_early: false,
            sequences: 0,
            prepass_seconds: 0.0,
            search_seconds: 0.0,
        };
        let levels: Vec<_> = (6..14).map(level).collect();
        let kept = |depth: u8| (depth, ReachedPositions { rows: Vec::new(), count: depth.into() });
        let reached: Vec<_> = (6..10).map(kept).collect();
        let before = |depth| {
            let before = before_excursions(&levels, &reached, depth)?;
            Some(before.into_iter().map(|reached| reached.map(ReachedPositions::count)).collect::<Vec<_>>())
        };
        assert_eq!((Excursions::SHORTEST, Excursions::LONGEST), (5, 8));
        assert_eq!(before(14), Some(vec![Some(9), Some(8), Some(7), Some(6)]));
        assert_eq!(before(13), Some(vec![Some(8), Some(7), Some(6), None]));
        assert_eq!([before(10), before(4)], [Some(vec![None; 4]), Some(vec![None; 4])]);
        // The positions of level 10 were not kept.
        assert_eq!(before(15), None);
        assert!(before_excursions(&[], &reached, 14).is_none());
    }
}
