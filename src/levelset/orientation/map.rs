//! How a move acts on a set of edge orientations.

use std::sync::LazyLock;

/// The place that follows from the others, where there are twelve.
const LAST: u8 = 11;
/// Bits of a number that select a bit within its word; the others select the word.
const IN_WORD: u8 = 6;

/// How a permutation of four places acts on the sets of their sixteen edge orientations: by exchanging bits of the edge
/// orientations' numbers, in a network of five exchanges that all permutations take, each exchange or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallMap {
    /// Which of [`NETWORK`] are done.
    exchanges: u16,
}

/// Exchanges of places that make any order of four.
const NETWORK: [(usize, usize); 5] = [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)];

/// What moves a set of sixteen edge orientations, in this order, as masked shifts: what may be turned over, and the
/// network.
const SMALL_STEPS: [(u8, u16); 9] = {
    let mut steps = [(0, 0); 9];
    let mut bit = 0;
    while bit < 4 {
        steps[bit] = (1 << bit, !positions(bit as u8) as u16);
        bit += 1;
    }
    let mut number = 0;
    while number < NETWORK.len() {
        let (low, high) = NETWORK[number];
        let (shift, mask) = within(low as u8, high as u8);
        steps[4 + number] = (shift, mask as u16);
        number += 1;
    }
    steps
};

/// By which of these steps are done, where each of the sixteen edge orientations goes.
pub(super) static MOVED_ORIENTATIONS: LazyLock<Box<[[u8; 16]]>> = LazyLock::new(|| {
    let moved = |steps| std::array::from_fn(|orientations| exchanged(1 << orientations, steps).trailing_zeros() as u8);
    (0..1 << SMALL_STEPS.len()).map(moved).collect()
});

impl SmallMap {
    pub(super) fn new(places: &[u8]) -> Self {
        assert_permutation(places, 4);
        let mut rest = places.to_vec();
        let mut exchanges = 0;
        for (number, (low, high)) in NETWORK.into_iter().enumerate() {
            if rest[low] > rest[high] {
                rest.swap(low, high);
                exchanges |= 1 << number;
            }
        }
        Self { exchanges }
    }

    /// Bit `i` says whether step `i` of [`SMALL_STEPS`] is done.
    #[inline(always)]
    pub(super) fn steps(self, turned: u16) -> u16 {
        turned & 15 | self.exchanges << 4
    }
}

/// A set of sixteen edge orientations, moved in these steps. There are no branches, so that many sets are moved
/// together.
#[inline(always)]
pub(super) fn exchanged(set: u16, steps: u16) -> u16 {
    let mut set = set;
    for (number, (shift, mask)) in SMALL_STEPS.into_iter().enumerate() {
        let t = ((set >> shift) ^ set) & mask & (steps >> number & 1).wrapping_neg();
        set ^= t ^ (t << shift);
    }
    set
}

/// How a permutation of eight places acts on the sets of their 256 edge orientations: by exchanging bits of the edge
/// orientations' numbers, two at a time.
///
/// Every map takes the same steps, some of which may do nothing: a space has thousands of these maps, one after the
/// other, and a processor that guesses how many steps the next one takes is wrong most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteMap {
    /// Whether the bits that select the word are exchanged, first of all.
    words: bool,
    /// The bit within the word that is exchanged with each of these, or [`NONE`].
    across: [u8; 2],
    /// Exchanges of bits within the word, the last of them doing nothing: numbers in [`WITHIN`].
    within: [u8; 5],
}

/// No bit within the word.
const NONE: u8 = IN_WORD;

/// A masked shift.
type Step = (u8, u64);

/// Exchanges with a bit that selects the word, by the bit within the word; the last does nothing.
const ACROSS: [Step; 8] = {
    let mut steps = [(0, 0); 8];
    let mut bit = 0;
    while bit < IN_WORD {
        steps[bit as usize] = (1 << bit, !positions(bit));
        bit += 1;
    }
    steps
};

/// Exchanges of bits within the word, by 8 × the higher + the lower one; of a bit with itself: nothing.
const WITHIN: [Step; 64] = {
    let mut steps = [(0, 0); 64];
    let mut high = 1;
    while high < IN_WORD {
        let mut low = 0;
        while low < high {
            steps[(8 * high + low) as usize] = within(low, high);
            low += 1;
        }
        high += 1;
    }
    steps
};

/// The exchange of two bits within the word.
const fn within(low: u8, high: u8) -> Step {
    ((1 << high) - (1 << low), positions(low) & !positions(high))
}

impl ByteMap {
    pub(super) fn new(places: &[u8]) -> Self {
        assert_permutation(places, 8);
        let mut exchanges = Exchanges { rest: places.to_vec() };
        let mut map = Self { words: false, across: [NONE; 2], within: [0; 5] };
        for (place, across) in (6..).zip(&mut map.across) {
            match exchanges.bring_home(place) {
                // Only the first can be exchanged with the other.
                Some((_, 7)) => map.words = true,
                Some((_, bit)) => *across = bit,
                None => {}
            }
        }
        let found = (0..usize::from(IN_WORD)).filter_map(|place| exchanges.bring_home(place));
        map.within.iter_mut().zip(found).for_each(|(to, (a, b))| *to = 8 * a.max(b) + a.min(b));
        map
    }

    #[inline(always)]
    pub(super) fn moved(&self, source: &[u64; 4], turned: u16) -> [u64; 4] {
        let turned = usize::from(turned);
        let (other, order) = (turned >> 6 & 3, if self.words { [0, 2, 1, 3] } else { [0, 1, 2, 3] });
        let mut set = [0; 4];
        for (to, from) in set.iter_mut().zip(order) {
            *to = source[(from ^ other) % 4];
        }
        // Half of all moves turn nothing over here.
        if turned & 63 != 0 {
            for bit in 0..IN_WORD {
                let mask = !positions(bit) & ((turned >> bit & 1) as u64).wrapping_neg();
                set.iter_mut().for_each(|word| exchange_within(word, 1 << bit, mask));
            }
        }
        let [first, second] = [ACROSS[usize::from(self.across[0] & 7)], ACROSS[usize::from(self.across[1] & 7)]];
        let [a, b, c, d] = set;
        let ([a, b], [c, d]) = (exchange_across(a, b, first), exchange_across(c, d, first));
        let ([a, c], [b, d]) = (exchange_across(a, c, second), exchange_across(b, d, second));
        set = [a, b, c, d];
        for number in self.within {
            let (shift, mask) = WITHIN[usize::from(number & 63)];
            set.iter_mut().for_each(|word| exchange_within(word, shift, mask));
        }
        set
    }
}

/// Exchanges a bit within the word with the one that tells two words apart.
#[inline(always)]
fn exchange_across(low: u64, high: u64, (shift, mask): Step) -> [u64; 2] {
    let t = ((low >> shift) ^ high) & mask;
    [low ^ t << shift, high ^ t]
}

/// A permutation of places that is taken apart into exchanges, to be done in the order in which they are found.
struct Exchanges {
    rest: Vec<u8>,
}

impl Exchanges {
    /// The exchange of `place` with another that brings it home, unless it is there.
    fn bring_home(&mut self, place: usize) -> Option<(u8, u8)> {
        let at = self.rest.iter().position(|&other| usize::from(other) == place).filter(|&at| at != place)?;
        self.rest.swap(place, at);
        Some((place as u8, at as u8))
    }
}

/// How a permutation of twelve places acts on the sets of their edge orientations: by exchanging bits of the edge
/// orientations' numbers, two at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordMap {
    /// Exchanges that take words, done first.
    across: Vec<Exchange>,
    /// Exchanges of bits that select a bit within the word.
    within: Vec<Step>,
}

/// Words of a set of edge orientations of twelve places.
const WORDS: usize = 32;

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

    #[inline(always)]
    fn apply(self, set: &mut [u64; WORDS]) {
        match self {
            Self::Across { shift, mask, word_bit } => for_pairs(set, word_bit, |_, low, high| {
                let t = ((*low >> shift) ^ *high) & mask;
                *high ^= t;
                *low ^= t << shift;
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

/// Exchanges the bits of `mask` with those `shift` above them.
#[inline(always)]
fn exchange_within(word: &mut u64, shift: u8, mask: u64) {
    let t = ((*word >> shift) ^ *word) & mask;
    *word ^= t ^ (t << shift);
}

/// Visits the pairs of words that differ in one bit of their number, with the number of the lower one.
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

impl WordMap {
    pub(super) fn new(places: &[u8]) -> Self {
        assert_permutation(places, 12);
        let mut exchanges = Exchanges { rest: places.to_vec() };
        // Those that select words first, so that the others are exchanged among themselves.
        let across = (usize::from(IN_WORD)..places.len()).filter_map(|place| exchanges.bring_home(place));
        let across = across.map(|(a, b)| Exchange::of(a, b)).collect();
        let inner = (0..usize::from(IN_WORD)).filter_map(|place| exchanges.bring_home(place));
        Self { across, within: inner.map(|(a, b)| within(a.min(b), a.max(b))).collect() }
    }

    /// Moves the set with these words.
    #[inline(always)]
    pub(super) fn moved(&self, source: &[u64; WORDS], turned: u16) -> [u64; WORDS] {
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

#[cfg(test)]
mod tests {
    use super::super::features::{Work, in_wide_registers};
    use super::super::set::{OrientationSet, OrientationSet4, OrientationSet8, OrientationSet12};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The definition, one state at a time.
    fn source(number: u16, states: usize, places: &[u8], turned: u16) -> u16 {
        let orientations = number | ((number.count_ones() & 1) as u16) << 11;
        let moved = (0..places.len()).fold(0, |moved, i| moved | (orientations >> places[i] & 1) << i);
        (moved ^ turned) & (states - 1) as u16
    }

    struct Moved<'a, S: OrientationSet> {
        from: S,
        map: &'a S::Map,
        turned: u16,
    }

    impl<S: OrientationSet> Work for Moved<'_, S> {
        type Output = S;

        #[inline(always)]
        fn run(self) -> S {
            self.from.moved(self.map, self.turned)
        }
    }

    fn follow_the_definition<S: OrientationSet>() {
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
            let map = S::map(&places);
            let moved = from.moved(&map, turned);
            assert_eq!(in_wide_registers(Moved { from, map: &map, turned }), moved);
            for number in 0..S::STATES as u16 {
                let expected = from.contains(source(number, S::STATES, &places, turned));
                assert_eq!(moved.contains(number), expected, "{places:?} {turned:#x} {number}");
            }
        }
    }

    #[test]
    fn maps_follow_the_definition() {
        follow_the_definition::<OrientationSet4>();
        follow_the_definition::<OrientationSet8>();
        follow_the_definition::<OrientationSet12>();
    }
}
