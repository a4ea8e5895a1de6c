//! `insertions`: solutions of the Rubik's cube by moves inserted into a sequence, as people solve for fewest moves.

use std::time::Duration;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Problem};
use twistbase_database::cube3::{CUBE3, InsertionsSolver};
use twistbase_database::lines::Portion;
use twistbase_database::{
    BoundInMetric, FoundInsertions, Insertion, InsertionsRequest, InsertionsSolution, OnShortfall, Puzzle,
    PuzzlePosition, QuestionMetric, column,
};
use twistbase_tables::Counted;

use crate::arguments::{duration, puzzle};
use crate::batch::Echo;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::link::{self, Link};
use crate::output::json_line;
use crate::{batch, positions};

const EXAMPLES: &str = "\
Examples:
  twistbase insertions cube3 \"D F2 U B2 U' F2 U B2 U' D' R\" \"R' D D'\"
  twistbase insertions cube3 \"R U F2 D L2 B' R\" \"B' U' L2 D' F2 U' R'\" --count 3
  twistbase insertions cube3 \"R U F2 D L2 B' R\" \"R' U\" --insertions 2 --width 5
  printf \"B' U' L2 D' F2 U' R'\\nR' U\\n\" | twistbase insertions cube3 \"R U F2 D L2 B' R\" -

Output:
  The number of moves, a tab, and the solution; then a line for each insertion. Inserted
  moves are in brackets. The line ends with its count: moves of the sequence, plus those
  inserted, less those that cancel.
  Where --time ends the search, the best solution so far; the exit status is then 7.

Lines of standard input:
  SKELETON - reads a skeleton of the position from each line. POSITION - reads a position,
  a tab and a skeleton. An answer is the line, the number of moves and the solution,
  separated by tabs. An invalid line gets its error.

Skeleton:
  Moves in brackets are on the inverse, as steps prints them: \"D B' (D2 R')\" is
  D B' R D2.

One insertion:
  The solution is a shortest one: every stretch of the skeleton is tried, with every
  replacement of at most --longest moves. The skeleton may leave anything unsolved.
Two insertions:
  The first cycles three corners or three edges in at most nine moves and leaves fewer
  pieces unsolved. The --width most promising are tried, and one insertion after each.";

/// Solve a Rubik's cube by insertions into moves that nearly solve it
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", positions::cube3::POSITIONS))]
pub struct Args {
    /// Puzzle
    #[arg(value_parser = puzzle())]
    puzzle: String,

    /// Position, in any notation (see --help); - reads lines from standard input
    position: String,

    /// Moves that nearly solve it; - reads them from standard input, one skeleton a line
    skeleton: Option<String>,

    /// Maximum number of insertions: 1 or 2
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    insertions: u8,

    /// Maximum number of moves that replace a stretch of the skeleton
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=15))]
    longest: u8,

    /// Print the N best solutions, up to four moves longer than the shortest
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,

    /// Try N first insertions, of two
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    width: u32,

    /// Stop after this time, like 500ms, 2s or 1m (each skeleton)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Duration>,

    /// Print a link that plays the solution on alg.cubing.net
    #[arg(long)]
    link: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let Args { puzzle, position: input, skeleton, insertions, longest, count, width, time, link } = args;
    if puzzle != CUBE3 {
        return Err(Error::Usage(format!("insertions are for {CUBE3}, not for {puzzle}")).into());
    }
    let request = InsertionsRequest { insertions, longest, count: count as usize, width: width as usize, time };
    link::check(link, input == "-" || skeleton.as_deref() == Some("-"), env.json())?;
    let (ctx, cube) = (env.context(), env.database()?.cube3());
    let skeleton = match (input.as_str(), skeleton) {
        ("-", Some(_)) => {
            let why = "with POSITION -, a line has the position, a tab and the skeleton: leave out SKELETON";
            return Err(Error::Usage(why.to_owned()).into());
        }
        ("-", None) => {
            let read = |line: &str| -> Result<_, Error> {
                let (position, skeleton) = line.split_once('\t').ok_or_else(|| no_tab(line))?;
                Ok((cube.read(position)?, position.trim_end().to_owned(), skeleton.to_owned()))
            };
            // Both parts are columns.
            return batch(&cube.insertions(request, &ctx)?, &read, |line| line.into(), &ctx, env);
        }
        (_, None) => {
            let why = "give a SKELETON; or - to read skeletons from standard input, one a line";
            return Err(Error::Usage(why.to_owned()).into());
        }
        (_, Some(skeleton)) => skeleton,
    };
    let position = positions::read(&cube, &input, false, env)?.position;
    if skeleton == "-" {
        let read = |line: &str| -> Result<_, Error> { Ok((position.clone(), input.clone(), line.to_owned())) };
        return batch(&cube.insertions(request, &ctx)?, &read, column, &ctx, env);
    }
    let link = link.then(|| Link::of(CUBE3, &input, true)).transpose()?;
    let (solver, mut output) = (cube.insertions(request, &ctx)?, env.output());
    let FoundInsertions { solutions, is_complete } = solver.solve(&position, &input, &skeleton, &ctx)?;
    for solution in &solutions {
        let text = if env.json() { json_line(solution) } else { whole(solution, link.as_ref()) };
        output.bytes(text.as_bytes())?;
    }
    output.finish()?;
    if is_complete {
        return Ok(());
    }
    let best = Counted::Moves.count(solutions[0].length);
    Err(Failure::Unreached(format!("time limit reached; the best solution so far has {best}")))
}

/// Reads a line: the position, its text, and the skeleton.
type ReadLine<'a> = dyn Fn(&str) -> Result<(PuzzlePosition, String, String), Error> + Sync + 'a;

/// The error of a line of one part.
fn no_tab(line: &str) -> Error {
    let message = "no tab: a line is a position, a tab and a skeleton".to_owned();
    let problems = vec![Problem { code: "no-tab", message, at: None }];
    InvalidInput { input: line.to_owned(), expected: "position with a skeleton", problems, instead: None }.into()
}

/// Answers lines of standard input.
fn batch(
    solver: &InsertionsSolver,
    read: &ReadLine<'_>,
    echo: Echo,
    ctx: &Context,
    env: &Environment,
) -> Result<(), Failure> {
    let (mut output, json) = (env.output(), env.json());
    let answer = |text: &mut Vec<u8>, lines: &[&str], short: OnShortfall<'_>| {
        for line in lines {
            let found =
                read(line).and_then(|(position, input, skeleton)| solver.solve(&position, &input, &skeleton, ctx));
            match found {
                Ok(FoundInsertions { solutions, is_complete }) => {
                    for solution in &solutions {
                        let InsertionsSolution { length, solution: moves, .. } = solution;
                        let in_words = || format!("{}\t{length}\t{moves}\n", echo(line));
                        text.extend(if json { json_line(solution) } else { in_words() }.bytes());
                    }
                    if !is_complete {
                        short(text, line, Ok(BoundInMetric { at_least: 0, metric: QuestionMetric::Htm }));
                    }
                }
                Err(error) => short(text, line, Err(error)),
            }
        }
    };
    batch::run(echo, Portion::LONG_ANSWERS, ctx, json, None, &mut output, &answer)?;
    output.finish()
}

/// A solution with its insertions.
fn whole(solution: &InsertionsSolution, link: Option<&Link>) -> String {
    let mut text = format!("{}\t{}\n", solution.length, solution.solution);
    for Insertion { before, inserted, after, moves, total } in &solution.insertions {
        let sequence = moves[0] + moves[2];
        let cancelled = sequence + moves[1] - total;
        let line = format!("{before} [{inserted}] {after}");
        text += &format!("  {}  // {sequence} + {} - {cancelled} = {total}\n", line.trim(), moves[1]);
    }
    text.extend(link.map(|link| format!("  {}\n", link.to(&solution.solution))));
    text
}
