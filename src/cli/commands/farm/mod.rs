//! `farm`: splits work into shards for many machines and any batch system.

mod merge;
mod plan;
mod simulate;
mod status;
mod submit;
mod work;

use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase farm plan cosets --range 0..200 -S 5 -d 5 --to plan --shard-items 20
  twistbase farm work plan --shard 3           run one shard: a task of a batch system
  twistbase farm submit plan --time 30 --cores 2   submit all shards to Slurm
  twistbase farm status plan
  twistbase farm resubmit plan                 submit lost shards again
  twistbase farm merge plan                    merge the results into the store

A farm is a folder that all machines share. It holds the plan, and one file for each
finished shard. Tasks share nothing else, so any batch system can start them: any
number at once, in any order, again after a kill. Unfinished shards keep a journal,
and the next task of the shard resumes it.

Without a batch system, on each machine:
  twistbase farm work plan                     all free shards
  ssh HOST twistbase farm work /shared/plan
  twistbase farm status plan --to-do | parallel twistbase farm work plan --shard {}";

/// Split work into shards, run them on many machines, merge the results
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: FarmAction,
}

commands! { FarmAction:
    /// Plan the work of a farm
    Plan(plan::Args) => plan::run,
    /// Run shards of a farm
    Work(work::Args) => work::run,
    /// Show the progress of a farm
    Status(status::Args) => status::run,
    /// Submit all shards to Slurm
    Submit(submit::Args) => submit::run,
    /// Submit missing and damaged shards again
    Resubmit(submit::Args) => submit::run_again,
    /// Merge the results of a farm
    Merge(merge::Args) => merge::run,
    /// Estimate time, cost and size of farms
    Simulate(simulate::Args) => simulate::run,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    args.action.run(env)
}
