//! Solutions.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::Value;
use twistbase::database::Solutions;
use twistbase::picture::{ColourScheme, Viewpoint, svg};

use crate::arguments::{to_json, to_python};
use crate::errors::OrRaise;
use crate::position::Position;

/// A solution of a position. `str()` gives its moves, `len()` its length in its metric.
#[pyclass(frozen, from_py_object, weakref, module = "twistbase")]
#[derive(Clone)]
pub struct Solution {
    start: Position,
    /// The moves as text.
    pub moves: String,
    length: usize,
    metric: String,
    /// The solution as the library reports it.
    told: Value,
}

impl Solution {
    /// A solution that the library found.
    pub fn new(start: Position, solution: &twistbase::Solution) -> Self {
        Self::told(start, solution.moves().to_owned(), solution.length(), to_json(solution))
    }

    /// Moves, with their number in the metric of `told`.
    pub fn told(start: Position, moves: String, length: usize, told: Value) -> Self {
        let metric = told["metric"].as_str().unwrap_or_default().to_owned();
        Self { start, moves, length, metric, told }
    }

    /// The shortest solution in an answer; `answer` has the input and the metric.
    pub fn shortest(start: Position, moves: &str, length: u8, answer: &Value) -> Self {
        let mut told = serde_json::json!({ "length": length, "solution": moves });
        for member in ["input", "puzzle", "metric"] {
            told[member] = answer[member].clone();
        }
        Self::told(start, moves.to_owned(), length.into(), told)
    }

    /// The positions before each move, and the end.
    fn passed(&self, py: Python<'_>) -> PyResult<Vec<Position>> {
        let mut passed = vec![self.start.clone()];
        for step in self.steps(py)? {
            let last = &passed[passed.len() - 1];
            passed.push(last.with(last.position.moved(&step).or_raise(py)?));
        }
        Ok(passed)
    }
}

#[pymethods]
impl Solution {
    /// Its moves.
    #[getter]
    fn moves(&self) -> &str {
        &self.moves
    }

    /// The number of moves in its metric.
    #[getter]
    fn length(&self) -> usize {
        self.length
    }

    /// The metric of its length: "htm", "qtm", "twists", "wca" or "face".
    #[getter]
    fn metric(&self) -> &str {
        &self.metric
    }

    /// Whether it is proven shortest; `None` for methods other than "auto".
    #[getter]
    fn optimal(&self) -> Option<bool> {
        self.told["optimal"].as_bool()
    }

    /// A proven lower bound: no solution has fewer moves. `None` if no search proved one.
    #[getter]
    fn at_least(&self) -> Option<u64> {
        self.told["at_least"].as_u64()
    }

    /// The shapes at the start and after each twist, by their names in `db.shapes()`; `None` for puzzles outside the Square-1 family.
    #[getter]
    fn shapes(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        self.start.position.shapes(&self.moves).or_raise(py)
    }

    /// The position at the start.
    #[getter]
    fn start(&self) -> Position {
        self.start.clone()
    }

    /// The position after all its moves.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<Position> {
        Ok(self.start.with(self.start.position.moved(&self.moves).or_raise(py)?))
    }

    /// The moves one by one; for Square-1, turns and twists.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.start.position.steps(&self.moves).or_raise(py)
    }

    /// The positions on the way: the start, then one after each step.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<Position>> {
        self.passed(py)
    }

    /// The solution as a dict, like a line of the program's JSON.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.told)
    }

    /// HTML for a notebook: a button for each move shows the position after it. Needs no script. `None` for a puzzle without
    /// pictures.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if !self.start.has_pictures() {
            return Ok(None);
        }
        let (steps, positions) = (self.steps(py)?, self.passed(py)?);
        let (pictures, labels) = (positions.iter(), ["start".to_owned()].into_iter().chain(steps));
        // Unique names: two outputs on a page have separate buttons.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let name = format!("twistbase-{now:x}");
        let mut html = format!("<div class=\"{name}\"><style>{}</style>", style(&name, positions.len()));
        for (number, label) in labels.enumerate() {
            let checked = if number == 0 { " checked" } else { "" };
            let _ = write!(
                html,
                "<input type=\"radio\" name=\"{name}\" id=\"{name}-{number}\"{checked}>\
                 <label for=\"{name}-{number}\">{label}</label> "
            );
        }
        for (number, position) in pictures.enumerate() {
            let drawing = position.position.picture("").or_raise(py)?.drawing(Viewpoint::Flat, ColourScheme::Wca);
            let _ = write!(html, "<div class=\"p{number}\">{}</div>", svg(&drawing, &position.input));
        }
        Ok(Some(html + "</div>"))
    }

    fn __str__(&self) -> &str {
        &self.moves
    }

    fn __repr__(&self) -> String {
        format!("<solution of {} in {} {}: {}>", self.start.position.puzzle(), self.length, self.metric, self.moves)
    }

    fn __len__(&self) -> usize {
        self.length
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            (&self.start.position, &self.moves) == (&other.start.position, &other.moves)
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.start.position, &self.moves).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("twistbase._twistbase")?.getattr("Solution")?.getattr("_restore")?;
        let state = (self.start.clone(), &self.moves, self.length, self.told.to_string()).into_pyobject(py)?;
        Ok((restore, state))
    }

    /// The pickled state.
    #[staticmethod]
    fn _restore(py: Python<'_>, start: Position, moves: String, length: usize, told: &str) -> PyResult<Self> {
        let told = serde_json::from_str(told).map_err(|error| crate::errors::usage(py, error.to_string()))?;
        Ok(Self::told(start, moves, length, told))
    }
}

/// Styles that show the picture of the pressed button, out of `count` pictures.
fn style(name: &str, pictures: usize) -> String {
    let mut style = format!(
        ".{name}>div{{display:none}}.{name}>input{{position:absolute;opacity:0;pointer-events:none}}\
         .{name}>label{{cursor:pointer;padding:.1em .3em;border-radius:.2em}}\
         .{name}>input:checked+label{{background:#1565c0;color:#fff}}\
         .{name}>input:focus-visible+label{{outline:2px solid #f9a825}}.{name} svg{{max-width:20em;height:auto}}"
    );
    for number in 0..pictures {
        let _ = write!(style, ".{name}>#{name}-{number}:checked~.p{number}{{display:block}}");
    }
    style
}

/// Solutions, found one after the other.
#[pyclass(frozen, weakref, module = "twistbase")]
pub struct SolutionIterator {
    start: Position,
    solutions: Mutex<Solutions>,
}

impl SolutionIterator {
    pub fn new(start: Position, solutions: Solutions) -> Self {
        Self { start, solutions: Mutex::new(solutions) }
    }
}

#[pymethods]
impl SolutionIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    pub fn __next__(&self, py: Python<'_>) -> PyResult<Option<Solution>> {
        let next = py.detach(|| self.solutions.lock().unwrap_or_else(PoisonError::into_inner).next());
        Ok(next.transpose().or_raise(py)?.map(|solution| Solution::new(self.start.clone(), &solution)))
    }
}
