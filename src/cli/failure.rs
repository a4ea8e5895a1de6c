//! How a command fails, and how that is told.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;
use twistbase::error::{Class, DataError, Error, Problem};

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// An error of the library.
    Error(Error),
    /// The command ran to its end and found, as said here, that data is not as it must be.
    Findings(String),
    /// The command ran to its end, and what it found comes short, as said here, of what was asked.
    Unreached(String),
    /// The command was interrupted, and had found out by then what is said here.
    Interrupted(String),
    /// Lines of standard input that were answered with an error each.
    Lines {
        /// How many.
        failed: u64,
        /// Of how many.
        lines: u64,
        /// The gravest class among them.
        class: Class,
    },
    /// Whoever reads standard output has seen enough. Not an error.
    ClosedPipe,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl Failure {
    /// Tells on standard error what went wrong, and returns the exit status.
    pub fn report(&self, json: bool) -> ExitCode {
        let (class, text, report) = match self {
            Self::ClosedPipe => return ExitCode::SUCCESS,
            Self::Error(error) => (error.class(), error.to_string(), ErrorReport::new(None, error)),
            Self::Findings(text) => (Class::Data, text.clone(), ErrorReport::plain(Class::Data, text)),
            Self::Unreached(text) => (Class::Budget, text.clone(), ErrorReport::plain(Class::Budget, text)),
            Self::Interrupted(known) => {
                let text = format!("interrupted: {known}");
                (Class::Interrupted, text.clone(), ErrorReport::plain(Class::Interrupted, &text))
            }
            Self::Lines { failed, lines, class } => {
                let what = if *class == Class::Budget { "came short of the target" } else { "could not be answered" };
                let text = format!("{failed} of {lines} lines {what}; each has its reason in its place");
                (*class, text.clone(), ErrorReport::plain(*class, &text))
            }
        };
        if json {
            print_json(&report);
        } else {
            print(&format!("error: {text}{}\n", hint(self)));
        }
        ExitCode::from(class.exit_status())
    }
}

/// Advice that only the command line can give: the library does not know its options.
fn hint(failure: &Failure) -> &'static str {
    match failure {
        Failure::Error(Error::Budget(_)) => "\nhint: --memory sets how much memory may be used",
        Failure::Error(Error::Io { .. }) => "\nhint: --store or TWISTBASE_STORE chooses another folder for the tables",
        _ => "",
    }
}

/// Reports arguments that cannot be parsed, or prints the help or version asked for.
pub fn report_arguments(error: &clap::Error) -> ExitCode {
    // The arguments did not parse, so whether JSON is wanted can only be looked for.
    let json = std::env::args_os().take_while(|arg| arg != OsStr::new("--")).any(|arg| arg == OsStr::new("--json"));
    if json && error.use_stderr() {
        let text = error.render().to_string();
        let text = text.trim_start_matches("error: ").trim_end();
        print_json(&ErrorReport::plain(Class::Usage, text));
    } else {
        // Nobody is left to be told when this fails.
        let _ = error.print();
    }
    ExitCode::from(if error.use_stderr() { Class::Usage.exit_status() } else { 0 })
}

fn print(text: &str) {
    // Not eprintln!, which panics when standard error is closed.
    let _ = io::stderr().write_all(text.as_bytes());
}

fn print_json(report: &ErrorReport<'_>) {
    if let Ok(text) = serde_json::to_string(report) {
        print(&(text + "\n"));
    }
}

/// An error as a JSON object: `schema/` describes it.
#[derive(Debug, Serialize)]
pub struct ErrorReport<'a> {
    /// The number of the line of standard input, where answers need not be in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// The position or sequence as given, where there is one.
    input: Option<&'a str>,
    error: ErrorBody<'a>,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    /// The class: a stable name per exit status.
    code: &'static str,
    message: String,
    /// The first offending bytes of the input.
    at: Option<Range<usize>>,
    /// Every reason why an input is not valid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ProblemBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<DataBody<'a>>,
}

#[derive(Debug, Serialize)]
struct ProblemBody<'a> {
    code: &'static str,
    message: &'a str,
    at: Option<Range<usize>>,
}

/// A [`DataError`] as JSON.
#[derive(Debug, Serialize)]
pub struct DataBody<'a> {
    /// The table.
    pub table: &'a str,
    /// The kind of fault.
    pub fault: String,
    file: Option<&'a PathBuf>,
    row: Option<u32>,
    page: Option<u32>,
    detail: &'a str,
    /// The command that mends it, without the program's name.
    remedy: &'a str,
}

impl<'a> ErrorReport<'a> {
    /// Describes an error about `input`, or about the whole command. An invalid input is named in any case.
    pub fn new(input: Option<&'a str>, error: &'a Error) -> Self {
        let mut report = Self::plain(error.class(), &error.to_string());
        report.input = input;
        match error {
            Error::Invalid(invalid) => {
                report.input = input.or(Some(&invalid.input));
                report.error.at = invalid.problems.iter().find_map(|problem| problem.at.clone());
                report.error.problems = invalid.problems.iter().map(ProblemBody::from).collect();
            }
            Error::Data(fault) => report.error.data = Some(DataBody::from(fault)),
            _ => {}
        }
        report
    }

    /// Says which line of standard input it is about.
    pub fn numbered(self, number: u64) -> Self {
        Self { number: Some(number), ..self }
    }

    /// Describes what is no library error.
    fn plain(class: Class, message: &str) -> Self {
        let message = message.to_owned();
        let error = ErrorBody { code: class.code(), message, at: None, problems: Vec::new(), data: None };
        Self { number: None, input: None, error }
    }
}

impl<'a> From<&'a Problem> for ProblemBody<'a> {
    fn from(problem: &'a Problem) -> Self {
        Self { code: problem.code, message: &problem.message, at: problem.at.clone() }
    }
}

impl<'a> From<&'a DataError> for DataBody<'a> {
    fn from(error: &'a DataError) -> Self {
        Self {
            table: &error.table,
            fault: error.fault.to_string(),
            file: error.file.as_ref(),
            row: error.row,
            page: error.page,
            detail: &error.detail,
            remedy: &error.remedy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase::error::InvalidInput;

    #[test]
    fn an_invalid_input_is_reported_with_every_reason() {
        let problem = |code, at| Problem { code, message: format!("{code}!"), at };
        let problems = vec![problem("parity", None), problem("duplicate-piece", Some(3..4))];
        let error = Error::Invalid(InvalidInput { input: "0120".into(), expected: "position", problems });
        let json = serde_json::to_value(ErrorReport::new(None, &error)).unwrap();
        assert_eq!(json["input"], "0120");
        assert_eq!(json["error"]["code"], "invalid");
        assert_eq!(json["error"]["at"], serde_json::json!({"start": 3, "end": 4}));
        assert_eq!(json["error"]["problems"][0]["code"], "parity");
        assert_eq!(json["error"]["problems"][1]["message"], "duplicate-piece!");
    }
}
