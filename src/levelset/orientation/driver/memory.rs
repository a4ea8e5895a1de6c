//! What a search needs of memory.

use crate::orientation::representation::{OrientationSet, OrientationShape, PartMarks};

/// Bytes of what is found before it is entered: so many that threads seldom wait for each other, which takes long where
/// a system lends its processors late. Measured: `schema/decisions/nx-generation.md`.
const FOUND_BYTES: usize = 1 << 25;

impl OrientationShape {
    /// Bytes in which such a space is searched without a scratch file.
    pub fn working_set<S: OrientationSet, const P: usize>(&self) -> u64 {
        let rows = self.rows * self.row_bytes::<S, P>() + self.rows_at_once::<S>() * self.found_bytes::<S>();
        rows as u64 + self.marks()
    }

    /// Bytes without which such a space cannot be searched.
    pub fn least_memory<S: OrientationSet, const P: usize>(&self) -> u64 {
        let rows = (self.moves + 1).min(self.rows);
        (rows * self.row_bytes::<S, P>() + self.found_bytes::<S>()) as u64 + self.marks()
    }

    /// Bytes of a row.
    pub(super) fn row_bytes<S: OrientationSet, const P: usize>(&self) -> usize {
        self.row_sets(P) * size_of::<S>()
    }

    /// Bytes of what is found of a row, with its counts.
    pub(super) fn found_bytes<S: OrientationSet>(&self) -> usize {
        self.blocks() * size_of::<S>() + self.parts * 4
    }

    /// Bytes of the marks of parts, of the last level and the next.
    pub(super) fn marks(&self) -> u64 {
        (PartMarks::bytes(self.rows, self.parts) * 2) as u64
    }

    /// Rows that are pulled before what they found is entered.
    pub(super) fn rows_at_once<S: OrientationSet>(&self) -> usize {
        let few = (4 * rayon::current_num_threads()).max(16);
        few.max(FOUND_BYTES / self.found_bytes::<S>()).min(self.rows)
    }
}
