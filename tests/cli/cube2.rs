//! `query`, `solve`, `random`, `export` and the rest about the 2×2×2 cube.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{object, run, run_json, store, twistbase};
use crate::support::folder::lasting_folder;
use crate::support::program::Run;
use twistbase_testing::stickers::{Stickers, corner_facelets};

/// A store with both tables, built by the program.
pub static CUBE2: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = lasting_folder();
    for table in ["cube2", "cube2-qtm"] {
        twistbase(&folder, &["build", table, "--quiet"]).succeed();
    }
    folder
});

const SOLVED: &str = "UUUURRRRFFFFDDDDLLLLBBBB";

/// The only line that a command prints with `--json`.
fn only(dir: &Path, args: &[&str]) -> Value {
    let (code, mut lines, stderr) = run_json(dir, args);
    assert_eq!((code, lines.len()), (0, 1), "{args:?}: {stderr}");
    lines.remove(0)
}

/// Runs a command that reads `input`; its exit status and standard output.
fn piped(args: &[&str], input: &str) -> (i32, String) {
    let output = twistbase(&CUBE2, args).output_of(input).unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_position_is_the_same_in_every_notation() {
    let expected = only(&CUBE2, &["query", "cube2", "R U2 F'"]);
    assert_eq!((&expected["distance"], &expected["solutions"]), (&json!(3), &json!(1)));
    assert_eq!(expected["moves"].as_array().unwrap().len(), 9);
    let facelets = corner_facelets(&Stickers::after("R U2 F'"));
    assert_eq!(expected["facelets"], facelets);
    let index = format!("index:{}", expected["index"]);
    let colours = "URFDLB".chars().zip("BOWGRY".chars()).fold(facelets.to_lowercase(), |text, (letter, colour)| {
        text.replace(letter.to_ascii_lowercase(), &colour.to_string())
    });
    for way in [index, facelets, colours, "R U2F3".to_owned(), "L x U2 F'".to_owned()] {
        let found = only(&CUBE2, &["query", "cube2", &way]);
        let members = ["distance", "facelets", "index", "solutions", "moves"];
        assert!(members.iter().all(|&member| found[member] == expected[member]), "{way}: {found}");
    }
    for bad in ["index:", "index:-1", "index:3674160", "index:99999999999999999999"] {
        let output = twistbase(&CUBE2, &["query", "cube2", bad]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(3) && message.contains("0 to 3674159"), "{bad}: {message}");
    }
    let quarters = only(&CUBE2, &["query", "cube2", "R U2 F'", "--metric", "qtm"]);
    assert_eq!((&quarters["distance"], &quarters["metric"]), (&json!(4), &json!("qtm")));
    assert_eq!(quarters["moves"].as_array().unwrap().len(), 6);
}

#[test]
fn solutions_are_for_the_cube_as_it_is_held() {
    let scramble = "R U2 F' x y2";
    for way in [scramble.to_owned(), corner_facelets(&Stickers::after(scramble))] {
        let (code, text, _) = run(&CUBE2, &["query", "cube2", &way, "--solutions", "--limit", "1"]);
        assert_eq!(code, 0);
        let solved = corner_facelets(&Stickers::after(&format!("{scramble} {}", text.trim())));
        assert!(solved.as_bytes().chunks(4).all(|face| face.iter().all(|letter| *letter == face[0])), "{way}: {text}");
        let (code, text, note) = run(&CUBE2, &["query", "cube2", &way, "--solutions", "--normalize"]);
        assert_eq!((code, text.as_str()), (0, "F U2 R'\n"), "{way}");
        assert!(note.contains("turned by "), "{note}");
    }
    let (code, _, note) = run(&CUBE2, &["query", "cube2", "-", "--normalize"]);
    assert!(code == 2 && note.contains("--normalize"), "{note}");
}

#[test]
fn text_tells_what_json_does() {
    let (code, text, _) = run(&CUBE2, &["query", "cube2", "R U2 F'"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("cube2 position ") && text.contains("  distance   3 moves (htm)\n"), "{text}");
    assert!(text.contains("  solutions  1 shortest\n") && text.contains("    2 nearer     1:  F\n"), "{text}");
    let (_, text) = piped(&["query", "cube2", "-"], "R\n\nbad\nwca:\n");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("R\t1", "wca:\t0"));
    assert!(lines[1].starts_with("bad\terror: "), "{text}");
    let (code, text, _) = run(&CUBE2, &["query", "cube2", "R U2", "--solutions"]);
    assert_eq!((code, text.as_str()), (0, "U2 R'\n"));
}

#[test]
fn random_positions_are_solved_on_stickers() {
    for metric in ["htm", "qtm"] {
        let (code, walks, stderr) = run_json(
            Path::new("/nowhere"),
            &["random", "cube2", "-n", "100", "--seed", "2", "--walk", "30", "--metric", metric],
        );
        assert_eq!(code, 0, "{stderr}");
        let input: String = walks.iter().map(|walk| format!("{}\n", walk["moves"].as_str().unwrap())).collect();
        let (code, text) = piped(&["solve", "cube2", "-", "--metric", metric, "--json"], &input);
        assert_eq!(code, 0);
        let solutions: Vec<Value> = text.lines().map(object).collect();
        let (_, text) = piped(&["query", "cube2", "-", "--metric", metric, "--json"], &input);
        let answers: Vec<Value> = text.lines().map(object).collect();
        assert_eq!((solutions.len(), answers.len()), (100, 100));
        for ((walk, solution), answer) in walks.iter().zip(solutions).zip(answers) {
            let mut stickers = Stickers::after(walk["moves"].as_str().unwrap());
            assert_eq!(walk["facelets"], corner_facelets(&stickers));
            stickers.apply(solution["solution"].as_str().unwrap());
            assert_eq!(corner_facelets(&stickers), SOLVED, "{walk} {solution}");
            assert_eq!(answer["distance"], solution["length"]);
        }
    }
}

#[test]
fn options_of_other_puzzles_are_refused() {
    for options in [&["query", "cube2", "R", "--middle"][..], &["solve", "cube2", "R", "--time", "1s"]] {
        let (code, text, stderr) = run(&CUBE2, options);
        assert_eq!((code, text.as_str()), (2, ""), "{options:?}: {stderr}");
        assert!(stderr.contains("cube2"), "{stderr}");
    }
    let (code, _, stderr) = run(&CUBE2, &["query", "cube2", "UUURURRRFFFFDDDDLLLLBBBB"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("mirror image of corner URF"), "{stderr}");
}

#[test]
fn tables_are_verified_counted_and_exported() {
    let (code, text, stderr) = run(&CUBE2, &["verify", "--deep", "cube2", "cube2-qtm"]);
    assert_eq!(code, 0, "{text}{stderr}");
    let (code, text, _) = run(&CUBE2, &["stats", "cube2"]);
    assert!(code == 0 && text.contains("1,887,748") && text.contains("2,644"), "{text}");
    let columns = "position,distance,count,solutions";
    let args = ["export", "cube2", "-o", "-", "--format", "csv", "--levels", "..1", "--columns", columns];
    let (code, text, stderr) = run(&CUBE2, &args);
    assert_eq!(code, 0, "{stderr}");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("position,distance,count,solutions"));
    let mut records: Vec<&str> = lines.collect();
    records.sort_unstable();
    assert_eq!(records.len(), 10);
    assert!(records.contains(&format!("{SOLVED},0,1,").as_str()), "{text}");
    let after_r = corner_facelets(&Stickers::after("R"));
    assert!(records.contains(&format!("{after_r},1,1,R'").as_str()), "{text}");
}

#[test]
fn a_table_that_is_built_to_a_depth_answers_as_far() {
    let dir = store();
    for (table, metric) in [("cube2", "htm"), ("cube2-qtm", "qtm")] {
        let (code, _, stderr) = run(dir.path(), &["build", table, "--depth", "3", "--quiet"]);
        assert_eq!(code, 0, "{stderr}");
        let answer = only(dir.path(), &["query", "cube2", "R U F", "--metric", metric]);
        assert_eq!(answer["distance"], 3);
        let distances = answer["moves"].as_array().unwrap().iter().map(|turn| turn["distance"].as_u64().unwrap());
        assert_eq!(distances.max(), Some(4));
        let (code, _, stderr) = run(dir.path(), &["query", "cube2", "R U F R", "--metric", metric]);
        assert_eq!(code, 4, "{stderr}");
        let (code, text, stderr) = run(dir.path(), &["verify", "--deep", table]);
        assert_eq!(code, 0, "{text}{stderr}");
    }
}
