//! Positions of the Square-1 family beyond the depth of a table: searches that meet in the middle.

use super::style::{SharedSquare1Table, Square1Style};
use crate::metric::BoundInMetric;
use crate::position::PuzzlePosition;
use crate::puzzle::{Effort, SolveTask, Solver};
use crate::solving::{SearchBudget, Shortfall, SolveOutcome, Solved};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::memory::available_memory;
use twistbase_puzzle::square1::Position;
use twistbase_query::{DeepenedEntries, Deepening, DeepeningRequest, Square1Table};

/// A table extended by a search around one position.
pub(super) type DeepenedTable = Square1Table<DeepenedEntries<CachedTable>>;

/// The options of a search beyond a table's depth.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeyondSearch {
    pub style: Square1Style,
    /// Whether to find the distances of all positions one twist away.
    pub neighbours: bool,
    pub budget: SearchBudget,
    /// Maximum bytes for the positions of a search.
    pub memory: u64,
}

/// The result for a position, after a search if needed.
#[derive(Debug)]
pub(super) enum Reach {
    /// The table holds it.
    Table,
    /// The search found it.
    Searched(Box<DeepenedTable>),
    /// The search did not find it within the budget, or was cancelled.
    AtLeast(BoundInMetric),
}

impl BeyondSearch {
    /// A search in a metric, for a goal, within the memory available now.
    pub fn new(style: Square1Style, budget: SearchBudget) -> Self {
        Self { style, neighbours: false, budget, memory: available_memory() }
    }

    /// The search with its share of memory, for one of many on rayon's threads.
    pub fn side_by_side(self) -> Self {
        Self { memory: self.memory / rayon::current_num_threads() as u64, ..self }
    }

    /// Searches for a position, if the table does not hold it.
    ///
    /// # Errors
    /// Those of [`Square1Table::deepened`].
    pub fn reach(&self, table: &SharedSquare1Table, position: &Position, ctx: &Context) -> Result<Reach> {
        let request = DeepeningRequest {
            goal: self.style.goal,
            neighbours: self.neighbours,
            deadline: self.budget.deadline(),
            max_nodes: self.budget.nodes,
            memory: self.memory,
            ctx,
        };
        Ok(match table.deepened(position, request)? {
            Deepening::Known => Reach::Table,
            Deepening::Reached(table) => Reach::Searched(table),
            Deepening::AtLeast(least) => {
                Reach::AtLeast(BoundInMetric { at_least: least.twists(), metric: self.style.metric.into() })
            }
        })
    }
}

/// A table built to a depth, and the options of searches beyond it.
#[derive(Debug)]
pub(super) struct BeyondSolver {
    pub table: SharedSquare1Table,
    pub search: BeyondSearch,
}

impl Solver for BeyondSolver {
    fn noun(&self) -> &'static str {
        "Square-1, over a table that was built to a depth,"
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_square1(self.table.definition(), input)
    }

    fn search(&self, task: SolveTask<'_>) -> Result<Solved> {
        let SolveTask { position, input, effort, ctx, .. } = task;
        ctx.check()?;
        let (search, part) = match effort {
            Effort::Alone => (self.search, ctx.clone()),
            Effort::Line(_) => (self.search.side_by_side(), ctx.of_part()),
        };
        let (table, style) = (&self.table, search.style);
        let start = position.of_square1(table.definition())?.position;
        let found = match search.reach(table, &start, &part)? {
            Reach::Table => style.first(table.clone(), &start)?,
            Reach::Searched(table) => style.first(table.into(), &start)?,
            Reach::AtLeast(bound) => {
                let shortfall = match ctx.is_cancelled() {
                    true => Shortfall::Interrupted { bound, shortest: None },
                    false => Shortfall::OnlyBound { bound },
                };
                return Ok(Solved { outcome: SolveOutcome::NotFound, shortfall: Some(shortfall) });
            }
        };
        let solution = style.report(input, table.definition(), &found, false);
        Ok(Solved { outcome: SolveOutcome::Found(solution), shortfall: None })
    }
}
