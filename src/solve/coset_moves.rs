//! Moving from coset to coset of H by table look-up.

use std::sync::LazyLock;

use rayon::prelude::*;

use crate::puzzle::cube3::coordinate::{
    FLIPS, FlipSliceClasses, SliceClasses, SliceKind, TWISTS, flip, set_flip, set_twist, twist,
};
use crate::puzzle::cube3::{AXIS_SYMMETRIES, Cube, Move, Symmetry};

/// A coset of H: the class of its flips and middle edges' places, the symmetry that takes it to the representative, and
/// its twists, as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Coset {
    pub class: u16,
    pub symmetry: u8,
    pub twist: u16,
}

/// What the moves do to cosets.
pub(super) struct CosetMoves {
    /// Per class and move of its representative: the class, and in the upper half the symmetry that takes the result to
    /// the representative.
    classes: Vec<[u32; Move::COUNT]>,
    twists: Vec<[u16; Move::COUNT]>,
    /// Per symmetry: where it takes each twist.
    images: Vec<&'static [u16; TWISTS]>,
    /// Per symmetry: where it takes each move.
    moves: [[u8; Move::COUNT]; AXIS_SYMMETRIES],
    /// The same for the symmetries' inverses.
    moves_back: [[u8; Move::COUNT]; AXIS_SYMMETRIES],
    /// `products[a][b]`: first `b`, then `a`.
    products: [[u8; AXIS_SYMMETRIES]; AXIS_SYMMETRIES],
    /// The coset H itself.
    home: Coset,
}

impl CosetMoves {
    /// The only instance; computed, in about ten milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static MOVES: LazyLock<CosetMoves> = LazyLock::new(CosetMoves::new);
        &MOVES
    }

    fn new() -> Self {
        let classes = FlipSliceClasses::get();
        let kind = SliceKind::Places;
        let slices = SliceClasses::get(kind).classes();
        let places =
            |number: u16, turn: Move| kind.rank(Cube { ep: kind.edges(number), ..Cube::SOLVED }.turned(turn).edges());
        let places: Vec<Vec<u16>> =
            slices.iter().map(|s| Move::all().map(|turn| places(s.representative, turn)).collect()).collect();
        let flips: Vec<[u16; Move::COUNT]> = (0..FLIPS as u16).map(|n| moved(n, set_flip, flip)).collect();
        let twists = (0..TWISTS as u16).map(|n| moved(n, set_twist, twist)).collect();
        let step = |class: &crate::puzzle::cube3::coordinate::FlipSliceClass| {
            std::array::from_fn(|turn| {
                let flip = flips[usize::from(class.flip)][turn];
                let (class, symmetry) = classes.of(flip, places[usize::from(class.slice)][turn]);
                u32::from(class) | (symmetry.index() as u32) << 16
            })
        };
        let symmetry = Symmetry::from_index;
        let mut table = Self {
            classes: classes.classes().par_iter().map(step).collect(),
            twists,
            images: Symmetry::keeping_axis().map(|symmetry| classes.twists(symmetry)).collect(),
            moves: std::array::from_fn(|s| images_of_moves(symmetry(s))),
            moves_back: std::array::from_fn(|s| images_of_moves(symmetry(s).inverse())),
            products: std::array::from_fn(|a| std::array::from_fn(|b| symmetry(a).after(symmetry(b)).index() as u8)),
            home: Coset { class: 0, symmetry: 0, twist: 0 },
        };
        table.home = table.coset(&Cube::SOLVED);
        table
    }

    /// The coset of a position.
    pub fn coset(&self, position: &Cube) -> Coset {
        let places = SliceKind::Places.rank(position.edges());
        let (class, symmetry) = FlipSliceClasses::get().of(flip(position), places);
        Coset { class, symmetry: symmetry.index() as u8, twist: twist(position) }
    }

    /// The coset after a move.
    #[inline]
    pub fn turned(&self, coset: Coset, turn: Move) -> Coset {
        let symmetry = usize::from(coset.symmetry);
        let step = self.classes[usize::from(coset.class)][usize::from(self.moves[symmetry][turn.index()])];
        Coset {
            class: step as u16,
            symmetry: self.products[(step >> 16) as usize % AXIS_SYMMETRIES][symmetry],
            twist: self.twists[usize::from(coset.twist)][turn.index()],
        }
    }

    /// The number of a coset in the tables of phase 1: 2187 × class + twists of the representative.
    #[inline]
    pub fn index(&self, coset: Coset) -> usize {
        let twist = self.images[usize::from(coset.symmetry)][usize::from(coset.twist)];
        usize::from(coset.class) * TWISTS + usize::from(twist)
    }

    /// Moves of a coset's representative as moves of the coset; bits by [`Move::index`].
    #[inline]
    pub fn mask_back(&self, coset: Coset, mut representative: u32) -> u32 {
        let back = &self.moves_back[usize::from(coset.symmetry)];
        let mut mask = 0;
        while representative != 0 {
            mask |= 1 << back[representative.trailing_zeros() as usize];
            representative &= representative - 1;
        }
        mask
    }

    /// The coset of a representative's own, with those twists.
    pub fn representative(&self, class: u16, twist: u16) -> Coset {
        Coset { class, symmetry: 0, twist }
    }

    /// The numbers under which a coset can be met: those of its images under the symmetries that keep its class's
    /// representative.
    pub fn indices(&self, coset: Coset) -> impl Iterator<Item = usize> {
        let stabiliser = FlipSliceClasses::get().classes()[usize::from(coset.class)].stabiliser;
        let twist = self.index(coset) % TWISTS;
        let symmetries = (0..AXIS_SYMMETRIES).filter(move |symmetry| stabiliser >> symmetry & 1 == 1);
        symmetries.map(move |symmetry| {
            usize::from(coset.class) * TWISTS + usize::from(self.images[symmetry][usize::from(twist as u16)])
        })
    }

    /// Whether a coset is H.
    #[inline]
    pub fn is_home(&self, coset: Coset) -> bool {
        coset.class == self.home.class && coset.twist == self.home.twist
    }
}

fn images_of_moves(symmetry: Symmetry) -> [u8; Move::COUNT] {
    std::array::from_fn(|m| symmetry.of_move(Move::from_index(m).expect("below 18")).index() as u8)
}

/// Where the moves take a coordinate.
fn moved(number: u16, set: fn(&mut Cube, u16), get: fn(&Cube) -> u16) -> [u16; Move::COUNT] {
    let mut position = Cube::SOLVED;
    set(&mut position, number);
    std::array::from_fn(|turn| get(&position.turned(Move::from_index(turn).expect("below 18"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::cube3::coordinate::PhaseOnePlace;

    #[test]
    fn cosets_follow_positions() {
        let moves = CosetMoves::get();
        let (mut position, mut state) = (Cube::SOLVED, 3u64);
        let mut coset = moves.coset(&position);
        assert!(moves.is_home(coset));
        for _ in 0..5000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let turn = Move::from_index((state >> 33) as usize % Move::COUNT).unwrap();
            position = position.turned(turn);
            coset = moves.turned(coset, turn);
            assert_eq!((coset.class, coset.twist), (moves.coset(&position).class, moves.coset(&position).twist));
            let PhaseOnePlace { class, twist } = FlipSliceClasses::get().place(&position);
            // A class with symmetry has several places for a coset.
            let stabiliser = FlipSliceClasses::get().classes()[usize::from(class)].stabiliser;
            let expected = usize::from(class) * TWISTS + usize::from(twist);
            assert!(moves.index(coset) == expected || stabiliser != 1);
            assert_eq!(moves.is_home(coset), position.is_in_h());
        }
    }
}
