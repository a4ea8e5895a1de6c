//! `random --scramble` of the cubes; scrambles of Square-1 are in `tests/wca.rs`.

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
