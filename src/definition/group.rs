//! The order of the group that the moves generate, by the random Schreier-Sims method: a chain of stabilisers is completed
//! with random elements until many in a row bring nothing new.

use std::sync::Arc;

use num_bigint::BigUint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::model::{PuzzleDefinition, Transformation};

/// Random elements in a row that a chain has to hold before it counts as complete. One that it does not hold is found by each
/// with a probability of at least a half.
const IN_A_ROW: usize = 80;
/// Elements in the bag that random ones are made from, at least; and products that mix it first.
const BAG: usize = 12;
const MIXES: usize = 200;

/// Points of a puzzle whose group is looked at before its positions are numbered.
const MOST_POINTS_TOLD: usize = 500;

/// A permutation of points: the image of each.
pub(crate) type Permutation = Box<[u16]>;

/// A point of the chain's base, and what fixes all points before it.
#[derive(Debug)]
struct Level {
    base: u16,
    /// Each with its inverse. Levels share them.
    generators: Vec<Arc<[Permutation; 2]>>,
    /// For each point of the orbit of `base`, the inverse of an element that takes `base` there.
    back: Vec<Option<Permutation>>,
    orbit: Vec<u16>,
}

impl Level {
    fn new(base: u16, points: usize) -> Self {
        let mut level = Self { base, generators: Vec::new(), back: vec![None; points], orbit: vec![base] };
        level.back[usize::from(base)] = Some((0..points as u16).collect());
        level
    }

    /// Adds a generator and completes the orbit.
    fn add(&mut self, generator: &Arc<[Permutation; 2]>) {
        self.generators.push(Arc::clone(generator));
        let (known, newest) = (self.orbit.len(), self.generators.len() - 1);
        let mut at = 0;
        while let Some(&point) = self.orbit.get(at) {
            // The other generators take points that were there before to such points.
            let first = if at < known { newest } else { 0 };
            for [generator, inverse] in self.generators[first..].iter().map(|generator| &**generator) {
                let image = generator[usize::from(point)];
                if self.back[usize::from(image)].is_none() {
                    let back = self.back[usize::from(point)].as_ref().expect("a point of the orbit");
                    self.back[usize::from(image)] = Some(product(inverse, back));
                    self.orbit.push(image);
                }
            }
            at += 1;
        }
    }
}

/// The rest of an element after the chain, with the level where it got stuck; `None` if the chain holds it.
fn sift(chain: &[Level], mut element: Permutation) -> Option<(usize, Permutation)> {
    for (number, level) in chain.iter().enumerate() {
        match &level.back[usize::from(element[usize::from(level.base)])] {
            Some(back) => element = product(&element, back),
            None => return Some((number, element)),
        }
    }
    (!is_identity(&element)).then_some((chain.len(), element))
}

/// First one, then the other.
fn product(first: &Permutation, then: &Permutation) -> Permutation {
    first.iter().map(|&point| then[usize::from(point)]).collect()
}

fn inverse(of: &Permutation) -> Permutation {
    let mut inverse = of.clone();
    (0..).zip(of).for_each(|(point, &image)| inverse[usize::from(image)] = point);
    inverse
}

/// A chain of stabilisers: whatever the generators make is a product of one element of each level.
#[derive(Debug)]
pub(crate) struct Chain {
    levels: Vec<Level>,
    points: usize,
}

impl Chain {
    /// Whether it holds an element.
    pub(crate) fn contains(&self, element: Permutation) -> bool {
        sift(&self.levels, element).is_none()
    }

    /// For each level, the points where its elements take its base, each with an element that does.
    pub(crate) fn transversals(&self) -> impl Iterator<Item = Vec<(u16, Permutation)>> {
        self.levels.iter().map(|level| {
            let element = |&point: &u16| {
                let back = level.back[usize::from(point)].as_ref().expect("a point of the orbit");
                (point, inverse(back))
            };
            level.orbit.iter().map(element).collect()
        })
    }

    /// The number of elements.
    pub(crate) fn order(&self) -> BigUint {
        self.levels.iter().map(|level| BigUint::from(level.orbit.len())).product()
    }

    /// An element, all equally likely.
    pub(crate) fn draw(&self, rng: &mut ChaCha8Rng) -> Permutation {
        let mut element: Permutation = (0..self.points as u16).collect();
        for level in &self.levels {
            let point = level.orbit[rng.random_range(0..level.orbit.len())];
            let back = level.back[usize::from(point)].as_ref().expect("a point of the orbit");
            element = product(&element, back);
        }
        element
    }
}

impl PuzzleDefinition {
    /// The number of elements of the group that all moves and rotations generate. Pieces and orientations that look alike count as
    /// different.
    ///
    /// The method is random, always with the same seed. A result is too small with a probability below 2⁻⁸⁰.
    pub fn group_order(&self) -> BigUint {
        let moves: Vec<_> = self.moves.iter().map(|one| &one.transformation).collect();
        self.chain(&moves).order()
    }

    /// A lower bound of the number of positions that the turns reach: elements of the group that differ only in identical pieces
    /// and ignored orientations count as one, as do those of a coset. `None` for a puzzle that is too large.
    pub(crate) fn least_positions(&self) -> Option<BigUint> {
        if self.points() > MOST_POINTS_TOLD {
            return None;
        }
        let turns = self.turns();
        let turns: Vec<_> = turns.iter().map(|turn| &turn.transformation).collect();
        let order = self.chain(&turns).order();
        if !self.up_to.is_empty() {
            return Some(order / self.goal_group().order());
        }
        let mut alike = BigUint::from(1u32);
        for (orbit, range) in self.ranges() {
            for place in range.clone() {
                // The number of this one among those before it that look alike: their product is the factorial.
                let piece = self.solved.pieces[place];
                alike *= 1 + self.solved.pieces[range.start..place].iter().filter(|&&other| other == piece).count();
                alike *= orbit.orientations / usize::from(self.solved.period[place]);
            }
        }
        Some(order / alike)
    }

    /// The group that some transformations generate.
    pub(crate) fn chain(&self, transformations: &[&Transformation]) -> Chain {
        self.chain_along(transformations, &[])
    }

    /// The same along a base that begins with some points.
    pub(crate) fn chain_along(&self, transformations: &[&Transformation], base: &[u16]) -> Chain {
        let generators = transformations.iter().map(|one| self.on_points(one));
        let generators: Vec<Permutation> = generators.filter(|one| !is_identity(one)).collect();
        let points = self.points();
        if generators.is_empty() {
            return Chain { levels: Vec::new(), points };
        }
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut bag: Vec<Permutation> = generators.iter().cycle().take(BAG.max(generators.len())).cloned().collect();
        let mut random = || {
            let (one, mut other) = (rng.random_range(0..bag.len()), rng.random_range(0..bag.len() - 1));
            other += usize::from(other >= one);
            let factor = if rng.random() { inverse(&bag[other]) } else { bag[other].clone() };
            bag[one] = if rng.random() { product(&bag[one], &factor) } else { product(&factor, &bag[one]) };
            bag[one].clone()
        };
        (0..MIXES).for_each(|_| drop(random()));

        let mut levels: Vec<Level> = base.iter().map(|&point| Level::new(point, points)).collect();
        let (mut held, mut next) = (0, generators.into_iter());
        while held < IN_A_ROW {
            let element = next.next().unwrap_or_else(&mut random);
            let Some((stuck, left)) = sift(&levels, element) else {
                held += 1;
                continue;
            };
            held = 0;
            if stuck == levels.len() {
                let moved = (0..).zip(&left).find(|(point, image)| point != *image);
                levels.push(Level::new(moved.expect("it is not the identity").0, points));
            }
            let back = inverse(&left);
            let generator = Arc::new([left, back]);
            levels[..=stuck].iter_mut().for_each(|level| level.add(&generator));
        }
        Chain { levels, points }
    }

    /// The number of points: orientations of places.
    pub(crate) fn points(&self) -> usize {
        self.orbits.iter().map(|orbit| orbit.pieces * orbit.orientations).sum()
    }

    /// The transformation that a permutation of points is.
    pub(crate) fn of_points(&self, permutation: &Permutation) -> Transformation {
        let (mut transformation, mut begin) = (self.identity(), 0);
        for (orbit, range) in self.ranges() {
            for (number, place) in range.clone().enumerate() {
                let image = usize::from(permutation[begin + number * orbit.orientations]) - begin;
                let (to, twist) = (range.start + image / orbit.orientations, image % orbit.orientations);
                transformation.from[to] = place as u16;
                transformation.twist[to] = twist as u8;
            }
            begin += orbit.pieces * orbit.orientations;
        }
        transformation
    }

    /// A transformation as a permutation of points: orientations of places, in order. The image of a point is the new
    /// place and orientation of its piece.
    pub(crate) fn on_points(&self, transformation: &Transformation) -> Permutation {
        let mut image = vec![0; self.points()];
        let mut begin = 0;
        for (orbit, range) in self.ranges() {
            for (number, place) in range.clone().enumerate() {
                let from = usize::from(transformation.from[place]) - range.start;
                for twist in 0..orbit.orientations {
                    let turned = (twist + usize::from(transformation.twist[place])) % orbit.orientations;
                    image[begin + from * orbit.orientations + twist] =
                        (begin + number * orbit.orientations + turned) as u16;
                }
            }
            begin += orbit.pieces * orbit.orientations;
        }
        image.into()
    }
}

fn is_identity(permutation: &Permutation) -> bool {
    permutation.iter().enumerate().all(|(point, &image)| point == usize::from(image))
}
