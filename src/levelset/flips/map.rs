//! How a move acts on a set of flips.

use super::set::{FLIP_WORDS, FlipPlanes, FlipSet};

/// Number of places.
const PLACES: usize = 12;
/// The place that follows from the others.
const LAST: u8 = 11;
/// Bits of a number that select a bit within its word; the others select the word.
const IN_WORD: u8 = 6;

/// A permutation of the places with some of them turned over, as it acts on sets: state `f` is taken from the state
/// whose flip in place `i` is `f[places[i]]`, turned over where `turned` has bit `i`.
///
/// It is done by taking the words in another order and exchanging bits of the numbers two at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlipMap {
    /// The source's words by the destination's, before the exchanges.
    words: [u8; FLIP_WORDS],
    /// The bits of a number that are turned over within its word.
    turned: u8,
    exchanges: Vec<Exchange>,
}

/// An exchange of two bits of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exchange {
    /// Both select a bit within the word: by the distance and the mask of a masked shift.
    Within { shift: u8, mask: u64 },
    /// One selects a bit within the word, the other the word.
    Across { shift: u8, mask: u64, word_bit: u8 },
    /// Both select the word.
    Words { low: u8, high: u8 },
    /// One selects a bit within the word, the other is that of the last place.
    LastWithin { shift: u8, masks: [u64; 2] },
    /// One selects the word, the other is that of the last place.
    LastWords { word_bit: u8 },
}

/// Positions within a word that have bit `bit` set.
const fn positions(bit: u8) -> u64 {
    [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ][bit as usize]
}

/// Positions within a word that have an odd number of bits set.
const ODD: u64 = 0x6996_9669_9669_6996;

impl Exchange {
    /// The exchange of the places `a` and `b`, which differ.
    fn of(a: u8, b: u8) -> Self {
        let (low, high) = (a.min(b), a.max(b));
        match (low < IN_WORD, high) {
            (true, LAST) => {
                let clear = !positions(low);
                Self::LastWithin { shift: 1 << low, masks: [clear & ODD, clear & !ODD] }
            }
            (false, LAST) => Self::LastWords { word_bit: low - IN_WORD },
            (true, _) if high < IN_WORD => {
                Self::Within { shift: (1 << high) - (1 << low), mask: positions(low) & !positions(high) }
            }
            (true, _) => Self::Across { shift: 1 << low, mask: !positions(low), word_bit: high - IN_WORD },
            (false, _) => Self::Words { low: low - IN_WORD, high: high - IN_WORD },
        }
    }

    #[inline]
    fn apply(self, set: &mut [u64; FLIP_WORDS]) {
        match self {
            Self::Within { shift, mask } => set.iter_mut().for_each(|word| exchange_within(word, shift, mask)),
            Self::Across { shift, mask, word_bit } => for_pairs(set, word_bit, |_, low, high| {
                let t = ((*low >> shift) ^ *high) & mask;
                *high ^= t;
                *low ^= t << shift;
            }),
            Self::Words { low, high } => {
                let pairs = (0..FLIP_WORDS).filter(|word| word >> low & 1 == 1 && word >> high & 1 == 0);
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

/// Exchanges the bits of `mask` with those `shift` above them.
#[inline]
fn exchange_within(word: &mut u64, shift: u8, mask: u64) {
    let t = ((*word >> shift) ^ *word) & mask;
    *word ^= t ^ (t << shift);
}

/// Visits the pairs of words that differ in one bit of their number, with the number of the lower one.
#[inline]
fn for_pairs(set: &mut [u64; FLIP_WORDS], word_bit: u8, mut visit: impl FnMut(usize, &mut u64, &mut u64)) {
    let stride = 1 << word_bit;
    for (group, words) in set.chunks_exact_mut(2 * stride).enumerate() {
        let (low, high) = words.split_at_mut(stride);
        for (i, (low, high)) in low.iter_mut().zip(high).enumerate() {
            visit(group * 2 * stride + i, low, high);
        }
    }
}

impl FlipMap {
    /// The map of a permutation of the twelve places and of what is turned over: bits of `turned`, an even number of
    /// them.
    ///
    /// # Panics
    /// If `places` is no permutation of 0..12 or `turned` has an odd number of bits: nothing else keeps the number of
    /// flips even.
    pub fn new(places: &[u8; PLACES], turned: u16) -> Self {
        let all = places.iter().fold(0u16, |seen, &place| seen | 1u16.checked_shl(place.into()).unwrap_or(0));
        assert!(
            all == 0xfff && turned >> PLACES == 0 && turned.count_ones().is_multiple_of(2),
            "{places:?} {turned:#x}"
        );
        let words = std::array::from_fn(|word| word as u8 ^ (turned >> IN_WORD & 31) as u8);
        let turned = (turned & 63) as u8;
        // Each exchange brings one place home.
        let (mut rest, mut exchanges) = (*places, Vec::new());
        for place in 0..PLACES as u8 {
            while rest[usize::from(place)] != place {
                let other = rest[usize::from(place)];
                rest.swap(usize::from(place), usize::from(other));
                exchanges.push(Exchange::of(place, other));
            }
        }
        Self { words, turned, exchanges }
    }

    /// Adds to `to` every state whose source is in `from` at `level`.
    #[inline]
    pub fn add_moved<const P: usize>(&self, to: &mut FlipSet, from: &FlipPlanes<P>, level: u8) {
        let mut set: [u64; FLIP_WORDS] = std::array::from_fn(|word| from.word_at(word, level));
        self.apply(&mut set);
        to.0.iter_mut().zip(set).for_each(|(to, word)| *to |= word);
    }

    /// Moves a set.
    #[inline]
    fn apply(&self, set: &mut [u64; FLIP_WORDS]) {
        let source = *set;
        set.iter_mut().zip(&self.words).for_each(|(to, &from)| *to = source[usize::from(from) % FLIP_WORDS]);
        for bit in (0..IN_WORD).filter(|bit| self.turned >> bit & 1 == 1) {
            let (shift, mask) = (1u32 << bit, !positions(bit));
            set.iter_mut().for_each(|word| *word = (*word >> shift & mask) | (*word & mask) << shift);
        }
        for exchange in &self.exchanges {
            exchange.apply(set);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The definition, one state at a time.
    fn source(number: u16, places: &[u8; PLACES], turned: u16) -> u16 {
        let flips = number | ((number.count_ones() & 1) as u16) << LAST;
        let moved = (0..PLACES).fold(0, |moved, i| moved | (flips >> places[i] & 1) << i);
        (moved ^ turned) & 0x7ff
    }

    #[test]
    fn maps_follow_the_definition() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        for trial in 0..500 {
            let mut places: [u8; PLACES] = std::array::from_fn(|i| i as u8);
            // Single exchanges first, then anything.
            match trial {
                0..66 => {
                    let pairs: Vec<_> = (0..PLACES).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
                    places.swap(pairs[trial].0, pairs[trial].1);
                }
                _ => places.shuffle(&mut rng),
            }
            let turned = if trial % 3 == 0 { 0 } else { rng.random_range(0..0x800u16) };
            let turned = turned | ((turned.count_ones() & 1) as u16) << LAST;
            let from = FlipSet(std::array::from_fn(|_| rng.random()));
            let mut planes: FlipPlanes<2> = bytemuck::Zeroable::zeroed();
            planes.assign(&from, 4);
            let mut moved = FlipSet::EMPTY;
            FlipMap::new(&places, turned).add_moved(&mut moved, &planes, 4);
            for number in 0..2048 {
                let expected = from.contains(source(number, &places, turned));
                assert_eq!(moved.contains(number), expected, "{places:?} {turned:#x} {number}");
            }
        }
    }
}
