//! Rebuilds the missing, stale or damaged parts of tables, and no more.

use serde::Serialize;

use super::{Database, StoreItem, TableId};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Remedy, Result};
use twistbase_store::Manifest;
use twistbase_tables::{self as tables, BuildRequest, Built, Plan, Rebuilt};

/// The plan or report of a rebuild, for a table or the results for cosets: `schema/json/rebuild.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RebuildReport {
    /// The table, or `cosets`.
    pub table: &'static str,
    /// The action.
    pub plan: RebuildAction,
    /// Why the whole table is built, or left alone.
    pub reason: Option<String>,
    /// The depth of the build; `None` for a whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The rows to restore, with their faults.
    pub rows: Vec<RowFault>,
    /// Whether the action is done.
    pub done: bool,
    /// The digest of the table afterwards.
    pub digest: Option<String>,
    /// Seconds that it took.
    pub seconds: Option<f64>,
}

/// The action of a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RebuildAction {
    /// Nothing.
    Intact,
    /// Rows are restored from those of their neighbours.
    Restore,
    /// The whole table is generated.
    Build,
    /// Cosets must be solved again, each by the remedy of its row. A rebuild does not do this.
    Solve,
    /// The table is left alone: a rebuild must not replace its file, or cannot restore it.
    Leave,
}

/// A faulty row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowFault {
    /// The row; for cosets the number of the coset.
    pub row: u32,
    /// Its name.
    pub row_name: Option<String>,
    /// The fault.
    pub reason: String,
    /// The remedy; `None` if a rebuild restores the row.
    pub remedy: Option<Remedy>,
}

/// The faults of the results for cosets.
#[derive(Debug, Clone)]
pub struct CosetsPlan {
    /// The report.
    pub report: RebuildReport,
    /// All faults, including those of no single coset.
    pub faults: Vec<DataError>,
}

impl RebuildReport {
    /// The report of a plan and its execution.
    pub fn new(table: TableId, plan: &Plan, done: Option<&Rebuilt>) -> Self {
        let row_fault = |(&row, reason): (&u32, &String)| RowFault {
            row,
            row_name: StoreItem::Table(table).row_name(row),
            reason: reason.clone(),
            remedy: None,
        };
        let (action, reason, depth, rows) = match plan {
            Plan::Intact => (RebuildAction::Intact, None, None, Vec::new()),
            Plan::Build { reason, depth, .. } => (RebuildAction::Build, Some(reason.clone()), *depth, Vec::new()),
            Plan::Restore { rows } => (RebuildAction::Restore, None, None, rows.iter().map(row_fault).collect()),
        };
        let stored = done.and_then(stored);
        Self {
            depth,
            done: done.is_some(),
            digest: stored.map(|(manifest, _)| manifest.digest.clone()),
            seconds: stored.map(|(_, seconds)| seconds),
            ..Self::undone(table.name(), action, reason, rows)
        }
    }

    /// A table that is left alone, because of an error of [`Database::plan_rebuild`] or [`Database::rebuild`].
    pub fn left_alone(table: TableId, error: &Error) -> Self {
        let reason = match error {
            Error::Data(fault) => reason(fault),
            error => error.to_string(),
        };
        Self::undone(table.name(), RebuildAction::Leave, Some(reason), Vec::new())
    }

    fn of_cosets(faults: &[DataError]) -> Self {
        let row_fault = |fault: &DataError| {
            let row = fault.row?;
            let (row_name, remedy) = (StoreItem::Cosets.row_name(row), Some(fault.remedy.clone()));
            Some(RowFault { row, row_name, reason: reason(fault), remedy })
        };
        let plan = if faults.is_empty() { RebuildAction::Intact } else { RebuildAction::Solve };
        let reason = faults.iter().find(|fault| fault.row.is_none()).map(reason);
        Self::undone(StoreItem::Cosets.name(), plan, reason, faults.iter().filter_map(row_fault).collect())
    }

    /// The report of a plan that is not executed yet.
    fn undone(table: &'static str, plan: RebuildAction, reason: Option<String>, rows: Vec<RowFault>) -> Self {
        Self { table, plan, reason, depth: None, rows, done: false, digest: None, seconds: None }
    }
}

/// The fault, for a line that already names the item.
fn reason(fault: &DataError) -> String {
    format!("{}: {}", fault.fault, fault.detail)
}

/// The stored table after a rebuild, and its time; `None` if there was nothing to do.
fn stored(done: &Rebuilt) -> Option<(&Manifest, f64)> {
    match done {
        Rebuilt::Restored { manifest, seconds } => Some((manifest, *seconds)),
        Rebuilt::Built(Built::Now { manifest, .. } | Built::Already(manifest)) => Some((manifest, manifest.seconds)),
        Rebuilt::Intact => None,
    }
}

impl Database {
    /// Plans the rebuild of a table; restoring rows may take `memory` bytes. This takes as long as verifying the table, and changes
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::Error::Data) for a file of another program; [`Error::Busy`](twistbase_core::Error::Busy),
    /// [`Error::Io`](twistbase_core::Error::Io), [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    pub fn plan_rebuild(&self, table: TableId, memory: u64, ctx: &Context) -> Result<Plan> {
        tables::plan(self.store(), table.definition(), memory, ctx)
    }

    /// Executes a plan. Uses the memory and the kernel of `request`. The old table answers until the new one is complete.
    ///
    /// # Errors
    /// Those of [`Database::build`]; [`Error::Data`](twistbase_core::Error::Data) if restored rows differ from the lost ones:
    /// then neighbours are wrong too, and nothing changes.
    pub fn rebuild(&self, table: TableId, plan: &Plan, request: &BuildRequest, ctx: &Context) -> Result<RebuildReport> {
        let done = tables::rebuild(self.store(), table.definition(), plan, request, ctx)?;
        Ok(RebuildReport::new(table, plan, Some(&done)))
    }

    /// Lists the cosets that must be solved again. Solving may take hours for each, and is not done here.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::Error::Data) if there are no results; [`Error::Busy`](twistbase_core::Error::Busy),
    /// [`Error::Io`](twistbase_core::Error::Io), [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    pub fn plan_cosets(&self, ctx: &Context) -> Result<CosetsPlan> {
        let (_, faults) = self.cosets().verify(ctx)?;
        Ok(CosetsPlan { report: RebuildReport::of_cosets(&faults), faults })
    }
}
