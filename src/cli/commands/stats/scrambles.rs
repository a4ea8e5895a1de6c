//! `stats --scrambles`: distances of many scrambles to goals.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use twistbase_core::error::{Class, Error, InvalidInput, Problem};
use twistbase_database::lines::{Line, Portion, answer_in_order};
use twistbase_database::{BatchStop, GoalCounts, Puzzle};
use twistbase_export::DistanceFile;
use twistbase_puzzle::cube3::Metric;

use crate::arguments::cube_metric;
use crate::batch;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align};
use crate::standard_error;

/// Statistics of scrambles of the Rubik's cube.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Scrambles (Rubik's cube)")]
#[group(skip)]
pub struct ScrambleArgs {
    /// Count the distances of scrambles to goals: a file with one a line; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["table", "rows", "row", "entries", "explain", "log"])]
    pub scrambles: Option<PathBuf>,

    /// Goals, separated by commas: those of query --goal but htr
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "cross,eo,dr",
        requires = "scrambles",
        conflicts_with = "table"
    )]
    goals: Vec<String>,

    /// Metric that counts moves
    #[arg(long, value_parser = cube_metric(), default_value = "htm", requires = "scrambles", conflicts_with = "table")]
    metric: Metric,

    /// Write the distances of each scramble, too: FILE.parquet, .csv or .jsonl
    #[arg(short, long, value_name = "FILE", requires = "scrambles", conflicts_with = "table")]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "output", conflicts_with = "table")]
    force: bool,
}

/// Some scrambles with their distances.
#[derive(Default)]
struct Answered {
    bytes: u64,
    scrambles: Vec<String>,
    /// Of each scramble, one distance for each goal.
    distances: Vec<Vec<Option<u8>>>,
    invalid: Invalid,
}

/// Lines that are no scrambles.
#[derive(Default)]
struct Invalid {
    lines: u64,
    /// The first of them.
    first: Vec<Problem>,
}

impl Invalid {
    /// The most lines that are listed.
    const LISTED: usize = 10;

    fn add(&mut self, others: Self) {
        self.lines += others.lines;
        self.first.extend(others.first);
        self.first.truncate(Self::LISTED);
    }

    /// A line with the reasons why it is invalid.
    fn of(line: Line<'_>, error: &Error) -> Self {
        let code = if let Error::Invalid(invalid) = error { invalid.problems[0].code } else { error.class().code() };
        let Line { number, text } = line;
        let message = format!("line {number}: {}: {}", batch::excerpt(text), batch::reasons(error));
        Self { lines: 1, first: vec![Problem { code, message, at: None }] }
    }

    /// The error of a file with such lines.
    fn error(self, file: &Path) -> Error {
        let Self { lines, first: mut problems } = self;
        if let more @ 1.. = lines - problems.len() as u64 {
            let message = format!("and {} more", format::grouped(more));
            problems.push(Problem { code: "more", message, at: None });
        }
        let input = if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() };
        InvalidInput { input, expected: "list of scrambles", problems, instead: None }.into()
    }
}

pub fn run(args: ScrambleArgs, scrambles: &Path, env: &Environment) -> Result<(), Failure> {
    let ScrambleArgs { mut goals, metric, output, force, .. } = args;
    let mut known = HashSet::new();
    goals.retain(|goal| known.insert(goal.clone()));
    let (ctx, cube) = (env.context(), env.database()?.cube3());
    let lines = batch::lines_of(scrambles)?;
    // A file that cannot be created is an error before tables are built.
    let mut file = output.as_deref().map(|path| DistanceFile::create(path, &goals, force)).transpose()?;
    let tables = cube.goal_tables(&goals, metric, &ctx)?;
    let is_written = file.is_some();
    let answer = |lines: &[Line<'_>]| -> Result<Answered, Error> {
        let mut answered = Answered::default();
        for &line in lines {
            answered.bytes += line.text.len() as u64 + 1;
            match cube.read(line.text).and_then(|position| tables.distances(&position)) {
                Ok(distances) => {
                    answered.distances.push(distances);
                    answered.scrambles.extend(is_written.then(|| line.text.to_owned()));
                }
                Err(error) if error.class() == Class::Invalid => answered.invalid.add(Invalid::of(line, &error)),
                Err(error) => return Err(error),
            }
        }
        Ok(answered)
    };
    let (mut counts, mut failure, mut invalid) = (tables.counts(), None, Invalid::default());
    let mut take = |answered: Answered| -> Result<(), Error> {
        invalid.add(answered.invalid);
        for distances in &answered.distances {
            counts.iter_mut().zip(distances).for_each(|(counts, &distance)| counts.add(distance));
        }
        if let Some(file) = &mut file {
            for (scramble, distances) in answered.scrambles.iter().zip(&answered.distances) {
                file.append(scramble, distances)?;
            }
        }
        ctx.progress().advance(answered.bytes);
        Ok(())
    };
    // Of a pipe, nobody knows the length.
    let size = scrambles.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
    size.inspect(|&size| ctx.progress().begin("scrambles", size, "bytes"));
    let ended = answer_in_order(&lines, Portion::SHORT_ANSWERS, &ctx, &answer, &mut |answers| {
        answers.into_iter().try_for_each(|answered| answered.and_then(&mut take)).map_err(|error| {
            failure = Some(error.into());
            BatchStop
        })
    });
    ctx.progress().end();
    batch::conclude(ended, failure)?;
    if invalid.lines > 0 {
        return Err(invalid.error(scrambles).into());
    }
    let counts: Vec<GoalCounts> = counts.into_iter().map(GoalCounts::finished).collect();
    env.print_all(&counts, whole)?;
    if let Some((file, path)) = file.zip(output) {
        let (records, bytes) = file.finish()?;
        if !env.quiet() {
            let (scrambles, bytes) = (format::counted(records, "scramble"), format::bytes(bytes));
            standard_error::tell(&format!("{scrambles} in {}, {bytes}", path.display()), env.json());
        }
    }
    Ok(())
}

/// The counts as a table: a column for each goal.
fn whole(counts: &[GoalCounts]) -> String {
    let goals = counts.iter().map(|counts| (counts.goal.as_str(), Align::Right));
    let columns: Vec<_> = [("distance", Align::Right)].into_iter().chain(goals).collect();
    let mut table = format::table(&columns);
    let mut row = |title: &str, cell: &dyn Fn(&GoalCounts) -> String| {
        table.add_row([title.to_owned()].into_iter().chain(counts.iter().map(cell)));
    };
    let farthest = counts.iter().map(|counts| counts.levels.len()).max().unwrap_or(0);
    for distance in 0..farthest {
        row(&distance.to_string(), &|counts| {
            counts.levels.get(distance).map_or_else(String::new, |level| format::grouped(level.positions))
        });
    }
    if counts.iter().any(|counts| counts.unreached > 0) {
        row("none", &|counts| format::grouped(counts.unreached));
    }
    row("mean", &|counts| counts.mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.4}")));
    let scrambles = format::counted(counts.first().map_or(0, |counts| counts.positions), "scramble");
    let metric = counts.first().map_or(Metric::Htm.name(), |counts| counts.metric);
    format!("{}\n{scrambles}, in moves ({metric})", table.trim_fmt())
}
