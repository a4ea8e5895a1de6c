//! How a table comes from all states of its puzzle to its entries.

use serde::Serialize;

use super::TableId;
use twistbase_tables::{self as tables, ReductionStep};

/// The steps from all states to entries, for JSON and people: `schema/json/explain.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableExplanation {
    /// The table.
    pub table: TableId,
    /// The puzzle that its positions belong to.
    pub puzzle: &'static str,
    /// The steps; the last has as many as the table has entries.
    pub steps: Vec<ReductionStep>,
    /// Entries that are stored.
    pub entries: u64,
    /// Positions that they stand for.
    pub positions: u64,
}

impl TableId {
    /// How the table comes from all states of its puzzle to its entries. It need not have been built.
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
