//! Permutations of twelve places.

use super::movable::MovableOrientations;
use super::shifts::{IN_WORD, MaskedShift, PlaceExchanges, exchange_across, exchange_within, positions, within};
use crate::orientation::representation::{OrientationSet12, OrientationWords};

/// The place whose orientation follows from the others.
const LAST: u8 = 11;

/// Words of a set: 2^11 / 64.
const WORDS: usize = 32;

/// How a permutation of twelve places acts on sets of their orientations: by exchanging bits of the numbers, two at a
/// time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceMap12 {
    /// Exchanges of which at least one bit selects the word or is the last place's, done first.
    across: Vec<WordExchange>,
    /// Exchanges of bits that select a bit within the word.
    within: Vec<MaskedShift>,
}

/// An exchange of two bits of the numbers, not both of which select a bit within the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordExchange {
    /// One selects a bit within the word, the other the word.
    Across { shift: u8, mask: u64, word_bit: u8 },
    /// Both select the word.
    Words { low: u8, high: u8 },
    /// One selects a bit within the word, the other is that of the last place.
    LastWithin { shift: u8, masks: [u64; 2] },
    /// One selects the word, the other is that of the last place.
    LastWords { word_bit: u8 },
}

/// Positions within a word that have an odd number of bits set.
const ODD: u64 = 0x6996_9669_9669_6996;

impl WordExchange {
    /// The exchange of the places `a` and `b`, which differ and do not both select a bit within the word.
    fn of(a: u8, b: u8) -> Self {
        let (low, high) = (a.min(b), a.max(b));
        match (low < IN_WORD, high) {
            (true, LAST) => {
                let clear = !positions(low);
                Self::LastWithin { shift: 1 << low, masks: [clear & ODD, clear & !ODD] }
            }
            (false, LAST) => Self::LastWords { word_bit: low - IN_WORD },
            (true, _) => Self::Across { shift: 1 << low, mask: !positions(low), word_bit: high - IN_WORD },
            (false, _) => Self::Words { low: low - IN_WORD, high: high - IN_WORD },
        }
    }

    #[inline(always)]
    fn apply(self, set: &mut [u64; WORDS]) {
        match self {
            Self::Across { shift, mask, word_bit } => for_pairs(set, word_bit, |_, low, high| {
                [*low, *high] = exchange_across(*low, *high, (shift, mask));
            }),
            Self::Words { low, high } => {
                let pairs = (0..WORDS).filter(|word| word >> low & 1 == 1 && word >> high & 1 == 0);
                pairs.for_each(|word| set.swap(word, word ^ (1 << low) ^ (1 << high)));
            }
            Self::LastWithin { shift, masks } => set.iter_mut().enumerate().for_each(|(word, bits)| {
                exchange_within(bits, shift, masks[(word.count_ones() & 1) as usize]);
            }),
            Self::LastWords { word_bit } => for_pairs(set, word_bit, |word, low, high| {
                let odd = if word.count_ones() & 1 == 0 { ODD } else { !ODD };
                let t = (*low ^ *high) & odd;
                *low ^= t;
                *high ^= t;
            }),
        }
    }
}

/// Visits the pairs of words whose numbers differ in one bit, with the number of the lower one.
#[inline(always)]
fn for_pairs(set: &mut [u64; WORDS], word_bit: u8, mut visit: impl FnMut(usize, &mut u64, &mut u64)) {
    let stride = 1 << word_bit;
    for (group, words) in set.chunks_exact_mut(2 * stride).enumerate() {
        let (low, high) = words.split_at_mut(stride);
        for (i, (low, high)) in low.iter_mut().zip(high).enumerate() {
            visit(group * 2 * stride + i, low, high);
        }
    }
}

impl PlaceMap12 {
    fn new(places: &[u8]) -> Self {
        let mut exchanges = PlaceExchanges::of(places, 12);
        // Places that select words first, so that the others are exchanged among themselves.
        let across = (usize::from(IN_WORD)..places.len()).filter_map(|place| exchanges.bring_home(place));
        let across = across.map(|(a, b)| WordExchange::of(a, b)).collect();
        let inner = (0..usize::from(IN_WORD)).filter_map(|place| exchanges.bring_home(place));
        Self { across, within: inner.map(|(a, b)| within(a.min(b), a.max(b))).collect() }
    }

    /// Moves the set with these words.
    #[inline(always)]
    fn moved(&self, source: &[u64; WORDS], turned: u16) -> [u64; WORDS] {
        let other = usize::from(turned >> IN_WORD) % WORDS;
        let mut set = [0; WORDS];
        for (to, word) in set.iter_mut().enumerate() {
            *word = source[(to ^ other) % WORDS];
        }
        let mut left = turned & 63;
        while left != 0 {
            let bit = left.trailing_zeros() as u8;
            let (shift, mask) = (1u32 << bit, !positions(bit));
            set.iter_mut().for_each(|word| *word = (*word >> shift & mask) | (*word & mask) << shift);
            left &= left - 1;
        }
        self.across.iter().for_each(|exchange| exchange.apply(&mut set));
        for &(shift, mask) in &self.within {
            set.iter_mut().for_each(|word| exchange_within(word, shift, mask));
        }
        set
    }
}

impl MovableOrientations for OrientationSet12 {
    type Map = PlaceMap12;

    fn map(places: &[u8]) -> PlaceMap12 {
        PlaceMap12::new(places)
    }

    #[inline(always)]
    fn moved(&self, map: &PlaceMap12, turned: u16) -> Self {
        OrientationWords(map.moved(&self.0, turned))
    }
}
