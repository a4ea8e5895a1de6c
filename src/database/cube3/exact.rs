//! How far a position is by all moves of the cube, which no table tells: it is searched for.

use super::choice::TableChoice;
use super::optimal::{Tracker, written};
use super::tables::{Cube3, SharedOptimal};
use crate::TableId;
use crate::answers::cube3::ExactReport;
use crate::puzzle::{Detail, Question};
use crate::solving::{ExactSearch, SearchBudget};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{Cube, Metric, Move};
use twistbase_solve::{Event, LONGEST_SEARCH, OptimalLimits, Wanted};
use twistbase_tables::{self as tables, Counted};

/// Nodes of a search that is cheap: what it costs hardly shows beside the start of a process.
const CHEAP_NODES: u64 = 200_000;
/// Bytes of a table that is opened for a cheap search.
const CHEAP_TABLE: u64 = 512 << 20;

/// Searches for exact distances.
#[derive(Debug)]
pub(super) struct ExactSearcher {
    optimal: SharedOptimal,
    budget: SearchBudget,
    /// Whether a search is split among threads, and says how far it is: not where many positions are asked side by side, and not
    /// where it is cheap, so that the same question has the same answer.
    is_alone: bool,
}

impl ExactSearcher {
    /// What a question asks for; nothing, where that would be cheap and no table is there that makes it so.
    ///
    /// # Errors
    /// As [`Cube3::optimal`].
    pub fn open(cube: &Cube3, choice: TableChoice, question: &Question, ctx: &Context) -> Result<Option<Self>> {
        let metric = choice.metric()?;
        match question.exact {
            None => Ok(None),
            Some(ExactSearch::WhereCheap) => {
                let budget = SearchBudget { nodes: Some(CHEAP_NODES), ..SearchBudget::default() };
                let optimal = open_small(cube, metric, ctx)?;
                Ok(optimal.map(|optimal| Self { optimal, budget, is_alone: false }))
            }
            Some(ExactSearch::Within(budget)) => {
                let optimal = cube.optimal(Some(metric), question.table, false, ctx)?;
                Ok(Some(Self { optimal, budget, is_alone: question.detail == Detail::Full }))
            }
        }
    }

    /// Searches from a position. What an interrupt leaves is told as what a spent budget leaves.
    ///
    /// # Errors
    /// Those of [`Optimal::solve`](twistbase_solve::Optimal::solve).
    pub fn search(&self, position: &Cube, ctx: &Context) -> Result<ExactReport> {
        let metric = self.optimal.metric();
        let deadline = self.budget.deadline();
        let (max_nodes, parallel) = (self.budget.nodes, self.is_alone);
        let limits = OptimalLimits { max_depth: LONGEST_SEARCH, deadline, max_nodes, parallel };
        let wanted = Wanted { solutions: u64::MAX, extra: 0 };
        let mut tracker = Tracker::new(metric, position.is_odd());
        let (mut least, mut firsts) = (None::<Vec<Move>>, 0);
        let progress = self.is_alone.then(|| ctx.progress());
        let searched = self.optimal.solve(position, &Cube::SOLVED, wanted, &limits, ctx, &mut |event| match event {
            Event::Solution(moves) => {
                firsts |= first_moves(moves, metric);
                if least.as_ref().is_none_or(|least| moves < least.as_slice()) {
                    least = Some(moves.to_vec());
                }
            }
            Event::Depth { depth, nodes } => {
                let at_least = tracker.finish(depth, nodes);
                // How much is left can only be guessed: each depth takes some thirteen times as long as the one before.
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
        let (at_least, is_complete) = match searched {
            Err(Error::Interrupted) => (tracker.at_least(), false),
            searched => searched.map(|answer| (answer.at_least, answer.complete))?,
        };
        let distance = least.as_ref().map(|moves| moves.len() as u8);
        let nearer = || Move::of_mask(firsts).collect();
        Ok(ExactReport {
            distance,
            at_least: distance.unwrap_or(at_least),
            solution: least.as_deref().map(written),
            nearer: is_complete.then(nearer),
            table: self.optimal.table().definition().layout().name,
        })
    }
}

/// The mask of the moves that begin a solution, or one that differs only in the order of moves that commute. In the quarter-turn
/// metric a half turn is two equal quarter turns, either way round; it begins a solution as they do.
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

/// The optimal solver over the strongest table that is small; nothing, where there is none.
pub(super) fn open_small(cube: &Cube3, metric: Metric, ctx: &Context) -> Result<Option<SharedOptimal>> {
    let small = tables::heuristics(metric).map(|kind| kind.definition());
    let small = small.filter(|definition| definition.layout().bytes() <= CHEAP_TABLE);
    let small: Vec<TableId> = small.map(TableId::from).collect();
    Ok(cube.strongest_of(&small, false, ctx)?.ok())
}
