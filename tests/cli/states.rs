//! `random cube3 --state`, checked on a cube of 54 stickers.

use std::collections::HashSet;
use std::path::Path;

use super::goals::{CORNERS, EDGES, solved, text};
use super::schemas::check;
use super::{run, run_json};
use crate::support::CUBE3;
use twistbase_testing::labels::Labels;
use twistbase_testing::stickers::{Stickers, facelet};

const F2L: &str = "D2F8 D6R8 D8B8 D4L8 F6R4 F4L6 B6L4 B4R6 D3R7F9 D1F7L9 D7L7B9 D9B7R9";

/// Random positions of a state as facelets. No table is needed.
fn drawn(state: &str, count: &str) -> Vec<String> {
    let args = ["random", "cube3", "--state", state, "-n", count, "--seed", "7"];
    let (code, printed, stderr) = run(Path::new("/nowhere"), &args);
    assert_eq!(code, 0, "{stderr}");
    printed.lines().map(str::to_owned).collect()
}

/// Whether the stickers of these labels are solved.
fn are_solved(facelets: &str, labels: &Labels) -> bool {
    let colours = facelets.chars().enumerate();
    colours.zip(labels).all(|((at, colour), label)| *label == 0 || "URFDLB".find(colour) == Some(at / 9))
}

fn colours_at<'a>(facelets: &'a str, place: &'a str) -> Vec<char> {
    let at = |at: usize| facelets.as_bytes()[facelet(&place[at..at + 2])] as char;
    (0..place.len()).step_by(2).map(at).collect()
}

/// Whether edges need no quarter turns of F and B: each has its sticker of U or D, or else of F or B, on U or D, or else on F or B.
fn are_edges_oriented(facelets: &str) -> bool {
    EDGES.split(' ').all(|place| {
        let colours = colours_at(facelets, place);
        // The first facelet of a place is that of U or D, or else of F or B.
        let first = if colours.iter().any(|colour| "UD".contains(*colour)) { "UD" } else { "FB" };
        first.contains(colours[0])
    })
}

fn are_corners_oriented(facelets: &str) -> bool {
    CORNERS.split(' ').all(|place| "UD".contains(colours_at(facelets, place)[0]))
}

#[test]
fn random_positions_are_of_their_state() {
    let middle = |facelets: &str| {
        ["F6R4", "F4L6", "B4R6", "B6L4"].into_iter().all(|place| "FB".contains(colours_at(facelets, place)[0]))
    };
    for (state, pieces, [edges, corners]) in [
        ("ll", F2L, [false, false]),
        ("zbll", F2L, [true, false]),
        ("pll", F2L, [true, true]),
        ("cross", "D2F8 D6R8 D8B8 D4L8", [false, false]),
        ("xcross", "D2F8 D6R8 D8B8 D4L8 F6R4 D3R7F9", [false, false]),
        ("block-222", "D8B8 D4L8 B6L4 D7L7B9", [false, false]),
        ("roux-block", "D4L8 F4L6 B6L4 D1F7L9 D7L7B9", [false, false]),
        ("eo", "", [true, false]),
        ("co", "", [false, true]),
        ("line", "D2F8 D8B8", [false, false]),
        ("eo-line", "D2F8 D8B8", [true, false]),
        ("eo-cross", "D2F8 D6R8 D8B8 D4L8", [true, false]),
        ("corners", CORNERS, [false, true]),
        ("dr", "", [true, true]),
        ("htr", "", [true, true]),
        ("2gen", "D8B8 D4L8 B6L4 D7L7B9 F4L6 D1F7L9", [true, false]),
    ] {
        let labels = if pieces.is_empty() { [0; 54] } else { solved(pieces) };
        let all = drawn(state, "60");
        assert_eq!(all.len(), 60);
        for facelets in &all {
            assert!(are_solved(facelets, &labels), "{state}: {facelets}");
            assert!(!edges || are_edges_oriented(facelets), "{state}: {facelets}");
            assert!(!corners || are_corners_oriented(facelets), "{state}: {facelets}");
            assert!(!["dr", "htr"].contains(&state) || middle(facelets), "{state}: {facelets}");
            // Half turns leave two colours on each face.
            let is_of_half_turns = facelets
                .as_bytes()
                .chunks(9)
                .zip(["UD", "RL", "FB", "UD", "RL", "FB"])
                .all(|(face, colours)| face.iter().all(|colour| colours.as_bytes().contains(colour)));
            assert!(state != "htr" || is_of_half_turns, "{facelets}");
        }
        // What the state leaves free differs.
        assert!(edges || all.iter().any(|facelets| !are_edges_oriented(facelets)), "{state}");
        assert!(corners || all.iter().any(|facelets| !are_corners_oriented(facelets)), "{state}");
        let different: HashSet<_> = all.iter().collect();
        assert!(different.len() > 40, "{state}: {}", different.len());
    }
    let all: HashSet<_> = drawn("pll", "10000").into_iter().collect();
    assert_eq!(all.len(), 288);
}

#[test]
fn scrambles_lead_to_the_state() {
    for state in ["pll", "htr", "cross"] {
        let args = ["random", "cube3", "--state", state, "--scramble", "-n", "12", "--seed", "7"];
        let (code, reports, stderr) = run_json(&CUBE3, &args);
        assert_eq!(code, 0, "{stderr}");
        check("random", &reports);
        let ends: Vec<_> = reports.iter().map(|report| text(report, "facelets").to_owned()).collect();
        assert_eq!(ends, drawn(state, "12"));
        for report in &reports {
            assert_eq!(Stickers::after(text(report, "moves")).to_string(), text(report, "facelets"));
        }
        let lines = run(&CUBE3, &args).1;
        assert!(lines.lines().zip(&reports).all(|(line, report)| line == text(report, "moves")), "{lines}");
    }
}

#[test]
fn states_are_of_the_cube_alone() {
    for (args, words) in [
        (&["cube3", "--state", "plll"][..], "choose from: ll, zbll, pll, dr, htr, 2gen, cross, xcross"),
        (&["cube3", "--state", "ll", "--walk", "3"], "--walk"),
        (&["cube3", "--state", "ll", "--in-h"], "--in-h"),
        (&["cube2", "--state", "ll"], "--state does not apply to the puzzle cube2"),
        (&["cube21", "--state", "ll"], "--state does not apply to the puzzle cube21"),
        (&["cube2", "--state", "ll", "--scramble"], "--state does not apply to the puzzle cube2"),
        (&["square1", "--state", "ll", "--scramble"], "--state does not apply to the puzzle square1"),
    ] {
        let (code, _, stderr) = run(Path::new("/nowhere"), &[&["random"], args].concat());
        assert!(code == 2 && stderr.contains(words), "{args:?}: {stderr}");
    }
}
