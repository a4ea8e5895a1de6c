//! Solutions in steps: each step is checked with a cube of 54 stickers, the shortest first steps with a plain search.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::goals::{CORNERS, EDGES, GOALS, both, domino_reduction, of_lines, oriented_edges, solved, text, walks};
use super::schemas::check;
use super::{run, run_json};
use twistbase_testing::labels::{ALL_MOVES, Labels, after, distances, shortest_ways, turns};

const SCRAMBLE: &str = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F";

pub fn inverse(moves: &str) -> String {
    let undone = |turn: &str| match turn.strip_suffix('\'') {
        Some(face) => face.to_owned(),
        None if turn.ends_with('2') => turn.to_owned(),
        None => format!("{turn}'"),
    };
    moves.split_whitespace().rev().map(undone).collect::<Vec<_>>().join(" ")
}

fn steps(args: &[&str]) -> Vec<Value> {
    let (code, lines, stderr) = run_json(&GOALS, &[&["steps", "cube3"], args].concat());
    assert_eq!(code, 0, "{args:?}: {stderr}");
    lines
}

/// What is solved after a step, by its goal: one of these.
fn labels(goal: &str) -> Labels {
    match goal {
        "eo:FB" => oriented_edges("FB", "UD"),
        "eo:UD" => oriented_edges("UD", "RL"),
        "eo:RL" => oriented_edges("RL", "UD"),
        "dr:UD" | "htr:UD" => domino_reduction(),
        "dr:FB" | "htr:FB" => after(&domino_reduction(), "x"),
        "dr:RL" | "htr:RL" => after(&domino_reduction(), "z"),
        "finish" => solved(&[EDGES, CORNERS].join(" ")),
        _ => panic!("{goal}"),
    }
}

#[test]
fn every_step_reaches_its_goal_and_the_whole_solves_the_cube() {
    let positions = [walks(1), vec![SCRAMBLE.to_owned(), String::new()]].concat();
    for (niss, width) in [("never", "20"), ("before", "20"), ("always", "4")] {
        for position in &positions {
            let position = if position.is_empty() { "solved" } else { position };
            let scramble = if position == "solved" { "" } else { position };
            let solutions = steps(&[position, "--niss", niss, "--width", width, "--count", "3"]);
            check("steps", &solutions);
            let lengths: Vec<u64> = solutions.iter().map(|solution| solution["length"].as_u64().unwrap()).collect();
            assert!(lengths.is_sorted() && !lengths.is_empty(), "{lengths:?}");
            let whole: BTreeSet<_> = solutions.iter().map(|solution| text(solution, "solution")).collect();
            assert_eq!(whole.len(), solutions.len());
            for solution in &solutions {
                let (mut normal, mut undone, mut total) = (String::new(), String::new(), 0);
                for step in solution["steps"].as_array().unwrap() {
                    let [of_normal, of_inverse] = ["normal", "inverse"].map(|side| text(step, side));
                    assert!(niss != "never" || of_inverse.is_empty(), "{solution}");
                    assert!(niss == "always" || of_normal.is_empty() || of_inverse.is_empty(), "{solution}");
                    normal = format!("{normal} {of_normal}");
                    undone = format!("{} {undone}", inverse(of_inverse));
                    let length = [of_normal, of_inverse].join(" ").split_whitespace().count();
                    total += length;
                    assert_eq!((&step["length"], &step["total"]), (&json!(length), &json!(total)), "{solution}");
                    // Moves on the inverse are undone before the position.
                    let goal = labels(text(step, "goal"));
                    assert_eq!(after(&goal, &format!("{undone} {scramble} {normal}")), goal, "{solution}");
                }
                let all = solved(&[EDGES, CORNERS].join(" "));
                let moves = text(solution, "solution");
                assert_eq!(after(&all, &format!("{scramble} {moves}")), all, "{solution}");
                let length = moves.split_whitespace().count();
                assert!(solution["length"] == length && length <= total, "{solution}");
            }
        }
    }
}

#[test]
fn a_step_is_made_in_every_shortest_way() {
    let goal = oriented_edges("FB", "UD");
    let (all, faces) = (distances(&goal, ALL_MOVES), turns(ALL_MOVES));
    for walk in walks(6) {
        let sides = [walk.clone(), inverse(&walk)].map(|side| after(&goal, &side));
        let ways = shortest_ways(&sides[0], ALL_MOVES, &all);
        let count = ways.len().to_string();
        let found = steps(&[&walk, "eo:FB", "--niss", "never", "--count", &count]);
        let found: BTreeSet<_> = found.iter().map(|solution| text(solution, "solution").to_owned()).collect();
        assert_eq!(found, ways, "{walk}");

        // On either side, and on both: some moves on one, then as the search says on the other.
        let least = |niss: &str| steps(&[&walk, "eo:FB", "--niss", niss])[0]["length"].as_u64().unwrap() as usize;
        let before = all[&sides[0]].min(all[&sides[1]]);
        assert_eq!(least("before"), before, "{walk}");
        let mut both_sides = before;
        let after_one = faces.iter().map(|(name, _)| name.clone());
        let after_two = faces.iter().flat_map(|(one, _)| faces.iter().map(move |(two, _)| format!("{one} {two}")));
        for few in after_one.chain(after_two) {
            for side in [&walk, &inverse(&walk)] {
                let other = after(&goal, &inverse(&format!("{side} {few}")));
                both_sides = both_sides.min(few.split(' ').count() + all[&other]);
            }
        }
        assert_eq!(least("always"), both_sides, "{walk}");
    }
}

#[test]
fn steps_are_planned_as_text() {
    // One of two goals, numbers of moves, any goal.
    let found = steps(&[SCRAMBLE, "eo:FB|eo:RL 2..5 > dr ..9 > htr > finish", "--width", "50", "--count", "4"]);
    for solution in &found {
        let steps = solution["steps"].as_array().unwrap();
        assert!(["eo:FB", "eo:RL"].contains(&text(&steps[0], "goal")), "{solution}");
        assert!((2..=5).contains(&steps[0]["length"].as_u64().unwrap()), "{solution}");
        assert!(steps[1]["length"].as_u64().unwrap() <= 9, "{solution}");
    }
    let [found] = &steps(&[SCRAMBLE, "line > eo-line", "--niss", "never"])[..] else { panic!() };
    let line = both(oriented_edges("FB", "UD"), solved("D2F8 D8B8"));
    let seen: Vec<Labels> = ["", "y", "x", "x y", "x2", "x2 y", "x'", "x' y", "z", "z y", "z'", "z' y"]
        .map(|rotation| after(&line, rotation))
        .to_vec();
    let end = format!("{SCRAMBLE} {}", text(found, "solution"));
    assert!(seen.iter().any(|goal| after(goal, &end) == *goal), "{found}");
    assert!(text(&found["steps"][0], "goal").starts_with("line:"), "{found}");
}

/// Floppy reduction, and the same without the edges of a slice.
#[test]
fn floppy_reduction_is_a_step() {
    let whole = solved(&[EDGES, CORNERS].join(" "));
    for plan in ["eo > dr > htr > fr > fin", "eo > dr > htr > FR > finish"] {
        let found = steps(&[SCRAMBLE, plan, "--niss", "never", "--width", "30"]);
        let (end, steps) =
            (format!("{SCRAMBLE} {}", text(&found[0], "solution")), found[0]["steps"].as_array().unwrap());
        assert!(after(&whole, &end) == whole && steps.len() == 5, "{found:?}");
        assert!(text(&steps[3], "goal").starts_with("fr:"), "{found:?}");
    }
    let found = steps(&[SCRAMBLE, "eo > dr > htr > frls > finls", "--niss", "before", "--width", "30"]);
    let (mut normal, mut undone) = (String::new(), String::new());
    for step in found[0]["steps"].as_array().unwrap() {
        normal = format!("{normal} {}", text(step, "normal"));
        undone = format!("{} {undone}", inverse(text(step, "inverse")));
    }
    let axis = text(&found[0]["steps"][4], "goal").strip_prefix("finls:").unwrap().to_owned();
    let edges: Vec<&str> = EDGES.split(' ').filter(|edge| edge.contains(|c| axis.contains(c))).collect();
    let no_slice = solved(&[&edges.join(" "), CORNERS].join(" "));
    assert_eq!(after(&no_slice, &format!("{undone} {SCRAMBLE} {normal}")), no_slice, "{found:?}");
}

#[test]
fn steps_are_printed_with_brackets_for_the_inverse() {
    let (code, printed, stderr) = run(&GOALS, &["steps", "cube3", SCRAMBLE, "--width", "50"]);
    assert_eq!(code, 0, "{stderr}");
    let lines: Vec<&str> = printed.lines().collect();
    let (length, solution) = lines[0].split_once('\t').unwrap();
    assert_eq!(length.parse(), Ok(solution.split(' ').count()));
    assert_eq!(lines.len(), 5, "{printed}");
    for (line, goal) in lines[1..].iter().zip(["// eo:", "// dr:", "// htr:", "// finish ("]) {
        assert!(line.starts_with("  ") && line.contains(goal), "{printed}");
    }
    let lines = of_lines(&["steps", "cube3", "-", "--width", "20"], &["R U".to_owned(), "?".to_owned()]);
    check("steps", &lines[..1]);
    assert_eq!(lines[1]["error"]["code"], "invalid", "{lines:?}");
    let quiet = run(&GOALS, &["steps", "cube3", SCRAMBLE, "--width", "5", "--time", "300ms", "--quiet"]);
    assert_eq!((quiet.0, quiet.1.lines().count()), (0, 5), "{quiet:?}");
}

#[test]
fn what_are_no_steps_is_refused() {
    let refused = |args: &[&str], status: i32, words: &[&str]| {
        let (code, text, stderr) = run(&GOALS, &[&["steps"], args].concat());
        assert_eq!((code, text.as_str()), (status, ""), "{args:?}: {stderr}");
        assert!(words.iter().all(|words| stderr.contains(words)), "{args:?}: {stderr}");
    };
    for plan in ["", "eo >", "eo > > dr", "eo|", "eo dr", "eo 5..2", "eo ..31", "eo x..3"] {
        refused(&["cube3", "R", plan], 2, &["is no step", "eo > dr > htr > finish"]);
    }
    refused(&["cube3", "R", "eo > crozz"], 2, &["no goal \"crozz\"", "choose from"]);
    refused(&["cube3", "R", "eo:Q"], 2, &["for a side"]);
    refused(&["cube2", "R"], 2, &["steps are for cube3"]);
    refused(&["cube3", "R", "--width", "0"], 2, &["--width"]);
    refused(&["cube3", "R U?"], 3, &["R U?"]);
    refused(&["cube3", "R", "finish"], 3, &["step 1 (finish) is not reached", "put eo > dr > htr before it"]);
    // No way to orient the corners orients the edges, too.
    let far = "L' D L' F R2 F' U' L' B L2 U L' U2 R U2 L2 B2 D F2 U R2 D B' R' B2 L2 F2 B2 U2 R'";
    refused(&["cube3", far, "co > dr"], 3, &["step 2 (dr) is not reached; it needs oriented edges"]);
    refused(&["cube3", SCRAMBLE, "eo 0..0"], 7, &["step 1 (eo) is not reached; allow more moves"]);
}
