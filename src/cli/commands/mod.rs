//! The commands. Each is a file with its arguments, `pub struct Args`, and `pub fn run(Args, &Environment)`; the
//! documentation of `Args` is the command's help. A new one needs its `mod` line and its line in [`commands!`].

mod analyze;
mod build;
mod cache;
mod completions;
mod coset;
mod export;
mod farm;
mod import;
mod insertions;
mod man;
mod picture;
mod prove;
mod puzzle;
mod puzzles;
mod query;
mod random;
mod rebuild;
mod serve;
mod solve;
mod stats;
mod steps;
mod tables;
mod verify;

use super::environment::Environment;
use super::failure::Failure;

/// Makes the enum of all commands, in the order of the help, and hands each its arguments.
macro_rules! commands {
    ($($variant:ident => $module:ident,)+) => {
        #[derive(Debug, clap::Subcommand)]
        pub enum Command {
            $($variant($module::Args),)+
        }

        impl Command {
            /// Runs the command that was asked for.
            pub fn run(self, env: &Environment) -> Result<(), Failure> {
                match self {
                    $(Self::$variant(args) => $module::run(args, env),)+
                }
            }
        }
    };
}

commands! {
    Puzzles => puzzles,
    Puzzle => puzzle,
    Tables => tables,
    Build => build,
    Query => query,
    Solve => solve,
    Steps => steps,
    Insertions => insertions,
    Analyze => analyze,
    Coset => coset,
    Farm => farm,
    Random => random,
    Picture => picture,
    Stats => stats,
    Verify => verify,
    Rebuild => rebuild,
    Cache => cache,
    Export => export,
    Import => import,
    Serve => serve,
    Prove => prove,
    Completions => completions,
    Man => man,
}
