//! `twistbase puzzle`: puzzles as data, from files.

mod add;
mod levels;
mod show;

use std::path::PathBuf;

use twistbase_core::error::Result;
use twistbase_database::Database;
use twistbase_definition::PuzzleDefinition;

use crate::batch;
use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase puzzle show pyraminx
  twistbase puzzle levels trapdoor.tws --depth 5
  twistbase puzzle add trapdoor.tws

Files are those of twsearch and ksolve (.tws, .def) or of cubing.js (KPuzzle JSON).
They list the pieces and what each move does.";

/// Read, convert and add puzzles from definition files
///
/// Shows what follows from the moves, converts the file, counts positions by their distance, or adds the puzzle to those with tables.
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
    Add(add::Args),
    Remove(add::RemoveArgs),
}

pub fn run(Args { command }: Args, env: &Environment) -> std::result::Result<(), Failure> {
    match command {
        Command::Show(args) => show::run(args, env),
        Command::Levels(args) => levels::run(args, env),
        Command::Add(args) => add::run(args, env),
        Command::Remove(args) => add::remove(args, env),
    }
}

/// The file that a command reads.
#[derive(Debug, clap::Args)]
struct File {
    /// Definition file; - for standard input; or a puzzle that is known, like pyraminx
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
}

impl File {
    fn read(&self) -> Result<PuzzleDefinition> {
        let known = self.file.to_str().filter(|_| !self.file.exists()).and_then(Database::definition_of);
        known.map_or_else(|| PuzzleDefinition::parse(&batch::text_of(&self.file)?), |known| Ok(known.clone()))
    }

    /// A name for the puzzle from that of the file, in lower case; `None` for standard input.
    fn name(&self) -> Option<String> {
        let name = self.file.file_stem()?.to_str()?.to_ascii_lowercase().replace([' ', '.'], "-");
        (name != "-").then_some(name)
    }
}
