//! `farm merge`: the results brought together.

use std::path::PathBuf;

use twistbase_core::error::DataReport;
use twistbase_farm::{Farm, FarmMerge, FarmMergeReport};

use super::status;
use crate::arguments::named_file;
use crate::environment::Environment;
use crate::failure::{Failure, advice};
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase farm merge proof                         results about cosets, into the store
  twistbase farm merge scrambles --output answers.jsonl
  twistbase farm merge verified --output verified.json

Every shard is checked first: that it is as it was written, of this plan, these tables and this
program, and that it has each of its items once. If one is not, nothing is merged (exit status
4) unless --partial is given. Results that disagree with those of the store are refused.
Answers are what solve --results writes and goes on from. Merging once more changes nothing.";

/// Refusals that are listed.
const LISTED: usize = 10;

/// Bring the results of a farm together
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The farm
    #[arg(value_name = "DIR")]
    farm: PathBuf,

    /// File for answers about positions, or for what checking a table came to
    #[arg(long, value_name = "FILE", value_parser = named_file())]
    output: Option<PathBuf>,

    /// Merge what there is, though shards are missing or refused
    #[arg(long)]
    partial: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let farm = Farm::open(args.farm)?;
    let (database, ctx, mut out) = (env.database()?, env.context()?, env.output());
    let how = FarmMerge { output: args.output, partial: args.partial };
    let report = farm.merge(&database, &how, &ctx)?;
    if env.json() {
        out.json(&report)?;
    } else {
        lines(&report).iter().try_for_each(|line| out.line(line))?;
    }
    out.finish()?;
    conclude(&report, args.partial)
}

fn lines(report: &FarmMergeReport) -> Vec<String> {
    let [items, all] = [report.items_merged, report.items].map(format::grouped);
    let mut lines = vec![format!("{} of {} shards merged, {items} of {all} items", report.merged, report.shards)];
    if report.complete {
        lines.push("nothing is missing, and nothing was counted twice".to_owned());
    }
    lines.extend(report.new.map(|new| format!("{} results are new to the store", format::grouped(new))));
    lines.extend(status::results(&report.summary));
    lines.extend(report.check.as_ref().map(|check| {
        let holds = if check.holds { "follows from its neighbours, row by row" } else { "does not hold" };
        format!("{} {holds}", check.table)
    }));
    lines.extend(report.output.as_ref().map(|output| format!("written to {}", output.display())));
    lines
}

/// What was refused, as a failure.
fn conclude(report: &FarmMergeReport, partial: bool) -> Result<(), Failure> {
    if report.refused.is_empty() {
        let holds = report.check.as_ref().is_none_or(|check| check.holds);
        return match holds {
            true => Ok(()),
            false => Err(Failure::Findings("the table does not follow from itself; the file says where".to_owned())),
        };
    }
    let reasons = report.refused.iter().take(LISTED).map(|refused| {
        let DataReport { detail, remedy, .. } = &refused.fault;
        format!("\n  shard {}: {detail}; {}", refused.shard, advice(remedy))
    });
    let reasons: String = reasons.collect();
    let more = report.refused.len().saturating_sub(LISTED);
    let more = if more > 0 { format!("\n  and {more} more; --json lists all") } else { String::new() };
    let nothing = if partial { "" } else { ", so nothing was merged (--partial takes the rest)" };
    let count = report.refused.len();
    Err(Failure::Findings(format!("{count} of {} shards cannot be merged{nothing}:{reasons}{more}", report.shards)))
}
