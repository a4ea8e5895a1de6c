//! Goals, as clients ask about them.

use std::fs;
use std::slice;

use serde_json::Value;

use super::{Reply, Server};
use crate::cli::goals::GOALS;
use crate::cli::own_goals::add_loft;
use crate::cli::schemas::{check, validator};
use crate::cli::{run_json, store, twistbase};
use crate::support::program::Run;

const POSITION: &str = "R U F2 D L2 B' R";

#[test]
fn answers_are_those_of_the_command_line() {
    let server = Server::start(&GOALS, &[]);
    let of_cube3 = ["cross", "cross:any", "eo:UD", "dr:any"].map(|goal| ("cube3", POSITION, goal));
    let of_cube2 = ["face", "layer:any"].map(|goal| ("cube2", "R U F2 R'", goal));
    let of_square1 = ["cube-shape", "cube-shape-parity"].map(|goal| ("square1", "(1,0)/(3,3)/(-1,0)/", goal));
    for (puzzle, position, goal) in of_cube3.into_iter().chain(of_cube2).chain(of_square1) {
        let (query, path) = ([("position", position), ("goal", goal)], |path: &str| format!("{puzzle}/{path}"));
        let printed = |args: &[&str]| {
            let (code, lines, stderr) = run_json(&GOALS, &[args, &[puzzle, position, "--goal", goal]].concat());
            assert_eq!(code, 0, "{stderr}");
            lines
        };
        let answer = server.json(&path("query"), &query);
        assert_eq!([answer.clone()][..], printed(&["query"]), "{goal}");
        check("query", slice::from_ref(&answer));
        let lines = server.get(&format!("/api/v1/{puzzle}/solutions"), &query).lines();
        let (end, solutions) = lines.split_last().unwrap();
        assert_eq!(solutions, printed(&["query", "--solutions"]), "{goal}");
        check("solution", solutions);
        assert_eq!((&end["solutions"], &end["truncated"]), (&solutions.len().into(), &false.into()));
        let cut = server.get(&format!("/api/v1/{puzzle}/solutions"), &[&query[..], &[("limit", "1")]].concat()).lines();
        assert_eq!((cut.len(), &cut[0], &cut[1]["truncated"]), (2, &solutions[0], &(solutions.len() > 1).into()));
        let events = server.get(&format!("/api/v1/{puzzle}/solve"), &query).events();
        let solved: Vec<_> = events.into_iter().filter(|(name, _)| name == "solved").map(|(_, data)| data).collect();
        assert_eq!(solved, printed(&["solve"]), "{goal}");
        check("solution", &solved);
        let lines = server.post(&path("batch"), &[("goal", goal)], &format!("{position}\nbad\nsolved\n")).lines();
        assert_eq!((&lines[0], &lines[2]["distance"]), (&answer, &0.into()), "{goal}");
        check("query", &[lines[0].clone(), lines[2].clone()]);
        check("error", &lines[1..2]);
    }
    let query = [("position", POSITION), ("goal", "CROSS:any"), ("metric", "qtm")];
    let args = ["query", "cube3", POSITION, "--goal", "cross:any", "--metric", "qtm"];
    let (_, printed, _) = run_json(&GOALS, &args);
    assert_eq!([server.json("cube3/query", &query)][..], printed);
    let solutions = server.get("/api/v1/cube3/solutions", &query).lines();
    assert_eq!(solutions[..solutions.len() - 1], run_json(&GOALS, &[&args[..], &["--solutions"]].concat()).1);
    let query = [("position", "R U x"), ("goal", "cross"), ("normalize", "true"), ("detail", "brief")];
    let turned = server.json("cube3/query", &query);
    assert!(turned["turned"].is_string(), "{turned}");
    check("query", &[turned]);
}

#[test]
fn what_is_no_goal_is_refused() {
    let server = Server::start(&GOALS, &[]);
    let refused = |path: &str, query: &[(&str, &str)], status: u16, words: &str| {
        let query = [&[("position", "R")], query].concat();
        let reply = server.get(&format!("/api/v1/{path}"), &query);
        let problem = reply.json();
        assert_eq!(reply.status, status, "{path} {query:?}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(words), "{path} {query:?}: {problem}");
        validator("problem").validate(&problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
    };
    for path in ["cube3/query", "cube3/solutions"] {
        refused(path, &[("goal", "crozz")], 422, "choose from: cross, xcross");
        refused(path, &[("goal", "cross:UR")], 422, "cross:UD for an axis");
        refused(
            path,
            &[("goal", "half-turns"), ("metric", "qtm")],
            422,
            "?metric=qtm cannot be used with the goal half-turns",
        );
        refused(path, &[("goal", "cross"), ("table", "phase1")], 422, "?table= cannot be used with the puzzle cube3");
        refused(path, &[("goal", "half-turns")], 400, "no turns of U2 D2");
        refused(path, &[("goal", "corners")], 503, "cube3-corners");
    }
    refused("cube3/solve", &[("goal", "cross:UR")], 422, "cross:UD for an axis");
    refused("cube3/solve", &[("goal", "cross"), ("method", "optimal")], 422, "?method=");
    refused("cube3/solve", &[("goal", "corners")], 503, "cube3-corners");
    for path in ["query", "solutions", "solve"] {
        refused(&format!("cube2/{path}"), &[("goal", "cross")], 422, "choose from: face, layer, co, oll");
        refused(&format!("skewb/{path}"), &[("goal", "cross")], 422, "choose from: layer, centers, corners");
    }
    let batch = server.post("cube3/batch", &[("goal", "crozz")], "R\n");
    assert_eq!((batch.status, &batch.json()["code"]), (422, &"usage".into()), "{}", batch.body);
}

/// An answer is another one for another goal, and after its table was built again.
#[test]
fn answers_are_tagged_by_goal_and_table() {
    let dir = store();
    let file = |name: &str| GOALS.join(format!("cube3-{name}.redb"));
    for name in ["cross", "eo"] {
        fs::copy(file(name), dir.path().join(format!("cube3-{name}.redb"))).unwrap();
    }
    let server = Server::start(dir.path(), &[]);
    let asked = |goal: &str, tag: &str| {
        let request = server.agent.get(format!("http://{}/api/v1/cube3/query", server.address));
        let request = request.query_pairs([("position", POSITION), ("goal", goal)]).header("if-none-match", tag);
        Reply::of(request.call().unwrap())
    };
    let first = asked("cross", "");
    let tag = first.header("etag").to_owned();
    assert_eq!((first.status, asked("cross", &tag).status), (200, 304));
    let other = asked("eo", &tag);
    assert!(other.status == 200 && other.header("etag") != tag, "{}", other.body);
    twistbase(dir.path(), &["build", "cube3-cross", "--force", "--quiet"]).succeed();
    let again = asked("cross", &tag);
    assert_eq!((again.status, again.body == first.body), (200, true), "{}", again.body);
    assert_ne!(again.header("etag"), tag);
    fs::remove_file(dir.path().join("cube3-cross.redb")).unwrap();
    assert_eq!(asked("cross", again.header("etag")).status, 503);
    let stats = server.json("cube3/stats", &[("table", "cube3-eo")]);
    assert_eq!(stats["table"], "cube3-eo");
}

#[test]
fn goals_of_ones_own_definition_are_those_of_the_command_line() {
    let dir = store();
    add_loft(dir.path());
    let server = Server::start(dir.path(), &[]);
    for goal in ["roof", "only TILE-l0,TILE-l4"] {
        let (query, position) = ([("position", "A B2 L A"), ("goal", goal)], "A B2 L A");
        let printed = |args: &[&str]| run_json(dir.path(), &[args, &["loft", position, "--goal", goal]].concat()).1;
        assert_eq!([server.json("loft/query", &query)][..], printed(&["query"]), "{goal}");
        let solutions = server.get("/api/v1/loft/solutions", &query).lines();
        assert_eq!(solutions[..solutions.len() - 1], printed(&["query", "--solutions"]), "{goal}");
        let events = server.get("/api/v1/loft/solve", &query).events();
        let solved: Vec<_> = events.into_iter().filter(|(name, _)| name == "solved").map(|(_, data)| data).collect();
        assert_eq!(solved, printed(&["solve"]), "{goal}");
    }
    let puzzles = server.json("puzzles", &[]);
    let loft = puzzles.as_array().unwrap().iter().find(|info| info["puzzle"] == "loft").unwrap();
    assert_eq!(loft["goals"], serde_json::json!(["roof", "ring"]));
}

#[test]
fn the_description_lists_the_goals() {
    let server = Server::start(&GOALS, &[]);
    let document = server.json("openapi.json", &[]);
    let puzzles = server.json("puzzles", &[]);
    let goals: Vec<&Value> =
        puzzles.as_array().unwrap().iter().flat_map(|info| info["goals"].as_array().unwrap()).collect();
    for (path, method) in [("query", "get"), ("solutions", "get"), ("solve", "get"), ("batch", "post")] {
        let operation = &document["paths"][format!("/api/v1/{{puzzle}}/{path}")][method];
        let parameters = operation["parameters"].as_array().unwrap();
        let goal = parameters.iter().find(|parameter| parameter["name"] == "goal").unwrap();
        let listed: Vec<&Value> = goal["examples"].as_object().unwrap().values().map(|it| &it["value"]).collect();
        assert!(goals.iter().all(|name| listed.contains(name)), "{path}: {goal}");
    }
}

#[test]
fn patterns_are_goals() {
    const PAIR: &str = "............R..R.......F..F..D........................";
    let server = Server::start(&GOALS, &["--search-time", "60s"]);
    let query = [("position", POSITION), ("goal", PAIR)];
    let answer = server.json("cube3/query", &query);
    let printed = |args: &[&str]| run_json(&GOALS, &[args, &["cube3", POSITION, "--goal", PAIR]].concat()).1;
    assert_eq!([answer.clone()][..], printed(&["query"]));
    check("query", slice::from_ref(&answer));
    let lines = server.get("/api/v1/cube3/solutions", &query).lines();
    assert_eq!(lines[..lines.len() - 1], printed(&["query", "--solutions"]));
    assert_eq!(answer["solutions"], lines.len() - 1);
    let lines = server.post("cube3/batch", &[("goal", PAIR)], &format!("{POSITION}\nsolved\n")).lines();
    assert_eq!((&lines[0], &lines[1]["distance"]), (&answer, &0.into()));
    let reply = server.get("/api/v1/cube3/query", &[("position", "R"), ("goal", &PAIR.replace('D', "U"))]);
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert!(reply.json()["detail"].as_str().unwrap().contains("no corner has these colours"), "{}", reply.body);
}
