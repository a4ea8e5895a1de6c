//! Golden answers through HTTP, and beside those of the command line.

use serde_json::Value;

use super::{Reply, Server};
use crate::cli::cube2::CUBE2;
use crate::cli::schemas::validator;
use crate::cli::twistbase;
use crate::support::program::Run;
use crate::support::{CUBE3, CUBE21, WHOLE_SQUARE1, golden, golden_step};
use twistbase_testing::stickers::{Stickers, corner_facelets};

/// Fields of a golden file, line by line.
fn records(name: &str) -> Vec<csv::StringRecord> {
    golden(name).records().map(|record| record.expect("a record")).collect()
}

/// Some of them, or all in the second tier of checks.
fn some(name: &str) -> Vec<csv::StringRecord> {
    records(name).into_iter().step_by(golden_step()).collect()
}

fn number(record: &csv::StringRecord, field: usize) -> u64 {
    record[field].parse().expect("a number")
}

/// Asks about each position with a request of its own, and about all of them in a batch. Both have to give what the command
/// line gives, as the schema says.
fn answers(server: &Server, store: &std::path::Path, puzzle: &str, schema: &str, positions: &[String]) -> Vec<Value> {
    let lines: String = positions.iter().map(|position| format!("{position}\n")).collect();
    let output =
        twistbase(store, &["query", puzzle, "-", "--detail", "full", "--json"]).output_of(lines.clone()).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let expected: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(expected.len(), positions.len(), "{}", String::from_utf8_lossy(&output.stderr));
    let batch = server.post(&format!("{puzzle}/batch"), &[], &lines);
    assert_eq!((batch.status, batch.lines() == expected), (200, true), "the batch of {puzzle}");
    let validator = validator(schema);
    for (position, expected) in positions.iter().zip(&expected) {
        let answer = server.json(&format!("{puzzle}/query"), &[("position", position), ("exact", "false")]);
        assert_eq!(answer, *expected, "{position}");
        validator.validate(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    }
    expected
}

/// Distances of a position with its middle layer ignored, and ending square.
fn twists(server: &Server, puzzle: &str, position: &str) -> [Value; 2] {
    let path = format!("{puzzle}/query");
    ["ignored", "square"].map(|middle| {
        let query = [("position", position), ("middle", middle), ("detail", "brief")];
        server.json(&path, &query)["distance"].clone()
    })
}

/// Answers about a puzzle of the Square-1 family: even numbers of twists from a square middle layer, odd ones from a kite.
fn check_twists(server: &Server, puzzle: &str, record: &csv::StringRecord, [even, odd]: [u64; 2]) {
    let least = even.min(odd);
    for (symbol, expected) in [("-", even), ("/", odd)] {
        let found = twists(server, puzzle, &format!("{}{symbol}", &record[0]));
        assert_eq!(found, [Value::from(least), Value::from(expected)], "{}{symbol}", &record[0]);
    }
}

/// One position is searched for as well: with the same result as on the command line, which does so, too.
#[test]
fn distances_by_all_moves() {
    let server = Server::start(CUBE3.as_path(), &[]);
    for position in
        ["R U2 F'", "", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"].map(|moves| format!("wca:{moves}"))
    {
        let output = twistbase(CUBE3.as_path(), &["query", "cube3", &position, "--json"]).output().unwrap();
        let expected: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(expected["searched_with"], "phase1", "{expected}");
        assert_eq!(server.json("cube3/query", &[("position", &position)]), expected);
    }
    let query = |exact| server.get("/api/v1/cube3/query", &[("position", "R"), ("exact", exact), ("table", "phase1")]);
    assert_eq!((query("true").json()["distance"].as_u64(), query("maybe").status), (Some(1), 422));
}

#[test]
fn cube21() {
    let server = Server::start(CUBE21.path(), &[]);
    let records = [some("cube21_positions.csv"), some("cube21_not_twistable.csv")].concat();
    let positions: Vec<_> = records.iter().map(|record| record[0].to_owned()).collect();
    for (answer, record) in answers(&server, CUBE21.path(), "cube21", "query", &positions).iter().zip(&records) {
        assert_eq!(answer["level"], number(record, 1), "{}", &record[0]);
        if record.len() > 2 {
            check_twists(&server, "cube21", record, [number(record, 3), number(record, 4)]);
        }
        if record.get(8).is_some_and(|count| !count.is_empty()) {
            let [sequences, paths] = ["sequences", "paths"].map(|way| answer["solution_counts"][way].clone());
            let counts = [sequences, answer["solutions"].clone(), paths];
            assert_eq!(counts, [8, 9, 10].map(|field| Value::from(number(record, field))), "{}", &record[0]);
        }
    }
    assert_eq!(positions.len(), 340 / golden_step());
}

#[test]
#[ignore = "long suite: builds all of Square-1"]
fn square1() {
    let (server, records) = (Server::start(WHOLE_SQUARE1.path(), &[]), some("square1_twists.csv"));
    let scrambles = records.iter().map(|record| format!("wca:{}", &record[1]));
    let positions: Vec<_> = records.iter().map(|record| record[0].to_owned()).chain(scrambles).collect();
    let answers = answers(&server, WHOLE_SQUARE1.path(), "square1", "query", &positions);
    for (number_of_line, answer) in answers.iter().enumerate() {
        let record = &records[number_of_line % records.len()];
        assert_eq!(answer["distance"], number(record, 2).min(number(record, 3)), "{}", answer["input"]);
    }
    for record in &records {
        check_twists(&server, "square1", record, [number(record, 2), number(record, 3)]);
    }
    let records = some("square1_wca.csv");
    let lines: String = records.iter().map(|record| format!("{}\n", &record[0])).collect();
    let batch = server.post("square1/batch", &[("metric", "wca"), ("detail", "brief")], &lines).lines();
    for (record, in_batch) in records.iter().zip(batch) {
        let query = [("position", &record[0]), ("metric", "wca"), ("detail", "brief")];
        let answer = server.json("square1/query", &query);
        assert_eq!((&answer, &answer["distance"]), (&in_batch, &number(record, 1).into()), "{}", &record[0]);
        let solved = server.get("/api/v1/square1/solve", &query[..2]);
        let (name, last) = solved.events().into_iter().next_back().expect("an event");
        assert_eq!((name.as_str(), &last["length"]), ("solved", &answer["distance"]), "{}", &record[0]);
    }
}

#[test]
#[ignore = "long suite: builds all of Square-1"]
fn square1_in_face_turns() {
    let server = Server::start(WHOLE_SQUARE1.path(), &[]);
    for record in &some("square1_face.csv") {
        let solved = server.get("/api/v1/square1/solve", &[("position", &record[0]), ("metric", "face")]);
        let (name, last) = solved.events().into_iter().next_back().expect("an event");
        let lengths = [&last["length"], &last["at_least"]];
        assert_eq!((name.as_str(), lengths), ("solved", [&number(record, 1).into(); 2]), "{}", &record[0]);
    }
}

/// The last solution of a search, which has to be final; every solution that is told on the way is shown to solve.
fn solved(reply: &Reply, scramble: &str) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.body);
    let events = reply.events();
    for (_, solution) in events.iter().filter(|(name, _)| name == "solution") {
        let mut stickers = Stickers::after(scramble);
        stickers.apply(solution["solution"].as_str().expect("moves"));
        assert_eq!(stickers, Stickers::solved(), "{scramble}: {solution}");
    }
    let (name, last) = events.into_iter().next_back().expect("an event");
    assert_eq!(name, "solved", "{scramble}: {last}");
    last
}

/// What is known of positions in H, and solutions of every so many of them that are shortest in H.
fn check_in_h(step: usize) {
    let (server, records) = (Server::start(&CUBE3, &["--search-time", "5m"]), records("phase2.csv"));
    let positions: Vec<_> = records.iter().map(|record| record[1].to_owned()).collect();
    let answers = answers(&server, &CUBE3, "cube3", "query", &positions);
    for (answer, record) in answers.iter().zip(&records) {
        assert_eq!(answer["bound_in_h"].as_u64().expect("a bound").min(16), number(record, 2).min(16), "{answer}");
    }
    let validator = validator("solution");
    for record in records.iter().step_by(step) {
        let query = [("position", &record[1]), ("method", "phase2")];
        let last = solved(&server.get("/api/v1/cube3/solve", &query), &record[0]);
        assert_eq!((&last["length"], &last["stopped"]), (&number(record, 3).into(), &"shortest".into()));
        validator.validate(&last).unwrap_or_else(|error| panic!("{error}: {last}"));
    }
    assert_eq!(records.len(), 100);
}

#[test]
fn positions_in_h() {
    check_in_h(20);
}

#[test]
#[ignore = "tier two: a hundred searches of tenths of a second"]
fn full_every_position_in_h() {
    check_in_h(1);
}

/// Searches for the shortest solutions of the positions of a file up to a length.
fn check_optimal(file: &str, metric: &str, longest: u64) -> usize {
    let server = Server::start(&CUBE3, &["--search-time", "5m"]);
    let validator = validator("optimal-cube3");
    let near: Vec<_> = records(file).into_iter().filter(|record| number(record, 2) <= longest).collect();
    for record in &near {
        let query = [("position", &record[1]), ("method", "optimal"), ("metric", metric), ("extra", "0")];
        let last = solved(&server.get("/api/v1/cube3/solve", &query), &record[0]);
        assert_eq!(last["length"], number(record, 2), "{}", &record[0]);
        validator.validate(&last).unwrap_or_else(|error| panic!("{error}: {last}"));
    }
    near.len()
}

#[test]
fn shortest_solutions_of_near_positions() {
    assert_eq!(check_optimal("optimal_333.csv", "htm", 12), 5);
}

#[test]
#[ignore = "tier two: searches of seconds"]
fn full_shortest_solutions_of_farther_positions() {
    assert_eq!(check_optimal("optimal_333.csv", "htm", 15), 8);
    assert_eq!(check_optimal("optimal_333_qtm.csv", "qtm", 16), 1);
}

#[test]
fn cube2() {
    let server = Server::start(&CUBE2, &[]);
    let drawn = server.json("cube2/random", &[("n", "100"), ("seed", "2")]);
    let drawn = drawn.as_array().expect("positions").iter();
    let positions: Vec<_> = drawn.map(|position| position["facelets"].as_str().expect("text").to_owned()).collect();
    let answers = answers(&server, &CUBE2, "cube2", "query", &positions);
    // Positions at each distance are known: most are eight or nine moves away.
    assert!(answers.iter().all(|answer| answer["distance"].as_u64().is_some_and(|distance| distance <= 11)));
    // Comments, ends of lines, and another order of the facelets.
    let lines = server.post("cube2/batch", &[("detail", "brief")], "# a list\rR U (2f)\r// more\nsolved\n").lines();
    let distances: Vec<_> = lines.iter().map(|answer| (&answer["input"], answer["distance"].as_u64())).collect();
    assert_eq!(distances, [(&"R U (2f)".into(), Some(2)), (&"solved".into(), Some(0))]);
    let facelets = corner_facelets(&Stickers::after("R U2 F'"));
    let ordered: String = "ULFRBD".chars().map(|face| &facelets[4 * "URFDLB".find(face).unwrap()..][..4]).collect();
    let answer = server.json("cube2/query", &[("position", &ordered)]);
    assert_eq!((&answer["facelets"], &answer["order"]), (&facelets.as_str().into(), &"U L F R B D".into()));
    let lines = server.post("cube2/batch", &[], &format!("{ordered}\n{facelets}\n")).lines();
    let orders: Vec<_> = lines.iter().map(|answer| (answer["facelets"].as_str(), answer["order"].as_str())).collect();
    assert_eq!(orders, [(Some(facelets.as_str()), Some("U L F R B D")), (Some(facelets.as_str()), None)]);
}
