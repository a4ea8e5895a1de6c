//! One shortest solution for each of many positions.

use std::sync::atomic::{AtomicU64, Ordering};

use super::distance::MiddleGoal;
use super::solutions::Solution;
use super::table::Table;
use crate::error::Result;
use crate::math::prefetch::prefetch_at;
use crate::puzzle::square1::{Neighbour, Place, Position, Turn};
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

/// Finds the first of the [solutions](Table::solutions) of many positions. It may be shared by threads, and remembers
/// steps near the solved position.
#[derive(Debug)]
pub struct FirstSolutions<E> {
    table: Table<E>,
    goal: MiddleGoal,
    /// By a hash of the place: place, twists left and the number of the twist, or 0. What another step replaces is found
    /// out again.
    steps: Vec<AtomicU64>,
}

/// A walk down to solved.
struct Walk<N> {
    start: Position,
    /// Where it was before the last twist.
    before: Position,
    at: Position,
    turns: Vec<Turn>,
    /// Twists that are left.
    left: u8,
    /// The neighbours that were not looked at yet, and the number of the next.
    neighbours: N,
    next: usize,
    /// By what the next step may be remembered.
    key: Option<u64>,
}

/// A look-up to be made for a walk.
struct Look {
    walk: usize,
    neighbour: usize,
    turn: Turn,
    place: Place,
}

impl<E: Entries> FirstSolutions<E> {
    /// For positions in a table.
    pub fn new(table: Table<E>, goal: MiddleGoal) -> Self {
        Self { table, goal, steps: (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect() }
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
                let (turns, neighbours) = (Vec::with_capacity(left.into()), start.neighbours());
                Ok(Walk { start, before: start, at: start, turns, left, neighbours, next: 0, key: None })
            };
            let mut walks = positions.iter().map(walk).collect::<Result<Vec<_>>>()?;
            self.walk(&mut walks, Position::neighbours)?;
            let colouring = self.table.colouring();
            walks.iter().for_each(|walk| visit(Solution::new(&walk.start, &walk.turns, &walk.before, colouring)));
        }
        Ok(())
    }

    /// Makes all walks to their ends: each makes a step that is remembered, or one of its neighbours is looked at, in turn. What
    /// that reads is asked for beforehand.
    fn walk<N: Iterator<Item = Neighbour>>(
        &self,
        walks: &mut [Walk<N>],
        neighbours: impl Fn(&Position) -> N,
    ) -> Result<()> {
        let mut looks: Vec<Look> = Vec::with_capacity(walks.len());
        loop {
            looks.clear();
            for walk in walks.iter_mut().filter(|walk| walk.next == 0) {
                walk.key = (1..=NEAR).contains(&walk.left).then(|| self.key(walk));
                walk.key.into_iter().for_each(|key| prefetch_at(&self.steps[slot(key)]));
            }
            let mut stepped = false;
            for (number, walk) in walks.iter_mut().enumerate() {
                if self.step_from_memory(walk, &neighbours) {
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
                    walk.step(look.turn, &neighbours);
                }
            }
        }
    }

    /// The neighbour to be looked at next; none at the end of the walk.
    fn next_look<N: Iterator<Item = Neighbour>>(&self, number: usize, walk: &mut Walk<N>) -> Result<Option<Look>> {
        let left = walk.left;
        if left == 0 {
            return Ok(None);
        }
        for neighbour in walk.neighbours.by_ref() {
            walk.next += 1;
            if neighbour.pieces.shape.twists() < left {
                let place = self.table.place_of_pieces(&neighbour.pieces);
                return Ok(Some(Look { walk: number, neighbour: walk.next - 1, turn: neighbour.turn, place }));
            }
        }
        Err(self.table.inconsistent(&walk.at, left))
    }

    /// Makes the next step if it is remembered; whether it is.
    fn step_from_memory<N>(&self, walk: &mut Walk<N>, neighbours: &impl Fn(&Position) -> N) -> bool {
        let Some(key) = walk.key.filter(|_| walk.next == 0) else { return false };
        let step = self.steps[slot(key)].load(Ordering::Relaxed);
        if step >> TWIST_BITS != key {
            return false;
        }
        let neighbour = (step & ((1 << TWIST_BITS) - 1)) as usize;
        let Some(turn) = walk.at.turn_to_neighbour(neighbour) else { return false };
        walk.step(turn, neighbours)
    }

    fn remember<N>(&self, walk: &Walk<N>, neighbour: usize) {
        if let Some(key) = walk.key
            && neighbour < 1 << TWIST_BITS
        {
            // Each step is one number, so that threads see a whole one or another.
            self.steps[slot(key)].store(key << TWIST_BITS | neighbour as u64, Ordering::Relaxed);
        }
    }

    /// Place, middle layer and twists left: what the step depends on. Never 0, since a twist is left.
    fn key<N>(&self, walk: &Walk<N>) -> u64 {
        let Place { row, entry } = self.table.place(&walk.at);
        let middle = u64::from(walk.at.middle() != Position::SOLVED.middle());
        ((u64::from(row) << 1 | middle) << 4 | u64::from(walk.left)) << ENTRY_BITS | u64::from(entry)
    }
}

/// Where a step is remembered: multiplied by 2^64 over the golden ratio.
fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - REMEMBERED.trailing_zeros())) as usize
}

impl<N> Walk<N> {
    /// Makes a turn and a twist; whether that is possible.
    fn step(&mut self, turn: Turn, neighbours: &impl Fn(&Position) -> N) -> bool {
        let Some(next) = self.at.turn(turn).twist() else { return false };
        self.turns.push(turn);
        self.left -= 1;
        (self.before, self.at, self.next) = (self.at, next, 0);
        self.neighbours = neighbours(&self.at);
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

    #[test]
    fn they_are_the_first_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let (store, definition) = (Store::open(folder.path()), tables::find_twists("square1-corners").unwrap());
        let request = BuildRequest { depth: None, force: false, memory: 1 << 30, kernel: Kernel::detect() };
        tables::build(&store, definition, &request, &Context::silent()).unwrap();
        let table = Table::stored(&store, definition).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        let mut positions: Vec<_> = (0..300).map(|_| random_position(&mut rng)).collect();
        positions.extend([Position::SOLVED, Position::SOLVED.turn_over()]);
        for goal in [MiddleGoal::Ignored, MiddleGoal::Square] {
            let first = |at: &Position| table.solutions(at, goal).unwrap().next().unwrap().unwrap();
            let expected: Vec<_> = positions.iter().map(first).collect();
            let solver = FirstSolutions::new(Table::over(definition, table.entries()), goal);
            // The second time, steps are remembered.
            for _ in 0..2 {
                let mut found = Vec::new();
                solver.each(&positions, &mut |solution| found.push(solution)).unwrap();
                assert!(found == expected, "{goal:?}");
            }
        }
    }
}
