//! Answers: those of the command line.

use std::fs;

use serde_json::Value;

use super::Server;
use crate::cli::cube2::CUBE2;
use crate::cli::schemas::validator;
use crate::cli::{SMALL, run_json, small_store};
use crate::defined::TRAPDOOR;
use crate::support::{CUBE3, CUBE21, MODULO_3, golden};

#[test]
fn answers_are_those_of_the_command_line() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    let position = "(1,0)/(3,3)/(-3,0)/";
    for (path, query, args) in [
        ("query", &[("position", position)][..], &["query", SMALL, position][..]),
        (
            "query",
            &[("position", position), ("detail", "brief"), ("middle", "square"), ("notation", "cube21")],
            &["query", SMALL, position, "--detail", "brief", "--middle", "--notation", "cube21"],
        ),
        ("stats", &[], &["stats", SMALL]),
        (
            "scene",
            &[("position", position), ("moves", "(0,3)/"), ("colours", "colour-blind")],
            &["picture", SMALL, position, "--moves", "(0,3)/", "--colours", "colour-blind"],
        ),
    ] {
        let (code, expected, stderr) = run_json(dir.path(), args);
        assert_eq!((code, expected.len()), (0, 1), "{stderr}");
        assert_eq!(server.json(&format!("{SMALL}/{path}"), query), expected[0], "{path} {query:?}");
    }
    for (path, query, args) in [
        (
            "random",
            &[("n", "3"), ("seed", "7"), ("walk", "5")][..],
            &["random", SMALL, "-n", "3", "--seed", "7", "--walk", "5"][..],
        ),
        ("rows", &[], &["stats", SMALL, "--rows"]),
    ] {
        let (code, expected, stderr) = run_json(dir.path(), args);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(server.json(&format!("{SMALL}/{path}"), query), Value::from(expected), "{path}");
    }
}

/// A puzzle that was added to the store before the server started.
#[test]
fn puzzles_that_are_data_answer_as_on_the_command_line() {
    let dir = small_store();
    let file = dir.path().join("trapdoor.tws");
    fs::write(&file, TRAPDOOR).unwrap();
    for args in [["puzzle", "add", file.to_str().unwrap()].as_slice(), &["build", "trapdoor"]] {
        let (code, _, stderr) = run_json(dir.path(), args);
        assert_eq!(code, 0, "{stderr}");
    }
    let server = Server::start(dir.path(), &[]);
    let (position, name) = ("A B2 L", "trapdoor");
    for (path, query, args) in [
        ("query", &[("position", position)][..], &["query", name, position][..]),
        ("query", &[("position", position), ("metric", "moves")], &["query", name, position, "--metric", "moves"]),
        ("stats", &[], &["stats", name]),
    ] {
        let (code, expected, stderr) = run_json(dir.path(), args);
        assert_eq!((code, expected.len()), (0, 1), "{stderr}");
        assert_eq!(server.json(&format!("{name}/{path}"), query), expected[0], "{path} {query:?}");
    }
    let walk = &["random", name, "-n", "3", "--seed", "7", "--walk", "5"];
    let found = server.json(&format!("{name}/random"), &[("n", "3"), ("seed", "7"), ("walk", "5")]);
    assert_eq!(found, Value::from(run_json(dir.path(), walk).1));
    let scrambles = &["random", name, "-n", "3", "--seed", "7", "--scramble"];
    let found = server.json(&format!("{name}/random"), &[("n", "3"), ("seed", "7"), ("scramble", "true")]);
    assert_eq!(found, Value::from(run_json(dir.path(), scrambles).1));
    let puzzles = server.json("puzzles", &[]);
    assert_eq!(puzzles, Value::from(run_json(dir.path(), &["puzzles"]).1));
    // What it does not have is refused with the reason.
    for (path, query, part) in [
        ("scene", [("position", position), ("moves", "A")], "has no geometry, and so no pictures"),
        ("query", [("position", "A Q"), ("detail", "brief")], " is no move of this puzzle; choose from: A B L"),
        ("query", [("position", position), ("metric", "htm")], "which has: moves"),
    ] {
        let reply = server.get(&format!("/api/v1/{name}/{path}"), &query);
        assert!([400, 422].contains(&reply.status) && reply.body.contains(part), "{}: {}", reply.status, reply.body);
    }
}

#[test]
fn scrambles_are_those_of_the_command_line() {
    let server = Server::start(&CUBE3, &[]);
    let (code, expected, stderr) = run_json(&CUBE3, &["random", "cube3", "--scramble", "-n", "3", "--seed", "5"]);
    assert_eq!((code, expected.len()), (0, 3), "{stderr}");
    for name in ["scramble", "wca"] {
        let found = server.json("cube3/random", &[("n", "3"), ("seed", "5"), (name, "true")]);
        assert_eq!(found, Value::from(expected.clone()), "{name}");
    }
}

#[test]
fn puzzles_have_the_names_that_people_type() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    for (name, puzzle) in [("3x3", "cube3"), ("222", "cube2"), ("Square-1", "square1"), ("sq1-corners", SMALL)] {
        let picture = |name| server.get(&format!("/api/v1/{name}/picture.svg"), &[("position", "wca:")]);
        assert_eq!((picture(name).status, picture(name).body), (200, picture(puzzle).body), "{name}");
    }
    // Boxes and stacks of any size are for the command line.
    for name in ["6x6x6", "pancake-9", "cube4"] {
        let refused = server.get(&format!("/api/v1/{name}/picture.svg"), &[("position", "solved")]);
        assert!(refused.status == 404 && refused.body.contains("there is no puzzle"), "{}", refused.body);
    }
}

#[test]
fn tables_are_listed_without_the_folder() {
    let dir = small_store();
    let (_, mut expected, _) = run_json(dir.path(), &["tables"]);
    let found = Server::start(dir.path(), &[]).get("/api/v1/tables", &[]);
    assert!(!found.body.contains(dir.path().to_str().unwrap()), "{}", found.body);
    for table in &mut expected {
        let name = table["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        table["file"] = name.into();
    }
    let strip = |mut table: Value| {
        // What is free on this machine changes.
        table.as_object_mut().unwrap().remove("fits");
        table
    };
    let found: Vec<_> = found.json().as_array().unwrap().iter().cloned().map(strip).collect();
    assert_eq!(found, expected.into_iter().map(strip).collect::<Vec<_>>());
}

#[test]
fn golden_positions_are_answered_in_a_batch() {
    let server = Server::start(CUBE21.path(), &[]);
    let records: Vec<_> = golden("cube21_positions.csv").records().map(|record| record.unwrap()).collect();
    let lines: String = records.iter().map(|record| format!("{}\n", &record[0])).collect();
    let reply = server.post("cube21/batch", &[("detail", "brief")], &lines);
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"));
    let answers = reply.lines();
    assert_eq!(answers.len(), records.len());
    for (answer, record) in answers.iter().zip(&records) {
        assert_eq!(answer["input"], record[0]);
        assert_eq!(answer["distance"], record[2].parse::<u8>().unwrap(), "{}", &record[0]);
    }
    // What is no position has its reasons in its place.
    let answers = server.post("cube21/batch", &[], "/\nbad\n\n(1,0)/\n").lines();
    assert_eq!(answers.len(), 3);
    assert_eq!((&answers[0]["distance"], &answers[1]["error"]["code"]), (&1.into(), &"invalid".into()));
}

#[test]
fn solutions_are_listed_and_cut() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    let position = "(1,0)/(3,3)/(-3,0)/";
    let args = ["query", SMALL, position, "--solutions"];
    let (_, expected, _) = run_json(dir.path(), &args);
    let reply = server.get(&format!("/api/v1/{SMALL}/solutions"), &[("position", position)]);
    let (end, listed) = reply.lines().split_last().map(|(end, listed)| (end.clone(), listed.to_vec())).unwrap();
    assert_eq!(listed, expected);
    assert_eq!(end, serde_json::json!({ "solutions": expected.len(), "truncated": false }));
    let cut = server.get(&format!("/api/v1/{SMALL}/solutions"), &[("position", position), ("limit", "1")]).lines();
    assert_eq!(cut[..1], expected[..1]);
    assert_eq!(cut[1..], [serde_json::json!({ "solutions": 1, "truncated": expected.len() > 1 })]);
}

#[test]
fn a_search_tells_what_happens() {
    let server = Server::start(&CUBE3, &[]);
    let query = [("position", "R U F"), ("method", "optimal"), ("all", "true")];
    let reply = server.get("/api/v1/cube3/solve", &query);
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/event-stream"));
    let events = reply.events();
    let of = |kind: &str| events.iter().filter(|(name, _)| name == kind).map(|(_, data)| data).collect::<Vec<_>>();
    assert_eq!(of("solution")[0]["solution"], "F' U' R'");
    assert_eq!(of("solved")[0]["length"], 3);
    assert!(of("depth").len() >= 2 && of("shortfall").is_empty(), "{events:?}");
    // By default a near position has a shortest solution, and the end says so.
    let events = server.get("/api/v1/cube3/solve", &[("position", "R U F2 D L2 B' R")]).events();
    let (name, last) = events.last().unwrap();
    let proven = ["length", "at_least", "optimal", "method"].map(|name| last[name].clone());
    assert_eq!((name.as_str(), proven), ("solved", [7.into(), 7.into(), true.into(), "auto".into()]));
    assert!(events.iter().any(|(name, _)| name == "depth"), "{events:?}");
    validator("solution").validate(last).unwrap_or_else(|error| panic!("{error}: {last}"));
    // The two-phase solver's last one is the shortest.
    let events = server.get("/api/v1/cube3/solve", &[("position", "R U F"), ("target", "20")]).events();
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["final"]), ("solved", &true.into()));
    // The longest target that can be asked for.
    let events = server.get("/api/v1/cube3/solve", &[("position", "R U F"), ("target", "30")]).events();
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["final"]), ("solved", &true.into()));
    // A budget that is spent leaves what is known.
    let query = [("position", "R U F D L B R U F"), ("method", "optimal"), ("max_depth", "5")];
    let events = server.get("/api/v1/cube3/solve", &query).events();
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["code"]), ("shortfall", &"budget".into()));
    assert!(last["message"].as_str().unwrap().contains("at least "), "{last}");
}

#[test]
fn a_search_says_that_it_asked_tables_modulo_3() {
    let server = Server::start(&MODULO_3, &[]);
    let solved = |query: &[(&str, &str)]| {
        let events = server.get("/api/v1/cube3/solve", query).events();
        let (name, last) = events.last().expect("an end").clone();
        assert_eq!(name, "solved", "{last}");
        last
    };
    let last = solved(&[("position", "R U F"), ("target", "20")]);
    assert_eq!(last["tables"], serde_json::json!(["phase1-kociemba", "phase2-kociemba"]));
    let last = solved(&[("position", "R U F"), ("method", "optimal")]);
    assert_eq!((&last["table"], &last["length"]), (&"phase1-kociemba".into(), &3.into()));
    let answer = server.json("cube3/query", &[("position", "R U F"), ("exact", "false")]);
    assert_eq!(
        (&answer["tables"], &answer["to_h"]),
        (&serde_json::json!(["phase1-kociemba", "phase2-kociemba"]), &3.into())
    );
}

#[test]
fn what_a_client_has_is_not_sent_again() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    let url = format!("http://{}/api/v1/{SMALL}/query?position=/", server.address);
    let get = |tag: &str| super::Reply::of(server.agent.get(&url).header("if-none-match", tag).call().unwrap());
    let first = get("\"other\"");
    let tag = first.header("etag").to_owned();
    assert!(first.status == 200 && !tag.is_empty() && first.header("cache-control") == "no-cache");
    let again = get(&tag);
    assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", tag.as_str()));
    let drawn = || server.get(&format!("/api/v1/{SMALL}/picture.svg"), &[("position", "/")]).header("etag").to_owned();
    let picture = drawn();
    // Another edition of the table has another tag, and so has another question.
    assert_eq!(crate::cli::run(dir.path(), &["build", SMALL, "--force", "--quiet"]).0, 0);
    let after = get(&tag);
    assert_eq!((after.status, &after.body), (200, &first.body));
    assert_ne!(after.header("etag"), tag);
    let other = server.get(&format!("/api/v1/{SMALL}/query"), &[("position", "//")]);
    assert_ne!(other.header("etag"), after.header("etag"));
    // A picture is the same whatever the tables are.
    assert!(!picture.is_empty() && drawn() == picture);
    // Errors are asked again.
    let refused = server.get(&format!("/api/v1/{SMALL}/query"), &[("position", "bad")]);
    assert_eq!((refused.header("etag"), refused.header("cache-control")), ("", "no-store"));
}

/// Who has any answer needs no other, where there is one.
#[test]
fn whether_there_is_an_answer_is_known_before_a_client_has_it() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    for (path, query, status) in [
        ("query", "position=/", 304),
        ("query", "position=bad", 400),
        ("picture.svg", "position=/", 304),
        ("picture.svg", "position=bad", 400),
        ("random", "seed=1", 304),
        ("random", "n=1", 200),
        ("solutions", "position=/", 200),
    ] {
        let url = format!("http://{}/api/v1/{SMALL}/{path}?{query}", server.address);
        let reply = super::Reply::of(server.agent.get(&url).header("if-none-match", "*").call().unwrap());
        assert_eq!(reply.status, status, "{path}?{query}: {}", reply.body);
    }
}

/// What was cut, or ended because there was no time, is asked again: it has no tag.
#[test]
fn what_is_sent_as_it_is_found_has_no_tag() {
    let dir = small_store();
    let server = Server::start(dir.path(), &["--search-time", "1us"]);
    let path = format!("/api/v1/{SMALL}/solutions");
    let reply = server.get(&path, &[("position", "(1,0)/(3,3)/(-3,0)/")]);
    // Whether a solution is found before a timer notices that the time is over depends on the machine.
    assert!([200, 504].contains(&reply.status), "{}: {}", reply.status, reply.body);
    assert_eq!((reply.header("etag"), reply.header("cache-control")), ("", "no-store"));
}

#[test]
fn the_api_describes_itself() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    let document = server.json("openapi.json", &[]);
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 17);
    for (path, operations) in paths {
        if path.contains("{table}") || ["/steps", "/insertions", "/analysis"].iter().any(|end| path.ends_with(end)) {
            // Builds are asked for with --allow-build; steps, insertions and analyses are of the Rubik's cube.
            continue;
        }
        let (method, operation) = operations.as_object().unwrap().iter().next().unwrap();
        let needed = operation["parameters"].as_array().unwrap().iter().filter(|it| it["required"] == true);
        let needs_position = needed.clone().any(|it| it["name"] == "position");
        let path = path.replace("{puzzle}", SMALL);
        let query = if needs_position { &[("position", "/")][..] } else { &[] };
        let reply = match method.as_str() {
            "post" => server.post(path.strip_prefix("/api/v1/").unwrap(), query, "/\n"),
            _ => server.get(&path, query),
        };
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        let (kind, content) = operation["responses"]["200"]["content"].as_object().unwrap().iter().next().unwrap();
        assert_eq!(reply.header("content-type"), kind, "{path}");
        // What can be known has a tag; what is drawn anew each time has none.
        let has_tag = !reply.header("etag").is_empty() || path.ends_with("/random");
        assert_eq!(operation["responses"]["304"].is_object(), has_tag, "{path}");
        if kind == "application/json" {
            // The schemas are where the references of the document look for them.
            let mut schema = content["schema"].clone();
            schema["components"] = document["components"].clone();
            let validator = jsonschema::draft202012::new(&schema).unwrap();
            validator.validate(&reply.json()).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        // What is needed and not given is said.
        if needs_position {
            let reply = server.get(&path, &[]);
            assert_eq!((reply.status, &reply.json()["code"]), (422, &"usage".into()), "{path}");
        }
    }
}

#[test]
fn pictures_are_those_of_the_command_line() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    let reply = server.get("/api/v1/cube3/picture.svg", &[("position", "R U F"), ("view", "perspective")]);
    assert_eq!((reply.status, reply.header("content-type")), (200, "image/svg+xml"));
    let (_, expected, _) = crate::cli::run(dir.path(), &["picture", "cube3", "R U F", "--view", "perspective"]);
    assert_eq!(reply.body, expected);
}

#[test]
fn cubes_are_turned_first_where_that_is_wanted() {
    let (server, position) = (Server::start(&CUBE3, &[]), "R U2 F' x y2");
    let query = [("position", position), ("normalize", "true")];
    let (code, expected, stderr) = run_json(&CUBE3, &["query", "cube3", position, "--normalize", "--no-exact"]);
    let answer = server.json("cube3/query", &[&query[..], &[("exact", "false")]].concat());
    assert_eq!((code, &expected[..]), (0, &[answer][..]), "{stderr}");
    assert!(expected[0]["turned"].is_string() && expected[0]["input"] == expected[0]["facelets"], "{expected:?}");
    let (code, expected, stderr) = run_json(&CUBE3, &["picture", "cube3", position, "--normalize"]);
    assert_eq!((code, &expected[..]), (0, &[server.json("cube3/scene", &query)][..]), "{stderr}");
    let (_, expected, _) = crate::cli::run(&CUBE3, &["picture", "cube3", position, "--normalize"]);
    assert_eq!(server.get("/api/v1/cube3/picture.svg", &query).body, expected);
    let events = server.get("/api/v1/cube3/solve", &[&query[..], &[("method", "optimal")]].concat()).events();
    let (first, turned) = &events[0];
    assert_eq!(first, "turned", "{events:?}");
    validator("solve-turned").validate(turned).unwrap_or_else(|error| panic!("{error}: {turned}"));
    assert!(events.iter().any(|(name, data)| name == "solution" && data["solution"] == "F U2 R'"), "{events:?}");
    // What is not turned says nothing of it.
    let query = [("position", "R U2 F'"), ("normalize", "true")];
    assert!(server.json("cube3/query", &query).get("turned").is_none());
    let events = server.get("/api/v1/cube3/solve", &[&query[..], &[("target", "20")]].concat()).events();
    assert!(events.iter().all(|(name, _)| name != "turned"), "{events:?}");
    let refused = server.get("/api/v1/square1/picture.svg", &[("position", "/"), ("normalize", "true")]);
    assert_eq!((refused.status, &refused.json()["code"]), (422, &"usage".into()));
    // A batch searches, too, if it is asked to.
    for (exact, distance) in [("false", Value::Null), ("true", 5.into())] {
        let lines =
            server.post("cube3/batch", &[("detail", "brief"), ("exact", exact)], "R U F' L D\nbad\nR\n").lines();
        assert_eq!(
            (&lines[0]["distance"], &lines[1]["error"]["code"], lines.len()),
            (&distance, &"invalid".into(), 3),
            "{lines:?}"
        );
    }
    let refused = server.post("cube3/batch", &query[1..], "R\n");
    assert!(refused.status == 422 && refused.body.contains("a batch has no ?normalize="), "{}", refused.body);
    let query = [("position", position), ("normalize", "true")];
    let solutions = Server::start(&CUBE2, &[]).get("/api/v1/cube2/solutions", &query).lines();
    assert_eq!((solutions.len(), &solutions[0]["solution"]), (2, &"F U2 R'".into()), "{solutions:?}");
}

#[test]
fn those_who_run_it_see_what_it_does() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    assert_eq!(server.get("/healthz", &[]).body, "ok\n");
    assert_eq!(server.get("/readyz", &[]).status, 200);
    server.json(&format!("{SMALL}/query"), &[("position", "/")]);
    server.get(&format!("/api/v1/{SMALL}/query"), &[("position", "bad")]);
    let metrics = server.get("/metrics", &[]).body;
    for line in [
        "twistbase_requests_total{route=\"/api/v1/{puzzle}/query\",status=\"200\"} 1",
        "twistbase_requests_total{route=\"/api/v1/{puzzle}/query\",status=\"400\"} 1",
        "twistbase_request_seconds_count{route=\"/healthz\"} 1",
        "twistbase_running{lane=\"search\"} 0",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
    }
}

#[test]
fn a_table_that_is_built_again_is_noticed() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    let path = format!("/api/v1/{SMALL}/query");
    assert_eq!(server.get(&path, &[("position", "/")]).status, 200);
    let file = dir.path().join(format!("{SMALL}.redb"));
    std::fs::remove_file(&file).unwrap();
    let reply = server.get(&path, &[("position", "/")]);
    assert_eq!((reply.status, &reply.json()["remedy"]), (503, &format!("twistbase build {SMALL}").into()));
    assert_eq!(crate::cli::run(dir.path(), &["build", SMALL, "--quiet"]).0, 0);
    assert_eq!(server.get(&path, &[("position", "/")]).json()["distance"], 1);
}
