//! One shortest solution by moves of H for each of many positions.

use std::cmp::Reverse;
use std::sync::LazyLock;

use super::inconsistent;
use super::phase_two::PhaseTwo;
use crate::KnownDistance;
use crate::remembered::Remembered;
use crate::walk::{Descent, SIDE_BY_SIDE, StepProbe, walk_down};
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::{CornerClass, CornerClasses, PhaseTwoPosition};
use twistbase_puzzle::cube3::{Metric, Move, MoveSequence, Symmetry};
use twistbase_store::Entries;
use twistbase_tables::{Definition, HMove, PhaseTwoTable, h_moves};

/// Bits of an entry's number.
const ENTRY_BITS: u32 = 32;
/// Bits of a distance.
const DISTANCE_BITS: u32 = 8;

/// In which order the moves of H are tried when one is sought that leads nearer: those first that are most likely to,
/// by how many entries of the row that they lead to are nearer.
#[derive(Debug)]
pub struct HMoveOrder {
    /// The moves of the metric.
    moves: Vec<HMove>,
    /// Where each move leads from each row, that is from the representative of its class of corners: the row, and a
    /// symmetry that brings the corners to their representative there.
    targets: Vec<(u16, Symmetry)>,
    /// Numbers of moves, by row, distance less one and place in the order.
    order: Vec<u8>,
    /// Distances that have an order; farther positions have that of the last.
    distances: usize,
}

impl HMoveOrder {
    /// The order in a table of whose row `r` `levels[r][d]` entries are at distance `d`.
    pub fn new(table: &PhaseTwoTable, levels: &[impl AsRef<[u64]>]) -> Self {
        let metric = table.move_metric();
        let moves: Vec<HMove> = h_moves(metric).copied().collect();
        let classes = CornerClasses::get();
        let targets_of = |class: &CornerClass| {
            let corners = PhaseTwoPosition { corners: class.representative, ..PhaseTwoPosition::SOLVED };
            moves.iter().map(move |turn| classes.of(&corners.then(&turn.effect).corners)).collect::<Vec<_>>()
        };
        let targets: Vec<_> = classes.classes().iter().flat_map(targets_of).collect();
        let distances = usize::from(table.farthest());
        // Of what a position at `distance` can have for a neighbour by a move that counts `cost`, how much is nearer by
        // as much: in 2^32 parts.
        let share = |row: u16, distance: usize, cost: usize| {
            let level = |distance: usize| levels.get(usize::from(row))?.as_ref().get(distance);
            let near = distance.checked_sub(cost).and_then(level).copied().unwrap_or(0);
            let all: u64 = (distance.saturating_sub(cost)..=distance + cost).filter_map(level).sum();
            (u128::from(near) << 32) / u128::from(all.max(1))
        };
        let order_of = |targets: &[(u16, Symmetry)], distance| {
            let mut order: Vec<u8> = (0..moves.len() as u8).collect();
            order.sort_by_key(|&number| {
                let (turn, (row, _)) = (&moves[usize::from(number)], targets[usize::from(number)]);
                Reverse(share(row, distance, metric.cost(turn.turn).into()))
            });
            order
        };
        let orders_of = |targets| (1..=distances).flat_map(move |distance| order_of(targets, distance));
        let order = targets.chunks(moves.len()).flat_map(orders_of).collect();
        Self { moves, targets, order, distances }
    }

    #[inline]
    fn of(&self, row: u16, distance: u8) -> &[u8] {
        let distance = usize::from(distance).clamp(1, self.distances) - 1;
        let at = (usize::from(row) * self.distances + distance) * self.moves.len();
        &self.order[at..at + self.moves.len()]
    }

    #[inline]
    fn target(&self, row: u16, number: u8) -> (u16, Symmetry) {
        self.targets[usize::from(row) * self.moves.len() + usize::from(number)]
    }
}

/// Finds one of the [solutions](PhaseTwo::solutions) of many positions, the same whenever it is asked: the one whose
/// moves come first in the [order](HMoveOrder), then written [canonically](MoveSequence::canonical). It may be shared by
/// threads, and remembers steps near the solved position.
#[derive(Debug)]
pub struct FirstHSolutions<E> {
    table: PhaseTwo<E>,
    order: LazyLock<HMoveOrder, Box<dyn FnOnce() -> HMoveOrder + Send>>,
    /// By row, entry and distance: the number of the move.
    steps: Remembered,
    /// The farthest distance from which steps are remembered.
    near: u8,
}

/// A walk down to solved, over images of the position whose corners are the representative of their class: there, the
/// class shows where moves lead.
pub(crate) struct HDescent {
    at: Image,
    /// The last move, as a move of `at`.
    last: Option<Move>,
    /// Takes the moves of `at` to those of the position where the walk began.
    back: Symmetry,
    moves: Vec<Move>,
    /// The distance that is left.
    left: u8,
    /// Where the step leads that is probed at.
    next: Image,
}

/// An image whose corners are the representative of their class.
#[derive(Clone, Copy)]
struct Image {
    h_position: PhaseTwoPosition,
    class: u16,
    /// Row and entry.
    place: (u32, u64),
}

impl<E: Entries> FirstHSolutions<E> {
    /// For positions in a table; the order of moves is made when a solution is asked for.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) unless the table [is exact](PhaseTwoTable::is_exact);
    /// [`Error::Memory`](twistbase_core::error::Error::Memory) when there is no memory for what it remembers, 32 MiB.
    pub fn new(table: PhaseTwo<E>, order: impl FnOnce() -> HMoveOrder + Send + 'static) -> Result<Self> {
        table.check_exact()?;
        let near = Remembered::known_distance(table.definition());
        Ok(Self { table, order: LazyLock::new(Box::new(order)), steps: Remembered::new()?, near })
    }

    /// The table.
    pub fn table(&self) -> &PhaseTwo<E> {
        &self.table
    }

    /// Calls `visit` with a solution of each position, in their order.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::distance`].
    pub fn each(&self, positions: &[PhaseTwoPosition], visit: &mut dyn FnMut(MoveSequence)) -> Result<()> {
        for positions in positions.chunks(SIDE_BY_SIDE) {
            let walks = positions.iter().map(|start| self.start(start)).collect::<Result<_>>()?;
            for walk in walk_down(self, &self.steps, walks)? {
                visit(MoveSequence::new(walk.moves).canonical());
            }
        }
        Ok(())
    }

    fn start(&self, start: &PhaseTwoPosition) -> Result<HDescent> {
        let (class, symmetry) = CornerClasses::get().of(&start.corners);
        let at = self.image(start, class, symmetry);
        let left = self.known_distance(&at)?.within(self.table.definition())?.moves();
        Ok(HDescent {
            at,
            last: None,
            back: symmetry.inverse(),
            moves: Vec::with_capacity(left.into()),
            left,
            next: at,
        })
    }

    /// The image under a symmetry that makes the corners the representative of their class.
    fn image(&self, h_position: &PhaseTwoPosition, class: u16, symmetry: Symmetry) -> Image {
        let h_position = h_position.image(symmetry);
        Image { h_position, class, place: self.table.definition().place_of_representative(class, &h_position) }
    }

    fn known_distance(&self, at: &Image) -> Result<KnownDistance> {
        let (row, entry) = at.place;
        self.table.known_distance_of(&at.h_position, self.entries().get(row, entry)?)
    }

    /// Where a move leads, and the symmetry on the way.
    fn after(&self, at: &Image, step: u8) -> (Image, Symmetry) {
        let (class, symmetry) = self.order.target(at.class, step);
        (self.image(&at.h_position.then(&self.order.moves[usize::from(step)].effect), class, symmetry), symmetry)
    }

    /// Whether a move may be the next of a shortest solution: in the half-turn metric none turns a face twice.
    fn may_follow(&self, last: Option<Move>, turn: Move) -> bool {
        match self.table.definition().move_metric() {
            Metric::Htm => last.is_none_or(|last| last.face() != turn.face()),
            Metric::Qtm => last.is_none_or(|last| last != turn.inverse()),
        }
    }
}

impl<E: Entries> Descent for FirstHSolutions<E> {
    type Walk = HDescent;
    type Entries = E;

    fn entries(&self) -> &E {
        self.table.entries()
    }

    fn key(&self, walk: &HDescent) -> Option<u64> {
        let (row, entry) = walk.at.place;
        // Never 0, since something is left.
        let key = || (u64::from(row) << ENTRY_BITS | entry) << DISTANCE_BITS | u64::from(walk.left);
        (1..=self.near).contains(&walk.left).then(key)
    }

    fn next_probe(&self, walk: &mut HDescent, probed: &mut usize) -> Result<Option<StepProbe>> {
        if walk.left == 0 {
            return Ok(None);
        }
        let definition = self.table.definition();
        for &step in &self.order.of(walk.at.class, walk.left)[*probed..] {
            *probed += 1;
            let turn = self.order.moves[usize::from(step)].turn;
            if definition.move_metric().cost(turn) <= walk.left && self.may_follow(walk.last, turn) {
                (walk.next, _) = self.after(&walk.at, step);
                let (row, entry) = walk.next.place;
                return Ok(Some(StepProbe { step, row, entry }));
            }
        }
        Err(inconsistent(definition.layout(), walk.at.place))
    }

    fn leads_nearer(&self, walk: &HDescent, probe: &StepProbe) -> Result<bool> {
        let known_distance = self.known_distance(&walk.next)?;
        let cost = self.table.definition().move_metric().cost(self.order.moves[usize::from(probe.step)].turn);
        Ok(known_distance.distance().is_some_and(|distance| distance.moves() + cost == walk.left))
    }

    fn step(&self, walk: &mut HDescent, step: u8) -> bool {
        let Some(&HMove { turn, .. }) = self.order.moves.get(usize::from(step)) else { return false };
        let Some(left) = walk.left.checked_sub(self.table.definition().move_metric().cost(turn)) else { return false };
        let (at, symmetry) = self.after(&walk.at, step);
        walk.moves.push(walk.back.of_move(turn));
        (walk.at, walk.left) = (at, left);
        (walk.last, walk.back) = (Some(symmetry.of_move(turn)), walk.back.after(symmetry.inverse()));
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use twistbase_core::math::nibble::UNSET;
    use twistbase_tables as tables;

    fn exact(metric: Metric) -> &'static PhaseTwoTable {
        tables::phase_two(metric, true)
    }

    /// What is near the solved position, found by plain search, as a table built to a depth.
    struct NearOnes {
        depth: u8,
        values: HashMap<(u32, u64), u8>,
    }

    impl Entries for NearOnes {
        fn get(&self, row: u32, entry: u64) -> Result<u8> {
            Ok(self.values.get(&(row, entry)).copied().unwrap_or(UNSET))
        }

        fn depth(&self) -> Option<u8> {
            Some(self.depth)
        }
    }

    /// All positions by their distances, up to a depth.
    fn plain_levels(metric: Metric, depth: u8) -> Vec<Vec<PhaseTwoPosition>> {
        let mut known = HashMap::from([(PhaseTwoPosition::SOLVED, 0)]);
        let mut levels = vec![vec![PhaseTwoPosition::SOLVED]];
        for distance in 1..=depth {
            let mut level = Vec::new();
            for turn in h_moves(metric) {
                let Some(before) = distance.checked_sub(metric.cost(turn.turn)) else { continue };
                for at in &levels[usize::from(before)] {
                    let next = at.then(&turn.effect);
                    known.entry(next).or_insert_with(|| {
                        level.push(next);
                        distance
                    });
                }
            }
            levels.push(level);
        }
        levels
    }

    /// Of every near position the solution is one of all; so it is when the steps are remembered.
    #[test]
    fn each_is_one_of_all() {
        for (metric, depth) in [(Metric::Htm, 5), (Metric::Qtm, 7)] {
            let definition = exact(metric);
            let levels = plain_levels(metric, depth);
            let mut values = HashMap::new();
            let mut entries = vec![vec![0; usize::from(depth) + 1]; CornerClasses::COUNT];
            for (distance, h_position) in (0..).zip(&levels).flat_map(|(d, level)| level.iter().map(move |at| (d, at)))
            {
                let value = match metric {
                    Metric::Htm => u8::saturating_sub(distance, 1),
                    Metric::Qtm => distance / 2,
                };
                let (row, entry) = definition.place(h_position);
                if values.insert((row, entry), value).is_none() {
                    entries[row as usize][usize::from(distance)] += 1;
                }
            }
            let table = PhaseTwo::over(definition, NearOnes { depth, values });
            let solver = FirstHSolutions::new(table, move || HMoveOrder::new(definition, &entries)).unwrap();
            let positions: Vec<PhaseTwoPosition> = levels.concat();
            let [found, again] = [(); 2].map(|()| {
                let mut found = Vec::new();
                solver.each(&positions, &mut |solution| found.push(solution)).unwrap();
                found
            });
            assert!(found.len() == positions.len() && found == again, "{metric:?}");
            for (position, found) in positions.iter().zip(found) {
                let all = solver.table().solutions(position).unwrap().map(Result::unwrap);
                let mut all = all.map(MoveSequence::new);
                assert!(all.any(|solution| solution == found), "{metric:?} {found}");
                assert!(found.apply(&position.position()).is_solved());
            }
            let beyond = positions[positions.len() - 1];
            let farther = h_moves(metric).map(|turn| beyond.then(&turn.effect));
            let farther: Vec<_> = farther.filter(|h_position| solver.table().distance(h_position).is_err()).collect();
            let error = solver.each(&farther[..1], &mut |_| ()).unwrap_err().to_string();
            assert!(error.contains("farther than"), "{error}");
        }
    }

    /// Each move is once in the order of each row and distance, those to rows with more nearer entries first.
    #[test]
    fn the_order_is_one_of_all_moves() {
        let levels: Vec<[u64; 19]> =
            (0..2768u64).map(|row| std::array::from_fn(|d| row * (d as u64 + 3) % 101)).collect();
        let order = HMoveOrder::new(exact(Metric::Htm), &levels);
        for row in 0..2768 {
            for distance in 1..=18 {
                let of_row = order.of(row, distance);
                let mut sorted = of_row.to_vec();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..10));
                let share = |&number: &u8| {
                    let levels = levels[usize::from(order.target(row, number).0)];
                    let [near, same, far] =
                        [1, 0, -1].map(|nearer| levels.get((i16::from(distance) - nearer) as usize));
                    let [near, same, far] = [near, same, far].map(|count| *count.unwrap_or(&0) as f64);
                    near / (near + same + far).max(1.0)
                };
                assert!(of_row.is_sorted_by(|a, b| share(a) >= share(b) - 1e-9));
            }
        }
    }
}
