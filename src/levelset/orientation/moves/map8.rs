//! Permutations of eight places.

use super::movable::MovableOrientations;
use super::shifts::{IN_WORD, MaskedShift, PlaceExchanges, exchange_across, exchange_within, positions, within};
use crate::orientation::representation::{OrientationSet8, OrientationWords};

/// How a permutation of eight places acts on sets of their 256 orientations: by exchanging bits of the numbers, two at
/// a time.
///
/// Every map takes the same steps, some of which may do nothing: a space has thousands of these maps, used one after
/// the other, and if their numbers of steps differed, the processor would mispredict nearly every one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceMap8 {
    /// Whether the two bits that select the word are exchanged, first of all.
    words: bool,
    /// The bit within the word that is exchanged with each of these, or [`NONE`].
    across: [u8; 2],
    /// Exchanges of bits within the word, the last of them doing nothing: numbers in [`WITHIN`].
    within: [u8; 5],
}

/// No bit within the word.
const NONE: u8 = IN_WORD;

/// Exchanges with a bit that selects the word, by the bit within the word; the last two do nothing.
const ACROSS: [MaskedShift; 8] = {
    let mut shifts = [(0, 0); 8];
    let mut bit = 0;
    while bit < IN_WORD {
        shifts[bit as usize] = (1 << bit, !positions(bit));
        bit += 1;
    }
    shifts
};

/// Exchanges of bits within the word, by 8 × the higher + the lower one; of a bit with itself: nothing.
const WITHIN: [MaskedShift; 64] = {
    let mut shifts = [(0, 0); 64];
    let mut high = 1;
    while high < IN_WORD {
        let mut low = 0;
        while low < high {
            shifts[(8 * high + low) as usize] = within(low, high);
            low += 1;
        }
        high += 1;
    }
    shifts
};

impl PlaceMap8 {
    fn new(places: &[u8]) -> Self {
        let mut exchanges = PlaceExchanges::of(places, 8);
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
    fn moved(&self, source: &[u64; 4], turned: u16) -> [u64; 4] {
        let turned = usize::from(turned);
        let (other, order) = (turned >> 6 & 3, if self.words { [0, 2, 1, 3] } else { [0, 1, 2, 3] });
        let mut set = [0; 4];
        for (to, from) in set.iter_mut().zip(order) {
            *to = source[(from ^ other) % 4];
        }
        // Half of all moves flip none of these places.
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

impl MovableOrientations for OrientationSet8 {
    type Map = PlaceMap8;

    fn map(places: &[u8]) -> PlaceMap8 {
        PlaceMap8::new(places)
    }

    #[inline(always)]
    fn moved(&self, map: &PlaceMap8, turned: u16) -> Self {
        OrientationWords(map.moved(&self.0, turned))
    }
}
