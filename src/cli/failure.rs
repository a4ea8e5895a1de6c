//! How a command fails, and the report of it.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use twistbase_core::error::{Class, Error, ErrorReport, Remedy};
use twistbase_store::IN_MEMORY;

use super::format::counted;
use super::limits::standard_output;
use super::standard_error;

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// An error of the library.
    Error(Error),
    /// The command ran to its end and found wrong data, as this text says.
    Findings(String),
    /// The command ran to its end and missed its target, as this text says.
    Unreached(String),
    /// The command was interrupted; the text names the stored results.
    Interrupted(String),
    /// Some lines of standard input failed or hit a limit.
    Lines {
        /// Lines that failed.
        failed: u64,
        /// Lines that hit the limit before the target.
        short: u64,
        /// All lines.
        lines: u64,
        /// The gravest class among them.
        class: Class,
    },
    /// The reader closed standard output. Not an error.
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

    /// Reports the failure on standard error, and returns the exit status. `store` is the folder of the tables.
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
                    (0, _) => {
                        format!("{short} of {} hit a limit; best results and bounds shown", counted(*lines, "line"))
                    }
                    (_, 0) => format!("{failed} of {} failed; {}", counted(*lines, "line"), reasons(*failed)),
                    _ => format!(
                        "{failed} of {lines} lines failed, {short} hit a limit; {}, best results and bounds are in the \
                         output",
                        if *failed == 1 { "the reason" } else { "the reasons" }
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

/// Where to find the reasons of failed lines.
const fn reasons(failed: u64) -> &'static str {
    if failed == 1 { "the reason is in the output" } else { "the reasons are in the output" }
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
            format!("{options} does not apply to {of}; --help lists the options of each puzzle")
        }
        Error::ForeignValue { .. } => format!("--{error}"),
        other => other.to_string(),
    }
}

/// The command to run, with the given store.
pub fn advice(remedy: &Remedy) -> String {
    format!("run: {}", remedy.command(given_store()))
}

/// The bare command of a remedy, for use within a sentence.
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

/// Sets the folder of `--store`, before anything can fail: advised commands name it, too.
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

const ONLY_IN_MEMORY: &str =
    "\nhint: :memory: has only the tables that the same command builds; a folder has those of earlier commands, too";

/// Advice that only the command line can give: the library does not know its options.
fn hint(failure: &Failure, store: Option<&Path>) -> &'static str {
    // The folder, a file in it, or a folder above it.
    let is_of_store = |path: &Path| store.is_some_and(|store| path.starts_with(store));
    let is_above_store = |path: &Path| store.is_some_and(|store| store.starts_with(path));
    let is_memory = store == Some(Path::new(IN_MEMORY));
    match failure {
        Failure::Error(error) if error.is_not_built() && is_memory => ONLY_IN_MEMORY,
        Failure::Findings(_) if is_memory => ONLY_IN_MEMORY,
        Failure::Error(Error::Memory(_)) => "\nhint: --memory sets the memory limit of commands that have it",
        Failure::Error(Error::Invalid(invalid)) if invalid.instead.is_some() => {
            "\nhint: twistbase solve cube3 POSITION --method optimal --all lists the shortest solutions in all moves"
        }
        // The folder of the store itself is written to only by a build, which is refused where it may not fit.
        Failure::Error(Error::Io { path, action: "write to", source })
            if source.kind() == std::io::ErrorKind::StorageFull && store == Some(path.as_path()) =>
        {
            "\nhint: free some space, or run build TABLE; --store or TWISTBASE_STORE chooses another folder"
        }
        // Of threads, not of files.
        Failure::Error(Error::Io { action: "start", .. }) => "",
        // A folder above the store matters only when the store's folder is created.
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
        // A failure here could not be reported anywhere.
        let _ = error.print();
    } else {
        return match standard_output().and_then(|_| error.print()) {
            Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
                Failure::Error(Error::io("write to", "standard output", source)).report(json, None)
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
