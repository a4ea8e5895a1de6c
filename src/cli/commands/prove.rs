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

Each twist turns half of the middle layer, so a position with a given middle
layer needs an even, or an odd, number of twists. The theorem: the parity that
the shortest solution does not have takes exactly one twist more, for every
position but the solved one, whose other middle layer takes 3. By it, a table
that knows nothing of the middle layer answers for both of its states.

With --metric wca every position as it lies is counted by the moves of its best
solution, where a turn of the layers (x,y) is one move and a twist is one: those
that can be twisted, and those in which a piece is in the way of the twist. The
position turned over is another position, or the same one: both are counted.
What is near solved is counted by plain search, too. With less than the 16 GB of
memory that square1 wants, a part is in an unnamed file in TMPDIR.

Neither needs a built table, and nothing is left behind. If anything disagrees,
the exit status is 4.";

/// Prove by exhaustive search how the middle layer changes distances, or how many moves positions take by WCA's metric
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The table whose positions to search
    #[arg(value_parser = twist_table())]
    table: &'static TwistTable,

    /// What is counted
    #[arg(long, value_enum, default_value_t = ProofArg::Twists)]
    metric: ProofArg,

    /// With --metric wca: where to write the positions that take the most moves, one on a line
    ///
    /// One is written of those that differ by turns of the layers, by turning over, by a mirror, or by a relabelling
    /// of the pieces.
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
            Err(Error::Usage("--farthest is for --metric wca".to_owned()).into())
        }
        ProofArg::Twists => run_parity(&args, env),
        ProofArg::Wca => run_wca(&args, env),
    }
}

/// Refuses a proof that needs more memory than it may use.
fn check_memory(needed: u64, memory: u64) -> Result<(), Failure> {
    if memory < needed {
        let (needed, memory) = (format::bytes(needed), format::bytes(memory));
        return Err(Error::Memory(format!("the proof needs {needed} of memory, and may use {memory}")).into());
    }
    Ok(())
}

fn run_parity(args: &Args, env: &Environment) -> Result<(), Failure> {
    let table = TableId::from(args.table as &'static dyn Definition);
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let (ctx, mut out) = (env.context()?, env.output());
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
    let (ctx, mut out) = (env.context()?, env.output());
    let [least, wanted] = wca_memory(table)?;
    check_memory(least, memory)?;
    if memory < wanted {
        let wanted = format::bytes(wanted);
        ctx.progress().note(&format!("with less than {wanted} of memory a scratch file is used, which takes longer"));
    }
    // Where it cannot be made is told before everything is counted.
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
    let turned = [(&report.told_apart, "turned over is another"), (&report.identified, "turned over is the same")];
    for (comparison, what) in turned {
        lines.push(format!("{puzzle}: positions as they lie, the middle layer included; a position {what}"));
        lines.push(wca_counts(comparison));
        for (part, what) in
            [(&comparison.twistable, "that can be twisted"), (&comparison.blocked, "that have to be turned first")]
        {
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
        "No position that can be twisted takes more than {farthest_twistable} moves, which {} take; with those that have \
         to be turned first it is {farthest}, which {} of these take",
        at(&apart.twistable, *farthest_twistable),
        at(&apart.blocked, *farthest),
    ));
    let agrees = if report.agrees { "agrees" } else { "does NOT agree" };
    lines.push(format!("Plain search near solved {agrees} ({})", format::seconds(report.seconds)));
    lines.join("\n")
}

fn wca_counts(comparison: &WcaComparison) -> String {
    use Align::Right;
    let mut table = format::table(&[("moves", Right), ("can be twisted", Right), ("have to be turned first", Right)]);
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
