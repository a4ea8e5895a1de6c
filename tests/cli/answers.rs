//! `query`, `solve`, `random` and `cache`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use twistbase::puzzle::square1::notation::{cube21, parse_position, wca};
use twistbase::puzzle::square1::{Colouring, Middle, Turn};
use twistbase::tables;

use super::cube2::CUBE2;
use super::goals::GOALS;
use super::square1::{Notation, Puzzle};
use super::{SMALL, object, run, run_json, small_store, store, twistbase};
use crate::support::CUBE21;
use crate::support::program::{Run, command};

/// The only answer to a query.
fn query(dir: &Path, args: &[&str]) -> Value {
    let (code, mut lines, stderr) = run_json(dir, &[&["query"], args].concat());
    assert_eq!((code, lines.len()), (0, 1), "{args:?}: {stderr}");
    lines.remove(0)
}

/// Runs a command that reads `input`; its exit status, standard output and standard error.
fn piped(dir: &Path, args: &[&str], input: impl AsRef<[u8]>) -> (i32, String, String) {
    let output = twistbase(dir, args).output_of(input).unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Random positions in hexadecimal with their middle layers, the same each time.
fn positions(puzzle: &str, count: usize) -> Vec<String> {
    let (code, text, _) = run(Path::new("/nowhere"), &["random", puzzle, "-n", &count.to_string(), "--seed", "21"]);
    assert_eq!(code, 0);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_position_is_the_same_in_every_notation() {
    let dir = CUBE21.path();
    let ways = [
        "(1,0)/(3,3)/(-1,5)/",
        "(1, 0) / (3, 3) / (-1, 5) /",
        "(1,0)/ (3,3)/ (-1,5)/",
        "1,0/3,3/-1,5/",
        " [1,0]/[3,3]/[−1,5] / ",
        "wca:(1,0)/(3,3)/(-1,5)/",
        "cube21:(-1,0)/(-3,3)/(1,5)/",
        "!!(-1,0)/(-3,3)/(1,5)/",
        "WCA: (+1,+0) / (+3,+3) / (11,5) /",
    ];
    let expected = query(dir, &["cube21", ways[0]]);
    assert_eq!(expected["distance"], 3);
    let members = ["distance", "hex", "jaap", "shape", "index", "middle", "solutions", "moves"];
    assert!(
        query(dir, &["cube21", &format!("\u{FEFF}{}", ways[0])])["hex"] == expected["hex"],
        "a byte order mark is none"
    );
    for way in ways {
        let found = query(dir, &["cube21", way]);
        assert_eq!(found["input"], way);
        assert!(members.iter().all(|&member| found[member] == expected[member]), "{way}: {found}");
    }
    for member in ["hex", "jaap"] {
        let written = expected[member].as_str().unwrap();
        for way in [written.to_owned(), format!("{member}:{written}"), written.to_lowercase(), format!(" {written} ")] {
            let found = query(dir, &["cube21", &way]);
            assert!(members.iter().all(|&member| found[member] == expected[member]), "{way}: {found}");
        }
    }
}

#[test]
fn an_index_names_a_position_of_the_same_distance() {
    for (dir, puzzle) in [(small_store().path(), SMALL), (CUBE21.path(), "cube21")] {
        for position in positions(puzzle, 40) {
            let found = query(dir, &[puzzle, &position]);
            let again = query(dir, &[puzzle, &format!("index:{}", found["index"])]);
            for member in ["distance", "index", "shape", "solutions"] {
                assert_eq!(again[member], found[member], "{puzzle} {position}");
            }
        }
    }
}

/// Replays every printed solution of a position twice: on the library's model and on this test's.
fn check_solutions(dir: &Path, puzzle: &str, position: &str, options: &[&str]) {
    let answer = query(dir, &[&[puzzle, position], options].concat());
    let args = [&["query", puzzle, position, "--solutions"], options].concat();
    let (code, text, _) = run(dir, &args);
    assert_eq!(code, 0);
    let solutions: Vec<&str> = text.lines().collect();
    assert_eq!(Some(solutions.len() as u64), answer["solutions"].as_u64(), "{args:?}");
    let (_, first, _) = run(dir, &[&["solve", puzzle, position], options].concat());
    assert_eq!(first, format!("{}\t{}\n", answer["distance"], solutions[0]));
    let notation = if options.contains(&"cube21") { Notation::Cube21 } else { Notation::Wca };
    let with_middle = options.contains(&"--middle");
    let colouring = Colouring::ALL.into_iter().find(|colouring| colouring.name() == puzzle).unwrap();
    let start = parse_position(position, colouring).unwrap().position;
    let mut seen = std::collections::HashSet::new();
    for solution in solutions {
        let mut ours = Puzzle::from_hex(position);
        let twists = ours.apply(solution, notation);
        assert_eq!(Some(twists as u64), answer["distance"].as_u64(), "{position}: {solution}");
        assert!(ours.is_solved_as(puzzle), "{position}: {solution} leads to {ours:?}");
        assert!(!with_middle || !ours.kite, "{position}: {solution}");
        let read = if notation == Notation::Wca { wca::parse } else { cube21::parse };
        let end = read(solution).unwrap().apply(&start).unwrap();
        assert_eq!(end.solving_turn(colouring), Some(Turn::NONE), "{position}: {solution}");
        assert_eq!(end.middle() == Middle::Kite, ours.kite);
        assert!(seen.insert(solution.to_owned()), "{position}: {solution} twice");
    }
}

#[test]
fn every_printed_solution_solves_on_two_models() {
    let dir = small_store();
    let near = ["01234567-89ABCDEF-", "01234567-89ABCDEF/", "76543210-FEDCBA98-", "89ABCDEF-01234567/"];
    let far = positions(SMALL, 4);
    for options in [&[][..], &["--middle"], &["--notation", "cube21"], &["--middle", "--notation", "cube21"]] {
        for position in near.iter().copied().chain(far.iter().map(String::as_str)) {
            check_solutions(dir.path(), SMALL, position, options);
        }
    }
    for options in [&[][..], &["--middle"], &["--middle", "--notation", "cube21"]] {
        for position in near.iter().copied().chain(positions("cube21", 4).iter().map(String::as_str)) {
            check_solutions(CUBE21.path(), "cube21", position, options);
        }
    }
}

#[test]
fn walks_are_no_farther_than_they_are_long() {
    let (code, lines, _) = run_json(CUBE21.path(), &["random", "cube21", "-n", "30", "--walk", "4", "--seed", "3"]);
    assert_eq!((code, lines.len()), (0, 30));
    for walk in &lines {
        let moves = walk["moves"].as_str().unwrap();
        let mut ours = Puzzle::solved();
        assert_eq!(ours.apply(moves, Notation::Wca), 4);
        assert_eq!(ours, Puzzle::from_hex(walk["hex"].as_str().unwrap()));
        assert_eq!((walk["middle"].as_str(), ours.kite), (Some("square"), false));
        let by_moves = query(CUBE21.path(), &["cube21", moves, "--middle"]);
        let by_letters = query(CUBE21.path(), &["cube21", walk["jaap"].as_str().unwrap(), "--middle"]);
        assert!(by_moves["distance"].as_u64().unwrap() <= 4);
        assert_eq!((&by_moves["index"], &by_moves["distance"]), (&by_letters["index"], &by_letters["distance"]));
    }
}

#[test]
fn each_next_twist_does_what_is_said() {
    let dir = small_store();
    for middle in [&[][..], &["--middle"]] {
        for position in positions(SMALL, 5).iter().map(String::as_str).chain(["01234567-89ABCDEF/"]) {
            let answer = query(dir.path(), &[&[SMALL, position], middle].concat());
            let moves = answer["moves"].as_array().unwrap();
            let mut lines = String::new();
            for outcome in moves {
                let step = wca::parse(outcome["move"].as_str().unwrap()).unwrap();
                let next = step.apply(&parse_position(position, Colouring::Corners).unwrap().position).unwrap();
                lines += &(twistbase::puzzle::square1::notation::hex::print_with_middle(&next).unwrap() + "\n");
            }
            let (code, text, _) = piped(dir.path(), &[&["query", SMALL, "-"], middle].concat(), lines);
            assert_eq!((code, text.lines().count()), (0, moves.len()));
            for (outcome, line) in moves.iter().zip(text.lines()) {
                assert_eq!(line.split('\t').nth(1).unwrap(), outcome["distance"].to_string());
                assert_eq!(outcome["distance"], outcome["at_least"]);
            }
            let distance = |answer: &Value| answer["distance"].as_u64().unwrap();
            let is_nearer = |outcome: &Value| distance(outcome) + 1 == distance(&answer);
            assert_eq!(distance(&answer) != 0, moves.iter().any(is_nearer));
        }
    }
}

#[test]
fn the_middle_layer_is_asked_for_taken_from_the_input_and_told() {
    let dir = CUBE21.path();
    let distance = |args: &[&str]| query(dir, &[&["cube21"], args].concat())["distance"].as_u64().unwrap();
    assert_eq!(distance(&["01234567-89ABCDEF/"]), 0);
    assert_eq!(distance(&["01234567-89ABCDEF/", "--middle"]), 3);
    assert_eq!(distance(&["A1B2C3D45E6F7G8H-", "--middle"]), 0);
    assert_eq!(distance(&["(1,0)/(3,3)/", "--middle"]), 2);
    assert_eq!(distance(&["(1,0)/(3,3)//", "--middle"]), distance(&["(1,0)/(3,3)//"]));
    let untold = query(dir, &["cube21", "01234567-89ABCDEF", "--middle"]);
    assert_eq!((untold["middle"].clone(), untold["hex"].as_str()), (Value::Null, Some("01234567-89ABCDEF")));
    assert_eq!((untold["middle_goal"].as_str(), untold["distance"].as_u64()), (Some("square"), Some(0)));
    let (_, text, _) = run(dir, &["query", "cube21", "01234567-89ABCDEF", "--middle"]);
    assert!(text.contains("middle     square (assumed: the input has no middle layer)"), "{text}");
    assert!(text.contains("0 twists (level 1), the middle layer square at the end"), "{text}");
    let (_, text, _) = run(dir, &["query", "cube21", "01234567-89ABCDEF/"]);
    assert!(text.contains("middle     kite") && text.contains("the middle layer ignored"), "{text}");
}

#[test]
fn text_is_for_people() {
    let (code, text, _) = run(CUBE21.path(), &["query", "cube21", "(1,0)/(3,3)/"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "cube21 position 34FE70BA-658921CD-");
    assert!(lines.iter().all(|line| line.chars().count() <= 110), "{text}");
    assert!(text.contains("\n    1 nearer     2:  (0,0) (3,3)\n"), "{text}");
    // The label of the last group, then the rest of its turns below the first of them.
    let label = lines.iter().position(|line| line.starts_with("    3 farther   28:  (-1,-4)")).unwrap();
    assert_eq!(lines.len(), label + 3, "{text}");
    let turns: Vec<&str> = lines[label..].iter().flat_map(|line| line.split_whitespace()).skip(3).collect();
    assert_eq!(turns.len(), 28);
    assert!(lines[label + 1..].iter().all(|line| line.find('(') == lines[label].find('(')), "{text}");
    let (_, brief, _) = run(CUBE21.path(), &["query", "cube21", "(1,0)/(3,3)/", "--detail", "brief"]);
    assert!(brief.lines().all(|line| lines.contains(&line)) && !brief.contains("next twist"), "{brief}");
}

#[test]
fn notation_limit_shapes_and_detail() {
    let dir = CUBE21.path();
    let position = "01234567-89ABCDEF/";
    let base = ["query", "cube21", position, "--middle", "--solutions"];
    let lines = |options: &[&str]| -> Vec<String> {
        let (code, text, _) = run(dir, &[&base, options].concat());
        assert_eq!(code, 0);
        text.lines().map(str::to_owned).collect()
    };
    let all = lines(&[]);
    assert_eq!(all.len(), 32);
    assert_eq!(lines(&["--limit", "5"]), all[..5]);
    assert_eq!(lines(&["--limit", "1000"]), all);
    for (wca, cube21) in all.iter().zip(lines(&["--notation", "cube21"])) {
        assert_eq!(wca::parse(wca).unwrap(), twistbase::puzzle::square1::notation::cube21::parse(&cube21).unwrap());
        assert!(!cube21.contains(' '));
    }
    let shapes = lines(&["--shapes"]);
    for (line, plain) in shapes.iter().zip(&all) {
        let (solution, shapes) = line.split_once('\t').unwrap();
        assert_eq!(solution, plain);
        let (verdict, names) = shapes.split_once(": ").unwrap();
        let names: Vec<&str> = names.split(' ').collect();
        assert_eq!((names.len(), names[0], names[3]), (4, "CeCeCeCe/CeCeCeCe", "CeCeCeCe/CeCeCeCe"));
        assert_eq!(verdict == "stays in cube shape", names.iter().all(|&name| name == names[0]), "{line}");
    }
    assert!(shapes.iter().any(|line| line.contains("\tstays")) && shapes.iter().any(|line| line.contains("\tleaves")));
    let brief = query(dir, &["cube21", position, "--detail", "brief"]);
    assert!(brief.get("moves").is_none() && brief.get("solutions").is_none());
    let (code, text, _) = piped(dir, &["query", "cube21", "-", "--detail", "full", "--middle"], position);
    assert_eq!((code, text.as_str()), (0, "01234567-89ABCDEF/\t3\t32\n"));
}

#[test]
fn options_that_do_not_go_together_are_usage_errors() {
    let dir = small_store();
    let bad: &[&[&str]] = &[
        &["query", SMALL],
        &["query", "tesseract", "/"],
        &["query", SMALL, "/", "--limit", "3"],
        &["query", SMALL, "/", "--shapes"],
        &["query", SMALL, "/", "--solutions", "--limit", "-1"],
        &["query", SMALL, "/", "--solutions", "--limit", "x"],
        &["query", SMALL, "/", "--solutions", "--detail", "full"],
        &["query", SMALL, "/", "--notation", "jaap"],
        &["query", SMALL, "/", "--cache", "on"],
        &["query", SMALL, "/", "/"],
        &["query", SMALL, "--midle"],
        &["solve", SMALL, "--midle"],
        &["solve", SMALL, "/", "--solutions"],
        &["random", SMALL, "--form", "moves"],
        &["random", SMALL, "--walk", "1001"],
        &["random", SMALL, "-n", "-1"],
        &["random", SMALL, "--scramble"],
        &["random", "cube21", "--wca"],
        &["random", "square1", "--scramble", "--walk", "3"],
        &["random", "cube3", "--scramble", "--in-h"],
        &["random", "cube2", "--scramble", "--metric", "qtm"],
        &["cache"],
        &["cache", "warm", "tesseract"],
    ];
    for args in bad {
        let (code, stdout, stderr) = run(dir.path(), args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
    }
    // A sequence may begin with a minus sign all the same, before and after options.
    for args in [&["query", SMALL, "-2,0/", "--middle"][..], &["solve", SMALL, "--middle", "-2,0/"]] {
        assert_eq!(run(dir.path(), args).0, 0, "{args:?}");
    }
}

#[test]
fn an_invalid_position_is_refused_with_every_reason_and_its_place() {
    let dir = CUBE21.path();
    for command in ["query", "solve"] {
        let (code, stdout, stderr) = run(dir, &[command, "cube21", "01234567-89ABCDEE"]);
        assert_eq!((code, stdout.as_str()), (3, ""));
        let expected = "error: not a valid hexadecimal Square-1 position: \"01234567-89ABCDEE\"\n  \
            piece E is one too many: there are 2 of its kind (C, E)\n    \
            01234567-89ABCDEE\n                    ^\n  \
            missing: F\n  the bottom layer has 11 units of 30°; expected 12\n    \
            01234567-89ABCDEE\n             ^^^^^^^^\n";
        assert_eq!(stderr, expected);
    }
    let (code, _, stderr) = run(dir, &["query", "cube21", "(1,0)/(1,0)/(3,3)/"]);
    assert_eq!(code, 3);
    let caret = stderr.lines().find(|line| line.trim() == "^").expect("a caret");
    let text = stderr.lines().find(|line| line.trim() == "(1,0)/(1,0)/(3,3)/").expect("the input");
    assert_eq!(&text[caret.find('^').unwrap()..], "/(3,3)/");
    assert!(stderr.contains("twist 2") && stderr.contains("crosses slots"), "{stderr}");
    let (code, _, stderr) = run(dir, &["query", "cube21", "01234567-89ABCDEE", "--json"]);
    let error = object(stderr.trim_end());
    assert_eq!((code, error["input"].as_str()), (3, Some("01234567-89ABCDEE")));
    let codes: Vec<_> = error["error"]["problems"].as_array().unwrap().iter().map(|p| p["code"].clone()).collect();
    assert_eq!(codes, ["duplicate-piece", "missing-piece", "layer-size"]);
    assert_eq!(error["error"]["at"], serde_json::json!({"start": 16, "end": 17}));
    for solved in ["", " ", "solved"] {
        let (code, lines, stderr) = run_json(dir, &["query", "cube21", solved]);
        assert_eq!((code, &lines[0]["distance"]), (0, &0.into()), "{solved:?}: {stderr}");
    }
    for (foreign, words) in [("R U R'", "for cubes"), ("10/33/", "karnotation"), ("[U'/R' D' R]", "commutator")] {
        let (code, _, stderr) = run(dir, &["query", "cube21", foreign]);
        assert!(code == 3 && stderr.contains(words) && !stderr.contains("hexadecimal"), "{stderr}");
    }
    for bad in ["nonsense", "index:x", "index:9144576000", "hex:", "(1,0", "é", "0", "-"] {
        let (code, text, _) =
            if bad == "-" { piped(dir, &["query", "cube21", "-"], "-") } else { run(dir, &["query", "cube21", bad]) };
        assert_eq!(code, 3, "{bad:?}: {text}");
    }
}

#[test]
fn what_is_printed_is_read_as_the_same_position() {
    let dir = small_store();
    let read = |text: &str| parse_position(text, Colouring::Corners).unwrap().position;
    for input in [
        "/(1,0)",
        "(1,0)",
        "(0,-1)",
        "(1,0)/(-1,1)",
        "/(2,2)",
        "(1,0)/(3,3)/(-1,0)",
        "x2/(1,0)",
        "01234567-89ABCDEF(1,0)",
    ] {
        let ask = |text: &str| {
            let (code, lines, stderr) = run_json(dir.path(), &["query", SMALL, text, "--metric", "wca"]);
            assert_eq!(code, 0, "{text}: {stderr}");
            lines[0].clone()
        };
        let answer = ask(input);
        let (_, text, _) = run(dir.path(), &["query", SMALL, input, "--metric", "wca"]);
        let hex = answer["hex"].as_str().unwrap();
        assert!(text.starts_with(&format!("square1-corners position {hex}\n")), "{text}");
        for written in [hex, answer["jaap"].as_str().unwrap()] {
            assert_eq!(read(written), read(input), "{input}: {written}");
            assert_eq!(ask(written)["distance"], answer["distance"], "{input}: {written}");
        }
        // In twists, too: the moves are those of the position as it is held.
        let answers = |text: &str| run_json(dir.path(), &["query", SMALL, text]).1[0].clone();
        let twists = answers(input);
        let printed = answers(twists["hex"].as_str().unwrap());
        for member in ["hex", "index", "moves"] {
            assert_eq!(printed[member], twists[member], "{input}: {member}");
        }
    }
}

#[test]
fn a_missing_table_names_the_command_that_builds_it() {
    let dir = store();
    let missing: &[&[&str]] = &[
        &["query", "cube21", "/"],
        &["query", "cube21", "-"],
        &["solve", "cube21", "/"],
        &["cache", "warm", "cube21"],
    ];
    for args in missing {
        let (code, stdout, stderr) = piped(dir.path(), args, "/\n/\n");
        assert_eq!((code, stdout.as_str()), (4, ""), "{args:?}");
        assert!(stderr.contains("run: twistbase build cube21"), "{stderr}");
    }
    let (code, _, stderr) = run(dir.path(), &["cache", "warm"]);
    assert_eq!(code, 4);
    assert!(stderr.contains("run: twistbase build"), "{stderr}");
}

#[test]
fn a_batch_is_answered_line_by_line_in_order() {
    let dir = small_store();
    let positions = positions(SMALL, 5000);
    let (code, text, _) = piped(dir.path(), &["query", SMALL, "-"], positions.join("\n"));
    assert_eq!((code, text.lines().count()), (0, positions.len()));
    for (line, position) in text.lines().zip(&positions) {
        let (input, distance) = line.split_once('\t').unwrap();
        assert_eq!(input, position);
        assert!(distance.parse::<u8>().unwrap() <= 8);
    }
    for position in positions.iter().step_by(611) {
        let distance = query(dir.path(), &[SMALL, position])["distance"].to_string();
        assert!(text.contains(&format!("{position}\t{distance}\n")), "{position}");
    }
    for options in [&["--threads", "1"][..], &["--threads", "3"], &["--cache", "off"], &["--cache", "read-only"]] {
        let (code, again, _) = piped(dir.path(), &[&["query", SMALL, "-"], options].concat(), positions.join("\n"));
        assert!(code == 0 && again == text, "{options:?}");
    }
    let (code, solved, _) = piped(dir.path(), &["solve", SMALL, "-"], positions[..200].join("\r\n"));
    assert_eq!(code, 0);
    for (line, position) in solved.lines().zip(&positions) {
        let [input, length, solution] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut ours = Puzzle::from_hex(position);
        assert_eq!((input, ours.apply(solution, Notation::Wca).to_string()), (position.as_str(), length.to_owned()));
        assert!(ours.is_solved_as(SMALL));
    }
    assert_eq!(solved.lines().count(), 200);
}

#[test]
fn lines_of_all_kinds_are_answered_in_their_place() {
    let dir = small_store();
    let long = "7".repeat(300_000);
    let mut input = b"\n  (1,0)/ \r\n\r\nnonsense\n\t\n".to_vec();
    input.extend_from_slice(b"\xff\xfe/\n");
    input.extend_from_slice(long.as_bytes());
    input.extend_from_slice(b"\n(1,0)/(1,0)/\nindex:0\n(1,0)/(3,3)/");
    let (code, text, stderr) = piped(dir.path(), &["query", SMALL, "-"], input.clone());
    assert_eq!(code, 3);
    assert_eq!(stderr, "error: 4 of 7 lines failed; the reasons are in the output\n");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[6]), (7, "(1,0)/\t1", "(1,0)/(3,3)/\t2"));
    assert!(lines[1].starts_with("nonsense\terror: \"nons\" is not a piece"), "{}", lines[1]);
    assert!(lines[2].starts_with("\u{fffd}\u{fffd}/\terror: "), "{}", lines[2]);
    assert!(lines[3].starts_with("777") && lines[3].contains("longer than the limit") && lines[3].len() < 200);
    assert!(lines[4].starts_with("(1,0)/(1,0)/\terror: twist 2: the cut is blocked"), "{}", lines[4]);
    let (code, text, stderr) = piped(dir.path(), &["query", SMALL, "-", "--json"], input);
    let answers: Vec<Value> = text.lines().map(object).collect();
    let failed: Vec<bool> = answers.iter().map(|answer| answer.get("error").is_some()).collect();
    assert_eq!((code, failed.as_slice()), (3, &[false, true, true, true, true, false, false][..]));
    assert_eq!(answers[4]["error"]["at"], serde_json::json!({"start": 11, "end": 12}));
    assert_eq!(object(stderr.trim_end())["error"]["code"], "invalid");
    for nothing in ["", "\n", " \r\n\n"] {
        assert_eq!(piped(dir.path(), &["query", SMALL, "-"], nothing), (0, String::new(), String::new()));
        assert_eq!(piped(dir.path(), &["solve", SMALL, "-", "--json"], nothing), (0, String::new(), String::new()));
    }
}

#[test]
fn a_batch_of_solutions_labels_each_with_its_position() {
    let dir = CUBE21.path();
    let input = "(1,0)/(3,3)/\nbad\n01234567-89ABCDEF\n/\n";
    let (code, text, _) = piped(dir, &["query", "cube21", "-", "--solutions"], input);
    assert_eq!(code, 3);
    let lines: Vec<(&str, &str)> = text.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let inputs: Vec<&str> = lines.iter().map(|line| line.0).collect();
    assert_eq!(inputs, ["(1,0)/(3,3)/", "(1,0)/(3,3)/", "bad", "01234567-89ABCDEF", "/"]);
    assert!(lines[1].1.starts_with('(') && lines[2].1.starts_with("error: ") && lines[3].1.is_empty());
    assert_eq!(lines[4].1, "/");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let dir = small_store();
    let input = positions(SMALL, 20_000).join("\n") + "\n";
    for args in [&["query", SMALL, "-", "--json"][..], &["query", SMALL, "-", "--solutions"], &["solve", SMALL, "-"]] {
        let mut command = command();
        command.args(args).env("TWISTBASE_STORE", dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.clone();
        // The program need not read all of it.
        let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        let mut first = String::new();
        BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(!first.is_empty());
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn a_line_is_answered_before_the_next_one_is_written() {
    let dir = small_store();
    let mut command = command();
    command.args(["query", SMALL, "-"]).env("TWISTBASE_STORE", dir.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for (line, expected) in [("/\n", "/\t1\n"), ("wca:\n", "wca:\t0\n"), ("//\n", "//\t0\n")] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, expected);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn random_positions_are_reproducible() {
    let nowhere = Path::new("/nowhere");
    let draw = |args: &[&str]| run(nowhere, &[&["random", "square1"], args].concat());
    let (code, five, _) = draw(&["-n", "5", "--seed", "1"]);
    assert_eq!((code, five.lines().count()), (0, 5));
    assert_eq!(draw(&["-n", "5", "--seed", "1"]).1, five);
    assert!(five.starts_with(&draw(&["-n", "2", "--seed", "1"]).1));
    assert_ne!(draw(&["-n", "5", "--seed", "2"]).1, five);
    assert_ne!(draw(&["-n", "5"]).1, draw(&["-n", "5"]).1);
    let (_, letters, _) = draw(&["-n", "5", "--seed", "1", "--form", "jaap"]);
    for (hex, jaap) in five.lines().zip(letters.lines()) {
        let read = |text: &str| parse_position(text, Colouring::Square1).unwrap();
        assert_eq!((read(hex).position, read(hex).middle_given), (read(jaap).position, true));
    }
    assert_eq!(draw(&["-n", "0"]), (0, String::new(), String::new()));
    let (_, moves, _) = draw(&["--walk", "9", "--form", "moves", "--seed", "4"]);
    let (_, end, _) = draw(&["--walk", "9", "--seed", "4"]);
    let mut ours = Puzzle::solved();
    assert_eq!(ours.apply(moves.trim_end(), Notation::Wca), 9);
    assert_eq!(ours, Puzzle::from_hex(end.trim_end()));
    assert_eq!(draw(&["--walk", "0", "--form", "moves"]).1, "solved\n");
}

#[test]
fn the_cache_is_warmed_listed_and_dropped() {
    let dir = small_store();
    let status = || run_json(dir.path(), &["cache", "status", SMALL]).1.remove(0);
    assert_eq!((status()["valid"].as_u64(), status()["bytes"].as_u64()), (Some(0), Some(0)));
    let (code, warmed, _) = run_json(dir.path(), &["cache", "warm"]);
    assert_eq!((code, warmed.len(), warmed[0]["files_added"].as_u64()), (0, 1, Some(90)));
    assert_eq!((status()["valid"].as_u64(), status()["damaged"].as_u64()), (Some(90), Some(0)));
    let (_, again, _) = run_json(dir.path(), &["cache", "warm", SMALL]);
    assert_eq!((again[0]["files_added"].as_u64(), again[0]["files_present"].as_u64()), (Some(0), Some(90)));
    let (_, listing, _) = run(dir.path(), &["cache", "status"]);
    assert_eq!(listing.lines().count(), 1 + tables::all().len(), "{listing}");
    // A table that was built anew makes its cache stale, and is answered from all the same.
    assert_eq!(run(dir.path(), &["build", SMALL, "--force"]).0, 0);
    assert_eq!((status()["valid"].as_u64(), status()["stale"].as_u64()), (Some(0), Some(90)));
    assert_eq!(query(dir.path(), &[SMALL, "(1,0)/(3,3)/"])["distance"], 2);
    let (_, dropped, _) = run_json(dir.path(), &["cache", "drop", SMALL]);
    assert!(dropped[0]["bytes"].as_u64().unwrap() > 1_800_000);
    assert_eq!(status()["bytes"], 0);
    assert_eq!(run_json(dir.path(), &["cache", "drop"]).1.len(), tables::all().len());
}

/// Each line has the columns that the help names, whatever the input contains.
#[test]
fn tabs_of_an_input_begin_no_column() {
    for (dir, args) in [
        (&*CUBE2, &["query", "cube2", "-"][..]),
        (&*CUBE2, &["query", "cube2", "-", "--solutions"]),
        (&*CUBE2, &["query", "cube2", "-", "--detail", "full"]),
        (&*CUBE2, &["solve", "cube2", "-"]),
        (&*CUBE2, &["solve", "c f 0 hold DBL", "-", "--all"]),
        (&*GOALS, &["steps", "cube3", "-"]),
        (&*GOALS, &["analyze", "cube3", "-"]),
        (&*GOALS, &["insertions", "cube3", "R", "-"]),
    ] {
        let asked = twistbase(dir, args).output_of("R\tU'\nR\tQ\n").unwrap();
        let text = String::from_utf8(asked.stdout).unwrap();
        let (first, last) = (text.lines().next().unwrap(), text.lines().last().unwrap());
        assert!(first.starts_with("R U'\t") && last.starts_with("R Q\terror: "), "{args:?}: {text}");
    }
}
