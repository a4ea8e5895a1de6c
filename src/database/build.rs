//! Building tables.

use serde::Serialize;

use super::{CountUnit, Database, LevelCounts, TableId};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_store::Manifest;
use twistbase_tables::{self as tables, BuildRequest, Built};

/// What a build did: `schema/json/build.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BuildReport {
    /// The table.
    pub table: TableId,
    /// The puzzle that its positions belong to.
    pub puzzle: &'static str,
    /// What its distances count.
    pub metric: &'static str,
    /// What was done.
    pub outcome: BuildOutcome,
    /// The depth to which it is built; none if it is complete.
    pub depth: Option<u8>,
    /// The depth of the table that was continued.
    pub extended_from: Option<u8>,
    /// Rows taken over from an interrupted build.
    pub rows_kept: u32,
    /// Seconds that the build took.
    pub seconds: f64,
    /// Of these, until all distances were known; none if nothing was built.
    pub generate_seconds: Option<f64>,
    /// Bytes on disk.
    pub bytes: u64,
    /// The digest over all rows.
    pub digest: String,
    /// Positions up to the depth to which it is built.
    pub positions: u64,
    /// Who says what must come out; none if nobody does.
    pub expected_source: Option<&'static str>,
    /// The positions at each distance, beside what must come out.
    pub levels: LevelCounts,
}

/// What a build did to a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildOutcome {
    /// It was built from nothing.
    Built,
    /// It had been built to a smaller depth, and was continued.
    Extended,
    /// It was complete; nothing was done.
    AlreadyComplete,
    /// It was built to this depth or farther; nothing was done.
    AlreadyThere,
}

impl BuildReport {
    fn new(table: TableId, built: &Built, bytes: u64) -> Self {
        let definition = table.definition();
        let (outcome, manifest, extended_from, rows_kept, generate_seconds) = outcome(built);
        let levels = LevelCounts::new(definition, &manifest.distribution);
        let levels = match definition.expected() {
            Some(expected) => levels.with_expected(expected.positions),
            None => levels,
        };
        Self {
            table,
            puzzle: definition.puzzle(),
            metric: definition.metric().name(),
            outcome,
            depth: manifest.depth,
            extended_from,
            rows_kept,
            seconds: manifest.seconds,
            generate_seconds,
            bytes,
            digest: manifest.digest.clone(),
            positions: levels.total(CountUnit::Positions),
            expected_source: definition.expected().map(|expected| expected.source),
            levels,
        }
    }
}

/// What was done, what is stored, the depth and the rows taken over, and the seconds of generating.
fn outcome(built: &Built) -> (BuildOutcome, &Manifest, Option<u8>, u32, Option<f64>) {
    match built {
        Built::Already(manifest) if manifest.depth.is_none() => {
            (BuildOutcome::AlreadyComplete, manifest, None, 0, None)
        }
        Built::Already(manifest) => (BuildOutcome::AlreadyThere, manifest, None, 0, None),
        Built::Now { manifest, from, rows_kept, generated } => {
            let outcome = if from.is_some() { BuildOutcome::Extended } else { BuildOutcome::Built };
            (outcome, manifest, *from, *rows_kept, Some(*generated))
        }
    }
}

impl Database {
    /// Builds a table, or finishes its interrupted build, or continues what was built to a smaller depth. Before anything
    /// is stored, the number of positions at every distance is compared with what is known.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; pub use twistbase_tables::{self as tables, BuildRequest}; }
    /// use twistbase::context::Context;
    /// use twistbase::tables::BuildRequest;
    /// use twistbase::{Database, TableId};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path();
    /// let database = Database::open(folder)?;
    /// let corners: TableId = "square1-corners".parse()?;
    /// let report = database.build(corners, &BuildRequest::default(), &Context::silent())?;
    /// assert_eq!((report.positions, report.levels.farthest()), (2_702_700, Some(8)));
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BuildRequest::check`]; [`Error::Memory`](twistbase_core::Error::Memory) if the memory does not suffice;
    /// [`Error::Busy`](twistbase_core::Error::Busy) if another process builds the table; [`Error::Data`](twistbase_core::Error::Data) if the
    /// counts that come out are not those expected; [`Error::Io`](twistbase_core::Error::Io);
    /// [`Error::Interrupted`](twistbase_core::Error::Interrupted), after which the next build takes over what is stored.
    pub fn build(&self, table: TableId, request: &BuildRequest, ctx: &Context) -> Result<BuildReport> {
        let built = tables::build(self.store(), table.definition(), request, ctx)?;
        let bytes = self.store().status(table.definition().layout())?.bytes;
        Ok(BuildReport::new(table, &built, bytes))
    }
}
