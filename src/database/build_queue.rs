//! Building tables in the background, one at a time.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde::Serialize;

use super::{BuildFit, Database, TableCondition, TableId, TableInfo};
use twistbase_core::context::{Context, Progress};
use twistbase_core::error::{DataError, Error, Result};
use twistbase_core::threads;
use twistbase_tables::BuildRequest;

/// The share of a build for finding levels; the rest is for storing rows. For most tables each takes about half of the time.
const GENERATING: f64 = 0.6;
/// Assumed number of levels of a table without published counts.
const USUAL_LEVELS: usize = 13;

/// Builds tables of a database on a separate thread, in the order of requests. Dropping it stops the running build; the next build of
/// the table resumes.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::database::{BuildQueue, BuildState};
/// use twistbase::{Database, context::Context};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
/// let database = Database::open(folder)?;
/// let queue = BuildQueue::new(&database, &Context::silent());
/// let corners = "square1-corners".parse()?;
/// queue.push(corners)?;
/// while queue.progress(corners).is_some() {
///     std::thread::yield_now();
/// }
/// assert_eq!(queue.describe(corners)?.state, BuildState::Ready);
/// # Ok::<(), twistbase::error::Error>(())
/// ```
pub struct BuildQueue {
    shared: Arc<SharedQueue>,
    /// The building thread, from the first build on.
    worker: Mutex<Option<JoinHandle<()>>>,
}

/// A table and its build: `schema/json/table-build.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableBuild {
    /// The table.
    pub table: TableId,
    /// The puzzle that its positions belong to.
    pub puzzle: &'static str,
    /// The content in words.
    pub summary: &'static str,
    /// The state of the table.
    pub state: BuildState,
    /// The progress of a build in this process, if any.
    pub progress: Option<BuildProgress>,
    /// Why the last build failed, or why the table is unusable.
    pub reason: Option<String>,
    /// Maximum bytes of disk for a build.
    pub build_disk: u64,
    /// Bytes of memory that a build takes if available.
    pub build_memory: u64,
    /// Estimated seconds of a build.
    pub build_seconds: f64,
    /// Whether there is room for a build now.
    pub fits: BuildFit,
}

/// The state of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BuildState {
    /// Answers questions.
    Ready,
    /// A build runs, here or in another process.
    Building,
    /// Waits for other builds.
    Queued,
    /// Not built.
    Missing,
    /// The last build failed, or the file is unusable.
    Failed,
}

/// The progress of a build.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BuildProgress {
    /// The estimated finished share, from 0 to 1.
    pub done: f64,
    /// The level under search; `None` before and after the search.
    pub level: Option<u8>,
    /// The stage in words.
    pub stage: String,
    /// The number of builds ahead; 0 if it runs.
    pub ahead: usize,
}

impl BuildProgress {
    /// The progress of a waiting build.
    fn waiting(ahead: usize) -> Self {
        Self { done: 0.0, level: None, stage: "queued".to_owned(), ahead }
    }
}

impl fmt::Display for BuildProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ahead {
            0 => write!(f, "{:.0} % done, {}", (self.done * 100.0).floor(), self.stage),
            1 => f.write_str("queued behind one other build"),
            ahead => write!(f, "queued behind {ahead} other builds"),
        }
    }
}

struct SharedQueue {
    database: Database,
    /// Parent context of all builds, child of the caller's.
    ctx: Context,
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<TableId>,
    running: Option<(TableId, Arc<Meter>)>,
    failures: HashMap<TableId, String>,
}

impl BuildQueue {
    /// An empty queue. Builds stop when `ctx` is cancelled, and report to it.
    pub fn new(database: &Database, ctx: &Context) -> Self {
        let ctx = ctx.of_part_reporting(ctx.shared_progress());
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self {
            shared: Arc::new(SharedQueue { database: database.clone(), ctx, state, changed }),
            worker: Mutex::default(),
        }
    }

    /// Queues a table. A table that is complete, queued or being built stays as it is.
    ///
    /// # Errors
    /// Those of [`Database::check_room`] and of inspecting the table; [`Error::Io`] if no thread can start.
    pub fn push(&self, table: TableId) -> Result<()> {
        let status = self.shared.database.table(table)?.status;
        let is_there = matches!(status, TableCondition::Complete | TableCondition::Building);
        if is_there || self.progress(table).is_some() {
            return Ok(());
        }
        self.shared.database.check_room(table)?;
        self.start()?;
        self.shared.enter(table);
        Ok(())
    }

    /// Queues the missing tables among [`Database::quick_tables`]. Reports those that it cannot build: the store is read-only, too
    /// full, or locked by another process.
    ///
    /// # Errors
    /// As [`BuildQueue::push`], except for too little memory or disk.
    pub fn push_quick(&self) -> Result<()> {
        let (database, progress) = (&self.shared.database, self.shared.ctx.progress());
        let mut missing = Vec::new();
        for table in Database::quick_tables() {
            let TableInfo { status, detail, .. } = database.table(table)?;
            match status {
                TableCondition::Missing | TableCondition::Unfinished => missing.push(table),
                TableCondition::Building => {
                    progress.note(&format!("{table} is {}; this server does not build it", detail.unwrap_or_default()));
                }
                _ => {}
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        if !database.is_writable() {
            progress.note(&format!("{} is read-only; this server builds no tables", database.store()));
            return Ok(());
        }
        for table in missing {
            match self.push(table) {
                Err(error) if is_of_room(&error) => progress.note(&format!("{error}; this server does not build it")),
                pushed => pushed?,
            }
        }
        Ok(())
    }

    /// The progress of a table's build, if it waits or runs in this queue.
    pub fn progress(&self, table: TableId) -> Option<BuildProgress> {
        let state = self.shared.lock();
        match &state.running {
            Some((running, meter)) if *running == table => Some(meter.progress()),
            running => {
                let place = state.waiting.iter().position(|&waiting| waiting == table)?;
                Some(BuildProgress::waiting(place + usize::from(running.is_some())))
            }
        }
    }

    /// Why the last build of a table failed, without paths.
    pub fn failure(&self, table: TableId) -> Option<String> {
        self.shared.lock().failures.get(&table).cloned()
    }

    /// A table and its build.
    ///
    /// # Errors
    /// As [`Database::table`].
    pub fn describe(&self, table: TableId) -> Result<TableBuild> {
        // Before the files: a build that ends in between then has its file.
        let progress = self.progress(table);
        Ok(self.with_progress(self.shared.database.table(table)?, progress))
    }

    /// Every table and its build, in the order of listings.
    ///
    /// # Errors
    /// As [`Database::tables`].
    pub fn list(&self) -> Result<Vec<TableBuild>> {
        let progress: Vec<_> = TableId::all().map(|table| self.progress(table)).collect();
        let tables = self.shared.database.tables()?;
        Ok(tables.into_iter().zip(progress).map(|(info, progress)| self.with_progress(info, progress)).collect())
    }

    /// Stops the running build, forgets the queued ones, and waits until the thread has ended.
    pub fn close(&self) {
        self.shared.ctx.cancel();
        // Under the lock: the thread checks, then waits.
        drop(self.shared.lock());
        self.shared.changed.notify_all();
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            // The thread catches panics of builds.
            let _ = worker.join();
        }
    }

    fn with_progress(&self, info: TableInfo, progress: Option<BuildProgress>) -> TableBuild {
        use TableCondition as Condition;
        let failure = self.failure(info.table);
        let (state, reason) = match (info.status, &progress) {
            (Condition::Complete, _) | (Condition::Bounded, None) => (BuildState::Ready, None),
            (_, Some(progress)) if progress.ahead == 0 => (BuildState::Building, None),
            (_, Some(_)) => (BuildState::Queued, None),
            (Condition::Building, None) => (BuildState::Building, None),
            (Condition::Missing | Condition::Unfinished, None) => match failure {
                Some(reason) => (BuildState::Failed, Some(reason)),
                None => (BuildState::Missing, None),
            },
            (Condition::Stale | Condition::Damaged | Condition::Foreign | Condition::Busy, None) => {
                (BuildState::Failed, failure.or_else(|| Some(format!("the table is {}", info.status.name()))))
            }
        };
        let TableInfo { table, puzzle, summary, build_disk, build_memory, build_seconds, fits, .. } = info;
        TableBuild { table, puzzle, summary, state, progress, reason, build_disk, build_memory, build_seconds, fits }
    }

    /// Starts the thread if needed.
    fn start(&self) -> Result<()> {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.ctx.check()?;
        if worker.is_none() {
            let shared = Arc::clone(&self.shared);
            *worker = Some(threads::start("builds", move || shared.work()).map_err(Error::no_thread)?);
        }
        Ok(())
    }
}

impl Drop for BuildQueue {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for BuildQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuildQueue").field("waiting", &self.shared.lock().waiting).finish_non_exhaustive()
    }
}

impl SharedQueue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a table.
    fn enter(&self, table: TableId) {
        let mut state = self.lock();
        let is_running = state.running.as_ref().is_some_and(|(running, _)| *running == table);
        if !is_running && !state.waiting.contains(&table) {
            state.failures.remove(&table);
            state.waiting.push_back(table);
            self.changed.notify_all();
        }
    }

    /// Builds one table after the other, until the queue is closed.
    fn work(&self) {
        while let Some((table, meter)) = self.next() {
            let ctx = self.ctx.of_part_reporting(Arc::clone(&meter) as Arc<dyn Progress>);
            let built = catch_unwind(AssertUnwindSafe(|| self.build(table, &ctx)));
            let failure = match built {
                Ok(Ok(())) | Ok(Err(Error::Interrupted)) => None,
                Ok(Err(error)) => {
                    self.ctx.progress().note(&format!("{table} was not built: {error}"));
                    // Another process builds it: no failure.
                    if matches!(error, Error::Busy { .. }) { None } else { Some(without_paths(&error)) }
                }
                Err(_) => Some("a defect of the program ended the build; see its log".to_owned()),
            };
            let mut state = self.lock();
            state.running = None;
            state.failures.extend(failure.map(|reason| (table, reason)));
        }
    }

    /// Waits for the next table; `None` if the queue is closed.
    fn next(&self) -> Option<(TableId, Arc<Meter>)> {
        let mut state = self.lock();
        while !self.ctx.is_cancelled() {
            if let Some(table) = state.waiting.pop_front() {
                let meter = Arc::new(Meter::new(table, self.ctx.shared_progress()));
                state.running = Some((table, Arc::clone(&meter)));
                return Some((table, meter));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.clear();
        None
    }

    fn build(&self, table: TableId, ctx: &Context) -> Result<()> {
        ctx.progress().note(&format!("building {table}"));
        // There may be less room than at queueing time.
        self.database.check_room(table)?;
        let report = self.database.build(table, &BuildRequest::default(), ctx)?;
        ctx.progress().note(&format!("{table}: built in {:.1} s", report.seconds));
        Ok(())
    }
}

/// Whether a build is refused for want of memory or disk.
fn is_of_room(error: &Error) -> bool {
    match error {
        Error::Memory(_) => true,
        Error::Io { source, .. } => source.kind() == io::ErrorKind::StorageFull,
        _ => false,
    }
}

/// The text of an error without paths of this machine.
fn without_paths(error: &Error) -> String {
    match error {
        Error::Data(fault) => DataError { file: None, ..fault.clone() }.to_string(),
        Error::Io { action, source, .. } => format!("cannot {action} the files of the table ({})", source.kind()),
        error => error.to_string(),
    }
}

/// Measures a build and forwards its reports.
struct Meter {
    table: TableId,
    /// The number of levels to find.
    levels: usize,
    /// Finished units of the current stage.
    units: AtomicU64,
    stage: Mutex<MeteredStage>,
    reporter: Arc<dyn Progress>,
}

#[derive(Default)]
struct MeteredStage {
    name: String,
    total: u64,
    /// The finished share when the stage began, and the share of the stage.
    before: f64,
    adds: f64,
}

impl Meter {
    fn new(table: TableId, reporter: Arc<dyn Progress>) -> Self {
        let levels = table.definition().expected().map_or(USUAL_LEVELS, |expected| expected.positions.len());
        let stage = MeteredStage { name: "starting".to_owned(), ..MeteredStage::default() };
        Self { table, levels, units: AtomicU64::new(0), stage: Mutex::new(stage), reporter }
    }

    fn lock(&self) -> MutexGuard<'_, MeteredStage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The finished share of the build in a stage.
    fn done(&self, stage: &MeteredStage) -> f64 {
        let share = self.units.load(Ordering::Relaxed) as f64 / stage.total.max(1) as f64;
        (stage.before + stage.adds * share.min(1.0)).min(1.0)
    }

    fn progress(&self) -> BuildProgress {
        let stage = self.lock();
        let (level, done) = (level_of(&stage.name), self.done(&stage));
        let name = if stage.name == STORING { "storing" } else { &stage.name };
        BuildProgress { done, level, stage: name.to_owned(), ahead: 0 }
    }
}

/// The stage that stores rows.
const STORING: &str = "store";

/// The level of a search stage.
fn level_of(stage: &str) -> Option<u8> {
    stage.strip_prefix("level ")?.parse().ok()
}

impl Progress for Meter {
    fn begin(&self, name: &str, total: u64, unit: &str) {
        let mut stage = self.lock();
        // Rounding, and a table of more levels than was thought, would let progress fall.
        let reached = self.done(&stage);
        let each = GENERATING / self.levels.max(2) as f64;
        let (before, end) = match level_of(name) {
            Some(level) => ((each * f64::from(level)).min(GENERATING), each * (f64::from(level) + 1.0)),
            None if name == STORING => (GENERATING, 1.0),
            None => (reached, reached),
        };
        let most = if name == STORING { 1.0 } else { GENERATING };
        let before = before.max(reached);
        let adds = (end.min(most) - before).max(0.0);
        *stage = MeteredStage { name: name.to_owned(), total, before, adds };
        self.units.store(0, Ordering::Relaxed);
        drop(stage);
        self.reporter.begin(&format!("{}: {name}", self.table), total, unit);
    }

    fn advance(&self, count: u64) {
        self.units.fetch_add(count, Ordering::Relaxed);
        self.reporter.advance(count);
    }

    fn note(&self, line: &str) {
        self.reporter.note(line);
    }

    fn end(&self) {
        self.reporter.end();
    }

    fn make_way(&self) {
        self.reporter.make_way();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn table(name: &str) -> TableId {
        name.parse().unwrap()
    }

    fn wait_until(holds: impl Fn() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not come");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn progress_never_falls_and_ends_at_one() {
        let meter = Meter::new(table("square1-corners"), Context::silent().shared_progress());
        let mut last = 0.0;
        let stages = (1..15).map(|level| format!("level {level}")).chain([STORING.to_owned()]);
        for name in stages {
            meter.begin(&name, 4, "blocks");
            for _ in 0..4 {
                let now = meter.progress();
                assert!(now.done >= last && now.done < 1.0, "{name}: {now}");
                assert_eq!(now.level.is_some(), name != STORING);
                meter.advance(1);
                last = meter.progress().done;
                assert!(last >= now.done);
            }
        }
        assert!((meter.progress().done - 1.0).abs() < 1e-9);
        assert_eq!(meter.progress().to_string(), "100 % done, storing");
    }

    #[test]
    fn tables_are_built_in_order_and_a_failure_stops_no_other() {
        let folder = tempfile::tempdir().unwrap();
        // In the place of the file of a build.
        std::fs::create_dir(folder.path().join("cube2.building.redb")).unwrap();
        let queue = BuildQueue::new(&Database::open(folder.path()).unwrap(), &Context::silent());
        let (cube2, corners) = (table("cube2"), table("square1-corners"));
        queue.push(cube2).unwrap();
        queue.push(corners).unwrap();
        wait_until(|| [cube2, corners].iter().all(|&table| queue.progress(table).is_none()));
        let [failed, built] = [cube2, corners].map(|table| queue.describe(table).unwrap());
        assert_eq!((failed.state, built.state), (BuildState::Failed, BuildState::Ready));
        let reason = failed.reason.unwrap();
        assert!(!reason.contains(folder.path().to_str().unwrap()), "{reason}");
        std::fs::remove_dir(folder.path().join("cube2.building.redb")).unwrap();
        queue.push(cube2).unwrap();
        wait_until(|| queue.progress(cube2).is_none());
        assert_eq!(queue.describe(cube2).unwrap().state, BuildState::Ready);
    }

    #[test]
    fn a_closed_queue_builds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let queue = BuildQueue::new(&Database::open(folder.path()).unwrap(), &Context::silent());
        queue.push(table("cube21")).unwrap();
        queue.push(table("cube2")).unwrap();
        queue.close();
        assert!(matches!(queue.push(table("cube2")), Err(Error::Interrupted)));
        assert_eq!(queue.describe(table("cube2")).unwrap().state, BuildState::Missing);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let queue = BuildQueue::new(&Database::open(folder.path()).unwrap(), &Context::silent());
        let refused = queue.push(table("nx-eo3-ep4-htm")).unwrap_err();
        assert!(is_of_room(&refused), "{refused}");
        assert_eq!(queue.progress(table("nx-eo3-ep4-htm")), None);
    }
}
