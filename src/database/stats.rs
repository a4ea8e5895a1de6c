//! The positions of a table at each distance.

use serde::Serialize;

use super::{CountUnit, Database, LevelCounts, TableId};
use twistbase_core::error::Result;
use twistbase_store::{Entries, StoredTable};

/// The distribution of a table, or of one of its rows: `schema/json/stats.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableStats {
    /// The table.
    pub table: TableId,
    /// The puzzle that its positions belong to.
    pub puzzle: &'static str,
    /// The metric of its distances.
    pub metric: &'static str,
    /// The row; `None` for the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u32>,
    /// The row's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_name: Option<String>,
    /// Positions at all stored distances.
    pub positions: u64,
    /// Their mean distance.
    pub mean: f64,
    /// Entries that represent them.
    pub entries: u64,
    /// The mean distance of entries.
    pub mean_of_entries: f64,
    /// The largest distance.
    pub farthest: Option<usize>,
    /// The positions beyond the depth of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond: Option<BeyondDepth>,
    /// The counts at each distance.
    pub levels: LevelCounts,
}

/// The positions beyond the depth of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BeyondDepth {
    /// The depth.
    pub depth: u8,
    /// Positions beyond it.
    pub positions: u64,
    /// Entries that represent them.
    pub entries: u64,
}

impl BeyondDepth {
    /// Positions or entries beyond the depth.
    pub const fn count(&self, of: CountUnit) -> u64 {
        match of {
            CountUnit::Positions => self.positions,
            CountUnit::Entries => self.entries,
        }
    }
}

impl TableStats {
    /// Their number and mean distance.
    pub const fn total(&self, of: CountUnit) -> (u64, f64) {
        match of {
            CountUnit::Positions => (self.positions, self.mean),
            CountUnit::Entries => (self.entries, self.mean_of_entries),
        }
    }

    fn of_table(table: TableId, stored: &StoredTable) -> Self {
        let manifest = stored.manifest();
        Self::new(table, manifest.depth, None, &manifest.distribution, &manifest.entries_by_level)
    }

    fn of_row(table: TableId, stored: &StoredTable, row: u32) -> Result<Self> {
        let record = stored.row_record(row)?;
        Ok(Self::new(table, stored.depth(), Some(row), &record.positions, &record.levels))
    }

    fn new(table: TableId, depth: Option<u8>, row: Option<u32>, positions: &[u64], entries: &[u64]) -> Self {
        let definition = table.definition();
        let levels = LevelCounts::new(definition, positions).with_entries(entries);
        let all = match row {
            Some(row) => (definition.row_positions(row), definition.layout().row_entries()),
            None => (definition.positions(), definition.layout().entries()),
        };
        let beyond = depth.map(|depth| BeyondDepth {
            depth,
            positions: all.0.saturating_sub(levels.total(CountUnit::Positions)),
            entries: all.1.saturating_sub(levels.total(CountUnit::Entries)),
        });
        Self {
            table,
            puzzle: definition.puzzle(),
            metric: definition.metric().name(),
            row,
            row_name: row.map(|row| definition.row_name(row)),
            positions: levels.total(CountUnit::Positions),
            mean: levels.mean(CountUnit::Positions),
            entries: levels.total(CountUnit::Entries),
            mean_of_entries: levels.mean(CountUnit::Entries),
            farthest: levels.farthest(),
            beyond,
            levels,
        }
    }
}

impl Database {
    /// The distribution of a table that is complete or built to a depth.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::Error::Data) for a missing or unusable table;
    /// [`Error::Busy`](twistbase_core::Error::Busy), [`Error::Io`](twistbase_core::Error::Io).
    pub fn stats(&self, table: TableId) -> Result<TableStats> {
        Ok(TableStats::of_table(table, &self.stored(table)?))
    }

    /// The distributions of some rows of a table; [`TableId::find_row`] gives their numbers.
    ///
    /// # Errors
    /// As [`Database::stats`]; [`Error::Usage`](twistbase_core::Error::Usage) for a row that the table does not have.
    pub fn stats_of_rows(&self, table: TableId, rows: impl IntoIterator<Item = u32>) -> Result<Vec<TableStats>> {
        let stored = self.stored(table)?;
        rows.into_iter().map(|row| TableStats::of_row(table, &stored, row)).collect()
    }

    fn stored(&self, table: TableId) -> Result<StoredTable> {
        self.store().table_to_depth(table.definition().layout())
    }
}
