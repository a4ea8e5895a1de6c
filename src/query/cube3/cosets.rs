//! How far positions are from a subgroup.

use std::ops::Deref;

use super::modulo3::{self, Modulo3, NearDistances};
use super::turns::{FaceTurnGraph, FaceTurnNode, FaceTurnTable};
use crate::walk::{ShortestPaths, count_paths};
use crate::{Distance, KnownDistance};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_puzzle::cube3::{Cube, Metric, Move};
use twistbase_store::{Entries, Packing};
use twistbase_tables::{CosetTable, Definition, Kind, NxTable};

/// No table here has distances of 32 and more.
const FARTHEST: u8 = 31;

/// Distances to a subgroup over any reader of a table: `phase1` and its twins (to H), `huge` (to the positions that are
/// right but for the permutations of the corners and of the U and D edges).
///
/// These are exact distances to the subgroup, and lower bounds for the distance to solved. Pruning tables hold such bounds alone.
pub struct Cosets<E> {
    table: &'static dyn CosetTable,
    /// The table, if it is a pruning table.
    pruning: Option<&'static NxTable>,
    entries: E,
    near: Option<NearDistances>,
}

/// The shortest ways into the subgroup, found one after the other; `T` refers to the [table](Cosets), by `&` or
/// [`Arc`](std::sync::Arc).
pub type CosetSolutions<T> = ShortestPaths<FaceTurnGraph<T>>;

impl<E> std::fmt::Debug for Cosets<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cosets").field("table", &self.table.layout().name).finish_non_exhaustive()
    }
}

impl<E: Entries> Cosets<E> {
    /// The table over any reader; `entries` must be of its layout.
    pub fn over(table: &'static dyn CosetTable, entries: E) -> Self {
        let pruning = if let Kind::Pruning(table) = table.kind() { Some(table) } else { None };
        Self { table, pruning, entries, near: None }
    }

    /// The same for very many questions: of a table modulo 3, distances near the goal are remembered, and others found
    /// in a small part of the time.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no memory for that, 32 MiB.
    pub fn remembering(self) -> Result<Self> {
        Ok(Self { near: NearDistances::of(self.table)?, ..self })
    }

    /// Its definition.
    pub fn definition(&self) -> &'static dyn CosetTable {
        self.table
    }

    /// The table, if it is a pruning table.
    pub(super) fn pruning(&self) -> Option<&'static NxTable> {
        self.pruning
    }

    /// The reader.
    pub fn entries(&self) -> &E {
        &self.entries
    }

    /// The fewest moves that bring a position into the subgroup.
    ///
    /// # Errors
    /// Those of [`Cosets::known_distance`]; [`Error::Data`] (bounded) if the position is farther than the table was
    /// built to.
    pub fn distance(&self, position: &Cube) -> Result<Distance> {
        self.known_distance(position)?.within(self.table)
    }

    /// How far a position is from the subgroup, as far as the table reaches.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`] (damaged) if the table contradicts itself; [`Error::Usage`] for one of
    /// [`pruning_tables`](twistbase_tables::pruning_tables), which does not hold distances.
    pub fn known_distance(&self, position: &Cube) -> Result<KnownDistance> {
        self.known_distance_at(position, self.table.place(position))
    }

    /// The same of a position whose place in the table is known.
    #[inline]
    #[doc(hidden)]
    pub fn known_distance_at(&self, position: &Cube, (row, entry): (u32, u64)) -> Result<KnownDistance> {
        self.known_distance_of(position, self.entries.get(row, entry)?)
    }

    /// The same, of what its entry holds.
    pub(super) fn known_distance_of(&self, position: &Cube, value: u8) -> Result<KnownDistance> {
        match (self.table.layout().packing, self.entries.depth()) {
            (Packing::Nibbles, Some(depth)) if value == UNSET => Ok(KnownDistance::Beyond(depth)),
            (Packing::Nibbles, _) => Ok(KnownDistance::Exactly(Distance::new(value))),
            (Packing::Mod3, _) => {
                Ok(KnownDistance::Exactly(Distance::new(modulo3::distance(self, position, value, FARTHEST)?)))
            }
            (Packing::Quarters, _) => Err(Error::Usage(format!(
                "table {} stores lower bounds, and exact distances of only some positions",
                self.table.layout().name
            ))),
        }
    }

    /// Every shortest sequence that brings a position into the subgroup, one after the other; none is stored. Of sequences that differ
    /// only in the order of turns of opposite faces, one is listed ([`CanonicalState`](twistbase_puzzle::cube3::CanonicalState)).
    ///
    /// # Errors
    /// Those of [`Cosets::distance`], also from the iterator's items.
    pub fn solutions_from<T>(table: T, position: &Cube) -> Result<CosetSolutions<T>>
    where
        T: Deref<Target = Self>,
    {
        ShortestPaths::new(FaceTurnGraph(table), FaceTurnNode::start(position))
    }

    /// The number of sequences that [`Cosets::solutions_from`] lists, without listing them.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`].
    pub fn count(&self, position: &Cube, ctx: &Context) -> Result<u64> {
        let distance = self.distance(position)?.moves();
        count_paths(&FaceTurnGraph(self), &FaceTurnNode::start(position), distance, ctx)
    }
}

impl<E: Entries> FaceTurnTable for Cosets<E> {
    fn metric(&self) -> Metric {
        self.table.move_metric()
    }

    fn known_distance(&self, position: &Cube) -> Result<KnownDistance> {
        self.known_distance(position)
    }

    fn turned(&self, position: &Cube) -> impl Iterator<Item = (Move, impl FnOnce() -> Cube)> {
        Move::all().map(move |turn| (turn, move || position.turned(turn)))
    }
}

impl<E: Entries> Modulo3 for Cosets<E> {
    type Position = Cube;
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

    fn place(&self, position: &Cube) -> (u32, u64) {
        self.table.place(position)
    }

    fn is_reached(&self, position: &Cube) -> bool {
        self.table.is_reached(position)
    }

    fn neighbours(&self, position: &Cube) -> impl Iterator<Item = Cube> {
        self.table.move_metric().moves().map(|turn| position.turned(turn))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use twistbase_puzzle::cube3::{Metric, Symmetry};
    use twistbase_tables as tables;

    /// Remainders of the distances of near cosets; those of others are not asked for.
    struct Near(HashMap<(u32, u64), u8>);

    impl Entries for Near {
        fn get(&self, row: u32, entry: u64) -> Result<u8> {
            Ok(self.0[&(row, entry)] % 3)
        }
    }

    /// Walks tell the distances of which a table holds the remainders by 3, remembered or not.
    #[test]
    fn distances_come_of_their_remainders() {
        let kociemba = tables::phase_one_tables(Metric::Htm).find(|table| table.layout().packing == Packing::Mod3);
        let of_all: [&'static dyn CosetTable; 2] = [kociemba.unwrap(), tables::huge()];
        for table in of_all {
            let mut near = HashMap::new();
            // A coset is met under the places of all its images.
            let mut meet = |position: &Cube, distance: u8| {
                let is_new = !near.contains_key(&table.place(position));
                for symmetry in Symmetry::keeping_axis().filter(|_| is_new) {
                    near.entry(table.place(&symmetry.of(position))).or_insert(distance);
                }
                is_new
            };
            let mut levels = vec![vec![Cube::SOLVED]];
            meet(&Cube::SOLVED, 0);
            for distance in 1..=4 {
                let last = &levels[usize::from(distance) - 1];
                let turned = last.iter().flat_map(|at| Move::all().map(move |turn| at.turned(turn)));
                let next = turned.filter(|position| meet(position, distance)).collect();
                levels.push(next);
            }
            let plain = Cosets::over(table, Near(near.clone()));
            let remembering = Cosets::over(table, Near(near.clone())).remembering().unwrap();
            for (distance, position) in (0u8..4).zip(&levels).flat_map(|(d, level)| level.iter().map(move |at| (d, at)))
            {
                // The second time, what lies behind is remembered.
                for cosets in [&plain, &remembering, &remembering] {
                    assert_eq!(cosets.distance(position).unwrap().moves(), distance, "{}", table.layout().name);
                    // What is not known is not to be walked through.
                    if distance == 3 {
                        continue;
                    }
                    for outcome in cosets.moves(position).unwrap() {
                        let after = near[&table.place(&position.turned(outcome.turn))];
                        assert_eq!(outcome.known_distance, KnownDistance::Exactly(Distance::new(after)));
                        assert_eq!(outcome.change, Some(after as i8 - distance as i8));
                    }
                }
            }
            assert!(levels.iter().all(|level| !level.is_empty()));
        }
    }
}
