//! Whole tables, out and in again.

use std::fs;
use std::path::Path;

use twistbase::context::Context;
use twistbase::store::{BuildStart, Store};

use super::{Bench, Numbers, SMALL, copy_of, digest, run, succeed};
use crate::faults::{Ended, restorable_copy};
use crate::support::CUBE3;

/// Writes bytes where an import finds them, and imports them into an empty store.
fn import(bench: &Bench, bytes: &[u8]) -> (Ended, tempfile::TempDir) {
    let path = bench.file("changed.twraw");
    fs::write(&path, bytes).unwrap();
    let store = tempfile::tempdir().unwrap();
    (run(store.path(), &["import", path.to_str().unwrap()]), store)
}

fn raw(bench: &Bench) -> Vec<u8> {
    bench.export("x.twraw", &["--raw"])
}

#[test]
fn an_imported_table_equals_the_one_that_was_built() {
    let bench = Bench::new();
    let bytes = raw(&bench);
    let (ended, store) = import(&bench, &bytes);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(digest(store.path(), SMALL), digest(bench.store(), SMALL));
    succeed(store.path(), &["verify", SMALL]);
    // Out of the other store comes the same file.
    let again = bench.file("again.twraw");
    succeed(store.path(), &["export", SMALL, "--raw", "-o", again.to_str().unwrap()]);
    assert!(fs::read(again).unwrap() == bytes);
    // What is there is left alone.
    let path = bench.file("x.twraw");
    let path = path.to_str().unwrap();
    let outcome = |args: &[&str]| succeed(store.path(), &[args, &["--json"]].concat()).json()[0]["outcome"].clone();
    assert_eq!(outcome(&["import", path]), "already-complete");
    assert_eq!(outcome(&["import", path, "--force"]), "imported");
}

/// Exports tables out of one store and imports them into another.
fn export_and_import(tables: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let source = copy_of(CUBE3.as_path());
    succeed(source.path(), &[&["build", "--quiet"], tables].concat());
    for &table in tables {
        let path = folder.path().join(table);
        let path = path.to_str().unwrap();
        succeed(source.path(), &["export", table, "--raw", "-o", path]);
        let store = tempfile::tempdir().unwrap();
        succeed(store.path(), &["import", path]);
        assert_eq!(digest(store.path(), table), digest(source.path(), table));
    }
}

#[test]
fn a_table_of_remainders_is_imported() {
    export_and_import(&["phase2-kociemba"]);
}

#[test]
#[ignore = "tier two: several tables of the cube"]
fn full_tables_of_every_packing_are_imported() {
    export_and_import(&["phase1", "phase2", "phase2-qtm", "phase2-kociemba"]);
}

/// Damaged files are refused, and leave nothing behind that a build would take over.
fn refused(bench: &Bench, bytes: &[u8], what: &str) {
    let (ended, store) = import(bench, bytes);
    assert_eq!(ended.code, Some(4), "{what}: {}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("; run: twistbase "), "{}", ended.stderr);
    assert!(!store.path().join(format!("{SMALL}.redb")).exists(), "{what}");
    assert!(!store.path().join(format!("{SMALL}.building.redb")).exists(), "{what}");
}

/// Flips and cuts at random, and everywhere in the first bytes and the last ones.
fn refuse_damage(random: usize) {
    let bench = Bench::new();
    let bytes = raw(&bench);
    let mut numbers = Numbers(7);
    let mut checked = 0;
    let header = 12 + u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let ends = (0..header).step_by(header / 12).chain(bytes.len() - 32..bytes.len()).step_by(7);
    let places: Vec<usize> = ends.chain((0..random).map(|_| numbers.below(bytes.len() as u64) as usize)).collect();
    for at in places {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << numbers.below(8);
        refused(&bench, &flipped, &format!("flip in byte {at}"));
        refused(&bench, &bytes[..at], &format!("cut at {at}"));
        checked += 2;
    }
    refused(&bench, &[&bytes[..], b"x"].concat(), "a byte more");
    refused(&bench, b"", "nothing");
    println!("{checked} damaged files refused");
}

#[test]
fn damaged_files_are_refused() {
    refuse_damage(10);
}

#[test]
#[ignore = "tier two: six hundred damaged files"]
fn full_many_damaged_files_are_refused() {
    refuse_damage(300);
}

#[test]
fn foreign_and_newer_files_are_refused() {
    let bench = Bench::new();
    let bytes = raw(&bench);
    let refuse = |bytes: &[u8], word: &str| {
        let (ended, _) = import(&bench, bytes);
        assert!(ended.code == Some(4) && ended.stderr.contains(word), "{}", ended.stderr);
    };
    refuse(b"PK\x03\x04 something else altogether", "foreign");
    refuse(&resealed(&bytes, "\"version\":1,", "\"version\":3,"), "version 3");
    // That of tables that are built to a depth.
    refuse(&resealed(&bytes, "\"version\":1,", "\"version\":2,"), "its version does not fit its depth");
    refuse(&resealed(&bytes, "\"spec_version\":1,", "\"spec_version\":7,"), "spec version is 7");
    refuse(&resealed(&bytes, "\"name\":\"square1-corners\"", "\"name\":\"octahedron\""), "octahedron");
    // A length out of range asks for no memory.
    let mut long = bytes.clone();
    long[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    refuse(&long, "out of range");
    let missing = run(bench.store(), &["import", "/nonexistent"]);
    assert_eq!(missing.code, Some(6));
    assert!(Path::new(bench.store()).join(format!("{SMALL}.redb")).exists());
}

/// The file with something else in its header, sealed as it must be.
fn resealed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
    let end = 12 + u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let json = std::str::from_utf8(&bytes[20..end]).unwrap();
    assert!(json.contains(from), "{json}");
    let json = json.replacen(from, to, 1);
    let seal = xxh3_64_with_seed(json.as_bytes(), xxh3_64(b"twistbase raw"));
    let length = (8 + json.len() as u32).to_le_bytes();
    [&bytes[..8], &length, &seal.to_le_bytes(), json.as_bytes(), &bytes[end..]].concat()
}

/// An unfinished build or import of which a row is not that of the table, though it holds as many entries of each level.
fn begun_otherwise(bench: &Bench) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let layout = *twistbase::tables::find(SMALL).unwrap().layout();
    let right = Store::open(bench.store()).table(&layout).unwrap();
    let start = Store::open(dir.path()).build(&layout, None, false, &Context::silent()).unwrap();
    let BuildStart::Building(mut builder) = start else { panic!("it is there") };
    for row in 0..40 {
        let mut bytes = vec![0; layout.row_bytes()];
        right.read_row(row, &mut bytes).unwrap();
        if row == 7 {
            let other = bytes.iter().position(|byte| *byte != bytes[0]).unwrap();
            bytes.swap(0, other);
        }
        let levels = right.row_record(row).unwrap().row_levels();
        builder.put_row(builder.encoder().encode(row, &bytes, &levels).unwrap()).unwrap();
    }
    drop(builder);
    dir
}

/// What is begun is not believed: nobody knows what it was begun with.
#[test]
fn rows_of_something_else_are_not_taken_over() {
    let bench = Bench::new();
    raw(&bench);
    let (path, right) = (bench.file("x.twraw"), digest(bench.store(), SMALL));
    let path = path.to_str().unwrap();
    let store = begun_otherwise(&bench);
    let refused = run(store.path(), &["import", path]);
    assert_eq!((refused.code, refused.stderr.contains("--force")), (Some(4), true), "{}", refused.stderr);
    assert!(refused.stderr.contains("row 7"), "{}", refused.stderr);
    assert!(!store.path().join(format!("{SMALL}.redb")).exists());
    let kept = |args: &[&str]| succeed(store.path(), args).json()[0]["rows_kept"].clone();
    assert_eq!(kept(&["build", SMALL, "--json"]), 39);
    assert_eq!(digest(store.path(), SMALL), right);
    let store = begun_otherwise(&bench);
    succeed(store.path(), &["import", path, "--force"]);
    assert_eq!(digest(store.path(), SMALL), right);
    succeed(store.path(), &["verify", SMALL]);
    // Nor are they where rows of a table are restored.
    let damaged = restorable_copy(bench.store(), &mut Numbers(5));
    let building = format!("{SMALL}.building.redb");
    fs::copy(begun_otherwise(&bench).path().join(&building), damaged.path().join(&building)).unwrap();
    succeed(damaged.path(), &["rebuild", SMALL]);
    assert_eq!(digest(damaged.path(), SMALL), right);
    succeed(damaged.path(), &["verify", SMALL]);
}
