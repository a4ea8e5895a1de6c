//! Requests that make no sense, files in the way, full disks.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Bench, SMALL, objects, program, run, succeed};
use crate::faults::disks::Disk;
use crate::faults::wait_for_handler;
use crate::support::count;

#[test]
fn what_contradicts_itself_is_refused() {
    let bench = Bench::new();
    let file = bench.file("x.csv");
    let file = file.to_str().unwrap();
    let positions = bench.file("positions");
    fs::write(&positions, "01234567-89ABCDEF\n").unwrap();
    let positions = positions.to_str().unwrap();
    for options in [
        &["--levels", "4..3"][..],
        &["--levels", "9"],
        &["--levels", "x"],
        &["--rows", "90"],
        &["--rows", "nonsense"],
        &["--rows", ""],
        &["--sample", "5", "--positions", positions],
        &["--seed", "5"],
        &["--raw", "--seed", "5"],
        &["--sample", "4000000"],
        &["--levels", "0", "--sample", "1000"],
        &["--columns", "index,bound"],
        &["--columns", "index,index"],
        &["--columns", "nonsense"],
        &["--columns", "index", "--solution", "one"],
        &["--limit", "3"],
        &["--limit", "0", "--solution", "all"],
        &["--format", "parquet", "--zstd"],
        &["--metric", "htm"],
        &["--metric", "wca", "--levels", "4..63"],
        &["--raw", "--metric", "wca"],
        &["--raw", "--levels", "3"],
        &["--raw", "--format", "csv"],
    ] {
        let ended = run(bench.store(), &[&["export", SMALL, "-o", file], options].concat());
        assert_eq!(ended.code, Some(2), "{options:?}: {}{}", ended.stdout, ended.stderr);
    }
    for args in [
        &["export", SMALL, "-o", "no-ending"][..],
        &["export", SMALL, "-o", "x.csv.parquet.zst"],
        &["export", SMALL, "--format", "parquet", "-o", "-"],
        &["export", SMALL, "--raw", "-o", "-"],
        &["export", SMALL, "--rows", "3", "--format", "csv", "-o", "-", "--force"],
        &["export", "shapes", "-o", "-", "--force"],
        &["export", SMALL],
        &["export", "shapes", "--levels", "3", "-o", "-"],
        &["export", "shapes", "--metric", "wca", "-o", "-"],
        &["export", "shapes", "--seed", "5", "-o", "-"],
        &["export", "phase1", "--metric", "wca", "-o", file],
        &["export", "nonsense", "-o", file],
    ] {
        let ended = run(bench.store(), args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}{}", ended.stdout, ended.stderr);
    }
    assert_eq!(run(bench.store(), &["export", "cube21", "-o", file]).code, Some(4));
    let in_no_folder = bench.file("none/x.csv");
    assert_eq!(run(bench.store(), &["export", SMALL, "-o", in_no_folder.to_str().unwrap()]).code, Some(6));
    assert!(!bench.file("x.csv").exists());
}

#[test]
fn a_file_that_is_there_is_kept() {
    let bench = Bench::new();
    let path = bench.file("x.csv");
    let args = ["export", SMALL, "--rows", "3", "-o", path.to_str().unwrap()];
    succeed(bench.store(), &args);
    let first = fs::read(&path).unwrap();
    let refused = run(bench.store(), &args);
    assert!(refused.code == Some(2) && refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(fs::read(&path).unwrap(), first);
    succeed(bench.store(), &[&args[..], &["--force"]].concat());
    assert_eq!(fs::read(&path).unwrap(), first);
    // Nothing is left beside it but its metadata.
    let mut names: Vec<_> = fs::read_dir(bench.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["x.csv", "x.csv.meta.json"]);
}

#[test]
fn another_export_that_was_begun_is_not_gone_on_with() {
    let bench = Bench::new();
    let path = bench.file("x.csv");
    let path = path.to_str().unwrap();
    // What a kill right after the beginning leaves.
    succeed(bench.store(), &["export", SMALL, "--rows", "3", "-o", path]);
    fs::remove_file(bench.file("x.csv")).unwrap();
    let disk_full = bench.file("x.csv.part");
    // Longer than the export: of what is behind its end nothing may stay.
    fs::write(&disk_full, "garbage".repeat(1 << 20)).unwrap();
    fs::write(bench.file("x.csv.part.journal"), "garbage\n").unwrap();
    // A journal that cannot be read is no beginning of anything.
    succeed(bench.store(), &["export", SMALL, "--rows", "3", "-o", path]);
    let right = fs::read(path).unwrap();
    assert!(right == bench.export("right.csv", &["--rows", "3"]));
    fs::remove_file(path).unwrap();
    let sealed = {
        let json = "{\"table\":\"another\"}";
        format!("{:016x} {json}\n", xxhash_rust::xxh3::xxh3_64(json.as_bytes()))
    };
    fs::write(&disk_full, "").unwrap();
    fs::write(bench.file("x.csv.part.journal"), sealed).unwrap();
    let refused = run(bench.store(), &["export", SMALL, "--rows", "3", "-o", path]);
    assert!(refused.code == Some(2) && refused.stderr.contains("another export"), "{}", refused.stderr);
    succeed(bench.store(), &["export", SMALL, "--rows", "3", "-o", path, "--force"]);
    assert_eq!(fs::read(path).unwrap(), right);
}

#[test]
fn standard_output_takes_records_and_a_closed_pipe_is_no_error() {
    let bench = Bench::new();
    let args = ["export", SMALL, "--rows", "3", "--format", "jsonl", "-o", "-"];
    assert_eq!(objects(succeed(bench.store(), &args).stdout.as_bytes()).len(), 40_320);
    let mut child = program(bench.store(), &["export", SMALL, "--format", "csv", "-o", "-"]).spawn().unwrap();
    drop(child.stdout.take());
    let ended = crate::faults::Ended::of(child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.stderr.contains("error")), (Some(0), false), "{}", ended.stderr);
}

/// Where nothing can be exported, there is no head either.
#[test]
fn what_is_refused_leaves_standard_output_empty() {
    let bench = Bench::new();
    let positions = bench.file("positions");
    let to_csv =
        |options: &[&str]| run(bench.store(), &[&["export", SMALL, "--format", "csv", "-o", "-"], options].concat());
    // The line is named as in an editor: blank ones count.
    fs::write(&positions, "/\n\n\nnonsense\n").unwrap();
    let refused = to_csv(&["--positions", positions.to_str().unwrap()]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""), "{}", refused.stderr);
    assert!(refused.stderr.contains("line 4 of the positions is invalid"), "{}", refused.stderr);
    let refused = to_csv(&["--sample", "4000000"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{}", refused.stderr);
    fs::write(&positions, "\n").unwrap();
    let nothing = to_csv(&["--positions", positions.to_str().unwrap()]);
    assert_eq!((nothing.code, nothing.stdout.lines().count()), (Some(0), 1), "{}", nothing.stderr);
}

/// While no position arrives, too.
#[test]
fn an_interrupt_ends_an_export_of_positions() {
    let bench = Bench::new();
    let file = bench.file("x.jsonl");
    for output in [&["--format", "csv", "-o", "-"][..], &["-o", file.to_str().unwrap()]] {
        let args = [&["export", SMALL, "--positions", "-"], output].concat();
        let mut child = program(bench.store(), &args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"/\n").unwrap();
        wait_for_handler(&mut child, Signal::TERM);
        let deadline = Instant::now() + Duration::from_secs(60);
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "it waits on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
        drop(stdin);
    }
}

#[test]
fn an_export_on_a_full_disk_says_so_and_is_continued() {
    let bench = Bench::new();
    let right = bench.export("x.csv", &[]);
    for size in &["1m", "8k", "20m"][..count(1, 3)] {
        let Some(disk) = Disk::new(size) else { return };
        let path = disk.path().join("x.csv");
        let args = ["export", SMALL, "-o", path.to_str().unwrap()];
        let ended = run(bench.store(), &args);
        assert!(ended.code == Some(6) && ended.stderr.contains("no space left"), "{}", ended.stderr);
        assert!(!path.exists());
        disk.remount("size=200m");
        succeed(bench.store(), &args);
        assert!(fs::read(&path).unwrap() == right, "{size}");
    }
}

#[test]
fn the_shapes_are_all_there() {
    let bench = Bench::new();
    let text = succeed(bench.store(), &["export", "shapes", "-o", "-"]).stdout;
    let shapes: serde_json::Value = serde_json::from_str(&text).unwrap();
    let list = shapes["shapes"].as_array().unwrap();
    assert_eq!((list.len(), shapes["half_shapes"].as_array().unwrap().len()), (90, 29));
    let twists: usize = list.iter().map(|shape| shape["twists"].as_array().unwrap().len()).sum();
    assert_eq!(twists, 1390);
    let total =
        |table: &str| list.iter().map(|shape| shape["positions"][table]["total"].as_u64().unwrap()).sum::<u64>();
    assert_eq!((total("cube21"), total("square1"), total(SMALL)), (6_810_804_000, 108_972_864_000, 2_702_700));
    for shape in list {
        // A twist can be undone: neighbours are mutual.
        for (to, _) in shape["neighbours"].as_object().unwrap() {
            let back = &list[to.parse::<usize>().unwrap()]["neighbours"];
            assert!(back.get(shape["id"].to_string()).is_some());
        }
        let levels = shape["positions"][SMALL]["levels"].as_array().unwrap();
        assert_eq!(
            levels.iter().map(|n| n.as_u64().unwrap()).sum::<u64>(),
            shape["positions"][SMALL]["total"].as_u64().unwrap()
        );
        assert!(shape["positions"]["cube21"].get("levels").is_none(), "it has not been built");
        let answer = &succeed(bench.store(), &["query", SMALL, shape["example"].as_str().unwrap(), "--json"]).json()[0];
        assert_eq!(answer["shape"], shape["name"]);
    }
}
