//! Solutions of positions of the Rubik's cube, by the two-phase solver or in H alone.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use serde::Serialize;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::error::{Error, Result};
use twistbase::puzzle::cube3::notation::wca;
use twistbase::puzzle::cube3::{Cube, Metric, Move};
use twistbase::query::cube3::{PhaseTwo, position_in_h};
use twistbase::solve::{LONGEST, Limits, Stopped, TableBytes, TwoPhase};
use twistbase::store::Store;
use twistbase::tables::{self, Definition};

use crate::cli::batch::{self, Answer};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, json_line};
use crate::cli::positions::Target;
use crate::cli::positions::cube3::{MetricArg, NAME, read};

use super::optimal::{self, Question};

/// Every position has a solution of so many moves.
const ALWAYS_ENOUGH: u8 = 20;
/// Nodes between looks at the clock.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;

/// What only the cube has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Rubik's cube")]
#[group(skip)]
pub struct Options {
    /// Stop at a solution of at most N moves [default: 20, or the shortest that --time or --max-nodes permits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=i64::from(LONGEST)))]
    target: Option<u8>,

    /// Stop after this time, like 500ms, 2s or 1m; on standard input, for each position
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    time: Option<Duration>,

    /// Stop after visiting N nodes; on standard input, for each position
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,

    /// Where solutions are to lead instead of solved, in any notation
    #[arg(long, value_name = "POSITION")]
    goal: Option<String>,

    /// How to search [default: two-phase]
    #[arg(long, value_enum)]
    method: Option<Method>,

    /// How to count moves; qtm needs --method phase2 or optimal [default: htm]
    #[arg(long, value_enum)]
    metric: Option<MetricArg>,

    #[command(flatten)]
    optimal: optimal::Options,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Into H and home from there, along all axes, from the position and its inverse
    TwoPhase,
    /// A shortest solution by moves of H, of a position that is in H seen from the goal
    Phase2,
    /// A shortest solution, or all of them
    Optimal,
}

impl Options {
    /// The options, each with whether it was given.
    pub fn given(&self) -> Vec<(&'static str, bool)> {
        let Self { target, time, max_nodes, goal, method, metric, optimal } = self;
        let shared = [
            ("--target", target.is_some()),
            ("--time", time.is_some()),
            ("--max-nodes", max_nodes.is_some()),
            ("--goal", goal.is_some()),
            ("--method", method.is_some()),
            ("--metric", metric.is_some()),
        ];
        shared.into_iter().chain(optimal.given()).collect()
    }

    /// Refuses the options of other methods.
    fn check(&self) -> Result<()> {
        match self.method() {
            Method::Optimal if self.target.is_some() => {
                Err(Error::Usage("--target cannot be used with --method optimal: it takes --max-depth".to_owned()))
            }
            Method::Optimal => Ok(()),
            Method::TwoPhase | Method::Phase2 => {
                match self.optimal.given().into_iter().find(|(_, is_given)| *is_given) {
                    Some((name, _)) => Err(Error::Usage(format!("{name} needs --method optimal"))),
                    None => Ok(()),
                }
            }
        }
    }

    fn method(&self) -> Method {
        self.method.unwrap_or(Method::TwoPhase)
    }

    fn has_budget(&self) -> bool {
        self.time.is_some() || self.max_nodes.is_some()
    }

    /// The length of solution to stop at.
    fn target(&self) -> u8 {
        self.target.unwrap_or(if self.has_budget() { 0 } else { ALWAYS_ENOUGH })
    }
}

/// The tables of a method.
enum Tables {
    TwoPhase(Box<TwoPhase<TableBytes, CachedTable>>),
    Phase2(Box<PhaseTwo<CachedTable>>),
}

impl Tables {
    fn open(in_h: bool, metric: Metric, store: &Store, cache: CacheMode, ctx: &Context) -> Result<Self> {
        match (in_h, metric) {
            (false, Metric::Htm) => Ok(Self::TwoPhase(Box::new(TwoPhase::open(store, cache, ctx)?))),
            (false, Metric::Qtm) => {
                let needs = "--metric qtm needs --method phase2 or optimal: the two phases count half turns";
                Err(Error::Usage(needs.to_owned()))
            }
            (true, metric) => {
                let table = tables::phase_two(metric, false);
                let entries = CachedTable::open(store, table.layout(), cache)?;
                Ok(Self::Phase2(Box::new(PhaseTwo::over(table, entries))))
            }
        }
    }
}

/// The solver and what is asked of it.
struct Solver {
    options: Options,
    metric: Metric,
    goal: Cube,
    tables: Tables,
    context: Context,
    json: bool,
    /// Whether of one position only the last solution is printed.
    quiet: bool,
}

/// What a search came to.
struct Outcome {
    best: Option<Vec<Move>>,
    nodes: u64,
    seconds: f64,
    stopped: Stopped,
}

/// A solution that is shorter than those before it.
struct Improvement {
    moves: Vec<Move>,
    nodes: u64,
    seconds: f64,
}

/// A solution, as JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    input: &'a str,
    puzzle: &'static str,
    length: usize,
    metric: &'static str,
    solution: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<&'a str>,
    method: &'static str,
    nodes: u64,
    seconds: f64,
    /// Why the search ended, once it has.
    stopped: Option<&'static str>,
    r#final: bool,
}

pub fn run(options: Options, target: &Target, env: &Environment) -> std::result::Result<(), Failure> {
    options.check()?;
    if options.method() == Method::Optimal {
        let Options { time, max_nodes, goal, metric, optimal, .. } = options;
        return optimal::run(Question { time, max_nodes, goal, metric, options: optimal }, target, env);
    }
    let metric = MetricArg::metric(options.metric);
    let goal = options.goal.as_deref().map_or(Ok(Cube::SOLVED), read)?;
    let context = env.context()?;
    let tables =
        Tables::open(options.method() == Method::Phase2, metric, &env.store()?, target.cache.mode(), &context)?;
    let solver = Solver { options, metric, goal, tables, context, json: env.json(), quiet: env.quiet() };
    let mut output = env.output();
    match target.position.as_str() {
        "-" => batch::run(batch::LONG_ANSWERS, solver.json, &mut output, |input| solver.line(input))?,
        input => solver.single(input, &mut output)?,
    }
    output.finish()
}

impl Solver {
    /// The answer to a line of standard input.
    fn line(&self, input: &str) -> Result<Answer> {
        // Without a budget, longer solutions than the target would only be passed by.
        let longest = if self.options.has_budget() { LONGEST } else { self.options.target() };
        let outcome = self.search(input, longest, false, &mut |_| {})?;
        let shortfall = self.shortfall(&outcome);
        let Some(moves) = &outcome.best else { return Err(Error::Budget(shortfall.unwrap_or_default())) };
        let mut line = format!("{input}\t{}", self.text(moves));
        if self.json {
            line = json_line(&self.last(input, moves, &outcome));
        } else {
            line += &shortfall.as_ref().map_or_else(String::new, |reason| format!("\t{reason}"));
            line.push('\n');
        }
        Ok(if shortfall.is_some() { Answer::of_budget(line) } else { line.into() })
    }

    /// Prints solutions of one position as they come.
    fn single(&self, input: &str, output: &mut Output) -> std::result::Result<(), Failure> {
        let (send, receive) = mpsc::channel();
        let (last, outcome) = thread::scope(|scope| {
            let search = scope.spawn(|| self.search_telling(input, send));
            let shown = self.show(receive, input, output);
            if shown.is_err() {
                self.context.cancel();
            }
            let outcome = search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            shown.map(|last| (last, outcome))
        })?;
        match outcome {
            Ok(outcome) => self.conclude(input, &outcome, output),
            Err(error) => {
                // What has not been printed yet is lost otherwise.
                if let Some(best) = last.filter(|_| self.quiet) {
                    output.bytes(self.interim(input, &best).as_bytes())?;
                }
                Err(error.into())
            }
        }
    }

    /// Searches, and sends every improvement away.
    fn search_telling(&self, input: &str, send: Sender<Improvement>) -> Result<Outcome> {
        // Nobody receives any more when an improvement could not be written.
        self.search(input, LONGEST, true, &mut |improvement| drop(send.send(improvement)))
    }

    /// Prints improvements as they come, unless only the last is wanted, which is returned.
    fn show(
        &self,
        improvements: Receiver<Improvement>,
        input: &str,
        output: &mut Output,
    ) -> std::result::Result<Option<Improvement>, Failure> {
        let mut last = None;
        for improvement in improvements {
            if !self.quiet {
                output.bytes(self.interim(input, &improvement).as_bytes())?;
                output.flush()?;
            }
            last = Some(improvement);
        }
        Ok(last)
    }

    /// Prints what has not been said yet when the search is over.
    fn conclude(&self, input: &str, outcome: &Outcome, output: &mut Output) -> std::result::Result<(), Failure> {
        match &outcome.best {
            Some(moves) if self.json => output.json(&self.last(input, moves, outcome))?,
            Some(moves) if self.quiet => output.line(self.text(moves))?,
            _ => {}
        }
        self.shortfall(outcome).map_or(Ok(()), |reason| Err(Failure::Unreached(reason)))
    }

    /// Searches solutions of at most `longest` moves.
    fn search(
        &self,
        input: &str,
        longest: u8,
        parallel: bool,
        improved: &mut (dyn FnMut(Improvement) + Send),
    ) -> Result<Outcome> {
        let start = read(input)?;
        let started = Instant::now();
        // A time that the clock cannot count never ends.
        let deadline = self.options.time.and_then(|time| started.checked_add(time));
        let mut tell = |moves: &[Move], nodes| {
            improved(Improvement { moves: moves.to_vec(), nodes, seconds: started.elapsed().as_secs_f64() });
        };
        let (best, nodes, stopped) = match &self.tables {
            Tables::TwoPhase(solver) => {
                let (target, max_nodes) = (self.options.target(), self.options.max_nodes);
                let limits = Limits { target, longest, deadline, max_nodes, parallel };
                let found = solver.solve(&start, &self.goal, &limits, &self.context, &mut tell)?;
                (found.solution, found.nodes, found.stopped)
            }
            Tables::Phase2(table) => {
                let (best, nodes, stopped) = self.search_in_h(table, input, &start, deadline)?;
                best.iter().for_each(|moves| tell(moves, nodes));
                (best, nodes, stopped)
            }
        };
        Ok(Outcome { best, nodes, seconds: started.elapsed().as_secs_f64(), stopped })
    }

    /// Searches a shortest solution by moves of H.
    fn search_in_h(
        &self,
        table: &PhaseTwo<CachedTable>,
        input: &str,
        start: &Cube,
        deadline: Option<Instant>,
    ) -> Result<(Option<Vec<Move>>, u64, Stopped)> {
        let h_position = position_in_h(input, &self.goal.inverse().then(start))?;
        let farthest = tables::phase_two(self.metric, true).farthest();
        let most = self.options.target.unwrap_or(farthest);
        let (mut nodes, mut spent) = (0, false);
        let found = table.solve(&h_position, most, &mut || {
            let is_late = |deadline| Instant::now() >= deadline;
            let look = nodes % NODES_BETWEEN_CHECKS == 0;
            spent = self.options.max_nodes.is_some_and(|most| nodes >= most) || look && deadline.is_some_and(is_late);
            if spent {
                return Err(Error::Budget(String::new()));
            }
            nodes += 1;
            if look { self.context.check() } else { Ok(()) }
        });
        match found {
            Err(Error::Budget(_)) if spent => Ok((None, nodes, Stopped::Budget)),
            found => Ok((found?, nodes, Stopped::Shortest)),
        }
    }

    /// By what a search comes short of what was asked.
    fn shortfall(&self, Outcome { best, nodes, stopped, .. }: &Outcome) -> Option<String> {
        let target = self.options.target();
        let length = best.as_ref().map(|moves| self.metric.length(moves));
        let spent = *stopped == Stopped::Budget;
        let moves = if matches!(self.tables, Tables::Phase2(_)) { "moves of H" } else { "moves" };
        match length {
            Some(length) if self.options.target.is_none() || length <= target.into() => None,
            Some(length) if spent => {
                Some(format!("the budget is spent; the best solution so far has {length} {moves}, not {target}"))
            }
            Some(length) => Some(format!("no solution has at most {target} {moves}; the shortest has {length}")),
            None if spent => Some(format!("the budget is spent, and no solution was found yet (nodes: {nodes})")),
            None => Some(format!("no solution has at most {target} {moves}")),
        }
    }

    /// A solution for people.
    fn text(&self, moves: &[Move]) -> String {
        format!("{}\t{}", self.metric.length(moves), wca::print(moves))
    }

    /// A solution while the search goes on.
    fn interim(&self, input: &str, improvement: &Improvement) -> String {
        let Improvement { moves, nodes, seconds } = improvement;
        if self.json { json_line(&self.report(input, moves, *nodes, *seconds)) } else { self.text(moves) + "\n" }
    }

    /// The solution that a search came to.
    fn last<'a>(&'a self, input: &'a str, moves: &[Move], outcome: &Outcome) -> Report<'a> {
        let stopped = match outcome.stopped {
            Stopped::Target => "target",
            Stopped::Shortest => "shortest",
            Stopped::Budget => "budget",
        };
        let report = self.report(input, moves, outcome.nodes, outcome.seconds);
        Report { stopped: Some(stopped), r#final: true, ..report }
    }

    fn report<'a>(&'a self, input: &'a str, moves: &[Move], nodes: u64, seconds: f64) -> Report<'a> {
        Report {
            input,
            puzzle: NAME,
            length: self.metric.length(moves),
            metric: self.metric.name(),
            solution: wca::print(moves),
            goal: self.options.goal.as_deref(),
            method: match self.tables {
                Tables::TwoPhase(_) => "two-phase",
                Tables::Phase2(_) => "phase2",
            },
            nodes,
            seconds,
            stopped: None,
            r#final: false,
        }
    }
}
