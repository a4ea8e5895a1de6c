//! The search of the slow modes: all sequences into H, one position at a time.

use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::nibble;
use twistbase_puzzle::cube3::coordinate::{CORNER_ORIENTATIONS, FlipSliceClasses};
use twistbase_puzzle::cube3::{CanonicalState, Cube, Metric, Move};

/// Positions visited between looks at whether to stop.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;

/// A depth-first search with the bytes of `phase1` as its heuristic.
pub(super) struct PlainSearch<'a> {
    pub phase1: &'a [u8],
    pub ctx: &'a Context,
    /// Positions visited.
    pub nodes: u64,
}

impl PlainSearch<'_> {
    /// The distance of a position from H.
    pub fn distance(&self, position: &Cube) -> u8 {
        let place = FlipSliceClasses::get().place(position);
        let number = usize::from(place.class) * CORNER_ORIENTATIONS + usize::from(place.corner_orientation);
        nibble::pick(self.phase1[number / 2], number)
    }

    /// Visits what every canonical sequence of `left` moves that goes on in that state makes of `position`, if it is in
    /// H; `visit` returns whether to go on. Returns whether it did to the end.
    pub fn search(
        &mut self,
        position: &Cube,
        left: u8,
        state: CanonicalState,
        visit: &mut dyn FnMut(&Cube) -> bool,
    ) -> Result<bool> {
        if self.distance(position) > left {
            return Ok(true);
        }
        if left == 0 {
            return Ok(visit(position));
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_BETWEEN_CHECKS) {
            self.ctx.check()?;
        }
        for turn in Move::all() {
            if let Some(state) = state.next(Metric::Htm, turn)
                && !self.search(&position.turned(turn), left - 1, state, visit)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
