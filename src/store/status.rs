//! What there is of a table, for listings.

use std::path::{Path, PathBuf};

use super::build::committed_rows;
use super::engine::{self, Reader, Site, guard};
use super::layout::TableLayout;
use super::lock::BuildLock;
use super::place::{Place, TableFiles};
use super::read::{self, StoredTable};
use super::record::{Manifest, MetaRecord, is_readable};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Result};

/// What there is of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableState {
    /// Nothing.
    Missing,
    /// The file of an interrupted build, with the number of its rows; `None` when they cannot be counted: while a build runs,
    /// and after a kill, when only the next build repairs the file.
    Unfinished(Option<u32>),
    /// A complete table of the right versions.
    Complete(Box<Manifest>),
    /// A table of the right versions that was built to a depth.
    Bounded(Box<Manifest>),
    /// A table of other versions.
    Stale {
        /// Its record.
        manifest: Box<Manifest>,
        /// In what it differs.
        reason: String,
    },
    /// A file that cannot be used.
    Faulty(Box<DataError>),
    /// A table that another process writes to.
    Busy(String),
}

/// What there is of a table, and what runs.
#[derive(Debug, Clone, PartialEq)]
pub struct TableStatus {
    /// What there is. Only the records were looked at: pages are checked when they are read.
    pub state: TableState,
    /// The process that builds the table at the moment.
    pub builder: Option<String>,
    /// The table's file, which need not exist; `None` in memory.
    pub file: Option<PathBuf>,
    /// Bytes that the complete file occupies on disk, or in memory.
    pub bytes: u64,
    /// Bytes that the file of an unfinished build occupies on disk, or in memory.
    pub building_bytes: u64,
}

/// Looks at a table's files; see [`Store::status`](super::Store::status).
pub(super) fn of(place: &Place, layout: &TableLayout) -> Result<TableStatus> {
    layout.check()?;
    let files = place.files(layout.name);
    let lock = BuildLock::look(&files.lock);
    let state = match StoredTable::open_any(place, layout) {
        Ok(table) => complete(&table, layout),
        Err(Error::Data(fault)) => match (fault.fault, &lock) {
            (Fault::Missing, _) => TableState::Missing,
            (Fault::Unfinished, Ok(_)) => TableState::Unfinished(rows_done(&files, layout)),
            // A running build has its file locked.
            (Fault::Unfinished, Err(_)) => TableState::Unfinished(None),
            _ => TableState::Faulty(Box::new(fault)),
        },
        Err(Error::Busy { holder, .. }) => TableState::Busy(holder),
        Err(other) => return Err(other),
    };
    Ok(TableStatus {
        state,
        builder: lock.err(),
        bytes: files.complete.bytes(),
        building_bytes: files.building.bytes(),
        file: files.complete.path().map(Path::to_path_buf),
    })
}

fn complete(table: &StoredTable, layout: &TableLayout) -> TableState {
    let manifest = Box::new(table.manifest().clone());
    match manifest.geometry.difference(layout) {
        None if manifest.depth.is_some() => TableState::Bounded(manifest),
        None => TableState::Complete(manifest),
        Some(reason) => TableState::Stale { manifest, reason },
    }
}

/// See [`Store::depth_begun`](super::Store::depth_begun).
pub(super) fn depth_begun(place: &Place, layout: &TableLayout, ctx: &Context) -> Option<u8> {
    let files = place.files(layout.name);
    let site = Site::new(layout.name, &files.building);
    match engine::open_read_only(&site) {
        Ok(db) => meta_of(&db)?.depth,
        Err(error) if engine::was_not_closed(&error) => {
            let _lock = BuildLock::acquire(&files.lock, layout.name).ok()?;
            let db = engine::open_to_mend(&site, ctx).ok()?;
            meta_of(&db.reader())?.depth
        }
        Err(_) => None,
    }
}

/// What an unfinished build of these versions is to be: to a depth, or complete; `None` if unknown.
pub(super) fn begun(files: &TableFiles, layout: &TableLayout) -> Option<Option<u8>> {
    let db = engine::open_read_only(&Site::new(layout.name, &files.building)).ok()?;
    let meta = meta_of(&db)?;
    (is_readable(meta.schema) && meta.geometry.difference(layout).is_none()).then_some(meta.depth)
}

fn meta_of(db: &Reader) -> Option<MetaRecord> {
    guard(|| read::read_meta(&db.begin_read()?)).ok()
}

/// Rows that an interrupted build of these versions stored.
fn rows_done(files: &TableFiles, layout: &TableLayout) -> Option<u32> {
    let site = Site::new(layout.name, &files.building);
    let db = engine::open_read_only(&site).ok()?;
    guard(|| {
        let txn = db.begin_read()?;
        let meta = read::read_meta(&txn)?;
        let usable = is_readable(meta.schema) && meta.geometry.difference(layout).is_none();
        let done = if usable { committed_rows(&txn, layout, meta.depth)? } else { Vec::new() };
        Ok(done.iter().filter(|&&done| done).count() as u32)
    })
    .ok()
}
