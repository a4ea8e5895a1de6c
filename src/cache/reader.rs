//! The reader that queries use: files of the cache where there are any, the store where there are none.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rayon::prelude::*;

use super::folder::{self, Folder};
use super::format::{Opened, Probe, UnitIdentity, probe};
use super::map::{Budget, FileMap};
use super::unit::{BadBlock, CachedUnit, VerifyFault};
use super::units::Units;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
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
    /// What its units may fill, with those of other tables.
    budget: &'static Budget,
    /// Misses of a unit after which it is hydrated.
    patience: u32,
    /// Set after a failure to write the folder: it was warned about, and is not tried again.
    broken: AtomicBool,
    cleaned: AtomicBool,
}

/// The state of the cache file of one unit, a row or the table.
#[derive(Debug, Default)]
struct UnitSlot {
    unit: OnceLock<CachedUnit>,
    /// Whether the file was looked for.
    probed: AtomicBool,
    /// Whether it is valid, and the system has no addresses left for it.
    has_no_room: AtomicBool,
    /// Pages decoded from the store because the unit was not there.
    misses: AtomicU32,
    /// Held by the thread that hydrates the unit, and left set when that failed for good.
    hydrating: AtomicBool,
}

/// The bytes of a whole table in the map of its cache file, verified when they were mapped.
///
/// Nothing of twistbase writes to a published file. If another program makes it shorter, or the disk cannot read it, the system
/// ends the process by the signal SIGBUS. If another program writes to it, the bytes change:
/// [`MappedTable::check_unchanged`] finds out afterwards.
#[derive(Debug)]
pub struct MappedTable {
    map: FileMap,
    table: &'static str,
    path: PathBuf,
}

impl MappedTable {
    /// To be asked before anything that follows from the bytes is given out.
    ///
    /// # Errors
    /// [`Error::Data`] (damaged) if another program may have changed the file since it was mapped.
    pub fn check_unchanged(&self) -> Result<()> {
        if self.map.is_unchanged() {
            return Ok(());
        }
        let detail = "the cache file was changed by another program while a search read it";
        let remedy = Remedy::WarmCache { table: self.table.into() };
        let error = DataError::new(Fault::Damaged, self.table, detail, remedy);
        Err(DataError { file: Some(self.path.clone()), ..error }.into())
    }
}

impl AsRef<[u8]> for MappedTable {
    fn as_ref(&self) -> &[u8] {
        self.map.bytes()
    }
}

/// What [`CachedTable::warm`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Warmed {
    /// Files that were there already.
    pub present: u32,
    /// Added files.
    pub added: u32,
    /// Bytes of added entries.
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
            budget: Budget::of_process(),
            patience: patience(units.pages()),
            broken: AtomicBool::new(false),
            cleaned: AtomicBool::new(false),
        }
    }

    /// The same within another budget.
    #[cfg(test)]
    pub(super) fn within(self, budget: &'static Budget) -> Self {
        Self { budget, ..self }
    }

    /// The table in the store.
    pub fn table(&self) -> &StoredTable {
        &self.table
    }

    /// The use of the cache: none in memory, else the mode it was opened with.
    pub fn mode(&self) -> CacheMode {
        self.mode
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
        let Some(opened) = self.open_table() else { return Ok(false) };
        Ok(self.verified(opened.read_all(to, ctx))?.is_some())
    }

    /// Maps the file of the whole table, all of it verified, on all threads of rayon's pool; `None` when the cache does not have it,
    /// as for [`CachedTable::read_table`], or the system refuses the map.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn map_table(&self, ctx: &Context) -> Result<Option<MappedTable>> {
        let Some(opened) = self.open_table() else { return Ok(None) };
        match opened.map_all(ctx) {
            Ok(verified) => {
                let map = self.verified(verified)?;
                Ok(map.map(|map| MappedTable { map, table: self.table.layout().name, path: self.path(0) }))
            }
            Err(error) => {
                self.cannot_be("mapped", 0, &error);
                Ok(None)
            }
        }
    }

    /// The file of the whole table, if there is one.
    fn open_table(&self) -> Option<Opened> {
        (self.units.kind() == CacheUnit::Table && self.mode != CacheMode::Off).then(|| self.open_file(0))?
    }

    /// What was verified of the whole table's file; a damaged one is not used any more.
    fn verified<T>(&self, verified: Result<T, VerifyFault>) -> Result<Option<T>> {
        match verified {
            Ok(right) => return Ok(Some(right)),
            Err(VerifyFault::Interrupted) => return Err(Error::Interrupted),
            Err(VerifyFault::Bad(bad)) => match self.slots[0].unit.get() {
                Some(unit) => self.condemn(0, unit, &bad),
                None => self.discard_damaged(0, &bad),
            },
        }
        Ok(None)
    }

    /// Whether the cache holds a unit, by its header.
    pub fn is_cached(&self, unit: u32) -> bool {
        self.unit(unit).is_some_and(|unit| !unit.is_condemned())
    }

    /// Adds every file that is not there yet, and removes those of older versions of the format. Interrupting it keeps
    /// the files added so far.
    ///
    /// # Errors
    /// [`Error::Usage`] unless the mode is [`CacheMode::OnDemand`]; [`Error::Io`] when the folder cannot be written;
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
            if !self.is_intact(unit, ctx)? {
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

    /// Whether the file of a unit is there, with every block as it was published. A damaged file is removed.
    fn is_intact(&self, unit: u32, ctx: &Context) -> Result<bool> {
        let Some(opened) = self.open_file(unit) else { return Ok(false) };
        let bad = opened.bad_blocks(&ctx.of_part())?;
        if let Some(bad) = bad.first() {
            self.discard_damaged(unit, bad);
        }
        Ok(bad.is_empty())
    }

    /// The unit, usable or not to be used further, looking for its file the first time.
    #[inline]
    fn unit(&self, unit: u32) -> Option<&CachedUnit> {
        let slot = self.slots.get(unit as usize)?;
        match slot.unit.get() {
            Some(unit) => Some(unit),
            None => self.look(unit, slot),
        }
    }

    #[cold]
    fn look(&self, unit: u32, slot: &UnitSlot) -> Option<&CachedUnit> {
        if self.mode == CacheMode::Off || slot.probed.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.open_unit(unit);
        self.slots[unit as usize].unit.get()
    }

    fn path(&self, unit: u32) -> PathBuf {
        self.folder.unit_path(self.units.kind(), unit)
    }

    /// Opens the unit's file, if there is a valid one.
    fn open_unit(&self, unit: u32) {
        let (Some(opened), slot) = (self.open_file(unit), &self.slots[unit as usize]) else { return };
        match CachedUnit::new(opened, self.budget) {
            // Another thread may have opened the same file meanwhile: either will do.
            Ok(opened) => {
                let _ = slot.unit.set(opened);
            }
            Err(error) => {
                slot.has_no_room.store(true, Ordering::Relaxed);
                self.cannot_be("held in memory", unit, &error);
            }
        }
    }

    /// The unit's file, if there is a valid one.
    fn open_file(&self, unit: u32) -> Option<Opened> {
        let identity = UnitIdentity::of(&self.table, unit);
        let path = self.path(unit);
        match probe(&path, &identity) {
            Ok(Probe::Valid(opened)) => return Some(opened),
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

    /// Reads no more of a unit than is there already, and removes its file.
    #[cold]
    fn condemn(&self, number: u32, unit: &CachedUnit, bad: &BadBlock) {
        if unit.condemn() {
            self.discard_damaged(number, bad);
        }
    }

    fn discard_damaged(&self, unit: u32, bad: &BadBlock) {
        let (path, block) = (self.path(unit), bad.block);
        tracing::warn!(path = %path.display(), block, %bad, "a cache file is damaged; answering from the store");
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
        self.open_unit(unit);
        Ok(())
    }

    #[cold]
    fn get_slowly(&self, row: u32, entry: u64) -> Result<u8> {
        // Refuses entries that do not exist, before anything is counted.
        let place = self.units.locate(row, entry).ok_or_else(|| self.table.layout().outside(row, entry))?;
        if let Some(unit) = self.unit(place.unit) {
            match unit.read_byte(place.byte) {
                Ok(Some(byte)) => return Ok(self.units.packing().pick(byte, place.slot)),
                Ok(None) => {}
                Err(bad) => self.condemn(place.unit, unit, &bad),
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
        let is_of_use = slot.unit.get().is_none() && !slot.has_no_room.load(Ordering::Relaxed);
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
        let opened = self.unit(unit)?;
        opened.read_range(bytes).unwrap_or_else(|bad| {
            self.condemn(unit, opened, &bad);
            None
        })
    }
}

impl Entries for CachedTable {
    #[inline]
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        if let Some(place) = self.units.locate(row, entry)
            && let Some(unit) = self.slots.get(place.unit as usize).and_then(|slot| slot.unit.get())
            && let Some(byte) = unit.byte(place.byte)
        {
            return Ok(self.units.packing().pick(byte, place.slot));
        }
        self.get_slowly(row, entry)
    }

    #[inline]
    fn prefetch(&self, row: u32, entry: u64) {
        if let Some(place) = self.units.locate(row, entry)
            && let Some(unit) = self.slots.get(place.unit as usize).and_then(|slot| slot.unit.get())
        {
            unit.prefetch(place.byte);
        }
    }

    fn depth(&self) -> Option<u8> {
        self.table.depth()
    }
}
