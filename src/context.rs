//! What long work needs from its caller: a way to be cancelled and somewhere to report progress.
//!
//! A [`Context`] is passed down by reference instead of living in globals, so that a library user
//! can run two builds at once and a test can cancel one at an exact step.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
}

impl Context {
    /// A context that is never cancelled and reports nothing.
    pub fn silent() -> Self {
        Self::new(Arc::new(AtomicBool::new(false)), Arc::new(Silent))
    }

    /// A context cancelled by setting `cancel`, reporting to `progress`.
    pub fn new(cancel: Arc<AtomicBool>, progress: Arc<dyn Progress>) -> Self {
        Self { cancel, progress }
    }

    /// A context for a part of the work, which is cancelled with it and reports nothing: the whole reports how far it is.
    #[must_use]
    pub fn of_part(&self) -> Self {
        Self::new(Arc::clone(&self.cancel), Arc::new(Silent))
    }

    /// Where to report.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Asks the work to stop at its next check.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Fails with [`Error::Interrupted`] when the work should stop.
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
