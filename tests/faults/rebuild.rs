//! Rebuilding what is damaged.

use std::path::Path;

use twistbase::Kernel;
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::store::Store;
use twistbase::tables::{self, Definition};

use super::corruption::Victim;
use super::kills::{Span, duration, kill_within};
use super::{Numbers, Questions, SMALL, copy_of, digest, program, run, small, succeed};
use crate::support::{CUBE21, count, with_rows};

fn file_of(dir: &Path, table: &str) -> Victim {
    Victim::new(dir.join(format!("{table}.redb")))
}

/// Flips some bits of a table at random.
fn damage(dir: &Path, table: &str, flips: u64, numbers: &mut Numbers) {
    let file = file_of(dir, table);
    let used = file.bytes().iter().rposition(|&byte| byte != 0).expect("a table") as u64;
    for _ in 0..flips {
        file.flip(numbers.below(used), numbers.below(8));
    }
}

/// Whatever is damaged: a rebuild says what it will do, changes nothing until it does it, and the table is what it was.
fn rebuild_damaged(rounds: u64) {
    let original = small();
    let questions = Questions::new(original.path(), SMALL, 20);
    let right = digest(original.path(), SMALL);
    let mut numbers = Numbers(77);
    let (mut intact, mut restored, mut built, mut rows) = (0, 0, 0, 0);
    for round in 0..rounds {
        let dir = copy_of(original.path());
        let dir = dir.path();
        damage(dir, SMALL, 1 + round % 5, &mut numbers);
        if round % 8 == 7 {
            // What says where everything is; the first bytes say that it is redb's.
            file_of(dir, SMALL).flip(16 + numbers.below(8176), numbers.below(8));
        }
        let before = file_of(dir, SMALL).bytes();
        let planned = succeed(dir, &["rebuild", SMALL, "--dry-run", "--json"]).json();
        assert_eq!(planned[0]["done"], false);
        assert!(file_of(dir, SMALL).bytes() == before, "a dry run changes nothing");
        let done = succeed(dir, &["rebuild", SMALL, "--json"]).json();
        let plan = done[0]["plan"].as_str().expect("a plan");
        assert_eq!((&planned[0]["plan"], &planned[0]["rows"]), (&done[0]["plan"], &done[0]["rows"]));
        match plan {
            "intact" => intact += 1,
            "restore" => restored += 1,
            _ => built += 1,
        }
        rows += done[0]["rows"].as_array().expect("rows").len();
        succeed(dir, &["verify", SMALL]);
        assert_eq!(digest(dir, SMALL), right, "{plan}");
        questions.check(dir);
        assert_eq!(succeed(dir, &["rebuild", "--json"]).json()[0]["plan"], "intact");
    }
    println!(
        "{rounds} damaged tables: {restored} restored ({rows} rows), {built} built, {intact} not damaged after all"
    );
    assert!(restored > 0 && intact > 0, "{restored} {intact}");
}

#[test]
fn damaged_tables_are_rebuilt_as_they_were() {
    rebuild_damaged(10);
}

#[test]
#[ignore = "long suite: dozens of damaged tables"]
fn many_damaged_tables_are_rebuilt_as_they_were() {
    rebuild_damaged(count(20, 75) as u64);
}

/// A copy of a store with [`SMALL`], of which rows are damaged that can be restored.
pub fn restorable_copy(original: &Path, numbers: &mut Numbers) -> tempfile::TempDir {
    let damaged = copy_of(original);
    // Some place in a segment: found by trying.
    loop {
        damage(damaged.path(), SMALL, 1, numbers);
        let plan = succeed(damaged.path(), &["rebuild", SMALL, "--dry-run", "--json"]).json();
        match plan[0]["plan"].as_str() {
            Some("restore") => return damaged,
            Some("intact") => {}
            _ => {
                std::fs::copy(original.join("square1-corners.redb"), damaged.path().join("square1-corners.redb"))
                    .expect("a copy");
            }
        }
    }
}

/// Kills while rows are restored: the damaged table stays as it is until the new one is in its place.
fn kill_restoring(kills: usize) {
    let original = small();
    let right = digest(original.path(), SMALL);
    let mut numbers = Numbers(5);
    let damaged = restorable_copy(original.path(), &mut numbers);
    let mut span = Span(duration(&mut program(copy_of(damaged.path()).path(), &["rebuild", SMALL])));
    let (mut killed, mut finished) = (0, 0);
    while killed < kills {
        let dir = copy_of(damaged.path());
        let dir = dir.path();
        for _ in 0..3 {
            match kill_within(&mut span, &mut program(dir, &["rebuild", SMALL]), &mut numbers).code {
                None => killed += 1,
                Some(_) => finished += 1,
            }
            assert!(matches!(run(dir, &["verify", SMALL]).code, Some(0 | 4)));
        }
        succeed(dir, &["rebuild", SMALL]);
        succeed(dir, &["verify", SMALL]);
        assert_eq!(digest(dir, SMALL), right);
    }
    println!("{killed} kills of restoring, {finished} finished before");
}

#[test]
fn restoring_survives_kills() {
    kill_restoring(15);
}

#[test]
#[ignore = "tier two: fifty kills"]
fn full_restoring_survives_fifty_kills() {
    kill_restoring(50);
}

#[test]
#[ignore = "long suite: shapes of Cube21 are lost and restored"]
fn lost_shapes_of_cube21_are_restored() {
    let original = CUBE21.path();
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::copy(original.join("cube21.redb"), dir.path().join("cube21.redb")).expect("a copy");
    let right = digest(original, "cube21");
    let mut numbers = Numbers(21);
    let mut rows = 0;
    for flips in [1, 1, 3, 10] {
        damage(dir.path(), "cube21", flips, &mut numbers);
        let done = succeed(dir.path(), &["rebuild", "cube21", "--json"]).json();
        println!(
            "{} of cube21 in {} s: {} rows",
            done[0]["plan"],
            done[0]["seconds"],
            done[0]["rows"].as_array().map_or(0, Vec::len)
        );
        rows += done[0]["rows"].as_array().expect("rows").len();
        succeed(dir.path(), &["verify", "cube21"]);
        assert_eq!(digest(dir.path(), "cube21"), right);
    }
    assert!(rows > 0);
}

#[test]
fn missing_and_unfinished_tables_are_built_and_nothing_else_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let nothing = run(dir.path(), &["rebuild"]);
    assert_eq!(nothing.code, Some(4), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("no table"), "{}", nothing.stderr);
    let planned = succeed(dir.path(), &["rebuild", SMALL, "-n"]).stdout;
    assert!(planned.contains("would build: missing"), "{planned}");
    assert!(!dir.path().join("square1-corners.redb").exists());
    assert!(succeed(dir.path(), &["rebuild", SMALL]).stdout.contains("built in"));
    assert_eq!(succeed(dir.path(), &["rebuild"]).stdout, "square1-corners: intact, nothing to do\n");
    std::fs::write(dir.path().join("square1-corners.redb"), b"something else").expect("room");
    let foreign = run(dir.path(), &["rebuild"]);
    assert_eq!(foreign.code, Some(4), "what another program wrote is not replaced: {}", foreign.stdout);
    // The others are looked after all the same.
    std::fs::write(dir.path().join("phase1.redb"), b"something else").expect("room");
    std::fs::remove_file(dir.path().join("square1-corners.redb")).expect("a file");
    for said in
        [["rebuild", "phase1", SMALL, "-n"], ["rebuild", "phase1", SMALL, "-q"]].map(|args| run(dir.path(), &args))
    {
        assert_eq!(said.code, Some(4), "{}", said.stderr);
        let lines: Vec<&str> = said.stdout.lines().collect();
        let left_alone =
            lines[0].contains("phase1: left unchanged: foreign") && lines[0].contains("build phase1 --force");
        assert!(left_alone && lines[1].contains("buil") && said.stderr.contains("1 file"), "{lines:?}");
    }
    assert!(run(dir.path(), &["verify", SMALL]).code == Some(0));
}

/// A copy of [`SMALL`] with right checksums in which the rows that a row is restored from are wrong.
fn wrong_neighbours(row: u32) -> tempfile::TempDir {
    let fixture = small();
    let (definition, layout) = (fixture.definition, fixture.definition.layout());
    let right = fixture.store().table(layout).expect("the table");
    let sources = definition.restorer().expect("rows can be restored").sources(&[row].into());
    let nearer = |&each: &u32| {
        let mut bytes = vec![0; layout.row_bytes()];
        right.read_row(each, &mut bytes).expect("a row");
        // Nearer than they are, by one.
        bytes.iter_mut().for_each(|byte| *byte &= !1);
        (each, (bytes, right.row_record(each).expect("a record").row_levels()))
    };
    with_rows(&right, &sources.iter().map(nearer).collect())
}

/// What wrong neighbours tell is noticed by the row's record or, where that is lost as well, by the numbers of positions;
/// the damaged table stays as it is.
#[test]
fn rows_are_not_restored_from_wrong_neighbours() {
    let row = 44;
    for is_record_lost in [false, true] {
        let dir = wrong_neighbours(row);
        let (store, definition) = (Store::open(dir.path()), small().definition);
        let file = store.file_of(definition.layout()).expect("a folder");
        if is_record_lost {
            let digest = store.table(definition.layout()).unwrap().row_record(row).unwrap().digest.clone();
            let mut bytes = std::fs::read(&file).unwrap();
            let places: Vec<usize> =
                (0..bytes.len() - digest.len()).filter(|&at| bytes[at..].starts_with(digest.as_bytes())).collect();
            assert!(!places.is_empty());
            places.into_iter().for_each(|at| bytes[at] ^= 1);
            std::fs::write(&file, bytes).unwrap();
            assert!(store.table(definition.layout()).unwrap().row_record(row).is_err());
        }
        let before = std::fs::read(&file).unwrap();
        let plan = tables::Plan::Restore { rows: [(row, "lost".to_owned())].into() };
        let request = tables::BuildRequest { depth: None, force: false, memory: 1 << 30, kernel: Kernel::detect() };
        let error = tables::rebuild(&store, definition, &plan, &request, &Context::silent()).expect_err("wrong rows");
        let said = error.to_string();
        let expected = if is_record_lost { "levels" } else { "its neighbours are wrong, too" };
        assert!(matches!(error, Error::Data(_)) && said.contains(expected), "{said}");
        assert!(std::fs::read(&file).unwrap() == before, "nothing was changed");
    }
}

/// Where every row is lost there is none to restore from: the table is built.
#[test]
fn a_table_of_which_every_row_is_lost_is_built() {
    let original = small();
    let right = digest(original.path(), SMALL);
    let dir = copy_of(original.path());
    let file = dir.path().join(format!("{SMALL}.redb"));
    let mut bytes = std::fs::read(&file).unwrap();
    // The beginnings of segments.
    let places: Vec<usize> = (0..bytes.len() - 5).filter(|&at| bytes[at..].starts_with(b"TWSG\x01")).collect();
    places.into_iter().for_each(|at| bytes[at] ^= 1);
    std::fs::write(&file, bytes).unwrap();
    let done = succeed(dir.path(), &["rebuild", SMALL, "--json"]).json();
    let reason = done[0]["reason"].as_str().unwrap_or_default();
    assert!(done[0]["plan"] == "build" && reason.contains("all other rows are damaged"), "{done:?}");
    assert_eq!(digest(dir.path(), SMALL), right);
}

/// What the design says of every table whose rows follow from others.
#[test]
fn a_row_and_those_it_is_restored_from_are_told() {
    for table in tables::twist_tables() {
        let restorer = table.restorer().expect("rows can be restored");
        for row in 0..table.layout().rows {
            let sources = restorer.sources(&[row].into());
            assert!(!sources.is_empty() && !sources.contains(&row), "{row}");
        }
        let some = restorer.restore_memory(&[0].into());
        assert!(some < restorer.restore_memory(&[0, 45].into()), "{some}");
    }
}
