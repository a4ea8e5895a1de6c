//! Answers about positions of puzzles that are data.

use std::ops::Deref;

use super::cube3::inconsistent;
use super::position_table::indexed_position;
use super::walk::{DistanceGraph, PathStep, ShortestPaths, count_paths};
use super::{Distance, KnownDistance, PositionTable};
use twistbase_core::context::Context;
use twistbase_core::error::{InvalidInput, Problem, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_definition::{PuzzleSpace, SpacePosition};
use twistbase_puzzle::cube2::Cube2Position;
use twistbase_puzzle::cube2::notation::{parse_held, parse_position};
use twistbase_puzzle::cube3::notation::HeldCube;
use twistbase_puzzle::cube3::{self, Cube, Metric, Move};
use twistbase_store::{Entries, Packing};
use twistbase_tables::{
    self as tables, CubeGoal, DefinedTable, Definition, Notation, UNREACHED, cube2_place, cube2_position,
};

/// Distances of positions of a puzzle that is data, over any reader of its table.
#[derive(Debug)]
pub struct DefinedDistances<E> {
    table: &'static DefinedTable,
    rules: Vec<TurnRule>,
    /// The turns as moves of the cube, if the table is of a goal of a cube.
    moves: Vec<Move>,
    entries: E,
}

/// What a turn counts, and which may follow it.
#[derive(Debug)]
struct TurnRule {
    cost: u8,
    /// The turns that must not follow, as each could as well come before or be one with it.
    barred: u128,
    /// All turns that commute with it.
    commuting: u128,
    /// Of a turn that counts two, the turn that does half of it.
    half: Option<usize>,
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
        let space = table.space();
        // No shortest path has two turns of a move, if its powers are turns, too; or else one turn does the same.
        let is_power =
            |of: usize| move |turn: &usize| !space.definition().quarter_turns && space.turns()[*turn].of == of;
        let of_move = |of: usize| (0..space.turns().len()).filter(is_power(of)).fold(0, |bits, turn| bits | 1 << turn);
        let half = |turn: usize| {
            let of = space.turns()[turn].of;
            (0..space.turns().len()).find(|&half| space.turns()[half].of == of && table.cost(half) == 1)
        };
        let rule = |(turn, [earlier, commuting]): (usize, [u128; 2])| TurnRule {
            cost: table.cost(turn),
            barred: earlier | of_move(space.turns()[turn].of),
            commuting,
            half: if table.cost(turn) == 2 { half(turn) } else { None },
        };
        let named = |name: &str| Move::all().find(|turn| turn.to_string() == name).expect("a move of the cube");
        let turns = table.cube_goal().map_or(&[][..], |_| space.turns());
        let moves = turns.iter().map(|turn| named(&turn.name)).collect();
        Self { table, rules: space.commuting().into_iter().enumerate().map(rule).collect(), moves, entries }
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

    /// Whether a table holds distances, not what is left of them modulo 3.
    fn is_whole(&self) -> bool {
        self.table.layout().packing == Packing::Nibbles
    }

    /// Whether a value is that of a distance, of one that may be.
    fn is_of(&self, value: u8, distance: u8) -> bool {
        value == if self.is_whole() { distance } else { distance % 3 }
    }

    /// The fewest moves that solve a position.
    ///
    /// # Errors
    /// Those of [`known_distance`](Self::known_distance); [`Error::Data`](twistbase_core::error::Error::Data) (bounded) if the position
    /// is farther than the table was built to.
    pub fn distance(&self, position: SpacePosition) -> Result<Distance> {
        self.known_distance(position)?.within(self.table)
    }

    /// How far a position is, as far as the table reaches. Where the table holds distances modulo 3, a walk to solved counts the moves.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Invalid`](twistbase_core::error::Error::Invalid) for a position that no moves lead to;
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
    pub fn known_distance(&self, position: SpacePosition) -> Result<KnownDistance> {
        self.known_distance_of(position, self.value(position)?)
    }

    /// The same, of a position with a value.
    fn known_distance_of(&self, position: SpacePosition, value: u8) -> Result<KnownDistance> {
        let unreached = if self.is_whole() { UNSET } else { UNREACHED };
        match self.entries.depth() {
            _ if value != unreached && self.is_whole() => Ok(KnownDistance::Exactly(Distance::new(value))),
            _ if value != unreached => self.walked(position, value).map(KnownDistance::Exactly),
            Some(depth) => Ok(KnownDistance::Beyond(depth)),
            None if self.is_whole() => {
                let SpacePosition { row, entry } = position;
                Err(self.table.layout().damaged(row, entry, format!("entry {entry} holds no distance")))
            }
            None => Err(self.space().unreached(position).into()),
        }
    }

    /// The distance of a position with a value modulo 3.
    fn walked(&self, position: SpacePosition, value: u8) -> Result<Distance> {
        let (mut at, mut value, mut moves) = (position, value, 0u8);
        while !self.space().is_solved(at) {
            // A turn that counts two may lead farther, to the same value.
            let mut turned = self.space().turned(at).filter(|&(turn, _)| self.rules[turn].cost == 1);
            let nearer = turned.find_map(|(_, to)| match self.value(to) {
                Ok(found) => (found == nearer_value(value)).then_some(Ok(to)),
                Err(error) => Some(Err(error)),
            });
            at = nearer.ok_or_else(|| self.inconsistent(at))??;
            value = nearer_value(value);
            // No path is that long: the file would go round in circles.
            moves = moves.checked_add(1).ok_or_else(|| self.inconsistent(at))?;
        }
        if value == 0 { Ok(Distance::new(moves)) } else { Err(self.inconsistent(position)) }
    }

    fn inconsistent(&self, at: SpacePosition) -> twistbase_core::error::Error {
        inconsistent(self.table.layout(), (at.row, at.entry))
    }

    /// The turns that count one, and how far a position at a distance is after each, in the order of the
    /// [turns](PuzzleSpace::turns).
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
    pub fn moves(&self, position: SpacePosition, before: Distance) -> Result<Vec<(usize, Distance)>> {
        let counted = self.space().turned(position).filter(|&(turn, _)| self.rules[turn].cost == 1);
        counted.map(|(turn, to)| Ok((turn, self.distance_beside(to, before)?))).collect()
    }

    /// The distance of a position one turn away from another one, whose distance is known.
    fn distance_beside(&self, to: SpacePosition, before: Distance) -> Result<Distance> {
        let value = self.value(to)?;
        if self.is_whole() || value == UNREACHED && self.entries.depth().is_some() {
            // Even beyond a table's depth it is known: a turn cannot lead farther than by one.
            return self.known_distance_of(to, value)?.beside(before, 1).within(self.table);
        }
        let near = [before.moves().saturating_sub(1), before.moves(), before.moves() + 1];
        let found = near.into_iter().find(|near| near % 3 == value);
        Ok(Distance::new(found.ok_or_else(|| self.inconsistent(to))?))
    }

    /// How far a position is after each turn that counts one, as far as the table reaches, with what the turn counts.
    pub(crate) fn known_distances(&self, position: SpacePosition) -> Result<Vec<(u8, KnownDistance)>> {
        let counted = self.space().turned(position).filter(|&(turn, _)| self.rules[turn].cost == 1);
        counted.map(|(_, to)| Ok((1, self.known_distance(to)?))).collect()
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

    /// A cube that is at a position of the table of a goal: its first shortest solution, undone from solved.
    ///
    /// # Errors
    /// Those of [`DefinedDistances::solutions`].
    ///
    /// # Panics
    /// If it is no table of a [goal](DefinedTable::cube_goal).
    pub fn cube(&self, position: SpacePosition) -> Result<Cube> {
        let turns = self.solutions(position)?.next().expect("every position has a solution")?;
        Ok(turns.iter().rev().fold(Cube::SOLVED, |cube, &turn| cube.turned(self.moves[turn].inverse())))
    }

    /// The number of solutions that [`DefinedDistances::solutions`] lists, without listing them.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn count(&self, position: SpacePosition, ctx: &Context) -> Result<u64> {
        let distance = self.distance(position)?.moves();
        count_paths(&DefinedGraph(self), &DefinedNode { position, barred: 0 }, distance, ctx)
    }

    /// The name of a turn.
    pub fn name(&self, turn: usize) -> &'static str {
        &self.space().turns()[turn].name
    }

    /// Turns by their numbers as text.
    pub fn text(&self, turns: &[usize]) -> String {
        turns.iter().map(|&turn| self.name(turn)).collect::<Vec<_>>().join(" ")
    }

    /// The turns that undo some turns. Those that commute with all others are the last, as tips of a Pyraminx are written.
    ///
    /// # Panics
    /// If a turn has no inverse, which all that lead on to solved have.
    pub fn undone(&self, turns: &[usize]) -> Vec<usize> {
        let (definition, all) = (self.space().definition(), self.space().turns());
        let inverse = |&turn: &usize| {
            let inverse = definition.inverse(&all[turn].transformation);
            all.iter().position(|other| other.transformation == inverse).expect("powers of a move are turns")
        };
        let is_free = |turn: &usize| self.rules[*turn].commuting.count_ones() as usize == all.len();
        let (free, others): (Vec<_>, Vec<_>) = turns.iter().rev().map(inverse).partition(is_free);
        [others, free].concat()
    }

    /// What some turns count.
    pub fn length(&self, turns: &[usize]) -> usize {
        turns.iter().map(|&turn| usize::from(self.rules[turn].cost)).sum()
    }
}

/// What is stored one move nearer.
fn nearer_value(value: u8) -> u8 {
    (value + 2) % 3
}

/// Reads a position: moves by the names of the definition, a KPattern of cubing.js, or `index:N`. A goal of a cube has the notations
/// of the cube, too.
///
/// # Errors
/// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason.
pub fn parse_defined(table: &'static DefinedTable, input: &str) -> Result<SpacePosition> {
    indexed(table, input).unwrap_or_else(|| match (table.notation(), table.cube_goal()) {
        (Notation::KPattern, Some(goal)) if !input.trim_start().starts_with('{') => of_goal(table, goal, input),
        (Notation::KPattern, _) => {
            let position = table.place_of(&table.whole().read_position(input)?);
            position.ok_or_else(|| table.space().refused(input).into())
        }
        (Notation::Cube2, _) => Ok(cube2_place(&parse_position(input)?.0)),
    })
}

/// Reads a cube as a position of a goal.
fn of_goal(table: &'static DefinedTable, goal: &CubeGoal, input: &str) -> Result<SpacePosition> {
    let cube = match goal.puzzle == tables::cube2(Metric::Htm).puzzle() {
        true => parse_position(input)?.0.cube(),
        false => cube3::notation::parse_position(input)?.held().position,
    };
    let position = goal.position(table.space(), &cube);
    let problem = || {
        let message = format!("no moves of {} lead from here to the goal", table.name());
        Problem { code: "unreachable", message, at: None }
    };
    Ok(position.ok_or_else(|| InvalidInput {
        input: input.to_owned(),
        expected: "position for this goal",
        problems: vec![problem()],
        instead: None,
    })?)
}

/// Reads a position of the 2×2×2 cube, with how the cube is held.
///
/// # Errors
/// As [`parse_defined`].
pub fn parse_held_cube2(input: &str) -> Result<HeldCube<Cube2Position>> {
    let indexed = indexed(tables::cube2(Metric::Htm), input);
    indexed.map_or_else(|| Ok(parse_held(input)?), |at| Ok(cube2_position(at?).into()))
}

/// The position at `index:N`, if the input is one.
fn indexed(table: &'static DefinedTable, input: &str) -> Option<Result<SpacePosition>> {
    let position = indexed_position(table.layout(), |row, entry| Some(SpacePosition { row, entry }), input)?;
    Some(position.map_err(Into::into))
}

impl<E: Entries> PositionTable for DefinedDistances<E> {
    type Position = SpacePosition;
    type Entries = E;

    fn array_bytes(&self) -> usize {
        self.table.array_bytes()
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
        self.table.read_array(array)
    }

    fn write_array(&self, position: &SpacePosition, array: &mut [u8]) {
        self.table.write_array(*position, array);
    }

    fn place(&self, position: &SpacePosition) -> (u32, u64) {
        (position.row, position.entry)
    }

    fn position(&self, row: u32, entry: u64) -> Option<SpacePosition> {
        let layout = self.table.layout();
        (row < layout.rows && entry < layout.row_entries()).then_some(SpacePosition { row, entry })
    }

    fn is_entry(&self, row: u32, entry: u64) -> bool {
        // What cannot be read is reported where it is asked for; what is beyond the depth may be reached.
        let is_reached = || self.entries.get(row, entry).map_or(true, |value| value != UNREACHED);
        self.is_whole() || self.entries.depth().is_some() || is_reached()
    }

    fn level(&self, position: &SpacePosition, value: u8) -> Result<u8> {
        Ok(self.known_distance_of(*position, value)?.within(self.table)?.moves())
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
            let TurnRule { cost, barred, commuting, half } = self.0.rules[turn];
            if cost > distance || !self.0.is_of(self.0.value(position)?, distance - cost) {
                continue;
            }
            // Modulo 3, what is two nearer has the value of what is one farther: half of the turn tells them apart.
            let half = half.filter(|_| !self.0.is_whole()).map(|half| self.0.space().after(node.position, half));
            let is_nearer = match half {
                Some(half) => self.0.is_of(self.0.value(half)?, distance - 1),
                None => true,
            };
            if is_nearer {
                let to = DefinedNode { position, barred: barred | commuting & node.barred };
                nearer.push(PathStep { turn, cost, to });
            }
        }
        Ok(nearer)
    }

    fn check_dead_end(&self, node: &DefinedNode, _distance: u8) -> Result<()> {
        if node.barred == 0 { Err(self.0.inconsistent(node.position)) } else { Ok(()) }
    }

    fn key(&self, node: &DefinedNode) -> DefinedNode {
        *node
    }

    fn solution(&self, _start: &DefinedNode, path: &[PathStep<usize, DefinedNode>]) -> Result<Vec<usize>> {
        Ok(path.iter().map(|step| step.turn).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use twistbase_core::error::{Error, Fault};
    use twistbase_puzzle::cube2::moves;
    use twistbase_puzzle::cube3::CanonicalState;

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
            let place = |position| (cube2_place(position).row, cube2_place(position).entry);
            let entries = known.map(|(position, &distance)| (place(position), distance)).collect();
            let table = DefinedDistances::over(definition, ToDepth(entries));
            for (position, &distance) in &near {
                let (at, of) = (cube2_place(position), Distance::new(distance));
                if distance > DEPTH {
                    assert_eq!(table.known_distance(at).unwrap(), KnownDistance::Beyond(DEPTH));
                    for error in [table.distance(at).unwrap_err(), table.solutions(at).unwrap_err()] {
                        assert!(matches!(&error, Error::Data(data) if data.fault == Fault::Bounded), "{error}");
                    }
                    continue;
                }
                assert_eq!(table.distance(at).unwrap(), of);
                let after = table.moves(at, of).unwrap();
                assert_eq!(after.len(), moves(metric).count());
                let turn = |name: usize| Move::all().find(|turn| turn.to_string() == table.name(name)).unwrap();
                assert!(after.iter().all(|&(name, after)| near[&position.turned(turn(name))] == after.moves()));
                if distance < DEPTH {
                    let expected = solving(position, CanonicalState::START, distance, metric);
                    assert_eq!(table.count(at, &Context::silent()).unwrap(), expected, "{position:?}");
                    let solutions: Vec<_> = table.solutions(at).unwrap().map(Result::unwrap).collect();
                    assert_eq!(solutions.len() as u64, expected, "{position:?}");
                    for solution in
                        solutions.iter().map(|turns| turns.iter().map(|&name| turn(name)).collect::<Vec<_>>())
                    {
                        let end = solution.iter().fold(*position, |at, &turn| at.turned(turn));
                        assert_eq!((end, metric.length(&solution)), (Cube2Position::SOLVED, distance.into()));
                    }
                }
            }
        }
    }
}
