//! `query`: what the tables know about a position.

mod text;

use clap::ValueEnum;
use serde::Serialize;
use twistbase::cache::CachedTable;
use twistbase::context::Context;
use twistbase::error::Result;
use twistbase::puzzle::square1::{Sequence, Step};
use twistbase::query::{Counts, Given, MoveOutcome, Solution, Table};
use twistbase::tables::Definition;

use crate::cli::batch;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::json_line;
use crate::cli::positions::{POSITIONS, SolutionReport, Target, Written, goal_name, middle_name, read};

const EXAMPLES: &str = "\
Examples:
  twistbase query cube21 '(1,0)/(3,3)/'
  twistbase query square1 A1B2C3D45E6F7G8H/ --middle
  twistbase query cube21 09BA3621-D457CF8E --solutions --shapes
  twistbase random cube21 -n 5 --seed 7 | twistbase query cube21 - --json

Distances are twists; turns are free. Solutions are counted, and listed, as
sequences of turns and twists, of which a turn by (x,y) and one by (x+6,y+6)
before a twist are the same: they give the same position, one side up or the
other. Each is written to be made on the puzzle as it is held, and ends with the
turn that aligns the layers.";

/// Tell how far a position is, what every next twist does, and all its shortest solutions
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{POSITIONS}"))]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// List all shortest solutions instead, one a line
    #[arg(long)]
    solutions: bool,

    /// List at most N solutions of each position
    #[arg(long, value_name = "N", requires = "solutions")]
    limit: Option<u64>,

    /// Tell the shapes that each solution passes, and whether all of them are cube shape
    #[arg(long, requires = "solutions")]
    shapes: bool,

    /// How much to tell [default: full for one position, brief for standard input]
    #[arg(long, value_enum, conflicts_with = "solutions")]
    detail: Option<Detail>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Detail {
    /// The distance
    Brief,
    /// The number of shortest solutions, too, and what every next twist does (not in text lines about standard input)
    Full,
}

/// Everything asked about one position, as JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    distance: u8,
    middle_goal: &'static str,
    /// The middle layer, where the input tells it.
    middle: Option<&'static str>,
    level: u8,
    hex: String,
    jaap: String,
    shape: String,
    index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<CountsReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveReport>>,
}

#[derive(Debug, Serialize)]
struct CountsReport {
    alignments: u128,
    sequences: u128,
    paths: u128,
}

#[derive(Debug, Serialize)]
struct MoveReport {
    r#move: String,
    distance: u8,
    change: i8,
}

/// The answers about one position.
struct Answers {
    given: Given,
    distance: u8,
    counts: Option<Counts>,
    moves: Option<Vec<MoveOutcome>>,
}

pub fn run(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let table = args.target.open(&env.store()?)?;
    let mut output = env.output();
    let json = env.json();
    match (args.target.position.as_str(), args.solutions) {
        ("-", true) => {
            batch::run(batch::LONG_ANSWERS, json, &mut output, |input| {
                args.solution_lines(&table, input, json, Some(input))?.collect()
            })?;
        }
        ("-", false) => {
            batch::run(batch::SHORT_ANSWERS, json, &mut output, |input| args.answer_line(&table, input, json))?
        }
        (input, true) => {
            for line in args.solution_lines(&table, input, json, None)? {
                output.bytes(line?.as_bytes())?;
            }
        }
        (input, false) => {
            let answers = args.answers(&table, input, args.detail.unwrap_or(Detail::Full))?;
            if json {
                output.json(&args.report(&table, input, &answers))?;
            } else {
                output.line(text::answers(&args.target, &table, &answers))?;
            }
        }
    }
    output.finish()
}

impl Args {
    fn answers(&self, table: &Table<CachedTable>, input: &str, detail: Detail) -> Result<Answers> {
        let given = read(table, input)?;
        let (position, goal) = (given.position, self.target.goal());
        let distance = table.distance(&position, goal)?.twists();
        let full = detail == Detail::Full;
        let counts = full.then(|| table.count(&position, goal, &Context::silent())).transpose()?;
        let moves = full.then(|| table.moves(&position, goal)).transpose()?;
        Ok(Answers { given, distance, counts, moves })
    }

    /// The answer to a line of standard input.
    fn answer_line(&self, table: &Table<CachedTable>, input: &str, json: bool) -> Result<String> {
        let answers = self.answers(table, input, self.detail.unwrap_or(Detail::Brief))?;
        if json {
            return Ok(json_line(&self.report(table, input, &answers)));
        }
        let distance = answers.distance;
        Ok(match answers.counts {
            None => format!("{input}\t{distance}\n"),
            Some(counts) => format!("{input}\t{distance}\t{}\n", counts.alignments),
        })
    }

    fn report<'a>(&self, table: &Table<CachedTable>, input: &'a str, answers: &Answers) -> Report<'a> {
        let definition = table.definition();
        let position = &answers.given.position;
        let solutions =
            answers.counts.map(|Counts { alignments, sequences, paths }| CountsReport { alignments, sequences, paths });
        let moves = answers.moves.as_ref().map(|moves| {
            let report = |outcome: &MoveOutcome| MoveReport {
                r#move: self.write_move(outcome),
                distance: outcome.distance.twists(),
                change: outcome.change,
            };
            moves.iter().map(report).collect()
        });
        let Written { hex, jaap } = Written::new(&answers.given);
        Report {
            input,
            puzzle: definition.puzzle(),
            metric: definition.metric(),
            distance: answers.distance,
            middle_goal: goal_name(self.target.goal()),
            middle: answers.given.middle_given.then(|| middle_name(position.middle())),
            level: answers.distance + definition.first_level(),
            hex,
            jaap,
            shape: position.shape().name(),
            index: table.index(position),
            solutions,
            moves,
        }
    }

    fn write_move(&self, outcome: &MoveOutcome) -> String {
        let turn = (!outcome.turn.is_none()).then_some(Step::Turn(outcome.turn));
        let steps = turn.into_iter().chain([Step::Twist]);
        self.target.write(&steps.collect::<Sequence>())
    }

    /// All shortest solutions of a position, as lines with their ends. With `label`, lines of text begin with it.
    fn solution_lines<'t>(
        &'t self,
        table: &'t Table<CachedTable>,
        input: &'t str,
        json: bool,
        label: Option<&'t str>,
    ) -> Result<impl Iterator<Item = Result<String>> + 't> {
        let given = read(table, input)?;
        let solutions = table.solutions(&given.position, self.target.goal())?;
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(solutions.take(limit).map(move |solution| {
            let solution = solution?;
            if json {
                return Ok(json_line(&SolutionReport::new(&self.target, table, input, &solution, self.shapes)));
            }
            let mut line = label.map_or_else(String::new, |label| format!("{label}\t"));
            line += &self.target.write(solution.sequence());
            if self.shapes {
                line += &shapes_text(&solution);
            }
            Ok(line + "\n")
        }))
    }
}

/// The shapes that a solution passes, behind a tab.
fn shapes_text(solution: &Solution) -> String {
    let names: Vec<_> = solution.shapes().iter().map(|shape| shape.name()).collect();
    let stays = if solution.stays_in_cube_shape() { "stays in" } else { "leaves" };
    format!("\t{stays} cube shape: {}", names.join(" "))
}
