//! One shortest solution for each of many positions.

use super::distance::MiddleGoal;
use super::solutions::Solution;
use super::table::Table;
use crate::error::Result;
use crate::puzzle::square1::{Neighbour, Place, Position, Turn};
use crate::store::Entries;

/// Positions that are solved side by side. Nearly every look-up misses the processor's caches; one for each of so many
/// positions, and the misses overlap.
const SIDE_BY_SIDE: usize = 32;

/// A walk down to solved.
struct Walk<N> {
    start: Position,
    /// Where it was before the last twist.
    before: Position,
    at: Position,
    turns: Vec<Turn>,
    /// Twists that are left.
    left: u8,
    /// The neighbours that were not looked at yet.
    neighbours: N,
}

impl<E: Entries> Table<E> {
    /// Calls `visit` with the first of the [`solutions`](Table::solutions) of each position, in their order. Of the
    /// positions on the way no more neighbours are looked at than it takes to find one that is nearer.
    ///
    /// # Errors
    /// Those of [`Table::distance`].
    pub fn first_solutions(
        &self,
        positions: &[Position],
        goal: MiddleGoal,
        visit: &mut dyn FnMut(Solution),
    ) -> Result<()> {
        for positions in positions.chunks(SIDE_BY_SIDE) {
            let walk = |&start: &Position| {
                let (left, neighbours) = (self.distance(&start, goal)?.twists(), start.neighbours());
                Ok(Walk { start, before: start, at: start, turns: Vec::with_capacity(left.into()), left, neighbours })
            };
            let mut walks = positions.iter().map(walk).collect::<Result<Vec<_>>>()?;
            self.walk(&mut walks, goal, Position::neighbours)?;
            let colouring = self.colouring();
            walks.iter().for_each(|walk| visit(Solution::new(&walk.start, &walk.turns, &walk.before, colouring)));
        }
        Ok(())
    }

    /// Makes all walks to their ends: one neighbour of each is looked at in turn.
    fn walk<N: Iterator<Item = Neighbour>>(
        &self,
        walks: &mut [Walk<N>],
        goal: MiddleGoal,
        neighbours: impl Fn(&Position) -> N,
    ) -> Result<()> {
        let mut tried: Vec<(usize, Turn, Place)> = Vec::with_capacity(walks.len());
        loop {
            tried.clear();
            for (number, walk) in walks.iter_mut().enumerate().filter(|(_, walk)| walk.left > 0) {
                let left = walk.left;
                let next = walk.neighbours.find(|neighbour| neighbour.pieces.shape.twists() < left);
                let next = next.ok_or_else(|| self.inconsistent(&walk.at, left))?;
                tried.push((number, next.turn, self.place_of_pieces(&next.pieces)));
            }
            if tried.is_empty() {
                return Ok(());
            }
            // Nothing here waits for anything else here.
            let look = |&(number, _, place): &(usize, Turn, Place)| {
                self.distance_at(place, walks[number].at.middle().twisted(), goal)
            };
            let found = tried.iter().map(look).collect::<Result<Vec<_>>>()?;
            for (&(number, turn, _), distance) in tried.iter().zip(found) {
                let walk = &mut walks[number];
                if distance.twists() + 1 == walk.left
                    && let Some(next) = walk.at.turn(turn).twist()
                {
                    walk.turns.push(turn);
                    walk.left -= 1;
                    (walk.before, walk.at) = (walk.at, next);
                    walk.neighbours = neighbours(&walk.at);
                }
            }
        }
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

    #[test]
    fn they_are_the_first_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let (store, definition) = (Store::open(folder.path()), tables::find_twists("square1-corners").unwrap());
        let request = BuildRequest { force: false, memory: 1 << 30, kernel: Kernel::detect() };
        tables::build(&store, definition, &request, &Context::silent()).unwrap();
        let table = Table::stored(&store, definition).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        let mut positions: Vec<_> = (0..77).map(|_| random_position(&mut rng)).collect();
        positions.extend([Position::SOLVED, Position::SOLVED.turn_over()]);
        let mut found = Vec::new();
        table.first_solutions(&positions, MiddleGoal::Ignored, &mut |solution| found.push(solution)).unwrap();
        let first = |at: &Position| table.solutions(at, MiddleGoal::Ignored).unwrap().next().unwrap().unwrap();
        assert!(found == positions.iter().map(first).collect::<Vec<_>>());
    }
}
