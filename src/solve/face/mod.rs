//! Optimal solving of the Square-1 family in face turns: a turn of one layer is one move, and so is a twist.
//!
//! Positions are taken as they lie, and the goal is the solved position as it lies, its middle layer square.
//!
//! Iterated depth-first search (IDA*) with the table of twists for its bound: a position that a twist led to needs a turn
//! before each of the `t` twists that are left, at least `2t` moves. A twist has about as many turns before it as two
//! moves can be chosen in, so a bound of two moves a twist cuts as much as there is to search, and few nodes are
//! left. `t` is that of the middle layer's parity; solutions of more twists than the fewest are found where the depth
//! leaves room for them.
//!
//! Before that, the cheapest of the solutions of the fewest twists gives an upper bound ([`fewest_twists`]): when nothing
//! shorter is found, it is optimal, and a search that is stopped has a solution to show.

mod fewest_twists;
mod search;
mod shared;
#[cfg(test)]
mod tests;

use std::time::Instant;

use self::search::{FaceRoot, FaceSearch, first_roots};
use self::shared::FaceShared;
use twistbase_core::context::{Context, SharedMeter};
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::square1::{LyingPieces, LyingTwist, Middle, Position, Step, TwistSequence};
use twistbase_query::{MiddleGoal, Square1Table};
use twistbase_store::Entries;

/// When a search in face turns ends without a proof.
#[derive(Debug, Clone, Copy, Default)]
pub struct FaceLimits {
    /// Time to stop.
    pub deadline: Option<Instant>,
    /// Nodes (positions that were gone on from) to stop after.
    pub max_nodes: Option<u64>,
    /// Whether the search is split among the threads of rayon's pool.
    pub parallel: bool,
}

/// A depth that a search in face turns has finished: there is no solution of so few moves. Told first of what the table
/// alone rules out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaceDepth {
    /// The depth.
    pub depth: u8,
    /// Nodes visited so far.
    pub nodes: u64,
}

/// Why a search in face turns ended before it had proved what it found to be shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceStop {
    /// A budget is spent.
    Budget,
    /// It was interrupted.
    Interrupted,
}

/// What a search in face turns found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaceAnswer {
    /// The shortest solution that was found; a shortest there is, if nothing stopped the search.
    pub solution: Option<TwistSequence>,
    /// There is no solution of fewer moves.
    pub at_least: u8,
    /// Nodes visited.
    pub nodes: u64,
    /// What stopped the search.
    pub stopped: Option<FaceStop>,
}

/// Searches a shortest solution of a position as it lies.
///
/// # Errors
/// Those of [`Square1Table::distance`]; [`Error::Data`] (damaged) if the table leads to a sequence that does not solve.
pub fn solve_by_face_turns<E: Entries>(
    table: &Square1Table<E>,
    start: &Position,
    limits: &FaceLimits,
    ctx: &Context,
    tell: &mut (dyn FnMut(FaceDepth) + Send),
) -> Result<FaceAnswer> {
    let shared = FaceShared { table, limits, meter: SharedMeter::new(limits.deadline, limits.max_nodes, ctx) };
    let mut task = FaceTask { shared: &shared, start, best: None, at_least: 0, tell };
    let searched = task.search();
    let stopped = match searched {
        Err(Error::Interrupted) => Some(FaceStop::Interrupted),
        searched => searched?.then_some(FaceStop::Budget),
    };
    let FaceTask { best, at_least, .. } = task;
    Ok(FaceAnswer { solution: best, at_least, nodes: shared.meter.nodes(), stopped })
}

/// A search, and what is known so far.
struct FaceTask<'s, 'a, E> {
    shared: &'s FaceShared<'a, E>,
    start: &'s Position,
    best: Option<TwistSequence>,
    at_least: u8,
    tell: &'s mut (dyn FnMut(FaceDepth) + Send),
}

impl<E: Entries> FaceTask<'_, '_, E> {
    /// Searches depth by depth; returns whether a budget was spent before the end.
    fn search(&mut self) -> Result<bool> {
        let (table, start) = (self.shared.table, LyingPieces::of(self.start));
        let twists = table.distance(self.start, MiddleGoal::Square)?.twists();
        if twists == 0
            && let Some(turns) = self.shared.turns_at_end(&start)
        {
            self.take(&[], turns)?;
            self.at_least = turns;
            return Ok(false);
        }
        // No turn is needed before the first twist, but before each of the others.
        self.at_least = (2 * twists).saturating_sub(1);
        self.finish_depth();
        if let Some(path) = fewest_twists::cheapest(self.shared, &start, self.start.middle(), twists)? {
            self.take(&path, u8::MAX)?;
        }
        let mut roots = FirstMoves::Start;
        while self.best.as_ref().is_none_or(|best| usize::from(self.at_least) < best.face_moves()) {
            let before = self.shared.meter.nodes();
            let found = roots.search(self.shared, self.start, self.at_least)?;
            if let Some(path) = found {
                self.take(&path, self.at_least)?;
                return Ok(false);
            }
            if self.shared.meter.is_spent() {
                return Ok(true);
            }
            self.at_least += 1;
            self.finish_depth();
            roots = roots.split(self.shared, self.start, self.shared.meter.nodes() - before, self.at_least)?;
        }
        Ok(false)
    }

    /// Tells that no solution is shorter than what is known by now.
    fn finish_depth(&mut self) {
        if let Some(depth) = self.at_least.checked_sub(1) {
            (self.tell)(FaceDepth { depth, nodes: self.shared.meter.nodes() });
        }
    }

    /// Takes a solution of at most this number of moves: the turns and twists, and the turn that is left at the end.
    fn take(&mut self, path: &[LyingTwist], most: u8) -> Result<()> {
        let colouring = self.shared.table.colouring();
        let (mut lying, mut steps) = (LyingPieces::of(self.start), Vec::with_capacity(2 * path.len() + 1));
        for &twist in path {
            let turn = lying.turn_before(twist);
            steps.extend((!turn.is_none()).then_some(Step::Turn(turn)).into_iter().chain([Step::Twist]));
            lying = lying.twisted(twist);
        }
        let end = lying.position(Middle::Square).solving_turn(colouring);
        steps.extend(end.filter(|turn| !turn.is_none()).map(Step::Turn));
        let sequence = TwistSequence::new(steps);
        let solves = |end: Position| {
            end.middle() == Middle::Square && end.solving_turn(colouring).is_some_and(|turn| turn.is_none())
        };
        let is_right = sequence.apply(self.start).is_ok_and(solves) && sequence.face_moves() <= usize::from(most);
        if !is_right {
            return Err(self.shared.contradiction(self.start));
        }
        self.best = Some(sequence);
        Ok(())
    }
}

/// Where a depth is searched from: the start, or the positions after the first twists, which threads share.
enum FirstMoves {
    Start,
    Split(Vec<FaceRoot>),
}

impl FirstMoves {
    /// A search of a depth that visited fewer nodes is not worth sharing.
    const WORTH_SHARING: u64 = 3000;
    /// Solutions of this number of moves may end among the first two twists: each has a turn of both layers before it, and so
    /// has the end.
    const SHORT: u8 = 8;

    fn search<E: Entries>(
        &self,
        shared: &FaceShared<'_, E>,
        start: &Position,
        depth: u8,
    ) -> Result<Option<Vec<LyingTwist>>> {
        match self {
            Self::Start => FaceSearch::new(shared).run(&FaceRoot::start(start), depth),
            Self::Split(roots) => search::share(shared, roots, depth),
        }
    }

    /// Where to search the next depth from, after this number of nodes at the last.
    fn split<E: Entries>(self, shared: &FaceShared<'_, E>, start: &Position, nodes: u64, depth: u8) -> Result<Self> {
        match self {
            Self::Start if shared.limits.parallel && nodes > Self::WORTH_SHARING && depth > Self::SHORT => {
                Ok(Self::Split(first_roots(shared, start)?))
            }
            same => Ok(same),
        }
    }
}
