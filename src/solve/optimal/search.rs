//! The search from some positions to a depth.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::guide::Guide;
use super::shared::Shared;
use super::{LONGEST, LOOK_UPS, on_this_processor};
use crate::error::Result;
use crate::puzzle::cube3::{CanonicalState, Cube, Metric, Move, Symmetry, random_cube};
use crate::solve::pieces::{Kernel, Pieces, Portable, Work};

/// Positions that are gone on from at once.
///
/// What they need from the table misses the processor's caches, but a processor has a dozen misses and more under way if
/// none waits for another: so the moves of many positions are made first, then looked up one after the other.
const WAVE: usize = 32;
/// The most moves that a wave has to look at.
const CANDIDATES: usize = WAVE * Move::COUNT;
/// Nodes between looks at the clock.
const NODES_BETWEEN_CHECKS: u64 = 1 << 15;
/// The axes.
const AXES: usize = 3;

/// A position to be solved in exactly `left` moves, between moves made before and moves made after.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    position: Pieces,
    inverse: Pieces,
    /// The bounds seen along each axis: of the position, then of its inverse.
    bounds: [u8; LOOK_UPS],
    left: u8,
    /// What may be the first move of the rest, what the last.
    front: CanonicalState,
    back: CanonicalState,
    /// The moves made before, from the start, and after, up to the end; and how many.
    path: [u8; LONGEST as usize],
    before: u8,
    after: u8,
}

/// At which end of the rest a move is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It is the first of the rest: the position moves on.
    Front,
    /// It is the last of the rest: the inverse moves on, by the inverse move.
    Back,
}

impl Node {
    /// A position to be solved in `left` moves.
    pub fn start(position: Pieces, inverse: Pieces, bounds: [u8; LOOK_UPS], left: u8) -> Self {
        let (front, back, path) = (CanonicalState::START, CanonicalState::START, [0; LONGEST as usize]);
        Self { position, inverse, bounds, left, front, back, path, before: 0, after: 0 }
    }

    /// The moves made, when none is left.
    pub fn moves(&self) -> Vec<Move> {
        let before = self.path[..usize::from(self.before)].iter();
        let after = self.path[usize::from(LONGEST - self.after)..].iter();
        before.chain(after).filter_map(|&turn| Move::from_index(turn.into())).collect()
    }

    /// The moves that may be made at an end, a bit each.
    ///
    /// A bound that equals what is left tells that no solution of this length ends (for the inverse: begins) with a turn
    /// of that axis: without it a shorter one would lead into the subgroup.
    #[inline(always)]
    fn allowed(&self, end: End, metric: Metric) -> u32 {
        let (state, bounds) = match end {
            End::Front => (self.front.allowed(metric), &self.bounds[AXES..]),
            End::Back => (self.back.allowed_before(metric), &self.bounds[..AXES]),
        };
        let axis = |axis: usize| if bounds[axis] == self.left { TURNS_OF_AXIS[axis] } else { 0 };
        state & !(axis(0) | axis(1) | axis(2))
    }

    /// After a move at an end that is not ruled out.
    #[inline(always)]
    fn after(&self, candidate: &Candidate, end: End, metric: Metric) -> Option<Self> {
        let &Candidate { turn, bounds, moved, other, .. } = candidate;
        let mut next = Self { bounds, left: self.left - 1, ..*self };
        match end {
            End::Front => {
                (next.position, next.inverse) = (moved, other);
                next.front = self.front.next(metric, turn)?;
                next.path[usize::from(self.before)] = turn.index() as u8;
                next.before += 1;
            }
            End::Back => {
                (next.position, next.inverse) = (other, moved);
                next.back = self.back.before(metric, turn)?;
                next.path[usize::from(LONGEST - 1 - self.after)] = turn.index() as u8;
                next.after += 1;
            }
        }
        Some(next)
    }
}

/// Whether bounds rule out that so many moves, at least 1, are enough: one is greater, or those along all axes are equal, so
/// that no first or no last move is left.
#[inline(always)]
pub(super) fn is_hopeless(bounds: &[u8; LOOK_UPS], left: u8) -> bool {
    let [a, b, c, d, e, f] = *bounds;
    a.min(b).min(c) >= left || d.min(e).min(f) >= left || bounds.iter().any(|&bound| bound > left)
}

/// The turns of U and D, of R and L, of F and B.
const TURNS_OF_AXIS: [u32; AXES] = [0o7007, 0o70070, 0o700700];

/// A move made at a node of the wave.
#[derive(Clone, Copy)]
struct Candidate {
    node: u8,
    turn: Move,
    /// Whether `other` is known.
    whole: bool,
    /// What was seen so far, 0 for what was not.
    bounds: [u8; LOOK_UPS],
    /// The look-up under way: which one it is, the key and the edges of what is looked up, then where it is.
    look_up: u8,
    key: u32,
    edges: [u8; 16],
    index: usize,
    /// Of the position and the inverse, the one that moved on; and the other one.
    moved: Pieces,
    other: Pieces,
}

/// What the moves and the rotations do, and in which order look-ups are best made.
pub(super) struct Tables {
    turns: [Pieces; Move::COUNT],
    /// Per axis: the rotation that brings it to U-D, and its inverse.
    rotations: [[Pieces; 2]; AXES],
    /// See [`order_number`].
    orders: [[u8; LOOK_UPS]; ORDERS],
}

/// By what the bound before leaves to spare, 0, 1 or more moves: a figure that a look-up of the side that moves on, whose bound
/// changes by one at most, is ranked by, against the part of all positions that one of the other side lets through. Chosen
/// because few look-ups come of it; with the rates that were counted there are more (`schema/decisions/optimal-search.md`).
const LET_THROUGH: [f64; 3] = [0.1, 0.5, 1.0];
/// Sets of spare moves along three axes, times places in between which a look-up is worth that can see anything.
const ORDERS: usize = 27 * 3;

/// By moves left: how the part of all positions that a look-up lets through compares with [`LET_THROUGH`].
pub(super) type Others = [u8; LONGEST as usize + 1];

/// Positions that a table is judged by.
const SAMPLE: usize = 4096;

/// Judges a table by random positions, the same each time.
pub(super) fn judge<G: Guide>(guide: &G) -> Others {
    if !G::TELLS_BOUNDS {
        return [0; LONGEST as usize + 1];
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut bounds: [u8; SAMPLE] = std::array::from_fn(|_| bound_of(guide, &Pieces::of(&random_cube(&mut rng))));
    bounds.sort_unstable();
    std::array::from_fn(|left| {
        let part = bounds.partition_point(|&bound| usize::from(bound) <= left) as f64 / SAMPLE as f64;
        LET_THROUGH[..2].iter().filter(|&&limit| part > limit).count() as u8
    })
}

/// The bound of a position that nothing is known of.
fn bound_of<G: Guide>(guide: &G, seen: &Pieces) -> u8 {
    guide.bound(guide.index::<Portable>(guide.key::<Portable>(seen), &seen.edges), 0)
}

/// The bounds of a position and its inverse along all axes.
///
/// # Errors
/// [`Error::Data`](crate::error::Error::Data) (damaged) if the table contradicts itself.
pub(super) fn first_bounds<G: Guide>(guide: &G, position: &Cube) -> Result<[u8; LOOK_UPS]> {
    if !G::TELLS_BOUNDS {
        return guide.first_bounds(rotations().map(|rotation| rotation.of(position)));
    }
    let [position, inverse] = [*position, position.inverse()].map(|cube| Pieces::of(&cube));
    Ok(std::array::from_fn(|look_up| {
        let pieces = if look_up < AXES { &position } else { &inverse };
        let seen = Tables::get().seen::<Portable>(look_up % AXES, pieces);
        bound_of(guide, &seen)
    }))
}

/// The number of the order of look-ups after a move: by what the bounds of the side that moves leave to spare, and by how the
/// part that a look-up of the other side lets through compares with [`LET_THROUGH`].
#[inline(always)]
fn order_number(spare: [u8; AXES], other: usize) -> usize {
    let [a, b, c] = spare.map(|spare| usize::from(spare.min(2)));
    (a + 3 * b + 9 * c) * 3 + other
}

impl Tables {
    /// The only instance.
    pub fn get() -> &'static Self {
        static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
            turns: std::array::from_fn(|turn| Pieces::of(&Move::from_index(turn).expect("below 18").cube())),
            rotations: rotations()
                .map(|rotation| [rotation, rotation.inverse()].map(|symmetry| Pieces::of(symmetry.motion()))),
            orders: orders(),
        });
        &TABLES
    }

    /// How a position looks along an axis.
    #[inline(always)]
    fn seen<K: Kernel>(&self, axis: usize, pieces: &Pieces) -> Pieces {
        if axis == 0 {
            return *pieces;
        }
        let [there, back] = &self.rotations[axis];
        K::product(&K::product(there, pieces), back)
    }
}

/// Per axis, of which [`TURNS_OF_AXIS`] are the turns: the rotation that makes them turns of U and D.
fn rotations() -> [Symmetry; AXES] {
    std::array::from_fn(|axis| {
        let turn = Move::from_index(3 * axis).expect("below 18");
        let mut rotations = [0, 16, 32].into_iter().map(Symmetry::from_index);
        rotations.find(|rotation| rotation.of_move(turn).index() % 9 < 3).expect("brings it to U or D")
    })
}

fn orders() -> [[u8; LOOK_UPS]; ORDERS] {
    let middle =
        [LET_THROUGH[0] / 2.0, (LET_THROUGH[0] + LET_THROUGH[1]) / 2.0, (LET_THROUGH[1] + LET_THROUGH[2]) / 2.0];
    let mut orders = [[0; LOOK_UPS]; ORDERS];
    for number in 0..27 {
        for (other, part) in middle.into_iter().enumerate() {
            let spare = [number % 3, number / 3 % 3, number / 9];
            let mut order: [u8; LOOK_UPS] = std::array::from_fn(|i| i as u8);
            let part = |&look_up: &u8| spare.get(usize::from(look_up)).map_or(part, |&spare| LET_THROUGH[spare]);
            order.sort_by(|a, b| part(a).total_cmp(&part(b)));
            orders[order_number(spare.map(|spare| spare as u8), other)] = order;
        }
    }
    orders
}

/// The search of one thread.
pub(super) struct Search<'s, 'a, G> {
    guide: &'s G,
    shared: &'s Shared<'a>,
    tables: &'static Tables,
    /// Where to go on: from the last first.
    open: Vec<Node>,
    /// The moves of the wave, and which of them are not ruled out.
    candidates: Vec<Candidate>,
    alive: Vec<u16>,
    /// Nodes and look-ups that the shared counts do not have yet.
    nodes: u64,
    look_ups: u64,
}

impl<'s, 'a, G: Guide> Search<'s, 'a, G> {
    pub fn new(guide: &'s G, shared: &'s Shared<'a>) -> Self {
        Self {
            guide,
            shared,
            tables: Tables::get(),
            open: Vec::new(),
            candidates: Vec::with_capacity(CANDIDATES),
            alive: Vec::with_capacity(CANDIDATES),
            nodes: 0,
            look_ups: 0,
        }
    }

    /// Goes on from some nodes, level by level, until there are `enough` of them, and returns these.
    pub fn widen(&mut self, nodes: Vec<Node>, enough: usize) -> Result<Vec<Node>> {
        let mut nodes = nodes;
        while !nodes.is_empty() && nodes.len() < enough && !self.shared.is_over() {
            let mut next = Vec::new();
            for wave in nodes.chunks(WAVE) {
                self.open.extend_from_slice(wave);
                self.wave::<Portable>()?;
                next.append(&mut self.open);
            }
            nodes = next;
        }
        self.spend()?;
        Ok(nodes)
    }

    /// Goes on from a node to the end.
    pub fn run(&mut self, node: Node) -> Result<()> {
        self.open.push(node);
        let result = on_this_processor(&mut *self);
        self.open.clear();
        result.and(self.spend())
    }

    /// Goes on from the last open nodes.
    #[inline(always)]
    fn wave<K: Kernel>(&mut self) -> Result<()> {
        let metric = self.guide.metric();
        let mut wave = ArrayVec::<Node, WAVE>::new();
        wave.extend(self.open.drain(self.open.len().saturating_sub(WAVE)..));
        let (mut ends, mut orders) = ([End::Front; WAVE], [0; WAVE]);
        self.candidates.clear();
        self.nodes += wave.len() as u64;
        for (number, node) in wave.iter().enumerate() {
            let (front, back) = (node.allowed(End::Front, metric), node.allowed(End::Back, metric));
            if node.left == 1 {
                self.finish::<K>(node, front & back)?;
                continue;
            }
            // The end with fewer moves.
            let (end, allowed) = if G::TELLS_BOUNDS && back.count_ones() < front.count_ones() {
                (End::Back, back)
            } else {
                (End::Front, front)
            };
            let (pieces, bounds) = match end {
                End::Front => (&node.position, &node.bounds[..AXES]),
                End::Back => (&node.inverse, &node.bounds[AXES..]),
            };
            let spare = std::array::from_fn(|axis| node.left - bounds[axis]);
            let other = self.shared.others[usize::from(node.left) - 1];
            (ends[number], orders[number]) = (end, order_number(spare, usize::from(other)));
            for turn in Move::of_mask(allowed) {
                let moved = K::product(pieces, &self.tables.turns[end.made(turn).index()]);
                let mut bounds = [0; LOOK_UPS];
                // A turn of an axis at one end does not change what the other end sees along it.
                let same = end.other_side() + turn.face() as usize % AXES;
                bounds[same] = node.bounds[same];
                let node = number as u8;
                let candidate = Candidate {
                    node,
                    turn,
                    whole: false,
                    bounds,
                    look_up: 0,
                    key: 0,
                    edges: moved.edges,
                    index: 0,
                    moved,
                    other: moved,
                };
                self.candidates.push(candidate);
            }
        }
        self.alive.clear();
        self.alive.extend(0..self.candidates.len() as u16);
        for stage in 0..if G::TELLS_BOUNDS { LOOK_UPS - 1 } else { AXES } {
            self.look_ups += self.alive.len() as u64;
            for &at in &self.alive {
                let candidate = &mut self.candidates[usize::from(at)];
                let (node, end) = (&wave[usize::from(candidate.node)], ends[usize::from(candidate.node)]);
                let axis = candidate.turn.face() as usize % AXES;
                let order = &self.tables.orders[orders[usize::from(candidate.node)]];
                let look_up = if G::TELLS_BOUNDS {
                    // The look-up that is known is passed over.
                    let known = order.iter().take(stage + 1).any(|&look_up| usize::from(look_up) == AXES + axis);
                    usize::from(order[stage + usize::from(known)])
                } else {
                    stage
                };
                let pieces = if look_up < AXES {
                    &candidate.moved
                } else {
                    if !candidate.whole {
                        let pieces = match end {
                            End::Front => &node.inverse,
                            End::Back => &node.position,
                        };
                        let back = end.made(candidate.turn).inverse();
                        candidate.other = K::product(&self.tables.turns[back.index()], pieces);
                        candidate.whole = true;
                    }
                    &candidate.other
                };
                candidate.look_up = ((look_up + end.side()) % LOOK_UPS) as u8;
                let seen = self.tables.seen::<K>(look_up % AXES, pieces);
                candidate.key = self.guide.key::<K>(&seen);
                candidate.edges = seen.edges;
            }
            for &at in &self.alive {
                let candidate = &mut self.candidates[usize::from(at)];
                candidate.index = self.guide.index::<K>(candidate.key, &candidate.edges);
                self.guide.prefetch::<K>(candidate.index);
            }
            let mut kept = 0;
            for i in 0..self.alive.len() {
                let at = self.alive[i];
                let candidate = &mut self.candidates[usize::from(at)];
                let left = wave[usize::from(candidate.node)].left - 1;
                let look_up = usize::from(candidate.look_up);
                let before = wave[usize::from(candidate.node)].bounds[look_up];
                candidate.bounds[look_up] = self.guide.bound(candidate.index, before);
                self.alive[kept] = at;
                kept += usize::from(!is_hopeless(&candidate.bounds, left));
            }
            self.alive.truncate(kept);
        }
        for &at in &self.alive {
            let candidate = &self.candidates[usize::from(at)];
            let end = ends[usize::from(candidate.node)];
            self.open.extend(wave[usize::from(candidate.node)].after(candidate, end, metric));
        }
        if self.nodes >= NODES_BETWEEN_CHECKS { self.spend() } else { Ok(()) }
    }

    /// The last move.
    #[inline(always)]
    fn finish<K: Kernel>(&mut self, node: &Node, allowed: u32) -> Result<()> {
        for turn in Move::of_mask(allowed) {
            let [front, back] = [node.front, node.back].map(|state| state.last().map(Move::face));
            // Two quarter turns before and after it would be three of one face.
            let thrice = front == Some(turn.face()) && back == front;
            // The move solves what its inverse makes.
            if !thrice && node.position == self.tables.turns[turn.inverse().index()] {
                let mut node = *node;
                node.path[usize::from(node.before)] = turn.index() as u8;
                node.before += 1;
                self.shared.offer(&node.moves())?;
            }
        }
        Ok(())
    }

    fn spend(&mut self) -> Result<()> {
        self.shared.spend(std::mem::take(&mut self.nodes), std::mem::take(&mut self.look_ups))
    }
}

impl End {
    /// The move that the side that moves on makes for a turn at this end.
    #[inline(always)]
    fn made(self, turn: Move) -> Move {
        match self {
            Self::Front => turn,
            Self::Back => turn.inverse(),
        }
    }

    /// The first look-up of the side that moves on.
    const fn side(self) -> usize {
        match self {
            Self::Front => 0,
            Self::Back => AXES,
        }
    }

    /// The first look-up of the other side.
    const fn other_side(self) -> usize {
        AXES - self.side()
    }
}

impl<G: Guide> Work for &mut Search<'_, '_, G> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<K: Kernel>(self) -> Result<()> {
        while !self.open.is_empty() && !self.shared.is_over() {
            self.wave::<K>()?;
        }
        Ok(())
    }
}
