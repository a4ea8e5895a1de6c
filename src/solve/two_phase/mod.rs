//! Kociemba's two-phase algorithm: into H by phase 1, home by phase 2.
//!
//! Phase 1 goes through all ways into H of a length, guided by exact distances to H, so that every node it visits leads to
//! one. For each position in H that it reaches, the table of phase 2 shows whether the whole becomes short enough. It is
//! done for the three axes, and for the position and its inverse: the six searches go side by side, length by length.

mod roots;
mod search;
pub(crate) mod shared;
#[cfg(test)]
#[path = "tests/solutions.rs"]
mod solutions;
mod to_h;

use std::collections::HashSet;
use std::sync::atomic::AtomicI16;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use arrayvec::ArrayVec;
use rayon::prelude::*;
use serde::Serialize;

use super::coset_moves::{CosetMoves, can_end};
use super::images::is_symmetric_with_its_inverse;
use super::near::NearCosets;
use twistbase_core::context::{Context, SharedMeter};
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{CanonicalState, Cube, Metric, Move};
use twistbase_query::cube3::PhaseTwo;
use twistbase_store::{Entries, FlatTable};
use twistbase_tables::{CosetTable, Definition, PhaseOneTable, PhaseTwoTable};

use roots::{FIRST_LENGTHS, Permutations, PhaseOneRoot, STAGES, View, first_moves, for_each_ending, least_image};
use search::{ExactInH, PhaseOneSearch, PhaseOneStart};
use shared::{Best, TwoPhaseShared};
use to_h::ToH;

/// The two-phase solver over its tables: of each phase that of distances, `phase1` and `phase2`, or its twin modulo 3,
/// as bytes in memory, and `phase2-exact` over any reader, if there is one. All are of one metric, in which moves are counted.
///
/// Over twins it finds the same solutions: the distance of each position to start from comes of a walk, and a move on from
/// there a remainder shows whether it is nearer, as far or farther (Kociemba).
#[derive(Debug)]
pub struct TwoPhase<B, E> {
    metric: Metric,
    phase1: (&'static PhaseOneTable, FlatTable<B>),
    phase2: PhaseTwo<FlatTable<B>>,
    exact: Option<PhaseTwo<E>>,
}

/// When a search ends.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A solution of at most this number of moves is good enough. All positions have one of 20, or of 26 quarter turns.
    pub target: u8,
    /// Longer solutions than this are of no interest, and a longer `target` counts as this: at most [`LONGEST`], of which one is
    /// found at once.
    pub longest: u8,
    /// Time to stop.
    pub deadline: Option<Instant>,
    /// Nodes (positions visited by either phase) to stop after.
    pub max_nodes: Option<u64>,
    /// Whether the six searches share the threads of rayon's pool. With one thread, the same solution comes out each
    /// time.
    pub parallel: bool,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwoPhaseFound {
    /// The shortest solution met, if any.
    pub solution: Option<Vec<Move>>,
    /// Nodes visited.
    pub nodes: u64,
    /// Why it ended.
    pub stopped: Stopped,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stopped {
    /// The solution is as short as was asked for.
    Target,
    /// There is no shorter one: everything shorter has been tried.
    Shortest,
    /// Time or nodes are spent.
    Budget,
    /// It was interrupted.
    Interrupted,
}

/// Starts that a thread takes on at once, at most.
const STARTS_AT_ONCE: usize = 32;
/// Into how many parts the starts are dealt for each thread, if there are enough: some take much longer than others.
const PARTS_OF_A_THREAD: usize = 8;
/// From how many moves on the ways into H from one of few roots are shared among threads.
const SPLIT_FROM: u8 = 9;
/// Nodes between looks at the clock.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;
/// The longest solution of interest. The first way into H and a shortest one home take at most 12 and 18 moves. In quarter turns they
/// can take more, but some way into H that is a few moves longer leads to fewer.
pub const LONGEST: u8 = 30;

impl<B: AsRef<[u8]> + Sync, E: Entries> TwoPhase<B, E> {
    /// The solver over the bytes of a table of each phase, row after row, and a reader of `phase2-exact`.
    ///
    /// # Errors
    /// [`Error::Usage`] for tables that count in different metrics or tell distances in H, and when the bytes are not as many as
    /// the tables have; [`Error::Memory`] when there is no memory for what walks remember, 32 MiB.
    pub fn new(
        phase1: (&'static PhaseOneTable, B),
        phase2: (&'static PhaseTwoTable, B),
        exact: Option<PhaseTwo<E>>,
    ) -> Result<Self> {
        let ((to_h, phase1), (in_h, phase2)) = (phase1, phase2);
        let metric = to_h.move_metric();
        let is_of_metric = |table: &PhaseTwoTable| table.move_metric() == metric;
        let are_all = is_of_metric(in_h) && exact.as_ref().is_none_or(|exact| is_of_metric(exact.definition()));
        if !are_all || in_h.is_exact() {
            let [to_h, in_h] = [to_h.layout().name, in_h.layout().name];
            return Err(Error::Usage(format!("the tables {to_h} and {in_h} do not fit the two phases")));
        }
        let phase1 = (to_h, FlatTable::new(*to_h.layout(), phase1)?);
        let phase2 = PhaseTwo::over(in_h, FlatTable::new(*in_h.layout(), phase2)?).remembering()?;
        // What all searches share is worked out before the time of one begins: it takes longer than a first solution.
        CosetMoves::get();
        NearCosets::get(metric);
        Permutations::turns();
        Ok(Self { metric, phase1, phase2, exact })
    }

    /// How moves are counted.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The names of its tables: of phase 1, of phase 2, and of exact distances in H, if there are any.
    pub fn tables(&self) -> ArrayVec<&'static str, 3> {
        let exact = self.exact.as_ref().map(|exact| exact.definition().layout().name);
        [self.phase1.0.layout().name, self.phase2.definition().layout().name].into_iter().chain(exact).collect()
    }

    /// Whether it has exact distances in H.
    pub fn is_exact(&self) -> bool {
        self.exact.is_some()
    }

    /// Searches a sequence that leads from `start` to `goal`; `improved` gets each solution that is shorter than those
    /// before, with the nodes visited so far (other threads may have visited some thousands more).
    ///
    /// # Errors
    /// Those of the readers; [`Error::Data`] (damaged) if a solution does not solve; [`Error::Interrupted`] where
    /// there is no solution by then.
    pub fn solve(
        &self,
        start: &Cube,
        goal: &Cube,
        limits: &Limits,
        ctx: &Context,
        improved: &mut (dyn FnMut(&[Move], u64) + Send),
    ) -> Result<TwoPhaseFound> {
        // On one thread, a search would find a solution before it looks.
        ctx.check()?;
        let position = goal.inverse().then(start);
        let longest = limits.longest.min(LONGEST);
        let shared = TwoPhaseShared {
            metric: self.metric,
            position,
            // Whatever is found is no longer than the longest that is wanted.
            target: limits.target.min(longest),
            tables: self.tables(),
            to_h: ToH::new(self.phase1.0, &self.phase1.1),
            bounds: self.phase2.borrowed(),
            limits,
            meter: SharedMeter::new(limits.deadline, limits.max_nodes, ctx),
            bound: AtomicI16::new(longest.into()),
            best: Mutex::new(Best { solution: None, improved }),
        };
        let searched = search_all(self.exact.as_ref().map(|exact| exact as &dyn ExactInH), &shared);
        let nodes = shared.meter.nodes();
        let Best { solution, .. } = shared.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        let stopped = match searched {
            Err(Error::Interrupted) if solution.is_some() => Stopped::Interrupted,
            searched => searched?,
        };
        Ok(TwoPhaseFound { solution, nodes, stopped })
    }
}

/// Tries the ways into H, length by length.
fn search_all(exact: Option<&dyn ExactInH>, shared: &TwoPhaseShared<'_>) -> Result<Stopped> {
    let views = View::all(&shared.position);
    let one_of_images = is_symmetric_with_its_inverse(&shared.position);
    let run = |starts: &[PhaseOneStart<'_>], length| PhaseOneSearch::new(exact, shared, &views).run(starts, length);
    let parallel = shared.limits.parallel;
    let parts = if parallel { rayon::current_num_threads() * PARTS_OF_A_THREAD } else { 1 };
    let mut roots: [Vec<PhaseOneRoot>; STAGES] = Default::default();
    for length in 0..=LONGEST {
        let stages = FIRST_LENGTHS.iter().filter(|&&first| first <= length).count();
        // Threads share all stages, lest they wait for the last part of each. One thread goes from stage to stage: one that is not
        // needed has no roots.
        let together = if parallel { stages } else { 1 };
        for (first, group) in (0..).step_by(together).zip(roots[..stages].chunks_mut(together)) {
            if shared.is_over() {
                break;
            }
            for (after, roots) in (first..).zip(&mut *group).filter(|(_, roots)| roots.is_empty()) {
                *roots = find_roots(shared.metric, &views, one_of_images, after, &shared.to_h)?;
            }
            // Where there are many roots they are parts enough.
            let starts = group.iter().flat_map(|roots| starts(roots, length, roots.len() < parts));
            let starts: Vec<_> = starts.collect();
            if parallel {
                let at_once = starts.len().div_ceil(parts).clamp(1, STARTS_AT_ONCE);
                starts.par_chunks(at_once).try_for_each(|starts| run(starts, length))?;
            } else {
                run(&starts, length)?;
            }
        }
        if let Some(stopped) = shared.stopped(length) {
            return Ok(stopped);
        }
    }
    Ok(Stopped::Shortest)
}

/// Where to start from for solutions with `length` moves outside phase 2, if threads share the work each long search in parts by
/// its first move.
fn starts(roots: &[PhaseOneRoot], length: u8, shared: bool) -> impl Iterator<Item = PhaseOneStart<'_>> {
    let left = move |root: &PhaseOneRoot| length.checked_sub(root.after);
    let roots = roots.iter().filter(move |root| left(root).is_some_and(|left| can_end(root.distance, left)));
    roots.flat_map(move |root| {
        let is_split = shared && left(root).is_some_and(|left| left >= SPLIT_FROM);
        let whole = (!is_split).then_some(root.first);
        let parts = Move::of_mask(if is_split { root.first } else { 0 }).map(|turn| 1 << turn.index());
        whole.into_iter().chain(parts).map(move |first| PhaseOneStart { root, first })
    })
}

/// The positions from which phase 1 starts for solutions that end with `after` moves after phase 2, without images of others if one
/// of them is enough.
///
/// # Errors
/// Those of [`ToH::distance`].
fn find_roots(
    metric: Metric,
    views: &[View],
    one_of_images: bool,
    after: usize,
    to_h: &ToH<'_>,
) -> Result<Vec<PhaseOneRoot>> {
    let start_moves = CanonicalState::START.allowed(metric);
    let (mut roots, mut known, moves_table) = (Vec::new(), HashSet::new(), CosetMoves::get());
    for (view, start) in (0..).zip(views) {
        let mut add = |position: &Cube, moves: &[u8; STAGES - 1]| {
            if one_of_images && !known.insert(least_image(position)) {
                return;
            }
            let first = if one_of_images { first_moves(position) & start_moves } else { start_moves };
            let (coset, pieces) = (moves_table.coset(position), Permutations::of(position));
            roots.push(PhaseOneRoot { view, coset, distance: 0, pieces, last: *moves, after: after as u8, first });
        };
        for_each_ending(metric, &start.position, after, &mut [0; STAGES - 1], CanonicalState::START, &mut add);
    }
    // All look-ups after one another: those that miss the processor's caches then overlap.
    for root in &mut roots {
        root.distance = to_h.distance(root.coset)?;
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::tests::{SUPERFLIP, position};
    use twistbase_tables as tables;

    const ALL: u32 = CanonicalState::START.allowed(Metric::Htm);

    /// Of positions to start from that are images of each other one is stored, where that is asked for.
    #[test]
    fn one_root_of_several_images_is_kept() {
        let table = tables::phase_one(Metric::Htm);
        let zeros = FlatTable::new(*table.layout(), vec![0; table.layout().bytes() as usize]).unwrap();
        let to_h = ToH::new(table, &zeros);
        for (moves, after, known) in [
            // Every view of the superflip is the same, and the eight quarter turns that are not of H are images of each other.
            (SUPERFLIP, 0, Some((1, 1))),
            (SUPERFLIP, 1, Some((8, 1))),
            (SUPERFLIP, 2, None),
            (SUPERFLIP, 3, None),
            ("U2 D2", 2, None),
            ("R U", 1, None),
            ("R U F' L2 D", 0, Some((6, 6))),
            ("R U F' L2 D", 1, Some((48, 48))),
        ] {
            let views = View::all(&position(moves));
            let [all, kept] = [false, true].map(|one| find_roots(Metric::Htm, &views, one, after, &to_h).unwrap());
            let mut images = HashSet::new();
            let mut see = |position: &Cube, _: &_| images.extend([least_image(position)]);
            for view in &views {
                for_each_ending(
                    Metric::Htm,
                    &view.position,
                    after,
                    &mut [0; STAGES - 1],
                    CanonicalState::START,
                    &mut see,
                );
            }
            assert_eq!(kept.len(), images.len(), "{moves}");
            assert!(
                known.is_none_or(|known| known == (all.len(), kept.len())),
                "{moves}: {}, {}",
                all.len(),
                kept.len()
            );
            assert!(all.iter().all(|root| root.first == ALL));
        }
    }

    /// Long searches are shared among threads by their first moves; the parts make up what the root allows.
    #[test]
    fn long_searches_are_shared_in_parts() {
        let cube = position("R U F' L2 D");
        let (coset, pieces) = (CosetMoves::get().coset(&cube), Permutations::of(&cube));
        let first = 0b1011;
        let root = |after| PhaseOneRoot { view: 0, coset, distance: 4, pieces, last: [0; STAGES - 1], after, first };
        let roots = [root(0), root(2)];
        for (length, shared, parts) in [
            (3, true, [0, 0]),
            (4, true, [1, 0]),
            (8, true, [1, 1]),
            (9, true, [3, 1]),
            (11, true, [3, 3]),
            (11, false, [1, 1]),
        ] {
            let starts: Vec<_> = starts(&roots, length, shared).collect();
            for (root, parts) in roots.iter().zip(parts) {
                let of_root: Vec<u32> =
                    starts.iter().filter(|start| std::ptr::eq(start.root, root)).map(|start| start.first).collect();
                assert_eq!(of_root.len(), parts, "{length}");
                assert_eq!(of_root.iter().sum::<u32>(), if parts > 0 { first } else { 0 });
            }
        }
    }
}
