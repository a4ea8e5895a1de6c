//! A solver of cosets of the cover, by their numbers, with its weights.

use std::time::Instant;

use super::record::CosetRecord;
use twistbase_cache::CacheMode;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_puzzle::cube3::{Cover, Cube};
use twistbase_solve::{CosetEvent, CosetOptions, CosetSolver, CosetWeights, TableBytes};
use twistbase_store::Store;

/// Solves cosets of the cover.
pub struct CoverSolver {
    solver: CosetSolver<TableBytes>,
    ctx: Context,
}

impl CoverSolver {
    /// Opens the table that is needed.
    ///
    /// # Errors
    /// As [`CosetSolver::open`].
    pub fn open(store: &Store, cache: CacheMode, options: CosetOptions, ctx: &Context) -> Result<Self> {
        Ok(Self { solver: CosetSolver::open(store, options, cache, ctx)?, ctx: ctx.clone() })
    }

    /// The distance of a coset from H: it has no position that is nearer to solved.
    pub(super) fn distance(&self, coset: CosetOfH) -> u8 {
        self.solver.distance(coset)
    }

    /// Solves the coset with that number in the cover; `on` hears of levels and of positions that are to be listed.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is none; as [`CosetSolver::solve`].
    pub fn solve(&mut self, number: u32, on: &mut dyn FnMut(CosetEvent<'_>) -> Result<()>) -> Result<CosetRecord> {
        let (representative, weights) = self.nearest(coset_of_cover(number)?)?;
        self.solve_position(&representative, weights.as_ref(), on)
    }

    /// A position of a coset that is nearest to solved, and the weights of its coset's positions in the cover.
    pub(super) fn nearest(&self, coset: CosetOfH) -> Result<(Cube, Option<CosetWeights>)> {
        let representative = self.solver.sequence_into(coset)?.apply(&Cube::SOLVED);
        Ok((representative, CosetWeights::of_cover(&representative)))
    }

    /// Solves the coset of a position.
    pub(super) fn solve_position(
        &mut self,
        representative: &Cube,
        weights: Option<&CosetWeights>,
        on: &mut dyn FnMut(CosetEvent<'_>) -> Result<()>,
    ) -> Result<CosetRecord> {
        let started = Instant::now();
        let result = self.solver.solve(representative, weights, &self.ctx, on)?;
        let (coset, time) = (CosetOfH::of(representative), started.elapsed());
        Ok(CosetRecord::new(coset, &result, self.solver.options(), weights.is_some(), time))
    }

    /// Removes the checkpoint of a coset whose result is stored, if checkpoints are made.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget_checkpoint(&self, number: u32) -> Result<()> {
        self.solver.options().forget_checkpoint(coset_of_cover(number)?)
    }
}

/// The coset with that number in the cover.
pub(super) fn coset_of_cover(number: u32) -> Result<CosetOfH> {
    Cover::get().coset(number).ok_or_else(|| Error::Usage(format!("the cover has no coset {number}")))
}
