//! What the searches of one position share: the best solution, the budgets.

use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use arrayvec::ArrayVec;

use super::to_h::ToH;
use super::{Limits, Stopped};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_puzzle::cube3::{Cube, Move};
use twistbase_query::cube3::PhaseTwo;
use twistbase_store::FlatTable;

/// What the searches of one position share.
pub(super) struct TwoPhaseShared<'a> {
    pub position: Cube,
    /// The names of the tables, for errors.
    pub tables: ArrayVec<&'static str, 3>,
    /// The tables of the phases: what their bytes are held in is asked once, not for each look-up.
    pub to_h: ToH<'a>,
    pub bounds: PhaseTwo<FlatTable<&'a [u8]>>,
    /// The length of solution to stop at, no more than what is wanted at most.
    pub target: u8,
    pub limits: &'a Limits,
    pub ctx: &'a Context,
    /// Only solutions of at most this number of moves are of interest; -1 after the empty one.
    pub bound: AtomicI16,
    pub nodes: AtomicU64,
    pub spent: AtomicBool,
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
        } else if self.spent.load(Ordering::Relaxed) {
            Some(Stopped::Budget)
        } else {
            (i16::from(length) >= bound).then_some(Stopped::Shortest)
        }
    }

    /// Whether nothing more is wanted.
    pub fn is_over(&self) -> bool {
        self.bound.load(Ordering::Relaxed) < i16::from(self.target) || self.spent.load(Ordering::Relaxed)
    }

    /// Takes a solution, if it is still shorter than the others.
    pub fn offer(&self, solution: Vec<Move>) -> Result<()> {
        if !self.position.after(&solution).is_solved() {
            return Err(contradiction(&self.tables));
        }
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if best.solution.as_ref().is_none_or(|best| solution.len() < best.len()) {
            self.bound.store(solution.len() as i16 - 1, Ordering::Relaxed);
            (best.improved)(&solution, self.nodes.load(Ordering::Relaxed));
            best.solution = Some(solution);
        }
        Ok(())
    }

    /// Counts nodes; returns how many there are so far.
    pub fn count(&self, nodes: u64) -> u64 {
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// Looks at the clock and the budgets after some nodes.
    pub fn spend(&self, nodes: u64) -> Result<()> {
        let nodes = self.count(nodes);
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.limits.max_nodes.is_some_and(|most| nodes >= most) {
            self.spent.store(true, Ordering::Relaxed);
        }
        self.ctx.check()
    }
}

/// The error for tables by which a sequence would solve that does not.
#[cold]
pub(crate) fn contradiction(tables: &[&'static str]) -> Error {
    DataError {
        fault: Fault::Damaged,
        table: tables.first().copied().unwrap_or_default().to_owned(),
        file: None,
        row: None,
        page: None,
        detail: "the tables of the two phases contradict each other".to_owned(),
        remedy: Remedy::Verify { tables: tables.into() },
    }
    .into()
}
