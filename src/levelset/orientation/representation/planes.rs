//! The levels of the edge orientations of a block, as bit planes.

use bytemuck::{Pod, Zeroable};

use super::set::OrientationSet;
use twistbase_core::math::bits::{bits_as_bytes, lowest_of_bytes};

/// The most states of a set: 2048 = 2^11, of twelve places.
const MOST_STATES: usize = 2048;

/// The levels of the edge orientations of one block modulo 2^P - 1, as `P` bit planes of that remainder plus 1; 0 in
/// all planes is "not reached".
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(transparent)]
pub struct OrientationPlanes<S, const P: usize>([S; P]);

impl<S: OrientationSet, const P: usize> OrientationPlanes<S, P> {
    /// What levels are stored modulo.
    pub const MODULUS: u8 = (1 << P) - 1;

    /// The code of a level: what the planes hold of it.
    pub(crate) const fn code(level: u8) -> u8 {
        level % Self::MODULUS + 1
    }

    /// The planes, the lowest bit's first.
    pub fn planes(&self) -> &[S; P] {
        &self.0
    }

    /// The orientations without a level.
    #[inline(always)]
    pub(crate) fn unreached(&self) -> S {
        S::from_words(|word| !self.0.iter().fold(0, |reached, plane| reached | plane.word(word)))
    }

    /// Gives `level` to the orientations of `set`, which must have none yet.
    pub fn assign(&mut self, set: &S, level: u8) {
        self.assign_code(set, Self::code(level));
    }

    /// Gives the orientations of `set`, which must have no level yet, the one of that code.
    #[inline(always)]
    pub(crate) fn assign_code(&mut self, set: &S, code: u8) {
        self.0.iter_mut().enumerate().filter(|(bit, _)| code >> bit & 1 == 1).for_each(|(_, plane)| plane.add(set));
    }

    /// The planes of these levels, by the orientation's number; `None` for those without one.
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

    /// Writes the codes of all orientations by their number, a byte each: 0 for those without a level, otherwise one more than
    /// the level's remainder. `codes` has room for as many as there are states.
    #[inline]
    pub fn write_codes(&self, codes: &mut [u8]) {
        for (number, codes) in codes[..S::STATES].chunks_mut(64).enumerate() {
            let planes = self.0.each_ref().map(|plane| plane.word(number).to_le_bytes());
            for (byte, eight) in codes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let spread = planes.iter().enumerate().map(|(bit, plane)| bits_as_bytes(plane[byte]) << bit);
                *eight = spread.fold(0, |codes, plane| codes | plane).to_le_bytes();
            }
        }
    }

    /// Gives every orientation that has a level the code 1.
    #[inline(always)]
    pub(crate) fn merge_levels(&mut self) {
        let unreached = self.unreached();
        self.0 = [S::EMPTY; P];
        self.0[0] = unreached.nor(&S::EMPTY);
    }

    /// The orientations whose level has that code.
    #[inline(always)]
    pub(crate) fn of(&self, code: u8) -> S {
        let mut found = S::FULL;
        for (bit, plane) in self.0.iter().enumerate() {
            found.keep(plane, code >> bit & 1 == 1);
        }
        found
    }

    /// The remainder of the level of the orientation with that number; `None` if it has none.
    #[inline(always)]
    pub fn level(&self, number: u16) -> Option<u8> {
        let code = (0..P).fold(0u8, |code, bit| code | u8::from(self.0[bit].contains(number)) << bit);
        code.checked_sub(1)
    }
}
