//! Every shortest solution by moves of H, listed or counted.

use std::ops::Deref;

use super::phase_two::PhaseTwo;
use super::turns::{FaceTurnGraph, FaceTurnNode, FaceTurnTable};
use crate::KnownDistance;
use crate::walk::{ShortestPaths, count_paths};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{Metric, Move};
use twistbase_store::Entries;
use twistbase_tables::h_moves;

/// The shortest solutions of a position in H, found one after the other; `T` refers to the [table](PhaseTwo), by `&` or
/// [`Arc`](std::sync::Arc).
pub type HSolutions<T> = ShortestPaths<FaceTurnGraph<T>>;

impl<E: Entries> PhaseTwo<E> {
    /// Every shortest solution by moves of H, one after the other; none is stored. Of sequences that differ only in the
    /// order of turns of opposite faces, one is listed ([`CanonicalState`](twistbase_puzzle::cube3::CanonicalState)).
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) unless the table
    /// [is exact](twistbase_tables::PhaseTwoTable::is_exact); those of [`PhaseTwo::distance`], also from the iterator's
    /// items.
    pub fn solutions(&self, h_position: &PhaseTwoPosition) -> Result<HSolutions<&Self>> {
        Self::solutions_from(self, h_position)
    }

    /// The same from any reference to a table; with an [`Arc`](std::sync::Arc) the iterator borrows nothing.
    ///
    /// # Errors
    /// As [`PhaseTwo::solutions`].
    pub fn solutions_from<T>(table: T, h_position: &PhaseTwoPosition) -> Result<HSolutions<T>>
    where
        T: Deref<Target = Self>,
    {
        table.check_exact()?;
        ShortestPaths::new(FaceTurnGraph(table), FaceTurnNode::start(h_position))
    }

    /// The number of solutions that [`PhaseTwo::solutions`] lists, without listing them.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn count(&self, h_position: &PhaseTwoPosition, ctx: &Context) -> Result<u64> {
        self.check_exact()?;
        let distance = self.distance(h_position)?.moves();
        count_paths(&FaceTurnGraph(self), &FaceTurnNode::start(h_position), distance, ctx)
    }
}

impl<E: Entries> FaceTurnTable for PhaseTwo<E> {
    fn metric(&self) -> Metric {
        self.definition().move_metric()
    }

    fn known_distance(&self, h_position: &PhaseTwoPosition) -> Result<KnownDistance> {
        self.known_distance(h_position)
    }

    fn turned(&self, h_position: &PhaseTwoPosition) -> impl Iterator<Item = (Move, impl FnOnce() -> PhaseTwoPosition)> {
        h_moves(Metric::Htm).map(move |turn| (turn.turn, move || h_position.then(&turn.effect)))
    }
}
