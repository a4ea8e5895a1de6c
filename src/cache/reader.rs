//! The reader that queries use: mapped rows where there are any, the store where there are none.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use super::folder::Folder;
use super::format::{Probe, RowIdentity, probe};
use super::row::{BadBlock, MappedRow};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::math::nibble;
use crate::store::{Entries, Store, StoredTable, TableLayout};

/// What a reader does with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheMode {
    /// Neither reads nor writes it.
    Off,
    /// Reads the rows that are there, changes nothing.
    ReadOnly,
    /// Reads the rows that are there and adds those that are asked for often.
    #[default]
    OnDemand,
}

/// A table read through its cache. Answers are the store's: a cached row is used only when it was made from this very
/// edition of the table, and each of its blocks only after it was verified.
#[derive(Debug)]
pub struct CachedTable {
    table: StoredTable,
    mode: CacheMode,
    folder: Folder,
    slots: Vec<Slot>,
    /// Misses of a row after which it is hydrated.
    patience: u32,
    /// Set after a failure to write the folder: it was warned about, and is not tried again.
    broken: AtomicBool,
    cleaned: AtomicBool,
}

/// What is known about one row's cache file.
#[derive(Debug, Default)]
struct Slot {
    map: OnceLock<MappedRow>,
    /// Whether the file was looked for.
    probed: AtomicBool,
    /// Pages decoded from the store because the row was not mapped.
    misses: AtomicU32,
    /// Held by the thread that hydrates the row, and left set when that failed for good.
    hydrating: AtomicBool,
}

/// What [`CachedTable::warm`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Warmed {
    /// Rows that were cached already.
    pub present: u32,
    /// Rows that were added.
    pub added: u32,
    /// Bytes of nibbles that were added.
    pub bytes: u64,
}

/// Misses after which a row of `pages` pages is hydrated: one per page.
///
/// The ski-rental rule: keep renting until the rent paid equals the price, and the total is at most twice the best
/// choice in hindsight. Measured on a row of Square-1 (`schema/decisions/cache-row-files.md`): hydrating it takes as
/// long as 1260 to 2000 misses, and it has 1260 pages. Both sides grow with the number of pages, so the rule is the same for
/// every table.
const fn patience(pages: u32) -> u32 {
    pages
}

impl CachedTable {
    /// Opens a table and its cache. Cache files are looked at when their row is first asked for.
    ///
    /// # Errors
    /// As [`Store::table`]; the cache is no reason to fail.
    pub fn open(store: &Store, layout: &TableLayout, mode: CacheMode) -> Result<Self> {
        Ok(Self {
            table: store.table(layout)?,
            mode,
            folder: Folder::new(store.dir(), layout.name),
            slots: (0..layout.rows).map(|_| Slot::default()).collect(),
            patience: patience(layout.pages),
            broken: AtomicBool::new(false),
            cleaned: AtomicBool::new(false),
        })
    }

    /// The table in the store.
    pub fn table(&self) -> &StoredTable {
        &self.table
    }

    /// The bytes of a row that is cached, all of them verified; `None` when it is not cached or turned out damaged.
    /// For searches that read a row millions of times.
    pub fn mapped_row(&self, row: u32) -> Option<&[u8]> {
        let map = self.map(row)?;
        match map.verified_bytes() {
            Ok(bytes) => Some(bytes),
            Err(bad) => {
                self.condemn(row, map, bad);
                None
            }
        }
    }

    /// Adds every row that is not cached yet. Interrupting it keeps the rows added so far.
    ///
    /// # Errors
    /// [`Error::Usage`] unless the mode is [`CacheMode::OnDemand`]; [`Error::Io`] when the folder cannot be written;
    /// [`Error::Data`] when a row of the table is damaged; [`Error::Interrupted`].
    pub fn warm(&self, ctx: &Context) -> Result<Warmed> {
        if self.mode != CacheMode::OnDemand {
            return Err(Error::Usage("the cache cannot be filled: it was opened read-only or off".to_owned()));
        }
        let layout = *self.table.layout();
        self.clean();
        let (added, bytes) = (AtomicU32::new(0), AtomicU64::new(0));
        ctx.progress().begin(&format!("caching {}", layout.name), u64::from(layout.rows), "rows");
        (0..layout.rows).into_par_iter().try_for_each(|row| {
            ctx.check()?;
            if self.mapped_row(row).is_none() {
                self.hydrate(row)?;
                added.fetch_add(1, Ordering::Relaxed);
                bytes.fetch_add(layout.row_bytes() as u64, Ordering::Relaxed);
            }
            ctx.progress().advance(1);
            Ok::<(), Error>(())
        })?;
        ctx.progress().end();
        let added = added.into_inner();
        Ok(Warmed { present: layout.rows - added, added, bytes: bytes.into_inner() })
    }

    /// The row's mapping, usable or not to be used further, looking for its file the first time.
    #[inline]
    fn map(&self, row: u32) -> Option<&MappedRow> {
        let slot = self.slots.get(row as usize)?;
        match slot.map.get() {
            Some(map) => Some(map),
            None => self.look(row, slot),
        }
    }

    #[cold]
    fn look(&self, row: u32, slot: &Slot) -> Option<&MappedRow> {
        if self.mode == CacheMode::Off || slot.probed.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.map_file(row);
        self.slots[row as usize].map.get()
    }

    /// Maps the row's file, if there is a valid one.
    fn map_file(&self, row: u32) {
        let identity = RowIdentity::of(&self.table, row);
        let path = self.folder.row_path(row);
        match probe(&path, &identity) {
            Ok(Probe::Valid(opened)) => match MappedRow::new(identity, opened) {
                // Another thread may have mapped the same file meanwhile: either will do.
                Ok(map) => {
                    let _ = self.slots[row as usize].map.set(map);
                }
                Err(error) => tracing::warn!(path = %path.display(), %error, "a cached row cannot be mapped"),
            },
            // Replaced when the row is hydrated again.
            Ok(Probe::Stale | Probe::Absent) => {}
            Ok(Probe::Damaged(reason)) => {
                tracing::warn!(path = %path.display(), reason, "a damaged cache file is not used");
                self.discard(row);
            }
            Err(error) => tracing::warn!(path = %path.display(), %error, "a cache file cannot be read"),
        }
    }

    /// Stops using a row's mapping beyond the blocks that were verified before, and removes its file.
    #[cold]
    fn condemn(&self, row: u32, map: &MappedRow, BadBlock(block): BadBlock) {
        if map.condemn() {
            let path = self.folder.row_path(row);
            tracing::warn!(path = %path.display(), block, "a cached row is damaged; answering from the store");
            self.discard(row);
        }
    }

    fn discard(&self, row: u32) {
        if self.mode == CacheMode::OnDemand
            && let Err(error) = self.folder.discard(row)
        {
            tracing::warn!(%error, "a damaged cache file cannot be removed");
        }
    }

    /// Removes, once, what killed processes left.
    fn clean(&self) {
        if !self.cleaned.swap(true, Ordering::Relaxed) {
            self.folder.clean();
        }
    }

    /// Decodes a row and publishes it.
    fn hydrate(&self, row: u32) -> Result<()> {
        self.clean();
        let mut payload = vec![0; self.table.layout().row_bytes()];
        self.table.read_row(row, &mut payload)?;
        self.folder.publish(&RowIdentity::of(&self.table, row), &payload)?;
        self.map_file(row);
        Ok(())
    }

    #[cold]
    fn get_slowly(&self, row: u32, entry: u64) -> Result<u8> {
        // Refuses entries that do not exist, before anything is counted.
        self.table.layout().locate(row, entry)?;
        let at = (entry / 2) as usize;
        if let Some(map) = self.map(row)
            && !map.is_condemned()
        {
            match map.verify_at(at) {
                Ok(()) => {
                    if let Some(byte) = map.byte(at) {
                        return Ok(nibble::pick(byte, (entry & 1) as usize));
                    }
                }
                Err(bad) => self.condemn(row, map, bad),
            }
        }
        let (value, decoded) = self.table.get_counted(row, entry)?;
        if decoded && self.mode == CacheMode::OnDemand {
            self.count_miss(row);
        }
        Ok(value)
    }

    /// Counts a miss, and hydrates the row in this thread when it was one too many. Other threads meanwhile go on
    /// reading through the store.
    fn count_miss(&self, row: u32) {
        let slot = &self.slots[row as usize];
        let misses = slot.misses.fetch_add(1, Ordering::Relaxed) + 1;
        let due = misses >= self.patience && slot.map.get().is_none() && !self.broken.load(Ordering::Relaxed);
        if !due || slot.hydrating.swap(true, Ordering::Relaxed) {
            return;
        }
        match self.hydrate(row) {
            Ok(()) => {}
            // The table's own damage: only this row cannot be cached.
            Err(Error::Data(error)) => tracing::warn!(%error, row, "a damaged row is not cached"),
            Err(error) => {
                if !self.broken.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "the cache cannot be written; answering from the store");
                }
            }
        }
    }
}

impl Entries for CachedTable {
    #[inline]
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        if let Some(map) = self.slots.get(row as usize).and_then(|slot| slot.map.get())
            && let Some(byte) = map.byte((entry / 2) as usize)
        {
            return Ok(nibble::pick(byte, (entry & 1) as usize));
        }
        self.get_slowly(row, entry)
    }
}
