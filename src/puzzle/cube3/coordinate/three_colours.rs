//! The cube in three colours, one for each two faces that are opposite: what is left of a position where pieces of the same
//! colours are alike.
//!
//! Corners are of two kinds, by the order of their colours; edges of three, by the colour that they do not have. Kinds and
//! orientations are all that is seen: 8 choose 4 × 3^7 of corners, times 12! / 4!^3 × 2^11 of edges. All 48 symmetries keep solved.

use std::sync::LazyLock;

use super::corner_cosets::with_corners;
use super::edge_cosets::{LAYER_MASKS, LAYER_RANKS, LAYERS, compress};
use super::orbits::{SymmetryClass, SymmetryClasses};
use super::phase_one::{CORNER_ORIENTATIONS, SLICES, SliceKind, corner_orientation};
use crate::cube3::cube::{Cube, EDGES};
use crate::cube3::moves::Move;
use crate::cube3::symmetry::Symmetry;
use twistbase_core::math::perm8::is_odd;

/// States of the corners: 8 choose 4 × 3^7.
pub const THREE_COLOUR_CORNERS: usize = LAYERS * CORNER_ORIENTATIONS;

/// Places of the edges: 12! / 4!^3.
pub const THREE_COLOUR_EDGES: usize = SliceKind::Places.count() * LAYERS;

/// The corners whose colours go round as those of URF do, and the others.
const CORNERS_BY_KIND: [[u8; 4]; 2] = [[0, 2, 5, 7], [1, 3, 4, 6]];

/// The edges by the colour that they do not have: that of F and B, of R and L, of U and D.
const EDGES_BY_KIND: [[u8; 4]; 3] = [[0, 2, 4, 6], [1, 3, 5, 7], [8, 9, 10, 11]];

/// The number of a position's corners, 0..153,090: 2187 × the rank of the mask of places that hold corners of URF's kind among
/// the masks with four bits, plus the corner orientations.
pub fn three_colour_corners(position: &Cube) -> u32 {
    let is_first = |corner: &u8| CORNERS_BY_KIND[0].contains(corner);
    let mask = (0..).zip(&position.cp).fold(0u8, |mask, (place, corner)| mask | u8::from(is_first(corner)) << place);
    u32::from(LAYER_RANKS[usize::from(mask)]) * CORNER_ORIENTATIONS as u32 + u32::from(corner_orientation(position))
}

/// The number of the places of a position's edges, 0..34,650: 70 × that of the middle edges' places, plus the rank of the mask of
/// edges without the colour of R and L among the other places.
pub fn three_colour_edges(position: &Cube) -> u16 {
    rank_of_kinds(&position.ep.map(kind_of_edge))
}

/// A position with edges of these kinds, not flipped, and solved corners. Parities need not agree.
fn with_edges(kinds: &[u8; EDGES]) -> Cube {
    let mut of_kind = EDGES_BY_KIND.map(IntoIterator::into_iter);
    let edge = |kind: u8| of_kind[usize::from(kind)].next().expect("four edges are of each kind");
    Cube { ep: kinds.map(edge), ..Cube::SOLVED }
}

fn kind_of_edge(edge: u8) -> u8 {
    if edge < 8 { edge & 1 } else { 2 }
}

fn rank_of_kinds(kinds: &[u8; EDGES]) -> u16 {
    let places = |kind: u8| (0..).zip(kinds).fold(0, |places, (place, &of)| places | u16::from(of == kind) << place);
    let middle = places(2);
    let others = LAYER_RANKS[usize::from(compress(places(1), !middle & 0xfff) as u8)];
    SliceKind::rank_of_places(middle) * LAYERS as u16 + u16::from(others)
}

/// The kinds of edges in the twelve places, by their number.
fn kinds_of_rank(rank: usize) -> &'static [u8; EDGES] {
    static KINDS: LazyLock<Vec<[u8; EDGES]>> = LazyLock::new(|| {
        let kinds = |rank| {
            let (middle, mut others) = (SLICES.masks[rank / LAYERS], LAYER_MASKS[rank % LAYERS]);
            std::array::from_fn(|place| {
                if middle >> place & 1 == 1 {
                    return 2;
                }
                let kind = others & 1;
                others >>= 1;
                kind
            })
        };
        (0..THREE_COLOUR_EDGES).map(kinds).collect()
    });
    &KINDS[rank]
}

/// The classes of states of the corners under the 48 symmetries.
#[derive(Debug)]
pub struct ThreeColourClasses;

impl ThreeColourClasses {
    /// The only instance, computed when first asked for.
    pub fn get() -> &'static SymmetryClasses<u32> {
        static CLASSES: LazyLock<SymmetryClasses<u32>> = LazyLock::new(|| {
            let images = |corners| {
                let position = with_corners(corners as u32, CORNERS_BY_KIND);
                Symmetry::all().map(move |symmetry| (symmetry, three_colour_corners(&symmetry.of(&position)) as usize))
            };
            SymmetryClasses::new(THREE_COLOUR_CORNERS, images, |corners| corners as u32)
        });
        &CLASSES
    }

    /// Where a move takes the representative of a class: to a class, and the symmetry that takes it to the representative of this.
    pub fn moved(class: &SymmetryClass<u32>, turn: Move) -> (u16, Symmetry) {
        let corners = three_colour_corners(&with_corners(class.representative, CORNERS_BY_KIND).turned(turn));
        Self::get().of(corners)
    }

    /// A position with the corners of a class's representative, edges in places of that number, and these edge orientations.
    pub fn position(class: &SymmetryClass<u32>, edges: u16, edge_orientation: u16) -> Cube {
        let with_edges = with_edges(kinds_of_rank(edges.into()));
        let mut position = Cube { ep: with_edges.ep, ..with_corners(class.representative, CORNERS_BY_KIND) };
        super::set_edge_orientation(&mut position, edge_orientation);
        if is_odd(&position.cp) != is_odd(&position.ep) {
            // Two edges that look alike.
            let of_one_kind = |edge: &u8| EDGES_BY_KIND[0][..2].contains(edge);
            let mut places = (0..EDGES).filter(|&place| of_one_kind(&position.ep[place]));
            if let (Some(one), Some(other)) = (places.next(), places.next()) {
                position.ep.swap(one, other);
            }
        }
        position
    }
}

/// What a move, if there is one, and then a symmetry do to the edges.
#[derive(Debug)]
pub struct ThreeColourMoves {
    /// What is then in place `i` was in place `from[i]`.
    from: [u8; EDGES],
    /// The kind that edges of each kind then are.
    kinds: [u8; 3],
    /// For each kind that edges then are, the places in which one of them is flipped, a bit each.
    flipped: [u16; 3],
}

impl ThreeColourMoves {
    /// What `turn` and then `symmetry` do.
    pub fn new(turn: Option<Move>, symmetry: Symmetry) -> Self {
        let (moved, back) = (turn.map_or(Cube::SOLVED, Move::cube), symmetry.inverse().motion());
        let from = back.ep.map(|place| moved.ep[usize::from(place)]);
        let (mut kinds, mut flipped) = ([0; 3], [0; 3]);
        // Three positions show edges of each kind in each place: whether one is flipped depends on these alone.
        for first in 0..3 {
            let before = std::array::from_fn(|place| ((place / 4 + first) % 3) as u8);
            let after = symmetry.of(&with_edges(&before).then(&moved));
            for (place, &from) in from.iter().enumerate() {
                let kind = kind_of_edge(after.ep[place]);
                kinds[usize::from(before[usize::from(from)])] = kind;
                flipped[usize::from(kind)] |= u16::from(after.eo[place]) << place;
            }
        }
        Self { from, kinds, flipped }
    }

    /// The place that what is then in each place comes from.
    pub fn from(&self) -> &[u8; EDGES] {
        &self.from
    }

    /// The number of the edges' places then, of edges in places of a number, and the places in which edges are then flipped.
    pub fn at(&self, edges: u16) -> (u16, u16) {
        let before = kinds_of_rank(edges.into());
        let after = self.from.map(|from| self.kinds[usize::from(before[usize::from(from)])]);
        let flipped = (0..).zip(after).fold(0, |all, (place, kind)| all | self.flipped[usize::from(kind)] & 1 << place);
        (rank_of_kinds(&after), flipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::coordinate::edge_orientation;
    use crate::cube3::random_cube;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_state_of_the_corners_has_its_class() {
        let classes = ThreeColourClasses::get();
        let sizes = classes.classes().iter().map(SymmetryClass::size).sum::<u64>();
        assert_eq!((classes.classes().len(), sizes), (3_393, THREE_COLOUR_CORNERS as u64));
        assert_eq!(classes.classes()[usize::from(classes.of(three_colour_corners(&Cube::SOLVED)).0)].size(), 1);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..1000 {
            let position = random_cube(&mut rng);
            let (class, symmetry) = classes.of(three_colour_corners(&position));
            let image = symmetry.of(&position);
            assert_eq!(three_colour_corners(&image), classes.classes()[usize::from(class)].representative);
        }
    }

    #[test]
    fn places_of_edges_have_numbers() {
        for rank in 0..THREE_COLOUR_EDGES {
            let kinds = kinds_of_rank(rank);
            assert_eq!(usize::from(rank_of_kinds(kinds)), rank);
            assert_eq!(usize::from(three_colour_edges(&with_edges(kinds))), rank);
        }
        for class in ThreeColourClasses::get().classes().iter().step_by(11) {
            let position = ThreeColourClasses::position(class, 31_337, 1_234);
            assert_eq!((three_colour_edges(&position), edge_orientation(&position)), (31_337, 1_234));
            assert_eq!(three_colour_corners(&position), class.representative);
        }
    }

    /// What a move and a symmetry lead to is the same for all positions that look alike, and is what the maps say.
    #[test]
    fn maps_of_edges_are_those_of_positions() {
        let mut rng = ChaCha8Rng::seed_from_u64(33);
        let turns = Move::all().map(Some).chain([None]);
        for (turn, symmetry) in turns.flat_map(|turn| Symmetry::all().map(move |symmetry| (turn, symmetry))) {
            let moves = ThreeColourMoves::new(turn, symmetry);
            for _ in 0..4 {
                let position = random_cube(&mut rng);
                let image = symmetry.of(&turn.map_or(position, |turn| position.turned(turn)));
                let (edges, flipped) = moves.at(three_colour_edges(&position));
                assert_eq!(edges, three_colour_edges(&image));
                let orientations =
                    |cube: &Cube| (0..).zip(cube.eo).fold(0, |all, (place, eo)| all | u16::from(eo) << place);
                let before = orientations(&position);
                let after = (0..).zip(moves.from()).fold(0, |all, (to, &from)| all | (before >> from & 1) << to);
                assert_eq!(after ^ flipped, orientations(&image));
            }
        }
    }

    /// Exchanging pieces of one kind changes nothing that is seen, after any moves.
    #[test]
    fn pieces_of_one_kind_are_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(333);
        let seen = |cube: &Cube| (three_colour_corners(cube), three_colour_edges(cube), edge_orientation(cube));
        for _ in 0..200 {
            let mut exchanged = Cube::SOLVED;
            let of_kind = EDGES_BY_KIND[rng.random_range(0..3)].map(usize::from);
            exchanged.ep.swap(of_kind[rng.random_range(0..4)], of_kind[rng.random_range(0..4)]);
            let of_kind = CORNERS_BY_KIND[rng.random_range(0..2)].map(usize::from);
            exchanged.cp.swap(of_kind[rng.random_range(0..4)], of_kind[rng.random_range(0..4)]);
            let moves: Vec<Move> =
                (0..20).map(|_| Move::from_index(rng.random_range(0..Move::COUNT)).unwrap()).collect();
            assert_eq!(seen(&exchanged.after(&moves)), seen(&Cube::SOLVED.after(&moves)));
        }
    }
}
