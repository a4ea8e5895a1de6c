//! In which order a position is best looked up.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bounds::Bounds;
use super::heuristic::{Heuristic, bound_of};
use super::node::End;
use super::{AXES, LONGEST, LOOK_UPS};
use crate::packed_cube::PackedCube;
use twistbase_puzzle::cube3::random_cube;

/// The look-ups of a position after a move, a byte each, the first in the lowest byte; see [`LookUp`].
pub(super) type LookUps = u64;

/// One of the six look-ups, as a byte: its number, its axis, and whether it is of the side that moved on.
#[derive(Debug, Clone, Copy)]
pub(super) struct LookUp(u8);

const AXIS_SHIFT: u32 = 3;
const MOVED: u8 = 1 << 5;

impl LookUp {
    /// That number, after a move at an end.
    pub const fn new(number: usize, end: End) -> Self {
        let moved = if number / AXES == end as usize { MOVED } else { 0 };
        Self(number as u8 | ((number % AXES) as u8) << AXIS_SHIFT | moved)
    }

    /// Takes the first of some.
    #[inline(always)]
    pub fn first(look_ups: LookUps) -> Self {
        Self(look_ups as u8)
    }

    /// Puts it before others.
    #[inline(always)]
    pub const fn before(self, look_ups: LookUps) -> LookUps {
        look_ups << 8 | self.0 as u64
    }

    /// Its number, 0..6.
    #[inline(always)]
    pub fn number(self) -> usize {
        usize::from(self.0 & 7)
    }

    /// Its axis.
    #[inline(always)]
    pub fn axis(self) -> usize {
        usize::from(self.0 >> AXIS_SHIFT & 3)
    }

    /// Whether it is of the side that moved on.
    #[inline(always)]
    pub fn is_of_moved(self) -> bool {
        self.0 & MOVED != 0
    }
}

/// By what the bound before leaves to spare, 0, 1 or more moves: a figure that a look-up of the side that moves on,
/// whose bound changes by one at most, is ranked by, against the part of all positions that one of the other side lets
/// through. Chosen because few look-ups come of it; with the rates that were counted there are more
/// (`schema/decisions/optimal-search.md`).
const LET_THROUGH: [f64; 3] = [0.1, 0.5, 1.0];
/// Sets of spare moves along three axes, times places in between which a look-up is worth that can see anything.
const ORDERS: usize = 27 * 3;

/// By moves left: how the part of all positions that a look-up lets through compares with [`LET_THROUGH`].
pub(super) type Others = [u8; LONGEST as usize + 1];

/// Positions that a table is judged by.
const SAMPLE: usize = 4096;

/// Judges a table by random positions, the same each time.
pub(super) fn judge<G: Heuristic>(heuristic: &G) -> Others {
    if !G::TELLS_BOUNDS {
        return [0; LONGEST as usize + 1];
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut bounds: [u8; SAMPLE] =
        std::array::from_fn(|_| bound_of(heuristic, &PackedCube::of(&random_cube(&mut rng))));
    bounds.sort_unstable();
    std::array::from_fn(|left| {
        let part = bounds.partition_point(|&bound| usize::from(bound) <= left) as f64 / SAMPLE as f64;
        LET_THROUGH[..2].iter().filter(|&&limit| part > limit).count() as u8
    })
}

/// The orders of look-ups after a move: by the end, by what the bounds of the side that moves leave to spare, by how
/// the part that a look-up of the other side lets through compares with [`LET_THROUGH`], and by the axis of the move,
/// along which the other side's bound is known.
pub(super) struct Orders([[[LookUps; AXES]; ORDERS]; 2]);

impl Orders {
    pub fn new() -> Self {
        let middle =
            [LET_THROUGH[0] / 2.0, (LET_THROUGH[0] + LET_THROUGH[1]) / 2.0, (LET_THROUGH[1] + LET_THROUGH[2]) / 2.0];
        let mut orders = [[[0; AXES]; ORDERS]; 2];
        for (end, number, axis) in [End::Front, End::Back]
            .into_iter()
            .flat_map(|end| (0..ORDERS).flat_map(move |number| (0..AXES).map(move |axis| (end, number, axis))))
        {
            let (spare, other) = ([number / 3 % 3, number / 9 % 3, number / 27], middle[number % 3]);
            let part = |&place: &usize| spare.get(place).map_or(other, |&spare| LET_THROUGH[spare]);
            // The side that moves on first.
            let mut places: Vec<_> = (0..LOOK_UPS).filter(|&place| place != AXES + axis).collect();
            places.sort_by(|a, b| part(a).total_cmp(&part(b)));
            let look_up = |place: usize| LookUp::new((place + AXES * end as usize) % LOOK_UPS, end);
            orders[end as usize][number][axis] =
                places.iter().rev().fold(0, |look_ups, &place| look_up(place).before(look_ups));
        }
        Self(orders)
    }

    /// By the axis of the move, the look-ups after a move at an end, when `left` moves were left before it.
    #[inline(always)]
    pub fn of(&self, end: End, bounds: Bounds, left: u8, others: &Others) -> &[LookUps; AXES] {
        let spare = |axis: usize| usize::from((left - bounds.get(AXES * end as usize + axis)).min(2));
        let number = (spare(0) + 3 * spare(1) + 9 * spare(2)) * 3 + usize::from(others[usize::from(left) - 1]);
        &self.0[end as usize][number]
    }
}
