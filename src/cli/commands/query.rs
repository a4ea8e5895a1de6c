//! `query`: what the tables know about a position.

use clap::ValueEnum;
use serde::Serialize;
use twistbase::cache::CachedTable;
use twistbase::context::Context;
use twistbase::error::Result;
use twistbase::puzzle::square1::{Middle, Sequence, Step};
use twistbase::query::{Counts, Given, MiddleGoal, MoveOutcome, Table};
use twistbase::tables::Definition;

use crate::cli::batch;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::grouped;
use crate::cli::positions::{POSITIONS, SolutionReport, Target, hexadecimal, letters, middle_name, read};

/// Exact distance of a position, what every move does to it, and all its shortest solutions
#[derive(Debug, clap::Args)]
#[command(after_help = POSITIONS)]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// The position; - for many, on standard input
    #[arg(allow_hyphen_values = true)]
    position: String,

    /// List all shortest solutions, one a line
    #[arg(long)]
    solutions: bool,

    /// List at most N solutions of a position
    #[arg(long, value_name = "N", requires = "solutions")]
    limit: Option<u64>,

    /// Tell the shapes that each solution passes, and whether it stays in cube shape
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
    /// The number of shortest solutions and what every twist does, too
    Full,
}

/// Everything asked about one position, as JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    distance: u8,
    middle: &'static str,
    level: u8,
    hex: String,
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
    match (args.position.as_str(), args.solutions) {
        ("-", true) => batch::run(json, &mut output, |input| {
            let mut lines = String::new();
            args.each_solution(&table, input, json, Some(input), |line| {
                lines.push_str(&line);
                lines.push('\n');
                Ok(())
            })
            .map_err(library_error)?;
            Ok(lines)
        })?,
        ("-", false) => batch::run(json, &mut output, |input| args.answer_line(&table, input, json))?,
        (input, true) => args.each_solution(&table, input, json, None, |line| output.line(line))?,
        (input, false) => {
            let answers = args.answers(&table, input, args.detail.unwrap_or(Detail::Full))?;
            if json {
                output.json(&args.report(&table, input, &answers))?;
            } else {
                output.bytes(args.text(&table, &answers).as_bytes())?;
            }
        }
    }
    output.finish()
}

/// Listing solutions into memory fails only as the library does.
fn library_error(failure: Failure) -> twistbase::error::Error {
    match failure {
        Failure::Error(error) => error,
        _ => twistbase::error::Error::Interrupted,
    }
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
            let report = serde_json::to_string(&self.report(table, input, &answers));
            return Ok(report.unwrap_or_default() + "\n");
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
        Report {
            input,
            puzzle: definition.puzzle(),
            metric: definition.metric(),
            distance: answers.distance,
            middle: middle_name(self.target.goal()),
            level: answers.distance + definition.first_level(),
            hex: hexadecimal(position),
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

    /// The answers about one position for people.
    fn text(&self, table: &Table<CachedTable>, answers: &Answers) -> String {
        let position = &answers.given.position;
        let mut lines = vec![
            format!("{} position {}", table.definition().puzzle(), hexadecimal(position)),
            format!("  Jaap       {}", letters(position)),
            format!("  shape      {} (shape {})", position.shape().name(), position.shape().id()),
            format!("  index      {}", table.index(position)),
            format!("  distance   {}", self.distance_text(table, answers)),
        ];
        if let Some(counts) = &answers.counts {
            let Counts { alignments, sequences, paths } = *counts;
            let number = |count: u128| u64::try_from(count).map_or_else(|_| count.to_string(), grouped);
            lines.push(format!(
                "  solutions  {} shortest ({} with (t,b) and (t+6,b+6) apart; {} through different positions)",
                number(alignments),
                number(sequences),
                number(paths)
            ));
        }
        if let Some(moves) = &answers.moves {
            lines.extend(self.moves_text(answers.distance, moves));
        }
        lines.join("\n") + "\n"
    }

    fn distance_text(&self, table: &Table<CachedTable>, answers: &Answers) -> String {
        let first = table.definition().first_level();
        let level = if first > 0 { format!(" (level {})", answers.distance + first) } else { String::new() };
        let twists = if answers.distance == 1 { "twist" } else { "twists" };
        let told = if answers.given.middle_given { "" } else { ", which the input does not tell" };
        let middle = match (self.target.goal(), answers.given.position.middle()) {
            (MiddleGoal::Ignored, _) => "the middle layer ignored".to_owned(),
            (MiddleGoal::Square, Middle::Square) => format!("from a square middle layer{told} to a square one"),
            (MiddleGoal::Square, Middle::Kite) => format!("from a kite middle layer{told} to a square one"),
        };
        format!("{} {twists}{level}, {middle}", answers.distance)
    }

    /// The next twists, by the distance that they lead to.
    fn moves_text(&self, distance: u8, moves: &[MoveOutcome]) -> Vec<String> {
        let mut reached: Vec<u8> = moves.iter().map(|outcome| outcome.distance.twists()).collect();
        reached.sort_unstable();
        reached.dedup();
        let mut lines = vec!["  next twist leads to".to_owned()];
        for twists in reached {
            let same = moves.iter().filter(|outcome| outcome.distance.twists() == twists);
            let list: Vec<_> = same.map(|outcome| self.write_move(outcome)).collect();
            let word = match twists.cmp(&distance) {
                std::cmp::Ordering::Less => "nearer",
                std::cmp::Ordering::Equal => "as far",
                std::cmp::Ordering::Greater => "farther",
            };
            lines.push(format!("    {twists:>2} ({word}, {}): {}", list.len(), list.join("  ")));
        }
        lines
    }

    /// Hands every solution of a position, as a line, to `write`. With `label`, text lines begin with it.
    fn each_solution(
        &self,
        table: &Table<CachedTable>,
        input: &str,
        json: bool,
        label: Option<&str>,
        mut write: impl FnMut(String) -> std::result::Result<(), Failure>,
    ) -> std::result::Result<(), Failure> {
        let given = read(table, input)?;
        let solutions = table.solutions(&given.position, self.target.goal())?;
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        for solution in solutions.take(limit) {
            let solution = solution?;
            let line = if json {
                let report = SolutionReport::new(&self.target, table, input, &solution, self.shapes);
                serde_json::to_string(&report).unwrap_or_default()
            } else {
                let mut line = label.map_or_else(String::new, |label| format!("{label}\t"));
                line.push_str(&self.target.write(solution.sequence()));
                if self.shapes {
                    let names: Vec<_> = solution.shapes().iter().map(|shape| shape.name()).collect();
                    let stays = if solution.stays_in_cube_shape() { "stays in" } else { "leaves" };
                    line.push_str(&format!("\t{stays} cube shape: {}", names.join(" ")));
                }
                line
            };
            write(line)?;
        }
        Ok(())
    }
}
