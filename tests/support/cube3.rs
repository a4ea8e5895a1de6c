//! Tables of the Rubik's cube in stores that many tests share.

use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use twistbase::Kernel;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::puzzle::cube3::notation::{facelets, wca};
use twistbase::puzzle::cube3::{Cube, Move};
use twistbase::store::{FlatTable, RamTable, Store, StoredTable};
use twistbase::tables::GenerateOptions;
use twistbase::tables::{self, BuildRequest, Definition};

use super::folder::{hold, link, shared_folder};
use twistbase_testing::stickers::Stickers;

/// A store that many tests read. Its folder goes when the program ends, unless runs share it.
pub struct SharedStore {
    folder: PathBuf,
    building: Mutex<()>,
}

impl SharedStore {
    fn new() -> Self {
        Self { folder: shared_folder("cube3"), building: Mutex::new(()) }
    }

    /// The store, where these tables are complete: built now, unless another test has.
    pub fn with(&self, definitions: &[&dyn Definition]) -> Store {
        let store = Store::open(&self.folder);
        // A build that failed says so to each test that needs it.
        let _building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = hold(&self.folder);
        let request = BuildRequest { depth: None, force: false, memory: 8 << 30, kernel: Kernel::detect() };
        for definition in definitions {
            tables::build(&store, *definition, &request, &Context::silent()).unwrap_or_else(|error| panic!("{error}"));
        }
        store
    }

    /// A table, read page by page.
    pub fn stored(&self, definition: &dyn Definition) -> StoredTable {
        self.with(&[definition]).table(definition.layout()).expect("a complete table")
    }

    /// A table, read through its cache: all of its rows are there.
    pub fn cached(&self, definition: &dyn Definition) -> CachedTable {
        let cached =
            CachedTable::open(&self.with(&[definition]), definition.layout(), CacheMode::OnDemand).expect("a cache");
        cached.warm(&Context::silent()).expect("room for the cache");
        assert!(cached.is_cached(0), "the whole table is there");
        cached
    }

    /// A table in memory, its rows read from the store.
    pub fn loaded(&self, definition: &dyn Definition) -> FlatTable<Vec<u8>> {
        let (layout, stored) = (*definition.layout(), self.stored(definition));
        let mut bytes = vec![0; layout.row_bytes() * layout.rows as usize];
        for (row, bytes) in (0..).zip(bytes.chunks_mut(layout.row_bytes())) {
            stored.read_row(row, bytes).expect("a sound row");
        }
        FlatTable::new(layout, bytes).expect("the layout's length")
    }
}

/// A table in memory, as the generator makes it: no store was involved.
pub fn generated(definition: &dyn Definition) -> RamTable<Vec<u8>> {
    let options = GenerateOptions { kernel: Kernel::detect(), memory: 8 << 30, scratch: Some(std::env::temp_dir()) };
    let mut rows = Vec::new();
    let mut found = definition.generate(tables::BuildDepth::WHOLE, &options, &Context::silent()).expect("memory");
    found
        .for_each_row(&mut |_, bytes, _| {
            rows.push(bytes.to_vec());
            Ok(())
        })
        .expect("rows");
    RamTable::new(*definition.layout(), rows).expect("rows of the layout")
}

/// A store of its own with some of these tables, which no test may change in place.
pub fn linked(names: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for name in names {
        let definition = tables::find(name).expect("a registered table");
        let layout = definition.layout();
        let [from, to] =
            [CUBE3.with(&[definition]), Store::open(dir.path())].map(|store| store.file_of(layout).expect("a folder"));
        link(&from, &to);
    }
    dir
}

/// Builds tables when a test asks for them. The quick suite needs `phase2` and `phase1`: four seconds. All tables of the cube
/// take two minutes, and 2.5 GB with their caches.
pub static CUBE3: LazyLock<SharedStore> = LazyLock::new(SharedStore::new);

/// Makes moves on the cube of stickers.
pub fn replayed(start: &Cube, moves: &[Move]) -> Stickers {
    let mut stickers = Stickers::of(&facelets::print(start));
    stickers.apply(&wca::print(moves));
    stickers
}

/// Asserts that moves solve a position, on the cube of stickers.
pub fn assert_solves(start: &Cube, moves: &[Move]) {
    assert_eq!(replayed(start, moves), Stickers::solved(), "{} {}", facelets::print(start), wca::print(moves));
}

/// A store of its own with `phase1` (that of [`CUBE3`](super::CUBE3)), for results about cosets.
pub fn coset_store() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["phase1.redb", "cache"] {
        let shared = super::CUBE3.join(name);
        if shared.exists() {
            std::os::unix::fs::symlink(&shared, dir.path().join(name)).expect("a link");
        }
    }
    dir
}
