//! How a command fails, and how that is told.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use twistbase_core::error::{Class, Error, ErrorReport, Remedy};

use super::limits::standard_output;
use super::standard_error;

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
    /// Lines of standard input that were not answered as it was asked.
    Lines {
        /// How many could not be answered.
        failed: u64,
        /// How many came short of the target.
        short: u64,
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
    /// The same of work that wrote to standard output itself.
    pub fn of_standard_output(self) -> Self {
        match self {
            Self::Error(Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => Self::ClosedPipe,
            other => other,
        }
    }

    /// Tells on standard error what went wrong, and returns the exit status. `store` is the folder of the tables.
    pub fn report(&self, json: bool, store: Option<&Path>) -> ExitCode {
        let (class, text, report) = match self {
            Self::ClosedPipe => return ExitCode::SUCCESS,
            Self::Error(error) => (error.class(), text(error), report(None, error)),
            Self::Findings(text) => (Class::Data, text.clone(), ErrorReport::of_class(Class::Data, text)),
            Self::Unreached(text) => (Class::Budget, text.clone(), ErrorReport::of_class(Class::Budget, text)),
            Self::Interrupted(known) => {
                let text = format!("interrupted: {known}");
                (Class::Interrupted, text.clone(), ErrorReport::of_class(Class::Interrupted, &text))
            }
            Self::Lines { failed, short, lines, class } => {
                let text = match (failed, short) {
                    (0, _) => format!(
                        "{short} of {lines} lines came short of the target; each has what is known, or the reason, in its place"
                    ),
                    (_, 0) => {
                        format!("{failed} of {lines} lines could not be answered; each has its reason in its place")
                    }
                    _ => format!(
                        "{failed} of {lines} lines could not be answered and {short} came short of the target; each has the \
                         reason, or what is known, in its place"
                    ),
                };
                (*class, text.clone(), ErrorReport::of_class(*class, &text))
            }
        };
        if json {
            print_json(&report);
        } else {
            standard_error::write(&format!("error: {text}{}\n", hint(self, store)));
        }
        ExitCode::from(exit_status(class))
    }
}

/// The exit status of a command that ends with this class of error.
pub const fn exit_status(class: Class) -> u8 {
    match class {
        Class::Usage => 2,
        Class::Invalid => 3,
        Class::Data => 4,
        Class::Busy => 5,
        Class::Io => 6,
        Class::Budget => 7,
        Class::Interrupted => 130,
    }
}

/// An error in words, with the command that mends it.
pub fn text(error: &Error) -> String {
    match error {
        Error::Data(fault) => format!("{fault}; {}", advice(&fault.remedy)),
        Error::ForeignOptions { options, of } => {
            let options: Vec<String> = options.iter().map(|option| format!("--{option}")).collect();
            let options = options.join(" and ");
            format!("{options} cannot be used with {of}; see --help for which puzzle has which options")
        }
        Error::ForeignValue { .. } => format!("--{error}"),
        other => other.to_string(),
    }
}

/// What to run, on the store that was given.
pub fn advice(remedy: &Remedy) -> String {
    format!("run: {}", remedy.command(given_store()))
}

/// The command alone of a remedy that is one, to be told within a sentence.
pub fn command(remedy: &Remedy) -> String {
    let advice = advice(remedy);
    advice.strip_prefix("run: ").map(str::to_owned).unwrap_or(advice)
}

/// The folder that `--store` gave, if it did.
static GIVEN_STORE: OnceLock<PathBuf> = OnceLock::new();

/// The folder of the tables, if commands that are advised have to name it.
pub fn given_store() -> Option<&'static Path> {
    GIVEN_STORE.get().map(PathBuf::as_path)
}

/// Tells which folder `--store` gave, before anything can fail: commands that are advised name it, too.
pub fn set_given_store(folder: PathBuf) {
    // It is given once.
    let _ = GIVEN_STORE.set(folder);
}

/// An error about `input`, or about the whole command, as JSON.
pub fn report(input: Option<&str>, error: &Error) -> ErrorReport {
    let mut report = ErrorReport::new(input, error);
    report.error.message = text(error);
    report
}

/// Advice that only the command line can give: the library does not know its options.
fn hint(failure: &Failure, store: Option<&Path>) -> &'static str {
    // The folder, what is in it, or what is in its way.
    let is_of_store = |path: &Path| store.is_some_and(|store| path.starts_with(store));
    let is_above_store = |path: &Path| store.is_some_and(|store| store.starts_with(path));
    match failure {
        Failure::Error(Error::Memory(_)) => {
            "\nhint: --memory, where a command has it, sets how much memory may be used"
        }
        Failure::Error(Error::Invalid(invalid)) if invalid.instead.is_some() => {
            "\nhint: twistbase solve cube3 POSITION --method optimal --all lists its shortest solutions by all moves"
        }
        // The folder of the store itself is written to only by a build, which is refused where it may not fit.
        Failure::Error(Error::Io { path, action: "write to", source })
            if source.kind() == std::io::ErrorKind::StorageFull && store == Some(path.as_path()) =>
        {
            "\nhint: free some space, or run build TABLE; --store or TWISTBASE_STORE chooses another folder for the tables"
        }
        // Of threads, not of files.
        Failure::Error(Error::Io { action: "start", .. }) => "",
        // A folder above is in the way only where that of the store is made.
        Failure::Error(Error::Io { path, action, .. })
            if is_of_store(path) || *action == "create" && is_above_store(path) =>
        {
            "\nhint: --store or TWISTBASE_STORE chooses another folder for the tables"
        }
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
        print_json(&ErrorReport::of_class(Class::Usage, text));
    } else if error.use_stderr() {
        // Nobody is left to be told when this fails.
        let _ = error.print();
    } else {
        return match standard_output().and_then(|_| error.print()) {
            Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
                Failure::Error(Error::io("write", "standard output", source)).report(json, None)
            }
            _ => ExitCode::SUCCESS,
        };
    }
    ExitCode::from(exit_status(Class::Usage))
}

fn print_json(report: &ErrorReport) {
    if let Ok(text) = serde_json::to_string(report) {
        standard_error::write(&(text + "\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_store_is_advised_where_the_store_is_what_fails() {
        let advised = |action: &'static str, path: &str, store: Option<&str>| {
            let failure = Failure::Error(Error::io(action, path, std::io::ErrorKind::StorageFull.into()));
            !hint(&failure, store.map(Path::new)).is_empty()
        };
        for path in ["/data/tables/cube21.redb", "/data/tables/cache/cube21", "/data/tables"] {
            assert!(advised("write", path, Some("/data/tables")), "{path}");
        }
        assert!(advised("create", "/data", Some("/data/tables")) && !advised("open", "/data", Some("/data/tables")));
        for path in ["standard output", "/tmp/far.csv", "/data/tables2/x", "far.csv"] {
            assert!(!advised("create", path, Some("/data/tables")), "{path}");
        }
        assert!(!advised("write", "/data/tables", None));
    }
}
