//! What is in the records.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

use super::{Bench, objects, program, run, succeed};
use crate::cli::square1::{Notation, Puzzle};
use crate::faults::SMALL;
use crate::support::program::Run;
use crate::support::{CUBE3, count};
use twistbase::puzzle::square1::Colouring;
use twistbase::puzzle::square1::notation::{hex, wca};

const ALL: &[&str] = &["--columns", "index,row,entry,position,distance,value,count,solution,solutions"];
const SAMPLE: &[&str] = &["--sample", "700", "--seed", "11"];

/// Answers of `query` to positions, with further options.
fn queried<'a>(bench: &Bench, positions: impl Iterator<Item = &'a str>, options: &[&str]) -> Vec<Value> {
    let lines: String = positions.map(|position| format!("{position}\n")).collect();
    let args = [&["query", SMALL, "-", "--json", "--detail", "full"], options].concat();
    objects(&crate::cli::twistbase(bench.store(), &args).output_of(lines).unwrap().stdout)
}

/// The positions of records.
fn positions(records: &[Value]) -> impl Iterator<Item = &str> {
    records.iter().map(|record| record["position"].as_str().unwrap())
}

#[test]
fn records_are_what_queries_tell_and_their_solutions_solve() {
    let bench = Bench::new();
    let records = objects(&bench.export("some.jsonl", &[ALL, SAMPLE].concat()));
    assert_eq!(records.len(), 700);
    let mut solutions = 0;
    for (record, answer) in records.iter().zip(queried(&bench, positions(&records), &[])) {
        assert_eq!((&record["distance"], &record["count"]), (&answer["distance"], &answer["solutions"]));
        let index = record["row"].as_u64().unwrap() * 40_320 + record["entry"].as_u64().unwrap();
        assert_eq!(record["index"], index);
        let all: Vec<&str> =
            record["solutions"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        assert_eq!(all.len() as u64, record["count"].as_u64().unwrap());
        assert!(all.contains(&record["solution"].as_str().unwrap()));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        let position = hex::parse(record["position"].as_str().unwrap(), Colouring::Corners).unwrap().position;
        for text in all {
            let sequence = wca::parse(text).unwrap();
            assert_eq!(sequence.twists() as u64, record["distance"].as_u64().unwrap());
            assert!(sequence.apply(&position).unwrap().is_solved(Colouring::Corners), "{text}");
            solutions += 1;
        }
    }
    println!("700 records, {solutions} solutions replayed");
}

/// The position of a record on a model of its own.
fn replayed(position: &str) -> Puzzle {
    if position.contains('-') && !position.contains('(') {
        return Puzzle::from_hex(position);
    }
    let mut puzzle = Puzzle::solved();
    puzzle.apply(position, Notation::Wca);
    puzzle
}

#[test]
#[ignore = "long suite: seconds of processor time"]
fn records_in_wcas_metric_are_of_positions_as_they_lie() {
    let bench = Bench::new();
    let wca = ["--metric", "wca", "--columns", "index,position,distance,count,solutions"];
    let check = |records: &[Value], given: &[&str]| {
        let answers = queried(&bench, given.iter().copied(), &["--metric", "wca"]);
        assert_eq!((answers.len(), records.len()), (given.len(), given.len()));
        let mut solutions = 0;
        for ((record, answer), position) in records.iter().zip(answers).zip(given) {
            let alignments = &answer["solutions"];
            assert_eq!((&record["distance"], &record["count"]), (&answer["distance"], alignments), "{position}");
            for text in record["solutions"].as_array().unwrap() {
                let mut puzzle = replayed(record["position"].as_str().unwrap());
                puzzle.apply(text.as_str().unwrap(), Notation::Wca);
                assert!(puzzle.is_solved_as(SMALL) && !puzzle.kite, "{record}");
                assert_eq!(text.as_str().unwrap().matches(['(', '/']).count() as u64, record["distance"]);
                solutions += 1;
            }
        }
        assert!(solutions >= records.len());
    };
    // Of entries, with the middle layer square.
    let records = objects(&bench.export("wca.jsonl", &[&wca[..], &["--sample", "100", "--seed", "1"]].concat()));
    assert!(records.len() == 100 && positions(&records).all(|position| position.ends_with('-')));
    check(&records, &positions(&records).collect::<Vec<_>>());
    let metadata = std::fs::read(bench.file("wca.jsonl.meta.json")).unwrap();
    let metadata: Value = serde_json::from_slice(&metadata).unwrap();
    assert_eq!((&metadata["metric"], &metadata["goal"]), (&"wca".into(), &"solved, as it lies".into()));
    // Given back, they have the same index, but for those that symmetry turns into another entry.
    let file = bench.file("given");
    std::fs::write(&file, positions(&records).collect::<Vec<_>>().join("\n")).unwrap();
    let again = objects(&bench.export("back.jsonl", &[&wca[..], &["--positions", file.to_str().unwrap()]].concat()));
    let same = again.iter().zip(&records).filter(|(again, record)| again["index"] == record["index"]).count();
    assert!(again.len() == 100 && same > 90, "{same}");
    // Given ones keep their middle layer and their turn, also where digits cannot write it; the second table changes nothing.
    let given = ["/", "(1,0)/(3,3)/(-3,0)/(1,0)", "(0,-1)", "/(3,0)/(1,1)", "01234567-89ABCDEF/"];
    std::fs::write(&file, given.join("\n")).unwrap();
    let options = [&wca[..], &["--positions", file.to_str().unwrap()]].concat();
    let walked = bench.export("given.jsonl", &options);
    check(&objects(&walked), &given);
    succeed(bench.store(), &["build", "square1-corners-endings"]);
    assert!(bench.export("again.jsonl", &options) == walked);
    // Selected by their distance.
    let far = objects(&bench.export("far.jsonl", &["--metric", "wca", "--levels", "17.."]));
    let near = objects(&bench.export("near.jsonl", &["--metric", "wca", "--levels", "..2"]));
    let distances = |records: &[Value]| records.iter().map(|record| record["distance"].as_u64().unwrap()).collect();
    let (far, near): (BTreeSet<u64>, BTreeSet<u64>) = (distances(&far), distances(&near));
    assert!(!far.is_empty() && far.iter().all(|&moves| moves >= 17), "{far:?}");
    assert!(!near.is_empty() && near.iter().all(|&moves| moves <= 2), "{near:?}");
}

/// Of most entries their twists alone tell that they are at none of the distances asked for: what is exported is the same.
#[test]
#[ignore = "long suite: seconds of processor time"]
fn distances_in_wcas_metric_are_selected_as_they_are_told() {
    let bench = Bench::new();
    let indices = |records: &[Value]| records.iter().map(|record| record["index"].as_u64().unwrap()).collect();
    let columns = ["--metric", "wca", "--columns", "index,distance", "--rows", "3..4"];
    let whole = objects(&bench.export("whole.jsonl", &columns));
    assert!(whole.iter().all(|record| record["distance"].as_u64().is_some_and(|distance| distance <= 18)));
    let mut found = 0;
    for distance in (0..=18).step_by(count(4, 1)) {
        let level = distance.to_string();
        let records =
            objects(&bench.export(&format!("{level}.jsonl"), &[&columns[..], &["--levels", &level]].concat()));
        let expected: Vec<Value> = whole.iter().filter(|record| record["distance"] == distance).cloned().collect();
        let [records, expected]: [Vec<u64>; 2] = [indices(&records), indices(&expected)];
        assert!(records == expected, "{} and {} at {distance}", records.len(), expected.len());
        found += records.len();
    }
    assert!(found > 1000 && (found == whole.len() || count(4, 1) > 1), "{found}");
}

#[test]
#[ignore = "long suite: a table of endings and all of its entries"]
fn endings_are_exported_with_their_distances() {
    let bench = Bench::new();
    succeed(bench.store(), &["build", "square1-corners-endings"]);
    let path = bench.file("endings.csv");
    let path = path.to_str().unwrap();
    succeed(bench.store(), &["export", "square1-corners-endings", "--columns", "distance,value", "-o", path]);
    let mut levels = BTreeMap::<u64, u64>::new();
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let (distance, value) = line.split_once(',').unwrap();
        let [distance, value]: [u64; 2] = [distance, value].map(|text| text.parse().unwrap());
        assert_eq!(distance % 3, value);
        *levels.entry(distance).or_default() += 1;
    }
    let stats = &succeed(bench.store(), &["stats", "square1-corners-endings", "--json"]).json()[0];
    for level in stats["levels"].as_array().unwrap() {
        assert_eq!(level["entries"], levels[&level["distance"].as_u64().unwrap()]);
    }
    for columns in ["bound", "solution"] {
        let ended = run(bench.store(), &["export", "square1-corners-endings", "--columns", columns, "-o", path]);
        assert_eq!(ended.code, Some(2), "{columns}: {}", ended.stderr);
    }
}

#[test]
fn every_format_holds_the_same() {
    let bench = Bench::new();
    let options = [ALL, SAMPLE].concat();
    let records = objects(&bench.export("some.jsonl", &options));
    let text = |record: &Value, name: &str| match &record[name] {
        Value::Array(texts) => texts.iter().map(|text| text.as_str().unwrap()).collect::<Vec<_>>().join(";"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let csv = bench.export("some.csv", &options);
    let mut reader = csv::Reader::from_reader(csv.as_slice());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    let expected: Vec<Vec<String>> = records.iter().map(|r| names.iter().map(|name| text(r, name)).collect()).collect();
    assert!(rows == expected);
    // Compressed, each is the same.
    for (plain, name) in [(csv.clone(), "some.csv.zst"), (bench.export("some.jsonl", &options), "some.jsonl.zst")] {
        let mut unpacked = Vec::new();
        zstd::Decoder::new(bench.export(name, &options).as_slice()).unwrap().read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain);
    }
    bench.export("some.parquet", &options);
    let file = SerializedFileReader::try_from(bench.file("some.parquet").as_path()).unwrap();
    let pairs = file.metadata().file_metadata().key_value_metadata().unwrap();
    let inside: Value = serde_json::from_str(pairs[0].value.as_ref().unwrap()).unwrap();
    let beside = std::fs::read(bench.file("some.csv.meta.json")).unwrap();
    let mut beside: Value = serde_json::from_slice(&beside).unwrap();
    beside["format"] = "parquet".into();
    assert_eq!(inside, beside);
    assert_eq!((&inside["metric"], &inside["records"]), (&"twists".into(), &700.into()));
    for (row, record) in file.get_row_iter(None).unwrap().zip(&records) {
        let row = row.unwrap();
        assert_eq!(row.get_ulong(0).unwrap(), record["index"].as_u64().unwrap());
        assert_eq!(row.get_uint(1).unwrap() as u64, record["row"].as_u64().unwrap());
        assert_eq!(row.get_string(3).unwrap(), record["position"].as_str().unwrap());
        assert_eq!(u64::from(row.get_ubyte(4).unwrap()), record["distance"].as_u64().unwrap());
        assert_eq!(row.get_string(7).unwrap(), record["solution"].as_str().unwrap());
        assert_eq!(row.get_list(8).unwrap().len() as u64, record["count"].as_u64().unwrap());
    }
}

#[test]
fn a_whole_table_has_every_entry_at_its_level() {
    let bench = Bench::new();
    bench.export("all.parquet", &[]);
    let file = SerializedFileReader::try_from(bench.file("all.parquet").as_path()).unwrap();
    let (mut levels, mut next) = (BTreeMap::<u8, u64>::new(), 0);
    for row in file.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        assert_eq!(row.get_ulong(0).unwrap(), next);
        next += 1;
        *levels.entry(row.get_ubyte(2).unwrap()).or_default() += 1;
    }
    let stats = &succeed(bench.store(), &["stats", SMALL, "--json"]).json()[0];
    let expected = stats["levels"].as_array().unwrap().iter().map(|level| level["entries"].as_u64().unwrap());
    assert!(levels.into_values().eq(expected) && next == 3_628_800);
}

#[test]
fn selections_combine() {
    let bench = Bench::new();
    let columns = ["--columns", "index,row,distance"];
    let all = objects(&bench.export("all.jsonl", &[&columns[..], &["--rows", "..12"]].concat()));
    let some =
        objects(&bench.export("some.jsonl", &[&columns[..], &["--rows", "3,7..9", "--levels", "..4,8"]].concat()));
    let wanted = |record: &&Value| {
        let (row, distance) = (record["row"].as_u64().unwrap(), record["distance"].as_u64().unwrap());
        [3, 7, 8, 9].contains(&row) && (distance <= 4 || distance == 8)
    };
    let expected: Vec<&Value> = all.iter().filter(wanted).collect();
    assert!(!expected.is_empty() && some.iter().eq(expected.iter().copied()));
    let options = [&columns[..], &["--rows", "3,7..9", "--levels", "..4,8", "--sample", "100"]].concat();
    let sample = objects(&bench.export("sample.jsonl", &options));
    assert_eq!(sample.len(), 100);
    let mut rest = expected.into_iter();
    assert!(sample.iter().all(|record| rest.any(|other| other == record)), "in order, each once, each selected");
    let other = objects(&bench.export("other.jsonl", &[&options[..], &["--seed", "1"]].concat()));
    assert_ne!(sample, other);
    // Given positions keep their order, and are kept as the selection says.
    let positions = "01234567-89ABCDEF\n(1,0)/(3,3)/\n\n  /\n";
    let path = bench.file("positions");
    std::fs::write(&path, positions).unwrap();
    let given = |options: &[&str]| {
        objects(&bench.export("given.jsonl", &[&["--positions", path.to_str().unwrap()], options].concat()))
    };
    let distances = |records: Vec<Value>| records.iter().map(|r| r["distance"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(distances(given(&[])), [0, 2, 1]);
    assert_eq!(distances(given(&["--levels", "1..2"])), [2, 1]);
    std::fs::write(&path, "01234567-89ABCDEF\nnonsense\n").unwrap();
    let args = ["export", SMALL, "--positions", path.to_str().unwrap(), "--format", "csv", "-o", "-"];
    let ended = run(bench.store(), &args);
    assert!(ended.code == Some(3) && ended.stderr.contains("line 2"), "{}", ended.stderr);
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let bench = Bench::new();
    for (name, options) in [
        ("t.parquet", &["--rows", "..9"][..]),
        ("t.csv.zst", &["--rows", "5..9"]),
        ("t.jsonl", &["--sample", "1000", "--solution", "all"]),
        ("u.parquet", &["--sample", "40000", "--solution", "one"]),
    ] {
        let one = bench.export(name, &[options, &["--threads", "1"]].concat());
        for threads in &["4", "2"][..count(1, 2)] {
            assert!(
                bench.export(name, &[options, &["--threads", threads]].concat()) == one,
                "{name}, {threads} threads"
            );
        }
    }
}

#[test]
fn tables_of_the_cube_tell_what_queries_tell() {
    let folder = tempfile::tempdir().unwrap();
    for (table, member) in [("phase1", "to_h"), ("phase1-qtm", "to_h"), ("phase2", "bound_in_h")] {
        let path = folder.path().join(format!("{table}.jsonl"));
        let args = ["export", table, "--sample", "200", "-o", path.to_str().unwrap()];
        succeed(CUBE3.as_path(), &args);
        let records = objects(&std::fs::read(&path).unwrap());
        let beside = std::fs::read(path.with_extension("jsonl.meta.json")).unwrap();
        let metadata: Value = serde_json::from_slice(&beside).unwrap();
        assert_eq!(metadata["position_notation"], "facelets", "{metadata}");
        let positions: String =
            records.iter().map(|record| record["position"].as_str().unwrap().to_owned() + "\n").collect();
        let ask = |args: &[&str]| {
            let mut child = program(CUBE3.as_path(), args).stdin(std::process::Stdio::piped()).spawn().unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), positions.as_bytes()).unwrap();
            objects(&child.wait_with_output().unwrap().stdout)
        };
        let answers = ask(&["query", "cube3", "-", "--table", table, "--json"]);
        assert!(records.iter().map(|record| &record["bound"]).eq(answers.iter().map(|answer| &answer[member])));
        let again = ask(&["export", table, "--positions", "-", "--format", "jsonl", "-o", "-"]);
        assert_eq!(again.len(), 200);
        // Another entry may stand for the same position, if that has symmetry.
        let same = |name: &str| again.iter().zip(&records).filter(|(a, b)| a[name] == b[name]).count();
        assert_eq!((same("bound"), same("position")), (200, 200));
        assert!(same("index") > 190);
        let refused = run(CUBE3.as_path(), &["export", table, "--solution", "one", "--format", "csv", "-o", "-"]);
        assert!(refused.code == Some(2) && refused.stderr.contains("bounds"), "{}", refused.stderr);
    }
}
