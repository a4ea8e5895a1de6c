//! Positions in H: distances, bounds, what moves do, solutions.

use std::collections::HashMap;

use super::modulo3::{self, Modulo3, NearDistances};
use super::solutions::HSolutions;
use super::{MoveOutcome, inconsistent};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::math::nibble::UNSET;
use crate::math::perm8::is_odd;
use crate::puzzle::cube3::coordinate::Layers;
use crate::puzzle::cube3::{CanonicalState, Metric, Move};
use crate::query::{Distance, LowerBound, Reach};
use crate::store::Entries;
use crate::tables::{Definition, HMove, PhaseTwoTable, Told, h_moves};

/// Distances of positions in H by moves of H, over any reader of a table: in H itself (`phase2-exact`), or in H', which
/// ignores the middle edges and is a lower bound for H.
#[derive(Debug)]
pub struct PhaseTwo<E> {
    table: &'static PhaseTwoTable,
    entries: E,
    near: Option<NearDistances>,
}

impl<E: Entries> PhaseTwo<E> {
    /// The table over any reader; `entries` must be of its layout.
    pub fn over(table: &'static PhaseTwoTable, entries: E) -> Self {
        Self { table, entries, near: None }
    }

    /// The same for very many questions: of a table modulo 3, distances near the solved position are remembered, and others found
    /// in a small part of the time.
    ///
    /// # Errors
    /// [`Error::Budget`] when there is no memory for that, 32 MiB.
    pub fn remembering(self) -> Result<Self> {
        Ok(Self { near: NearDistances::of(self.table)?, ..self })
    }

    /// Its definition.
    pub fn definition(&self) -> &'static PhaseTwoTable {
        self.table
    }

    /// The reader.
    pub fn entries(&self) -> &E {
        &self.entries
    }

    fn told(&self, layers: &Layers) -> Result<Told> {
        let (row, entry) = self.table.place(layers);
        Ok(self.says(self.entries.get(row, entry)?, layers))
    }

    fn says(&self, value: u8, layers: &Layers) -> Told {
        match self.entries.depth() {
            Some(depth) if value == UNSET => Told::AtLeast(depth + 1),
            _ => {
                // The half-turn metric does without the parity.
                let odd = self.table.move_metric() == Metric::Qtm && is_odd(&layers.corners);
                self.table.told(value, odd)
            }
        }
    }

    /// Whether a position is at distance 0: in H' the middle edges do not matter.
    fn is_solved(&self, layers: &Layers) -> bool {
        if self.table.is_exact() { *layers == Layers::SOLVED } else { layers.at_home() == Layers::SOLVED }
    }

    /// What one look-up tells about the distance in H: at most 16 in the half-turn metric, where 17 and 18 do not fit a
    /// nibble, at most one more than the depth to which the table was built, and at least 1 for every position but the
    /// solved one.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`] (damaged) if the table contradicts itself.
    pub fn bound(&self, layers: &Layers) -> Result<LowerBound> {
        self.bound_told(layers, self.told(layers)?)
    }

    /// The bounds of many positions. All look-ups are made one after the other: those that miss the processor's caches
    /// then overlap.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`].
    pub fn bounds(&self, layers: &[Layers]) -> Result<Vec<LowerBound>> {
        let places: Vec<_> = layers.iter().map(|layers| self.table.place(layers)).collect();
        let values: Vec<u8> = places.iter().map(|&(row, entry)| self.entries.get(row, entry)).collect::<Result<_>>()?;
        let bound = |(layers, value)| self.bound_told(layers, self.says(value, layers));
        layers.iter().zip(values).map(bound).collect()
    }

    fn bound_told(&self, layers: &Layers, told: Told) -> Result<LowerBound> {
        let solved = *layers == Layers::SOLVED;
        Ok(LowerBound::new(match told {
            Told::Exactly(moves) | Told::AtLeast(moves) => moves.max(u8::from(!solved)),
            Told::Either(zero, other) => {
                if solved {
                    zero
                } else {
                    other
                }
            }
            Told::Modulo3(_) => self.distance(layers)?.moves().max(u8::from(!solved)),
        }))
    }

    /// The exact distance in the table's group: H, or H' if the middle edges are ignored.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`]; [`Error::Data`] (bounded) if the position is farther than the table was built to.
    pub fn distance(&self, layers: &Layers) -> Result<Distance> {
        self.reach(layers)?.within(self.table)
    }

    /// How far a position is in the table's group, as far as the table tells.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`].
    pub fn reach(&self, layers: &Layers) -> Result<Reach> {
        self.reach_told(layers, self.told(layers)?)
    }

    /// The same, of what its entry holds.
    pub(super) fn reach_of(&self, layers: &Layers, value: u8) -> Result<Reach> {
        self.reach_told(layers, self.says(value, layers))
    }

    fn reach_told(&self, layers: &Layers, told: Told) -> Result<Reach> {
        let moves = match told {
            Told::Exactly(moves) => moves,
            Told::Either(zero, other) => {
                if self.is_solved(layers) {
                    zero
                } else {
                    other
                }
            }
            Told::AtLeast(least) => match self.entries.depth() {
                Some(depth) => return Ok(Reach::Beyond(depth)),
                None => self.far(layers, least)?,
            },
            Told::Modulo3(value) => modulo3::distance(self, layers, value, self.table.farthest())?,
        };
        Ok(Reach::Exactly(Distance::new(moves)))
    }

    /// The distance of a position of which only is told that it is not less than `least`.
    fn far(&self, layers: &Layers, least: u8) -> Result<u8> {
        for distance in least..=self.table.farthest() {
            if self.is_within(layers, distance)? {
                return Ok(distance);
            }
        }
        Err(inconsistent(self.table.layout(), self.table.place(layers)))
    }

    /// Whether a position is at most so far.
    fn is_within(&self, layers: &Layers, distance: u8) -> Result<bool> {
        match self.told(layers)? {
            Told::AtLeast(least) if distance >= least => {
                for turn in h_moves(self.table.move_metric()) {
                    if self.is_within(&layers.then(&turn.layers), distance - 1)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Told::AtLeast(_) | Told::Modulo3(_) => Ok(false),
            Told::Exactly(moves) | Told::Either(_, moves) => Ok(moves <= distance),
        }
    }

    /// How far a position is after each of the ten moves of H, by number, with what the move counts.
    pub(crate) fn reaches(&self, layers: &Layers) -> Result<Vec<(u8, Reach)>> {
        let metric = self.table.move_metric();
        let reach = |turn: &HMove| Ok((metric.cost(turn.turn), self.reach(&layers.then(&turn.layers))?));
        h_moves(Metric::Htm).map(reach).collect()
    }

    /// What each of the ten moves of H does, by number.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::distance`].
    pub fn moves(&self, layers: &Layers) -> Result<Vec<MoveOutcome>> {
        let before = self.distance(layers)?;
        let reaches = h_moves(Metric::Htm).zip(self.reaches(layers)?);
        Ok(reaches.map(|(turn, (cost, reach))| MoveOutcome::new(turn.turn, cost, before, reach)).collect())
    }

    /// Every shortest solution by moves of H, one after the other; none is kept. Of sequences that differ only in the
    /// order of turns of opposite faces, one is listed ([`CanonicalState`]).
    ///
    /// # Errors
    /// [`Error::Usage`] unless the table [is exact](PhaseTwoTable::is_exact); those of [`PhaseTwo::distance`], also
    /// from the iterator's items.
    pub fn solutions(&self, layers: &Layers) -> Result<HSolutions<'_, E>> {
        self.check_exact()?;
        HSolutions::new(self, *layers)
    }

    pub(super) fn check_exact(&self) -> Result<()> {
        if !self.table.is_exact() {
            let name = self.table.layout().name;
            return Err(Error::Usage(format!("table {name} ignores the middle edges: it cannot list solutions")));
        }
        Ok(())
    }

    /// The number of solutions that [`PhaseTwo::solutions`] lists, without listing them.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`].
    pub fn count(&self, layers: &Layers, ctx: &Context) -> Result<u64> {
        let distance = self.solutions(layers)?.moves();
        self.count_from(layers, CanonicalState::START, distance, &mut HashMap::new(), ctx)
    }

    fn count_from(
        &self,
        layers: &Layers,
        state: CanonicalState,
        distance: u8,
        known: &mut HashMap<(Layers, CanonicalState), u64>,
        ctx: &Context,
    ) -> Result<u64> {
        if distance == 0 {
            return Ok(1);
        }
        if let Some(&count) = known.get(&(*layers, state)) {
            return Ok(count);
        }
        ctx.check()?;
        let mut count = 0;
        for step in self.nearer(layers, state, distance)? {
            let left = distance - self.table.move_metric().cost(step.turn);
            count += self.count_from(&step.layers, step.state, left, known, ctx)?;
        }
        known.insert((*layers, state), count);
        Ok(count)
    }

    /// The moves that lead from a position at `distance` nearer by what they cost.
    pub(super) fn nearer(&self, layers: &Layers, state: CanonicalState, distance: u8) -> Result<Vec<Step>> {
        let mut nearer = Vec::new();
        for step in steps(layers, state) {
            let cost = self.table.move_metric().cost(step.turn);
            let is_so_far = |reach: Reach| reach.distance().is_some_and(|reached| reached.moves() + cost == distance);
            if cost <= distance && is_so_far(self.reach(&step.layers)?) {
                nearer.push(step);
            }
        }
        Ok(nearer)
    }

    /// Whether a position cannot be solved in `left` moves, as far as one look-up tells.
    fn is_beyond(&self, layers: &Layers, left: u8) -> Result<bool> {
        Ok(self.bound(layers)?.moves() > left)
    }

    /// A shortest solution by moves of H, of at most `most` moves, found by iterated depth-first search on the bound
    /// (Rokicki's solver of phase 2); `None` if there is none so short. It needs only a table of H'.
    ///
    /// `visit` is called for each position looked at; its error ends the search.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`] and of `visit`.
    pub fn solve(
        &self,
        layers: &Layers,
        most: u8,
        visit: &mut impl FnMut() -> Result<()>,
    ) -> Result<Option<Vec<Move>>> {
        let first = self.bound(layers)?.moves();
        for length in first..=most {
            let mut moves = Vec::new();
            if self.descend(layers, CanonicalState::START, length, &mut moves, visit)? {
                return Ok(Some(moves));
            }
        }
        Ok(None)
    }

    fn descend(
        &self,
        layers: &Layers,
        state: CanonicalState,
        left: u8,
        moves: &mut Vec<Move>,
        visit: &mut impl FnMut() -> Result<()>,
    ) -> Result<bool> {
        visit()?;
        if self.is_beyond(layers, left)? {
            return Ok(false);
        }
        if left == 0 {
            return Ok(*layers == Layers::SOLVED);
        }
        for step in steps(layers, state) {
            let Some(left) = left.checked_sub(self.table.move_metric().cost(step.turn)) else { continue };
            moves.push(step.turn);
            if self.descend(&step.layers, step.state, left, moves, visit)? {
                return Ok(true);
            }
            moves.pop();
        }
        Ok(false)
    }
}

impl<E: Entries> Modulo3 for PhaseTwo<E> {
    type Position = Layers;
    type Entries = E;

    fn entries(&self) -> &E {
        &self.entries
    }

    fn definition(&self) -> &dyn Definition {
        self.table
    }

    fn near(&self) -> Option<&NearDistances> {
        self.near.as_ref()
    }

    fn place(&self, layers: &Layers) -> (u32, u64) {
        self.table.place(layers)
    }

    fn is_reached(&self, layers: &Layers) -> bool {
        self.is_solved(layers)
    }

    fn neighbours(&self, layers: &Layers) -> impl Iterator<Item = Layers> {
        h_moves(self.table.move_metric()).map(|turn| layers.then(&turn.layers))
    }
}

/// A move of H, made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub turn: Move,
    pub layers: Layers,
    pub state: CanonicalState,
}

/// The moves of H that may follow. Those of the half-turn metric serve both: in the quarter-turn metric a half turn of U
/// or D stands for two moves.
fn steps(layers: &Layers, state: CanonicalState) -> impl Iterator<Item = Step> {
    h_moves(Metric::Htm).filter_map(move |turn| {
        let state = state.next(Metric::Htm, turn.turn)?;
        Some(Step { turn: turn.turn, layers: layers.then(&turn.layers), state })
    })
}
