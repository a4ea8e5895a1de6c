//! `steps`: solutions of the Rubik's cube in steps, as people solve for fewest moves.

use std::time::Duration;

use clap::builder::TypedValueParser;
use twistbase_core::error::Error;
use twistbase_database::cube3::CUBE3;
use twistbase_database::lines::Portion;
use twistbase_database::{
    Niss, NormalizedPosition, OnShortfall, Puzzle, StepPlan, StepsRequest, StepsSolution, column,
};

use crate::arguments::{duration, named};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::link::{self, Link};
use crate::output::json_line;
use crate::positions::Target;
use crate::{batch, positions};

const EXAMPLES: &str = "\
Examples:
  twistbase steps cube3 \"R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F\"
  twistbase steps cube3 \"R U F2 D L2 B' R\" \"eo:FB > dr > htr > finish\" --count 3
  twistbase steps cube3 \"R U F2 D L2 B' R\" \"eo ..4 > dr 4..10 > htr > finish\" --niss always
  twistbase steps cube3 \"R U F2 D L2 B' R\" \"eo > eo-line\"
  twistbase steps cube3 \"R U F2 D L2 B' R\" --link
  twistbase random cube3 -n 5 --seed 7 | twistbase steps cube3 -

Output:
  The number of moves, a tab, and the solution; then a line for each step. Moves in
  brackets are made on the inverse: they come at the end of the solution, undone.
    $ twistbase steps cube3 \"R U F2 D L2 B' R\"
    7\tR' B L2 D' F2 U' R'
      R' B      // eo:FB (2/2)
      (R)       // dr:UD (1/3)
      (U F2 D)  // htr:UD (3/6)
      L2        // finish (1/7)
  For a line of standard input: the input, the number of moves and the best solution.
  --json has the steps, too.

Steps:
  Goals separated by >. The search reaches each goal from the one before, along every
  axis. eo:FB or dr:UD names one axis, eo:FB|eo:RL one of two.
    eo           oriented edges
    dr           domino reduction; needs eo
    htr          half-turn reduction; needs dr
    finish       solved by half turns; needs htr
    fr           floppy reduction, by half turns; needs htr
    fin          solved by half turns of four faces; needs fr of this axis
    frls, finls  fr and finish but for the slice between the faces of the axis
    cross, ...   any other goal of query --goal
  eo ..4 has at most 4 moves, dr 4..10 from 4 to 10.
  The search makes each step in every way, the shortest first. It continues with the
  --width most promising sequences. A greater width takes longer and may find shorter
  solutions. With --time the search begins narrow, --width 20 at most, and widens until
  the time is over. Without --time, equal questions have equal answers.";

/// Solve a Rubik's cube in steps, as people do for fewest moves
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", positions::cube3::POSITIONS))]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// Steps, goals separated by > (see --help)
    #[arg(default_value = "eo > dr > htr > finish")]
    steps: StepPlan,

    /// Whether steps are made on the inverse, too
    #[arg(long, value_parser = niss(), default_value = "before", value_name = "WHEN")]
    niss: Niss,

    /// Print the N best solutions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,

    /// Continue with the N best sequences after each step
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    width: u32,

    /// Widen the search until this time is over, like 10s or 1m (each position)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Duration>,

    /// Print a link that plays the solution on alg.cubing.net
    #[arg(long)]
    link: bool,
}

fn niss() -> impl TypedValueParser<Value = Niss> {
    named([
        ("never", "All moves on the position"),
        ("before", "Each step on the position or on its inverse"),
        ("always", "Moves of a step on both"),
    ])
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let Args { target, steps, niss, count, width, time, link } = args;
    if target.puzzle != CUBE3 {
        return Err(Error::Usage(format!("steps are for {CUBE3}, not for {}", target.puzzle)).into());
    }
    let request = StepsRequest { plan: steps, niss, count: count as usize, width: width as usize, time };
    link::check(link, target.is_batch(), env.json())?;
    let (ctx, cube) = (env.context(), target.cache.database(env)?.cube3());
    let mut output = env.output();
    if target.is_batch() {
        let solver = cube.steps(&request, &ctx)?;
        let json = env.json();
        let answer = |text: &mut Vec<u8>, inputs: &[&str], short: OnShortfall<'_>| {
            for input in inputs {
                let solved = cube.read(input).and_then(|position| solver.solve(&position, input, &ctx, &mut |_| {}));
                match solved {
                    Ok(solutions) => solutions.iter().for_each(|solution| text.extend(line(solution, json).bytes())),
                    Err(error) => short(text, input, Err(error)),
                }
            }
        };
        batch::run(column, Portion::LONG_ANSWERS, &ctx, json, target.noted(env), &mut output, &answer)?;
        return output.finish();
    }
    let NormalizedPosition { position, text, .. } = positions::read(&cube, &target.position, target.normalize, env)?;
    let link = link.then(|| Link::of(CUBE3, &text, true)).transpose()?;
    let (solver, mut printed) = (cube.steps(&request, &ctx)?, Ok(()));
    let mut print = |solution: &StepsSolution| {
        let text = if env.json() { json_line(solution) } else { whole(solution, link.as_ref()) };
        if printed.is_ok() {
            printed = output.bytes(text.as_bytes()).and_then(|()| output.flush());
        }
    };
    // One that is improved is printed each time; of several, the best at the end.
    let is_improved = request.count == 1 && !env.quiet();
    let solutions = solver.solve(&position, &text, &ctx, &mut |better| {
        if is_improved {
            print(better);
        }
    })?;
    if !is_improved {
        solutions.iter().for_each(print);
    }
    printed?;
    output.finish()
}

/// A solution as a line.
fn line(solution: &StepsSolution, json: bool) -> String {
    let StepsSolution { input, length, solution: moves, .. } = solution;
    if json { json_line(solution) } else { format!("{}\t{length}\t{moves}\n", column(input)) }
}

/// A solution with its steps.
fn whole(solution: &StepsSolution, link: Option<&Link>) -> String {
    let mut text = format!("{}\t{}\n", solution.length, solution.solution);
    let moves: Vec<String> = solution.steps.iter().map(ToString::to_string).collect();
    let width = moves.iter().map(String::len).max().unwrap_or(0);
    for (step, moves) in solution.steps.iter().zip(moves) {
        text += &format!("  {moves:width$}  // {} ({}/{})\n", step.goal, step.length, step.total);
    }
    text.extend(link.map(|link| format!("  {}\n", link.to(&solution.solution))));
    text
}
