//! The arguments of `solve` for the Rubik's cube.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase_core::error::{Error, Result};
use twistbase_database::cube3::CUBE3;
use twistbase_database::{QuestionMetric, SearchBudget, SolveBatch, SolveMethod, SolveRequest, TableId};
use twistbase_puzzle::cube3::Metric;
use twistbase_solve::{LONGEST, LONGEST_SEARCH};
use twistbase_tables as tables;

use crate::arguments::{duration, list_limit, named, named_file};
use crate::memory::Size;
use crate::positions::Target;
use crate::positions::square1::Square1Args;

/// The value of `--table` for the strongest table that is built.
const AUTO: &str = "auto";

/// The options of the cube.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Searches: Rubik's cube, other puzzles")]
#[group(skip)]
pub struct Cube3Args {
    /// Stop at a solution of at most N moves
    ///
    /// Default: 20, or 26 quarter turns. With --time or --max-nodes, the search continues until its limit or until the solution is
    /// proven shortest. From the default on, the method auto uses the two-phase solver at once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=i64::from(LONGEST)))]
    target: Option<u8>,

    /// Stop after this time, like 500ms, 2s or 1m, for each position
    ///
    /// Works for searches: of the Rubik's cube, of puzzles that are data, and of the Square-1 family with --metric face or with a table
    /// that was built to a depth.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Duration>,

    /// Stop after about N nodes, for each position
    ///
    /// Each thread may visit some thousands more. Works for the same searches as --time.
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,

    /// Reach this goal or position instead of solved
    ///
    /// The name of a goal, like cross or cross:R, gives a shortest way there, from its table. `twistbase query --help` lists the goals.
    ///
    /// A pattern has 54 facelets, with ? or . for stickers that do not matter. A search finds a shortest way.
    ///
    /// A position takes any notation. It is a pattern of colours: if it is held in another way than the start, it is turned first. A
    /// position given as moves has white up and green in front. Start and goal need the same colour scheme.
    #[arg(long, value_name = "GOAL|PATTERN|POSITION")]
    goal: Option<String>,

    /// Memory for the tables of a search, like 3G [default: half of free memory]
    ///
    /// For puzzles that are data, like fto.
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,

    /// How to search [default: auto]
    #[arg(long, value_parser = method())]
    method: Option<SolveMethod>,

    #[command(flatten)]
    optimal: OptimalArgs,
}

fn method() -> impl TypedValueParser<Value = SolveMethod> {
    named([
        ("auto", "Find a shortest solution if about a second is enough, else continue as two-phase"),
        ("two-phase", "Find a short solution at once, then shorter ones"),
        ("phase2", "Find a shortest solution by moves of H = <U, D, R2, F2, L2, B2>, from a position in H"),
        ("optimal", "Find a shortest solution, or all of them, however long it takes"),
    ])
}

/// The question to an optimal search.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct OptimalQuestionArgs {
    /// Search with this table; auto is the strongest one that is built [default: auto]
    ///
    /// phase1, huge and the nx-* tables guide searches: see twistbase tables --all.
    #[arg(long, value_name = "NAME", value_parser = heuristic_table(), hide_possible_values = true)]
    table: Option<String>,

    /// List all shortest solutions
    ///
    /// Solutions that differ only in the order of turns that commute count as one. Symmetric copies are listed.
    #[arg(long)]
    all: bool,

    /// List at most N solutions
    #[arg(long, value_name = "N", value_parser = list_limit)]
    limit: Option<u64>,

    /// List also solutions of up to K moves more
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(..=i64::from(LONGEST_SEARCH)))]
    extra: Option<u8>,

    /// Search only solutions of at most N moves
    #[arg(long, value_name = "N")]
    max_depth: Option<u8>,
}

/// The options of the optimal method.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Searches: Rubik's cube with --method optimal, other puzzles")]
#[group(skip)]
struct OptimalArgs {
    #[command(flatten)]
    question: OptimalQuestionArgs,

    /// Read the table from the mapped cache, without a copy
    ///
    /// By default the table is copied into memory if half of the free memory suffices. The copy makes long searches faster. A
    /// mapped table starts sooner, and several programs share it. If another program changes the file, the search ends with an error.
    #[arg(long)]
    map: bool,

    /// Add answers to FILE as JSON lines; skip answered lines
    ///
    /// A line of standard input is answered if FILE has a complete answer with its number and text. Answers are written when they
    /// are found. An interrupted run resumes if you repeat its command.
    #[arg(long, value_name = "FILE", value_parser = named_file())]
    results: Option<PathBuf>,

    /// Print answers when they are found, in any order
    #[arg(long)]
    as_finished: bool,
}

/// Parses the name of a table that guides a search, or [`AUTO`]; shells can complete it.
fn heuristic_table() -> impl TypedValueParser<Value = String> {
    let tables = [Metric::Htm, Metric::Qtm].into_iter().flat_map(tables::heuristics);
    PossibleValuesParser::new([AUTO].into_iter().chain(tables.map(|table| table.name()).collect::<Vec<_>>()))
}

impl OptimalArgs {
    /// The options, each with whether it was given.
    fn given(&self) -> [(&'static str, bool); 8] {
        let Self { question, map, results, as_finished } = self;
        let OptimalQuestionArgs { table, all, limit, extra, max_depth } = question;
        [
            ("map", *map),
            ("table", table.is_some()),
            ("all", *all),
            ("limit", limit.is_some()),
            ("extra", extra.is_some()),
            ("max-depth", max_depth.is_some()),
            ("results", results.is_some()),
            ("as-finished", *as_finished),
        ]
    }

    /// Refuses options that contradict each other.
    fn check(&self, is_batch: bool, metric: Option<QuestionMetric>) -> Result<()> {
        self.question.check(metric)?;
        let needs_lines = [("--results", self.results.is_some()), ("--as-finished", self.as_finished)];
        match needs_lines.into_iter().find(|&(_, is_given)| is_given && !is_batch) {
            Some((name, _)) => Err(Error::Usage(format!("{name} needs positions on standard input (-)"))),
            None => Ok(()),
        }
    }
}

impl OptimalQuestionArgs {
    /// Refuses options that contradict each other.
    pub fn check(&self, metric: Option<QuestionMetric>) -> Result<()> {
        if let (Some(table), Some(metric)) = (self.table(), metric) {
            let own = table.definition().metric();
            if own.name() != metric.name() {
                return Err(Error::Usage(format!("--table {table} counts moves in {own}")));
            }
        }
        if self.limit.is_some() && self.extra().is_none() {
            let needs = "--limit needs --all or --extra; without them, one solution is searched";
            return Err(Error::Usage(needs.to_owned()));
        }
        Ok(())
    }

    /// The request to the solver.
    pub fn request(&self) -> SolveRequest {
        SolveRequest {
            table: self.table(),
            extra: self.extra(),
            limit: self.limit,
            max_depth: self.max_depth,
            ..SolveRequest::default()
        }
    }

    /// The table; `None` for the strongest. (Only [`AUTO`] is not the name of a table.)
    fn table(&self) -> Option<TableId> {
        self.table.as_deref().and_then(|name| name.parse().ok())
    }

    /// How many moves longer than the shortest a listed solution may be; `None` to list one shortest.
    fn extra(&self) -> Option<u8> {
        self.extra.or(self.all.then_some(0))
    }
}

impl Cube3Args {
    /// Refuses the options of other puzzles and methods, and what makes no sense together.
    pub fn check(&self, target: &Target, metric: Option<QuestionMetric>) -> Result<()> {
        if target.puzzle != CUBE3 {
            // The options that the library calls by other names; it refuses the rest itself.
            let OptimalArgs { question, results, as_finished, .. } = &self.optimal;
            let given = [("results", results.is_some()), ("as-finished", *as_finished)];
            let options: Vec<_> = given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect();
            return match options.is_empty() {
                true => question.check(metric),
                false => Err(Error::ForeignOptions { options, of: format!("the puzzle {}", target.puzzle) }),
            };
        }
        match self.method {
            Some(SolveMethod::Optimal) if self.target.is_some() => {
                Err(Error::Usage("--method optimal has no --target; use --max-depth".to_owned()))
            }
            Some(SolveMethod::Optimal) => self.optimal.check(target.is_batch(), metric),
            _ => match self.optimal.given().into_iter().find(|(_, is_given)| *is_given) {
                Some((name, _)) => Err(Error::Usage(format!("--{name} needs --method optimal"))),
                None => Ok(()),
            },
        }
    }

    /// An error of the solver, with options as they are called here.
    pub fn as_asked(&self, error: Error) -> Error {
        let Error::ForeignOptions { mut options, of } = error else { return error };
        let is_all = self.optimal.question.extra.is_none();
        options.iter_mut().filter(|option| **option == "extra" && is_all).for_each(|option| *option = "all");
        Error::ForeignOptions { options, of }
    }

    /// Whether the method is optimal.
    pub fn is_optimal(&self) -> bool {
        self.method == Some(SolveMethod::Optimal)
    }

    /// The request to the solver.
    pub fn request(&self, metric: Option<QuestionMetric>, square1: Square1Args) -> SolveRequest {
        SolveRequest {
            method: self.method,
            metric,
            goal: self.goal.clone(),
            budget: SearchBudget { time: self.time, nodes: self.max_nodes },
            target: self.target,
            middle: square1.goal(),
            notation: square1.notation,
            mapped: self.optimal.map,
            memory: self.memory.map(|Size(bytes)| bytes),
            ..self.optimal.question.request()
        }
    }

    /// How lines of standard input are solved.
    pub fn batch(&self) -> SolveBatch {
        SolveBatch { results: self.optimal.results.clone(), as_finished: self.optimal.as_finished }
    }
}
