//! What every command gets: the global options and what follows from them.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use clap::builder::OsStringValueParser;
use clap::{ArgAction, ValueHint};
use serde::Serialize;
use tracing::level_filters::LevelFilter;
use twistbase_core::context::Context;
use twistbase_core::error::Error;
use twistbase_core::threads;
use twistbase_database::{Database, TableId};
use twistbase_store::IN_MEMORY;

use super::failure::Failure;
use super::format;
use super::interrupt;
use super::output::Output;
use super::{progress, standard_error};

/// The most threads that `--threads` accepts: far more than help, far fewer than a system refuses.
const MOST_THREADS: i64 = 1024;

/// The variable that names the folder of the tables, like `--store`.
const STORE_VARIABLE: &str = "TWISTBASE_STORE";

/// The variable that decides, like `--no-build`, whether questions build missing tables.
const BUILD_VARIABLE: &str = "TWISTBASE_BUILD";

/// Options that every command takes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Folder of the tables, or :memory: for tables that end with the command [default: in the user's data folder]
    #[arg(long, global = true, value_name = "DIR", env = STORE_VARIABLE, value_parser = OsStringValueParser::new(), value_hint = ValueHint::DirPath)]
    pub store: Option<OsString>,

    /// Print JSON, one object per line, for errors and progress too
    #[arg(long, global = true)]
    pub json: bool,

    /// No progress, no warnings; print only the final result
    ///
    /// `solve` prints only its best solution, `build` prints nothing.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print more on standard error; up to -vvv
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,

    /// Build no missing tables; name the command that builds them
    ///
    /// By default query, solve, coset and random --scramble build missing tables that take less than about half a minute
    /// and a gigabyte; serve builds them when it starts. TWISTBASE_BUILD=never is the same as this option.
    #[arg(long, global = true)]
    pub no_build: bool,

    /// Number of threads [default: one per core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    pub threads: Option<u16>,
}

impl Global {
    /// The folder of the tables, if there can be one.
    pub fn folder(&self) -> Option<PathBuf> {
        self.given_store().or_else(|| Database::default_folder().ok())
    }

    /// The folder of the option, unless the variable gives the next command the same one. A store in memory belongs to one command.
    pub fn store_option(&self) -> Option<PathBuf> {
        self.given_store()
            .filter(|folder| folder.as_os_str() != IN_MEMORY)
            .filter(|folder| std::env::var_os(STORE_VARIABLE).is_none_or(|value| value != *folder))
    }

    fn given_store(&self) -> Option<PathBuf> {
        self.store.as_ref().filter(|folder| !folder.is_empty()).map(PathBuf::from)
    }
}

/// Learns the puzzles of the folder of the tables: arguments may name them. What cannot be used is an error where the folder is
/// opened.
pub fn know_puzzles() {
    let mut arguments = std::env::args_os().skip(1);
    let mut given = std::env::var_os(STORE_VARIABLE);
    while let Some(argument) = arguments.next() {
        let attached = argument.to_str().and_then(|text| text.strip_prefix("--store="));
        if let Some(folder) = attached {
            given = Some(folder.into());
        } else if argument == "--store" {
            given = arguments.next();
        }
    }
    let folder =
        given.filter(|folder| !folder.is_empty()).map(PathBuf::from).or_else(|| Database::default_folder().ok());
    if let Some(folder) = folder.filter(|folder| folder.as_os_str() != IN_MEMORY) {
        // The command reports it.
        let _ = Database::know_puzzles(&folder);
    }
}

/// The surroundings of a command.
pub struct Environment {
    global: Global,
    context: OnceCell<Context>,
}

impl Environment {
    /// Sets up logging and threads as the options say.
    pub fn new(global: Global) -> Result<Self, Failure> {
        start_logging(&global);
        start_threads(global.threads.map_or(0, usize::from))?;
        Ok(Self { global, context: OnceCell::new() })
    }

    /// Whether to print JSON.
    pub fn json(&self) -> bool {
        self.global.json
    }

    /// Whether to print only final results.
    pub fn quiet(&self) -> bool {
        self.global.quiet
    }

    /// The database. Its folder need not exist.
    ///
    /// # Errors
    /// [`Error::Usage`] when no folder is given and the user has no home folder either, when the folder is empty text, or
    /// TWISTBASE_BUILD has an unknown value.
    pub fn database(&self) -> Result<Database, Error> {
        let folder = match &self.global.store {
            Some(folder) if !folder.is_empty() => PathBuf::from(folder),
            // The variable, if it is set, is what the option was read from unless it was given.
            Some(_) => {
                let is_variable = std::env::var_os(STORE_VARIABLE).is_some_and(|value| value.is_empty());
                let name = if is_variable { STORE_VARIABLE } else { "--store" };
                return Err(Error::Usage(format!("{name} is empty; give a folder")));
            }
            None => Database::default_folder()
                .map_err(|error| Error::Usage(format!("{error}; give --store or set {STORE_VARIABLE}")))?,
        };
        Ok(Database::open(folder)?.building_missing(self.builds_missing()?))
    }

    /// Builds a table for a command that builds none in a folder: in memory there is only what the command itself builds.
    ///
    /// # Errors
    /// As [`Database::build_missing`].
    pub fn fill_memory(&self, database: &Database, table: TableId) -> Result<(), Error> {
        match database.folder() {
            Some(_) => Ok(()),
            None => database.build_missing(&[table], &self.context()),
        }
    }

    /// Whether questions build the tables that they need, and a server those that take little.
    ///
    /// # Errors
    /// [`Error::Usage`] if TWISTBASE_BUILD has an unknown value.
    pub fn builds_missing(&self) -> Result<bool, Error> {
        if self.global.no_build {
            return Ok(false);
        }
        match std::env::var_os(BUILD_VARIABLE) {
            None => Ok(true),
            Some(value) if value == "auto" => Ok(true),
            Some(value) if value == "never" => Ok(false),
            Some(value) => {
                let is = if value.is_empty() { "empty".into() } else { format!("{:?}", value.display().to_string()) };
                Err(Error::Usage(format!("{BUILD_VARIABLE} is {is}; set it to auto or never")))
            }
        }
    }

    /// Standard output.
    pub fn output(&self) -> Output {
        Output::standard(self.json())
    }

    /// Prints one report, and nothing else: as JSON, or its text.
    pub fn print<T: Serialize, D: Display>(&self, report: &T, text: impl FnOnce(&T) -> D) -> Result<(), Failure> {
        let mut out = self.output();
        out.report(report, text)?;
        out.finish()
    }

    /// Prints reports, and nothing else: each as JSON, or the text of all.
    pub fn print_all<T: Serialize, D: Display>(
        &self,
        reports: &[T],
        text: impl FnOnce(&[T]) -> D,
    ) -> Result<(), Failure> {
        let mut out = self.output();
        out.reports(reports, text)?;
        out.finish()
    }

    /// A context for long work. From the first call on, an interrupt asks that work to stop instead of ending the
    /// program; the second one ends it. Commands that only read need no context, and end at once.
    pub fn context(&self) -> Context {
        let Global { quiet, json, .. } = self.global;
        let context = self.context.get_or_init(|| Context::new(interrupt::flag(), progress::for_terminal(quiet, json)));
        context.clone()
    }
}

/// Starts the threads that everything is computed with, one per core for 0: rayon would start them when they are first needed,
/// and panic where the system refuses.
fn start_threads(threads: usize) -> Result<(), Error> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(threads::start_in_pool).build_global().map_err(
        |error| {
            let what =
                if threads == 0 { "a thread per core".to_owned() } else { format::counted(threads as u64, "thread") };
            Error::io("start", what, io::Error::other(format!("{error}; give fewer with --threads")))
        },
    )
}

/// Sends the library's log to standard error.
fn start_logging(global: &Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, 2) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    standard_error::start_log(level, global.json);
}
