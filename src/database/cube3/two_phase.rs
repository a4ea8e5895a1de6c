//! Solutions by the two-phase solver, or by moves of H.

use std::sync::Arc;
use std::time::Instant;

use super::tables::Cube3;
use crate::answers::Solution;
use crate::answers::cube3::TwoPhaseSolution;
use crate::position::PuzzlePosition;
use crate::puzzle::{SolveTask, Solver};
use crate::puzzle_info::CUBE3;
use crate::solving::{Cube3Goal, SearchBudget, Shortfall, SolveEvent, SolveOutcome, SolveRequest, Solved};
use twistbase_cache::CachedTable;
use twistbase_core::context::{Context, SearchMeter};
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::notation::{HeldCube, wca};
use twistbase_puzzle::cube3::{Cube, Metric, Move};
use twistbase_query::cube3::{PhaseTwo, position_in_h};
use twistbase_solve::{LONGEST, Limits, Stopped, TableBytes, TwoPhase};
use twistbase_tables::{self as tables, Counted, Definition};

/// God's number: every position has a solution of at most this length.
pub(super) fn always_enough(metric: Metric) -> u8 {
    match metric {
        Metric::Htm => 20,
        Metric::Qtm => 26,
    }
}

/// The tables of a method.
#[derive(Debug)]
enum MethodTables {
    TwoPhase(Arc<TwoPhase<TableBytes, CachedTable>>),
    InH(Arc<PhaseTwo<CachedTable>>),
}

/// A solver, and the question.
#[derive(Debug)]
pub(super) struct TwoPhaseSolver {
    tables: MethodTables,
    metric: Metric,
    goal: Cube3Goal,
    goal_text: Option<String>,
    target: Option<u8>,
    budget: SearchBudget,
}

/// The result of a search.
struct SearchOutcome {
    best: Option<Vec<Move>>,
    nodes: u64,
    seconds: f64,
    end: Stopped,
}

impl TwoPhaseSolver {
    /// Opens the two-phase solver.
    pub fn two_phase(cube: &Cube3, metric: Option<Metric>, request: &SolveRequest, ctx: &Context) -> Result<Self> {
        let (metric, goal) = (metric.unwrap_or_default(), request.cube3_goal()?);
        Ok(Self::new(MethodTables::TwoPhase(cube.two_phase(metric, ctx)?), metric, goal, request))
    }

    /// Opens the solver by moves of H.
    pub fn in_h(cube: &Cube3, metric: Option<Metric>, request: &SolveRequest, ctx: &Context) -> Result<Self> {
        let (metric, goal) = (metric.unwrap_or_default(), request.cube3_goal()?);
        Ok(Self::new(MethodTables::InH(cube.phase_two(metric, ctx)?), metric, goal, request))
    }

    fn new(tables: MethodTables, metric: Metric, goal: Cube3Goal, request: &SolveRequest) -> Self {
        let SolveRequest { goal: goal_text, target, budget, .. } = request.clone();
        Self { tables, metric, goal, goal_text, target, budget }
    }

    /// The length to stop at.
    fn target(&self) -> u8 {
        self.target.unwrap_or(if self.budget.is_limited() { 0 } else { always_enough(self.metric) })
    }

    /// Searches solutions of at most `longest` moves, until one has at most `target` moves.
    fn run(
        &self,
        (start, input): (&HeldCube<Cube>, &str),
        (target, longest): (u8, u8),
        parallel: bool,
        ctx: &Context,
        improved: &mut (dyn FnMut(Solution) + Send),
    ) -> Result<SearchOutcome> {
        let (started, goal) = (Instant::now(), self.goal.held_like(start)?);
        let start = &start.position;
        let deadline = self.budget.deadline();
        let mut report = |moves: &[Move], nodes| {
            let solution = self.solution(input, moves, nodes, started.elapsed().as_secs_f64());
            improved(Solution::TwoPhase(solution));
        };
        let max_nodes = self.budget.nodes;
        let (best, nodes, end) = match &self.tables {
            MethodTables::TwoPhase(solver) => {
                let limits = Limits { target, longest, deadline, max_nodes, parallel };
                let found = solver.solve(start, &goal, &limits, ctx, &mut report)?;
                (found.solution, found.nodes, found.stopped)
            }
            MethodTables::InH(table) => {
                let h_position = position_in_h(input, &goal.inverse().then(start))?;
                let farthest = tables::phase_two(self.metric, true).farthest();
                let mut meter = SearchMeter::new(deadline, max_nodes, ctx);
                let solution = table.solve(&h_position, farthest, &mut || meter.visit())?;
                solution.iter().for_each(|moves| report(moves, meter.nodes()));
                (solution, meter.nodes(), if meter.is_spent() { Stopped::Budget } else { Stopped::Shortest })
            }
        };
        Ok(SearchOutcome { best, nodes, seconds: started.elapsed().as_secs_f64(), end })
    }

    /// The reason why a result is not everything that was asked.
    fn shortfall(&self, SearchOutcome { best, nodes, end, .. }: &SearchOutcome) -> Option<Shortfall> {
        let (target, nodes) = (self.target(), *nodes);
        let is_spent = *end == Stopped::Budget;
        let moves = match self.tables {
            MethodTables::TwoPhase(_) => Counted::Moves,
            MethodTables::InH(_) => Counted::MovesOfH,
        };
        match best.as_ref().map(|moves| self.metric.length(moves)) {
            Some(length) if *end == Stopped::Interrupted => Some(Shortfall::Stopped { length, moves }),
            Some(length) if self.target.is_none() || length <= target.into() => None,
            Some(length) if is_spent => Some(Shortfall::AboveTarget { length, target, moves }),
            Some(length) if *end == Stopped::Target => Some(Shortfall::OnlyLonger { length, target, moves }),
            Some(length) => Some(Shortfall::NoneSoShort { length, target, moves }),
            None => Some(Shortfall::NothingFound { nodes }),
        }
    }

    fn solution(&self, input: &str, moves: &[Move], nodes: u64, seconds: f64) -> TwoPhaseSolution {
        TwoPhaseSolution {
            input: input.to_owned(),
            puzzle: CUBE3,
            length: self.metric.length(moves),
            metric: self.metric.name(),
            solution: wca::print(moves),
            goal: self.goal_text.clone(),
            method: match self.tables {
                MethodTables::TwoPhase(_) => "two-phase",
                MethodTables::InH(_) => "phase2",
            },
            tables: match &self.tables {
                MethodTables::TwoPhase(solver) => solver.tables().to_vec(),
                MethodTables::InH(table) => vec![table.definition().layout().name],
            },
            nodes,
            seconds,
            proof: None,
            stopped: None,
            r#final: false,
        }
    }

    /// The best solution of a search.
    fn last(&self, input: &str, outcome: &SearchOutcome) -> Option<Solution> {
        let moves = outcome.best.as_ref()?;
        let solution = self.solution(input, moves, outcome.nodes, outcome.seconds);
        Some(Solution::TwoPhase(TwoPhaseSolution { stopped: Some(outcome.end), r#final: true, ..solution }))
    }
}

impl Solver for TwoPhaseSolver {
    fn noun(&self) -> &'static str {
        match self.tables {
            MethodTables::TwoPhase(_) => "the method two-phase",
            MethodTables::InH(_) => "the method phase2",
        }
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube3(input)
    }

    fn search(&self, task: SolveTask<'_>) -> Result<Solved> {
        let SolveTask { position, input, effort, ctx, on } = task;
        let start = position.held_cube3()?;
        // On one thread a line always has the same solution.
        let mut search = |lengths| {
            let improved = &mut |solution| on(SolveEvent::Solution(solution));
            self.run((start, input), lengths, effort.is_alone(), ctx, improved)
        };
        // Without a budget, solutions of a line that are longer than the target are of no interest.
        let longest = if effort.is_alone() || self.budget.is_limited() { LONGEST } else { self.target() };
        let mut outcome = search((self.target(), longest))?;
        if outcome.best.is_none() && longest < LONGEST {
            // No solution is as short as the target. The shortest could take hours; one that is always short enough is found soon.
            let SearchOutcome { nodes, seconds, .. } = outcome;
            outcome = search((always_enough(self.metric).max(self.target()), LONGEST))?;
            (outcome.nodes, outcome.seconds) = (outcome.nodes + nodes, outcome.seconds + seconds);
        }
        let found = self.last(input, &outcome).map_or(SolveOutcome::NotFound, SolveOutcome::Found);
        Ok(Solved { outcome: found, shortfall: self.shortfall(&outcome) })
    }
}
