//! The state of each table.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use serde::{Serialize, Serializer};

use super::{Database, TableId, available_memory};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Fault, Result};
use twistbase_core::units::{bytes, bytes_rounded_up};
use twistbase_store::{Manifest, TableState, TableStatus};
use twistbase_tables::{BuildRequest, memory_to_store};

/// A table, the cost of its build, and its state: `schema/json/table.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableInfo {
    /// The table.
    pub table: TableId,
    /// The puzzle that its positions belong to.
    pub puzzle: &'static str,
    /// The metric of its distances.
    pub metric: &'static str,
    /// The content in words.
    pub summary: &'static str,
    /// The state.
    pub status: TableCondition,
    /// Why the table is unusable, who builds it, or that an interrupted build of another edition remains.
    pub detail: Option<String>,
    /// Its number of rows.
    pub rows: u32,
    /// The word for a row.
    pub row_noun: &'static str,
    /// Stored rows of an interrupted build.
    pub rows_done: Option<u32>,
    /// Its number of entries.
    pub entries: u64,
    /// The number of positions that the entries represent.
    pub positions: u64,
    /// Bytes on disk, or in memory, of the complete table.
    pub bytes: u64,
    /// Bytes on disk, or in memory, of an unfinished build.
    pub building_bytes: u64,
    /// Bytes of memory that a build takes if available.
    pub build_memory: u64,
    /// Minimum bytes of memory for a build.
    pub build_memory_least: u64,
    /// Maximum bytes of disk for a build.
    pub build_disk: u64,
    /// Estimated seconds of a build, from the number of entries: within a factor of three on most machines.
    pub build_seconds: f64,
    /// Whether there is enough memory and disk for a build now.
    pub fits: BuildFit,
    /// The table's file, which need not exist; `None` in memory.
    #[serde(serialize_with = "path_if_any")]
    pub file: Option<PathBuf>,
    /// The origin of a complete, bounded or stale table.
    pub build: Option<BuildRecord>,
}

/// A path as text; invalid Unicode is replaced.
pub fn path_as_text<S: Serializer>(path: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

fn path_if_any<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.display().to_string()).serialize(serializer)
}

/// The state of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TableCondition {
    /// Nothing.
    Missing,
    /// Another process builds it.
    Building,
    /// A build of it was interrupted.
    Unfinished,
    /// Complete. Only [`Database::verify`] checks every page.
    Complete,
    /// Built to a depth.
    Bounded,
    /// A table of another version of the program.
    Stale,
    /// A damaged file.
    Damaged,
    /// A file of a newer version of the program, of another program, or of another user who denies access.
    Foreign,
    /// A table in use: another process writes to it.
    Busy,
}

impl From<Fault> for TableCondition {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Missing => Self::Missing,
            Fault::Unfinished => Self::Unfinished,
            Fault::Stale => Self::Stale,
            Fault::Bounded => Self::Bounded,
            Fault::Damaged => Self::Damaged,
            Fault::Foreign => Self::Foreign,
        }
    }
}

impl TableCondition {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Building => "building",
            Self::Unfinished => "unfinished",
            Self::Complete => "complete",
            Self::Bounded => "bounded",
            Self::Stale => "stale",
            Self::Damaged => "damaged",
            Self::Foreign => "foreign",
            Self::Busy => "busy",
        }
    }
}

/// Whether there is enough memory and disk for a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BuildFit {
    /// Yes, in memory.
    Memory,
    /// Yes, in less memory with a scratch file.
    Scratch,
    /// No.
    No,
}

impl BuildFit {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Scratch => "scratch",
            Self::No => "no",
        }
    }

    /// Checks the room for a build; also gives its maximum disk. A scratch file is as large as the memory that it replaces.
    fn judge(table: TableId, resources: BuildResources) -> (Self, u64) {
        let definition = table.definition();
        let [wanted, least] = resources.memory_for(table);
        let in_memory = wanted <= resources.memory;
        let stored = definition.layout().most_stored_bytes();
        let needed = match resources.disk {
            None => 0,
            Some(_) if in_memory => stored,
            Some(_) => stored.saturating_add(definition.working_set()),
        };
        let fit = match resources.disk.is_none_or(|disk| needed <= disk) && least <= resources.memory {
            false => Self::No,
            true if in_memory => Self::Memory,
            true => Self::Scratch,
        };
        (fit, needed)
    }
}

/// Entries that a thread generates and stores in a second: `BENCHMARKS.md` has 60 to 330 million, of large tables 150.
const ENTRIES_PER_SECOND: f64 = 150e6;
/// Threads beyond this number add little: the memory has no more to give.
const USEFUL_THREADS: usize = 16;
/// Slow-down of a build with a scratch file.
const SCRATCH: f64 = 4.0;

/// Estimated seconds of a build.
pub(crate) fn estimated_seconds(table: TableId, fit: BuildFit) -> f64 {
    let threads = rayon::current_num_threads().clamp(1, USEFUL_THREADS) as f64;
    let in_memory = table.definition().layout().entries() as f64 / (threads * ENTRIES_PER_SECOND);
    if fit == BuildFit::Memory { in_memory } else { in_memory * SCRATCH }
}

/// The available memory and disk.
#[derive(Debug, Clone, Copy)]
struct BuildResources {
    memory: u64,
    /// Free in the store's file system; `None` if it stores in memory.
    disk: Option<u64>,
}

impl BuildResources {
    /// The resources of this machine. A missing folder counts as on the file system of its parent.
    fn of(folder: Option<&Path>) -> Self {
        let free = |folder: &Path| {
            let found = with_parents(folder).find_map(|folder| rustix::fs::statvfs(folder).ok());
            found.map_or(u64::MAX, |found| found.f_bavail.saturating_mul(found.f_frsize))
        };
        Self { memory: available_memory(), disk: folder.map(free) }
    }

    /// Bytes of memory that a build takes if available, and at least.
    fn memory_for(&self, table: TableId) -> [u64; 2] {
        let definition = table.definition();
        match self.disk {
            Some(_) => [definition.working_set(), definition.least_memory()],
            None => [memory_to_store(definition); 2],
        }
    }
}

/// A folder, and those above it.
fn with_parents(folder: &Path) -> impl Iterator<Item = &Path> {
    folder.ancestors().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// The origin of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BuildRecord {
    /// Identifies this edition of the table.
    pub uuid: String,
    /// Counts the editions in this store.
    pub generation: u64,
    /// The depth of the build; `None` if it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The digest over all rows.
    pub digest: String,
    /// Seconds since 1970.
    pub created: u64,
    /// Seconds that the build took.
    pub seconds: f64,
    /// The program that built it.
    pub creator: String,
    /// The digests of the tables that it was built from.
    pub depends_on: BTreeMap<String, String>,
}

impl From<&Manifest> for BuildRecord {
    fn from(manifest: &Manifest) -> Self {
        Self {
            uuid: manifest.uuid.to_string(),
            generation: manifest.generation,
            depth: manifest.depth,
            digest: manifest.digest.clone(),
            created: manifest.created,
            seconds: manifest.seconds,
            creator: manifest.creator.clone(),
            depends_on: manifest.depends_on.clone(),
        }
    }
}

impl Database {
    /// The states of all tables, in the order of listings. Reads records only.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::Database;
    /// use twistbase::database::TableCondition;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path();
    /// let tables = Database::open(folder)?.tables()?;
    /// let corners = tables.iter().find(|info| info.table.name() == "square1-corners").unwrap();
    /// assert_eq!((corners.positions, corners.status), (2_702_700, TableCondition::Missing));
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`](twistbase_core::Error::Io) if a file of the folder cannot be read.
    pub fn tables(&self) -> Result<Vec<TableInfo>> {
        let resources = BuildResources::of(self.folder());
        TableId::all().map(|table| self.describe(table, resources)).collect()
    }

    /// The state of a table.
    ///
    /// # Errors
    /// As [`Database::tables`].
    pub fn table(&self, table: TableId) -> Result<TableInfo> {
        self.describe(table, BuildResources::of(self.folder()))
    }

    /// The last of some tables that can be built, and then searched with, in the memory of this machine; `None` if none can.
    pub(crate) fn last_that_fits(&self, tables: &[TableId]) -> Option<TableId> {
        let resources = BuildResources::of(self.folder());
        let is_fitting = |table: &&TableId| {
            let layout = table.definition().layout();
            // A search copies the table, in addition to the file's cached pages.
            let bytes = layout.bytes();
            BuildFit::judge(**table, resources).0 == BuildFit::Memory && bytes <= resources.memory / 2
        };
        tables.iter().rev().find(is_fitting).copied()
    }

    /// Whether the folder is writable, or else its nearest existing parent. Memory always is.
    pub(crate) fn is_writable(&self) -> bool {
        let nearest = self.folder().and_then(|folder| with_parents(folder).find(|folder| folder.exists()));
        nearest.is_none_or(|folder| rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok())
    }

    /// Rejects the build of a table if there is too little free memory or disk now.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Io`] with [`StorageFull`](io::ErrorKind::StorageFull); those of inspecting the table.
    pub fn check_room(&self, table: TableId) -> Result<()> {
        let resources = BuildResources::of(self.folder());
        let ([_, needed], free) = (resources.memory_for(table), resources.memory);
        if needed > free {
            let (needed, free) = (bytes_rounded_up(needed), bytes(free));
            return Err(Error::Memory(format!("building {table} needs at least {needed} of memory; {free} are free")));
        }
        self.check_disk(table, self.store().status(table.definition().layout())?.building_bytes)
    }

    /// Rejects the build of a table that may not fit on the disk, before any computation. An unfinished build already has `begun` bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn check_disk(&self, table: TableId, begun: u64) -> Result<()> {
        match (self.folder(), self.lack_of_disk(table, begun)) {
            (Some(folder), Some(reason)) => {
                Err(Error::io("write to", folder, io::Error::new(io::ErrorKind::StorageFull, reason)))
            }
            _ => Ok(()),
        }
    }

    /// In what the disk may be too small for the build of a table that has `begun` bytes.
    fn lack_of_disk(&self, table: TableId, begun: u64) -> Option<String> {
        let resources = BuildResources::of(self.folder());
        let needed = BuildFit::judge(table, resources).1.saturating_sub(begun);
        let free = resources.disk.filter(|&free| needed > free)?;
        Some(format!("{table} needs up to {} of disk; {} are free", bytes_rounded_up(needed), bytes(free)))
    }

    /// Notes before a build that the disk may be too small. Tables are compressed: how far is only known when they are stored.
    pub(crate) fn note_small_disk(&self, table: TableId, request: &BuildRequest, ctx: &Context) -> Result<()> {
        let stored = self.store().status(table.definition().layout())?;
        let is_there = match TableFindings::of(&stored).status {
            TableCondition::Complete => true,
            TableCondition::Bounded => request.depth.is_some(),
            _ => false,
        };
        let lack = if is_there && !request.force { None } else { self.lack_of_disk(table, stored.building_bytes) };
        if let Some(lack) = lack {
            ctx.progress().note(&format!("{lack}; a build that fills the disk stops, and resumes when there is room"));
        }
        Ok(())
    }

    fn describe(&self, table: TableId, resources: BuildResources) -> Result<TableInfo> {
        let definition = table.definition();
        let layout = definition.layout();
        let stored = self.store().status(layout)?;
        let (fits, build_disk) = BuildFit::judge(table, resources);
        let [build_memory, build_memory_least] = resources.memory_for(table);
        let TableFindings { status, detail, rows_done, build } = TableFindings::of(&stored);
        Ok(TableInfo {
            table,
            puzzle: definition.puzzle(),
            metric: definition.metric().name(),
            summary: definition.summary(),
            status,
            detail,
            rows: layout.rows,
            row_noun: definition.row_noun(),
            rows_done,
            entries: layout.entries(),
            positions: definition.positions(),
            bytes: stored.bytes,
            building_bytes: stored.building_bytes,
            build_memory,
            build_memory_least,
            build_disk,
            build_seconds: estimated_seconds(table, fits),
            fits,
            file: stored.file,
            build,
        })
    }
}

/// The state of a table by its files.
struct TableFindings {
    status: TableCondition,
    detail: Option<String>,
    rows_done: Option<u32>,
    build: Option<BuildRecord>,
}

impl TableFindings {
    fn of(stored: &TableStatus) -> Self {
        use TableCondition as Condition;
        let builder = stored.builder.as_ref().map(|holder| format!("built by {holder}"));
        let is_built = builder.is_some();
        // A rebuild of this table resumes the unfinished build; other builds ignore it.
        let left = || (stored.building_bytes > 0).then(|| "beside an unfinished build".to_owned());
        let (status, detail, rows_done, manifest) = match &stored.state {
            TableState::Missing | TableState::Unfinished(_) if is_built => (Condition::Building, builder, None, None),
            TableState::Missing => (Condition::Missing, None, None, None),
            TableState::Unfinished(rows) => (Condition::Unfinished, None, *rows, None),
            TableState::Complete(manifest) => (Condition::Complete, builder.or_else(left), None, Some(manifest)),
            TableState::Bounded(manifest) => (Condition::Bounded, builder.or_else(left), None, Some(manifest)),
            TableState::Stale { manifest, reason } => (Condition::Stale, Some(reason.clone()), None, Some(manifest)),
            TableState::Faulty(fault) => (fault.fault.into(), Some(fault.detail.clone()), None, None),
            TableState::Busy(holder) => (Condition::Busy, Some(format!("in use by {holder}")), None, None),
        };
        Self { status, detail, rows_done, build: manifest.map(|manifest| BuildRecord::from(&**manifest)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_depends_on_memory_and_disk() {
        let table: TableId = "nx-eo3-ep2-htm".parse().unwrap();
        // 1536 pages of 4 KiB a row: 63 in each leaf of 256 KiB, and 15, 7 and 2 in smaller ones.
        let stored = 9930 * (24 * 256 + 64 + 32 + 16) * 1024;
        let working = table.definition().working_set();
        let judge = |memory, disk| BuildFit::judge(table, BuildResources { memory, disk: Some(disk) });
        assert_eq!(judge(working, stored), (BuildFit::Memory, stored));
        assert_eq!(judge(working, stored - 1), (BuildFit::No, stored));
        assert_eq!(judge(working - 1, stored + working), (BuildFit::Scratch, stored + working));
        assert_eq!(judge(working - 1, stored + working - 1).0, BuildFit::No);
        let least = table.definition().least_memory();
        assert_eq!(judge(least, u64::MAX).0, BuildFit::Scratch);
        assert_eq!(judge(least - 1, u64::MAX).0, BuildFit::No);
        assert!(BuildResources::of(Some(Path::new("/no/such/folder"))).disk > Some(0));
        // What is stored in memory takes no disk, and has no scratch file.
        let judge = |memory| BuildFit::judge(table, BuildResources { memory, disk: None });
        assert_eq!(judge(working + stored), (BuildFit::Memory, 0));
        assert_eq!(judge(working + stored - 1), (BuildFit::No, 0));
    }

    #[test]
    fn names_are_those_of_json() {
        for condition in [TableCondition::Missing, TableCondition::Bounded, TableCondition::Busy] {
            assert_eq!(serde_json::to_value(condition).unwrap(), condition.name());
        }
        for fit in [BuildFit::Memory, BuildFit::Scratch, BuildFit::No] {
            assert_eq!(serde_json::to_value(fit).unwrap(), fit.name());
        }
    }
}
