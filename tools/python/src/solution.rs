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

/// A solution of a position. `str()` writes its moves, `len()` tells how many there are in its metric.
#[pyclass(frozen, from_py_object, weakref, module = "twistbase")]
#[derive(Clone)]
pub struct Solution {
    start: Position,
    /// Its moves, as they are written.
    pub moves: String,
    length: usize,
    metric: String,
    /// All that the library tells of it.
    told: Value,
}

impl Solution {
    /// A solution that the library found.
    pub fn new(start: Position, solution: &twistbase::Solution) -> Self {
        Self::told(start, solution.moves().to_owned(), solution.length(), to_json(solution))
    }

    /// Moves of so many in the metric that `told` names.
    pub fn told(start: Position, moves: String, length: usize, told: Value) -> Self {
        let metric = told["metric"].as_str().unwrap_or_default().to_owned();
        Self { start, moves, length, metric, told }
    }

    /// A shortest one of an answer, of which `answer` has the input and the metric.
    pub fn shortest(start: Position, moves: &str, length: u8, answer: &Value) -> Self {
        let mut told = serde_json::json!({ "length": length, "solution": moves });
        for member in ["input", "puzzle", "metric"] {
            told[member] = answer[member].clone();
        }
        Self::told(start, moves.to_owned(), length.into(), told)
    }

    /// The position before each move and at the end.
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

    /// What its length counts: "htm", "qtm", "twists", "wca" or "face".
    #[getter]
    fn metric(&self) -> &str {
        &self.metric
    }

    /// Whether it is proven shortest; `None` unless the method "auto" found it.
    #[getter]
    fn optimal(&self) -> Option<bool> {
        self.told["optimal"].as_bool()
    }

    /// No solution has fewer moves; `None` where no search proved a bound.
    #[getter]
    fn at_least(&self) -> Option<u64> {
        self.told["at_least"].as_u64()
    }

    /// The shapes that it passes, by their names in `db.shapes()`: at the start and after each twist; `None` of a puzzle that is not of
    /// the Square-1 family.
    #[getter]
    fn shapes(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        self.start.position.shapes(&self.moves).or_raise(py)
    }

    /// The position that it solves.
    #[getter]
    fn start(&self) -> Position {
        self.start.clone()
    }

    /// The position after all its moves.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<Position> {
        Ok(self.start.with(self.start.position.moved(&self.moves).or_raise(py)?))
    }

    /// Its moves one by one; of Square-1, turns and twists.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let scene = self.start.position.picture(&self.moves).or_raise(py)?.scene(ColourScheme::Wca);
        Ok(scene.steps.into_iter().map(|step| step.text).collect())
    }

    /// The positions that it passes: the start, and the one after each of its steps.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<Position>> {
        self.passed(py)
    }

    /// All that is known of it: the same as a line of the program's JSON.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.told)
    }

    /// Steps through it in a notebook: a picture for each position, chosen by its move. It needs no script.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let (steps, positions) = (self.steps(py)?, self.passed(py)?);
        let (pictures, labels) = (positions.iter(), ["start".to_owned()].into_iter().chain(steps));
        // Of two outputs in a page, each has buttons of its own.
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
        Ok(html + "</div>")
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
            (self.start.position, &self.moves) == (other.start.position, &other.moves)
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.start.position, &self.moves).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("twistbase._twistbase")?.getattr("Solution")?.getattr("_restore")?;
        let state = (self.start.clone(), &self.moves, self.length, self.told.to_string()).into_pyobject(py)?;
        Ok((restore, state))
    }

    /// What was pickled.
    #[staticmethod]
    fn _restore(py: Python<'_>, start: Position, moves: String, length: usize, told: &str) -> PyResult<Self> {
        let told = serde_json::from_str(told).map_err(|error| crate::errors::usage(py, error.to_string()))?;
        Ok(Self::told(start, moves, length, told))
    }
}

/// Shows of so many pictures the one whose button is pressed.
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
