//! The default method: a short search for a shortest solution, then the two-phase solver.

use std::time::Instant;

use super::exact::open_small;
use super::optimal::{Tracker, written};
use super::tables::{Cube3, SharedOptimal, SharedTwoPhase};
use super::two_phase::always_enough;
use crate::answers::Solution;
use crate::answers::cube3::{LengthProof, TwoPhaseSolution};
use crate::metric::BoundInMetric;
use crate::position::PuzzlePosition;
use crate::puzzle::{OnSolve, SolveTask, Solver};
use crate::puzzle_info::CUBE3;
use crate::solving::{Cube3Goal, SearchBudget, Shortfall, SolveEvent, SolveOutcome, SolveRequest, Solved};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::notation::HeldCube;
use twistbase_puzzle::cube3::{Cube, Metric, Move};
use twistbase_solve::{Event, LONGEST, LONGEST_SEARCH, Limits, OptimalLimits, Stopped, Wanted};
use twistbase_tables::Counted;

/// Nodes of the short search for one position: less than a second on one core with `phase1`.
const NODES: u64 = 1_000_000;
/// Nodes of the short search for a line of a batch, if the two-phase solver follows: it then takes about a millisecond, and this a
/// third of that.
const NODES_OF_LINE: u64 = 100;

/// The solvers, and the question.
#[derive(Debug)]
pub(super) struct AutoSolver {
    optimal: SharedOptimal,
    two_phase: SharedTwoPhase,
    goal: Cube3Goal,
    goal_text: Option<String>,
    target: Option<u8>,
    budget: SearchBudget,
}

/// The state of a search, and finally its result.
#[derive(Debug)]
struct AutoOutcome {
    started: Instant,
    best: Option<Vec<Move>>,
    /// No solution has fewer moves.
    at_least: u8,
    tables: Vec<&'static str>,
    nodes: u64,
    end: Stopped,
}

/// A position to solve.
#[derive(Debug, Clone, Copy)]
struct Task<'a> {
    start: &'a Cube,
    goal: &'a Cube,
    input: &'a str,
    /// Whether this is the only position: it gets all threads and a longer search. A line of a batch gets one thread.
    alone: bool,
}

impl AutoSolver {
    /// Opens the tables of both searches.
    pub fn new(cube: &Cube3, metric: Option<Metric>, request: &SolveRequest, ctx: &Context) -> Result<Self> {
        let SolveRequest { goal: goal_text, target, budget, .. } = request.clone();
        let (metric, goal) = (metric.unwrap_or_default(), request.cube3_goal()?);
        // First, so that an error names all tables that are missing: the short search uses one of them.
        let two_phase = cube.two_phase(metric, ctx)?;
        let optimal = match open_small(cube, metric, ctx)? {
            Some(optimal) => optimal,
            None => cube.optimal(Some(metric), None, false, ctx)?,
        };
        Ok(Self { optimal, two_phase, goal, goal_text, target, budget })
    }

    fn metric(&self) -> Metric {
        self.optimal.metric()
    }

    fn run(
        &self,
        (start, input): (&HeldCube<Cube>, &str),
        alone: bool,
        ctx: &Context,
        on: OnSolve<'_>,
    ) -> Result<AutoOutcome> {
        let goal = self.goal.held_like(start)?;
        let task = Task { start: &start.position, goal: &goal, input, alone };
        let mut state = AutoOutcome {
            started: Instant::now(),
            best: None,
            at_least: 0,
            tables: vec![self.optimal.table().definition().layout().name],
            nodes: 0,
            end: Stopped::Budget,
        };
        // The two-phase solver finds solutions of this length at once.
        if self.target.is_some_and(|target| target >= always_enough(self.metric())) {
            state.at_least = self.optimal.bound(&goal.inverse().then(task.start))?.moves();
        } else {
            self.search_shortest(task, &mut state, ctx, on)?;
        }
        if state.end == Stopped::Budget {
            self.search_in_two_phases(task, &mut state, ctx, on)?;
        }
        Ok(state)
    }

    /// The short search, on one thread: it finds the same solution each time. The two-phase solver follows, so it takes at most half of
    /// the caller's budget.
    fn search_shortest(&self, task: Task<'_>, state: &mut AutoOutcome, ctx: &Context, on: OnSolve<'_>) -> Result<()> {
        let metric = self.metric();
        let SearchBudget { time, nodes } = self.budget;
        let own = if task.alone { NODES } else { NODES_OF_LINE };
        let max_nodes = nodes.map_or(own, |nodes| own.min(nodes / 2));
        let deadline = time.and_then(|time| state.started.checked_add(time / 2));
        let limits = OptimalLimits { max_depth: LONGEST_SEARCH, deadline, max_nodes: Some(max_nodes), parallel: false };
        let mut tracker = Tracker::new(metric, task.goal.inverse().then(task.start).is_odd());
        let mut best = None;
        let searched = self.optimal.solve(task.start, task.goal, Wanted::ANY, &limits, ctx, &mut |event| match event {
            Event::Solution(moves) => best = Some(moves.to_vec()),
            Event::Depth { depth, nodes } => {
                let bound = BoundInMetric { at_least: tracker.finish(depth, nodes), metric: metric.into() };
                on(SolveEvent::DepthFinished { bound, nodes });
            }
            Event::Nodes(nodes) => on(SolveEvent::Nodes(nodes)),
        });
        (state.at_least, state.nodes, state.end) = match searched {
            Err(Error::Interrupted) => (tracker.at_least(), 0, Stopped::Interrupted),
            searched => searched.map(|answer| (answer.at_least, answer.nodes, Stopped::Budget))?,
        };
        if let Some(moves) = best {
            (state.at_least, state.end) = (metric.length(&moves) as u8, Stopped::Shortest);
            on(SolveEvent::Solution(Solution::TwoPhase(self.report(task.input, &moves, state))));
            state.best = Some(moves);
        }
        Ok(())
    }

    /// The two-phase solver, until a solution is as short as the target, or as the lower bound.
    fn search_in_two_phases(
        &self,
        task: Task<'_>,
        state: &mut AutoOutcome,
        ctx: &Context,
        on: OnSolve<'_>,
    ) -> Result<()> {
        let (two_phase, enough) = (&self.two_phase, always_enough(self.metric()));
        let more: Vec<_> = two_phase.tables().into_iter().filter(|table| !state.tables.contains(table)).collect();
        state.tables.extend(more);
        let target = match self.target {
            Some(target) if target >= state.at_least => target,
            // No solution is this short: show another one.
            Some(_) => enough,
            None if self.budget.is_limited() => state.at_least,
            None => enough,
        };
        // Without a budget, longer solutions of a line matter only if none reaches the target.
        let longest = if task.alone || self.budget.is_limited() { LONGEST } else { target };
        // The short search may exceed its half by some thousand nodes: the other half is left all the same.
        let deadline = self.budget.time.and_then(|time| {
            let (whole, half) = (state.started.checked_add(time)?, Instant::now().checked_add(time / 2)?);
            Some(whole.max(half))
        });
        let max_nodes = self.budget.nodes.map(|nodes| nodes.saturating_sub(state.nodes).max(nodes / 2));
        for (target, longest) in [(target, longest), (enough.max(target), LONGEST)] {
            let limits = Limits { target, longest, deadline, max_nodes, parallel: task.alone };
            let mut improved = |moves: &[Move], nodes: u64| {
                let mut solution = self.report(task.input, moves, state);
                solution.nodes += nodes;
                on(SolveEvent::Solution(Solution::TwoPhase(solution)));
            };
            let found = match two_phase.solve(task.start, task.goal, &limits, ctx, &mut improved) {
                Err(Error::Interrupted) => {
                    state.end = Stopped::Interrupted;
                    return Ok(());
                }
                found => found?,
            };
            (state.nodes, state.end) = (state.nodes + found.nodes, found.stopped);
            let length = found.solution.as_ref().map(|moves| self.metric().length(moves) as u8);
            if found.stopped == Stopped::Shortest {
                state.at_least = length.unwrap_or(longest + 1);
            }
            if length == Some(state.at_least) {
                state.end = Stopped::Shortest;
            }
            state.best = found.solution;
            if state.best.is_some() || longest == LONGEST {
                break;
            }
        }
        Ok(())
    }

    /// The shortfall of a result, if it has one.
    fn shortfall(&self, outcome: &AutoOutcome) -> Option<Shortfall> {
        let (at_least, moves) = (outcome.at_least, Counted::Moves);
        let bound = BoundInMetric { at_least, metric: self.metric().into() };
        let length = outcome.best.as_ref().map(|moves| self.metric().length(moves));
        match (length, self.target) {
            (Some(length), _) if outcome.end == Stopped::Interrupted => Some(Shortfall::Stopped { length, moves }),
            (Some(length), Some(target)) if length > target.into() => Some(if length == usize::from(at_least) {
                Shortfall::NoneSoShort { length, target, moves }
            } else if at_least > target {
                Shortfall::OnlyLonger { length, target, moves }
            } else {
                Shortfall::AboveTarget { length, target, moves }
            }),
            (Some(_), _) => None,
            (None, _) if outcome.end == Stopped::Interrupted => Some(Shortfall::Interrupted { bound, shortest: None }),
            (None, _) => Some(Shortfall::OnlyBound { bound }),
        }
    }

    /// A solution found on the way.
    fn report(&self, input: &str, moves: &[Move], state: &AutoOutcome) -> TwoPhaseSolution {
        TwoPhaseSolution {
            input: input.to_owned(),
            puzzle: CUBE3,
            length: self.metric().length(moves),
            metric: self.metric().name(),
            solution: written(moves),
            goal: self.goal_text.clone(),
            method: "auto",
            tables: state.tables.clone(),
            nodes: state.nodes,
            seconds: state.started.elapsed().as_secs_f64(),
            proof: None,
            stopped: None,
            r#final: false,
        }
    }

    /// The best solution, with its proven bound.
    fn last(&self, input: &str, outcome: &AutoOutcome) -> Option<Solution> {
        let report = self.report(input, outcome.best.as_ref()?, outcome);
        let at_least = outcome.at_least;
        let proof = LengthProof { at_least, optimal: report.length == usize::from(at_least) };
        let stopped = Some(outcome.end);
        Some(Solution::TwoPhase(TwoPhaseSolution { proof: Some(proof), stopped, r#final: true, ..report }))
    }
}

impl Solver for AutoSolver {
    fn noun(&self) -> &'static str {
        "the method auto"
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube3(input)
    }

    fn search(&self, task: SolveTask<'_>) -> Result<Solved> {
        let SolveTask { position, input, effort, ctx, on } = task;
        let outcome = self.run((position.held_cube3()?, input), effort.is_alone(), ctx, on)?;
        let found = self.last(input, &outcome).map_or(SolveOutcome::NotFound, SolveOutcome::Found);
        Ok(Solved { outcome: found, shortfall: self.shortfall(&outcome) })
    }
}
