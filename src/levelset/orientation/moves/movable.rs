//! Sets that moves act on.

use crate::orientation::representation::OrientationSet;

/// A set of edge orientations that permutations of its places act on.
pub trait MovableOrientations: OrientationSet {
    /// How a permutation of the places acts on sets.
    type Map: Send + Sync;

    /// The map of a permutation of the places.
    ///
    /// # Panics
    /// If `places` is no permutation of as many places as the set has.
    fn map(places: &[u8]) -> Self::Map;

    /// Moves the set: orientation `f` is taken from the one whose bit `i` is bit `places[i]` of `f`, flipped where
    /// `turned` has bit `i`. Of twelve places, an even number has to be flipped: nothing else keeps the number of
    /// flipped edges even.
    #[must_use]
    fn moved(&self, map: &Self::Map, turned: u16) -> Self;
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::orientation::representation::{OrientationSet4, OrientationSet8, OrientationSet12};
    use twistbase_core::simd::{VectorWork, in_wide_registers};

    /// The definition, one orientation at a time.
    fn source(number: u16, states: usize, places: &[u8], turned: u16) -> u16 {
        let orientations = number | ((number.count_ones() & 1) as u16) << 11;
        let moved = (0..places.len()).fold(0, |moved, i| moved | (orientations >> places[i] & 1) << i);
        (moved ^ turned) & (states - 1) as u16
    }

    /// A set to be moved in wide registers.
    struct WideMove<'a, S: MovableOrientations> {
        from: S,
        map: &'a S::Map,
        turned: u16,
    }

    impl<S: MovableOrientations> VectorWork for WideMove<'_, S> {
        type Output = S;

        #[inline(always)]
        fn run(self) -> S {
            self.from.moved(self.map, self.turned)
        }
    }

    fn follow_the_definition<S: MovableOrientations>() {
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
            assert_eq!(in_wide_registers(WideMove { from, map: &map, turned }), moved);
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
