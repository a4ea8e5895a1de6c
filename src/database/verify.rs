//! Checking every byte of tables, and what neighbours say about each other.

use std::time::Instant;

use serde::Serialize;

use super::{Database, StoreItem, TableId};
use twistbase_cache as cache;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, DataReport, Error, Fault, Result, collect_faults};
use twistbase_query::{DeepRequest, DeepVerified, verify_deep};
use twistbase_store::Verified;

/// What checking a table, or the results about cosets, came to.
#[derive(Debug, Clone)]
pub struct Verification {
    /// What is wrong.
    pub faults: Vec<FaultReport>,
    /// What was checked.
    pub summary: VerifySummary,
}

/// A fault, and the row in which it is: a line of `schema/json/verify.json`.
#[derive(Debug, Clone, Serialize)]
pub struct FaultReport {
    /// The fault.
    #[serde(flatten)]
    pub fault: DataReport,
    /// The row's name.
    pub row_name: Option<String>,
}

/// What was checked: the last line about a table of `schema/json/verify.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerifySummary {
    /// The table, or `cosets`.
    pub table: &'static str,
    /// Whether nothing is wrong.
    pub intact: bool,
    /// Rows that were checked.
    pub rows: u32,
    /// Pages that were checked.
    pub pages: u64,
    /// Files of the hot cache that are intact.
    pub cached_files: u32,
    /// Rows that were checked against their neighbours.
    pub deep_rows: u32,
    /// Positions that were checked against their neighbours.
    pub deep_positions: u64,
    /// Faults found.
    pub faults: u64,
    /// Seconds.
    pub seconds: f64,
}

impl FaultReport {
    fn new(item: StoreItem, fault: &DataError) -> Self {
        Self { fault: DataReport::from(fault), row_name: fault.row.and_then(|row| item.row_name(row)) }
    }
}

/// How much was checked.
#[derive(Debug, Clone, Copy, Default)]
struct CheckedCounts {
    rows: u32,
    pages: u64,
    cached_files: u32,
    deep: DeepVerified,
}

impl Database {
    /// Checks the checksum of every page of a table, the digest and the distribution of every row, the digest of the
    /// table, and every block of its cache; of results about cosets, every record. With `deep`, if nothing is wrong with
    /// these, also the mathematics: what neighbours say about each other, and the small depths of cosets, which needs the
    /// table `phase1`. Nothing is changed.
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
    /// [`Error::Data`] for a table that is missing or unfinished: any other fault is found, not returned;
    /// [`Error::Memory`] if rows and their neighbours do not fit the memory; [`Error::Busy`], [`Error::Io`],
    /// [`Error::Interrupted`].
    pub fn verify(&self, item: StoreItem, deep: Option<&DeepRequest>, ctx: &Context) -> Result<Verification> {
        let started = Instant::now();
        let (counts, faults) = match item {
            StoreItem::Table(table) => self.verify_table(table, deep, ctx)?,
            StoreItem::Cosets => self.verify_cosets(deep, ctx)?,
        };
        let summary = VerifySummary {
            table: item.name(),
            intact: faults.is_empty(),
            rows: counts.rows,
            pages: counts.pages,
            cached_files: counts.cached_files,
            deep_rows: counts.deep.rows,
            deep_positions: counts.deep.positions,
            faults: faults.len() as u64,
            seconds: started.elapsed().as_secs_f64(),
        };
        let faults = faults.iter().map(|fault| FaultReport::new(item, fault)).collect();
        Ok(Verification { faults, summary })
    }

    fn verify_table(
        &self,
        table: TableId,
        deep: Option<&DeepRequest>,
        ctx: &Context,
    ) -> Result<(CheckedCounts, Vec<DataError>)> {
        let (definition, store) = (table.definition(), self.store());
        let (checked, mut faults) = self.verify_stored(table, ctx)?;
        let mut counts = CheckedCounts { rows: checked.rows, pages: checked.pages, ..CheckedCounts::default() };
        // Without a usable table no file of the cache is used: there is nothing to compare it with.
        if checked.rows > 0 {
            counts.cached_files = cache::verify(store, definition.layout(), ctx, &mut |fault| faults.push(fault))?;
        }
        // What is damaged contradicts its neighbours, which would say nothing new.
        if let Some(request) = deep
            && faults.is_empty()
        {
            (counts.deep, faults) = collect_faults(|found| verify_deep(store, definition, request, ctx, found))?;
        }
        Ok((counts, faults))
    }

    /// Checks the stored table. A file that cannot be used at all is a fault like any other; that there is none, or that
    /// it cannot be read, is an error.
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

    fn verify_cosets(&self, deep: Option<&DeepRequest>, ctx: &Context) -> Result<(CheckedCounts, Vec<DataError>)> {
        let cosets = self.cosets();
        let (rows, mut faults) = cosets.verify(ctx)?;
        let mut counts = CheckedCounts { rows, ..CheckedCounts::default() };
        if let Some(request) = deep
            && faults.is_empty()
        {
            (counts.deep.rows, faults) = cosets.recount(request, rows, ctx)?;
        }
        Ok((counts, faults))
    }
}
