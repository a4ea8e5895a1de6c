//! What the threads of a search share: the table, the budgets.

use super::FaceLimits;
use twistbase_core::context::SharedMeter;
use twistbase_core::error::Error;
use twistbase_puzzle::square1::{LyingPieces, Middle, Position};
use twistbase_query::Square1Table;
use twistbase_store::Entries;

/// What the threads of a search share.
pub(super) struct FaceShared<'a, E> {
    pub table: &'a Square1Table<E>,
    pub limits: &'a FaceLimits,
    /// Over when a solution of the depth that is searched was found, or a thread failed.
    pub meter: SharedMeter<'a>,
}

impl<E: Entries> FaceShared<'_, E> {
    /// How many layers are to be turned to solve a position without a twist, whose middle layer is square; `None` if
    /// turns do not.
    pub fn turns_at_end(&self, lying: &LyingPieces) -> Option<u8> {
        let turn = lying.position(Middle::Square).solving_turn(self.table.colouring())?;
        Some(turn.layers())
    }

    /// The error of a sequence that should solve a position, by the table, and does not.
    #[cold]
    pub fn contradiction(&self, start: &Position) -> Error {
        self.table.contradicted(start)
    }
}
