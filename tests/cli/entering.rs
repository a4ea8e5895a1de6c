//! What people type and other programs print for cubes, as it is held in the hand.

use std::path::Path;

use super::cube2::CUBE2;
use super::schemas::check;
use super::{run, run_json, twistbase};
use crate::support::CUBE3;
use crate::support::stickers::Stickers;

/// The answers to lines: input and distance.
fn distances(puzzle: &str, lines: &str) -> Vec<(String, String)> {
    let dir = if puzzle == "cube2" { CUBE2.as_path() } else { CUBE3.as_path() };
    let args = ["query", puzzle, "-", "--quiet"];
    let output = twistbase(dir, &args).write_stdin(lines).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let fields = |line: &str| line.split_once('\t').map(|(input, answer)| (input.to_owned(), answer.to_owned()));
    text.lines().filter_map(fields).collect()
}

#[test]
fn lines_may_be_comments_and_end_with_carriage_returns() {
    let lines = "# my list\r// the moves\rR1 (1f)\r\rU2 R2 (2f*) //name\r\n  // 3\nsolved\n";
    let found = distances("cube2", lines);
    let found: Vec<_> = found.iter().map(|(input, answer)| (input.as_str(), answer.as_str())).collect();
    assert_eq!(found, [("R1 (1f)", "1"), ("U2 R2 (2f*) //name", "2"), ("solved", "0")]);
    assert_eq!(distances("cube3", lines).len(), 3);
}

#[test]
fn solutions_are_for_the_cube_in_the_hand() {
    for (position, solution) in [
        ("R U2 F' L D B2 Rw Uw'", "D F' D2 R' F' U L2 B'"),
        ("FFRFFRDDRFFFRRBRRBRRUDDBDDBBBUBBULLLDDBFLLFLLDLLUUUUUU", "U' B' R'"),
    ] {
        let (code, text, stderr) = run(CUBE3.as_path(), &["solve", "cube3", position, "--method", "optimal"]);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(text.trim_end().split_once('\t').map(|(_, moves)| moves), Some(solution), "{position}");
    }
    let args = ["solve", "cube3", "R U2 F' L D B2 Rw Uw'", "--method", "optimal", "--normalize"];
    let (code, text, stderr) = run(CUBE3.as_path(), &args);
    assert_eq!((code, text.as_str()), (0, "8\tB L' B2 D' L' F U2 R'\n"), "{stderr}");
    assert!(stderr.contains("turned by z y: white is up, green in front\n"), "{stderr}");
    for (puzzle, store) in [("cube3", CUBE3.as_path()), ("cube2", CUBE2.as_path())] {
        for (position, turned) in [("R U2 F' x", true), ("R U2 F'", false)] {
            let args = ["query", puzzle, position, "--detail", "brief", "--normalize"];
            let (code, lines, stderr) = run_json(store, &args);
            assert_eq!((code, lines[0]["turned"].is_string()), (0, turned), "{stderr}");
            check(&format!("query-{puzzle}"), &lines);
        }
    }
    let (code, _, stderr) = run(Path::new("/nowhere"), &["solve", "square1", "/", "--normalize"]);
    assert!(code == 2 && stderr.contains("square1 cannot be turned until white is up: only cubes can"), "{stderr}");
}

#[test]
fn another_order_of_the_facelets_is_told() {
    let facelets = Stickers::after("R U2 F'").to_string();
    let ordered: String = "ULFRBD".chars().map(|face| &facelets[9 * "URFDLB".find(face).unwrap()..][..9]).collect();
    let (code, lines, stderr) = run_json(CUBE3.as_path(), &["query", "cube3", &ordered, "--no-exact"]);
    assert_eq!(
        (code, &lines[0]["order"], &lines[0]["facelets"]),
        (0, &"U L F R B D".into(), &facelets.into()),
        "{stderr}"
    );
    assert!(stderr.contains("facelets read in the order U L F R B D"), "{stderr}");
    let (code, _, stderr) = run(CUBE3.as_path(), &["query", "cube3", &ordered, "--no-exact", "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
}

#[test]
fn what_belongs_to_square1_is_told() {
    for puzzle in ["cube3", "cube2"] {
        let (code, _, stderr) = run(Path::new("/nowhere"), &["query", puzzle, "(1,0)/(3,3)/"]);
        assert!(code == 3 && stderr.contains("that is a sequence for Square-1"), "{stderr}");
    }
}
