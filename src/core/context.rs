//! What long work needs from its caller: a way to be cancelled and somewhere to report progress.
//!
//! A [`Context`] is passed down by reference instead of living in globals, so that a library user
//! can run two builds at once and a test can cancel one at an exact step.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::error::Error;

/// Receives the progress of long work. Calls may come from any thread.
pub trait Progress: Send + Sync {
    /// A stage of `total` units of `unit` (for instance "rows") begins; it replaces the stage before.
    fn begin(&self, stage: &str, total: u64, unit: &str);
    /// `count` further units of the current stage are done.
    fn advance(&self, count: u64);
    /// A line worth keeping, for instance the size of a finished level.
    fn note(&self, line: &str);
    /// The last stage is over; nothing follows.
    fn end(&self);
    /// Data is about to be written to what may be the same terminal: nothing is to be in its way.
    fn make_way(&self) {}
}

/// Progress that goes nowhere.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &str, _total: u64, _unit: &str) {}
    fn advance(&self, _count: u64) {}
    fn note(&self, _line: &str) {}
    fn end(&self) {}
}

/// Cancellation and progress of one piece of work. Cloning shares both.
#[derive(Clone)]
pub struct Context {
    cancel: Arc<AtomicBool>,
    progress: Arc<dyn Progress>,
    /// The work of which this is a part, and with which it is cancelled.
    whole: Option<Arc<Context>>,
}

impl Context {
    /// A context that is never cancelled and reports nothing.
    pub fn silent() -> Self {
        Self::new(Arc::new(AtomicBool::new(false)), Arc::new(Silent))
    }

    /// A context cancelled by setting `cancel`, reporting to `progress`.
    pub fn new(cancel: Arc<AtomicBool>, progress: Arc<dyn Progress>) -> Self {
        Self { cancel, progress, whole: None }
    }

    /// A context for a part of the work, which is cancelled with it and reports nothing: the whole reports how far it is.
    /// Cancelling the part leaves the whole as it is.
    #[must_use]
    pub fn of_part(&self) -> Self {
        self.of_part_reporting(Arc::new(Silent))
    }

    /// The same for a part that reports to `progress`.
    #[must_use]
    pub fn of_part_reporting(&self, progress: Arc<dyn Progress>) -> Self {
        Self { cancel: Arc::default(), progress, whole: Some(Arc::new(self.clone())) }
    }

    /// Where to report.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// The same, for use beyond the context.
    #[doc(hidden)]
    pub fn shared_progress(&self) -> Arc<dyn Progress> {
        Arc::clone(&self.progress)
    }

    /// Whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || self.whole.as_ref().is_some_and(|whole| whole.is_cancelled())
    }

    /// Asks the work to stop at its next check.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Fails when the work should stop.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::silent()
    }
}

/// The nodes of a search on one thread, against its budget.
#[derive(Debug)]
pub struct SearchMeter<'a> {
    deadline: Option<Instant>,
    max_nodes: Option<u64>,
    ctx: &'a Context,
    nodes: u64,
    is_spent: bool,
}

impl<'a> SearchMeter<'a> {
    /// Nodes between looks at the clock.
    const BETWEEN_LOOKS: u64 = 1 << 12;

    /// A search with a limit of nodes and a time to end.
    pub fn new(deadline: Option<Instant>, max_nodes: Option<u64>, ctx: &'a Context) -> Self {
        Self { deadline, max_nodes, ctx, nodes: 0, is_spent: false }
    }

    /// A search without limits.
    pub fn unlimited(ctx: &'a Context) -> Self {
        Self::new(None, None, ctx)
    }

    /// Whether another node may be visited; counts it if so.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn visit(&mut self) -> Result<bool, Error> {
        let looks = self.nodes.is_multiple_of(Self::BETWEEN_LOOKS);
        let is_late = |deadline| Instant::now() >= deadline;
        self.is_spent |=
            self.max_nodes.is_some_and(|most| self.nodes >= most) || looks && self.deadline.is_some_and(is_late);
        if looks {
            self.ctx.check()?;
        }
        self.nodes += u64::from(!self.is_spent);
        Ok(!self.is_spent)
    }

    /// Nodes visited.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the budget did not suffice.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }
}

/// The nodes of a search that threads share, against its budgets, and whether it is over.
#[derive(Debug)]
pub struct SharedMeter<'a> {
    deadline: Option<Instant>,
    max_nodes: Option<u64>,
    ctx: &'a Context,
    nodes: AtomicU64,
    is_spent: AtomicBool,
    is_over: AtomicBool,
}

impl<'a> SharedMeter<'a> {
    /// A meter of a search that began now.
    pub fn new(deadline: Option<Instant>, max_nodes: Option<u64>, ctx: &'a Context) -> Self {
        let (nodes, is_spent, is_over) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
        Self { deadline, max_nodes, ctx, nodes, is_spent, is_over }
    }

    /// Nodes that were counted.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Whether a budget is spent.
    pub fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// Whether nothing more is to be done: it was ended, or a budget is spent.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.is_spent()
    }

    /// Whether it was ended.
    pub fn is_ended(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Ends the search: the other threads need not go on for hours.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Adds nodes, and looks at no clock.
    pub fn count(&self, nodes: u64) -> u64 {
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// Adds nodes, and looks at the clock and the budgets.
    ///
    /// # Errors
    /// [`Error::Interrupted`], which ends the search.
    pub fn spend(&self, nodes: u64) -> Result<(), Error> {
        let nodes = self.count(nodes);
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.max_nodes.is_some_and(|most| nodes >= most) {
            self.is_spent.store(true, Ordering::Relaxed);
        }
        self.ctx.check().inspect_err(|_| self.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_cancelled_with_the_whole_and_not_the_other_way_round() {
        let whole = Context::silent();
        let [part, other] = [(); 2].map(|()| whole.of_part());
        part.cancel();
        assert!(part.is_cancelled() && !whole.is_cancelled() && !other.is_cancelled());
        whole.cancel();
        assert!(other.is_cancelled() && other.of_part().is_cancelled());
    }

    #[test]
    fn a_meter_stops_at_its_budget() {
        let ctx = Context::silent();
        let mut meter = SearchMeter::new(None, Some(3), &ctx);
        assert_eq!([(); 5].map(|()| meter.visit().unwrap()), [true, true, true, false, false]);
        assert_eq!((meter.nodes(), meter.is_spent()), (3, true));
        assert!(!SearchMeter::new(Some(Instant::now()), None, &ctx).visit().unwrap());
        assert!(SearchMeter::unlimited(&ctx).visit().unwrap());
        ctx.cancel();
        assert!(matches!(SearchMeter::unlimited(&ctx).visit(), Err(Error::Interrupted)));
    }
}
