//! Solving by look-up: where the distance of every position is known, a shortest solution is read off.

use std::fmt::Debug;

use super::batch::{BatchEnd, BatchStop, LineAnswer, LineSolution, LineSolved, SolveBatch};
use super::lines::{LineReader, Portion, answer_in_order};
use super::puzzle::{Solution, Solver};
use super::solving::{SolveEvent, SolveOutcome, Solved};
use crate::context::Context;
use crate::error::Result;

/// A complete table from which shortest solutions are read off, which takes no time worth a budget.
pub(super) trait SolvedByLookUp: Send + Sync + Debug {
    /// What it solves, as errors name it.
    const SOLVES: &str;

    /// A shortest solution of a position.
    ///
    /// # Errors
    /// Why the input is no position; [`Error::Data`](crate::error::Error::Data) where the table cannot be read.
    fn first(&self, input: &str) -> Result<Solution>;
}

impl<T: SolvedByLookUp> Solver for T {
    fn solve(&self, input: &str, ctx: &Context, _on: &mut (dyn FnMut(SolveEvent) + Send)) -> Result<Solved> {
        ctx.check()?;
        Ok(Solved { outcome: SolveOutcome::Found(self.first(input)?), shortfall: None })
    }

    fn solve_lines(
        &self,
        input: LineReader,
        batch: &SolveBatch,
        ctx: &Context,
        each: &mut dyn FnMut(LineSolved) -> Result<(), BatchStop>,
    ) -> Result<(), BatchEnd> {
        batch.refuse_results(T::SOLVES)?;
        let mut number = 0;
        let answer = |line: &str| (line.to_owned(), self.first(line));
        answer_in_order(&input, Portion::SHORT_ANSWERS, ctx, answer, &mut |answers| {
            let mut left = answers.len();
            answers.into_iter().try_for_each(|(input, found)| {
                (number, left) = (number + 1, left - 1);
                let solution = |found| LineSolution { answer: LineAnswer::Solution(found), shortfall: None };
                each(LineSolved { number, input, solved: found.map(solution), is_followed: left > 0 })
            })
        })
    }
}
