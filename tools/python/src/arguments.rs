//! What calls are given, and what they give back.

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

/// What is `Serialize`, as Python's own values: the same as the program's JSON.
///
/// # Errors
/// What the interpreter raises.
pub fn to_python<'py>(py: Python<'py>, value: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}

/// The same as JSON.
pub fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("what the library tells is JSON")
}

/// The value of a name, where one is given.
///
/// # Errors
/// `UsageError` naming what there is.
pub fn named<T: Named>(py: Python<'_>, name: Option<&str>) -> PyResult<Option<T>> {
    name.map(T::named).transpose().or_raise(py)
}

/// The name of a value.
pub fn name_of<T: Named + PartialEq>(value: T) -> Option<&'static str> {
    T::NAMES.iter().find(|(_, own)| *own == value).map(|(name, _)| *name)
}

/// A number that is given.
///
/// # Errors
/// `UsageError` for one that is negative or too large; `TypeError` for what is none.
pub fn number<'a, 'py, T: FromPyObject<'a, 'py>>(name: &str, given: &'a Bound<'py, PyAny>) -> PyResult<T> {
    let py = given.py();
    given.extract().map_err(Into::into).map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(py) {
            return error;
        }
        // Python does not write what has thousands of digits.
        let shown = given.str().map_or_else(|_| "so large".to_owned(), |shown| shown.to_string_lossy().into_owned());
        usage(py, format!("{name} cannot be {shown}"))
    })
}

/// Numbers that are given, in whatever can be iterated.
///
/// # Errors
/// As [`number`], of the first that is none.
pub fn numbers<T: for<'a, 'py> FromPyObject<'a, 'py>>(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    given.try_iter()?.map(|item| number(name, &item?)).collect()
}

/// The path of a folder, the same for every process and wherever this one goes.
///
/// # Errors
/// `UsageError` for an empty one; `StorageError` if the system does not tell where this process is.
pub fn folder(py: Python<'_>, given: &Path) -> PyResult<PathBuf> {
    if given.as_os_str().is_empty() {
        return Err(usage(py, "the path is empty: it has to be a folder"));
    }
    path::absolute(given)
        .map_err(|source| twistbase::Error::Io { action: "find", path: given.to_owned(), source })
        .or_raise(py)
}

/// The same where it may be `None`.
///
/// # Errors
/// As [`number`].
pub fn number_or_none<'a, 'py, T: FromPyObject<'a, 'py>>(
    name: &str,
    given: Option<&'a Bound<'py, PyAny>>,
) -> PyResult<Option<T>> {
    given.filter(|given| !given.is_none()).map(|given| number(name, given)).transpose()
}

/// The table of a name.
///
/// # Errors
/// `UsageError` naming what there is.
pub fn table(py: Python<'_>, name: &str) -> PyResult<TableId> {
    name.parse::<TableId>().or_raise(py)
}

/// What is asked about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asked {
    /// Its distance, by tables and, where none was chosen, by a short search.
    Search(Detail),
    /// Its shortest solutions, with the shapes that they pass where these are wanted.
    Solutions { shapes: bool },
}

/// How questions about a position are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    pub metric: Option<QuestionMetric>,
    pub table: Option<TableId>,
    pub middle: Option<MiddleGoal>,
    pub notation: Option<SequenceNotation>,
}

impl Options {
    /// # Errors
    /// `UsageError` for a name that there is not.
    pub fn new(
        py: Python<'_>,
        metric: Option<&str>,
        table_name: Option<&str>,
        middle: Option<&str>,
        notation: Option<&str>,
    ) -> PyResult<Self> {
        Ok(Self {
            metric: named(py, metric)?,
            table: table_name.map(|name| table(py, name)).transpose()?,
            middle: named(py, middle)?,
            notation: named(py, notation)?,
        })
    }

    /// As the arguments of a call.
    ///
    /// # Errors
    /// What the interpreter raises.
    pub fn to_dict<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
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

    /// The question that they are part of.
    pub fn question(&self, asked: Asked) -> Question {
        let Self { metric, table, middle, notation } = *self;
        let common = Question { metric, table, middle, notation, ..Question::default() };
        let cheap = ExactSearch::WhereCheap;
        match asked {
            Asked::Search(detail) => Question { detail, exact: table.is_none().then_some(cheap), ..common },
            Asked::Solutions { shapes } => Question { solutions: true, shapes, exact: Some(cheap), ..common },
        }
    }
}
