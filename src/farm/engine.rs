//! What works on items.

use std::io::Cursor;

use super::plan::ItemList;
use super::record::{FarmFinding, FarmRecord};
use super::work::FarmWork;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_cosets::{CosetRequest, CoverSolver};
use twistbase_database::lines::LineReader;
use twistbase_database::{BatchEnd, BatchStop, Database, LineAnswer, LineSolution, SolveBatch, Solver};
use twistbase_levelset::Kernel;
use twistbase_query::RowChecker;

/// What works on the items of a plan, over tables that were opened.
pub(super) enum Engine {
    Cosets(Box<CoverSolver>),
    Solve(Box<dyn Solver>),
    Verify(Box<RowChecker>),
}

impl Engine {
    /// Opens what the work needs; memory, kernel and checkpoints are those of `request`.
    pub fn open(work: &FarmWork, request: &CosetRequest, database: &Database, ctx: &Context) -> Result<Self> {
        Ok(match work {
            FarmWork::Cosets(cosets) => Self::Cosets(Box::new(CoverSolver::open(
                database.store(),
                database.cache_mode(),
                cosets.options(request)?,
                &ctx.of_part(),
            )?)),
            FarmWork::Solve(solve) => Self::Solve(database.puzzle("cube3")?.solver(&solve.request()?, &ctx.of_part())?),
            FarmWork::Verify(verify) => {
                let (memory, kernel): (u64, Kernel) = (request.options.memory, request.options.kernel);
                Self::Verify(Box::new(database.row_checker(verify.table()?, memory, kernel)?))
            }
        })
    }

    /// Works on items, in their order, and hands each record to `keep` as soon as it is known.
    ///
    /// # Errors
    /// Those of the work, of `keep`, and [`Error::Interrupted`].
    pub fn run(
        &mut self,
        items: &[u64],
        list: &ItemList,
        ctx: &Context,
        keep: &mut (dyn FnMut(FarmRecord) -> Result<()> + Send),
    ) -> Result<()> {
        let number = |item| list.number(item).ok_or_else(|| Error::Usage(format!("item {item} is no number")));
        match self {
            Self::Cosets(solver) => items.iter().try_for_each(|&item| {
                ctx.check()?;
                let record = solver.solve(number(item)?, &mut |_| Ok(()))?;
                keep(FarmRecord { item, found: FarmFinding::Coset(Box::new(record)) })?;
                solver.forget_checkpoint(number(item)?)
            }),
            Self::Verify(checker) => items.iter().try_for_each(|&item| {
                ctx.check()?;
                let check = checker.check(number(item)?, &ctx.of_part())?;
                keep(FarmRecord { item, found: FarmFinding::Row(check) })
            }),
            Self::Solve(solver) => solve(solver.as_ref(), items, list, ctx, keep),
        }
    }
}

/// Solves lines, many side by side.
fn solve(
    solver: &dyn Solver,
    items: &[u64],
    list: &ItemList,
    ctx: &Context,
    keep: &mut (dyn FnMut(FarmRecord) -> Result<()> + Send),
) -> Result<()> {
    let text = items.iter().fold(String::new(), |text, &item| text + list.line(item) + "\n");
    let lines = LineReader::new(Cursor::new(text), "the list of a farm");
    let batch = SolveBatch { results: None, as_finished: true };
    let mut failure = None;
    let ended = solver.solve_lines(lines, &batch, ctx, &mut |line| {
        let item = items[line.number as usize - 1];
        let kept = line.solved.and_then(|LineSolution { answer, .. }| match answer {
            LineAnswer::Optimal(mut record) => {
                record.number = item + 1;
                keep(FarmRecord { item, found: FarmFinding::Answer(Box::new(record)) })
            }
            LineAnswer::Solution(_) | LineAnswer::Listed(_) => {
                Err(Error::Usage("the solver does not search optimally".to_owned()))
            }
        });
        kept.map_err(|error| {
            failure = Some(error);
            BatchStop
        })
    });
    match (failure, ended) {
        (Some(failure), _) | (None, Err(BatchEnd::Failed(failure))) => Err(failure),
        (None, Ok(()) | Err(BatchEnd::Stopped)) => Ok(()),
    }
}
