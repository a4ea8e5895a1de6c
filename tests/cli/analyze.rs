//! `analyze`, beside a cube of 54 stickers, a plain search over it, and `query`.

use serde_json::Value;

use super::goals::{
    GOALS, cross, domino_reduction, of_lines, only, oriented_corners, oriented_edges, solved, text, walks,
};
use super::schemas::check;
use super::steps::inverse;
use super::{run, run_json, store};
use crate::support::program::Run;
use twistbase_testing::labels::{ALL_MOVES, Labels, after, distances, distances_within, turns};

const SCRAMBLE: &str = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F";

/// The distances of a goal in an analysis, of the position and of its inverse.
fn goal<'a>(analysis: &'a Value, name: &str) -> [&'a Value; 2] {
    let all = analysis["goals"].as_array().unwrap();
    let goal = all.iter().find(|goal| goal["goal"] == name).unwrap_or_else(|| panic!("{name}: {analysis}"));
    [&goal["normal"], &goal["inverse"]]
}

fn analyses(lines: &[String]) -> Vec<Value> {
    let analyses = of_lines(&["analyze", "cube3", "-"], lines);
    assert_eq!(analyses.len(), lines.len());
    check("analysis", &analyses);
    analyses
}

/// What is solved where oriented pieces are, by the axis.
fn oriented() -> [(&'static str, &'static str, Labels); 6] {
    let corners = oriented_corners();
    [
        ("eo", "UD", oriented_edges("UD", "RL")),
        ("eo", "FB", oriented_edges("FB", "UD")),
        ("eo", "RL", oriented_edges("RL", "UD")),
        ("co", "UD", corners),
        ("co", "FB", after(&corners, "x")),
        ("co", "RL", after(&corners, "z")),
    ]
}

#[test]
fn oriented_pieces_are_counted_and_solved_as_by_a_plain_search() {
    let walks = walks(25);
    let analyses = analyses(&walks);
    for (name, axis, labels) in oriented() {
        let all = distances(&labels, ALL_MOVES);
        for (walk, analysis) in walks.iter().zip(&analyses) {
            let sides = [walk.clone(), inverse(walk)].map(|moves| after(&labels, &moves));
            let [normal, undone] = goal(analysis, name);
            assert_eq!((&normal[axis], &undone[axis]), (&all[&sides[0]].into(), &all[&sides[1]].into()), "{analysis}");
            // A piece is bad where its label is on another of its facelets.
            let counted = &analysis[if name == "eo" { "bad_edges" } else { "bad_corners" }][axis];
            for side in &sides {
                let bad = labels.iter().zip(side).filter(|(goal, now)| **goal != 0 && **now == 0).count();
                assert_eq!(*counted, bad, "{name}:{axis}: {analysis}");
            }
        }
    }
}

/// After few moves, distances to other goals are those of a plain search from the goal.
#[test]
fn goals_are_as_near_as_a_plain_search_finds() {
    const MOVES: usize = 3;
    let walk = MOVES.to_string();
    let args = ["random", "cube3", "-n", "60", "--seed", "3", "--walk", &walk];
    let (code, reports, stderr) = run_json(&GOALS, &args);
    assert_eq!(code, 0, "{stderr}");
    let walks: Vec<String> = reports.iter().map(|report| text(report, "moves").to_owned()).collect();
    let analyses = analyses(&walks);
    let dr = domino_reduction();
    let roux = solved("D4L8 F4L6 B6L4 D1F7L9 D7L7B9");
    let block = solved("D8B8 D4L8 B6L4 D7L7B9");
    let turned = |labels: &Labels, rotations: &[&str]| -> Vec<Labels> {
        rotations.iter().map(|rotation| after(labels, rotation)).collect()
    };
    for (name, side, goals) in [
        ("dr", "UD", vec![dr]),
        ("dr", "FB", turned(&dr, &["x"])),
        ("dr", "RL", turned(&dr, &["z"])),
        ("cross", "D", vec![cross('D')]),
        ("cross", "R", vec![cross('R')]),
        ("roux-block", "L", turned(&roux, &["", "x", "x2", "x'"])),
        ("roux-block", "U", turned(&roux, &["z", "z y", "z y2", "z y'"])),
        ("block-222", "DBL", vec![block]),
        ("block-222", "UFL", turned(&block, &["x2"])),
    ] {
        // Each way to see the goal has labels of its own: they are compared one by one.
        let all: Vec<_> = goals
            .iter()
            .map(|labels| (labels, distances_within(std::slice::from_ref(labels), &turns(ALL_MOVES), MOVES)))
            .collect();
        for (walk, analysis) in walks.iter().zip(&analyses) {
            for (moves, found) in [walk.clone(), inverse(walk)].iter().zip(goal(analysis, name)) {
                let least = all.iter().filter_map(|(labels, near)| near.get(&after(labels, moves))).min();
                assert_eq!(found[side], *least.expect("as near as the walk is long"), "{name}:{side}: {analysis}");
            }
        }
    }
}

#[test]
fn distances_are_those_of_query() {
    let positions = [walks(1), vec!["F2 U R2 D' L2 U2 B2 D R2".to_owned()]].concat();
    let analyses = analyses(&positions);
    // Both positions at once; a goal that no moves lead to has no distance.
    let asked = |words: &[&str], rotation: &str, member: &str| -> Vec<Value> {
        let lines: Vec<String> = positions.iter().map(|position| format!("wca:{position}{rotation}")).collect();
        let answers = of_lines(&[&["query", "cube3", "-", "--detail", "brief"], words].concat(), &lines);
        answers.iter().map(|answer| answer.get(member).cloned().unwrap_or_default()).collect()
    };
    for (number, found) in analyses[0]["goals"].as_array().unwrap().iter().enumerate() {
        let name = text(found, "goal");
        for side in found["normal"].as_object().unwrap().keys() {
            let told: Vec<Value> =
                analyses.iter().map(|analysis| analysis["goals"][number]["normal"][side].clone()).collect();
            let expected = match (name, side.len()) {
                ("dr", _) => {
                    let rotation = match side.as_str() {
                        "UD" => "",
                        "FB" => " x",
                        _ => " z",
                    };
                    asked(&["--table", "phase1"], rotation, "to_h")
                }
                (_, 6) => asked(&["--goal", name], "", "distance"),
                _ => asked(&["--goal", &format!("{name}:{side}")], "", "distance"),
            };
            assert_eq!(told, expected, "{name}:{side}");
        }
    }
    let nearest = asked(&["--goal", "block-222:any"], "", "distance");
    for (analysis, nearest) in analyses.iter().zip(nearest) {
        let corners = goal(analysis, "block-222")[0].as_object().unwrap();
        assert_eq!(corners.values().filter_map(Value::as_u64).min(), nearest.as_u64(), "{analysis}");
        assert_eq!(corners.len(), 8);
    }
}

#[test]
fn tables_for_people() {
    let (code, printed, stderr) = run(&GOALS, &["analyze", "cube3", SCRAMBLE]);
    assert_eq!(code, 0, "{stderr}");
    let rows: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    let analysis = only(&["analyze", "cube3", SCRAMBLE]);
    check("analysis", std::slice::from_ref(&analysis));
    let row =
        |title: &str| rows.iter().position(|row| row.first() == Some(&title)).unwrap_or_else(|| panic!("{printed}"));
    assert_eq!(rows[0], ["UD", "FB", "RL"]);
    for (title, sides) in
        [("eo", "UD FB RL"), ("dr", "UD FB RL"), ("cross", "U D F B R L"), ("2x2x2", "UFR UFL UBR UBL DFR DFL DBR DBL")]
    {
        let name = if title == "2x2x2" { "block-222" } else { title };
        let inverse = row(title) + 1;
        for (row, found) in [row(title), inverse].into_iter().zip(goal(&analysis, name)) {
            let numbers: Vec<String> = sides.split(' ').map(|side| found[side].to_string()).collect();
            assert!(rows[row].ends_with(&numbers.iter().map(String::as_str).collect::<Vec<_>>()), "{printed}");
            assert_eq!(found.as_object().unwrap().len(), numbers.len());
        }
        assert_eq!(rows[inverse][0], "inverse");
    }
    // Goals that no side reaches are left out.
    assert!(!printed.contains("finish") && printed.lines().all(|line| line.len() <= 80), "{printed}");
    assert!(run(&GOALS, &["analyze", "cube3", "R2 U2"]).1.contains("finish"));

    let lines = of_lines(&["analyze", "cube3", "-"], &["R U".to_owned(), "?".to_owned()]);
    assert_eq!(lines[1]["error"]["code"], "invalid", "{lines:?}");
    let asked = super::twistbase(&GOALS, &["analyze", "cube3", "-"]).output_of("R U\n").unwrap();
    let line = "R U\teo 0\tdr 1\tdr from eo 1\tco 1\tcross 1\t1x2x3 block 0\t2x2x2 block 0\n";
    assert_eq!(String::from_utf8(asked.stdout).unwrap(), line);
}

#[test]
fn shortest_solutions_are_searched_for() {
    let args = ["analyze", "cube3", "R U F2 D L2 B' R", "--optimal"];
    let (code, printed, stderr) = run(&GOALS, &args);
    assert!(code == 0 && printed.contains("\noptimal  7  R' B L2 D' F2 U' R'\n"), "{printed}{stderr}");
    let (code, analyses, _) = run_json(&GOALS, &args);
    let optimal = &analyses[0]["optimal"];
    assert_eq!((code, &optimal["distance"], &optimal["at_least"]), (0, &7.into(), &7.into()));
    check("analysis", &analyses);
    let (code, analyses, _) = run_json(&GOALS, &["analyze", "cube3", SCRAMBLE, "--optimal", "--max-nodes", "1000"]);
    assert!(code == 7 && analyses[0]["optimal"]["distance"].is_null(), "{analyses:?}");
    check("analysis", &analyses);
    for (args, expected, words) in [
        (&["analyze", "cube2", "R"][..], 2, "analyze is for cube3, not for cube2"),
        (&["analyze", "cube3", "R", "--time", "1s"], 2, "--optimal"),
        (&["analyze", "cube3", "R U?"], 3, "U?"),
    ] {
        let (code, _, stderr) = run(&GOALS, args);
        assert!(code == expected && stderr.contains(words), "{args:?}: {stderr}");
    }
    let empty = store();
    let (code, _, stderr) = run(empty.path(), &["analyze", "cube3", "R", "--no-build"]);
    assert!(code == 4 && stderr.contains("twistbase build cube3-eo"), "{stderr}");
}
