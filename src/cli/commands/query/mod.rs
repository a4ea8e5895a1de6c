//! `query`: what the tables know about a position.

mod cube3;
mod cube3_text;
mod square1;
mod square1_text;

use clap::ValueEnum;
use twistbase::error::Result;

use crate::cli::batch;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::positions::{self, Puzzle, Target};

const EXAMPLES: &str = "\
Examples:
  twistbase query cube21 '(1,0)/(3,3)/'
  twistbase query square1 A1B2C3D45E6F7G8H/ --middle
  twistbase query cube21 09BA3621-D457CF8E --solutions --shapes
  twistbase random cube21 -n 5 --seed 7 | twistbase query cube21 - --json
  twistbase query cube3 'R U2 F L'
  twistbase query cube3 'R2 U F2' --table phase2
  twistbase query cube3 'R2 U F2 D' --solutions

Square-1: distances are twists; turns are free. Solutions are counted, and
listed, as sequences of turns and twists, of which a turn by (x,y) and one by
(x+6,y+6) before a twist are the same: they give the same position, one side up
or the other. Each is written to be made on the puzzle as it is held, and ends
with the turn that aligns the layers.

cube3: of any position it is told how many moves reach H = <U, D, R2, F2, L2,
B2>, and of positions in H their exact distance by moves of H (phase2-exact; by
all moves of the cube some are nearer) and that without the middle edges, a lower
bound (phase2). huge tells more than the moves to H: the moves that also bring
the middle edges home. Every table of the metric that has been built is asked.
Solutions are those by moves of H. A line of standard input is answered by the
moves to H, a tab, and the distance in H, each - where it is not known; with
--detail full by a tab and the number of shortest solutions, too; with --table
by what that table tells.";

/// Tell how far a position is, what every next move does, and all its shortest solutions
#[derive(Debug, clap::Args)]
#[command(after_help = positions::help(EXAMPLES))]
pub struct Args {
    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    question: Question,

    #[command(flatten)]
    square1: square1::Options,

    #[command(flatten)]
    cube3: cube3::Options,
}

/// What is asked, whatever the puzzle.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(skip)]
struct Question {
    /// List all shortest solutions instead, one a line
    #[arg(long)]
    solutions: bool,

    /// List at most N solutions of each position
    #[arg(long, value_name = "N", requires = "solutions")]
    limit: Option<u64>,

    /// How much to tell [default: full for one position, brief for standard input]
    #[arg(long, value_enum, conflicts_with = "solutions")]
    detail: Option<Detail>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Detail {
    /// The distance
    Brief,
    /// The number of shortest solutions, too, and what every next move does (not in text lines about standard input)
    Full,
}

/// Lines of text or JSON, each with its end.
type Lines<'a> = Box<dyn Iterator<Item = Result<String>> + 'a>;

/// What answers questions about positions of a puzzle. Answers have their line ends.
trait Answers: Sync {
    /// What is known about a position, for people or as JSON.
    fn whole(&self, input: &str, detail: Detail, json: bool) -> Result<String>;

    /// The same in a line, which in text begins with the input.
    fn line(&self, input: &str, detail: Detail, json: bool) -> Result<String>;

    /// All shortest solutions.
    fn solutions<'a>(&'a self, input: &'a str, json: bool) -> Result<Lines<'a>>;
}

pub fn run(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let Args { target, question, square1, cube3 } = args;
    let store = env.store()?;
    let answers = match target.puzzle {
        Puzzle::Square1(table) => {
            target.puzzle.refuse(&cube3.given())?;
            square1::open(square1, table, &store, target.cache)?
        }
        Puzzle::Cube3 => {
            target.puzzle.refuse(&square1.given())?;
            cube3::open(cube3, question.solutions, &store, target.cache)?
        }
    };
    let mut output = env.output();
    answer(&*answers, &target.position, question, env.json(), &mut output)?;
    output.finish()
}

/// Answers about one position, or about those on standard input.
fn answer(
    answers: &dyn Answers,
    position: &str,
    question: Question,
    json: bool,
    output: &mut Output,
) -> std::result::Result<(), Failure> {
    match (position, question.solutions) {
        ("-", true) => batch::run(batch::LONG_ANSWERS, json, output, |input| {
            let lines = question.solutions(answers, input, json)?;
            let labelled = lines.map(|line| Ok(if json { line? } else { format!("{input}\t{}", line?) }));
            labelled.collect::<Result<String>>().map(Into::into)
        }),
        ("-", false) => batch::run(batch::SHORT_ANSWERS, json, output, |input| {
            Ok(answers.line(input, question.detail.unwrap_or(Detail::Brief), json)?.into())
        }),
        (input, true) => question.solutions(answers, input, json)?.try_for_each(|line| output.bytes(line?.as_bytes())),
        (input, false) => {
            let detail = question.detail.unwrap_or(Detail::Full);
            output.bytes(answers.whole(input, detail, json)?.as_bytes())
        }
    }
}

impl Question {
    /// The solutions that are asked for.
    fn solutions<'a>(
        self,
        answers: &'a dyn Answers,
        input: &'a str,
        json: bool,
    ) -> Result<impl Iterator<Item = Result<String>> + 'a> {
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(answers.solutions(input, json)?.take(limit))
    }
}
