//! Positions in H: distances, bounds, what moves do, solutions.

use std::sync::Arc;

use super::inconsistent;
use super::modulo3::{self, Modulo3, NearDistances};
use super::turns::FaceTurnNode;
use crate::{Distance, KnownDistance, LowerBound};
use twistbase_core::error::{Error, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_core::math::perm8::is_odd;
use twistbase_core::math::trits;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{Metric, Move};
use twistbase_store::{Entries, FlatTable};
use twistbase_tables::{Definition, PhaseTwoTable, StoredDistance, h_moves};

/// Distances of positions in H by moves of H, over any reader of a table: in H itself (`phase2-exact`), or in H', which
/// ignores the middle edges and is a lower bound for H.
#[derive(Debug)]
pub struct PhaseTwo<E> {
    table: &'static PhaseTwoTable,
    entries: E,
    near: Option<Arc<NearDistances>>,
}

impl<B: AsRef<[u8]>> PhaseTwo<FlatTable<B>> {
    /// The same table, what its bytes are held in being asked once, not for each look-up.
    #[doc(hidden)]
    pub fn borrowed(&self) -> PhaseTwo<FlatTable<&[u8]>> {
        PhaseTwo { table: self.table, entries: self.entries.borrowed(), near: self.near.clone() }
    }
}

impl<E: Entries> PhaseTwo<E> {
    /// The table over any reader; `entries` must be of its layout.
    pub fn over(table: &'static PhaseTwoTable, entries: E) -> Self {
        Self { table, entries, near: None }
    }

    /// The same for very many questions: of a table modulo 3, distances near the solved position are remembered, and
    /// others found in a small part of the time.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no memory for that, 32 MiB.
    pub fn remembering(self) -> Result<Self> {
        Ok(Self { near: NearDistances::of(self.table)?.map(Arc::new), ..self })
    }

    /// Its definition.
    pub fn definition(&self) -> &'static PhaseTwoTable {
        self.table
    }

    /// The reader.
    pub fn entries(&self) -> &E {
        &self.entries
    }

    fn stored_distance(&self, h_position: &PhaseTwoPosition) -> Result<StoredDistance> {
        let (row, entry) = self.table.place(h_position);
        Ok(self.says(self.entries.get(row, entry)?, h_position))
    }

    fn says(&self, value: u8, h_position: &PhaseTwoPosition) -> StoredDistance {
        match self.entries.depth() {
            Some(depth) if value == UNSET => StoredDistance::AtLeast(depth + 1),
            _ => {
                // The half-turn metric does without the parity.
                let odd = self.table.move_metric() == Metric::Qtm && is_odd(&h_position.corners);
                self.table.stored_distance(value, odd)
            }
        }
    }

    /// Whether a position is at distance 0: in H' the middle edges do not matter.
    fn is_solved(&self, h_position: &PhaseTwoPosition) -> bool {
        if self.table.is_exact() {
            *h_position == PhaseTwoPosition::SOLVED
        } else {
            h_position.at_home() == PhaseTwoPosition::SOLVED
        }
    }

    /// What one look-up gives about the distance in H: at most 16 in the half-turn metric, where 17 and 18 do not fit a
    /// nibble, at most one more than the depth to which the table was built, and at least 1 for every position but the
    /// solved one.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`] (damaged) if the table contradicts itself.
    pub fn bound(&self, h_position: &PhaseTwoPosition) -> Result<LowerBound> {
        self.bound_told(h_position, self.stored_distance(h_position)?)
    }

    /// The bounds of many positions. All look-ups are made one after the other: those that miss the processor's caches
    /// then overlap.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`].
    pub fn bounds(&self, h_position: &[PhaseTwoPosition]) -> Result<Vec<LowerBound>> {
        let places: Vec<_> = h_position.iter().map(|h_position| self.table.place(h_position)).collect();
        let values: Vec<u8> = places.iter().map(|&(row, entry)| self.entries.get(row, entry)).collect::<Result<_>>()?;
        let bound = |(h_position, value)| self.bound_told(h_position, self.says(value, h_position));
        h_position.iter().zip(values).map(bound).collect()
    }

    fn bound_told(&self, h_position: &PhaseTwoPosition, stored_distance: StoredDistance) -> Result<LowerBound> {
        let solved = *h_position == PhaseTwoPosition::SOLVED;
        Ok(LowerBound::new(match stored_distance {
            StoredDistance::Exactly(moves) | StoredDistance::AtLeast(moves) => moves.max(u8::from(!solved)),
            StoredDistance::Either(zero, other) => {
                if solved {
                    zero
                } else {
                    other
                }
            }
            StoredDistance::Modulo3(value) => self.walked(h_position, value)?.max(u8::from(!solved)),
        }))
    }

    /// The exact distance in the table's group: H, or H' if the middle edges are ignored.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`]; [`Error::Data`] (bounded) if the position is farther than the table was built to.
    pub fn distance(&self, h_position: &PhaseTwoPosition) -> Result<Distance> {
        self.known_distance(h_position)?.within(self.table)
    }

    /// How far a position is in the table's group, as far as the table reaches.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`].
    pub fn known_distance(&self, h_position: &PhaseTwoPosition) -> Result<KnownDistance> {
        self.known_distance_at(h_position, self.table.place(h_position))
    }

    /// The same of a position whose place in the table is known.
    #[inline]
    #[doc(hidden)]
    pub fn known_distance_at(&self, h_position: &PhaseTwoPosition, (row, entry): (u32, u64)) -> Result<KnownDistance> {
        self.known_distance_of(h_position, self.entries.get(row, entry)?)
    }

    /// The same, of what its entry holds.
    pub(super) fn known_distance_of(&self, h_position: &PhaseTwoPosition, value: u8) -> Result<KnownDistance> {
        self.known_distance_told(h_position, self.says(value, h_position))
    }

    fn known_distance_told(
        &self,
        h_position: &PhaseTwoPosition,
        stored_distance: StoredDistance,
    ) -> Result<KnownDistance> {
        let moves = match stored_distance {
            StoredDistance::Exactly(moves) => moves,
            StoredDistance::Either(zero, other) => {
                if self.is_solved(h_position) {
                    zero
                } else {
                    other
                }
            }
            StoredDistance::AtLeast(least) => match self.entries.depth() {
                Some(depth) => return Ok(KnownDistance::Beyond(depth)),
                None => self.far(h_position, least)?,
            },
            StoredDistance::Modulo3(value) => self.walked(h_position, value)?,
        };
        Ok(KnownDistance::Exactly(Distance::new(moves)))
    }

    /// The distance of a position of which only is told that it is not less than `least`.
    fn far(&self, h_position: &PhaseTwoPosition, least: u8) -> Result<u8> {
        for distance in least..=self.table.farthest() {
            if self.is_within(h_position, distance)? {
                return Ok(distance);
            }
        }
        Err(inconsistent(self.table.layout(), self.table.place(h_position)))
    }

    /// Whether a position is at most so far.
    fn is_within(&self, h_position: &PhaseTwoPosition, distance: u8) -> Result<bool> {
        match self.stored_distance(h_position)? {
            StoredDistance::AtLeast(least) if distance >= least => {
                for turn in h_moves(self.table.move_metric()) {
                    if self.is_within(&h_position.then(&turn.effect), distance - 1)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            StoredDistance::AtLeast(_) | StoredDistance::Modulo3(_) => Ok(false),
            StoredDistance::Exactly(moves) | StoredDistance::Either(_, moves) => Ok(moves <= distance),
        }
    }

    pub(super) fn check_exact(&self) -> Result<()> {
        if !self.table.is_exact() {
            let name = self.table.layout().name;
            return Err(Error::Usage(format!("table {name} ignores the middle edges, so it cannot list solutions")));
        }
        Ok(())
    }

    /// The distance of the first position of a search. A table modulo 3 needs a walk for it.
    fn told_first(&self, h_position: &PhaseTwoPosition) -> Result<StoredDistance> {
        Ok(match self.stored_distance(h_position)? {
            StoredDistance::Modulo3(value) => StoredDistance::Exactly(self.walked(h_position, value)?),
            told => told,
        })
    }

    /// The distance of the next position, a move from one at the distance `before`. A table modulo 3 needs one look-up for it.
    fn told_next(&self, h_position: &PhaseTwoPosition, before: StoredDistance) -> Result<StoredDistance> {
        Ok(match (self.stored_distance(h_position)?, before) {
            // Such tables count half turns, each of which changes the distance by one at most.
            (StoredDistance::Modulo3(value), StoredDistance::Exactly(before)) => {
                StoredDistance::Exactly(trits::beside(before, value))
            }
            (told, _) => told,
        })
    }

    /// The distance of a position whose entry has that value modulo 3.
    fn walked(&self, h_position: &PhaseTwoPosition, value: u8) -> Result<u8> {
        modulo3::distance(self, h_position, value, self.table.farthest())
    }

    /// A shortest solution by moves of H, of at most `most` moves, found by iterated depth-first search on the bound
    /// (Rokicki's solver of phase 2); `None` if there is none so short. It needs only a table of H'.
    ///
    /// `visit` is called for each position looked at, for instance [`SearchMeter::visit`](twistbase_core::context::SearchMeter::visit):
    /// where it says no, the search ends without a solution.
    ///
    /// # Errors
    /// Those of [`PhaseTwo::bound`] and of `visit`.
    pub fn solve(
        &self,
        h_position: &PhaseTwoPosition,
        most: u8,
        visit: &mut impl FnMut() -> Result<bool>,
    ) -> Result<Option<Vec<Move>>> {
        let (start, told) = (FaceTurnNode::start(h_position), self.told_first(h_position)?);
        for length in self.bound_told(h_position, told)?.moves()..=most {
            let mut moves = Vec::new();
            if self.descend(&start, told, length, &mut moves, visit)? {
                return Ok(Some(moves));
            }
        }
        Ok(None)
    }

    /// Searches on from a position of which `told` is told.
    fn descend(
        &self,
        node: &FaceTurnNode<PhaseTwoPosition>,
        told: StoredDistance,
        left: u8,
        moves: &mut Vec<Move>,
        visit: &mut impl FnMut() -> Result<bool>,
    ) -> Result<bool> {
        if !visit()? || self.bound_told(&node.position, told)?.moves() > left {
            return Ok(false);
        }
        if left == 0 {
            return Ok(node.position == PhaseTwoPosition::SOLVED);
        }
        for step in node.steps(self) {
            let Some(left) = left.checked_sub(step.cost) else { continue };
            moves.push(step.turn);
            if self.descend(&step.to, self.told_next(&step.to.position, told)?, left, moves, visit)? {
                return Ok(true);
            }
            moves.pop();
        }
        Ok(false)
    }
}

impl<E: Entries> Modulo3 for PhaseTwo<E> {
    type Position = PhaseTwoPosition;
    type Entries = E;

    fn entries(&self) -> &E {
        &self.entries
    }

    fn definition(&self) -> &dyn Definition {
        self.table
    }

    fn near(&self) -> Option<&NearDistances> {
        self.near.as_deref()
    }

    fn place(&self, h_position: &PhaseTwoPosition) -> (u32, u64) {
        self.table.place(h_position)
    }

    fn is_reached(&self, h_position: &PhaseTwoPosition) -> bool {
        self.is_solved(h_position)
    }

    fn neighbours(&self, h_position: &PhaseTwoPosition) -> impl Iterator<Item = PhaseTwoPosition> {
        h_moves(self.table.move_metric()).map(|turn| h_position.then(&turn.effect))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_core::error::Fault;
    use twistbase_puzzle::cube3::Cube;
    use twistbase_puzzle::cube3::notation::parse_sequence;
    use twistbase_tables as tables;

    /// All is too far for a nibble but what is at one place, at the distance 15.
    struct FarBut((u32, u64));

    impl Entries for FarBut {
        fn get(&self, row: u32, entry: u64) -> Result<u8> {
            Ok(if (row, entry) == self.0 { 14 } else { 15 })
        }
    }

    fn after(moves: &str) -> PhaseTwoPosition {
        PhaseTwoPosition::of(&parse_sequence(moves).unwrap().apply(&Cube::SOLVED)).unwrap()
    }

    /// A nibble holds distances up to 15. The farther ones, up to the farthest that there is, are found by moves.
    #[test]
    fn distances_past_what_a_nibble_holds_are_searched() {
        let definition = tables::phase_two(Metric::Htm, true);
        assert_eq!(definition.farthest(), 18);
        let start = "U R2 F2 U' L2 D B2 U2 R2 D' F2 U L2 B2 D2 F2 R2 U";
        let table = PhaseTwo::over(definition, FarBut(definition.place(&after(start))));
        for (moves, distance) in [("", 15), (" L2", 16), (" L2 U", 17), (" L2 U B2", 18)] {
            let h_position = after(&format!("{start}{moves}"));
            assert_eq!(table.distance(&h_position).unwrap().moves(), distance, "{moves}");
            // One look-up gives 16 at most.
            assert_eq!(table.bound(&h_position).unwrap().moves(), distance.min(16), "{moves}");
        }
        let error = table.distance(&after(&format!("{start} L2 U B2 D"))).unwrap_err();
        assert!(matches!(&error, Error::Data(data) if data.fault == Fault::Damaged), "{error}");
    }
}
