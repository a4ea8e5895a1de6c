//! Writing a table: row by row into `NAME.building.redb`, renamed to `NAME.redb` when complete.

use std::io;

use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, WriteTransaction};
use uuid::Uuid;

use super::encode::{EncodedRow, RowEncoder};
use super::engine::{self, EngineFailure, MANIFEST, META, ROWS, SEGMENTS, Site, WritableFile, guard};
use super::layout::TableLayout;
use super::lock::{BuildLock, seconds_since_1970};
use super::packing::Packing;
use super::place::{Place, TableFiles};
use super::read::StoredTable;
use super::record::{
    self, BuildInfo, CREATOR, Geometry, Manifest, MetaRecord, RecordSlot, RowRecord, is_readable, schema_of, seal,
    unseal,
};
use super::segment::{self, Identity, Segment};
use super::status;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Result};

/// Bytes of rows that are collected before they are committed: half the writer's cache, beyond which redb would
/// write pages twice; it is also the most work that a kill loses.
const TRANSACTION_BYTES: u64 = (engine::WRITER_CACHE / 2) as u64;

/// How a build begins.
#[derive(Debug)]
pub enum BuildStart {
    /// The table reaches as far as is asked, and nothing needs to be done.
    AlreadyThere(Box<Manifest>),
    /// The table is to be built, or its build continued.
    Building(Box<Builder>),
}

/// A build in progress. It holds the table's lock; readers of the old table are not disturbed.
///
/// Rows may be put in any order. Dropping the builder keeps the rows put so far: the next build with the same
/// versions continues from them.
#[derive(Debug)]
pub struct Builder {
    layout: TableLayout,
    files: TableFiles,
    meta: MetaRecord,
    /// `None` only after [`Builder::finish`] closed it.
    db: Option<WritableFile>,
    /// The open transaction with the rows put since the last commit.
    pending: Option<Pending>,
    done: Vec<bool>,
    /// The rows of the interrupted build that is continued, until they are put again.
    kept: Vec<Option<RowRecord>>,
    /// Whether the file may hold segments of rows that do not count as done, because they are damaged or were given up. They must
    /// be removed before a row is put.
    resumed: bool,
    _lock: BuildLock,
}

struct Pending {
    txn: WriteTransaction,
    rows: Vec<u32>,
    bytes: u64,
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("rows", &self.rows).field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Starts or continues the build of a table; see [`Store::build`](super::Store::build).
pub(super) fn start(
    place: &Place,
    layout: &TableLayout,
    depth: Option<u8>,
    force: bool,
    ctx: &Context,
) -> Result<BuildStart> {
    layout.check()?;
    if depth.is_some() && layout.packing == Packing::Mod3 {
        return Err(Error::Usage(format!("table {} cannot be built to a depth", layout.name)));
    }
    // Before anything is created or locked: a complete table is complete in a folder that cannot be written, too.
    if !force
        && let Ok(table) = StoredTable::open(place, layout)
        && table.manifest().reaches(depth)
    {
        note_left(place, layout, table.manifest(), ctx);
        return Ok(BuildStart::AlreadyThere(Box::new(table.manifest().clone())));
    }
    place.create()?;
    let files = place.files(layout.name);
    let lock = BuildLock::acquire(&files.lock, layout.name)?;
    let previous = previous_manifest(place, layout, force)?;
    if let Some(manifest) = &previous
        && !force
        && manifest.geometry.difference(layout).is_none()
        && manifest.reaches(depth)
    {
        return Ok(BuildStart::AlreadyThere(Box::new(manifest.clone())));
    }
    let generation = previous.map_or(0, |manifest| manifest.generation) + 1;
    let Opened { db, meta, kept, resumed } = open_or_create(&files, layout, depth, generation, force, ctx)?;
    let done = kept.iter().map(Option::is_some).collect();
    let (layout, db) = (*layout, Some(db));
    Ok(BuildStart::Building(Box::new(Builder {
        layout,
        files,
        meta,
        db,
        pending: None,
        done,
        kept,
        resumed,
        _lock: lock,
    })))
}

/// Reports the unfinished build of another edition, which may be obsolete.
fn note_left(place: &Place, layout: &TableLayout, there: &Manifest, ctx: &Context) {
    let files = place.files(layout.name);
    if files.building.path().is_none_or(|file| file.symlink_metadata().is_err()) {
        return;
    }
    if BuildLock::look(&files.lock).is_err() {
        return;
    }
    let name = layout.name;
    let removal = format!("remove {name} --unfinished deletes it");
    let or_remove = |command: String| format!("{command} resumes it, or {removal}");
    let advice = match status::begun(&files, layout) {
        Some(depth) if !there.reaches(depth) => or_remove(command(name, depth, false)),
        Some(None) => or_remove(command(name, None, true)),
        Some(Some(_)) => removal,
        // A build that was killed: only who repairs it sees what it was to be.
        None => format!("{} resumes it if possible", command(name, None, there.depth.is_none())),
    };
    ctx.progress().note(&format!("there is also an unfinished build of {name}: {advice}"));
}

/// The arguments of the program that build a table.
fn command(name: &str, depth: Option<u8>, force: bool) -> String {
    let depth = depth.map_or_else(String::new, |depth| format!(" --depth {depth}"));
    format!("build {name}{depth}{}", if force { " --force" } else { "" })
}

/// The manifest of the table that this build replaces, if it can be read at all.
fn previous_manifest(place: &Place, layout: &TableLayout, force: bool) -> Result<Option<Manifest>> {
    match StoredTable::open_any(place, layout) {
        Ok(table) => Ok(Some(table.manifest().clone())),
        // What a newer program or something else wrote is not overwritten without being asked to; a folder cannot be.
        Err(Error::Data(fault)) if fault.fault == Fault::Foreign && (!force || is_folder(&fault)) => Err(fault.into()),
        Err(Error::Data(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

fn is_folder(fault: &DataError) -> bool {
    fault.file.as_ref().is_some_and(|file| file.is_dir())
}

/// Opens the file of an interrupted build of the same versions and to the same depth, or begins a new one. By force that takes
/// the place of what a newer program began, or of rows to another depth.
fn open_or_create(
    files: &TableFiles,
    layout: &TableLayout,
    depth: Option<u8>,
    generation: u64,
    force: bool,
    ctx: &Context,
) -> Result<Opened> {
    let site = Site::new(layout.name, &files.building);
    if let Some(building) = files.building.path().filter(|building| building.is_symlink()) {
        // It would be built elsewhere, and the link take the name of the table.
        let reason = io::Error::other("the file is a link, not a regular file; remove it first");
        return Err(Error::io("open", building, reason));
    }
    if files.building.is_there()? {
        match continue_build(&site, layout, depth, force, ctx) {
            Ok(found) => return Ok(found),
            Err(Error::Data(fault)) if force || fault.fault != Fault::Foreign => {
                ctx.check()?;
                ctx.progress().note(&format!("restarting the build of {}: {}", layout.name, fault.detail));
                files.building.remove()?;
            }
            Err(other) => return Err(other),
        }
    }
    let db = engine::open_building(&site, ctx)?;
    let meta = MetaRecord {
        schema: schema_of(depth),
        uuid: Uuid::new_v4(),
        creator: CREATOR.to_owned(),
        generation,
        geometry: Geometry::from(layout),
        depth,
    };
    guard(|| create_tables(&db, &meta)).map_err(|failure| failed(files, layout.name, failure))?;
    files.building.sync_name()?;
    Ok(Opened { db, meta, kept: (0..layout.rows).map(|_| None).collect(), resumed: false })
}

/// The error for a failure while writing. A file whose index is damaged is removed, because a build that continued
/// it would fail in the same place again; so is one for which memory does not suffice.
fn failed(files: &TableFiles, table: &str, failure: EngineFailure) -> Error {
    let error = Site::new(table, &files.building).writing(failure);
    if matches!(error, Error::Data(_) | Error::Memory(_)) {
        tracing::warn!(%error, "removing an unusable unfinished build");
        let _ = files.building.remove();
    }
    error
}

fn create_tables(db: &Database, meta: &MetaRecord) -> Result<(), EngineFailure> {
    let txn = begin_write(db)?;
    txn.open_table(META)?.insert("meta", sealed(RecordSlot::Meta, meta)?.as_slice())?;
    txn.open_table(MANIFEST)?;
    txn.open_table(ROWS)?;
    txn.open_table(SEGMENTS)?;
    Ok(txn.commit()?)
}

/// Every transaction uses quick repair: it costs nothing measurable, opening after a kill takes milliseconds
/// instead of a walk over the whole file, and readers can open a file that was not closed.
fn begin_write(db: &Database) -> Result<WriteTransaction, EngineFailure> {
    let mut txn = db.begin_write()?;
    txn.set_quick_repair(true);
    Ok(txn)
}

fn sealed<T: serde::Serialize>(slot: RecordSlot<'_>, record: &T) -> Result<Vec<u8>, EngineFailure> {
    seal(slot, record).map_err(|error| EngineFailure::Content(format!("a record cannot be written: {error}")))
}

/// The file of a build.
struct Opened {
    db: WritableFile,
    meta: MetaRecord,
    /// The intact rows.
    kept: Vec<Option<RowRecord>>,
    /// Whether an earlier build began it.
    resumed: bool,
}

/// Opens an interrupted build. A data error means that it is of no use, or that a newer program began it (foreign).
fn continue_build(
    site: &Site<'_>,
    layout: &TableLayout,
    depth: Option<u8>,
    force: bool,
    ctx: &Context,
) -> Result<Opened> {
    let db = engine::open_building(site, ctx)?;
    let meta = guard(|| super::read::read_meta(&db.begin_read()?)).map_err(|failure| site.reading(failure))?;
    if !is_readable(meta.schema) {
        return Err(super::read::other_schema(site, meta.schema));
    }
    if let Some(difference) = meta.geometry.difference(layout) {
        return Err(site.fault(Fault::Stale, difference));
    }
    if meta.depth != depth {
        let words = |depth: Option<u8>| depth.map_or("complete".to_owned(), |depth| format!("to depth {depth}"));
        let rows = guard(|| committed_rows(&db.begin_read()?, layout, meta.depth));
        let rows = rows.map_err(|failure| site.reading(failure))?.iter().filter(|&&is_there| is_there).count();
        if rows > 0 && !force {
            let name = layout.name;
            let [begun, wanted] = [meta.depth, depth].map(words);
            let [continues, discards] = [command(name, meta.depth, false), command(name, depth, true)];
            return Err(Error::Usage(format!(
                "an unfinished build of {name} ({begun}) has {rows} rows, but you asked for {wanted}; \
                 {continues} resumes it, {discards} discards it"
            )));
        }
        let detail = format!("the unfinished build is {}, but you asked for {}", words(meta.depth), words(depth));
        return Err(site.fault(Fault::Stale, detail));
    }
    let done = guard(|| {
        let txn = db.begin_read()?;
        // Written only at the end: found out before hours of building, not after.
        txn.open_table(MANIFEST)?.get("manifest")?;
        intact_rows(&txn, layout, depth, ctx)
    });
    ctx.progress().end();
    // It ends early then.
    ctx.check()?;
    let kept = done.map_err(|failure| site.reading(failure))?;
    // Also where no row is intact: the segments of damaged rows are there.
    Ok(Opened { db, meta, kept, resumed: true })
}

/// Which rows an interrupted build committed. A row whose record is not valid counts as missing.
pub(super) fn committed_rows(
    txn: &ReadTransaction,
    layout: &TableLayout,
    depth: Option<u8>,
) -> Result<Vec<bool>, EngineFailure> {
    Ok(committed_records(txn, layout, depth)?.iter().map(Option::is_some).collect())
}

/// The rows that a build can take over: of those committed, the ones whose pages all match their checksums. Without that a
/// build could succeed with a table that cannot answer. It looks at all that is stored, and ends early when it is cancelled.
fn intact_rows(
    txn: &ReadTransaction,
    layout: &TableLayout,
    depth: Option<u8>,
    ctx: &Context,
) -> Result<Vec<Option<RowRecord>>, EngineFailure> {
    let segments = txn.open_table(SEGMENTS)?;
    let intact = |record: &RowRecord| -> Result<bool, EngineFailure> {
        let identity = Identity::new(layout, record.row, record.generation);
        for at in 0..record.segments.len() {
            let pages = record.segment_pages(at);
            let Some(stored) = segments.get(&segment::key(layout.id, record.row, pages.start))? else {
                return Ok(false);
            };
            if Segment::parse(stored.value(), identity, pages).and_then(|segment| segment.check()).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut records = committed_records(txn, layout, depth)?;
    ctx.progress().begin(&format!("checking rows of {} that are there", layout.name), records.len() as u64, "rows");
    for slot in &mut records {
        if ctx.is_cancelled() {
            break;
        }
        if let Some(record) = slot
            && !intact(record)?
        {
            *slot = None;
        }
        ctx.progress().advance(1);
    }
    Ok(records)
}

fn committed_records(
    txn: &ReadTransaction,
    layout: &TableLayout,
    depth: Option<u8>,
) -> Result<Vec<Option<RowRecord>>, EngineFailure> {
    let mut records: Vec<_> = (0..layout.rows).map(|_| None).collect();
    for entry in txn.open_table(ROWS)?.iter()? {
        let (key, value) = entry?;
        let row = key.value();
        let record = unseal::<RowRecord>(RecordSlot::Row(layout.name, row), value.value());
        if let (Some(slot), Ok(record)) = (records.get_mut(row as usize), record) {
            *slot = record.check(row, layout, depth).is_ok().then_some(record);
        }
    }
    Ok(records)
}

impl Builder {
    /// Whether a row is stored already, put by this builder or by the interrupted build that it continues.
    pub fn has_row(&self, row: u32) -> bool {
        self.done.get(row as usize).copied().unwrap_or(false)
    }

    /// The record of a row that the interrupted build stored which this one continues, until the row is put again. Whoever knows
    /// what the row has to be compares: what was interrupted may have been an import of another file.
    pub fn kept_row(&self, row: u32) -> Option<&RowRecord> {
        self.kept.get(row as usize)?.as_ref()
    }

    /// Rows stored already.
    pub fn rows_done(&self) -> u32 {
        // At most `layout.rows`, a u32.
        self.done.iter().filter(|&&done| done).count() as u32
    }

    /// The layout that the build was started with.
    pub fn layout(&self) -> &TableLayout {
        &self.layout
    }

    /// What encodes rows for [`Builder::put_row`]; it can be copied to other threads.
    pub fn encoder(&self) -> RowEncoder {
        RowEncoder::new(self.layout, self.meta.depth, self.meta.generation)
    }

    /// Stores a row, whole or not at all, replacing what an earlier put of it stored. Small rows are collected and
    /// committed together; [`Builder::checkpoint`] commits them at once.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be written; on a full disk the message says how to go on. Rows not yet
    /// committed must then be put again. [`Error::Usage`] for a row of another table or generation.
    pub fn put_row(&mut self, encoded: EncodedRow) -> Result<()> {
        let record = &encoded.record;
        if record.check(record.row, &self.layout, self.meta.depth).is_err()
            || record.row >= self.layout.rows
            || record.generation != self.meta.generation
        {
            return Err(Error::Usage(format!("the encoded row does not belong to this build of {}", self.layout.name)));
        }
        self.store_row(&encoded)
    }

    fn store_row(&mut self, encoded: &EncodedRow) -> Result<()> {
        self.kept[encoded.record.row as usize] = None;
        let outcome = guard(|| self.insert(encoded));
        let committed = outcome.and_then(|pending| {
            self.done[encoded.record.row as usize] = true;
            if pending >= TRANSACTION_BYTES { guard(|| self.commit()) } else { Ok(()) }
        });
        committed.map_err(|failure| self.abandon(failure))
    }

    /// Stores a row of the complete table as it is there, pages and record; its pages are checked first.
    ///
    /// # Errors
    /// As [`Builder::put_row`]; [`Error::Data`] (damaged) when the row is not intact, [`Error::Usage`] when it is of another
    /// table.
    pub fn take_row(&mut self, from: &StoredTable, row: u32) -> Result<()> {
        if from.layout() != &self.layout || from.manifest().depth != self.meta.depth {
            return Err(Error::Usage(format!("cannot use a row of {} in {}", from.layout().name, self.layout.name)));
        }
        let encoded = EncodedRow { record: from.row_record(row)?.clone(), segments: from.row_segments(row)? };
        self.store_row(&encoded)
    }

    /// Commits what was put so far.
    ///
    /// # Errors
    /// As [`Builder::put_row`].
    pub fn checkpoint(&mut self) -> Result<()> {
        guard(|| self.commit()).map_err(|failure| self.abandon(failure))
    }

    /// Writes a row in the open transaction; returns the bytes pending in it.
    fn insert(&mut self, encoded: &EncodedRow) -> Result<u64, EngineFailure> {
        let (row, id) = (encoded.record.row, self.layout.id);
        let replaces = self.resumed || self.done[row as usize];
        let pending = match &mut self.pending {
            Some(pending) => pending,
            None => {
                let db = self.db.as_ref().ok_or_else(|| EngineFailure::Content("the build is closed".to_owned()))?;
                self.pending.insert(Pending { txn: begin_write(db)?, rows: Vec::new(), bytes: 0 })
            }
        };
        // Before anything is inserted: should it fail, the row must count as missing.
        pending.rows.push(row);
        pending.bytes += encoded.record.bytes;
        let mut segments = pending.txn.open_table(SEGMENTS)?;
        if replaces {
            let (low, high) = (segment::key(id, row, 0), segment::key(id, row, u32::MAX));
            segments.retain_in::<&[u8; segment::KEY_BYTES], _>(&low..=&high, |_, _| false)?;
        }
        for (first, bytes) in &encoded.segments {
            segments.insert(&segment::key(id, row, *first), bytes.as_slice())?;
        }
        let record = sealed(RecordSlot::Row(self.layout.name, row), &encoded.record)?;
        pending.txn.open_table(ROWS)?.insert(row, record.as_slice())?;
        Ok(pending.bytes)
    }

    fn commit(&mut self) -> Result<(), EngineFailure> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        // Missing until proven stored: the commit may fail, or panic, half way.
        pending.rows.iter().for_each(|&row| self.done[row as usize] = false);
        pending.txn.commit()?;
        pending.rows.iter().for_each(|&row| self.done[row as usize] = true);
        Ok(())
    }

    /// Gives up the open transaction, so that its rows count as missing again.
    fn abandon(&mut self, failure: EngineFailure) -> Error {
        let pending = self.pending.take();
        for &row in pending.iter().flat_map(|pending| &pending.rows) {
            self.done[row as usize] = false;
        }
        // A transaction rolls back when dropped, which may fail inside redb as well.
        let _ = guard(|| {
            drop(pending);
            Ok(())
        });
        self.resumed = true;
        self.failed(failure)
    }

    fn failed(&self, failure: EngineFailure) -> Error {
        failed(&self.files, self.layout.name, failure)
    }

    /// Completes the table: writes the manifest, closes the file and puts it in the place of the old one.
    ///
    /// # Errors
    /// [`Error::Data`] (unfinished) when rows are missing; [`Error::Io`]; the rows stored so far remain.
    pub fn finish(mut self, info: BuildInfo) -> Result<Manifest> {
        self.checkpoint()?;
        let site = Site::new(self.layout.name, &self.files.building);
        if let Some(row) = self.done.iter().position(|&done| !done) {
            let detail = format!("{} of {} rows are done", self.rows_done(), self.layout.rows);
            return Err(site.at(row as u32, None).fault(Fault::Unfinished, detail));
        }
        let db = self.db.take().ok_or_else(|| Error::Usage("the build is closed".to_owned()))?;
        let manifest = guard(|| {
            let manifest = self.manifest(&db, info)?;
            let txn = begin_write(&db)?;
            let record = sealed(RecordSlot::Manifest(self.layout.name), &manifest)?;
            txn.open_table(MANIFEST)?.insert("manifest", record.as_slice())?;
            txn.commit()?;
            drop(db);
            Ok(manifest)
        })
        .map_err(|failure| self.failed(failure))?;
        engine::check_closed(&site)?;
        self.files.publish()?;
        Ok(manifest)
    }

    fn manifest(&self, db: &Database, info: BuildInfo) -> Result<Manifest, EngineFailure> {
        let sums = self.sums(db)?;
        Ok(Manifest {
            geometry: self.meta.geometry.clone(),
            uuid: self.meta.uuid,
            generation: self.meta.generation,
            depth: self.meta.depth,
            distribution: sums.positions,
            entries_by_level: sums.entries,
            parameters: info.parameters,
            depends_on: info.depends_on,
            digest: record::table_digest(&self.meta.geometry, self.meta.depth, sums.digests.iter().map(String::as_str)),
            bytes: sums.bytes,
            created: seconds_since_1970(),
            seconds: info.seconds,
            creator: CREATOR.to_owned(),
        })
    }

    /// What the rows add up to, from the records as committed.
    fn sums(&self, db: &Database) -> Result<Sums, EngineFailure> {
        let rows = db.begin_read()?.open_table(ROWS)?;
        let mut sums = Sums::default();
        for row in 0..self.layout.rows {
            let value =
                rows.get(row)?.ok_or_else(|| EngineFailure::Content(format!("the record of row {row} is gone")))?;
            let record: RowRecord =
                unseal(RecordSlot::Row(self.layout.name, row), value.value()).map_err(EngineFailure::Content)?;
            record.add_to(&mut sums.entries, &mut sums.positions);
            sums.bytes += record.bytes;
            sums.digests.push(record.digest);
        }
        Ok(sums)
    }
}

/// What the rows of a table add up to.
#[derive(Default)]
struct Sums {
    /// The digest of every row, in order.
    digests: Vec<String>,
    /// Bytes of all segments.
    bytes: u64,
    /// Entries by level.
    entries: Vec<u64>,
    /// Positions by level.
    positions: Vec<u64>,
}

impl Drop for Builder {
    fn drop(&mut self) {
        let table = self.layout.name;
        if let Err(error) = self.checkpoint() {
            tracing::warn!(%table, %error, "the last rows of an interrupted build were lost");
        }
    }
}
