//! What the searches of one position share: the best solution, the budgets.

use std::sync::atomic::{AtomicI16, Ordering};
use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;

use super::to_h::ToH;
use super::{Limits, Stopped};
use twistbase_core::context::SharedMeter;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_puzzle::cube3::{Cube, Metric, Move};
use twistbase_query::cube3::PhaseTwo;
use twistbase_store::FlatTable;

/// What the searches of one position share.
pub(super) struct TwoPhaseShared<'a> {
    /// How moves are counted.
    pub metric: Metric,
    pub position: Cube,
    /// The names of the tables, for errors.
    pub tables: ArrayVec<&'static str, 3>,
    /// The tables of the phases: what their bytes are held in is asked once, not for each look-up.
    pub to_h: ToH<'a>,
    pub bounds: PhaseTwo<FlatTable<&'a [u8]>>,
    /// The length of solution to stop at, no more than what is wanted at most.
    pub target: u8,
    pub limits: &'a Limits,
    pub meter: SharedMeter<'a>,
    /// Only solutions of at most this number of moves are of interest; -1 after the empty one.
    pub bound: AtomicI16,
    pub best: Mutex<Best<'a>>,
}

/// The shortest solution so far, and who is told of a shorter one.
pub(super) struct Best<'a> {
    pub solution: Option<Vec<Move>>,
    pub improved: &'a mut (dyn FnMut(&[Move], u64) + Send),
}

impl TwoPhaseShared<'_> {
    /// Why to stop after the ways into H of `length` moves have been tried.
    pub fn stopped(&self, length: u8) -> Option<Stopped> {
        let bound = self.bound.load(Ordering::Relaxed);
        if bound < self.target.into() {
            Some(Stopped::Target)
        } else if self.meter.is_spent() {
            Some(Stopped::Budget)
        } else {
            (i16::from(length) >= bound).then_some(Stopped::Shortest)
        }
    }

    /// Whether nothing more is wanted.
    pub fn is_over(&self) -> bool {
        self.bound.load(Ordering::Relaxed) < i16::from(self.target) || self.meter.is_over()
    }

    /// Takes a solution, if it is still shorter than the others.
    pub fn offer(&self, solution: Vec<Move>) -> Result<()> {
        if !self.position.after(&solution).is_solved() {
            return Err(contradiction(&self.tables));
        }
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let length = self.metric.length(&solution);
        if best.solution.as_ref().is_none_or(|best| length < self.metric.length(best)) {
            self.bound.store(length as i16 - 1, Ordering::Relaxed);
            (best.improved)(&solution, self.meter.nodes());
            best.solution = Some(solution);
        }
        Ok(())
    }
}

/// The error for tables by which a sequence would solve that does not.
#[cold]
pub(crate) fn contradiction(tables: &[&'static str]) -> Error {
    let (first, detail) = (tables.first().copied(), "the tables of the two phases contradict each other");
    let remedy = Remedy::Verify { tables: tables.into() };
    DataError::new(Fault::Damaged, first.unwrap_or_default(), detail, remedy).into()
}
