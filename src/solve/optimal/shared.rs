//! What the threads of a search share: what was found, the budgets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::orders::Others;
use super::{Event, OptimalLimits};
use twistbase_core::context::SharedMeter;
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
    /// Over when all that is wanted has been found, or the search has failed.
    pub meter: SharedMeter<'a>,
    pub look_ups: AtomicU64,
    pub found: AtomicU64,
    /// Says whether the table is still what the search was begun with.
    pub check_unchanged: &'a (dyn Fn() -> Result<()> + Sync),
    pub tell: Mutex<&'a mut (dyn FnMut(Event<'_>) + Send)>,
}

impl OptimalShared<'_> {
    /// Takes a solution.
    pub fn offer(&self, moves: &[Move]) -> Result<()> {
        if !self.position.after(moves).is_solved() {
            self.meter.end();
            return Err(contradiction(self.table));
        }
        self.check_unchanged()?;
        let mut tell = self.tell.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that no more than wanted are told.
        if self.found.load(Ordering::Relaxed) < self.wanted {
            tell(Event::Solution(moves));
            let found = self.found.fetch_add(1, Ordering::Relaxed) + 1;
            if found >= self.wanted {
                self.meter.end();
            }
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
        (self.check_unchanged)().inspect_err(|_| self.meter.end())
    }

    /// Tells how many nodes have been visited, where a search is split among threads.
    pub fn tell_nodes(&self) -> Result<()> {
        if self.limits.parallel { self.tell(Event::Nodes(self.meter.nodes())) } else { Ok(()) }
    }

    /// Adds to the counts, and looks at the clock, the budgets and the table: with bounds that were overwritten a search may go on
    /// for ever.
    pub fn spend(&self, nodes: u64, look_ups: u64) -> Result<()> {
        self.look_ups.fetch_add(look_ups, Ordering::Relaxed);
        self.meter.spend(nodes)?;
        self.check_unchanged()
    }
}

/// The error for a table by which a sequence would solve that does not.
#[cold]
fn contradiction(table: &'static str) -> Error {
    let remedy = Remedy::Verify { tables: Box::new([table]) };
    DataError::new(Fault::Damaged, table, "the table gave a sequence that does not solve", remedy).into()
}
