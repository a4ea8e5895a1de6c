//! Reading a complete table.

use std::path::Path;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rayon::prelude::*;
use redb::{ReadOnlyTable, ReadTransaction};
use uuid::Uuid;

use super::engine::{self, EngineFailure, MANIFEST, META, ROWS, Reader, SEGMENTS, Site, guard};
use super::layout::{Entries, TableLayout};
use super::lock::BuildLock;
use super::pages::PageCache;
use super::place::{Place, StoreFile, TableFiles};
use super::record::{
    DEPTH_SCHEMA_VERSION, Manifest, MetaRecord, RecordSlot, RowRecord, SCHEMA_VERSION, SchemaRecord, is_readable,
    schema_of, unseal,
};
use super::segment::{self, Identity, KEY_BYTES, Segment};
use twistbase_core::error::{Error, Fault, Result};

/// A table, complete or built to a depth, open for reading. Any number of processes and threads may read at once; every page is checked
/// against its checksum before it is used.
///
/// An open table keeps answering from its own file when a rebuild replaces that file.
#[derive(Debug)]
pub struct StoredTable {
    layout: TableLayout,
    file: StoreFile,
    manifest: Manifest,
    /// Replaced when redb latched an error, so that damage in one place does not take the rest along.
    handle: RwLock<Arc<Handle>>,
    records: Vec<OnceLock<RowRecord>>,
    pages: PageCache,
}

/// redb's objects for one open file.
pub(super) struct Handle {
    segments: ReadOnlyTable<&'static [u8; KEY_BYTES], &'static [u8]>,
    rows: ReadOnlyTable<u32, &'static [u8]>,
    /// Declared last: the tables borrow nothing from it, but redb expects it to be closed after them.
    _db: Reader,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}

/// What a file says about itself: `manifest` is `None` in an unfinished one.
pub(super) struct Identification {
    pub meta: MetaRecord,
    pub manifest: Option<Manifest>,
}

/// Reads `meta`. Of another schema only the version is filled in.
pub(super) fn read_meta(txn: &ReadTransaction) -> Result<MetaRecord, EngineFailure> {
    let table = txn.open_table(META)?;
    let value = table.get("meta")?.ok_or_else(|| EngineFailure::Content("its description is missing".to_owned()))?;
    let SchemaRecord { schema } = unseal(RecordSlot::Meta, value.value()).map_err(EngineFailure::Content)?;
    if !is_readable(schema) {
        return Ok(MetaRecord::of_other_schema(schema));
    }
    let meta: MetaRecord = unseal(RecordSlot::Meta, value.value()).map_err(EngineFailure::Content)?;
    if meta.schema != schema_of(meta.depth) {
        return Err(EngineFailure::Content("its schema does not fit its depth".to_owned()));
    }
    Ok(meta)
}

/// Reads what a file says about itself, for a layout of this name.
pub(super) fn identify(db: &Reader, table: &str) -> Result<Identification, EngineFailure> {
    let txn = db.begin_read()?;
    let meta = read_meta(&txn)?;
    if !is_readable(meta.schema) {
        return Ok(Identification { meta, manifest: None });
    }
    let records = txn.open_table(MANIFEST)?;
    let manifest = match records.get("manifest")? {
        Some(value) => Some(unseal(RecordSlot::Manifest(table), value.value()).map_err(EngineFailure::Content)?),
        None => None,
    };
    Ok(Identification { meta, manifest })
}

impl Handle {
    fn open(db: Reader) -> Result<Self, EngineFailure> {
        let txn = db.begin_read()?;
        Ok(Self { segments: txn.open_table(SEGMENTS)?, rows: txn.open_table(ROWS)?, _db: db })
    }

    /// Numbers of stored rows and segments.
    fn lengths(&self) -> Result<(u64, u64), EngineFailure> {
        use redb::ReadableTableMetadata;
        Ok((self.rows.len()?, self.segments.len()?))
    }
}

impl StoredTable {
    /// Opens a table that has the layout's geometry and versions, and is complete.
    pub(super) fn open_complete(place: &Place, layout: &TableLayout) -> Result<Self> {
        let table = Self::open(place, layout)?;
        match table.manifest.depth {
            Some(depth) => Err(layout.incomplete(depth)),
            None => Ok(table),
        }
    }

    /// Opens a table that has the layout's geometry and versions, complete or built to a depth.
    pub(super) fn open(place: &Place, layout: &TableLayout) -> Result<Self> {
        let table = Self::open_any(place, layout)?;
        match table.manifest.geometry.difference(layout) {
            Some(difference) => Err(Site::new(layout.name, &table.file).fault(Fault::Stale, difference)),
            None => Ok(table),
        }
    }

    /// Opens a table of the layout's name, whatever its geometry and versions: only its manifest can be relied on.
    pub(super) fn open_any(place: &Place, layout: &TableLayout) -> Result<Self> {
        layout.check()?;
        let files = place.files(layout.name);
        let site = Site::new(layout.name, &files.complete);
        // What cannot be seen cannot be opened, either, and that says why.
        if matches!(files.complete.is_there(), Ok(false)) {
            return Err(missing(&files, layout));
        }
        let (handle, manifest) = Self::open_file(&site)?;
        Ok(Self {
            layout: *layout,
            manifest,
            handle: RwLock::new(Arc::new(handle)),
            records: (0..layout.rows).map(|_| OnceLock::new()).collect(),
            pages: PageCache::new(layout.page_bytes()),
            file: files.complete,
        })
    }

    fn open_file(site: &Site<'_>) -> Result<(Handle, Manifest)> {
        let db = engine::open_read_only(site)?;
        let found = guard(|| identify(&db, site.table)).map_err(|failure| site.reading(failure))?;
        if !is_readable(found.meta.schema) {
            return Err(other_schema(site, found.meta.schema));
        }
        let manifest = found.manifest.ok_or_else(|| site.damaged("it has no manifest"))?;
        // Both are sealed, so a difference means records of two files, not a flipped bit.
        let MetaRecord { uuid, generation, depth, .. } = found.meta;
        if (manifest.uuid, manifest.generation, manifest.depth) != (uuid, generation, depth) {
            return Err(site.damaged("its manifest belongs to another build"));
        }
        let handle = guard(|| Handle::open(db)).map_err(|failure| site.reading(failure))?;
        Ok((handle, manifest))
    }

    /// The layout that the table was opened with.
    pub fn layout(&self) -> &TableLayout {
        &self.layout
    }

    /// The table's file; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    /// The table's record: distribution, digest, parameters, times.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Identifies, with [`Manifest::generation`], the build that wrote the table.
    pub fn uuid(&self) -> Uuid {
        self.manifest.uuid
    }

    pub(super) fn site(&self) -> Site<'_> {
        Site::new(self.layout.name, &self.file)
    }

    fn handle(&self) -> Arc<Handle> {
        self.handle.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens the file again, unless it has been replaced by another build.
    fn reopened(&self) -> Option<Handle> {
        let (fresh, manifest) = Self::open_file(&self.site()).ok()?;
        (manifest.uuid == self.manifest.uuid).then_some(fresh)
    }

    /// Replaces the handle that all share after redb latched an error on it, unless that was done already.
    fn renew(&self, spoiled: &Arc<Handle>) {
        let mut current = self.handle.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, spoiled)
            && let Some(fresh) = self.reopened()
        {
            *current = Arc::new(fresh);
        }
    }

    /// Runs `work` on the open file; `site` says what for. Where that fails it may run once more.
    fn access<T>(&self, site: Site<'_>, mut work: impl FnMut(&Handle) -> Result<T, EngineFailure>) -> Result<T> {
        let shared = self.handle();
        let failure = match guard(|| work(&shared)) {
            Err(failure) if failure.spoils_handle() => failure,
            outcome => return outcome.map_err(|failure| site.reading(failure)),
        };
        self.renew(&shared);
        // What another thread met elsewhere may have spoiled the shared handle: a new handle shows the fault.
        let outcome = self.reopened().map_or(Err(failure), |own| guard(|| work(&own)));
        outcome.map_err(|failure| site.reading(failure))
    }

    /// Numbers of stored rows and segments.
    ///
    /// # Errors
    /// [`Error::Data`] when the file is damaged, [`Error::Io`].
    pub(super) fn lengths(&self) -> Result<(u64, u64)> {
        self.access(self.site(), Handle::lengths)
    }

    /// What is known about a row.
    ///
    /// # Errors
    /// [`Error::Usage`] for a row that the table does not have; [`Error::Data`] (damaged) when its record is gone or
    /// does not match its checksum; [`Error::Io`].
    pub fn row_record(&self, row: u32) -> Result<&RowRecord> {
        let slot = self.records.get(row as usize).ok_or_else(|| self.layout.outside(row, 0))?;
        if let Some(record) = slot.get() {
            return Ok(record);
        }
        let record = self.access(self.site().at(row, None), |handle| {
            let value =
                handle.rows.get(row)?.ok_or_else(|| EngineFailure::Content("the row's record is gone".to_owned()))?;
            let record: RowRecord =
                unseal(RecordSlot::Row(self.layout.name, row), value.value()).map_err(EngineFailure::Content)?;
            record.check(row, &self.layout, self.manifest.depth).map_err(EngineFailure::Content)?;
            Ok(record)
        })?;
        Ok(slot.get_or_init(|| record))
    }

    /// Runs `work` on the parsed segment number `at` of a row.
    fn with_segment<T>(
        &self,
        record: &RowRecord,
        at: usize,
        page: u32,
        mut work: impl FnMut(&Segment<'_>) -> Result<T, String>,
    ) -> Result<T> {
        let pages = record.segment_pages(at);
        let identity = Identity::new(&self.layout, record.row, record.generation);
        self.access(self.site().at(record.row, Some(page)), |handle| {
            let value = handle.segments.get(&segment::key(identity.table, record.row, pages.start))?;
            let value = value.ok_or_else(|| EngineFailure::Content("the page's segment is gone".to_owned()))?;
            let segment = Segment::parse(value.value(), identity, pages.clone()).map_err(EngineFailure::Content)?;
            if !segment::can_decode() {
                return Err(EngineFailure::NoMemory);
            }
            work(&segment).map_err(EngineFailure::Content)
        })
    }

    /// The segments of a row as they are stored, each with its first page, all pages checked.
    pub(super) fn row_segments(&self, row: u32) -> Result<Vec<(u32, Vec<u8>)>> {
        let record = self.row_record(row)?;
        let identity = Identity::new(&self.layout, row, record.generation);
        let segment = |at: usize| {
            let pages = record.segment_pages(at);
            self.access(self.site().at(row, Some(pages.start)), |handle| {
                let value = handle.segments.get(&segment::key(identity.table, row, pages.start))?;
                let value = value.ok_or_else(|| EngineFailure::Content("the page's segment is gone".to_owned()))?;
                let parsed = Segment::parse(value.value(), identity, pages.clone()).map_err(EngineFailure::Content)?;
                parsed.check().map_err(EngineFailure::Content)?;
                Ok((pages.start, value.value().to_vec()))
            })
        };
        (0..record.segments.len()).map(segment).collect()
    }

    /// Reads, checks and decodes one page; `out` becomes its [`TableLayout::page_bytes`] bytes.
    ///
    /// # Errors
    /// [`Error::Usage`] for a page that the table does not have; [`Error::Data`] (damaged) naming row and page;
    /// [`Error::Io`].
    pub fn read_page(&self, row: u32, page: u32, out: &mut Vec<u8>) -> Result<()> {
        if page >= self.layout.pages {
            return Err(self.layout.outside(row, u64::from(page) * u64::from(self.layout.page_entries)));
        }
        let record = self.row_record(row)?;
        out.resize(self.layout.page_bytes(), 0);
        self.with_segment(record, record.segment_of(page), page, |segment| segment.decode(page, out))
    }

    /// Reads, checks and decodes a whole row into `out` of [`TableLayout::row_bytes`] bytes, on all threads of
    /// rayon's pool.
    ///
    /// # Errors
    /// As [`StoredTable::read_page`], for one of the pages that are damaged; [`Error::Usage`] when `out` has another
    /// size.
    pub fn read_row(&self, row: u32, out: &mut [u8]) -> Result<()> {
        let record = self.row_record(row)?;
        if out.len() != self.layout.row_bytes() {
            let needed = self.layout.row_bytes();
            return Err(Error::Usage(format!("a row of {} has {needed} bytes, not {}", self.layout.name, out.len())));
        }
        self.split_row(record, out)
            .into_par_iter()
            .enumerate()
            .try_for_each(|(at, bytes)| self.decode_segment(record, at, bytes).into_iter().next().map_or(Ok(()), Err))
    }

    /// Splits a row's bytes into those of its segments.
    pub(super) fn split_row<'a>(&self, record: &RowRecord, mut row: &'a mut [u8]) -> Vec<&'a mut [u8]> {
        let page_bytes = self.layout.page_bytes();
        let mut parts = Vec::with_capacity(record.segments.len());
        for at in 0..record.segments.len() {
            // The record was checked: its segments cover all pages of the row, in order.
            let (part, rest) = row.split_at_mut(record.segment_pages(at).len() * page_bytes);
            parts.push(part);
            row = rest;
        }
        parts
    }

    /// Decodes the pages of segment number `at` into `out`; returns what is wrong with each that is damaged.
    pub(super) fn decode_segment(&self, record: &RowRecord, at: usize, out: &mut [u8]) -> Vec<Error> {
        let pages = record.segment_pages(at);
        let first = pages.start;
        let decoded = self.with_segment(record, at, first, |segment| {
            let bytes = out.chunks_exact_mut(self.layout.page_bytes());
            Ok(pages
                .clone()
                .zip(bytes)
                .filter_map(|(page, out)| Some((page, segment.decode(page, out).err()?)))
                .collect())
        });
        match decoded {
            Ok(faults) => {
                let faults: Vec<(u32, String)> = faults;
                let site = self.site();
                faults.into_iter().map(|(page, why)| site.at(record.row, Some(page)).damaged(why)).collect()
            }
            Err(error) => vec![error],
        }
    }

    /// The entry, and whether a page had to be decoded for it.
    #[doc(hidden)]
    pub fn get_counted(&self, row: u32, entry: u64) -> Result<(u8, bool)> {
        let place = self.layout.locate(row, entry)?;
        let key = (row, place.page);
        if let Some(byte) = self.pages.get(key, place.byte) {
            return Ok((self.layout.packing.pick(byte, place.slot), false));
        }
        let mut page = self.pages.buffer(key);
        self.read_page(row, place.page, &mut page)?;
        let value = self.layout.packing.pick(page[place.byte], place.slot);
        self.pages.put(key, page);
        Ok((value, true))
    }
}

impl Entries for StoredTable {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        self.get_counted(row, entry).map(|(value, _)| value)
    }

    fn depth(&self) -> Option<u8> {
        self.manifest.depth
    }
}

/// The error for a file that a newer or an older program wrote.
pub(super) fn other_schema(site: &Site<'_>, found: u32) -> Error {
    if found > DEPTH_SCHEMA_VERSION {
        let detail =
            format!("the file has schema version {found}; this program reads versions up to {DEPTH_SCHEMA_VERSION}");
        return site.fault(Fault::Foreign, detail);
    }
    let detail =
        format!("an older version wrote the file, with schema {found}; this version reads schema {SCHEMA_VERSION}");
    site.fault(Fault::Stale, detail)
}

fn missing(files: &TableFiles, layout: &TableLayout) -> Error {
    match BuildLock::look(&files.lock) {
        Err(builder) => {
            let detail = format!("{builder} is building it; wait until it is finished");
            Site::new(layout.name, &files.building).fault(Fault::Unfinished, detail)
        }
        Ok(_) if matches!(files.building.is_there(), Ok(true)) => {
            Site::new(layout.name, &files.building).fault(Fault::Unfinished, "its build was interrupted")
        }
        Ok(_) => Site::new(layout.name, &files.complete).fault(Fault::Missing, "it has not been built"),
    }
}
