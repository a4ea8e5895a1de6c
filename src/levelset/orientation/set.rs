//! Sets of edge orientations, as bits.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};

use super::generate::PullParts;
use super::lanes::{self, LaneMoves};
use super::map::{ByteMap, SmallMap, WordMap, exchanged};
#[cfg(target_arch = "x86_64")]
use super::registers::RegisterMoves;
use super::space::{PartMove, PartOrigin};
use crate::math::bits::lowest_of_bytes;

/// A set of edge orientations of some places: bit `number % 64` of word `number / 64`, where bit `i` of the number is
/// the edge orientation of place `i`.
pub trait OrientationSet: Pod + PartialEq + Eq + Debug + Send + Sync {
    /// Number of places.
    const PLACES: usize;
    /// Number of edge orientations that there are: of twelve places the last one's follows from the others.
    const STATES: usize;
    /// Number of words.
    const WORDS: usize;
    /// The empty set.
    const EMPTY: Self;
    /// The set of all edge orientations.
    const FULL: Self;

    /// How a permutation of the places acts on sets.
    type Map: Send + Sync;

    /// What a move does to all parts, made ready for the search.
    #[doc(hidden)]
    type Ready: Send + Sync;

    /// Blocks that one task searches.
    #[doc(hidden)]
    const TASK_BLOCKS: usize = 512;

    /// Makes moves ready, each told by part.
    #[doc(hidden)]
    fn ready(moves: &[Box<[PartMove]>], maps: &[Self::Map]) -> Vec<Self::Ready>;

    /// The set with these words.
    fn from_words(word: impl FnMut(usize) -> u64) -> Self;

    /// A word of the set.
    fn word(&self, number: usize) -> u64;

    /// The map of a permutation of the places.
    ///
    /// # Panics
    /// If `places` is no permutation of 0..[`OrientationSet::PLACES`].
    fn map(places: &[u8]) -> Self::Map;

    /// Takes away what is not in `other`, or else what is.
    fn keep(&mut self, other: &Self, present: bool);

    /// Moves the set: state `f` is taken from the state whose edge orientation in place `i` is `f[places[i]]`, turned
    /// over where `turned` has bit `i`. Of twelve places, an even number has to be turned over: nothing else keeps the
    /// number of edge orientations even.
    #[must_use]
    fn moved(&self, map: &Self::Map, turned: u16) -> Self;

    /// Whether [`OrientationSet::pull`] leaves what it found empty in parts where that is nothing; otherwise it may be
    /// anything there.
    #[doc(hidden)]
    const LEAVES_EMPTY: bool = false;

    /// Finds what some parts of a row are next to: each by itself, unless sets are so small that many are moved
    /// together.
    #[doc(hidden)]
    #[inline(always)]
    fn pull<const P: usize>(parts: PullParts<'_, Self, P>) {
        parts.each_by_itself();
    }

    /// Adds to group `i` of `near` what group `inner[i]` of `from` has of that code, moved as a part is, if moves are
    /// ready for that; whether they are.
    #[doc(hidden)]
    #[inline(always)]
    fn add_ready<const P: usize>(
        near: &mut [Self],
        from: &[OrientationPlanes<Self, P>],
        inner: &[u16],
        origin: PartOrigin<'_, Self>,
        code: u8,
    ) -> bool {
        let _ = (near, from, inner, origin, code);
        false
    }

    /// Whether the edge orientations with that number are in the set.
    #[inline(always)]
    fn contains(&self, number: u16) -> bool {
        self.word(usize::from(number) / 64) >> (number % 64) & 1 == 1
    }

    /// Adds the edge orientations with that number.
    fn insert(&mut self, number: u16) {
        let (at, bit) = (usize::from(number) / 64, 1 << (number % 64));
        *self = Self::from_words(|word| self.word(word) | if word == at { bit } else { 0 });
    }

    /// Number of edge orientations in the set.
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

/// The most edge orientations that there are.
const MOST_STATES: usize = 2048;

/// A set of the edge orientations of four places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(transparent)]
pub struct OrientationSet4(pub(super) u16);

/// A set of the edge orientations of more places than fit a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(transparent)]
pub struct OrientationWords<const W: usize>([u64; W]);

/// A set of the edge orientations of eight places: 2^8.
pub type OrientationSet8 = OrientationWords<4>;

/// A set of the edge orientations of twelve places, of which an even number is set: 2^11.
pub type OrientationSet12 = OrientationWords<32>;

impl OrientationSet for OrientationSet4 {
    const PLACES: usize = 4;
    const STATES: usize = 16;
    const WORDS: usize = 1;
    const EMPTY: Self = Self(0);
    const FULL: Self = Self(u16::MAX);

    type Map = SmallMap;
    type Ready = LaneMoves;
    /// All of a row.
    const TASK_BLOCKS: usize = usize::MAX;
    const LEAVES_EMPTY: bool = true;

    fn ready(moves: &[Box<[PartMove]>], maps: &[SmallMap]) -> Vec<LaneMoves> {
        moves.iter().map(|parts| LaneMoves::new(parts, maps)).collect()
    }

    #[inline(always)]
    fn from_words(mut word: impl FnMut(usize) -> u64) -> Self {
        Self(word(0) as u16)
    }

    #[inline(always)]
    fn word(&self, _number: usize) -> u64 {
        self.0.into()
    }

    fn map(places: &[u8]) -> SmallMap {
        SmallMap::new(places)
    }

    #[inline(always)]
    fn keep(&mut self, other: &Self, present: bool) {
        self.0 &= other.0 ^ u16::from(present).wrapping_sub(1);
    }

    #[inline(always)]
    fn moved(&self, map: &SmallMap, turned: u16) -> Self {
        Self(exchanged(self.0, map.steps(turned)))
    }

    #[inline(always)]
    fn pull<const P: usize>(parts: PullParts<'_, Self, P>) {
        lanes::pull(parts);
    }
}

macro_rules! orientation_words {
    ($words:literal, $places:literal, $states:literal, $map:ident) => {
        impl OrientationSet for OrientationWords<$words> {
            const PLACES: usize = $places;
            const STATES: usize = $states;
            const WORDS: usize = $words;
            const EMPTY: Self = Self([0; $words]);
            const FULL: Self = Self([u64::MAX; $words]);

            type Map = $map;

            #[cfg(target_arch = "x86_64")]
            type Ready = RegisterMoves;
            #[cfg(not(target_arch = "x86_64"))]
            type Ready = ();

            #[cfg(target_arch = "x86_64")]
            fn ready(moves: &[Box<[PartMove]>], maps: &[$map]) -> Vec<RegisterMoves> {
                RegisterMoves::all::<Self>(moves, maps)
            }

            #[cfg(not(target_arch = "x86_64"))]
            fn ready(moves: &[Box<[PartMove]>], _maps: &[$map]) -> Vec<()> {
                vec![(); moves.len()]
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn add_ready<const P: usize>(
                near: &mut [Self],
                from: &[OrientationPlanes<Self, P>],
                inner: &[u16],
                (part, ready): PartOrigin<'_, Self>,
                code: u8,
            ) -> bool {
                ready.add(near, from, inner, part, code)
            }

            #[inline(always)]
            fn from_words(mut word: impl FnMut(usize) -> u64) -> Self {
                // The compiler leaves `array::from_fn` a function of its own, in narrow registers.
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

            fn map(places: &[u8]) -> $map {
                $map::new(places)
            }

            #[inline(always)]
            fn keep(&mut self, other: &Self, present: bool) {
                let mask = if present { 0 } else { u64::MAX };
                for (word, other) in self.0.iter_mut().zip(&other.0) {
                    *word &= other ^ mask;
                }
            }

            #[inline(always)]
            fn moved(&self, map: &$map, turned: u16) -> Self {
                Self(map.moved(&self.0, turned))
            }
        }
    };
}

orientation_words! { 4, 8, 256, ByteMap }
orientation_words! { 32, 12, 2048, WordMap }

impl<const W: usize> OrientationWords<W> {
    /// The words.
    pub fn words(&self) -> &[u64; W] {
        &self.0
    }
}

/// The levels of the edge orientations of one block modulo 2^P - 1, as `P` bit planes of that remainder plus 1; 0 in
/// all planes is "not reached".
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(transparent)]
pub struct OrientationPlanes<S, const P: usize>([S; P]);

impl<S: OrientationSet, const P: usize> OrientationPlanes<S, P> {
    /// What levels are kept modulo.
    pub const MODULUS: u8 = (1 << P) - 1;

    /// What the planes hold of a level.
    pub(super) const fn code(level: u8) -> u8 {
        level % Self::MODULUS + 1
    }

    /// The planes, the lowest bit's first.
    pub fn planes(&self) -> &[S; P] {
        &self.0
    }

    /// The edge orientations that have no level.
    #[inline(always)]
    pub(super) fn unreached(&self) -> S {
        S::from_words(|word| !self.0.iter().fold(0, |reached, plane| reached | plane.word(word)))
    }

    /// Gives `level` to the edge orientations of `set`, which must have none yet.
    pub fn assign(&mut self, set: &S, level: u8) {
        self.assign_code(set, Self::code(level));
    }

    /// Gives the edge orientations of `set`, which must have no level yet, the one of that code.
    #[inline(always)]
    pub(super) fn assign_code(&mut self, set: &S, code: u8) {
        self.0.iter_mut().enumerate().filter(|(bit, _)| code >> bit & 1 == 1).for_each(|(_, plane)| plane.add(set));
    }

    /// The planes of edge orientations whose levels are told by number, `None` for those that have none.
    pub fn of_levels(level: impl Fn(u16) -> Option<u8>) -> Self {
        let mut codes = [0; MOST_STATES];
        for (number, code) in (0..).zip(&mut codes[..S::STATES]) {
            *code = level(number).map_or(0, Self::code);
        }
        let (eights, _) = codes.as_chunks::<8>();
        let plane = |bit: usize| {
            S::from_words(|word| {
                let of_word = eights[8 * word..][..8].iter().rev();
                of_word.fold(0, |bits, &eight| bits << 8 | u64::from(lowest_of_bytes(u64::from_le_bytes(eight) >> bit)))
            })
        };
        Self(std::array::from_fn(plane))
    }

    /// Makes the code of every edge orientation that has a level 1.
    #[inline(always)]
    pub(super) fn merge_levels(&mut self) {
        let unreached = self.unreached();
        self.0 = [S::EMPTY; P];
        self.0[0] = unreached.nor(&S::EMPTY);
    }

    /// The set of edge orientations whose level has that code.
    #[inline(always)]
    pub(super) fn of(&self, code: u8) -> S {
        let mut found = S::FULL;
        for (bit, plane) in self.0.iter().enumerate() {
            found.keep(plane, code >> bit & 1 == 1);
        }
        found
    }

    /// The remainder of the level of the edge orientations with that number; `None` if they have none.
    #[inline(always)]
    pub fn level(&self, number: u16) -> Option<u8> {
        let code = (0..P).fold(0u8, |code, bit| code | u8::from(self.0[bit].contains(number)) << bit);
        code.checked_sub(1)
    }
}
