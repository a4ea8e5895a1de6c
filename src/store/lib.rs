//! The store: tables in redb, one file each. `schema/store.md` states the format.
//!
//! A folder holds, for each table, `NAME.redb` (complete), `NAME.building.redb` (being built, or interrupted) and
//! `NAME.lock` (locked while a build runs). A store in memory has the same three of each table, and no folder: `place.rs` has all
//! that differs. This module is the one home of redb.

mod build;
mod encode;
mod engine;
#[doc(hidden)]
pub mod files;
mod layout;
mod lock;
mod memory;
mod packing;
mod pages;
mod place;
mod read;
mod record;
mod records;
mod sealed_text;
mod segment;
mod status;
#[cfg(test)]
extern crate self as twistbase_store;
#[cfg(test)]
mod tests;
mod verify;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use build::{BuildStart, Builder};
#[doc(hidden)]
pub use encode::histogram;
pub use encode::{EncodedRow, RowEncoder};
pub use engine::is_guarded;
pub use files::{NewFile, create_folder, sync_name};
#[doc(hidden)]
pub use files::{open_regular, read_regular, read_whole};
#[doc(hidden)]
pub use layout::check_name;
pub use layout::{CacheUnit, Entries, FlatTable, RamTable, TableLayout};
#[doc(hidden)]
pub use lock::{Locked, seconds_since_1970};
pub use packing::Packing;
#[doc(hidden)]
pub use place::FileEdition;
pub use place::IN_MEMORY;
pub use read::StoredTable;
#[doc(hidden)]
pub use record::CREATOR;
pub use record::{BuildInfo, DEPTH_SCHEMA_VERSION, Geometry, Manifest, RowLevels, RowRecord, SCHEMA_VERSION};
#[doc(hidden)]
pub use record::{RecordSlot, seal, unseal};
#[doc(hidden)]
pub use record::{add_levels, table_digest};
#[doc(hidden)]
pub use records::{RecordFile, RecordKind, RecordWriter};
#[doc(hidden)]
pub use sealed_text::{json_line_of, seal_text, unseal_text};
pub use status::{TableState, TableStatus};
pub use verify::Verified;

use place::Place;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};

/// A folder of tables, or tables in the memory of this process. Displayed, it is the folder's path, or [`IN_MEMORY`].
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_store as store; }
/// use twistbase::context::Context;
/// use twistbase::store::{BuildInfo, BuildStart, CacheUnit, Entries, Packing, RowLevels, Store, TableLayout};
///
/// const LAYOUT: TableLayout = TableLayout {
///     name: "demo",
///     id: 1,
///     rows: 2,
///     pages: 3,
///     packing: Packing::Nibbles,
///     page_entries: 8,
///     padding: 0,
///     unit: CacheUnit::Row,
///     spec_version: 1,
///     generator_version: 1,
/// };
///
/// # fn main() -> twistbase::error::Result<()> {
/// let dir = tempfile::tempdir().unwrap();
/// let store = Store::open(dir.path());
/// if let BuildStart::Building(mut builder) = store.build(&LAYOUT, None, false, &Context::silent())? {
///     // Of each row, half of the entries are at distance 1 and half at distance 2, and each is one position.
///     let levels = RowLevels { entries: vec![0, 12, 12], positions: vec![0, 12, 12] };
///     for row in 0..LAYOUT.rows {
///         builder.put_row(builder.encoder().encode(row, &vec![0x21; LAYOUT.row_bytes()], &levels)?)?;
///     }
///     assert_eq!(builder.finish(BuildInfo::default())?.distribution, [0, 24, 24]);
/// }
/// assert_eq!(store.table(&LAYOUT)?.get(1, 5)?, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    place: Place,
}

impl Store {
    /// Names the folder. It is neither read nor created until something needs it.
    pub fn open(dir: impl Into<PathBuf>) -> Self {
        Self { place: Place::Folder(dir.into()) }
    }

    /// An empty store in memory. Clones share it; what the last of them leaves is gone.
    pub fn in_memory() -> Self {
        Self { place: Place::Memory(memory::Memory::default()) }
    }

    /// The folder; `None` in memory.
    pub fn dir(&self) -> Option<&Path> {
        match &self.place {
            Place::Folder(dir) => Some(dir),
            Place::Memory(_) => None,
        }
    }

    /// The folder, for what cannot do without.
    ///
    /// # Errors
    /// [`Error::Usage`] in memory: `what` needs a folder.
    pub fn dir_for(&self, what: &str) -> Result<&Path> {
        self.dir().ok_or_else(|| needs_folder(what))
    }

    /// The file of a complete table, or of one that was built to a depth, which need not exist; `None` in memory. It is only ever
    /// replaced by renaming another one, never changed.
    pub fn file_of(&self, layout: &TableLayout) -> Option<PathBuf> {
        self.place.files(layout.name).complete.path().map(Path::to_path_buf)
    }

    /// The same, for what cannot do without.
    ///
    /// # Errors
    /// [`Error::Usage`] in memory: `what` needs a folder.
    pub fn file_for(&self, layout: &TableLayout, what: &str) -> Result<PathBuf> {
        self.file_of(layout).ok_or_else(|| needs_folder(what))
    }

    /// The edition of a table that is there, to notice another one; `None` without a table.
    #[doc(hidden)]
    pub fn edition(&self, layout: &TableLayout) -> Option<FileEdition> {
        self.place.files(layout.name).complete.edition()
    }

    /// Opens a complete table for reading, which takes a few milliseconds.
    ///
    /// # Errors
    /// [`Error::Data`]: missing, unfinished, bounded (built to a depth), stale (an older schema, other versions or
    /// geometry), foreign (a newer schema, or not redb) or damaged; [`Error::Busy`] when another program
    /// writes to the file; [`Error::Io`].
    pub fn table(&self, layout: &TableLayout) -> Result<StoredTable> {
        StoredTable::open_complete(&self.place, layout)
    }

    /// Opens a table that is complete or was built to a depth, given by [`Entries::depth`]: beyond it all entries are
    /// 15, which is unset.
    ///
    /// # Errors
    /// As [`Store::table`], but not bounded.
    pub fn table_to_depth(&self, layout: &TableLayout) -> Result<StoredTable> {
        StoredTable::open(&self.place, layout)
    }

    /// The depth to which the build of a table was begun that is not finished; `None` also if it is unknown. What a
    /// kill left is repaired first, as the next build does it.
    pub fn depth_begun(&self, layout: &TableLayout, ctx: &Context) -> Option<u8> {
        status::depth_begun(&self.place, layout, ctx)
    }

    /// Looks at what there is of a table, without changing anything.
    ///
    /// # Errors
    /// [`Error::Io`] when the system refuses to say; everything else is a state.
    pub fn status(&self, layout: &TableLayout) -> Result<TableStatus> {
        status::of(&self.place, layout)
    }

    /// Starts the build of a table, complete or to a depth, or continues one that was interrupted. A table of the right
    /// versions that reaches as far is left alone unless `force` is set; until the build finishes, readers keep using the
    /// old one.
    ///
    /// # Errors
    /// [`Error::Busy`] naming the process that builds it already;
    /// [`Error::Data`] (foreign) rather than overwriting what a newer program wrote or began,
    /// and [`Error::Usage`] rather than discarding rows of a build to another depth,
    /// unless `force` is set; [`Error::Io`].
    pub fn build(&self, layout: &TableLayout, depth: Option<u8>, force: bool, ctx: &Context) -> Result<BuildStart> {
        build::start(&self.place, layout, depth, force, ctx)
    }

    /// Deletes a table and its unfinished build, or this alone, and returns the bytes that they occupied; `None` if there is
    /// nothing. Who has the table open reads on.
    ///
    /// # Errors
    /// [`Error::Busy`] naming the process that builds it; [`Error::Io`], also for a table that is a link: other stores may use
    /// its file.
    pub fn remove(&self, layout: &TableLayout, only_unfinished: bool) -> Result<Option<u64>> {
        layout.check()?;
        let link = self.dir().map(|dir| dir.join(format!("{}.redb", layout.name))).filter(|file| file.is_symlink());
        if let Some(link) = link.filter(|_| !only_unfinished) {
            let reason = io::Error::other("the table is a link, and other folders may use its file; remove the link");
            return Err(Error::io("remove", link, reason));
        }
        let files = self.place.files(layout.name);
        let mut there = vec![&files.building];
        if !only_unfinished {
            there.push(&files.complete);
        }
        let mut found = Vec::new();
        for file in there {
            if file.is_there()? {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        let _lock = lock::BuildLock::acquire(&files.lock, layout.name)?;
        let freed = found.iter().map(|file| file.bytes()).sum();
        found.iter().try_for_each(|file| file.remove())?;
        Ok(Some(freed))
    }
}

/// The error of what cannot be done in memory.
fn needs_folder(what: &str) -> Error {
    Error::Usage(format!("{what} needs tables in a folder; give a folder instead of {IN_MEMORY}"))
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}
