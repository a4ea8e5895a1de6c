//! A set of flips, as bits.

use bytemuck::{Pod, Zeroable};

/// Words of a set: 2048 / 64.
pub const FLIP_WORDS: usize = 32;

/// A set of flips: bit `number % 64` of word `number / 64`, where bit `i` of the number is the flip of place `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(C, align(64))]
pub struct FlipSet(pub(super) [u64; FLIP_WORDS]);

impl FlipSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; FLIP_WORDS]);

    /// All flips.
    pub const FULL: Self = Self([u64::MAX; FLIP_WORDS]);

    /// The words.
    pub fn words(&self) -> &[u64; FLIP_WORDS] {
        &self.0
    }

    /// Whether the flips with that number (0..2048) are in the set.
    pub fn contains(&self, number: u16) -> bool {
        self.0[usize::from(number) / 64] >> (number % 64) & 1 == 1
    }

    /// Adds the flips with that number (0..2048).
    pub fn insert(&mut self, number: u16) {
        self.0[usize::from(number) / 64] |= 1 << (number % 64);
    }

    /// Number of flips in the set.
    pub fn count(&self) -> u16 {
        // At most 2048.
        self.0.iter().map(|word| word.count_ones()).sum::<u32>() as u16
    }

    /// Whether everything in `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).fold(0, |missing, (mine, theirs)| missing | (mine & !theirs)) == 0
    }

    /// What is in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Adds everything in `other`.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(to, from)| *to |= from);
    }
}

/// The levels of the flips of one block modulo 2^P - 1, as `P` bit planes of that remainder plus 1; 0 in all planes is
/// "not reached".
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(transparent)]
pub struct FlipPlanes<const P: usize>(pub(super) [FlipSet; P]);

impl<const P: usize> FlipPlanes<P> {
    /// What levels are kept modulo.
    pub const MODULUS: u8 = (1 << P) - 1;

    /// The planes, the lowest bit's first.
    pub fn planes(&self) -> &[FlipSet; P] {
        &self.0
    }

    /// The flips that have a level.
    pub fn reached(&self) -> FlipSet {
        self.0.iter().fold(FlipSet::EMPTY, |mut reached, plane| {
            reached.add(plane);
            reached
        })
    }

    /// Gives `level` to the flips of `set`, which must have none yet.
    pub fn assign(&mut self, set: &FlipSet, level: u8) {
        let code = level % Self::MODULUS + 1;
        self.0.iter_mut().enumerate().filter(|(bit, _)| code >> bit & 1 == 1).for_each(|(_, plane)| plane.add(set));
    }

    /// Word `word` of the set of flips with `level`, or one that leaves the same remainder.
    #[inline]
    pub(super) fn word_at(&self, word: usize, level: u8) -> u64 {
        let code = level % Self::MODULUS + 1;
        self.0.iter().enumerate().fold(u64::MAX, |found, (bit, plane)| {
            found & if code >> bit & 1 == 1 { plane.0[word] } else { !plane.0[word] }
        })
    }

    /// The remainder of the level of the flips with that number (0..2048); `None` if they have none.
    #[inline]
    pub fn level(&self, number: u16) -> Option<u8> {
        let code = (0..P).fold(0u8, |code, bit| code | u8::from(self.0[bit].contains(number)) << bit);
        code.checked_sub(1)
    }
}
