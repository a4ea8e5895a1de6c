use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::*;
use crate::samples::{BIG_DIGITS, DIGITS, REAL, SMALL, build, built, sample_row};
use twistbase_core::context::Progress;
use twistbase_store::Entries;

fn open(store: &Store, layout: &TableLayout, mode: CacheMode) -> CachedTable {
    CachedTable::open(store, layout, mode).unwrap()
}

fn warm(store: &Store, layout: &TableLayout) {
    let warmed = open(store, layout, CacheMode::OnDemand).warm(&Context::silent()).unwrap();
    assert_eq!(warmed.present + warmed.added, Units::of(layout).count());
}

fn unit_file(store: &Store, layout: &TableLayout, unit: u32) -> PathBuf {
    Folder::new(store.dir().unwrap(), layout.name).unit_path(layout.unit, unit)
}

/// The payload of a unit's file.
fn payload(layout: &TableLayout, unit: u32) -> Vec<u8> {
    Units::of(layout).rows(unit).flat_map(|row| sample_row(layout, row, 0)).collect()
}

/// Compares every entry of a row (or one in `step`) with what was written.
fn check_row(table: &dyn Entries, layout: &TableLayout, row: u32, salt: u64, step: usize) {
    let expected = sample_row(layout, row, salt);
    for entry in (0..layout.row_entries()).step_by(step) {
        let right = layout.packing.get(&expected, entry).unwrap();
        assert_eq!(table.get(row, entry).unwrap(), right, "row {row} entry {entry}");
    }
}

#[test]
fn every_mode_answers_alike() {
    for (layout, step) in [(SMALL, 1), (REAL, 997), (DIGITS, 1), (BIG_DIGITS, 997)] {
        let (_dir, store) = built(&layout);
        for mode in [CacheMode::Off, CacheMode::ReadOnly, CacheMode::OnDemand, CacheMode::ReadOnly] {
            let table = open(&store, &layout, mode);
            (0..layout.rows).for_each(|row| check_row(&table, &layout, row, 0, step));
            assert!(table.get(layout.rows, 0).is_err() && table.get(0, layout.row_entries()).is_err());
            assert!(table.get(0, u64::MAX).is_err() && table.get(u32::MAX, 0).is_err());
        }
        let found = status(&store, &layout).unwrap();
        assert_eq!((found.valid, found.stale, found.damaged), (found.files, 0, 0));
        assert_eq!(found.files, Units::of(&layout).count());
        assert!(found.bytes > 0);
    }
}

#[test]
fn a_row_is_hydrated_when_it_is_asked_for_often_and_only_then() {
    let (_dir, store) = built(&SMALL);
    let table = open(&store, &SMALL, CacheMode::OnDemand);
    assert!((0..SMALL.rows).all(|row| table.mapped_unit(row).is_none()));
    // The same page again is no miss.
    for entry in 0..240 {
        table.get(2, entry).unwrap();
    }
    assert_eq!(status(&store, &SMALL).unwrap().valid, 0);
    // The seventh page is the seventh miss.
    table.get(2, 240).unwrap();
    assert_eq!(status(&store, &SMALL).unwrap().valid, 1);
    assert_eq!(table.mapped_unit(2).unwrap(), sample_row(&SMALL, 2, 0));
    let mode = fs::metadata(unit_file(&store, &SMALL, 2)).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o444);
    assert_eq!(table.bytes_of_table(), None);
}

#[test]
fn a_table_in_one_file_is_hydrated_after_as_many_misses_as_it_has_pages() {
    let (_dir, store) = built(&DIGITS);
    let table = open(&store, &DIGITS, CacheMode::OnDemand);
    // The first 80 entries of a page are digits 0 to 3 of its bytes.
    let pages = (0..DIGITS.rows).flat_map(|row| (0..DIGITS.pages).map(move |page| (row, u64::from(page) * 80)));
    for (row, entry) in pages {
        assert_eq!((status(&store, &DIGITS).unwrap().valid, table.bytes_of_table()), (0, None));
        table.get(row, entry).unwrap();
    }
    assert_eq!(status(&store, &DIGITS).unwrap().valid, 1);
    assert_eq!(table.bytes_of_table().unwrap(), payload(&DIGITS, 0));
    assert_eq!((table.mapped_unit(0), table.mapped_unit(1)), (table.bytes_of_table(), None));
    assert_eq!(unit_file(&store, &DIGITS, 0).file_name().unwrap(), "table.v2");
}

#[test]
fn read_only_and_off_change_nothing() {
    let (dir, store) = built(&SMALL);
    for mode in [CacheMode::Off, CacheMode::ReadOnly] {
        let table = open(&store, &SMALL, mode);
        (0..SMALL.rows).for_each(|row| check_row(&table, &SMALL, row, 0, 1));
        assert!(table.warm(&Context::silent()).is_err());
    }
    assert!(!dir.path().join("cache").exists());
    warm(&store, &SMALL);
    fs::write(unit_file(&store, &SMALL, 1).with_extension("new"), b"x").unwrap();
    fs::rename(unit_file(&store, &SMALL, 1).with_extension("new"), unit_file(&store, &SMALL, 1)).unwrap();
    check_row(&open(&store, &SMALL, CacheMode::ReadOnly), &SMALL, 1, 0, 1);
    assert_eq!(fs::read(unit_file(&store, &SMALL, 1)).unwrap(), b"x");
    check_row(&open(&store, &SMALL, CacheMode::OnDemand), &SMALL, 1, 0, 1);
    assert_eq!(status(&store, &SMALL).unwrap().valid, SMALL.rows);
}

#[test]
fn a_warm_cache_answers_without_the_segments() {
    let (_dir, store) = built(&SMALL);
    warm(&store, &SMALL);
    let again = open(&store, &SMALL, CacheMode::OnDemand).warm(&Context::silent()).unwrap();
    assert_eq!((again.present, again.added), (SMALL.rows, 0));
    assert_eq!(verify(&store, &SMALL, &Context::silent(), &mut |bad| panic!("{bad:?}")).unwrap(), SMALL.rows);
    let freed = drop_cache(&store, SMALL.name).unwrap();
    assert!(freed > 0);
    assert_eq!(status(&store, &SMALL).unwrap(), CacheStatus { files: SMALL.rows, ..CacheStatus::default() });
    assert_eq!(drop_cache(&store, SMALL.name).unwrap(), 0);
    assert!(drop_cache(&store, "../small").is_err());
}

/// Compares all pages of a table with those of its store.
fn check_pages(table: &CachedTable, layout: &TableLayout) {
    let [mut buffer, mut expected] = [const { Vec::new() }; 2];
    for (row, page) in (0..layout.rows).flat_map(|row| (0..layout.pages).map(move |page| (row, page))) {
        table.table().read_page(row, page, &mut expected).unwrap();
        assert_eq!(table.page(row, page, &mut buffer).unwrap(), expected, "row {row} page {page}");
    }
    assert!(table.page(layout.rows, 0, &mut buffer).is_err() && table.page(0, layout.pages, &mut buffer).is_err());
}

#[test]
fn pages_are_those_of_the_store_whatever_is_cached() {
    for layout in [SMALL, REAL, DIGITS, BIG_DIGITS] {
        let (_dir, store) = built(&layout);
        check_pages(&open(&store, &layout, CacheMode::OnDemand), &layout);
        warm(&store, &layout);
        for mode in [CacheMode::Off, CacheMode::ReadOnly] {
            check_pages(&open(&store, &layout, mode), &layout);
        }
        // Of a damaged block no page is told.
        flip(&unit_file(&store, &layout, 0), 4096 + payload(&layout, 0).len() as u64 / 2, 3);
        check_pages(&open(&store, &layout, CacheMode::OnDemand), &layout);
        assert!(!unit_file(&store, &layout, 0).exists());
    }
}

/// Changes one byte of a published file, as a failing disk would.
fn flip(path: &std::path::Path, at: u64, bit: u8) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ (1 << bit)], at).unwrap();
}

#[test]
fn a_flip_anywhere_in_a_cache_file_is_found_and_mended() {
    for (layout, unit) in [(SMALL, 3), (DIGITS, 0)] {
        let (_dir, store) = built(&layout);
        warm(&store, &layout);
        let path = unit_file(&store, &layout, unit);
        let good = fs::read(&path).unwrap();
        let units = Units::of(&layout);
        assert_eq!(good.len(), 4096 + units.bytes() + 8);
        assert_eq!(good[4096..4096 + units.bytes()], payload(&layout, unit));
        for at in (0..good.len()).filter(|at| !(104..4080).contains(at) || at % 97 == 0) {
            // The file is remade by renaming, so that no mapping sees it change.
            flip(&path, at as u64, (at % 8) as u8);
            let table = open(&store, &layout, CacheMode::OnDemand);
            units.rows(unit).for_each(|row| check_row(&table, &layout, row, 0, 1));
            let mut bad = Vec::new();
            let intact = verify(&store, &layout, &Context::silent(), &mut |fault| bad.push(fault)).unwrap();
            // The reader removed the file. Where it found out before mapping, it made the file again at once.
            assert!(bad.is_empty() && intact >= units.count() - 1, "byte {at}: {bad:?}");
            warm(&store, &layout);
            assert_eq!(fs::read(&path).unwrap(), good, "byte {at}");
        }
        for (at, row, page) in [(0, layout.unit == CacheUnit::Row, None), (4096, true, Some(0))] {
            flip(&path, at, 0);
            let mut faults = Vec::new();
            let intact = verify(&store, &layout, &Context::silent(), &mut |fault| faults.push(fault)).unwrap();
            assert_eq!(intact, units.count() - 1);
            let row = row.then_some(unit);
            assert!(matches!(&faults[..], [fault] if fault.row == row && fault.page == page), "{faults:?}");
            assert_eq!(faults[0].remedy.to_string(), format!("cache warm {}", layout.name));
            assert!(path.exists());
            flip(&path, at, 0);
        }
    }
}

/// Whoever reads the whole file into memory gets the right bytes, or hears that there are none; the file is then gone, unless
/// nothing is to be changed.
#[test]
fn a_table_read_into_memory_is_what_was_published_or_nothing() {
    let (_dir, store) = built(&DIGITS);
    let read = |mode, ctx: &Context| {
        let mut bytes = vec![0; Units::of(&DIGITS).bytes()];
        open(&store, &DIGITS, mode).read_table(&mut bytes, ctx).map(|is_read| is_read.then_some(bytes))
    };
    let (path, right) = (unit_file(&store, &DIGITS, 0), payload(&DIGITS, 0));
    assert_eq!(read(CacheMode::OnDemand, &Context::silent()).unwrap(), None);
    warm(&store, &DIGITS);
    let good = fs::read(&path).unwrap();
    for at in (0..good.len()).filter(|at| !(104..4080).contains(at) || at % 97 == 0) {
        flip(&path, at as u64, (at % 8) as u8);
        assert_eq!(read(CacheMode::ReadOnly, &Context::silent()).unwrap(), None, "byte {at}");
        assert!(path.exists(), "byte {at}");
        assert_eq!(read(CacheMode::OnDemand, &Context::silent()).unwrap(), None, "byte {at}");
        warm(&store, &DIGITS);
        assert!(read(CacheMode::ReadOnly, &Context::silent()).unwrap().as_ref() == Some(&right), "byte {at}");
    }
    assert_eq!(read(CacheMode::Off, &Context::silent()).unwrap(), None);
    let cancelled = Context::silent();
    cancelled.cancel();
    assert!(matches!(read(CacheMode::ReadOnly, &cancelled), Err(Error::Interrupted)));
    // One that is mapped already, and is found damaged by reading it, is used no longer.
    let mapped = open(&store, &DIGITS, CacheMode::OnDemand);
    assert!(mapped.is_cached(0));
    flip(&path, 4096, 0);
    assert!(!mapped.read_table(&mut vec![0; right.len()], &Context::silent()).unwrap() && !mapped.is_cached(0));
}

/// Reading ahead of look-ups makes a search in a file that is larger than memory wait for bytes that nobody asks for.
#[test]
#[cfg(target_os = "linux")]
fn nothing_is_read_ahead_of_random_reads() {
    let (_dir, store) = built(&DIGITS);
    warm(&store, &DIGITS);
    let path = unit_file(&store, &DIGITS, 0);
    let is_read_ahead = || {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let (_, own) = maps.split_once(path.to_str().unwrap()).expect("it is mapped");
        let flags = own.lines().find_map(|line| line.strip_prefix("VmFlags:")).unwrap();
        // The kernel's name for what was advised.
        !flags.split(' ').any(|flag| flag == "rr")
    };
    let table = open(&store, &DIGITS, CacheMode::ReadOnly);
    assert!(table.is_cached(0) && is_read_ahead(), "all bytes are verified first, in order");
    assert!(table.bytes_of_table().is_some() && !is_read_ahead());
}

/// A table in rows has no file of the whole.
#[test]
fn a_table_cached_by_rows_is_not_read_whole() {
    let (_dir, store) = built(&SMALL);
    warm(&store, &SMALL);
    let mut bytes = vec![0; SMALL.bytes() as usize];
    assert!(!open(&store, &SMALL, CacheMode::OnDemand).read_table(&mut bytes, &Context::silent()).unwrap());
}

/// Flips a byte in each of `blocks` of a unit, and verifies.
fn faults_of_blocks(layout: &TableLayout, unit: u32, blocks: [u64; 2]) -> Vec<(Option<u32>, Option<u32>, String)> {
    let (_dir, store) = built(layout);
    warm(&store, layout);
    for block in blocks {
        flip(&unit_file(&store, layout, unit), 4096 + block * 65_536 + 17, 3);
    }
    let mut found = Vec::new();
    verify(&store, layout, &Context::silent(), &mut |fault| found.push((fault.row, fault.page, fault.detail))).unwrap();
    found
}

#[test]
fn every_damaged_block_is_reported_with_its_pages() {
    // Pages of 20,160 bytes: block 2 begins in page 131,072 / 20,160 = 6.
    let found = faults_of_blocks(&REAL, 1, [2, 5]);
    assert!(
        matches!(&found[..], [(Some(1), Some(6), six), (Some(1), Some(16), _)] if six.contains("pages 6 to 9")),
        "{found:?}"
    );
    // Rows of 11 pages of 20,000 bytes: row 1 begins at 220,000, in block 3 (from 196,608).
    let found = faults_of_blocks(&BIG_DIGITS, 0, [3, 10]);
    let straddling = "block 3 of the cache file (row 0, page 9 to row 1, page 2)";
    // The last block, of 4640 bytes: 655,360 - 440,000 = 215,360 is in page 10 of row 2.
    let last = "block 10 of the cache file (pages 10 to 10)";
    assert!(
        matches!(&found[..], [(Some(0), Some(9), three), (Some(2), Some(10), ten)]
            if three.contains(straddling) && ten.contains(last)),
        "{found:?}"
    );
}

#[test]
fn damage_in_one_block_leaves_the_others_in_use() {
    for layout in [REAL, BIG_DIGITS] {
        let (_dir, store) = built(&layout);
        warm(&store, &layout);
        let path = unit_file(&store, &layout, 0);
        flip(&path, 4096 + 5 * 65_536 + 17, 3);
        let table = open(&store, &layout, CacheMode::OnDemand);
        let rows = Units::of(&layout).rows(0);
        rows.clone().for_each(|row| check_row(&table, &layout, row, 0, 499));
        assert!(!path.exists() && table.mapped_unit(0).is_none());
        rows.for_each(|row| check_row(&table, &layout, row, 0, 499));
        warm(&store, &layout);
        assert!(open(&store, &layout, CacheMode::ReadOnly).mapped_unit(0).is_some());
    }
}

#[test]
fn warming_removes_files_of_older_versions_and_dropping_all() {
    for layout in [SMALL, DIGITS] {
        let (dir, store) = built(&layout);
        let folder = dir.path().join("cache").join(layout.name);
        fs::create_dir_all(&folder).unwrap();
        let older = ["row-00001.v1", ".row-left.tmp"];
        older.iter().for_each(|name| fs::write(folder.join(name), "old").unwrap());
        assert_eq!(status(&store, &layout).unwrap().valid, 0);
        warm(&store, &layout);
        assert!(older.iter().all(|name| !folder.join(name).exists()));
        older.iter().for_each(|name| fs::write(folder.join(name), "old").unwrap());
        drop_cache(&store, layout.name).unwrap();
        assert!(!folder.exists());
    }
}

#[test]
fn the_cache_of_another_edition_is_ignored_and_replaced() {
    let (_dir, store) = built(&SMALL);
    warm(&store, &SMALL);
    let old = open(&store, &SMALL, CacheMode::ReadOnly);
    check_row(&old, &SMALL, 0, 0, 1);
    build(&store, &SMALL, 1);
    let found = status(&store, &SMALL).unwrap();
    assert_eq!((found.valid, found.stale), (0, SMALL.rows));
    check_row(&open(&store, &SMALL, CacheMode::ReadOnly), &SMALL, 0, 1, 1);
    warm(&store, &SMALL);
    assert_eq!(status(&store, &SMALL).unwrap().valid, SMALL.rows);
    check_row(&open(&store, &SMALL, CacheMode::ReadOnly), &SMALL, 0, 1, 1);
    // Who had the old edition open keeps it.
    check_row(&old, &SMALL, 0, 0, 1);
}

#[test]
fn files_that_are_not_rows_are_refused() {
    let (dir, store) = built(&SMALL);
    warm(&store, &SMALL);
    let path = unit_file(&store, &SMALL, 0);
    let good = fs::read(&path).unwrap();
    let longer = [&good[..], b"x"].concat();
    for bytes in [&b""[..], b"garbage", &good[..4095], &good[..4096], &good[..good.len() - 1], &longer] {
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        assert_eq!(status(&store, &SMALL).unwrap().damaged, 1, "{} bytes", bytes.len());
        check_row(&open(&store, &SMALL, CacheMode::OnDemand), &SMALL, 0, 0, 1);
        assert_eq!(status(&store, &SMALL).unwrap().valid, SMALL.rows);
    }
    // The row of another number, a link, a directory.
    fs::copy(unit_file(&store, &SMALL, 1), unit_file(&store, &SMALL, 2).with_extension("tmp")).unwrap();
    fs::rename(unit_file(&store, &SMALL, 2).with_extension("tmp"), unit_file(&store, &SMALL, 2)).unwrap();
    check_row(&open(&store, &SMALL, CacheMode::ReadOnly), &SMALL, 2, 0, 1);
    fs::rename(&path, dir.path().join("elsewhere")).unwrap();
    symlink(dir.path().join("elsewhere"), &path).unwrap();
    assert_eq!(status(&store, &SMALL).unwrap().damaged, 1);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    check_row(&open(&store, &SMALL, CacheMode::OnDemand), &SMALL, 0, 0, 1);
}

#[test]
fn a_cache_that_cannot_be_written_costs_speed_only() {
    let (dir, store) = built(&SMALL);
    // A file where the folder should be: permissions would not stop root.
    fs::write(dir.path().join("cache"), b"in the way").unwrap();
    let table = open(&store, &SMALL, CacheMode::OnDemand);
    (0..SMALL.rows).for_each(|row| check_row(&table, &SMALL, row, 0, 1));
    assert!(matches!(table.warm(&Context::silent()), Err(Error::Io { .. })));
}

#[test]
fn threads_and_readers_hydrate_the_same_units_together() {
    for layout in [SMALL, DIGITS] {
        let (_dir, store) = built(&layout);
        let tables = [open(&store, &layout, CacheMode::OnDemand), open(&store, &layout, CacheMode::OnDemand)];
        let finished = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (table, finished) = (&tables[thread % 2], &finished);
                scope.spawn(move || {
                    (0..layout.rows).for_each(|row| check_row(table, &layout, row, 0, 1));
                    finished.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(finished.into_inner(), 6);
        let units = Units::of(&layout).count();
        assert_eq!(status(&store, &layout).unwrap().valid, units);
        let folder = Folder::new(store.dir().unwrap(), layout.name);
        assert_eq!(folder.files().unwrap().len(), units as usize, "no temporary file is left");
    }
}

#[test]
fn a_cancelled_warming_keeps_what_it_has() {
    let (_dir, store) = built(&SMALL);
    let ctx = Context::silent();
    ctx.cancel();
    assert!(matches!(open(&store, &SMALL, CacheMode::OnDemand).warm(&ctx), Err(Error::Interrupted)));
    warm(&store, &SMALL);
}

/// Cancels after a number of rows.
#[derive(Default)]
struct CancelAfter {
    rows: AtomicU64,
    cancel: Arc<AtomicBool>,
}

impl Progress for CancelAfter {
    fn begin(&self, _stage: &str, _total: u64, _unit: &str) {}
    fn advance(&self, count: u64) {
        if self.rows.fetch_sub(count, Ordering::Relaxed) == count {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
    fn note(&self, _line: &str) {}
    fn end(&self) {}
}

#[test]
fn a_table_in_one_file_is_there_as_a_whole_or_not_at_all() {
    let (_dir, store) = built(&DIGITS);
    for rows in 1..u64::from(DIGITS.rows) {
        let progress = CancelAfter { rows: rows.into(), ..CancelAfter::default() };
        let ctx = Context::new(Arc::clone(&progress.cancel), Arc::new(progress));
        let table = open(&store, &DIGITS, CacheMode::OnDemand);
        assert!(matches!(table.warm(&ctx), Err(Error::Interrupted)));
        assert_eq!(Folder::new(store.dir().unwrap(), DIGITS.name).files().unwrap(), [] as [PathBuf; 0]);
        assert_eq!(table.bytes_of_table(), None);
    }
    warm(&store, &DIGITS);
    assert_eq!(open(&store, &DIGITS, CacheMode::ReadOnly).bytes_of_table().unwrap(), payload(&DIGITS, 0));
}

#[test]
fn a_damaged_page_is_not_cached() {
    for layout in [SMALL, DIGITS] {
        let (dir, store) = built(&layout);
        let path = dir.path().join(format!("{}.redb", layout.name));
        let bytes = fs::read(&path).unwrap();
        // The last page of each segment of each row, wherever redb put it: pages of 20 bytes are stored as they are.
        for at in bytes.windows(5).enumerate().filter(|(_, found)| *found == b"TWSG\x01").map(|(at, _)| at) {
            flip(&path, at as u64 + 16 + 7 * 16 + 6 * 20 + 3, 1);
        }
        let table = open(&store, &layout, CacheMode::OnDemand);
        let damaged = |entry| layout.page_of(entry) == 6;
        for (row, entry) in (0..layout.rows).flat_map(|row| (0..layout.row_entries()).map(move |at| (row, at))) {
            match table.get(row, entry) {
                Ok(_) => assert!(!damaged(entry)),
                Err(error) => assert!(matches!(error, Error::Data(fault) if damaged(entry) && fault.page == Some(6))),
            }
        }
        let found = status(&store, &layout).unwrap();
        assert_eq!((found.valid, found.damaged), (0, 0));
        assert!(matches!(table.warm(&Context::silent()), Err(Error::Data(_))));
        assert!(Folder::new(store.dir().unwrap(), layout.name).files().unwrap().is_empty());
    }
}

/// Files in the place of a row: what they answer is right, or they do not.
fn fuzz(inputs: u64) {
    let (_dir, store) = built(&SMALL);
    warm(&store, &SMALL);
    let table = open(&store, &SMALL, CacheMode::Off);
    let identity = UnitIdentity::of(table.table(), 1);
    let right = fs::read(unit_file(&store, &SMALL, 1)).unwrap();
    let written = payload(&SMALL, 1);
    let memory = std::path::Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let path = dir.path().join("row");
    let header = |bytes: &[u8]| {
        // A header of which nothing is right but its hash.
        let mut bytes = bytes.to_vec();
        if bytes.len() >= 4096 {
            let hash = xxhash_rust::xxh3::xxh3_64(&bytes[..4088]);
            bytes[4088..4096].copy_from_slice(&hash.to_le_bytes());
        }
        bytes
    };
    for sealed in [false, true] {
        twistbase_testing::fuzz::fuzz("files of the cache", inputs, std::slice::from_ref(&right), 1 << 16, |bytes| {
            fs::write(&path, if sealed { header(bytes) } else { bytes.to_vec() }).unwrap();
            let Probe::Valid(opened) = probe(&path, &identity).unwrap() else { return };
            let map = MappedUnit::new(identity, opened).unwrap();
            if map.verify_at(0).is_ok() {
                assert!((0..written.len()).all(|at| map.byte(at).is_none_or(|byte| byte == written[at])));
            }
        });
    }
}

#[test]
fn nearly_right_files_answer_rightly_or_not_at_all() {
    fuzz(500);
}

#[test]
#[ignore = "long suite: a hundred thousand files"]
fn a_hundred_thousand_nearly_right_files_answer_rightly_or_not_at_all() {
    fuzz(twistbase_testing::fuzz::many(50_000));
}

#[test]
fn threads_share_a_cached_table() {
    fn shared<T: Send + Sync>() {}
    shared::<CachedTable>();
}
