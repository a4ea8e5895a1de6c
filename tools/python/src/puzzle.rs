//! Puzzles of a database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use twistbase::database::{CubeState, PositionReport, Prepared, PuzzleInfo, PuzzlePosition, Solver};
use twistbase::{Context, Question, RandomRequest, SolveRequest};

use crate::arguments::{Asked, Options, name_of, named, number, number_or_none, to_json};
use crate::errors::OrRaise;
use crate::home::{Home, PerProcess};
use crate::position::Position;
use crate::work::{self, Manner};

/// How long to use opened tables before checking whether their files changed.
const UNSEEN: Duration = Duration::from_millis(100);

/// Opened tables by the form of the question (options, detail, list of solutions), with the time of their last check, and the number of
/// [changes](Home::changes) then.
type PreparedTables = HashMap<(Options, Asked), (Instant, u64, Arc<dyn Prepared>)>;

/// A puzzle and its opened tables.
struct OpenedTables {
    puzzle: Box<dyn twistbase::Puzzle>,
    prepared: Mutex<PreparedTables>,
}

/// A puzzle of a database.
pub struct OpenPuzzle {
    /// Everything without tables.
    pub puzzle: Box<dyn twistbase::Puzzle>,
    pub info: &'static PuzzleInfo,
    pub home: Arc<Home>,
    opened: PerProcess<OpenedTables>,
}

impl OpenPuzzle {
    /// The puzzle with a name.
    ///
    /// # Errors
    /// `UsageError` that lists the puzzles.
    pub fn open(py: Python<'_>, home: &Arc<Home>, name: &str) -> PyResult<Self> {
        // From a separate database: a shared one would hold opened tables.
        let puzzle = twistbase::Database::open(&home.folder).and_then(|database| database.puzzle(name)).or_raise(py)?;
        let info = twistbase::Database::find_puzzle(name).or_raise(py)?;
        Ok(Self { puzzle, info, home: Arc::clone(home), opened: PerProcess::default() })
    }

    /// The opened tables of this process.
    fn opened(&self, py: Python<'_>) -> PyResult<Arc<OpenedTables>> {
        self.opened.get(py, || {
            let puzzle = self.home.database(py)?.puzzle(self.info.puzzle).or_raise(py)?;
            Ok(OpenedTables { puzzle, prepared: Mutex::default() })
        })
    }

    /// Tables that answer a form of question. Opened tables serve for a moment without a check of the files.
    ///
    /// # Errors
    /// For missing tables, for failed builds, and for options that the puzzle does not have.
    pub fn prepared(&self, py: Python<'_>, options: &Options, asked: Asked) -> PyResult<Arc<dyn Prepared>> {
        let (opened, key, now, changes) =
            (self.opened(py)?, (options.clone(), asked), Instant::now(), self.home.changes());
        let kept = || opened.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, known, prepared)) = kept().get(&key)
            && *known == changes
            && now.duration_since(*seen) < UNSEEN
        {
            return Ok(Arc::clone(prepared));
        }
        let prepared: Arc<dyn Prepared> = Arc::from(self.prepare(py, &options.question(asked))?);
        kept().insert(key, (Instant::now(), changes, Arc::clone(&prepared)));
        Ok(prepared)
    }

    /// Tables opened for a single question.
    ///
    /// # Errors
    /// As [`OpenPuzzle::prepared`].
    pub fn prepare(&self, py: Python<'_>, question: &Question) -> PyResult<Box<dyn Prepared>> {
        let opened = self.opened(py)?;
        work::run(py, Manner::default(), |ctx, _| opened.puzzle.prepare(question, ctx))?.or_raise(py)
    }

    /// The solver.
    ///
    /// # Errors
    /// As [`OpenPuzzle::prepared`].
    pub fn solver(&self, py: Python<'_>, request: &SolveRequest, manner: Manner<'_, '_>) -> PyResult<Box<dyn Solver>> {
        let opened = self.opened(py)?;
        work::run(py, manner, |ctx, _| opened.puzzle.solver(request, ctx))?.or_raise(py)
    }

    /// Closes the opened tables of this process. The next question opens them again.
    pub fn close(&self, py: Python<'_>) {
        self.opened.release(py);
    }

    /// Reads a position.
    ///
    /// # Errors
    /// `InvalidPosition`.
    pub fn read(&self, py: Python<'_>, text: &str) -> PyResult<PuzzlePosition> {
        self.puzzle.read(text).or_raise(py)
    }
}

/// A puzzle of a database. Call it with a position in any notation: `puzzle("R U")` returns a `Position`.
#[pyclass(frozen, weakref, module = "twistbase")]
pub struct Puzzle(pub Arc<OpenPuzzle>);

#[pymethods]
impl Puzzle {
    /// The name.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.info.puzzle
    }

    /// The name to show to people.
    #[getter]
    fn title(&self) -> &'static str {
        self.0.info.title
    }

    /// The solved position.
    #[getter]
    fn solved(&self, py: Python<'_>) -> PyResult<Position> {
        Position::read(py, &self.0, self.0.info.solved, Options::default())
    }

    /// Reads a position: in any notation, as moves from solved, or as an array of shape (width,).
    ///
    /// `metric` chooses the count of moves. Cubes: "htm" or "qtm". Square-1 family: "twists", "wca" (a turn counts 1, a twist counts 1)
    /// or, in `solve` only, "face" (a turn of one layer counts 1, a twist counts 1).
    ///
    /// `goal` is the name of a goal other than solved, such as "cross", or what counts of a puzzle that is data ("only UF,UR"). The Rubik's
    /// cube has the option `table`, a table in this metric. "cross:R" has the cross on R, "eo:UD" another axis, "cross:any" is the nearest of all sides; `twistbase.goals()` lists the names.
    /// The Square-1 family has `middle`, the middle layer of the solved
    /// puzzle ("ignored" or "square"; always square in the metrics "wca" and "face"), and `notation` of moves ("wca" or "cube21").
    ///
    /// Raises `InvalidPosition`, which lists every reason.
    #[expect(clippy::too_many_arguments, reason = "the keywords of the call")]
    #[pyo3(signature = (position, *, goal=None, metric=None, table=None, middle=None, notation=None))]
    fn __call__(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        goal: Option<String>,
        metric: Option<&str>,
        table: Option<&str>,
        middle: Option<&str>,
        notation: Option<&str>,
    ) -> PyResult<Position> {
        let options = Options::new(py, goal, metric, table, middle, notation)?;
        Position::read(py, &self.0, &self.0.text(position)?, options)
    }

    /// Bytes of a position in an array: 54 facelets, 24 facelets, or 16 pieces.
    #[getter]
    fn width(&self) -> usize {
        self.0.puzzle.arrays().width()
    }

    /// The names of the moves, in the numbering of `neighbours`.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.puzzle.arrays().moves())
    }

    /// Texts and positions as an array of shape (n, width), uint8.
    fn array<'py>(&self, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        self.0.array(positions)
    }

    /// The positions of an array of shape (n, width) as texts.
    fn texts<'py>(&self, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        self.0.texts(positions)
    }

    /// All positions one move away from those of an array of shape (n, width). Returns three arrays: the neighbours, shape (m, width);
    /// for each the number of its origin in the input, shape (m,); for each the number of its move, shape (m,). A cube has all its moves,
    /// so a reshape gives (n, moves, width). Square-1 has the possible twists only.
    fn neighbours<'py>(&self, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.0.neighbours(positions)
    }

    /// Random positions: an array of shape (n, width), uint8, or, without `n`, one `Position`. The same seed gives the same positions;
    /// without a seed every call gives others.
    ///
    /// `state` draws from the positions of a case of the Rubik's cube, all equally likely: `"ll"`, `"zbll"`, `"pll"`, `"dr"`, `"htr"`,
    /// `"2gen"`, or a goal reached, such as `"cross"`.
    #[pyo3(signature = (n=None, seed=None, *, walk=None, in_h=false, state=None, metric=None))]
    #[allow(clippy::too_many_arguments)]
    fn random<'py>(
        &self,
        py: Python<'py>,
        n: Option<&Bound<'py, PyAny>>,
        seed: Option<&Bound<'py, PyAny>>,
        walk: Option<&Bound<'py, PyAny>>,
        in_h: bool,
        state: Option<&str>,
        metric: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (walk, metric) = (number_or_none("walk", walk)?, named(py, metric)?);
        let state = state.map(CubeState::find).transpose().or_raise(py)?;
        let request = RandomRequest { walk, in_h, state, metric };
        let seed = number_or_none("seed", seed)?.map_or_else(|| entropy(py), Ok)?;
        if let Some(count) = number_or_none("n", n)? {
            return Ok(self.0.drawn(py, count, seed, request)?.into_any());
        }
        let drawn = self.0.puzzle.random(&request, seed).or_raise(py)?.next().expect("there is always another");
        let (report, names) = (to_json(&drawn), ["facelets", "hex"]);
        let text = names.iter().find_map(|name| report[name].as_str()).expect("every position is written");
        Ok(Position::read(py, &self.0, text, Options::default())?.into_pyobject(py)?.into_any())
    }

    /// Competition scrambles by the rules of the World Cube Association: moves that lead to `n` random states, all equally likely
    /// except those too near to solved. `cube3`: at least 2 moves from solved, about 20 moves by the two-phase solver. `cube2`,
    /// `pyraminx`, `pyraminx-tips` and `skewb`: at least 4, 6, 6 and 7 moves, by a shortest sequence. `square1`: at least 11 moves in WCA's
    /// metric, by a shortest sequence. Other puzzles have no competitions: all states, each by a shortest sequence; `cube21` and
    /// `square1-corners` have no scrambles. The same seed gives the same scrambles; without a seed every call gives others. Needs the
    /// puzzle's tables. With a `state` of `random` (`cube3`), they lead to positions of that case, also those near solved.
    #[pyo3(signature = (n=None, seed=None, *, state=None), text_signature = "($self, n=1, seed=None, *, state=None)")]
    fn scrambles(
        &self,
        py: Python<'_>,
        n: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        state: Option<&str>,
    ) -> PyResult<Vec<String>> {
        let state = state.map(CubeState::find).transpose().or_raise(py)?;
        let request = RandomRequest { state, ..RandomRequest::default() };
        let n = n.map_or(Ok(1), |n| number("n", n))?;
        let seed = number_or_none("seed", seed)?.map_or_else(|| entropy(py), Ok)?;
        let opened = self.0.opened(py)?;
        let draw = |ctx: &Context| -> twistbase::Result<Vec<PositionReport>> {
            let mut drawn = Vec::new();
            for report in opened.puzzle.scrambles(&request, seed, ctx)?.take(n) {
                ctx.check()?;
                drawn.push(report?);
            }
            Ok(drawn)
        };
        let drawn = work::run(py, Manner::default(), |ctx, _| draw(ctx))?.or_raise(py)?;
        let moves = |report: &PositionReport| to_json(report)["moves"].as_str().map(str::to_owned);
        Ok(drawn.iter().filter_map(moves).collect())
    }

    fn __repr__(&self) -> String {
        format!("<puzzle {}>", self.name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("twistbase._database")?.getattr("_restore_puzzle")?;
        let Home { folder, policy, cache, .. } = &*self.0.home;
        Ok((restore, (folder, policy, self.name(), name_of(*cache)).into_pyobject(py)?))
    }
}

/// A random seed.
fn entropy(py: Python<'_>) -> PyResult<u64> {
    let bytes: [u8; 8] = py.import("os")?.getattr("urandom")?.call1((8,))?.extract()?;
    Ok(u64::from_le_bytes(bytes))
}
