//! `farm`: work that is more than one machine does, in shards that any batch system can hand out.

mod merge;
mod plan;
mod simulate;
mod status;
mod submit;
mod work;

use clap::Subcommand;

use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase farm plan cosets --range 0..200 -S 5 -d 5 --to plan --shard-items 20
  twistbase farm work plan --shard 3           what a task does
  twistbase farm submit plan --time 30 --cores 2   all shards, to Slurm
  twistbase farm status plan
  twistbase farm resubmit plan                 what was lost
  twistbase farm merge plan                    bring the results into the store

A farm is a folder that all machines share: a plan, and a file for each shard of it that is
done. Tasks take nothing else of each other, so that any batch system can start them: with
any number of tasks at once, in any order, again after they were killed. What a task has
finished of its shard is kept; the next task of that shard goes on there.

Without a batch system, on each machine:
  twistbase farm work plan                     all shards that nobody works on
  ssh HOST twistbase farm work /shared/plan
  twistbase farm status plan --to-do | parallel twistbase farm work plan --shard {}";

/// Work that is more than one machine does: plan it in shards, do them anywhere, bring the results together
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: FarmAction,
}

#[derive(Debug, Subcommand)]
enum FarmAction {
    /// Plan what is to be done
    Plan(plan::Args),
    /// Do shards
    Work(work::Args),
    /// Say how far a farm is
    Status(status::Args),
    /// Submit all shards to Slurm
    Submit(submit::Args),
    /// Submit the shards that are missing or damaged, and neither run nor wait
    Resubmit(submit::Args),
    /// Bring the results together
    Merge(merge::Args),
    /// Say how long, how dear and how large farms would be
    Simulate(simulate::Args),
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    match args.action {
        FarmAction::Plan(args) => plan::run(args, env),
        FarmAction::Work(args) => work::run(args, env),
        FarmAction::Status(args) => status::run(args, env),
        FarmAction::Submit(args) => submit::run(args, env),
        FarmAction::Resubmit(args) => submit::run_again(args, env),
        FarmAction::Merge(args) => merge::run(args, env),
        FarmAction::Simulate(args) => simulate::run(args, env),
    }
}
