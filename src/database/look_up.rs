//! Solving by look-up: a solution is the first one that a question lists.

use super::batch::{BatchEnd, LineAnswer, LineSolution, LineSolved, SolveBatch};
use super::lines::{Line, LineReader, Portion, answer_in_order};
use super::position::PuzzlePosition;
use super::puzzle::{OnLine, Prepared, SolveTask, Solver};
use super::solving::{SolveOutcome, Solved};
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// Prepared tables that give shortest solutions at once, without a budget.
#[derive(Debug)]
pub(super) struct LookUpSolver<P> {
    pub prepared: P,
    /// What is solved, in errors.
    pub noun: &'static str,
    /// Numbers of positions to solve together: few if one takes long.
    pub portion: Portion,
}

impl<P: Prepared> Solver for LookUpSolver<P> {
    fn noun(&self) -> &'static str {
        self.noun
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        self.prepared.read(input)
    }

    fn search(&self, task: SolveTask<'_>) -> Result<Solved> {
        let SolveTask { position, input, ctx, .. } = task;
        ctx.check()?;
        Ok(Solved { outcome: SolveOutcome::Found(self.prepared.first(position, input, ctx)?), shortfall: None })
    }

    fn solve_lines(
        &self,
        input: LineReader,
        batch: &SolveBatch,
        ctx: &Context,
        each: OnLine<'_>,
    ) -> Result<(), BatchEnd> {
        batch.refuse_results(self.noun)?;
        let mut number = 0;
        let solved = |line: &str| self.prepared.first(&self.read(line)?, line, ctx);
        let answer = |lines: &[Line<'_>]| {
            lines.iter().map(|&Line { text, .. }| (text.to_owned(), solved(text))).collect::<Vec<_>>()
        };
        answer_in_order(&input, self.portion, ctx, &answer, &mut |answers| {
            let mut left = answers.iter().map(Vec::len).sum::<usize>();
            answers.into_iter().flatten().try_for_each(|(input, found)| {
                (number, left) = (number + 1, left - 1);
                let solution = |found| LineSolution { answer: LineAnswer::Solution(found), shortfall: None };
                each(LineSolved { number, input, solved: found.map(solution), is_followed: left > 0 })
            })
        })
    }
}
