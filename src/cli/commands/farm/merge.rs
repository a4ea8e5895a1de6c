//! `farm merge`: merges the results of a farm.

use std::path::PathBuf;

use twistbase_core::error::DataError;
use twistbase_export::refuse_existing;
use twistbase_farm::{Farm, FarmMerge, FarmMergeReport};

use super::status;
use crate::arguments::named_file;
use crate::environment::Environment;
use crate::failure::{Failure, advice};
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase farm merge proof                         results about cosets, to the store
  twistbase farm merge scrambles --output answers.jsonl
  twistbase farm merge verified --output verified.json

Checks every shard first: it is intact, it belongs to this plan, these tables and this
program, and it has each item once. If a shard fails, nothing is merged (exit status
4), unless you give --partial. Results that contradict the store are refused. The file
of answers has the format of solve --results, which can resume from it. Merging again
changes nothing.";

/// Refusals that are listed.
const LISTED: usize = 10;

/// Merge the results of a farm
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Folder of the farm
    #[arg(value_name = "DIR")]
    farm: PathBuf,

    /// File for answers to positions, or for the verdict on a table
    #[arg(long, value_name = "FILE", value_parser = named_file())]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,

    /// Merge good shards although others are missing or refused
    #[arg(long)]
    partial: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    args.output.as_ref().map_or(Ok(()), |path| refuse_existing(path, args.force))?;
    let farm = Farm::open(args.farm)?;
    let (database, ctx) = (env.database()?, env.context());
    let how = FarmMerge { output: args.output, partial: args.partial };
    let report = farm.merge(&database, &how, &ctx)?;
    env.print(&report, |report| lines(report).join("\n"))?;
    conclude(&report, args.partial)
}

fn lines(report: &FarmMergeReport) -> Vec<String> {
    let (items, all) = (format::grouped(report.items_merged), format::counted(report.items, "item"));
    let shards = format::counted(report.shards, "shard");
    let mut lines = vec![format!("{} of {shards} merged, {items} of {all}", report.merged)];
    if report.complete {
        lines.push("complete: every item counts exactly once".to_owned());
    }
    lines.extend(report.new.map(|new| format!("{} new to the store", format::counted(new, "result"))));
    lines.extend(status::results(&report.summary));
    lines.extend(report.check.as_ref().map(|check| {
        let holds = if check.holds { "is right: every row follows from its neighbours" } else { "is wrong" };
        format!("{} {holds}", check.table)
    }));
    lines.extend(report.output.as_ref().map(|output| format!("written to {}", output.display())));
    lines
}

/// Refused shards, as a failure.
fn conclude(report: &FarmMergeReport, partial: bool) -> Result<(), Failure> {
    if report.refused.is_empty() {
        let holds = report.check.as_ref().is_none_or(|check| check.holds);
        return match holds {
            true => Ok(()),
            false => {
                Err(Failure::Findings("some rows do not follow from their neighbours; the file lists them".to_owned()))
            }
        };
    }
    let reasons = report.refused.iter().take(LISTED).map(|refused| {
        let DataError { detail, remedy, .. } = &refused.fault;
        format!("\n  shard {}: {detail}; {}", refused.shard, advice(remedy))
    });
    let reasons: String = reasons.collect();
    let more = report.refused.len().saturating_sub(LISTED);
    let more = if more > 0 { format!("\n  and {more} more; --json lists all") } else { String::new() };
    let nothing = if partial { "" } else { "; nothing was merged (--partial merges the others)" };
    let count = report.refused.len();
    Err(Failure::Findings(format!("{count} of {} shards cannot be merged{nothing}:{reasons}{more}", report.shards)))
}
