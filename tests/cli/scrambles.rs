//! `random --scramble`; scrambles of Square-1 are in `tests/wca.rs`.

use std::path::Path;

use twistbase::puzzle::cube3::notation::{parse_position, parse_sequence};

use super::cube2::CUBE2;
use super::{run, run_json, twistbase};
use crate::support::program::Run;
use crate::support::{CUBE3, MODULO_3};
use twistbase_testing::stickers::{Stickers, corner_facelets};

/// The output of a command that succeeds.
fn output(dir: &Path, args: &[&str]) -> String {
    let (code, text, stderr) = run(dir, args);
    assert_eq!(code, 0, "{args:?}: {stderr}");
    text
}

/// Twenty scrambles with their facelets. Stickers confirm them; a seed gives the same ones.
fn scrambles(dir: &Path, puzzle: &str, facelets: fn(&Stickers) -> String) -> Vec<(String, String)> {
    let args = ["random", puzzle, "--scramble", "-n", "20", "--seed", "5"];
    let (code, reports, stderr) = run_json(dir, &args);
    assert_eq!((code, reports.len()), (0, 20), "{stderr}");
    let member = |report: &serde_json::Value, name: &str| report[name].as_str().unwrap().to_owned();
    let found: Vec<_> = reports.iter().map(|it| (member(it, "moves"), member(it, "facelets"))).collect();
    for (moves, end) in &found {
        assert_eq!(facelets(&Stickers::after(moves)), *end, "{moves}");
        let length = parse_sequence(moves).unwrap().moves().len();
        assert_eq!(parse_sequence(moves).unwrap().canonical().moves().len(), length, "{moves}");
    }
    let lines: String = found.iter().map(|(moves, _)| format!("{moves}\n")).collect();
    assert_eq!(output(dir, &args), lines);
    assert_eq!(output(dir, &args.map(|arg| if arg == "--scramble" { "--wca" } else { arg })), lines);
    let ends: String = found.iter().map(|(_, end)| format!("{end}\n")).collect();
    assert_eq!(output(dir, &[&args[..], &["--form", "facelets"]].concat()), ends);
    found
}

#[test]
fn scrambles_of_cube3_lead_to_random_states() {
    let found = scrambles(&CUBE3, "cube3", Stickers::to_string);
    for (moves, facelets) in &found {
        assert!((2..=20).contains(&moves.split(' ').count()), "{moves}");
        assert_eq!(parse_position(moves).unwrap().position, parse_position(facelets).unwrap().position);
    }
    // The states are drawn as those without moves are, and other tables lead there by the same moves.
    let states = output(Path::new("/nowhere"), &["random", "cube3", "-n", "20", "--seed", "5"]);
    assert!(states.lines().eq(found.iter().map(|(_, facelets)| facelets)));
    assert_eq!(scrambles(&MODULO_3, "cube3", Stickers::to_string), found);
}

#[test]
fn scrambles_of_cube2_are_shortest() {
    for (moves, facelets) in scrambles(&CUBE2, "cube2", corner_facelets) {
        let (length, query) = (moves.split(' ').count(), ["query", "cube2", "-"]);
        let asked = twistbase(&CUBE2, &query).output_of(format!("{moves}\n{facelets}\n")).unwrap();
        let answers = String::from_utf8(asked.stdout).unwrap();
        assert!((4..=11).contains(&length), "{moves}");
        assert_eq!(answers, format!("{moves}\t{length}\n{facelets}\t{length}\n"));
    }
}

/// Scrambles are the random states of the seed without those that take less than four moves, of which there are some here: one
/// of 9,543 on average.
#[test]
fn scrambles_of_cube2_leave_out_what_is_near_solved() {
    let states = output(&CUBE2, &["random", "cube2", "-n", "60000", "--seed", "5"]);
    let asked = twistbase(&CUBE2, &["query", "cube2", "-"]).output_of(states).unwrap();
    let answers = String::from_utf8(asked.stdout).unwrap();
    let answers = answers.lines().map(|line| line.split_once('\t').unwrap());
    let far: Vec<&str> =
        answers.filter(|(_, moves)| moves.parse::<u8>().unwrap() >= 4).map(|(state, _)| state).collect();
    assert!(far.len() < 60_000);
    let count = far.len().to_string();
    let args = ["random", "cube2", "--scramble", "-n", &count, "--seed", "5", "--form", "facelets"];
    assert!(output(&CUBE2, &args).lines().eq(far));
}

#[test]
fn scrambles_need_tables() {
    let dir = super::store();
    for puzzle in ["cube3", "cube2", "square1"] {
        let (code, text, stderr) = run(dir.path(), &["random", puzzle, "--scramble"]);
        assert_eq!((code, text.as_str()), (4, ""), "{puzzle}: {stderr}");
        assert!(stderr.contains("twistbase build"), "{puzzle}: {stderr}");
    }
}

/// Scrambles of puzzles that are data are the random states of the seed, but for those that are too near, by shortest sequences.
#[test]
fn scrambles_of_other_puzzles_are_shortest() {
    let dir = super::store();
    for (puzzle, least) in [("pyraminx", 6), ("pyraminx-tips", 6), ("skewb", 7), ("ivy", 0)] {
        assert_eq!(run(dir.path(), &["build", puzzle, "-q"]).0, 0);
        let (_, states, _) = run_json(dir.path(), &["random", puzzle, "-n", "1000", "--seed", "5"]);
        let (code, found, stderr) = run_json(dir.path(), &["random", puzzle, "--scramble", "-n", "900", "--seed", "5"]);
        assert_eq!((code, found.len()), (0, 900), "{puzzle}: {stderr}");
        let moves: Vec<&str> = found.iter().map(|report| report["moves"].as_str().unwrap()).collect();
        let lines: String =
            moves.iter().map(|moves| format!("{}\n", if moves.is_empty() { "solved" } else { moves })).collect();
        assert_eq!(output(dir.path(), &["random", puzzle, "--scramble", "-n", "900", "--seed", "5"]), lines);
        let asked =
            |text: String| twistbase(dir.path(), &["query", puzzle, "-", "--json"]).output_of(text).unwrap().stdout;
        let answers = |text| -> Vec<serde_json::Value> {
            let answers = String::from_utf8(asked(text)).unwrap();
            answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let ends = answers(lines);
        let texts = states.iter().map(|report| format!("{}\n", report["kpattern"]));
        let far: Vec<_> =
            answers(texts.collect()).into_iter().filter(|it| it["distance"].as_u64() >= Some(least)).collect();
        assert!(least == 0 || far.len() < 1000, "{puzzle}: none is too near");
        for ((end, moves), state) in ends.iter().zip(&moves).zip(&far) {
            let words: Vec<&str> = moves.split_whitespace().collect();
            assert_eq!(
                (&end["index"], end["distance"].as_u64()),
                (&state["index"], Some(words.len() as u64)),
                "{moves}"
            );
            let is_tip = |word: &&str| word.starts_with(|c: char| c.is_lowercase());
            assert!(words.iter().skip_while(|word| !is_tip(word)).all(is_tip), "{moves}");
        }
        let has_tips = moves.iter().any(|moves| moves.contains(|c: char| c.is_lowercase()));
        assert_eq!(has_tips, puzzle == "pyraminx-tips");
    }
    let (code, _, stderr) = run(dir.path(), &["random", "cube21", "--scramble"]);
    assert!(code == 2 && stderr.contains("--scramble does not apply to the puzzle cube21"), "{stderr}");
}
