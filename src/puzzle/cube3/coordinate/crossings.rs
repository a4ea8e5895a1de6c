//! How many edges of each layer are in each layer: what the edges of a position and of its inverse have in common.

use crate::cube3::cube::{Cube, EDGES};

/// The layers between F and B, L and R, and U and D.
const LAYER_COUNT: usize = 3;

/// The orders that the symmetries of the cube bring the layers into.
const ORDERS: [[usize; LAYER_COUNT]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Bits of a count: at most four edges.
const BITS: usize = 3;

/// Counts by the layer that edges are in, the one that they belong in, and their edge orientation.
type Counts = [[[u8; 2]; LAYER_COUNT]; LAYER_COUNT];

/// How many edges of each layer are in each layer, with each edge orientation, up to the symmetries of the cube.
///
/// The edge orientation of an edge that is in another layer than its own is that along the axis of the third layer: there
/// symmetries do not change it. What is counted is the same for the inverse, with the layers in each other's place. So the
/// crossings of a position tell those of its inverse, and more of the inverse's edges is not known from the classes
/// along the three axes: every arrangement with those crossings occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Crossings(u64);

impl Crossings {
    /// Those of a position.
    pub fn of(position: &Cube) -> Self {
        Self::of_layers(&position.ep.map(layer), &position.eo)
    }

    /// Those of edges, of which the layer that each belongs in is known.
    pub(super) fn of_layers(belongs: &[u8; EDGES], edge_orientations: &[u8; EDGES]) -> Self {
        let mut counts = Counts::default();
        for place in 0..EDGES {
            let (is_in, own) = (usize::from(layer(place as u8)), usize::from(belongs[place]));
            // Turns of F and B, which bring edges from the second layer to the third and back, change the edge orientations along
            // the axis from U to D, and not those along their own.
            let is_changed = matches!((is_in, own), (1, 2) | (2, 1));
            counts[is_in][own][usize::from(edge_orientations[place] ^ u8::from(is_changed))] += 1;
        }
        Self::of_counts(&counts)
    }

    /// Those of the inverse.
    pub fn inverse(self) -> Self {
        let mut counts = Counts::default();
        let mut left = self.0;
        for own in (0..LAYER_COUNT).rev() {
            for is_in in (0..LAYER_COUNT).rev() {
                for edge_orientation in (0..2).rev() {
                    counts[is_in][own][edge_orientation] = (left & ((1 << BITS) - 1)) as u8;
                    left >>= BITS;
                }
            }
        }
        Self::of_counts(&counts)
    }

    /// The least number among those of the layers in any order.
    fn of_counts(counts: &Counts) -> Self {
        let number = |order: [usize; LAYER_COUNT]| {
            let in_order =
                order.into_iter().flat_map(|is_in| order.into_iter().flat_map(move |own| counts[is_in][own]));
            in_order.fold(0, |number, count| number << BITS | u64::from(count))
        };
        Self(ORDERS.into_iter().map(number).min().unwrap_or_default())
    }
}

/// The layer that an edge belongs in.
pub(super) const fn layer(edge: u8) -> u8 {
    if edge >= 8 { 2 } else { edge & 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::{Symmetry, random_cube};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn symmetries_keep_them_and_inverses_have_the_inverse() {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        let mut own_inverses = 0;
        for _ in 0..3000 {
            let position = random_cube(&mut rng);
            let crossings = Crossings::of(&position);
            assert!(Symmetry::all().all(|symmetry| Crossings::of(&symmetry.of(&position)) == crossings));
            assert_eq!(Crossings::of(&position.inverse()), crossings.inverse());
            assert_eq!(crossings.inverse().inverse(), crossings);
            own_inverses += u32::from(crossings.inverse() == crossings);
        }
        assert!((100..2900).contains(&own_inverses), "{own_inverses}");
    }
}
