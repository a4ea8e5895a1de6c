//! Errors of the library as exceptions. The classes are in `package/twistbase/_errors.py`.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use twistbase::Error;
use twistbase::error::{Class, DataError, InvalidInput, Remedy};

use crate::arguments::to_python;

/// The exception for an error of the library.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    if error.class() == Class::Interrupted {
        return PyKeyboardInterrupt::new_err("interrupted");
    }
    let fields = PyDict::new(py);
    let filled = match error {
        Error::Invalid(invalid) => of_input(&fields, invalid),
        Error::Data(error) => of_table(&fields, error),
        Error::Element { number, error } => return of_element(py, *number, exception(py, error)),
        _ => Ok(()),
    };
    filled.and_then(|()| new(py, error.class(), &message(error), &fields)).unwrap_or_else(|error| error)
}

/// The exception for a fault in a report.
pub fn of_report(py: Python<'_>, message: &str, report: &DataError) -> PyErr {
    let fields = PyDict::new(py);
    let filled = of_table(&fields, report);
    filled.and_then(|()| new(py, Class::Data, message, &fields)).unwrap_or_else(|error| error)
}

/// An exception of a class, with its fields.
///
/// # Errors
/// What the interpreter raises instead.
pub fn new(py: Python<'_>, class: Class, message: &str, fields: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let make = py.import("twistbase._errors")?.getattr("_make")?;
    Ok(PyErr::from_value(make.call1((class.code(), message, fields))?))
}

/// Whether an exception is one of this package's.
///
/// # Errors
/// What the interpreter raises instead.
pub fn is_own(py: Python<'_>, error: &PyErr) -> PyResult<bool> {
    error.value(py).is_instance(&py.import("twistbase._errors")?.getattr("Error")?)
}

/// A `UsageError`.
pub fn usage(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, &Error::Usage(message.into()))
}

/// The text of an error, with the names of arguments. The library's texts name the program's options.
fn message(error: &Error) -> String {
    match error {
        Error::ForeignOptions { options, of } => {
            let names: Vec<String> = options.iter().map(|option| argument(option)).collect();
            format!("{} does not apply to {of}", names.join(" and "))
        }
        Error::ForeignValue { option, value, of, own } => {
            format!("{} {value} cannot be used with {of}, which has: {own}", argument(option))
        }
        Error::Usage(text) => {
            let words = [("--force", "force=True"), ("--output", "output="), ("max-depth", "max_depth")];
            words.into_iter().fold(text.clone(), |text, (option, argument)| text.replace(option, argument))
        }
        other => other.to_string(),
    }
}

/// The argument's name for an option of the program.
fn argument(option: &str) -> String {
    match option {
        "time" => "timeout".to_owned(),
        "map" => "mapped".to_owned(),
        // Scrambles are a call of their own.
        "scramble" => "scrambles".to_owned(),
        other => other.replace('-', "_"),
    }
}

/// The exception for one element of the input, with the element's number.
pub fn of_element(py: Python<'_>, number: usize, exception: PyErr) -> PyErr {
    let note = format!("this is element {number} of what was given");
    let value = exception.value(py);
    let noted = value.setattr("element", number).and_then(|()| value.call_method1("add_note", (note,)));
    noted.map_or_else(|error| error, |_| exception)
}

fn of_input(fields: &Bound<'_, PyDict>, invalid: &InvalidInput) -> PyResult<()> {
    fields.set_item("input", &invalid.input)?;
    fields.set_item("expected", invalid.expected)?;
    fields.set_item("problems", to_python(fields.py(), &invalid.problems)?)
}

fn of_table(fields: &Bound<'_, PyDict>, error: &DataError) -> PyResult<()> {
    fields.set_item("table", &error.table)?;
    fields.set_item("fault", error.fault.to_string())?;
    fields.set_item("detail", &error.detail)?;
    fields.set_item("file", error.file.as_ref().map(|file| file.display().to_string()))?;
    fields.set_item("row", error.row)?;
    fields.set_item("page", error.page)?;
    fields.set_item("remedy", remedy(&error.remedy))
}

/// The remedy for a fault, as a call if there is one.
fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Build { table, force } => {
            let more = if *force { ", force=True" } else { "" };
            let calls = table.split(' ').map(|table| format!("db.build('{table}'{more})"));
            calls.collect::<Vec<_>>().join("; ")
        }
        Remedy::BuildOrSearch { table } => format!("db.build('{table}'), or exact() of the position"),
        Remedy::Rebuild { table } => format!("db.rebuild('{table}')"),
        Remedy::Verify { tables } => {
            let calls: Vec<String> = tables.iter().map(|table| format!("db.verify('{table}')")).collect();
            calls.join("; ")
        }
        Remedy::PlanFarm => {
            "db.plan_solve, db.plan_cosets or db.plan_verify, with these tables, into another folder".to_owned()
        }
        Remedy::PlanFarmIn { folder } => {
            format!(
                "db.plan_solve, db.plan_cosets or db.plan_verify, with the folder {:?}",
                folder.display().to_string()
            )
        }
        Remedy::WorkFarm { folder } => format!("twistbase.Farm({:?}).work(db)", folder.display().to_string()),
        // The program may not be installed.
        Remedy::Update => "twistbase.__version__, and compare it with the newest release".to_owned(),
        other => format!("twistbase {other}"),
    }
}

/// Results of the library as results of a Python call.
pub trait OrRaise<T> {
    /// The value, or the exception for the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for twistbase::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}
