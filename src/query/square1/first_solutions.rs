//! One shortest solution for each of many positions.

use super::middle_goal::MiddleGoal;
use super::solution::Square1Solution;
use super::table::Square1Table;
use super::twist_order::TwistOrder;
use crate::remembered::Remembered;
use crate::walk::{Descent, SIDE_BY_SIDE, StepProbe, walk_down};
use twistbase_core::error::Result;
use twistbase_puzzle::square1::{Neighbours, Place, Position, Turn};
use twistbase_store::Entries;

/// Finds one of the [solutions](Square1Table::solutions) of many positions, the same whenever it is asked: the one
/// whose twists come first in the [order](TwistOrder). It may be shared by threads, and remembers steps near the solved
/// position.
#[derive(Debug)]
pub struct FirstSolutions<E> {
    table: Square1Table<E>,
    goal: MiddleGoal,
    order: TwistOrder,
    /// By [key](Square1Table::near_key): the number of the twist.
    steps: Remembered,
}

/// A walk down to solved.
pub(crate) struct TwistDescent {
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
    /// [`Error::Memory`](twistbase_core::error::Error::Memory) when there is no memory for what it remembers, 32 MiB.
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
    pub fn each(&self, positions: &[Position], visit: &mut dyn FnMut(Square1Solution)) -> Result<()> {
        for positions in positions.chunks(SIDE_BY_SIDE) {
            let walk = |&start: &Position| {
                let left = self.table.distance(&start, self.goal)?.twists();
                self.table.check_walk(left)?;
                let (turns, neighbours) = (Vec::with_capacity(left.into()), Neighbours::of(&start));
                Ok(TwistDescent { start, before: start, at: start, turns, left, neighbours })
            };
            let walks = walk_down(self, &self.steps, positions.iter().map(walk).collect::<Result<_>>()?)?;
            let colouring = self.table.colouring();
            walks
                .iter()
                .for_each(|walk| visit(Square1Solution::new(&walk.start, &walk.turns, &walk.before, colouring)));
        }
        Ok(())
    }
}

impl<E: Entries> Descent for FirstSolutions<E> {
    type Walk = TwistDescent;
    type Entries = E;

    fn entries(&self) -> &E {
        self.table.entries()
    }

    fn key(&self, walk: &TwistDescent) -> Option<u64> {
        self.table.near_key(&walk.neighbours, walk.at.middle(), self.goal, walk.left)
    }

    fn next_probe(&self, walk: &mut TwistDescent, probed: &mut usize) -> Result<Option<StepProbe>> {
        let left = walk.left;
        if left == 0 {
            return Ok(None);
        }
        let next = self.order.of(walk.neighbours.shape(), left).get(*probed).copied();
        let pieces = next.and_then(|step| Some((step, walk.neighbours.pieces(step.into())?)));
        let (step, pieces) = pieces.ok_or_else(|| self.table.inconsistent(&walk.at, left))?;
        *probed += 1;
        let Place { row, entry } = self.table.place_of_pieces(&pieces);
        Ok(Some(StepProbe { step, row, entry: entry.into() }))
    }

    fn leads_nearer(&self, walk: &TwistDescent, probe: &StepProbe) -> Result<bool> {
        let place = Place { row: probe.row, entry: probe.entry as u32 };
        let distance = self.table.distance_beside(place, walk.at.middle().twisted(), self.goal)?;
        Ok(distance.twists() + 1 == walk.left)
    }

    fn step(&self, walk: &mut TwistDescent, step: u8) -> bool {
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
    use twistbase_core::context::Context;
    use twistbase_levelset::Kernel;
    use twistbase_puzzle::square1::random_position;
    use twistbase_store::{Store, StoredTable};
    use twistbase_tables::{self as tables, BuildRequest};

    /// The table of the corners, with the folder that it is in, and positions in it.
    fn corners() -> (tempfile::TempDir, Square1Table<StoredTable>, Vec<Position>) {
        let folder = tempfile::tempdir().unwrap();
        let (store, definition) = (Store::open(folder.path()), tables::find_twists("square1-corners").unwrap());
        let request = BuildRequest { depth: None, force: false, memory: 1 << 30, kernel: Kernel::detect() };
        tables::build(&store, definition, &request, &Context::silent()).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        let mut positions: Vec<_> = (0..300).map(|_| random_position(&mut rng)).collect();
        positions.extend([Position::SOLVED, Position::SOLVED.turn_over()]);
        (folder, Square1Table::stored(&store, definition).unwrap(), positions)
    }

    /// A table remembers which twists lead nearer; one that has not been asked does not.
    #[test]
    fn what_is_remembered_of_a_table_is_what_it_holds() {
        let (_folder, table, positions) = corners();
        let definition = table.definition();
        for position in &positions {
            for goal in [MiddleGoal::Ignored, MiddleGoal::Square, MiddleGoal::Ignored] {
                let fresh = Square1Table::over(definition, table.entries());
                let solutions = table.solutions(position, goal).unwrap().map(|solution| solution.unwrap());
                assert!(solutions.eq(fresh.solutions(position, goal).unwrap().map(|solution| solution.unwrap())));
                let fresh = Square1Table::over(definition, table.entries());
                let [counts, again] =
                    [table.count(position, goal, &Context::silent()), fresh.count(position, goal, &Context::silent())];
                assert_eq!(counts.unwrap(), again.unwrap());
            }
        }
    }

    #[test]
    fn each_is_one_of_all() {
        let (_folder, table, positions) = corners();
        let definition = table.definition();
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
