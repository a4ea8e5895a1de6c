//! The order in which the twists of a shape are tried.

use std::cmp::Reverse;

use twistbase_puzzle::square1::Shape;

/// The distances for which [`TwistOrder`] has an order; farther positions have that of the last.
const DISTANCES: usize = 16;

/// In which order the twists of a shape are tried when one is sought that leads nearer: those first that are most
/// likely to.
///
/// The distributions of the rows decide: a twist to a shape with many nearer positions comes first.
#[derive(Debug)]
pub struct TwistOrder(
    /// Numbers of [neighbours](Neighbours), by shape and distance.
    Vec<[Vec<u8>; DISTANCES]>,
);

impl TwistOrder {
    /// The order in a table of whose row `r` `levels[r][d]` entries are at distance `d`.
    pub fn new(levels: &[&[u64]]) -> Self {
        let level = |shape: Shape, distance: usize| {
            levels.get(usize::from(shape.id())).and_then(|levels| levels.get(distance)).copied().unwrap_or(0)
        };
        // Of what a position at `distance` can have for a neighbour, how much is nearer: in 2^32 parts.
        let share = |shape: Shape, distance: usize| {
            let near = u128::from(level(shape, distance - 1));
            let all = near + u128::from(level(shape, distance)) + u128::from(level(shape, distance + 1));
            (near << 32) / all.max(1)
        };
        let order = |shape: Shape, distance: usize| {
            // A shape that is too far from the solved one needs no reading: near the end that is most of them.
            let within_reach = |(_, to): &(u8, Shape)| usize::from(to.twists()) < distance;
            let mut order: Vec<_> = (0..).zip(shape.neighbours()).filter(within_reach).collect();
            order.sort_by_key(|&(_, to)| Reverse(share(to, distance)));
            order.into_iter().map(|(number, _)| number).collect()
        };
        let orders =
            |shape| std::array::from_fn(|distance| if distance == 0 { Vec::new() } else { order(shape, distance) });
        Self(Shape::all().map(orders).collect())
    }

    #[inline]
    pub(super) fn of(&self, shape: Shape, distance: u8) -> &[u8] {
        &self.0[usize::from(shape.id())][usize::from(distance).min(DISTANCES - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every twist that can lead nearer is in the order once, those to rows with many nearer entries first.
    #[test]
    fn the_order_is_one_of_all_twists_within_reach() {
        let levels: Vec<[u64; 9]> = (0..90).map(|row| [0, 1, 2, 4, 8, 16 + row * row % 17, 9, 3, 0]).collect();
        let order = TwistOrder::new(&levels.iter().map(<[u64; 9]>::as_slice).collect::<Vec<_>>());
        for shape in Shape::all() {
            // Whatever a damaged entry says.
            assert_eq!(order.of(shape, u8::MAX), order.of(shape, DISTANCES as u8 - 1));
            let to: Vec<Shape> = shape.neighbours().collect();
            for distance in 1..DISTANCES as u8 {
                let order: Vec<usize> = order.of(shape, distance).iter().copied().map(usize::from).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq((0..to.len()).filter(|&number| to[number].twists() < distance)));
                let of_five = |number: &usize| levels[usize::from(to[*number].id())][5];
                match distance {
                    5 => assert!(order.is_sorted_by_key(of_five), "level 4 is the same everywhere"),
                    6 => assert!(order.is_sorted_by_key(|number| Reverse(of_five(number)))),
                    _ => {}
                }
            }
        }
    }
}
