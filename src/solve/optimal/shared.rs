//! What the threads of a search share: what was found, the budgets.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::orders::Others;
use super::{Event, OptimalLimits};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_puzzle::cube3::{Cube, Move};

/// What the threads of a search share.
pub(super) struct OptimalShared<'a> {
    pub position: Cube,
    /// The table's name, for errors.
    pub table: &'static str,
    /// How good the table is.
    pub others: &'a Others,
    /// How many solutions are wanted.
    pub wanted: u64,
    pub limits: &'a OptimalLimits,
    pub ctx: &'a Context,
    pub nodes: AtomicU64,
    pub look_ups: AtomicU64,
    pub found: AtomicU64,
    /// Whether a budget is spent.
    pub spent: AtomicBool,
    /// Whether all that is wanted has been found, or the search has failed.
    pub over: AtomicBool,
    /// Says whether the table is still what the search was begun with.
    pub check_unchanged: &'a (dyn Fn() -> Result<()> + Sync),
    pub tell: Mutex<&'a mut (dyn FnMut(Event<'_>) + Send)>,
}

impl OptimalShared<'_> {
    /// Whether nothing more is to be done.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.spent.load(Ordering::Relaxed)
    }

    /// Takes a solution.
    pub fn offer(&self, moves: &[Move]) -> Result<()> {
        if !self.position.after(moves).is_solved() {
            // The other threads need not go on for hours.
            self.over.store(true, Ordering::Relaxed);
            return Err(contradiction(self.table));
        }
        self.check_unchanged()?;
        let mut tell = self.tell.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that no more than wanted are told.
        if self.found.load(Ordering::Relaxed) < self.wanted {
            tell(Event::Solution(moves));
            let found = self.found.fetch_add(1, Ordering::Relaxed) + 1;
            self.over.fetch_or(found >= self.wanted, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Tells of what has happened, if the table is what it was.
    pub fn tell(&self, event: Event<'_>) -> Result<()> {
        self.check_unchanged()?;
        self.tell.lock().unwrap_or_else(PoisonError::into_inner)(event);
        Ok(())
    }

    fn check_unchanged(&self) -> Result<()> {
        // The other threads need not go on for hours.
        (self.check_unchanged)().inspect_err(|_| self.over.store(true, Ordering::Relaxed))
    }

    /// Tells how many nodes have been visited, where a search is split among threads.
    pub fn tell_nodes(&self) -> Result<()> {
        if self.limits.parallel { self.tell(Event::Nodes(self.nodes.load(Ordering::Relaxed))) } else { Ok(()) }
    }

    /// Adds to the counts, and looks at the clock, the budgets and the table: with bounds that were overwritten a search may go on
    /// for ever.
    pub fn spend(&self, nodes: u64, look_ups: u64) -> Result<()> {
        let nodes = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        self.look_ups.fetch_add(look_ups, Ordering::Relaxed);
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.limits.max_nodes.is_some_and(|most| nodes >= most) {
            self.spent.store(true, Ordering::Relaxed);
        }
        self.ctx.check().inspect_err(|_| self.over.store(true, Ordering::Relaxed))?;
        self.check_unchanged()
    }
}

/// The error for a table by which a sequence would solve that does not.
#[cold]
fn contradiction(table: &'static str) -> Error {
    DataError {
        fault: Fault::Damaged,
        table: table.to_owned(),
        file: None,
        row: None,
        page: None,
        detail: "the table gave a sequence that does not solve".to_owned(),
        remedy: Remedy::Verify { tables: Box::new([table]) },
    }
    .into()
}
