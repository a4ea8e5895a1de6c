//! The H-coset solver: all 19,508,428,800 positions of a coset of H = ⟨U, D, R2, F2, L2, B2⟩, by the number of moves.
//!
//! From a representative `r`, the solver goes through all sequences `s` that lead into H. What such a sequence reaches,
//! `h = r s`, is a bit of a bitmap; `s` solves the position `h⁻¹ r`, which differs from `r` by an element of H only and is
//! what the bit stands for. A bit first set at depth `d` is a position at distance `d`.
//!
//! Nearly all sequences end in moves of H. Those are not searched: a *prepass* extends all positions found so far by the ten
//! moves of H at once (`levelset`'s step on whole blocks of bits). A level that was searched after the prepass is exact; one
//! that had the prepass alone gives upper bounds.
//!
//! The method is Tomas Rokicki's (hcoset).

mod options;
mod report;
mod weights;

pub use options::{CosetCheckpoint, CosetMode, CosetOptions};
pub use report::{CosetEvent, CosetLevel, CosetResult};
pub use weights::CosetWeights;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::puzzle::cube3::Cube;

/// Positions of a coset: 8! × 8! × 4! / 2.
pub const COSET_POSITIONS: u64 = 40_320 * 40_320 * 24 / 2;

/// The coset solver over the bytes of `phase1`. Its bitmaps are allocated once, and used for one coset after another.
#[derive(Debug)]
pub struct CosetSolver<B> {
    phase1: B,
    options: CosetOptions,
}

impl<B: AsRef<[u8]> + Sync> CosetSolver<B> {
    /// Bytes of memory that a solver with these options needs besides `phase1`.
    pub fn working_set(options: &CosetOptions) -> u64 {
        let _ = options;
        0
    }

    /// The solver over the bytes of `phase1`, row after row.
    ///
    /// # Errors
    /// [`Error::Usage`] when their length is not the table's or the options contradict each other, [`Error::Budget`]
    /// when [`Self::working_set`] exceeds the options' memory or it cannot be had.
    pub fn new(phase1: B, options: CosetOptions) -> Result<Self> {
        Ok(Self { phase1, options })
    }

    /// How it solves.
    pub fn options(&self) -> &CosetOptions {
        &self.options
    }

    /// Solves the coset of `representative`; `tell` hears of each level when it is finished, and of the positions that are
    /// to be listed. Uses the threads of rayon's pool.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; those of `tell`, which end the search; [`Error::Io`] and [`Error::Data`] (damaged) about a
    /// checkpoint, [`Error::Usage`] if it is of something else.
    pub fn solve(
        &mut self,
        representative: &Cube,
        weights: Option<&CosetWeights>,
        ctx: &Context,
        tell: &mut dyn FnMut(CosetEvent<'_>) -> Result<()>,
    ) -> Result<CosetResult> {
        let _ = (representative, weights, ctx, tell, &self.phase1);
        Err(Error::Usage("the coset solver is not finished".to_owned()))
    }
}
