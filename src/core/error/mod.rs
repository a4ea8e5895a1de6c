//! Errors, in two layers: the fault; and its place and remedy.
//!
//! Every error belongs to one [`Class`], and a fault of the data names its [`Remedy`]; a front turns the class into its exit
//! status or status code, and the remedy into what its user can do.

mod remedy;
mod report;
mod shell;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::units::{bytes, bytes_rounded_up};

pub use remedy::Remedy;
pub use report::{ErrorBody, ErrorReport};
pub use shell::shell_word;

/// A result with twistbase's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A position, sequence or index that a person wrote is not valid.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A table is missing, unfinished, bounded, stale or damaged.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Another process holds what this one needs.
    #[error("{what} is in use by {holder}; wait for it, or stop it")]
    Busy {
        /// The locked object, for instance "table square1".
        what: String,
        /// Who holds it, if known.
        holder: String,
    },
    /// The operating system refused something.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was attempted, in the infinitive ("read", "create").
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A budget of time, nodes or depth does not suffice.
    #[error("{0}")]
    Budget(String),
    /// It takes more memory than there is, or than may be used.
    #[error("{0}")]
    Memory(String),
    /// A request that makes no sense (unknown table, options that exclude each other).
    #[error("{0}")]
    Usage(String),
    /// Options that were given and that what was asked does not have.
    #[error("{} does not apply to {of}", options.join(" and "))]
    ForeignOptions {
        /// The names of the options.
        options: Vec<&'static str>,
        /// What does not have them, for instance "the puzzle cube3".
        of: String,
    },
    /// A value of an option that what was asked does not have.
    #[error("{option} {value} does not apply to {of}; choose from: {own}")]
    ForeignValue {
        /// The name of the option.
        option: &'static str,
        /// The value.
        value: &'static str,
        /// What does not have it, for instance "the puzzle cube3".
        of: String,
        /// The values that it has.
        own: String,
    },
    /// One of many positions or indices that were given together cannot be answered.
    #[error("element {number}: {error}")]
    Element {
        /// Its number, from 0.
        number: usize,
        /// The fault.
        error: Box<Error>,
    },
    /// A line of a text cannot be used.
    #[error("line {number}: {error}")]
    Line {
        /// Its number, from 1, blank lines counted.
        number: usize,
        /// The fault.
        error: Box<Error>,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The kind of an error: fronts have an exit status or a status code for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A request that makes no sense.
    Usage,
    /// An input that is not valid.
    Invalid,
    /// A table that cannot answer.
    Data,
    /// Something that another process holds.
    Busy,
    /// Something that the operating system refused.
    Io,
    /// A budget that does not suffice.
    Budget,
    /// The user asked to stop.
    Interrupted,
}

impl Class {
    /// A stable name for programs, used in JSON errors.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Invalid => "invalid",
            Self::Data => "data",
            Self::Busy => "busy",
            Self::Io => "io",
            Self::Budget => "budget",
            Self::Interrupted => "interrupted",
        }
    }
}

impl Error {
    /// The class of this error.
    pub fn class(&self) -> Class {
        match self {
            Self::Invalid(_) => Class::Invalid,
            Self::Data(_) => Class::Data,
            Self::Busy { .. } => Class::Busy,
            Self::Io { .. } => Class::Io,
            Self::Budget(_) | Self::Memory(_) => Class::Budget,
            Self::Usage(_) | Self::ForeignOptions { .. } | Self::ForeignValue { .. } => Class::Usage,
            Self::Element { error, .. } | Self::Line { error, .. } => error.class(),
            Self::Interrupted => Class::Interrupted,
        }
    }

    /// Whether it says that a table was never built, or not to its end.
    pub fn is_not_built(&self) -> bool {
        matches!(self, Self::Data(error) if matches!(error.fault, Fault::Missing | Fault::Unfinished))
    }

    /// Whether it says that a table was never built, or not to its end, or to a depth alone.
    pub fn is_incomplete(&self) -> bool {
        self.is_not_built() || matches!(self, Self::Data(error) if error.fault == Fault::Bounded)
    }

    /// Checks a memory budget against the need, both in bytes.
    ///
    /// # Errors
    /// [`Error::Memory`] for less than that.
    pub fn check_memory(given: u64, needed: u64) -> Result<()> {
        if given < needed { Err(Self::small_memory(given, needed)) } else { Ok(()) }
    }

    /// The error of a memory budget below the need, both in bytes.
    pub fn small_memory(given: u64, needed: u64) -> Self {
        let (given, needed) = (bytes(given), bytes_rounded_up(needed));
        Self::Memory(format!("a memory limit of {given} is too small: this needs {needed}"))
    }

    /// The error of a thread that the system does not start.
    pub fn no_thread(source: io::Error) -> Self {
        Self::io("start", "a thread", source)
    }

    /// An I/O error with what was attempted and on what.
    pub fn io(action: &'static str, path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::Io { action, path: path.as_ref().to_path_buf(), source }
    }
}

/// One reason why an input is not valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// A stable name for programs, for instance `duplicate-piece`.
    pub code: &'static str,
    /// The reason in words.
    pub message: String,
    /// The offending bytes of the input, where there are any.
    pub at: Option<Range<usize>>,
}

/// An input that is not valid, with every reason found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidInput {
    /// The input as given.
    pub input: String,
    /// The expected kind of input, for instance "Square-1 position".
    pub expected: &'static str,
    /// Why it is not valid: at least one reason.
    pub problems: Vec<Problem>,
    /// Of a valid input that is only not what was asked for, what else can be asked; `None` of an input that is not valid at all.
    pub instead: Option<&'static str>,
}

impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_file = self.input.contains('\n');
        match self.instead {
            None if is_file => write!(f, "not a valid {}", self.expected)?,
            None => write!(f, "not a valid {}: {}", self.expected, Excerpt(&self.input))?,
            Some(instead) => write!(f, "valid, but not a {}: {}; {instead}", self.expected, Excerpt(&self.input))?,
        }
        for problem in &self.problems {
            match &problem.at {
                Some(at) => write_with_line(f, &self.input, &problem.message, at)?,
                None => write!(f, "\n  {}", problem.message)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for InvalidInput {}

/// Writes a problem with the line of the text that has it, and marks the place. Of a text of several lines it names the number, too.
fn write_with_line(f: &mut fmt::Formatter<'_>, text: &str, message: &str, at: &Range<usize>) -> fmt::Result {
    let begin = text.get(..at.start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text[begin..].lines().next().unwrap_or_default();
    match text.contains('\n') {
        true => write!(f, "\n  line {}: {message}", 1 + text[..begin].matches('\n').count())?,
        false => write!(f, "\n  {message}")?,
    }
    if line.chars().count() > Excerpt::LONGEST || line.chars().any(char::is_control) {
        return Ok(());
    }
    let before = char_count(text, begin..at.start);
    let width = char_count(text, at.start..at.end.min(begin + line.len())).max(1);
    write!(f, "\n    {line}\n    {}{}", " ".repeat(before), "^".repeat(width))
}

/// Characters of `text` whose first byte is in `range` (which may end past the text). Long texts are not read for it.
fn char_count(text: &str, range: Range<usize>) -> usize {
    let is_first = |byte: &&u8| **byte & 0xC0 != 0x80;
    text.as_bytes().iter().skip(range.start).take(range.len()).filter(is_first).count()
}

/// Shows an input in quotes, escaped, cut when it is very long.
struct Excerpt<'a>(&'a str);

impl Excerpt<'_> {
    const LONGEST: usize = 400;
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.0.chars().take(Self::LONGEST).collect();
        let cut = if shown.len() < self.0.len() { "…" } else { "" };
        write!(f, "{shown:?}{cut}")
    }
}

/// Why a table cannot answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// It was never built, or its file is gone.
    Missing,
    /// A build of it was interrupted.
    Unfinished,
    /// It was built by another version of the program or from other data.
    Stale,
    /// It was built to a depth, and the question goes beyond it, or needs a complete table.
    Bounded,
    /// Its bytes are not those that were written.
    Damaged,
    /// It was written by a newer version of the program, or by something else, or another user does not let this one read it.
    Foreign,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Unfinished => "unfinished",
            Self::Stale => "stale",
            Self::Bounded => "bounded",
            Self::Damaged => "damaged",
            Self::Foreign => "foreign",
        })
    }
}

/// A table that cannot answer: the fault, its place, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DataError {
    /// The table's name.
    pub table: String,
    /// The kind of fault.
    pub fault: Fault,
    /// The file, where one is concerned, and the reader may know it.
    pub file: Option<PathBuf>,
    /// The row (shape or coset), where one is concerned.
    pub row: Option<u32>,
    /// The page within the row, if the error concerns one.
    pub page: Option<u32>,
    /// What exactly is wrong.
    pub detail: String,
    /// What mends it.
    pub remedy: Remedy,
}

impl DataError {
    /// A fault of a table, or of what the store has beside tables; it is of no file, row or page in particular.
    pub fn new(fault: Fault, table: impl Into<String>, detail: impl Into<String>, remedy: Remedy) -> Self {
        let (table, detail) = (table.into(), detail.into());
        Self { fault, table, file: None, row: None, page: None, detail, remedy }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The store has files that are not tables.
        match self.table.as_str() {
            table if matches!(self.remedy, Remedy::WarmCache { .. }) => {
                write!(f, "the cache of table {table} is {}", self.fault)?;
            }
            "farm" => write!(f, "the farm is {}", self.fault)?,
            "raw" => write!(f, "the raw export is {}", self.fault)?,
            "cosets" => write!(f, "the store of coset results is {}", self.fault)?,
            table => write!(f, "table {table} is {}", self.fault)?,
        }
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        if let Some(page) = self.page {
            write!(f, ", page {page}")?;
        }
        if let Some(file) = &self.file {
            write!(f, " ({})", file.display())?;
        }
        write!(f, ": {}", self.detail)
    }
}

impl std::error::Error for DataError {}

/// Runs a check that reports each fault and continues. Returns the result and the faults of the data.
///
/// # Errors
/// The check's own; the first that it reports and that is not about data.
pub fn collect_faults<T>(check: impl FnOnce(&mut dyn FnMut(Error)) -> Result<T>) -> Result<(T, Vec<DataError>)> {
    let (mut faults, mut failure) = (Vec::new(), None);
    let checked = check(&mut |error| match error {
        Error::Data(fault) => faults.push(fault),
        other => failure = failure.take().or(Some(other)),
    })?;
    failure.map_or(Ok((checked, faults)), Err)
}
