//! Tables that were built to a depth, taken away and put back, checked, damaged and rebuilt.

use std::fs;

use serde_json::Value;
use twistbase::context::Context;
use twistbase::store::Store;
use twistbase::tables::{self, Plan};

use super::{BUILT, SMALL, assert_same, copy_to, open, request, run, small, succeed};
use crate::faults::Numbers;
use crate::support::with_rows;

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

/// Records of a bounded table are those of the complete one at its levels.
#[test]
fn exports_have_the_levels_there_are_and_say_so() {
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let export = |number: usize, name: &str, options: &[&str]| {
        succeed(BUILT[number].1.path(), &[&["export", SMALL, "-o", &path(name)], options].concat());
        fs::read_to_string(path(name)).unwrap()
    };
    let all = export(4, "all.jsonl", &[]);
    assert_eq!(all, export(8, "right.jsonl", &["--levels", "..4"]));
    assert_eq!(export(4, "some.jsonl", &["--levels", "2..3"]), export(8, "right2.jsonl", &["--levels", "2..3"]));
    let sampled = export(4, "sampled.jsonl", &["--sample", "500", "--solution", "one"]);
    assert_eq!(sampled, export(8, "sampled8.jsonl", &["--sample", "500", "--solution", "one", "--levels", "..4"]));
    let metadata: Value = serde_json::from_str(&fs::read_to_string(path("all.jsonl.meta.json")).unwrap()).unwrap();
    assert_eq!((metadata["depth"].as_u64(), metadata["records"].as_u64()), (Some(4), Some(all.lines().count() as u64)));
    let complete: Value = serde_json::from_str(&fs::read_to_string(path("right.jsonl.meta.json")).unwrap()).unwrap();
    assert_eq!(complete.get("depth"), None);
    assert!(objects(&all).iter().all(|record| record["distance"].as_u64().unwrap() <= 4));
    // More than there are within the depth cannot be drawn.
    let ended = run(BUILT[4].1.path(), &["export", SMALL, "-o", &path("x"), "--sample", "1000000"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
}

#[test]
fn a_raw_export_carries_the_depth_back() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("x.twraw");
    let path = path.to_str().unwrap();
    succeed(BUILT[5].1.path(), &["export", SMALL, "--raw", "-o", path]);
    let dir = tempfile::tempdir().unwrap();
    succeed(dir.path(), &["import", path]);
    assert_same(&open(dir.path(), small()), &open(BUILT[5].1.path(), small()), "imported");
    let again = succeed(dir.path(), &["import", path, "--json"]).json().remove(0);
    assert_eq!(again["outcome"], "already-there");
    // It is continued as if it had been built here.
    succeed(dir.path(), &["build", SMALL]);
    assert_same(&open(dir.path(), small()), &open(BUILT[8].1.path(), small()), "imported and continued");
    // A table that reaches farther is not replaced by one that does not.
    let ended = run(dir.path(), &["import", path]);
    assert!(ended.code == Some(2) && ended.stderr.contains("is deeper than"), "{}", ended.stderr);
    // Wrong depths, behind right checksums, are noticed: see the fuzzing of raw exports for the rest.
    let bytes = fs::read(path).unwrap();
    let mut numbers = Numbers(9);
    for _ in 0..40 {
        let mut changed = bytes.clone();
        changed[numbers.below(bytes.len() as u64) as usize] ^= 1 << numbers.below(8);
        fs::write(path, changed).unwrap();
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(run(empty.path(), &["import", path]).code, Some(4));
    }
}

#[test]
fn bounded_tables_are_verified_and_what_is_wrong_is_found() {
    for (_, dir) in BUILT.iter() {
        let said = succeed(dir.path(), &["verify", "--deep"]).stdout;
        assert!(said.contains("90 shapes against their neighbours"), "{said}");
    }
    // An entry that is set too far, one that is lost, one that is too near: right checksums, wrong distances.
    let right = open(BUILT[4].1.path(), small());
    let layout = small().layout();
    let mut numbers = Numbers(31);
    for (is, must) in [(15, 4), (4, 15), (3, 4)] {
        let (mut row, mut bytes) = (0, vec![0; layout.row_bytes()]);
        let mut found = None;
        while found.is_none() {
            row = numbers.below(90) as u32;
            right.read_row(row, &mut bytes).unwrap();
            found = bytes.iter().position(|&byte| byte & 15 == is);
        }
        let byte = found.unwrap();
        let mut levels = right.row_record(row).unwrap().row_levels();
        levels.entries.resize(5, 0);
        levels.positions.resize(5, 0);
        if is != 15 {
            levels.entries[usize::from(is)] -= 1;
        }
        if must != 15 {
            levels.entries[usize::from(must)] += 1;
        }
        bytes[byte] = bytes[byte] & 0xf0 | must;
        let dir = with_rows(&right, &[(row, (bytes, levels))].into());
        assert_eq!(run(dir.path(), &["verify", SMALL]).code, Some(0), "the bytes are as they were written");
        let ended = run(dir.path(), &["verify", SMALL, "--deep"]);
        assert!(
            ended.code == Some(4) && ended.stdout.contains("contradicts its neighbours"),
            "{is} {must}: {}",
            ended.stdout
        );
    }
}

/// A restored row is what it was, with its record, also where all of it is beyond the depth, or its own levels end before
/// the table's.
#[test]
fn every_row_is_restored_with_its_record() {
    for (depth, built) in [&BUILT[2], &BUILT[5], &BUILT[8]] {
        let dir = copy_to(*depth);
        for first in 0..6 {
            let rows = (first..small().layout().rows).step_by(6).map(|row| (row, "lost".to_owned())).collect();
            let store = Store::open(dir.path());
            let plan = Plan::Restore { rows };
            tables::rebuild(&store, small(), &plan, &request(*depth, 1 << 30), &Context::silent()).unwrap();
            assert_same(
                &open(dir.path(), small()),
                &open(built.path(), small()),
                &format!("{depth:?}, rows from {first}"),
            );
        }
    }
}

/// Lost rows of a bounded table are restored as they were; what cannot be is built to the same depth.
#[test]
fn bounded_tables_are_rebuilt_as_bounded() {
    let right = open(BUILT[5].1.path(), small());
    let mut numbers = Numbers(17);
    let (mut restored, mut built) = (0, 0);
    for round in 0..40 {
        let dir = copy_to(Some(5));
        let path = dir.path().join(format!("{SMALL}.redb"));
        let mut bytes = fs::read(&path).unwrap();
        let used = bytes.iter().rposition(|&byte| byte != 0).unwrap() as u64;
        bytes[numbers.below(used) as usize] ^= 1 << numbers.below(8);
        fs::write(&path, bytes).unwrap();
        let done = succeed(dir.path(), &["rebuild", SMALL, "--json"]).json().remove(0);
        let plan = done["plan"].as_str().unwrap();
        // A file that tells nothing of its depth any more is built whole.
        let is_bounded = plan != "build" || done["depth"] == 5;
        restored += usize::from(plan == "restore");
        built += usize::from(plan == "build");
        let whole = open(BUILT[8].1.path(), small());
        let must = if is_bounded { &right } else { &whole };
        assert_same(&open(dir.path(), small()), must, &format!("{round}: {plan}"));
        assert_eq!(succeed(dir.path(), &["rebuild", "--json"]).json()[0]["plan"], "intact");
    }
    println!("40 damaged tables of depth 5: {restored} restored, {built} built");
    assert!(restored > 0, "{built}");
    // One that was begun to a depth is finished to it.
    let dir = tempfile::tempdir().unwrap();
    drop(Store::open(dir.path()).build(small().layout(), Some(5), false, &Context::silent()).unwrap());
    let done = succeed(dir.path(), &["rebuild", SMALL, "--json"]).json().remove(0);
    assert_eq!((done["plan"].as_str(), done["depth"].as_u64()), (Some("build"), Some(5)));
    assert_same(&open(dir.path(), small()), &right, "begun");
}

/// What is not restored row by row is built to the depth that it had, for whatever reason it is built.
#[test]
fn a_bounded_table_stays_bounded_however_it_is_rebuilt() {
    let right = open(BUILT[5].1.path(), small());
    let dir = copy_to(Some(5));
    let store = Store::open(dir.path());
    let path = store.file_of(small().layout()).expect("a folder");
    let sound = fs::read(&path).unwrap();
    let used = sound.iter().rposition(|&byte| byte != 0).unwrap() as u64;
    let plan = |memory| tables::plan(&store, small(), memory, &Context::silent()).unwrap();
    let mut numbers = Numbers(23);
    while !matches!(plan(1 << 30), Plan::Restore { .. }) {
        let mut bytes = sound.clone();
        bytes[numbers.below(used) as usize] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    let Plan::Build { reason, force, depth } = plan(0) else { panic!("no memory to restore with") };
    assert!(force && depth == Some(5) && reason.contains("exceed the memory limit"), "{reason} {depth:?}");
    let plan = Plan::Build { reason, force, depth };
    tables::rebuild(&store, small(), &plan, &request(None, 1 << 30), &Context::silent()).unwrap();
    assert_same(&open(dir.path(), small()), &right, "built");
    // One that somebody built farther since the plan was made stays so.
    super::build(&store, small(), None, 1 << 30);
    tables::rebuild(&store, small(), &plan, &request(None, 1 << 30), &Context::silent()).unwrap();
    assert_eq!(open(dir.path(), small()).manifest().depth, None);
    // A table whose rows cannot be restored from others.
    let cube2 = tables::find("cube2").unwrap();
    assert!(cube2.restorer().is_none());
    super::build(&store, cube2, Some(4), 1 << 30);
    let right = open(dir.path(), cube2).manifest().digest.clone();
    let plan = Plan::Restore { rows: [(0, "lost".to_owned())].into() };
    tables::rebuild(&store, cube2, &plan, &request(None, 1 << 30), &Context::silent()).unwrap();
    let rebuilt = open(dir.path(), cube2);
    assert_eq!((rebuilt.manifest().depth, &rebuilt.manifest().digest), (Some(4), &right));
}

/// What an older program sees is a newer schema; what this one reads says both of its versions.
#[test]
fn files_say_their_schema() {
    let schema = |number: usize| {
        let bytes = fs::read(BUILT[number].1.path().join(format!("{SMALL}.redb"))).unwrap();
        let is_there = |text: &str| bytes.windows(text.len()).any(|found| found == text.as_bytes());
        (is_there("{\"schema\":2,"), is_there("{\"schema\":3,"), is_there("\"depth\":"))
    };
    assert_eq!((schema(8), schema(5)), ((true, false, false), (false, true, true)));
}
