//! Answers about positions of the Square-1 family.

use serde::Serialize;
use twistbase::cache::CachedTable;
use twistbase::context::Context;
use twistbase::error::Result;
use twistbase::puzzle::square1::{Sequence, Step};
use twistbase::query::{GivenPosition, SolutionCounts, Square1Solution, Square1Table, TwistOutcome};
use twistbase::store::Store;
use twistbase::tables::{Definition, TwistTable};

use super::{Answers, Detail, Lines, square1_text};
use crate::cli::output::json_line;
use crate::cli::positions::Cache;
use crate::cli::positions::square1::{self as positions, SolutionReport, Written, goal_name, middle_name, read};

/// What only this family has.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Square-1 family")]
#[group(skip)]
pub struct Options {
    #[command(flatten)]
    common: positions::Options,

    /// Tell the shapes that each solution passes, and whether all of them are cube shape
    #[arg(long, requires = "solutions")]
    shapes: bool,
}

impl Options {
    /// The options, each with whether it was given.
    pub fn given(self) -> [(&'static str, bool); 3] {
        let [middle, notation] = self.common.given();
        [middle, notation, ("--shapes", self.shapes)]
    }
}

/// A puzzle's table, and how it is asked.
struct Square1 {
    table: Square1Table<CachedTable>,
    options: positions::Options,
    shapes: bool,
}

/// Opens the table of a puzzle.
pub fn open(options: Options, puzzle: &'static TwistTable, store: &Store, cache: Cache) -> Result<Box<dyn Answers>> {
    let table = positions::open(puzzle, store, cache)?;
    Ok(Box::new(Square1 { table, options: options.common, shapes: options.shapes }))
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

/// What is known about one position.
pub(super) struct Known {
    pub given: GivenPosition,
    pub distance: u8,
    pub counts: Option<SolutionCounts>,
    pub moves: Option<Vec<TwistOutcome>>,
}

impl Answers for Square1 {
    fn whole(&self, input: &str, detail: Detail, json: bool) -> Result<String> {
        let known = self.known(input, detail)?;
        if json {
            return Ok(json_line(&self.report(input, &known)));
        }
        Ok(square1_text::answers(self.options, &self.table, &known) + "\n")
    }

    fn line(&self, input: &str, detail: Detail, json: bool) -> Result<String> {
        let known = self.known(input, detail)?;
        if json {
            return Ok(json_line(&self.report(input, &known)));
        }
        let distance = known.distance;
        Ok(match known.counts {
            None => format!("{input}\t{distance}\n"),
            Some(counts) => format!("{input}\t{distance}\t{}\n", counts.alignments),
        })
    }

    fn solutions<'a>(&'a self, input: &'a str, json: bool) -> Result<Lines<'a>> {
        let given = read(&self.table, input)?;
        let solutions = self.table.solutions(&given.position, self.options.goal())?;
        Ok(Box::new(solutions.map(move |solution| {
            let solution = solution?;
            if json {
                return Ok(json_line(&SolutionReport::new(self.options, &self.table, input, &solution, self.shapes)));
            }
            let shapes = if self.shapes { shapes_text(&solution) } else { String::new() };
            Ok(self.options.write(solution.sequence()) + &shapes + "\n")
        })))
    }
}

impl Square1 {
    fn known(&self, input: &str, detail: Detail) -> Result<Known> {
        let given = read(&self.table, input)?;
        let (table, position, goal) = (&self.table, given.position, self.options.goal());
        let distance = table.distance(&position, goal)?.twists();
        let full = detail == Detail::Full;
        let counts = full.then(|| table.count(&position, goal, &Context::silent())).transpose()?;
        let moves = full.then(|| table.moves(&position, goal)).transpose()?;
        Ok(Known { given, distance, counts, moves })
    }

    fn report<'a>(&self, input: &'a str, known: &Known) -> Report<'a> {
        let definition = self.table.definition();
        let position = &known.given.position;
        let solutions = known.counts.map(|SolutionCounts { alignments, sequences, paths }| CountsReport {
            alignments,
            sequences,
            paths,
        });
        let moves = known.moves.as_ref().map(|moves| {
            let report = |outcome: &TwistOutcome| MoveReport {
                r#move: self.write_move(outcome),
                distance: outcome.distance.twists(),
                change: outcome.change,
            };
            moves.iter().map(report).collect()
        });
        let Written { hex, jaap } = Written::new(&known.given);
        Report {
            input,
            puzzle: definition.puzzle(),
            metric: definition.metric().name(),
            distance: known.distance,
            middle_goal: goal_name(self.options.goal()),
            middle: known.given.middle_given.then(|| middle_name(position.middle())),
            level: known.distance + definition.first_level(),
            hex,
            jaap,
            shape: position.shape().name(),
            index: self.table.index(position),
            solutions,
            moves,
        }
    }

    fn write_move(&self, outcome: &TwistOutcome) -> String {
        let turn = (!outcome.turn.is_none()).then_some(Step::Turn(outcome.turn));
        let steps = turn.into_iter().chain([Step::Twist]);
        self.options.write(&steps.collect::<Sequence>())
    }
}

/// The shapes that a solution passes, behind a tab.
fn shapes_text(solution: &Square1Solution) -> String {
    let names: Vec<_> = solution.shapes().iter().map(|shape| shape.name()).collect();
    let stays = if solution.stays_in_cube_shape() { "stays in" } else { "leaves" };
    format!("\t{stays} cube shape: {}", names.join(" "))
}
