use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::math::nibble;
use crate::store::Entries;
use crate::store::tests::{REAL, SMALL, build, built, sample_row};

fn open(store: &Store, layout: &TableLayout, mode: CacheMode) -> CachedTable {
    CachedTable::open(store, layout, mode).unwrap()
}

fn warm(store: &Store, layout: &TableLayout) {
    let warmed = open(store, layout, CacheMode::OnDemand).warm(&Context::silent()).unwrap();
    assert_eq!(warmed.present + warmed.added, layout.rows);
}

fn row_file(store: &Store, layout: &TableLayout, row: u32) -> PathBuf {
    Folder::new(store.dir(), layout.name).row_path(row)
}

/// Compares every entry of a row (or one in `step`) with what was written.
fn check_row(table: &dyn Entries, layout: &TableLayout, row: u32, salt: u64, step: usize) {
    let expected = sample_row(layout, row, salt);
    for entry in (0..layout.row_entries()).step_by(step) {
        let right = nibble::get(&expected, entry as usize).unwrap();
        assert_eq!(table.get(row, entry).unwrap(), right, "row {row} entry {entry}");
    }
}

#[test]
fn every_mode_answers_alike() {
    for (layout, step) in [(SMALL, 1), (REAL, 997)] {
        let (_dir, store) = built(&layout);
        for mode in [CacheMode::Off, CacheMode::ReadOnly, CacheMode::OnDemand, CacheMode::ReadOnly] {
            let table = open(&store, &layout, mode);
            (0..layout.rows).for_each(|row| check_row(&table, &layout, row, 0, step));
            assert!(table.get(layout.rows, 0).is_err() && table.get(0, layout.row_entries()).is_err());
            assert!(table.get(0, u64::MAX).is_err());
        }
        let found = status(&store, &layout).unwrap();
        assert_eq!((found.valid, found.stale, found.damaged), (layout.rows, 0, 0));
        assert!(found.bytes > 0);
    }
}

#[test]
fn a_row_is_hydrated_when_it_is_asked_for_often_and_only_then() {
    let (_dir, store) = built(&SMALL);
    let table = open(&store, &SMALL, CacheMode::OnDemand);
    assert!((0..SMALL.rows).all(|row| table.mapped_row(row).is_none()));
    // The same page again is no miss.
    for entry in 0..240 {
        table.get(2, entry).unwrap();
    }
    assert_eq!(status(&store, &SMALL).unwrap().valid, 0);
    // The seventh page is the seventh miss.
    table.get(2, 240).unwrap();
    assert_eq!(status(&store, &SMALL).unwrap().valid, 1);
    assert_eq!(table.mapped_row(2).unwrap(), sample_row(&SMALL, 2, 0));
    let mode = fs::metadata(row_file(&store, &SMALL, 2)).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o444);
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
    fs::write(row_file(&store, &SMALL, 1).with_extension("new"), b"x").unwrap();
    fs::rename(row_file(&store, &SMALL, 1).with_extension("new"), row_file(&store, &SMALL, 1)).unwrap();
    check_row(&open(&store, &SMALL, CacheMode::ReadOnly), &SMALL, 1, 0, 1);
    assert_eq!(fs::read(row_file(&store, &SMALL, 1)).unwrap(), b"x");
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
    assert_eq!(status(&store, &SMALL).unwrap(), CacheStatus { rows: SMALL.rows, ..CacheStatus::default() });
    assert_eq!(drop_cache(&store, SMALL.name).unwrap(), 0);
    assert!(drop_cache(&store, "../small").is_err());
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
    let (_dir, store) = built(&SMALL);
    warm(&store, &SMALL);
    let path = row_file(&store, &SMALL, 3);
    let good = fs::read(&path).unwrap();
    assert_eq!(good.len(), 4096 + SMALL.row_bytes() + 8);
    for at in (0..good.len()).filter(|at| !(104..4080).contains(at) || at % 97 == 0) {
        // The file is remade by renaming, so that no mapping sees it change.
        flip(&path, at as u64, (at % 8) as u8);
        let table = open(&store, &SMALL, CacheMode::OnDemand);
        check_row(&table, &SMALL, 3, 0, 1);
        let mut bad_rows = Vec::new();
        let intact = verify(&store, &SMALL, &Context::silent(), &mut |bad| bad_rows.push(bad.row)).unwrap();
        // The reader removed the file. Where it found out before mapping, it made the file again at once.
        assert!(bad_rows.is_empty() && intact >= SMALL.rows - 1, "byte {at}");
        warm(&store, &SMALL);
        assert_eq!(fs::read(&path).unwrap(), good, "byte {at}");
    }
    flip(&path, 4096, 0);
    let mut faults = Vec::new();
    assert_eq!(verify(&store, &SMALL, &Context::silent(), &mut |fault| faults.push(fault)).unwrap(), SMALL.rows - 1);
    assert!(matches!(&faults[..], [fault] if fault.row == Some(3) && fault.page == Some(0)), "{faults:?}");
    assert_eq!(faults[0].remedy, "cache warm small");
    assert!(path.exists());
}

#[test]
fn every_damaged_block_is_reported_with_its_pages() {
    let (_dir, store) = built(&REAL);
    warm(&store, &REAL);
    let path = row_file(&store, &REAL, 1);
    for block in [2, 5] {
        flip(&path, 4096 + block * 65_536 + 17, 3);
    }
    let mut found = Vec::new();
    verify(&store, &REAL, &Context::silent(), &mut |fault| found.push((fault.row, fault.page, fault.detail))).unwrap();
    // Pages of 20,160 bytes: block 2 begins in page 131,072 / 20,160 = 6.
    assert!(
        matches!(&found[..], [(Some(1), Some(6), six), (Some(1), Some(16), _)] if six.contains("pages 6 to 9")),
        "{found:?}"
    );
}

#[test]
fn damage_in_one_block_leaves_the_others_in_use() {
    let (_dir, store) = built(&REAL);
    warm(&store, &REAL);
    let path = row_file(&store, &REAL, 0);
    flip(&path, 4096 + 5 * 65_536 + 17, 3);
    let table = open(&store, &REAL, CacheMode::OnDemand);
    check_row(&table, &REAL, 0, 0, 499);
    assert!(!path.exists() && table.mapped_row(0).is_none());
    check_row(&table, &REAL, 0, 0, 499);
    warm(&store, &REAL);
    assert!(open(&store, &REAL, CacheMode::ReadOnly).mapped_row(0).is_some());
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
    let path = row_file(&store, &SMALL, 0);
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
    fs::copy(row_file(&store, &SMALL, 1), row_file(&store, &SMALL, 2).with_extension("tmp")).unwrap();
    fs::rename(row_file(&store, &SMALL, 2).with_extension("tmp"), row_file(&store, &SMALL, 2)).unwrap();
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
fn threads_and_readers_hydrate_the_same_rows_together() {
    let (_dir, store) = built(&SMALL);
    let tables = [open(&store, &SMALL, CacheMode::OnDemand), open(&store, &SMALL, CacheMode::OnDemand)];
    let finished = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (table, finished) = (&tables[thread % 2], &finished);
            scope.spawn(move || {
                (0..SMALL.rows).for_each(|row| check_row(table, &SMALL, row, 0, 1));
                finished.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(finished.into_inner(), 6);
    assert_eq!(status(&store, &SMALL).unwrap().valid, SMALL.rows);
    let folder = Folder::new(store.dir(), SMALL.name);
    assert_eq!(folder.files().unwrap().len(), SMALL.rows as usize, "no temporary file is left");
}

#[test]
fn a_cancelled_warming_keeps_what_it_has() {
    let (_dir, store) = built(&SMALL);
    let ctx = Context::silent();
    ctx.cancel();
    assert!(matches!(open(&store, &SMALL, CacheMode::OnDemand).warm(&ctx), Err(Error::Interrupted)));
    warm(&store, &SMALL);
}

#[test]
fn a_damaged_page_is_not_cached() {
    let (dir, store) = built(&SMALL);
    let path = dir.path().join("small.redb");
    let bytes = fs::read(&path).unwrap();
    // The last page of each segment of each row, wherever redb put it.
    for at in bytes.windows(5).enumerate().filter(|(_, found)| *found == b"TWSG\x01").map(|(at, _)| at) {
        flip(&path, at as u64 + 16 + 7 * 16 + 6 * 20 + 3, 1);
    }
    let table = open(&store, &SMALL, CacheMode::OnDemand);
    for row in 0..SMALL.rows {
        for entry in 0..240 {
            table.get(row, entry).unwrap();
        }
        assert!(matches!(table.get(row, 279), Err(Error::Data(fault)) if fault.page == Some(6)));
    }
    assert_eq!(status(&store, &SMALL).unwrap().valid, 0);
    assert!(matches!(table.warm(&Context::silent()), Err(Error::Data(_))));
}
