//! Checks every byte of tables, and the distances of neighbours against each other.

use std::time::Instant;

use serde::Serialize;

use super::{Database, StoreItem, TableId};
use twistbase_cache as cache;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Result, collect_faults};
use twistbase_query::{DeepRequest, verify_deep};
use twistbase_store::Verified;

/// The result of checking a table, or the results for cosets.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The faults.
    pub faults: Vec<FaultReport>,
    /// The summary.
    pub summary: VerifySummary,
}

/// A fault and its row: a line of `schema/json/verify.json`.
#[derive(Debug, Clone, Serialize)]
pub struct FaultReport {
    /// The fault.
    #[serde(flatten)]
    pub fault: DataError,
    /// The row's name.
    pub row_name: Option<String>,
}

/// The summary of a check: the last line for a table in `schema/json/verify.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct VerifySummary {
    /// The table, or `cosets`.
    pub table: &'static str,
    /// Whether there are no faults.
    pub intact: bool,
    /// Checked rows.
    pub rows: u32,
    /// Checked pages.
    pub pages: u64,
    /// Intact files of the hot cache.
    pub cached_files: u32,
    /// Rows checked against their neighbours.
    pub deep_rows: u32,
    /// Positions checked against their neighbours.
    pub deep_positions: u64,
    /// Faults found.
    pub faults: u64,
    /// Seconds.
    pub seconds: f64,
}

impl FaultReport {
    fn new(item: StoreItem, fault: &DataError) -> Self {
        Self { fault: fault.clone(), row_name: fault.row.and_then(|row| item.row_name(row)) }
    }
}

impl Database {
    /// Checks the checksum of every page of a table, the digest and the distribution of every row, the digest of the
    /// table, and every block of its cache. For results for cosets: every record. With `deep`, and without faults so far, it also checks
    /// the mathematics: the distances of neighbours against each other, and small depths of cosets (needs `phase1`). Changes nothing.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; pub use twistbase_tables::{self as tables, BuildRequest}; }
    /// # use twistbase::context::Context;
    /// # use twistbase::database::StoreItem;
    /// # use twistbase::tables::BuildRequest;
    /// # use twistbase::{Database, TableId};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path();
    /// # let ctx = Context::silent();
    /// let database = Database::open(folder)?;
    /// let corners: TableId = "square1-corners".parse()?;
    /// database.build(corners, &BuildRequest::default(), &ctx)?;
    /// let verification = database.verify(StoreItem::Table(corners), None, &ctx)?;
    /// assert!(verification.summary.intact && verification.faults.is_empty());
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Data`] for a missing or unfinished table: other faults are results, not errors;
    /// [`Error::Memory`] if rows and their neighbours do not fit in memory; [`Error::Busy`], [`Error::Io`],
    /// [`Error::Interrupted`].
    pub fn verify(&self, item: StoreItem, deep: Option<&DeepRequest>, ctx: &Context) -> Result<Verification> {
        let started = Instant::now();
        let mut summary = VerifySummary { table: item.name(), ..VerifySummary::default() };
        let faults = match item {
            StoreItem::Table(table) => self.verify_table(table, deep, &mut summary, ctx)?,
            StoreItem::Cosets => self.verify_cosets(deep, &mut summary, ctx)?,
        };
        (summary.intact, summary.faults) = (faults.is_empty(), faults.len() as u64);
        summary.seconds = started.elapsed().as_secs_f64();
        let faults = faults.iter().map(|fault| FaultReport::new(item, fault)).collect();
        Ok(Verification { faults, summary })
    }

    fn verify_table(
        &self,
        table: TableId,
        deep: Option<&DeepRequest>,
        summary: &mut VerifySummary,
        ctx: &Context,
    ) -> Result<Vec<DataError>> {
        let (definition, store) = (table.definition(), self.store());
        let (checked, mut faults) = self.verify_stored(table, ctx)?;
        (summary.rows, summary.pages) = (checked.rows, checked.pages);
        // Without a usable table there is nothing to compare the cache with.
        if checked.rows > 0 {
            summary.cached_files = cache::verify(store, definition.layout(), ctx, &mut |fault| faults.push(fault))?;
        }
        // A damaged row contradicts its neighbours anyway: checking them finds nothing new.
        if let Some(request) = deep
            && faults.is_empty()
        {
            let checked;
            (checked, faults) = collect_faults(|found| verify_deep(store, definition, request, ctx, found))?;
            (summary.deep_rows, summary.deep_positions) = (checked.rows, checked.positions);
        }
        Ok(faults)
    }

    /// Checks the stored table. An unusable file is a fault; a missing or unreadable file is an error.
    fn verify_stored(&self, table: TableId, ctx: &Context) -> Result<(Verified, Vec<DataError>)> {
        let stored = match self.store().table_to_depth(table.definition().layout()) {
            Ok(stored) => stored,
            Err(Error::Data(fault)) if !matches!(fault.fault, Fault::Missing | Fault::Unfinished) => {
                return Ok((Verified::default(), vec![fault]));
            }
            Err(other) => return Err(other),
        };
        collect_faults(|found| stored.verify(ctx, found))
    }

    fn verify_cosets(
        &self,
        deep: Option<&DeepRequest>,
        summary: &mut VerifySummary,
        ctx: &Context,
    ) -> Result<Vec<DataError>> {
        let cosets = self.cosets();
        let (rows, mut faults) = cosets.verify(ctx)?;
        summary.rows = rows;
        if let Some(request) = deep
            && faults.is_empty()
        {
            (summary.deep_rows, faults) = cosets.recount(request, rows, ctx)?;
        }
        Ok(faults)
    }
}
