//! Arguments and results of calls.

use std::path::{self, Path, PathBuf};

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use twistbase::database::ExactSearch;
use twistbase::database::Named;
use twistbase::puzzle::square1::notation::SequenceNotation;
use twistbase::{Detail, MiddleGoal, Question, QuestionMetric, TableId};

use crate::errors::{OrRaise, usage};

/// A `Serialize` value as Python values: the program's JSON.
///
/// # Errors
/// Exceptions of the interpreter.
pub fn to_python<'py>(py: Python<'py>, value: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}

/// A `Serialize` value as JSON.
pub fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("what the library tells is JSON")
}

/// The value with a name, if a name is given.
///
/// # Errors
/// `UsageError` that lists the valid names.
pub fn named<T: Named>(py: Python<'_>, name: Option<&str>) -> PyResult<Option<T>> {
    name.map(T::named).transpose().or_raise(py)
}

/// The name of a value.
pub fn name_of<T: Named + PartialEq>(value: T) -> Option<&'static str> {
    T::NAMES.iter().find(|(_, own)| *own == value).map(|(name, _)| *name)
}

/// A number argument.
///
/// # Errors
/// `UsageError` if it is negative or too large; `TypeError` if it is no number.
pub fn number<'a, 'py, T: FromPyObject<'a, 'py>>(name: &str, given: &'a Bound<'py, PyAny>) -> PyResult<T> {
    let py = given.py();
    given.extract().map_err(Into::into).map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(py) {
            return error;
        }
        // Python does not print integers with thousands of digits.
        let shown = given.str().map_or_else(|_| "so large".to_owned(), |shown| shown.to_string_lossy().into_owned());
        usage(py, format!("{name} cannot be {shown}"))
    })
}

/// Numbers from any iterable.
///
/// # Errors
/// As [`number`], for the first invalid one.
pub fn numbers<T: for<'a, 'py> FromPyObject<'a, 'py>>(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    given.try_iter()?.map(|item| number(name, &item?)).collect()
}

/// The absolute path of a folder.
///
/// # Errors
/// `UsageError` for an empty path; `StorageError` if the current folder is unknown.
pub fn folder(py: Python<'_>, given: &Path) -> PyResult<PathBuf> {
    if given.as_os_str().is_empty() {
        return Err(usage(py, "the path is empty: it has to be a folder"));
    }
    path::absolute(given)
        .map_err(|source| twistbase::Error::Io { action: "find", path: given.to_owned(), source })
        .or_raise(py)
}

/// A number argument that may be `None`.
///
/// # Errors
/// As [`number`].
pub fn number_or_none<'a, 'py, T: FromPyObject<'a, 'py>>(
    name: &str,
    given: Option<&'a Bound<'py, PyAny>>,
) -> PyResult<Option<T>> {
    given.filter(|given| !given.is_none()).map(|given| number(name, given)).transpose()
}

/// The table with a name.
///
/// # Errors
/// `UsageError` that lists the valid names.
pub fn table(py: Python<'_>, name: &str) -> PyResult<TableId> {
    name.parse::<TableId>().or_raise(py)
}

/// The kind of question about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asked {
    /// Its distance, from tables; without a chosen table also by a short search.
    Search(Detail),
    /// Its shortest solutions; on request with their shapes.
    Solutions { shapes: bool },
    /// One shortest solution.
    Solution,
}

/// Options of questions about a position.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Options {
    pub goal: Option<String>,
    pub metric: Option<QuestionMetric>,
    pub table: Option<TableId>,
    pub middle: Option<MiddleGoal>,
    pub notation: Option<SequenceNotation>,
}

impl Options {
    /// # Errors
    /// `UsageError` for an unknown name.
    pub fn new(
        py: Python<'_>,
        goal: Option<String>,
        metric: Option<&str>,
        table_name: Option<&str>,
        middle: Option<&str>,
        notation: Option<&str>,
    ) -> PyResult<Self> {
        Ok(Self {
            goal,
            metric: named(py, metric)?,
            table: table_name.map(|name| table(py, name)).transpose()?,
            middle: named(py, middle)?,
            notation: named(py, notation)?,
        })
    }

    /// The options as arguments of a call.
    ///
    /// # Errors
    /// Exceptions of the interpreter.
    pub fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if let Some(goal) = &self.goal {
            dict.set_item("goal", goal)?;
        }
        if let Some(metric) = self.metric {
            dict.set_item("metric", name_of(metric))?;
        }
        if let Some(table) = self.table {
            dict.set_item("table", table.name())?;
        }
        if let Some(middle) = self.middle {
            dict.set_item("middle", name_of(middle))?;
        }
        if let Some(notation) = self.notation {
            dict.set_item("notation", name_of(notation))?;
        }
        Ok(dict)
    }

    /// The question with these options.
    pub fn question(&self, asked: Asked) -> Question {
        let Self { ref goal, metric, table, middle, notation } = *self;
        let common = Question { goal: goal.clone(), metric, table, middle, notation, ..Question::default() };
        let cheap = ExactSearch::WhereCheap;
        match asked {
            Asked::Search(detail) => Question { detail, exact: table.is_none().then_some(cheap), ..common },
            Asked::Solutions { shapes } => Question { solutions: true, shapes, exact: Some(cheap), ..common },
            Asked::Solution => Question { solutions: true, limit: Some(1), exact: Some(cheap), ..common },
        }
    }
}
