//! Opening the solvers' tables.

use super::coset::{CosetOptions, CosetSolver};
use super::coset_moves::CosetMoves;
use super::optimal::{Optimal, is_packed_anew, must_be_heuristic};
use super::two_phase::TwoPhase;
use twistbase_cache::{CacheMode, CachedTable, MappedTable};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::Zeroed;
use twistbase_puzzle::cube3::Metric;
use twistbase_query::cube3::PhaseTwo;
use twistbase_store::{Store, TableLayout};
use twistbase_tables::{self as tables, Definition, Kind, PhaseOneTable, PhaseTwoTable};

/// The bytes of a whole table.
#[derive(Debug)]
pub enum TableBytes {
    /// In memory, on huge pages where the system grants them.
    Resident(Resident),
    /// In the map of its cache file.
    Mapped(MappedTable),
}

/// Where an optimal solver has its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TablePlace {
    /// In memory, if it has at most this number of bytes, else in the map of its cache file.
    Memory(u64),
    /// In the map of its cache file: nothing is copied, a start waits for nothing but the check of its bytes, and processes share
    /// them.
    ///
    /// Nothing of twistbase writes to that file. If another program makes it shorter while it is mapped, or the disk cannot
    /// read it, the system ends the process by the signal SIGBUS. If another program writes to it, searches end with
    /// [`Error::Data`].
    Mapped,
}

/// Bytes in memory, on huge pages where the system grants them.
#[derive(Debug)]
pub struct Resident(Zeroed<u8>);

/// The bytes of a table, as a search reads them.
#[doc(hidden)]
pub trait SearchBytes: AsRef<[u8]> + Sync {
    /// To be asked before anything that follows from the bytes is given out.
    ///
    /// # Errors
    /// [`Error::Data`] (damaged) if they may have changed since they were opened.
    fn check_unchanged(&self) -> Result<()> {
        Ok(())
    }
}

impl SearchBytes for Vec<u8> {}

impl SearchBytes for &[u8] {}

impl SearchBytes for TableBytes {
    fn check_unchanged(&self) -> Result<()> {
        match self {
            Self::Resident(_) => Ok(()),
            Self::Mapped(table) => table.check_unchanged(),
        }
    }
}

impl AsRef<[u8]> for TableBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Resident(Resident(bytes)) => bytes,
            Self::Mapped(table) => table.as_ref(),
        }
    }
}

impl TableBytes {
    /// The bytes of a table that is stored in one cache file, in memory: [`CacheMode::OnDemand`] fills the cache if need be, the
    /// other modes read the store where the cache has nothing.
    ///
    /// A search that looks up all over a large table takes a fifth to a quarter less time than in a map of the file: here it lies on
    /// huge pages, so that the processor's address translation misses less often.
    ///
    /// # Errors
    /// As [`Store::table`]; [`Error::Data`] when a row is damaged; [`Error::Memory`] when there is too little of it;
    /// [`Error::Interrupted`].
    pub fn open(store: &Store, layout: &TableLayout, mode: CacheMode, ctx: &Context) -> Result<Self> {
        let table = CachedTable::open(store, layout, mode)?;
        let mut bytes = memory_for(layout)?;
        let read = |bytes: &mut [u8]| table.read_table(bytes, ctx).map(|is_read| is_read.then_some(()));
        if from_cache(&table, ctx, || read(&mut bytes))?.is_none() {
            for (row, bytes) in (0..).zip(bytes.chunks_mut(layout.row_bytes())) {
                ctx.check()?;
                table.table().read_row(row, bytes)?;
            }
        }
        Ok(Self::Resident(Resident(bytes)))
    }

    /// The same in the map of the cache file; `None` where the cache is off or cannot be written, or the system refuses the map.
    ///
    /// # Errors
    /// As [`TableBytes::open`], but not [`Error::Memory`].
    fn map(store: &Store, layout: &TableLayout, mode: CacheMode, ctx: &Context) -> Result<Option<Self>> {
        let table = CachedTable::open(store, layout, mode)?;
        Ok(from_cache(&table, ctx, || table.map_table(ctx))?.map(Self::Mapped))
    }
}

/// Memory for a whole table.
fn memory_for(layout: &TableLayout) -> Result<Zeroed<u8>> {
    Zeroed::new(layout.row_bytes() * layout.rows as usize)
}

/// What `take` takes of a table's cache, which is filled if need be and the mode allows it.
fn from_cache<T>(table: &CachedTable, ctx: &Context, mut take: impl FnMut() -> Result<Option<T>>) -> Result<Option<T>> {
    match take()? {
        None if table.mode() == CacheMode::OnDemand && fill(table, ctx)? => take(),
        taken => Ok(taken),
    }
}

/// Fills the cache of a table. `false` when it cannot be written, which is no reason to fail.
fn fill(table: &CachedTable, ctx: &Context) -> Result<bool> {
    match table.warm(ctx) {
        Err(Error::Io { path, source, .. }) => {
            tracing::warn!(path = %path.display(), %source, "the cache cannot be written");
            Ok(false)
        }
        warmed => warmed.map(|_| true),
    }
}

impl TwoPhase<TableBytes, CachedTable> {
    /// The solver in a metric over the tables of a store: `phase1` and `phase2`, or the twin modulo 3 of one that is not complete, and
    /// `phase2-exact` if it has been built; or those in quarter turns, `phase1-qtm` and so on.
    ///
    /// # Errors
    /// As [`TableBytes::open`]: about `phase1` or `phase2` where its twin is not complete, either. A `phase2-exact` that is
    /// missing, or not complete, is passed over. A table that is damaged is not.
    pub fn open(store: &Store, metric: Metric, mode: CacheMode, ctx: &Context) -> Result<Self> {
        let phase1 = || {
            let open = |table: &PhaseOneTable| TableBytes::open(store, table.layout(), mode, ctx);
            first_complete(tables::phase_one_tables(metric), open)
        };
        let phase2 = || {
            let open = |table: &PhaseTwoTable| TableBytes::open(store, table.layout(), mode, ctx);
            first_complete(tables::bounds_in_h(metric), open)
        };
        let ((phase1, phase2), _) = rayon::join(|| rayon::join(phase1, phase2), CosetMoves::get);
        Self::new(phase1?, phase2?, exact(store, metric, mode, ctx)?)
    }
}

/// Of tables that tell the same, the first that is complete, opened.
///
/// # Errors
/// Those of `open`: about the first table where none is complete. One that is damaged or stale is not passed over.
pub fn first_complete<T, O>(
    tables: impl Iterator<Item = &'static T>,
    open: impl Fn(&'static T) -> Result<O>,
) -> Result<(&'static T, O)> {
    let mut first = None;
    for table in tables {
        match open(table) {
            Err(error) if error.is_incomplete() => first = first.or(Some(error)),
            opened => return Ok((table, opened?)),
        }
    }
    Err(first.unwrap_or_else(|| Error::Usage("no table answers this".to_owned())))
}

impl CosetSolver<TableBytes> {
    /// The solver over the table `phase1` of a store.
    ///
    /// # Errors
    /// As [`TableBytes::open`] and [`CosetSolver::new`].
    pub fn open(store: &Store, options: CosetOptions, mode: CacheMode, ctx: &Context) -> Result<Self> {
        let layout = tables::phase_one(Metric::Htm).layout();
        Self::new(TableBytes::open(store, layout, mode, ctx)?, options)
    }
}

impl Optimal<TableBytes> {
    /// The solver over a table of a store. (Of `phase1` the solver makes a table in memory in any case.)
    ///
    /// # Errors
    /// As [`TableBytes::open`] and [`Optimal::new`]; [`Error::Usage`] where a table is to be mapped that cannot be.
    pub fn open(store: &Store, table: Kind, place: TablePlace, mode: CacheMode, ctx: &Context) -> Result<Self> {
        must_be_heuristic(table)?;
        let layout = table.definition().layout();
        let cannot_be_mapped = |why| Err(Error::Usage(format!("cannot map table {}: {why}", layout.name)));
        let bytes = match place {
            TablePlace::Mapped if is_packed_anew(table) => {
                return cannot_be_mapped("the solver needs it repacked in memory");
            }
            TablePlace::Mapped => match TableBytes::map(store, layout, mode, ctx)? {
                Some(mapped) => mapped,
                None => {
                    return cannot_be_mapped("it has no hot cache; the cache is off, or its folder cannot be written");
                }
            },
            // Memory that cannot be had is no reason to fail: a map takes none.
            TablePlace::Memory(most) if layout.bytes() > most || memory_for(layout).is_err() => {
                match TableBytes::map(store, layout, mode, ctx)? {
                    Some(mapped) => mapped,
                    None => TableBytes::open(store, layout, mode, ctx)?,
                }
            }
            TablePlace::Memory(_) => TableBytes::open(store, layout, mode, ctx)?,
        };
        Self::new(table, bytes)
    }
}

/// The exact table, if there is one.
fn exact(store: &Store, metric: Metric, mode: CacheMode, ctx: &Context) -> Result<Option<PhaseTwo<CachedTable>>> {
    let definition = tables::phase_two(metric, true);
    let table = match CachedTable::open(store, definition.layout(), mode) {
        Err(error) if error.is_incomplete() => return Ok(None),
        other => other?,
    };
    if table.mode() == CacheMode::OnDemand && !table.is_cached(0) {
        fill(&table, ctx)?;
    }
    Ok(Some(PhaseTwo::over(definition, table)))
}
