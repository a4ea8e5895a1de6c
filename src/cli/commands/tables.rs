//! `twistbase tables`: what there is.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use twistbase::store::{Manifest, TableState, TableStatus};
use twistbase::tables::{Definition, REGISTRY};

use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, Align};
use crate::cli::memory;

const EXAMPLES: &str = "\
Examples:
  twistbase tables
  twistbase tables --json | jq -r 'select(.status == \"complete\") | .table'

Positions are those that the entries of a table stand for; memory is what a build
takes if it may; fits tells whether a build has room now: in memory, with a scratch
file in the store's folder (slower), or not at all for want of disk or memory. On disk
a table takes what its entries do at most, mostly less. The status is one of:
  missing        twistbase build TABLE makes it
  building       another process builds it
  unfinished     a build was interrupted; twistbase build TABLE continues it
  complete       ready; only twistbase verify looks at every page
  to depth K     ready for what is no farther; twistbase build TABLE goes on (in JSON: bounded)
  stale          made by another version of the program; twistbase build TABLE makes it anew
  damaged, foreign, busy    cannot be used, for the reason that is given";

/// List the tables: what they hold, their size, and what there is of them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// What is said about a table.
#[derive(Debug, Serialize)]
struct Line {
    table: &'static str,
    puzzle: &'static str,
    metric: &'static str,
    summary: &'static str,
    status: String,
    /// Why the table cannot be used, or who builds it.
    detail: Option<String>,
    rows: u32,
    row_noun: &'static str,
    /// Rows that an interrupted build stored.
    rows_done: Option<u32>,
    entries: u64,
    positions: u64,
    /// Bytes on disk, of the complete table and of an unfinished build.
    bytes: u64,
    building_bytes: u64,
    /// Bytes of memory that a build takes if it may, and the least it needs.
    build_memory: u64,
    build_memory_least: u64,
    /// Bytes of disk that a build needs at most.
    build_disk: u64,
    /// Whether there is room for a build now.
    fits: Fit,
    file: String,
    build: Option<Build>,
}

/// Whether there is room for a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Fit {
    /// In memory.
    Memory,
    /// With a scratch file, in less memory than a build likes to have.
    Scratch,
    /// Not here.
    No,
}

impl Fit {
    /// Judges a build, and the disk that it needs at most: the scratch file is as large as the memory that it stands for.
    fn judge(table: &dyn Definition, room: Room) -> (Self, u64) {
        let layout = table.layout();
        let stored = layout.row_bytes() as u64 * u64::from(layout.rows);
        let in_memory = table.working_set() <= room.memory;
        let needed = if in_memory { stored } else { stored.saturating_add(table.working_set()) };
        let fit = match needed <= room.disk && table.least_memory() <= room.memory {
            false => Self::No,
            true if in_memory => Self::Memory,
            true => Self::Scratch,
        };
        (fit, needed)
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Scratch => "scratch",
            Self::No => "no",
        }
    }
}

/// What a build may take.
#[derive(Debug, Clone, Copy)]
struct Room {
    memory: u64,
    /// Free in the store's file system.
    disk: u64,
}

impl Room {
    /// That of this machine. A folder that does not exist yet will be in the file system of the one above it.
    fn of(folder: &Path) -> Self {
        let found = folder.ancestors().find_map(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            rustix::fs::statvfs(folder).ok()
        });
        let disk = found.map_or(u64::MAX, |found| found.f_bavail.saturating_mul(found.f_frsize));
        Self { memory: memory::available(), disk }
    }
}

/// How a complete table came to be.
#[derive(Debug, Serialize)]
struct Build {
    uuid: String,
    generation: u64,
    /// The depth to which it was built; none if it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    digest: String,
    /// Seconds since 1970.
    created: u64,
    seconds: f64,
    creator: String,
    depends_on: BTreeMap<String, String>,
}

pub fn run(_: Args, env: &Environment) -> Result<(), Failure> {
    let store = env.store()?;
    let mut out = env.output();
    let mut lines = Vec::with_capacity(REGISTRY.len());
    let room = Room::of(store.dir());
    for table in REGISTRY {
        lines.push(describe(table, &store.status(table.layout())?, room));
    }
    if env.json() {
        lines.iter().try_for_each(|line| out.json(line))?;
    } else {
        out.line(format_args!("{}\n\nstore: {}", listing(&lines), store.dir().display()))?;
    }
    out.finish()
}

fn describe(table: &'static dyn Definition, status: &TableStatus, room: Room) -> Line {
    let layout = table.layout();
    let (fits, build_disk) = Fit::judge(table, room);
    let (name, detail, rows_done, manifest) = explain(status);
    Line {
        table: layout.name,
        puzzle: table.puzzle(),
        metric: table.metric(),
        summary: table.summary(),
        status: name,
        detail,
        rows: layout.rows,
        row_noun: table.row_noun(),
        rows_done,
        entries: layout.entries(),
        positions: table.positions(),
        bytes: status.bytes,
        building_bytes: status.building_bytes,
        build_memory: table.working_set(),
        build_memory_least: table.least_memory(),
        build_disk,
        fits,
        file: status.file.display().to_string(),
        build: manifest.map(Build::from),
    }
}

/// The status in a word, its detail, the rows stored so far, and the table's record.
fn explain(status: &TableStatus) -> (String, Option<String>, Option<u32>, Option<&Manifest>) {
    let builder = status.builder.as_ref().map(|holder| format!("built by {holder}"));
    match &status.state {
        TableState::Missing if builder.is_some() => ("building".to_owned(), builder, None, None),
        TableState::Missing => ("missing".to_owned(), None, None, None),
        TableState::Unfinished(_) if builder.is_some() => ("building".to_owned(), builder, None, None),
        TableState::Unfinished(rows) => ("unfinished".to_owned(), None, *rows, None),
        TableState::Complete(manifest) => ("complete".to_owned(), builder, None, Some(manifest)),
        TableState::Bounded(manifest) => ("bounded".to_owned(), builder, None, Some(manifest)),
        TableState::Stale { manifest, reason } => ("stale".to_owned(), Some(reason.clone()), None, Some(manifest)),
        TableState::Faulty(fault) => (fault.fault.to_string(), Some(fault.detail.clone()), None, None),
        TableState::Busy(holder) => ("busy".to_owned(), Some(format!("in use by {holder}")), None, None),
    }
}

impl From<&Manifest> for Build {
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

/// Tables below the names of their puzzles, each with a line that says what it is.
fn listing(lines: &[Line]) -> String {
    let cells = columns(lines).trim_fmt();
    let mut rows = cells.lines();
    let mut text = rows.next().unwrap_or_default().to_owned();
    let mut puzzle = "";
    for (line, row) in lines.iter().zip(rows) {
        if line.puzzle != puzzle {
            puzzle = line.puzzle;
            text += &format!("\n\n{puzzle}");
        }
        text += &format!("\n{row}\n      {} ({})", line.summary, line.metric);
    }
    text
}

/// What there is of each table.
fn columns(lines: &[Line]) -> comfy_table::Table {
    use Align::{Left, Right};
    let mut table = format::table(&[
        ("  table", Left),
        ("positions", Right),
        ("entries", Right),
        ("on disk", Right),
        ("memory", Right),
        ("fits", Left),
        ("status", Left),
    ]);
    for line in lines {
        let disk = if line.bytes + line.building_bytes == 0 {
            "-".to_owned()
        } else {
            format::bytes(line.bytes + line.building_bytes)
        };
        table.add_row([
            format!("  {}", line.table),
            format::grouped(line.positions),
            format::grouped(line.entries),
            disk,
            format::bytes(line.build_memory),
            line.fits.text().to_owned(),
            status_text(line),
        ]);
    }
    table
}

fn status_text(line: &Line) -> String {
    let depth = line.build.as_ref().and_then(|build| build.depth).filter(|_| line.status == "bounded");
    let mut text = depth.map_or_else(|| line.status.clone(), |depth| format!("to depth {depth}"));
    if let Some(rows) = line.rows_done {
        text += &format!(", {rows} of {} rows", line.rows);
    }
    if let Some(detail) = &line.detail {
        text += &format!(": {detail}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase::tables::find;

    #[test]
    fn what_fits_depends_on_memory_and_disk() {
        let table = find("nx-eo3-ep2-htm").unwrap();
        let (stored, working) = (9930 * 24 * 2048 * 128, table.working_set());
        let judge = |memory, disk| Fit::judge(table, Room { memory, disk });
        assert_eq!(judge(working, stored), (Fit::Memory, stored));
        assert_eq!(judge(working, stored - 1), (Fit::No, stored));
        assert_eq!(judge(working - 1, stored + working), (Fit::Scratch, stored + working));
        assert_eq!(judge(working - 1, stored + working - 1).0, Fit::No);
        assert_eq!(judge(table.least_memory(), u64::MAX).0, Fit::Scratch);
        assert_eq!(judge(table.least_memory() - 1, u64::MAX).0, Fit::No);
        assert!(Room::of(Path::new("/no/such/folder")).disk > 0);
    }
}
