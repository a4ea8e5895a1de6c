//! A table of digits whose cache is one file: kills, flips, full disks and company, as for the registered tables.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Instant;

use tempfile::TempDir;
use twistbase::cache::{self, CacheMode, CacheStatus, CachedTable, Warmed};
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::store::{BuildInfo, BuildStart, CacheUnit, Entries, Packing, RowLevels, Store, TableLayout};

use super::disks::Disk;
use super::kills::Span;
use super::{Numbers, cached_bytes, corruption, files, test_in_a_process};

/// Rows of 200 kB, which end within a block of the cache; the whole table has 2.4 MB.
const DIGITS: TableLayout = TableLayout {
    name: "digits",
    id: 900,
    rows: 12,
    pages: 20,
    packing: Packing::Mod3,
    page_entries: 50_000,
    padding: 777,
    unit: CacheUnit::Table,
    spec_version: 1,
    generator_version: 1,
};

/// Tells [`child_that_warms`] which store to warm.
const CHILD_STORE: &str = "TWISTBASE_TEST_UNITS";

fn digit(row: u32, entry: u64) -> u8 {
    [0, 0, 1, 2][Numbers(u64::from(row) << 32 | entry).below(4) as usize]
}

fn row(row: u32) -> Vec<u8> {
    let mut bytes = vec![0; DIGITS.row_bytes()];
    // Five digits a byte: four entries that follow each other, and one of those that come after all of these.
    let fours = 4 * bytes.len() as u64;
    for entry in 0..DIGITS.row_entries() {
        let (byte, slot) = if entry < fours { (entry / 4, entry % 4) } else { (entry - fours, 4) };
        bytes[byte as usize] += digit(row, entry) * 3u8.pow(slot as u32);
    }
    bytes
}

fn table() -> Vec<u8> {
    (0..DIGITS.rows).flat_map(row).collect()
}

fn build(dir: &Path) -> Store {
    let store = Store::open(dir);
    let BuildStart::Building(mut builder) = store.build(&DIGITS, None, true, &Context::silent()).expect("a build")
    else {
        panic!("built by force")
    };
    let levels = RowLevels { entries: vec![DIGITS.row_entries()], positions: vec![1] };
    for number in 0..DIGITS.rows {
        let encoded = builder.encoder().encode(number, &row(number), &levels).expect("a row");
        builder.put_row(encoded).expect("room");
    }
    builder.finish(BuildInfo::default()).expect("room");
    store
}

fn built() -> (TempDir, Store) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = build(dir.path());
    (dir, store)
}

fn open(store: &Store, mode: CacheMode) -> CachedTable {
    CachedTable::open(store, &DIGITS, mode).expect("a sound table")
}

fn warm(store: &Store) -> Result<Warmed, Error> {
    open(store, CacheMode::OnDemand).warm(&Context::silent())
}

fn status(store: &Store) -> CacheStatus {
    cache::status(store, &DIGITS).expect("a status")
}

/// Compares entries all over the table with what they must be.
fn check_answers(table: &dyn Entries) {
    let mut numbers = Numbers(31);
    for _ in 0..3000 {
        let (row, entry) = (numbers.below(u64::from(DIGITS.rows)) as u32, numbers.below(DIGITS.row_entries()));
        assert_eq!(table.get(row, entry).expect("an answer"), digit(row, entry), "row {row} entry {entry}");
    }
}

/// Nothing by itself: other tests run it in processes of their own.
#[test]
fn child_that_warms() {
    if let Some(dir) = std::env::var_os(CHILD_STORE) {
        warm(&Store::open(PathBuf::from(dir))).expect("a cache");
    }
}

fn start_warming(dir: &Path) -> Child {
    test_in_a_process("faults::units::child_that_warms")
        .env(CHILD_STORE, dir)
        .stderr(Stdio::null())
        .spawn()
        .expect("a process")
}

/// Kills of hydrations: the file is there as a whole or not at all.
fn kill_hydrations(kills: usize) {
    let (dir, store) = built();
    let started = Instant::now();
    assert!(start_warming(dir.path()).wait().expect("a process").success());
    let mut span = Span(started.elapsed());
    let mut numbers = Numbers(32);
    let (mut killed, mut finished, mut torn) = (0, 0, 0);
    while killed < kills {
        if status(&store).valid > 0 {
            cache::drop_cache(&store, DIGITS.name).expect("removed");
        }
        if span.kill(start_warming(dir.path()), &mut numbers).status.success() {
            finished += 1
        } else {
            killed += 1
        }
        torn += usize::from(files(dir.path()).iter().any(|file| file.extension().is_some_and(|end| end == "tmp")));
        let found = status(&store);
        assert_eq!((found.stale, found.damaged), (0, 0));
        check_answers(&open(&store, CacheMode::ReadOnly));
    }
    warm(&store).expect("a cache");
    assert_eq!(files(dir.path()), [Path::new("cache/digits/table.v3"), Path::new("digits.redb")]);
    assert!(cached_bytes(&open(&store, CacheMode::ReadOnly)) == Some(table()));
    println!("{killed} kills of hydrations of a table, {finished} finished before; {torn} left a temporary file");
}

#[test]
fn hydration_of_a_table_survives_kills() {
    kill_hydrations(20);
}

#[test]
#[ignore = "tier two: a hundred kills"]
fn full_hydration_of_a_table_survives_a_hundred_kills() {
    kill_hydrations(100);
}

/// Flips a bit in every `step`th byte of the file of a table.
fn flip_cache(step: usize) {
    let (dir, store) = built();
    warm(&store).expect("a cache");
    let path = dir.path().join("cache/digits/table.v3");
    let good = fs::read(&path).expect("the file");
    let row_bytes = DIGITS.row_bytes();
    let payload = 4096..4096 + row_bytes * DIGITS.rows as usize;
    let mut flips = 0;
    // By renaming, as everything in the cache.
    for at in (0..good.len()).step_by(step) {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(path.with_extension("new"), &bad).expect("room");
        fs::rename(path.with_extension("new"), &path).expect("a rename");
        let mut found = Vec::new();
        let intact = cache::verify(&store, &DIGITS, &Context::silent(), &mut |fault| found.push(fault));
        assert!(intact.expect("a table") == 0 && found.len() == 1, "byte {at}: {found:?}");
        let block = at.checked_sub(4096).filter(|_| payload.contains(&at)).map(|byte| byte / 4096 * 4096);
        let row = block.map(|block| (block / row_bytes) as u32);
        let page = block.map(|block| (block % row_bytes / DIGITS.page_bytes()) as u32);
        assert_eq!((found[0].row, found[0].page), (row, page), "byte {at}");
        let table = open(&store, CacheMode::ReadOnly);
        check_answers(&table);
        assert!(cached_bytes(&table).is_none(), "byte {at}");
        flips += 1;
    }
    assert_eq!(warm(&store).expect("a cache").added, 1);
    assert!(fs::read(&path).expect("the file") == good);
    println!("{flips} flips of the file of a table, all reported and none answered from");
}

#[test]
fn a_flipped_bit_of_the_file_of_a_table_is_reported_and_never_answers() {
    flip_cache(29_989);
}

#[test]
#[ignore = "tier two: a thousand flips"]
fn full_flipped_bits_all_over_the_file_of_a_table_are_reported() {
    flip_cache(2503);
}

#[test]
fn a_flipped_bit_of_stored_digits_is_reported_where_it_is_and_never_answers() {
    let (dir, _store) = built();
    corruption::flip_store(dir.path(), &DIGITS, 49_999);
}

#[test]
#[ignore = "tier two: hundreds of flips of a table of 2 MB"]
fn full_flipped_bits_all_over_stored_digits_are_reported() {
    let (dir, _store) = built();
    corruption::flip_store(dir.path(), &DIGITS, 4001);
}

#[test]
fn a_table_is_answered_from_without_room_for_its_file() {
    let Some(disk) = Disk::new("16m") else { return };
    let store = build(disk.path());
    let used = store.status(&DIGITS).expect("a status").bytes;
    disk.remount(&format!("size={}k", used / 1024 + 1000));
    let Err(error) = warm(&store) else { panic!("there is no room") };
    assert!(matches!(error, Error::Io { .. }) && error.to_string().contains("no space left for the cache"), "{error}");
    assert_eq!(files(disk.path()), [Path::new("digits.redb")]);
    let table = open(&store, CacheMode::OnDemand);
    check_answers(&table);
    assert!(cached_bytes(&table).is_none());
    disk.fill();
    check_answers(&open(&store, CacheMode::OnDemand));
    fs::remove_file(disk.path().join("filler")).expect("a file");
    disk.remount("size=16m");
    assert_eq!(warm(&store).expect("room").added, 1);
    check_answers(&open(&store, CacheMode::ReadOnly));
}

#[test]
fn processes_hydrate_the_same_table_together() {
    let (dir, store) = built();
    for _ in 0..3 {
        cache::drop_cache(&store, DIGITS.name).expect("removed");
        let children: Vec<_> = (0..4).map(|_| start_warming(dir.path())).collect();
        check_answers(&open(&store, CacheMode::OnDemand));
        for mut child in children {
            assert!(child.wait().expect("a process").success());
        }
        assert_eq!(files(dir.path()), [Path::new("cache/digits/table.v3"), Path::new("digits.redb")]);
        assert!(cached_bytes(&open(&store, CacheMode::ReadOnly)) == Some(table()));
    }
}
