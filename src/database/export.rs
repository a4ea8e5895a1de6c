//! Tables for other programs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use super::tables::path_as_text;
use super::{Database, TableId};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_export::{
    self as export, ExportRequest, ExportTarget, Exported, PositionLines, RecordBatches, RecordRequest, RunIn,
    Selection, ShapeDatabase,
};

/// The report of an export to a file: `schema/json/export.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportReport {
    /// The table, or `shapes`.
    pub table: &'static str,
    /// The file.
    #[serde(serialize_with = "path_as_text")]
    pub file: PathBuf,
    /// The content: the format of records, `raw` for a whole table, or `shapes`.
    pub format: &'static str,
    /// Records, including those of an earlier run.
    pub records: u64,
    /// Of these, the records of an earlier run.
    pub resumed: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// BLAKE3 of the file, in hexadecimal.
    pub digest: Option<String>,
    /// Seconds.
    pub seconds: f64,
}

impl ExportReport {
    fn new(table: &'static str, file: &Path, format: &'static str, exported: Exported, started: Instant) -> Self {
        let Exported { records, resumed, bytes, digest } = exported;
        let seconds = started.elapsed().as_secs_f64();
        Self { table, file: file.to_path_buf(), format, records, resumed, bytes, digest, seconds }
    }
}

impl Database {
    /// Writes entries of a table, or the positions in `lines`, to a file. The file gets its name when it is complete. Replaces an
    /// existing file only with `force`.
    ///
    /// # Errors
    /// Those of [`export::export`]; after [`Error::Interrupted`] the same call resumes the file.
    pub fn export(
        &self,
        table: TableId,
        request: &ExportRequest,
        lines: Option<&mut PositionLines<'_>>,
        file: &Path,
        force: bool,
        ctx: &Context,
    ) -> Result<ExportReport> {
        let started = Instant::now();
        let target = ExportTarget::File { path: file, force };
        let exported = export::export(self.store(), table.definition(), request, lines, target, ctx)?;
        Ok(ExportReport::new(table.name(), file, request.format.name(), exported, started))
    }

    /// Writes the same records to a stream. A stream cannot be resumed.
    ///
    /// # Errors
    /// Those of [`export::export`].
    pub fn export_to(
        &self,
        table: TableId,
        request: &ExportRequest,
        lines: Option<&mut PositionLines<'_>>,
        stream: &mut (dyn Write + Send),
        ctx: &Context,
    ) -> Result<Exported> {
        export::export(self.store(), table.definition(), request, lines, ExportTarget::Stream(stream), ctx)
    }

    /// The same records as batches, created while they are read. With the feature `arrow`, `ArrowBatches` makes
    /// batches of Apache Arrow from them.
    ///
    /// # Errors
    /// Those of [`export::record_batches`].
    pub fn record_batches(
        &self,
        table: TableId,
        request: &RecordRequest,
        lines: Option<PositionLines<'static>>,
        run_in: Option<RunIn>,
        ctx: &Context,
    ) -> Result<RecordBatches> {
        export::record_batches(self.store(), table.definition(), request, lines, run_in, ctx)
    }

    /// The indices of the selected entries of a table, in order. An export of this selection has the same entries, also for a sample.
    ///
    /// # Errors
    /// Those of [`export::select`].
    pub fn select(&self, table: TableId, selection: &Selection, ctx: &Context) -> Result<Vec<u64>> {
        export::select(self.store(), table.definition(), selection, self.cache_mode(), ctx)
    }

    /// Writes a whole table in its stored form, with checksums. [`Database::import`] reads it.
    ///
    /// # Errors
    /// Those of [`export::export_raw`]; after [`Error::Interrupted`] the same call resumes the file.
    pub fn export_raw(&self, table: TableId, file: &Path, force: bool, ctx: &Context) -> Result<ExportReport> {
        let started = Instant::now();
        let exported = export::export_raw(self.store(), table.definition(), file, force, ctx)?;
        Ok(ExportReport::new(table.name(), file, "raw", exported, started))
    }

    /// The shapes of the Square-1 family, with the counts of the tables that exist.
    ///
    /// # Errors
    /// Those of reading the tables.
    pub fn shapes(&self) -> Result<ShapeDatabase> {
        ShapeDatabase::new(self.store())
    }

    /// Writes the shapes of the Square-1 family as JSON.
    ///
    /// # Errors
    /// Those of [`Database::shapes`]; [`Error::Usage`] if the file exists and `force` is not set; [`Error::Io`].
    pub fn export_shapes(&self, file: &Path, force: bool) -> Result<ExportReport> {
        let started = Instant::now();
        let shapes = self.shapes()?;
        let mut text = serde_json::to_vec(&shapes).map_err(|error| Error::io("write", file, error.into()))?;
        text.push(b'\n');
        export::write_whole(file, &text, force)?;
        let (records, bytes) = (shapes.shapes.len() as u64, text.len() as u64);
        let exported = Exported { records, resumed: 0, bytes, digest: None };
        Ok(ExportReport::new("shapes", file, "shapes", exported, started))
    }
}
