//! Long work on separate threads, without the interpreter's lock. Meanwhile the calling thread handles signals.

use std::collections::VecDeque;
use std::mem;
use std::ops::Deref;
use std::panic;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{self, RecvTimeoutError, Sender};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};
use twistbase::context::Progress;
use twistbase::error::Class;
use twistbase::{Context, threads};

use crate::errors;

/// Interval of checks for signals and progress.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// A task for the calling thread, with the interpreter's lock.
type Errand = Box<dyn for<'py> FnOnce(Python<'py>) -> PyResult<()> + Send>;

/// Maximum number of idle pools.
const MOST_IDLE: usize = 4;

/// Idle pools and the process that made them. A forked child has none of its parent's threads.
static IDLE: Mutex<(u32, Vec<ThreadPool>)> = Mutex::new((0, Vec::new()));

/// Threads for one job. Each job has its own, so it never waits for another job, nor for a slow reader of results.
pub struct Lent {
    pool: Option<ThreadPool>,
    /// Whether to reuse them later.
    is_kept: bool,
}

impl Lent {
    /// Threads for a job: one per core, or `RAYON_NUM_THREADS`.
    ///
    /// # Errors
    /// `StorageError` if the system refuses threads.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        // Not in the condition: that would hold the lock while the pool is created.
        let idle = idle().1.pop();
        let pool = idle.map_or_else(|| new_pool(py), Ok)?;
        Ok(Self { pool: Some(pool), is_kept: true })
    }

    /// Threads for a job that ends by itself, called without the interpreter's lock.
    ///
    /// # Errors
    /// As [`Lent::new`].
    pub fn apart(py: Python<'_>) -> PyResult<Self> {
        Ok(Self { pool: Some(new_pool(py)?), is_kept: false })
    }
}

/// New threads.
fn new_pool(py: Python<'_>) -> PyResult<ThreadPool> {
    let built = ThreadPoolBuilder::new()
        .thread_name(|number| format!("twistbase-{number}"))
        .spawn_handler(threads::start_in_pool)
        .build();
    built.map_err(|error| {
        let message = format!("no threads to work on: {error}");
        errors::new(py, Class::Io, &message, &PyDict::new(py)).unwrap_or_else(|error| error)
    })
}

impl Deref for Lent {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        self.pool.as_ref().expect("it is only taken at the end")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.is_kept {
            return;
        }
        let mut idle = idle();
        if idle.1.len() < MOST_IDLE {
            idle.1.extend(self.pool.take());
        }
    }
}

/// The idle pools of this process. The caller holds the interpreter's lock, like a forking thread. A child must not end its parent's
/// threads.
fn idle() -> MutexGuard<'static, (u32, Vec<ThreadPool>)> {
    let (mut kept, own) = (IDLE.lock().unwrap_or_else(PoisonError::into_inner), process::id());
    if kept.0 != own {
        mem::forget(mem::replace(&mut *kept, (own, Vec::new())));
    }
    kept
}

/// A channel to the calling thread.
#[derive(Clone)]
pub struct Caller(Sender<Errand>);

impl Caller {
    /// Runs a task there, in the order of these calls. A failure cancels the job.
    pub fn run(&self, errand: impl for<'py> FnOnce(Python<'py>) -> PyResult<()> + Send + 'static) {
        // The channel closes only after the job.
        let _ = self.0.send(Box::new(errand));
    }
}

/// The progress of a job, to poll.
#[derive(Default)]
struct Reporter {
    stage: Mutex<Option<Stage>>,
    done: AtomicU64,
    notes: Notes,
}

/// The notes of a job, to poll. Ignores progress.
#[derive(Default)]
struct Notes(Mutex<VecDeque<String>>);

#[derive(Clone)]
struct Stage {
    name: String,
    total: u64,
    unit: String,
}

impl Progress for Reporter {
    fn begin(&self, stage: &str, total: u64, unit: &str) {
        let stage = Stage { name: stage.to_owned(), total, unit: unit.to_owned() };
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, count: u64) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    fn note(&self, line: &str) {
        self.notes.note(line);
    }

    fn end(&self) {}
}

impl Progress for Notes {
    fn begin(&self, _: &str, _: u64, _: &str) {}

    fn advance(&self, _: u64) {}

    fn note(&self, line: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(line.to_owned());
    }

    fn end(&self) {}
}

impl Notes {
    /// Takes the new notes.
    fn take(&self) -> VecDeque<String> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends the notes to Python's `logging`.
    fn log(&self, py: Python<'_>) -> PyResult<()> {
        let notes = self.take();
        if notes.is_empty() {
            return Ok(());
        }
        let log = py.import("twistbase._progress")?.getattr("log")?;
        notes.into_iter().try_for_each(|note| log.call1((note,)).map(drop))
    }
}

/// The listener of a job: a function, or none. Without one, notes go to the log.
enum Hearer {
    Listener(Arc<Reporter>, Py<PyAny>),
    Log(Arc<Notes>),
}

impl Hearer {
    fn new(listener: Option<&Bound<'_, PyAny>>) -> Self {
        match listener {
            Some(listener) => Self::Listener(Arc::default(), listener.clone().unbind()),
            None => Self::Log(Arc::default()),
        }
    }

    /// The progress sink for the job.
    fn progress(&self) -> Arc<dyn Progress> {
        match self {
            Self::Listener(reporter, _) => Arc::clone(reporter) as Arc<dyn Progress>,
            Self::Log(notes) => Arc::clone(notes) as Arc<dyn Progress>,
        }
    }

    /// Passes on new progress and notes.
    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        match self {
            Self::Listener(reporter, listener) => reporter.tell(listener.bind(py)),
            Self::Log(notes) => notes.log(py),
        }
    }
}

impl Reporter {
    /// Reports progress.
    fn tell(&self, listener: &Bound<'_, PyAny>) -> PyResult<()> {
        for note in self.notes.take() {
            listener.call1((note, 0, 0, ""))?;
        }
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(Stage { name, total, unit }) = stage {
            listener.call1((name, self.done.load(Ordering::Relaxed).min(total), total, unit))?;
        }
        Ok(())
    }
}

/// Cancels work from elsewhere, for asyncio.
#[pyclass(frozen, module = "twistbase._twistbase")]
#[derive(Default)]
pub struct CancelToken(Arc<AtomicBool>);

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop.
    fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Options of a job.
#[derive(Default)]
pub struct Manner<'a, 'py> {
    /// Receives progress: stage, units done, total units, unit. A note has no unit. Without a listener, notes go to the log.
    pub progress: Option<&'a Bound<'py, PyAny>>,
    /// Another way to cancel it.
    pub cancel: Option<&'a CancelToken>,
}

/// Runs a job on [lent](Lent) threads. Ctrl-C, an exception in a callback, or the token cancels it.
///
/// # Errors
/// The exception that ended the job. Otherwise its result shows whether it was cancelled.
pub fn run<T: Send>(
    py: Python<'_>,
    manner: Manner<'_, '_>,
    work: impl FnOnce(&Context, &Caller) -> T + Send,
) -> PyResult<T> {
    let pool = Lent::new(py)?;
    let hearer = Hearer::new(manner.progress);
    let cancel = manner.cancel.map_or_else(Arc::default, |token| Arc::clone(&token.0));
    let ctx = Context::new(cancel, hearer.progress());
    let done = py.detach(|| {
        thread::scope(|scope| {
            let (send, errands) = channel::unbounded();
            let (ctx, pool) = (&ctx, &pool);
            let worker = scope.spawn(move || pool.install(|| work(ctx, &Caller(send))));
            let mut ended = Ok(());
            loop {
                let outcome = match errands.recv_timeout(PATIENCE) {
                    // The first exception is reported; no more callbacks.
                    Ok(_) | Err(RecvTimeoutError::Timeout) if ended.is_err() => Ok(()),
                    Ok(errand) => Python::attach(|py| {
                        errand(py)?;
                        py.check_signals()
                    }),
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| {
                        py.check_signals()?;
                        hearer.tell(py)
                    }),
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if outcome.is_err() {
                    ctx.cancel();
                    ended = outcome;
                }
            }
            let value = worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
            ended.map(|()| value)
        })
    })?;
    hearer.tell(py)?;
    Ok(done)
}
