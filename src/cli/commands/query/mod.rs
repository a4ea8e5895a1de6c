//! `query`: distance, next moves and shortest solutions of a position.

mod cube3_text;
mod next_moves;
mod square1_text;
mod table_text;

use std::time::Duration;

use clap::builder::TypedValueParser;
use twistbase_core::context::Context;
use twistbase_database::lines::Portion;
use twistbase_database::{
    Answer, AnswerLines, Detail, ExactSearch, OnShortfall, Prepared, Question, QuestionMetric, SearchBudget, Shortfall,
    Solutions, TableId, column,
};

use crate::arguments::{duration, metric, named};
use crate::batch;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::{Output, json_line};
use crate::picture;
use crate::positions::cube3::cube_table;
use crate::positions::square1::Square1Args;
use crate::positions::{self, Target};

const EXAMPLES: &str = "\
Examples:
  twistbase query cube3 'R U2 F L'
  twistbase query cube3 'R U2 F L' --solutions
  twistbase query cube3 'R U2 F L D B' --exact --time 10s
  twistbase query cube3 'R2 U F2' --table phase2-exact --solutions
  twistbase query cube3 'R U2 F L' --goal cross
  twistbase query cube3 'R U2 F L' --goal cross:any --solutions
  twistbase query cube3 R --goal '????????????R??R???????F??F??D????????????????????????'
  twistbase query pyraminx 'U L R' --goal v
  twistbase query skewb 'R U L' --goal 'only D,DRF,DLB'
  twistbase query fto \"U R F L'\"
  twistbase query megaminx \"U R F L'\" --goal star
  twistbase query cube21 '(1,0)/(3,3)/'
  twistbase query cube21 09BA3621-D457CF8E --solutions --shapes
  twistbase query square1 A1B2C3D45E6F7G8H/ --middle
  twistbase query square1 '(1,0)/(3,3)/' --metric wca
  twistbase random cube21 -n 5 --seed 7 | twistbase query cube21 - --json

Lines of standard input (-):
  Each answer is a line: the input, a tab, the distance. A lower bound is written
  >=N. --detail full adds the number of shortest solutions.
  cube3 adds the moves to H and the distance inside H, each - where it is not
  known; with --detail full the numbers of shortest solutions, by all moves and
  inside H. Distances are looked up; --exact searches for them.

cube3:
  Tables hold the distance to H = <U, D, R2, F2, L2, B2> and inside H. A short
  optimal search finds the distance from solved by all moves, all shortest
  solutions, and the moves that begin one; where it ends earlier, the answer is a
  lower bound. --exact searches to the end, with the strongest table that is there
  or that of --table. Where --time or --max-nodes ends it, the exit status is 7.
  Solutions that differ only in the order of turns of opposite faces, like U D and
  D U, are one solution.
  --table NAME answers from this table alone: phase1 (moves to H), phase2 (a lower
  bound inside H), phase2-exact (the distance inside H; with --solutions all
  shortest solutions inside H), huge and nx-* (lower bounds).

cube3, --goal GOAL:
  Shows the distance to a goal. Each has a table cube3-GOAL; dr and htr use phase1:
    cross        the cross on D
    xcross       the cross on D and the pair at FR
    block-222    the 2x2x2 block at DBL
    roux-block   the 1x2x3 block on L
    eo           oriented edges: solved without quarter turns of F and B
    line         the edges DF and DB
    eo-line      oriented edges and the line
    eo-cross     oriented edges and the cross
    co           oriented corners: stickers of U and D on U and D
    corners      all corners solved
    dr           domino reduction on U and D: only U D R2 L2 F2 B2 are left
    dr-from-eo   domino reduction on U and D, by U D R L F2 B2
    htr          half-turn reduction by all moves; a search takes about a second
    htr-from-dr  half-turn reduction, by U D R2 L2 F2 B2
    half-turns   solved, by half turns
    fr-from-htr  floppy reduction on U and D, by half turns: only R2 L2 F2 B2 are left
    fr-leave-slice      the same, with the edges between U and D anywhere
    fr-finish           solved, by R2 L2 F2 B2
    finish-leave-slice  solved by half turns but for the edges between U and D
    2gen         solved, by turns of R and U
  Another side follows a colon. cross:R is the cross on R, eo:UD has the axis U D,
  block-222:DFR is the block at DFR. cross:any takes the nearest side. The moves of some
  goals do not lead from every position there; the exit status is then 3.
  --metric qtm counts quarter turns, from the table cube3-GOAL-qtm (dr: phase1-qtm). Not
  for xcross, htr, and goals by other moves than all: these have --metric htm alone.
  A goal can be a pattern, too: 54 facelets, U R F D L B, with ? or . for stickers that
  do not matter. Give all stickers of a piece, or none. A search finds the distance;
  the more pieces a pattern has, the longer it takes.

cube2:
  Solutions are turns of U, R and F of the cube as it is held.
  --goal GOAL has a table cube2-GOAL:
    face         a face of one colour: that on D of the corner at DBL
    layer        the layer of that colour solved
    co           oriented corners: stickers of U and D on U and D
    oll          this face and the opposite one, each of one colour
  A colour follows a colon, by the face that the printed facelets name it by:
  layer:R. layer:any takes the nearest colour. --metric qtm uses cube2-GOAL-qtm.

Square-1 family (cube21, square1, square1-corners):
  Distances are numbers of twists; turns are free. Turns by (x,y) and (x+6,y+6)
  before a twist are one solution: they give the same position, one side up or the
  other. Solutions are for the puzzle as it is held, and end with the turn that
  aligns the layers.
  --goal GOAL counts the twists to another goal than solved. It needs no table:
    cube-shape         both layers are squares
    cube-shape-parity  and the pieces are an even permutation from solved (square1)
  --metric wca counts a turn (x,y) and a twist / as a move each (rule 12c4).
  Solutions end at the solved position, upright and with a square middle layer.
  A table that was built to a depth K answers up to distance 2K: a search meets it
  in the middle (twists only). --exact gives that search more than a moment.

Other puzzles:
  A puzzle too large for a table, like fto or megaminx, is searched for part of a second:
  a near position gets its distance, another one a lower bound. --exact searches to the
  end. The puzzle may also be a file or the line of a geometry: twistbase help puzzle.
  --goal GOAL is a step that people use, from a table PUZZLE-GOAL. 'puzzle show PUZZLE'
  lists them: layer, centers, corners and others.
  A goal may also be a restriction, in the words of the options of 'puzzle levels':
    only DF,DR,DB     these pieces solved
    ignore CENTER     all but these orbits
    up-to U,R2        solved, but for these moves
  Its table stays in memory, and is gone with the process. If it is too large, a search
  answers.";

/// Show a position's distance, next moves and shortest solutions
#[derive(Debug, clap::Args)]
#[command(after_long_help = positions::help(EXAMPLES))]
pub struct Args {
    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    wanted: WantedArgs,

    #[command(flatten)]
    square1: Square1QueryArgs,

    #[command(flatten)]
    cube3: Cube3QueryArgs,

    #[command(flatten)]
    search: DistanceSearchArgs,
}

/// Options of the question for every puzzle.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
struct WantedArgs {
    /// List all shortest solutions, one a line
    #[arg(long)]
    solutions: bool,

    /// List at most N solutions of each position
    #[arg(long, value_name = "N", requires = "solutions", conflicts_with = "detail", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Level of detail [default: full for one position, brief for standard input]
    #[arg(long, value_parser = detail(), conflicts_with = "solutions")]
    detail: Option<Detail>,

    /// Ask about another goal than solved: cross, cross:R, eo:UD, cross:any, cube-shape, layer
    #[arg(long, value_name = "GOAL")]
    goal: Option<String>,

    /// Metric that counts moves [default: htm for cubes, twists for the Square-1 family]
    #[arg(long, value_parser = metric())]
    metric: Option<QuestionMetric>,

    /// Print no picture on a terminal (or set NO_COLOR)
    #[arg(long)]
    no_picture: bool,
}

/// What only the Square-1 family has.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Square-1 family")]
#[group(skip)]
struct Square1QueryArgs {
    #[command(flatten)]
    common: Square1Args,

    /// List the shapes that each solution passes
    #[arg(long, requires = "solutions", conflicts_with = "detail")]
    shapes: bool,
}

/// The search for a distance that no table holds.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Search")]
#[group(skip)]
struct DistanceSearchArgs {
    /// Search until the distance is exact, or until --time or --max-nodes [default: a moment, for one position]
    #[arg(long, conflicts_with = "no_exact")]
    exact: bool,

    /// Only look up, do not search
    #[arg(long)]
    no_exact: bool,

    /// Stop after this time, like 500ms, 2s or 1m (each position)
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "exact", conflicts_with = "no_exact")]
    time: Option<Duration>,

    /// Stop after N nodes, or a few thousand more (each position)
    #[arg(long, value_name = "N", requires = "exact", conflicts_with = "no_exact")]
    max_nodes: Option<u64>,
}

/// What only the cube has.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Rubik's cube")]
#[group(skip)]
struct Cube3QueryArgs {
    /// Use only this table, in its metric
    #[arg(long, value_name = "TABLE", hide_possible_values = true, value_parser = cube_table(), conflicts_with = "metric")]
    table: Option<TableId>,
}

fn detail() -> impl TypedValueParser<Value = Detail> {
    named([
        ("brief", "The distance"),
        ("full", "The number of shortest solutions and, for one position, the next moves"),
    ])
}

impl DistanceSearchArgs {
    /// The search that is allowed: none unasked, of many positions or of one table.
    fn wanted(&self, only_asked: bool) -> Option<ExactSearch> {
        let budget = SearchBudget { time: self.time, nodes: self.max_nodes };
        match self.exact {
            true => Some(ExactSearch::Within(budget)),
            false => (!only_asked && !self.no_exact).then_some(ExactSearch::WhereCheap),
        }
    }
}

impl Args {
    /// What the arguments ask.
    fn question(&self) -> Question {
        let Self { target, wanted, square1, cube3, search } = self;
        let usual = if target.is_batch() { Detail::Brief } else { Detail::Full };
        Question {
            detail: wanted.detail.unwrap_or(usual),
            solutions: wanted.solutions,
            limit: wanted.limit,
            goal: wanted.goal.clone(),
            metric: wanted.metric,
            table: cube3.table,
            exact: search.wanted(target.is_batch() || cube3.table.is_some()),
            middle: square1.common.goal(),
            notation: square1.common.notation,
            shapes: square1.shapes,
        }
    }
}

pub fn run(mut args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let (ctx, question) = (env.context(), args.question());
    // A misspelt position is told before any table is built or loaded.
    let puzzle = args.target.open(env)?;
    let mut output = env.output();
    if question.solutions && !args.target.is_batch() {
        // The puzzle refuses a position that no table lists solutions of before it asks for a table.
        print_solutions(puzzle.solutions(&args.target.position, &question, &ctx)?, env, &ctx, &mut output)?;
        return output.finish();
    }
    let pictured = picture::is_wanted(args.wanted.no_picture, env.json(), env.quiet());
    let prepared = puzzle.prepare(&question, &ctx)?;
    let asked =
        Asked { prepared, detail: question.detail, is_searched: args.search.exact, json: env.json(), pictured, ctx };
    // A search takes longer than a look-up, and distances of WCA's metric are searched for, too.
    let is_slow = asked.is_searched || question.metric == Some(QuestionMetric::Wca);
    let portion = if is_slow { Portion::LONG_ANSWERS } else { Portion::SHORT_ANSWERS };
    let noted = args.target.noted(env);
    match (args.target.is_batch(), question.solutions) {
        (true, true) => {
            let answer = |text: &mut Vec<u8>, inputs: &[&str], short: OnShortfall<'_>| {
                asked.lines().append_solutions(text, inputs, &asked.ctx, short);
            };
            batch::run(column, Portion::LONG_ANSWERS, &asked.ctx, asked.json, noted, &mut output, &answer)?;
        }
        (true, false) => {
            let answer = |text: &mut Vec<u8>, inputs: &[&str], short: OnShortfall<'_>| {
                asked.lines().append(text, inputs, &asked.ctx, short);
            };
            batch::run(column, portion, &asked.ctx, asked.json, noted, &mut output, &answer)?;
        }
        (false, _) => asked.print_whole(&args.target, &mut output)?,
    }
    output.finish()
}

/// Prints solutions, one a line.
fn print_solutions(
    solutions: Solutions,
    env: &Environment,
    ctx: &Context,
    output: &mut Output,
) -> std::result::Result<(), Failure> {
    let mut line = Vec::new();
    for solution in solutions {
        ctx.check()?;
        line.clear();
        solution?.append(&mut line, env.json());
        output.bytes(&line)?;
    }
    Ok(())
}

/// Opened tables, and how their answers are printed.
struct Asked {
    prepared: Box<dyn Prepared>,
    detail: Detail,
    /// Whether to search to the end for distances that no table holds.
    is_searched: bool,
    json: bool,
    /// Whether a picture comes before the answer.
    pictured: bool,
    ctx: Context,
}

impl Asked {
    /// Prints the answer about a position, for people or as JSON.
    fn print_whole(&self, target: &Target, output: &mut Output) -> std::result::Result<(), Failure> {
        let answer = self.prepared.query(&target.position, &self.ctx)?.after_turns(target.turns.clone());
        let picture = self.pictured.then(|| picture::of(&answer)).flatten().map(|lines| lines.join("\n") + "\n\n");
        let text = match &answer {
            _ if self.json => json_line(&answer),
            Answer::Square1(answer) => square1_text::answers(answer) + "\n",
            Answer::Cube3(answer) => cube3_text::answers(answer, self.is_searched) + "\n",
            Answer::Table(answer) => table_text::answers(answer, self.is_searched) + "\n",
        };
        output.bytes((picture.unwrap_or_default() + &text).as_bytes())?;
        match self.lines().only_bound(&answer) {
            Some(bound) if self.ctx.is_cancelled() => Err(Failure::Interrupted(bound.to_string())),
            Some(bound) => Err(Failure::Unreached(Shortfall::NoDistance { bound }.to_string())),
            None => Ok(()),
        }
    }

    /// How lines of standard input are answered.
    fn lines(&self) -> AnswerLines<'_> {
        let &Self { ref prepared, detail, is_searched, json, .. } = self;
        AnswerLines { prepared: &**prepared, detail, is_searched, json }
    }
}
