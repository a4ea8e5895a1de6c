//! Answers about positions of the 2×2×2 cube.

use std::ops::Deref;

use super::cube3::inconsistent;
use super::position_table::indexed_position;
use super::walk::{DistanceGraph, PathStep, ShortestPaths, count_paths};
use super::{Distance, KnownDistance, PositionTable};
use twistbase_core::context::Context;
use twistbase_core::error::{InvalidInput, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_puzzle::cube2::notation::{array, parse_held, parse_position};
use twistbase_puzzle::cube2::{Cube2Position, moves};
use twistbase_puzzle::cube3::notation::HeldCube;
use twistbase_puzzle::cube3::{CanonicalState, Metric, Move};
use twistbase_store::Entries;
use twistbase_tables::{self as tables, Cube2Table, Definition};

/// Distances of positions of the 2×2×2 cube, over any reader of a table.
#[derive(Debug)]
pub struct Cube2Distances<E> {
    table: &'static Cube2Table,
    entries: E,
}

/// The shortest solutions of a position, found one after the other; `T` refers to the [table](Cube2Distances), by `&` or
/// [`Arc`](std::sync::Arc).
pub type Cube2Solutions<T> = ShortestPaths<Cube2Graph<T>>;

/// The positions of a table and the moves between them.
#[derive(Debug, Clone, Copy)]
pub struct Cube2Graph<T>(T);

/// A position, and where the sequence of moves that led to it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cube2Node {
    position: Cube2Position,
    state: CanonicalState,
}

impl<E: Entries> Cube2Distances<E> {
    /// The table over any reader; `entries` must be of its layout.
    pub fn over(table: &'static Cube2Table, entries: E) -> Self {
        Self { table, entries }
    }

    /// Its definition.
    pub fn definition(&self) -> &'static Cube2Table {
        self.table
    }

    /// The reader.
    pub fn entries(&self) -> &E {
        &self.entries
    }

    /// The fewest moves that solve a position.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`](twistbase_core::error::Error::Data) (bounded) if the position is farther than the
    /// table was built to.
    pub fn distance(&self, position: &Cube2Position) -> Result<Distance> {
        self.known_distance(position)?.within(self.table)
    }

    /// How far a position is, as far as the table reaches.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn known_distance(&self, position: &Cube2Position) -> Result<KnownDistance> {
        let (row, entry) = self.table.place(position);
        Ok(self.known_distance_of(self.entries.get(row, entry)?))
    }

    /// The same, of what its entry holds.
    fn known_distance_of(&self, value: u8) -> KnownDistance {
        match self.entries.depth() {
            Some(depth) if value == UNSET => KnownDistance::Beyond(depth),
            _ => KnownDistance::Exactly(Distance::new(value)),
        }
    }

    /// What the entry at `place` holds, if it is a distance.
    fn level_told(&self, value: u8, place: impl FnOnce() -> (u32, u64)) -> Result<u8> {
        let distance = self.known_distance_of(value).within(self.table)?.moves();
        if distance >= UNSET {
            let (row, entry) = place();
            return Err(self.table.layout().damaged(row, entry, format!("entry {entry} holds no distance")));
        }
        Ok(distance)
    }

    /// How far a position is after each of the moves that count one, with what the move counts.
    pub(crate) fn known_distances(&self, position: &Cube2Position) -> Result<Vec<(u8, KnownDistance)>> {
        let after = moves(self.table.move_metric()).map(|turn| self.known_distance(&position.turned(turn)));
        after.map(|known_distance| Ok((1, known_distance?))).collect()
    }

    /// The moves that count one, and how far the position then is.
    ///
    /// # Errors
    /// Those of [`Cube2Distances::distance`].
    pub fn moves(&self, position: &Cube2Position) -> Result<Vec<(Move, Distance)>> {
        let before = self.distance(position)?;
        let after = |(turn, (cost, known_distance)): (Move, (u8, KnownDistance))| {
            // Even beyond a table's depth it is known: such a move cannot lead farther than by one.
            Ok((turn, known_distance.beside(before, cost).within(self.table)?))
        };
        moves(self.table.move_metric()).zip(self.known_distances(position)?).map(after).collect()
    }

    /// Every shortest solution by turns of U, R and F, one after the other; none is stored.
    ///
    /// # Errors
    /// Those of [`Cube2Distances::distance`], also from the iterator's items.
    pub fn solutions(&self, position: &Cube2Position) -> Result<Cube2Solutions<&Self>> {
        Self::solutions_from(self, position)
    }

    /// The same from any reference to a table; with an [`Arc`](std::sync::Arc) the iterator borrows nothing.
    ///
    /// # Errors
    /// As [`Cube2Distances::solutions`].
    pub fn solutions_from<T>(table: T, position: &Cube2Position) -> Result<Cube2Solutions<T>>
    where
        T: Deref<Target = Self>,
    {
        ShortestPaths::new(Cube2Graph(table), Cube2Node::start(position))
    }

    /// The number of solutions that [`Cube2Distances::solutions`] lists, without listing them.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn count(&self, position: &Cube2Position, ctx: &Context) -> Result<u64> {
        let distance = self.distance(position)?.moves();
        count_paths(&Cube2Graph(self), &Cube2Node::start(position), distance, ctx)
    }
}

/// Reads a position in any notation, or as `index:N`, its place in the tables `cube2` and `cube2-qtm`.
///
/// # Errors
/// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason.
pub fn parse_cube2(input: &str) -> Result<Cube2Position> {
    let parse = |input: &str| Ok(parse_position(input)?.0);
    indexed_cube2(input).unwrap_or_else(|| parse(input))
}

/// Reads the same with how the cube is held.
///
/// # Errors
/// As [`parse_cube2`].
pub fn parse_held_cube2(input: &str) -> Result<HeldCube<Cube2Position>> {
    let parse = |input: &str| Ok(parse_held(input)?);
    indexed_cube2(input).map_or_else(|| parse(input), |position| Ok(position?.into()))
}

/// The position at `index:N`, if the input is one.
fn indexed_cube2(input: &str) -> Option<Result<Cube2Position>> {
    let table = tables::cube2(Metric::Htm);
    let position = indexed_position(table.layout(), |row, entry| table.position(row, entry), input)?;
    Some(position.map_err(Into::into))
}

impl<E: Entries> PositionTable for Cube2Distances<E> {
    type Position = Cube2Position;
    type Entries = E;

    fn array_bytes(&self) -> usize {
        array::LENGTH
    }

    fn definition(&self) -> &'static dyn Definition {
        self.table
    }

    fn entries(&self) -> &E {
        &self.entries
    }

    fn parse(&self, input: &str) -> Result<Cube2Position> {
        parse_cube2(input)
    }

    fn read_array(&self, array: &[u8]) -> Result<Cube2Position, InvalidInput> {
        array::read(array)
    }

    fn write_array(&self, position: &Cube2Position, array: &mut [u8]) {
        array.copy_from_slice(&array::write(position));
    }

    fn place(&self, position: &Cube2Position) -> (u32, u64) {
        self.table.place(position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube2Position> {
        self.table.position(row, entry)
    }

    fn level(&self, position: &Cube2Position, value: u8) -> Result<u8> {
        self.level_told(value, || self.table.place(position))
    }

    fn level_at(&self, row: u32, entry: u64, value: u8) -> Result<u8> {
        self.level_told(value, || (row, entry))
    }
}

impl Cube2Node {
    fn start(position: &Cube2Position) -> Self {
        Self { position: *position, state: CanonicalState::START }
    }

    /// The moves that may follow. Those of the half-turn metric serve both metrics: in the quarter-turn metric a half
    /// turn stands for two moves.
    fn steps(&self, metric: Metric) -> impl Iterator<Item = PathStep<Move, Self>> {
        moves(Metric::Htm).filter_map(move |turn| {
            let to = Self { position: self.position.turned(turn), state: self.state.next(Metric::Htm, turn)? };
            Some(PathStep { turn, cost: metric.cost(turn), to })
        })
    }
}

impl<T, E> DistanceGraph for Cube2Graph<T>
where
    T: Deref<Target = Cube2Distances<E>>,
    E: Entries,
{
    type Node = Cube2Node;
    type Move = Move;
    type Key = Cube2Node;
    type Solution = Vec<Move>;

    fn distance(&self, node: &Cube2Node) -> Result<u8> {
        Ok(self.0.distance(&node.position)?.moves())
    }

    fn nearer(&self, node: &Cube2Node, distance: u8) -> Result<Vec<PathStep<Move, Cube2Node>>> {
        let mut nearer = Vec::new();
        for step in node.steps(self.0.table.move_metric()) {
            let reached = self.0.known_distance(&step.to.position)?.distance();
            if reached.is_some_and(|reached| reached.moves() + step.cost == distance) {
                nearer.push(step);
            }
        }
        Ok(nearer)
    }

    fn check_dead_end(&self, node: &Cube2Node, _distance: u8) -> Result<()> {
        if node.state == CanonicalState::START {
            return Err(inconsistent(self.0.table.layout(), self.0.table.place(&node.position)));
        }
        Ok(())
    }

    fn key(&self, node: &Cube2Node) -> Cube2Node {
        *node
    }

    fn solution(&self, _start: &Cube2Node, path: &[PathStep<Move, Cube2Node>]) -> Result<Vec<Move>> {
        Ok(path.iter().map(|step| step.turn).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use twistbase_core::error::{Error, Fault};

    const DEPTH: u8 = 4;

    /// A table that was built to that depth.
    struct ToDepth(HashMap<(u32, u64), u8>);

    impl Entries for ToDepth {
        fn get(&self, row: u32, entry: u64) -> Result<u8> {
            Ok(self.0.get(&(row, entry)).copied().unwrap_or(UNSET))
        }

        fn depth(&self) -> Option<u8> {
            Some(DEPTH)
        }
    }

    /// The positions up to one move beyond the depth, by trying every move.
    fn near(metric: Metric) -> HashMap<Cube2Position, u8> {
        let mut near = HashMap::from([(Cube2Position::SOLVED, 0)]);
        let mut level = vec![Cube2Position::SOLVED];
        for distance in 1..=DEPTH + 1 {
            let mut next = Vec::new();
            for position in level.iter().flat_map(|at| moves(metric).map(move |turn| at.turned(turn))) {
                near.entry(position).or_insert_with(|| {
                    next.push(position);
                    distance
                });
            }
            level = next;
        }
        near
    }

    /// How many canonical sequences of exactly that length solve a position.
    fn solving(at: &Cube2Position, state: CanonicalState, left: u8, metric: Metric) -> u64 {
        if left == 0 {
            return u64::from(*at == Cube2Position::SOLVED);
        }
        let after = |turn: Move| {
            let (state, left) = (state.next(Metric::Htm, turn)?, left.checked_sub(metric.cost(turn))?);
            Some(solving(&at.turned(turn), state, left, metric))
        };
        moves(Metric::Htm).filter_map(after).sum()
    }

    #[test]
    fn answers_near_solved_are_what_every_move_finds() {
        for metric in [Metric::Htm, Metric::Qtm] {
            let (definition, near) = (tables::cube2(metric), near(metric));
            let counts = definition.expected().unwrap().positions[..=usize::from(DEPTH) + 1].iter();
            assert_eq!(near.len() as u64, counts.sum::<u64>());
            let known = near.iter().filter(|(_, distance)| **distance <= DEPTH);
            let entries = known.map(|(position, &distance)| (definition.place(position), distance)).collect();
            let table = Cube2Distances::over(definition, ToDepth(entries));
            for (position, &distance) in &near {
                if distance > DEPTH {
                    assert_eq!(table.known_distance(position).unwrap(), KnownDistance::Beyond(DEPTH));
                    for error in [table.distance(position).unwrap_err(), table.moves(position).unwrap_err()] {
                        assert!(matches!(&error, Error::Data(data) if data.fault == Fault::Bounded), "{error}");
                    }
                    continue;
                }
                assert_eq!(table.distance(position).unwrap(), Distance::new(distance));
                let after = table.moves(position).unwrap();
                assert_eq!(after.len(), moves(metric).count());
                assert!(after.iter().all(|(turn, after)| near[&position.turned(*turn)] == after.moves()));
                if distance < DEPTH {
                    let expected = solving(position, CanonicalState::START, distance, metric);
                    assert_eq!(table.count(position, &Context::silent()).unwrap(), expected, "{position:?}");
                    let solutions: Vec<_> = table.solutions(position).unwrap().map(Result::unwrap).collect();
                    assert_eq!(solutions.len() as u64, expected, "{position:?}");
                    for solution in solutions {
                        let end = solution.iter().fold(*position, |at, &turn| at.turned(turn));
                        assert_eq!((end, metric.length(&solution)), (Cube2Position::SOLVED, distance.into()));
                    }
                }
            }
        }
    }
}
