//! Moving from coset to coset of H by table look-up.

use std::collections::VecDeque;
use std::sync::LazyLock;

use crate::puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, EDGE_ORIENTATIONS, FlipSliceClasses, SliceClasses, SliceKind, corner_orientation,
    edge_orientation, set_corner_orientation, set_edge_orientation,
};
use crate::puzzle::cube3::{AXIS_SYMMETRIES, Cube, Move, Symmetry};

/// A coset of H: the numbers of its edge orientations, its middle edges' places and its corner orientations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Coset {
    pub edge_orientation: u16,
    pub places: u16,
    pub corner_orientation: u16,
}

/// A coset, and where the tables of phase 1 have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CosetPlace {
    pub coset: Coset,
    /// Its [number](CosetMoves::index).
    pub index: u32,
    /// What takes it to the representative of its class.
    pub symmetry: Symmetry,
}

/// What the moves do to cosets, with bounds for their distances. All of it together fits a core's second-level cache,
/// which the table of distances does not.
pub(super) struct CosetMoves {
    edge_orientations: Vec<[u16; Move::COUNT]>,
    places: Vec<[u16; Move::COUNT]>,
    corner_orientations: Vec<[u16; Move::COUNT]>,
    classes: &'static FlipSliceClasses,
    slices: &'static SliceClasses,
    /// Per class of edge orientations and places.
    flip_slices: Vec<FlipSlice>,
    /// Per two symmetries: the second and then the first.
    products: [[Symmetry; AXIS_SYMMETRIES]; AXIS_SYMMETRIES],
    /// Per symmetry: where its inverse takes the moves of each part of a mask.
    masks_back: Box<[[[u32; 1 << PART_BITS]; Move::COUNT / PART_BITS]; AXIS_SYMMETRIES]>,
}

/// A mask of moves is looked up in parts of so many bits.
const PART_BITS: usize = 6;

/// A class of edge orientations and places.
#[derive(Clone, Copy)]
struct FlipSlice {
    /// The distance of the nearest coset with these, above the moves of the representative that keep it.
    level_and_bound: u32,
    /// The moves of the representative that lead nearer.
    nearer: u32,
}

impl FlipSlice {
    fn new(bound: u8, nearer: u32, level: u32) -> Self {
        Self { level_and_bound: level | u32::from(bound) << Move::COUNT, nearer }
    }

    #[inline(always)]
    fn bound(self) -> u8 {
        (self.level_and_bound >> Move::COUNT) as u8
    }

    #[inline(always)]
    fn level(self) -> u32 {
        self.level_and_bound & ALL_MOVES
    }
}

const ALL_MOVES: u32 = (1 << Move::COUNT) - 1;

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
            flip_slices: Vec::new(),
            products: std::array::from_fn(|a| {
                std::array::from_fn(|b| Symmetry::from_index(a).after(Symmetry::from_index(b)))
            }),
            masks_back: Box::new(std::array::from_fn(|s| images_of_masks(Symmetry::from_index(s).inverse()))),
        };
        table.flip_slices = table.find_flip_slices();
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

    /// The same, with the coset.
    #[inline(always)]
    pub fn place(&self, coset: Coset) -> CosetPlace {
        let (index, symmetry, _) = self.index_symmetry_and_bound(coset);
        CosetPlace { coset, index: index as u32, symmetry }
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
            self.flip_slices[usize::from(class)].bound(),
        )
    }

    /// The moves of a coset after which H is no more than `left` moves away by what edge orientations and places tell; bits by
    /// [`Move::index`]. The coset itself is no more than `left + 1` away.
    #[inline(always)]
    pub fn moves_within(&self, &CosetPlace { index, symmetry, .. }: &CosetPlace, left: u8) -> u32 {
        let flip_slice = self.flip_slices[index as usize / CORNER_ORIENTATIONS];
        let (bound, nearer) = (flip_slice.bound(), flip_slice.nearer);
        debug_assert!(bound <= left + 1);
        let level = if bound <= left { flip_slice.level() } else { 0 };
        let moves = if bound < left { ALL_MOVES } else { nearer | level };
        self.mask_back(symmetry, moves)
    }

    fn find_flip_slices(&self) -> Vec<FlipSlice> {
        let start = self.index(self.coset(&Cube::SOLVED)).0 / CORNER_ORIENTATIONS;
        let mut distances = vec![u8::MAX; FlipSliceClasses::COUNT];
        let mut found = vec![FlipSlice::new(0, 0, 0); FlipSliceClasses::COUNT];
        distances[start] = 0;
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            let (coset, bound) = (self.representative(at, 0), distances[at]);
            let (mut nearer, mut level) = (0, 0);
            for turn in Move::all() {
                let neighbour = self.index(self.turned(coset, turn)).0 / CORNER_ORIENTATIONS;
                match distances[neighbour] {
                    u8::MAX => {
                        distances[neighbour] = bound + 1;
                        queue.push_back(neighbour);
                    }
                    // All as near as this one have been reached before any of them is gone on from.
                    after if after < bound => nearer |= 1 << turn.index(),
                    after if after == bound => level |= 1 << turn.index(),
                    _ => {}
                }
            }
            found[at] = FlipSlice::new(bound, nearer, level);
        }
        found
    }

    /// Moves of a coset's representative, under the symmetry that takes the coset there, as moves of the coset; bits by
    /// [`Move::index`].
    #[inline(always)]
    pub fn mask_back(&self, symmetry: Symmetry, representative: u32) -> u32 {
        let [low, middle, high] = &self.masks_back[symmetry.index()];
        let part = |number: usize| representative as usize >> (number * PART_BITS) & ((1 << PART_BITS) - 1);
        low[part(0)] | middle[part(1)] | high[part(2)]
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
/// (Rokicki): any of those goes through H earlier, or says the same with a move of H made later.
#[inline]
pub(super) const fn can_end(distance: u8, left: u8) -> bool {
    distance == left || (distance < left && distance + left >= 5)
}

/// Where a symmetry takes the moves of each part of a mask.
fn images_of_masks(symmetry: Symmetry) -> [[u32; 1 << PART_BITS]; Move::COUNT / PART_BITS] {
    let image = |turn: Move| 1 << symmetry.of_move(turn).index();
    std::array::from_fn(|part| {
        std::array::from_fn(|bits| Move::of_mask((bits << (part * PART_BITS)) as u32).map(image).sum())
    })
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
    use crate::puzzle::cube3::{Metric, random_walk};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

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
        assert!(moves.flip_slices.iter().all(|flip_slice| flip_slice.bound() < 12));
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
    /// What is told of all moves at once is what is told of each.
    #[test]
    fn moves_within_a_distance_are_those_whose_bound_says_so() {
        let moves = CosetMoves::get();
        let (walk, _) = random_walk(&mut ChaCha8Rng::seed_from_u64(8), Metric::Htm, 3000);
        let mut coset = moves.coset(&Cube::SOLVED);
        for &turn in walk.moves() {
            coset = moves.turned(coset, turn);
            let (place, bound) = (moves.place(coset), moves.index_and_bound(coset).1);
            assert_eq!((place.index as usize, place.symmetry), moves.index(coset));
            for left in bound.saturating_sub(1)..12 {
                let within = |turn: &Move| moves.index_and_bound(moves.turned(coset, *turn)).1 <= left;
                let expected = Move::all().filter(within).fold(0, |mask, turn| mask | 1 << turn.index());
                assert_eq!(moves.moves_within(&place, left), expected);
            }
        }
    }

    #[test]
    fn masks_go_back_move_by_move() {
        for symmetry in Symmetry::keeping_axis() {
            for mask in [0, 1, 0x2_0000, 0x1_5555, ALL_MOVES, 0x2_8421] {
                let back = |turn| symmetry.inverse().of_move(turn);
                let expected = Move::of_mask(mask).map(back).fold(0, |mask, turn| mask | 1 << turn.index());
                assert_eq!(CosetMoves::get().mask_back(symmetry, mask), expected);
            }
        }
    }
}
