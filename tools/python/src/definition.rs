//! Puzzles as data.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use twistbase::Context;
use twistbase::definition::{Ignored, PuzzleDefinition, PuzzleSearch, Restriction, SearchRequest};
use twistbase::error::Error;
use twistbase::picture::{ColourScheme, Picture, Viewpoint, svg as drawn};

use crate::arguments::to_python;
use crate::errors::OrRaise;
use crate::work::{self, Manner};

/// A puzzle from a definition: the text of a file of twsearch or ksolve (`.tws`, `.def`), or of cubing.js (KPuzzle JSON), or a line
/// of its geometry, such as `"c v 0 hold UFR"`, as `twistbase help puzzle` explains.
///
/// Raises `InvalidPosition` with every reason if the text is not a definition.
#[pyclass(frozen, module = "twistbase")]
pub struct Definition {
    pub definition: PuzzleDefinition,
    /// The whole puzzle before a restriction: its names read positions.
    whole: PuzzleDefinition,
    restriction: Restriction,
    /// The search of the last solutions.
    search: Mutex<Option<Arc<PuzzleSearch>>>,
}

impl Definition {
    fn left_of(whole: PuzzleDefinition, restriction: Restriction) -> Result<Self, Error> {
        Ok(Self { definition: whole.restricted(&restriction)?, whole, restriction, search: Mutex::default() })
    }

    /// The solutions of a position, as text: `count` of them, or all of the least length. The next search reuses the tables.
    fn searched(&self, py: Python<'_>, position: &str, count: Option<usize>, max_depth: u8) -> PyResult<Vec<String>> {
        let search = |ctx: &Context, _: &_| {
            let kept = || self.search.lock().unwrap_or_else(PoisonError::into_inner);
            let known = kept().clone();
            let search = match known {
                Some(search) => search,
                // Not under the lock, for which nobody listens to Ctrl-C.
                None => Arc::new(PuzzleSearch::new(self.whole.clone(), &self.restriction, ctx)?),
            };
            *kept() = Some(Arc::clone(&search));
            let position = search.read_position(position)?;
            let request = SearchRequest { count, turns: [0, max_depth.into()], ..SearchRequest::default() };
            let found = search.solutions(&position, &request, ctx, |_| {})?.solutions;
            ctx.check()?;
            match found.is_empty() && count != Some(0) {
                true => Err(Error::Budget(format!("no solution of at most {max_depth} moves"))),
                false => Ok(found.iter().map(|turns| search.text(turns)).collect()),
            }
        };
        work::run(py, Manner::default(), search)?.or_raise(py)
    }
}

#[pymethods]
impl Definition {
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        PuzzleDefinition::parse(text).and_then(|whole| Self::left_of(whole, Restriction::default())).or_raise(py)
    }

    /// Its name; empty if the text gives none.
    #[getter]
    fn name(&self) -> &str {
        &self.definition.name
    }

    /// The line of its geometry; `None` if it has none.
    #[getter]
    fn geometry(&self) -> Option<&str> {
        Some(self.definition.geometry.as_str()).filter(|line| !line.is_empty())
    }

    /// The net of the solved puzzle, as SVG. Stickers have the ids that cubing.js gives them (`CORNER-l0-o2`). Raises `UsageError` if it
    /// has no geometry.
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        let solved = Picture::solved(&self.definition).or_raise(py)?;
        Ok(drawn(&solved.drawing(Viewpoint::Flat, ColourScheme::Wca), &self.definition.geometry))
    }

    /// The net, for notebooks; `None` if it has no geometry.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.geometry().map(|_| self.svg(py)).transpose()
    }

    /// The turns, by name: moves and their powers, each once, without rotations of the whole puzzle.
    #[getter]
    fn turns(&self) -> Vec<String> {
        self.definition.turns().into_iter().map(|turn| turn.name).collect()
    }

    /// The number of elements of the group that all moves generate. Pieces and orientations that look alike count as different.
    fn group_order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let digits = py.detach(|| self.definition.group_order().to_string());
        py.import("builtins")?.getattr("int")?.call1((digits,))
    }

    /// The number of symmetries of the moves and the solved pattern, mirrors included; `None` if positions are illegal.
    fn symmetries(&self, py: Python<'_>) -> Option<usize> {
        py.detach(|| self.definition.symmetries())
    }

    /// What follows from the definition, as `twistbase puzzle show --json` prints it.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &py.detach(|| self.definition.report()))
    }

    /// The number of positions at distance 0, 1, 2 and so on, at most up to `depth`. The list ends early where the
    /// positions end.
    fn count_levels(&self, py: Python<'_>, depth: usize) -> PyResult<Vec<u64>> {
        let counted = work::run(py, Manner::default(), |ctx, _| {
            self.definition.count_levels(depth, u64::MAX, None, ctx, |_, _| Ok(()))
        })?;
        counted.or_raise(py).map(|levels| levels.counts)
    }

    /// A shortest solution of a position, by search; for puzzles of any size. A position is moves from solved, or a KPattern of cubing.js.
    /// Raises `BudgetSpent` if there is none of at most `max_depth` moves.
    #[pyo3(signature = (position, *, max_depth = 255))]
    fn solve(&self, py: Python<'_>, position: &str, max_depth: u8) -> PyResult<String> {
        Ok(self.searched(py, position, Some(1), max_depth)?.swap_remove(0))
    }

    /// Every shortest solution, or the first `count`, longer ones after the shortest; of those that differ in the order of turns that
    /// commute one.
    #[pyo3(signature = (position, *, count = None, max_depth = 255))]
    fn solutions(&self, py: Python<'_>, position: &str, count: Option<usize>, max_depth: u8) -> PyResult<Vec<String>> {
        self.searched(py, position, count, max_depth)
    }

    /// A restriction of the puzzle: solutions of `moves` only (`["R", "U2"]`), in quarter turns, with the pieces that matter (`["DF", "DR"]`)
    /// or orbits that do not (`["EDGE", "CORNER:orientations"]`). A position counts as solved if the moves `up_to` (`["U2", "R2"]`) alone
    /// solve it. `goal` is one of the puzzle's goals by its name (`"star"`), or such a restriction as text (`"only UF,UR"`), instead.
    /// It reads positions by all moves of the puzzle. Raises `UsageError` for moves, pieces, orbits and goals that do not exist.
    #[pyo3(signature = (*, moves = None, quarter_turns = false, only = None, ignore = None, up_to = None, goal = None))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of the call")]
    fn restricted(
        &self,
        py: Python<'_>,
        moves: Option<Vec<String>>,
        quarter_turns: bool,
        only: Option<Vec<String>>,
        ignore: Option<Vec<String>>,
        up_to: Option<Vec<String>>,
        goal: Option<&str>,
    ) -> PyResult<Self> {
        if let Some(goal) = goal {
            if moves.is_some() || only.is_some() || ignore.is_some() || up_to.is_some() {
                let why = "give a goal, or moves, only, ignore and up_to, not both".to_owned();
                return Err(Error::Usage(why)).or_raise(py);
            }
            let restriction = self.definition.goal(goal).map(|restriction| Restriction {
                quarter_turns: quarter_turns || restriction.quarter_turns,
                ..restriction
            });
            let left = restriction.and_then(|restriction| Self::left_of(self.definition.clone(), restriction));
            return left.or_raise(py);
        }
        let ignored = ignore.iter().flatten().map(|text| text.parse::<Ignored>().map_err(Error::Usage));
        let restriction = |ignored| Restriction { moves, quarter_turns, pieces: only, ignored, up_to };
        let left = ignored.collect::<Result<_, _>>().map(restriction);
        left.and_then(|restriction| Self::left_of(self.definition.clone(), restriction)).or_raise(py)
    }

    /// The definition as twsearch and ksolve read it.
    fn to_tws(&self) -> String {
        self.definition.to_tws()
    }

    /// The definition as cubing.js reads it: KPuzzle JSON.
    fn to_kpuzzle(&self) -> String {
        self.definition.to_kpuzzle()
    }

    fn __repr__(&self) -> String {
        let name = if self.definition.name.is_empty() { &self.definition.geometry } else { &self.definition.name };
        format!("<twistbase.Definition {name:?}>")
    }
}
