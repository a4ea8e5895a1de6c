//! The arguments of `solve` that only the Rubik's cube has, and what they mean.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase_core::error::{Error, Result};
use twistbase_database::{QuestionMetric, SearchBudget, SolveBatch, SolveMethod, SolveRequest, TableId};
use twistbase_puzzle::cube3::Metric;
use twistbase_solve::{LONGEST, LONGEST_SEARCH};
use twistbase_tables as tables;

use crate::arguments::{duration, named_file};
use crate::positions::square1::Square1Args;
use crate::positions::{QuestionMetricArg, Target};

/// The value of `--table` that takes the strongest table there is.
const AUTO: &str = "auto";

/// What only the cube has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Rubik's cube")]
#[group(skip)]
pub struct Cube3Args {
    /// Stop at a solution of at most N moves [default: 20, or the shortest that --time or --max-nodes permits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=i64::from(LONGEST)))]
    target: Option<u8>,

    /// Stop after this time, like 500ms, 2s or 1m; on standard input, for each position
    ///
    /// Also of the Square-1 family, with --metric face or over a table that was built to a depth.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Duration>,

    /// Stop after visiting N nodes, or some thousands more; on standard input, for each position
    ///
    /// Also of the Square-1 family, with --metric face or over a table that was built to a depth.
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,

    /// Where solutions are to lead instead of solved, in any notation
    ///
    /// The goal is a pattern of colours: if it is held in another way than the position, it is turned about until it is held like
    /// that. Moves alone are those of a cube with white up and green in front. A goal in other colours than those of the
    /// position is refused.
    #[arg(long, value_name = "POSITION")]
    goal: Option<String>,

    /// How to search [default: two-phase]
    #[arg(long, value_enum)]
    method: Option<MethodArg>,

    #[command(flatten)]
    optimal: OptimalArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodArg {
    /// Into H and home from there, along all axes, from the position and its inverse
    TwoPhase,
    /// A shortest solution by moves of H, of a position that is in H seen from the goal
    Phase2,
    /// A shortest solution, or all of them
    Optimal,
}

impl From<MethodArg> for SolveMethod {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::TwoPhase => Self::TwoPhase,
            MethodArg::Phase2 => Self::PhaseTwo,
            MethodArg::Optimal => Self::Optimal,
        }
    }
}

/// What an optimal search is asked.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct OptimalQuestionArgs {
    /// Table to search with; auto takes the strongest that has been built [default: auto]
    #[arg(long, value_name = "NAME", value_parser = heuristic_table())]
    table: Option<String>,

    /// List all shortest solutions
    ///
    /// Of solutions that differ only in the order of turns of opposite faces one is listed; symmetric copies are listed.
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
}

/// What only the optimal method has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Rubik's cube, --method optimal")]
#[group(skip)]
struct OptimalArgs {
    #[command(flatten)]
    question: OptimalQuestionArgs,

    /// Read the table in the mapped cache, without a copy in memory
    ///
    /// Where memory suffices, a table is copied to pages that the processor finds faster; a search that is long gains more
    /// by that than the copy takes. Several programs share a mapped table, and a short search starts sooner.
    #[arg(long)]
    map: bool,

    /// Add the answers to a file, one JSON object a line, and solve only what has no complete answer there
    ///
    /// A line of standard input has its answer if the number and the text are the same. Answers are written when they
    /// are found, so a run that was ended goes on where it stood.
    #[arg(long, value_name = "FILE", value_parser = named_file())]
    results: Option<PathBuf>,

    /// Answer lines of standard input when their answers are found, not in their order
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

    /// Refuses what makes no sense together.
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
    /// Refuses what makes no sense together.
    pub fn check(&self, metric: Option<QuestionMetric>) -> Result<()> {
        if let (Some(table), Some(metric)) = (self.table(), metric) {
            let own = table.definition().metric();
            if own.name() != metric.name() {
                return Err(Error::Usage(format!("--table {table} counts moves in {own}")));
            }
        }
        if self.limit.is_some() && self.extra().is_none() {
            let needs = "--limit needs --all or --extra: one solution is searched without them";
            return Err(Error::Usage(needs.to_owned()));
        }
        Ok(())
    }

    /// What is asked of the solver.
    pub fn request(&self) -> SolveRequest {
        SolveRequest {
            table: self.table(),
            extra: self.extra(),
            limit: self.limit,
            max_depth: self.max_depth,
            ..SolveRequest::default()
        }
    }

    /// The table; `None` for the strongest. (What is no table's name is [`AUTO`].)
    fn table(&self) -> Option<TableId> {
        self.table.as_deref().and_then(|name| name.parse().ok())
    }

    /// Up to how many moves more than the shortest all solutions are wanted; `None` if one shortest is.
    fn extra(&self) -> Option<u8> {
        self.extra.or(self.all.then_some(0))
    }
}

impl Cube3Args {
    /// Refuses the options of other puzzles and methods, and what makes no sense together.
    pub fn check(&self, target: &Target, metric: Option<QuestionMetricArg>) -> Result<()> {
        if target.puzzle != "cube3" {
            // What the library knows by other names than the command line: the rest it refuses itself.
            let OptimalArgs { question, results, as_finished, .. } = &self.optimal;
            let given = [("all", question.all), ("results", results.is_some()), ("as-finished", *as_finished)];
            let options: Vec<_> = given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect();
            return match options.is_empty() {
                true => Ok(()),
                false => Err(Error::ForeignOptions { options, of: format!("the puzzle {}", target.puzzle) }),
            };
        }
        match self.method {
            Some(MethodArg::Optimal) if self.target.is_some() => {
                Err(Error::Usage("--target cannot be used with --method optimal: it takes --max-depth".to_owned()))
            }
            Some(MethodArg::Optimal) => self.optimal.check(target.is_batch(), metric.map(Into::into)),
            None | Some(MethodArg::TwoPhase | MethodArg::Phase2) => {
                match self.optimal.given().into_iter().find(|(_, is_given)| *is_given) {
                    Some((name, _)) => Err(Error::Usage(format!("--{name} needs --method optimal"))),
                    None => Ok(()),
                }
            }
        }
    }

    /// Whether a shortest solution is searched for.
    pub fn is_optimal(&self) -> bool {
        self.method == Some(MethodArg::Optimal)
    }

    /// What is asked of the solver.
    pub fn request(&self, metric: Option<QuestionMetricArg>, square1: Square1Args) -> SolveRequest {
        SolveRequest {
            method: self.method.map(Into::into),
            metric: metric.map(Into::into),
            goal: self.goal.clone(),
            budget: SearchBudget { time: self.time, nodes: self.max_nodes },
            target: self.target,
            middle: square1.goal(),
            notation: square1.notation(),
            mapped: self.optimal.map,
            ..self.optimal.question.request()
        }
    }

    /// How lines of standard input are solved.
    pub fn batch(&self) -> SolveBatch {
        SolveBatch { results: self.optimal.results.clone(), as_finished: self.optimal.as_finished }
    }
}
