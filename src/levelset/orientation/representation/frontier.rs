//! Where the states of the last level are.

use super::marks::PartMarks;

/// The parts and the rows that have states to pull from.
pub(crate) struct Frontier {
    /// The parts, by row.
    pub(crate) parts: PartMarks,
    /// Whether a row has any.
    pub(crate) live: Vec<bool>,
}

impl Frontier {
    /// A frontier without states.
    pub(crate) fn new(rows: usize, parts: usize) -> Self {
        Self { parts: PartMarks::new(rows, parts), live: vec![false; rows] }
    }

    /// Adds a part of a row.
    pub(crate) fn insert(&mut self, row: usize, part: usize) {
        self.parts.insert(row, part);
        self.live[row] = true;
    }
}
