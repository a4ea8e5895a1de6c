//! The search from some positions to a depth.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::shared::FaceShared;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::square1::{LyingPieces, LyingTwist, Middle, Place, Position, Shape};
use twistbase_query::MiddleGoal;
use twistbase_store::Entries;

/// Nodes between looks at the clock, so that there are many in a second.
const NODES_BETWEEN_CHECKS: u64 = 1 << 10;

/// Both ways to make each twist.
pub(super) const WAYS: [bool; 2] = [false, true];

/// A position to search from.
#[derive(Debug, Clone)]
pub(super) struct FaceRoot {
    at: LyingPieces,
    middle: Middle,
    /// What led to it, and how many moves that are.
    path: Vec<LyingTwist>,
    moves: u8,
    /// Twists left, at least.
    twists: u8,
}

impl FaceRoot {
    /// The position itself.
    pub fn start(start: &Position) -> Self {
        Self { at: LyingPieces::of(start), middle: start.middle(), path: Vec::new(), moves: 0, twists: 0 }
    }
}

/// A twist whose distance is asked for.
struct FaceCandidate {
    number: u8,
    place: Place,
}

/// The search of one thread.
pub(super) struct FaceSearch<'s, 'a, E> {
    shared: &'s FaceShared<'a, E>,
    path: Vec<LyingTwist>,
    /// Those of all nodes from the root down to where the search is.
    candidates: Vec<FaceCandidate>,
    /// Nodes that the shared count does not have yet.
    nodes: u64,
}

impl<'s, 'a, E: Entries> FaceSearch<'s, 'a, E> {
    pub fn new(shared: &'s FaceShared<'a, E>) -> Self {
        Self { shared, path: Vec::new(), candidates: Vec::new(), nodes: 0 }
    }

    /// Searches a solution of at most `depth` moves, the root's included, that makes a twist more at least.
    pub fn run(&mut self, root: &FaceRoot, depth: u8) -> Result<Option<Vec<LyingTwist>>> {
        let Some(left) = depth.checked_sub(root.moves).filter(|left| 2 * root.twists <= *left) else { return Ok(None) };
        self.path.clone_from(&root.path);
        let found = self.descend(&root.at, root.middle, left);
        self.candidates.clear();
        let spent = self.spend();
        // What was found before an interrupt is not lost.
        if found? {
            return Ok(Some(self.path.clone()));
        }
        spent.map(|()| None)
    }

    /// Whether `left` moves solve a position; the path is then complete.
    fn descend(&mut self, at: &LyingPieces, middle: Middle, left: u8) -> Result<bool> {
        self.nodes += 1;
        if self.nodes >= NODES_BETWEEN_CHECKS {
            self.spend()?;
        }
        if self.shared.meter.is_over() {
            return Ok(false);
        }
        let (middle, own) = (middle.twisted(), self.candidates.len());
        self.collect(at, middle, left);
        let end = self.candidates.len();
        for candidate in own..end {
            let FaceCandidate { number, place } = self.candidates[candidate];
            let twists = self.shared.table.distance_beside(place, middle, MiddleGoal::Square)?.twists();
            for twist in WAYS.map(|is_more| LyingTwist::new(number, is_more)) {
                let Some(left) = self.left_after(at, twist, left).filter(|left| 2 * twists <= *left) else { continue };
                let next = at.twisted(twist);
                self.path.push(twist);
                if twists == 0 && self.shared.turns_at_end(&next).is_some_and(|turns| turns <= left) {
                    return Ok(true);
                }
                if self.descend(&next, middle, left)? {
                    return Ok(true);
                }
                self.path.pop();
            }
        }
        self.candidates.truncate(own);
        Ok(false)
    }

    /// Collects the twists of a position that its shapes do not rule out.
    fn collect(&mut self, at: &LyingPieces, middle: Middle, left: u8) {
        let table = self.shared.table;
        for (number, pieces) in (0..).zip(at.pieces().neighbours()) {
            let ways = WAYS.map(|is_more| self.left_after(at, LyingTwist::new(number, is_more), left));
            let twists = least_twists(pieces.shape, middle);
            // All places first: the reads, each of which misses the processor's caches, then overlap.
            if ways.into_iter().flatten().max().is_some_and(|left| 2 * twists <= left) {
                let place = table.place_of_pieces(&pieces);
                table.entries().prefetch(place.row, place.entry.into());
                self.candidates.push(FaceCandidate { number, place });
            }
        }
    }

    /// What a twist and the turns before it leave of `left` moves, if they can be made: two twists in a row are none.
    fn left_after(&self, at: &LyingPieces, twist: LyingTwist, left: u8) -> Option<u8> {
        let turns = at.layers_turned(twist);
        if turns == 0 && !self.path.is_empty() {
            return None;
        }
        left.checked_sub(turns + 1)
    }

    fn spend(&mut self) -> Result<()> {
        self.shared.meter.spend(std::mem::take(&mut self.nodes))
    }
}

/// The fewest twists that solve any position of a shape with such a middle layer, by the distances of shapes alone.
fn least_twists(shape: Shape, middle: Middle) -> u8 {
    let twists = shape.twists();
    twists + u8::from((twists % 2 == 1) != (middle == Middle::Kite))
}

/// The positions after two twists, and turns before them.
pub(super) fn first_roots<E: Entries>(shared: &FaceShared<'_, E>, start: &Position) -> Result<Vec<FaceRoot>> {
    let mut roots = vec![FaceRoot::start(start)];
    for _ in 0..2 {
        let mut next = Vec::new();
        for FaceRoot { at, middle, path, moves, .. } in &roots {
            let middle = middle.twisted();
            for (number, pieces) in (0..).zip(at.pieces().neighbours()) {
                let place = shared.table.place_of_pieces(&pieces);
                let twists = shared.table.distance_beside(place, middle, MiddleGoal::Square)?.twists();
                for twist in WAYS.map(|is_more| LyingTwist::new(number, is_more)) {
                    let turns = at.layers_turned(twist);
                    if turns > 0 || path.is_empty() {
                        let path = [&path[..], &[twist]].concat();
                        next.push(FaceRoot { at: at.twisted(twist), middle, path, moves: moves + turns + 1, twists });
                    }
                }
            }
        }
        roots = next;
    }
    // A solution is likeliest where the fewest moves and twists led.
    roots.sort_by_key(|root| root.moves + 2 * root.twists);
    Ok(roots)
}

/// Searches a solution of at most `depth` moves from many positions, on all threads.
pub(super) fn share<E: Entries>(
    shared: &FaceShared<'_, E>,
    roots: &[FaceRoot],
    depth: u8,
) -> Result<Option<Vec<LyingTwist>>> {
    let found = Mutex::new(None);
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        let mut search = FaceSearch::new(shared);
        while !shared.meter.is_over()
            && let Some(root) = roots.get(next.fetch_add(1, Ordering::Relaxed))
        {
            if let Some(path) = search.run(root, depth)? {
                *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(path);
                shared.meter.end();
            }
        }
        Ok(())
    };
    let searched = (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).try_for_each(|_| work());
    match (searched, found.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        (Ok(()) | Err(Error::Interrupted), Some(path)) => Ok(Some(path)),
        (searched, found) => searched.map(|()| found),
    }
}
