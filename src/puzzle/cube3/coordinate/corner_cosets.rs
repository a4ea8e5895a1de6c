//! What the pruning tables of optimal solvers distinguish about the corners: where those of U are, and all corner
//! orientations.

use std::sync::LazyLock;

use super::edge_cosets::{LAYER_MASKS, LAYER_RANKS, LAYERS, exchanges_layers, layer_images};
use super::orbits::{Orbit, orbits};
use super::phase_one::{CORNER_ORIENTATIONS, FlipSliceClasses, corner_orientation, moved_corner_orientations};
use crate::cube3::cube::Cube;
use crate::cube3::moves::Move;
use crate::cube3::symmetry::{AXIS_SYMMETRIES, Symmetry};

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

/// A class of corner cosets under the 16 symmetries that keep the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CornerCosetClass {
    /// The member with the lowest number, which stands for the class.
    pub representative: u32,
    /// The symmetries that keep the representative, a bit each.
    pub stabiliser: u16,
}

impl CornerCosetClass {
    /// Number of corner cosets in the class.
    pub fn size(&self) -> u64 {
        AXIS_SYMMETRIES as u64 / u64::from(self.stabiliser.count_ones())
    }

    /// A position with the representative's corners, its edges solved. Parities need not agree.
    #[doc(hidden)]
    pub fn position(&self) -> Cube {
        let mut position = Cube::SOLVED;
        let mask = LAYER_MASKS[self.representative as usize / CORNER_ORIENTATIONS];
        let (mut upper, mut lower) = (0..4, 4..);
        position.cp = std::array::from_fn(|place| {
            let corner = if mask >> place & 1 == 1 { upper.next() } else { lower.next() };
            // Four bits of the mask are set.
            corner.unwrap_or_default()
        });
        super::set_corner_orientation(&mut position, (self.representative as usize % CORNER_ORIENTATIONS) as u16);
        position
    }
}

/// The classes of corner cosets, in the order of their representatives, and where each coset belongs.
pub struct CornerCosetClasses {
    classes: Vec<CornerCosetClass>,
    /// Per number: its class, and a symmetry that takes it to the representative.
    members: Vec<(u16, u8)>,
}

impl CornerCosetClasses {
    /// How many there are.
    pub const COUNT: usize = 9930;

    /// The only instance; computed, in a few milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static CLASSES: LazyLock<CornerCosetClasses> = LazyLock::new(CornerCosetClasses::new);
        &CLASSES
    }

    fn new() -> Self {
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
        let (classes, members) = orbits(CORNER_COSETS, images);
        let class = |Orbit { representative, stabiliser }| CornerCosetClass {
            representative: representative as u32,
            stabiliser: stabiliser as u16,
        };
        let classes = classes.into_iter().map(class).collect();
        Self { classes, members }
    }

    /// The classes, by number.
    pub fn classes(&self) -> &[CornerCosetClass] {
        &self.classes
    }

    /// The class of the corner coset with that number (0..153,090), and a symmetry that takes it to the representative.
    #[inline]
    pub fn of(&self, coset: u32) -> (u16, Symmetry) {
        let (class, symmetry) = self.members[coset as usize];
        (class, Symmetry::from_index(symmetry.into()))
    }
}

impl std::fmt::Debug for CornerCosetClasses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CornerCosetClasses").finish_non_exhaustive()
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
        assert_eq!(classes.classes().iter().map(CornerCosetClass::size).sum::<u64>(), CORNER_COSETS as u64);
        assert!(classes.classes().is_sorted_by_key(|class| class.representative));
        for (number, class) in (0..).zip(classes.classes()) {
            assert_eq!(corner_coset(&class.position()), class.representative);
            assert_eq!(classes.of(class.representative).0, number);
            for turn in Move::all() {
                let moved = moved_corner_coset(class.representative, turn);
                assert_eq!(moved, corner_coset(&class.position().turned(turn)), "{class:?} {turn:?}");
            }
        }
    }

    #[test]
    fn symmetries_take_positions_to_representatives() {
        let (classes, mut rng) = (CornerCosetClasses::get(), ChaCha8Rng::seed_from_u64(9930));
        for _ in 0..2000 {
            let position = random_cube(&mut rng);
            let (class, symmetry) = classes.of(corner_coset(&position));
            let CornerCosetClass { representative, stabiliser } = classes.classes()[usize::from(class)];
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
        assert_eq!(classes.classes()[usize::from(home)].stabiliser, u16::MAX);
    }
}
