//! Rebuilding what is missing, stale or damaged, and no more.

use serde::Serialize;

use super::{Database, StoreItem, TableId};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Remedy, Result};
use twistbase_store::Manifest;
use twistbase_tables::{self as tables, BuildRequest, Built, Plan, Rebuilt};

/// What is done about a table, or about the results about cosets: `schema/json/rebuild.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RebuildReport {
    /// The table, or `cosets`.
    pub table: &'static str,
    /// What has to be done.
    pub plan: RebuildAction,
    /// Why the whole table is built, or left alone.
    pub reason: Option<String>,
    /// To which depth it is built; none if all of it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The rows to restore, each with what is wrong.
    pub rows: Vec<RowFault>,
    /// Whether it has been done.
    pub done: bool,
    /// The digest of the table afterwards.
    pub digest: Option<String>,
    /// Seconds that it took.
    pub seconds: Option<f64>,
}

/// What has to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RebuildAction {
    /// Nothing.
    Intact,
    /// Rows are restored from those of their neighbours.
    Restore,
    /// The whole table is generated.
    Build,
    /// Cosets are solved again, each by the remedy of its row: a rebuild does not do that.
    Solve,
    /// The table is left alone: what is in its place is not for a rebuild to replace, or cannot be restored.
    Leave,
}

/// A row that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowFault {
    /// The row; of cosets, the number of the coset.
    pub row: u32,
    /// Its name.
    pub row_name: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// What mends it; none if a rebuild does.
    pub remedy: Option<Remedy>,
}

/// What is wrong with the results about cosets.
#[derive(Debug, Clone)]
pub struct CosetsPlan {
    /// As it is reported.
    pub report: RebuildReport,
    /// Every fault, also those of no coset in particular.
    pub faults: Vec<DataError>,
}

impl RebuildReport {
    /// What a plan says, and what was done by it.
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
    pub fn left_alone(table: TableId, fault: &DataError) -> Self {
        Self::undone(table.name(), RebuildAction::Leave, Some(reason(fault)), Vec::new())
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

    /// What has to be done, and has not been.
    fn undone(table: &'static str, plan: RebuildAction, reason: Option<String>, rows: Vec<RowFault>) -> Self {
        Self { table, plan, reason, depth: None, rows, done: false, digest: None, seconds: None }
    }
}

/// What is wrong, in a line that names the item already.
fn reason(fault: &DataError) -> String {
    format!("{}: {}", fault.fault, fault.detail)
}

/// What is stored after a rebuild, and how long it took; none if nothing had to be done.
fn stored(done: &Rebuilt) -> Option<(&Manifest, f64)> {
    match done {
        Rebuilt::Restored { manifest, seconds } => Some((manifest, *seconds)),
        Rebuilt::Built(Built::Now { manifest, .. } | Built::Already(manifest)) => Some((manifest, manifest.seconds)),
        Rebuilt::Intact => None,
    }
}

impl Database {
    /// Finds out what a table needs, if restoring rows may take `memory` bytes. This takes as long as verifying it;
    /// nothing is changed.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::Error::Data) for a file that another program wrote; [`Error::Busy`](twistbase_core::Error::Busy),
    /// [`Error::Io`](twistbase_core::Error::Io), [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    pub fn plan_rebuild(&self, table: TableId, memory: u64, ctx: &Context) -> Result<Plan> {
        tables::plan(self.store(), table.definition(), memory, ctx)
    }

    /// Does what a plan says; of `request`, memory and kernel count. The old table answers until the new one is complete.
    ///
    /// # Errors
    /// Those of [`Database::build`]; [`Error::Data`](twistbase_core::Error::Data) if restored rows are not those that were lost:
    /// then neighbours are wrong, too, and nothing is changed.
    pub fn rebuild(&self, table: TableId, plan: &Plan, request: &BuildRequest, ctx: &Context) -> Result<RebuildReport> {
        let done = tables::rebuild(self.store(), table.definition(), plan, request, ctx)?;
        Ok(RebuildReport::new(table, plan, Some(&done)))
    }

    /// Finds out which results about cosets have to be solved again. That may take hours each, and is not done here.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::Error::Data) if there are no results; [`Error::Busy`](twistbase_core::Error::Busy),
    /// [`Error::Io`](twistbase_core::Error::Io), [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    pub fn plan_cosets(&self, ctx: &Context) -> Result<CosetsPlan> {
        let (_, faults) = self.cosets().verify(ctx)?;
        Ok(CosetsPlan { report: RebuildReport::of_cosets(&faults), faults })
    }
}
