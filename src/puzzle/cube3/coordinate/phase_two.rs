//! Positions in H by what is permuted: the corners, the edges of the U and D layers, the edges of the middle layer.

use std::sync::LazyLock;

use super::orbits::{SymmetryClass, SymmetryClasses};
use crate::cube3::cube::Cube;
use crate::cube3::symmetry::{AXIS_SYMMETRIES, Symmetry};
use twistbase_core::math::perm8::{PERMUTATIONS, Perm8, Relabelling, compose, inverse, is_odd, rank, unrank};
use twistbase_core::math::square::{Perm4, compose4};

/// The three permutations of a position in H, each of them of its own places: what it does to the corners, to the
/// edges of the U and D layers, and to those of the middle layer (edge `8 + i` being `i`).
///
/// The parities of the three add up to even.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PhaseTwoPosition {
    /// Corner in each place.
    pub corners: Perm8,
    /// U or D edge in each of their places.
    pub edges: Perm8,
    /// Middle edge in each of their places.
    pub middle: Perm4,
}

impl PhaseTwoPosition {
    /// Those of the solved cube.
    pub const SOLVED: Self =
        Self { corners: [0, 1, 2, 3, 4, 5, 6, 7], edges: [0, 1, 2, 3, 4, 5, 6, 7], middle: [0, 1, 2, 3] };

    /// Those of a position in H; `None` for other positions.
    pub fn of(position: &Cube) -> Option<Self> {
        position.is_in_h().then(|| {
            let (edges, middle) = position.edges().split_at(8);
            Self {
                corners: *position.corners(),
                edges: std::array::from_fn(|i| edges[i]),
                middle: std::array::from_fn(|i| middle[i] - 8),
            }
        })
    }

    /// The position. Its parities must add up to even.
    pub fn position(&self) -> Cube {
        let mut position = Cube { cp: self.corners, ..Cube::SOLVED };
        position.ep[..8].copy_from_slice(&self.edges);
        position.ep[8..].copy_from_slice(&self.middle.map(|edge| edge + 8));
        position
    }

    /// The number (0..40,320) of the order of the U and D edges: that of rows and of
    /// the weights of cosets.
    pub fn edge_rank(&self) -> u32 {
        rank(&self.edges)
    }

    /// The same with the middle edges at home, whatever that does to the parity.
    #[must_use]
    pub fn at_home(&self) -> Self {
        Self { middle: Self::SOLVED.middle, ..*self }
    }

    /// Those of the position after `other`.
    #[must_use]
    #[inline]
    pub fn then(&self, other: &Self) -> Self {
        Self {
            corners: compose(&self.corners, &other.corners),
            edges: compose(&self.edges, &other.edges),
            middle: compose4(self.middle, other.middle),
        }
    }

    /// Those of the image under a symmetry that keeps the axis.
    #[must_use]
    #[inline]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let [there, back] = &motions()[symmetry.index()];
        there.then(self).then(back)
    }
}

/// The 16 symmetries that keep the axis as permutations of the places, each with its inverse.
pub fn motions() -> &'static [[PhaseTwoPosition; 2]; AXIS_SYMMETRIES] {
    static MOTIONS: LazyLock<[[PhaseTwoPosition; 2]; AXIS_SYMMETRIES]> = LazyLock::new(|| {
        std::array::from_fn(|index| {
            let there = Symmetry::from_index(index).motion();
            let there = PhaseTwoPosition {
                corners: there.cp,
                edges: std::array::from_fn(|i| there.ep[i]),
                middle: std::array::from_fn(|i| there.ep[8 + i] - 8),
            };
            let mut middle = [0; 4];
            there.middle.iter().enumerate().for_each(|(i, &to)| middle[to as usize] = i as u8);
            let back = PhaseTwoPosition { corners: inverse(&there.corners), edges: inverse(&there.edges), middle };
            [there, back]
        })
    });
    &MOTIONS
}

/// A class of corner permutations under the 16 symmetries that keep the axis.
pub type CornerClass = SymmetryClass<Perm8>;

/// The classes of corner permutations, and where each permutation belongs.
#[derive(Debug)]
pub struct CornerClasses;

impl CornerClasses {
    /// How many there are.
    pub const COUNT: usize = 2768;

    /// The only instance; computed, in a millisecond or two, when first asked for.
    pub fn get() -> &'static SymmetryClasses<Perm8> {
        static CLASSES: LazyLock<SymmetryClasses<Perm8>> = LazyLock::new(|| {
            let images = |number: usize| {
                let corners = unrank(number as u32);
                let image = move |(index, [there, back]): (usize, &[PhaseTwoPosition; 2])| {
                    let image = compose(&compose(&there.corners, &corners), &back.corners);
                    (Symmetry::from_index(index), rank(&image) as usize)
                };
                motions().iter().enumerate().map(image)
            };
            SymmetryClasses::new(PERMUTATIONS, images, |number| unrank(number as u32))
        });
        &CLASSES
    }
}

impl SymmetryClasses<Perm8> {
    /// The class of a permutation of the corners, and a symmetry that takes it to the representative.
    #[inline]
    pub fn of(&self, corners: &Perm8) -> (u16, Symmetry) {
        self.member(rank(corners) as usize)
    }
}

/// Where a position in H is found in the tables of phase 2, after the symmetry that makes its corners the
/// representative of their class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhaseTwoPlace {
    /// Class of the corners, 0..2768.
    pub corners: u16,
    /// The middle edges, 0..12: those whose permutation is a number's element of A4 or that after the exchange of
    /// FR and BL. Which of the two follows from the parities of the others.
    pub middle: u8,
    /// Lexicographic rank of the U and D edges, 0..40320.
    pub edges: u16,
}

impl PhaseTwoPlace {
    /// Number of values of [`PhaseTwoPlace::middle`].
    pub const MIDDLES: usize = 12;

    /// The place of a position given by its permutations.
    #[inline]
    pub fn of(h_position: &PhaseTwoPosition) -> Self {
        let (corners, symmetry) = CornerClasses::get().of(&h_position.corners);
        let [there, back] = &motions()[symmetry.index()];
        let edges = compose(&compose(&there.edges, &h_position.edges), &back.edges);
        let middle = compose4(compose4(there.middle, h_position.middle), back.middle);
        Self::of_representative(corners, &edges, middle)
    }

    /// The place of a position whose corners are the representative of a class.
    #[inline]
    #[doc(hidden)]
    pub fn of_representative(corners: u16, edges: &Perm8, middle: Perm4) -> Self {
        Self { corners, middle: middle_coset(middle).0, edges: rank(edges) as u16 }
    }

    /// A position at this place; `None` if a number is out of range.
    pub fn h_position(&self) -> Option<PhaseTwoPosition> {
        let class = CornerClasses::get().classes().get(usize::from(self.corners))?;
        if u32::from(self.edges) >= PERMUTATIONS as u32 || usize::from(self.middle) >= Self::MIDDLES {
            return None;
        }
        let edges = unrank(self.edges.into());
        let odd = is_odd(&class.representative) ^ is_odd(&edges);
        Some(PhaseTwoPosition { corners: class.representative, edges, middle: middle_of_coset(self.middle, odd) })
    }
}

/// The exchange of FR and BL, which lie opposite each other: it is odd, and a symmetry of the square commutes with it
/// in half of all cases, which is as good as can be.
const EXCHANGE: Perm4 = [2, 1, 0, 3];

struct Middles {
    /// The even permutations in the order of their codes.
    even: [Perm4; PhaseTwoPlace::MIDDLES],
    /// By code: the coset, and whether the permutation is odd.
    coset: [(u8, bool); 256],
}

static MIDDLES: LazyLock<Middles> = LazyLock::new(|| {
    let perms = (0..=255u8).map(|code| [0, 2, 4, 6].map(|shift| code >> shift & 3));
    let even = perms.filter(|p| (0..4).all(|x| p.contains(&x)) && !is_odd(p));
    let even: Vec<Perm4> = even.collect();
    let even: [Perm4; PhaseTwoPlace::MIDDLES] = std::array::from_fn(|i| even[i]);
    let mut coset = [(0, false); 256];
    for (number, &perm) in (0..).zip(&even) {
        coset[code(perm)] = (number, false);
        coset[code(compose4(EXCHANGE, perm))] = (number, true);
    }
    Middles { even, coset }
});

const fn code(perm: Perm4) -> usize {
    perm[0] as usize | (perm[1] as usize) << 2 | (perm[2] as usize) << 4 | (perm[3] as usize) << 6
}

/// The coset (0..12) of a permutation of the middle edges, and whether it is the odd one of the two in it.
#[inline]
pub fn middle_coset(middle: Perm4) -> (u8, bool) {
    MIDDLES.coset[code(middle)]
}

/// The even or the odd permutation in a coset (0..12).
pub fn middle_of_coset(coset: u8, odd: bool) -> Perm4 {
    let even = MIDDLES.even[usize::from(coset)];
    if odd { compose4(EXCHANGE, even) } else { even }
}

/// The relabelling of the U and D edges under a symmetry that keeps the axis: all of them respect the layers and the
/// order around them.
pub fn edge_relabelling(symmetry: Symmetry) -> Relabelling {
    let [there, _] = &motions()[symmetry.index()];
    Relabelling::from_labels(&there.edges).expect("a symmetry that keeps the axis keeps or exchanges U and D")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::Move;

    /// A walk through H that meets all kinds of positions.
    fn walk() -> impl Iterator<Item = Cube> {
        let moves: Vec<Move> = Move::all().filter(|m| m.is_in_h()).collect();
        let mut state = 1u64;
        let mut position = Cube::SOLVED;
        (0..2000).map(move |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position = position.turned(moves[(state >> 33) as usize % moves.len()]);
            position
        })
    }

    #[test]
    fn corner_permutations_fall_into_2768_classes() {
        let classes = CornerClasses::get();
        assert_eq!(classes.classes().len(), CornerClasses::COUNT);
        assert_eq!(classes.classes().iter().map(CornerClass::size).sum::<u64>(), PERMUTATIONS as u64);
        for number in 0..PERMUTATIONS as u32 {
            let corners = unrank(number);
            let (class, symmetry) = classes.of(&corners);
            let [there, back] = &motions()[symmetry.index()];
            let image = compose(&compose(&there.corners, &corners), &back.corners);
            assert_eq!(image, classes.classes()[usize::from(class)].representative);
        }
    }

    #[test]
    fn layers_follow_positions_and_their_images() {
        for position in walk() {
            let h_position = PhaseTwoPosition::of(&position).unwrap();
            assert_eq!(h_position.position(), position);
            for symmetry in Symmetry::keeping_axis() {
                assert_eq!(PhaseTwoPosition::of(&symmetry.of(&position)), Some(h_position.image(symmetry)));
            }
        }
        assert_eq!(PhaseTwoPosition::of(&Move::from_index(3).unwrap().cube()), None);
    }

    #[test]
    fn images_of_a_position_share_its_place_or_those_of_its_stabiliser() {
        for position in walk().step_by(10) {
            let h_position = PhaseTwoPosition::of(&position).unwrap();
            let place = PhaseTwoPlace::of(&h_position);
            let back = place.h_position().unwrap();
            assert_eq!(PhaseTwoPlace::of(&back).corners, place.corners);
            assert!(Symmetry::keeping_axis().any(|s| back.image(s) == h_position), "{place:?}");
            for symmetry in Symmetry::keeping_axis() {
                let other = PhaseTwoPlace::of(&h_position.image(symmetry));
                let stabiliser = CornerClasses::get().classes()[usize::from(place.corners)].stabiliser;
                assert!(other == place || (other.corners == place.corners && stabiliser != 1));
            }
        }
    }

    #[test]
    fn every_place_reads_back() {
        // All rows with a sample of entries, and all entries of a few rows.
        let entries = |step: usize| (0..12u8).flat_map(move |m| (0..PERMUTATIONS).step_by(step).map(move |e| (m, e)));
        let some = (0..CornerClasses::COUNT as u16).flat_map(|row| entries(9973).map(move |(m, e)| (row, m, e)));
        let whole = [0u16, 1, 500, 2767].into_iter().flat_map(|row| entries(1).map(move |(m, e)| (row, m, e)));
        for (corners, middle, edges) in some.chain(whole) {
            let place = PhaseTwoPlace { corners, middle, edges: edges as u16 };
            let h_position = place.h_position().unwrap();
            assert!(
                PhaseTwoPosition::of(&h_position.position()) == Some(h_position)
                    && !(is_odd(&h_position.corners) ^ is_odd(&h_position.edges) ^ is_odd(&h_position.middle))
            );
            let symmetry = CornerClasses::get().of(&h_position.corners).1;
            assert!(symmetry == Symmetry::IDENTITY && PhaseTwoPlace::of(&h_position) == place);
        }
        assert_eq!(PhaseTwoPlace { corners: 2768, middle: 0, edges: 0 }.h_position(), None);
        assert_eq!(PhaseTwoPlace { corners: 0, middle: 12, edges: 0 }.h_position(), None);
        assert_eq!(PhaseTwoPlace { corners: 0, middle: 0, edges: 40_320 }.h_position(), None);
    }
}
