use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::format::Opened;
use super::map::{Blocks, Budget};
use super::unit::CachedUnit;
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

/// The bytes of a whole table in the file of its cache, if it has one that is right.
fn whole(table: &CachedTable) -> Option<Vec<u8>> {
    let mut bytes = vec![0; table.table().layout().bytes() as usize];
    table.read_table(&mut bytes, &Context::silent()).unwrap().then_some(bytes)
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
    assert!((0..SMALL.rows).all(|row| !table.is_cached(row)));
    // The same page again is no miss.
    for entry in 0..240 {
        table.get(2, entry).unwrap();
    }
    assert_eq!(status(&store, &SMALL).unwrap().valid, 0);
    // The seventh page is the seventh miss.
    table.get(2, 240).unwrap();
    assert_eq!(status(&store, &SMALL).unwrap().valid, 1);
    assert!(table.is_cached(2) && !table.is_cached(1));
    check_row(&table, &SMALL, 2, 0, 1);
    let mode = fs::metadata(unit_file(&store, &SMALL, 2)).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o444);
}

#[test]
fn a_table_in_one_file_is_hydrated_after_as_many_misses_as_it_has_pages() {
    let (_dir, store) = built(&DIGITS);
    let table = open(&store, &DIGITS, CacheMode::OnDemand);
    // The first 80 entries of a page are digits 0 to 3 of its bytes.
    let pages = (0..DIGITS.rows).flat_map(|row| (0..DIGITS.pages).map(move |page| (row, u64::from(page) * 80)));
    for (row, entry) in pages {
        assert_eq!((status(&store, &DIGITS).unwrap().valid, whole(&table)), (0, None));
        table.get(row, entry).unwrap();
    }
    assert_eq!(status(&store, &DIGITS).unwrap().valid, 1);
    assert_eq!(whole(&table).unwrap(), payload(&DIGITS, 0));
    assert!(table.is_cached(0) && !table.is_cached(1));
    assert_eq!(unit_file(&store, &DIGITS, 0).file_name().unwrap(), "table.v3");
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
            flip(&path, at as u64, (at % 8) as u8);
            let table = open(&store, &layout, CacheMode::OnDemand);
            units.rows(unit).for_each(|row| check_row(&table, &layout, row, 0, 1));
            let mut bad = Vec::new();
            let intact = verify(&store, &layout, &Context::silent(), &mut |fault| bad.push(fault)).unwrap();
            // The reader removed the file. Where it found out before opening, it made the file again at once.
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
    // One that is open already, and is found damaged by reading it, is used no longer.
    let opened = open(&store, &DIGITS, CacheMode::OnDemand);
    assert!(opened.is_cached(0));
    flip(&path, 4096, 0);
    assert!(whole(&opened).is_none() && !opened.is_cached(0));
}

/// What another program does to a published file.
#[derive(Debug, Clone, Copy)]
enum Harm {
    Truncated,
    Shortened,
    Overwritten,
}

impl Harm {
    fn befalls(self, path: &std::path::Path) {
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        let len = file.metadata().unwrap().len();
        match self {
            Self::Truncated => file.set_len(0).unwrap(),
            // Behind its first block.
            Self::Shortened => file.set_len(4096 + 4096 + 100).unwrap(),
            Self::Overwritten => file.write_all_at(&vec![0x5A; len as usize], 0).unwrap(),
        }
    }
}

/// Whoever has the files open answers rightly whatever becomes of them: what it read before is its own, what it had not read comes
/// from the store.
#[test]
fn what_happens_to_files_under_a_reader_changes_no_answer() {
    for (layout, harm) in [REAL, BIG_DIGITS]
        .into_iter()
        .flat_map(|layout| [Harm::Truncated, Harm::Shortened, Harm::Overwritten].map(|harm| (layout, harm)))
    {
        for mode in [CacheMode::ReadOnly, CacheMode::OnDemand] {
            let (_dir, store) = built(&layout);
            warm(&store, &layout);
            let table = open(&store, &layout, mode);
            // Two blocks of the first unit are read before; of the second unit, where there is one, none.
            table.get(0, 0).unwrap();
            table.get(0, layout.row_entries() - 1).unwrap();
            (0..Units::of(&layout).count()).for_each(|unit| assert!(table.is_cached(unit)));
            (0..Units::of(&layout).count()).for_each(|unit| harm.befalls(&unit_file(&store, &layout, unit)));
            (0..layout.rows).for_each(|row| check_row(&table, &layout, row, 0, 211));
            check_pages(&table, &layout);
            let is_there = unit_file(&store, &layout, 0).exists();
            assert_eq!(is_there, mode == CacheMode::ReadOnly, "{harm:?}");
            assert!((0..Units::of(&layout).count()).all(|unit| !table.is_cached(unit)), "{harm:?}");
        }
    }
}

/// All blocks were read before: the files are not needed any more.
#[test]
fn a_unit_that_was_read_needs_no_file() {
    let (_dir, store) = built(&BIG_DIGITS);
    warm(&store, &BIG_DIGITS);
    let table = open(&store, &BIG_DIGITS, CacheMode::OnDemand);
    (0..BIG_DIGITS.rows).for_each(|row| check_row(&table, &BIG_DIGITS, row, 0, 101));
    Harm::Overwritten.befalls(&unit_file(&store, &BIG_DIGITS, 0));
    (0..BIG_DIGITS.rows).for_each(|row| check_row(&table, &BIG_DIGITS, row, 0, 101));
    assert!(table.is_cached(0) && unit_file(&store, &BIG_DIGITS, 0).exists());
}

/// A disk that cannot read a block is a damaged file.
#[test]
#[cfg(target_os = "linux")]
fn a_block_that_cannot_be_read_is_damage() {
    let (_dir, store) = built(&BIG_DIGITS);
    let identity = UnitIdentity::of(open(&store, &BIG_DIGITS, CacheMode::Off).table(), 0);
    // At its beginning there is no memory to read, which is EIO.
    let file = fs::File::open("/proc/self/mem").unwrap();
    let opened = Opened {
        file,
        payload: identity.payload as usize,
        hasher: identity.hasher(),
        hashes: vec![0; identity.blocks()],
    };
    let unit = CachedUnit::new(opened, Budget::of_process()).unwrap();
    for at in [0, 4096] {
        let bad = unit.read_byte(at).unwrap_err();
        assert_eq!((bad.block, bad.to_string()), (at / 4096, "cannot be read: Input/output error (os error 5)".into()));
        assert_eq!(unit.byte(at), None);
    }
}

/// Threads that want the same blocks: each block is filled once, and nobody sees it before it is.
#[test]
fn threads_fill_each_block_once() {
    const BLOCKS: usize = 200;
    const BYTES: usize = BLOCKS * 4096 - 7;
    let blocks = Blocks::new(BYTES, Budget::of_process()).unwrap();
    let filled = [const { AtomicUsize::new(0) }; BLOCKS];
    let runs = AtomicUsize::new(0);
    let fill = |block: usize| {
        blocks.fill(block, |first, bytes| {
            for (block, bytes) in (first..).zip(bytes.chunks_mut(4096)) {
                filled[block].fetch_add(1, Ordering::Relaxed);
                bytes.fill(block as u8 + 1);
            }
            runs.fetch_add(1, Ordering::Relaxed);
            Ok::<(), ()>(())
        })
    };
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (blocks, fill) = (&blocks, &fill);
            scope.spawn(move || {
                for at in 0..BLOCKS {
                    // All over the memory, and some threads the other way round.
                    let block = if thread % 2 == 0 { at * 37 % BLOCKS } else { BLOCKS - 1 - at };
                    let last = ((block + 1) * 4096).min(BYTES) - 1;
                    // It is there as a whole or not at all.
                    assert!(blocks.byte(last).is_none_or(|byte| byte == block as u8 + 1));
                    fill(block).unwrap();
                    let bytes = blocks.range(block * 4096..last + 1).unwrap();
                    assert!(bytes.iter().all(|&byte| byte == block as u8 + 1));
                }
            });
        }
    });
    assert!(filled.iter().all(|filled| filled.load(Ordering::Relaxed) == 1));
    assert!(runs.into_inner() < BLOCKS, "neighbours are filled together when many are there");
    // Nothing is beyond the end.
    assert_eq!((blocks.byte(BYTES), blocks.range(4096..BLOCKS * 4096)), (None, None));
    blocks.fill(BLOCKS, |_, _| Err("there is no such block")).unwrap();
    assert!(!blocks.is_ready(BLOCKS));
}

/// What is filled is taken of a budget, and given back; a block that could not be filled takes nothing.
#[test]
fn a_budget_is_taken_by_what_is_filled_and_given_back() {
    let budget: &'static Budget = Box::leak(Box::new(Budget::of(3 * 4096)));
    for _ in 0..2 {
        let blocks = Blocks::new(100 * 4096, budget).unwrap();
        blocks.fill(0, |_, _| Err("bad")).unwrap_err();
        assert!(!blocks.is_ready(0));
        for block in [0, 20, 40, 60, 80] {
            let fill = |first, bytes: &mut [u8]| {
                assert_eq!((first, bytes.len()), (block, 4096));
                bytes.fill(1);
                Ok::<(), ()>(())
            };
            blocks.fill(block, fill).unwrap();
        }
        assert_eq!([0, 20, 40, 60, 80].map(|block| blocks.is_ready(block)), [true, true, true, false, false]);
        assert_eq!(blocks.range(40 * 4096..41 * 4096 + 1), None);
    }
}

/// Where many blocks are there, a block is filled with those around it that are not.
#[test]
fn neighbours_are_filled_together_when_many_blocks_are_there() {
    let blocks = Blocks::new(64 * 4096 - 1, Budget::of_process()).unwrap();
    let filled = |block: usize| {
        let mut found = None;
        let fill = |first, bytes: &mut [u8]| {
            found = Some((first, bytes.len()));
            Ok::<(), ()>(())
        };
        blocks.fill(block, fill).unwrap();
        found
    };
    for block in 0..13 {
        assert_eq!(filled(block), Some((block, 4096)));
    }
    assert_eq!(filled(14), Some((13, 3 * 4096)));
    assert_eq!(filled(13), None);
    assert_eq!(filled(20), Some((16, 16 * 4096)));
    assert_eq!(filled(63), Some((48, 16 * 4096 - 1)));
    assert!((0..64).all(|block| blocks.is_ready(block) != (32..48).contains(&block)));
}

/// Where no more memory may be filled, the store answers, and the files stay as they are.
#[test]
fn a_table_answers_beyond_its_memory() {
    for (layout, blocks) in [REAL, BIG_DIGITS].into_iter().flat_map(|layout| [0, 3].map(|blocks| (layout, blocks))) {
        let (_dir, store) = built(&layout);
        warm(&store, &layout);
        let budget = Box::leak(Box::new(Budget::of(blocks * 4096)));
        let table = open(&store, &layout, CacheMode::OnDemand).within(budget);
        (0..layout.rows).for_each(|row| check_row(&table, &layout, row, 0, 101));
        check_pages(&table, &layout);
        let found = status(&store, &layout).unwrap();
        assert!(found.valid == found.files && table.is_cached(0));
    }
}

/// A map notices what another program writes to its file. What twistbase does to the name of the file is no change.
#[test]
fn a_map_whose_file_was_changed_says_so() {
    let (dir, store) = built(&BIG_DIGITS);
    let path = unit_file(&store, &BIG_DIGITS, 0);
    let mapped = || {
        warm(&store, &BIG_DIGITS);
        open(&store, &BIG_DIGITS, CacheMode::OnDemand).map_table(&Context::silent()).unwrap().unwrap()
    };
    let map = mapped();
    drop_cache(&store, BIG_DIGITS.name).unwrap();
    map.check_unchanged().unwrap();
    let map = mapped();
    fs::copy(&path, dir.path().join("new")).unwrap();
    fs::rename(dir.path().join("new"), &path).unwrap();
    map.check_unchanged().unwrap();
    assert!(map.as_ref() == payload(&BIG_DIGITS, 0));

    let restored_time = |path: &std::path::Path| {
        let written = fs::metadata(path).unwrap().modified().unwrap();
        flip(path, 5000, 2);
        fs::OpenOptions::new().write(true).open(path).unwrap().set_modified(written).unwrap();
    };
    let longer = |path: &std::path::Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(file.metadata().unwrap().len() + 1).unwrap();
    };
    let flipped = |path: &std::path::Path| flip(path, 5000, 2);
    let changes: [&dyn Fn(&std::path::Path); 3] = [&flipped, &restored_time, &longer];
    for change in changes {
        let map = mapped();
        map.check_unchanged().unwrap();
        change(&path);
        let Err(Error::Data(fault)) = map.check_unchanged() else { panic!("it was changed") };
        assert_eq!((fault.fault, fault.file.as_ref()), (Fault::Damaged, Some(&path)));
        assert_eq!(fault.remedy.to_string(), "cache warm big-digits");
        let text = fault.to_string();
        assert!(text.starts_with("the cache of table big-digits is damaged (") && text.contains("changed by another"));
    }
    // The remedy mends it.
    mapped().check_unchanged().unwrap();
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
    let mapped = open(&store, &DIGITS, CacheMode::ReadOnly).map_table(&Context::silent()).unwrap().unwrap();
    assert!(mapped.as_ref() == payload(&DIGITS, 0) && !is_read_ahead());
}

/// A table in rows has no file of the whole.
#[test]
fn a_table_cached_by_rows_is_not_read_whole() {
    let (_dir, store) = built(&SMALL);
    warm(&store, &SMALL);
    let table = open(&store, &SMALL, CacheMode::OnDemand);
    assert!(whole(&table).is_none() && table.map_table(&Context::silent()).unwrap().is_none());
}

/// Flips a byte in each of `blocks` of a unit, and verifies.
fn faults_of_blocks(layout: &TableLayout, unit: u32, blocks: [u64; 2]) -> Vec<(Option<u32>, Option<u32>, String)> {
    let (_dir, store) = built(layout);
    warm(&store, layout);
    for block in blocks {
        flip(&unit_file(&store, layout, unit), 4096 + block * 4096 + 17, 3);
    }
    let mut found = Vec::new();
    verify(&store, layout, &Context::silent(), &mut |fault| found.push((fault.row, fault.page, fault.detail))).unwrap();
    found
}

#[test]
fn every_damaged_block_is_reported_with_its_pages() {
    // Pages of 20,160 bytes: block 34 begins in page 139,264 / 20,160 = 6, and ends in the next one.
    let found = faults_of_blocks(&REAL, 1, [34, 80]);
    assert!(
        matches!(&found[..], [(Some(1), Some(6), six), (Some(1), Some(16), _)] if six.contains("pages 6 to 7")),
        "{found:?}"
    );
    // Rows of 11 pages of 20,000 bytes: row 1 begins at 220,000, in block 53 (from 217,088).
    let found = faults_of_blocks(&BIG_DIGITS, 0, [53, 161]);
    let straddling = "block 53 of the cache file (row 0, page 10 to row 1, page 0)";
    // The last block, of 544 bytes: 659,456 - 440,000 = 219,456 is in page 10 of row 2.
    let last = "block 161 of the cache file (pages 10 to 10)";
    assert!(
        matches!(&found[..], [(Some(0), Some(10), first), (Some(2), Some(10), second)]
            if first.contains(straddling) && second.contains(last)),
        "{found:?}"
    );
}

#[test]
fn damage_in_one_block_leaves_the_others_in_use() {
    for layout in [REAL, BIG_DIGITS] {
        let (_dir, store) = built(&layout);
        warm(&store, &layout);
        let path = unit_file(&store, &layout, 0);
        flip(&path, 4096 + 80 * 4096 + 17, 3);
        let table = open(&store, &layout, CacheMode::OnDemand);
        let rows = Units::of(&layout).rows(0);
        rows.clone().for_each(|row| check_row(&table, &layout, row, 0, 499));
        assert!(!path.exists() && !table.is_cached(0));
        rows.for_each(|row| check_row(&table, &layout, row, 0, 499));
        warm(&store, &layout);
        assert!(open(&store, &layout, CacheMode::ReadOnly).is_cached(0));
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
        assert!(!table.is_cached(0));
    }
    warm(&store, &DIGITS);
    assert_eq!(whole(&open(&store, &DIGITS, CacheMode::ReadOnly)).unwrap(), payload(&DIGITS, 0));
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
            let unit = CachedUnit::new(opened, Budget::of_process()).unwrap();
            if unit.read_byte(0).is_ok() {
                assert!((0..written.len()).all(|at| unit.byte(at) == Some(written[at])));
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
