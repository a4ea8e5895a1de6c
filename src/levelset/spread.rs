//! Spreading a set: adding to it all states that are one move from it, in one pass.
//!
//! The rows come in squares of 4 × 4. Rows in one line or in one column of a square reach each other by moves that change
//! nothing but the row: their blocks are ORed as they are. All other moves go through [`Kernel::or_moved`]. A new row is
//! written to a page of its own, and the page of an old one is free when all rows that are reached from it are done: in a
//! good order of the squares, few more pages than rows suffice.

use arrayvec::ArrayVec;
use rayon::prelude::*;

use super::block::Block;
use super::kernel::Kernel;
use super::pages::{Page, SharedPages};
use super::space::SlotMove;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::perm8::Relabelling;

/// Rows in a square.
pub const SQUARE: usize = 16;
/// Squares that are worked on at once: more take more spare pages, fewer leave threads idle at the end of each batch.
const BATCH: usize = 8;

/// Where a row is reached from by one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpreadSource {
    /// The row it comes from.
    pub row: u32,
    /// How its slots move: an index into the spread's list.
    pub slots: u16,
}

/// The moves by which sets of a space are spread.
///
/// The state (row, b, s) is reached from (`source.row`, `blocks[move][b]`, `s ∘ slots[source.slots]`) for each of the row's
/// sources, and from (other, b, s) for each other row in its line and column of its square. Row `16 q + 4 i + j` is in line
/// `i` and column `j` of square `q`.
pub struct Spread {
    moves: usize,
    /// By row, and within it by move.
    sources: Vec<SpreadSource>,
    slots: Vec<SlotMove>,
    /// Per move: which block of the source each block comes from.
    blocks: Vec<Vec<u32>>,
    /// The squares in the order in which they are done, and how many pages that takes.
    order: Vec<u32>,
    pages: usize,
    /// Per row: the number of squares that read it.
    readers: Vec<u8>,
}

impl Spread {
    /// A spread over rows with `blocks.len()` sources each, in the order of the moves.
    ///
    /// # Panics
    /// If a number is out of range, or the rows are no whole squares.
    pub fn new(blocks: Vec<Vec<u32>>, slots: Vec<SlotMove>, sources: Vec<SpreadSource>) -> Self {
        let moves = blocks.len();
        let rows = sources.len() / moves;
        let count = blocks[0].len();
        assert!(rows > 0 && rows.is_multiple_of(SQUARE) && sources.len() == rows * moves);
        assert!(blocks.iter().all(|map| map.len() == count && map.iter().all(|&from| (from as usize) < count)));
        assert!(sources.iter().all(|from| (from.row as usize) < rows && usize::from(from.slots) < slots.len()));
        let mut spread = Self { moves, sources, slots, blocks, order: Vec::new(), pages: 0, readers: Vec::new() };
        let readers = spread.find_readers();
        spread.readers = readers.iter().map(|squares| squares.len() as u8).collect();
        spread.order = spread.find_order(&readers);
        spread.pages = spread.count_pages(&readers);
        spread
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.sources.len() / self.moves
    }

    /// Number of blocks in each row.
    pub fn blocks(&self) -> usize {
        self.blocks[0].len()
    }

    /// Bytes of memory of a set.
    pub fn memory(&self) -> u64 {
        (self.pages * self.blocks() * size_of::<Block>()) as u64
    }

    fn squares(&self) -> usize {
        self.rows() / SQUARE
    }

    /// The sources of a row, by move.
    fn sources(&self, row: usize) -> &[SpreadSource] {
        &self.sources[row * self.moves..][..self.moves]
    }

    /// The rows that a square reads, each once.
    fn read_by(&self, square: usize) -> Vec<u32> {
        let rows = square * SQUARE..(square + 1) * SQUARE;
        let sources = &self.sources[rows.start * self.moves..rows.end * self.moves];
        let mut read: Vec<u32> = rows.map(|row| row as u32).chain(sources.iter().map(|from| from.row)).collect();
        read.sort_unstable();
        read.dedup();
        read
    }

    /// Per row: the squares that read it.
    fn find_readers(&self) -> Vec<Vec<u32>> {
        let mut readers = vec![Vec::new(); self.rows()];
        for square in 0..self.squares() {
            self.read_by(square).into_iter().for_each(|row| readers[row as usize].push(square as u32));
        }
        readers
    }

    /// An order in which rows are soon read for the last time: next comes the square that reads most rows which few others
    /// have still to read. A row counts half of what one with a reader less does.
    fn find_order(&self, readers: &[Vec<u32>]) -> Vec<u32> {
        let mut left: Vec<u32> = readers.iter().map(|squares| squares.len() as u32).collect();
        let read: Vec<Vec<u32>> = (0..self.squares()).map(|square| self.read_by(square)).collect();
        let score = |square: usize, left: &[u32]| -> u64 {
            read[square].iter().map(|&row| (1 << 20) >> left[row as usize].min(20)).sum()
        };
        let mut waiting: std::collections::BTreeSet<(u64, std::cmp::Reverse<usize>)> =
            (0..self.squares()).map(|square| (score(square, &left), std::cmp::Reverse(square))).collect();
        let mut order = Vec::with_capacity(self.squares());
        let mut scores: Vec<u64> = (0..self.squares()).map(|square| score(square, &left)).collect();
        while let Some((_, std::cmp::Reverse(square))) = waiting.pop_last() {
            order.push(square as u32);
            read[square].iter().for_each(|&row| left[row as usize] -= 1);
            let others = read[square].iter().flat_map(|&row| &readers[row as usize]).map(|&other| other as usize);
            for other in others {
                if waiting.remove(&(scores[other], std::cmp::Reverse(other))) {
                    scores[other] = score(other, &left);
                    waiting.insert((scores[other], std::cmp::Reverse(other)));
                }
            }
        }
        order
    }

    /// The most pages that are in use at once.
    fn count_pages(&self, readers: &[Vec<u32>]) -> usize {
        let mut left: Vec<usize> = readers.iter().map(Vec::len).collect();
        let (mut used, mut most) = (self.rows(), self.rows());
        for batch in self.order.chunks(BATCH) {
            used += batch.len() * SQUARE;
            most = most.max(used);
            for row in batch.iter().flat_map(|&square| self.read_by(square as usize)) {
                left[row as usize] -= 1;
                used -= usize::from(left[row as usize] == 0);
            }
        }
        most
    }

    /// The new rows of a square, from the old ones.
    fn spread_square(&self, square: usize, kernel: Kernel, old: &[Option<Page>], new: &mut [Page]) {
        let page = |row: usize| old[row].as_ref().expect("rows that are still to be read are there");
        for block in 0..self.blocks() {
            let from: ArrayVec<&Block, SQUARE> = (0..SQUARE).map(|i| &page(square * SQUARE + i)[block]).collect();
            let from: [&Block; SQUARE] = from.into_inner().unwrap_or_else(|_| unreachable!("sixteen rows"));
            let to: ArrayVec<&mut Block, SQUARE> = new.iter_mut().map(|page| &mut page[block]).collect();
            let mut to: [&mut Block; SQUARE] = to.into_inner().unwrap_or_else(|_| unreachable!("sixteen rows"));
            kernel.or_lines(&mut to, &from);
            for (row, to) in (square * SQUARE..).zip(to) {
                if to.is_full() {
                    continue;
                }
                for (source, map) in self.sources(row).iter().zip(&self.blocks) {
                    page(source.row as usize)[map[block] as usize].prefetch();
                }
                for (source, map) in self.sources(row).iter().zip(&self.blocks) {
                    let from = &page(source.row as usize)[map[block] as usize];
                    kernel.or_moved(to, from, &self.slots[usize::from(source.slots)], Relabelling::default());
                }
            }
        }
    }
}

/// A set of states of a space, row by row.
pub struct SpreadSet {
    /// Per row, its page; missing only while it is spread.
    rows: Vec<Option<Page>>,
    spare: Vec<Page>,
    /// Rows that may hold states.
    touched: Vec<bool>,
}

impl SpreadSet {
    /// The empty set, in [`Spread::memory`] bytes.
    pub fn new(spread: &Spread) -> Result<Self> {
        let mut pages = Page::allocate(spread.pages, spread.blocks())?.into_iter();
        let rows = pages.by_ref().take(spread.rows()).map(Some).collect();
        Ok(Self { rows, spare: pages.collect(), touched: vec![false; spread.rows()] })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The blocks of a row.
    pub fn row(&self, row: usize) -> &[Block] {
        self.rows[row].as_ref().expect("every row has its page between passes")
    }

    /// The blocks of a row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [Block] {
        self.touched[row] = true;
        self.rows[row].as_mut().expect("every row has its page between passes")
    }

    /// The rows that may hold states.
    pub fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.touched.iter().enumerate().filter_map(|(row, &touched)| touched.then_some(row))
    }

    /// Makes the set empty.
    pub fn clear(&mut self) {
        let rows = self.rows.par_iter_mut().zip(&mut self.touched);
        rows.filter(|(_, touched)| **touched).for_each(|(page, touched)| {
            page.iter_mut().for_each(|page| page.fill(Block::EMPTY));
            *touched = false;
        });
    }

    /// Visits all rows, on several threads, to change them.
    pub fn change_rows(&mut self, change: impl Fn(usize, &mut [Block]) + Sync) {
        self.touched.fill(true);
        self.rows.par_iter_mut().enumerate().for_each(|(row, page)| {
            change(row, page.as_mut().expect("every row has its page between passes"));
        });
    }

    /// Lends the set to several threads, which add states to it; at the end `touched` gets the rows that they are in.
    pub fn share<T>(&mut self, work: impl FnOnce(&SharedSet<'_>) -> T) -> T {
        use std::sync::atomic::AtomicBool;
        let touched = self.touched.iter().map(|&touched| AtomicBool::new(touched)).collect();
        let shared = SharedSet { pages: SharedPages::new(self.rows.iter_mut().flatten()), touched };
        let result = work(&shared);
        self.touched = shared.touched.into_iter().map(AtomicBool::into_inner).collect();
        result
    }

    /// Adds all states that are one move from the set; `visit` gets each new row, on any thread. `stage` is what the progress
    /// is called.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; the set is empty then.
    pub fn spread(
        &mut self,
        spread: &Spread,
        kernel: Kernel,
        stage: &str,
        ctx: &Context,
        visit: &(impl Fn(usize, &[Block]) + Sync),
    ) -> Result<()> {
        let mut left = spread.readers.clone();
        let mut done: Vec<Option<Page>> = std::iter::repeat_with(|| None).take(spread.rows()).collect();
        self.touched.fill(true);
        ctx.progress().begin(stage, spread.rows() as u64, "rows");
        for batch in spread.order.chunks(BATCH) {
            if ctx.is_cancelled() {
                self.restore(done);
                return Err(Error::Interrupted);
            }
            let mut new = self.spare.split_off(self.spare.len() - batch.len() * SQUARE);
            let old = &self.rows;
            batch.par_iter().zip(new.par_chunks_mut(SQUARE)).for_each(|(&square, new)| {
                let first = square as usize * SQUARE;
                spread.spread_square(square as usize, kernel, old, new);
                (first..).zip(&*new).for_each(|(row, page)| visit(row, page));
            });
            let rows = batch.iter().flat_map(|&square| (square as usize * SQUARE..).take(SQUARE));
            rows.zip(new).for_each(|(row, page)| done[row] = Some(page));
            ctx.progress().advance((batch.len() * SQUARE) as u64);
            for row in batch.iter().flat_map(|&square| spread.read_by(square as usize)) {
                left[row as usize] -= 1;
                if left[row as usize] == 0 {
                    self.spare.extend(self.rows[row as usize].take());
                }
            }
        }
        self.rows = done;
        Ok(())
    }

    /// Gives each row a page again after a pass that was not finished, and makes the set empty.
    fn restore(&mut self, done: Vec<Option<Page>>) {
        self.spare.extend(done.into_iter().flatten());
        for row in self.rows.iter_mut().filter(|row| row.is_none()) {
            *row = self.spare.pop();
        }
        self.clear();
    }
}

/// A set to which several threads add states.
pub struct SharedSet<'a> {
    pages: SharedPages<'a>,
    touched: Vec<std::sync::atomic::AtomicBool>,
}

impl SharedSet<'_> {
    /// Starts to load what [`SharedSet::insert`] needs for a state.
    #[inline]
    pub fn prefetch(&self, row: u32, word: u32) {
        self.pages.prefetch(row as usize, word as usize);
    }

    /// Adds a state by its row, the word of the row (`block × `[`BLOCK_WORDS`](super::BLOCK_WORDS)` + rank / 64`) and the
    /// bit of the word; returns whether it is new.
    ///
    /// # Panics
    /// If there is no such word.
    #[inline]
    pub fn insert(&self, row: u32, word: u32, bit: u32) -> bool {
        let is_new = self.pages.set(row as usize, word as usize, 1 << bit) == 0;
        if is_new {
            self.touched[row as usize].store(true, std::sync::atomic::Ordering::Relaxed);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use twistbase_core::math::perm8::{PERMUTATIONS, Perm8, compose, inverse, rank, unrank};

    const BLOCKS: usize = 3;

    /// A space of random moves, and how their slots move.
    fn random_spread(rng: &mut impl Rng, squares: usize) -> (Spread, Vec<Perm8>) {
        let slots: Vec<Perm8> = (0..5).map(|_| unrank(rng.random_range(0..PERMUTATIONS as u32))).collect();
        let rows = squares * SQUARE;
        let source = |_| SpreadSource { row: rng.random_range(0..rows as u32), slots: rng.random_range(0..5) };
        let sources = (0..2 * rows).map(source).collect();
        let tables = slots.iter().map(SlotMove::new).collect();
        (Spread::new(vec![vec![1, 2, 0], vec![0, 2, 1]], tables, sources), slots)
    }

    type State = (usize, usize, u32);

    fn states(set: &SpreadSet) -> Vec<State> {
        let of_row = |row| (0..BLOCKS).flat_map(move |block| set.row(row)[block].ranks().map(move |r| (row, block, r)));
        (0..set.rows()).flat_map(of_row).collect()
    }

    /// The definition, from each state to those that are reached from it.
    fn spread_slowly(spread: &Spread, slots: &[Perm8], before: &[State]) -> Vec<State> {
        let mut after = std::collections::BTreeSet::new();
        for &(row, block, state) in before {
            let lines = (0..SQUARE).map(|i| row / SQUARE * SQUARE + i);
            after.extend(lines.filter(|i| i % 4 == row % 4 || i / 4 == row / 4).map(|other| (other, block, state)));
            for to in 0..spread.rows() {
                for (source, map) in spread.sources(to).iter().zip(&spread.blocks) {
                    let moved = compose(&unrank(state), &inverse(&slots[usize::from(source.slots)]));
                    let blocks = (0..BLOCKS).filter(|&to| source.row as usize == row && map[to] as usize == block);
                    after.extend(blocks.map(|block| (to, block, rank(&moved))));
                }
            }
        }
        after.into_iter().collect()
    }

    #[test]
    fn every_kernel_spreads_as_defined() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let (spread, slots) = random_spread(&mut rng, 3);
        for kernel in Kernel::available() {
            let mut set = SpreadSet::new(&spread).unwrap();
            for _ in 0..40 {
                let (row, block) = (rng.random_range(0..spread.rows()), rng.random_range(0..BLOCKS));
                set.row_mut(row)[block].insert(rng.random_range(0..PERMUTATIONS as u32));
            }
            for pass in 0..2 {
                let expected = spread_slowly(&spread, &slots, &states(&set));
                let counted = AtomicU64::new(0);
                let count = |_: usize, blocks: &[Block]| {
                    counted.fetch_add(blocks.iter().map(Block::count).sum(), Ordering::Relaxed);
                };
                set.spread(&spread, kernel, "pass", &Context::silent(), &count).unwrap();
                assert!(states(&set) == expected, "{} {pass}", kernel.name());
                assert_eq!(counted.into_inner(), expected.len() as u64);
            }
            set.clear();
            assert_eq!(states(&set), []);
        }
    }

    #[test]
    fn a_pass_that_was_interrupted_leaves_an_empty_set_that_works() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        // More squares than are worked on at once, so that some rows are new and some old when it ends.
        let (spread, slots) = random_spread(&mut rng, 3 * BATCH);
        assert!(spread.pages <= spread.rows() * 2);
        let mut set = SpreadSet::new(&spread).unwrap();
        set.row_mut(5)[1].insert(17);
        let ctx = Context::silent();
        let interrupt = |_: usize, _: &[Block]| ctx.cancel();
        let interrupted = set.spread(&spread, Kernel::detect(), "pass", &ctx, &interrupt);
        assert!(matches!(interrupted, Err(Error::Interrupted)));
        assert_eq!(states(&set), []);
        set.row_mut(5)[1].insert(17);
        let expected = spread_slowly(&spread, &slots, &states(&set));
        set.spread(&spread, Kernel::detect(), "pass", &Context::silent(), &|_, _| ()).unwrap();
        assert!(states(&set) == expected && expected.len() > 7);
    }

    #[test]
    fn threads_add_states_to_all_rows() {
        let mut rng = ChaCha8Rng::seed_from_u64(13);
        let (spread, _) = random_spread(&mut rng, 2);
        let mut set = SpreadSet::new(&spread).unwrap();
        let new = set.share(|shared| {
            let add = |i: u32| {
                shared.prefetch(i % 32, i % 1000);
                u64::from(shared.insert(i % 32, i % 1000, i % 64))
            };
            (0..20_000u32).into_par_iter().map(add).sum::<u64>()
        });
        assert_eq!(new, states(&set).len() as u64);
        assert_eq!(set.touched().count(), 32);
        set.clear();
        assert_eq!(set.touched().count(), 0);
    }
}
