//! `solve`: a shortest solution, or for a far position of the Rubik's cube a short one.

mod arguments;
mod lines;
mod progress;
mod single;

pub use arguments::OptimalQuestionArgs;
use twistbase_core::context::Context;
use twistbase_database::cube3::CUBE3;
use twistbase_database::{QuestionMetric, Solver};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::link::{self, Link};
use crate::positions::square1::Square1Args;
use crate::positions::{self, Target};

const EXAMPLES: &str = "\
Examples:
  twistbase solve cube3 \"R U F2 D L2 B' R\"
  twistbase solve cube3 \"R U R' U'\" --goal 'F2 D'
  twistbase solve cube3 \"R U F2 D L2 B' R\" --goal cross
  twistbase solve cube3 \"R U F2 D L2 B' R\" --link
  twistbase solve cube3 'R U2 F L D B2' --method optimal --all
  twistbase solve cube3 'R2 U F2 D L2' --method phase2
  twistbase solve cube21 '(1,0)/(3,3)/(-1,5)/'
  twistbase solve square1 01234567-89ABCDEF/ --middle
  twistbase solve square1 '(1,0)/(3,3)/(-1,5)/' --metric wca
  twistbase solve square1 '(1,0)/(3,3)/(-1,5)/' --metric face --time 1m
  twistbase solve fto \"U R F L' BR\"
  twistbase solve megaminx \"U R F' BR\" --goal star --all
  twistbase solve pyraminx \"U L' R B\" --extra 1 --limit 20
  twistbase solve \"c f 0.333 moves R,U\" \"R U R' U'\"
  twistbase random cube21 -n 5 --seed 7 | twistbase solve cube21 - --notation cube21
  twistbase random cube3 -n 5 --seed 7 | twistbase solve cube3 - --target 23
  twistbase random cube3 --walk 9 -n 5 | twistbase solve cube3 - --method optimal

Output:
  A line has the length of a solution, a tab, and the moves to make.
    $ twistbase solve cube3 \"R U F2 D L2 B' R\"
    7       R' B L2 D' F2 U' R'
    7 moves (htm), optimal
  The last line goes to standard error. It says one of:
    7 moves (htm), optimal                               proven shortest
    19 moves (htm), not proven shortest: at least 15     no solution has under 15 moves
  For a line of standard input, the input and a tab come first:
    $ echo '(1,0)/(3,3)/' | twistbase solve square1-corners -
    (1,0)/(3,3)/    2       / (-4, -4) / (0, 1)
  --json prints the same with \"optimal\" and \"at_least\" (cube3).

cube3, --method auto (default):
  Searches a shortest solution for at most about a second. If that finds none,
  the two-phase solver prints shorter and shorter solutions. It stops at 20 moves (26
  quarter turns), at --target, or at a solution proven shortest. With --time or --max-nodes it
  improves until the limit; the first search takes at most half of it.
  Each line of standard input gets a search of 100 nodes instead: it finds nearly
  all solutions of up to 9 moves and takes a fraction of a millisecond. To get only
  shortest solutions, use --method optimal.

cube3, --method two-phase:
  Prints each shorter solution until one has at most 20 moves (26 quarter turns), or
  --target.
  --quiet prints only the last. If the limit comes first, the exit status is 7. A
  single position uses all threads, so runs may find different solutions of a
  length. A line of standard input always has the same solution.
  Uses phase1 and phase2 (or phase1-kociemba and phase2-kociemba, slower), and
  phase2-exact if it is built; with --metric qtm their -qtm twins.

cube3, --method optimal:
  Searches depth by depth for a shortest solution, and prints each finished depth
  on standard error. --all lists all shortest solutions, --extra K also those of up
  to K moves more. Solutions that differ only in the order of turns of opposite
  faces count as one. A limit (--time, --max-nodes, --max-depth) or Ctrl-C leaves a
  lower bound; the exit status is 7 or 130. For a line of standard input it prints
  the line's number, the length, the solution, nodes and seconds.

cube2:
  Prints a shortest solution by U, R and F of the cube as you hold it.

Other puzzles (pyraminx, fto, megaminx, files, geometries):
  Prints a shortest solution. One with a table is solved by look-up. For others, and
  with --all, --extra, --limit, --max-depth, --time or --max-nodes, a search finds it,
  and prints each finished depth on standard error. Tables of parts of the puzzle guide
  the search; they are small at first and grow when the search gets long. Solutions that
  differ only in the order of turns that commute count as one. 'puzzle show' lists moves
  and goals. --goal 'only DF,DR' is a goal of your own, as for query.

Square-1 family:
  Prints a solution of the fewest twists, for the puzzle as you hold it. The last
  turn aligns the layers. x2 turns the whole puzzle over. query --solutions lists
  all solutions.
  --metric wca counts a turn (x,y) as 1 and a twist / as 1, and solves the middle
  layer. --metric face counts a turn of one layer as 1 and a twist as 1. No table
  has these counts, so a search finds the solution, mostly in a moment. A limit
  leaves the best solution so far and a lower bound; the exit status is 7.";

/// Print a shortest solution; for far Rubik's cubes, a short one
#[derive(Debug, clap::Args)]
#[command(after_long_help = positions::help(EXAMPLES))]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// How to count moves [default: htm (cubes), twists (Square-1 family)]
    #[arg(long, value_parser = crate::arguments::metric())]
    metric: Option<QuestionMetric>,

    /// Print a link below each solution that plays it on alg.cubing.net (cube3, cube2)
    #[arg(long)]
    link: bool,

    #[command(flatten)]
    square1: Square1Args,

    #[command(flatten)]
    cube3: arguments::Cube3Args,
}

/// A solver, and how its answers are printed.
struct Solving {
    solver: Box<dyn Solver>,
    ctx: Context,
    json: bool,
    /// Whether only the best solution is printed.
    quiet: bool,
    /// Whether finished depths are progress: not in the short search of the method auto.
    shows_depths: bool,
    /// How many moves longer than the shortest a listed solution may be.
    extra: Option<u8>,
    /// Whether the number of a line identifies its answer, not its input.
    is_numbered: bool,
    /// What plays solutions.
    link: Option<Link>,
}

pub fn run(Args { mut target, metric, link, square1, cube3 }: Args, env: &Environment) -> Result<(), Failure> {
    cube3.check(&target, metric)?;
    let request = cube3.request(metric, square1);
    let ctx = env.context();
    // Reads the position first, so that a misspelt one builds and loads no table.
    let puzzle = target.open(env)?;
    link::check(link, target.is_batch(), env.json())?;
    let link = link.then(|| Link::of(&target.puzzle, &target.position, request.goal.is_none())).transpose()?;
    let solving = Solving {
        solver: puzzle.solver(&request, &ctx).map_err(|error| cube3.as_asked(error))?,
        ctx,
        json: env.json(),
        quiet: env.quiet(),
        shows_depths: target.puzzle != CUBE3 || cube3.is_optimal(),
        extra: request.extra,
        is_numbered: cube3.is_optimal(),
        link,
    };
    let mut output = env.output();
    if target.is_batch() {
        solving.lines(&cube3.batch(), target.noted(env), &mut output)?;
    } else {
        solving.single(&target.position, &mut output)?;
    }
    output.finish()
}
