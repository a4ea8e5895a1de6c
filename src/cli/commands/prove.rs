//! `twistbase prove`: exhaustive searches that count positions, and compare.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase_core::error::Error;
use twistbase_database::cube3::CUBE3;
use twistbase_database::{
    ColoursReport, ColoursRequest, CountComparison, ParityReport, QuestionMetric, THREE_COLOURS, TableId,
    WcaComparison, WcaReport, prove_parity, prove_three_colours, prove_wca, wca_memory,
};
use twistbase_export::refuse_existing;
use twistbase_puzzle::cube3::Metric;
use twistbase_store::NewFile;
use twistbase_tables::{self as tables, Counted, Definition, TwistTable};

use crate::arguments::{EngineArgs, PuzzleNames, named};
use crate::batch;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase prove cube21
  twistbase prove square1 --memory 3G
  twistbase prove square1 --metric wca
  twistbase prove cube3-colours --depth 4

The theorem (Square-1 family, --metric twists):
  Each twist turns half of the middle layer. So a position and the state of its
  middle layer fix whether the number of twists is even or odd. The theorem: a
  solution of the other parity takes exactly one twist more than the shortest one.
  Only the solved position takes 3. So a table without the middle layer gives the
  distances for both states of that layer.

WCA's metric (Square-1 family, --metric wca):
  Counts all positions, with the turns of their layers, by the moves of their best
  solutions. A turn (x,y) is one move, a twist is one move. Positions that can be
  twisted and positions with a piece across the cut have counts of their own. The
  counts are given twice: with a flipped position as another position, and as the
  same one. A plain search checks the positions near solved. square1 uses 16 GB of
  memory; with less, part of the data goes to an unnamed file in TMPDIR.

The cube in three colours (cube3-colours, --metric htm or qtm):
  Counts all 10,863,756,288,000 positions of a cube whose opposite faces have the same
  colour, by the moves until every face shows its own colour. Takes 15 minutes or more
  on two cores, 3 GB of memory or more (the more, the faster), and up to 60 GB of disk
  in --work. Each distance is saved: the same command continues a stopped count.

No table is needed, and none is stored. Exit status 4: a count disagrees.";

/// Count the positions of a puzzle by exhaustive search, and check a theorem
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Puzzle whose positions to search
    #[arg(value_parser = subject())]
    puzzle: ProofSubject,

    /// Metric to count in [default: twists; of cube3-colours: htm]
    #[arg(long, value_parser = metric())]
    metric: Option<QuestionMetric>,

    /// File for the farthest positions, one per line (not with --metric twists)
    ///
    /// Writes one position of each class. Positions of a class differ by turns of the layers, by flipping the puzzle, by
    /// a mirror, or by a relabelling of the pieces; of cube3-colours by symmetries of the cube.
    #[arg(long, value_name = "FILE")]
    farthest: Option<PathBuf>,

    /// Replace an existing file of --farthest
    #[arg(long, requires = "farthest")]
    force: bool,

    /// Last distance to count (cube3-colours)
    #[arg(long, value_name = "MOVES")]
    depth: Option<u8>,

    /// Folder for working files (cube3-colours) [default: prove in the store's folder]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,

    /// Report the distances of the cubes in this file, too, one per line (cube3-colours)
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,

    #[command(flatten)]
    engine: EngineArgs,
}

impl Args {
    /// Begins the file for the farthest positions. Replaces one only by force.
    fn farthest_file(&self) -> Result<Option<(&PathBuf, NewFile)>, Error> {
        let Some(path) = &self.farthest else { return Ok(None) };
        refuse_existing(path, self.force)?;
        Ok(Some((path, NewFile::create(path)?)))
    }
}

/// A puzzle whose positions are counted.
#[derive(Debug, Clone, Copy)]
enum ProofSubject {
    Twists(&'static TwistTable),
    ThreeColours,
}

/// Parses the name of a puzzle whose positions are counted.
fn subject() -> impl TypedValueParser<Value = ProofSubject> {
    let names = tables::twist_tables().map(|table| table.layout().name).chain([THREE_COLOURS]);
    PuzzleNames(PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        THREE_COLOURS => Ok(ProofSubject::ThreeColours),
        name => tables::find_twists(name).map(ProofSubject::Twists),
    }))
}

fn metric() -> impl TypedValueParser<Value = QuestionMetric> {
    named([
        ("twists", "Twists, with and without the middle layer (Square-1 family)"),
        ("wca", "Turns and twists (Square-1 family)"),
        ("htm", "Turns of a face by any angle (cube3-colours)"),
        ("qtm", "Quarter turns (cube3-colours)"),
    ])
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let refuse = |text: &str| Err(Error::Usage(text.to_owned()).into());
    let of_colours = args.depth.is_some() || args.work.is_some() || args.positions.is_some();
    match (args.puzzle, args.metric) {
        (ProofSubject::ThreeColours, None | Some(QuestionMetric::Htm)) => run_colours(&args, Metric::Htm, env),
        (ProofSubject::ThreeColours, Some(QuestionMetric::Qtm)) => run_colours(&args, Metric::Qtm, env),
        (ProofSubject::ThreeColours, Some(_)) => refuse("cube3-colours has the metrics htm and qtm"),
        (_, Some(QuestionMetric::Htm | QuestionMetric::Qtm)) => {
            refuse("the Square-1 family has the metrics twists and wca")
        }
        _ if of_colours => refuse("--depth, --work and --positions are for cube3-colours"),
        (ProofSubject::Twists(table), Some(QuestionMetric::Wca)) => run_wca(&args, table, env),
        _ if args.farthest.is_some() => refuse("--farthest needs --metric wca, or cube3-colours"),
        (ProofSubject::Twists(table), _) => run_parity(&args, table, env),
    }
}

fn run_parity(args: &Args, table: &'static TwistTable, env: &Environment) -> Result<(), Failure> {
    let table = TableId::from(table as &'static dyn Definition);
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let ctx = env.context();
    let report = prove_parity(table, memory, kernel, &ctx)?;
    env.print(&report, text)?;
    if report.holds { Ok(()) } else { Err(Failure::Findings(format!("the proof for {table} failed"))) }
}

fn run_wca(args: &Args, table: &'static TwistTable, env: &Environment) -> Result<(), Failure> {
    let table = TableId::from(table as &'static dyn Definition);
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let ctx = env.context();
    let [least, wanted] = wca_memory(table)?;
    // Without a folder there is no scratch file, either.
    if env.database()?.folder().is_none() {
        Error::check_memory(memory, wanted)?;
    }
    if (least..wanted).contains(&memory) {
        let wanted = format::bytes(wanted);
        ctx.progress().note(&format!("using a scratch file (slower): the proof needs {wanted} of memory without one"));
    }
    // A file that cannot be created is an error before the long count.
    let farthest = args.farthest_file()?;
    let report = prove_wca(table, memory, &std::env::temp_dir(), kernel, &ctx)?;
    env.print(&report, wca_text)?;
    // After the counts, so that a disk that is full does not take them along.
    farthest.map(|file| write_positions(file, &report.farthest_positions)).transpose()?;
    if report.holds { Ok(()) } else { Err(Failure::Findings(format!("the counts of {table} disagree"))) }
}

/// Writes positions, one per line.
fn write_positions((path, mut file): (&PathBuf, NewFile), positions: &[String]) -> Result<(), Failure> {
    let lines: String = positions.iter().map(|position| format!("{position}\n")).collect();
    file.write_all(lines.as_bytes()).map_err(|source| Error::io("write", path, source))?;
    Ok(file.publish()?)
}

fn run_colours(args: &Args, metric: Metric, env: &Environment) -> Result<(), Failure> {
    let ctx = env.context();
    let folder = match (&args.work, env.database()?.folder()) {
        (Some(folder), _) => folder.clone(),
        (None, Some(store)) => store.join("prove"),
        (None, None) => return Err(Error::Usage("a store in memory has no folder: give --work DIR".to_owned()).into()),
    };
    let cube = env.database()?.puzzle(CUBE3)?;
    let text = args.positions.as_deref().map(batch::text_of).transpose()?.unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let probes =
        lines.map(|line| Ok::<_, Error>((line.to_owned(), cube.read(line)?))).collect::<Result<Vec<_>, _>>()?;
    let farthest = args.farthest_file()?;
    let memory = args.engine.memory();
    let request = ColoursRequest { metric, memory, folder: &folder, depth: args.depth, probes: &probes };
    let (progress, started) = (ctx.shared_progress(), Instant::now());
    let report = prove_three_colours(&request, &ctx, &mut |distance, positions| {
        let (positions, seconds) =
            (format::counted(positions, "position"), format::seconds(started.elapsed().as_secs_f64()));
        progress.note(&format!("distance {distance}: {positions}, {seconds}"));
    })?;
    env.print(&report, colours_text)?;
    farthest.map(|file| write_positions(file, &report.farthest_positions)).transpose()?;
    if report.holds { Ok(()) } else { Err(Failure::Findings("the counts of cube3-colours disagree".to_owned())) }
}

fn colours_text(report: &ColoursReport) -> String {
    use Align::Right;
    let ColoursReport { positions, classes, farthest, metric, .. } = report;
    let mut table = format::table(&[("moves", Right), ("positions", Right), ("up to symmetry", Right)]);
    for (moves, (positions, classes)) in positions.counts.iter().zip(&classes.counts).enumerate() {
        table.add_row([moves.to_string(), format::grouped(*positions), format::grouped(*classes)]);
    }
    let [total, of_classes] = [positions.total, classes.total].map(format::grouped);
    table.add_row(["all".to_owned(), total, of_classes]);
    let mut lines = vec![format!("The Rubik's cube in three colours ({metric})"), table.trim_fmt(), String::new()];
    lines.push(match report.complete {
        true => format!("Every position needs at most {}", Counted::Moves.count(*farthest)),
        false => format!("Counted up to {}; other positions need more", Counted::Moves.count(*farthest)),
    });
    for comparison in [positions, classes] {
        lines.extend(comparison.source.map(|source| match comparison.equal {
            Some(true) => format!("Equal to the counts of: {source}"),
            _ => format!("NOT EQUAL to the counts of: {source}"),
        }));
    }
    let agrees = if report.holds { "agree" } else { "do NOT agree" };
    lines.push(format!("Plain search near solved and the totals {agrees} ({})", format::seconds(report.seconds)));
    lines.extend(report.probes.iter().map(|probe| {
        let distance = probe.distance.map_or_else(|| format!("more than {farthest}"), |distance| distance.to_string());
        format!("{}\t{distance}", probe.input)
    }));
    lines.join("\n")
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
            lines.push(with_verdict(format!("{} {what}", format::grouped(part.total)), part, ""));
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
    let pairs = format!("{} pairs", format::grouped(comparison.total));
    with_verdict(pairs, comparison, "; there are no published counts to compare with")
}

/// A total, and whether its counts are those that were published.
fn with_verdict(total: String, comparison: &CountComparison, unpublished: &str) -> String {
    match (comparison.equal, comparison.source) {
        (Some(true), Some(source)) => format!("{total}, equal to the counts of: {source}"),
        (Some(false), Some(source)) => format!("{total}, NOT EQUAL to the counts of: {source}"),
        _ => total + unpublished,
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
