//! Cosets of H up to the symmetries that keep the axis, as numbers.

use std::fmt;

use super::phase_one::{
    CORNER_ORIENTATIONS, FlipSliceClass, FlipSliceClasses, SliceClasses, SliceKind, set_corner_orientation,
    set_edge_orientation,
};
use crate::cube3::cube::Cube;
use crate::cube3::symmetry::{AXIS_SYMMETRIES, Symmetry};
use twistbase_core::math::perm8::is_odd;

/// A coset of H, of those that are images of each other under the 16 symmetries that keep the axis: the number 2187 ×
/// class of edge orientations and middle edges' places + corner orientations, the least corner orientations under the
/// symmetries that keep the class's representative.
///
/// It is the number of an entry of `phase1`, of several with the same meaning the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CosetOfH(u32);

impl CosetOfH {
    /// Cosets of H up to these symmetries.
    pub const COUNT: u64 = 138_639_780;

    /// Positions of a coset: 8! × 8! × 4! / 2.
    pub const POSITIONS: u64 = 40_320 * 40_320 * 24 / 2;

    /// The coset that a position is in.
    pub fn of(position: &Cube) -> Self {
        let place = FlipSliceClasses::get().place(position);
        Self::least(place.class, place.corner_orientation)
    }

    /// The coset with that number; `None` if there is none, or its coset has another number.
    pub fn from_number(number: u32) -> Option<Self> {
        let (class, corner_orientation) =
            (number as usize / CORNER_ORIENTATIONS, number as usize % CORNER_ORIENTATIONS);
        let is_one =
            class < FlipSliceClasses::COUNT && Self::least(class as u16, corner_orientation as u16).0 == number;
        is_one.then_some(Self(number))
    }

    /// The coset of the representative of a class with corner orientations that are the least under what keeps it.
    #[doc(hidden)]
    pub fn of_class(class: u16, least: u16) -> Self {
        Self(u32::from(class) * CORNER_ORIENTATIONS as u32 + u32::from(least))
    }

    fn least(class: u16, corner_orientation: u16) -> Self {
        let least = images(stabiliser(class), corner_orientation).min().unwrap_or(corner_orientation);
        Self::of_class(class, least)
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Its class of edge orientations and middle edges' places.
    pub const fn class(self) -> u16 {
        (self.0 / CORNER_ORIENTATIONS as u32) as u16
    }

    /// The corner orientations of its positions.
    pub const fn corner_orientation(self) -> u16 {
        (self.0 % CORNER_ORIENTATIONS as u32) as u16
    }

    /// How many of the cosets are images of this one, itself among them.
    pub fn images(self) -> u32 {
        let keeping = images(stabiliser(self.class()), self.corner_orientation())
            .filter(|&corner_orientation| corner_orientation == self.corner_orientation())
            .count();
        (AXIS_SYMMETRIES / keeping.max(1)) as u32
    }

    /// A position in it.
    pub fn representative(self) -> Cube {
        let class = &FlipSliceClasses::get().classes()[usize::from(self.class())];
        let kind = SliceKind::Places;
        let placement = SliceClasses::get(kind).classes()[usize::from(class.slice)].representative;
        let mut position = Cube { ep: kind.edges(placement), ..Cube::SOLVED };
        set_edge_orientation(&mut position, class.edge_orientation);
        set_corner_orientation(&mut position, self.corner_orientation());
        if is_odd(&position.ep) {
            // Which corner is where does not matter.
            position.cp.swap(0, 1);
        }
        position
    }

    /// The corner orientations that stand for the cosets of a class: of those that its symmetries exchange the least,
    /// in rising order.
    pub(crate) fn corner_orientations(class: &FlipSliceClass) -> impl Iterator<Item = u16> {
        let stabiliser = class.stabiliser;
        (0..CORNER_ORIENTATIONS as u16).filter(move |&corner_orientation| {
            images(stabiliser, corner_orientation).all(|image| image >= corner_orientation)
        })
    }
}

impl fmt::Display for CosetOfH {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn stabiliser(class: u16) -> u16 {
    FlipSliceClasses::get().classes()[usize::from(class)].stabiliser
}

/// Where symmetries, a bit each, take corner orientations.
fn images(symmetries: u16, corner_orientation: u16) -> impl Iterator<Item = u16> {
    let symmetries = Symmetry::keeping_axis().filter(move |symmetry| symmetries >> symmetry.index() & 1 == 1);
    symmetries
        .map(move |symmetry| FlipSliceClasses::get().corner_orientations(symmetry)[usize::from(corner_orientation)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::random_cube;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn images_and_elements_of_h_lead_to_the_same_number() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        for _ in 0..200 {
            let position = random_cube(&mut rng);
            let coset = CosetOfH::of(&position);
            let other = crate::cube3::random_in_h(&mut rng).then(&position);
            assert_eq!(CosetOfH::of(&other), coset);
            assert!(Symmetry::keeping_axis().all(|symmetry| CosetOfH::of(&symmetry.of(&other)) == coset));
            let representative = coset.representative();
            assert_eq!(
                (CosetOfH::of(&representative), Cube::from_cubies(&representative.cubies())),
                (coset, Ok(representative))
            );
            assert_eq!(CosetOfH::from_number(coset.number()), Some(coset));
        }
        assert_eq!(CosetOfH::of(&Cube::SOLVED).images(), 1);
        assert_eq!(CosetOfH::from_number(u32::MAX), None);
    }

    #[test]
    fn all_cosets_are_counted_with_their_images() {
        let classes = FlipSliceClasses::get().classes();
        // Classes with the same symmetries have the same corner orientations.
        let mut known = std::collections::HashMap::new();
        let (mut count, mut images) = (0u64, 0u64);
        for (number, class) in (0..).zip(classes) {
            let (cosets, all) = *known.entry(class.stabiliser).or_insert_with(|| {
                let cosets: Vec<_> = CosetOfH::corner_orientations(class)
                    .map(|corner_orientation| CosetOfH::of_class(number, corner_orientation))
                    .collect();
                (cosets.len() as u64, cosets.iter().map(|coset| u64::from(coset.images())).sum::<u64>())
            });
            count += cosets;
            images += all;
        }
        // 495 × 2^11 × 3^7 cosets in all.
        assert_eq!((count, images), (CosetOfH::COUNT, 2_217_093_120));
    }
}
