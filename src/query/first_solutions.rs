//! One shortest solution for each of many positions.

use std::cmp::Reverse;

use super::descent::{Descent, Look, SIDE_BY_SIDE, walk_down};
use super::distance::MiddleGoal;
use super::remembered::Remembered;
use super::solutions::Solution;
use super::table::Square1Table;
use crate::error::Result;
use crate::puzzle::square1::{Neighbours, Place, Position, Shape, Turn};
use crate::store::Entries;

/// Steps from positions so near are remembered.
const NEAR: u8 = 7;
/// Bits of an entry's number.
const ENTRY_BITS: u32 = 32;

/// The distances for which [`TwistOrder`] has an order; farther positions have that of the last.
const DISTANCES: usize = 16;

/// In which order the twists of a shape are tried when one is sought that leads nearer: those first that are most
/// likely to.
///
/// That is told by the levels of the rows: the shapes of Cube21 are on average between 6.5 and 9.6 twists from solved.
/// A million solutions take three fifths of the time that they take in the order of the twists' numbers.
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

/// Finds one of the [solutions](Square1Table::solutions) of many positions, the same whenever it is asked: the one
/// whose twists come first in the [order](TwistOrder). It may be shared by threads, and remembers steps near the solved
/// position.
#[derive(Debug)]
pub struct FirstSolutions<E> {
    table: Square1Table<E>,
    goal: MiddleGoal,
    order: TwistOrder,
    /// By place, middle layer and twists left: the number of the twist.
    steps: Remembered,
}

/// A walk down to solved.
pub(super) struct Walk {
    start: Position,
    /// Where it was before the last twist.
    before: Position,
    at: Position,
    turns: Vec<Turn>,
    /// Twists that are left.
    left: u8,
    neighbours: Neighbours,
}

impl<E: Entries> FirstSolutions<E> {
    /// For positions in a table.
    ///
    /// # Errors
    /// [`Error::Budget`](crate::error::Error::Budget) when there is no memory for what it remembers, 32 MiB.
    pub fn new(table: Square1Table<E>, goal: MiddleGoal, order: TwistOrder) -> Result<Self> {
        Ok(Self { table, goal, order, steps: Remembered::new()? })
    }

    /// The table.
    pub fn table(&self) -> &Square1Table<E> {
        &self.table
    }

    /// Calls `visit` with a solution of each position, in their order.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`].
    pub fn each(&self, positions: &[Position], visit: &mut dyn FnMut(Solution)) -> Result<()> {
        for positions in positions.chunks(SIDE_BY_SIDE) {
            let walk = |&start: &Position| {
                let left = self.table.distance(&start, self.goal)?.twists();
                self.table.check_walk(left)?;
                let (turns, neighbours) = (Vec::with_capacity(left.into()), Neighbours::of(&start));
                Ok(Walk { start, before: start, at: start, turns, left, neighbours })
            };
            let walks = walk_down(self, &self.steps, positions.iter().map(walk).collect::<Result<_>>()?)?;
            let colouring = self.table.colouring();
            walks.iter().for_each(|walk| visit(Solution::new(&walk.start, &walk.turns, &walk.before, colouring)));
        }
        Ok(())
    }
}

impl<E: Entries> Descent for FirstSolutions<E> {
    type Walk = Walk;
    type Entries = E;

    fn entries(&self) -> &E {
        self.table.entries()
    }

    fn key(&self, walk: &Walk) -> Option<u64> {
        // Never 0, since a twist is left.
        (1..=NEAR).contains(&walk.left).then(|| {
            let Place { row, entry } = self.table.place(&walk.at);
            let middle = u64::from(walk.at.middle() != Position::SOLVED.middle());
            ((u64::from(row) << 1 | middle) << 4 | u64::from(walk.left)) << ENTRY_BITS | u64::from(entry)
        })
    }

    fn next_look(&self, walk: &mut Walk, looked: &mut usize) -> Result<Option<Look>> {
        let left = walk.left;
        if left == 0 {
            return Ok(None);
        }
        let next = self.order.of(walk.neighbours.shape(), left).get(*looked).copied();
        let pieces = next.and_then(|step| Some((step, walk.neighbours.pieces(step.into())?)));
        let (step, pieces) = pieces.ok_or_else(|| self.table.inconsistent(&walk.at, left))?;
        *looked += 1;
        let Place { row, entry } = self.table.place_of_pieces(&pieces);
        Ok(Some(Look { step, row, entry: entry.into() }))
    }

    fn leads_nearer(&self, walk: &Walk, look: &Look) -> Result<bool> {
        let place = Place { row: look.row, entry: look.entry as u32 };
        let distance = self.table.distance_beside(place, walk.at.middle().twisted(), self.goal)?;
        Ok(distance.twists() + 1 == walk.left)
    }

    fn step(&self, walk: &mut Walk, step: u8) -> bool {
        let Some(turn) = walk.neighbours.turn(step.into()) else { return false };
        let Some(next) = walk.at.turn(turn).twist() else { return false };
        walk.turns.push(turn);
        walk.left -= 1;
        (walk.before, walk.at) = (walk.at, next);
        walk.neighbours = Neighbours::of(&walk.at);
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
        let table = Square1Table::stored(&store, definition).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        let mut positions: Vec<_> = (0..300).map(|_| random_position(&mut rng)).collect();
        positions.extend([Position::SOLVED, Position::SOLVED.turn_over()]);
        for goal in [MiddleGoal::Ignored, MiddleGoal::Square] {
            let records = (0..90).map(|row| table.entries().row_record(row).unwrap().levels.as_slice());
            let order = TwistOrder::new(&records.collect::<Vec<_>>());
            let solver = FirstSolutions::new(Square1Table::over(definition, table.entries()), goal, order).unwrap();
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
