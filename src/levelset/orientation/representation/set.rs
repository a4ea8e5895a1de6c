//! Sets of edge orientations, as bits.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};

/// A set of edge orientations of some places: bit `number % 64` of word `number / 64`, where bit `i` of the number is
/// the orientation of place `i`.
pub trait OrientationSet: Pod + PartialEq + Eq + Debug + Send + Sync {
    /// Number of places.
    #[cfg(test)]
    const PLACES: usize;
    /// Number of orientations: 2^places, but 2^11 of twelve places, where the last one's follows from the others.
    const STATES: usize;
    /// Number of words.
    const WORDS: usize;
    /// The empty set.
    const EMPTY: Self;
    /// The set of all orientations.
    const FULL: Self;

    /// The set with these words.
    fn from_words(word: impl FnMut(usize) -> u64) -> Self;

    /// A word of the set.
    fn word(&self, number: usize) -> u64;

    /// Keeps what is in `other` if `present`, otherwise what is not.
    fn keep(&mut self, other: &Self, present: bool);

    /// Whether the orientation with that number is in the set.
    #[inline(always)]
    fn contains(&self, number: u16) -> bool {
        self.word(usize::from(number) / 64) >> (number % 64) & 1 == 1
    }

    /// Adds the orientation with that number.
    fn insert(&mut self, number: u16) {
        let (at, bit) = (usize::from(number) / 64, 1 << (number % 64));
        *self = Self::from_words(|word| self.word(word) | if word == at { bit } else { 0 });
    }

    /// Number of orientations in the set.
    #[inline(always)]
    fn count(&self) -> u32 {
        (0..Self::WORDS).map(|word| self.word(word).count_ones()).sum()
    }

    /// Whether everything in `self` is in `other`.
    #[inline(always)]
    fn is_subset(&self, other: &Self) -> bool {
        (0..Self::WORDS).fold(0, |missing, word| missing | (self.word(word) & !other.word(word))) == 0
    }

    /// What is in both.
    #[must_use]
    #[inline(always)]
    fn and(&self, other: &Self) -> Self {
        Self::from_words(|word| self.word(word) & other.word(word))
    }

    /// What is in neither.
    #[must_use]
    #[inline(always)]
    fn nor(&self, other: &Self) -> Self {
        Self::from_words(|word| !(self.word(word) | other.word(word)))
    }

    /// Adds everything in `other`.
    #[inline(always)]
    fn add(&mut self, other: &Self) {
        *self = Self::from_words(|word| self.word(word) | other.word(word));
    }
}

/// A set of edge orientations of four places: 2^4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(transparent)]
pub struct OrientationSet4(pub(crate) u16);

/// A set of edge orientations of more places than fit a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(transparent)]
pub struct OrientationWords<const W: usize>(pub(crate) [u64; W]);

/// A set of edge orientations of eight places: 2^8.
pub type OrientationSet8 = OrientationWords<4>;

/// A set of edge orientations of twelve places, an even number of which is flipped: 2^11.
pub type OrientationSet12 = OrientationWords<32>;

impl OrientationSet for OrientationSet4 {
    #[cfg(test)]
    const PLACES: usize = 4;
    const STATES: usize = 16;
    const WORDS: usize = 1;
    const EMPTY: Self = Self(0);
    const FULL: Self = Self(u16::MAX);

    #[inline(always)]
    fn from_words(mut word: impl FnMut(usize) -> u64) -> Self {
        Self(word(0) as u16)
    }

    #[inline(always)]
    fn word(&self, _number: usize) -> u64 {
        self.0.into()
    }

    #[inline(always)]
    fn keep(&mut self, other: &Self, present: bool) {
        self.0 &= other.0 ^ u16::from(present).wrapping_sub(1);
    }
}

macro_rules! orientation_words {
    ($words:literal, $places:literal) => {
        impl OrientationSet for OrientationWords<$words> {
            #[cfg(test)]
            const PLACES: usize = $places;
            const STATES: usize = 64 * $words;
            const WORDS: usize = $words;
            const EMPTY: Self = Self([0; $words]);
            const FULL: Self = Self([u64::MAX; $words]);

            #[inline(always)]
            fn from_words(mut word: impl FnMut(usize) -> u64) -> Self {
                // Not `array::from_fn`: the compiler leaves that a function of its own, in narrow registers.
                let mut words = [0; $words];
                for (number, to) in words.iter_mut().enumerate() {
                    *to = word(number);
                }
                Self(words)
            }

            #[inline(always)]
            fn word(&self, number: usize) -> u64 {
                self.0[number]
            }

            #[inline(always)]
            fn keep(&mut self, other: &Self, present: bool) {
                let mask = if present { 0 } else { u64::MAX };
                for (word, other) in self.0.iter_mut().zip(&other.0) {
                    *word &= other ^ mask;
                }
            }
        }
    };
}

orientation_words! { 4, 8 }
orientation_words! { 32, 12 }

impl<const W: usize> OrientationWords<W> {
    /// The words.
    pub fn words(&self) -> &[u64; W] {
        &self.0
    }
}
