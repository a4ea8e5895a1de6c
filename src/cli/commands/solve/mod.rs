//! `solve`: a shortest solution, or for the Rubik's cube one that is short enough.

mod arguments;
mod lines;
mod progress;
mod single;

pub use arguments::OptimalQuestionArgs;
use twistbase_core::context::Context;
use twistbase_database::Solver;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::positions::square1::Square1Args;
use crate::positions::{self, QuestionMetricArg, Target};

const EXAMPLES: &str = "\
Examples:
  twistbase solve cube21 '(1,0)/(3,3)/(-1,5)/'
  twistbase solve square1 01234567-89ABCDEF/ --middle
  twistbase solve square1 '(1,0)/(3,3)/(-1,5)/' --metric wca
  twistbase solve square1 '(1,0)/(3,3)/(-1,5)/' --metric face --time 1m
  twistbase random cube21 -n 5 --seed 7 | twistbase solve cube21 - --notation cube21
  twistbase solve cube3 'R U2 F L D B2'
  twistbase solve cube3 \"R U R' U'\" --goal 'F2 D' --time 500ms
  twistbase solve cube3 'R2 U F2 D L2' --method phase2
  twistbase random cube3 -n 5 --seed 7 | twistbase solve cube3 - --target 23
  twistbase solve cube3 'R U2 F L D B2' --method optimal --all --json
  twistbase random cube3 --walk 9 -n 5 | twistbase solve cube3 - --method optimal

Square-1: a solution has the fewest twists there can be, is written to be made
on the puzzle as it is held, and ends with the turn that aligns the layers; that
of a solved and aligned position is empty. x2 turns the whole puzzle over: it is
the answer to the solved position upside down. query --solutions lists all.
--metric wca counts a turn (x,y) as one move and a twist / as one, from the
position as it lies to the solved one as it lies, its middle layer square.
--metric face counts a turn of one layer as one move, one of both as two, and a
twist as one. There is no table of that: a shortest solution is searched, most
in a moment. A budget that is spent (--time, --max-nodes) leaves
the best solution so far and a lower bound, and the exit status is 7; --json has
it beside a solution in at_least, which is the length of one that is a shortest.

cube2: a solution has the fewest moves there can be, of U, R and F of the cube as
it is held. It is printed behind its length and a tab.

cube3: the two-phase solver searches shorter and shorter solutions until one is
as short as --target says, or the time or the nodes are spent. Each improvement
is printed as it comes: its length, a tab, and its moves; the last one is the
best. --quiet prints the last alone; --json repeats it with \"final\": true. On
standard input each line is answered once, by input, length and moves with tabs
between them. If none as short as --target says is found, the best that is known
is printed and the exit status is 7; without --target, a time or number of nodes
is spent to the end and any solution will do. Needed are the tables phase1 and
phase2; where only phase1-kociemba or phase2-kociemba has been built, that does,
for the same solutions in more time. phase2-exact is used where it has been built.
One position is searched by all threads: which solution of a length they find first
may differ from run to run. A line of standard input is always answered the same.

--method optimal searches a shortest solution, with --all every one, with
--extra K also those of up to K moves more, and prints each as it is found: its
length, a tab, and its moves. Of solutions that differ only in the order of
turns of opposite faces one is listed; symmetric copies are listed. Progress on
standard error tells the depths that are finished. A budget that is spent
(--time, --max-nodes, --max-depth) and Ctrl-C leave a lower bound, and the exit
status is 7 or 130. --json adds a summary. On standard input an answer in text is
the line's number among those that are neither blank nor comments, the length, the
solution, nodes and seconds, with tabs between them; --all prints several such lines.";

/// Print a shortest solution of a position; for the Rubik's cube, shorter and shorter ones
#[derive(Debug, clap::Args)]
#[command(after_help = positions::help(EXAMPLES))]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// How to count moves; qtm of cube3 needs --method phase2 or optimal [default: htm for cubes, twists for the Square-1
    /// family]
    #[arg(long, value_enum)]
    metric: Option<QuestionMetricArg>,

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
    /// Whether of solutions that improve only the last is printed.
    quiet: bool,
    /// Up to how many moves more than the shortest all solutions are wanted.
    extra: Option<u8>,
    /// Whether answers to lines are told apart by their numbers, not by their inputs.
    is_numbered: bool,
}

pub fn run(Args { mut target, metric, square1, cube3 }: Args, env: &Environment) -> Result<(), Failure> {
    cube3.check(&target, metric)?;
    let request = cube3.request(metric, square1);
    let ctx = env.context()?;
    // A misspelt position is told before any table is built or loaded.
    let puzzle = target.open(env)?;
    let solving = Solving {
        solver: puzzle.solver(&request, &ctx)?,
        ctx,
        json: env.json(),
        quiet: env.quiet(),
        extra: request.extra,
        is_numbered: cube3.is_optimal(),
    };
    let mut output = env.output();
    if target.is_batch() {
        solving.lines(&cube3.batch(), &mut output)?;
    } else {
        solving.single(&target.position, &mut output)?;
    }
    output.finish()
}
