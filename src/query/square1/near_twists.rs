//! Which twists bring positions near the solved one nearer, to be used by all walks that end there.

use std::sync::OnceLock;

use twistbase_core::hash::LossyTable;

/// How far from solved positions are remembered.
pub(super) const NEAR: u8 = 7;

/// Positions that are remembered, as a power of two: 16 MiB, more than there are entries within six twists.
const SLOT_BITS: u32 = 21;
/// Bits of the number of a twist.
const NUMBER_BITS: u32 = 6;
/// How many twists of a position are remembered; hardly any has more.
const MOST: usize = 4;
/// Bits of their numbers.
const BITS: u32 = NUMBER_BITS * MOST as u32;

/// The numbers of the twists that lead nearer, by [key](super::Square1Table::near_key). Threads share them.
#[derive(Debug, Default)]
pub(super) struct NearTwists(OnceLock<Option<LossyTable<BITS>>>);

impl NearTwists {
    /// The numbers of a key, if they are remembered.
    pub fn get(&self, key: u64) -> Option<impl Iterator<Item = u8>> {
        let numbers = self.table()?.get(key)?;
        let number = move |at: usize| (numbers >> (at as u32 * NUMBER_BITS)) as u8 & ((1 << NUMBER_BITS) - 1);
        // The last one is repeated.
        Some((0..MOST).filter(move |&at| at == 0 || number(at) != number(at - 1)).map(number))
    }

    /// Remembers them, if they are one to [`MOST`].
    pub fn put(&self, key: u64, numbers: &[u8]) {
        let (1..=MOST, Some(last), Some(table)) = (numbers.len(), numbers.last(), self.table()) else { return };
        let at = |at: usize| u32::from(*numbers.get(at).unwrap_or(last)) << (at as u32 * NUMBER_BITS);
        table.put(key, (0..MOST).fold(0, |all, place| all | at(place)));
    }

    /// Made when it is first asked for; nothing is remembered where there is no memory for it.
    fn table(&self) -> Option<&LossyTable<BITS>> {
        self.0.get_or_init(|| LossyTable::new(SLOT_BITS).ok()).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_puzzle::square1::Shape;

    #[test]
    fn every_twist_has_a_number_that_fits() {
        assert!(Shape::all().all(|shape| shape.neighbours().len() <= 1 << NUMBER_BITS));
    }

    #[test]
    fn one_to_four_numbers_are_remembered_in_their_order() {
        let near = NearTwists::default();
        let all = [&[][..], &[0], &[63, 0], &[5, 6, 7], &[1, 2, 3, 4], &[1, 2, 3, 4, 5]];
        for (key, numbers) in (1..).zip(all) {
            near.put(key, numbers);
            let found = near.get(key).map(|numbers| numbers.collect::<Vec<_>>());
            assert_eq!(found, (1..=MOST).contains(&numbers.len()).then(|| numbers.to_vec()));
        }
    }
}
