//! Builds: what is put is read back, interrupted ones go on, readers and builders meet.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;
use twistbase_core::error::Fault;
use twistbase_core::math::trits;

/// An empty store in a folder, and one in memory.
fn places(dir: &tempfile::TempDir) -> [Store; 2] {
    [Store::open(dir.path()), Store::in_memory()]
}

#[test]
fn what_was_put_is_read_back() {
    let (dir, layouts) = (tempfile::tempdir().unwrap(), [SMALL, REAL, DIGITS, BIG_DIGITS]);
    for (layout, store) in layouts.into_iter().flat_map(|layout| places(&dir).map(|store| (layout, store))) {
        build(&store, &layout, 0);
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
    for store in [Store::open(dir.path().join("not/yet/there")), Store::in_memory()] {
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
}

#[test]
fn an_unfinished_build_cannot_be_finished() {
    for store in places(&tempfile::tempdir().unwrap()) {
        let mut builder = begin(&store, &SMALL, false);
        put(&mut builder, 0, 0);
        let error = data_error(builder.finish(BuildInfo::default()).unwrap_err());
        assert_eq!((error.fault, error.row), (Fault::Unfinished, Some(1)));
        assert!(begin(&store, &SMALL, false).has_row(0));
    }
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
    for store in places(&tempfile::tempdir().unwrap()) {
        build(&store, &SMALL, 0);
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

/// What is in memory belongs to the clones of a store, and to who has a table open; another store has none of it.
#[test]
fn a_store_in_memory_is_shared_by_its_clones_alone() {
    let store = Store::in_memory();
    build(&store, &SMALL, 0);
    let (clone, other) = (store.clone(), Store::in_memory());
    assert!(clone == store && other != store && store.dir().is_none() && store.file_of(&SMALL).is_none());
    assert_eq!((store.to_string(), other.status(&SMALL).unwrap().state), (IN_MEMORY.to_owned(), TableState::Missing));
    let fault = fault_of(&other, &SMALL);
    assert_eq!((fault.fault, fault.file), (Fault::Missing, None));
    let (first, edition) = (clone.table(&SMALL).unwrap(), store.edition(&SMALL));
    let builder = begin(&clone, &SMALL, true);
    assert_eq!(store.build(&SMALL, None, true, &Context::silent()).unwrap_err().class(), Class::Busy);
    let status = store.status(&SMALL).unwrap();
    assert!(status.builder.is_some() && status.bytes > 0 && status.building_bytes > 0 && status.file.is_none());
    drop(builder);
    assert_eq!((store.status(&SMALL).unwrap().builder, store.edition(&SMALL)), (None, edition));
    build(&store, &SMALL, 1);
    assert_ne!(store.edition(&SMALL), edition);
    assert_eq!(clone.status(&SMALL).unwrap().building_bytes, 0);
    drop((store, clone));
    assert_eq!(damaged_pages(&first, &samples(&SMALL)), 0);
}

/// Two stores may share a table through links: it is built in one place, by one of them.
#[test]
fn a_table_that_is_linked_has_one_builder() {
    let (common, _) = built(&SMALL);
    let complete = common.path().join(format!("{}.redb", SMALL.name));
    let stores = [(); 2].map(|()| {
        let dir = tempfile::tempdir().unwrap();
        symlink(&complete, dir.path().join(complete.file_name().unwrap())).unwrap();
        (Store::open(dir.path()), dir)
    });
    let ctx = Context::silent();
    let first = stores[0].0.build(&SMALL, None, true, &ctx).unwrap();
    assert_eq!(stores[1].0.build(&SMALL, None, true, &ctx).unwrap_err().class(), Class::Busy);
    assert_eq!(Store::open(common.path()).build(&SMALL, None, true, &ctx).unwrap_err().class(), Class::Busy);
    drop(first);
    // A link in the place of what is begun would take the name of the table.
    let building = common.path().join(format!("{}.building.redb", SMALL.name));
    fs::remove_file(&building).unwrap();
    symlink(common.path().join("elsewhere"), &building).unwrap();
    let refused = stores[0].0.build(&SMALL, None, true, &ctx).unwrap_err().to_string();
    assert!(refused.contains("the file is a link") && !common.path().join("elsewhere").exists(), "{refused}");
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
        .args(["--exact", "tests::builds::child_that_is_killed"])
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
fn handles_can_be_passed_between_threads() {
    fn send<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    send::<Builder>();
    shared::<RowEncoder>();
    shared::<EncodedRow>();
    shared::<StoredTable>();
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
