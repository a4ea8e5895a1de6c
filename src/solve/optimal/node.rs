//! A node of the search, and what moves do to it.

use std::sync::LazyLock;

use super::bounds::Bounds;
use super::orders::{LookUp, Orders};
use super::{AXES, LONGEST, LOOK_UPS};
use crate::packed_cube::{CubeKernel, PackedCube};
use twistbase_puzzle::cube3::{CanonicalState, Cube, Metric, Move, Symmetry};

/// A position to be solved in exactly `left` moves, between moves made before and moves made after.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptimalNode {
    /// How the position, then its inverse, looks along each axis.
    seen: [PackedCube; LOOK_UPS],
    /// The bounds of these.
    pub bounds: Bounds,
    pub left: u8,
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
pub(super) enum End {
    /// It is the first of the rest: the position moves on.
    Front = 0,
    /// It is the last of the rest: the inverse moves on, by the inverse move.
    Back = 1,
}

impl End {
    /// The move that the side that moves on makes for a turn at this end; and the turn, from that move.
    #[inline(always)]
    pub fn made(self, turn: Move) -> Move {
        match self {
            Self::Front => turn,
            Self::Back => turn.inverse(),
        }
    }
}

impl OptimalNode {
    /// A position to be solved in `left` moves.
    pub fn start(position: &Cube, bounds: Bounds, left: u8) -> Self {
        let sides = [*position, position.inverse()];
        let seen =
            std::array::from_fn(|look_up| PackedCube::of(&rotations()[look_up % AXES].of(&sides[look_up / AXES])));
        let (front, back, path) = (CanonicalState::START, CanonicalState::START, [0; LONGEST as usize]);
        Self { seen, bounds, left, front, back, path, before: 0, after: 0 }
    }

    /// The same after a move, the first of the rest; `None` if it is not allowed there. Its bounds are not changed.
    pub fn turned<K: CubeKernel>(&self, kernel: K, tables: &MoveTables, turn: Move, metric: Metric) -> Option<Self> {
        self.after(kernel, tables, End::Front, turn, self.bounds, metric)
    }

    /// The same position with another number of moves left.
    pub fn with_left(self, left: u8) -> Self {
        Self { left, ..self }
    }

    /// The same position with turns of the opposite face allowed whatever was turned last.
    pub fn in_any_order(self) -> Self {
        let is_second = self.front.last().is_some_and(|turn| turn.face() > turn.face().opposite());
        Self { front: if is_second { CanonicalState::START } else { self.front }, ..self }
    }

    /// How many moves may follow those made before.
    pub fn follow(&self, metric: Metric) -> u32 {
        self.front.allowed(metric).count_ones()
    }

    /// How the position, then its inverse, looks along each axis.
    pub fn seen(&self) -> &[PackedCube; LOOK_UPS] {
        &self.seen
    }

    /// The moves made, when none is left.
    pub fn moves(&self) -> Vec<Move> {
        let before = self.path[..usize::from(self.before)].iter();
        let after = self.path[usize::from(LONGEST - self.after)..].iter();
        before.chain(after).filter_map(|&turn| Move::from_index(turn.into())).collect()
    }

    /// The last move made before and the first made after.
    pub fn neighbours(&self) -> [Option<Move>; 2] {
        [self.front.last(), self.back.last()]
    }

    /// The moves that may be made at an end, a bit each.
    ///
    /// A bound that equals what is left tells that no solution of this length ends (for the inverse: begins) with a
    /// turn of that axis: without it a shorter one would lead into the subgroup.
    #[inline(always)]
    pub fn allowed(&self, end: End, metric: Metric) -> u32 {
        let state = match end {
            End::Front => self.front.allowed(metric),
            End::Back => self.back.allowed_before(metric),
        };
        state & TURNS_OF_OTHER_AXES[self.bounds.axes_at_least(end == End::Front, self.left) as usize]
    }

    /// How the position, or the inverse, looks along an axis after a move of the side that moves on.
    #[inline(always)]
    pub fn seen_after<K: CubeKernel>(
        &self,
        kernel: K,
        tables: &MoveTables,
        look_up: LookUp,
        made: usize,
    ) -> PackedCube {
        let seen = &self.seen[look_up.number()];
        let turn = &tables.turns[usize::from(look_up.is_of_moved())][look_up.axis()][made % TURNS];
        let (a, b) = if look_up.is_of_moved() { (seen, turn) } else { (turn, seen) };
        kernel.product(a, b)
    }

    /// After a move at an end; `None` if it is not allowed there.
    #[inline(always)]
    pub fn after<K: CubeKernel>(
        &self,
        kernel: K,
        tables: &MoveTables,
        end: End,
        turn: Move,
        bounds: Bounds,
        metric: Metric,
    ) -> Option<Self> {
        let made = end.made(turn).index();
        // Not `array::from_fn`, which is compiled without the kernel's instructions.
        let mut seen = self.seen;
        for (number, seen) in seen.iter_mut().enumerate() {
            *seen = self.seen_after(kernel, tables, LookUp::new(number, end), made);
        }
        let mut next = Self { seen, bounds, left: self.left - 1, ..*self };
        match end {
            End::Front => {
                next.front = self.front.next(metric, turn)?;
                next.path[usize::from(self.before)] = turn.index() as u8;
                next.before += 1;
            }
            End::Back => {
                next.back = self.back.before(metric, turn)?;
                next.path[usize::from(LONGEST - 1 - self.after)] = turn.index() as u8;
                next.after += 1;
            }
        }
        Some(next)
    }

    /// Whether a move solves the position.
    #[inline(always)]
    pub fn is_solved_by(&self, tables: &MoveTables, turn: Move) -> bool {
        // What its inverse makes.
        self.seen[0] == tables.turns[0][0][turn.index()]
    }

    /// With a last move before the moves made after.
    pub fn ended(mut self, turn: Move) -> Self {
        self.path[usize::from(self.before)] = turn.index() as u8;
        self.before += 1;
        self
    }
}

/// By a bit for each axis: the turns that are of none of these, U and D, R and L, F and B.
const TURNS_OF_OTHER_AXES: [u32; 1 << AXES] = {
    let mut turns = [0; 1 << AXES];
    let mut pair = 0;
    while pair < turns.len() * AXES {
        let (axes, axis) = (pair / AXES, pair % AXES);
        if axes >> axis & 1 == 0 {
            turns[axes] |= 0o7007 << (3 * axis);
        }
        pair += 1;
    }
    turns
};

/// The moves, rounded up to a power of 2.
const TURNS: usize = 32;

/// What the moves do, and in which order look-ups are best made.
pub(super) struct MoveTables {
    /// As they look along each axis: the inverses of the moves, and the moves.
    turns: [[[PackedCube; TURNS]; AXES]; 2],
    pub orders: Orders,
}

impl MoveTables {
    /// The only instance.
    pub fn get() -> &'static Self {
        static TABLES: LazyLock<MoveTables> = LazyLock::new(|| {
            let seen = |rotation: Symmetry, inverse: bool| {
                std::array::from_fn(|index| {
                    let turn = Move::from_index(index % Move::COUNT).expect("below 18");
                    let turn = if inverse { turn.inverse() } else { turn };
                    PackedCube::of(&rotation.of_move(turn).cube())
                })
            };
            let turns = [true, false].map(|inverse| rotations().map(|rotation| seen(rotation, inverse)));
            MoveTables { turns, orders: Orders::new() }
        });
        &TABLES
    }
}

/// Per axis: the rotation that makes its turns those of U and D.
pub(super) fn rotations() -> [Symmetry; AXES] {
    std::array::from_fn(|axis| {
        let turn = Move::from_index(3 * axis).expect("below 18");
        let mut rotations = [0, 16, 32].into_iter().map(Symmetry::from_index);
        rotations.find(|rotation| rotation.of_move(turn).index() % 9 < 3).expect("brings it to U or D")
    })
}
