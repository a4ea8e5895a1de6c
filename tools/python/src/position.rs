//! Positions.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde_json::Value;
use twistbase::database::{ExactSearch, FromSolved, Prepared, PuzzlePosition, SceneReport, SearchBudget};
use twistbase::picture::{ColourScheme, DEFAULT_PIXELS, Viewpoint, png, svg};
use twistbase::{Answer, Context, Detail, Error, Question};

use crate::arguments::{Asked, Options, name_of, named, number_or_none, to_json, to_python};
use crate::errors::{OrRaise, usage};
use crate::home::Home;
use crate::puzzle::OpenPuzzle;
use crate::solution::{Solution, SolutionIterator};
use crate::solving::{Search, seconds, solve};
use crate::work::{self, Manner};

/// A position of a puzzle. It never changes. Two positions are equal if puzzle and pieces are equal.
#[pyclass(frozen, from_py_object, weakref, module = "twistbase")]
#[derive(Clone)]
pub struct Position {
    pub puzzle: Arc<OpenPuzzle>,
    pub position: PuzzlePosition,
    pub options: Options,
    /// The text as given, or in the puzzle's own notation.
    pub input: String,
}

impl Position {
    /// Reads a position in any notation.
    ///
    /// # Errors
    /// `InvalidPosition`.
    pub fn read(py: Python<'_>, puzzle: &Arc<OpenPuzzle>, input: &str, options: Options) -> PyResult<Self> {
        let position = puzzle.read(py, input)?;
        Ok(Self { puzzle: Arc::clone(puzzle), position, options, input: input.to_owned() })
    }

    /// Whether its puzzle has pictures.
    pub fn has_pictures(&self) -> bool {
        self.puzzle.info.has_pictures
    }

    /// A position with the same options and another state.
    pub fn with(&self, position: PuzzlePosition) -> Self {
        let (input, options) = (position.to_string(), self.options.clone());
        Self { puzzle: Arc::clone(&self.puzzle), position, options, input }
    }

    /// # Errors
    /// `UsageError` if it is a position of another puzzle.
    pub fn check_puzzle(&self, py: Python<'_>, puzzle: &str) -> PyResult<()> {
        let own = self.position.puzzle();
        match own == puzzle || own == twistbase::Database::find_puzzle(puzzle).or_raise(py)?.puzzle {
            true => Ok(()),
            false => Err(usage(py, format!("expected a position of {puzzle}, got one of {own}"))),
        }
    }

    /// The answer of opened tables.
    fn answer_by(&self, py: Python<'_>, prepared: &dyn Prepared) -> PyResult<Answer> {
        let ask = |ctx: &_, _: &_| prepared.query_position(&self.position, &self.input, ctx);
        work::run(py, Manner::default(), ask)?.or_raise(py)
    }

    /// The answer with this detail.
    fn asked(&self, py: Python<'_>, detail: Detail) -> PyResult<Answer> {
        self.answer_by(py, &*self.puzzle.prepared(py, &self.options, Asked::Search(detail))?)
    }

    /// Its shortest solutions, at most `limit`; on request with their shapes.
    fn listed(&self, py: Python<'_>, limit: Option<usize>, shapes: bool) -> PyResult<SolutionIterator> {
        let asked = Asked::Solutions { shapes };
        self.puzzle.puzzle.check_listed(&self.position, &self.input, &self.options.question(asked)).or_raise(py)?;
        let prepared = self.puzzle.prepared(py, &self.options, asked)?;
        // A search takes a moment.
        let listed = || prepared.solutions_of_position(&self.position, &self.input, &Context::silent());
        let solutions = py.detach(listed).or_raise(py)?;
        Ok(SolutionIterator::new(self.clone(), Box::new(solutions.take(limit.unwrap_or(usize::MAX)))))
    }

    /// A field of the full answer; `None` if unknown.
    fn told<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        to_python(py, &self.asked(py, Detail::Full)?)?.cast::<PyDict>()?.get_item(field)
    }
}

/// The result of a search for a distance: exact, or a lower bound.
#[pyclass(frozen, get_all, module = "twistbase")]
pub struct ExactDistance {
    /// The fewest moves that solve the position; `None` if the search ended before it found them.
    distance: Option<u8>,
    /// A lower bound of the distance; equal to the distance if that is known.
    at_least: u8,
    /// A shortest solution, if the distance is known.
    solution: Option<Solution>,
}

#[pymethods]
impl ExactDistance {
    fn __repr__(&self) -> String {
        let Self { distance, at_least, .. } = self;
        let moves = |count: u8| if count == 1 { "1 move".to_owned() } else { format!("{count} moves") };
        distance
            .map_or_else(|| format!("<at least {}>", moves(*at_least)), |exact| format!("<exactly {}>", moves(exact)))
    }
}

#[pymethods]
impl Position {
    /// The name of the puzzle.
    #[getter]
    fn puzzle(&self) -> &'static str {
        self.position.puzzle()
    }

    /// The position as given.
    #[getter]
    fn input(&self) -> &str {
        &self.input
    }

    /// The position in the notations of its puzzle: `facelets` and `reid` for the Rubik's cube, `facelets` for the 2×2×2 cube, `hex`
    /// and `jaap` for the Square-1 family. Cube21 also has `author`: the position's numbers in its author's program, the same however
    /// the puzzle is held. "author:…" reads them. Puzzles from a definition have `kpattern`.
    #[getter]
    fn notations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (report, notations) = (to_json(&self.position.report()), PyDict::new(py));
        for name in ["facelets", "reid", "hex", "jaap", "author"] {
            if let Some(Value::String(text)) = report.get(name) {
                notations.set_item(name, text)?;
            }
        }
        if report.get("position").is_some() {
            notations.set_item("kpattern", self.position.to_string())?;
        }
        Ok(notations)
    }

    /// The order of the faces in the facelets read, such as "U L F R B D"; `None` for U R F D L B and for other notations.
    #[getter]
    fn order(&self) -> Option<String> {
        self.position.order().map(|order| order.to_string())
    }

    /// The cube turned until white is up and green in front, and the turns used, such as "x' y2". Solutions and moves are for a cube
    /// as it is held.
    ///
    /// Raises `UsageError` for other puzzles, and for a cube with other colours.
    fn turned_home(&self, py: Python<'_>) -> PyResult<(Self, String)> {
        let (position, turns) = self.position.turned_home().or_raise(py)?;
        Ok((self.with(position), turns))
    }

    /// Whether the puzzle is solved. In the Square-1 family the middle layer may have either form.
    #[getter]
    fn is_solved(&self) -> bool {
        self.position.is_solved()
    }

    /// The distance: the fewest moves that solve the position or reach its goal, in its metric (Square-1 family: twists by default). `None` if only a lower
    /// bound is known. On the Rubik's cube a short search finds distances up to about 12 moves; `exact()` finds the others. The first
    /// question builds the tables it needs: `phase1`, `phase2` and `phase2-exact` for the Rubik's cube.
    ///
    /// Raises `MissingTable` if a table is missing and `twistbase.open(build="never")` forbids building it.
    #[getter]
    fn distance(&self, py: Python<'_>) -> PyResult<Option<u8>> {
        Ok(self.asked(py, Detail::Brief)?.distance())
    }

    /// A lower bound of the distance; equal to the distance if that is known.
    #[getter]
    fn at_least(&self, py: Python<'_>) -> PyResult<u8> {
        Ok(self.asked(py, Detail::Brief)?.from_solved().at_least)
    }

    /// The number of shortest solutions, as `solutions()` lists them; `None` if only a lower bound of the distance is known.
    #[getter]
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.told(py, "solutions")
    }

    /// The whole answer, as `twistbase query --json` prints it; with `detail="brief"` without the next moves.
    #[pyo3(signature = (detail="full"))]
    fn answer<'py>(&self, py: Python<'py>, detail: &str) -> PyResult<Bound<'py, PyDict>> {
        let detail = named(py, Some(detail))?.unwrap_or_default();
        Ok(to_python(py, &self.asked(py, detail)?)?.cast_into::<PyDict>()?)
    }

    /// Searches for the exact distance on all threads, at most `timeout` seconds or `max_nodes`. Returns an `ExactDistance` with
    /// `distance`, `at_least` and `solution`.
    ///
    /// Raises `UsageError` for puzzles whose tables hold every distance, and `BudgetSpent` if a search in the Square-1 family reaches its
    /// limit.
    #[pyo3(signature = (timeout=None, max_nodes=None))]
    fn exact(
        &self,
        py: Python<'_>,
        timeout: Option<&Bound<'_, PyAny>>,
        max_nodes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ExactDistance> {
        let nodes = number_or_none("max_nodes", max_nodes)?;
        let budget = SearchBudget { time: timeout.map(seconds).transpose()?, nodes };
        let exact = Some(ExactSearch::Within(budget));
        let question = Question { exact, ..self.options.question(Asked::Search(Detail::Full)) };
        let answer = self.answer_by(py, &*self.puzzle.prepare(py, &question)?)?;
        let FromSolved { distance, at_least } = answer.from_solved();
        let report = |moves: &str| Solution::shortest(self.clone(), moves, at_least, &to_json(&answer));
        Ok(ExactDistance { distance, at_least, solution: answer.solution().map(report) })
    }

    /// The position as an array of shape (width,), uint8.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let arrays = self.puzzle.puzzle.arrays();
        let mut bytes = vec![0; arrays.width()];
        arrays.parse(&[&self.position.to_string()], &mut bytes, &Context::silent()).or_raise(py)?;
        Ok(bytes.into_pyarray(py))
    }

    /// The next moves, each with the `distance` after it (or `None`) and `at_least`.
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.told(py, "moves")
    }

    /// All shortest solutions, at most `limit`. On the Rubik's cube a short search finds them; with `table="phase2-exact"` they are the
    /// shortest with moves of `H = <U, D, R2, F2, L2, B2>`. With `shapes=True` the `as_dict` of each lists its `shapes`, and whether it
    /// `stays_in_cube_shape` (Square-1 family).
    ///
    /// Raises `BudgetSpent` if the short search does not find all; `db.solve_all` searches longer.
    #[pyo3(signature = (limit=None, *, shapes=false))]
    fn solutions(&self, py: Python<'_>, limit: Option<&Bound<'_, PyAny>>, shapes: bool) -> PyResult<SolutionIterator> {
        self.listed(py, number_or_none("limit", limit)?, shapes)
    }

    /// A solution: a shortest one if a table or a short search finds it, else that of `db.solve`, within `timeout` seconds.
    #[pyo3(signature = (timeout=None))]
    fn solution(&self, py: Python<'_>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Solution> {
        let time = timeout.map(seconds).transpose()?;
        let options = Options { table: None, ..self.options.clone() };
        let prepared = self.puzzle.prepared(py, &options, Asked::Solution)?;
        let listed = || prepared.solutions_of_position(&self.position, &self.input, &Context::silent());
        match py.detach(listed).and_then(|mut found| found.next().expect("every position has a solution")) {
            Err(Error::Budget(_)) => solve(py, self, &Search::within(options.metric, time)),
            found => Ok(Solution::new(self.clone(), &found.or_raise(py)?)),
        }
    }

    /// The position after moves: `position * "R U"`.
    fn __mul__(&self, py: Python<'_>, moves: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = match moves.cast::<Solution>() {
            Ok(solution) => solution.get().moves.clone(),
            Err(_) => moves.extract().map_err(|_| PyTypeError::new_err("expected moves as a string"))?,
        };
        Ok(self.with(self.position.moved(&text).or_raise(py)?))
    }

    /// A picture: `view` is "flat" or "perspective", `colours` "wca" or "colour-blind".
    #[pyo3(signature = (view="flat", colours="wca"))]
    fn svg(&self, py: Python<'_>, view: &str, colours: &str) -> PyResult<String> {
        let (view, colours) = look(py, view, colours)?;
        Ok(svg(&self.position.picture("").or_raise(py)?.drawing(view, colours), &self.input))
    }

    /// The picture as a PNG file, `pixels` along its longer side (default: 480).
    #[pyo3(signature = (view="flat", colours="wca", pixels=None))]
    fn png<'py>(
        &self,
        py: Python<'py>,
        view: &str,
        colours: &str,
        pixels: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (view, colours) = look(py, view, colours)?;
        let pixels = number_or_none("pixels", pixels)?.unwrap_or(DEFAULT_PIXELS);
        let drawing = self.position.picture("").or_raise(py)?.drawing(view, colours);
        Ok(PyBytes::new(py, &py.detach(|| png(&drawing, pixels)).or_raise(py)?))
    }

    /// The pieces in space and their turns by `moves`, as `/api/v1/{puzzle}/scene` answers.
    #[pyo3(signature = (moves="", colours="wca"))]
    fn scene<'py>(&self, py: Python<'py>, moves: &str, colours: &str) -> PyResult<Bound<'py, PyAny>> {
        let colours = named(py, Some(colours))?.unwrap_or_default();
        to_python(py, &SceneReport::new(&self.position, &self.input, moves, colours).or_raise(py)?)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.has_pictures().then(|| self.svg(py, "flat", "wca")).transpose()
    }

    fn __str__(&self) -> String {
        self.position.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<{} {}>", self.position.puzzle(), self.position)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().position == self.position)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("twistbase._database")?.getattr("_restore_position")?;
        // Facelets in another order of the faces are read again.
        let text = self.position.order().map_or_else(|| self.position.held_text(), |_| self.input.clone());
        let Home { folder, policy, cache, .. } = &*self.puzzle.home;
        let options = self.options.to_dict(py)?;
        let input = (self.input != text).then_some(&self.input);
        let cache = name_of(*cache);
        let state = (folder, policy, self.position.puzzle(), &text, options, input, cache).into_pyobject(py)?;
        Ok((restore, state))
    }

    /// This position with the input it had before pickling.
    fn _given_as(&self, input: String) -> Self {
        Self { input, ..self.clone() }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.position.hash(&mut hasher);
        hasher.finish()
    }
}

fn look(py: Python<'_>, view: &str, colours: &str) -> PyResult<(Viewpoint, ColourScheme)> {
    Ok((named(py, Some(view))?.unwrap_or_default(), named(py, Some(colours))?.unwrap_or_default()))
}
