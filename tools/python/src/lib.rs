//! The extension module `twistbase._twistbase`: the library's facade for Python.
//!
//! One file per class. Long work runs on separate threads ([`work`]) without the interpreter's lock. The calling thread handles signals
//! and callbacks. The Python package beside it has the parts that are simpler in Python: progress bars, asyncio, `kociemba`'s call.

mod arguments;
mod arrays;
mod database;
mod definition;
mod errors;
mod farm;
mod home;
mod panics;
mod position;
mod puzzle;
mod records;
mod solution;
mod solving;
mod work;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _twistbase {
    #[pymodule_export]
    use super::database::Database;
    #[pymodule_export]
    use super::definition::Definition;
    #[pymodule_export]
    use super::farm::Farm;
    #[pymodule_export]
    use super::position::{ExactDistance, Position};
    #[pymodule_export]
    use super::puzzle::Puzzle;
    #[pymodule_export]
    use super::records::Records;
    #[pymodule_export]
    use super::solution::{Solution, SolutionIterator};
    #[pymodule_export]
    use super::solving::SolvedIterator;
    #[pymodule_export]
    use super::work::CancelToken;

    use pyo3::prelude::*;

    /// The names of the goals of a puzzle other than solved.
    ///
    /// `db.cube3("R U F2", goal="cross")` is a position on the way to one of them; `db.solve` takes them, too.
    #[pyfunction]
    #[pyo3(signature = (puzzle="cube3"))]
    fn goals(py: Python<'_>, puzzle: &str) -> PyResult<Vec<&'static str>> {
        let info = twistbase::Database::find_puzzle(puzzle).map_err(|error| super::errors::exception(py, &error))?;
        Ok(info.goals.to_vec())
    }

    #[pymodule_init]
    fn prepare(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::panics::hide_guarded();
        super::arrays::prepare(module.py())
    }
}
