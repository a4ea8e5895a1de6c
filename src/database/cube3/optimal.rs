//! Shortest solutions, one or all.

use std::time::Instant;

use super::tables::{Cube3, SharedOptimal};
use crate::answers::Solution;
use crate::answers::cube3::{OptimalQuestion, OptimalRecord, OptimalSolution, OptimalSummary};
use crate::batch::{BatchEnd, LineAnswer, LineSolution, SolveBatch};
use crate::line_batch;
use crate::lines::LineReader;
use crate::metric::BoundInMetric;
use crate::position::PuzzlePosition;
use crate::puzzle::{OnLine, SolveTask, Solver};
use crate::puzzle_info::CUBE3;
use crate::results::{ResultFile, ResultQuestion};
use crate::solving::{Cube3Goal, SearchBudget, Shortfall, SolveEvent, SolveOutcome, SolveRequest, Solved};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::notation::parse_position;
use twistbase_puzzle::cube3::{Cube, Metric, Move, MoveSequence};
use twistbase_solve::{Event, LONGEST_SEARCH, OptimalLimits, SearchAnswer, Wanted};

/// A solver, and the question.
#[derive(Debug)]
pub(super) struct OptimalSolver {
    optimal: SharedOptimal,
    goal: Cube3Goal,
    goal_text: Option<String>,
    budget: SearchBudget,
    extra: Option<u8>,
    limit: Option<u64>,
    max_depth: u8,
}

/// The result of a search.
struct OptimalOutcome {
    answer: SearchAnswer,
    complete: bool,
    seconds: f64,
}

impl OptimalSolver {
    pub fn new(cube: &Cube3, metric: Option<Metric>, request: &SolveRequest, ctx: &Context) -> Result<Self> {
        let SolveRequest { goal: goal_text, budget, table, extra, limit, max_depth, .. } = request.clone();
        if limit.is_some() && extra.is_none() {
            return Err(Error::Usage(SolveRequest::LIMIT_NEEDS_EXTRA.to_owned()));
        }
        let goal = request.cube3_goal()?;
        let optimal = cube.optimal(metric, table, request.mapped, ctx)?;
        let max_depth = max_depth.unwrap_or(LONGEST_SEARCH);
        Ok(Self { optimal, goal, goal_text, budget, extra, limit, max_depth })
    }

    fn metric(&self) -> Metric {
        self.optimal.metric()
    }

    fn table(&self) -> &'static str {
        self.optimal.table().definition().layout().name
    }

    /// The most solutions to list.
    fn limit(&self) -> u64 {
        if self.extra.is_none() { 1 } else { self.limit.unwrap_or(u64::MAX) }
    }

    /// Searches from a position to a goal.
    fn run(
        &self,
        (start, goal): (&Cube, &Cube),
        parallel: bool,
        ctx: &Context,
        tell: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<OptimalOutcome> {
        let started = Instant::now();
        let wanted = Wanted { solutions: self.limit(), extra: self.extra.unwrap_or(0) };
        let deadline = self.budget.deadline();
        let limits = OptimalLimits { max_depth: self.max_depth, deadline, max_nodes: self.budget.nodes, parallel };
        let answer = self.optimal.solve(start, goal, wanted, &limits, ctx, tell)?;
        let is_whole = match self.extra {
            None => true,
            Some(extra) => {
                let is_within = |length: u8| length.saturating_add(extra) <= self.max_depth;
                answer.solutions < self.limit() && answer.length.is_some_and(is_within)
            }
        };
        Ok(OptimalOutcome { answer, complete: answer.complete && is_whole, seconds: started.elapsed().as_secs_f64() })
    }

    /// The reason why a result is not everything that was asked.
    fn shortfall(&self, outcome: &OptimalOutcome) -> Option<Shortfall> {
        let SearchAnswer { length, at_least, solutions, .. } = outcome.answer;
        match length {
            Some(_) if outcome.complete || self.limit == Some(solutions) => None,
            Some(length) => Some(Shortfall::NotAll { length }),
            None => {
                let (most, bound) = (self.max_depth, BoundInMetric { at_least, metric: self.metric().into() });
                let is_searched = at_least > most;
                Some(if is_searched { Shortfall::NoneWithin { most, bound } } else { Shortfall::OnlyBound { bound } })
            }
        }
    }

    fn summary(&self, input: &str, outcome: &OptimalOutcome, was_interrupted: bool) -> OptimalSummary {
        let OptimalOutcome { answer, complete, seconds } = outcome;
        OptimalSummary {
            input: input.to_owned(),
            puzzle: CUBE3,
            metric: self.metric().name(),
            goal: self.goal_text.clone(),
            method: "optimal",
            table: Some(self.table()),
            length: answer.length,
            at_least: answer.at_least,
            solutions: answer.solutions,
            complete: *complete,
            symmetric_copies: true,
            nodes: answer.nodes,
            look_ups: (!was_interrupted).then_some(answer.look_ups),
            seconds: *seconds,
        }
    }

    /// The question about each line of a batch.
    fn asked(&self) -> OptimalQuestion {
        OptimalQuestion {
            puzzle: CUBE3.to_owned(),
            metric: self.metric().name().to_owned(),
            goal: self.goal_text.clone(),
            method: "optimal".to_owned(),
            extra: self.extra,
            limit: self.limit,
        }
    }
}

/// Counts the results of a search while it runs: an interrupt would lose its own counts.
pub(super) struct Tracker {
    metric: Metric,
    /// Whether the position needs an odd number of quarter turns.
    is_odd: bool,
    at_least: u8,
    nodes: u64,
    solutions: u64,
    shortest: Option<u8>,
}

impl Tracker {
    /// Begins with a position that needs an odd number of quarter turns, or an even one.
    pub fn new(metric: Metric, is_odd: bool) -> Self {
        Self { metric, is_odd, at_least: 0, nodes: 0, solutions: 0, shortest: None }
    }

    /// No solution has fewer moves.
    pub fn at_least(&self) -> u8 {
        self.at_least
    }

    /// Sets the nodes visited; returns the count before.
    pub fn visit(&mut self, nodes: u64) -> u64 {
        let most = nodes.max(self.nodes);
        std::mem::replace(&mut self.nodes, most)
    }

    /// Finishes a depth; returns the new lower bound.
    pub fn finish(&mut self, depth: u8, nodes: u64) -> u8 {
        let next = depth + 1;
        // In the quarter-turn metric, lengths of the other parity are impossible.
        let skips = self.metric == Metric::Qtm && (next % 2 == 1) != self.is_odd;
        (self.at_least, self.nodes) = (next + u8::from(skips), nodes.max(self.nodes));
        self.at_least
    }

    /// The results so far.
    fn answer(&self) -> SearchAnswer {
        SearchAnswer {
            length: self.shortest,
            at_least: self.shortest.unwrap_or(self.at_least),
            solutions: self.solutions,
            complete: false,
            nodes: self.nodes,
            look_ups: 0,
        }
    }
}

impl Solver for OptimalSolver {
    fn noun(&self) -> &'static str {
        "the method optimal"
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube3(input)
    }

    fn search(&self, task: SolveTask<'_>) -> Result<Solved> {
        let SolveTask { position, input, effort, ctx, on } = task;
        let held = position.held_cube3()?;
        let (start, goal) = (&held.position, self.goal.held_like(held)?);
        let (started, metric) = (Instant::now(), self.metric());
        let is_odd = goal.inverse().then(start).is_odd();
        let mut tracker = Tracker::new(metric, is_odd);
        let searched = self.run((start, &goal), effort.is_parallel(), ctx, &mut |event| match event {
            Event::Solution(moves) => {
                tracker.solutions += 1;
                tracker.shortest = tracker.shortest.or(Some(moves.len() as u8));
                on(SolveEvent::Solution(Solution::Optimal(OptimalSolution {
                    input: input.to_owned(),
                    puzzle: CUBE3,
                    length: moves.len(),
                    metric: metric.name(),
                    solution: written(moves),
                    goal: self.goal_text.clone(),
                    method: "optimal",
                    number: tracker.solutions,
                    seconds: started.elapsed().as_secs_f64(),
                })));
            }
            Event::Nodes(nodes) => {
                tracker.visit(nodes);
                on(SolveEvent::Nodes(tracker.nodes));
            }
            Event::Depth { depth, nodes } => {
                let bound = BoundInMetric { at_least: tracker.finish(depth, nodes), metric: metric.into() };
                on(SolveEvent::DepthFinished { bound, nodes });
            }
        });
        let (outcome, was_interrupted) = match searched {
            Err(Error::Interrupted) => {
                let seconds = started.elapsed().as_secs_f64();
                (OptimalOutcome { answer: tracker.answer(), complete: false, seconds }, true)
            }
            searched => (searched?, false),
        };
        let shortfall = if was_interrupted {
            let bound = BoundInMetric { at_least: outcome.answer.at_least, metric: metric.into() };
            Some(Shortfall::Interrupted { bound, shortest: outcome.answer.length })
        } else {
            self.shortfall(&outcome)
        };
        Ok(Solved { outcome: SolveOutcome::Optimal(self.summary(input, &outcome, was_interrupted)), shortfall })
    }

    fn solve_lines(
        &self,
        input: LineReader,
        batch: &SolveBatch,
        ctx: &Context,
        each: OnLine<'_>,
    ) -> Result<(), BatchEnd> {
        let asked = ResultQuestion { question: self.asked(), metric: self.metric(), goal: self.goal };
        let results = batch.results.as_ref().map(|path| ResultFile::open(path, &asked)).transpose()?;
        line_batch::run(self, &input, results, batch, ctx, each)
    }

    fn solve_line(&self, number: u64, input: &str, is_last: &dyn Fn() -> bool, ctx: &Context) -> Result<LineSolution> {
        let start = parse_position(input)?.held();
        let goal = self.goal.held_like(&start)?;
        let mut found = Vec::new();
        let outcome = self.run((&start.position, &goal), is_last(), ctx, &mut |event| {
            if let Event::Solution(moves) = event {
                found.push(written(moves));
            }
        })?;
        let answer = &outcome.answer;
        let record = OptimalRecord {
            number,
            input: input.to_owned(),
            asked: self.asked(),
            table: self.table().to_owned(),
            length: answer.length,
            solution: found.first().cloned(),
            at_least: answer.at_least,
            solutions: answer.solutions,
            found: self.extra.map(|_| found),
            complete: outcome.complete,
            nodes: answer.nodes,
            look_ups: answer.look_ups,
            seconds: outcome.seconds,
        };
        Ok(LineSolution { answer: LineAnswer::Optimal(record), shortfall: self.shortfall(&outcome) })
    }
}

/// A solution in WCA notation: two equal quarter turns in a row become a half turn.
pub(super) fn merged(moves: &[Move]) -> MoveSequence {
    let mut merged: Vec<Move> = Vec::with_capacity(moves.len());
    for &turn in moves {
        match merged.last_mut() {
            Some(last) if *last == turn => *last = Move::new(turn.face(), 2),
            _ => merged.push(turn),
        }
    }
    MoveSequence::new(merged)
}

/// The solution as text.
pub(super) fn written(moves: &[Move]) -> String {
    merged(moves).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_puzzle::cube3::notation::parse_sequence;

    #[test]
    fn half_turns_are_two_quarter_turns() {
        let moves: Vec<Move> =
            ["U", "U", "R'", "F"].iter().flat_map(|turn| parse_sequence(turn).unwrap().moves().to_vec()).collect();
        assert_eq!(written(&moves), "U2 R' F");
    }

    #[test]
    fn bounds_have_the_parity_of_the_position() {
        for (metric, is_odd, depth, bound) in [
            (Metric::Htm, false, 16, 17),
            (Metric::Htm, true, 16, 17),
            (Metric::Qtm, false, 16, 18),
            (Metric::Qtm, true, 16, 17),
        ] {
            let mut tracker = Tracker::new(metric, is_odd);
            assert_eq!(tracker.finish(depth, 5), bound);
            assert_eq!(tracker.answer().at_least, bound);
        }
    }
}
