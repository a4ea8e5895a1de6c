//! Moving from coset to coset of H by table look-up.

use std::collections::VecDeque;
use std::sync::LazyLock;

use twistbase_puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, FlipSliceClasses, SliceClasses, SliceKind, SymmetryClasses,
    corner_orientation, edge_orientation, set_corner_orientation, set_edge_orientation,
};
use twistbase_puzzle::cube3::{AXIS_SYMMETRIES, Cube, Move, Symmetry};

/// A coset of H: the numbers of its edge orientations, its middle edges' places and its corner orientations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Coset {
    pub edge_orientation: u16,
    pub places: u16,
    pub corner_orientation: u16,
}

/// What the moves do to cosets, with bounds for their distances. All of it together fits a core's second-level cache,
/// which the table of distances does not.
pub(super) struct CosetMoves {
    edge_orientations: Vec<[u16; Move::COUNT]>,
    places: Vec<[u16; Move::COUNT]>,
    corner_orientations: Vec<[u16; Move::COUNT]>,
    classes: &'static FlipSliceClasses,
    slices: &'static SymmetryClasses<u16>,
    /// Per class of edge orientations and places: the distance of the nearest coset with these.
    flip_slice_bounds: Vec<u8>,
    /// Per two symmetries: the second and then the first.
    products: [[Symmetry; AXIS_SYMMETRIES]; AXIS_SYMMETRIES],
    /// Per symmetry: where its inverse takes each move.
    moves_back: [[u8; Move::COUNT]; AXIS_SYMMETRIES],
}

impl CosetMoves {
    /// The only instance; computed, in about ten milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static MOVES: LazyLock<CosetMoves> = LazyLock::new(CosetMoves::new);
        &MOVES
    }

    fn new() -> Self {
        let kind = SliceKind::Places;
        let places = |number| moved(number, |p, number| p.ep = kind.edges(number), |p| kind.rank(p.edges()));
        let mut table = Self {
            edge_orientations: (0..EDGE_ORIENTATIONS as u16)
                .map(|n| moved(n, set_edge_orientation, edge_orientation))
                .collect(),
            places: (0..kind.count() as u16).map(places).collect(),
            corner_orientations: (0..CORNER_ORIENTATIONS as u16)
                .map(|n| moved(n, set_corner_orientation, corner_orientation))
                .collect(),
            classes: FlipSliceClasses::get(),
            slices: SliceClasses::get(kind),
            flip_slice_bounds: Vec::new(),
            products: std::array::from_fn(|a| {
                std::array::from_fn(|b| Symmetry::from_index(a).after(Symmetry::from_index(b)))
            }),
            moves_back: std::array::from_fn(|s| images_of_moves(Symmetry::from_index(s).inverse())),
        };
        table.flip_slice_bounds = table.find_edge_orientation_bounds();
        table
    }

    /// The coset of a position.
    pub fn coset(&self, position: &Cube) -> Coset {
        let places = SliceKind::Places.rank(position.edges());
        Coset { edge_orientation: edge_orientation(position), places, corner_orientation: corner_orientation(position) }
    }

    /// The coset after a move.
    #[inline(always)]
    pub fn turned(&self, coset: Coset, turn: Move) -> Coset {
        Coset {
            edge_orientation: self.edge_orientations[usize::from(coset.edge_orientation)][turn.index()],
            places: self.places[usize::from(coset.places)][turn.index()],
            corner_orientation: self.corner_orientations[usize::from(coset.corner_orientation)][turn.index()],
        }
    }

    /// The number of a coset in the tables of phase 1: 2187 × class + corner orientations of the representative; and
    /// the symmetry that takes the coset to it.
    #[inline]
    pub fn index(&self, coset: Coset) -> (usize, Symmetry) {
        let placed = self.classes.placed(coset.places, coset.corner_orientation);
        let (class, second, corner_orientation) = self.classes.flipped(&placed, coset.edge_orientation);
        (usize::from(class) * CORNER_ORIENTATIONS + usize::from(corner_orientation), second.after(placed.symmetry))
    }

    /// The number of a coset, and how far it is from H at least, by its edge orientations and places.
    #[inline(always)]
    pub fn index_and_bound(&self, coset: Coset) -> (usize, u8) {
        let (index, _, bound) = self.index_symmetry_and_bound(coset);
        (index, bound)
    }

    /// The same with the symmetry of [`Self::index`].
    #[inline(always)]
    pub fn index_symmetry_and_bound(&self, coset: Coset) -> (usize, Symmetry, u8) {
        let placed = self.classes.placed(coset.places, coset.corner_orientation);
        let (class, second, corner_orientation) = self.classes.flipped(&placed, coset.edge_orientation);
        let symmetry = self.products[second.index()][placed.symmetry.index()];
        (
            usize::from(class) * CORNER_ORIENTATIONS + usize::from(corner_orientation),
            symmetry,
            self.flip_slice_bounds[usize::from(class)],
        )
    }

    fn find_edge_orientation_bounds(&self) -> Vec<u8> {
        let start = self.index(self.coset(&Cube::SOLVED)).0 / CORNER_ORIENTATIONS;
        distances(FlipSliceClasses::COUNT, start, |class, reach| {
            let coset = self.representative(class, 0);
            Move::all().for_each(|turn| reach(self.index(self.turned(coset, turn)).0 / CORNER_ORIENTATIONS));
        })
    }

    /// Moves of a coset's representative, under the symmetry that takes the coset there, as moves of the coset; bits by
    /// [`Move::index`].
    #[inline]
    pub fn mask_back(&self, symmetry: Symmetry, mut representative: u32) -> u32 {
        let back = &self.moves_back[symmetry.index()];
        let mut mask = 0;
        while representative != 0 {
            mask |= 1 << back[representative.trailing_zeros() as usize];
            representative &= representative - 1;
        }
        mask
    }

    /// The coset of the representative of a class of edge orientations and places, with those corner orientations.
    pub fn representative(&self, class: usize, corner_orientation: u16) -> Coset {
        let class = &self.classes.classes()[class];
        Coset {
            edge_orientation: class.edge_orientation,
            places: self.slices.classes()[usize::from(class.slice)].representative,
            corner_orientation,
        }
    }

    /// The numbers under which a coset can be met: those of its images under the symmetries that keep its class's
    /// representative.
    pub fn indices(&self, coset: Coset) -> impl Iterator<Item = usize> {
        let index = self.index(coset).0;
        let stabiliser = self.classes.classes()[index / CORNER_ORIENTATIONS].stabiliser;
        let symmetries = Symmetry::keeping_axis().filter(move |symmetry| stabiliser >> symmetry.index() & 1 == 1);
        symmetries.map(move |s| {
            index / CORNER_ORIENTATIONS * CORNER_ORIENTATIONS
                + usize::from(self.classes.corner_orientations(s)[index % CORNER_ORIENTATIONS])
        })
    }
}

/// Whether ways into H of exactly `left` moves, the last of which is none of H, can begin at that distance from it.
///
/// A shortest way and another one make a sequence from H to H, and there is none of fewer than 5 moves that matters
/// (Rokicki): any of those goes through H earlier, or says the same with a move of H made later. So it is in quarter turns: fewer than 5 of
/// them are fewer than 5 moves.
#[inline]
pub(super) const fn can_end(distance: u8, left: u8) -> bool {
    distance == left || (distance < left && distance + left >= 5)
}

/// The distances of the numbers below `count` from `start`; `step` calls back with the neighbours of a number.
fn distances(count: usize, start: usize, step: impl Fn(usize, &mut dyn FnMut(usize))) -> Vec<u8> {
    let mut distances = vec![u8::MAX; count];
    distances[start] = 0;
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        let next = distances[at] + 1;
        step(at, &mut |neighbour| {
            if distances[neighbour] == u8::MAX {
                distances[neighbour] = next;
                queue.push_back(neighbour);
            }
        });
    }
    distances
}

fn images_of_moves(symmetry: Symmetry) -> [u8; Move::COUNT] {
    std::array::from_fn(|m| symmetry.of_move(Move::from_index(m).expect("below 18")).index() as u8)
}

/// Where the moves take a coordinate.
fn moved(number: u16, set: impl Fn(&mut Cube, u16), get: impl Fn(&Cube) -> u16) -> [u16; Move::COUNT] {
    let mut position = Cube::SOLVED;
    set(&mut position, number);
    std::array::from_fn(|turn| get(&position.turned(Move::from_index(turn).expect("below 18"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase_puzzle::cube3::{Metric, random_walk};

    #[test]
    fn cosets_follow_positions() {
        let moves = CosetMoves::get();
        let (walk, _) = random_walk(&mut ChaCha8Rng::seed_from_u64(5), Metric::Htm, 5000);
        let (mut position, mut coset) = (Cube::SOLVED, moves.coset(&Cube::SOLVED));
        for &turn in walk.moves() {
            position = position.turned(turn);
            coset = moves.turned(coset, turn);
            assert_eq!(coset, moves.coset(&position));
            let place = FlipSliceClasses::get().place(&position);
            let expected = usize::from(place.class) * CORNER_ORIENTATIONS + usize::from(place.corner_orientation);
            assert_eq!(moves.index(coset).0, expected);
            assert!(moves.indices(coset).any(|index| index == expected));
        }
    }

    #[test]
    fn bounds_are_the_distances_of_what_they_know() {
        let moves = CosetMoves::get();
        assert!(moves.flip_slice_bounds.iter().all(|&bound| bound < 12));
        // A walk of n moves from H leads no farther than n.
        for seed in 0..200 {
            let (walk, _) = random_walk(&mut ChaCha8Rng::seed_from_u64(seed), Metric::Htm, 8);
            let mut coset = moves.coset(&Cube::SOLVED);
            for (made, &turn) in (1..).zip(walk.moves()) {
                coset = moves.turned(coset, turn);
                assert!(moves.index_and_bound(coset).1 <= made, "{walk} after {made}");
            }
        }
    }
}
