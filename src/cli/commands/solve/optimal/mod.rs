//! Shortest solutions of the Rubik's cube, one or all.

mod batch;
mod progress;
mod report;
mod results;
mod single;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase::context::Context;
use twistbase::database::available_memory;
use twistbase::error::{Error, Result};
use twistbase::puzzle::cube3::{Cube, Metric};
use twistbase::solve::{Answer, Event, LONGEST_SEARCH, Optimal, OptimalLimits, TableBytes, Wanted};
use twistbase::tables::{self, Kind, TableMetric};

use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::positions::Target;
use crate::cli::positions::cube3::{MetricArg, read};

/// The value of `--table` that takes the strongest table there is.
const AUTO: &str = "auto";

/// What only this method has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Rubik's cube, --method optimal")]
#[group(skip)]
pub struct Options {
    /// Table to search with; auto takes the strongest that has been built [default: auto]
    #[arg(long, value_name = "NAME", value_parser = guide_table())]
    table: Option<String>,

    /// List all shortest solutions
    ///
    /// Of solutions that differ only in the order of turns of opposite faces one is listed; symmetric copies are
    /// listed.
    #[arg(long)]
    all: bool,

    /// List at most N solutions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// List all solutions of up to K moves more than the shortest, too
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(..=i64::from(LONGEST_SEARCH)))]
    extra: Option<u8>,

    /// Search no solutions of more than N moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=i64::from(LONGEST_SEARCH)))]
    max_depth: Option<u8>,

    /// Add the answers to a file, one JSON object a line, and solve only what has no complete answer there
    ///
    /// A line of standard input has its answer if the number and the text are the same. Answers are written when they
    /// are found, so a run that was ended goes on where it stood.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,

    /// Answer lines of standard input when their answers are found, not in their order
    #[arg(long)]
    as_finished: bool,
}

/// Parses the name of a table that guides a search, or [`AUTO`]; shells can complete it.
fn guide_table() -> impl TypedValueParser<Value = String> {
    let tables = [Metric::Htm, Metric::Qtm].into_iter().flat_map(tables::heuristics);
    PossibleValuesParser::new([AUTO].into_iter().chain(tables.map(Kind::name)))
}

impl Options {
    /// The options, each with whether it was given.
    pub fn given(&self) -> [(&'static str, bool); 7] {
        let Self { table, all, limit, extra, max_depth, results, as_finished } = self;
        [
            ("--table", table.is_some()),
            ("--all", *all),
            ("--limit", limit.is_some()),
            ("--extra", extra.is_some()),
            ("--max-depth", max_depth.is_some()),
            ("--results", results.is_some()),
            ("--as-finished", *as_finished),
        ]
    }

    /// Refuses what makes no sense together.
    fn check(&self, is_batch: bool) -> Result<()> {
        if self.limit.is_some() && self.extra().is_none() {
            return Err(Error::Usage(
                "--limit needs --all or --extra: one solution is searched without them".to_owned(),
            ));
        }
        let needs_lines = [("--results", self.results.is_some()), ("--as-finished", self.as_finished)];
        match needs_lines.into_iter().find(|&(_, is_given)| is_given && !is_batch) {
            Some((name, _)) => Err(Error::Usage(format!("{name} needs positions on standard input (-)"))),
            None => Ok(()),
        }
    }

    /// Up to how many moves more than the shortest all solutions are wanted; `None` if one shortest is.
    fn extra(&self) -> Option<u8> {
        self.extra.or(self.all.then_some(0))
    }
}

/// What the command line asks.
pub struct Question {
    /// When to stop.
    pub time: Option<Duration>,
    /// Nodes to stop after.
    pub max_nodes: Option<u64>,
    /// Where solutions lead instead of solved.
    pub goal: Option<String>,
    /// How moves are counted; the table's way where nothing is said.
    pub metric: Option<MetricArg>,
    /// What only this method has.
    pub options: Options,
}

pub fn run(question: Question, target: &Target, env: &Environment) -> std::result::Result<(), Failure> {
    let is_batch = target.position == "-";
    question.options.check(is_batch)?;
    let goal = question.goal.as_deref().map_or(Ok(Cube::SOLVED), read)?;
    let context = env.context()?;
    let solver = Solver { optimal: question.open(target, env, &context)?, question, goal, context, json: env.json() };
    let mut output = env.output();
    if is_batch {
        batch::run(&solver, &mut output)?
    } else {
        single::run(&solver, &target.position, &mut output)?
    }
    output.finish()
}

impl Question {
    fn open(&self, target: &Target, env: &Environment, ctx: &Context) -> Result<Optimal<TableBytes>> {
        let (store, mode) = (env.store()?, target.cache.mode());
        // The copy of the table is in memory beside the file's pages, which the system may drop.
        let memory = available_memory() / 2;
        let Some(name) = self.options.table.as_deref().filter(|&name| name != AUTO) else {
            return Optimal::open_strongest(&store, MetricArg::metric(self.metric), memory, mode, ctx);
        };
        let table = tables::find_heuristic(name)?;
        let metric = table.definition().metric();
        if self.metric.is_some() && metric != TableMetric::FaceTurns(MetricArg::metric(self.metric)) {
            return Err(Error::Usage(format!("--table {name} counts moves in {metric}")));
        }
        Optimal::open(&store, table, memory, mode, ctx)
    }
}

/// The solver and what is asked of it.
struct Solver {
    optimal: Optimal<TableBytes>,
    question: Question,
    goal: Cube,
    context: Context,
    json: bool,
}

/// What a search came to.
struct Outcome {
    answer: Answer,
    /// Whether the solutions told are all that were asked for: a limit on their number leaves that open.
    complete: bool,
    seconds: f64,
}

impl Solver {
    fn options(&self) -> &Options {
        &self.question.options
    }

    fn metric(&self) -> Metric {
        self.optimal.metric()
    }

    fn table(&self) -> &'static str {
        self.optimal.table().name()
    }

    /// How many solutions are listed at most.
    fn limit(&self) -> u64 {
        if self.options().extra().is_none() { 1 } else { self.options().limit.unwrap_or(u64::MAX) }
    }

    /// Searches from a position.
    fn search(&self, start: &Cube, parallel: bool, tell: &mut (dyn FnMut(Event<'_>) + Send)) -> Result<Outcome> {
        let started = Instant::now();
        let wanted = Wanted { solutions: self.limit(), extra: self.options().extra().unwrap_or(0) };
        let max_depth = self.options().max_depth.unwrap_or(LONGEST_SEARCH);
        // A time that the clock cannot count never ends.
        let deadline = self.question.time.and_then(|time| started.checked_add(time));
        let limits = OptimalLimits { max_depth, deadline, max_nodes: self.question.max_nodes, parallel };
        let answer = self.optimal.solve(start, &self.goal, wanted, &limits, &self.context, tell)?;
        let all_told = match self.options().extra() {
            None => true,
            Some(extra) => {
                answer.solutions < self.limit() && answer.length.is_some_and(|length| length + extra <= max_depth)
            }
        };
        Ok(Outcome { answer, complete: answer.complete && all_told, seconds: started.elapsed().as_secs_f64() })
    }

    /// By what a search comes short of what was asked.
    fn shortfall(&self, outcome: &Outcome) -> Option<String> {
        let Answer { length, at_least, solutions, .. } = outcome.answer;
        let known = at_least_moves(at_least, self.metric());
        match length {
            Some(_) if outcome.complete || self.options().limit == Some(solutions) => None,
            Some(length) => Some(format!(
                "a budget is spent; the shortest solutions have {length} moves, and not all that were asked for were found"
            )),
            None => Some(format!("a budget is spent, and no solution was found: {known}")),
        }
    }
}

/// A lower bound in words.
fn at_least_moves(bound: u8, metric: Metric) -> String {
    format!("at least {bound} {} ({})", if bound == 1 { "move" } else { "moves" }, metric.name())
}
