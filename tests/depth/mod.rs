//! Tables that are built to a depth: continued, asked, taken away, damaged.

mod answers;
mod chains;
mod cube3;
mod data;

use std::path::Path;
use std::sync::LazyLock;

use tempfile::TempDir;
use twistbase::Kernel;
use twistbase::context::Context;
use twistbase::store::{Manifest, Store, StoredTable};
use twistbase::tables::{self, BuildRequest, Built, Definition};

use crate::faults::{SMALL, run, succeed};

/// Distances of [`SMALL`]: 0 to 8.
const FARTHEST: u8 = 8;

fn small() -> &'static dyn Definition {
    tables::find(SMALL).expect("a table")
}

fn request(depth: Option<u8>, memory: u64) -> BuildRequest {
    BuildRequest { depth, force: false, memory, kernel: Kernel::detect() }
}

/// Builds a table to a depth; returns its record and the depth that it was continued from.
fn build(store: &Store, table: &dyn Definition, depth: Option<u8>, memory: u64) -> (Manifest, Option<u8>) {
    match tables::build(store, table, &request(depth, memory), &Context::silent()).expect("the build") {
        Built::Now { manifest, from, .. } => (manifest, from),
        Built::Already(manifest) => panic!("there already, to depth {:?}", manifest.depth),
    }
}

/// [`SMALL`], built at once to each depth, and whole.
static BUILT: LazyLock<Vec<(Option<u8>, TempDir)>> = LazyLock::new(|| {
    let depths = (0..FARTHEST).map(Some).chain([None]);
    let built = depths.map(|depth| {
        let dir = tempfile::tempdir().expect("a folder");
        build(&Store::open(dir.path()), small(), depth, 1 << 30);
        (depth, dir)
    });
    built.collect()
});

/// A copy of [`SMALL`], built at once to a depth.
fn copy_to(depth: Option<u8>) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let (_, built) = BUILT.iter().find(|(built, _)| *built == depth).expect("a depth");
    let file = format!("{SMALL}.redb");
    std::fs::copy(built.path().join(&file), dir.path().join(&file)).expect("a copy");
    dir
}

fn open(dir: &Path, table: &dyn Definition) -> StoredTable {
    Store::open(dir).table_to_depth(table.layout()).expect("a table")
}

/// Asserts that two tables hold the same: rows, levels, where the segments begin, digests.
fn assert_same(one: &StoredTable, other: &StoredTable, what: &str) {
    assert_eq!(one.manifest().digest, other.manifest().digest, "{what}");
    assert_eq!(one.manifest().depth, other.manifest().depth, "{what}");
    assert_eq!(one.manifest().distribution, other.manifest().distribution, "{what}");
    assert_eq!(one.manifest().bytes, other.manifest().bytes, "{what}");
    let [mut mine, mut theirs] = [(); 2].map(|()| vec![0; one.layout().row_bytes()]);
    for row in 0..one.layout().rows {
        let [a, b] = [one, other].map(|table| {
            let mut record = table.row_record(row).expect("a row").clone();
            // The builds are counted.
            record.generation = 1;
            record
        });
        assert_eq!(a, b, "{what}");
        one.read_row(row, &mut mine).expect("a row");
        other.read_row(row, &mut theirs).expect("a row");
        assert!(mine == theirs, "{what}: row {row}");
    }
}
