//! Threads that are started only where there is room for them.
//!
//! A thread whose stack could be had, but not the little that the standard library allocates next for it, aborts the program,
//! and whatever was under way in it. Here it is an error of the one who wanted the thread.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use crate::memory::{LEFT, has_room};

/// Bytes of a thread's stack.
const STACK: usize = 2 << 20;

/// Held by the one who starts a thread, so that no other thread that starts takes the room found for it.
static STARTING: Mutex<()> = Mutex::new(());

/// Starts a thread of this name, and returns once it runs.
///
/// # Errors
/// The system has no thread or too little memory for one.
///
/// # Example
/// ```
/// # mod twistbase { pub use twistbase_core::*; }
/// let thread = twistbase::threads::start("sum", || (1..=4).sum::<u32>())?;
/// assert_eq!(thread.join().unwrap(), 10);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn start<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    with_room(name, STACK, |builder, runs| builder.spawn(move || announced(runs, run)))
}

/// As [`start`], for a thread that ends before the scope does.
///
/// # Errors
/// As [`start`].
pub fn start_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    run: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    with_room(name, STACK, |builder, runs| builder.spawn_scoped(scope, move || announced(runs, run)))
}

/// Starts a thread of a pool: the `spawn_handler` of a [`rayon::ThreadPoolBuilder`].
///
/// # Errors
/// As [`start`].
pub fn start_in_pool(thread: rayon::ThreadBuilder) -> io::Result<()> {
    let (name, stack) = (thread.name().unwrap_or("pool").to_owned(), thread.stack_size().unwrap_or(STACK));
    with_room(&name, stack, |builder, runs| builder.spawn(|| announced(runs, || thread.run()))).map(drop)
}

/// Starts a thread that announces itself, if there is room for its stack and more.
fn with_room<H>(name: &str, stack: usize, start: impl FnOnce(Builder, Sender<()>) -> io::Result<H>) -> io::Result<H> {
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    has_room(stack.saturating_add(LEFT))?;
    let (runs, running) = channel();
    let handle = start(Builder::new().name(name.to_owned()).stack_size(stack), runs)?;
    running.recv().map_err(io::Error::other)?;
    Ok(handle)
}

/// Says that the thread runs, and runs it.
fn announced<T>(runs: Sender<()>, run: impl FnOnce() -> T) -> T {
    // The message allocates: what the allocator takes for a thread is taken when it has come.
    let _ = runs.send(());
    drop(runs);
    run()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_have_their_names_and_return_what_they_computed() {
        let name = || thread::current().name().map(str::to_owned);
        assert_eq!(start("reader", name).unwrap().join().unwrap().as_deref(), Some("reader"));
        let mut written = 0;
        let scoped = thread::scope(|scope| {
            let writer = || {
                written = 7;
                name()
            };
            start_scoped(scope, "writer", writer).unwrap().join().unwrap()
        });
        assert_eq!((scoped.as_deref(), written), (Some("writer"), 7));
    }

    #[test]
    fn pools_run_on_them() {
        let named = |number| format!("of {number}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).thread_name(named).spawn_handler(start_in_pool);
        let names = pool.build().unwrap().broadcast(|_| thread::current().name().unwrap_or_default().to_owned());
        assert_eq!(names, ["of 0", "of 1"]);
    }

    /// More bytes of stack than a thread has that nobody asked more for.
    #[inline(never)]
    fn sum_on_the_stack() -> u64 {
        std::hint::black_box([1_u8; 4 * STACK]).iter().copied().map(u64::from).sum()
    }

    #[test]
    fn a_pool_has_the_stack_that_it_asks_for() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(16 * STACK);
        let pool = pool.spawn_handler(start_in_pool).build().unwrap();
        assert_eq!(pool.broadcast(|_| sum_on_the_stack()), [4 * STACK as u64]);
        let refused =
            rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(usize::MAX / 2).spawn_handler(start_in_pool);
        assert!(refused.build().is_err());
    }

    /// Whoever panics while a thread starts stops nobody else.
    #[test]
    fn a_thread_that_panics_is_joined_like_another() {
        assert!(start("fails", || panic!("on purpose")).unwrap().join().is_err());
        assert_eq!(start("works", || 1).unwrap().join().unwrap(), 1);
    }
}
