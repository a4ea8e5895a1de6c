//! Levels that are known already.

use rayon::prelude::*;

use crate::orientation::pull::PullableOrientations;
use crate::orientation::representation::{OrientationPlanes, OrientationSet, PartMarks};
use twistbase_core::error::Result;

use super::search::OrientationSearch;

/// Levels of a space of edge orientations that are known already; all of them below 2^P - 1.
pub struct KnownOrientations<'a, S: OrientationSet, const P: usize> {
    /// Every state at this level or nearer has its level, no other has one.
    pub depth: u8,
    /// Is given the blocks of every row, empty, to enter the levels.
    pub enter: &'a mut EnterOrientations<'a, S, P>,
}

/// Enters levels into the blocks of every row.
pub type EnterOrientations<'a, S, const P: usize> = dyn FnMut(&mut [&mut [OrientationPlanes<S, P>]]) -> Result<()> + 'a;

impl<S: PullableOrientations, const P: usize> OrientationSearch<'_, S, P> {
    /// Enters the known levels, and counts them; the last one is pulled from next.
    pub(super) fn continue_from(&mut self, known: KnownOrientations<'_, S, P>) -> Result<()> {
        let shape = *self.prepared.space.shape();
        assert!(shape.gathered == 0 && known.depth < OrientationPlanes::<S, P>::MODULUS);
        let all: Vec<usize> = (0..shape.rows).collect();
        let mut rows: Vec<&mut [OrientationPlanes<S, P>]> =
            self.rows.rows_mut(&all).into_iter().map(bytemuck::cast_slice_mut).collect();
        (known.enter)(&mut rows)?;
        let marks: Vec<_> = self.frontier.parts.rows_mut(0).zip(&mut self.frontier.live).collect();
        rows.par_iter().zip(marks).zip(&mut self.counts).for_each(|((blocks, (last, live)), counts)| {
            let count = |code| blocks.iter().map(|planes| u64::from(planes.of(code).count())).sum();
            *counts = (0..=known.depth).map(OrientationPlanes::<S, P>::code).map(count).collect();
            let code = OrientationPlanes::<S, P>::code(known.depth);
            let is_last = |planes: &OrientationPlanes<S, P>| planes.of(code) != S::EMPTY;
            let parts = PartMarks::mark(last, blocks.chunks(shape.groups).map(|blocks| blocks.iter().any(is_last)));
            *live = parts.count() > 0;
        });
        Ok(())
    }
}
