//! Solving by look-up in a complete table.

use std::fmt::Debug;

use super::answers::Solution;
use super::batch::{BatchEnd, BatchStop, LineAnswer, LineSolution, LineSolved, SolveBatch};
use super::lines::{LineReader, Portion, answer_in_order};
use super::position::PuzzlePosition;
use super::puzzle::Solver;
use super::solving::{SolveEvent, SolveOutcome, Solved};
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// A complete table that gives shortest solutions at once, without a budget.
pub(super) trait SolvedByLookUp: Send + Sync + Debug {
    /// The puzzle's name in errors.
    const SOLVES: &str;

    /// Numbers of positions to solve together: few if one takes long.
    fn portion(&self) -> Portion {
        Portion::SHORT_ANSWERS
    }

    /// Reads a position in any notation.
    ///
    /// # Errors
    /// The reasons why the input is invalid.
    fn read_position(&self, input: &str) -> Result<PuzzlePosition>;

    /// A shortest solution of a position, with this `input`.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) if the table cannot be read.
    fn first(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solution>;
}

impl<T: SolvedByLookUp> Solver for T {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        self.read_position(input)
    }

    fn solve_position(
        &self,
        position: &PuzzlePosition,
        input: &str,
        ctx: &Context,
        _on: &mut (dyn FnMut(SolveEvent) + Send),
    ) -> Result<Solved> {
        ctx.check()?;
        Ok(Solved { outcome: SolveOutcome::Found(self.first(position, input, ctx)?), shortfall: None })
    }

    fn solve_lines(
        &self,
        input: LineReader,
        batch: &SolveBatch,
        ctx: &Context,
        each: &mut (dyn FnMut(LineSolved) -> Result<(), BatchStop> + Send),
    ) -> Result<(), BatchEnd> {
        batch.refuse_results(T::SOLVES)?;
        let mut number = 0;
        let solved = |line: &str| self.first(&self.read_position(line)?, line, ctx);
        let answer = |lines: &[&str]| lines.iter().map(|line| (line.to_string(), solved(line))).collect::<Vec<_>>();
        answer_in_order(&input, self.portion(), ctx, &answer, &mut |answers| {
            let mut left = answers.iter().map(Vec::len).sum::<usize>();
            answers.into_iter().flatten().try_for_each(|(input, found)| {
                (number, left) = (number + 1, left - 1);
                let solution = |found| LineSolution { answer: LineAnswer::Solution(found), shortfall: None };
                each(LineSolved { number, input, solved: found.map(solution), is_followed: left > 0 })
            })
        })
    }
}
