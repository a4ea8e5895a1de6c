//! The steps from all states of a puzzle to the entries of a table.

use serde::Serialize;

use super::TableId;
use twistbase_tables::{self as tables, ReductionStep};

/// The steps from all states of a puzzle to the entries of a table: `schema/json/explain.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableExplanation {
    /// The table.
    pub table: TableId,
    /// The puzzle that its positions belong to.
    pub puzzle: &'static str,
    /// The steps. The count of the last one is the number of entries.
    pub steps: Vec<ReductionStep>,
    /// Stored entries.
    pub entries: u64,
    /// Positions that the entries represent.
    pub positions: u64,
}

impl TableId {
    /// The steps from all states of the puzzle to the entries of this table. The table need not exist.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::TableId;
    ///
    /// let explained = "phase1".parse::<TableId>()?.explanation();
    /// assert_eq!(explained.steps.last().map(|step| step.count), Some(explained.entries.into()));
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    pub fn explanation(self) -> TableExplanation {
        let definition = self.definition();
        TableExplanation {
            table: self,
            puzzle: definition.puzzle(),
            steps: tables::reduction(definition.kind()),
            entries: definition.layout().entries(),
            positions: definition.positions(),
        }
    }
}
