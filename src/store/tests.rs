use std::fs;
use std::path::Path;
use std::process::Command;

use uuid::Uuid;

use super::*;
use crate::error::{Class, DataError, Error, Fault};
use crate::math::trits;

/// Five rows of seven pages of 20 bytes: everything happens within one segment per row.
pub(crate) const SMALL: TableLayout = TableLayout {
    name: "small",
    id: 9,
    rows: 5,
    pages: 7,
    packing: Packing::Nibbles,
    page_entries: 40,
    padding: 0,
    unit: CacheUnit::Row,
    spec_version: 3,
    generator_version: 4,
};

/// Pages of the size of Cube21's, so that a row takes several segments.
pub(crate) const REAL: TableLayout =
    TableLayout { name: "real", id: 10, rows: 2, pages: 30, page_entries: 40_320, ..SMALL };

/// The same number of bytes as [`SMALL`], but of five entries each, with some to spare, and in one file of the cache.
pub(crate) const DIGITS: TableLayout = TableLayout {
    name: "digits",
    id: 11,
    packing: Packing::Mod3,
    page_entries: 100,
    padding: 13,
    unit: CacheUnit::Table,
    ..SMALL
};

/// Rows of several segments, none of which ends where a block of the cache does.
pub(crate) const BIG_DIGITS: TableLayout =
    TableLayout { name: "big-digits", id: 12, rows: 3, pages: 11, page_entries: 100_000, ..DIGITS };

/// Levels with about the frequencies of a deep table (55 %, 29 %, 14 %, 2 %), different for every row and salt.
pub(crate) fn sample_row(layout: &TableLayout, row: u32, salt: u64) -> Vec<u8> {
    let mut state = (u64::from(row) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt;
    let mut level = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match (state >> 33) % 100 {
            0..55 => 11u8,
            55..84 => 12,
            84..98 => 10,
            _ => 9,
        }
    };
    match layout.packing {
        Packing::Nibbles => (0..layout.row_bytes()).map(|_| level() | level() << 4).collect(),
        Packing::Quarters => {
            let mut four = || (0..4).fold(0, |byte, _| byte << 2 | (level() - 9));
            (0..layout.row_bytes()).map(|_| four()).collect()
        }
        Packing::Mod3 => {
            let digits: Vec<u8> = (0..layout.row_entries()).map(|_| level() % 3).collect();
            let mut row = vec![0; layout.row_bytes()];
            trits::pack_row(&mut row, layout.row_entries(), |entry| digits[entry as usize]);
            row
        }
    }
}

/// Levels for a sample: every value a level, every entry as many positions as the row's number and one.
pub(crate) fn sample_levels(layout: &TableLayout, row: u32, bytes: &[u8]) -> RowLevels {
    let mut entries = vec![0; 16];
    (0..layout.row_entries()).for_each(|entry| entries[usize::from(layout.packing.get(bytes, entry).unwrap())] += 1);
    let positions = entries.iter().map(|count| count * u64::from(row + 1)).collect();
    RowLevels { entries, positions }
}

fn encoded(encoder: &RowEncoder, layout: &TableLayout, row: u32, salt: u64) -> EncodedRow {
    let bytes = sample_row(layout, row, salt);
    encoder.encode(row, &bytes, &sample_levels(layout, row, &bytes)).unwrap()
}

pub(crate) fn begin(store: &Store, layout: &TableLayout, force: bool) -> Box<Builder> {
    match store.build(layout, None, force, &Context::silent()).unwrap() {
        BuildStart::Building(builder) => builder,
        BuildStart::AlreadyThere(_) => panic!("already complete"),
    }
}

pub(crate) fn put(builder: &mut Builder, row: u32, salt: u64) {
    let encoded = encoded(&builder.encoder(), builder.layout(), row, salt);
    builder.put_row(encoded).unwrap();
}

pub(crate) fn build(store: &Store, layout: &TableLayout, salt: u64) -> Manifest {
    let mut builder = begin(store, layout, true);
    (0..layout.rows).for_each(|row| put(&mut builder, row, salt));
    builder.finish(BuildInfo::default()).unwrap()
}

/// A store in a new folder, with a table.
pub(crate) fn built(layout: &TableLayout) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    build(&store, layout, 0);
    (dir, store)
}

fn data_error(error: Error) -> DataError {
    match error {
        Error::Data(error) => error,
        other => panic!("not a data error: {other}"),
    }
}

fn fault_of(store: &Store, layout: &TableLayout) -> DataError {
    data_error(store.table(layout).expect_err("the table opened"))
}

/// Reads every page; the number of damaged ones. A page that reads as anything but what was written fails the test.
fn damaged_pages(table: &StoredTable, expected: &[Vec<u8>]) -> usize {
    let layout = *table.layout();
    let mut page_bytes = Vec::new();
    let mut damaged = 0;
    for (row, page) in (0..layout.rows).flat_map(|row| (0..layout.pages).map(move |page| (row, page))) {
        match table.read_page(row, page, &mut page_bytes) {
            Ok(()) => {
                let start = page as usize * layout.page_bytes();
                let right = &expected[row as usize][start..start + layout.page_bytes()];
                assert!(page_bytes == right, "wrong answer: row {row} page {page}");
            }
            Err(error) => {
                assert_eq!(error.class(), Class::Data, "{error}");
                damaged += 1;
            }
        }
    }
    damaged
}

fn samples(layout: &TableLayout) -> Vec<Vec<u8>> {
    (0..layout.rows).map(|row| sample_row(layout, row, 0)).collect()
}

#[test]
fn what_was_put_is_read_back() {
    for layout in [SMALL, REAL, DIGITS, BIG_DIGITS] {
        let (_dir, store) = built(&layout);
        let table = store.table(&layout).unwrap();
        let ram = RamTable::new(layout, samples(&layout)).unwrap();
        assert_eq!(damaged_pages(&table, &samples(&layout)), 0);
        let mut row_bytes = vec![0; layout.row_bytes()];
        for row in 0..layout.rows {
            table.read_row(row, &mut row_bytes).unwrap();
            assert_eq!(row_bytes, ram.row(row).unwrap());
            let step = (layout.row_entries() / 997).max(1) as usize;
            for entry in (0..layout.row_entries()).step_by(step) {
                assert_eq!(table.get(row, entry).unwrap(), ram.get(row, entry).unwrap());
            }
            let record = table.row_record(row).unwrap();
            assert_eq!(record.histogram, record.levels[..]);
            let levels = RowLevels { entries: record.levels.clone(), positions: record.positions.clone() };
            assert_eq!(levels, sample_levels(&layout, row, &row_bytes));
            assert_eq!(record.digest, blake3::hash(&row_bytes).to_hex().as_str());
        }
        let checked = table.verify(&Context::silent(), &mut |error| panic!("{error}")).unwrap();
        assert_eq!((checked.rows, checked.faults), (layout.rows, 0));
        let rows = (0..layout.rows).map(|row| table.row_record(row).unwrap());
        let sum = |counts: fn(&RowRecord) -> &Vec<u64>| {
            (0..16).map(|level| rows.clone().map(|record| counts(record)[level]).sum()).collect::<Vec<u64>>()
        };
        assert_eq!(table.manifest().entries_by_level, sum(|record| &record.levels));
        assert_eq!(table.manifest().distribution, sum(|record| &record.positions));
        assert!(table.get(layout.rows, 0).is_err() && table.get(0, layout.row_entries()).is_err());
        assert!(table.read_page(0, layout.pages, &mut Vec::new()).is_err());
        assert!(table.read_row(0, &mut [0; 3]).is_err());
    }
}

#[test]
fn the_bytes_depend_on_nothing_but_the_data() {
    let encode = |threads: usize, order: &[u32]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let encoder = RowEncoder::new(REAL, None, 1);
        let mut rows: Vec<_> = pool.install(|| order.iter().map(|&row| encoded(&encoder, &REAL, row, 0)).collect());
        rows.sort_by_key(EncodedRow::row);
        rows.into_iter().map(|row| (row.record, row.segments)).collect::<Vec<_>>()
    };
    let reference = encode(1, &[0, 1]);
    assert!(reference[0].0.segments.len() > 2);
    assert!(reference == encode(3, &[1, 0]) && reference == encode(2, &[0, 0, 1])[1..]);
}

#[test]
fn a_build_resumes_where_it_was_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path().join("not/yet/there"));
    assert_eq!(store.status(&SMALL).unwrap().state, TableState::Missing);
    let mut builder = begin(&store, &SMALL, false);
    put(&mut builder, 3, 0);
    put(&mut builder, 0, 0);
    assert_eq!(fault_of(&store, &SMALL).fault, Fault::Unfinished);
    assert!(store.status(&SMALL).unwrap().builder.is_some());
    drop(builder);
    assert_eq!(store.status(&SMALL).unwrap().state, TableState::Unfinished(Some(2)));
    assert_eq!(fault_of(&store, &SMALL).remedy.to_string(), "build small");

    let mut builder = begin(&store, &SMALL, false);
    assert_eq!((0..SMALL.rows).filter(|&row| builder.has_row(row)).collect::<Vec<_>>(), [0, 3]);
    // Putting a row again replaces it.
    for row in [1, 2, 3, 4] {
        put(&mut builder, row, 0);
    }
    let manifest = builder.finish(BuildInfo::default()).unwrap();
    let table = store.table(&SMALL).unwrap();
    assert_eq!(damaged_pages(&table, &samples(&SMALL)), 0);
    assert_eq!(table.verify(&Context::silent(), &mut |error| panic!("{error}")).unwrap().faults, 0);

    let (_other_dir, other) = built(&SMALL);
    let straight = other.table(&SMALL).unwrap();
    assert_eq!(straight.manifest().digest, manifest.digest);
    for row in 0..SMALL.rows {
        assert_eq!(straight.row_record(row).unwrap(), table.row_record(row).unwrap());
    }
}

#[test]
fn an_unfinished_build_cannot_be_finished() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    let mut builder = begin(&store, &SMALL, false);
    put(&mut builder, 0, 0);
    let error = data_error(builder.finish(BuildInfo::default()).unwrap_err());
    assert_eq!((error.fault, error.row), (Fault::Unfinished, Some(1)));
    assert!(begin(&store, &SMALL, false).has_row(0));
}

#[test]
fn a_build_of_other_versions_is_started_afresh() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    put(&mut begin(&store, &SMALL, false), 0, 0);
    let newer = TableLayout { generator_version: 5, ..SMALL };
    assert_eq!(begin(&store, &newer, false).rows_done(), 0);
    fs::write(dir.path().join("small.building.redb"), b"not redb").unwrap();
    assert_eq!(begin(&store, &SMALL, false).rows_done(), 0);
}

#[test]
fn a_complete_table_is_built_again_only_by_force() {
    let (_dir, store) = built(&SMALL);
    let first = store.table(&SMALL).unwrap();
    let BuildStart::AlreadyThere(manifest) = store.build(&SMALL, None, false, &Context::silent()).unwrap() else {
        panic!("not complete")
    };
    assert_eq!(&*manifest, first.manifest());
    let mut builder = begin(&store, &SMALL, true);
    put(&mut builder, 0, 1);
    assert_eq!(store.table(&SMALL).unwrap().uuid(), first.uuid());
    (1..SMALL.rows).for_each(|row| put(&mut builder, row, 1));
    let second = builder.finish(BuildInfo::default()).unwrap();
    assert_eq!((first.manifest().generation, second.generation), (1, 2));
    assert_ne!(first.uuid(), second.uuid);
    // Whoever had the old file open goes on with it.
    assert_eq!(damaged_pages(&first, &samples(&SMALL)), 0);
    let row = sample_row(&SMALL, 2, 1);
    assert_eq!(store.table(&SMALL).unwrap().get(2, 77).unwrap(), SMALL.packing.get(&row, 77).unwrap());
}

#[test]
fn a_second_builder_is_told_who_the_first_is() {
    let (_dir, store) = built(&SMALL);
    let builder = begin(&store, &SMALL, true);
    let error = store.build(&SMALL, None, true, &Context::silent()).unwrap_err();
    assert_eq!(error.class(), Class::Busy);
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    assert!(store.table(&SMALL).is_ok());
    drop(builder);
    begin(&store, &SMALL, true);
}

#[test]
fn rows_of_another_table_or_size_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    let mut builder = begin(&store, &SMALL, false);
    let bytes = sample_row(&SMALL, 0, 0);
    let levels = sample_levels(&SMALL, 0, &bytes);
    let encode = |row, bytes: &[u8]| builder.encoder().encode(row, bytes, &levels);
    assert!(encode(0, &bytes).is_ok() && encode(SMALL.rows, &bytes).is_err() && encode(0, &[0; 5]).is_err());
    let foreign = RowEncoder::new(SMALL, None, 77).encode(0, &bytes, &levels).unwrap();
    assert_eq!(builder.put_row(foreign).unwrap_err().class(), Class::Usage);
    assert!(!builder.has_row(0));
}

#[test]
fn rows_that_are_not_entries_are_refused() {
    let encoder = RowEncoder::new(DIGITS, None, 1);
    let good = sample_row(&DIGITS, 0, 0);
    let levels = sample_levels(&DIGITS, 0, &good);
    assert!(encoder.encode(0, &good, &levels).is_ok());
    let mut bad = good.clone();
    bad[30] = 243;
    let error = encoder.encode(0, &bad, &levels).unwrap_err();
    assert!(matches!(&error, Error::Usage(text) if text.contains("bytes that are not entries")), "{error}");
    for entry in [DIGITS.row_entries(), DIGITS.row_entries() + 12] {
        let mut bad = good.clone();
        trits::set(&mut bad, entry, 1);
        let error = encoder.encode(0, &bad, &levels).unwrap_err();
        assert!(matches!(&error, Error::Usage(text) if text.contains("padding")), "{error}");
    }
}

#[test]
fn levels_that_do_not_cover_their_row_are_refused() {
    let (bytes, encoder) = (sample_row(&SMALL, 0, 0), RowEncoder::new(SMALL, None, 1));
    let good = sample_levels(&SMALL, 0, &bytes);
    let with = |change: fn(&mut RowLevels)| {
        let mut levels = good.clone();
        change(&mut levels);
        levels
    };
    for bad in [
        RowLevels::default(),
        with(|levels| levels.entries[3] += 1),
        with(|levels| levels.entries.push(0)),
        with(|levels| levels.positions.push(0)),
        with(|levels| {
            levels.entries.resize(65, 0);
            levels.positions.resize(65, 0);
        }),
        // The sum is right modulo 2^64.
        with(|levels| [1, 2].iter().for_each(|&level| levels.entries[level] = 1 << 63)),
    ] {
        assert!(matches!(encoder.encode(0, &bytes, &bad), Err(Error::Usage(_))), "{bad:?}");
        // As a reader meets it.
        let record = RowRecord { levels: bad.entries, positions: bad.positions, ..put_record(&encoder, &bytes, &good) };
        assert!(record.check(0, &SMALL, None).is_err(), "{record:?}");
    }
    assert!(put_record(&encoder, &bytes, &good).check(0, &SMALL, None).is_ok());
}

fn put_record(encoder: &RowEncoder, bytes: &[u8], levels: &RowLevels) -> RowRecord {
    encoder.encode(0, bytes, levels).unwrap().record
}

/// Puts a row whose bytes the encoder would refuse, with everything around them as it must be.
fn put_forged(builder: &mut Builder, row: u32, bytes: &[u8]) {
    let layout = *builder.layout();
    let mut forged = encoded(&builder.encoder(), &layout, row, 0);
    let identity = segment::Identity::new(&layout, row, forged.record.generation);
    let pages: Vec<_> = (0..)
        .zip(bytes.chunks(layout.page_bytes()))
        .map(|(page, bytes)| segment::pack_page(&identity, page, bytes).unwrap())
        .collect();
    forged.segments = segment::pack_row(&layout, &identity, &pages);
    forged.record.segments = forged.segments.iter().map(|&(first, _)| first).collect();
    forged.record.digest = blake3::hash(bytes).to_hex().to_string();
    builder.put_row(forged).unwrap();
}

#[test]
fn stored_bytes_that_are_not_entries_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    let mut builder = begin(&store, &DIGITS, false);
    (0..DIGITS.rows).for_each(|row| put(&mut builder, row, 0));
    let mut bad = sample_row(&DIGITS, 1, 0);
    bad[30] = 255;
    put_forged(&mut builder, 1, &bad);
    let mut bad = sample_row(&DIGITS, 2, 0);
    trits::set(&mut bad, DIGITS.row_entries(), 2);
    put_forged(&mut builder, 2, &bad);
    put_forged(&mut builder, 3, &sample_row(&DIGITS, 3, 77));
    builder.finish(BuildInfo::default()).unwrap();
    let table = store.table(&DIGITS).unwrap();
    let mut found = Vec::new();
    table.verify(&Context::silent(), &mut |error| found.push(data_error(error))).unwrap();
    let words = ["bytes that are not entries", "padding is not zero", "does not match its histogram"];
    assert_eq!(found.len(), 3, "{found:?}");
    for ((row, words), fault) in (1..).zip(words).zip(&found) {
        assert!(fault.row == Some(row) && fault.fault == Fault::Damaged && fault.detail.contains(words), "{fault}");
    }
    // Nobody panics who reads it all the same.
    assert_eq!(table.get(1, 120).unwrap(), trits::INVALID);
    assert!(table.get(2, DIGITS.row_entries()).is_err());
}

/// Nothing by itself: [`a_killed_builder_leaves_the_old_table`] runs it in a process of its own, where it is killed.
#[test]
fn child_that_is_killed() {
    let Some(dir) = std::env::var_os("TWISTBASE_TEST_DIR") else { return };
    let store = Store::open(dir);
    let mut builder = begin(&store, &SMALL, true);
    put(&mut builder, 0, 1);
    put(&mut builder, 1, 1);
    builder.checkpoint().unwrap();
    put(&mut builder, 2, 1);
    std::process::abort();
}

#[test]
fn a_killed_builder_leaves_the_old_table() {
    let (dir, store) = built(&SMALL);
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::child_that_is_killed"])
        .env("TWISTBASE_TEST_DIR", dir.path())
        .output()
        .unwrap();
    assert!(!status.status.success());
    let found = store.status(&SMALL).unwrap();
    assert!(matches!(found.state, TableState::Complete(_)) && found.builder.is_none() && found.building_bytes > 0);
    assert_eq!(damaged_pages(&store.table(&SMALL).unwrap(), &samples(&SMALL)), 0);
    // A file that was never closed has to be repaired before its rows can be counted; a status repairs nothing.
    fs::rename(dir.path().join("small.redb"), dir.path().join("away")).unwrap();
    assert_eq!(store.status(&SMALL).unwrap().state, TableState::Unfinished(None));
    let mut builder = begin(&store, &SMALL, false);
    assert!(builder.has_row(0) && builder.has_row(1) && !builder.has_row(2));
    (2..SMALL.rows).for_each(|row| put(&mut builder, row, 1));
    builder.finish(BuildInfo::default()).unwrap();
    let table = store.table(&SMALL).unwrap();
    assert_eq!(table.verify(&Context::silent(), &mut |error| panic!("{error}")).unwrap().faults, 0);
    assert_eq!(table.manifest().generation, 2);
}

#[test]
fn other_versions_are_stale_and_can_be_built_over() {
    let (_dir, store) = built(&SMALL);
    for layout in [
        TableLayout { spec_version: 4, ..SMALL },
        TableLayout { generator_version: 9, ..SMALL },
        TableLayout { rows: 6, ..SMALL },
        TableLayout { page_entries: 80, ..SMALL },
        TableLayout { packing: Packing::Mod3, ..SMALL },
        TableLayout { padding: 1, ..SMALL },
        TableLayout { id: 8, ..SMALL },
    ] {
        let error = fault_of(&store, &layout);
        assert_eq!((error.fault, &*error.remedy.to_string()), (Fault::Stale, "build small"), "{error}");
        assert!(matches!(store.status(&layout).unwrap().state, TableState::Stale { .. }));
        drop(begin(&store, &layout, false));
    }
}

#[test]
fn files_that_are_not_tables_are_refused() {
    let (dir, store) = built(&SMALL);
    let path = dir.path().join("small.redb");
    let good = fs::read(&path).unwrap();
    let garbage = sample_row(&REAL, 0, 5);
    let magic_only = [&good[..9], &garbage].concat();
    for (bytes, fault) in [
        (&b""[..], Fault::Foreign),
        (b"redb", Fault::Foreign),
        (&garbage, Fault::Foreign),
        (&good[..9], Fault::Damaged),
        (&good[..4096], Fault::Damaged),
        (&good[..good.len() / 2], Fault::Damaged),
        (&magic_only, Fault::Damaged),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = fault_of(&store, &SMALL);
        assert_eq!(error.fault, fault, "{} bytes: {error}", bytes.len());
        assert!(matches!(store.status(&SMALL).unwrap().state, TableState::Faulty(_)));
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(fault_of(&store, &SMALL).fault, Fault::Foreign);
    // Found out before hours of building end in a rename that fails.
    for force in [false, true] {
        assert_eq!(store.build(&SMALL, None, force, &Context::silent()).unwrap_err().class(), Class::Data);
    }
}

#[test]
fn handles_can_be_passed_between_threads() {
    fn send<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    send::<Builder>();
    shared::<RowEncoder>();
    shared::<EncodedRow>();
    shared::<StoredTable>();
    shared::<crate::cache::CachedTable>();
}

#[test]
fn a_table_is_mended_from_its_own_intact_rows() {
    let (dir, store) = built(&SMALL);
    let before = store.table(&SMALL).unwrap().manifest().digest.clone();
    let path = dir.path().join("small.redb");
    let good = fs::read(&path).unwrap();
    // Some of the segments in the file are of earlier transactions: damage the first one that counts.
    let (old, damaged_row) = segment_ranges(&good)
        .into_iter()
        .find_map(|range| {
            let mut bad = good.clone();
            bad[range.start + 24] ^= 1;
            fs::write(&path, &bad).unwrap();
            let table = store.table(&SMALL).unwrap();
            let row = (0..SMALL.rows).find(|&row| !table.verify_row(row).is_empty())?;
            Some((table, row))
        })
        .unwrap();
    let mut builder = begin(&store, &SMALL, true);
    let mut row_bytes = vec![0; SMALL.row_bytes()];
    for row in 0..SMALL.rows {
        if row != damaged_row {
            old.read_row(row, &mut row_bytes).unwrap();
        } else {
            assert!(old.read_row(row, &mut row_bytes).is_err());
            row_bytes = sample_row(&SMALL, row, 0);
        }
        let encoded = builder.encoder().encode(row, &row_bytes, &sample_levels(&SMALL, row, &row_bytes)).unwrap();
        builder.put_row(encoded).unwrap();
    }
    assert_eq!(builder.finish(BuildInfo::default()).unwrap().digest, before);
}

/// Changes a complete file through redb, as a fault of memory or another program would.
fn change(path: &Path, change: impl FnOnce(&redb::WriteTransaction)) {
    let db = redb::Database::open(path).unwrap();
    let mut txn = db.begin_write().unwrap();
    txn.set_quick_repair(true);
    change(&txn);
    txn.commit().unwrap();
}

/// Rewrites one record of a complete file.
fn overwrite(path: &Path, table: redb::TableDefinition<'static, &'static str, &'static [u8]>, key: &str, bytes: &[u8]) {
    change(path, |txn| drop(txn.open_table(table).unwrap().insert(key, bytes).unwrap()));
}

#[test]
fn a_newer_schema_is_refused_with_both_versions() {
    let (dir, store) = built(&SMALL);
    let newer = serde_json::json!({ "schema": 99, "something": ["else", "entirely"] });
    let sealed = record::seal(record::RecordSlot::Meta, &newer).unwrap();
    overwrite(&dir.path().join("small.redb"), engine::META, "meta", &sealed);
    let error = fault_of(&store, &SMALL);
    assert_eq!(error.fault, Fault::Foreign);
    assert!(error.detail.contains("99") && error.detail.contains("reads up to 3"), "{error}");
    // Nor is it overwritten, unless one insists.
    assert_eq!(store.build(&SMALL, None, false, &Context::silent()).unwrap_err().class(), Class::Data);
    begin(&store, &SMALL, true);
}

#[test]
fn an_older_schema_is_stale_and_is_built_over() {
    let (dir, store) = built(&SMALL);
    let older = serde_json::json!({
        "schema": 1, "uuid": Uuid::nil().to_string(), "creator": "twistbase 0.1.0", "generation": 1,
        "geometry": { "name": "small", "id": 9, "rows": 5, "pages": 7, "page_entries": 40, "spec_version": 3,
            "generator_version": 4 },
    });
    let sealed = record::seal(record::RecordSlot::Meta, &older).unwrap();
    overwrite(&dir.path().join("small.redb"), engine::META, "meta", &sealed);
    let error = fault_of(&store, &SMALL);
    assert_eq!((error.fault, &*error.remedy.to_string()), (Fault::Stale, "build small"));
    assert!(error.detail.contains("older version") && error.detail.contains("schema 1"), "{error}");
    assert!(matches!(store.status(&SMALL).unwrap().state, TableState::Faulty(fault) if fault == error.into()));
    // An interrupted build of an older schema is begun again.
    fs::copy(dir.path().join("small.redb"), dir.path().join("small.building.redb")).unwrap();
    let mut builder = begin(&store, &SMALL, false);
    assert_eq!(builder.rows_done(), 0);
    (0..SMALL.rows).for_each(|row| put(&mut builder, row, 0));
    builder.finish(BuildInfo::default()).unwrap();
    assert_eq!(damaged_pages(&store.table(&SMALL).unwrap(), &samples(&SMALL)), 0);
}

#[test]
fn a_distribution_that_is_not_the_rows_is_found() {
    let (dir, store) = built(&SMALL);
    let mut manifest = store.table(&SMALL).unwrap().manifest().clone();
    manifest.distribution[9] += 1;
    let sealed = record::seal(record::RecordSlot::Manifest("small"), &manifest).unwrap();
    overwrite(&dir.path().join("small.redb"), engine::MANIFEST, "manifest", &sealed);
    let mut found = Vec::new();
    let table = store.table(&SMALL).unwrap();
    table.verify(&Context::silent(), &mut |error| found.push(data_error(error).detail)).unwrap();
    assert!(matches!(&found[..], [detail] if detail.contains("do not add up")), "{found:?}");
}

#[test]
fn rows_and_segments_of_nobody_are_found() {
    for strange in ["row", "segment"] {
        let (dir, store) = built(&SMALL);
        change(&dir.path().join("small.redb"), |txn| {
            if strange == "row" {
                txn.open_table(engine::ROWS).unwrap().insert(SMALL.rows, &b"of nobody"[..]).unwrap();
            } else {
                let key = segment::key(SMALL.id, SMALL.rows, 0);
                txn.open_table(engine::SEGMENTS).unwrap().insert(&key, &b"of nobody"[..]).unwrap();
            }
        });
        let mut found = Vec::new();
        let table = store.table(&SMALL).unwrap();
        table.verify(&Context::silent(), &mut |error| found.push(data_error(error).detail)).unwrap();
        assert!(matches!(&found[..], [detail] if detail.contains("do not belong to it")), "{strange}: {found:?}");
    }
}

#[test]
fn a_damaged_record_is_noticed() {
    let (dir, store) = built(&SMALL);
    let path = dir.path().join("small.redb");
    let mut manifest =
        record::seal(record::RecordSlot::Manifest("small"), store.table(&SMALL).unwrap().manifest()).unwrap();
    manifest[40] ^= 1;
    overwrite(&path, engine::MANIFEST, "manifest", &manifest);
    assert_eq!(fault_of(&store, &SMALL).fault, Fault::Damaged);
}

/// The places in a file where the segments lie.
fn segment_ranges(file: &[u8]) -> Vec<std::ops::Range<usize>> {
    let starts = file.windows(5).enumerate().filter(|(_, bytes)| *bytes == b"TWSG\x01").map(|(at, _)| at);
    // Header, entries, and at most 20 bytes for each of seven pages.
    starts.map(|at| at..(at + 16 + 7 * 16 + 7 * 20).min(file.len())).collect()
}

#[test]
fn every_flipped_bit_of_a_segment_is_found_where_it_is() {
    let (dir, store) = built(&SMALL);
    let path = dir.path().join("small.redb");
    let good = fs::read(&path).unwrap();
    let expected = samples(&SMALL);
    let ranges = segment_ranges(&good);
    assert!(ranges.len() >= SMALL.rows as usize);
    let mut found_faults = 0;
    for at in ranges.into_iter().flatten() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(&path, &bad).unwrap();
        let table = store.table(&SMALL).unwrap();
        let damaged = damaged_pages(&table, &expected);
        let mut faults = Vec::new();
        table.verify(&Context::silent(), &mut |error| faults.push(data_error(error))).unwrap();
        // Segments of earlier transactions lie about in the file too: those flips do no harm.
        assert_eq!(damaged > 0, !faults.is_empty(), "byte {at}");
        for fault in &faults {
            assert!(fault.table == "small" && fault.row.is_some() && fault.page.is_some(), "{fault}");
            assert_eq!(fault.remedy.to_string(), "rebuild small");
        }
        found_faults += faults.len();
    }
    assert!(found_faults > 500, "{found_faults}");
}

/// Flips a bit at every place of the file where one may matter, but for those that are left out between `step`s.
fn flip_in_the_file(step: usize) {
    let (dir, store) = built(&SMALL);
    let path = dir.path().join("small.redb");
    let good = fs::read(&path).unwrap();
    let expected = samples(&SMALL);
    // Zero bytes are mostly unused space: of those, the header's and the beginnings of pages are tried.
    let places =
        (0..good.len()).filter(|&at| good[at] != 0 || (at < 8192 && at % 8 == 0) || at % 4096 < 4).step_by(step);
    let (mut opened, mut refused) = (0, 0);
    let mut bad = good.clone();
    fs::write(&path, &good).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    use std::os::unix::fs::FileExt;
    for at in places {
        bad[at] ^= 1 << (at % 8);
        file.write_all_at(&bad[at..=at], at as u64).unwrap();
        match store.table(&SMALL) {
            Ok(table) => {
                opened += 1;
                damaged_pages(&table, &expected);
                table.verify(&Context::silent(), &mut |_| {}).unwrap();
            }
            Err(error) => {
                refused += 1;
                assert_eq!(error.class(), Class::Data, "byte {at}: {error}");
            }
        }
        bad[at] = good[at];
        file.write_all_at(&good[at..=at], at as u64).unwrap();
    }
    assert!(opened > 100 && refused > 100, "{opened} opened, {refused} refused");
    assert_eq!(damaged_pages(&store.table(&SMALL).unwrap(), &expected), 0);
}

#[test]
fn a_flip_in_the_file_is_harmless_or_an_error() {
    flip_in_the_file(11);
}

#[test]
#[ignore = "long suite: a flip in every byte that is used"]
fn a_flip_anywhere_in_the_file_is_harmless_or_an_error() {
    flip_in_the_file(1);
}

#[test]
fn verify_goes_on_after_a_row_whose_record_is_damaged() {
    let (dir, store) = built(&SMALL);
    change(&dir.path().join("small.redb"), |txn| {
        txn.open_table(engine::ROWS).unwrap().insert(1, &b"12345678{}"[..]).unwrap();
        txn.open_table(engine::SEGMENTS).unwrap().remove(&segment::key(SMALL.id, 3, 0)).unwrap();
    });
    let table = store.table(&SMALL).unwrap();
    let mut rows = Vec::new();
    table.verify(&Context::silent(), &mut |error| rows.push(data_error(error).row)).unwrap();
    assert_eq!(rows, [Some(1), Some(3)]);
    assert!(table.get(0, 0).is_ok() && table.get(1, 0).is_err() && table.get(2, 0).is_ok());
    assert_eq!((table.verify_row(2).len(), table.verify_row(3).len()), (0, 1));
}

#[test]
fn verify_stops_when_it_is_cancelled() {
    let (_dir, store) = built(&SMALL);
    let ctx = Context::silent();
    ctx.cancel();
    assert!(matches!(store.table(&SMALL).unwrap().verify(&ctx, &mut |_| {}), Err(Error::Interrupted)));
}

#[test]
fn readers_share_a_table() {
    let (_dir, store) = built(&REAL);
    let (one, two) = (store.table(&REAL).unwrap(), store.table(&REAL).unwrap());
    let row = sample_row(&REAL, 1, 0);
    std::thread::scope(|scope| {
        for table in [&one, &two, &one] {
            scope.spawn(|| {
                for entry in (0..REAL.row_entries()).step_by(4999) {
                    assert_eq!(table.get(1, entry).unwrap(), REAL.packing.get(&row, entry).unwrap());
                }
            });
        }
    });
}

/// Records of two files, each sealed and right in itself: what a copy that went wrong may leave.
#[test]
fn a_manifest_of_another_build_is_refused() {
    let [(dir, store), (_other_dir, other)] = [(); 2].map(|()| built(&SMALL));
    let manifest = |store: &Store| {
        let stored = store.table(&SMALL).unwrap().manifest().clone();
        record::seal(record::RecordSlot::Manifest(SMALL.name), &stored).unwrap()
    };
    let (own, foreign) = (manifest(&store), manifest(&other));
    let file = dir.path().join("small.redb");
    overwrite(&file, engine::MANIFEST, "manifest", &foreign);
    let fault = fault_of(&store, &SMALL);
    assert_eq!((fault.fault, fault.detail.as_str()), (Fault::Damaged, "its manifest belongs to another build"));
    // An older one of the same file, too.
    build(&store, &SMALL, 1);
    overwrite(&file, engine::MANIFEST, "manifest", &own);
    assert_eq!(fault_of(&store, &SMALL).detail, "its manifest belongs to another build");
}
