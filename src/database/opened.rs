//! Open tables, stored until one of their files changes.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_store::FileEdition;

/// Interval of checks for cancellation while another thread opens a table.
const PATIENCE: Duration = Duration::from_millis(20);

/// Open values by key. A user of a value that is reopened meanwhile still has the old one.
pub(super) struct OpenedTables<K, V>(Mutex<HashMap<K, Arc<OpenedSlot<V>>>>);

/// The open value of a key, locked while it opens. Other keys do not wait.
type OpenedSlot<V> = Mutex<Option<OpenedEdition<V>>>;

/// An open value, with the editions of its files; `None` without a file.
type OpenedEdition<V> = (Vec<Option<FileEdition>>, Arc<V>);

impl<K: Eq + Hash, V> OpenedTables<K, V> {
    /// The stored value for `key`. Calls `open` if there is none, or if a table's file changed since.
    ///
    /// # Errors
    /// Those of `open`; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted) while another thread opens it.
    pub fn get(
        &self,
        editions: Vec<Option<FileEdition>>,
        key: K,
        ctx: &Context,
        open: impl FnOnce() -> Result<V>,
    ) -> Result<Arc<V>> {
        let slot = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let mut opened = locked_heard(&slot, ctx)?;
        if let Some((_, value)) = opened.as_ref().filter(|(known, _)| *known == editions) {
            return Ok(Arc::clone(value));
        }
        // Under the lock: two threads with the same key open it once. Drops the stale value first, to free its memory.
        *opened = None;
        let value = Arc::new(open()?);
        *opened = Some((editions, Arc::clone(&value)));
        Ok(value)
    }
}

/// Takes a lock that another thread may hold for minutes.
///
/// # Errors
/// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
pub(super) fn locked_heard<'a, T>(mutex: &'a Mutex<T>, ctx: &Context) -> Result<MutexGuard<'a, T>> {
    // Most holders release it at once.
    let mut patience = Duration::from_micros(10);
    loop {
        ctx.check()?;
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => thread::sleep(patience),
        }
        patience = PATIENCE.min(2 * patience);
    }
}

impl<K, V> Default for OpenedTables<K, V> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K, V> fmt::Debug for OpenedTables<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedTables").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_core::error::Error;

    #[test]
    fn whoever_waits_for_what_another_thread_opens_hears_an_interrupt() {
        let (slot, ctx) = (Mutex::new(7), Context::silent());
        let held = slot.lock().unwrap();
        thread::scope(|scope| {
            let waits = scope.spawn(|| locked_heard(&slot, &ctx).map(|value| *value));
            thread::sleep(PATIENCE);
            ctx.cancel();
            assert!(matches!(waits.join().unwrap(), Err(Error::Interrupted)));
        });
        drop(held);
        assert!(locked_heard(&slot, &Context::silent()).is_ok_and(|value| *value == 7));
    }
}
