//! `twistbase prove`: the theorem about the middle layer, by exhaustive search.

use twistbase::TableId;
use twistbase::database::{CountComparison, ParityReport, parity_memory, prove_parity};
use twistbase::error::Error;
use twistbase::tables::{Definition, TwistTable};

use crate::cli::arguments::{EngineArgs, twist_table};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase prove cube21
  twistbase prove square1 --memory 3G

Each twist turns half of the middle layer, so a position with a given middle
layer needs an even, or an odd, number of twists. The theorem: the parity that
the shortest solution does not have takes exactly one twist more, for every
position but the solved one, whose other middle layer takes 3. By it, a table
that knows nothing of the middle layer answers for both of its states.

The proof visits every pair of a position and a parity. It needs no built table
and leaves nothing behind. If anything disagrees, the exit status is 4.";

/// Prove by exhaustive search how the middle layer changes distances, and count positions with it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The table whose positions to search
    #[arg(value_parser = twist_table())]
    table: &'static TwistTable,

    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let table = TableId::from(args.table as &'static dyn Definition);
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let (ctx, mut out) = (env.context()?, env.output());
    let needed = parity_memory(table)?;
    if memory < needed {
        let (needed, memory) = (format::bytes(needed), format::bytes(memory));
        return Err(Error::Budget(format!("the proof needs {needed} of memory, and may use {memory}")).into());
    }
    let report = prove_parity(table, memory, kernel, &ctx)?;
    if env.json() {
        out.json(&report)?
    } else {
        out.line(text(&report))?
    }
    out.finish()?;
    if report.holds { Ok(()) } else { Err(Failure::Findings(format!("the proof for {table} failed"))) }
}

fn text(report: &ParityReport) -> String {
    let mut lines = vec![
        format!("{}: pairs of a position and a state of its middle layer", report.table),
        counts(&report.pairs, Some(&report.exceptions)),
        totals(&report.pairs),
    ];
    if let Some(other) = &report.not_identified {
        lines.push("\nThe same, the turned-over puzzle counted as different".to_owned());
        lines.push(counts(other, None));
        lines.push(totals(other));
    }
    lines.push(format!("\n{} ({})", verdict(report), format::seconds(report.seconds)));
    lines.join("\n")
}

fn counts(comparison: &CountComparison, exceptions: Option<&[u64]>) -> String {
    use Align::{Left, Right};
    let mut columns = vec![("distance", Right), ("pairs", Right)];
    columns.extend(comparison.expected.map(|_| [("expected", Right), ("", Left)]).into_iter().flatten());
    columns.extend(exceptions.map(|_| ("exceptions", Right)));
    let mut table = format::table(&columns);
    let rows = comparison.counts.len().max(comparison.expected.map_or(0, <[u64]>::len));
    let at = |counts: &[u64], distance: usize| counts.get(distance).copied().unwrap_or(0);
    for distance in 0..rows {
        let found = at(&comparison.counts, distance);
        let mut cells = vec![distance.to_string(), format::grouped(found)];
        if let Some(expected) = comparison.expected {
            let expected = at(expected, distance);
            cells.extend([format::grouped(expected), if found == expected { "equal" } else { "DIFFERENT" }.to_owned()]);
        }
        cells.extend(exceptions.map(|exceptions| format::grouped(at(exceptions, distance))));
        table.add_row(cells);
    }
    table.trim_fmt()
}

fn totals(comparison: &CountComparison) -> String {
    let total = format::grouped(comparison.total);
    match (comparison.equal, comparison.source) {
        (Some(true), Some(source)) => format!("{total} pairs, equal to the counts of: {source}"),
        (Some(false), Some(source)) => format!("{total} pairs, NOT EQUAL to the counts of: {source}"),
        _ => format!("{total} pairs; there are no published counts to compare with"),
    }
}

fn verdict(report: &ParityReport) -> String {
    let exceptions: u64 = report.exceptions.iter().sum();
    if report.theorem {
        "The theorem holds: the other parity takes one twist more, but for the solved position, where it takes 3"
            .to_owned()
    } else {
        let (exceptions, unreached) = (format::grouped(exceptions), format::grouped(report.unreached));
        format!("The theorem does NOT hold: {exceptions} exceptions, {unreached} pairs not reached")
    }
}
