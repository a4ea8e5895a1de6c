//! How a table is divided into ranges that are read, chosen from and written one after the other.

use std::ops::Range;

use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::selection::Sample;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_store::{Packing, TableLayout};

/// Draws between two checks for cancellation.
const STEP_DRAWS: u64 = 1 << 16;

/// Some entries of a row, found in neighbouring bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryRange {
    pub row: u32,
    pub entries: Range<u64>,
    /// How many of the selected entries in it are taken; all if `None`.
    pub share: Option<Share>,
}

/// A random choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    taken: u64,
    of: u64,
    seed: u64,
    /// The range's number: each draws from a stream of its own.
    stream: u64,
}

/// The entries of a row, page by page: those of a page are in neighbouring bytes. Modulo 3 the fifth digits come last,
/// as pages of their own.
pub(super) fn of_row(layout: &TableLayout, row: u32) -> impl Iterator<Item = EntryRange> {
    let (pages, entries) = (u64::from(layout.pages), layout.row_entries());
    let page_bytes = layout.page_bytes() as u64;
    let (first, more) = match layout.packing {
        Packing::Mod3 => (4 * page_bytes, page_bytes),
        Packing::Nibbles | Packing::Quarters => (u64::from(layout.page_entries), 0),
    };
    let whole = (0..pages).map(move |page| page * first..(page + 1) * first);
    let rest = (0..if more == 0 { 0 } else { pages }).map(move |page| pages * first + page * more);
    let rest = rest.map(move |start| start..start + more);
    let cut = move |cut: Range<u64>| cut.start.min(entries)..cut.end.min(entries);
    whole.chain(rest).map(cut).filter(|cut| !cut.is_empty()).map(move |entries| EntryRange {
        row,
        entries,
        share: None,
    })
}

impl EntryRange {
    pub fn len(&self) -> u64 {
        self.entries.end - self.entries.start
    }

    /// The ranges of at most `length` entries that make it up.
    pub fn split(self, length: u64) -> impl Iterator<Item = Self> {
        let Self { row, entries, share } = self;
        let starts = entries.clone().step_by(usize::try_from(length.max(1)).unwrap_or(usize::MAX));
        starts.map(move |start| Self { row, entries: start..entries.end.min(start + length.max(1)), share })
    }
}

impl Share {
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The numbers of those that are taken, in order.
    pub fn chosen(self) -> impl Iterator<Item = u64> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(self.stream);
        // Each choice of `taken` of `of` is equally likely. A page has fewer entries than an address space.
        let mut chosen = index::sample(&mut rng, self.of as usize, self.taken as usize).into_vec();
        chosen.sort_unstable();
        chosen.into_iter().map(|number| number as u64)
    }

    /// Decides, for one entry of the range after the other, whether it is taken.
    pub fn chooser(self) -> impl FnMut() -> bool {
        let (mut chosen, mut number) = (self.chosen().peekable(), 0);
        move || {
            let take = chosen.next_if_eq(&number).is_some();
            number += 1;
            take
        }
    }
}

/// Draws a sample: how many entries are taken of each range, given by `counts` how many each has. Ranges of which none
/// is taken are left out.
///
/// # Errors
/// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
pub(super) fn draw(ranges: Vec<EntryRange>, counts: &[u64], sample: Sample, ctx: &Context) -> Result<Vec<EntryRange>> {
    let mut left = Remaining::new(counts);
    let mut taken = vec![0u64; counts.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(sample.seed);
    for draw in 0..sample.count {
        if draw % STEP_DRAWS == 0 {
            ctx.check()?;
        }
        taken[left.take(rng.random_range(0..left.total))] += 1;
    }
    let shared = (1..).zip(ranges).zip(taken.into_iter().zip(counts)).filter(|(_, (taken, _))| *taken > 0);
    let share = |((stream, range), (taken, &of)): ((u64, EntryRange), (u64, &u64))| EntryRange {
        share: Some(Share { taken, of, seed: sample.seed, stream }),
        ..range
    };
    Ok(shared.map(share).collect())
}

/// How many entries each range has left, summed up in a tree (Fenwick's), so that the range of the `n`th is found in a
/// step per bit of their number.
struct Remaining {
    /// `sums[i]` is the sum of the `lowest bit of i` counts up to number `i`, numbered from 1.
    sums: Vec<u64>,
    total: u64,
}

impl Remaining {
    fn new(counts: &[u64]) -> Self {
        let mut sums = vec![0; counts.len() + 1];
        for (at, &count) in (1..).zip(counts) {
            sums[at] += count;
            let next = at + (at & at.wrapping_neg());
            if next < sums.len() {
                sums[next] += sums[at];
            }
        }
        Self { sums, total: counts.iter().sum() }
    }

    /// Takes one from the range that the `ordinal`th is in, counted from 0 over those that are left.
    fn take(&mut self, mut ordinal: u64) -> usize {
        let mut at = 0;
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            if let Some(&sum) = self.sums.get(at + step)
                && sum <= ordinal
            {
                ordinal -= sum;
                at += step;
            }
            step /= 2;
        }
        let mut node = at + 1;
        while let Some(sum) = self.sums.get_mut(node) {
            *sum -= 1;
            node += node & node.wrapping_neg();
        }
        self.total -= 1;
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_tables as tables;

    #[test]
    fn pieces_are_the_entries_of_a_row_and_each_in_neighbouring_pages() {
        for table in tables::all() {
            let layout = table.layout();
            let mut next = 0;
            for range in of_row(layout, 0).take(2000) {
                assert_eq!(range.entries.start, next);
                next = range.entries.end;
                let pages = layout.page_of(range.entries.start)..=layout.page_of(range.entries.end - 1);
                assert_eq!(pages.start(), pages.end(), "{}", layout.name);
                let halves: Vec<_> = range.clone().split(range.len().div_ceil(2)).collect();
                assert_eq!(halves.iter().map(EntryRange::len).sum::<u64>(), range.len());
            }
            let all: u64 = if layout.pages > 1000 { 0 } else { layout.row_entries() };
            assert!(all == 0 || next == all, "{}: {next}", layout.name);
        }
    }

    #[test]
    fn the_tree_finds_what_a_walk_finds() {
        let counts = [3, 0, 5, 1, 0, 0, 7, 2, 0, 4, 1];
        for first in 0..counts.iter().sum::<u64>() {
            let (mut tree, mut plain) = (Remaining::new(&counts), counts);
            let mut ordinal = first;
            while tree.total > 0 {
                ordinal = (ordinal * 7 + 3) % tree.total;
                let mut rest = ordinal;
                let expected = plain.iter().position(|&count| {
                    let here = rest < count;
                    rest = rest.saturating_sub(count);
                    here
                });
                assert_eq!(Some(tree.take(ordinal)), expected);
                plain[expected.unwrap()] -= 1;
            }
            assert_eq!(plain, [0; 11]);
        }
    }

    #[test]
    fn a_sample_has_its_size_and_every_entry_is_as_likely() {
        let ranges: Vec<EntryRange> = (0..5).map(|row| EntryRange { row, entries: 0..20, share: None }).collect();
        let counts = [20, 0, 7, 20, 1];
        let mut drawn = [[0u32; 20]; 5];
        for seed in 0..6000 {
            let sample = Sample { count: 12, seed };
            let shares = draw(ranges.clone(), &counts, sample, &Context::silent()).unwrap();
            assert_eq!(shares.iter().map(|range| range.share.unwrap().taken()).sum::<u64>(), 12);
            for range in shares {
                let mut choose = range.share.unwrap().chooser();
                let chosen: Vec<usize> = (0..counts[range.row as usize] as usize).filter(|_| choose()).collect();
                assert_eq!(chosen.len() as u64, range.share.unwrap().taken());
                chosen.iter().for_each(|&at| drawn[range.row as usize][at] += 1);
            }
        }
        // Each of 48 is drawn 6000 × 12 / 48 = 1500 times, give or take five standard deviations of 34.
        for (row, count) in counts.into_iter().enumerate() {
            assert!(drawn[row][..count as usize].iter().all(|&n| (1330..1670).contains(&n)), "{drawn:?}");
        }
    }
}
