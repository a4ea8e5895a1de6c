//! Answers about positions of puzzles that are data.

use std::ops::Deref;

use super::cube3::inconsistent;
use super::position_table::indexed_position;
use super::walk::{DistanceGraph, PathStep, ShortestPaths, count_paths};
use super::{Distance, PositionTable};
use twistbase_core::context::Context;
use twistbase_core::error::{InvalidInput, Result};
use twistbase_definition::{PuzzleSpace, SpacePosition};
use twistbase_store::Entries;
use twistbase_tables::{DefinedTable, Definition, UNREACHED};

/// Distances of positions of a puzzle that is data, over any reader of its table.
#[derive(Debug)]
pub struct DefinedDistances<E> {
    table: &'static DefinedTable,
    /// For each turn, the earlier turns that commute with it, and all that do.
    commuting: Vec<[u128; 2]>,
    entries: E,
}

/// The shortest solutions of a position, found one after the other; `T` refers to the [table](DefinedDistances), by `&` or
/// [`Arc`](std::sync::Arc).
pub type DefinedSolutions<T> = ShortestPaths<DefinedGraph<T>>;

/// The positions of a table and the turns between them.
#[derive(Debug, Clone, Copy)]
pub struct DefinedGraph<T>(T);

/// A position, and the turns that must not follow: each could as well have come before a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinedNode {
    position: SpacePosition,
    barred: u128,
}

impl<E: Entries> DefinedDistances<E> {
    /// The table over any reader; `entries` must be of its layout.
    pub fn over(table: &'static DefinedTable, entries: E) -> Self {
        Self { table, commuting: table.space().commuting(), entries }
    }

    /// Its definition.
    pub fn definition(&self) -> &'static DefinedTable {
        self.table
    }

    /// The positions.
    pub fn space(&self) -> &'static PuzzleSpace {
        self.table.space()
    }

    fn value(&self, position: SpacePosition) -> Result<u8> {
        self.entries.get(position.row, position.entry)
    }

    /// The fewest moves that solve a position. The table holds it modulo 3: a walk to solved counts the moves.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Invalid`](twistbase_core::error::Error::Invalid) for a position that no moves lead to;
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
    pub fn distance(&self, position: SpacePosition) -> Result<Distance> {
        let value = self.value(position)?;
        self.distance_of(position, value)
    }

    /// The same, of a position with a value.
    fn distance_of(&self, position: SpacePosition, value: u8) -> Result<Distance> {
        if value == UNREACHED {
            return Err(self.space().unreached(position).into());
        }
        let (mut at, mut value, mut moves) = (position, value, 0u8);
        while !self.space().is_solved(at) {
            let nearer = self.space().turned(at).find_map(|(_, to)| match self.value(to) {
                Ok(found) => (found == nearer_value(value)).then_some(Ok(to)),
                Err(error) => Some(Err(error)),
            });
            at = nearer.ok_or_else(|| inconsistent(self.table.layout(), (at.row, at.entry)))??;
            value = nearer_value(value);
            // No path is that long: the file would go round in circles.
            moves = moves.checked_add(1).ok_or_else(|| inconsistent(self.table.layout(), (at.row, at.entry)))?;
        }
        if value != 0 {
            return Err(inconsistent(self.table.layout(), (position.row, position.entry)));
        }
        Ok(Distance::new(moves))
    }

    /// How far a position at a distance is after each turn, in the order of the [turns](PuzzleSpace::turns).
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
    pub fn moves(&self, position: SpacePosition, before: Distance) -> Result<Vec<Distance>> {
        let after = |(_, to): (usize, SpacePosition)| {
            let (value, before) = (self.value(to)?, before.moves());
            // A turn changes the distance by one at most.
            let near = [before.saturating_sub(1), before, before + 1];
            let found = near.into_iter().find(|near| value != UNREACHED && near % 3 == value);
            Ok(Distance::new(found.ok_or_else(|| inconsistent(self.table.layout(), (to.row, to.entry)))?))
        };
        self.space().turned(position).map(after).collect()
    }

    /// Every shortest solution, as numbers of turns, one after the other; none is stored. Of those that differ in the order of
    /// turns that commute it has one.
    ///
    /// # Errors
    /// Those of [`DefinedDistances::distance`], also from the iterator's items.
    pub fn solutions(&self, position: SpacePosition) -> Result<DefinedSolutions<&Self>> {
        Self::solutions_from(self, position)
    }

    /// The same from any reference to a table; with an [`Arc`](std::sync::Arc) the iterator borrows nothing.
    ///
    /// # Errors
    /// As [`DefinedDistances::solutions`].
    pub fn solutions_from<T>(table: T, position: SpacePosition) -> Result<DefinedSolutions<T>>
    where
        T: Deref<Target = Self>,
    {
        ShortestPaths::new(DefinedGraph(table), DefinedNode { position, barred: 0 })
    }

    /// The number of solutions that [`DefinedDistances::solutions`] lists, without listing them.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn count(&self, position: SpacePosition, ctx: &Context) -> Result<u64> {
        let distance = self.distance(position)?.moves();
        count_paths(&DefinedGraph(self), &DefinedNode { position, barred: 0 }, distance, ctx)
    }

    /// Turns by their numbers as text.
    pub fn text(&self, turns: &[usize]) -> String {
        let names: Vec<&str> = turns.iter().map(|&turn| self.space().turns()[turn].name.as_str()).collect();
        names.join(" ")
    }
}

/// What is stored one move nearer.
fn nearer_value(value: u8) -> u8 {
    (value + 2) % 3
}

/// Reads a position: moves by the names of the definition, a KPattern of cubing.js, or `index:N`.
///
/// # Errors
/// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason.
pub fn parse_defined(table: &'static DefinedTable, input: &str) -> Result<SpacePosition> {
    let indexed = indexed_position(table.layout(), |row, entry| Some(SpacePosition { row, entry }), input);
    indexed.map_or_else(|| table.space().read(input), |position| Ok(position?))
}

impl<E: Entries> PositionTable for DefinedDistances<E> {
    type Position = SpacePosition;
    type Entries = E;

    fn array_bytes(&self) -> usize {
        self.space().array_bytes()
    }

    fn definition(&self) -> &'static dyn Definition {
        self.table
    }

    fn entries(&self) -> &E {
        &self.entries
    }

    fn parse(&self, input: &str) -> Result<SpacePosition> {
        parse_defined(self.table, input)
    }

    fn read_array(&self, array: &[u8]) -> Result<SpacePosition, InvalidInput> {
        self.space().read_array(array)
    }

    fn write_array(&self, position: &SpacePosition, array: &mut [u8]) {
        self.space().write_array(*position, array);
    }

    fn place(&self, position: &SpacePosition) -> (u32, u64) {
        (position.row, position.entry)
    }

    fn position(&self, row: u32, entry: u64) -> Option<SpacePosition> {
        let layout = self.table.layout();
        (row < layout.rows && entry < layout.row_entries()).then_some(SpacePosition { row, entry })
    }

    fn is_entry(&self, row: u32, entry: u64) -> bool {
        // What cannot be read is reported where it is asked for.
        self.entries.get(row, entry).map_or(true, |value| value != UNREACHED)
    }

    fn level(&self, position: &SpacePosition, value: u8) -> Result<u8> {
        Ok(self.distance_of(*position, value)?.moves())
    }
}

impl<T, E> DistanceGraph for DefinedGraph<T>
where
    T: Deref<Target = DefinedDistances<E>>,
    E: Entries,
{
    type Node = DefinedNode;
    type Move = usize;
    type Key = DefinedNode;
    type Solution = Vec<usize>;

    fn distance(&self, node: &DefinedNode) -> Result<u8> {
        Ok(self.0.distance(node.position)?.moves())
    }

    fn nearer(&self, node: &DefinedNode, distance: u8) -> Result<Vec<PathStep<usize, DefinedNode>>> {
        let mut nearer = Vec::new();
        for (turn, position) in self.0.space().turned(node.position).filter(|(turn, _)| node.barred >> turn & 1 == 0) {
            if self.0.value(position)? == nearer_value(distance % 3) {
                let [earlier, all] = self.0.commuting[turn];
                let to = DefinedNode { position, barred: all & (earlier | node.barred) };
                nearer.push(PathStep { turn, cost: 1, to });
            }
        }
        Ok(nearer)
    }

    fn check_dead_end(&self, node: &DefinedNode, _distance: u8) -> Result<()> {
        if node.barred == 0 {
            return Err(inconsistent(self.0.table.layout(), (node.position.row, node.position.entry)));
        }
        Ok(())
    }

    fn key(&self, node: &DefinedNode) -> DefinedNode {
        *node
    }

    fn solution(&self, _start: &DefinedNode, path: &[PathStep<usize, DefinedNode>]) -> Result<Vec<usize>> {
        Ok(path.iter().map(|step| step.turn).collect())
    }
}
