//! Optimal solving: iterated depth-first search with a table of lower bounds, after Korf, Kociemba and Rokicki (nxopt).
//!
//! A position is looked up along the three axes, and its inverse is as well: six bounds. A bound that equals what is
//! left also rules out all last moves (for the inverse: first moves) along its axis, because the table's subgroup holds
//! the turns of that axis; if it does so for all three axes, another move is needed. A node goes on at the end, first
//! or last move of what is left, where fewer moves are possible. A turn of an axis leaves what the other end sees along
//! that axis as it was: five look-ups are made, fewer if one rules out.

mod bounds;
mod heuristic;
mod node;
mod orders;
mod roots;
mod search;
mod shared;
#[cfg(test)]
mod tests;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use twistbase_core::context::{Context, SharedMeter};
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{Cube, Metric, Move};
use twistbase_query::LowerBound;
use twistbase_store::Packing;
use twistbase_tables::{CosetTable, Definition, HugeTable, Kind, NxTable, PhaseOneTable};

use bounds::Bounds;
use heuristic::{Heuristic, Modulo3Heuristic, Nx, PackedPhaseOne, PhaseOne, first_bounds};
use orders::{Others, judge};
use roots::Roots;
use shared::OptimalShared;

use crate::open::SearchBytes;

/// The longest solutions that are searched for, in moves: no position is farther than 20 in the half-turn metric, 26 in
/// the quarter-turn metric.
pub const LONGEST_SEARCH: u8 = 32;
const LONGEST: u8 = LONGEST_SEARCH;
/// Useful look-ups for a position: along three axes, of it and of its inverse.
const LOOK_UPS: usize = 2 * AXES;
/// The axes.
const AXES: usize = 3;

/// # Errors
/// [`Error::Usage`] for a table that no optimal search can use.
pub(super) fn must_be_heuristic(table: Kind) -> Result<()> {
    match table.definition().facts().strength {
        Some(_) => Ok(()),
        None => Err(no_heuristic(table)),
    }
}

/// Whether the solver converts a table in memory to one of its own: those of phase 1 with whole distances.
pub(super) fn is_packed_anew(table: Kind) -> bool {
    matches!(table, Kind::PhaseOne(table) if table.layout().packing == Packing::Nibbles)
}

fn no_heuristic(table: Kind) -> Error {
    Error::Usage(format!("table {} guides no optimal search", table.name()))
}

/// A table as the search looks it up: `P` or `B` hold what it reads.
#[derive(Debug)]
enum HeuristicEntries<P, B> {
    PhaseOne(&'static PhaseOneTable, P),
    PhaseOneModulo3(&'static PhaseOneTable, B),
    Huge(&'static HugeTable, B),
    Nx(&'static NxTable, B),
}

impl<B: SearchBytes> HeuristicEntries<PackedPhaseOne, B> {
    /// # Errors
    /// [`Error::Usage`] when there are not as many bytes as the table has, or no search can use it.
    fn new(table: Kind, bytes: B) -> Result<Self> {
        must_be_heuristic(table)?;
        Ok(match table {
            Kind::PhaseOne(packed) if is_packed_anew(table) => {
                let entries = PackedPhaseOne::new(packed, bytes.as_ref())?;
                bytes.check_unchanged()?;
                Self::PhaseOne(packed, entries)
            }
            Kind::PhaseOne(table) => Self::PhaseOneModulo3(table, bytes),
            Kind::Huge(table) => Self::Huge(table, bytes),
            Kind::Pruning(table) => Self::Nx(table, bytes),
            Kind::Twists(_) | Kind::Endings(_) | Kind::PhaseTwo(_) | Kind::Defined(_) => {
                return Err(no_heuristic(table));
            }
        })
    }

    fn definition(&self) -> &'static dyn CosetTable {
        match self {
            Self::PhaseOne(table, _) | Self::PhaseOneModulo3(table, _) => *table,
            Self::Huge(table, _) => *table,
            Self::Nx(table, _) => *table,
        }
    }

    fn check_unchanged(&self) -> Result<()> {
        match self {
            Self::PhaseOne(..) => Ok(()),
            Self::PhaseOneModulo3(_, bytes) | Self::Huge(_, bytes) | Self::Nx(_, bytes) => bytes.check_unchanged(),
        }
    }

    fn borrowed(&self) -> HeuristicEntries<&PackedPhaseOne, &[u8]> {
        match self {
            Self::PhaseOne(table, packed) => HeuristicEntries::PhaseOne(table, packed),
            Self::PhaseOneModulo3(table, bytes) => HeuristicEntries::PhaseOneModulo3(table, bytes.as_ref()),
            Self::Huge(table, bytes) => HeuristicEntries::Huge(table, bytes.as_ref()),
            Self::Nx(table, bytes) => HeuristicEntries::Nx(table, bytes.as_ref()),
        }
    }
}

impl<'a> HeuristicEntries<&'a PackedPhaseOne, &'a [u8]> {
    /// What searches by the table. (Whoever holds the bytes, searches are compiled once, here.)
    ///
    /// # Errors
    /// [`Error::Usage`] when there are not as many bytes as the table has.
    fn search(self) -> Result<Box<dyn SearchByTable + 'a>> {
        Ok(match self {
            Self::PhaseOne(table, packed) => Box::new(PhaseOne::new(table, packed)),
            Self::PhaseOneModulo3(table, bytes) => Box::new(Modulo3Heuristic::over_phase_one(table, bytes)?),
            Self::Huge(table, bytes) => Box::new(Modulo3Heuristic::over_huge(table, bytes)?),
            Self::Nx(table, bytes) => Box::new(Nx::new(table, bytes)?),
        })
    }
}

/// Work with any table.
trait SearchByTable {
    /// As [`judge`].
    fn judge(&self) -> Others;

    /// As [`Optimal::bound`].
    fn bound(&self, position: &Cube) -> Result<LowerBound>;

    /// Searches depth by depth.
    fn run(&self, wanted: Wanted, shared: &OptimalShared<'_>) -> Result<SearchAnswer>;
}

impl<G: Heuristic> SearchByTable for G {
    fn judge(&self) -> Others {
        judge(self)
    }

    fn bound(&self, position: &Cube) -> Result<LowerBound> {
        let bounds = first_bounds(self, position)?;
        Ok(LowerBound::new(first_depth(bounds, position, Metric::Htm)))
    }

    fn run(&self, wanted: Wanted, shared: &OptimalShared<'_>) -> Result<SearchAnswer> {
        search(self, wanted, shared)
    }
}

/// An optimal solver over a table's bytes, in memory or mapped; of `phase1` it makes a table of its own, of half the
/// size.
#[derive(Debug)]
pub struct Optimal<B> {
    entries: HeuristicEntries<PackedPhaseOne, B>,
    others: Others,
}

/// A request for an optimal search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// How many solutions at most: 1 for any. For 0 nothing is searched.
    pub solutions: u64,
    /// Solutions that are this number of moves longer than the shortest ones are wanted, too.
    pub extra: u8,
}

impl Wanted {
    /// Any of the shortest solutions.
    pub const ANY: Self = Self { solutions: 1, extra: 0 };
}

/// When an optimal search ends without an answer.
#[derive(Debug, Clone, Copy)]
pub struct OptimalLimits {
    /// Longer solutions are of no interest: at most [`LONGEST_SEARCH`].
    pub max_depth: u8,
    /// Time to stop.
    pub deadline: Option<Instant>,
    /// Nodes (positions that were gone on from) to stop after.
    pub max_nodes: Option<u64>,
    /// Whether the search is split among the threads of rayon's pool.
    pub parallel: bool,
}

/// What happens during an optimal search.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A solution; shorter ones come first.
    Solution(&'a [Move]),
    /// There is no solution, or no further one, of up to `depth` moves. Told first of what the table alone rules out.
    Depth {
        /// The depth that is finished.
        depth: u8,
        /// Nodes visited so far.
        nodes: u64,
    },
    /// So many nodes have been visited so far. Told now and then, by searches that are split among threads.
    Nodes(u64),
}

/// What an optimal search found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchAnswer {
    /// The length of the shortest solutions, if one was found.
    pub length: Option<u8>,
    /// There is no solution of fewer moves.
    pub at_least: u8,
    /// Solutions told.
    pub solutions: u64,
    /// Whether all solutions that were asked for have been told, as far as their number was not limited.
    pub complete: bool,
    /// Nodes visited.
    pub nodes: u64,
    /// Look-ups made in the table.
    pub look_ups: u64,
}

impl<B: SearchBytes> Optimal<B> {
    /// A solver over the bytes of a table, row after row.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) when there are not as many bytes as the table has, or it has no
    /// [strength](twistbase_tables::TableFacts::strength).
    pub fn new(table: Kind, bytes: B) -> Result<Self> {
        let entries = HeuristicEntries::new(table, bytes)?;
        let others = entries.borrowed().search()?.judge();
        Ok(Self { entries, others })
    }

    /// How moves are counted.
    pub fn metric(&self) -> Metric {
        self.entries.definition().move_metric()
    }

    /// The table that guides it.
    pub fn table(&self) -> Kind {
        self.entries.definition().kind()
    }

    /// What six look-ups give of a position's distance, without a search; in the quarter-turn metric its parity does
    /// not count.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself, or is mapped and was changed.
    pub fn bound(&self, position: &Cube) -> Result<LowerBound> {
        let bound = self.entries.borrowed().search()?.bound(position);
        self.entries.check_unchanged()?;
        bound
    }

    /// Searches the shortest sequences that lead from `start` to `goal`.
    ///
    /// Of sequences that differ only in the order of turns of opposite faces, one is found
    /// ([`CanonicalState`](twistbase_puzzle::cube3::CanonicalState)).
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if a solution does not solve, or the table is mapped and was
    /// changed: what was found since then is not told;
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn solve(
        &self,
        start: &Cube,
        goal: &Cube,
        wanted: Wanted,
        limits: &OptimalLimits,
        ctx: &Context,
        tell: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<SearchAnswer> {
        let shared = OptimalShared {
            position: goal.inverse().then(start),
            table: self.table().name(),
            others: &self.others,
            wanted: wanted.solutions,
            limits,
            meter: SharedMeter::new(limits.deadline, limits.max_nodes, ctx),
            look_ups: AtomicU64::new(0),
            found: AtomicU64::new(0),
            check_unchanged: &|| self.entries.check_unchanged(),
            tell: Mutex::new(tell),
        };
        if wanted.solutions == 0 {
            shared.meter.end();
        }
        let searched = self.entries.borrowed().search()?.run(wanted, &shared);
        // Whatever a search came to: of bytes that were changed it says nothing.
        self.entries.check_unchanged()?;
        searched
    }
}

/// Searches depth by depth.
fn search<G: Heuristic>(heuristic: &G, wanted: Wanted, shared: &OptimalShared<'_>) -> Result<SearchAnswer> {
    let bounds = first_bounds(heuristic, &shared.position)?;
    let step = step(heuristic.metric());
    let mut depth = first_depth(bounds, &shared.position, heuristic.metric());
    if let Some(depth) = depth.checked_sub(1) {
        shared.tell(Event::Depth { depth, nodes: 0 })?;
    }
    let mut answer =
        SearchAnswer { length: None, at_least: depth, solutions: 0, complete: false, nodes: 0, look_ups: 0 };
    let mut last = shared.limits.max_depth.min(LONGEST);
    let mut roots = Roots::new(heuristic, &shared.position, wanted == Wanted::ANY)?;
    while depth <= last && !shared.meter.is_over() {
        let nodes = if depth == 0 {
            shared.offer(&[])?;
            0
        } else {
            match roots.search(heuristic, shared, depth) {
                // All that is wanted was told before the interrupt was heard.
                Err(Error::Interrupted) if shared.found.load(Ordering::Relaxed) >= shared.wanted => 0,
                searched => searched?,
            }
        };
        let found = shared.found.load(Ordering::Relaxed);
        if found > 0 && answer.length.is_none() {
            answer.length = Some(depth);
            last = last.min(depth.saturating_add(wanted.extra));
        }
        if !shared.meter.is_over() {
            shared.tell(Event::Depth { depth, nodes: shared.meter.nodes() })?;
            depth += step;
            answer.at_least = answer.length.unwrap_or(depth);
            roots.split(heuristic, nodes, depth)?;
        }
    }
    answer.complete = depth > last && answer.length.is_some() || shared.meter.is_ended();
    answer.solutions = shared.found.load(Ordering::Relaxed);
    answer.nodes = shared.meter.nodes();
    answer.look_ups = shared.look_ups.load(Ordering::Relaxed);
    Ok(answer)
}

/// By how much lengths of sequences between the same positions differ at least: in the quarter-turn metric their parity
/// is that of the position.
fn step(metric: Metric) -> u8 {
    match metric {
        Metric::Htm => 1,
        Metric::Qtm => 2,
    }
}

/// The first length that the bounds do not rule out.
fn first_depth(bounds: Bounds, position: &Cube, metric: Metric) -> u8 {
    let mut depth = if metric == Metric::Qtm { u8::from(position.is_odd()) } else { 0 };
    while depth > 0 && bounds.are_hopeless(depth) || depth == 0 && !position.is_solved() {
        depth += step(metric);
    }
    depth
}
