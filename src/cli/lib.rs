//! The command line: arguments in, library calls, text or JSON out.
//!
//! A command is one file in `commands`; what all of them share (the store, output, progress, interrupts) reaches
//! them as an `Environment`.
#![allow(clippy::exit, clippy::print_stderr, clippy::print_stdout)]

mod arguments;
mod batch;
mod bus_error;
mod callback;
mod commands;
mod definitions;
mod distribution;
mod environment;
mod failure;
mod format;
mod interrupt;
mod limits;
mod link;
mod memory;
mod output;
mod panics;
mod picture;
mod positions;
mod progress;
mod standard_error;
mod suggestions;

use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

use clap::error::ContextKind;
use clap::{CommandFactory, FromArgMatches, Parser};

use commands::Command;
use environment::{Environment, Global};
use failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase build cube21                  build the table of Cube21
  twistbase query cube21 '(1,0)/(3,3)/'   distance, next moves, number of solutions
  twistbase build phase1 phase2           tables for solving the Rubik's cube
  twistbase solve cube3 'R U2 F L'        shorter and shorter solutions
  twistbase coset F1R1U2 -S 7 -d 7        distances in a coset of H
  twistbase tables                        tables with size and status
  twistbase stats cube21                  positions at each distance, with a plot
  twistbase verify                        check every page of every table";

const EXIT_STATUS: &str = "\
Exit status:
  0 answered; 2 usage; 3 invalid position or sequence; 4 data missing, stale or damaged;
  5 in use by another process; 6 input or output failed; 7 a limit (time, nodes, length,
  memory) was reached; 130 interrupted";

/// A database of puzzle states: exact distances and every shortest solution
#[derive(Debug, Parser)]
#[command(name = "twistbase", version, after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"), arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Runs the program and returns its exit status.
pub fn main() -> ExitCode {
    interrupt::catch();
    panics::hide_guarded();
    bus_error::report();
    limits::ignore_file_limit();
    limits::share_heap_where_limited();
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return failure::report_arguments(&error),
    };
    if let Some(folder) = cli.global.store_option() {
        failure::set_given_store(folder);
    }
    let (json, store) = (cli.global.json, cli.global.folder());
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json, store.as_deref()),
    }
}

/// Reads the arguments. By default clap would print colours on a terminal without colours if `CI` is set.
fn parse() -> Result<Cli, clap::Error> {
    environment::know_puzzles();
    let mut command = take_negative_numbers(Cli::command()).color(standard_error::clap_colours());
    let read = command.try_get_matches_from_mut(std::env::args_os()).map_err(numbers_in_words);
    let mut matches = read.map_err(|error| {
        let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into()).collect();
        suggestions::add(error, &arguments)
    })?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Says in plain words why a number cannot be read.
fn numbers_in_words(error: clap::Error) -> clap::Error {
    let source = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<ParseIntError>());
    let expected = match source.map(ParseIntError::kind) {
        None => return error,
        Some(IntErrorKind::PosOverflow) => "expected a smaller number",
        Some(_) => "expected a whole number without a sign",
    };
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (value, argument) = (text(ContextKind::InvalidValue), text(ContextKind::InvalidArg));
    let message =
        format!("invalid value '{value}' for '{argument}': {expected}\n\nFor more information, try '--help'.\n");
    clap::Error::raw(error.kind(), message)
}

/// Lets options take negative numbers: the error is then about the value, not about an unknown option.
fn take_negative_numbers(command: clap::Command) -> clap::Command {
    let takes_value = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if takes_value(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(take_negative_numbers)
}

/// The environment ends here, and with it the progress bar, before a failure is reported.
fn run(cli: Cli) -> Result<(), Failure> {
    let env = Environment::new(cli.global)?;
    cli.command.run(&env)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        Cli::command().debug_assert();
    }
}
