//! One shortest solution for each of many positions.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use super::distance::MiddleGoal;
use super::solutions::Solution;
use super::table::Table;
use crate::error::Result;
use crate::levelset::zeroed_atomics;
use crate::math::prefetch::prefetch_at;
use crate::puzzle::square1::{Neighbours, Place, Position, Shape, Turn};
use crate::store::Entries;

/// Positions that are solved side by side. Nearly every look-up misses the processor's caches; one for each of so many
/// positions, and the misses overlap.
const SIDE_BY_SIDE: usize = 32;
/// Steps from positions so near are remembered: there are few of them, and every walk ends among them.
const NEAR: u8 = 7;
/// Steps that are remembered, a power of two: 32 MiB.
const REMEMBERED: usize = 1 << 22;
/// Bits of an entry's number, and of the number of a twist, in a step that is remembered.
const ENTRY_BITS: u32 = 32;
const TWIST_BITS: u32 = 8;

/// The distances for which [`TwistOrder`] has an order; farther positions have that of the last.
const DISTANCES: usize = 16;

/// In which order the twists of a shape are tried when one is sought that leads nearer: those first that are most likely to.
///
/// That is told by the levels of the rows: the shapes of Cube21 are on average between 6.5 and 9.6 twists from solved. A million
/// solutions take three fifths of the time that they take in the order of the twists' numbers.
#[derive(Debug)]
pub struct TwistOrder(
    /// Numbers of [neighbours](Neighbours), by shape and distance.
    Vec<[Vec<u8>; DISTANCES]>,
);

impl TwistOrder {
    /// The order in a table of whose row `r` `levels[r][d]` entries are at distance `d`.
    pub fn new(levels: &[&[u64]]) -> Self {
        let level = |shape: Shape, distance: usize| {
            levels.get(usize::from(shape.id())).and_then(|levels| levels.get(distance)).copied().unwrap_or(0)
        };
        // Of what a position at `distance` can have for a neighbour, how much is nearer: in 2^32 parts.
        let share = |shape: Shape, distance: usize| {
            let near = u128::from(level(shape, distance - 1));
            let all = near + u128::from(level(shape, distance)) + u128::from(level(shape, distance + 1));
            (near << 32) / all.max(1)
        };
        let order = |shape: Shape, distance: usize| {
            // A shape that is too far from the solved one needs no reading: near the end that is most of them.
            let within_reach = |(_, to): &(u8, Shape)| usize::from(to.twists()) < distance;
            let mut order: Vec<_> = (0..).zip(shape.neighbours()).filter(within_reach).collect();
            order.sort_by_key(|&(_, to)| Reverse(share(to, distance)));
            order.into_iter().map(|(number, _)| number).collect()
        };
        let orders =
            |shape| std::array::from_fn(|distance| if distance == 0 { Vec::new() } else { order(shape, distance) });
        Self(Shape::all().map(orders).collect())
    }

    #[inline]
    fn of(&self, shape: Shape, distance: u8) -> &[u8] {
        &self.0[usize::from(shape.id())][usize::from(distance).min(DISTANCES - 1)]
    }
}

/// Finds one of the [solutions](Table::solutions) of many positions, the same whenever it is asked: the one whose twists come
/// first in the [order](TwistOrder). It may be shared by threads, and remembers steps near the solved position.
#[derive(Debug)]
pub struct FirstSolutions<E> {
    table: Table<E>,
    goal: MiddleGoal,
    order: TwistOrder,
    /// By a hash of the place: place, twists left and the number of the twist, or 0. What another step replaces is found
    /// out again.
    steps: Vec<AtomicU64>,
}

/// A walk down to solved.
struct Walk {
    start: Position,
    /// Where it was before the last twist.
    before: Position,
    at: Position,
    turns: Vec<Turn>,
    /// Twists that are left.
    left: u8,
    neighbours: Neighbours,
    /// How many of them have been looked at.
    looked: usize,
    /// By what the next step may be remembered.
    key: Option<u64>,
}

/// A look-up to be made for a walk.
struct Look {
    walk: usize,
    neighbour: usize,
    place: Place,
}

impl<E: Entries> FirstSolutions<E> {
    /// For positions in a table.
    ///
    /// # Errors
    /// [`Error::Budget`](crate::error::Error::Budget) when there is no memory for what it remembers, 32 MiB.
    pub fn new(table: Table<E>, goal: MiddleGoal, order: TwistOrder) -> Result<Self> {
        Ok(Self { table, goal, order, steps: zeroed_atomics(REMEMBERED)? })
    }

    /// The table.
    pub fn table(&self) -> &Table<E> {
        &self.table
    }

    /// Calls `visit` with a solution of each position, in their order.
    ///
    /// # Errors
    /// Those of [`Table::distance`].
    pub fn each(&self, positions: &[Position], visit: &mut dyn FnMut(Solution)) -> Result<()> {
        for positions in positions.chunks(SIDE_BY_SIDE) {
            let walk = |&start: &Position| {
                let left = self.table.distance(&start, self.goal)?.twists();
                self.table.check_walk(left)?;
                let (turns, neighbours) = (Vec::with_capacity(left.into()), Neighbours::of(&start));
                Ok(Walk { start, before: start, at: start, turns, left, neighbours, looked: 0, key: None })
            };
            let mut walks = positions.iter().map(walk).collect::<Result<Vec<_>>>()?;
            self.walk(&mut walks)?;
            let colouring = self.table.colouring();
            walks.iter().for_each(|walk| visit(Solution::new(&walk.start, &walk.turns, &walk.before, colouring)));
        }
        Ok(())
    }

    /// Makes all walks to their ends: each makes a step that is remembered, or one of its neighbours is looked at, in turn. What
    /// that reads is asked for beforehand.
    fn walk(&self, walks: &mut [Walk]) -> Result<()> {
        let mut looks: Vec<Look> = Vec::with_capacity(walks.len());
        loop {
            looks.clear();
            for walk in walks.iter_mut().filter(|walk| walk.looked == 0) {
                walk.key = (1..=NEAR).contains(&walk.left).then(|| self.key(walk));
                walk.key.into_iter().for_each(|key| prefetch_at(&self.steps[slot(key)]));
            }
            let mut stepped = false;
            for (number, walk) in walks.iter_mut().enumerate() {
                if self.step_from_memory(walk) {
                    stepped = true;
                } else if let Some(look) = self.next_look(number, walk)? {
                    self.table.entries().prefetch(look.place.row, look.place.entry.into());
                    looks.push(look);
                }
            }
            if looks.is_empty() && !stepped {
                return Ok(());
            }
            // Nothing here waits for anything else here.
            let look = |look: &Look| {
                let middle = walks[look.walk].at.middle().twisted();
                self.table.distance_beside(look.place, middle, self.goal)
            };
            let found = looks.iter().map(look).collect::<Result<Vec<_>>>()?;
            for (look, distance) in looks.iter().zip(found) {
                let walk = &mut walks[look.walk];
                if distance.twists() + 1 == walk.left {
                    self.remember(walk, look.neighbour);
                    walk.step(look.neighbour);
                }
            }
        }
    }

    /// The neighbour to be looked at next; none at the end of the walk.
    fn next_look(&self, number: usize, walk: &mut Walk) -> Result<Option<Look>> {
        let left = walk.left;
        if left == 0 {
            return Ok(None);
        }
        let next = self.order.of(walk.neighbours.shape(), left).get(walk.looked).copied().map(usize::from);
        let pieces = next.and_then(|neighbour| Some((neighbour, walk.neighbours.pieces(neighbour)?)));
        let (neighbour, pieces) = pieces.ok_or_else(|| self.table.inconsistent(&walk.at, left))?;
        walk.looked += 1;
        Ok(Some(Look { walk: number, neighbour, place: self.table.place_of_pieces(&pieces) }))
    }

    /// Makes the next step if it is remembered; whether it is.
    fn step_from_memory(&self, walk: &mut Walk) -> bool {
        let Some(key) = walk.key.filter(|_| walk.looked == 0) else { return false };
        let step = self.steps[slot(key)].load(Ordering::Relaxed);
        if step >> TWIST_BITS != key {
            return false;
        }
        walk.step((step & ((1 << TWIST_BITS) - 1)) as usize)
    }

    fn remember(&self, walk: &Walk, neighbour: usize) {
        if let Some(key) = walk.key {
            // Each step is one number, so that threads see a whole one or another.
            self.steps[slot(key)].store(key << TWIST_BITS | neighbour as u64, Ordering::Relaxed);
        }
    }

    /// Place, middle layer and twists left: what the step depends on. Never 0, since a twist is left.
    fn key(&self, walk: &Walk) -> u64 {
        let Place { row, entry } = self.table.place(&walk.at);
        let middle = u64::from(walk.at.middle() != Position::SOLVED.middle());
        ((u64::from(row) << 1 | middle) << 4 | u64::from(walk.left)) << ENTRY_BITS | u64::from(entry)
    }
}

/// Where a step is remembered: multiplied by 2^64 over the golden ratio.
fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - REMEMBERED.trailing_zeros())) as usize
}

impl Walk {
    /// Goes on to a neighbour; whether there is one of that number.
    fn step(&mut self, neighbour: usize) -> bool {
        let Some(turn) = self.neighbours.turn(neighbour) else { return false };
        let Some(next) = self.at.turn(turn).twist() else { return false };
        self.turns.push(turn);
        self.left -= 1;
        (self.before, self.at, self.looked) = (self.at, next, 0);
        self.neighbours = Neighbours::of(&self.at);
        true
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::context::Context;
    use crate::levelset::Kernel;
    use crate::puzzle::square1::random_position;
    use crate::store::Store;
    use crate::tables::{self, BuildRequest};

    /// Every twist that can lead nearer is in the order once, those to rows with many nearer entries first.
    #[test]
    fn the_order_is_one_of_all_twists_within_reach() {
        let levels: Vec<[u64; 9]> = (0..90).map(|row| [0, 1, 2, 4, 8, 16 + row * row % 17, 9, 3, 0]).collect();
        let order = TwistOrder::new(&levels.iter().map(<[u64; 9]>::as_slice).collect::<Vec<_>>());
        for shape in Shape::all() {
            let to: Vec<Shape> = shape.neighbours().collect();
            for distance in 1..DISTANCES as u8 {
                let order: Vec<usize> = order.of(shape, distance).iter().copied().map(usize::from).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq((0..to.len()).filter(|&number| to[number].twists() < distance)));
                let of_five = |number: &usize| levels[usize::from(to[*number].id())][5];
                match distance {
                    5 => assert!(order.is_sorted_by_key(of_five), "level 4 is the same everywhere"),
                    6 => assert!(order.is_sorted_by_key(|number| Reverse(of_five(number)))),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn each_is_one_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let (store, definition) = (Store::open(folder.path()), tables::find_twists("square1-corners").unwrap());
        let request = BuildRequest { depth: None, force: false, memory: 1 << 30, kernel: Kernel::detect() };
        tables::build(&store, definition, &request, &Context::silent()).unwrap();
        let table = Table::stored(&store, definition).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        let mut positions: Vec<_> = (0..300).map(|_| random_position(&mut rng)).collect();
        positions.extend([Position::SOLVED, Position::SOLVED.turn_over()]);
        for goal in [MiddleGoal::Ignored, MiddleGoal::Square] {
            let records = (0..90).map(|row| table.entries().row_record(row).unwrap().levels.as_slice());
            let order = TwistOrder::new(&records.collect::<Vec<_>>());
            let solver = FirstSolutions::new(Table::over(definition, table.entries()), goal, order).unwrap();
            // The second time, steps are remembered.
            let [found, again] = [(); 2].map(|()| {
                let mut found = Vec::new();
                solver.each(&positions, &mut |solution| found.push(solution)).unwrap();
                found
            });
            assert!(found == again, "{goal:?}");
            for (position, found) in positions.iter().zip(found) {
                let mut all = table.solutions(position, goal).unwrap();
                assert!(all.any(|solution| solution.unwrap() == found), "{goal:?}");
            }
        }
    }
}
