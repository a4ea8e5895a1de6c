//! `farm merge`: what many tasks found is what one finds.

use std::sync::LazyLock;

use twistbase::Database;
use twistbase::context::Context;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::solve::CosetLevel;

use super::*;
use crate::support::program::Run;
use crate::support::{CUBE3, golden};

/// Answers to `solve --method optimal` in the order of their positions, without what differs from run to run.
fn answers(text: &str) -> Vec<Value> {
    let answer = |line| {
        let mut answer: Value = serde_json::from_str(line).unwrap();
        for name in ["seconds", "nodes", "look_ups", "blake3"] {
            answer.as_object_mut().unwrap().remove(name);
        }
        answer
    };
    let mut answers: Vec<Value> = text.lines().map(answer).collect();
    answers.sort_by_key(|answer| answer["number"].as_u64());
    answers
}

/// A farm of positions of the cube.
fn positions(folder: &TempDir, lines: &[String], options: &[&str]) -> Work {
    let list = folder.path().join("positions");
    fs::write(&list, lines.join("\n") + "\n").unwrap();
    let plan = ["solve", list.to_str().unwrap(), "--table", "phase1"];
    Work::plan(&CUBE3, &folder.path().join("farm"), &[&plan, options].concat())
}

#[test]
fn rows_are_merged_into_the_same_file() {
    let (_site, farm) = Site::rows();
    let (_other, alone) = Site::rows();
    let output = farm.path.with_extension("early");
    let output = ["--output", output.to_str().unwrap()];
    farm.work(&["--shard", "0-4"]);
    let (code, reports, stderr) = farm.json("merge", &output);
    assert_eq!((code, stderr.contains("shard 5")), (4, true), "{stderr}");
    assert!(reports.is_empty() || reports[0]["complete"] == false);
    assert!(!Path::new(output[1]).exists());
    assert_eq!(farm.run("merge", &[]).0, 2, "a file is needed");
    assert_eq!(farm.run("merge", &[&output[..], &["--partial"]].concat()).0, 2, "a table is checked as a whole");
    farm.work(&[]);
    alone.work(&[]);
    let merged = farm.merged();
    assert_eq!(merged, alone.merged());
    assert_eq!(merged, farm.merged(), "merging again changes nothing");
    let there = farm.path.with_extension("merged");
    let (code, _, stderr) = farm.run("merge", &["--output", there.to_str().unwrap()]);
    assert!(code == 2 && stderr.contains("exists already; --force replaces it"), "{stderr}");
    let check: Value = serde_json::from_slice(&merged).unwrap();
    assert_eq!((&check["table"], &check["holds"]), (&SMALL.into(), &true.into()));
}

#[test]
fn positions_of_a_farm_are_those_of_one_batch() {
    let folder = tempfile::tempdir().unwrap();
    let (_, text, _) = run(&CUBE3, &["random", "cube3", "--walk", "6", "-n", "12", "--seed", "7"]);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for options in [&[][..], &["--all", "--limit", "3"], &["--max-depth", "5"]] {
        let farm = positions(&folder, &lines, &[options, &["--shard-items", "5"]].concat());
        farm.work(&[]);
        let merged = answers(std::str::from_utf8(&farm.merged()).unwrap());
        let results = folder.path().join("batch.jsonl");
        let batch = ["solve", "cube3", "-", "--method", "optimal", "--table", "phase1", "--results"];
        let mut batch = twistbase(&CUBE3, &[&batch[..], &[results.to_str().unwrap()], options].concat());
        // Where lines come short of what was asked the batch says so by its status; the file has them all the same.
        batch.output_of(text.clone()).unwrap();
        assert_eq!(merged, answers(&fs::read_to_string(&results).unwrap()), "{options:?}");
        fs::remove_dir_all(&farm.path).unwrap();
        fs::remove_file(results).unwrap();
    }
}

#[test]
fn golden_positions_have_their_lengths() {
    static LINES: LazyLock<Vec<(String, usize)>> = LazyLock::new(|| {
        let reader = golden("optimal_333.csv");
        let rows = reader.into_records().map(|row| row.unwrap());
        let lines = rows.map(|row| (row[0].to_owned(), row[2].parse::<usize>().unwrap()));
        lines.filter(|&(_, length)| length <= 12).collect()
    });
    assert!(LINES.len() >= 5, "{}", LINES.len());
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = LINES.iter().map(|(line, _)| line.clone()).collect();
    let farm = positions(&folder, &lines, &["--shard-items", "4"]);
    farm.work(&[]);
    let found = answers(std::str::from_utf8(&farm.merged()).unwrap());
    let lengths: Vec<u64> = found.iter().map(|answer| answer["length"].as_u64().unwrap()).collect();
    assert_eq!(lengths, LINES.iter().map(|&(_, length)| length as u64).collect::<Vec<_>>());
    let counted = &farm.status()["summary"]["answers"]["lengths"];
    for (length, count) in counted.as_array().unwrap().iter().enumerate() {
        assert_eq!(count, LINES.iter().filter(|line| line.1 == length).count(), "{length} moves");
    }
}

#[test]
fn cosets_are_merged_into_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let farm = Work::plan(
        &CUBE3,
        &folder.path().join("farm"),
        &["cosets", "--range", "100..106", "-S", "3", "-d", "3", "--shard-items", "2"],
    );
    farm.work(&[]);
    let stores = [folder.path().join("merged"), folder.path().join("one")];
    let into = Work { store: stores[0].clone(), path: farm.path.clone() };
    let (code, reports, stderr) = into.json("merge", &[]);
    assert_eq!((code, &reports[0]["new"]), (0, &6.into()), "{stderr}");
    assert_eq!(into.json("merge", &[]).1[0]["new"], 0, "merging again changes nothing");
    // One process finds the same.
    let one = crate::support::cube3::coset_store();
    let words = ["coset", "run", "--range", "100..106", "-S", "3", "-d", "3", "--quiet", "--force"];
    assert_eq!(run(one.path(), &words).0, 0);
    let listed = |store: &Path| {
        let (code, lines, stderr) = run_json(store, &["coset", "list"]);
        assert_eq!(code, 0, "{stderr}");
        let timeless = |mut line: Value| {
            let object = line.as_object_mut().unwrap();
            object.retain(|name, _| !name.ends_with("seconds") && !["finished", "threads"].contains(&name.as_str()));
            line
        };
        lines.into_iter().map(timeless).collect::<Vec<_>>()
    };
    assert_eq!(listed(&stores[0]).len(), 6);
    assert_eq!(listed(&stores[0]), listed(one.path()));
}

/// A store knows otherwise of one coset: nothing of the farm is merged, or all but its shard.
#[test]
fn what_contradicts_the_store_is_told_before_anything_is_merged() {
    let folder = tempfile::tempdir().unwrap();
    let plan = ["cosets", "--range", "100..106", "-S", "3", "-d", "3", "--shard-items", "2"];
    let farm = Work::plan(&CUBE3, &folder.path().join("farm"), &plan);
    farm.work(&[]);
    let right = Work { store: folder.path().join("right"), path: farm.path.clone() };
    assert_eq!(right.run("merge", &[]).0, 0);
    let cosets = |work: &Work| Database::open(&work.store).unwrap().cosets();
    let mut record = cosets(&right).results().iter().next().unwrap().unwrap();
    let level = CosetLevel {
        depth: 0,
        positions: Some(1),
        total: Some(1),
        weighted: None,
        exact: true,
        searched: true,
        ended_early: false,
        sequences: 1,
        prepass_seconds: 0.0,
        search_seconds: 0.0,
    };
    (record.levels, record.exact_to, record.remaining) = (vec![level], Some(0), CosetOfH::POSITIONS - 1);
    let other = Work { store: folder.path().join("other"), path: farm.path.clone() };
    fs::create_dir(&other.store).unwrap();
    cosets(&other).results().writer(&Context::silent()).unwrap().replace(&[record]).unwrap();
    let count = || cosets(&other).results().iter().count();
    let (code, reports, _) = other.json("merge", &[]);
    assert_eq!((code, &reports[0]["merged"], count()), (4, &0.into(), 1), "{reports:?}");
    assert_eq!(reports[0]["refused"].as_array().unwrap().len(), 1, "{reports:?}");
    let (_, text, stderr) = other.run("merge", &[]);
    assert!(text.contains("0 of 3 shards merged") && stderr.contains("nothing was merged"), "{text}{stderr}");
    let (code, text, stderr) = other.run("merge", &["--partial"]);
    assert_eq!((code, count()), (4, 5), "{stderr}");
    assert!(text.contains("2 of 3 shards merged") && !stderr.contains("nothing was merged"), "{text}{stderr}");
}
