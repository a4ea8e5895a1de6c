//! Data that can be taken away: tables as records in other programs' formats, whole tables as they are stored, and the
//! shapes of the Square-1 family.
//!
//! `schema/export.md` states what the records are and how an interrupted export is resumed, `schema/raw.md` the format
//! of whole tables.

mod answers;
mod batch;
mod batches;
mod columns;
mod distances;
mod entry_ranges;
mod format;
mod input;
mod journal;
mod metadata;
mod partial_file;
mod raw;
mod records;
mod run;
mod select;
mod selection;
mod shapes;

use std::io::Write;
use std::path::Path;

pub use batch::{Fields, RecordBatch, Texts};
pub use batches::{RecordBatches, RunIn, record_batches};
pub use columns::{Column, ColumnKind};
pub use distances::DistanceFile;
pub use format::{ExportFormat, METADATA_KEY};
pub use input::PositionLines;
pub use partial_file::{refuse_existing, write_whole};
pub use raw::{Imported, export_raw, import_raw};
pub use select::select;
pub use selection::{Sample, Selection};
pub use shapes::{ShapeCounts, ShapeDatabase};

use answers::{Answers, PhaseTwoAnswers, TwistAnswers};
use format::{Encoded, Encoder};
use metadata::Metadata;
use partial_file::{Appended, PartialFile, from_hexadecimal};
use records::{Chosen, Records, TableRecords};
use run::BatchSource;

use twistbase_cache::{CacheMode, CachedTable};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_query::cube3::Cosets;
use twistbase_query::{DefinedDistances, EndingDistances, EndingEntries, PositionTable, Square1Table, WcaPositions};
use twistbase_store::Store;
use twistbase_tables::{self as tables, CosetTable, Definition, Kind};

/// Which records are made of a table.
#[derive(Debug, Clone, Default)]
pub struct RecordRequest {
    /// The columns, in any order; none at all for index, position and distance or bound.
    pub columns: Vec<Column>,
    /// A filter: of the entries, in the order of their index, or of given positions.
    pub selection: Selection,
    /// The limit of solutions of each position.
    pub limit: Option<u64>,
    /// For tables of the Square-1 family: WCA's metric instead of the table's. Positions include the turns of their layers.
    pub wca: bool,
    /// How the hot cache is used: solutions are looked for all over the table.
    pub cache: CacheMode,
}

impl RecordRequest {
    /// Counts in the metric of that name: the table's own one, or `wca` where the table is of the Square-1 family.
    ///
    /// # Errors
    /// [`Error::Usage`] naming those that there are.
    pub fn count_in(&mut self, metric: &str, table: &'static dyn Definition) -> Result<()> {
        self.wca = metric == WCA && matches!(table.kind(), Kind::Twists(_));
        if self.wca || metric == table.metric().name() { Ok(()) } else { Err(no_metric(table, metric)) }
    }

    /// The largest level that can be selected.
    pub fn last_level(&self, table: &'static dyn Definition) -> u8 {
        let known = match table.kind() {
            Kind::Twists(table) if self.wca => table.wca.as_ref().map(|known| &known.blocked),
            _ => table.expected(),
        };
        // No table has 63 levels; where nobody knows how many, all are allowed.
        known.map_or(62, |known| known.positions.len().saturating_sub(1).min(62) as u8)
    }
}

/// The name of WCA's metric.
const WCA: &str = "wca";

/// The error of a metric that a table does not have.
fn no_metric(table: &'static dyn Definition, metric: &str) -> Error {
    let (name, own) = (table.layout().name, table.metric().name());
    let others = if matches!(table.kind(), Kind::Twists(_)) { ", wca" } else { "" };
    Error::Usage(format!("table {name} has no metric {metric}; choose from: {own}{others}"))
}

/// What to export of a table, and how it is written.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The records.
    pub records: RecordRequest,
    /// The format.
    pub format: ExportFormat,
    /// Whether to compress formats other than Parquet, which always compresses.
    pub zstd: bool,
}

/// Where an export goes.
pub enum ExportTarget<'a> {
    /// A file, which has its name only when it is complete. An interrupted export is resumed where its file ends.
    File {
        /// The file.
        path: &'a Path,
        /// Replace the file, and begin anew what was begun.
        force: bool,
    },
    /// A stream, written as records are found.
    Stream(&'a mut (dyn Write + Send)),
}

/// What an export did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Records, those written before it was resumed included.
    pub records: u64,
    /// Of these, the ones written before it was resumed.
    pub resumed: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// BLAKE3 of the file, in hexadecimal; `None` for a stream.
    pub digest: Option<String>,
}

/// Exports entries of a table, or the positions in `lines`. Leaves out entries beyond the
/// depth of a table that was built to one.
///
/// The same bytes come out whatever the number of threads, and however often the export was interrupted and resumed.
///
/// # Errors
/// [`Error::Usage`] for a request that makes no sense, or that the target contradicts; [`Error::Invalid`] for a line
/// that is no position; [`Error::Data`] if the table cannot be read; [`Error::Busy`] if another process writes to the
/// file; [`Error::Io`]; [`Error::Interrupted`], after which the export to a file can be resumed.
pub fn export(
    store: &Store,
    table: &'static dyn Definition,
    request: &ExportRequest,
    lines: Option<&mut PositionLines<'_>>,
    target: ExportTarget<'_>,
    ctx: &Context,
) -> Result<Exported> {
    check(request, lines.is_some(), &target)?;
    let &ExportRequest { ref records, format, zstd } = request;
    let of_table = of_table(store, table, records)?;
    let metadata = Metadata::new(&*of_table, records, format.name(), zstd, lines.is_some());
    let encoder = Encoder::new(format, zstd, &of_table.chosen().columns);
    let source = RecordSource { sample: records.selection.sample, lines };
    match target {
        ExportTarget::File { path, force } => to_file(&*of_table, &encoder, metadata, source, path, force, ctx),
        ExportTarget::Stream(stream) => to_stream(&*of_table, &encoder, source, stream, ctx),
    }
}

/// The records of a table that is complete or was built to a depth.
///
/// # Errors
/// [`Error::Usage`] for columns, levels, rows or a metric that the table does not have; [`Error::Data`] if it cannot be read.
fn of_table(store: &Store, table: &'static dyn Definition, request: &RecordRequest) -> Result<Box<dyn Records>> {
    let &RecordRequest { wca, cache, .. } = request;
    let entries = CachedTable::open_to_depth(store, table.layout(), cache)?;
    let subgroup = |table: &'static dyn CosetTable, entries| Cosets::over(table, entries).remembering();
    match table.kind() {
        Kind::Twists(table) if wca => {
            let table = Square1Table::over(table, entries).with_built_endings(store, cache)?;
            of_answers(WcaPositions::over(table), request)
        }
        _ if wca => Err(no_metric(table, WCA)),
        Kind::Twists(table) => of_answers(TwistAnswers::new(Square1Table::over(table, entries))?, request),
        Kind::Endings(table) => {
            let solved = Square1Table::cached(store, tables::twists(table.colouring()), cache)?;
            of_answers(EndingDistances::new(solved, EndingEntries::over(table, entries)), request)
        }
        Kind::PhaseOne(table) => of_answers(subgroup(table, entries)?, request),
        Kind::Huge(table) => of_answers(subgroup(table, entries)?, request),
        Kind::PhaseTwo(table) => of_answers(PhaseTwoAnswers::new(table, entries)?, request),
        Kind::Defined(table) => of_answers(DefinedDistances::over(table, entries), request),
        Kind::Pruning(table) => of_answers(subgroup(table, entries)?, request),
    }
}

/// The records that a request makes of answers.
///
/// # Errors
/// [`Error::Usage`] for columns, levels or rows that the table does not have.
fn of_answers<A: Answers + Send + 'static>(answers: A, request: &RecordRequest) -> Result<Box<dyn Records>> {
    let layout = *answers.table().definition().layout();
    let chosen = Chosen {
        columns: chosen_columns(answers.offered(), layout.name, request)?,
        levels: request.selection.levels()?,
        rows: request.selection.rows(layout.rows, layout.name)?,
        limit: request.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
    };
    Ok(Box::new(TableRecords { answers, chosen }))
}

/// Refuses contradictory requests.
fn check(request: &ExportRequest, given: bool, target: &ExportTarget<'_>) -> Result<()> {
    check_records(&request.records, given)?;
    let message = if request.format == ExportFormat::Parquet && request.zstd {
        "Parquet is always compressed with zstd, page by page"
    } else if request.format == ExportFormat::Parquet && matches!(target, ExportTarget::Stream(_)) {
        "Parquet cannot be streamed: write it to a file"
    } else {
        return Ok(());
    };
    Err(Error::Usage(message.to_owned()))
}

/// Refuses records that contradict themselves.
fn check_records(request: &RecordRequest, given: bool) -> Result<()> {
    let message = if given && request.selection.sample.is_some() {
        "a sample is drawn from the entries of a table, not from given positions"
    } else if request.limit.is_some() && !request.columns.contains(&Column::Solutions) {
        "a limit of solutions needs the column solutions"
    } else if request.limit == Some(0) {
        "a limit of 0 solutions leaves nothing to list; give 1 or more"
    } else {
        return Ok(());
    };
    Err(Error::Usage(message.to_owned()))
}

fn chosen_columns(offered: &[Column], table: &str, request: &RecordRequest) -> Result<Vec<Column>> {
    let common = [Column::Index, Column::Position, Column::Distance, Column::Bound];
    let common = common.into_iter().filter(|column| offered.contains(column));
    let columns = if request.columns.is_empty() { common.collect() } else { request.columns.clone() };
    columns::ordered(&columns, offered, table)
}

/// What records are made of: lines that are given, or else entries of the table, of which some may be drawn.
struct RecordSource<'r, 'l> {
    sample: Option<Sample>,
    lines: Option<&'r mut PositionLines<'l>>,
}

/// The batches of an export after the first `done`, and how many entries or lines there are to come.
fn work<'r>(
    run: &'r dyn Records,
    source: RecordSource<'r, '_>,
    done: &partial_file::Resumed,
    ctx: &Context,
) -> Result<Box<dyn Iterator<Item = Result<BatchSource>> + Send + 'r>> {
    let skipped = usize::try_from(done.batches).unwrap_or(usize::MAX);
    Ok(match (source.lines, source.sample) {
        (Some(lines), _) => Box::new(lines.batches(done)?),
        (None, Some(sample)) => {
            let batches = run.sampled(sample, ctx)?;
            run.begin_progress(sample.count, ctx);
            Box::new(after(batches, skipped, ctx))
        }
        (None, None) => {
            let rows = run.selected_rows()?;
            run.begin_progress(rows.len() as u64 * run.row_entries(), ctx);
            Box::new(after(run.batches(rows), skipped, ctx))
        }
    })
}

/// The batches after those that were done before.
fn after<I: Iterator<Item = BatchSource>>(
    mut batches: I,
    done: usize,
    ctx: &Context,
) -> impl Iterator<Item = Result<BatchSource>> + use<I> {
    ctx.progress().advance(batches.by_ref().take(done).map(|batch| batch.size()).sum());
    batches.map(Ok)
}

/// Encodes the records of a source after those that are done and hands each batch to `write`, in order; reports progress.
///
/// # Errors
/// Those of the source and of [`each`](Records).
fn each_batch<T: Send>(
    run: &dyn Records,
    source: RecordSource<'_, '_>,
    done: &partial_file::Resumed,
    ctx: &Context,
    encode: &(dyn Fn(RecordBatch) -> Result<T> + Sync),
    write: &mut dyn FnMut(T, &BatchSource) -> Result<()>,
) -> Result<()> {
    let wave = run.wave(source.lines.is_some())?;
    let outcome = work(run, source, done, ctx).and_then(|mut work| run.each(&mut work, wave, ctx, encode, write));
    ctx.progress().end();
    outcome
}

fn to_file(
    run: &dyn Records,
    encoder: &Encoder,
    mut metadata: Metadata,
    source: RecordSource<'_, '_>,
    path: &Path,
    force: bool,
    ctx: &Context,
) -> Result<Exported> {
    let beside = metadata::beside(path);
    let written_beside = encoder.is_without_metadata().then_some(beside.as_path());
    // What an export that is gone left there is of no use to anybody.
    let guarded = written_beside.filter(|path| !metadata::is_of_an_export(path));
    let mut part = PartialFile::open(path, guarded, &metadata.json()?, force, ctx)?;
    let resumed = part.resumed().clone();
    let mut footers = Vec::new();
    for (start, footer) in &resumed.footers {
        // The journal's checksums hold, so it was written so.
        footers.push((*start, from_hexadecimal(footer).unwrap_or_default()));
    }
    let begun = part.write_head(|| encoder.head());
    let encode = |batch| encoder.encode(&batch);
    let outcome = begun.and_then(|()| {
        each_batch(run, source, &resumed, ctx, &encode, &mut |encoded: Encoded, work| {
            let Encoded { records, bytes, footer } = encoded;
            if !footer.is_empty() {
                footers.push((part.bytes(), footer.clone()));
            }
            let input = if let BatchSource::Lines { digest, .. } = work { Some(digest.clone()) } else { None };
            part.append(&[&bytes], Appended { batches: 1, records, footer, input })
        })
    });
    if let Err(error) = outcome {
        part.stop(&error);
        return Err(error);
    }
    metadata.records = Some(part.records());
    let content = metadata.json()?;
    let (records, tail) = (part.records(), encoder.tail(&footers, &content)?);
    let content_beside = written_beside.map(|path| (path, content.as_str()));
    let (bytes, digest) = part.publish(&tail, content_beside)?;
    Ok(Exported { records, resumed: resumed.records, bytes, digest: Some(digest) })
}

fn to_stream(
    run: &dyn Records,
    encoder: &Encoder,
    source: RecordSource<'_, '_>,
    stream: &mut (dyn Write + Send),
    ctx: &Context,
) -> Result<Exported> {
    let failed = |source| Error::io("write to", "standard output", source);
    // Written with the first batch: of what is refused before that, nothing is.
    let mut head = encoder.head()?;
    let (mut records, mut bytes) = (0, head.len() as u64);
    let encode = |batch| encoder.encode(&batch);
    each_batch(run, source, &partial_file::Resumed::default(), ctx, &encode, &mut |encoded: Encoded, _| {
        records += encoded.records;
        bytes += encoded.bytes.len() as u64;
        let begun = stream.write_all(&std::mem::take(&mut head));
        begun.and_then(|()| stream.write_all(&encoded.bytes)).and_then(|()| stream.flush()).map_err(failed)
    })?;
    // Also where there are no records.
    stream.write_all(&head).and_then(|()| stream.flush()).map_err(failed)?;
    Ok(Exported { records, resumed: 0, bytes, digest: None })
}
