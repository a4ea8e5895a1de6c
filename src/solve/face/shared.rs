//! What the threads of a search share: the table, the budgets, the solution.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::FaceLimits;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::square1::{LyingPieces, Middle, Position};
use twistbase_query::Square1Table;
use twistbase_store::Entries;

/// What the threads of a search share.
pub(super) struct FaceShared<'a, E> {
    pub table: &'a Square1Table<E>,
    pub limits: &'a FaceLimits,
    ctx: &'a Context,
    nodes: AtomicU64,
    /// Whether a budget is spent.
    spent: AtomicBool,
    /// Whether a solution of the depth that is searched was found, or a thread failed.
    over: AtomicBool,
}

impl<'a, E: Entries> FaceShared<'a, E> {
    pub fn new(table: &'a Square1Table<E>, limits: &'a FaceLimits, ctx: &'a Context) -> Self {
        let (nodes, spent, over) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
        Self { table, limits, ctx, nodes, spent, over }
    }

    /// Nodes visited, as far as threads have told.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Whether a budget is spent.
    pub fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// Whether nothing more is to be done.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.is_spent()
    }

    /// Ends the search of all threads.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Adds to the nodes, and looks at the clock and the budgets.
    pub fn spend(&self, nodes: u64) -> Result<()> {
        let nodes = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.limits.max_nodes.is_some_and(|most| nodes >= most) {
            self.spent.store(true, Ordering::Relaxed);
        }
        self.ctx.check().inspect_err(|_| self.end())
    }

    /// How many layers are to be turned to solve a position without a twist, whose middle layer is square; `None` if
    /// turns do not.
    pub fn turns_at_end(&self, lying: &LyingPieces) -> Option<u8> {
        let turn = lying.position(Middle::Square).solving_turn(self.table.colouring())?;
        Some(turn.layers())
    }

    /// The error of a sequence that should solve a position, by the table, and does not.
    #[cold]
    pub fn contradiction(&self, start: &Position) -> Error {
        self.table.contradicted(start)
    }
}
