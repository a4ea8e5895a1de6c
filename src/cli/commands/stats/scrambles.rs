//! `stats --scrambles`: distances of many scrambles to goals.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use twistbase_core::error::Error;
use twistbase_database::lines::{Portion, answer_in_order};
use twistbase_database::{BatchStop, GoalCounts, Puzzle};
use twistbase_export::DistanceFile;

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

    /// Write the distances of each scramble, too: FILE.parquet, .csv or .jsonl
    #[arg(short, long, value_name = "FILE", requires = "scrambles", conflicts_with = "table")]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "output", conflicts_with = "table")]
    force: bool,
}

/// Some scrambles with their distances.
struct Answered {
    bytes: u64,
    scrambles: Vec<String>,
    /// Of each scramble, one distance for each goal.
    distances: Vec<Vec<Option<u8>>>,
}

pub fn run(args: ScrambleArgs, scrambles: &Path, env: &Environment) -> Result<(), Failure> {
    let ScrambleArgs { mut goals, output, force, .. } = args;
    let mut known = HashSet::new();
    goals.retain(|goal| known.insert(goal.clone()));
    let (ctx, cube) = (env.context(), env.database()?.cube3());
    let lines = batch::lines_of(scrambles)?;
    let tables = cube.goal_tables(&goals, &ctx)?;
    let mut file = output.as_deref().map(|path| DistanceFile::create(path, &goals, force)).transpose()?;
    let is_written = file.is_some();
    let answer = |inputs: &[&str]| -> Result<Answered, Error> {
        let bytes = inputs.iter().map(|input| input.len() as u64 + 1).sum();
        let distances = inputs.iter().map(|input| tables.distances(&cube.read(input)?)).collect::<Result<_, _>>()?;
        let scrambles = inputs.iter().filter(|_| is_written).map(|&input| input.to_owned()).collect();
        Ok(Answered { bytes, scrambles, distances })
    };
    let (mut counts, mut failure) = (tables.counts(), None);
    let mut take = |answered: Answered| -> Result<(), Error> {
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
    let counts: Vec<GoalCounts> = counts.into_iter().map(GoalCounts::finished).collect();
    env.print_all(&counts, whole)?;
    if let Some((file, path)) = file.zip(output) {
        let (records, bytes) = file.finish()?;
        if !env.quiet() {
            let (records, bytes) = (format::grouped(records), format::bytes(bytes));
            standard_error::tell(&format!("{records} scrambles in {}, {bytes}", path.display()), env.json());
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
    let scrambles = format::grouped(counts.first().map_or(0, |counts| counts.positions));
    format!("{}\n{scrambles} scrambles, in moves (htm)", table.trim_fmt())
}
