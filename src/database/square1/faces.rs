//! The Square-1 family solved in face turns.

use std::time::Instant;

use super::style::SharedSquare1Table;
use crate::answers::Solution;
use crate::answers::square1::{FaceSearchReport, Square1SolutionReport};
use crate::metric::{BoundInMetric, QuestionMetric};
use crate::position::PuzzlePosition;
use crate::puzzle::{SolveTask, Solver};
use crate::solving::{SearchBudget, Shortfall, SolveEvent, SolveOutcome, Solved};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;
use twistbase_solve::{FaceAnswer, FaceDepth, FaceLimits, FaceStop, solve_by_face_turns};
use twistbase_tables::Definition;

/// A table, and the options of the search.
#[derive(Debug)]
pub(super) struct FaceSolver {
    pub table: SharedSquare1Table,
    pub budget: SearchBudget,
    pub notation: SequenceNotation,
}

/// The result of a search.
struct FaceOutcome {
    answer: FaceAnswer,
    seconds: f64,
}

impl FaceSolver {
    /// Searches from a position.
    fn run(
        &self,
        position: &PuzzlePosition,
        parallel: bool,
        ctx: &Context,
        tell: &mut (dyn FnMut(FaceDepth) + Send),
    ) -> Result<FaceOutcome> {
        let start = position.of_square1(self.table.definition())?.position;
        let started = Instant::now();
        let deadline = self.budget.deadline();
        let limits = FaceLimits { deadline, max_nodes: self.budget.nodes, parallel };
        let answer = solve_by_face_turns(&*self.table, &start, &limits, ctx, tell)?;
        Ok(FaceOutcome { answer, seconds: started.elapsed().as_secs_f64() })
    }

    /// The best solution found.
    fn best(&self, input: &str, FaceOutcome { answer, seconds }: &FaceOutcome) -> Option<Solution> {
        let sequence = answer.solution.as_ref()?;
        let FaceAnswer { at_least, nodes, .. } = *answer;
        Some(Solution::Square1(Square1SolutionReport {
            input: input.to_owned(),
            goal: None,
            puzzle: self.table.definition().puzzle(),
            length: sequence.face_moves(),
            metric: QuestionMetric::Face,
            middle_goal: MiddleGoal::Square,
            solution: self.notation.write(sequence),
            shapes: None,
            stays_in_cube_shape: None,
            search: Some(FaceSearchReport { at_least, nodes, seconds: *seconds }),
        }))
    }
}

/// The reason why a search did not find a shortest solution.
fn shortfall(answer: &FaceAnswer) -> Option<Shortfall> {
    let bound = bound(answer.at_least);
    match (answer.stopped?, &answer.solution) {
        (FaceStop::Interrupted, _) => Some(Shortfall::Interrupted { bound, shortest: None }),
        (FaceStop::Budget, Some(best)) => Some(Shortfall::NotProved { length: best.face_moves(), bound }),
        (FaceStop::Budget, None) => Some(Shortfall::OnlyBound { bound }),
    }
}

fn bound(at_least: u8) -> BoundInMetric {
    BoundInMetric { at_least, metric: QuestionMetric::Face }
}

impl Solver for FaceSolver {
    fn noun(&self) -> &'static str {
        "Square-1, solved in face turns,"
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_square1(self.table.definition(), input)
    }

    fn search(&self, task: SolveTask<'_>) -> Result<Solved> {
        let SolveTask { position, input, effort, ctx, on } = task;
        let outcome = self.run(position, effort.is_parallel(), ctx, &mut |FaceDepth { depth, nodes }| {
            on(SolveEvent::DepthFinished { bound: bound(depth + 1), nodes });
        })?;
        let found = self.best(input, &outcome).map_or(SolveOutcome::NotFound, SolveOutcome::Found);
        Ok(Solved { outcome: found, shortfall: shortfall(&outcome.answer) })
    }
}
