//! A folder of tables.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use twistbase::database::{
    AnalysisRequest, BuildReport, InsertionsRequest, StepsRequest, StoreItem, TableArrays, TableSet,
};
use twistbase::definition::PuzzleDefinition;
use twistbase::export::{ExportFormat, ExportRequest};
use twistbase::store::IN_MEMORY;
use twistbase::{BuildRequest, Puzzle as _, SearchBudget, SolveMethod};

use crate::arguments::{folder, name_of, named, number, number_or_none, table, to_json, to_python};
use crate::arrays;
use crate::definition::Definition;
use crate::errors::{OrRaise, usage};
use crate::home::Home;
use crate::position::Position;
use crate::puzzle::{OpenPuzzle, Puzzle};
use crate::records::{self, Records};
use crate::solution::Solution;
use crate::solving::{self, GivenPositions, SEARCH, SEARCH_OF_ALL, Search, SolvedIterator};
use crate::work::{self, Manner};

/// The values of `build`, and their meaning: build missing tables, or none.
const POLICIES: [(&str, &str); 3] = [("auto", "auto"), ("small", "auto"), ("never", "never")];
/// The default puzzle of texts.
const CUBE3: &str = twistbase::database::cube3::CUBE3;

/// A folder of tables, and all questions about them.
#[pyclass(frozen, subclass, weakref, module = "twistbase._twistbase")]
pub struct Database {
    home: Arc<Home>,
    puzzles: Mutex<HashMap<&'static str, Arc<OpenPuzzle>>>,
}

impl Database {
    /// The library's database.
    pub fn open(&self, py: Python<'_>) -> PyResult<Arc<twistbase::Database>> {
        self.home.database(py)
    }

    /// The puzzle of a name. It is opened once.
    fn opened(&self, py: Python<'_>, name: &str) -> PyResult<Arc<OpenPuzzle>> {
        // No call to the interpreter under the lock: the interpreter could switch to a thread that waits for the lock.
        let puzzles = || self.puzzles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(puzzle) = puzzles().get(name) {
            return Ok(Arc::clone(puzzle));
        }
        let opened = Arc::new(OpenPuzzle::open(py, &self.home, name)?);
        Ok(Arc::clone(puzzles().entry(opened.info.puzzle).or_insert(opened)))
    }

    /// A `Position`, or a text or array for a position of a puzzle.
    fn position(&self, given: &Bound<'_, PyAny>, puzzle: Option<&str>) -> PyResult<Position> {
        let py = given.py();
        let Ok(position) = given.cast::<Position>() else {
            let puzzle = self.opened(py, puzzle.unwrap_or(CUBE3))?;
            return Position::read(py, &puzzle, &puzzle.text(given)?, Default::default());
        };
        let position = position.get();
        puzzle.map_or(Ok(()), |puzzle| position.check_puzzle(py, puzzle))?;
        Ok(position.clone())
    }

    /// Positions of the Rubik's cube, one per line.
    ///
    /// # Errors
    /// That of the first invalid position.
    pub fn cube3_lines(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        self.opened(given.py(), CUBE3)?.lines(given)
    }
}

#[pymethods]
impl Database {
    #[new]
    #[pyo3(signature = (path=None, *, build="auto", cache="on-demand"))]
    fn new(py: Python<'_>, path: Option<PathBuf>, build: &str, cache: &str) -> PyResult<Self> {
        let Some((_, policy)) = POLICIES.into_iter().find(|(name, _)| *name == build) else {
            return Err(usage(py, format!("build is \"auto\" or \"never\", not {build:?}")));
        };
        let cache = named(py, Some(cache))?.unwrap_or_default();
        let path = path.map_or_else(twistbase::Database::default_folder, Ok).or_raise(py)?;
        // Absolute: it stays valid if the process changes its folder, and in other processes.
        let path = if path.as_os_str() == IN_MEMORY { path } else { folder(py, &path)? };
        let home = Arc::new(Home::new(path, policy, cache));
        // Reports at once if the path is no folder.
        home.database(py)?;
        Ok(Self { home, puzzles: Mutex::default() })
    }

    /// The folder, or `:memory:`.
    #[getter]
    fn path(&self) -> &OsStr {
        self.home.folder.as_os_str()
    }

    fn _close(&self, py: Python<'_>) {
        // No call to the interpreter under the lock.
        let puzzles: Vec<_> = self.puzzles.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for puzzle in puzzles {
            puzzle.close(py);
        }
        self.home.close(py);
    }

    /// The puzzle with a name, or with another usual name: `3x3`, `rubik`, `sq1`.
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

    /// Square-1 with all edges alike.
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

    /// All puzzles, with their names and options.
    fn puzzles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &twistbase::Database::puzzle_infos().collect::<Vec<_>>())
    }

    /// Adds a puzzle under a name: a `Definition`, or the text of one. The puzzle stays in the folder, and this process knows it for
    /// the rest of its life. Returns its entry of `puzzles()`.
    fn add_puzzle<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        definition: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let definition = match definition.cast::<Definition>() {
            Ok(definition) => definition.get().definition.clone(),
            Err(_) => {
                let text: String =
                    definition.extract().map_err(|_| PyTypeError::new_err("expected a Definition or its text"))?;
                PuzzleDefinition::parse(&text).or_raise(py)?
            }
        };
        let database = self.home.database(py)?;
        to_python(py, py.detach(|| database.add_puzzle(name, definition)).or_raise(py)?)
    }

    /// The state of each table, as `twistbase tables --json` prints it.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let database = self.home.database(py)?;
        to_python(py, &py.detach(|| database.tables()).or_raise(py)?)
    }

    /// The distribution of a table, as `twistbase stats --json` prints it. `rows=True` gives a list: one distribution for each row,
    /// that is for each shape or class of positions. `explain=True` instead shows the steps from all states of the puzzle to the
    /// entries of the table; the table need not exist.
    #[pyo3(signature = (table, *, rows=false, explain=false))]
    fn stats<'py>(&self, py: Python<'py>, table: &str, rows: bool, explain: bool) -> PyResult<Bound<'py, PyAny>> {
        let table = self::table(py, table)?;
        if explain {
            let why =
                "rows and explain cannot be given together: the steps to its entries are those of the whole table";
            return if rows { Err(usage(py, why)) } else { to_python(py, &table.explanation()) };
        }
        let database = self.home.database(py)?;
        let told = work::run(py, Manner::default(), |ctx, _| {
            database.build_missing(&[table], ctx)?;
            if !rows {
                return Ok(vec![database.stats(table)?]);
            }
            let all = 0..table.definition().layout().rows;
            let told = database.stats_of_rows(table, all.take_while(|_| !ctx.is_cancelled()))?;
            ctx.check().map(|()| told)
        })?;
        let told = told.or_raise(py)?;
        if rows { to_python(py, &told) } else { to_python(py, &told[0]) }
    }

    /// The shapes of the Square-1 family, as `twistbase export shapes` writes them: the twists between them, the number of positions of
    /// each, and their distances in the tables that exist.
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let database = self.home.database(py)?;
        // Through JSON: its keys are texts.
        to_python(py, &to_json(&py.detach(|| database.shapes()).or_raise(py)?))
    }

    #[pyo3(signature = (table_name, depth, force, memory, progress))]
    fn _build<'py>(
        &self,
        py: Python<'py>,
        table_name: &str,
        depth: Option<&Bound<'py, PyAny>>,
        force: bool,
        memory: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let set = table_name.parse::<TableSet>().ok();
        let tables = match set {
            Some(set) => set.tables().collect(),
            None => vec![table(py, table_name)?],
        };
        let standard = BuildRequest::default();
        let depth = number_or_none("depth", depth)?;
        let memory = number_or_none("memory", memory)?.unwrap_or(standard.memory);
        let request = BuildRequest { depth, force, memory, ..standard };
        tables.iter().try_for_each(|table| request.check(table.definition())).or_raise(py)?;
        let manner = Manner { progress, cancel: None };
        let database = self.home.database(py)?;
        let built: twistbase::Result<Vec<BuildReport>> =
            work::run(py, manner, |ctx, _| tables.iter().map(|&table| database.build(table, &request, ctx)).collect())?;
        self.home.changed();
        let built = to_python(py, &built.or_raise(py)?)?;
        match set {
            Some(set) => {
                let reports = PyDict::new(py);
                reports.set_item("set", set.name())?;
                reports.set_item("tables", built)?;
                Ok(reports.into_any())
            }
            None => built.get_item(0),
        }
    }

    /// A solution of a position. `position` is a `Position`, or a text or an array of shape (width,) for a position of `puzzle`
    /// (default: the Rubik's cube).
    ///
    /// The Rubik's cube has four methods. "auto" (default) finds a shortest solution if about a second is enough, else it continues as
    /// "two-phase"; the solution's `optimal` and `at_least` say what is proven. "two-phase" finds a short solution at once, then
    /// shorter ones until `target`, `timeout` seconds or `max_nodes`. "optimal" finds a shortest solution: `table` chooses the
    /// pruning table, `mapped=True` reads it without a copy in memory, `max_depth` ends the search. "phase2" finds a shortest
    /// solution with the moves of `H = <U, D, R2, F2, L2, B2>`. `metric` is "htm" or "qtm"; `goal` is a position to reach instead of
    /// solved, or the name of a goal, such as "cross" or "cross:R": its table gives a shortest solution, without a method.
    ///
    /// The other puzzles read a shortest solution from their table. A puzzle that is data and has no table, such as "fto", is searched,
    /// within `timeout`, `max_nodes`, `max_depth` and bytes of `memory`. The Square-1 family has the options `metric` ("twists", or "wca",
    /// which also counts turns), `middle` and `notation`. In its metric "face" (a turn of one layer counts 1) it searches for a
    /// shortest solution, until `timeout` seconds or `max_nodes`.
    ///
    /// `on_improved(solution)` is called for each solution found, `on_depth(bound, nodes)` for each finished depth of an optimal search.
    /// An exception in a callback ends the search.
    ///
    /// Raises `BudgetSpent` if a limit ends the search too early, with the `best` solution and the proven `bound`.
    #[pyo3(signature = (position, *, puzzle=None, **options))]
    fn solve(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        puzzle: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Solution> {
        let position = self.position(position, puzzle)?;
        solving::solve(py, &position, &Search::new(options, &SEARCH)?.for_position(&position))
    }

    /// All shortest solutions of a position of the Rubik's cube or of a puzzle that is data, and those with up to `extra` moves more; at most
    /// `limit`. Solutions that differ only in the order of turns that commute count once. The other options are those of `solve`.
    #[pyo3(signature = (position, *, puzzle=None, extra=None, **options))]
    fn solve_all(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        puzzle: Option<&str>,
        extra: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Solution>> {
        let mut search = Search::new(options, &SEARCH_OF_ALL)?;
        search.request.extra = Some(number_or_none("extra", extra)?.unwrap_or(0));
        let position = self.position(position, puzzle)?;
        if position.position.puzzle() == CUBE3
            && *search.request.method.get_or_insert(SolveMethod::Optimal) != SolveMethod::Optimal
        {
            return Err(usage(py, "all shortest solutions are listed by the method \"optimal\" alone"));
        }
        if search.request.limit == Some(0) {
            return Err(usage(py, "limit cannot be 0"));
        }
        solving::solve_all(py, &position, &search.for_position(&position))
    }

    /// One solution for each of many positions, in order. All cores search ahead while you iterate.
    ///
    /// `positions` is any iterable of texts, `Position`s and arrays of shape (width,); also an array of shape (n, width). Default for
    /// `puzzle`: that of the first item if it is a `Position`, else the Rubik's cube. A position without solution raises, which ends
    /// the iteration. With `errors="return"` the exception takes the place of the solution; its `element` is the number of the
    /// position. The other options are those of `solve`, without its callbacks. The method "auto" searches each position for a
    /// fraction of a millisecond before it continues as "two-phase".
    #[pyo3(signature = (positions, *, puzzle=None, errors="raise", **options))]
    fn solve_many(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        puzzle: Option<&str>,
        errors: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<SolvedIterator> {
        if !["raise", "return"].contains(&errors) {
            return Err(usage(py, format!("errors is \"raise\" or \"return\", not {errors:?}")));
        }
        let search = Search::new(options, &[])?;
        let mut given = GivenPositions::new(positions)?;
        let puzzle = match puzzle {
            Some(puzzle) => self.opened(py, puzzle)?,
            None => self.opened(py, given.puzzle(py)?.unwrap_or(CUBE3))?,
        };
        SolvedIterator::start(py, &puzzle, given, errors == "return", search)
    }

    #[pyo3(signature = (position, steps, niss, count, width, timeout))]
    fn _steps<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        steps: &str,
        niss: &str,
        count: &Bound<'py, PyAny>,
        width: &Bound<'py, PyAny>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        let request = StepsRequest {
            plan: steps.parse().or_raise(py)?,
            niss: named(py, Some(niss))?.unwrap_or_default(),
            count: number::<u32>("count", count)? as usize,
            width: number::<u32>("width", width)? as usize,
            time: timeout.map(solving::seconds).transpose()?,
        };
        let position = self.position(position, Some(CUBE3))?;
        let cube = self.home.database(py)?.cube3();
        let solved = work::run(py, Manner::default(), |ctx, _| {
            cube.steps(&request, ctx)?.solve(&position.position, &position.input, ctx, &mut |_| {})
        })?;
        to_python(py, &solved.or_raise(py)?)
    }

    #[pyo3(signature = (position, skeleton, insertions, longest, count, width, timeout))]
    #[expect(clippy::too_many_arguments, reason = "as the package calls it")]
    fn _insertions<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        skeleton: &str,
        insertions: &Bound<'py, PyAny>,
        longest: &Bound<'py, PyAny>,
        count: &Bound<'py, PyAny>,
        width: &Bound<'py, PyAny>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        let request = InsertionsRequest {
            insertions: number("insertions", insertions)?,
            longest: number("longest", longest)?,
            count: number::<u32>("count", count)? as usize,
            width: number::<u32>("width", width)? as usize,
            time: timeout.map(solving::seconds).transpose()?,
        };
        let position = self.position(position, Some(CUBE3))?;
        let cube = self.home.database(py)?.cube3();
        let solved = work::run(py, Manner::default(), |ctx, _| {
            cube.insertions(request, ctx)?.solve(&position.position, &position.input, skeleton, ctx)
        })?;
        to_python(py, &solved.or_raise(py)?.solutions)
    }

    #[pyo3(signature = (position, optimal, timeout, max_nodes))]
    fn _analyze<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        optimal: bool,
        timeout: Option<&Bound<'py, PyAny>>,
        max_nodes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        let time = timeout.map(solving::seconds).transpose()?;
        let budget = SearchBudget { time, nodes: number_or_none("max_nodes", max_nodes)? };
        let request = AnalysisRequest { optimal: optimal.then_some(budget), many: false };
        let position = self.position(position, Some(CUBE3))?;
        let cube = self.home.database(py)?.cube3();
        let analysis = work::run(py, Manner::default(), |ctx, _| {
            let analysis = cube.analyzer(request, ctx)?.analyze(&position.position, &position.input, ctx)?;
            ctx.check().map(|()| analysis)
        })?;
        to_python(py, &analysis.or_raise(py)?)
    }

    /// The distances of many positions of the Rubik's cube to goals, an array of shape (n, goals), uint8: 255 where the moves of a goal do
    /// not lead to it. `positions` is an array of positions, of shape (n, 54), or a list of texts and `Position`s. Goals are those of
    /// `twistbase.goals()`, also as `"cross:R"` or `"cross:any"`. `metric` is `"htm"` or `"qtm"`.
    #[pyo3(signature = (positions, goals, metric = "htm"))]
    fn goal_distances<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        goals: Vec<String>,
        metric: &str,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (py, lines) = (positions.py(), self.cube3_lines(positions)?);
        let metric = named::<twistbase::Metric>(py, Some(metric))?.unwrap_or_default();
        let cube = self.home.database(py)?.cube3();
        let found = work::run(py, Manner::default(), |ctx, _| {
            let tables = cube.goal_tables(&goals, metric, ctx)?;
            let positions = lines.iter().map(|line| cube.read(line)).collect::<twistbase::Result<Vec<_>>>()?;
            tables.distances_of_many(&positions, ctx)
        })?;
        let bytes = found.or_raise(py)?.into_iter().map(|distance| distance.unwrap_or(u8::MAX));
        bytes.collect::<Vec<_>>().into_pyarray(py).reshape([lines.len(), goals.len()])
    }

    /// The exact distances of many positions, an array of shape (n,), uint8. Differences of uint8 wrap around: 3 - 5 is 254. Convert
    /// before subtracting, as in `db.distances(...).astype(int)`.
    ///
    /// `positions` is an array of indices of the table, of shape (n,); an array of positions, of shape (n, width); or a list of texts
    /// and `Position`s. A single row of an array of positions, of shape (width,), is an error: its numbers could also be indices.
    fn distances<'py>(&self, table: &str, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        arrays::ask(
            &*self.home.database(positions.py())?,
            self::table(positions.py(), table)?,
            positions,
            TableArrays::distances,
        )
    }

    /// Lower bounds of the distances of many positions, from a table of bounds. Arguments and result are those of `distances`.
    fn bounds<'py>(&self, table: &str, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        arrays::ask(
            &*self.home.database(positions.py())?,
            self::table(positions.py(), table)?,
            positions,
            TableArrays::bounds,
        )
    }

    /// The indices of many positions in a table, an array of shape (n,), uint64.
    fn indices<'py>(&self, table: &str, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        arrays::ask(
            &*self.home.database(positions.py())?,
            self::table(positions.py(), table)?,
            positions,
            TableArrays::indices,
        )
    }

    /// One position for each index of a table, an array of shape (n, width), uint8.
    fn positions<'py>(&self, table: &str, indices: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        arrays::positions(&*self.home.database(indices.py())?, self::table(indices.py(), table)?, indices)
    }

    /// A random sample: the indices of `n` different entries of a table, uint64. `level` chooses a distance, `None` all. All entries are
    /// equally likely, even if they stand for different numbers of positions. The same seed draws the same entries; default: seed 0,
    /// as in exports.
    #[pyo3(signature = (table, level, n, seed=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        table: &str,
        level: Option<&Bound<'py, PyAny>>,
        n: &Bound<'py, PyAny>,
        seed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let (level, n) = (number_or_none("level", level)?, number("n", n)?);
        let seed = number_or_none("seed", seed)?.unwrap_or(0);
        let (table, selection) = (self::table(py, table)?, records::sample(level, n, seed));
        let database = self.home.database(py)?;
        let drawn = work::run(py, Manner::default(), |ctx, _| {
            database.build_missing(&[table], ctx)?;
            database.select(table, &selection, ctx)
        })?;
        Ok(drawn.or_raise(py)?.into_pyarray(py))
    }

    /// Records of a table, as an object for every library that reads Arrow streams.
    #[pyo3(signature = (table, **options))]
    fn export(&self, py: Python<'_>, table: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Records> {
        let table = self::table(py, table)?;
        Records::new(py, &self.home, table, options, |py| self.opened(py, table.definition().puzzle()))
    }

    #[pyo3(signature = (records, path, format, force, progress))]
    fn _write<'py>(
        &self,
        py: Python<'py>,
        records: &Records,
        path: PathBuf,
        format: Option<&str>,
        force: bool,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (format, zstd) = ExportFormat::of_file(&path, named(py, format)?).or_raise(py)?;
        let request = ExportRequest { records: records.request().clone(), format, zstd };
        let manner = Manner { progress, cancel: None };
        let database = self.home.database(py)?;
        let written = work::run(py, manner, |ctx, _| {
            database.build_missing(&[records.table()], ctx)?;
            let mut lines = records.lines();
            database.export(records.table(), &request, lines.as_mut(), &path, force, ctx)
        })?;
        to_python(py, &written.or_raise(py)?)
    }

    #[pyo3(signature = (table, progress))]
    fn _verify<'py>(
        &self,
        py: Python<'py>,
        table: &str,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (item, manner) = (StoreItem::Table(self::table(py, table)?), Manner { progress, cancel: None });
        let database = self.home.database(py)?;
        let verified = work::run(py, manner, |ctx, _| database.verify(item, None, ctx))?.or_raise(py)?;
        let summary = to_python(py, &verified.summary)?;
        summary.set_item("found", to_python(py, &verified.faults)?)?;
        Ok(summary)
    }

    #[pyo3(signature = (table, progress))]
    fn _rebuild<'py>(
        &self,
        py: Python<'py>,
        table: &str,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (table, manner) = (self::table(py, table)?, Manner { progress, cancel: None });
        let database = self.home.database(py)?;
        let rebuilt = work::run(py, manner, |ctx, _| {
            let request = BuildRequest::default();
            let plan = database.plan_rebuild(table, request.memory, ctx)?;
            database.rebuild(table, &plan, &request, ctx)
        })?;
        self.home.changed();
        to_python(py, &rebuilt.or_raise(py)?)
    }

    /// Deletes a table with its unfinished build and its cache; `unfinished=True` deletes the unfinished build alone. Returns the
    /// report of `twistbase remove --json`: whether there was something (`removed`), and the freed bytes.
    #[pyo3(signature = (table, *, unfinished=false))]
    fn remove<'py>(&self, py: Python<'py>, table: &str, unfinished: bool) -> PyResult<Bound<'py, PyAny>> {
        let (table, database) = (self::table(py, table)?, self.home.database(py)?);
        let removed = py.detach(|| database.remove(table, unfinished)).or_raise(py)?;
        self.home.changed();
        to_python(py, &removed)
    }

    /// Whether questions build missing tables: "auto" or "never".
    #[getter]
    fn build_policy(&self) -> &'static str {
        self.home.policy
    }

    /// The use of the hot cache (files of often used parts of tables): "on-demand", "read-only" or "off".
    #[getter]
    fn cache(&self) -> Option<&'static str> {
        name_of(self.home.cache)
    }

    fn __repr__(&self) -> String {
        format!("<twistbase.Database {}>", self.home.folder.display())
    }
}
