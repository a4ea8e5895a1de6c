//! A solver of cosets of the cover, by their numbers, with its weights.

use super::record::CosetRecord;
use super::recorder::CosetRecorder;
use super::request::remove_checkpoint;
use twistbase_cache::CacheMode;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_puzzle::cube3::{Cover, Cube};
use twistbase_solve::{CosetCheckpoint, CosetEvent, CosetOptions, CosetWeights};
use twistbase_store::Store;

/// Solves cosets of the cover.
pub struct CoverSolver {
    recorder: CosetRecorder,
    checkpoint: Option<CosetCheckpoint>,
}

impl CoverSolver {
    /// Opens the table that is needed.
    ///
    /// # Errors
    /// As [`CosetSolver::open`](twistbase_solve::CosetSolver::open).
    pub fn open(store: &Store, cache: CacheMode, options: CosetOptions, ctx: &Context) -> Result<Self> {
        let checkpoint = options.checkpoint.clone();
        Ok(Self { recorder: CosetRecorder::open(store, cache, options, ctx)?, checkpoint })
    }

    /// The distance of the coset with that number in the cover from H: it has no position that is nearer to solved.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is none.
    pub fn distance(&self, number: u32) -> Result<u8> {
        Ok(self.recorder.distance(coset_of_cover(number)?))
    }

    /// Solves the coset with that number in the cover; `on` hears of levels and of positions that are to be listed.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is none; as [`CosetSolver::solve`](twistbase_solve::CosetSolver::solve).
    pub fn solve(&mut self, number: u32, on: &mut dyn FnMut(CosetEvent<'_>) -> Result<()>) -> Result<CosetRecord> {
        let sequence = self.recorder.sequence_into(coset_of_cover(number)?)?;
        let representative = sequence.apply(&Cube::SOLVED);
        let weights = CosetWeights::of_cover(&representative);
        self.recorder.solve(&representative, weights.as_ref(), on)
    }

    /// Removes the checkpoint of a coset whose result is stored, if checkpoints are made.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget_checkpoint(&self, number: u32) -> Result<()> {
        remove_checkpoint(self.checkpoint.as_ref(), coset_of_cover(number)?)
    }
}

/// The coset with that number in the cover.
pub(super) fn coset_of_cover(number: u32) -> Result<CosetOfH> {
    Cover::get().coset(number).ok_or_else(|| Error::Usage(format!("the cover has no coset {number}")))
}
