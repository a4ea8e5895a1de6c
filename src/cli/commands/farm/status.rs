//! `farm status`: the progress of a farm.

use std::path::PathBuf;

use twistbase_farm::{Farm, FarmStatus, FarmSummary};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase farm status plan
  twistbase farm status plan --check        check every byte, as merge does
  twistbase farm status plan --to-do        numbers of free shards, for a batch system

A shard is free if it is unfinished and no task works on it (to_do in JSON). This
command reads only the folder, so it works on any machine that has the folder.
Exit status 4: --check found damaged shards.";

/// The characters of the bar.
const BAR: usize = 50;
/// Failures that are listed.
const LISTED: usize = 10;

/// Show the progress of a farm
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Folder of the farm
    #[arg(value_name = "DIR")]
    farm: PathBuf,

    /// Check every byte, as merge does
    #[arg(long)]
    check: bool,

    /// Print only the numbers of free shards, one per line
    #[arg(long, conflicts_with = "json")]
    to_do: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let farm = Farm::open(args.farm)?;
    let (ctx, mut out) = (env.context(), env.output());
    let status = farm.status(args.check, &ctx)?;
    if args.to_do {
        status.to_do.iter().try_for_each(|shard| out.line(shard))?;
    } else {
        out.report(&status, |status| lines(status).join("\n"))?;
    }
    out.finish()?;
    match status.damaged {
        None | Some(0) => Ok(()),
        Some(damaged) => Err(Failure::Findings(format!(
            "{} damaged; run farm resubmit or farm work to run them again (first move away files of another plan)",
            format::counted(damaged, "shard")
        ))),
    }
}

fn lines(status: &FarmStatus) -> Vec<String> {
    let noun = status.work.noun();
    let fraction = status.items_done as f64 / status.items as f64;
    let mut lines = vec![
        format!(
            "{} of {} done, {} of {}",
            status.done,
            format::counted(status.shards, "shard"),
            format::grouped(status.items_done),
            format::counted(status.items, noun)
        ),
        format!("{:<BAR$} {:.1} %", format::bar(fraction, BAR), fraction * 100.0),
    ];
    let counts = [
        ("running", Some(status.running)),
        ("failed", Some(status.failed)),
        ("interrupted", Some(status.interrupted)),
        ("missing", Some(status.missing)),
        ("damaged", status.damaged),
    ];
    let counts = counts.into_iter().filter_map(|(name, count)| Some((name, count?))).filter(|&(_, count)| count > 0);
    let counts: Vec<String> = counts.map(|(name, count)| format!("{} {name}", format::grouped(count.into()))).collect();
    if !counts.is_empty() {
        lines.push(counts.join(", "));
    }
    if let Some(left) = status.seconds_left {
        lines.push(format!("about {} left with {}", format::seconds(left), format::counted(status.running, "task")));
    }
    lines.extend(results(&status.summary));
    let listed = status.failures.iter().take(LISTED).map(|failure| {
        let host = failure.host.as_ref().map_or_else(String::new, |host| format!(" on {host}"));
        format!("shard {}{host}: {}", failure.shard, failure.message.replace('\n', " "))
    });
    lines.extend(listed);
    let more = status.failures.len().saturating_sub(LISTED);
    if more > 0 {
        lines.push(format!("and {more} more; --json lists all"));
    }
    lines
}

/// The results so far.
pub fn results(summary: &FarmSummary) -> Vec<String> {
    if summary.records() == 0 {
        return Vec::new();
    }
    match summary {
        FarmSummary::Cosets(sum) => {
            let (cosets, complete) = (format::counted(sum.cosets, "coset"), format::grouped(sum.complete));
            let mut lines = vec![format!("{cosets}, {complete} of them counted completely")];
            if sum.unreached > 0 {
                lines.push(format!("{} not shown to be within 20 moves", format::grouped(sum.unreached)));
            }
            lines
        }
        FarmSummary::Answers(sum) => {
            let lengths = (0..).zip(&sum.lengths).filter(|&(_, &count)| count > 0);
            let lengths: Vec<String> =
                lengths.map(|(length, &count): (u8, _)| format!("{length}: {}", format::grouped(count))).collect();
            let mut lines = format::wrapped("positions by moves:", &lengths, format::width());
            if sum.incomplete > 0 {
                lines.push(format!("{} hit a limit", format::grouped(sum.incomplete)));
            }
            lines
        }
        FarmSummary::Rows(sum) => {
            let (rows, faults) = (format::counted(sum.rows, "row"), format::grouped(sum.faults));
            vec![format!("{rows}, {faults} of them wrong by their neighbours")]
        }
    }
}
