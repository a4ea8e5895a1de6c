//! Files that are damaged, of other versions or of nobody: what is in them is found, told and never taken for an answer.

use std::fs;
use std::path::Path;

use uuid::Uuid;

use super::*;
use twistbase_core::error::{Fault, Remedy};
use twistbase_core::math::trits;

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
    assert!(error.detail.contains("99") && error.detail.contains("versions up to 3"), "{error}");
    // Nor is it overwritten, unless one insists.
    assert_eq!(store.build(&SMALL, None, false, &Context::silent()).unwrap_err().class(), Class::Data);
    begin(&store, &SMALL, true);
}

#[test]
fn a_build_that_a_newer_program_began_is_not_discarded_without_being_asked() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    put(&mut begin(&store, &SMALL, false), 0, 0);
    let newer = record::seal(record::RecordSlot::Meta, &serde_json::json!({ "schema": 99 })).unwrap();
    let building = dir.path().join("small.building.redb");
    overwrite(&building, engine::META, "meta", &newer);
    let error = data_error(store.build(&SMALL, None, false, &Context::silent()).unwrap_err());
    assert!(error.fault == Fault::Foreign && error.file == Some(building.clone()) && building.exists(), "{error}");
    assert_eq!(begin(&store, &SMALL, true).rows_done(), 0);
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
        assert!(
            matches!(&found[..], [detail] if detail.contains("rows or segments of another table")),
            "{strange}: {found:?}"
        );
    }
}

/// The row that replaces a damaged one may need fewer segments: those of the damaged one must not stay, also where no row is intact.
#[test]
fn a_row_that_replaces_a_damaged_one_leaves_nothing_of_it() {
    for damaged in [vec![1], vec![0, 1]] {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path());
        let mut builder = begin(&store, &REAL, false);
        (0..REAL.rows).for_each(|row| put(&mut builder, row, 0));
        let before = encoded(&builder.encoder(), &REAL, 1, 0).segments.len();
        drop(builder);
        change(&dir.path().join("real.building.redb"), |txn| {
            let mut rows = txn.open_table(engine::ROWS).unwrap();
            damaged.iter().for_each(|&row| drop(rows.insert(row, &b"damaged"[..]).unwrap()));
        });
        let mut builder = begin(&store, &REAL, false);
        assert!((0..REAL.rows).all(|row| builder.has_row(row) != damaged.contains(&row)));
        let uniform = vec![0x11; REAL.row_bytes()];
        for row in &damaged {
            let replacement = builder.encoder().encode(*row, &uniform, &sample_levels(&REAL, *row, &uniform)).unwrap();
            assert!(replacement.segments.len() < before);
            builder.put_row(replacement).unwrap();
        }
        builder.finish(BuildInfo::default()).unwrap();
        let table = store.table(&REAL).unwrap();
        assert_eq!(table.verify(&Context::silent(), &mut |error| panic!("{error}")).unwrap().faults, 0);
        assert_eq!(table.get(1, 5).unwrap(), 1);
    }
}

#[test]
fn a_manifest_of_another_build_is_damage() {
    let (dir, store) = built(&SMALL);
    let right = store.table(&SMALL).unwrap().manifest().clone();
    let others: [fn(&mut Manifest); 3] = [
        |manifest| manifest.depth = Some(3),
        |manifest| manifest.generation += 1,
        |manifest| manifest.uuid = Uuid::nil(),
    ];
    for make_other in others {
        let mut manifest = right.clone();
        make_other(&mut manifest);
        let sealed = record::seal(record::RecordSlot::Manifest("small"), &manifest).unwrap();
        overwrite(&dir.path().join("small.redb"), engine::MANIFEST, "manifest", &sealed);
        let error = fault_of(&store, &SMALL);
        assert!(error.fault == Fault::Damaged && error.detail.contains("another build"), "{error}");
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

/// What one reader met latches an error on the handle that all share; others are told of their own rows alone.
#[test]
fn what_spoiled_a_handle_is_not_told_of_other_rows() {
    let (dir, store) = built(&BIG_DIGITS);
    let path = dir.path().join("big-digits.redb");
    let (table, good) = (store.table(&BIG_DIGITS).unwrap(), fs::read(&path).unwrap());
    // Without the rest, nothing can be read, nor opened again.
    fs::write(&path, &good[..4096]).unwrap();
    assert!(!table.verify_row(1).is_empty());
    fs::write(&path, &good).unwrap();
    for row in 0..BIG_DIGITS.rows {
        assert_eq!(table.verify_row(row).iter().map(Error::to_string).collect::<Vec<_>>(), [""; 0], "row {row}");
    }
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
#[ignore = "tier two: a flip in every byte that is used"]
fn full_a_flip_anywhere_in_the_file_is_harmless_or_an_error() {
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

/// Pages of a file of records that hold nothing any more: reading, repairing and writing are refused or done, and nothing panics.
#[test]
fn a_zeroed_page_of_a_file_of_records_is_harmless_or_an_error() {
    static KIND: RecordKind =
        RecordKind { name: "notes", record: "note", schema: 1, remedy: |_, _| Remedy::build("notes") };
    const PAGE: usize = 4096;
    let dir = tempfile::tempdir().unwrap();
    let (file, ctx) = (RecordFile::new(&Store::open(dir.path()), &KIND), Context::silent());
    let path = file.path().expect("a file on the disk");
    let text = "long enough that the records of a few numbers fill a page of the file".repeat(8);
    {
        let writer = file.writer(&ctx).unwrap();
        for number in 0..80 {
            writer.insert(&[(number, writer.seal(number, &text).unwrap())]).unwrap();
        }
    }
    let (good, right) = (fs::read(path).unwrap(), file.sealed(0..=99, 99).unwrap());
    let (mut refused, mut written) = (0, 0);
    for page in (0..good.len() / PAGE).filter(|page| good[page * PAGE..][..PAGE].iter().any(|&byte| byte != 0)) {
        let mut bytes = good.clone();
        bytes[page * PAGE..][..PAGE].fill(0);
        fs::write(path, &bytes).unwrap();
        match file.sealed(0..=99, 99) {
            // A record under a checksum is what was written, or is refused when it is unsealed.
            Ok(read) => read.iter().for_each(|(number, bytes)| {
                assert!(file.unseal::<String>(*number, bytes).map_or(true, |read| read == text), "page {page}");
            }),
            Err(error) => {
                assert!(matches!(error.class(), Class::Data), "page {page}: {error}");
                refused += 1;
            }
        }
        let put = file.writer(&ctx).and_then(|writer| writer.insert(&[(90, writer.seal(90, &text)?)]));
        match put {
            Ok(()) => written += 1,
            Err(error) => assert!(matches!(error.class(), Class::Data), "page {page}: {error}"),
        }
    }
    assert!(refused > 0 && written > 0 && right.len() == 80, "{refused} {written}");
}
