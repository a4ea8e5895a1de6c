//! Searches: one position, all shortest solutions, many positions.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::mem;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};
use twistbase::database::cube3::CUBE3;
use twistbase::database::lines::LineReader;
use twistbase::database::{
    BatchEnd, BatchStop, LineAnswer, LineSolution, LineSolved, QuestionMetric, SearchBudget, SolveBatch, Solver,
};
use twistbase::{Context, Error, Shortfall, SolveEvent, SolveOutcome, SolveRequest};

use crate::arguments::{named, number, table, to_json};
use crate::arrays::refuse_single_text;
use crate::errors::{OrRaise, exception, is_own, new, of_element, usage};
use crate::position::Position;
use crate::puzzle::OpenPuzzle;
use crate::solution::Solution;
use crate::work::{self, CancelToken, Lent, Manner, PATIENCE};

/// Maximum positions in a batch before their answers are taken.
const AHEAD: usize = 1 << 12;
/// The longest time limit of a search, in seconds.
const LONGEST: f64 = 1e9;

/// Options and callbacks of a search.
#[derive(Default)]
pub struct Search {
    pub request: SolveRequest,
    on_improved: Option<Arc<Py<PyAny>>>,
    on_depth: Option<Arc<Py<PyAny>>>,
    cancel: Option<Py<CancelToken>>,
}

/// Options of a search for one solution that other searches lack.
pub const SEARCH: [&str; 3] = ["on_improved", "on_depth", "_cancel"];
/// Options of a search for all solutions that other searches lack.
pub const SEARCH_OF_ALL: [&str; 3] = ["limit", "on_improved", "on_depth"];

impl Search {
    /// A search for one solution in a metric, with a time limit.
    pub fn within(metric: Option<QuestionMetric>, time: Option<Duration>) -> Self {
        let budget = SearchBudget { time, nodes: None };
        Self { request: SolveRequest { metric, budget, ..SolveRequest::default() }, ..Self::default() }
    }

    /// Reads the options of a call: those of all searches, and those in `own`.
    ///
    /// # Errors
    /// `TypeError` for an unknown option; `UsageError` for an unknown value.
    pub fn new(options: Option<&Bound<'_, PyDict>>, own: &[&str]) -> PyResult<Self> {
        let mut search = Self::default();
        let Some(options) = options else { return Ok(search) };
        let py = options.py();
        for (name, value) in options.iter().filter(|(_, value)| !value.is_none()) {
            let name: String = name.extract()?;
            let request = &mut search.request;
            let is_of_others =
                [SEARCH, SEARCH_OF_ALL].concat().contains(&name.as_str()) && !own.contains(&name.as_str());
            match name.as_str() {
                _ if is_of_others => return Err(no_option(&name)),
                "method" => request.method = named(py, Some(value.extract()?))?,
                "metric" => request.metric = named(py, Some(value.extract()?))?,
                "goal" => request.goal = Some(goal_text(&value)?),
                "timeout" => request.budget.time = Some(seconds(&value)?),
                "max_nodes" => request.budget.nodes = Some(number(&name, &value)?),
                "target" => request.target = Some(number(&name, &value)?),
                "table" => request.table = Some(table(py, value.extract()?)?),
                "mapped" => request.mapped = value.extract()?,
                "max_depth" => request.max_depth = Some(number(&name, &value)?),
                "memory" => request.memory = Some(number(&name, &value)?),
                "limit" => request.limit = Some(number(&name, &value)?),
                "middle" => request.middle = named(py, Some(value.extract()?))?,
                "notation" => request.notation = named(py, Some(value.extract()?))?,
                "on_improved" => search.on_improved = Some(Arc::new(value.unbind())),
                "on_depth" => search.on_depth = Some(Arc::new(value.unbind())),
                "_cancel" => search.cancel = Some(value.cast_into()?.unbind()),
                _ => return Err(no_option(&name)),
            }
        }
        Ok(search)
    }

    /// Adds the position's options, unless the call has its own.
    pub fn for_position(mut self, position: &Position) -> Self {
        let (own, request) = (&position.options, &mut self.request);
        request.goal = request.goal.take().or_else(|| own.goal.clone());
        request.metric = request.metric.or(own.metric);
        request.notation = request.notation.or(own.notation);
        request.middle = request.middle.or(own.middle);
        self
    }

    /// Whether a position's options agree with the call's.
    fn is_for(&self, position: &Position) -> bool {
        let (own, request) = (&position.options, &self.request);
        (own.goal.is_none() || own.goal == request.goal)
            && (own.metric.is_none() || own.metric == request.metric)
            && (own.notation.is_none() || own.notation == request.notation)
            && (own.middle.is_none() || own.middle == request.middle)
    }

    fn manner(&self) -> Manner<'_, 'static> {
        Manner { progress: None, cancel: self.cancel.as_ref().map(Py::get) }
    }
}

fn no_option(name: &str) -> PyErr {
    PyTypeError::new_err(format!("this search has no option {name:?}"))
}

/// Seconds as a time.
pub fn seconds(given: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds = number("timeout", given)?;
    let is_time = (0.0..=LONGEST).contains(&seconds);
    let error = || usage(given.py(), format!("a timeout is a number of seconds from 0 to {LONGEST:e}, not {seconds}"));
    is_time.then(|| Duration::from_secs_f64(seconds)).ok_or_else(error)
}

/// The name of a goal, or a position of the Rubik's cube, as text.
fn goal_text(given: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok(position) = given.cast::<Position>() else { return given.extract() };
    position.get().check_puzzle(given.py(), CUBE3)?;
    Ok(position.get().position.held_text())
}

/// The result of a search: its solutions, and the reason if it missed the request.
struct Found {
    solutions: Vec<Solution>,
    shortfall: Option<Shortfall>,
}

/// Searches from a position.
fn search(py: Python<'_>, position: &Position, search: &Search) -> PyResult<Found> {
    let solver = position.puzzle.solver(py, &search.request, search.manner())?;
    let (on_improved, on_depth) = (&search.on_improved, &search.on_depth);
    let (solutions, solved) = work::run(py, search.manner(), |ctx, caller| {
        let mut solutions = Vec::new();
        let mut hear = |event| match event {
            SolveEvent::Solution(solution) => {
                let solution = Solution::new(position.clone(), &solution);
                solutions.push(solution.clone());
                if let Some(listener) = on_improved.clone() {
                    caller.run(move |py| listener.call1(py, (solution,)).map(drop));
                }
            }
            SolveEvent::DepthFinished { bound, nodes } => {
                if let Some(listener) = on_depth.clone() {
                    caller.run(move |py| listener.call1(py, (bound.at_least, nodes)).map(drop));
                }
            }
            SolveEvent::Nodes(_) => {}
        };
        let solved = solver.solve_position(&position.position, &position.input, ctx, &mut hear);
        (solutions, solved)
    })?;
    let solved = solved.or_raise(py)?;
    let solutions = match solved.outcome {
        SolveOutcome::Found(solution) => vec![Solution::new(position.clone(), &solution)],
        SolveOutcome::Optimal(_) => solutions,
        SolveOutcome::NotFound => Vec::new(),
    };
    Ok(Found { solutions, shortfall: solved.shortfall })
}

/// The exception of a search that missed the request.
fn came_short(py: Python<'_>, shortfall: &Shortfall, best: Option<Solution>) -> PyErr {
    let bound = match shortfall {
        Shortfall::Interrupted { .. } | Shortfall::Stopped { .. } => return exception(py, &Error::Interrupted),
        Shortfall::OnlyBound { bound } | Shortfall::NoneWithin { bound, .. } | Shortfall::NotProved { bound, .. } => {
            Some(bound.at_least)
        }
        Shortfall::NotAll { length } => Some(*length),
        _ => None,
    };
    let fields = PyDict::new(py);
    let filled = fields.set_item("best", best).and_then(|()| fields.set_item("bound", bound));
    filled.and_then(|()| new(py, shortfall.class(), &shortfall.to_string(), &fields)).unwrap_or_else(|error| error)
}

/// A solution of a position.
///
/// # Errors
/// `BudgetSpent`, and those of the library.
pub fn solve(py: Python<'_>, position: &Position, options: &Search) -> PyResult<Solution> {
    let Found { solutions, shortfall } = search(py, position, options)?;
    best_found(py, shortfall, solutions.into_iter().next())
}

/// The best solution of a search, or the exception if it missed the request.
fn best_found(py: Python<'_>, shortfall: Option<Shortfall>, best: Option<Solution>) -> PyResult<Solution> {
    match (shortfall, best) {
        (None, Some(best)) => Ok(best),
        (Some(shortfall), best) => Err(came_short(py, &shortfall, best)),
        (None, None) => Err(exception(py, &Error::Budget("the search found no solution".to_owned()))),
    }
}

/// All solutions of an optimal search.
///
/// # Errors
/// As [`solve`].
pub fn solve_all(py: Python<'_>, position: &Position, options: &Search) -> PyResult<Vec<Solution>> {
    let Found { solutions, shortfall } = search(py, position, options)?;
    match shortfall {
        None => Ok(solutions),
        Some(shortfall) => Err(came_short(py, &shortfall, solutions.into_iter().next())),
    }
}

/// Lines on their way to a batch.
struct LineFeed {
    lines: Receiver<String>,
    rest: io::Cursor<Vec<u8>>,
}

impl Read for LineFeed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.position() == self.rest.get_ref().len() as u64 {
            // Reads all available lines together.
            let Ok(first) = self.lines.recv() else { return Ok(0) };
            let mut bytes = first.into_bytes();
            while bytes.len() < buffer.len()
                && let Ok(next) = self.lines.try_recv()
            {
                bytes.extend_from_slice(next.as_bytes());
            }
            self.rest = io::Cursor::new(bytes);
        }
        self.rest.read(buffer)
    }
}

/// The given positions of a batch.
pub struct GivenPositions {
    rest: Py<PyIterator>,
    /// The first item, if already read.
    first: Option<PyResult<Option<Py<PyAny>>>>,
}

impl GivenPositions {
    /// # Errors
    /// `TypeError` for a single text, or for a value that is not iterable.
    pub fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        refuse_single_text(given)?;
        Ok(Self { rest: given.try_iter()?.unbind(), first: None })
    }

    /// The puzzle of the first item, if it is a `Position`.
    ///
    /// # Errors
    /// Exceptions that end the program or the call, like Ctrl-C. Others are raised when the first position is requested.
    pub fn puzzle(&mut self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let first = match self.next(py) {
            Err(error) if !is_told(py, &error) => return Err(error),
            other => other,
        };
        let position = first.as_ref().ok().and_then(Option::as_ref).and_then(|first| first.cast::<Position>().ok());
        let puzzle = position.map(|position| position.get().position.puzzle());
        self.first = Some(first.map(|first| first.map(Bound::unbind)));
        Ok(puzzle)
    }

    /// The next item.
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.first.take() {
            Some(first) => first.map(|first| first.map(|first| first.into_bound(py))),
            None => self.rest.bind(py).clone().next().transpose(),
        }
    }
}

/// Whether an exception reports a failure (`Exception`), unlike those that end more, like Ctrl-C.
fn is_told(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py)
}

/// Items of a batch without an answer yet.
enum UnderWay {
    /// A position in the search.
    Position(Position),
    /// An invalid position with its error, reported in its turn.
    Wrong(PyErr),
    /// The iterable of positions raised.
    Failed(PyErr),
}

/// A batch under way.
struct Batch {
    positions: Option<GivenPositions>,
    lines: Option<Sender<String>>,
    /// In the order of the input.
    under_way: VecDeque<UnderWay>,
    answers: Receiver<twistbase::Result<LineSolved>>,
    /// Number of answers so far: the number of the next one.
    answered: usize,
    /// Whether the iteration has ended.
    is_ended: bool,
}

impl Batch {
    /// Stops handing over positions.
    fn end_input(&mut self) {
        (self.positions, self.lines) = (None, None);
    }

    /// Ends the iteration.
    fn end(&mut self) {
        self.end_input();
        self.under_way.clear();
        self.is_ended = true;
    }

    /// Whether the next answer must come from the search.
    fn waits(&self) -> bool {
        matches!(self.under_way.front(), None | Some(UnderWay::Position(_)))
    }
}

/// Solutions of many positions, in order. All cores search ahead while you iterate.
#[pyclass(frozen, weakref, module = "twistbase")]
pub struct SolvedIterator {
    puzzle: Arc<OpenPuzzle>,
    search: Search,
    returns_errors: bool,
    ctx: Context,
    batch: Mutex<Batch>,
    /// The process whose threads search.
    process: u32,
}

impl SolvedIterator {
    /// Starts to solve positions.
    ///
    /// # Errors
    /// Those of opening the tables.
    pub fn start(
        py: Python<'_>,
        puzzle: &Arc<OpenPuzzle>,
        positions: GivenPositions,
        returns_errors: bool,
        search: Search,
    ) -> PyResult<Self> {
        let solver = puzzle.solver(py, &search.request, search.manner())?;
        let (ctx, pool) = (Context::silent(), Lent::apart(py)?);
        let (lines, feed) = channel::bounded(2 * AHEAD);
        let (send, answers) = channel::unbounded();
        let of_thread = ctx.clone();
        thread::spawn(move || pool.install(|| solve_lines(&*solver, feed, &of_thread, &send)));
        let (positions, lines, under_way) = (Some(positions), Some(lines), VecDeque::new());
        let batch = Batch { positions, lines, under_way, answers, answered: 0, is_ended: false };
        let batch = Mutex::new(batch);
        Ok(Self { puzzle: Arc::clone(puzzle), search, returns_errors, ctx, batch, process: process::id() })
    }

    /// Hands over positions until an answer arrives, the next result needs no search, or enough positions are under way.
    fn feed(&self, py: Python<'_>, batch: &mut Batch) -> PyResult<Option<twistbase::Result<LineSolved>>> {
        while batch.under_way.len() < AHEAD
            && batch.waits()
            && let Some(positions) = &mut batch.positions
        {
            let next = match positions.next(py) {
                Ok(Some(next)) => next,
                Ok(None) => {
                    batch.end_input();
                    break;
                }
                // Earlier positions come first.
                Err(error) if is_told(py, &error) => {
                    batch.under_way.push_back(UnderWay::Failed(error));
                    batch.end_input();
                    break;
                }
                Err(error) => return Err(error),
            };
            match self.given(&next) {
                Ok(position) => {
                    // A failed batch takes no more; its error is among the answers.
                    // The text may be no line, or a line to skip.
                    let line = format!("{}\n", position.position.held_text());
                    let is_taken = batch.lines.as_ref().is_some_and(|lines| lines.send(line).is_ok());
                    batch.under_way.push_back(UnderWay::Position(position));
                    if !is_taken {
                        batch.end_input();
                    }
                }
                Err(error) if is_told(py, &error) => batch.under_way.push_back(UnderWay::Wrong(error)),
                Err(error) => return Err(error),
            }
            if batch.waits()
                && let Ok(answer) = batch.answers.try_recv()
            {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// A position of the batch.
    fn given(&self, given: &Bound<'_, PyAny>) -> PyResult<Position> {
        let py = given.py();
        let text = self.puzzle.line(given)?;
        if let Ok(position) = given.cast::<Position>() {
            let position = position.get();
            if !self.search.is_for(position) {
                let why = "a batch is solved as its call says; this position wants another goal, metric, middle layer or notation";
                return Err(usage(py, format!("{why}: {}", position.position)));
            }
            return Ok(Position { input: text, ..position.clone() });
        }
        // The library drops a byte order mark from a line.
        let line = text.trim().trim_start_matches('\u{feff}').trim_start();
        if line.is_empty() || line.contains('\n') {
            return Err(usage(py, format!("a position of a batch is one line of text, not {text:?}")));
        }
        let position = self.puzzle.puzzle.read(line).or_raise(py)?;
        Ok(Position { puzzle: Arc::clone(&self.puzzle), position, options: Default::default(), input: line.to_owned() })
    }

    /// The next answer.
    fn wait(&self, py: Python<'_>, batch: &Batch) -> PyResult<Option<twistbase::Result<LineSolved>>> {
        loop {
            match py.detach(|| batch.answers.recv_timeout(PATIENCE)) {
                Ok(answer) => return Ok(Some(answer)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }

    /// The result of the next position; `None` after the last.
    ///
    /// # Errors
    /// Exceptions that end the batch, independent of `errors`.
    fn take(&self, py: Python<'_>, batch: &mut Batch) -> PyResult<Option<PyResult<Solution>>> {
        if batch.is_ended {
            return Ok(None);
        }
        let mut answer = self.feed(py, batch)?;
        if answer.is_none() && batch.waits() {
            answer = self.wait(py, batch)?;
            if answer.is_none() {
                // Only a panic (already printed) ends the search earlier.
                return match batch.under_way.is_empty() {
                    true => Ok(None),
                    false => Err(PanicException::new_err("the search panicked before every position was answered")),
                };
            }
        }
        let solved = answer.transpose().or_raise(py)?;
        let number = batch.answered;
        batch.answered += 1;
        let told = match (batch.under_way.pop_front(), solved) {
            (Some(UnderWay::Position(position)), Some(LineSolved { solved, .. })) => solution(py, position, solved),
            (Some(UnderWay::Wrong(error)), None) => Err(as_own(py, error)),
            (Some(UnderWay::Failed(error)), None) => return Err(error),
            _ => unreachable!("an answer is one to a position that was handed over"),
        };
        match told {
            Err(error) if !is_told(py, &error) => Err(error),
            told => Ok(Some(told.map_err(|error| of_element(py, number, error)))),
        }
    }
}

/// An exception of this package for any exception: a value that is no text can raise many kinds.
fn as_own(py: Python<'_>, error: PyErr) -> PyErr {
    let own = is_own(py, &error).and_then(|is_own| {
        if is_own {
            return Ok(None);
        }
        Ok(Some(usage(py, error.value(py).str()?.to_cow()?)))
    });
    match own {
        Ok(None) => error,
        Ok(Some(own)) => {
            own.set_cause(py, Some(error));
            own
        }
        Err(raised) => raised,
    }
}

/// Solves lines until the last one, or until the receiver is gone.
fn solve_lines(
    solver: &dyn Solver,
    lines: Receiver<String>,
    ctx: &Context,
    answers: &Sender<twistbase::Result<LineSolved>>,
) {
    let input = LineReader::new(LineFeed { lines, rest: io::Cursor::default() }, "positions");
    let ended = solver
        .solve_lines(input, &SolveBatch::default(), ctx, &mut |solved| answers.send(Ok(solved)).map_err(|_| BatchStop));
    if let Err(BatchEnd::Failed(error)) = ended {
        // The receiver may be gone.
        let _ = answers.send(Err(error));
    }
}

#[pymethods]
impl SolvedIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.process != process::id() {
            return Err(usage(py, "a batch is taken by the process that began it; begin another one here"));
        }
        let mut batch = self.batch.try_lock().map_err(|_| usage(py, "a batch is taken by one thread at a time"))?;
        let error = match self.take(py, &mut batch) {
            Ok(None) => return Ok(None),
            Ok(Some(Ok(solution))) => return Ok(Some(solution.into_pyobject(py)?.into_any())),
            Ok(Some(Err(error))) if self.returns_errors => {
                return Ok(Some(error.into_value(py).into_bound(py).into_any()));
            }
            Ok(Some(Err(error))) | Err(error) => error,
        };
        // Nobody will request the positions under way.
        self.ctx.cancel();
        batch.end();
        Err(error)
    }
}

impl Drop for SolvedIterator {
    fn drop(&mut self) {
        if self.process == process::id() {
            self.ctx.cancel();
            return;
        }
        // In a forked child, locks held by the parent's threads are never released: do not wait for them.
        let batch = self.batch.get_mut().unwrap_or_else(PoisonError::into_inner);
        mem::forget((batch.lines.take(), mem::replace(&mut batch.answers, channel::never())));
    }
}

/// The solution of a position of a batch.
fn solution(py: Python<'_>, position: Position, solved: twistbase::Result<LineSolution>) -> PyResult<Solution> {
    let LineSolution { answer, shortfall } = solved.or_raise(py)?;
    let found = match answer {
        LineAnswer::Solution(solution) => Some(Solution::new(position, &solution)),
        LineAnswer::Listed(solutions) => solutions.first().map(|solution| Solution::new(position, solution)),
        LineAnswer::Optimal(record) => record.solution.clone().map(|moves| {
            let length = record.length.map_or(0, usize::from);
            Solution::told(position, moves, length, to_json(&record))
        }),
    };
    best_found(py, shortfall, found)
}
