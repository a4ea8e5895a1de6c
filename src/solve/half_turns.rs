//! Half-turn reduction from any position: the fewest moves after which half turns alone solve the cube.
//!
//! These positions are in H along each of the three axes, so the moves to H along an axis are a lower bound for IDA*. Where all three are
//! equal, one more move is needed: the last move belongs to H along some axis, so the position before it is already in H there.

use std::collections::HashSet;
use std::ops::{ControlFlow, Deref};

use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::{CORNERS, CanonicalState, Cube, Face, Metric, Move, Symmetry};
use twistbase_query::cube3::Cosets;
use twistbase_store::Entries;

/// Nodes between two checks of the context.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;

/// Finds shortest half-turn reductions; `T` refers to the moves to H.
#[derive(Debug)]
pub struct HalfTurnReduction<T> {
    to_h: T,
    /// For each axis, the rotation that carries it to that of U, and what moves become.
    axes: [(Symmetry, [Move; Move::COUNT]); 3],
    /// The 96 orders of corners that half turns make.
    corners: HashSet<[u8; CORNERS]>,
}

/// A search for sequences of one length.
struct Search<'a, T> {
    reduction: &'a HalfTurnReduction<T>,
    path: Vec<Move>,
    found: Vec<Vec<Move>>,
    is_first_enough: bool,
    nodes: u64,
    ctx: &'a Context,
}

impl<T> HalfTurnReduction<T> {
    /// Over a complete table of moves to H, in half turns.
    pub fn over(to_h: T) -> Self {
        let view = |face| Symmetry::rotations().find(|rotation| rotation.of_face(face) == Face::U);
        let axes = [Face::U, Face::F, Face::R].map(|face| {
            let view = view(face).unwrap_or(Symmetry::IDENTITY);
            (
                view,
                std::array::from_fn(|number| {
                    Move::from_index(number).map_or(Move::new(face, 1), |turn| view.of_move(turn))
                }),
            )
        });
        let (mut corners, mut open) = (HashSet::new(), vec![Cube::SOLVED]);
        while let Some(cube) = open.pop() {
            if corners.insert(*cube.corners()) {
                open.extend(Face::ALL.map(|face| cube.turned(Move::new(face, 2))));
            }
        }
        Self { to_h, axes, corners }
    }
}

impl<T, E> HalfTurnReduction<T>
where
    T: Deref<Target = Cosets<E>>,
    E: Entries,
{
    /// All shortest sequences after which half turns solve a position, or the first of them.
    ///
    /// # Errors
    /// Those of the table; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn solutions(&self, position: &Cube, is_first_enough: bool, ctx: &Context) -> Result<Vec<Vec<Move>>> {
        let cubes = std::array::from_fn(|axis| self.axes[axis].0.of(position));
        let mut search =
            Search { reduction: self, path: Vec::new(), found: Vec::new(), is_first_enough, nodes: 0, ctx };
        for moves in 0.. {
            let _ = search.visit(&cubes, moves, CanonicalState::START)?;
            if !search.found.is_empty() {
                break;
            }
        }
        Ok(search.found)
    }

    /// Whether a position may be reduced by so many moves.
    fn may_reach(&self, cubes: &[Cube; 3], moves: u8) -> Result<bool> {
        let mut as_far = 0;
        for cube in cubes {
            let bound = self.to_h.distance(cube)?.moves();
            if bound > moves {
                return Ok(false);
            }
            as_far += usize::from(bound == moves);
        }
        Ok(moves == 0 || as_far < cubes.len())
    }
}

impl<T, E> Search<'_, T>
where
    T: Deref<Target = Cosets<E>>,
    E: Entries,
{
    fn visit(&mut self, cubes: &[Cube; 3], left: u8, state: CanonicalState) -> Result<ControlFlow<()>> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_BETWEEN_CHECKS) {
            self.ctx.check()?;
        }
        if !self.reduction.may_reach(cubes, left)? {
            return Ok(ControlFlow::Continue(()));
        }
        if left == 0 {
            if !self.reduction.corners.contains(cubes[0].corners()) {
                return Ok(ControlFlow::Continue(()));
            }
            self.found.push(self.path.clone());
            return Ok(if self.is_first_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        }
        for turn in Move::all() {
            let Some(next) = state.next(Metric::Htm, turn) else { continue };
            let axes = &self.reduction.axes;
            let there = std::array::from_fn(|axis| cubes[axis].turned(axes[axis].1[turn.index()]));
            self.path.push(turn);
            let flow = self.visit(&there, left - 1, next)?;
            self.path.pop();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
