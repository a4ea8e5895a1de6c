//! `coset`: solves cosets of H of the Rubik's cube, one by one or in batches, and shows the results.

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

pub use options::SearchOptions;

use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase coset F1R1U2 -S 6 -d 6               positions at each distance up to 6
  twistbase coset U -S 4 -d 4 --weighted         H itself, weighted for the whole cube
  twistbase random cube3 --walk 4 -n 3 | twistbase coset - -S 4 -d 4
  twistbase coset U -S 8 --list-from 18 --list - --force
  twistbase coset run --range 0..2 -S 11 -d 11   the first cosets of the cover
  twistbase coset count --depth 5                positions of the whole cube
  twistbase coset list
  twistbase coset show F1R1U2
  twistbase coset total                          sums over the solved cosets
  twistbase coset export --format csv
  twistbase coset cover                          the cosets that cover the cube

Cosets:
  H = <U,D,R2,F2,L2,B2> has 19,508,428,800 positions. A coset of H is the set of
  positions that a sequence reaches from those of H. A search counts its positions at
  each distance: exactly up to -S, as bounds up to -d. It needs 3.0 GB of memory and
  the table phase1. A missing phase1 is built first, unless you give --no-build.

Results:
  The store keeps one result per coset. A coset is solved again only for a deeper
  search, or with --force. Every position of the cube, its inverse, or one of its 48
  images is in a coset of the cover. twistbase farm solves cosets on many machines.

Lines (- or --from):
  Answers each line in order. A text answer begins with its input and a tab. Skips
  blank lines, and comments after # or //. An invalid line gets its error, and the
  exit status is 2 or 3 at the end.

Lists (--list -):
  Writes positions to standard output, and no reports. coset show prints the reports.
  Standard error reports the number of positions at the end.";

/// Solve cosets of H of the Rubik's cube: count their positions at each distance
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<CosetAction>,

    #[command(flatten)]
    solve: solve::Given,
}

commands! { CosetAction:
    /// Solve cosets of the cover, one after the other
    Run(run::Args) => run::run,
    /// Merge result files of earlier versions into the store
    Merge(merge::Args) => merge::run,
    /// List solved cosets
    List(list::Args) => list::run,
    /// Show the result of a coset
    Show(show::Args) => show::run,
    /// Add up the solved cosets, weighted for the whole cube
    Total(total::Args) => total::run,
    /// Count the positions of the whole cube at each distance
    Count(count::Args) => count::run,
    /// Describe the cover, its cosets, or search for another one
    Cover(cover::Args) => cover::run,
    /// Export the results as CSV or JSON Lines
    Export(export::Args) => export::run,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    match args.action {
        None => solve::run(args.solve, env),
        Some(action) => action.run(env),
    }
}
