//! Analyses of positions of the Rubik's cube, and random positions of a state, as clients ask for them.

use super::Server;
use crate::cli::goals::GOALS;
use crate::cli::run_json;
use crate::cli::schemas::{check, validator};
use crate::support::CUBE3;

#[test]
fn analyses_are_those_of_the_command_line() {
    let server = Server::start(&GOALS, &[]);
    for (position, query, args) in [
        ("R' U' F D2 L2 F R2 U2 R2 B", &[][..], &[][..]),
        ("solved", &[], &[]),
        ("R U F2 D x y2", &[("normalize", "true")], &["--normalize"]),
        ("R U F2 D", &[("optimal", "true")], &["--optimal"]),
    ] {
        let answer = server.json("cube3/analysis", &[&[("position", position)], query].concat());
        let (code, lines, stderr) = run_json(&GOALS, &[&["analyze", "cube3", position], args].concat());
        assert_eq!((code, &lines[..]), (0, &[answer][..]), "{position}: {stderr}");
        check("analysis", &lines);
    }
    let far =
        [("position", "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B"), ("optimal", "true"), ("max_nodes", "5")];
    let reply = server.get("/api/v1/cube3/analysis", &far);
    assert!(reply.json()["optimal"]["distance"].is_null(), "{}", reply.body);
    assert_eq!((reply.header("etag"), reply.header("cache-control")), ("", "no-store"));
    assert!(!server.get("/api/v1/cube3/analysis", &far[..1]).header("etag").is_empty());
}

#[test]
fn what_has_no_analysis_is_refused() {
    let server = Server::start(&CUBE3, &[]);
    for (path, query, status, words) in [
        ("cube3/analysis", &[("position", "R U?")][..], 400, "R U?"),
        ("cube3/analysis", &[("position", "R")], 503, "cube3-eo"),
        ("cube3/analysis", &[], 422, "position"),
        ("cube2/analysis", &[("position", "R")], 422, "analysis is for cube3"),
        ("cube3/random", &[("state", "plll")], 422, "choose from: ll, zbll"),
        ("cube3/random", &[("state", "ll"), ("in_h", "true")], 422, "?in_h= cannot be used with"),
        ("cube2/random", &[("state", "ll"), ("scramble", "true")], 422, "?state= cannot be used with"),
    ] {
        let reply = server.get(&format!("/api/v1/{path}"), query);
        let problem = reply.json();
        assert_eq!(reply.status, status, "{path} {query:?}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(words)), "{path} {query:?}: {problem}");
        validator("problem").validate(&problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
    }
}

#[test]
fn states_are_those_of_the_command_line() {
    let server = Server::start(&CUBE3, &[]);
    for scramble in [false, true] {
        let (query, args) = match scramble {
            true => (&[("scramble", "true")][..], &["--scramble"][..]),
            false => (&[][..], &[][..]),
        };
        let answer = server.json("cube3/random", &[&[("state", "pll"), ("n", "3"), ("seed", "4")], query].concat());
        let args = [&["random", "cube3", "--state", "pll", "-n", "3", "--seed", "4"], args].concat();
        let (code, lines, stderr) = run_json(&CUBE3, &args);
        assert_eq!((code, answer.as_array()), (0, Some(&lines)), "{stderr}");
    }
}
