//! Requests that are not answered, and what they are told.
#![allow(unsafe_code)]

use std::collections::BTreeSet;

use super::Server;
use crate::cli::schemas::validator;
use crate::cli::{SMALL, small_store, store};

/// Path and query string; status, code, and some words of the reason.
type Refused = (&'static str, &'static [(&'static str, &'static str)], u16, &'static str, &'static str);

#[test]
fn every_refusal_is_a_problem_with_its_reasons() {
    let dir = store();
    let server = Server::start(dir.path(), &["--listed", "5"]);
    let refused: &[Refused] = &[
        ("/nothing", &[], 404, "not-found", "nothing here"),
        ("/api/v1/%FF/query", &[("position", "R")], 404, "not-found", "nothing here"),
        ("/api/v1/%FF/picture.svg", &[("position", "R")], 404, "not-found", "nothing here"),
        ("/api/v1/%FF/solve", &[("position", "R")], 404, "not-found", "nothing here"),
        ("/page/%FF", &[], 404, "not-found", "nothing here"),
        ("/api/v1/cube4/query", &[("position", "R")], 404, "not-found", "cube3"),
        ("/api/v1/cube3/query", &[], 422, "usage", "position"),
        ("/api/v1/cube3/query", &[("position", "R"), ("colour", "red")], 422, "usage", "colour"),
        ("/api/v1/cube3/query", &[("position", "R"), ("metric", "xtm")], 422, "usage", "?metric= is one of htm, qtm,"),
        ("/api/v1/cube3/query", &[("position", "R"), ("middle", "square")], 422, "usage", "middle"),
        (
            "/api/v1/cube3/query",
            &[("position", "R"), ("metric", "qtm"), ("table", "phase1")],
            422,
            "usage",
            "moves in htm",
        ),
        (
            "/api/v1/cube3/query",
            &[("position", "R"), ("metric", "htm"), ("table", "phase2-exact-qtm")],
            422,
            "usage",
            "in qtm",
        ),
        ("/api/v1/cube3/query", &[("position", "R"), ("limit", "1")], 422, "usage", "limit"),
        ("/api/v1/cube3/query", &[("position", "R"), ("shapes", "true")], 422, "usage", "shapes"),
        ("/api/v1/cube3/solutions", &[("position", "R"), ("table", "phase1")], 422, "usage", "table"),
        ("/api/v1/cube3/solutions", &[("position", "R"), ("detail", "brief")], 422, "usage", "detail"),
        ("/api/v1/cube3/solutions", &[("position", "R"), ("shapes", "true")], 422, "usage", "?shapes="),
        ("/api/v1/cube3/solve", &[("position", "R"), ("max_depth", "5")], 422, "usage", "?max_depth="),
        ("/api/v1/cube3/solve", &[("position", "R"), ("all", "true")], 422, "usage", "?all= cannot be used with"),
        ("/api/v1/cube3/solve", &[("position", "R"), ("extra", "1")], 422, "usage", "?extra= cannot be used with"),
        (
            "/api/v1/square1/solve",
            &[("position", "/"), ("all", "true"), ("limit", "2")],
            422,
            "usage",
            "?all= and ?limit= cannot be used with",
        ),
        (
            "/api/v1/cube3/solve",
            &[("position", "R"), ("method", "optimal"), ("all", "true"), ("limit", "0")],
            422,
            "usage",
            "?limit= is a whole number from 1 to",
        ),
        (
            "/api/v1/cube3/solutions",
            &[("position", "R"), ("limit", "0")],
            422,
            "usage",
            "?limit= is a whole number from 1 to",
        ),
        ("/api/v1/cube3/random", &[("metric", "qtm")], 422, "usage", "?metric="),
        ("/api/v1/cube3/random", &[("walk", "3"), ("in_h", "true")], 422, "usage", "?in_h="),
        ("/api/v1/cube3/picture.svg", &[("position", "R X")], 400, "invalid", "is no move"),
        ("/api/v1/cube3/solve", &[("position", "R X")], 400, "invalid", "is no move"),
        ("/api/v1/cube3/query", &[("position", "R")], 503, "data", "missing"),
        ("/api/v1/cube3/random", &[("scramble", "true")], 503, "data", "missing"),
        ("/api/v1/cube21/random", &[("wca", "true")], 422, "usage", "?scramble="),
        ("/api/v1/square1/random", &[("scramble", "true"), ("walk", "3")], 422, "usage", "?walk="),
        ("/api/v1/square1/random", &[("scramble", "true"), ("wca", "true")], 422, "usage", "?scramble= is given more"),
        ("/api/v1/cube3/random", &[("n", "6")], 413, "too-large", "5 at most"),
        ("/api/v1/cube3/stats", &[("table", "cube21")], 422, "usage", "phase1"),
        ("/api/v1/cube3/stats", &[("table", "xyz")], 422, "usage", "xyz"),
        ("/api/v1/cube3/query", &[("position", "R"), ("exact", "no")], 422, "usage", "?exact= is true or false, not"),
        ("/api/v1/cube3/random", &[("n", "two")], 422, "usage", "?n= is a whole number from 0 to 18446744073709551615"),
        ("/api/v1/cube3/solve", &[("method", "optimal")], 422, "usage", "?position= is missing"),
        ("/api/v1/cube3/random", &[("n", "1"), ("n", "2")], 422, "usage", "?n= is given more than once"),
        ("/api/v1/puzzles", &[("n", "1")], 422, "usage", "this address has no parameters"),
    ];
    for (path, query, status, code, words) in refused {
        let reply = server.get(path, query);
        let problem = reply.json();
        assert_eq!(reply.status, *status, "{path} {query:?}: {problem}");
        assert_eq!(reply.header("content-type"), "application/problem+json");
        assert_eq!((&problem["status"], &problem["code"]), (&(*status).into(), &(*code).into()), "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(words), "{path}: {problem}");
        validator("problem").validate(&problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
        assert!(!reply.body.contains(dir.path().to_str().unwrap()), "{problem}");
    }
    let problem = server.get("/api/v1/cube3/scene", &[("position", "R X Y")]).json();
    assert_eq!(problem["problems"].as_array().unwrap().len(), 2, "{problem}");
    assert_eq!(problem["at"], serde_json::json!({ "start": 2, "end": 3 }));
    let reply = server.post("cube3/query", &[("position", "R")], "");
    assert_eq!((reply.status, &reply.json()["code"]), (405, &"method".into()));
    assert!(reply.header("allow").contains("GET"), "{:?}", reply.headers);
    let document = server.json("openapi.json", &[]);
    let mut operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    assert!(operations.all(|operation| operation["responses"]["405"].is_object()), "{document}");
}

/// What an operation does not list among its parameters it does not take.
#[test]
fn what_is_not_described_is_refused() {
    let dir = store();
    let server = Server::start(dir.path(), &[]);
    let document = server.json("openapi.json", &[]);
    let operations = document["paths"].as_object().unwrap().iter().map(|(path, operations)| {
        let (method, operation) = operations.as_object().unwrap().iter().next().unwrap();
        let parameters = operation["parameters"].as_array().unwrap().iter().filter(|it| it["in"] == "query");
        let names: BTreeSet<_> = parameters.map(|parameter| parameter["name"].as_str().unwrap()).collect();
        (path.replace("{puzzle}", "cube2").replace("{table}", "cube2"), method.as_str(), names)
    });
    let operations: Vec<_> = operations.chain([("/api/v1/openapi.json".to_owned(), "get", BTreeSet::new())]).collect();
    let all: BTreeSet<_> = operations.iter().flat_map(|(.., names)| names.clone()).collect();
    for (path, method, names) in &operations {
        for &name in &all {
            let query = &[(name, "1")];
            let reply = match *method {
                "post" => server.post(path.strip_prefix("/api/v1/").unwrap(), query, ""),
                _ => server.get(path, query),
            };
            let is_unknown = reply.body.contains(&format!("no ?{name}="));
            assert_eq!(is_unknown, !names.contains(name), "{path} {name}: {}", reply.body);
            assert!(!is_unknown || reply.status == 422, "{path} {name}");
        }
    }
}

/// What a number may be is what its description says.
#[test]
fn numbers_beyond_their_maximum_are_refused() {
    let dir = store();
    let server = Server::start(dir.path(), &[]);
    let document = server.json("openapi.json", &[]);
    let mut maxima = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let parameters = operations["get"]["parameters"].as_array().map_or(&[][..], Vec::as_slice);
        for (parameter, most) in parameters.iter().filter_map(|it| Some((it, it["schema"]["maximum"].as_u64()?))) {
            let (name, beyond) = (parameter["name"].as_str().unwrap(), u128::from(most) + 1);
            maxima.insert((name, most));
            let path = path.replace("{puzzle}", "cube3");
            let beyond = beyond.to_string();
            let query = [("position", "R"), (name, beyond.as_str())];
            let has_position = parameters.iter().any(|it| it["name"] == "position");
            let reply = server.get(&path, &query[usize::from(!has_position)..]);
            let detail = reply.json()["detail"].as_str().unwrap().to_owned();
            let least = parameter["schema"]["minimum"].as_u64().unwrap();
            let reason = format!("?{name}= is a whole number from {least} to {most}, not \"{beyond}\"");
            assert_eq!((reply.status, detail), (422, reason), "{path}");
        }
    }
    for known in [("target", 30), ("extra", 32), ("max_depth", 255), ("walk", 1000)] {
        assert!(maxima.contains(&known), "{known:?} is not in {maxima:?}");
    }
    // At the maximum it is the table that is missing.
    for (name, most, method) in
        [("target", "30", "two-phase"), ("extra", "32", "optimal"), ("max_depth", "32", "optimal")]
    {
        let reply = server.get("/api/v1/cube3/solve", &[("position", "R"), ("method", method), (name, most)]);
        assert_eq!((reply.status, &reply.json()["code"]), (503, &"data".into()), "{name}");
    }
    let reply = server.get("/api/v1/cube3/solve", &[("position", "R"), ("method", "optimal"), ("extra", "254")]);
    assert_eq!(reply.status, 422, "{}", reply.body);
}

#[test]
fn a_damaged_page_is_an_error_of_its_own() {
    let dir = small_store();
    let file = dir.path().join(format!("{SMALL}.redb"));
    let mut bytes = std::fs::read(&file).unwrap();
    // All of it but the head of the file.
    bytes[4096..].iter_mut().for_each(|byte| *byte ^= 0x55);
    std::fs::write(&file, bytes).unwrap();
    let server = Server::start(dir.path(), &[]);
    let reply = server.get(&format!("/api/v1/{SMALL}/query"), &[("position", "/")]);
    let problem = reply.json();
    assert!([500, 503].contains(&reply.status) && problem["code"] == "data", "{problem}");
    assert!(problem["remedy"].as_str().unwrap().starts_with("twistbase "), "{problem}");
    // Nothing else fails.
    assert_eq!(server.get("/api/v1/cube3/random", &[]).status, 200);
}

#[test]
fn only_its_own_names_are_answered() {
    let dir = store();
    let server = Server::start(dir.path(), &["--allow-host", "Cubes.Example.org."]);
    for (host, status) in [("localhost", 200), ("cubes.example.org:443", 200), ("evil.example.org", 421), ("", 421)] {
        let reply = server.send(&format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {reply}");
    }
    // Of several names, or none, it is not known which one counts.
    let two = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example.org\r\nConnection: close\r\n\r\n";
    for request in [two, "GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"] {
        let reply = server.send(request);
        assert_eq!(reply.split(' ').nth(1), Some("400"), "{request}: {reply}");
        assert!(reply.contains("application/problem+json") && reply.contains("\"code\":\"host\""), "{reply}");
    }
    let reply = server.send("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
    assert_eq!(reply.split(' ').nth(1), Some("200"), "{reply}");
}

#[test]
fn pages_elsewhere_may_read_answers_only_if_they_are_named() {
    let dir = store();
    let allowed = |args: &[&str], origin: &str| {
        let server = Server::start(dir.path(), args);
        let request =
            format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\nConnection: close\r\n\r\n");
        server.send(&request).to_lowercase().contains("access-control-allow-origin:")
    };
    let own = "https://cubes.example.org";
    assert!(!allowed(&[], own));
    assert!(allowed(&["--cors", own], own));
    assert!(allowed(&["--cors", "https://Cubes.Example.org:443"], own));
    assert!(!allowed(&["--cors", own], "https://evil.example.org"));
    let (code, _, stderr) = crate::cli::run(dir.path(), &["serve", "--listen", "127.0.0.1:0", "--cors", "a\nb"]);
    assert!(code == 2 && stderr.contains("no origin"), "{stderr}");
}

/// Whether a page elsewhere may ask is answered where any may; else it is a method like others.
#[test]
fn what_may_be_asked_is_asked_in_vain_unless_pages_elsewhere_may_read() {
    let dir = store();
    let ask = |server: &Server, path: &str| {
        let head = format!("OPTIONS {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        let asked = "Origin: https://cubes.example.org\r\nAccess-Control-Request-Method: GET\r\n";
        server.send(&format!("{head}{asked}\r\n")).to_lowercase()
    };
    let server = Server::start(dir.path(), &[]);
    let refused = ask(&server, "/api/v1/puzzles");
    assert!(refused.starts_with("http/1.1 405 ") && refused.contains("\r\nallow: get,head\r\n"), "{refused}");
    assert!(refused.contains("application/problem+json") && !refused.contains("access-control"), "{refused}");
    assert!(ask(&server, "/nothing").starts_with("http/1.1 404 "));
    let server = Server::start(dir.path(), &["--cors", "https://cubes.example.org"]);
    let allowed = ask(&server, "/api/v1/puzzles");
    assert!(allowed.starts_with("http/1.1 200 ") && allowed.contains("access-control-allow-methods: get"), "{allowed}");
}

#[test]
fn every_response_forbids_what_pages_need_not() {
    let dir = store();
    let server = Server::start(dir.path(), &[]);
    for path in ["/healthz", "/nothing", "/api/v1/cube3/random"] {
        let reply = server.get(path, &[]);
        assert!(reply.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert!(!reply.header("content-security-policy").contains("unsafe"));
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
    }
}

#[test]
fn an_address_that_is_taken_is_an_error() {
    let dir = store();
    let server = Server::start(dir.path(), &[]);
    let (code, _, stderr) = crate::cli::run(dir.path(), &["serve", "--listen", &server.address]);
    assert!(code == 5 && stderr.contains("in use"), "{code}: {stderr}");
    let (code, _, stderr) = crate::cli::run(dir.path(), &["serve", "--listen", "localhost"]);
    assert!(code == 2 && stderr.contains("127.0.0.1:8021"), "{stderr}");
}
