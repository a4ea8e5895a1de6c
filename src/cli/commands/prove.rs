//! `twistbase prove`: the theorem about the middle layer, by exhaustive search.

use std::time::Instant;

use serde::Serialize;
use twistbase::error::Error;
use twistbase::tables::{Definition, Distribution, ParityProof, TwistTable};

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

/// What was found, as JSON.
#[derive(Debug, Serialize)]
struct Report {
    table: &'static str,
    puzzle: &'static str,
    metric: &'static str,
    /// Whether the theorem holds and every comparison is equal.
    holds: bool,
    /// Whether every pair was reached and only the solved position is an exception.
    theorem: bool,
    /// Pairs (position, middle layer) at each distance, the turned-over puzzle identified.
    pairs: Comparison,
    /// Of these, pairs whose position has the other middle layer at a distance that is smaller by more than one.
    exceptions: Vec<u64>,
    /// Pairs (entry, middle layer) that nothing reaches.
    unreached: u64,
    /// The same with the turned-over puzzle counted as different, where it was counted so before.
    not_identified: Option<Comparison>,
    seconds: f64,
}

/// Counts by distance, and those that must come out.
#[derive(Debug, Serialize)]
struct Comparison {
    counts: Vec<u64>,
    total: u64,
    expected: Option<&'static [u64]>,
    source: Option<&'static str>,
    /// Unknown where nothing is known to compare with.
    equal: Option<bool>,
}

impl Comparison {
    fn new(counts: Vec<u64>, expected: Option<&Distribution>) -> Self {
        let total = counts.iter().sum();
        let equal = expected.map(|expected| expected.positions == counts);
        let (source, expected) = (expected.map(|known| known.source), expected.map(|known| known.positions));
        Self { counts, total, expected, source, equal }
    }

    fn differs(&self) -> bool {
        self.equal == Some(false)
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (table, memory) = (args.table, args.engine.memory());
    let (ctx, mut out) = (env.context()?, env.output());
    let needed = table.parity_memory();
    if memory < needed {
        let (needed, memory) = (format::bytes(needed), format::bytes(memory));
        return Err(Error::Budget(format!("the proof needs {needed} of memory, and may use {memory}")).into());
    }
    let started = Instant::now();
    let proof = table.prove_parity(args.engine.kernel(), memory, &ctx)?;
    let report = describe(table, &proof, started.elapsed().as_secs_f64());
    if env.json() {
        out.json(&report)?
    } else {
        out.line(text(&report))?
    }
    out.finish()?;
    if report.holds { Ok(()) } else { Err(Failure::Findings(format!("the proof for {} failed", report.table))) }
}

fn describe(table: &'static TwistTable, proof: &ParityProof, seconds: f64) -> Report {
    let pairs = Comparison::new(proof.pairs.clone(), table.expected_with_middle());
    let published = table.expected_not_identified();
    let not_identified = published.map(|published| Comparison::new(proof.not_identified(), Some(published)));
    let differs = pairs.differs() || not_identified.as_ref().is_some_and(Comparison::differs);
    Report {
        table: table.layout().name,
        puzzle: table.puzzle(),
        metric: table.metric().name(),
        holds: proof.holds() && !differs,
        theorem: proof.holds(),
        pairs,
        exceptions: proof.exceptions.clone(),
        unreached: proof.unreached,
        not_identified,
        seconds,
    }
}

fn text(report: &Report) -> String {
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

fn counts(comparison: &Comparison, exceptions: Option<&[u64]>) -> String {
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

fn totals(comparison: &Comparison) -> String {
    let total = format::grouped(comparison.total);
    match (comparison.equal, comparison.source) {
        (Some(true), Some(source)) => format!("{total} pairs, equal to the counts of: {source}"),
        (Some(false), Some(source)) => format!("{total} pairs, NOT EQUAL to the counts of: {source}"),
        _ => format!("{total} pairs; there are no published counts to compare with"),
    }
}

fn verdict(report: &Report) -> String {
    let exceptions: u64 = report.exceptions.iter().sum();
    if report.theorem {
        "The theorem holds: the other parity takes one twist more, but for the solved position, where it takes 3"
            .to_owned()
    } else {
        let (exceptions, unreached) = (format::grouped(exceptions), format::grouped(report.unreached));
        format!("The theorem does NOT hold: {exceptions} exceptions, {unreached} pairs not reached")
    }
}
