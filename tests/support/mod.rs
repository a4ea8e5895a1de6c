//! Tables and golden answers that several tests use.

pub mod cancelling;
pub mod cube3;
pub mod folder;
pub mod program;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use folder::{hold, lasting_folder, link, shared_folder};
use tempfile::TempDir;
use twistbase::Kernel;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::puzzle::square1::{Colouring, Middle, Position};
use twistbase::query::{MiddleGoal, Square1Table};
use twistbase::store::{BuildInfo, BuildStart, Entries, RamTable, RowLevels, Store, StoredTable};
use twistbase::tables::{self, BuildRequest, Definition, TwistTable};

/// The number of repetitions: `some`, or `all` in the second tier of checks.
pub fn count(some: usize, all: usize) -> usize {
    if twistbase_testing::fuzz::is_full() { all } else { some }
}

/// One golden answer in ten, or all of them in the second tier of checks. The library answers all in both tiers.
pub fn golden_step() -> usize {
    count(10, 1)
}

/// A table in a folder.
pub struct Fixture {
    folder: PathBuf,
    pub definition: &'static TwistTable,
}

impl Fixture {
    pub fn build(name: &str) -> Self {
        Self::to_depth(name, None)
    }

    /// A complete table that no test changes, in a folder that runs may share.
    fn shared(name: &str) -> Self {
        let folder = shared_folder(name);
        let _held = hold(&folder);
        Self::in_folder(folder, name, None)
    }

    /// A table of the positions up to a depth.
    fn to_depth(name: &str, depth: Option<u8>) -> Self {
        Self::in_folder(lasting_folder(), name, depth)
    }

    /// The same table in a folder of its own. No test may change the file in place.
    pub fn linked(&self) -> Self {
        let linked = Self { folder: lasting_folder(), definition: self.definition };
        let [from, to] = [self, &linked].map(Fixture::file);
        link(&from, &to);
        linked
    }

    /// A copy of the table, which a test may damage.
    pub fn copied(&self) -> Self {
        let copied = Self { folder: lasting_folder(), definition: self.definition };
        let [from, to] = [self, &copied].map(Fixture::file);
        std::fs::copy(from, to).expect("room");
        copied
    }

    fn in_folder(folder: PathBuf, name: &str, depth: Option<u8>) -> Self {
        let definition = tables::find_twists(name).expect("a registered table");
        let request = BuildRequest { depth, force: false, memory: 8 << 30, kernel: Kernel::detect() };
        tables::build(&Store::open(&folder), definition, &request, &Context::silent()).expect("the build");
        Self { folder, definition }
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }

    pub fn store(&self) -> Store {
        Store::open(self.path())
    }

    fn file(&self) -> PathBuf {
        self.store().file_of(self.definition.layout()).expect("a folder")
    }

    /// The table, read page by page.
    pub fn stored(&self) -> Square1Table<StoredTable> {
        Square1Table::stored(&self.store(), self.definition).expect("a table")
    }

    /// The table, all of it in memory.
    pub fn loaded(&self) -> Square1Table<RamTable<Vec<u8>>> {
        let layout = self.definition.layout();
        let stored = self.store().table(layout).expect("a complete table");
        let rows = (0..layout.rows).map(|row| {
            let mut nibbles = vec![0; layout.row_bytes()];
            stored.read_row(row, &mut nibbles).expect("a sound row");
            nibbles
        });
        Square1Table::in_memory(self.definition, rows.collect()).expect("rows of the layout")
    }

    /// The table, read through its cache, which is warmed: all of its rows are there.
    pub fn cached(&self) -> Square1Table<CachedTable> {
        let layout = self.definition.layout();
        let cached = CachedTable::open(&self.store(), layout, CacheMode::OnDemand).expect("a cache");
        cached.warm(&Context::silent()).expect("room for the cache");
        assert!((0..layout.rows).all(|row| cached.is_cached(row)), "every row is there");
        Square1Table::over(self.definition, cached)
    }
}

/// Cube21, complete.
pub static CUBE21: LazyLock<Fixture> = LazyLock::new(|| Fixture::shared("cube21"));
/// Square-1, complete: for the long suite.
pub static WHOLE_SQUARE1: LazyLock<Fixture> = LazyLock::new(|| Fixture::shared("square1"));
/// Square-1 near solved: what is four twists away and nearer.
pub static NEAR_SQUARE1: LazyLock<Fixture> = LazyLock::new(|| Fixture::to_depth("square1", Some(4)));
/// The corners of Square-1, complete.
pub static CORNERS: LazyLock<Fixture> = LazyLock::new(|| Fixture::build("square1-corners"));

/// A store of its own with the tables of the Rubik's cube that are built at once: those of the two phases.
pub static CUBE3: LazyLock<PathBuf> = LazyLock::new(|| copied(&["phase1", "phase1-qtm", "phase2", "phase2-qtm"]));

/// The same with nothing but tables that hold distances modulo 3: those of the two phases.
pub static MODULO_3: LazyLock<PathBuf> = LazyLock::new(|| copied(&["phase1-kociemba", "phase2-kociemba"]));

fn copied(tables: &[&str]) -> PathBuf {
    let folder = lasting_folder();
    for name in tables {
        let definition = tables::find(name).expect("a registered table");
        let [from, to] = [cube3::CUBE3.with(&[definition]), Store::open(&folder)]
            .map(|store| store.file_of(definition.layout()).expect("a folder"));
        std::fs::copy(from, to).expect("room");
    }
    folder
}

/// A file of golden answers.
pub fn golden(name: &str) -> csv::Reader<std::fs::File> {
    csv::Reader::from_path(golden_path(name)).expect("a golden file")
}

/// Where a golden file is.
pub fn golden_path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "data", name].iter().collect()
}

/// Files of results about cosets, as earlier versions wrote them.
pub const KEPT_SHARDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/shards");

/// Every row of a table.
pub fn rows(table: &StoredTable) -> Vec<Vec<u8>> {
    let row = |row| {
        let mut nibbles = vec![0; table.layout().row_bytes()];
        table.read_row(row, &mut nibbles).map(|()| nibbles).expect("a sound row")
    };
    (0..table.layout().rows).map(row).collect()
}

/// A copy of a table with right checksums, in which some rows are others, each with its counts.
pub fn with_rows(table: &StoredTable, others: &BTreeMap<u32, (Vec<u8>, RowLevels)>) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let started = Store::open(dir.path()).build(table.layout(), table.depth(), false, &Context::silent());
    let BuildStart::Building(mut builder) = started.expect("a build") else { panic!("there was nothing") };
    for row in 0..table.layout().rows {
        match others.get(&row) {
            Some((bytes, levels)) => {
                builder.put_row(builder.encoder().encode(row, bytes, levels).expect("a row")).expect("room");
            }
            None => builder.take_row(table, row).expect("room"),
        }
    }
    builder.finish(BuildInfo::default()).expect("a table");
    dir
}

/// Distances with the middle layer ignored, and with it ending square from a square and from a kite.
pub fn distances<E: Entries>(table: &Square1Table<E>, position: &Position) -> [u8; 3] {
    let distance = |goal, middle| table.distance(&position.with_middle(middle), goal).expect("an answer").twists();
    [
        distance(MiddleGoal::Ignored, Middle::Square),
        distance(MiddleGoal::Square, Middle::Square),
        distance(MiddleGoal::Square, Middle::Kite),
    ]
}

/// A position as it lies, pieces that look alike being the same.
pub type Lying = (Vec<u8>, Middle);

pub fn lying(position: &Position, colouring: Colouring) -> Lying {
    let slots = position.top().iter().chain(position.bottom());
    (slots.map(|&piece| colouring.kind(piece).index()).collect(), position.middle())
}
