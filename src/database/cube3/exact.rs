//! Searches for the distance by all moves of the cube, which no table holds.

use super::choice::TableChoice;
use super::optimal::{Tracker, merged, written};
use super::tables::{Cube3, SharedOptimal};
use crate::TableId;
use crate::answers::FromSolved;
use crate::answers::cube3::{ExactReport, possible};
use crate::metric::BoundInMetric;
use crate::puzzle::{Detail, Question};
use crate::solving::{ExactSearch, SearchBudget, Shortfall};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{Cube, Metric, Move, MoveSequence};
use twistbase_solve::{Event, LONGEST_SEARCH, OptimalLimits, Wanted};
use twistbase_tables::{self as tables, Counted};

/// Nodes of a cheap search: it takes little time compared to the start of a process.
const CHEAP_NODES: u64 = 200_000;
/// Maximum bytes of a table to open for a cheap search.
const CHEAP_TABLE: u64 = 512 << 20;

/// Searches for exact distances.
#[derive(Debug)]
pub(super) struct ExactSearcher {
    optimal: SharedOptimal,
    budget: SearchBudget,
    /// Whether to split a search among threads and report its progress. Not for many positions in parallel. Not for cheap searches: there
    /// the same question must have the same answer.
    is_alone: bool,
}

impl ExactSearcher {
    /// The search for a question; `None` if it should be cheap and no table makes it cheap.
    ///
    /// # Errors
    /// As [`Cube3::optimal`].
    pub fn open(cube: &Cube3, choice: TableChoice, question: &Question, ctx: &Context) -> Result<Option<Self>> {
        let metric = choice.metric()?;
        match question.exact {
            None if !question.solutions => Ok(None),
            None | Some(ExactSearch::WhereCheap) => {
                let budget = SearchBudget { nodes: Some(CHEAP_NODES), ..SearchBudget::default() };
                let optimal = match open_small(cube, metric, ctx)? {
                    // Only a search can list them.
                    None if question.solutions => Some(cube.optimal(Some(metric), None, false, ctx)?),
                    small => small,
                };
                Ok(optimal.map(|optimal| Self { optimal, budget, is_alone: false }))
            }
            Some(ExactSearch::Within(budget)) => {
                let optimal = cube.optimal(Some(metric), question.table, false, ctx)?;
                Ok(Some(Self { optimal, budget, is_alone: question.detail == Detail::Full }))
            }
        }
    }

    /// Searches from a position. After an interrupt, as after a limit, the bound remains.
    ///
    /// # Errors
    /// Those of [`Optimal::solve`](twistbase_solve::Optimal::solve).
    pub fn search(&self, position: &Cube, ctx: &Context) -> Result<ExactReport> {
        let metric = self.optimal.metric();
        let (mut least, mut firsts, mut solutions) = (None::<Vec<Move>>, 0, 0);
        let (at_least, is_complete) = self.run(position, u64::MAX, ctx, &mut |moves| {
            solutions += 1;
            firsts |= first_moves(moves, metric);
            if least.as_ref().is_none_or(|least| moves < least.as_slice()) {
                least = Some(moves.to_vec());
            }
        })?;
        let distance = least.as_ref().map(|moves| moves.len() as u8);
        let at_least = possible(at_least, position, metric);
        let nearer = || Move::of_mask(firsts).collect();
        Ok(ExactReport {
            from_solved: distance.map_or(FromSolved { distance: None, at_least }, FromSolved::exactly),
            solution: least.as_deref().map(written),
            solutions: is_complete.then_some(solutions),
            nearer: is_complete.then(nearer),
            table: self.optimal.table().definition().layout().name,
        })
    }

    /// All shortest solutions of a position, at most `limit`.
    ///
    /// # Errors
    /// Those of [`Optimal::solve`](twistbase_solve::Optimal::solve); [`Error::Interrupted`]; [`Error::Budget`] if the budget ended
    /// before all were found.
    pub fn solutions(&self, position: &Cube, limit: u64, ctx: &Context) -> Result<Vec<MoveSequence>> {
        let mut solutions = Vec::new();
        let (at_least, is_complete) = self.run(position, limit, ctx, &mut |moves| solutions.push(moves.to_vec()))?;
        ctx.check()?;
        if !is_complete && (solutions.len() as u64) < limit {
            let bound = BoundInMetric { at_least, metric: self.optimal.metric().into() };
            return Err(Error::Budget(Shortfall::NotListed { bound }.to_string()));
        }
        solutions.sort_unstable();
        Ok(solutions.iter().map(|moves| merged(moves)).collect())
    }

    /// Searches for shortest solutions. Returns a lower bound of their length, and whether it found all requested ones.
    fn run(
        &self,
        position: &Cube,
        wanted: u64,
        ctx: &Context,
        each: &mut (dyn FnMut(&[Move]) + Send),
    ) -> Result<(u8, bool)> {
        let deadline = self.budget.deadline();
        let (max_nodes, parallel) = (self.budget.nodes, self.is_alone);
        let limits = OptimalLimits { max_depth: LONGEST_SEARCH, deadline, max_nodes, parallel };
        let wanted = Wanted { solutions: wanted, extra: 0 };
        let mut tracker = Tracker::new(self.optimal.metric(), position.is_odd());
        let progress = self.is_alone.then(|| ctx.progress());
        let searched = self.optimal.solve(position, &Cube::SOLVED, wanted, &limits, ctx, &mut |event| match event {
            Event::Solution(moves) => each(moves),
            Event::Depth { depth, nodes } => {
                let at_least = tracker.finish(depth, nodes);
                // An estimate: each depth takes about thirteen times as long as the one before.
                let guess = nodes.saturating_mul(13).max(1);
                progress.inspect(|it| {
                    it.begin(&format!("solutions of {}", Counted::Moves.count(at_least.into())), guess, "nodes")
                });
            }
            Event::Nodes(nodes) => {
                let more = nodes.saturating_sub(tracker.visit(nodes));
                progress.inspect(|it| it.advance(more));
            }
        });
        progress.inspect(|it| it.end());
        match searched {
            Err(Error::Interrupted) => Ok((tracker.at_least(), false)),
            searched => searched.map(|answer| (answer.at_least, answer.complete)),
        }
    }
}

/// The mask of the moves that begin a solution, or a solution with commuting moves in another order. In the quarter-turn metric a half
/// turn is two equal quarter turns in either direction; a half turn then begins a solution as they do.
fn first_moves(moves: &[Move], metric: Metric) -> u32 {
    let bit = |turn: Move| 1 << turn.index();
    let Some(face) = moves.first().map(|turn| turn.face()) else { return 0 };
    let of_axis = moves.iter().copied().take_while(|turn| [face, face.opposite()].contains(&turn.face()));
    let mut firsts = 0;
    for turn in of_axis {
        if metric == Metric::Qtm && firsts & bit(turn) != 0 {
            firsts |= bit(turn.inverse()) | bit(Move::new(turn.face(), 2));
        }
        firsts |= bit(turn);
    }
    firsts
}

/// The optimal solver over the strongest small table; `None` without one.
pub(super) fn open_small(cube: &Cube3, metric: Metric, ctx: &Context) -> Result<Option<SharedOptimal>> {
    let small = tables::heuristics(metric).map(|kind| kind.definition());
    let small = small.filter(|definition| definition.layout().bytes() <= CHEAP_TABLE);
    let small: Vec<TableId> = small.map(TableId::from).collect();
    Ok(cube.strongest_of(&small, false, ctx)?.ok())
}
