//! Every JSON that is answered, about every puzzle, against its schema.

use std::path::Path;

use serde_json::Value;

use super::{Process, Server};
use crate::cli::cube2::CUBE2;
use crate::cli::schemas::validator;
use crate::support::{CORNERS, CUBE3, CUBE21};

/// A puzzle, what is asked about it, and the schemas of its answers.
struct Subject {
    puzzle: &'static str,
    position: &'static str,
    moves: &'static str,
    query: &'static str,
    random: &'static str,
    solution: &'static str,
}

const SQUARE1: Subject = Subject {
    puzzle: "square1-corners",
    position: "(1,0)/(3,3)/",
    moves: "(0,3)/",
    query: "query",
    random: "random",
    solution: "solution",
};
const CUBE21_SUBJECT: Subject = Subject { puzzle: "cube21", ..SQUARE1 };
const CUBE2_SUBJECT: Subject = Subject {
    puzzle: "cube2",
    position: "R U2 F'",
    moves: "U",
    query: "query",
    random: "random",
    solution: "solution",
};
const CUBE3_SUBJECT: Subject = Subject {
    puzzle: "cube3",
    position: "R2 U F2",
    moves: "M2 x",
    query: "query",
    random: "random",
    solution: "solution",
};

/// Checks some answers against a schema, and that there are any.
fn check(name: &str, answers: &[Value]) {
    let validator = validator(name);
    assert!(!answers.is_empty(), "{name}");
    for answer in answers {
        validator.validate(answer).unwrap_or_else(|error| panic!("{name}: {error}: {answer}"));
    }
}

impl Subject {
    fn check(&self, store: &Path) {
        let server = Server::start(store, &[]);
        let Self { puzzle, position, .. } = *self;
        let path = |path: &str| format!("{puzzle}/{path}");
        let list = |value: Value| value.as_array().expect("a list").clone();
        check("table", &list(server.json("tables", &[])));
        check("table-build", &list(server.json("builds", &[])));
        for detail in ["brief", "full"] {
            let query = [("position", position), ("detail", detail)];
            check(self.query, &[server.json(&path("query"), &query)]);
            let answers = server.post(&path("batch"), &query[1..], &format!("{position}\nbad\n")).lines();
            check(self.query, &answers[..1]);
            check("error", &answers[1..]);
        }
        check(self.random, &list(server.json(&path("random"), &[("n", "20")])));
        check(self.random, &list(server.json(&path("random"), &[("n", "3"), ("walk", "9")])));
        check("scene", &[server.json(&path("scene"), &[("position", position), ("moves", self.moves)])]);
        check("stats", &[server.json(&path("stats"), &[])]);
        let rows = server.get(&format!("/api/v1/{}", path("rows")), &[]);
        match rows.status {
            200 => check("stats", &list(rows.json())),
            _ => assert_eq!(rows.json()["code"], "too-large", "{}", rows.body),
        }
        let events = server.get(&format!("/api/v1/{}", path("solve")), &[("position", position)]).events();
        let solutions = events.iter().filter(|(name, _)| ["solution", "solved"].contains(&name.as_str()));
        check(self.solution, &solutions.map(|(_, solution)| solution.clone()).collect::<Vec<_>>());
        let reply = server.get(&format!("/api/v1/{}", path("solutions")), &[("position", position)]);
        if reply.status == 200 {
            let lines = reply.lines();
            check(self.solution, &lines[..lines.len() - 1]);
            check("solutions-end", &lines[lines.len() - 1..]);
        } else {
            // The table of exact distances takes longer to build than this test may.
            assert_eq!((puzzle, reply.status), ("cube3", 503));
            check("problem", &[reply.json()]);
        }
    }
}

#[test]
fn square1() {
    SQUARE1.check(CORNERS.path());
}

#[test]
fn cube21() {
    CUBE21_SUBJECT.check(CUBE21.path());
}

/// A search in face turns tells its depths, and at the end a solution and that none is shorter.
#[test]
fn square1_in_face_turns() {
    let server = Server::start(CORNERS.path(), &[]);
    let query = [("position", "(1,0)/(3,3)/(-1,0)/(0,-3)/(4,2)"), ("metric", "face")];
    let events = server.get("/api/v1/square1-corners/solve", &query).events();
    let (name, last) = events.last().expect("an event");
    assert_eq!((name.as_str(), &last["metric"]), ("solved", &"face".into()), "{events:?}");
    assert_eq!(last["at_least"], last["length"]);
    check("solution", std::slice::from_ref(last));
    let depths: Vec<_> = events.iter().filter(|(name, _)| name == "depth").map(|(_, depth)| depth).collect();
    depths.iter().for_each(|&depth| check("solve-depth", std::slice::from_ref(depth)));
    assert!(depths.iter().all(|depth| depth["metric"] == "face"), "{events:?}");
    assert!(depths.iter().all(|depth| depth["at_least"].as_u64() <= last["length"].as_u64()), "{events:?}");
    let spent = server.get("/api/v1/square1-corners/solve", &[&query[..], &[("max_nodes", "1")]].concat()).events();
    let (name, last) = spent.last().expect("an event");
    assert_eq!((name.as_str(), &last["code"]), ("shortfall", &"budget".into()), "{spent:?}");
    check("solve-shortfall", std::slice::from_ref(last));
    assert!(last["message"].as_str().unwrap().contains("at least "), "{spent:?}");
    check("puzzle", server.json("puzzles", &[]).as_array().expect("a list"));
    let refused = server.get("/api/v1/square1-corners/query", &query);
    assert_eq!((refused.status, &refused.json()["code"]), (422, &"usage".into()));
}

#[test]
fn cube2() {
    CUBE2_SUBJECT.check(&CUBE2);
}

#[test]
fn cube3() {
    CUBE3_SUBJECT.check(&CUBE3);
    let server = Server::start(&CUBE3, &[]);
    let query = [("position", "R U F"), ("method", "optimal")];
    let events = server.get("/api/v1/cube3/solve", &query).events();
    let of = |wanted: &str| {
        events.iter().filter(|(name, _)| name == wanted).map(|(_, data)| data.clone()).collect::<Vec<_>>()
    };
    check("optimal-cube3", &of("solved"));
    check("solve-depth", &of("depth"));
    // A search that lasts tells its nodes now and then.
    let superflip = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
    let query = [("position", superflip), ("method", "optimal"), ("max_nodes", "300000")];
    for (name, data) in server.get("/api/v1/cube3/solve", &query).events() {
        match &*name {
            "nodes" => check("solve-nodes", &[data]),
            "shortfall" => check("solve-shortfall", &[data]),
            _ => {}
        }
    }
}

/// Where it listens is told as JSON, too.
#[test]
fn the_address() {
    let process = Process::start(CORNERS.path(), &["--listen", "127.0.0.1:0", "--json"]);
    let line: Value = serde_json::from_str(&process.line).expect("JSON");
    assert!(line["address"].as_str().expect("a text").starts_with("http://127.0.0.1:"), "{line}");
    check("serve", &[line]);
    assert_eq!(process.stop().0, Some(0));
}
