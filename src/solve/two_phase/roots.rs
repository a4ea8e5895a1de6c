//! Where phase 1 starts: the views of a position, and what is left of it before a few moves after phase 2.

use std::sync::LazyLock;

use crate::coset_moves::Coset;
use twistbase_core::math::perm8::{Perm8, compose};
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{CanonicalState, Cube, EDGES, Metric, Move, Symmetry};

/// Up to this number of moves less one are made after phase 2.
pub(super) const STAGES: usize = 4;
/// From which length of all moves outside phase 2 on 0, 1, 2, … of them are made after it. Each more makes as many more
/// ways of that length, of which each is as likely as any to be a solution, but takes 13 times the positions to start
/// from: it pays when the next length would take longer.
pub(super) const FIRST_LENGTHS: [u8; STAGES] = [0, 7, 9, 11];

/// Visits what is to be solved by the first two phases if `count` moves come after them, with these moves: the first of
/// them is none of H, or it could be made in phase 2.
///
/// If `x s b` is solved, so is `b x s`.
pub(super) fn for_each_ending(
    metric: Metric,
    position: &Cube,
    count: usize,
    moves: &mut [u8; STAGES - 1],
    state: CanonicalState,
    visit: &mut impl FnMut(&Cube, &[u8; STAGES - 1]),
) {
    if count == 0 {
        return visit(position, moves);
    }
    // Backwards: the inverses of the moves, so that the canonical order is that of a sequence.
    for turn in metric.moves() {
        let Some(state) = state.next(metric, turn.inverse()) else { continue };
        if count > 1 || !turn.is_in_h() {
            moves[count - 1] = turn.index() as u8;
            for_each_ending(metric, &turn.cube().then(position), count - 1, moves, state, visit);
        }
    }
}

/// A position to start phase 1 from.
pub(super) struct PhaseOneRoot {
    /// The view that it belongs to.
    pub view: u8,
    pub coset: Coset,
    /// How far that is from H.
    pub distance: u8,
    pub pieces: Permutations,
    /// The moves after phase 2, and how many.
    pub last: [u8; STAGES - 1],
    pub after: u8,
    /// The moves that phase 1 may begin with, a bit each.
    pub first: u32,
}

impl PhaseOneRoot {
    pub fn last(&self) -> impl Iterator<Item = Move> {
        self.last[..usize::from(self.after)].iter().filter_map(|&turn| Move::from_index(turn.into()))
    }
}

/// The moves that a way into H has to begin with, where one of several ways that are images of each other is enough: of the moves
/// that symmetries of the position turn into each other, the first.
///
/// The first is a turn of U, R or F if one of them is: then turns of the opposite face come after it in canonical order, in its image too.
pub(super) fn first_moves(position: &Cube) -> u32 {
    let of_position: Vec<Symmetry> =
        Symmetry::keeping_axis().filter(|symmetry| symmetry.of(position) == *position).collect();
    let is_first = |turn: &Move| of_position.iter().all(|symmetry| symmetry.of_move(*turn).index() >= turn.index());
    Move::all().filter(is_first).fold(0, |mask, turn| mask | 1 << turn.index())
}

/// The least of the images of a position that take as many moves into H, the same for all of them.
pub(super) fn least_image(position: &Cube) -> Cube {
    Symmetry::keeping_axis().map(|symmetry| symmetry.of(position)).min().unwrap_or(*position)
}

/// The position seen along another axis, or its inverse.
pub(super) struct View {
    pub position: Cube,
    pub axis: Symmetry,
    pub inverted: bool,
}

impl View {
    /// The six ways to look at a position, without those that look the same.
    pub fn all(position: &Cube) -> Vec<Self> {
        let mut views: Vec<Self> = Vec::with_capacity(6);
        for inverted in [false, true] {
            for axis in [0, 16, 32].map(Symmetry::from_index) {
                let position = if inverted { position.inverse() } else { *position };
                let position = axis.of(&position);
                if views.iter().all(|other| other.position != position) {
                    views.push(Self { position, axis, inverted });
                }
            }
        }
        views
    }

    /// Turns a solution of this view into one of the position.
    pub fn translate(&self, moves: &[Move]) -> Vec<Move> {
        let back = self.axis.inverse();
        let moves = moves.iter().map(|&turn| back.of_move(turn));
        if self.inverted { moves.rev().map(Move::inverse).collect() } else { moves.collect() }
    }
}

/// What phase 1 leaves to phase 2: where the pieces are.
#[derive(Clone, Copy)]
pub(super) struct Permutations {
    pub corners: Perm8,
    pub edges: [u8; EDGES],
}

impl Permutations {
    /// What the moves do.
    pub fn turns() -> &'static [Self; Move::COUNT] {
        static TURNS: LazyLock<[Permutations; Move::COUNT]> = LazyLock::new(|| {
            std::array::from_fn(|turn| Permutations::of(&Move::from_index(turn).expect("below 18").cube()))
        });
        &TURNS
    }

    pub fn of(position: &Cube) -> Self {
        Self { corners: *position.corners(), edges: *position.edges() }
    }

    #[inline]
    pub fn then(&self, turn: &Self) -> Self {
        Self {
            corners: compose(&self.corners, &turn.corners),
            edges: turn.edges.map(|from| self.edges[usize::from(from)]),
        }
    }

    /// As a position in H: the middle edges are in their layer.
    pub fn h_position(&self) -> PhaseTwoPosition {
        PhaseTwoPosition {
            corners: self.corners,
            edges: std::array::from_fn(|i| self.edges[i]),
            middle: std::array::from_fn(|i| self.edges[8 + i] & 3),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::images::tests::{SUPERFLIP, position};

    /// The images of what canonical sequences of this number of moves, the first of them of a mask, lead to.
    fn reached(start: &Cube, first: u32, moves: u8) -> HashSet<Cube> {
        let mut at = vec![(*start, CanonicalState::START)];
        for made in 0..moves {
            let mask = |state: CanonicalState| if made == 0 { first } else { state.allowed(Metric::Htm) };
            let next = |(position, state): (Cube, CanonicalState)| {
                Move::of_mask(mask(state))
                    .map(move |turn| (position.turned(turn), state.next(Metric::Htm, turn).unwrap()))
            };
            at = at.into_iter().flat_map(next).collect();
        }
        at.iter().map(|(position, _)| least_image(position)).collect()
    }

    /// With the first moves left out, whatever is reached is still reached, up to symmetry.
    #[test]
    fn first_moves_stand_for_their_images() {
        let all = CanonicalState::START.allowed(Metric::Htm);
        let symmetric = ["U", "U2 D2", "R2", "R L'", "R L", "R2 L2", "U D'", "R2 L2 U2 D2 F2 B2", "R L' U D' F B'"];
        for (moves, count) in
            [(SUPERFLIP, Some(4)), ("", Some(4)), ("R U F' L2 D", Some(18)), ("F2 B2 U D' R2 L2 U D'", None)]
                .into_iter()
                .chain(symmetric.map(|moves| (moves, None)))
        {
            let (start, first) = (position(moves), first_moves(&position(moves)));
            let fewer = count.unwrap_or(17);
            assert!(first.count_ones() <= fewer && count.is_none_or(|count| first.count_ones() == count), "{moves}");
            for moves in 1..=3 {
                assert!(reached(&start, first, moves) == reached(&start, all, moves));
            }
        }
    }
}
