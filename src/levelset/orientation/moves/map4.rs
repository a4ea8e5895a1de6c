//! Permutations of four places.

use std::sync::LazyLock;

use super::movable::MovableOrientations;
use super::shifts::{assert_permutation, positions, within};
use crate::orientation::representation::OrientationSet4;

/// How a permutation of four places acts on sets of their sixteen orientations: by exchanging bits of the numbers, in a
/// network of five exchanges that is the same for all permutations, where each exchange is done or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceMap4 {
    /// Which of [`NETWORK`] are done.
    exchanges: u16,
}

/// Exchanges of places that make any order of four.
const NETWORK: [(usize, usize); 5] = [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)];

/// The masked shifts that move a set of sixteen orientations, in this order: one for each place that may be flipped,
/// then the network.
const SHIFTS: [(u8, u16); 9] = {
    let mut shifts = [(0, 0); 9];
    let mut bit = 0;
    while bit < 4 {
        shifts[bit] = (1 << bit, !positions(bit as u8) as u16);
        bit += 1;
    }
    let mut number = 0;
    while number < NETWORK.len() {
        let (low, high) = NETWORK[number];
        let (shift, mask) = within(low as u8, high as u8);
        shifts[4 + number] = (shift, mask as u16);
        number += 1;
    }
    shifts
};

/// By which of the shifts are done, where each of the sixteen orientations goes.
pub(crate) static MOVED_ORIENTATIONS: LazyLock<Box<[[u8; 16]]>> = LazyLock::new(|| {
    let moved = |steps| std::array::from_fn(|orientation| exchanged(1 << orientation, steps).trailing_zeros() as u8);
    (0..1 << SHIFTS.len()).map(moved).collect()
});

impl PlaceMap4 {
    fn new(places: &[u8]) -> Self {
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

    /// The steps of the map with these places flipped: bit `i` says whether [`SHIFTS`] number `i` is done.
    #[inline(always)]
    pub(crate) fn steps(self, turned: u16) -> u16 {
        turned & 15 | self.exchanges << 4
    }
}

/// A set of sixteen orientations, moved in these steps. Without branches, so that the compiler moves many sets at once.
#[inline(always)]
pub(crate) fn exchanged(set: u16, steps: u16) -> u16 {
    let mut set = set;
    for (number, (shift, mask)) in SHIFTS.into_iter().enumerate() {
        let t = ((set >> shift) ^ set) & mask & (steps >> number & 1).wrapping_neg();
        set ^= t ^ (t << shift);
    }
    set
}

impl MovableOrientations for OrientationSet4 {
    type Map = PlaceMap4;

    fn map(places: &[u8]) -> PlaceMap4 {
        PlaceMap4::new(places)
    }

    #[inline(always)]
    fn moved(&self, map: &PlaceMap4, turned: u16) -> Self {
        Self(exchanged(self.0, map.steps(turned)))
    }
}
