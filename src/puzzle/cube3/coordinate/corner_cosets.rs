//! What the pruning tables of optimal solvers distinguish about the corners: where those of U are, and all corner
//! orientations.

use std::sync::LazyLock;

use super::edge_cosets::{LAYER_MASKS, LAYER_RANKS, LAYERS, exchanges_layers, layer_images};
use super::orbits::{SymmetryClass, SymmetryClasses};
use super::phase_one::{
    CORNER_ORIENTATIONS, FlipSliceClasses, corner_orientation, moved_corner_orientations, set_corner_orientation,
};
use crate::cube3::cube::Cube;
use crate::cube3::moves::Move;
use crate::cube3::symmetry::Symmetry;

/// Places of the U corners times corner orientations: 8 choose 4 × 3^7.
pub const CORNER_COSETS: usize = LAYERS * CORNER_ORIENTATIONS;

/// The number of a position's corners, 0..153,090: 2187 × the rank of the mask of places that hold U corners among the
/// masks with four bits, plus the corner orientations.
#[inline]
pub fn corner_coset(position: &Cube) -> u32 {
    let mask = (0..).zip(&position.cp).fold(0, |mask, (place, &corner)| mask | u8::from(corner < 4) << place);
    u32::from(LAYER_RANKS[usize::from(mask)]) * CORNER_ORIENTATIONS as u32 + u32::from(corner_orientation(position))
}

/// The number of the corner coset to which a move takes the one with number `coset`.
pub fn moved_corner_coset(coset: u32, turn: Move) -> u32 {
    static LAYERS_MOVED: LazyLock<Vec<Box<[u16]>>> =
        LazyLock::new(|| Move::all().map(|turn| layer_images(false, &turn.cube().cp)).collect());
    let (layers, corner_orientations) = (coset as usize / CORNER_ORIENTATIONS, coset as usize % CORNER_ORIENTATIONS);
    u32::from(LAYERS_MOVED[turn.index()][layers]) * CORNER_ORIENTATIONS as u32
        + u32::from(moved_corner_orientations(turn)[corner_orientations])
}

/// A position whose corners have the number of a [coset](corner_coset) where corners are of these two kinds; its edges are solved.
/// Parities need not agree.
pub(super) fn with_corners(number: u32, kinds: [[u8; 4]; 2]) -> Cube {
    let mask = LAYER_MASKS[number as usize / CORNER_ORIENTATIONS];
    let mut of_kind = kinds.map(IntoIterator::into_iter);
    let mut position = Cube::SOLVED;
    for (place, corner) in position.cp.iter_mut().enumerate() {
        let kind = usize::from(mask >> place & 1 == 0);
        *corner = of_kind[kind].next().expect("four bits of the mask are set");
    }
    set_corner_orientation(&mut position, (number as usize % CORNER_ORIENTATIONS) as u16);
    position
}

/// The classes of corner cosets under the 16 symmetries that keep the axis.
#[derive(Debug)]
pub struct CornerCosetClasses;

impl CornerCosetClasses {
    /// How many there are.
    pub const COUNT: usize = 9930;

    /// The only instance; computed, in a few milliseconds, when first asked for.
    pub fn get() -> &'static SymmetryClasses<u32> {
        static CLASSES: LazyLock<SymmetryClasses<u32>> = LazyLock::new(CornerCosetClasses::find);
        &CLASSES
    }

    /// A position with the corners of a class's representative, its edges solved. Parities need not agree.
    #[doc(hidden)]
    pub fn position(class: &SymmetryClass<u32>) -> Cube {
        with_corners(class.representative, [[0, 1, 2, 3], [4, 5, 6, 7]])
    }

    fn find() -> SymmetryClasses<u32> {
        // Corner orientations do not depend on which corners they are of, nor the places of the U corners on the corner
        // orientations. A symmetry that exchanges U and D makes the places of the U corners those of the D corners.
        let of_layers = |symmetry: Symmetry| layer_images(exchanges_layers(symmetry), &symmetry.inverse().motion().cp);
        let layers: Vec<Box<[u16]>> = Symmetry::keeping_axis().map(of_layers).collect();
        let image = |symmetry: Symmetry, coset: usize| {
            let corner_orientations = FlipSliceClasses::get().corner_orientations(symmetry);
            usize::from(layers[symmetry.index()][coset / CORNER_ORIENTATIONS]) * CORNER_ORIENTATIONS
                + usize::from(corner_orientations[coset % CORNER_ORIENTATIONS])
        };
        let image = &image;
        let images = |coset| Symmetry::keeping_axis().map(move |symmetry| (symmetry, image(symmetry, coset)));
        SymmetryClasses::new(CORNER_COSETS, images, |coset| coset as u32)
    }
}

impl SymmetryClasses<u32> {
    /// The class of the corners with that number (0..153,090), and a symmetry that takes them to the representative.
    #[inline]
    pub fn of(&self, corners: u32) -> (u16, Symmetry) {
        self.member(corners as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::random_cube;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_corner_coset_has_its_class() {
        let classes = CornerCosetClasses::get();
        assert_eq!(classes.classes().len(), CornerCosetClasses::COUNT);
        assert_eq!(classes.classes().iter().map(SymmetryClass::size).sum::<u64>(), CORNER_COSETS as u64);
        assert!(classes.classes().is_sorted_by_key(|class| class.representative));
        for (number, class) in (0..).zip(classes.classes()) {
            assert_eq!(corner_coset(&CornerCosetClasses::position(class)), class.representative);
            assert_eq!(classes.of(class.representative).0, number);
            for turn in Move::all() {
                let moved = moved_corner_coset(class.representative, turn);
                assert_eq!(
                    moved,
                    corner_coset(&CornerCosetClasses::position(class).turned(turn)),
                    "{class:?} {turn:?}"
                );
            }
        }
    }

    #[test]
    fn symmetries_take_positions_to_representatives() {
        let (classes, mut rng) = (CornerCosetClasses::get(), ChaCha8Rng::seed_from_u64(9930));
        for _ in 0..2000 {
            let position = random_cube(&mut rng);
            let (class, symmetry) = classes.of(corner_coset(&position));
            let SymmetryClass { representative, stabiliser, .. } = classes.classes()[usize::from(class)];
            assert_eq!(corner_coset(&symmetry.of(&position)), representative);
            for other in Symmetry::keeping_axis() {
                let image = other.of(&position);
                assert_eq!(classes.of(corner_coset(&image)).0, class);
                // Two ways to the representative differ by one that keeps it.
                let kept = stabiliser >> other.after(symmetry.inverse()).index() & 1 == 1;
                assert_eq!(corner_coset(&image) == representative, kept);
            }
        }
        let home = classes.of(corner_coset(&Cube::SOLVED)).0;
        assert_eq!(classes.classes()[usize::from(home)].stabiliser, u64::from(u16::MAX));
    }
}
