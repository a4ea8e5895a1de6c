//! Building tables.

use serde::Serialize;

use super::{CountUnit, Database, LevelCounts, TableId};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_store::Manifest;
use twistbase_tables::{self as tables, BuildRequest, Built};

/// The report of a build: `schema/json/build.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BuildReport {
    /// The table.
    pub table: TableId,
    /// The puzzle that its positions belong to.
    pub puzzle: &'static str,
    /// The metric of its distances.
    pub metric: &'static str,
    /// The action.
    pub outcome: BuildOutcome,
    /// The depth to which it is built; `None` if it is complete.
    pub depth: Option<u8>,
    /// The depth of the table before, if the build deepened it.
    pub extended_from: Option<u8>,
    /// Rows reused from an interrupted build.
    pub rows_kept: u32,
    /// Seconds that the build took.
    pub seconds: f64,
    /// Of these, seconds until all distances were found; `None` if nothing was built.
    pub generate_seconds: Option<f64>,
    /// Bytes on disk.
    pub bytes: u64,
    /// The digest over all rows.
    pub digest: String,
    /// Positions up to the depth to which it is built.
    pub positions: u64,
    /// The source of the expected counts, if there is one.
    pub expected_source: Option<&'static str>,
    /// The positions at each distance, with the expected counts.
    pub levels: LevelCounts,
}

/// The action of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildOutcome {
    /// Built from scratch.
    Built,
    /// Deepened a table of a smaller depth.
    Extended,
    /// Did nothing: the table was complete.
    AlreadyComplete,
    /// Did nothing: the table had this depth or more.
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

/// The action, the stored table, its depth before, the reused rows, and the seconds of generating.
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
    /// Builds a table. Resumes an interrupted build, and deepens a table of a smaller depth. Compares the number of positions at every
    /// distance with the expected counts before it stores anything.
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
    /// Those of [`BuildRequest::check`]; [`Error::Memory`](twistbase_core::Error::Memory) if there is too little memory;
    /// [`Error::Busy`](twistbase_core::Error::Busy) if another process builds the table; [`Error::Data`](twistbase_core::Error::Data) if the
    /// counts differ from the expected ones; [`Error::Io`](twistbase_core::Error::Io);
    /// [`Error::Interrupted`](twistbase_core::Error::Interrupted), after which the next build resumes.
    pub fn build(&self, table: TableId, request: &BuildRequest, ctx: &Context) -> Result<BuildReport> {
        self.note_small_disk(table, request, ctx)?;
        let built = tables::build(self.store(), table.definition(), request, ctx)?;
        let bytes = self.store().status(table.definition().layout())?.bytes;
        Ok(BuildReport::new(table, &built, bytes))
    }
}
