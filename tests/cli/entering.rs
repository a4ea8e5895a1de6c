//! What people type and other programs print for cubes, as it is held in the hand.

use std::path::Path;

use serde_json::json;

use super::cube2::CUBE2;
use super::schemas::check;
use super::{object, run, run_json, twistbase};
use crate::support::CUBE3;
use crate::support::program::Run;
use twistbase_testing::stickers::Stickers;

/// The answers to lines: input and distance.
fn distances(puzzle: &str, lines: &str) -> Vec<(String, String)> {
    let dir = if puzzle == "cube2" { CUBE2.as_path() } else { CUBE3.as_path() };
    let args = ["query", puzzle, "-", "--quiet"];
    let output = twistbase(dir, &args).output_of(lines).unwrap();
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
            check("query", &lines);
        }
    }
    let (code, _, stderr) = run(Path::new("/nowhere"), &["solve", "square1", "/", "--normalize"]);
    assert!(code == 2 && stderr.contains("square1 cannot be turned so that white is up; only cubes can"), "{stderr}");
}

#[test]
fn another_order_of_the_facelets_is_reported() {
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

/// The note gives the first line of each order and the number of the others.
#[test]
fn lines_in_another_order_of_the_facelets_are_reported() {
    let facelets = |moves: &str| Stickers::after(moves).to_string();
    let ordered = |moves: &str, faces: &str| -> String {
        let usual = facelets(moves);
        faces.chars().map(|face| &usual[9 * "URFDLB".find(face).unwrap()..][..9]).collect()
    };
    let first = ordered("R U2 F'", "ULFRBD");
    let lines = [
        facelets("R U"),
        first.clone(),
        "R U F".to_owned(),
        "R?".to_owned(),
        ordered("L D", "ULFRBD"),
        ordered("B U L", "FRBLUD"),
    ];
    let notes = [
        format!("facelets read in the order U L F R B D: {first} and 1 more"),
        format!("facelets read in the order F R B L U D: {}", lines[5]),
    ];
    for command in [
        &["query"][..],
        &["query", "--solutions"],
        &["query", "--detail", "full"],
        &["solve"],
        &["solve", "--method", "optimal"],
    ] {
        for options in [&[][..], &["--json"], &["--quiet"]] {
            let args = [&command[..1], &["cube3", "-"], &command[1..], options].concat();
            let output = twistbase(&CUBE3, &args).output_of(lines.join("\n")).unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{args:?}: {stderr}");
            let is_noted = |note: &String| stderr.contains(note);
            match options {
                ["--quiet"] => assert!(!stderr.contains("in the order"), "{args:?}: {stderr}"),
                _ => assert!(notes.iter().all(is_noted), "{args:?}: {stderr}"),
            }
            let stdout = String::from_utf8(output.stdout).unwrap();
            if options == ["--json"] && command == ["query"] {
                let orders: Vec<_> = stdout.lines().map(|line| object(line)["order"].clone()).collect();
                let expected = [
                    json!(null),
                    json!("U L F R B D"),
                    json!(null),
                    json!(null),
                    json!("U L F R B D"),
                    json!("F R B L U D"),
                ];
                assert_eq!(orders, expected, "{stdout}");
            }
        }
    }
}

#[test]
fn errors_name_sequences_for_square1() {
    for puzzle in ["cube3", "cube2"] {
        let (code, _, stderr) = run(Path::new("/nowhere"), &["query", puzzle, "(1,0)/(3,3)/"]);
        assert!(code == 3 && stderr.contains("this is a sequence for Square-1"), "{stderr}");
    }
}

/// Full-width characters, numbers of lists, and other forms with a single meaning.
#[test]
fn forms_with_one_meaning_are_read() {
    let facelets = "UUFFUBRRRRFDDBDBFDLLLLUB";
    let with_commas: String = facelets.chars().map(|letter| format!("{letter},")).collect();
    let texts = ["R U", "Rw U", "rw U", "1. R U", "12) R U", facelets, &with_commas, "wca: R U"];
    for (text, (input, distance)) in texts.iter().zip(distances("cube2", &texts.join("\n"))) {
        assert_eq!((*text, distance.as_str()), (input.as_str(), "2"));
    }
    let facelets = Stickers::after("R U").to_string();
    let with_commas: String = facelets.chars().map(|letter| format!("{letter}, ")).collect();
    let by_faces: Vec<String> =
        facelets.as_bytes().chunks(9).map(|face| String::from_utf8_lossy(face).into()).collect();
    for text in [with_commas, by_faces.join(","), format!("3. {facelets}")] {
        let (code, lines, stderr) = run_json(CUBE3.as_path(), &["query", "cube3", &text, "--no-exact"]);
        assert_eq!((code, &lines[0]["facelets"]), (0, &facelets.as_str().into()), "{stderr}");
    }
}

#[test]
fn errors_say_what_a_text_is() {
    let nowhere = Path::new("/nowhere");
    let (code, _, stderr) = run(nowhere, &["query", "cube3", "R'' U"]);
    assert!(code == 3 && stderr.contains("\"R''\" has several apostrophes"), "{stderr}");
    for puzzle in ["cube3", "cube2", "square1"] {
        for count in [9_000, 100_000] {
            let (code, _, stderr) = run(nowhere, &["query", puzzle, &"(".repeat(count)]);
            assert!(code == 3 && stderr.lines().count() == 2 && stderr.len() < 1000, "{stderr}");
        }
    }
    let output = twistbase(CUBE2.as_path(), &["query", "cube2", "-"]).output_of("(".repeat(100_000)).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("longer than the limit of 10000 bytes") && text.len() < 400, "{text}");
    for utf16 in [&b"\xFF\xFER\0 \0U\0\n\0"[..], b"\xFE\xFF\0R\0 \0U\0\n"] {
        let output = twistbase(CUBE2.as_path(), &["query", "cube2", "-"]).output_of(utf16).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(6) && stderr.contains("the text is UTF-16"), "{stderr}");
    }
    // The edges of another colour scheme: U and D exchanged.
    let mirrored = "YYYYYYYYYRRRRRRRRRGGGGGGGGGWWWWWWWWWOOOOOOOOOBBBBBBBBB";
    let (code, _, stderr) = run(nowhere, &["picture", "cube3", mirrored, "--normalize"]);
    assert!(code == 3 && stderr.contains("not a valid cube of the usual colours"), "{code} {stderr}");
}
