//! Work that is cancelled when it has come so far.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use twistbase::context::{Context, Progress};

/// Cancels when so many units of a stage are done.
struct Cancelling {
    cancel: Arc<AtomicBool>,
    stage: String,
    is_there: AtomicBool,
    left: AtomicU64,
}

impl Progress for Cancelling {
    fn begin(&self, stage: &str, _total: u64, _unit: &str) {
        self.is_there.store(stage == self.stage, Ordering::Relaxed);
    }

    fn advance(&self, count: u64) {
        if self.is_there.load(Ordering::Relaxed) && self.left.fetch_sub(count, Ordering::Relaxed) <= count {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn note(&self, _line: &str) {}

    fn end(&self) {}
}

/// What work gets that is to be cancelled when so many units of a stage are done.
pub fn cancelled_after(stage: &str, units: u64) -> Context {
    let cancel = Arc::new(AtomicBool::new(false));
    let (stage, is_there, left) = (stage.to_owned(), AtomicBool::new(false), AtomicU64::new(units));
    Context::new(Arc::clone(&cancel), Arc::new(Cancelling { cancel, stage, is_there, left }))
}
