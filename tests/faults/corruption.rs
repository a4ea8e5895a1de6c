//! Bytes that are not what was written: single bits, truncations, and files that are something else.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use twistbase::cache::{self, CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::error::{Class, DataError, Error};
use twistbase::store::{Entries, Store, StoredTable, TableLayout};
use twistbase::tables::Definition;

use super::power::number_from;
use super::segments::{SegmentPlace, segment_starts};
use super::{Ended, Numbers, Questions, SMALL, copy_of, digest, files, run, small, succeed};
use crate::support::{CUBE21, Fixture, count, rows};

/// So many flips of a full-size table, instead of the usual number.
const FLIPS: &str = "TWISTBASE_TEST_FLIPS";
/// Flips in one row: it is the reading of rows that takes time.
const FLIPS_OF_ROW: usize = 20;

/// A file that can be damaged in place.
pub struct Victim {
    file: File,
    path: PathBuf,
}

impl Victim {
    pub fn new(path: PathBuf) -> Self {
        fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("permission");
        let file = OpenOptions::new().read(true).write(true).open(&path).expect("the file");
        Self { file, path }
    }

    pub fn len(&self) -> u64 {
        self.file.metadata().expect("metadata").len()
    }

    /// Flips one bit; a second time mends it.
    pub fn flip(&self, at: u64, bit: u64) {
        let mut byte = [0];
        self.file.read_exact_at(&mut byte, at).expect("a byte");
        self.file.write_all_at(&[byte[0] ^ (1 << (bit % 8))], at).expect("a byte");
    }

    pub fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).expect("the file")
    }
}

pub fn open(dir: &Path, layout: &TableLayout) -> Result<StoredTable, Error> {
    Store::open(dir).table(layout)
}

pub fn faults(table: &StoredTable) -> Vec<DataError> {
    let mut faults = Vec::new();
    let checked = table.verify(&Context::silent(), &mut |error| match error {
        Error::Data(fault) => faults.push(fault),
        other => panic!("{other}"),
    });
    assert_eq!(checked.expect("not interrupted").faults, faults.len() as u64);
    faults
}

/// What came of flips.
#[derive(Debug, Default)]
struct Tally {
    flips: usize,
    in_segments: usize,
    elsewhere_reported: usize,
    refused: usize,
    unnoticed: usize,
}

/// Flips a bit in every `step`th byte of a table's file, and in few of those pages of 4 KiB that redb has in
/// reserve, where nothing is written.
pub fn flip_store(dir: &Path, layout: &TableLayout, step: usize) {
    let victim = Victim::new(dir.join(format!("{}.redb", layout.name)));
    let sound = open(dir, layout).expect("sound");
    let right = rows(&sound);
    let live = (0..layout.rows).map(|row| sound.row_record(row).expect("sound").segments.len()).sum::<usize>();
    drop(sound);
    // A segment does not say whose it is; that its magic is missed says so.
    let bytes = victim.bytes();
    let mut segments = BTreeMap::new();
    for at in segment_starts(&bytes) {
        victim.flip(at as u64, 0);
        if let [fault] = &faults(&open(dir, layout).expect("sound records"))[..] {
            let segment = SegmentPlace::parse(&bytes, at, fault.row.expect("a row"));
            assert_eq!(fault.page, Some(segment.first));
            segments.insert(segment.head.start, segment);
        }
        victim.flip(at as u64, 0);
    }
    assert_eq!(segments.len(), live, "every segment is live and found");
    let empty: Vec<bool> = bytes.chunks(4096).map(|page| page.iter().all(|&byte| byte == 0)).collect();
    let mut tally = Tally::default();
    for at in (0..victim.len()).step_by(step).filter(|at| !empty[*at as usize / 4096] || at % 61 == 0) {
        victim.flip(at, at);
        let segment =
            segments.range(..=at).next_back().map(|(_, found)| found).filter(|found| found.all().contains(&at));
        check_flip(dir, layout, &right, segment.map(|found| (found, at)), &mut tally);
        victim.flip(at, at);
    }
    assert!(faults(&open(dir, layout).expect("sound")).is_empty(), "every flip was mended");
    assert!(tally.in_segments > tally.flips / 4 && tally.refused > 0, "{tally:?}");
    println!("flips of the store's file: {tally:?}");
}

/// Reads everything from a table with one flipped bit.
fn check_flip(
    dir: &Path,
    layout: &TableLayout,
    right: &[Vec<u8>],
    place: Option<(&SegmentPlace, u64)>,
    tally: &mut Tally,
) {
    tally.flips += 1;
    let table = match open(dir, layout) {
        Ok(table) => table,
        Err(error) => {
            assert!(error.class() == Class::Data && place.is_none(), "{place:?}: {error}");
            tally.refused += 1;
            return;
        }
    };
    let mut nibbles = vec![0; layout.row_bytes()];
    let mut unreadable = Vec::new();
    for (row, right) in (0..).zip(right) {
        match table.read_row(row, &mut nibbles) {
            Ok(()) => assert!(nibbles == *right, "a wrong answer: {place:?} row {row}"),
            Err(error) => {
                assert_eq!(error.class(), Class::Data, "{error}");
                unreadable.push(row);
            }
        }
    }
    let found = faults(&table);
    assert!(unreadable.is_empty() || !found.is_empty(), "unreadable, but verify finds nothing: {unreadable:?}");
    match place {
        Some((segment, at)) => {
            tally.in_segments += 1;
            assert_eq!(unreadable, [segment.row]);
            let named = |fault: &DataError| {
                fault.row == Some(segment.row) && fault.page.is_some_and(|page| segment.pages_at(at).contains(&page))
            };
            assert!(!found.is_empty() && found.iter().all(named), "{segment:?} at {at}: {found:?}");
        }
        None if found.is_empty() => tally.unnoticed += 1,
        None => tally.elsewhere_reported += 1,
    }
}

#[test]
fn a_flipped_bit_of_the_store_is_reported_where_it_is_and_never_answers() {
    let fixture = small();
    flip_store(fixture.path(), fixture.definition.layout(), 2003);
}

#[test]
#[ignore = "tier two: thousands of flips"]
fn full_flipped_bits_all_over_the_store_are_reported() {
    let fixture = small();
    flip_store(fixture.path(), fixture.definition.layout(), 197);
}

/// The program on stores with a flipped bit.
fn flip_under_the_program(flips: u64) {
    let fixture = small();
    let dir = fixture.path();
    let questions = Questions::new(dir, SMALL, 600);
    let store = Victim::new(dir.join("square1-corners.redb"));
    let mut numbers = Numbers(6);
    let (mut reported, mut refused) = (0, 0);
    for _ in 0..flips {
        let (at, bit) = (numbers.below(320 << 10), numbers.below(8));
        store.flip(at, bit);
        let unanswered = questions.check_right_or_refused(dir);
        succeed_or_data(&run(dir, &["cache", "drop", SMALL]));
        let verified = run(dir, &["verify", SMALL, "--json"]);
        check_report(&verified);
        assert!(unanswered == 0 || verified.code == Some(4), "byte {at}: unanswered, but verify finds nothing");
        reported += usize::from(verified.code == Some(4));
        refused += usize::from(unanswered > 0);
        store.flip(at, bit);
    }
    succeed(dir, &["verify", SMALL]);
    println!("{flips} flips under the program: {reported} reported by verify, {refused} left positions without answer");
}

fn succeed_or_data(ended: &Ended) {
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:?}");
}

/// Exit status 0 without findings, or 4 with findings that name the table.
fn check_report(verified: &Ended) {
    let lines = verified.json();
    let (summary, findings) = lines.split_last().expect("a summary");
    assert_eq!(verified.code, Some(if findings.is_empty() { 0 } else { 4 }), "{verified:?}");
    assert_eq!(summary["faults"], findings.len());
    assert!(findings.iter().all(|finding| finding["table"] == SMALL && finding["remedy"].is_string()), "{findings:?}");
    assert!(findings.iter().all(|finding| finding["row"].is_null() == finding["row_name"].is_null()), "{findings:?}");
}

#[test]
fn the_program_survives_flipped_bits() {
    flip_under_the_program(20);
}

#[test]
#[ignore = "tier two: hundreds of flips"]
fn full_the_program_survives_many_flipped_bits() {
    flip_under_the_program(150);
}

/// Pages of redb's index that are zero make it panic.
#[test]
#[ignore = "long suite: seconds of processor time"]
fn no_message_quotes_a_panic() {
    let fixture = small();
    let (dir, file) = (fixture.path(), fixture.path().join("square1-corners.redb"));
    let right = fs::read(&file).expect("a file");
    for page in (1..right.len() / 4096).step_by(7) {
        let mut wrong = right.clone();
        wrong[page * 4096..(page + 1) * 4096].fill(0);
        fs::write(&file, wrong).expect("a file");
        for args in [&["query", SMALL, "/"][..], &["stats", SMALL], &["verify", SMALL], &["tables"]] {
            let ended = run(dir, args);
            let said = ended.stdout.clone() + &ended.stderr;
            assert!(!["internal error", "unreachable", "panicked"].iter().any(|word| said.contains(word)), "{said}");
        }
    }
}

#[test]
fn verify_names_shape_and_page() {
    let fixture = small();
    let store = Victim::new(fixture.path().join("square1-corners.redb"));
    let starts = segment_starts(&store.bytes());
    store.flip(starts[40] as u64 + 100, 3);
    let text = run(fixture.path(), &["verify", SMALL]);
    assert_eq!(text.code, Some(4));
    let json = &run(fixture.path(), &["verify", SMALL, "--json"]).json()[0];
    let (row, name) = (json["row"].as_u64().expect("a row"), json["row_name"].as_str().expect("a name"));
    assert_eq!(fixture.definition.row_name(row as u32), name);
    assert!(
        text.stdout.contains(&format!("square1-corners, shape {row} ({name}), page 0: damaged")),
        "{}",
        text.stdout
    );
}

/// The hot cache of a small table, flipped at every `step`th byte of one row's file.
fn flip_cache(step: usize) {
    let fixture = small();
    let layout = fixture.definition.layout();
    succeed(fixture.path(), &["cache", "warm", SMALL]);
    let right = rows(&open(fixture.path(), layout).expect("sound"));
    const ROW: u32 = 17;
    let path = fixture.path().join("cache/square1-corners/row-00017.v3");
    let good = fs::read(&path).expect("a cached row");
    let store = fixture.store();
    let mut flips = 0;
    for at in (0..good.len()).step_by(step) {
        // By renaming, as everything in the cache.
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(path.with_extension("new"), &bad).expect("room");
        fs::rename(path.with_extension("new"), &path).expect("a rename");
        let mut found = Vec::new();
        let intact =
            cache::verify(&store, layout, &Context::silent(), &mut |fault| found.push(fault)).expect("a table");
        assert_eq!(intact, 89, "byte {at}");
        assert!(found.len() == 1 && found[0].row == Some(ROW) && found[0].table == SMALL, "byte {at}: {found:?}");
        // A byte of the payload is in a page; one of the header or of the hashes is in none.
        let payload = (4096..4096 + layout.row_bytes()).contains(&at);
        assert_eq!(found[0].page, payload.then_some(0), "byte {at}");
        let table = CachedTable::open(&store, layout, CacheMode::ReadOnly).expect("a table");
        for entry in (0..layout.row_entries()).step_by(97).chain([2 * at as u64 % layout.row_entries()]) {
            let byte = right[ROW as usize][entry as usize / 2];
            assert_eq!(table.get(ROW, entry).expect("an answer"), byte >> (4 * (entry % 2)) & 15, "byte {at}");
        }
        flips += 1;
    }
    let verified = run(fixture.path(), &["verify", SMALL, "--json"]);
    check_report(&verified);
    assert_eq!((verified.code, verified.json()[0]["row"].as_u64()), (Some(4), Some(u64::from(ROW))));
    // The remedy that it names.
    assert_eq!(verified.json()[0]["remedy"], "cache warm square1-corners");
    succeed(fixture.path(), &["cache", "warm", SMALL]);
    succeed(fixture.path(), &["verify", SMALL]);
    assert_eq!(fs::read(&path).expect("a cached row"), good);
    println!("{flips} flips of a cached row, all reported and none answered from");
}

#[test]
fn a_flipped_bit_of_the_cache_is_reported_and_never_answers() {
    flip_cache(131);
}

#[test]
#[ignore = "tier two: a flip in every fifth of 24,264 bytes"]
fn full_flipped_bits_all_over_a_cached_row_are_reported() {
    flip_cache(5);
}

/// Files that are not what they should be, in the place of the table.
#[test]
#[ignore = "long suite: seconds of processor time"]
fn files_that_are_no_table_are_reported() {
    let original = small();
    let questions = Questions::new(original.path(), SMALL, 50);
    let right = digest(original.path(), SMALL);
    let good = fs::read(original.path().join("square1-corners.redb")).expect("the file");
    let garbage: Vec<u8> = {
        let mut numbers = Numbers(7);
        (0..good.len()).map(|_| numbers.below(256) as u8).collect()
    };
    let mut cases: Vec<Vec<u8>> =
        vec![Vec::new(), b"garbage".to_vec(), garbage.clone(), [&good[..9], &garbage].concat()];
    let lengths = [1, 9, 4095, 4096, 8192, 65_536, 150_000, 200_000, good.len() - 4096, good.len() - 1];
    cases.extend(lengths.map(|length| good[..length].to_vec()));
    for bytes in &cases {
        let dir = copy_of(original.path());
        let (dir, path) = (dir.path(), dir.path().join("square1-corners.redb"));
        fs::write(&path, bytes).expect("room");
        questions.check_right_or_refused(dir);
        let verified = run(dir, &["verify", SMALL, "--json"]);
        check_report(&verified);
        assert_eq!(verified.code, Some(4), "{} bytes", bytes.len());
        assert_eq!(run(dir, &["tables"]).code, Some(0));
        succeed(dir, &["build", SMALL, "--force"]);
        assert_eq!(digest(dir, SMALL), right);
        questions.check(dir);
        assert!(files(dir).iter().all(|file| file.starts_with("cache") || file.ends_with("square1-corners.redb")));
    }
    println!("{} files in the place of a table", cases.len());
}

#[test]
fn a_folder_in_the_place_of_a_table_is_reported() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir(dir.path().join("square1-corners.redb")).expect("a folder");
    for args in [
        &["query", SMALL, "/"][..],
        &["verify", SMALL],
        &["build", SMALL],
        &["build", SMALL, "--force"],
        &["stats", SMALL],
    ] {
        let ended = run(dir.path(), args);
        assert_eq!(ended.code, Some(4), "{args:?}: {}", ended.stderr);
        let said = ended.stdout + &ended.stderr;
        assert!(said.contains("not a regular file; remove it first"), "{said}");
    }
}

/// A pipe that nobody writes to is waited for by whoever opens it.
#[test]
fn a_pipe_in_the_place_of_a_file_is_reported() {
    let table = [&["query", SMALL, "/"][..], &["verify", SMALL], &["build", SMALL], &["stats", SMALL], &["tables"]];
    let cosets = [&["coset", "list"][..], &["coset", "total"], &["coset", "export"], &["verify", "cosets"]];
    for (name, commands) in [
        ("square1-corners.redb", &table[..]),
        ("square1-corners.building.redb", &table),
        ("square1-corners.lock", &table),
        ("cosets.redb", &cosets),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(name);
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        for args in commands {
            let limit = ["-k", "1", "60", env!("CARGO_BIN_EXE_twistbase")];
            let mut command = Command::new("timeout");
            command.args(limit).args(*args).env("TWISTBASE_STORE", dir.path()).env("TWISTBASE_BUILD", "never");
            let ended = Ended::of(command.output().expect("the program"));
            let said = format!("{}{}", ended.stdout, ended.stderr);
            assert_ne!(ended.code, Some(124), "{name}: {args:?} hangs");
            let is_refused = name.ends_with(&format!("{SMALL}.redb")) || name == "cosets.redb" || args[0] == "build";
            let is_told = matches!(ended.code, Some(4 | 6)) && said.contains("a pipe, not a regular file");
            assert!(!is_refused || args[0] == "tables" || is_told, "{name}: {args:?}: {:?} {said}", ended.code);
            assert!(fs::metadata(&path).is_ok(), "{name}: {args:?} removes it");
        }
    }
}

/// Unfinished builds whose file is damaged: what is sound is taken over, the rest is built again. Where redb meets the
/// damage only when it writes, the build fails, and the next one begins anew.
fn damage_unfinished_builds(rounds: usize) {
    let original = small();
    let right = digest(original.path(), SMALL);
    let good = fs::read(original.path().join("square1-corners.redb")).expect("the file");
    let used = good.iter().rposition(|&byte| byte != 0).expect("a table") as u64;
    let mut numbers = Numbers(8);
    let (mut kept, mut begun, mut second) = (0, 0, 0);
    for round in 0..rounds {
        let dir = tempfile::tempdir().expect("a folder");
        let mut bytes = good.clone();
        bytes[numbers.below(used) as usize] ^= 1 << numbers.below(8);
        if round % 4 == 3 {
            bytes.truncate(numbers.below(good.len() as u64) as usize);
        }
        fs::write(dir.path().join("square1-corners.building.redb"), &bytes).expect("room");
        let query = run(dir.path(), &["query", SMALL, "/"]);
        assert!(query.code == Some(4) && query.stderr.contains("run: twistbase build square1-corners"), "{query:?}");
        let first = run(dir.path(), &["build", SMALL, "--json"]);
        assert!(matches!(first.code, Some(0 | 4)), "{first:?}");
        second += usize::from(first.code == Some(4));
        let built = if first.code == Some(4) { succeed(dir.path(), &["build", SMALL, "--json"]) } else { first };
        let rows = built.json()[0]["rows_kept"].as_u64().expect("a number");
        kept += rows;
        begun += usize::from(rows == 0);
        assert_eq!(digest(dir.path(), SMALL), right);
        succeed(dir.path(), &["verify", SMALL]);
        assert_eq!(files(dir.path()), [Path::new("square1-corners.redb")]);
    }
    println!(
        "{rounds} damaged unfinished builds: {begun} begun again ({second} in a second attempt), {kept} rows kept"
    );
}

#[test]
fn a_damaged_unfinished_build_ends_in_a_sound_table() {
    damage_unfinished_builds(12);
}

#[test]
#[ignore = "tier two: hundreds of damaged builds"]
fn full_many_damaged_unfinished_builds_end_in_sound_tables() {
    damage_unfinished_builds(150);
}

/// The cache of another store's build, and files that are no rows.
#[test]
fn what_is_no_cached_row_of_this_table_is_not_used() {
    let (mine, other) = (small(), small());
    let questions = Questions::new(mine.path(), SMALL, 300);
    succeed(other.path(), &["cache", "warm", SMALL]);
    let copied = copy_of(other.path());
    fs::rename(copied.path().join("cache"), mine.path().join("cache")).expect("a rename");
    let status = |field: &str| succeed(mine.path(), &["cache", "status", SMALL, "--json"]).json()[0][field].as_u64();
    assert_eq!((status("stale"), status("valid"), status("damaged")), (Some(90), Some(0), Some(0)));
    succeed(mine.path(), &["verify", SMALL]);
    questions.check(mine.path());
    succeed(mine.path(), &["cache", "warm", SMALL]);
    assert_eq!(status("valid"), Some(90));
    let row = mine.path().join("cache/square1-corners/row-00003.v3");
    let good = fs::read(&row).expect("a cached row");
    for bytes in
        [&b""[..], b"garbage", &good[..4095], &good[..4096], &good[..good.len() - 1], &[&good[..], b"x"].concat()]
    {
        fs::remove_file(&row).expect("a file");
        fs::write(&row, bytes).expect("room");
        let verified = run(mine.path(), &["verify", SMALL, "--json"]);
        check_report(&verified);
        assert_eq!(verified.json()[0]["row"], 3);
        questions.check(mine.path());
        succeed(mine.path(), &["cache", "warm", SMALL]);
        succeed(mine.path(), &["verify", SMALL]);
    }
    // A folder cannot be replaced, but it is no reason not to answer.
    fs::remove_file(&row).expect("a file");
    fs::create_dir(&row).expect("a folder");
    questions.check(mine.path());
    assert_eq!(run(mine.path(), &["verify", SMALL]).code, Some(4));
    assert_eq!(run(mine.path(), &["cache", "warm", SMALL]).code, Some(6));
}

/// Flips all over Cube21's file of 200 MB and the cached row of one shape.
#[test]
#[ignore = "long suite: a thousand flips of a full-size table"]
fn flipped_bits_of_a_large_table_are_reported_where_they_are() {
    let fixture = CUBE21.copied();
    let layout = *fixture.definition.layout();
    let victim = Victim::new(fixture.path().join("cube21.redb"));
    // A segment of 64 KiB has a leaf of its own, in which its key stands right before it.
    let bytes = victim.bytes();
    let segments: Vec<SegmentPlace> = segment_starts(&bytes)
        .into_iter()
        .map(|at| {
            let key = &bytes[at - 10..at];
            assert_eq!(key[..2], layout.id.to_be_bytes());
            SegmentPlace::parse(&bytes, at, u32::from_be_bytes(key[2..6].try_into().expect("four bytes")))
        })
        .collect();
    drop(bytes);
    let sound = open(fixture.path(), &layout).expect("sound");
    let mut numbers = Numbers(9);
    let mut right = vec![0; layout.row_bytes()];
    let mut nibbles = right.clone();
    let flips = number_from(FLIPS, count(120, 1000));
    for _ in 0..flips.div_ceil(FLIPS_OF_ROW) {
        let row = numbers.below(u64::from(layout.rows)) as u32;
        sound.read_row(row, &mut right).expect("sound");
        let mine: Vec<_> = segments.iter().filter(|segment| segment.row == row).collect();
        for _ in 0..FLIPS_OF_ROW {
            let segment = mine[numbers.below(mine.len() as u64) as usize];
            let at = segment.head.start + numbers.below(segment.all().end - segment.head.start);
            victim.flip(at, at);
            let table = open(fixture.path(), &layout).expect("sound records");
            let found = table.verify_row(row);
            assert!(!found.is_empty(), "byte {at} of {segment:?}");
            let mut page_bytes = Vec::new();
            for fault in found {
                let Error::Data(fault) = fault else { panic!("{fault}") };
                let page = fault.page.expect("a page");
                assert!(fault.row == Some(row) && segment.pages_at(at).contains(&page), "{at} {segment:?}: {fault}");
                assert!(table.read_page(row, page, &mut page_bytes).is_err());
            }
            for page in segment.first..segment.first + segment.pages.len() as u32 {
                let start = page as usize * layout.page_bytes();
                if table.read_page(row, page, &mut page_bytes).is_ok() {
                    assert!(page_bytes == right[start..start + layout.page_bytes()], "a wrong answer at {at}");
                    assert!(!segment.pages_at(at).contains(&page) || segment.head.contains(&at));
                }
            }
            victim.flip(at, at);
        }
    }
    // Anywhere at all, through the program; verify reads everything.
    let used = segments.iter().map(|segment| segment.all().end).max().expect("segments");
    let (mut reported, whole) = (0, flips / 120);
    for _ in 0..whole {
        let (at, bit) = (numbers.below(used), numbers.below(8));
        victim.flip(at, bit);
        let inside = segments.iter().find(|segment| segment.all().contains(&at));
        let verified = run(fixture.path(), &["verify", "cube21", "--json"]);
        if let Some(segment) = inside {
            let finding = &verified.json()[0];
            assert_eq!((verified.code, finding["row"].as_u64()), (Some(4), Some(u64::from(segment.row))), "byte {at}");
            reported += 1;
        }
        victim.flip(at, bit);
    }
    drop(sound);
    flip_large_row(&fixture, &mut nibbles, &mut numbers, flips / 6);
    println!("{flips} flips in segments of cube21, {whole} anywhere through the program ({reported} in segments)");
}

/// Flips in the cached row of one shape of Cube21.
fn flip_large_row(fixture: &Fixture, right: &mut [u8], numbers: &mut Numbers, flips: usize) {
    let (store, layout) = (fixture.store(), *fixture.definition.layout());
    const ROW: u32 = 5;
    let warm = CachedTable::open(&store, &layout, CacheMode::OnDemand).expect("sound");
    warm.table().read_row(ROW, right).expect("sound");
    // One entry of every page: the row is hydrated after as many misses as it has pages.
    for page in 0..u64::from(layout.pages) {
        warm.get(ROW, page * u64::from(layout.page_entries)).expect("sound");
    }
    let victim = Victim::new(fixture.path().join("cache/cube21/row-00005.v3"));
    let length = victim.len();
    for _ in 0..flips {
        let (at, bit) = (numbers.below(length), numbers.below(8));
        victim.flip(at, bit);
        let mut found = Vec::new();
        cache::verify(&store, &layout, &Context::silent(), &mut |fault| found.push(fault)).expect("a table");
        assert!(found.len() == 1 && found[0].row == Some(ROW), "byte {at}: {found:?}");
        let reader = CachedTable::open(&store, &layout, CacheMode::ReadOnly).expect("a table");
        if let Some(byte) = at.checked_sub(4096).filter(|&byte| byte < layout.row_bytes() as u64) {
            let page = (byte / layout.page_bytes() as u64) as u32;
            // A block of 4 KiB belongs to up to two pages of 20,160 bytes.
            assert!((page.saturating_sub(1)..=page).contains(&found[0].page.expect("a page")), "byte {at}: {found:?}");
            let stored = right[byte as usize];
            assert_eq!(reader.get(ROW, 2 * byte).expect("an answer"), stored & 15);
            assert_eq!(reader.get(ROW, 2 * byte + 1).expect("an answer"), stored >> 4);
        }
        drop(reader);
        victim.flip(at, bit);
    }
    println!("{flips} flips of a cached row of cube21");
}
