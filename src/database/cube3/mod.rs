//! The Rubik's cube behind the facade.

mod analysis;
mod auto;
mod choice;
mod distances;
mod exact;
pub(crate) mod goal;
mod insertions;
mod optimal;
mod pattern;
mod prepared;
mod scrambles;
mod states;
mod steps;
mod tables;
mod two_phase;

use std::sync::Arc;

pub use crate::answers::cube3::*;
pub use crate::puzzle_info::CUBE3;
pub use analysis::{AnalysisRequest, BySide, CubeAnalysis, CubeAnalyzer, GoalDistances, OptimalLength};
pub use choice::{CubeTables, TableChoice};
pub use distances::{GoalCounts, GoalLevel, GoalTables};
pub use insertions::{FoundInsertions, Insertion, InsertionsRequest, InsertionsSolution, InsertionsSolver};
pub use states::CubeState;
pub use steps::{Niss, SolvedStep, StepPlan, StepsRequest, StepsSolution, StepsSolver};
pub use tables::Cube3;

use super::answers::PositionReport;
use super::arrays::Cube3Arrays;
use super::metric::QuestionMetric;
use super::position::PuzzlePosition;
use super::puzzle::{Prepared, Puzzle, Question, Solver};
use super::puzzle_info::{noun, noun_with_goal};
use super::random::{RandomRequest, Scrambles};
use super::solving::{SolveMethod, SolveRequest};
use super::{PuzzleArrays, TableId};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_query::cube3::position_in_h;
use twistbase_tables::Kind;

use auto::AutoSolver;
use exact::ExactSearcher;
use optimal::OptimalSolver;
use prepared::PreparedCube3;
use two_phase::TwoPhaseSolver;

/// The metric of a question. Rejects options that the puzzle does not have.
fn metric_of(question: &Question) -> Result<Metric> {
    question.refuse_foreign(&noun(CUBE3), &["metric", "table", "exact"])?;
    let metric = QuestionMetric::of_cube(question.metric, CUBE3)?;
    question.table.map_or(Ok(()), |table| table.check_metric(metric))?;
    Ok(metric.unwrap_or_default())
}

/// The error of a table without exact distances, in a request for solutions.
fn lists_no_solutions(table: TableId) -> Error {
    Error::Usage(format!("table {table} lists no solutions: use phase2-exact, phase2-exact-qtm, or no table"))
}

impl Puzzle for Cube3 {
    fn name(&self) -> &'static str {
        CUBE3
    }

    fn tables(&self) -> Vec<TableId> {
        let own = TableId::all().filter(|table| table.definition().puzzle() == CUBE3);
        own.chain(goal::table_ids(CUBE3)).collect()
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube3(input)
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        if let Some(goal) = question.goal.as_deref().filter(|goal| pattern::is_pattern_or_position(goal)) {
            return pattern::prepare(goal, question, ctx);
        }
        if let Some(goal) = &question.goal {
            if goal::is_half_turns(goal)? {
                let open = |_| goal::half_turns(self.goals(), goal, ctx);
                return pattern::prepare_searched(&noun_with_goal(CUBE3), question, goal::only_half_turns, open);
            }
            return goal::prepare(self.goals(), goal, question, ctx);
        }
        let metric = metric_of(question)?;
        let choice = match question.table {
            Some(table) => TableChoice::Only(table),
            None => TableChoice::Built(metric),
        };
        // First, because the tables built here can guide the search.
        let tables = self.open_tables(choice, ctx);
        let exact = match question.solutions && question.table.is_some() {
            // The table gives these solutions without a search.
            true => None,
            false => ExactSearcher::open(self, choice, question, ctx)?,
        };
        let tables = match tables {
            // A table that answers no question can still guide the search.
            Err(error) if error.is_not_built() && exact.is_some() => Arc::new(CubeTables::none(choice)?),
            opened => opened?,
        };
        let &Question { table: only, detail, limit, .. } = question;
        Ok(Box::new(PreparedCube3 { tables, exact, only, detail, limit }))
    }

    fn check_listed(&self, position: &PuzzlePosition, input: &str, question: &Question) -> Result<()> {
        if question.goal.is_some() {
            return Ok(());
        }
        metric_of(question)?;
        let Some(table) = question.table else { return Ok(()) };
        match table.definition().kind() {
            Kind::PhaseTwo(phase_two) if phase_two.is_exact() => {
                Ok(position_in_h(input, position.of_cube3()?).map(drop)?)
            }
            _ => Err(lists_no_solutions(table)),
        }
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        if let Some(goal) = request.goal.as_deref().filter(|goal| goal::is_named(goal)) {
            if goal::is_half_turns(goal)? {
                let open = |_| goal::half_turns(self.goals(), goal, ctx);
                return pattern::solver_by_search(&noun_with_goal(CUBE3), request, goal::only_half_turns, open);
            }
            return goal::solver(self.goals(), goal, request, ctx);
        }
        if let Some(goal) = request.goal.as_deref().filter(|goal| pattern::is_pattern(goal)) {
            return pattern::solver(goal, request, ctx);
        }
        const OF_ALL: [&str; 5] = ["method", "metric", "goal", "time", "max-nodes"];
        const OF_SHORT: [&str; 1] = ["target"];
        const OF_OPTIMAL: [&str; 5] = ["table", "map", "extra", "limit", "max-depth"];
        request.refuse_foreign(&noun(CUBE3), &[&OF_ALL[..], &OF_SHORT, &OF_OPTIMAL].concat())?;
        let (method, own) = match request.method.unwrap_or_default() {
            SolveMethod::Auto => ("the method auto", &OF_SHORT[..]),
            SolveMethod::TwoPhase => ("the method two-phase", &OF_SHORT[..]),
            SolveMethod::PhaseTwo => ("the method phase2", &OF_SHORT[..]),
            SolveMethod::Optimal => ("the method optimal", &OF_OPTIMAL[..]),
        };
        request.refuse_foreign(method, &[&OF_ALL, own].concat())?;
        request.check_numbers()?;
        let metric = request.cube3_metric()?;
        match request.method.unwrap_or_default() {
            SolveMethod::Auto => Ok(Box::new(AutoSolver::new(self, metric, request, ctx)?)),
            SolveMethod::TwoPhase => Ok(Box::new(TwoPhaseSolver::two_phase(self, metric, request, ctx)?)),
            SolveMethod::PhaseTwo => Ok(Box::new(TwoPhaseSolver::in_h(self, metric, request, ctx)?)),
            SolveMethod::Optimal => Ok(Box::new(OptimalSolver::new(self, metric, request, ctx)?)),
        }
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        Ok(Box::new(
            request.cube3(seed)?.map(|(moves, position)| {
                PuzzlePosition::from(position).reached_by(moves.map(|moves| moves.to_string()))
            }),
        ))
    }

    fn scrambles(&self, request: &RandomRequest, seed: u64, ctx: &Context) -> Result<Scrambles> {
        request.check_scramble(CUBE3, &["state"])?;
        scrambles::scrambles(self, request.state, seed, ctx)
    }

    fn arrays(&self) -> Box<dyn PuzzleArrays> {
        Box::new(Cube3Arrays)
    }
}
