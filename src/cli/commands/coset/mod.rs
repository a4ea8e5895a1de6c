//! `coset`: cosets of H of the Rubik's cube, solved one by one or in batches, and what is known about them.

mod count;
mod cover;
mod cover_search;
mod export;
mod list;
mod merge;
mod options;
mod report;
mod run;
mod show;
mod solve;
mod total;

use clap::Subcommand;
pub use options::SearchOptions;

use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase coset F1R1U2 -S 6 -d 6               positions at each distance up to 6
  twistbase coset U -S 4 -d 4 --weighted         H itself, weighted for the whole cube
  twistbase random cube3 --walk 4 -n 3 | twistbase coset - -S 4 -d 4
  twistbase coset U -S 8 --list-from 18 --list -
  twistbase coset run --range 0..2 -S 11 -d 11   the first cosets of the cover
  twistbase coset count --depth 5                positions of the whole cube
  twistbase coset list
  twistbase coset show F1R1U2
  twistbase coset total                          sums over what has been solved
  twistbase coset export --format csv
  twistbase coset cover                          the cosets that cover the cube

A coset of H = <U,D,R2,F2,L2,B2> is the set of 19,508,428,800 positions to which a
sequence leads from those of H. Solving it counts its positions at each distance:
exactly as far as it is searched (-S), and as bounds up to -d, by extending what was
found by moves of H. It needs 3.0 GB of memory and the table phase1, which is built
if it is missing (not with --no-build).

Lines of standard input (-) or a file (--from) are answered in their order, one that
is no coset with its error. A line of text begins with its input and a tab. Blank
lines, and comments after # or //, are passed over. If any line was no coset, the
exit status is 2 or 3 at the end.

--list - lists positions on standard output, without reports; coset show has these.
At the end standard error tells how many positions were written.

What is found is kept in the store, by coset, and not solved again unless more is
asked or --force is given. Every position of the cube or its inverse, or one of its
48 images, is in a coset of the cover. Past one machine, cosets are the work of
twistbase farm.";

/// Solve a coset of the Rubik's cube: how many of its positions are how far from solved
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<CosetAction>,

    #[command(flatten)]
    solve: solve::Given,
}

#[derive(Debug, Subcommand)]
enum CosetAction {
    /// Solve cosets of the cover, one after the other
    Run(run::Args),
    /// Bring the results of files of earlier versions into the store
    Merge(merge::Args),
    /// List the cosets that have been solved
    List(list::Args),
    /// Show what is known about a coset
    Show(show::Args),
    /// Add up what has been solved, weighted for the whole cube
    Total,
    /// Count the positions of the whole cube at each distance
    Count(count::Args),
    /// Describe the cover, or cosets of it
    Cover(cover::Args),
    /// Export the results
    Export(export::Args),
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    match args.action {
        None => solve::run(args.solve, env),
        Some(CosetAction::Run(args)) => run::run(args, env),
        Some(CosetAction::Merge(args)) => merge::run(args, env),
        Some(CosetAction::List(args)) => list::run(args, env),
        Some(CosetAction::Show(args)) => show::run(args, env),
        Some(CosetAction::Total) => total::run(env),
        Some(CosetAction::Count(args)) => count::run(args, env),
        Some(CosetAction::Cover(args)) => cover::run(args, env),
        Some(CosetAction::Export(args)) => export::run(args, env),
    }
}
