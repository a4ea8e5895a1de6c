//! `insertions`: solutions of the Rubik's cube by moves inserted into a sequence, as people solve for fewest moves.

use twistbase_core::error::Error;
use twistbase_database::cube3::CUBE3;
use twistbase_database::{Insertion, InsertionsRequest, InsertionsSolution};

use crate::arguments::puzzle;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::link::Link;
use crate::output::json_line;
use crate::positions;

const EXAMPLES: &str = "\
Examples:
  twistbase insertions cube3 \"D F2 U B2 U' F2 U B2 U' D' R\" \"R' D D'\"
  twistbase insertions cube3 \"R U F2 D L2 B' R\" \"B' U' L2 D' F2 U' R'\" --count 3
  twistbase insertions cube3 \"R U F2 D L2 B' R\" \"R' U\" --insertions 2 --width 5

Output:
  The number of moves, a tab, and the solution; then a line for each insertion. Inserted
  moves are in brackets. The line ends with its count: moves of the sequence, plus those
  inserted, less those that cancel.

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

    /// Position, in any notation (see --help)
    position: String,

    /// Moves that nearly solve it
    skeleton: String,

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

    /// Print a link that plays the solution on alg.cubing.net
    #[arg(long)]
    link: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let Args { puzzle, position: input, skeleton, insertions, longest, count, width, link } = args;
    if puzzle != CUBE3 {
        return Err(Error::Usage(format!("insertions are for {CUBE3}, not for {puzzle}")).into());
    }
    let request = InsertionsRequest { insertions, longest, count: count as usize, width: width as usize };
    let (ctx, cube) = (env.context(), env.database()?.cube3());
    let position = positions::read(&cube, &input, false, env)?.position;
    let link = link.then(|| Link::of(CUBE3, &input, true)).transpose()?;
    let (solver, mut output) = (cube.insertions(request, &ctx)?, env.output());
    for solution in solver.solve(&position, &input, &skeleton, &ctx)? {
        let text = if env.json() { json_line(&solution) } else { whole(&solution, link.as_ref()) };
        output.bytes(text.as_bytes())?;
    }
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
