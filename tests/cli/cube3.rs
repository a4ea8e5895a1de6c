//! `query`, `solve`, `random`, `stats` and the rest about the Rubik's cube.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use twistbase::puzzle::cube3::Metric;
use twistbase::puzzle::cube3::notation::{parse_position, parse_sequence, reid};

use super::{object, run, run_json, status, store, twistbase};
use crate::support::cube3::linked;
use crate::support::program::Run;
use crate::support::{CUBE3, MODULO_3, count};
use twistbase_testing::stickers::Stickers;

const SUPERFLIP: &str = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
const SOLVED: &str = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB";

/// The only answer to a query.
fn query(dir: &Path, args: &[&str]) -> Value {
    let (code, mut lines, stderr) = run_json(dir, &[&["query", "cube3"], args].concat());
    assert_eq!((code, lines.len()), (0, 1), "{args:?}: {stderr}");
    lines.remove(0)
}

/// Runs a command that reads `input`; its exit status, standard output and standard error.
fn piped(dir: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let output = twistbase(dir, args).output_of(input).unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), stdout, stderr)
}

/// Random positions as facelets, the same each time.
fn positions(options: &[&str], count: usize) -> Vec<String> {
    let count = count.to_string();
    let args = [&["random", "cube3", "-n", &count, "--seed", "33"], options].concat();
    let (code, text, stderr) = run(Path::new("/nowhere"), &args);
    assert_eq!(code, 0, "{stderr}");
    text.lines().map(str::to_owned).collect()
}

/// Makes a solution on stickers from a scramble, and checks where it leads and how long it is.
fn assert_leads(scramble: &str, solution: &str, goal: &str, length: &str) {
    let mut stickers = Stickers::after(scramble);
    stickers.apply(solution);
    assert_eq!(stickers.to_string(), goal, "{scramble}: {solution}");
    assert_eq!(solution.split_whitespace().count().to_string(), length, "{solution}");
}

/// A scramble for a position, found by solving it: what undoes the solution, which stickers then confirm.
fn scramble_of(facelets: &str, solution: &str) -> String {
    let scramble = parse_sequence(solution).unwrap().inverse().to_string();
    assert_eq!(Stickers::after(&scramble).to_string(), facelets);
    scramble
}

#[test]
fn a_position_is_the_same_in_every_notation() {
    let dir = CUBE3.as_path();
    let expected = query(dir, &["R U2 F'"]);
    assert_eq!((expected["to_h"].as_u64(), expected["in_h"].as_bool()), (Some(3), Some(false)));
    assert_eq!((expected["distance"].as_u64(), expected["at_least"].as_u64()), (Some(3), Some(3)));
    assert_eq!((&expected["distance_in_h"], expected.get("bound_in_h")), (&Value::Null, None));
    assert_eq!(expected["facelets"], Stickers::after("R U2 F'").to_string());
    let [facelets, reid] = ["facelets", "reid"].map(|member| expected[member].as_str().unwrap().to_owned());
    for way in [facelets.clone(), reid.clone(), format!("facelets:{facelets}"), format!("reid:{reid}"), "R U2F3".into()]
    {
        let found = query(dir, &[&way]);
        assert_eq!(found["input"], way);
        let members = ["distance", "solution", "to_h", "facelets", "reid", "moves", "tables", "in_h"];
        assert!(members.iter().all(|&member| found[member] == expected[member]), "{way}: {found}");
    }
}

#[test]
fn every_table_that_is_there_is_asked() {
    let dir = CUBE3.as_path();
    let answer = query(dir, &["R2 U F2 D"]);
    assert_eq!(answer["tables"], serde_json::json!(["phase1", "phase2"]));
    assert_eq!((answer["to_h"].as_u64(), answer["bound_in_h"].as_u64()), (Some(0), Some(4)));
    let only = query(dir, &["R2 U F2 D", "--table", "phase2"]);
    assert_eq!((&only["to_h"], only["bound_in_h"].as_u64()), (&Value::Null, Some(4)));
    // The middle edges alone are out of place: H' does not see it.
    assert_eq!(query(dir, &["R2 L2 U D' F2 B2 U' D", "--table", "phase2"])["distance"], Value::Null);
    assert_eq!(query(dir, &["wca:"])["bound_in_h"], 0);
    let (code, text, _) = run(dir, &["query", "cube3", "R2 U F2 D", "--no-exact"]);
    assert_eq!(code, 0);
    assert!(
        text.contains("\nthe position is in H; H = <U, D, R2, F2, L2, B2>")
            && text.contains("\n  to H       0 moves (htm)\n"),
        "{text}"
    );
    assert!(
        text.contains("inside H   not known: to build phase2-exact, which holds it, run: twistbase build phase2-exact"),
        "{text}"
    );
    // With one table nobody knows whether the others are there.
    let (_, of_one, _) = run(dir, &["query", "cube3", "R2 U F2 D", "--table", "phase2"]);
    assert!(of_one.contains("inside H   at least 4 moves (htm)") && !of_one.contains("build"), "{of_one}");
    assert!(
        text.contains("inside H   at least 4 moves (htm)") && text.contains("    3 nearer     2:  U' D'\n"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn the_distance_by_all_moves_is_searched_for() {
    let dir = CUBE3.as_path();
    let superflip = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
    // Near positions as a matter of course; of a far one that is a bound, and said to be one.
    let near = query(dir, &["R U2 F'"]);
    for (member, value) in [
        ("distance", 3.into()),
        ("at_least", 3.into()),
        ("solution", Value::from("F U2 R'")),
        ("solutions", 1.into()),
        ("searched_with", "phase1".into()),
    ] {
        assert_eq!(near[member], value, "{member}");
    }
    let nearer: Vec<_> = near["moves"].as_array().unwrap().iter().filter(|next| next["distance"] == 2).collect();
    assert!(nearer.len() == 1 && nearer[0]["move"] == "F", "{nearer:?}");
    let far = query(dir, &[superflip]);
    assert_eq!(far["distance"], Value::Null);
    assert!((9..20).contains(&far["at_least"].as_u64().unwrap()), "{far}");
    assert_eq!(query(dir, &[superflip]), far);
    let (code, text, _) = run(dir, &["query", "cube3", superflip]);
    assert_eq!(code, 0);
    assert!(
        text.contains(&format!("  distance   at least {} moves (htm); to search on, add --exact\n", far["at_least"])),
        "{text}"
    );
    let (_, text, _) = run(dir, &["query", "cube3", "R L U"]);
    assert!(text.contains("  distance   3 moves (htm)\n  solution   U' R' L'\n  solutions  1 shortest\n"), "{text}");
    for without in [&["--no-exact"][..], &["--table", "phase1"], &["--table", "phase2"]] {
        let (_, lines, _) = run_json(dir, &[&["query", "cube3", "U R2"], without].concat());
        assert_eq!(lines[0].get("searched_with"), None, "{without:?}");
    }
    // What was asked for and not found is another exit status, with what is known.
    let spent = ["query", "cube3", superflip, "--exact", "--max-nodes", "1000"];
    let (code, text, stderr) = run(dir, &spent);
    assert_eq!(code, 7, "{stderr}");
    assert!(text.contains("  distance   at least ") && stderr.contains("at least"), "{text}{stderr}");
    let (code, lines, _) = run_json(dir, &["query", "cube3", "R U", "--exact", "--table", "phase1", "--time", "1m"]);
    assert_eq!((code, &lines[0]["distance"]), (0, &2.into()));
    let lines = format!("R U\n{superflip}\nwca:\n");
    let (code, text, _) = piped(dir, &["query", "cube3", "-", "--exact", "--max-nodes", "1000"], &lines);
    assert_eq!(code, 7);
    let ends: Vec<&str> = text.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert!(ends[0] == "2" && ends[1].starts_with(">=") && ends[2] == "0", "{text}");
    let (_, text, _) = piped(dir, &["query", "cube3", "-"], "R U\n");
    assert_eq!(text, "R U\t>=2\t2\t-\n");
    for (args, why) in [
        (&["query", "cube3", "R", "--exact", "--table", "phase2"][..], "guides"),
        (&["query", "cube2", "R", "--exact"], "exact"),
        (&["query", "cube3", "R", "--time", "1s"], "--exact"),
        (&["query", "cube3", "R", "--exact", "--no-exact"], "--no-exact"),
    ] {
        let (code, _, stderr) = run(dir, args);
        assert!(code == 2 && stderr.contains(why), "{args:?}: {stderr}");
    }
}

#[test]
fn each_next_move_does_what_is_said() {
    let dir = CUBE3.as_path();
    for position in positions(&[], 4).iter().chain(&positions(&["--in-h"], 4)) {
        let answer = query(dir, &[position, "--no-exact"]);
        let start = parse_position(position).unwrap().position;
        let moves = answer["moves"].as_array().unwrap();
        let lines: Vec<String> = moves
            .iter()
            .map(|report| reid::print(&parse_sequence(report["move"].as_str().unwrap()).unwrap().apply(&start)))
            .collect();
        let args = ["query", "cube3", "-", "--detail", "brief", "--no-exact", "--json"];
        let found: Vec<Value> = piped(dir, &args, &lines.join("\n")).1.lines().map(object).collect();
        assert_eq!(found.len(), moves.len());
        for (report, after) in moves.iter().zip(&found) {
            let members = ["distance", "at_least", "to_h", "distance_in_h", "bound_in_h"];
            assert!(members.iter().all(|&member| after[member] == report[member]), "{position} {report} {after}");
        }
        assert_eq!(moves.len(), 18);
    }
}

#[test]
fn a_batch_is_answered_line_by_line_in_order() {
    let dir = CUBE3.as_path();
    let (code, text, stderr) = piped(dir, &["query", "cube3", "-"], "R\n\nbad\nU R2\nwca:\n");
    assert_eq!(code, 3, "{stderr}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2], lines[3]), ("R\t>=1\t1\t-", "U R2\t>=1\t0\t-", "wca:\t0\t0\t-"));
    assert!(lines[1].starts_with("bad\terror: "), "{text}");
    let (_, text, _) = piped(dir, &["query", "cube3", "-", "--table", "phase2"], "U R2\nR\n");
    assert!(text.starts_with("U R2\t2\nR\terror: valid, but not a position in H"), "{text}");
}

#[test]
fn an_illegal_cube_is_refused_with_every_reason() {
    let dir = CUBE3.as_path();
    let wrong = SOLVED.replacen("UR", "RU", 1);
    for command in ["query", "solve"] {
        let (code, stdout, stderr) = run(dir, &[command, "cube3", &wrong[..53]]);
        assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
    }
    // A corner twisted and an edge flipped.
    let twisted = "UUUUUFUURFRRRRRRRRUUFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB";
    let (code, lines, stderr) = run_json(dir, &["query", "cube3", twisted]);
    assert_eq!((code, lines.len()), (3, 0));
    let error = object(stderr.trim_end());
    assert!(error["error"]["problems"].as_array().unwrap().len() > 1, "{error}");
    assert_eq!(error["input"], twisted);
}

#[test]
fn what_is_not_in_h_is_told_why() {
    let dir = CUBE3.as_path();
    for args in [&["query", "cube3", "R F", "--table", "phase2"][..], &["solve", "cube3", "R F", "--method", "phase2"]]
    {
        let (code, lines, stderr) = run_json(dir, args);
        assert_eq!((code, lines.len()), (3, 0), "{stderr}");
        let problems = object(stderr.trim_end())["error"]["problems"].clone();
        let codes: Vec<&str> = problems.as_array().unwrap().iter().map(|p| p["code"].as_str().unwrap()).collect();
        assert_eq!(codes, ["corners-twisted", "edges-flipped", "edges-outside"]);
    }
    let (code, _, stderr) = run(dir, &["query", "cube3", "R U F", "--solutions", "--table", "phase2-exact"]);
    assert!(code == 3 && stderr.starts_with("error: valid, but not a position in H"), "{stderr}");
    assert!(stderr.contains("twistbase solve cube3 POSITION --method optimal --all"), "{stderr}");
}

#[test]
fn a_missing_table_names_the_command_that_builds_it() {
    let empty = store();
    let cases: &[(&Path, &[&str], &str)] = &[
        (empty.path(), &["query", "cube3", "R"], "build phase1"),
        (empty.path(), &["query", "cube3", "-"], "build phase1"),
        (empty.path(), &["query", "cube3", "R", "--metric", "qtm"], "build phase1-qtm"),
        (empty.path(), &["query", "cube3", "R", "--table", "huge"], "build huge"),
        (empty.path(), &["solve", "cube3", "R"], "build phase"),
        (empty.path(), &["solve", "cube3", "U", "--method", "phase2", "--metric", "qtm"], "build phase2-qtm"),
        (CUBE3.as_path(), &["query", "cube3", "U", "--solutions", "--table", "phase2-exact"], "build phase2-exact"),
    ];
    for (dir, args, remedy) in cases {
        let (code, stdout, stderr) = piped(dir, args, "R\n");
        assert_eq!((code, stdout.as_str()), (4, ""), "{args:?}");
        assert!(stderr.contains(&format!("run: twistbase {remedy}")), "{args:?}: {stderr}");
    }
}

/// Where only tables modulo 3 have been built, questions and solvers ask these, and say so. What they are not enough for names
/// what is.
#[test]
fn tables_modulo_3_are_asked_where_there_are_no_others() {
    let (dir, whole) = (MODULO_3.as_path(), CUBE3.as_path());
    let names = |answer: &Value| -> Vec<String> {
        answer["tables"].as_array().expect("tables").iter().map(|name| name.as_str().expect("a name").into()).collect()
    };
    let [of_phase_1, of_phase_2] = ["phase1-kociemba", "phase2-kociemba"];
    for position in positions(&[], 1).iter().map(String::as_str).chain(["R U2 F'", "U2 U2"]) {
        let [asked, mut expected] = [dir, whole].map(|dir| query(dir, &[position, "--no-exact"]));
        assert_eq!(names(&asked), [of_phase_1, of_phase_2]);
        expected["tables"] = asked["tables"].clone();
        assert_eq!(asked, expected);
    }
    for (method, tables) in [("two-phase", &[of_phase_1, of_phase_2][..]), ("phase2", &[of_phase_2])] {
        let args = ["solve", "cube3", "R2 U F2 D L2", "--method", method, "--quiet"];
        let [(code, found, stderr), (_, right, _)] = [dir, whole].map(|dir| run_json(dir, &args));
        assert_eq!((code, found.len()), (0, 1), "{stderr}");
        assert_eq!(
            (names(&found[0]), &found[0]["final"]),
            (tables.iter().map(|&name| name.into()).collect(), &true.into())
        );
        assert_eq!(found[0]["length"], right[0]["length"]);
        assert_leads("R2 U F2 D L2", found[0]["solution"].as_str().unwrap(), SOLVED, &found[0]["length"].to_string());
    }
    let (code, found, stderr) = run_json(dir, &["solve", "cube3", "R U2 F'", "--method", "optimal"]);
    assert_eq!((code, &found.last().unwrap()["table"]), (0, &of_phase_1.into()), "{stderr}");
    // A batch is answered on one thread for each line: by the same solutions.
    let lines: String = positions(&[], 4).iter().map(|line| format!("{line}\n")).collect();
    let [found, right] = [dir, whole].map(|dir| piped(dir, &["solve", "cube3", "-"], &lines));
    assert_eq!((found.0, found.1.lines().count(), &found.1), (0, 4, &right.1), "{}", found.2);
    // With one of them missing, the table that serves everything is named.
    let half = store();
    for (table, remedy) in [(of_phase_1, "phase2"), (of_phase_2, "phase1")] {
        let file = format!("{table}.redb");
        fs::copy(dir.join(&file), half.path().join(&file)).unwrap();
        let (code, stdout, stderr) = run(half.path(), &["solve", "cube3", "R"]);
        assert_eq!((code, stdout.as_str()), (4, ""), "{stderr}");
        assert!(stderr.ends_with(&format!("run: twistbase build {remedy}\n")), "{stderr}");
        fs::remove_file(half.path().join(&file)).unwrap();
    }
    for args in [&["coset", "R"][..], &["query", "cube3", "U", "--solutions", "--table", "phase2-exact"]] {
        let (code, _, stderr) = run(dir, args);
        let remedy = if args[0] == "coset" { "phase1" } else { "phase2-exact" };
        assert!(code == 4 && stderr.contains(&format!("run: twistbase build {remedy}")), "{stderr}");
    }
}

#[test]
fn options_of_the_other_family_are_refused() {
    let dir = CUBE3.as_path();
    let bad: &[&[&str]] = &[
        &["query", "cube3", "R", "--middle"],
        &["query", "cube3", "R", "--notation", "wca"],
        &["query", "cube3", "R", "--solutions", "--shapes"],
        &["query", "cube21", "/", "--metric", "htm"],
        &["query", "cube21", "/", "--table", "phase1"],
        &["solve", "cube3", "R", "--middle"],
        &["solve", "cube3", "R", "--notation", "cube21"],
        &["solve", "cube21", "/", "--target", "3"],
        &["solve", "cube21", "/", "--time", "3s"],
        &["solve", "cube21", "/", "--max-nodes", "3"],
        &["solve", "cube21", "/", "--method", "phase2"],
        &["solve", "cube21", "/", "--metric", "htm"],
        &["random", "cube21", "--in-h"],
        &["random", "cube21", "--walk", "2", "--metric", "htm"],
        &["random", "cube21", "--form", "reid"],
        &["random", "cube21", "--form", "facelets"],
        &["random", "cube3", "--form", "hex"],
        &["random", "cube3", "--form", "jaap"],
    ];
    for args in bad {
        let (code, stdout, stderr) = run(dir, args);
        let option = args.iter().rfind(|word| word.starts_with("--")).unwrap();
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(option) && stderr.contains(args[1]), "{args:?}: {stderr}");
    }
    let bad: &[&[&str]] = &[
        &["query", "cube3", "R", "--table", "cube21"],
        &["query", "cube3", "R", "--table", "phase1", "--metric", "qtm"],
        &["query", "cube3", "R", "--table", "phase1", "--solutions"],
        &["solve", "cube3", "R", "--target", "31"],
        &["solve", "cube3", "R", "--time", "soon"],
        &["random", "cube3", "--metric", "qtm"],
        &["random", "cube3", "--in-h", "--walk", "3"],
        &["random", "cube3", "--form", "moves"],
        &["prove", "cube3"],
        &["solve", "cube21", "/", "--goal", "/"],
    ];
    for args in bad {
        let (code, stdout, stderr) = run(dir, args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
    }
}

#[test]
fn solutions_get_shorter_and_the_last_is_the_best() {
    let dir = CUBE3.as_path();
    let position = &positions(&[], 1)[0];
    let (code, text, stderr) = run(dir, &["solve", "cube3", position]);
    assert_eq!(code, 0, "{stderr}");
    let lines: Vec<(&str, &str)> = text.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let lengths: Vec<u8> = lines.iter().map(|(length, _)| length.parse().unwrap()).collect();
    assert!(lengths.windows(2).all(|pair| pair[0] > pair[1]) && *lengths.last().unwrap() <= 20, "{text}");
    let scramble = scramble_of(position, lines[0].1);
    lines.iter().for_each(|(length, moves)| assert_leads(&scramble, moves, SOLVED, length));
    let (code, answers, _) = run_json(dir, &["solve", "cube3", position, "--target", "22"]);
    let (last, before) = answers.split_last().unwrap();
    assert_eq!((code, last["final"].as_bool(), last["stopped"].as_str()), (0, Some(true), Some("target")));
    assert!(before.iter().all(|answer| answer["final"] == false && answer["stopped"].is_null()));
    assert_eq!(before.last().unwrap()["solution"], last["solution"]);
    let (_, quiet, _) = run(dir, &["solve", "cube3", position, "--quiet"]);
    assert_eq!(quiet.lines().count(), 1);
}

/// By default a near position has a shortest solution, and a far one says what is proven.
#[test]
fn the_default_finds_a_shortest_solution_if_that_takes_a_moment() {
    let dir = CUBE3.as_path();
    let near = "R U F2 D L2 B' R";
    for options in [&["--method", "auto"][..], &["--time", "9s"], &["--max-nodes", "20000", "--target", "7"]] {
        let (code, text, stderr) = run(dir, &[&["solve", "cube3", near], options].concat());
        assert_eq!((code, text.as_str()), (0, "7\tR' B L2 D' F2 U' R'\n"), "{options:?}: {stderr}");
        assert_eq!(stderr.lines().last(), Some("7 moves (htm), optimal"), "{options:?}");
    }
    let found = &run_json(dir, &["solve", "cube3", near, "--quiet"]).1[0];
    let told = ["length", "at_least", "optimal", "final", "stopped", "method"].map(|name| found[name].clone());
    assert_eq!(told, [json!(7), json!(7), json!(true), json!(true), json!("shortest"), json!("auto")]);
    assert_eq!(piped(dir, &["solve", "cube3", "-"], near).1, format!("{near}\t7\tR' B L2 D' F2 U' R'\n"));
    let far = &positions(&[], 1)[0];
    let (code, answers, _) = run_json(dir, &["solve", "cube3", far]);
    let (last, before) = answers.split_last().unwrap();
    let [length, at_least] = ["length", "at_least"].map(|name| last[name].as_u64().unwrap());
    assert!(code == 0 && (14..=length).contains(&at_least) && length <= 20, "{last}");
    assert_eq!(last["optimal"], json!(length == at_least));
    assert!(before.iter().all(|answer| answer["at_least"].is_null() && answer["optimal"].is_null()), "{answers:?}");
    // Another run may find another length; the bound is the same.
    let (code, text, stderr) = run(dir, &["solve", "cube3", far]);
    let (length, _) = text.lines().last().unwrap().split_once('\t').unwrap();
    let proof = match length == at_least.to_string() {
        true => format!("{length} moves (htm), optimal"),
        false => format!("{length} moves (htm), not proven shortest: at least {at_least}"),
    };
    assert_eq!((code, stderr.lines().last()), (0, Some(&*proof)));
    // A target that every position has is found at once; a bound is proven all the same.
    let (code, answers, _) = run_json(dir, &["solve", "cube3", near, "--target", "20", "--quiet"]);
    let at_least = answers[0]["at_least"].as_u64().unwrap();
    assert!(code == 0 && (1..=7).contains(&at_least) && answers[0]["nodes"].as_u64() < Some(20_000), "{answers:?}");
}

/// The same position always has the same bound, and in a batch it does not depend on the number of threads.
#[test]
fn the_default_does_not_depend_on_the_clock() {
    let dir = CUBE3.as_path();
    let lines = positions(&[], 40).join("\n");
    let proofs = |options: &[&str]| -> Vec<[Value; 3]> {
        let (code, text, _) = piped(dir, &[&["solve", "cube3", "-", "--json"], options].concat(), &lines);
        assert_eq!(code, 0);
        text.lines().map(|line| ["solution", "at_least", "nodes"].map(|name| object(line)[name].clone())).collect()
    };
    assert_eq!(proofs(&[]), proofs(&["--threads", "1"]));
    let position = &positions(&[], 1)[0];
    let [first, second] = [(); 2].map(|()| run_json(dir, &["solve", "cube3", position, "--quiet"]).1.remove(0));
    assert_eq!(first["at_least"], second["at_least"]);
}

#[test]
fn far_positions_are_solved_in_26_quarter_turns() {
    let dir = CUBE3.as_path();
    let qtm = ["--metric", "qtm"];
    let (code, text, stderr) = run(dir, &[&["solve", "cube3", "R2 U"], &qtm[..]].concat());
    assert_eq!((code, text.as_str(), stderr.lines().last()), (0, "3\tU' R2\n", Some("3 moves (qtm), optimal")));
    let far = positions(&[], 1).remove(0);
    for method in [&[][..], &["--method", "two-phase"]] {
        let (code, lines, stderr) = run_json(dir, &[&["solve", "cube3", &far, "--quiet"], &qtm[..], method].concat());
        assert_eq!(code, 0, "{stderr}");
        let (solution, length) = (lines[0]["solution"].as_str().unwrap(), lines[0]["length"].as_u64().unwrap());
        let quarters: usize = solution.split(' ').map(|turn| 1 + usize::from(turn.ends_with('2'))).sum();
        assert!(length <= 26 && length == quarters as u64 && lines[0]["metric"] == "qtm", "{lines:?}");
        let mut cube = Stickers::of(&far);
        cube.apply(solution);
        assert_eq!(cube, Stickers::solved());
    }
}

#[test]
fn solutions_lead_to_the_goal() {
    let dir = CUBE3.as_path();
    let goal = Stickers::after("F2 D L'").to_string();
    for way in ["F2 D L'", &goal] {
        let (code, text, stderr) = run(dir, &["solve", "cube3", "R U R' U'", "--goal", way, "--quiet"]);
        assert_eq!(code, 0, "{stderr}");
        let (length, moves) = text.trim_end().split_once('\t').unwrap();
        assert_leads("R U R' U'", moves, &goal, length);
    }
    assert_eq!(run(dir, &["solve", "cube3", "R", "--goal", "nonsense"]).0, 3);
    // In H seen from the goal, though not from the solved cube.
    let (code, text, _) = run(dir, &["solve", "cube3", "R F U2", "--goal", "R F", "--method", "phase2"]);
    assert_eq!((code, text.as_str()), (0, "1\tU2\n"));
}

#[test]
fn a_solved_cube_needs_nothing() {
    let dir = CUBE3.as_path();
    for options in [&[][..], &["--method", "phase2"], &["--target", "0"], &["--time", "1s"]] {
        let (code, text, stderr) = run(dir, &[&["solve", "cube3", "wca:"], options].concat());
        assert_eq!((code, text.as_str()), (0, "0\t\n"), "{options:?}: {stderr}");
    }
    assert_eq!(run(dir, &["solve", "cube3", "R U", "--goal", "R U"]).1, "0\t\n");
    assert_eq!(piped(dir, &["solve", "cube3", "-"], SOLVED).1, format!("{SOLVED}\t0\t\n"));
}

#[test]
fn a_spent_budget_leaves_the_best_that_is_known() {
    let dir = CUBE3.as_path();
    let position = &positions(&[], 1)[0];
    let two_phase = ["solve", "cube3", "--method", "two-phase", "--target", "12", "--max-nodes", "20000"];
    let spent = [&two_phase[..], &[position.as_str()]].concat();
    let (code, text, stderr) = run(dir, &spent);
    assert_eq!(code, 7);
    // Whoever caches a table first, and needs long for it, says so before.
    let error = stderr.lines().last().unwrap();
    assert!(error.starts_with("error: limit reached; the best solution so far has "), "{stderr}");
    assert!(!stderr.contains("--memory"), "{stderr}");
    let (_, first) = text.lines().next().unwrap().split_once('\t').unwrap();
    let (length, moves) = text.lines().last().unwrap().split_once('\t').unwrap();
    assert_leads(&scramble_of(position, first), moves, SOLVED, length);
    let (code, answers, stderr) = run_json(dir, &spent);
    assert_eq!((code, answers.last().unwrap()["stopped"].as_str()), (7, Some("budget")));
    assert_eq!(object(stderr.lines().last().unwrap())["error"]["code"], "budget");
    // Without a target the best within the budget is what was asked for.
    assert_eq!(run(dir, &["solve", "cube3", position, "--max-nodes", "20000"]).0, 0);
    // In so short a time a busy processor may come to nothing.
    let (code, text, stderr) = run(dir, &["solve", "cube3", position, "--time", "20ms"]);
    assert!(if text.is_empty() { code == 7 } else { code == 0 }, "{code}: {text}{stderr}");
    let batch = [&two_phase[..], &["-"]].concat();
    let (code, text, stderr) = piped(dir, &batch, &format!("R U\n{position}\n"));
    assert_eq!((code, text.lines().next()), (7, Some("R U\t2\tU' R'")));
    let columns: Vec<&str> = text.lines().nth(1).unwrap().split('\t').collect();
    assert!(columns.len() == 4 && columns[3].starts_with("limit reached"), "{text}");
    assert_eq!(stderr, "error: 1 of 2 lines hit a limit; best results and bounds shown\n");
    let (code, _, stderr) = piped(dir, &batch, &format!("bad\nR U\n{position}\n"));
    let counts = "error: 1 of 3 lines failed, 1 hit a limit; the reason, best results and bounds are in the output";
    assert!(code == 3 && stderr.starts_with(counts), "{stderr}");
}

#[test]
fn what_cannot_be_is_said() {
    let dir = CUBE3.as_path();
    let (code, text, stderr) = run(dir, &["solve", "cube3", "R U F", "--target", "2"]);
    assert_eq!((code, text.as_str()), (7, "3\tF' U' R'\n"), "{stderr}");
    // Whoever caches a table first says so before.
    assert_eq!(stderr.lines().last(), Some("error: no solution has at most 2 moves; the shortest has 3"));
    let (code, text, _) = piped(dir, &["solve", "cube3", "-", "--target", "2"], "R U F\nR\n");
    assert_eq!(
        (code, text.as_str()),
        (7, "R U F\t3\tF' U' R'\tno solution has at most 2 moves; the shortest has 3\nR\t1\tR'\n")
    );
    // How short the shortest of a far one is would take hours to find out.
    let far = "R U F2 D' L B2 R' U2 F D L2 B' U R2 F' D2\n";
    let (code, text, _) = piped(dir, &["solve", "cube3", "-", "--target", "3"], far);
    assert!(code == 7 && text.contains("\tno solution has at most 3 moves; the best so far has "), "{text}");
    let (code, text, stderr) = run(dir, &["solve", "cube3", "R2 U F2", "--method", "phase2", "--target", "2"]);
    assert_eq!((code, text.as_str()), (7, "3\tF2 U' R2\n"));
    assert_eq!(stderr, "error: no solution has at most 2 moves of H; the shortest has 3\n");
    let (code, text, stderr) = run(dir, &["solve", "cube3", "R2 U F2", "--method", "phase2", "--max-nodes", "2"]);
    assert_eq!((code, text.as_str()), (7, ""));
    assert!(stderr.contains("limit reached after 2 nodes; no solution found"), "{stderr}");
}

#[test]
fn a_batch_of_solutions_is_short_enough_and_the_same_each_time() {
    let dir = CUBE3.as_path();
    let mut lines = positions(&[], 12);
    lines.insert(5, "nonsense".to_owned());
    let input = lines.join("\n");
    let (code, text, _) = piped(dir, &["solve", "cube3", "-", "--target", "22"], &input);
    assert_eq!((code, text.lines().count()), (3, 13));
    for (line, position) in text.lines().zip(&lines) {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(columns[0], position);
        if position != "nonsense" {
            assert!(columns[1].parse::<u8>().unwrap() <= 22);
            assert_leads(&scramble_of(position, columns[2]), columns[2], SOLVED, columns[1]);
        }
    }
    let (_, again, _) = piped(dir, &["solve", "cube3", "-", "--target", "22", "--threads", "1"], &input);
    assert_eq!(again, text);
}

#[test]
fn positions_in_h_are_solved_in_it() {
    let dir = CUBE3.as_path();
    let (code, text, stderr) = run(dir, &["solve", "cube3", "R2 U F2 D' L2 U2 B2", "--method", "phase2"]);
    assert_eq!(code, 0, "{stderr}");
    let (length, moves) = text.trim_end().split_once('\t').unwrap();
    assert_leads("R2 U F2 D' L2 U2 B2", moves, SOLVED, length);
    assert!(parse_sequence(moves).unwrap().moves().iter().all(|turn| turn.is_in_h()), "{moves}");
}

#[test]
fn random_positions_come_in_every_form() {
    let draw = |options: &[&str]| positions(options, 5);
    assert_eq!(draw(&[]), draw(&["--form", "facelets"]));
    for (facelets, reid) in draw(&[]).iter().zip(draw(&["--form", "reid"])) {
        assert_eq!(parse_position(facelets).unwrap().position, parse_position(&reid).unwrap().position);
    }
    assert!(draw(&["--in-h"]).iter().all(|facelets| parse_position(facelets).unwrap().position.is_in_h()));
    for metric in ["htm", "qtm"] {
        let walk = ["--walk", "9", "--metric", metric];
        let moves = draw(&[&walk[..], &["--form", "moves"]].concat());
        for (moves, facelets) in moves.iter().zip(draw(&walk)) {
            assert_eq!(Stickers::after(moves).to_string(), facelets);
            assert_eq!(moves.split(' ').count(), 9);
            assert!(metric == "htm" || !moves.contains('2'));
        }
    }
}

#[test]
fn stats_count_positions_and_entries() {
    let dir = CUBE3.as_path();
    let (code, lines, _) = run_json(dir, &["stats", "phase1"]);
    let line = &lines[0];
    assert_eq!(
        (code, line["positions"].as_u64(), line["entries"].as_u64()),
        (0, Some(2_217_093_120), Some(140_908_410))
    );
    let sum =
        |member: &str| line["levels"].as_array().unwrap().iter().map(|level| level[member].as_u64().unwrap()).sum();
    assert_eq!((sum("positions"), sum("entries")), (2_217_093_120u64, 140_908_410u64));
    assert!(line["mean_of_entries"].as_f64().unwrap() > 9.0);
    let (_, text, _) = run(dir, &["stats", "phase1", "--entries"]);
    assert!(text.contains("entries") && text.contains("140,908,410 entries, mean distance"), "{text}");
    let (_, text, _) = run(dir, &["stats", "phase1"]);
    assert!(text.contains("2,217,093,120 positions, mean distance"), "{text}");
    let (_, rows, _) = run_json(dir, &["stats", "phase1", "--rows"]);
    assert_eq!(rows.len(), 85);
    let name = rows[3]["row_name"].as_str().unwrap();
    let (code, by_name, stderr) = run(dir, &["stats", "phase1", "--row", name, "--entries"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(run(dir, &["stats", "phase1", "--row", "3", "--entries"]).1, by_name);
    let (code, _, stderr) = run(dir, &["stats", "phase2", "--row", "2768"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("phase2 has no row \"2768\""), "{stderr}");
}

#[test]
fn tables_of_the_cube_are_built_verified_and_cached() {
    let dir = store();
    let (code, text, _) = run(dir.path(), &["build", "phase2"]);
    assert_eq!(code, 0);
    assert!(text.contains("1,625,702,400 positions; expected: Tomas Rokicki"), "{text}");
    let (code, text, _) = run(dir.path(), &["verify", "phase2"]);
    assert!(code == 0 && text.starts_with("phase2: intact (2,768 corner classes, "), "{text}");
    let (code, text, _) = run(dir.path(), &["cache", "warm", "phase2"]);
    assert!(code == 0 && text.starts_with("phase2: 1 file added (55.8 MB), 0 already cached"), "{text}");
    assert_eq!(status(dir.path(), "phase2")["row_noun"], "corner class");
    let (_, text, _) = run(dir.path(), &["tables"]);
    assert!(text.contains("\n\ncube3\n   phase1 ") && text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let cached = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(run(dir.path(), &["query", "cube3", "U2", "--cache", "off"]).0, 0);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), cached);
}

/// A store with the exact distances in H.
fn exact_store() -> TempDir {
    linked(&["phase1", "phase2", "phase2-exact"])
}

#[test]
#[ignore = "long suite: builds phase2-exact"]
fn exact_distances_in_h_and_all_solutions() {
    let dir = exact_store();
    for position in positions(&["--walk", "0"], 1).iter().chain(&positions(&["--in-h"], 20)) {
        let answer = query(dir.path(), &[position]);
        let distance = answer["distance_in_h"].as_u64().unwrap();
        assert!(answer["bound_in_h"].as_u64().unwrap() <= distance);
        let listed = ["query", "cube3", position, "--solutions", "--table", "phase2-exact"];
        let (code, text, _) = run(dir.path(), &listed);
        let solutions: Vec<&str> = text.lines().collect();
        assert_eq!((code, Some(solutions.len() as u64)), (0, answer["solutions_in_h"].as_u64()));
        let scramble = scramble_of(position, solutions[0]);
        solutions.iter().for_each(|moves| assert_leads(&scramble, moves, SOLVED, &distance.to_string()));
        let (_, first, _) = run(dir.path(), &[&listed[..], &["--limit", "1"]].concat());
        assert_eq!(first.lines().collect::<Vec<_>>(), solutions[..1]);
        let (_, by_search, _) = run(dir.path(), &["solve", "cube3", position, "--method", "phase2"]);
        assert!(by_search.starts_with(&format!("{distance}\t")), "{by_search}");
    }
    assert_eq!(query(dir.path(), &["R"])["distance_in_h"], Value::Null);
    assert_eq!(run(dir.path(), &["query", "cube3", "R", "--solutions", "--table", "phase2-exact"]).0, 3);
    // By all moves some are nearer.
    let nearer = query(dir.path(), &["F B D2 B' F'"]);
    assert_eq!((nearer["distance"].as_u64(), nearer["distance_in_h"].as_u64()), (Some(5), Some(9)), "{nearer}");
    // Where its cache cannot be written the store tells them.
    let cache = dir.path().join("cache");
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "").unwrap();
    let (code, found, stderr) = run(dir.path(), &["solve", "cube3", "R U2 F L D"]);
    assert!(code == 0 && found.starts_with("5\t"), "{found}{stderr}");
}

/// One solution of each of many positions, the farthest among them, is as long as the distance, and one of all.
#[test]
#[ignore = "long suite: builds phase2-exact and phase2-exact-qtm"]
fn exported_solutions_of_positions_in_h_are_shortest() {
    let dir = linked(&["phase2-exact", "phase2-exact-qtm"]);
    for (table, far, metric) in [("phase2-exact", "17,18", Metric::Htm), ("phase2-exact-qtm", "28,29,30", Metric::Qtm)]
    {
        let export = |options: &[&str], columns: &str| {
            let args =
                ["export", table, "--columns", columns, "--format", "jsonl", "-o", "-", "--seed", "5", "--quiet"];
            let (code, text, stderr) = run(dir.path(), &[&args, options].concat());
            assert_eq!(code, 0, "{stderr}");
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
        };
        let one = "position,distance,solution";
        let all = "position,distance,solution,solutions,count";
        let (mut checked, many) = (0, count(2_000, 20_000));
        for (options, columns) in [
            (["--sample", &many.to_string()].as_slice(), one),
            (&["--levels", far, "--sample", "400"], one),
            (&["--sample", "300"], all),
        ] {
            for record in export(options, columns) {
                let solution = record["solution"].as_str().unwrap();
                scramble_of(record["position"].as_str().unwrap(), solution);
                let length = parse_sequence(solution).unwrap().length(metric);
                assert_eq!(record["distance"].as_u64(), Some(length as u64), "{record}");
                if let Some(solutions) = record["solutions"].as_array() {
                    assert!(solutions.contains(&record["solution"]), "{record}");
                    assert_eq!(record["count"].as_u64(), Some(solutions.len() as u64), "{record}");
                }
                checked += 1;
            }
        }
        println!("{table}: {checked} exported solutions replayed");
        assert_eq!(checked, many + 700);
    }
}

/// Of ways that are images of each other one is tried: without that the superflip takes ten million nodes.
#[test]
#[ignore = "long suite: a hard position"]
fn the_superflip_is_solved_in_twenty_moves() {
    let dir = exact_store();
    let nodes = ["--threads", "1", "--max-nodes", "4000000"];
    let (code, text, stderr) =
        run(dir.path(), &[&["solve", "cube3", SUPERFLIP, "--quiet", "--target", "20"], &nodes[..]].concat());
    assert_eq!(code, 0, "{stderr}");
    let (length, moves) = text.trim_end().split_once('\t').unwrap();
    assert_leads(SUPERFLIP, moves, SOLVED, length);
    assert_eq!(length, "20");
}

/// A pruning table tells bounds, and says so.
#[test]
fn pruning_tables_answer_with_bounds() {
    let dir = store();
    let (code, text, _) = run(dir.path(), &["build", "nx-eo1-ep1-htm"]);
    assert!(code == 0 && text.contains("10+") && text.contains("expected: twistbase, 2026"), "{text}");
    let (code, text, _) = run(dir.path(), &["query", "cube3", "R U2 F' L", "--table", "nx-eo1-ep1-htm"]);
    assert!(code == 0 && text.contains("  bound      at least "), "{text}");
    assert!(!text.contains("distance") && !text.contains("nearer"), "{text}");
    let (code, answers, _) = run_json(dir.path(), &["query", "cube3", "R", "--table", "nx-eo1-ep1-htm"]);
    let (answer, nothing) = (&answers[0], serde_json::Value::Null);
    assert!(code == 0 && answer["nx"].as_u64().is_some_and(|bound| bound <= 1), "{answer}");
    assert_eq!((&answer["distance"], &answer["to_h"]), (&nothing, &nothing));
    // Copied into memory or read in its place, it guides the same search.
    let solve = ["solve", "cube3", "R U2 F' L D B2 U", "--method", "optimal", "--all", "--table", "nx-eo1-ep1-htm"];
    let [copied, mapped] = [&[][..], &["--map"]].map(|place| run(dir.path(), &[&solve[..], place].concat()));
    assert!(copied.0 == 0 && copied.1 == mapped.1 && copied.1.starts_with("7\t"), "{copied:?} {mapped:?}");
    let off = ["--cache", "off", "--map"];
    let (code, _, stderr) = run(dir.path(), &[&solve[..], &off].concat());
    assert!(code == 2 && stderr.contains("cannot map table nx-eo1-ep1-htm: it has no hot cache"), "{stderr}");
    let (code, text, _) = run(dir.path(), &["verify", "nx-eo1-ep1-htm"]);
    assert!(code == 0 && text.starts_with("nx-eo1-ep1-htm: intact (331 class ranges, "), "{text}");
    // Tables that do not fit any machine here are not built by accident.
    let (code, _, stderr) = run(dir.path(), &["build", "nx-eo3-ep4-htm", "--memory", "1G"]);
    assert_eq!(code, 7, "{stderr}");
}
