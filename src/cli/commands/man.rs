//! `twistbase man`: manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use twistbase_core::error::Error;

use crate::Cli;
use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase man | man -l -
  twistbase man cache warm | man -l -
  twistbase man --out ~/.local/share/man/man1";

/// Print a manual page, or write all pages to a folder
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Command, like build or cache warm [default: twistbase itself]
    command: Vec<String>,

    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Gives the commands the global options and their full names.
    program.build();
    if let Some(folder) = &args.out {
        return Ok(write_all(program, folder)?);
    }
    let mut command = &program;
    for name in &args.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            Error::Usage(format!("there is no command {:?}; run: twistbase --help", args.command.join(" ")))
        })?;
    }
    let mut page = Vec::new();
    render(command.clone(), &mut page).map_err(|error| Error::io("render", "the manual page", error))?;
    let mut out = env.output();
    out.bytes(&page)?;
    out.finish()
}

fn render(command: Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let name = page_name(&command);
    Man::new(command).title(name).render(page)
}

/// `twistbase-build` for the command `build`.
fn page_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn write_all(program: Command, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|source| Error::io("create", folder, source))?;
    write_with_subcommands(&program, folder)
}

fn write_with_subcommands(command: &Command, folder: &Path) -> Result<(), Error> {
    let path = folder.join(format!("{}.1", page_name(command)));
    let mut page = Vec::new();
    let written = render(command.clone(), &mut page).and_then(|()| fs::write(&path, page));
    written.map_err(|source| Error::io("write", &path, source))?;
    command.get_subcommands().try_for_each(|subcommand| write_with_subcommands(subcommand, folder))
}
