//! The symmetries of a puzzle, mirrors included, from its moves alone.
//!
//! A symmetry is a permutation of points (orientations of places) with a permutation of turns, so that turning and then mapping
//! is mapping and then making the other turn. It takes places to places, and the solved pattern to itself. Where a point goes
//! and what becomes of the turns that move it decides where the points go that it reaches, so a search over the images of a
//! few points and turns finds one.
//!
//! They are found move by move: for each image of a move under the symmetries that keep all moves before it, one symmetry. The
//! product of the numbers of images is the number of symmetries, and products of one symmetry of each move are all of them.

use std::collections::BTreeMap;

use super::group::{Chain, Permutation};
use super::model::PuzzleDefinition;

/// A point, turn or image that is not known yet.
const UNKNOWN: u16 = u16::MAX;

/// Steps of the search, of a few nanoseconds each, after which it is given up.
const MOST_STEPS: u64 = 1 << 30;

/// What a symmetry keeps of a point: pieces and orientations of its orbit, how many pieces look like the one that is there when
/// solved, and its period.
type Size = [usize; 4];

/// The search for symmetries.
struct Search {
    /// For each point: orbit, place and orientation.
    points: Vec<[usize; 3]>,
    /// For each place. Only places that agree in this can take each other's place.
    sizes: Vec<Size>,
    /// The turns, as images of all points.
    turns: Vec<Box<[u16]>>,
    /// For each turn, the facts that a symmetry preserves: how many points of orbits of each size are in cycles of each length.
    kinds: Vec<BTreeMap<(Size, usize), usize>>,
    /// For each place, the piece in it when solved: its number and its period.
    solved: Vec<(u8, u8)>,
    /// The generators of the group up to which it is solved, and the group. Symmetries keep it.
    goal: Option<(Vec<Permutation>, Chain)>,
    /// All points, those first whose images decide the most others.
    order: Vec<usize>,
    /// Steps that are left.
    steps: u64,
}

/// A symmetry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symmetry {
    /// The image of each point.
    pub points: Permutation,
    /// The image of each turn.
    pub turns: Permutation,
}

impl Symmetry {
    /// First the other one, then this one.
    pub(crate) fn after(&self, first: &Self) -> Self {
        let then = |map: &Permutation, first: &Permutation| first.iter().map(|&at| map[usize::from(at)]).collect();
        Self { points: then(&self.points, &first.points), turns: then(&self.turns, &first.turns) }
    }
}

/// The known part of a symmetry: images of points, which points are images, images of turns.
#[derive(Clone)]
struct Partial {
    image: Vec<u16>,
    taken: Vec<bool>,
    turn: Vec<u16>,
}

impl PuzzleDefinition {
    /// The number of symmetries: ways to exchange pieces and turns so that every sequence of turns still does the same,
    /// mirrors and the identity included. Of those that do the same to all turns one counts. `None` of a puzzle with illegal
    /// positions, where they are not searched for, and where the search takes more than some seconds.
    pub fn symmetries(&self) -> Option<usize> {
        self.symmetry_chain()?.iter().try_fold(1, |count: usize, images| count.checked_mul(images.len()))
    }

    /// A group of symmetries, each once and the identity first: all, if they are at most `most` and can be counted. Else those
    /// that keep the first moves.
    pub(crate) fn list_symmetries(&self, most: usize) -> Vec<Symmetry> {
        let identity = |count: usize| (0..count as u16).collect();
        let mut all = vec![Symmetry { points: identity(self.points()), turns: identity(self.turns().len()) }];
        // Those of the last moves keep all moves before.
        for images in self.symmetry_chain().unwrap_or_default().iter().rev() {
            if all.len() * images.len() > most {
                break;
            }
            all = images.iter().flat_map(|image| all.iter().map(|inner| image.after(inner))).collect();
        }
        all
    }

    /// For each move, the symmetries that keep all moves before it: one for each image of the move, that which keeps it first.
    fn symmetry_chain(&self) -> Option<Vec<Vec<Symmetry>>> {
        if !self.illegal.is_empty() {
            return None;
        }
        let named = self.turns();
        if named.len() >= usize::from(UNKNOWN) {
            return None;
        }
        let turns: Vec<_> = named.iter().map(|turn| self.on_points(&turn.transformation)).collect();
        let size = |(orbit, range): (&super::model::Orbit, std::ops::Range<usize>)| {
            let (pieces, period) = (&self.solved.pieces[range.clone()], &self.solved.period[range]);
            let alike = |piece| pieces.iter().filter(|&other| other == piece).count();
            let of = |(piece, &period)| [orbit.pieces, orbit.orientations, alike(piece), usize::from(period)];
            pieces.iter().zip(period).map(of).collect::<Vec<Size>>()
        };
        let sizes: Vec<Size> = self.ranges().flat_map(size).collect();
        let of_orbit = |(orbit, (of, range)): (usize, (&super::model::Orbit, std::ops::Range<usize>))| {
            let orientations = of.orientations;
            range.flat_map(move |place| (0..orientations).map(move |twist| [orbit, place, twist])).collect::<Vec<_>>()
        };
        let points: Vec<[usize; 3]> = self.ranges().enumerate().flat_map(of_orbit).collect();
        let kinds = turns.iter().map(|turn| kind(turn, |point| sizes[points[point][1]])).collect();
        let mut kept = Partial {
            image: vec![UNKNOWN; points.len()],
            taken: vec![false; points.len()],
            turn: vec![UNKNOWN; turns.len()],
        };
        let solved = self.solved.pieces.iter().copied().zip(self.solved.period.iter().copied()).collect();
        let generators: Vec<_> = self.up_to.iter().map(|one| self.on_points(&one.transformation)).collect();
        let goal = (!generators.is_empty()).then(|| (generators, self.goal_group()));
        let order = by_reach(&turns);
        let mut search = Search { points, sizes, turns, kinds, solved, goal, order, steps: MOST_STEPS };
        let identity = |count: usize| (0..count as u16).collect();
        let identity = Symmetry { points: identity(kept.image.len()), turns: identity(named.len()) };
        let mut chain = Vec::new();
        // The image of a move decides those of its powers.
        for turn in (0..named.len()).filter(|&turn| turn == 0 || named[turn - 1].of != named[turn].of) {
            let mut images = vec![identity.clone()];
            for other in (0..named.len()).filter(|&other| other != turn) {
                if !search.step(named.len()) {
                    return None;
                }
                if search.kinds[other] == search.kinds[turn] && !kept.turn.contains(&(other as u16)) {
                    let mut more = kept.clone();
                    more.turn[turn] = other as u16;
                    images.extend(search.extended(more));
                }
            }
            kept.turn[turn] = turn as u16;
            chain.push(images);
        }
        (search.steps > 0).then_some(chain)
    }
}

/// All points, by how many points the turns take them to, the largest number first.
fn by_reach(turns: &[Box<[u16]>]) -> Vec<usize> {
    let points = turns.first().map_or(0, |turn| turn.len());
    let mut reach = vec![0; points];
    for start in 0..points {
        if reach[start] == 0 {
            let (mut seen, mut at) = (vec![start], 0);
            reach[start] = 1;
            while let Some(&point) = seen.get(at) {
                for next in turns.iter().map(|turn| usize::from(turn[point])) {
                    if std::mem::replace(&mut reach[next], 1) == 0 {
                        seen.push(next);
                    }
                }
                at += 1;
            }
            let size = seen.len();
            seen.into_iter().for_each(|point| reach[point] = size);
        }
    }
    let mut order: Vec<usize> = (0..points).collect();
    order.sort_by_key(|&point| std::cmp::Reverse(reach[point]));
    order
}

/// How many points of each kind are in cycles of each length.
fn kind(turn: &[u16], size: impl Fn(usize) -> Size) -> BTreeMap<(Size, usize), usize> {
    let (mut kind, mut seen) = (BTreeMap::new(), vec![false; turn.len()]);
    for start in 0..turn.len() {
        let (mut point, mut length) = (start, 0);
        while !std::mem::replace(&mut seen[point], true) {
            length += 1;
            point = usize::from(turn[point]);
        }
        if length > 0 {
            *kind.entry((size(start), length)).or_insert(0) += length;
        }
    }
    kind
}

impl Search {
    /// Counts steps. `false` if none are left.
    fn step(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_sub(steps as u64);
        self.steps > 0
    }

    /// A symmetry that extends the known part, if there is one. Tries all ways to continue.
    fn extended(&mut self, known: Partial) -> Option<Symmetry> {
        if !self.step(self.points.len() + self.turns.len()) {
            return None;
        }
        // A turn without an image that moves a point with one.
        let mut looked = 0;
        let open = (0..self.turns.len()).filter(|&turn| known.turn[turn] == UNKNOWN).find_map(|turn| {
            let moves = |&point: &usize| known.image[point] != UNKNOWN && usize::from(self.turns[turn][point]) != point;
            let found = (0..self.points.len()).find(moves);
            looked += found.unwrap_or(self.points.len());
            Some((turn, found?))
        });
        self.step(looked);
        if let Some((turn, point)) = open {
            let (from, to) = (known.image[point], known.image[usize::from(self.turns[turn][point])]);
            for other in 0..self.turns.len() {
                let moved = self.turns[other][usize::from(from)];
                let is_possible = self.kinds[other] == self.kinds[turn]
                    && moved != from
                    && (to == UNKNOWN || to == moved)
                    && !known.turn.contains(&(other as u16));
                if is_possible {
                    let mut more = known.clone();
                    more.turn[turn] = other as u16;
                    let points = (0..self.points.len()).filter(|&point| more.image[point] != UNKNOWN).collect();
                    let found = self.follow(&mut more, points).then(|| self.extended(more)).flatten();
                    if found.is_some() {
                        return found;
                    }
                }
            }
            return None;
        }
        let Some(point) = self.order.iter().copied().find(|&point| known.image[point] == UNKNOWN) else {
            let is_symmetry = self.is_symmetry(&known);
            return is_symmetry.then(|| Symmetry { points: known.image.into(), turns: known.turn.into() });
        };
        for to in 0..self.points.len() {
            if !known.taken[to] && self.can_be(point, to) {
                let mut more = known.clone();
                (more.image[point], more.taken[to]) = (to as u16, true);
                let found = self.follow(&mut more, vec![point]).then(|| self.extended(more)).flatten();
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Adds the consequences of the known images of some points. `false` at a contradiction.
    fn follow(&mut self, known: &mut Partial, mut points: Vec<usize>) -> bool {
        if !self.step(self.points.len()) {
            return false;
        }
        while let Some(point) = points.pop() {
            self.step(self.turns.len());
            for (turn, &other) in self.turns.iter().zip(&known.turn) {
                if other == UNKNOWN {
                    continue;
                }
                let next = usize::from(turn[point]);
                let image = self.turns[usize::from(other)][usize::from(known.image[point])];
                if known.image[next] == image {
                    continue;
                }
                if known.image[next] != UNKNOWN
                    || known.taken[usize::from(image)]
                    || !self.can_be(next, usize::from(image))
                {
                    return false;
                }
                (known.image[next], known.taken[usize::from(image)]) = (image, true);
                points.push(next);
            }
        }
        true
    }

    /// Whether a point's orbit may take the place of another's.
    fn can_be(&self, point: usize, image: usize) -> bool {
        self.sizes[self.points[point][1]] == self.sizes[self.points[image][1]]
    }

    /// Whether places go to places, with orientations all turned alike or all turned back, and pieces that look alike to pieces
    /// that look alike; and the solved pattern to itself.
    fn is_symmetry(&self, known: &Partial) -> bool {
        let image = |point: usize| self.points[usize::from(known.image[point])];
        let mut classes = BTreeMap::new();
        let mut first = 0;
        while first < self.points.len() {
            let [orbit, place, _] = self.points[first];
            let orientations = self.sizes[place][1];
            let [orbit_image, place_image, twist] = image(first);
            let step = |at: usize| (image(first + at)[2] + orientations - twist) % orientations;
            let is_turned = (0..orientations).all(|at| {
                image(first + at)[..2] == [orbit_image, place_image]
                    && step(at) == step(1 % orientations) * at % orientations
            });
            let class = (orbit_image, self.solved[place_image]);
            if !is_turned
                || class.1.1 != self.solved[place].1
                || *classes.entry((orbit, self.solved[place])).or_insert(class) != class
            {
                return false;
            }
            first += orientations;
        }
        let Some((generators, group)) = &self.goal else { return true };
        generators.iter().all(|generator| {
            let mut conjugate = generator.clone();
            known.image.iter().zip(generator).for_each(|(&image, &point)| {
                conjugate[usize::from(image)] = known.image[usize::from(point)];
            });
            group.contains(conjugate)
        })
    }
}
