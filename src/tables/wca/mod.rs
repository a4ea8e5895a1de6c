//! Every position of Square-1 as it lies, counted by WCA's metric: a turn of the layers is one move, and a twist is one.
//!
//! A solution with `t` twists takes `2t - 1` moves, one more if it begins with a turn, and one more if it ends with one.
//! The number of twists has the parity of the middle layer, so that what is not a solution of the fewest twists takes
//! more moves than any that is. So it matters whether one of these begins with a twist, which the distances of the
//! neighbours tell, and whether one ends with a twist: one does exactly if it is `t - 1` twists to `K`, the position
//! that a twist solves. For both middle layers at once:
//!
//! Let `d` and `k` be the distances to solved and to `K`, the middle layer ignored. With the middle layer whose parity
//! is that of `d`, `t = d`, and a solution can end with a twist if `k = d - 1`. With the other one, `t = d + 1`, and it
//! can if `k <= d`: any twist may be replaced by three (`/` is `(6,0)/(6,0)/(6,0)`), so that the other parity takes one
//! twist more on the way to `K` as well, unless there is no twist to be replaced, at `K` itself.
//!
//! A turn by (6,6) before a twist turns the position over (and both layers by half a circle) after it. So a solution that
//! ends upside down is mended for nothing where two turns between twists can be chosen, which is from three twists on.
//! What is near, and what the exception concerns, is counted by plain search ([`near`]).

mod count;
mod near;
mod search;

use std::iter;
use std::path::Path;

use self::count::{Counter, RowCounts, entries_at};
use self::near::count_near;
use self::search::EndingSearch;
use super::endings::{positions, weight};
use super::{Distribution, TwistTable};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_levelset::{Kernel, Options};
use twistbase_puzzle::square1::{Coordinate, EndingCoordinate, Middle, Position};

/// A plain search counts positions up to this number of moves as well. The exceptions are within three twists, and so take
/// at most seven moves.
const NEAR: usize = 7;

/// Positions as they lie, the middle layer included, by the least number of moves that solve them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WcaCounts {
    /// Positions that can be twisted as they lie, at 0, 1, 2, … moves.
    pub twistable: Vec<u64>,
    /// Positions with a piece in the way of the twist: a turn comes first.
    pub blocked: Vec<u64>,
}

impl WcaCounts {
    /// The largest number of moves that a position takes which can be twisted, and that any takes.
    pub fn farthest(&self) -> [usize; 2] {
        let last = |counts: &[u64]| counts.iter().rposition(|&count| count > 0).unwrap_or(0);
        let twistable = last(&self.twistable);
        [twistable, twistable.max(last(&self.blocked))]
    }
}

/// The numbers of positions by WCA's metric that must come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownWcaCounts {
    /// Positions that can be twisted without a turn.
    pub twistable: Distribution,
    /// Positions that have to be turned first.
    pub blocked: Distribution,
}

/// What counting every position by WCA's metric found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WcaProof {
    /// All positions; the solved position turned over is another position.
    pub told_apart: WcaCounts,
    /// A position and the same turned over counted as one, solved if either is.
    pub identified: WcaCounts,
    /// Positions (the middle layer ignored, up to turns and turning over) at each distance in twists from the position
    /// one twist from solved.
    pub to_last: Vec<u64>,
    /// Positions that take the most moves, with a piece in the way of the twist: one of those that differ by turns, by
    /// turning over, by a mirror, or by relabellings that keep both solved and the position one twist from it.
    pub farthest: Vec<Position>,
    /// Whether the plain search near solved and the search of everything agree: both count as many positions that are
    /// near, and so do all distances together.
    pub agrees: bool,
}

/// The coordinates of a table's puzzle.
fn coordinates(table: &TwistTable) -> (&'static Coordinate, &'static EndingCoordinate) {
    (table.coordinate(), EndingCoordinate::of(table.colouring()))
}

/// Bytes of memory without which [`prove_wca`] cannot count.
pub fn wca_least_memory(table: &TwistTable) -> u64 {
    let (whole, coordinate) = coordinates(table);
    search::least_memory(whole, coordinate)
}

/// Bytes of memory in which [`prove_wca`] counts without a scratch file.
pub fn wca_working_set(table: &TwistTable) -> u64 {
    let (whole, coordinate) = coordinates(table);
    search::working_set(whole, coordinate)
}

/// Counts every position of a table's puzzle by WCA's metric, within `memory` bytes; with less than
/// [`wca_working_set`] a part is in an unnamed file in the folder `scratch`.
///
/// # Errors
/// [`Error::Memory`](twistbase_core::error::Error::Memory) if the memory does not suffice;
/// [`Error::Io`](twistbase_core::error::Error::Io) from the scratch file;
/// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
pub fn prove_wca(table: &TwistTable, memory: u64, scratch: &Path, kernel: Kernel, ctx: &Context) -> Result<WcaProof> {
    let (whole, coordinate) = coordinates(table);
    let options = Options { kernel, memory, scratch: Some(scratch.to_path_buf()) };
    let mut search = EndingSearch::new(whole, coordinate, &options, ctx)?;
    let mut sums = WcaSums::default();
    for row in 0..coordinate.rows() {
        sums.add_distances(coordinate, row as u32, search.levels.counts(row));
    }
    ctx.progress().begin("counting", search.space.total_blocks() as u64, "blocks");
    let mut counter = Counter::new(&mut search);
    for row in 0..coordinate.rows() {
        let counts = counter.row(row, ctx)?;
        sums.add(coordinate, row as u32, &counts);
    }
    ctx.progress().end();
    let farthest = farthest(&mut search, &sums, ctx)?;
    drop(search);
    let colouring = table.colouring();
    let told_apart = count_near(colouring, &[Position::SOLVED], NEAR, ctx)?;
    let both = count_near(colouring, &[Position::SOLVED, Position::SOLVED.turn_over()], NEAR, ctx)?;
    let near = |counts: &[u64]| counts[..=NEAR].iter().sum::<u64>();
    let agrees = [&told_apart, &both]
        .into_iter()
        .all(|plain| near(&sums.twistable) == near(&plain.twistable) && near(&sums.blocked) == near(&plain.blocked));
    let with_near = |all: &[u64], plain: &[u64], sharing: u64| -> Vec<u64> {
        let last = all.iter().rposition(|&count| count > 0).unwrap_or(0);
        plain.iter().chain(&all[NEAR + 1..=last.max(NEAR)]).map(|&count| count / sharing).collect()
    };
    let counts = |plain: &near::PlainCounts, sharing| WcaCounts {
        twistable: with_near(&sums.twistable, &plain.twistable, sharing),
        blocked: with_near(&sums.blocked, &plain.blocked, sharing),
    };
    Ok(WcaProof {
        told_apart: counts(&told_apart, 1),
        identified: counts(&both, 2),
        to_last: sums.to_last,
        farthest,
        agrees,
    })
}

/// The positions that take the most moves: they are as far from solved as any, and have the middle layer that takes a
/// twist more.
fn farthest(search: &mut EndingSearch, sums: &WcaSums, ctx: &Context) -> Result<Vec<Position>> {
    let most = sums.blocked.iter().rposition(|&count| count > 0).unwrap_or(0);
    // Of 2t or 2t + 1 moves; t twists with that middle layer are one more than without.
    let (twists, wants_ending) = ((most / 2).saturating_sub(1) as u8, most.is_multiple_of(2));
    let middle = if twists.is_multiple_of(2) { Middle::Kite } else { Middle::Square };
    let coordinate = search.coordinate;
    let mut farthest = Vec::new();
    for row in 0..coordinate.rows() {
        let places = entries_at(search, row, twists, wants_ending, ctx)?;
        let first = places.into_iter().filter(|&place| coordinate.least_place(place) == Some(place));
        farthest.extend(first.filter_map(|place| coordinate.position(place)?.with_middle(middle).blocked()));
    }
    Ok(farthest)
}

/// Positions by moves, and by twists to `K`.
#[derive(Debug, Default)]
struct WcaSums {
    twistable: Vec<u64>,
    blocked: Vec<u64>,
    to_last: Vec<u64>,
}

/// Adds to the number at an index.
fn add(counts: &mut Vec<u64>, index: usize, count: u64) {
    if counts.len() <= index {
        counts.resize(index + 1, 0);
    }
    counts[index] += count;
}

impl WcaSums {
    fn add_distances(&mut self, coordinate: &EndingCoordinate, row: u32, counts: &[u64]) {
        for (twists, &count) in counts.iter().enumerate() {
            add(&mut self.to_last, twists, positions(coordinate, row, count));
        }
    }

    /// Adds a row. Each pair of an arrangement and a twist is four positions as they lie: with either ring on top, and
    /// with both layers turned by half a circle.
    fn add(&mut self, coordinate: &EndingCoordinate, row: u32, counts: &RowCounts) {
        let (arrangements, symmetries) = weight(coordinate, row);
        let twists_of_shape = coordinate.shape(row).map_or(0, |shape| shape.alignments().len() as u64);
        let (per_pair, per_entry) = (4 * arrangements, 2 * arrangements * (144 - 2 * twists_of_shape));
        for (middle, distance) in (0..2).flat_map(|middle| iter::repeat(middle).zip(0..counts.entries.len())) {
            let (twists, entries) = (distance + middle, counts.entries[distance]);
            let (neither, at_most_one) = (counts.neither[middle][distance], counts.at_most_one[middle][distance]);
            let ending = counts.ending[middle][distance];
            let pairs = [neither, at_most_one - neither, entries * twists_of_shape - at_most_one];
            for (moves, count) in ((2 * twists).max(1) - 1..).zip(pairs) {
                add(&mut self.twistable, moves, count * per_pair / symmetries);
            }
            for (moves, count) in (2 * twists..).zip([ending, entries - ending]) {
                add(&mut self.blocked, moves, count * per_entry / symmetries);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find_twists;
    use twistbase_puzzle::square1::Colouring;

    /// Where the small pieces are all alike, the search of everything is small enough to be compared with plain search
    /// farther out than the proof does by itself, in memory and in a scratch file.
    fn checked_search_of_everything(memory: u64, kernel: Kernel) -> WcaProof {
        let table = find_twists("square1-corners").unwrap();
        let ctx = Context::silent();
        let proof = prove_wca(table, memory, &std::env::temp_dir(), kernel, &ctx).unwrap();
        assert!(proof.agrees);
        let WcaProof { told_apart, identified, .. } = &proof;
        // 3678 ways to lay two layers that can be twisted, 8! orders of the big pieces, and two middle layers.
        assert_eq!(told_apart.twistable.iter().sum::<u64>(), 3678 * 40_320 * 2);
        assert_eq!(identified.twistable.iter().sum::<u64>(), 3678 * 40_320);
        const FAR: usize = NEAR + 1;
        let plain = count_near(Colouring::Corners, &[Position::SOLVED], FAR, &ctx).unwrap();
        assert_eq!(told_apart.twistable[..=FAR], plain.twistable);
        assert_eq!(told_apart.blocked[..=FAR], plain.blocked);
        proof
    }

    fn search_of_everything_in_a_scratch_file() -> WcaProof {
        checked_search_of_everything(wca_least_memory(find_twists("square1-corners").unwrap()), Kernel::detect())
    }

    #[test]
    fn the_search_of_everything_counts_as_plain_search_does() {
        search_of_everything_in_a_scratch_file();
    }

    #[test]
    #[ignore = "tier two: the whole puzzle twice, once by the portable kernel"]
    fn full_the_search_of_everything_in_memory_is_that_in_a_scratch_file() {
        let memory = wca_working_set(find_twists("square1-corners").unwrap());
        let in_memory = checked_search_of_everything(memory, Kernel::Portable);
        assert!(in_memory == search_of_everything_in_a_scratch_file());
    }

    #[test]
    fn plain_search_finds_the_known_numbers_of_square1() {
        let counts = count_near(Colouring::Square1, &[Position::SOLVED], 5, &Context::silent()).unwrap();
        // Counted by others.
        assert_eq!(counts.twistable, [1, 64, 78, 2496, 2929, 40_064]);
        let known = find_twists("square1").unwrap().wca.as_ref().unwrap();
        assert_eq!(counts.blocked, known.blocked.positions[..=5]);
        assert_eq!(known.twistable.positions.iter().sum::<u64>(), 3678 * 40_320 * 40_320 * 2);
    }
}
