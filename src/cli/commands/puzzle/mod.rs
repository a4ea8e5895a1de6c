//! `twistbase puzzle`: puzzles as data, from files.

mod levels;
mod show;

use std::path::PathBuf;

use twistbase_core::error::Result;
use twistbase_definition::PuzzleDefinition;

use crate::batch;
use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase puzzle show pyraminx.tws
  twistbase puzzle levels pyraminx.tws --depth 5

Files are those of twsearch and ksolve (.tws, .def) or of cubing.js (KPuzzle JSON).
They list the pieces and what each move does.";

/// Read a puzzle from a definition file
///
/// Shows what follows from the moves, converts the file, or counts positions near solved. Builds no tables.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Show(show::Args),
    Levels(levels::Args),
}

pub fn run(Args { command }: Args, env: &Environment) -> std::result::Result<(), Failure> {
    match command {
        Command::Show(args) => show::run(args, env),
        Command::Levels(args) => levels::run(args, env),
    }
}

/// The file that a command reads.
#[derive(Debug, clap::Args)]
struct File {
    /// Definition file; - for standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
}

impl File {
    fn read(&self) -> Result<PuzzleDefinition> {
        PuzzleDefinition::parse(&batch::text_of(&self.file)?)
    }
}
