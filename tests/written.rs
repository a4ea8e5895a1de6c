//! Files that earlier versions wrote, and this one: what was read once is read for good. `data/written/` has a folder for each version,
//! with what that version made of
//!
//! ```text
//! build square1-corners              square1-corners.redb
//! build square1-corners --depth 3    square1-corners-to-3.redb, of which export --raw made square1-corners-to-3.raw
//! coset merge data/shards            cosets.redb
//! solve cube3 - --method optimal --results results.jsonl     with phase1, of "R U F2" and "R U2 L D B"
//! ```
//!
//! as far as it could; all but the last are compressed. A version that changes a format adds a folder, and changes no file that is there.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use twistbase::store::Store;
use twistbase::tables::Definition;

use crate::faults::{SMALL, program, succeed};
use crate::support::program::Run;
use crate::support::{self, CORNERS, CUBE3, KEPT_SHARDS, golden_path};

/// The files of that name, by version.
fn written(name: &str) -> Vec<PathBuf> {
    let versions = fs::read_dir(golden_path("written")).expect("a folder");
    let files = versions.map(|version| version.expect("a version").path().join(name));
    let files: Vec<PathBuf> = files.filter(|file| file.exists()).collect();
    assert!(!files.is_empty(), "no version wrote {name}");
    files
}

/// A new folder with a file of that name, unpacked.
fn unpacked(packed: &Path, name: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let bytes = zstd::decode_all(fs::File::open(packed).expect("a file")).expect("zstd");
    fs::write(dir.path().join(name), bytes).expect("room");
    dir
}

/// All rows of the corners' table in a store.
fn rows(dir: &Path) -> Vec<Vec<u8>> {
    support::rows(&Store::open(dir).table_to_depth(CORNERS.definition.layout()).expect("a table"))
}

#[test]
fn tables_are_read() {
    for file in written("square1-corners.redb.zst") {
        let dir = unpacked(&file, "square1-corners.redb");
        let dir = dir.path();
        succeed(dir, &["verify", SMALL]);
        assert_eq!(succeed(dir, &["rebuild", SMALL, "--json"]).json()[0]["plan"], "intact", "{file:?}");
        assert!(rows(dir) == rows(CORNERS.path()), "{file:?}");
        let answer = &succeed(dir, &["query", SMALL, "(1,0)/(3,3)/(-1,0)/", "--json"]).json()[0];
        assert_eq!(answer["distance"], 3, "{answer}");
        // From the cache, too, which is of this version.
        succeed(dir, &["cache", "warm", SMALL]);
        assert_eq!(succeed(dir, &["query", SMALL, "(1,0)/(3,3)/(-1,0)/", "--json"]).json()[0], *answer);
    }
}

#[test]
fn tables_to_a_depth_are_read_and_continued() {
    let new = tempfile::tempdir().expect("a folder");
    succeed(new.path(), &["build", SMALL, "--depth", "3"]);
    for file in written("square1-corners-to-3.redb.zst") {
        let dir = unpacked(&file, "square1-corners.redb");
        let dir = dir.path();
        succeed(dir, &["verify", SMALL]);
        assert!(rows(dir) == rows(new.path()), "{file:?}");
        let built = &succeed(dir, &["build", SMALL, "--json"]).json()[0];
        assert_eq!(built["extended_from"], 3, "{built}");
        assert!(rows(dir) == rows(CORNERS.path()), "{file:?}");
    }
}

#[test]
fn raw_exports_are_imported() {
    for file in written("square1-corners-to-3.raw.zst") {
        let (raw, dir) = (unpacked(&file, "raw"), tempfile::tempdir().expect("a folder"));
        succeed(dir.path(), &["import", raw.path().join("raw").to_str().expect("text")]);
        let table = unpacked(&file.with_file_name("square1-corners-to-3.redb.zst"), "square1-corners.redb");
        assert!(rows(dir.path()) == rows(table.path()), "{file:?}");
    }
}

#[test]
fn results_about_cosets_are_read() {
    let merged = tempfile::tempdir().expect("a folder");
    succeed(merged.path(), &["coset", "merge", KEPT_SHARDS]);
    let exported = |dir: &Path| succeed(dir, &["coset", "export", "--format", "jsonl"]).json();
    for file in written("cosets.redb.zst") {
        let dir = unpacked(&file, "cosets.redb");
        succeed(dir.path(), &["verify", "cosets"]);
        let results = exported(dir.path());
        assert_eq!(results.len(), 4);
        assert_eq!(results, exported(merged.path()), "{file:?}");
    }
}

#[test]
fn result_files_are_gone_on_with() {
    for file in written("results.jsonl") {
        let before = fs::read_to_string(&file).expect("text");
        let dir = tempfile::tempdir().expect("a folder");
        let copy = dir.path().join("results.jsonl");
        fs::write(&copy, &before).expect("room");
        let mut command = program(&CUBE3, &["solve", "cube3", "-", "--method", "optimal", "--results"]);
        let output = command.arg(&copy).output_of("R U F2\nR U2 L D B\nD\n").expect("the program");
        let (said, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && !warned.contains("warning"), "{file:?}: {warned}");
        let lengths: Vec<&str> = said.lines().map(|line| line.split('\t').nth(1).expect("a length")).collect();
        assert_eq!(lengths, ["3", "5", "1"], "{said}");
        let after = fs::read_to_string(&copy).expect("text");
        // One position was solved, the others were known.
        assert!(after.starts_with(&before) && after.lines().count() == 3, "{file:?}: {after}");
    }
}

/// What is written today is kept, so that it is read tomorrow.
#[test]
fn this_version_has_a_folder() {
    let version = golden_path("written").join(env!("CARGO_PKG_VERSION"));
    assert!(version.is_dir(), "{version:?} is missing: the head of tests/written.rs says what is in it");
}
