//! The cover: cosets of H that meet every position of the cube, or its inverse, up to the 48 symmetries.
//!
//! A position is in a coset of H along each of the three axes, and its inverse, which is as far from solved, in three more.
//! Of these six it needs only one to be solved. Which they are, but for the corner orientations, its edges give: so the cover
//! is a set of classes of edge orientations and middle edges' places; each class with all its corner orientations. What the
//! edges of a position tell of its inverse are the [`Crossings`]: of those of every position, or of those of its inverse, all
//! arrangements of the edges have one of their three classes ([`AxisClasses`]) in the set.
//! `schema/decisions/coset-cover.md` says how the set was found, and `schema/cosets.md` how cosets are numbered.

mod classes;

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, OnceLock};

use super::coordinate::{AxisClasses, CosetOfH, Crossings, FlipSliceClasses};
use super::cube::Cube;

pub use classes::CoverClasses;
pub use classes::class_costs;

/// A bit for each class of edge orientations and middle edges' places, the lowest bit of a byte first.
static CLASSES: &[u8; classes::BYTES] = include_bytes!("cube3_cover.bin");
/// Those of the cover before, which met every position itself. Shards are about its cosets.
static EARLIER_CLASSES: &[u8; classes::BYTES] = include_bytes!("cube3_cover_earlier.bin");

/// A cover. Its cosets are numbered from 0, in the rising order of [`CosetOfH`].
pub struct Cover {
    set: CoverClasses,
    /// Classes in the cover, in rising order.
    classes: Vec<u16>,
    /// Number of the first coset of each of these; after the last the number of all.
    first: Vec<u32>,
    /// Corner orientations that stand for the cosets of a class, by the class's stabiliser.
    corner_orientations: HashMap<u16, Vec<u16>>,
    missed: OnceLock<HashSet<Crossings>>,
}

impl Cover {
    /// That of this program; computed, in milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static COVER: LazyLock<Cover> = LazyLock::new(|| Cover::new(CLASSES));
        &COVER
    }

    /// The cover with an [identity](Self::identity): this program's, or the one before.
    #[doc(hidden)]
    pub fn with_identity(identity: &str) -> Option<&'static Self> {
        static EARLIER: LazyLock<Cover> = LazyLock::new(|| Cover::new(EARLIER_CLASSES));
        if identity == Self::identity() {
            return Some(Self::get());
        }
        (identity == classes::identity(EARLIER_CLASSES)).then(|| &*EARLIER)
    }

    fn new(bytes: &[u8; classes::BYTES]) -> Self {
        let all = FlipSliceClasses::get().classes();
        let set = CoverClasses::of_bytes(bytes);
        let (mut classes, mut first, mut corner_orientations) = (Vec::new(), vec![0], HashMap::new());
        let mut count = 0;
        for (number, class) in (0..).zip(all).filter(|&(number, _)| set.has(number)) {
            let corner_orientations: &mut Vec<u16> = corner_orientations
                .entry(class.stabiliser)
                .or_insert_with(|| CosetOfH::corner_orientations(class).collect());
            count += corner_orientations.len() as u32;
            classes.push(number);
            first.push(count);
        }
        Self { set, classes, first, corner_orientations, missed: OnceLock::new() }
    }

    /// Whether a class, below [`FlipSliceClasses::COUNT`], is in the cover.
    #[inline]
    pub fn has_class(&self, class: u16) -> bool {
        self.set.has(class)
    }

    /// The identity of this cover: the first 16 digits of the BLAKE3 hash of its classes, a bit each.
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
    /// A position whose [`Crossings`] the cover does without is counted with its inverse, which then counts for both. Of the
    /// classes along the three axes that are in the cover, a position is counted in the lowest. There it is met along `m`
    /// axes, and so in 3 / `m` of the positions that differ by turns about the corner URF; its coset stands for
    /// [`CosetOfH::images`].
    pub fn weight(&self, position: &Cube) -> Option<u16> {
        let classes = AxisClasses::of(position);
        if !self.has_class(classes[0]) {
            return None;
        }
        let (crossings, missed) = (Crossings::of(position), self.missed());
        let lowest = classes.into_iter().filter(|&class| self.has_class(class)).min();
        if lowest != Some(classes[0]) || missed.contains(&crossings) {
            return Some(0);
        }
        let met = classes.into_iter().filter(|&class| class == classes[0]).count() as u32;
        let with_inverse = 1 + u32::from(missed.contains(&crossings.inverse()));
        Some((with_inverse * 3 * CosetOfH::of(position).images() / met) as u16)
    }

    /// The crossings with which it does not meet all positions: it meets their inverses.
    fn missed(&self) -> &HashSet<Crossings> {
        self.missed.get_or_init(|| self.set.missed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::{Move, Symmetry, random_cube, random_in_h};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use std::collections::HashSet;

    /// The proof: whatever class the edges have along one axis, and however the others are arranged, the class along
    /// some axis is in the cover, or the class along some axis of every position whose edges the inverse can have: those
    /// are all with the crossings of the inverse.
    #[test]
    fn every_position_is_covered() {
        let axes = AxisClasses::get();
        let mut is_met: HashMap<Crossings, bool> = HashMap::new();
        for class in 0..FlipSliceClasses::COUNT as u16 {
            for arrangement in 0..AxisClasses::ARRANGEMENTS {
                let [second, third] = axes.others(class, arrangement);
                let has_class = [class, second, third].into_iter().any(|class| Cover::get().has_class(class));
                *is_met.entry(axes.crossings(class, arrangement)).or_insert(true) &= has_class;
            }
        }
        assert_eq!(is_met.len(), 7504);
        for (crossings, met) in &is_met {
            assert!(*met || is_met[&crossings.inverse()], "{crossings:?}");
            assert_eq!(!met, Cover::get().missed().contains(crossings));
        }
        assert!(Cover::get().set.is_cover());
    }

    /// The same of random positions, from their images and those of the inverse.
    #[test]
    fn random_positions_are_covered() {
        let mut rng = ChaCha8Rng::seed_from_u64(13);
        let is_in = |position: &Cube| Cover::get().number(CosetOfH::of(position)).is_some();
        let mut by_the_inverse = 0;
        for _ in 0..3000 {
            let position = random_cube(&mut rng);
            let is_covered = |position: &Cube| Symmetry::all().any(|symmetry| is_in(&symmetry.of(position)));
            if !is_covered(&position) {
                assert!(is_covered(&position.inverse()));
                by_the_inverse += 1;
            }
        }
        assert!(by_the_inverse > 100, "{by_the_inverse}");
    }

    /// No class can be left out: with what it alone meets, the inverse is missed already or would be.
    #[test]
    #[ignore = "long suite: what each of all classes alone meets"]
    fn every_class_of_the_cover_is_needed() {
        let cover = Cover::get();
        assert_eq!(cover.set.clone().thinned_out(), cover.set);
        for &class in cover.classes().iter().step_by(1000) {
            let mut without = cover.set.as_bytes().to_vec();
            without[usize::from(class) / 8] ^= 1 << (class % 8);
            assert!(!CoverClasses::from_bytes(&without).unwrap().is_cover(), "{class}");
        }
    }

    /// Of classes that are too many those are left out that nothing needs.
    #[test]
    fn a_cover_with_too_many_classes_is_thinned_out() {
        let mut more = Cover::get().set.as_bytes().to_vec();
        more[..4].fill(0xff);
        let more = CoverClasses::from_bytes(&more).unwrap();
        let thinned_out = more.clone().thinned_out();
        assert!(thinned_out.is_cover() && thinned_out.count() + 10 < more.count());
        assert_eq!(thinned_out.clone().thinned_out(), thinned_out);
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
        let left_out = (0..).find(|&class| !Cover::get().has_class(class)).unwrap();
        assert_eq!(cover.number(CosetOfH::of_class(left_out, 0)), None);
    }

    /// What the weights of the images of a position and of its inverse, each in its coset along the first axis, must come to: in
    /// every coset that is met, the mean over the images that are in it. An orbit has 96 positions, or they repeat.
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
        let (_, position) = crate::cube3::random_walk(rng, crate::cube3::Metric::Htm, moves);
        if moves.is_multiple_of(3) { random_in_h(rng).then(&position) } else { position }
    }

    /// The distinct images of a position and of its inverse are distinct positions. Those that lie in the very coset that its
    /// number stands for (and not in an image of it) are met by the solver; their weights must add up to the number of images.
    fn assert_counted_once(position: &Cube) {
        let both = [*position, position.inverse()];
        let images: HashSet<Cube> =
            both.iter().flat_map(|position| Symmetry::all().map(|symmetry| symmetry.of(position))).collect();
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
