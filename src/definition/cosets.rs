//! Puzzles that are solved up to a group of moves: their positions are cosets.
//!
//! A position is the result of a sequence *m* of moves from the solved one. It counts as solved if *m* is in the group *H*. Positions
//! *m* and *h m*, with *h* in *H*, are the same: *h* exchanges pieces, wherever they are, and turns commute with it.
//! All *h m* are a right coset of *H*. Pieces that look alike and orientations that are ignored exchange pieces, too. They make
//! up a group *K*, and *H* is that of *K* and the generators.
//!
//! A coset is known by its canonical member: that of which the images of all points, in rising order, come first. A chain of
//! stabilisers of *H* along the places finds it. Each level takes its base to the point of its orbit that has the least image.

use std::iter::successors;

use super::group::{Chain, Permutation};
use super::model::{Generator, Orbit, Pattern, PuzzleDefinition, Refusal, Transformation};

impl PuzzleDefinition {
    /// Generators of the group that changes nothing of the solved pattern: exchanges of pieces that look alike, and twists that do not
    /// matter.
    fn alike(&self) -> Vec<Transformation> {
        let (mut alike, Pattern { pieces, twist, period }) = (Vec::new(), &self.solved);
        for (Orbit { orientations, .. }, range) in self.ranges() {
            for place in range.clone() {
                if let Some(before) = (range.start..place).rfind(|&before| pieces[before] == pieces[place]) {
                    let mut swap = self.identity();
                    swap.from.swap(before, place);
                    let turned = |to: usize, from: usize| {
                        ((orientations + usize::from(twist[to]) - usize::from(twist[from])) % orientations) as u8
                    };
                    (swap.twist[before], swap.twist[place]) = (turned(before, place), turned(place, before));
                    alike.push(swap);
                }
                if usize::from(period[place]) < *orientations {
                    let mut turn = self.identity();
                    turn.twist[place] = period[place];
                    alike.push(turn);
                }
            }
        }
        alike
    }

    /// Adds a generator of the group up to which the puzzle is solved. With pieces that look alike it must make up a group.
    pub(crate) fn add_generator(&mut self, generator: Generator) -> Result<(), Refusal> {
        let Generator { sequence, transformation } = &generator;
        if !self.illegal.is_empty() {
            return Err(("up-to", format!("some positions are illegal: it cannot be solved up to {sequence}")));
        }
        if self.up_to.iter().any(|other| other.sequence == *sequence) {
            return Err(("name", format!("{sequence} is listed already")));
        }
        let inverse = self.inverse(transformation);
        // Else positions that are solved up to it are no group, and there are no cosets.
        let is_kept = |alike: &Transformation| {
            let conjugate = self.compose(&self.compose(&inverse, alike), transformation);
            self.apply(&self.solved, &conjugate) == self.solved
        };
        if !self.alike().iter().all(is_kept) {
            return Err((
                "up-to",
                format!(
                    "it cannot be solved up to {sequence}: pieces that look alike, or orientations that are ignored, go where they \
                     matter. Ignore whole orbits, or choose other moves"
                ),
            ));
        }
        self.up_to.push(generator);
        Ok(())
    }

    /// The group of which all elements count as solved.
    pub(crate) fn goal_group(&self) -> Chain {
        let alike = self.alike();
        // Where a place goes, its orientations go.
        let first = self.ranges().scan(0, |begin, (orbit, range)| {
            let points = range.clone().map(|place| *begin + (place - range.start) * orbit.orientations);
            let points: Vec<u16> = points.map(|point| point as u16).collect();
            *begin += orbit.pieces * orbit.orientations;
            Some(points)
        });
        let base: Vec<u16> = first.flatten().collect();
        let generators: Vec<_> = alike.iter().chain(self.up_to.iter().map(|one| &one.transformation)).collect();
        self.chain_along(&generators, &base)
    }
}

/// The cosets of the group up to which a puzzle is solved.
#[derive(Debug)]
pub(crate) struct Cosets {
    /// The orbits that matter, their solved pattern, and the moves up to which they are solved.
    puzzle: PuzzleDefinition,
    /// Their places in the whole puzzle.
    places: Vec<usize>,
    /// For each level of the group, the points where it takes its base, each with an element that does.
    levels: Vec<Vec<(u16, Permutation)>>,
    /// For each place, the first of its points, and how many it has.
    bases: Vec<(u16, usize)>,
    /// For each point, that of the next orientation.
    next: Vec<u16>,
    /// The canonical member of each coset, in rising order: for each place, where its piece is.
    members: Vec<Box<[u16]>>,
}

impl Cosets {
    /// The cosets of a puzzle, of which no members are known yet.
    pub(crate) fn new(whole: &PuzzleDefinition) -> Self {
        // Of an orbit that is ignored whole any two positions are in one coset.
        let matters =
            |range: &std::ops::Range<usize>| whole.kinds(range.clone()) > 1 || whole.solved.period[range.start] > 1;
        let (orbits, ranges): (Vec<_>, Vec<_>) =
            whole.ranges().filter(|(_, range)| matters(range)).map(|(orbit, range)| (orbit.clone(), range)).unzip();
        let places: Vec<usize> = ranges.into_iter().flatten().collect();
        let of_places = |of: &[u8]| places.iter().map(|&place| of[place]).collect();
        let Pattern { pieces, twist, period } = &whole.solved;
        let solved = Pattern { pieces: of_places(pieces), twist: of_places(twist), period: of_places(period) };
        let (moves, derived, illegal, up_to) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut puzzle = PuzzleDefinition { orbits, solved, moves, derived, illegal, up_to, ..whole.clone() };
        puzzle.up_to = whole.up_to.clone();
        for one in &mut puzzle.up_to {
            one.transformation = left_of(&one.transformation, &places);
        }
        let levels = puzzle.goal_group().transversals().filter(|level| level.len() > 1).collect();
        let (mut bases, mut next) = (Vec::new(), Vec::new());
        for orientations in puzzle.orientations().into_iter().map(u16::from) {
            let base = next.len() as u16;
            bases.push((base, orientations.into()));
            next.extend((1..=orientations).map(|twist| base + twist % orientations));
        }
        Self { puzzle, places, levels, bases, next, members: Vec::new() }
    }

    /// A transformation of the whole puzzle, as one of points.
    pub(crate) fn permutation(&self, transformation: &Transformation) -> Permutation {
        self.puzzle.on_points(&left_of(transformation, &self.places))
    }

    /// The canonical member of the coset that is solved.
    pub(crate) fn solved(&self) -> Box<[u16]> {
        let mut images = self.puzzle.on_points(&self.puzzle.identity()).into_vec();
        self.canonical(&mut images, &mut Vec::new())
    }

    /// The canonical member of the coset where a turn leads from another's; with room for images of points.
    pub(crate) fn after(
        &self,
        member: &[u16],
        turn: &Permutation,
        images: &mut Vec<u16>,
        room: &mut Vec<u16>,
    ) -> Box<[u16]> {
        images.clear();
        images.extend(self.images(member).map(|image| turn[usize::from(image)]));
        self.canonical(images, room)
    }

    pub(crate) fn set_members(&mut self, members: Vec<Box<[u16]>>) {
        self.members = members;
    }

    /// The images of all points under a member.
    fn images(&self, member: &[u16]) -> impl Iterator<Item = u16> {
        let turned = |image: &u16| Some(self.next[usize::from(*image)]);
        let of_place = move |(&(_, orientations), &image)| successors(Some(image), turned).take(orientations);
        self.bases.iter().zip(member).flat_map(of_place)
    }

    /// The canonical member of the coset of images of all points.
    fn canonical(&self, images: &mut Vec<u16>, room: &mut Vec<u16>) -> Box<[u16]> {
        for level in &self.levels {
            let least = level.iter().min_by_key(|(point, _)| images[usize::from(*point)]);
            let (_, element) = least.expect("the base is a point of its orbit");
            room.clear();
            room.extend(element.iter().map(|&point| images[usize::from(point)]));
            std::mem::swap(images, room);
        }
        self.bases.iter().map(|&(base, _)| images[usize::from(base)]).collect()
    }

    /// The number of the coset of a position of the whole puzzle; `None` if it has none.
    pub(crate) fn value(&self, pattern: &Pattern) -> Option<u32> {
        let mut transformation = self.puzzle.identity();
        for (orbit, range) in self.puzzle.ranges() {
            let mut is_taken = vec![false; self.places.len()];
            for home in range.clone() {
                let is_piece = |place: usize| pattern.pieces[self.places[place]] == self.puzzle.solved.pieces[home];
                // Any of those that look alike.
                let place = range.clone().find(|&place| !is_taken[place] && is_piece(place))?;
                is_taken[place] = true;
                let [twist, solved] =
                    [pattern.twist[self.places[place]], self.puzzle.solved.twist[home]].map(usize::from);
                transformation.from[place] = home as u16;
                transformation.twist[place] = ((orbit.orientations + twist - solved) % orbit.orientations) as u8;
            }
        }
        let mut images = self.puzzle.on_points(&transformation).into_vec();
        let member = self.canonical(&mut images, &mut Vec::new());
        self.members.binary_search(&member).ok().map(|number| number as u32)
    }

    /// Writes the canonical member of a coset into a position of the whole puzzle.
    pub(crate) fn write(&self, value: u32, pattern: &mut Pattern) {
        let images: Permutation = self.images(&self.members[value as usize]).collect();
        let position = self.puzzle.apply(&self.puzzle.solved, &self.puzzle.of_points(&images));
        for (number, &place) in self.places.iter().enumerate() {
            (pattern.pieces[place], pattern.twist[place]) = (position.pieces[number], position.twist[number]);
        }
    }
}

/// What a transformation does in the places of some orbits.
fn left_of(transformation: &Transformation, places: &[usize]) -> Transformation {
    let number = |from: u16| places.binary_search(&usize::from(from)).expect("pieces stay in their orbit") as u16;
    Transformation {
        from: places.iter().map(|&place| number(transformation.from[place])).collect(),
        twist: places.iter().map(|&place| transformation.twist[place]).collect(),
    }
}
