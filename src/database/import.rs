//! Imports raw exports of tables.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use super::tables::path_as_text;
use super::{Database, TableId};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_export::{Imported, import_raw};

/// The report of an import: `schema/json/import.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportReport {
    /// The table in the file.
    pub table: TableId,
    /// The file.
    #[serde(serialize_with = "path_as_text")]
    pub file: PathBuf,
    /// The action.
    pub outcome: ImportOutcome,
    /// Rows reused from an interrupted import.
    pub rows_kept: u32,
    /// The table's digest.
    pub digest: String,
    /// Seconds.
    pub seconds: f64,
}

/// The action of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportOutcome {
    /// Stored the table.
    Imported,
    /// Did nothing: the table was complete, with the same digest.
    AlreadyComplete,
    /// Did nothing: the table had the same depth and digest.
    AlreadyThere,
}

impl ImportOutcome {
    fn of(imported: &Imported) -> Self {
        match (imported.already, imported.manifest.depth) {
            (true, None) => Self::AlreadyComplete,
            (true, Some(_)) => Self::AlreadyThere,
            (false, _) => Self::Imported,
        }
    }
}

impl Database {
    /// Checks a raw file, then stores its table. Leaves a table of the same or a greater depth alone, unless `force` is set.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::Error::Data) for a file that is foreign, of a newer version, cut short or damaged;
    /// [`Error::Usage`](twistbase_core::Error::Usage) if the table exists with another digest; [`Error::Busy`](twistbase_core::Error::Busy),
    /// [`Error::Io`](twistbase_core::Error::Io); [`Error::Interrupted`](twistbase_core::Error::Interrupted), after which the same call
    /// resumes.
    pub fn import(&self, file: &Path, force: bool, ctx: &Context) -> Result<ImportReport> {
        let started = Instant::now();
        let imported = import_raw(self.store(), file, force, ctx)?;
        Ok(ImportReport {
            table: imported.table.into(),
            file: file.to_path_buf(),
            outcome: ImportOutcome::of(&imported),
            rows_kept: imported.rows_kept,
            digest: imported.manifest.digest,
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}
