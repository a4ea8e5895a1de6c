//! Solutions of the Rubik's cube in steps, and by insertions, as clients ask for them.

use super::Server;
use crate::cli::goals::GOALS;
use crate::cli::run_json;
use crate::cli::schemas::{check, validator};

const SCRAMBLE: &str = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F";

#[test]
fn steps_are_those_of_the_command_line() {
    let server = Server::start(&GOALS, &[]);
    for (position, query, args) in [
        (SCRAMBLE, &[("width", "20"), ("count", "3")][..], &["--width", "20", "--count", "3"][..]),
        (
            "R U F2",
            &[("steps", "eo:FB > dr > htr > finish"), ("niss", "never"), ("width", "9")],
            &["eo:FB > dr > htr > finish", "--niss", "never", "--width", "9"],
        ),
        (
            "R U F2",
            &[("steps", "eo|cross > eo-line ..9"), ("niss", "always")],
            &["eo|cross > eo-line ..9", "--niss", "always"],
        ),
    ] {
        let answer = server.json("cube3/steps", &[&[("position", position)], query].concat());
        let (code, lines, stderr) = run_json(&GOALS, &[&["steps", "cube3", position], args].concat());
        assert_eq!((code, answer.as_array()), (0, Some(&lines)), "{position} {query:?}: {stderr}");
        check("steps", &lines);
    }
}

/// What is found in a time depends on the machine, so that there is something, and the fewest moves of an insertion, are all that is known.
#[test]
fn a_time_ends_steps_and_insertions() {
    let server = Server::start(&GOALS, &[]);
    let answer = server.json("cube3/steps", &[("position", SCRAMBLE), ("time", "0.5")]);
    check("steps", answer.as_array().unwrap());
    let query = [("position", "R U F2 D L2 B' R"), ("skeleton", "R' U"), ("insertions", "2"), ("time", "2.5")];
    check("insertions", server.json("cube3/insertions", &query).as_array().unwrap());
    let refused = server.get("/api/v1/cube3/insertions", &[&query[..3], &[("time", "31")]].concat());
    assert_eq!(refused.status, 413, "{}", refused.body);
}

#[test]
fn what_are_no_steps_is_refused() {
    let server = Server::start(&GOALS, &[]);
    for (path, query, status, words) in [
        ("cube3", &[("position", "R"), ("steps", "eo > > dr")][..], 422, "is no step"),
        ("cube3", &[("position", "R"), ("steps", "eo > crozz")], 422, "no goal \"crozz\""),
        ("cube3", &[("position", "R"), ("steps", "finish")], 400, "step 1 (finish)"),
        ("cube3", &[("position", "R"), ("steps", "corners")], 503, "cube3-corners"),
        ("cube3", &[("position", "R"), ("niss", "sometimes")], 422, "niss"),
        ("cube3", &[("position", "R"), ("width", "2001")], 422, "width"),
        ("cube3", &[("position", "R"), ("width", "0")], 422, "width"),
        ("cube3", &[("position", "R"), ("time", "soon")], 422, "a number of seconds, such as 2.5"),
        ("cube3", &[("position", "R"), ("time", "-1")], 422, "a number of seconds"),
        ("cube3", &[("position", "R"), ("time", "30")], 413, "?time= must be less than 30 s"),
        ("cube3", &[("position", "R U?")], 400, "R U?"),
        ("cube3", &[], 422, "position"),
        ("cube2", &[("position", "R")], 422, "steps are for cube3"),
    ] {
        let reply = server.get(&format!("/api/v1/{path}/steps"), query);
        let problem = reply.json();
        assert_eq!(reply.status, status, "{path} {query:?}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(words)), "{path} {query:?}: {problem}");
        validator("problem").validate(&problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
    }
}

#[test]
fn insertions_are_those_of_the_command_line() {
    let server = Server::start(&GOALS, &[]);
    for (position, skeleton, query, args) in [
        ("R U F2 D L2 B' R", "R' U", &[][..], &[][..]),
        ("R U F2 D L2", "B' U' L2", &[("longest", "6"), ("count", "3")], &["--longest", "6", "--count", "3"]),
        ("R U F2", "R'", &[("insertions", "2"), ("width", "3")], &["--insertions", "2", "--width", "3"]),
    ] {
        let asked = [&[("position", position), ("skeleton", skeleton)], query].concat();
        let answer = server.json("cube3/insertions", &asked);
        let (code, lines, stderr) = run_json(&GOALS, &[&["insertions", "cube3", position, skeleton], args].concat());
        assert_eq!((code, answer.as_array()), (0, Some(&lines)), "{position} {query:?}: {stderr}");
        check("insertions", &lines);
    }
    for (path, query, status, words) in [
        ("cube3", &[("position", "R"), ("skeleton", "Q")][..], 400, "Q"),
        ("cube3", &[("position", "R")], 422, "skeleton"),
        ("cube3", &[("position", "R"), ("skeleton", ""), ("longest", "14")], 422, "longest"),
        ("cube3", &[("position", SCRAMBLE), ("skeleton", ""), ("longest", "1")], 504, "no insertion of at most 1 move"),
        ("cube2", &[("position", "R"), ("skeleton", "")], 422, "insertions are for cube3"),
    ] {
        let reply = server.get(&format!("/api/v1/{path}/insertions"), query);
        let problem = reply.json();
        assert_eq!(reply.status, status, "{path} {query:?}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(words)), "{path} {query:?}: {problem}");
        validator("problem").validate(&problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
    }
}
