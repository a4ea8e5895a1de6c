//! Exchanges of two bits of the orientations' numbers, as masked shifts of the words.

/// Bits of a number that select a bit within its word; the others select the word.
pub(super) const IN_WORD: u8 = 6;

/// An exchange of two bits within the word: the bits of the mask trade places with those so many above them.
pub(super) type MaskedShift = (u8, u64);

/// Positions within a word that have bit `bit` set.
pub(super) const fn positions(bit: u8) -> u64 {
    [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ][bit as usize]
}

/// The exchange of two bits within the word.
pub(super) const fn within(low: u8, high: u8) -> MaskedShift {
    ((1 << high) - (1 << low), positions(low) & !positions(high))
}

/// Exchanges the bits of `mask` with those `shift` above them.
#[inline(always)]
pub(super) fn exchange_within(word: &mut u64, shift: u8, mask: u64) {
    let t = ((*word >> shift) ^ *word) & mask;
    *word ^= t ^ (t << shift);
}

/// Exchanges a bit within the word with the bit in which the numbers of two words differ: the upper bits of the low
/// word trade places with the lower bits of the high one, of which `mask` is.
#[inline(always)]
pub(super) fn exchange_across(low: u64, high: u64, (shift, mask): MaskedShift) -> [u64; 2] {
    let t = ((low >> shift) ^ high) & mask;
    [low ^ t << shift, high ^ t]
}

/// A permutation of places, decomposed into exchanges that are done in the order in which they are found.
pub(super) struct PlaceExchanges {
    rest: Vec<u8>,
}

impl PlaceExchanges {
    /// The exchanges of a permutation of `count` places.
    ///
    /// # Panics
    /// If it is none.
    pub(super) fn of(places: &[u8], count: usize) -> Self {
        assert_permutation(places, count);
        Self { rest: places.to_vec() }
    }

    /// The exchange of `place` with another that brings it home, unless it is there.
    pub(super) fn bring_home(&mut self, place: usize) -> Option<(u8, u8)> {
        let at = self.rest.iter().position(|&other| usize::from(other) == place).filter(|&at| at != place)?;
        self.rest.swap(place, at);
        Some((place as u8, at as u8))
    }
}

/// Panics unless `places` is a permutation of 0..`count`.
pub(super) fn assert_permutation(places: &[u8], count: usize) {
    let all = places.iter().fold(0u16, |seen, &place| seen | 1u16.checked_shl(place.into()).unwrap_or(0));
    assert!(places.len() == count && all == (1 << count) - 1, "{places:?}");
}
