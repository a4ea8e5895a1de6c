//! The reader that queries use: mapped files where there are any, the store where there are none.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rayon::prelude::*;

use super::folder::{self, Folder};
use super::format::{Opened, Probe, UnitIdentity, probe};
use super::unit::{BadBlock, MappedUnit, ReadFault, read_verified};
use super::units::Units;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_store::{CacheUnit, Entries, IN_MEMORY, Store, StoredTable, TableLayout};

/// What a reader does with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheMode {
    /// Neither reads nor writes it.
    Off,
    /// Reads the files that are there, changes nothing.
    ReadOnly,
    /// Reads the files that are there and adds those that are asked for often.
    #[default]
    OnDemand,
}

/// A table read through its cache. Answers are the store's: a file is used only when it was made from this very
/// edition of the table, and each of its blocks only after it was verified.
#[derive(Debug)]
pub struct CachedTable {
    table: StoredTable,
    mode: CacheMode,
    folder: Folder,
    units: Units,
    slots: Vec<UnitSlot>,
    /// Misses of a unit after which it is hydrated.
    patience: u32,
    /// Set after a failure to write the folder: it was warned about, and is not tried again.
    broken: AtomicBool,
    cleaned: AtomicBool,
}

/// What is known about the cache file of one unit, a row or the table.
#[derive(Debug, Default)]
struct UnitSlot {
    map: OnceLock<MappedUnit>,
    /// Whether the file was looked for.
    probed: AtomicBool,
    /// Whether it is valid and could not be mapped: there is too little memory, or address space.
    unmappable: AtomicBool,
    /// Pages decoded from the store because the unit was not mapped.
    misses: AtomicU32,
    /// Held by the thread that hydrates the unit, and left set when that failed for good.
    hydrating: AtomicBool,
}

/// What [`CachedTable::warm`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Warmed {
    /// Files that were there already.
    pub present: u32,
    /// Files that were added.
    pub added: u32,
    /// Bytes of entries that were added.
    pub bytes: u64,
}

/// Misses after which a unit of `pages` pages is hydrated: one per page.
///
/// The ski-rental rule: keep renting until the rent paid equals the price, and the total is at most twice the best
/// choice in hindsight. Measured on a row of Square-1 (`schema/decisions/cache-row-files.md`): hydrating it takes as
/// long as 1260 to 2000 misses, and it has 1260 pages. Both sides grow with the number of pages, so the rule is the same for
/// every table.
fn patience(pages: u64) -> u32 {
    u32::try_from(pages).unwrap_or(u32::MAX)
}

impl CachedTable {
    /// Opens a complete table and its cache. Cache files are looked at when an entry of theirs is first asked for.
    ///
    /// # Errors
    /// As [`Store::table`]; the cache is no reason to fail.
    pub fn open(store: &Store, layout: &TableLayout, mode: CacheMode) -> Result<Self> {
        Ok(Self::over(store, store.table(layout)?, mode))
    }

    /// The same for a table that is complete or was built to a depth; see [`Entries::depth`].
    ///
    /// # Errors
    /// As [`Store::table_to_depth`].
    pub fn open_to_depth(store: &Store, layout: &TableLayout, mode: CacheMode) -> Result<Self> {
        Ok(Self::over(store, store.table_to_depth(layout)?, mode))
    }

    fn over(store: &Store, table: StoredTable, mode: CacheMode) -> Self {
        let layout = *table.layout();
        let units = Units::of(&layout);
        // In memory a table needs no second copy: the cache is off, and a folder of that name is never made.
        let (mode, dir) = store.dir().map_or((CacheMode::Off, Path::new(IN_MEMORY)), |dir| (mode, dir));
        Self {
            table,
            mode,
            folder: Folder::new(dir, layout.name),
            units,
            slots: (0..units.count()).map(|_| UnitSlot::default()).collect(),
            patience: patience(units.pages()),
            broken: AtomicBool::new(false),
            cleaned: AtomicBool::new(false),
        }
    }

    /// The table in the store.
    pub fn table(&self) -> &StoredTable {
        &self.table
    }

    /// What is done with the cache: nothing in memory, else what it was opened for.
    pub fn mode(&self) -> CacheMode {
        self.mode
    }

    /// The bytes of a unit (the row of that number, or number 0 for a table in one file) that is cached, all of them
    /// verified, on all threads of rayon's pool; `None` when it is not cached or turned out damaged. For searches that
    /// read it millions of times.
    pub fn mapped_unit(&self, unit: u32) -> Option<&[u8]> {
        // A context that is never cancelled: there is no error.
        self.verified_unit(unit, &Context::silent()).ok()?
    }

    /// The same, unless it is cancelled.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    fn verified_unit(&self, unit: u32, ctx: &Context) -> Result<Option<&[u8]>> {
        let Some(map) = self.map(unit) else { return Ok(None) };
        let verified = map.verified_bytes(ctx)?;
        Ok(verified.map_err(|bad| self.condemn(unit, map, bad)).ok())
    }

    /// The bytes of the whole table, row after row, as [`CachedTable::mapped_unit`] gives them; `None` also for a table
    /// that is cached by rows.
    pub fn bytes_of_table(&self) -> Option<&[u8]> {
        (self.units.kind() == CacheUnit::Table).then(|| self.mapped_unit(0))?
    }

    /// Whether [`CachedTable::bytes_of_table`] gives them, at once from now on: verifies them, unless it is cancelled.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn verify_table(&self, ctx: &Context) -> Result<bool> {
        Ok(self.units.kind() == CacheUnit::Table && self.verified_unit(0, ctx)?.is_some())
    }

    /// Reads the bytes of the whole table from the file of its cache, all of them verified, on all threads of rayon's pool.
    /// `false`, and nothing of use in `to`, when the cache does not have them: because the table is cached by rows, or its
    /// file is not there or turns out damaged.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    ///
    /// # Panics
    /// If `to` is not as long as the table.
    pub fn read_table(&self, to: &mut [u8], ctx: &Context) -> Result<bool> {
        if self.units.kind() != CacheUnit::Table || self.mode == CacheMode::Off {
            return Ok(false);
        }
        let Some((identity, opened)) = self.open_file(0) else { return Ok(false) };
        match read_verified(&identity, &opened, to, ctx) {
            Ok(()) => return Ok(true),
            Err(ReadFault::Interrupted) => return Err(Error::Interrupted),
            Err(ReadFault::Io(error)) => self.cannot_be("read", 0, &error),
            Err(ReadFault::Bad(bad)) => match self.slots[0].map.get() {
                Some(map) => self.condemn(0, map, bad),
                None => self.discard_damaged(0, bad),
            },
        }
        Ok(false)
    }

    /// Whether the cache holds a unit, by its header.
    pub fn is_cached(&self, unit: u32) -> bool {
        self.map(unit).is_some_and(|map| !map.is_condemned())
    }

    /// Adds every file that is not there yet, and removes those of older versions of the format. Interrupting it keeps
    /// the files added so far.
    ///
    /// # Errors
    /// [`Error::Usage`] unless the mode is [`CacheMode::OnDemand`]; [`Error::Io`] when the folder cannot be written;
    /// [`Error::Memory`] when a file is there and cannot be mapped;
    /// [`Error::Data`] when a row of the table is damaged; [`Error::Interrupted`].
    pub fn warm(&self, ctx: &Context) -> Result<Warmed> {
        if self.mode != CacheMode::OnDemand {
            return Err(Error::Usage("cannot fill the cache: its mode is read-only or off".to_owned()));
        }
        let layout = *self.table.layout();
        self.clean();
        self.folder.remove_older()?;
        let added = AtomicU32::new(0);
        ctx.progress().begin(&format!("caching {}", layout.name), u64::from(layout.rows), "rows");
        (0..self.units.count()).into_par_iter().try_for_each(|unit| {
            ctx.check()?;
            if self.verified_unit(unit, ctx)?.is_none() {
                if self.slots[unit as usize].unmappable.load(Ordering::Relaxed) {
                    let (bytes, file) = (self.units.bytes(), self.path(unit));
                    return Err(Error::Memory(format!("cannot map the {bytes} bytes of {}", file.display())));
                }
                self.hydrate(unit, ctx)?;
                added.fetch_add(1, Ordering::Relaxed);
            } else {
                ctx.progress().advance(self.units.rows(unit).len() as u64);
            }
            Ok::<(), Error>(())
        })?;
        ctx.progress().end();
        let added = added.into_inner();
        Ok(Warmed { present: self.units.count() - added, added, bytes: u64::from(added) * self.units.bytes() as u64 })
    }

    /// The unit's mapping, usable or not to be used further, looking for its file the first time.
    #[inline]
    fn map(&self, unit: u32) -> Option<&MappedUnit> {
        let slot = self.slots.get(unit as usize)?;
        match slot.map.get() {
            Some(map) => Some(map),
            None => self.look(unit, slot),
        }
    }

    #[cold]
    fn look(&self, unit: u32, slot: &UnitSlot) -> Option<&MappedUnit> {
        if self.mode == CacheMode::Off || slot.probed.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.map_file(unit);
        self.slots[unit as usize].map.get()
    }

    fn path(&self, unit: u32) -> PathBuf {
        self.folder.unit_path(self.units.kind(), unit)
    }

    /// Maps the unit's file, if there is a valid one.
    fn map_file(&self, unit: u32) {
        let Some((identity, opened)) = self.open_file(unit) else { return };
        match MappedUnit::new(identity, opened) {
            // Another thread may have mapped the same file meanwhile: either will do.
            Ok(map) => {
                let _ = self.slots[unit as usize].map.set(map);
            }
            Err(error) => {
                self.slots[unit as usize].unmappable.store(true, Ordering::Relaxed);
                self.cannot_be("mapped", unit, &error);
            }
        }
    }

    /// The unit's file, if there is a valid one.
    fn open_file(&self, unit: u32) -> Option<(UnitIdentity, Opened)> {
        let identity = UnitIdentity::of(&self.table, unit);
        let path = self.path(unit);
        match probe(&path, &identity) {
            Ok(Probe::Valid(opened)) => return Some((identity, opened)),
            // Replaced when the unit is hydrated again.
            Ok(Probe::Stale | Probe::Absent) => {}
            Ok(Probe::Damaged(reason)) => {
                tracing::warn!(path = %path.display(), reason, "ignoring a damaged cache file");
                self.discard(unit);
            }
            Err(error) => self.cannot_be("read", unit, &error),
        }
        None
    }

    /// Warns of a file that the system does not let use.
    #[cold]
    fn cannot_be(&self, what: &str, unit: u32, error: &std::io::Error) {
        tracing::warn!(path = %self.path(unit).display(), %error, "a cache file cannot be {what}");
    }

    /// Stops using a unit's mapping beyond the blocks that were verified before, and removes its file.
    #[cold]
    fn condemn(&self, unit: u32, map: &MappedUnit, bad: BadBlock) {
        if map.condemn() {
            self.discard_damaged(unit, bad);
        }
    }

    fn discard_damaged(&self, unit: u32, BadBlock(block): BadBlock) {
        let path = self.path(unit);
        tracing::warn!(path = %path.display(), block, "a cache file is damaged; answering from the store");
        self.discard(unit);
    }

    fn discard(&self, unit: u32) {
        if self.mode == CacheMode::OnDemand
            && let Err(error) = folder::remove(&self.path(unit))
        {
            tracing::warn!(%error, "cannot remove a damaged cache file");
        }
    }

    /// Removes, once, what killed processes left.
    fn clean(&self) {
        if !self.cleaned.swap(true, Ordering::Relaxed) {
            self.folder.clean();
        }
    }

    /// Decodes the rows of a unit and publishes them, reporting each to `ctx`.
    fn hydrate(&self, unit: u32, ctx: &Context) -> Result<()> {
        self.clean();
        let identity = UnitIdentity::of(&self.table, unit);
        self.folder.publish(&self.path(unit), &identity, self.units.rows(unit), |row, buffer| {
            ctx.check()?;
            self.table.read_row(row, buffer)?;
            ctx.progress().advance(1);
            Ok(())
        })?;
        self.map_file(unit);
        Ok(())
    }

    #[cold]
    fn get_slowly(&self, row: u32, entry: u64) -> Result<u8> {
        // Refuses entries that do not exist, before anything is counted.
        let place = self.units.locate(row, entry).ok_or_else(|| self.table.layout().outside(row, entry))?;
        if let Some(map) = self.map(place.unit)
            && !map.is_condemned()
        {
            match map.verify_at(place.byte) {
                Ok(()) => {
                    if let Some(byte) = map.byte(place.byte) {
                        return Ok(self.units.packing().pick(byte, place.slot));
                    }
                }
                Err(bad) => self.condemn(place.unit, map, bad),
            }
        }
        let (value, decoded) = self.table.get_counted(row, entry)?;
        if decoded && self.mode == CacheMode::OnDemand {
            self.count_miss(place.unit);
        }
        Ok(value)
    }

    /// Counts a miss, and hydrates the unit in this thread when it was one too many. Other threads meanwhile go on
    /// reading through the store.
    fn count_miss(&self, unit: u32) {
        let slot = &self.slots[unit as usize];
        let misses = slot.misses.fetch_add(1, Ordering::Relaxed) + 1;
        let is_of_use = slot.map.get().is_none() && !slot.unmappable.load(Ordering::Relaxed);
        let due = misses >= self.patience && is_of_use && !self.broken.load(Ordering::Relaxed);
        if !due || slot.hydrating.swap(true, Ordering::Relaxed) {
            return;
        }
        match self.hydrate(unit, &Context::silent()) {
            Ok(()) => {}
            // The table's own damage: only this unit cannot be cached.
            Err(Error::Data(error)) => tracing::warn!(%error, unit, "not caching a damaged row"),
            Err(error) => {
                if !self.broken.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "cannot write to the cache; answering from the store");
                }
            }
        }
    }
}

/// Pages as exports read them.
impl CachedTable {
    /// The bytes of a page: those in the cache, verified, or else those of the store, decoded into `buffer`.
    ///
    /// # Errors
    /// As [`StoredTable::read_page`].
    #[doc(hidden)]
    pub fn page<'a>(&'a self, row: u32, page: u32, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        if let Some(bytes) = self.cached_page(row, page) {
            return Ok(bytes);
        }
        self.table.read_page(row, page, buffer)?;
        Ok(buffer)
    }

    fn cached_page(&self, row: u32, page: u32) -> Option<&[u8]> {
        let (unit, bytes) = self.units.locate_page(row, page)?;
        let map = self.map(unit).filter(|map| !map.is_condemned())?;
        map.verified_range(bytes).unwrap_or_else(|bad| {
            self.condemn(unit, map, bad);
            None
        })
    }
}

impl Entries for CachedTable {
    #[inline]
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        if let Some(place) = self.units.locate(row, entry)
            && let Some(map) = self.slots.get(place.unit as usize).and_then(|slot| slot.map.get())
            && let Some(byte) = map.byte(place.byte)
        {
            return Ok(self.units.packing().pick(byte, place.slot));
        }
        self.get_slowly(row, entry)
    }

    #[inline]
    fn prefetch(&self, row: u32, entry: u64) {
        if let Some(place) = self.units.locate(row, entry)
            && let Some(map) = self.slots.get(place.unit as usize).and_then(|slot| slot.map.get())
        {
            map.prefetch(place.byte);
        }
    }

    fn depth(&self) -> Option<u8> {
        self.table.depth()
    }
}
