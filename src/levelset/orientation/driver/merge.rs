//! All levels as one, to be pulled from.

use rayon::prelude::*;

use crate::orientation::pull::PullableOrientations;
use crate::orientation::representation::{OrientationPlanes, OrientationSet, PartMarks};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::simd::{VectorWork, in_wide_registers};

use super::search::OrientationSearch;

impl<S: PullableOrientations, const P: usize> OrientationSearch<'_, S, P> {
    /// Makes one level of all levels, to be pulled from.
    pub(super) fn merge_levels(&mut self, ctx: &Context) -> Result<()> {
        let shape = *self.prepared.space.shape();
        let at_once = self.rows.slots().min(shape.rows);
        for first in (0..shape.rows).step_by(at_once) {
            ctx.check()?;
            let rows: Vec<usize> = (first..shape.rows.min(first + at_once)).collect();
            self.rows.bring(&rows)?;
            let marks: Vec<_> = self.frontier.parts.rows_mut(first).collect();
            self.rows.rows_mut(&rows).into_par_iter().zip(marks).for_each(|(sets, marks)| {
                let (planes, _) = shape.split_mut::<S, P>(sets);
                in_wide_registers(MergeLevels { planes, groups: shape.groups, marks });
            });
        }
        for (live, counts) in self.frontier.live.iter_mut().zip(&self.counts) {
            *live = counts.iter().any(|&count| count > 0);
        }
        Ok(())
    }
}

/// All levels of a row, to be made one.
struct MergeLevels<'a, S: OrientationSet, const P: usize> {
    planes: &'a mut [OrientationPlanes<S, P>],
    groups: usize,
    /// The words that mark the parts with any reached state.
    marks: &'a mut [u64],
}

impl<S: OrientationSet, const P: usize> VectorWork for MergeLevels<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { planes, groups, marks } = self;
        planes.iter_mut().for_each(OrientationPlanes::merge_levels);
        let is_reached = |planes: &OrientationPlanes<S, P>| planes.planes()[0] != S::EMPTY;
        match groups {
            1 => PartMarks::mark(marks, planes.iter().map(is_reached)),
            _ => PartMarks::mark(marks, planes.chunks(groups).map(|planes| planes.iter().any(is_reached))),
        };
    }
}
