//! Long work: on threads of its own, without the interpreter's lock, while the thread that called looks after signals.

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

/// How often it is looked for signals, and how far the work is.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Something to do for the thread that called, with the interpreter's lock.
type Errand = Box<dyn for<'py> FnOnce(Python<'py>) -> PyResult<()> + Send>;

/// Pools that are kept for later.
const MOST_IDLE: usize = 4;

/// Pools that nobody uses at the moment, and the process that made them: one that was forked has none of its parent's threads.
static IDLE: Mutex<(u32, Vec<ThreadPool>)> = Mutex::new((0, Vec::new()));

/// Threads for one piece of work. Each has its own, so that none waits for the end of another, nor for somebody who does not take
/// its results.
pub struct Lent {
    pool: Option<ThreadPool>,
    /// Whether they are kept for later.
    is_kept: bool,
}

impl Lent {
    /// Threads for some work: as many as there are cores, or `RAYON_NUM_THREADS`.
    ///
    /// # Errors
    /// `StorageError` if the system gives none.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        // Not in the condition: its lock would be held as long as the pool is made.
        let idle = idle().1.pop();
        let pool = idle.map_or_else(|| new_pool(py), Ok)?;
        Ok(Self { pool: Some(pool), is_kept: true })
    }

    /// Threads for work that ends by itself, on a thread without the interpreter's lock.
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

/// The idle pools of this process, for threads that hold the interpreter's lock, as one that forks does. To end the threads of a
/// parent is not for its child.
fn idle() -> MutexGuard<'static, (u32, Vec<ThreadPool>)> {
    let (mut kept, own) = (IDLE.lock().unwrap_or_else(PoisonError::into_inner), process::id());
    if kept.0 != own {
        mem::forget(mem::replace(&mut *kept, (own, Vec::new())));
    }
    kept
}

/// How the thread that called is reached.
#[derive(Clone)]
pub struct Caller(Sender<Errand>);

impl Caller {
    /// Has something done there, in the order of these calls. When that fails, the work is cancelled.
    pub fn run(&self, errand: impl for<'py> FnOnce(Python<'py>) -> PyResult<()> + Send + 'static) {
        // It only hangs up when the work has ended.
        let _ = self.0.send(Box::new(errand));
    }
}

/// How far work is, for whoever asks.
#[derive(Default)]
struct Reporter {
    stage: Mutex<Option<Stage>>,
    done: AtomicU64,
    notes: Notes,
}

/// Lines worth keeping, for whoever asks; how far the work is nobody hears.
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
    /// Those that nobody has taken yet.
    fn take(&self) -> VecDeque<String> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Hands them to Python's `logging`.
    fn log(&self, py: Python<'_>) -> PyResult<()> {
        let notes = self.take();
        if notes.is_empty() {
            return Ok(());
        }
        let log = py.import("twistbase._progress")?.getattr("log")?;
        notes.into_iter().try_for_each(|note| log.call1((note,)).map(drop))
    }
}

/// Who hears of work: a function, or nobody, and notes then are logged.
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

    /// What the work tells.
    fn progress(&self) -> Arc<dyn Progress> {
        match self {
            Self::Listener(reporter, _) => Arc::clone(reporter) as Arc<dyn Progress>,
            Self::Log(notes) => Arc::clone(notes) as Arc<dyn Progress>,
        }
    }

    /// Hands on what the work has told.
    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        match self {
            Self::Listener(reporter, listener) => reporter.tell(listener.bind(py)),
            Self::Log(notes) => notes.log(py),
        }
    }
}

impl Reporter {
    /// Tells how far the work is.
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

/// Ends work from elsewhere: what asyncio's cancellation becomes.
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

/// What work is done with.
#[derive(Default)]
pub struct Manner<'a, 'py> {
    /// Hears how far it is: stage, units done, units in all, unit; a note has no unit. Where there is nobody, notes are logged.
    pub progress: Option<&'a Bound<'py, PyAny>>,
    /// What else ends it.
    pub cancel: Option<&'a CancelToken>,
}

/// Does work on threads that are [lent](Lent); Ctrl-C, an exception of a callback and the token cancel it.
///
/// # Errors
/// The exception that ended it; otherwise what the work comes to tells whether it was cancelled.
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
                    // What ended it is told; nobody is called any more.
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
