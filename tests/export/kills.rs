//! `kill -9` of exports and imports at random moments.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::faults::{Span, kill_within};
use crate::support::count;

use super::{Bench, Numbers, SMALL, digest, program, run, succeed};

/// Kills a command after a random part of `span`; whether it was killed.
fn is_killed(command: &mut Command, span: &mut Span, numbers: &mut Numbers) -> bool {
    kill_within(span, command, numbers).code.is_none()
}

/// Kills exports with these options until so many were killed; each file that comes out is right.
fn kill_exports(kills: usize, cases: &[(&str, &[&str])]) {
    let bench = Bench::new();
    let (mut numbers, mut killed, mut resumed, mut files) = (Numbers(60), 0, 0, 0);
    for round in 0.. {
        if killed >= kills {
            break;
        }
        let (name, options) = cases[round % cases.len()];
        let started = Instant::now();
        let right = bench.export(&format!("right-{name}"), options);
        let mut span = Span(started.elapsed());
        let path = bench.file(name);
        let path = path.to_str().expect("text");
        let args = [&["export", SMALL, "-o", path, "--json"], options].concat();
        for _ in 0..6 {
            killed += usize::from(is_killed(&mut program(bench.store(), &args), &mut span, &mut numbers));
            if Path::new(path).exists() {
                break;
            }
        }
        if !Path::new(path).exists() {
            resumed += succeed(bench.store(), &args).json()[0]["resumed"].as_u64().expect("a number");
        }
        assert!(fs::read(path).expect("the export") == right, "{name}");
        assert!(!Path::new(&format!("{path}.part")).exists());
        files += 1;
        fs::remove_file(path).expect("the export");
    }
    println!("{killed} kills of exports: {files} files equal to undisturbed ones, {resumed} records kept");
}

/// Long enough to have checkpoints, in each format.
const CASES: [(&str, &[&str]); 4] = [
    ("x.jsonl", &["--sample", "60000", "--columns", "index,position,count"]),
    ("x.parquet", &["--columns", "index,row,entry,position,distance,value"]),
    ("x.csv.zst", &["--rows", "..40"]),
    ("y.parquet", &["--sample", "20000", "--solution", "all"]),
];

#[test]
#[ignore = "long suite: seconds of processor time"]
fn exports_survive_kills() {
    kill_exports(4, &CASES[2..3]);
}

#[test]
#[ignore = "long suite: dozens of kills of exports"]
fn exports_survive_many_kills() {
    kill_exports(count(6, 24), &CASES);
}

/// Kills raw exports and imports.
fn kill_imports(kills: usize) {
    let bench = Bench::new();
    let right = digest(bench.store(), SMALL);
    let raw = bench.file("x.twraw");
    let raw = raw.to_str().expect("text");
    let started = Instant::now();
    succeed(bench.store(), &["export", SMALL, "--raw", "-o", raw]);
    let (mut exporting, mut importing) = (Span(started.elapsed()), Span(started.elapsed()));
    let bytes = fs::read(raw).expect("the export");
    let (mut numbers, mut killed) = (Numbers(61), 0);
    while killed < kills {
        fs::remove_file(raw).expect("the export");
        let export = || program(bench.store(), &["export", SMALL, "--raw", "-o", raw]);
        killed += usize::from(is_killed(&mut export(), &mut exporting, &mut numbers));
        if !Path::new(raw).exists() {
            succeed(bench.store(), &["export", SMALL, "--raw", "-o", raw]);
        }
        assert!(fs::read(raw).expect("the export") == bytes);
        let store = tempfile::tempdir().expect("a folder");
        let import = || program(store.path(), &["import", raw]);
        for _ in 0..2 {
            killed += usize::from(is_killed(&mut import(), &mut importing, &mut numbers));
            let query = run(store.path(), &["query", SMALL, "/"]);
            assert!(matches!(query.code, Some(0 | 4)), "{}", query.stderr);
        }
        succeed(store.path(), &["import", raw]);
        assert_eq!(digest(store.path(), SMALL), right);
        succeed(store.path(), &["verify", SMALL]);
    }
    println!("{killed} kills of raw exports and imports");
}

#[test]
fn imports_survive_kills() {
    kill_imports(4);
}

#[test]
#[ignore = "tier two: dozens of kills of raw exports and imports"]
fn full_imports_survive_many_kills() {
    kill_imports(60);
}
