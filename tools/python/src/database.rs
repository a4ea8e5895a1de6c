//! A folder of tables.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use twistbase::BuildRequest;

use crate::arguments::{table, to_python};
use crate::errors::{OrRaise, usage};
use crate::position::Position;
use crate::puzzle::{OpenPuzzle, Puzzle};
use crate::solution::Solution;
use crate::solving::{self, Search, SolvedIterator};
use crate::work::{self, Manner};

/// Which tables questions build: those that are small, or none.
const POLICIES: [&str; 2] = ["small", "never"];

/// A folder of tables, and everything that can be asked of them.
#[pyclass(frozen, subclass, module = "twistbase._twistbase")]
pub struct Database {
    database: twistbase::Database,
    policy: &'static str,
    puzzles: Mutex<HashMap<&'static str, Arc<OpenPuzzle>>>,
}

impl Database {
    /// The puzzle of a name; it is opened once.
    fn opened(&self, py: Python<'_>, name: &str) -> PyResult<Arc<OpenPuzzle>> {
        let mut puzzles = self.puzzles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(puzzle) = puzzles.get(name) {
            return Ok(Arc::clone(puzzle));
        }
        let puzzle = Arc::new(OpenPuzzle::open(&self.database, self.policy, name).or_raise(py)?);
        puzzles.insert(puzzle.info.puzzle, Arc::clone(&puzzle));
        Ok(puzzle)
    }

    /// A position, or text for one of a puzzle.
    fn position(&self, given: &Bound<'_, PyAny>, puzzle: &str) -> PyResult<Position> {
        match given.cast::<Position>() {
            Ok(position) => Ok(position.get().clone()),
            Err(_) => {
                let py = given.py();
                Position::read(py, &self.opened(py, puzzle)?, &given.extract::<String>()?, Default::default())
            }
        }
    }
}

#[pymethods]
impl Database {
    #[new]
    #[pyo3(signature = (path=None, *, build="small"))]
    fn new(py: Python<'_>, path: Option<PathBuf>, build: &str) -> PyResult<Self> {
        let Some(policy) = POLICIES.into_iter().find(|policy| *policy == build) else {
            return Err(usage(py, format!("build is \"small\" or \"never\", not {build:?}")));
        };
        let path = path.map_or_else(twistbase::Database::default_folder, Ok).or_raise(py)?;
        let database = twistbase::Database::open(path).or_raise(py)?.building_missing(policy == "small");
        Ok(Self { database, policy, puzzles: Mutex::default() })
    }

    /// The folder.
    #[getter]
    fn path(&self) -> String {
        self.database.folder().display().to_string()
    }

    /// The puzzle of a name.
    fn puzzle(&self, py: Python<'_>, name: &str) -> PyResult<Puzzle> {
        Ok(Puzzle(self.opened(py, name)?))
    }

    /// Cube21.
    #[getter]
    fn cube21(&self, py: Python<'_>) -> PyResult<Puzzle> {
        self.puzzle(py, "cube21")
    }

    /// Square-1.
    #[getter]
    fn square1(&self, py: Python<'_>) -> PyResult<Puzzle> {
        self.puzzle(py, "square1")
    }

    /// Square-1, its corners alone.
    #[getter]
    fn square1_corners(&self, py: Python<'_>) -> PyResult<Puzzle> {
        self.puzzle(py, "square1-corners")
    }

    /// The 2×2×2 cube.
    #[getter]
    fn cube2(&self, py: Python<'_>) -> PyResult<Puzzle> {
        self.puzzle(py, "cube2")
    }

    /// The Rubik's cube.
    #[getter]
    fn cube3(&self, py: Python<'_>) -> PyResult<Puzzle> {
        self.puzzle(py, "cube3")
    }

    /// All puzzles, for whoever chooses one.
    fn puzzles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &twistbase::Database::puzzle_infos().collect::<Vec<_>>())
    }

    /// What there is of each table: the same as `twistbase tables --json` prints.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &py.detach(|| self.database.tables()).or_raise(py)?)
    }

    /// The distribution of a table: the same as `twistbase stats --json` prints.
    fn stats<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyAny>> {
        let table = crate::arguments::table(py, table)?;
        to_python(py, &py.detach(|| self.database.stats(table)).or_raise(py)?)
    }

    #[pyo3(signature = (table_name, depth, force, memory, progress))]
    fn _build<'py>(
        &self,
        py: Python<'py>,
        table_name: &str,
        depth: Option<u8>,
        force: bool,
        memory: Option<u64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = table(py, table_name)?;
        let standard = BuildRequest::default();
        let request = BuildRequest { depth, force, memory: memory.unwrap_or(standard.memory), ..standard };
        request.check(id).or_raise(py)?;
        let manner = Manner { progress, cancel: None };
        let built = work::run(py, manner, |ctx, _| self.database.build(id, &request, ctx))?;
        to_python(py, &built.or_raise(py)?)
    }

    #[pyo3(signature = (position, *, puzzle="cube3", **options))]
    fn solve(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        puzzle: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Solution> {
        solving::solve(py, &self.position(position, puzzle)?, &Search::new(options)?)
    }

    #[pyo3(signature = (position, *, puzzle="cube3", extra=0, **options))]
    fn solve_all(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        puzzle: &str,
        extra: u8,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Solution>> {
        let mut search = Search::new(options)?;
        search.request.extra = Some(extra);
        search.request.method = Some(twistbase::SolveMethod::Optimal);
        solving::solve_all(py, &self.position(position, puzzle)?, &search)
    }

    #[pyo3(signature = (positions, *, puzzle="cube3", errors="raise", **options))]
    fn solve_many(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        puzzle: &str,
        errors: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<SolvedIterator> {
        if !["raise", "return"].contains(&errors) {
            return Err(usage(py, format!("errors is \"raise\" or \"return\", not {errors:?}")));
        }
        SolvedIterator::start(&self.opened(py, puzzle)?, positions, errors == "return", &Search::new(options)?)
    }

    fn __repr__(&self) -> String {
        format!("<twistbase.Database {}>", self.path())
    }
}
