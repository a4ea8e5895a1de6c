//! Data that can be taken away: tables as records in other programs' formats, whole tables as they are stored, and the
//! shapes of the Square-1 family.
//!
//! `schema/export.md` states what the records are and how an interrupted export is resumed, `schema/raw.md` the format
//! of whole tables.

mod answers;
mod batch;
mod columns;
mod entry_ranges;
mod format;
mod input;
mod journal;
mod metadata;
mod partial_file;
mod raw;
mod run;
mod selection;
mod shapes;

use std::io::Write;
use std::path::Path;

pub use columns::Column;
pub use format::ExportFormat;
pub use input::PositionLines;
pub use partial_file::write_whole;
pub use raw::{Imported, export_raw, import_raw};
pub use selection::{Sample, Selection};
pub use shapes::{ShapeCounts, ShapeDatabase};

use answers::{Answers, CosetAnswers, PhaseTwoAnswers, PruningAnswers, TwistAnswers};
use format::{Encoded, Encoder};
use metadata::Metadata;
use partial_file::{Appended, PartialFile, from_hexadecimal};
use run::{BatchSource, RecordExport};

use crate::cache::{CacheMode, CachedTable};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::query::cube3::Cosets;
use crate::query::{Cube2Distances, Square1Table};
use crate::store::Store;
use crate::tables::{CosetTable, Definition, Kind};

/// What to export of a table.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The columns, in any order; none at all for index, position and distance or bound.
    pub columns: Vec<Column>,
    /// The entries, in the order of their index; of positions that are given, the ones that are kept.
    pub selection: Selection,
    /// The format.
    pub format: ExportFormat,
    /// Whether to compress what is not Parquet, which always is.
    pub zstd: bool,
    /// At most so many solutions of each position.
    pub limit: Option<u64>,
    /// How the hot cache is used: solutions are looked for all over the table.
    pub cache: CacheMode,
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

/// Exports entries of a table, or the positions in `lines`. Of a table that was built to a depth, what is farther is
/// left out.
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
    let entries = CachedTable::open_to_depth(store, table.layout(), request.cache)?;
    let subgroup = |table: &'static dyn CosetTable, entries| Cosets::over(table, entries).remembering();
    match table.kind() {
        Kind::Twists(table) => run(TwistAnswers::new(Square1Table::over(table, entries))?, request, lines, target, ctx),
        Kind::PhaseOne(table) => run(CosetAnswers(subgroup(table, entries)?), request, lines, target, ctx),
        Kind::Huge(table) => run(CosetAnswers(subgroup(table, entries)?), request, lines, target, ctx),
        Kind::PhaseTwo(table) => run(PhaseTwoAnswers::new(table, entries)?, request, lines, target, ctx),
        Kind::Cube2(table) => run(Cube2Distances::over(table, entries), request, lines, target, ctx),
        Kind::Pruning(table) => run(PruningAnswers { table, entries }, request, lines, target, ctx),
    }
}

/// Refuses contradictory requests.
fn check(request: &ExportRequest, given: bool, target: &ExportTarget<'_>) -> Result<()> {
    let message = if given && request.selection.sample.is_some() {
        "a sample is drawn from the entries of a table, not from positions that are given"
    } else if request.format == ExportFormat::Parquet && request.zstd {
        "Parquet is always compressed with zstd, page by page"
    } else if request.format == ExportFormat::Parquet && matches!(target, ExportTarget::Stream(_)) {
        "Parquet needs a file: its end tells where its parts are"
    } else if request.limit.is_some() && !request.columns.contains(&Column::Solutions) {
        "a limit is one of the solutions of each position: it needs their column"
    } else if request.limit == Some(0) {
        "a limit of no solutions leaves none to list"
    } else {
        return Ok(());
    };
    Err(Error::Usage(message.to_owned()))
}

fn run<A: Answers>(
    answers: A,
    request: &ExportRequest,
    lines: Option<&mut PositionLines<'_>>,
    target: ExportTarget<'_>,
    ctx: &Context,
) -> Result<Exported> {
    let layout = *answers.definition().layout();
    let columns = chosen_columns(&answers, request)?;
    let run = RecordExport {
        levels: request.selection.levels()?,
        rows: request.selection.rows(layout.rows, layout.name)?,
        limit: request.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        encoder: Encoder::new(request.format, request.zstd, &columns),
        columns,
        answers,
    };
    let metadata = Metadata::new(&run, request, lines.is_some());
    match target {
        ExportTarget::File { path, force } => to_file(&run, metadata, request, lines, path, force, ctx),
        ExportTarget::Stream(stream) => to_stream(&run, request, lines, stream, ctx),
    }
}

fn chosen_columns<A: Answers>(answers: &A, request: &ExportRequest) -> Result<Vec<Column>> {
    let offered = answers.offered();
    let common = [Column::Index, Column::Position, Column::Distance, Column::Bound];
    let common = common.into_iter().filter(|column| offered.contains(column));
    let columns = if request.columns.is_empty() { common.collect() } else { request.columns.clone() };
    columns::ordered(&columns, offered, answers.definition().layout().name)
}

/// The batches of an export after the first `done`, and how many entries or lines there are to come.
fn work<'r, A: Answers>(
    run: &'r RecordExport<A>,
    request: &ExportRequest,
    lines: Option<&'r mut PositionLines<'_>>,
    done: &partial_file::Resumed,
    ctx: &Context,
) -> Result<Box<dyn Iterator<Item = Result<BatchSource>> + Send + 'r>> {
    let skipped = usize::try_from(done.batches).unwrap_or(usize::MAX);
    Ok(match (lines, request.selection.sample) {
        (Some(lines), _) => Box::new(lines.batches(done)?),
        (None, Some(sample)) => {
            let batches = run.sampled(sample, ctx)?;
            run.begin_progress(sample.count, ctx);
            Box::new(batches.skip(skipped))
        }
        (None, None) => {
            run.begin_progress(run.rows.len() as u64 * run.row_entries(), ctx);
            Box::new(run.batches().skip(skipped))
        }
    })
}

fn to_file<A: Answers>(
    run: &RecordExport<A>,
    mut metadata: Metadata,
    request: &ExportRequest,
    lines: Option<&mut PositionLines<'_>>,
    path: &Path,
    force: bool,
    ctx: &Context,
) -> Result<Exported> {
    let mut part = PartialFile::open(path, &metadata.json()?, force, ctx)?;
    let resumed = part.resumed().clone();
    let mut footers = Vec::new();
    for (start, footer) in &resumed.footers {
        // The journal's checksums hold, so it was written so.
        footers.push((*start, from_hexadecimal(footer).unwrap_or_default()));
    }
    if part.bytes() == 0 {
        part.append(&[&run.encoder.head()?], Appended::default())?;
    }
    let outcome = work(run, request, lines, &resumed, ctx).and_then(|work| {
        run.each(work, ctx, &mut |encoded: Encoded, work: &BatchSource| {
            let Encoded { records, bytes, footer } = encoded;
            if !footer.is_empty() {
                footers.push((part.bytes(), footer.clone()));
            }
            let input = if let BatchSource::Lines { digest, .. } = work { Some(digest.clone()) } else { None };
            ctx.progress().advance(work.size());
            part.append(&[&bytes], Appended { batches: 1, records, footer, input })
        })
    });
    ctx.progress().end();
    if let Err(error) = outcome {
        // The first error is reported, not one of this checkpoint.
        let _ = part.checkpoint();
        return Err(error);
    }
    metadata.records = Some(part.records());
    let content = metadata.json()?;
    let beside = metadata::beside(path);
    let (records, tail) = (part.records(), run.encoder.tail(&footers, &content)?);
    let beside = (request.format != ExportFormat::Parquet).then_some((beside.as_path(), content.as_str()));
    let (bytes, digest) = part.publish(&tail, beside)?;
    Ok(Exported { records, resumed: resumed.records, bytes, digest: Some(digest) })
}

fn to_stream<A: Answers>(
    run: &RecordExport<A>,
    request: &ExportRequest,
    lines: Option<&mut PositionLines<'_>>,
    stream: &mut (dyn Write + Send),
    ctx: &Context,
) -> Result<Exported> {
    let failed = |source| Error::io("write to", "standard output", source);
    let head = run.encoder.head()?;
    stream.write_all(&head).map_err(failed)?;
    let (mut records, mut bytes) = (0, head.len() as u64);
    let work = work(run, request, lines, &partial_file::Resumed::default(), ctx)?;
    let outcome = run.each(work, ctx, &mut |encoded: Encoded, work: &BatchSource| {
        records += encoded.records;
        bytes += encoded.bytes.len() as u64;
        ctx.progress().advance(work.size());
        stream.write_all(&encoded.bytes).and_then(|()| stream.flush()).map_err(failed)
    });
    ctx.progress().end();
    outcome?;
    Ok(Exported { records, resumed: 0, bytes, digest: None })
}
