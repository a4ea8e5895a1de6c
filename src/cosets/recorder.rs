//! A solver that makes records.

use std::time::Instant;

use super::record::CosetRecord;
use twistbase_cache::CacheMode;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_puzzle::cube3::{Cube, MoveSequence};
use twistbase_solve::{CosetEvent, CosetOptions, CosetSolver, CosetWeights, TableBytes};
use twistbase_store::Store;

/// A solver over the table `phase1` of a store, whose results become records.
pub(super) struct CosetRecorder {
    solver: CosetSolver<TableBytes>,
    ctx: Context,
}

impl CosetRecorder {
    pub fn open(store: &Store, cache: CacheMode, options: CosetOptions, ctx: &Context) -> Result<Self> {
        let solver = CosetSolver::open(store, options, cache, ctx)?;
        Ok(Self { solver, ctx: ctx.clone() })
    }

    /// A shortest sequence into a coset.
    pub fn sequence_into(&self, coset: CosetOfH) -> Result<MoveSequence> {
        self.solver.sequence_into(coset)
    }

    /// The distance of a coset from H.
    pub fn distance(&self, coset: CosetOfH) -> u8 {
        self.solver.distance(coset)
    }

    /// Solves the coset of a position.
    pub fn solve(
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
}
