//! `twistbase prove`: the theorem about the middle layer, and the numbers of WCA's metric, by exhaustive search.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use twistbase_core::error::Error;
use twistbase_database::{
    CountComparison, ParityReport, TableId, WcaComparison, WcaReport, parity_memory, prove_parity, prove_wca,
    wca_memory,
};
use twistbase_store::NewFile;
use twistbase_tables::{Definition, TwistTable};

use crate::arguments::{EngineArgs, twist_table};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase prove cube21
  twistbase prove square1 --memory 3G
  twistbase prove square1 --metric wca

The theorem (--metric twists):
  Each twist turns half of the middle layer. So a position and the state of its
  middle layer fix whether the number of twists is even or odd. The theorem: a
  solution of the other parity takes exactly one twist more than the shortest one.
  Only the solved position takes 3. So a table without the middle layer gives the
  distances for both states of that layer.

WCA's metric (--metric wca):
  Counts all positions, with the turns of their layers, by the moves of their best
  solutions. A turn (x,y) is one move, a twist is one move. Positions that can be
  twisted and positions with a piece across the cut have counts of their own. The
  counts are given twice: with a flipped position as another position, and as the
  same one. A plain search checks the positions near solved. square1 uses 16 GB of
  memory; with less, part of the data goes to an unnamed file in TMPDIR.

No table is needed, and none is stored. Exit status 4: a count disagrees.";

/// Prove the middle-layer theorem, or count positions in WCA's metric
///
/// Both are exhaustive searches.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Table whose positions to search
    #[arg(value_parser = twist_table())]
    table: &'static TwistTable,

    /// Metric to count in
    #[arg(long, value_enum, default_value_t = ProofArg::Twists)]
    metric: ProofArg,

    /// File for the farthest positions, one per line (--metric wca)
    ///
    /// Writes one position of each class. Positions of a class differ by turns of the layers, by flipping the puzzle, by
    /// a mirror, or by a relabelling of the pieces.
    #[arg(long, value_name = "FILE")]
    farthest: Option<PathBuf>,

    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProofArg {
    /// Twists, with and without the middle layer
    Twists,
    /// Turns and twists
    Wca,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    match args.metric {
        ProofArg::Twists if args.farthest.is_some() => {
            Err(Error::Usage("--farthest needs --metric wca".to_owned()).into())
        }
        ProofArg::Twists => run_parity(&args, env),
        ProofArg::Wca => run_wca(&args, env),
    }
}

/// Refuses a proof that needs more memory than it may use.
fn check_memory(needed: u64, memory: u64) -> Result<(), Failure> {
    if memory < needed {
        let (needed, memory) = (format::bytes(needed), format::bytes(memory));
        return Err(Error::Memory(format!("the proof needs {needed} of memory; the limit is {memory}")).into());
    }
    Ok(())
}

fn run_parity(args: &Args, env: &Environment) -> Result<(), Failure> {
    let table = TableId::from(args.table as &'static dyn Definition);
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let (ctx, mut out) = (env.context(), env.output());
    check_memory(parity_memory(table)?, memory)?;
    let report = prove_parity(table, memory, kernel, &ctx)?;
    if env.json() {
        out.json(&report)?
    } else {
        out.line(text(&report))?
    }
    out.finish()?;
    if report.holds { Ok(()) } else { Err(Failure::Findings(format!("the proof for {table} failed"))) }
}

fn run_wca(args: &Args, env: &Environment) -> Result<(), Failure> {
    let table = TableId::from(args.table as &'static dyn Definition);
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let (ctx, mut out) = (env.context(), env.output());
    let [least, wanted] = wca_memory(table)?;
    // Without a folder there is no scratch file, either.
    check_memory(if env.database()?.folder().is_some() { least } else { wanted }, memory)?;
    if memory < wanted {
        let wanted = format::bytes(wanted);
        ctx.progress().note(&format!("using a scratch file (slower): the proof needs {wanted} of memory without one"));
    }
    // A file that cannot be created is an error before the long count.
    let farthest = args.farthest.as_ref().map(|path| Ok::<_, Error>((path, NewFile::create(path)?))).transpose()?;
    let report = prove_wca(table, memory, &std::env::temp_dir(), kernel, &ctx)?;
    if env.json() {
        out.json(&report)?
    } else {
        out.line(wca_text(&report))?
    }
    out.finish()?;
    // After the counts, so that a disk that is full does not take them along.
    if let Some((path, mut file)) = farthest {
        let lines: String = report.farthest_positions.iter().map(|position| format!("{position}\n")).collect();
        file.write_all(lines.as_bytes()).map_err(|source| Error::io("write", path, source))?;
        file.publish()?;
    }
    if report.holds { Ok(()) } else { Err(Failure::Findings(format!("the counts of {table} disagree"))) }
}

fn wca_text(report: &WcaReport) -> String {
    let WcaReport { puzzle, farthest_twistable, farthest, .. } = report;
    let mut lines = Vec::new();
    let turned = [(&report.told_apart, "flipped is different"), (&report.identified, "flipped is the same")];
    for (comparison, what) in turned {
        lines.push(format!(
            "{puzzle}: positions with the turns of their layers and the middle layer; a position {what}"
        ));
        lines.push(wca_counts(comparison));
        for (part, what) in [(&comparison.twistable, "can be twisted"), (&comparison.blocked, "must be turned first")] {
            let total = format::grouped(part.total);
            lines.push(match (part.equal, part.source) {
                (Some(true), Some(source)) => format!("{total} {what}, equal to the counts of: {source}"),
                (Some(false), Some(source)) => format!("{total} {what}, NOT EQUAL to the counts of: {source}"),
                _ => format!("{total} {what}"),
            });
        }
        lines.push(String::new());
    }
    let at = |comparison: &CountComparison, moves: usize| {
        format::grouped(comparison.counts.get(moves).copied().unwrap_or(0))
    };
    let apart = &report.told_apart;
    lines.push(format!(
        "Positions that can be twisted need at most {farthest_twistable} moves; {} need that many. Positions that must be \
         turned first need at most {farthest}; {} need that many",
        at(&apart.twistable, *farthest_twistable),
        at(&apart.blocked, *farthest),
    ));
    let agrees = if report.agrees { "agrees" } else { "does NOT agree" };
    lines.push(format!("Plain search near solved {agrees} ({})", format::seconds(report.seconds)));
    lines.join("\n")
}

fn wca_counts(comparison: &WcaComparison) -> String {
    use Align::Right;
    let mut table = format::table(&[("moves", Right), ("can be twisted", Right), ("must be turned first", Right)]);
    let parts = [&comparison.twistable.counts, &comparison.blocked.counts];
    for moves in 0..parts.iter().map(|counts| counts.len()).max().unwrap_or(0) {
        let count = |counts: &Vec<u64>| format::grouped(counts.get(moves).copied().unwrap_or(0));
        table.add_row([moves.to_string(), count(parts[0]), count(parts[1])]);
    }
    table.trim_fmt()
}

fn text(report: &ParityReport) -> String {
    let mut lines = vec![
        format!("{}: pairs of a position and a state of its middle layer", report.table),
        counts(&report.pairs, Some(&report.exceptions)),
        totals(&report.pairs),
    ];
    if let Some(other) = &report.not_identified {
        lines.push("\nThe same counts, with a flipped position as a different one".to_owned());
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
        "The theorem holds: the other parity takes one twist more; 3 twists for the solved position".to_owned()
    } else {
        let (exceptions, unreached) = (format::grouped(exceptions), format::grouped(report.unreached));
        format!("The theorem does NOT hold: {exceptions} exceptions, {unreached} pairs not reached")
    }
}
