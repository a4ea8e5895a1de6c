//! The cover: cosets of H that meet every position of the cube up to its 48 symmetries.
//!
//! A position is in a coset of H along each of the three axes, and of its three it needs only one to be solved. Which
//! those are, but for the corner orientations, its edges tell: so the cover is a set of classes of edge orientations
//! and middle edges' places such that of the three classes of every arrangement of the edges ([`AxisClasses`]) one is
//! in the set; each class with all its corner orientations. `schema/decisions/coset-cover.md` says how the set was
//! found, and `schema/cosets.md` how cosets are numbered.

mod classes;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::coordinate::{AxisClasses, CosetOfH, FlipSliceClasses};
use super::cube::Cube;

pub use classes::CoverClasses;
pub(crate) use classes::class_costs;

/// A bit for each class of edge orientations and middle edges' places, the lowest bit of a byte first.
static CLASSES: &[u8; classes::BYTES] = include_bytes!("../../../../data/cube3_cover.bin");

/// The cover. Its cosets are numbered from 0, in the rising order of [`CosetOfH`].
pub struct Cover {
    /// Classes in the cover, in rising order.
    classes: Vec<u16>,
    /// Number of the first coset of each of these; after the last the number of all.
    first: Vec<u32>,
    /// Corner orientations that stand for the cosets of a class, by the class's stabiliser.
    corner_orientations: HashMap<u16, Vec<u16>>,
}

impl Cover {
    /// The only instance; computed, in milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static COVER: LazyLock<Cover> = LazyLock::new(Cover::new);
        &COVER
    }

    fn new() -> Self {
        let all = FlipSliceClasses::get().classes();
        let mut cover = Self { classes: Vec::new(), first: vec![0], corner_orientations: HashMap::new() };
        let mut count = 0;
        for (number, class) in (0..).zip(all).filter(|&(number, _)| Self::has_class(number)) {
            let corner_orientations = cover
                .corner_orientations
                .entry(class.stabiliser)
                .or_insert_with(|| CosetOfH::corner_orientations(class).collect());
            count += corner_orientations.len() as u32;
            cover.classes.push(number);
            cover.first.push(count);
        }
        cover
    }

    /// Whether a class, below [`FlipSliceClasses::COUNT`], is in the cover.
    #[inline]
    pub fn has_class(class: u16) -> bool {
        CLASSES[usize::from(class) / 8] >> (class % 8) & 1 == 1
    }

    /// What tells this cover from others: the first 16 digits of the BLAKE3 hash of its classes, a bit each.
    pub fn identity() -> &'static str {
        static IDENTITY: LazyLock<String> = LazyLock::new(|| classes::identity(CLASSES));
        &IDENTITY
    }

    /// Its classes, in rising order.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// Number of its cosets.
    pub fn count(&self) -> u32 {
        self.first.last().copied().unwrap_or_default()
    }

    /// The coset with that number.
    pub fn coset(&self, number: u32) -> Option<CosetOfH> {
        if number >= self.count() {
            return None;
        }
        let place = self.first.partition_point(|&first| first <= number) - 1;
        let corner_orientations = self.corner_orientations(self.classes[place]);
        Some(CosetOfH::of_class(self.classes[place], corner_orientations[(number - self.first[place]) as usize]))
    }

    /// The number of a coset; `None` if it is not in the cover.
    pub fn number(&self, coset: CosetOfH) -> Option<u32> {
        let place = self.classes.binary_search(&coset.class()).ok()?;
        let corner_orientation =
            self.corner_orientations(coset.class()).binary_search(&coset.corner_orientation()).ok()?;
        Some(self.first[place] + corner_orientation as u32)
    }

    fn corner_orientations(&self, class: u16) -> &[u16] {
        &self.corner_orientations[&FlipSliceClasses::get().classes()[usize::from(class)].stabiliser]
    }

    /// How many positions of the cube a position counts for when it is met in its coset along the axis from U to D,
    /// such that all positions are counted once when all cosets of the cover are gone through; `None` if that coset is
    /// not in the cover.
    ///
    /// Of the classes along the three axes that are in the cover, the position is counted in the lowest. There it is
    /// met along `m` axes, and so in 3 / `m` of the positions that differ by turns about the corner URF; its coset
    /// stands for [`CosetOfH::images`].
    pub fn weight(&self, position: &Cube) -> Option<u16> {
        let classes = AxisClasses::of(position);
        if !Self::has_class(classes[0]) {
            return None;
        }
        let lowest = classes.into_iter().filter(|&class| Self::has_class(class)).min();
        if lowest != Some(classes[0]) {
            return Some(0);
        }
        let met = classes.into_iter().filter(|&class| class == classes[0]).count() as u32;
        Some((3 * CosetOfH::of(position).images() / met) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::cube3::{Move, Symmetry, random_cube, random_in_h};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use std::collections::HashSet;

    /// The proof: whatever class the edges have along one axis, and however the others are arranged, the class along
    /// some axis is in the cover. Every position is the image of one whose class along the first axis is its own
    /// representative.
    #[test]
    fn every_position_is_covered() {
        let axes = AxisClasses::get();
        let mut triples = 0;
        for class in (0..FlipSliceClasses::COUNT as u16).filter(|&class| !Cover::has_class(class)) {
            for arrangement in 0..AxisClasses::ARRANGEMENTS {
                let others = axes.others(class, arrangement);
                assert!(others.into_iter().any(Cover::has_class), "class {class}, arrangement {arrangement}");
                triples += 1;
            }
        }
        assert_eq!(triples, (FlipSliceClasses::COUNT - Cover::get().classes().len()) * 70);
    }

    /// The same of random positions, from their images.
    #[test]
    fn random_positions_are_covered() {
        let mut rng = ChaCha8Rng::seed_from_u64(13);
        for _ in 0..3000 {
            let position = random_cube(&mut rng);
            let images = Symmetry::all().map(|symmetry| CosetOfH::of(&symmetry.of(&position)));
            assert!(images.into_iter().any(|coset| Cover::get().number(coset).is_some()));
        }
    }

    /// No class can be left out.
    #[test]
    fn every_class_of_the_cover_is_needed() {
        let axes = AxisClasses::get();
        let is_needed = |class: u16| {
            (0..AxisClasses::ARRANGEMENTS).any(|number| {
                axes.others(class, number).into_iter().all(|other| other == class || !Cover::has_class(other))
            })
        };
        assert!(Cover::get().classes().iter().all(|&class| is_needed(class)));
    }

    #[test]
    fn numbers_and_cosets_lead_to_each_other() {
        let cover = Cover::get();
        let mut before = None;
        for number in (0..cover.count()).step_by(997).chain(0..5000).chain(cover.count() - 5000..cover.count()) {
            let coset = cover.coset(number).unwrap();
            assert_eq!(cover.number(coset), Some(number));
            assert_eq!(CosetOfH::from_number(coset.number()), Some(coset));
            assert!(before.is_none_or(|(other, other_coset)| (other < number) == (other_coset < coset)));
            before = Some((number, coset));
        }
        assert_eq!(cover.coset(cover.count()), None);
        let left_out = (0..).find(|&class| !Cover::has_class(class)).unwrap();
        assert_eq!(cover.number(CosetOfH::of_class(left_out, 0)), None);
    }

    /// What the weights of the images of a position, each in its coset along the first axis, must come to: in every
    /// coset that is met, the mean over the images that are in it. An orbit of 48 images has 48 positions, or they
    /// repeat.
    #[test]
    fn weights_count_every_position_once() {
        let mut rng = ChaCha8Rng::seed_from_u64(14);
        let walks = (0..300).map(|n| random_walk_in_pieces(&mut rng, n % 12));
        let positions: Vec<Cube> = walks.collect();
        for position in positions {
            assert_counted_once(&position);
        }
        assert_counted_once(&Cube::SOLVED);
    }

    fn random_walk_in_pieces(rng: &mut ChaCha8Rng, moves: usize) -> Cube {
        let (_, position) = crate::puzzle::cube3::random_walk(rng, crate::puzzle::cube3::Metric::Htm, moves);
        if moves.is_multiple_of(3) { random_in_h(rng).then(&position) } else { position }
    }

    /// The distinct images of a position are distinct positions. Those that lie in the very coset that its number
    /// stands for (and not in an image of it) are met by the solver; their weights must add up to the number of images.
    fn assert_counted_once(position: &Cube) {
        let images: HashSet<Cube> = Symmetry::all().map(|symmetry| symmetry.of(position)).collect();
        let is_met = |image: &&Cube| {
            let home = CosetOfH::of(image).representative();
            image.then(&home.inverse()).is_in_h()
        };
        let counted: u64 =
            images.iter().filter(is_met).filter_map(|image| Cover::get().weight(image)).map(u64::from).sum();
        assert_eq!(counted, images.len() as u64, "{position:?}");
    }

    /// All positions of few moves, each in the coset where the solver meets it, add up to the published counts.
    #[test]
    fn shallow_levels_come_out() {
        let mut level: HashSet<Cube> = HashSet::from([Cube::SOLVED]);
        let mut before: HashSet<Cube> = HashSet::new();
        for expected in [1u64, 18, 243, 3240, 43_239] {
            let met = level.iter().filter(|position| {
                let home = CosetOfH::of(position).representative();
                position.then(&home.inverse()).is_in_h()
            });
            let counted: u64 = met.filter_map(|position| Cover::get().weight(position)).map(u64::from).sum();
            assert_eq!((counted, level.len() as u64), (expected, expected));
            let next = level.iter().flat_map(|position| Move::all().map(|turn| position.turned(turn)));
            let next = next.filter(|position| !level.contains(position) && !before.contains(position)).collect();
            before = std::mem::replace(&mut level, next);
        }
    }
}
