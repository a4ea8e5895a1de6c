//! The commands. Each is a file with its arguments, `pub struct Args`, and `pub fn run(Args, &Environment)`; the
//! documentation of `Args` is the command's help. A new one needs its `mod` line and its line in [`commands!`].

/// Makes an enum of commands, in the order of the help, and hands each its arguments.
macro_rules! commands {
    ($visibility:vis $name:ident: $($(#[$about:meta])* $variant:ident($args:ty) => $run:path,)+) => {
        #[derive(Debug, clap::Subcommand)]
        $visibility enum $name {
            $($(#[$about])* $variant($args),)+
        }

        impl $name {
            /// Runs the command that was asked for.
            $visibility fn run(self, env: &Environment) -> std::result::Result<(), Failure> {
                match self {
                    $(Self::$variant(args) => $run(args, env),)+
                }
            }
        }
    };
}

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
mod remove;
mod serve;
mod solve;
mod stats;
mod steps;
mod tables;
mod verify;

use super::environment::Environment;
use super::failure::Failure;

commands! { pub Command:
    Puzzles(puzzles::Args) => puzzles::run,
    Puzzle(puzzle::Args) => puzzle::run,
    Tables(tables::Args) => tables::run,
    Build(build::Args) => build::run,
    Query(query::Args) => query::run,
    Solve(solve::Args) => solve::run,
    Steps(steps::Args) => steps::run,
    Insertions(insertions::Args) => insertions::run,
    Analyze(analyze::Args) => analyze::run,
    Coset(coset::Args) => coset::run,
    Farm(farm::Args) => farm::run,
    Random(random::Args) => random::run,
    Picture(picture::Args) => picture::run,
    Stats(stats::Args) => stats::run,
    Verify(verify::Args) => verify::run,
    Rebuild(rebuild::Args) => rebuild::run,
    Remove(remove::Args) => remove::run,
    Cache(cache::Args) => cache::run,
    Export(export::Args) => export::run,
    Import(import::Args) => import::run,
    Serve(serve::Args) => serve::run,
    Prove(prove::Args) => prove::run,
    Completions(completions::Args) => completions::run,
    Man(man::Args) => man::run,
}
