//! How a move acts on a set of flips.

/// The place that follows from the others, where there are twelve.
const LAST: u8 = 11;
/// Bits of a number that select a bit within its word; the others select the word.
const IN_WORD: u8 = 6;

/// How a permutation of four places acts on the sets of their sixteen flips: by look-ups.
pub struct SmallMap {
    /// By what is turned over, the images of the lower and the upper half of a set.
    halves: Box<[[[u16; 256]; 2]; 16]>,
}

impl SmallMap {
    pub(super) fn new(places: &[u8]) -> Self {
        assert_permutation(places, 4);
        let mut halves = Box::new([[[0; 256]; 2]; 16]);
        for (turned, halves) in (0..).zip(halves.iter_mut()) {
            for (half, images) in halves.iter_mut().enumerate() {
                for (bits, image) in (0..).zip(images) {
                    let set: u16 = bits << (8 * half);
                    *image = (0..16u16).fold(0, |image, number| {
                        let moved = (0..).zip(places).fold(0, |moved, (i, &from)| moved | (number >> from & 1) << i);
                        image | (set >> (moved ^ turned) & 1) << number
                    });
                }
            }
        }
        Self { halves }
    }

    #[inline]
    pub(super) fn moved(&self, set: u16, turned: u16) -> u16 {
        let [low, high] = &self.halves[usize::from(turned & 15)];
        low[usize::from(set & 255)] | high[usize::from(set >> 8)]
    }
}

impl std::fmt::Debug for SmallMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SmallMap").finish_non_exhaustive()
    }
}

/// How a permutation of eight or twelve places acts on the sets of their flips: by exchanging bits of the flips' numbers,
/// two at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordMap<const W: usize> {
    /// Exchanges that take words, done first.
    across: Vec<Exchange>,
    /// Exchanges of bits that select a bit within the word, by the distance and the mask of a masked shift.
    within: Vec<(u8, u64)>,
}

fn assert_permutation(places: &[u8], count: usize) {
    let all = places.iter().fold(0u16, |seen, &place| seen | 1u16.checked_shl(place.into()).unwrap_or(0));
    assert!(places.len() == count && all == (1 << count) - 1, "{places:?}");
}

/// An exchange of two bits of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exchange {
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

    #[inline]
    fn apply<const W: usize>(self, set: &mut [u64; W]) {
        match self {
            Self::Across { shift, mask, word_bit } => for_pairs(set, word_bit, |_, low, high| {
                let t = ((*low >> shift) ^ *high) & mask;
                *high ^= t;
                *low ^= t << shift;
            }),
            Self::Words { low, high } => {
                let pairs = (0..W).filter(|word| word >> low & 1 == 1 && word >> high & 1 == 0);
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
fn for_pairs<const W: usize>(set: &mut [u64; W], word_bit: u8, mut visit: impl FnMut(usize, &mut u64, &mut u64)) {
    let stride = 1 << word_bit;
    for (group, words) in set.chunks_exact_mut(2 * stride).enumerate() {
        let (low, high) = words.split_at_mut(stride);
        for (i, (low, high)) in low.iter_mut().zip(high).enumerate() {
            visit(group * 2 * stride + i, low, high);
        }
    }
}

impl<const W: usize> WordMap<W> {
    pub(super) fn new(places: &[u8]) -> Self {
        assert_permutation(places, places.len());
        let (mut rest, mut across, mut within) = (places.to_vec(), Vec::new(), Vec::new());
        let mut bring_home = |place: usize| {
            let at = rest.iter().position(|&other| usize::from(other) == place).filter(|&at| at != place)?;
            rest.swap(place, at);
            Some((place as u8, at as u8))
        };
        // Those that select words first, so that the others are exchanged among themselves.
        let words = (usize::from(IN_WORD)..places.len()).filter_map(&mut bring_home);
        across.extend(words.map(|(a, b)| Exchange::of(a, b)));
        within.extend((0..usize::from(IN_WORD)).filter_map(&mut bring_home).map(|(a, b)| {
            let (low, high) = (a.min(b), a.max(b));
            ((1 << high) - (1 << low), positions(low) & !positions(high))
        }));
        Self { across, within }
    }

    /// Moves the set with these words.
    #[inline]
    pub(super) fn moved(&self, word: impl Fn(usize) -> u64, turned: u16) -> [u64; W] {
        let other = usize::from(turned >> IN_WORD) % W;
        let mut set: [u64; W] = std::array::from_fn(|to| word(to ^ other));
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

#[cfg(test)]
mod tests {
    use super::super::set::{FlipSet, FlipSet4, FlipSet8, FlipSet12};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The definition, one state at a time.
    fn source(number: u16, states: usize, places: &[u8], turned: u16) -> u16 {
        let flips = number | ((number.count_ones() & 1) as u16) << 11;
        let moved = (0..places.len()).fold(0, |moved, i| moved | (flips >> places[i] & 1) << i);
        (moved ^ turned) & (states - 1) as u16
    }

    fn follow_the_definition<S: FlipSet>() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let pairs: Vec<_> = (0..S::PLACES).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        for trial in 0..500 {
            let mut places: Vec<u8> = (0..S::PLACES as u8).collect();
            // Single exchanges first, then anything.
            match pairs.get(trial) {
                Some(&(a, b)) => places.swap(a, b),
                None => places.shuffle(&mut rng),
            }
            let turned = if trial % 3 == 0 { 0 } else { rng.random_range(0..S::STATES as u16) };
            let turned = if S::PLACES == 12 { turned | ((turned.count_ones() & 1) as u16) << 11 } else { turned };
            let words: Vec<u64> = (0..S::WORDS).map(|_| rng.random()).collect();
            let from = S::from_words(|word| words[word]);
            let moved = S::moved(|word| from.word(word), &S::map(&places), turned);
            for number in 0..S::STATES as u16 {
                let expected = from.contains(source(number, S::STATES, &places, turned));
                assert_eq!(moved.contains(number), expected, "{places:?} {turned:#x} {number}");
            }
        }
    }

    #[test]
    fn maps_follow_the_definition() {
        follow_the_definition::<FlipSet4>();
        follow_the_definition::<FlipSet8>();
        follow_the_definition::<FlipSet12>();
    }
}
