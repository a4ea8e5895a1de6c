//! Goals of the Rubik's cube other than solved, beside a cube of 54 stickers and a plain search over it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::schemas::check;
use super::{object, run, run_json, store, twistbase};
use crate::support::CUBE3;
use crate::support::folder::lasting_folder;
use crate::support::program::Run;
use twistbase_testing::labels::{
    ALL_MOVES, Labels, after, distances, distances_in_quarter_turns, shortest_by_trying, shortest_ways, turns,
    ways_in_quarter_turns,
};
use twistbase_testing::stickers::facelet;

const SCRAMBLE: &str = "R U F2 D L2 B' R";
const EO_MOVES: &str = "U D R L F2 B2";
const HALF_TURNS: &str = "U2 D2 R2 L2 F2 B2";

/// A store with the tables of small goals of the cubes, built by the program, and `phase1`.
pub static GOALS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = lasting_folder();
    let goals = "cross block-222 roux-block eo line eo-line co dr-from-eo htr-from-dr half-turns fr-from-htr fr-leave-slice fr-finish \
                 finish-leave-slice cross-qtm eo-qtm line-qtm co-qtm";
    let goals = goals.split(' ');
    let of_cube2 = ["face", "layer", "co", "oll", "co-qtm", "face-qtm"].map(|goal| format!("cube2-{goal}"));
    let tables: Vec<_> =
        goals.map(|goal| format!("cube3-{goal}")).chain(of_cube2).chain(["pyraminx-v".to_owned()]).collect();
    let args: Vec<&str> = ["build", "--quiet"].into_iter().chain(tables.iter().map(String::as_str)).collect();
    twistbase(&folder, &args).succeed();
    fs::copy(CUBE3.join("phase1.redb"), folder.join("phase1.redb")).unwrap();
    folder
});

/// The facelets of the edges.
pub const EDGES: &str = "U8F2 U6R2 U2B2 U4L2 D2F8 D6R8 D8B8 D4L8 F6R4 F4L6 B4R6 B6L4";
/// The facelets of the corners, those of U and D first.
pub const CORNERS: &str = "U9F3R1 U3R3B1 U1B3L1 U7L3F1 D3R7F9 D1F7L9 D7L7B9 D9B7R9";

/// The facelets of pieces such as `U8F2 U9F3R1`, piece by piece.
fn pieces(places: &str) -> impl Iterator<Item = Vec<usize>> {
    places.split(' ').map(|place| (0..place.len()).step_by(2).map(|at| facelet(&place[at..at + 2])).collect())
}

/// These pieces solved.
pub fn solved(places: &str) -> Labels {
    let mut labels = [0; 54];
    pieces(places).flatten().for_each(|facelet| labels[facelet] = facelet as u8 + 1);
    labels
}

/// The edges of a face.
pub fn cross(face: char) -> Labels {
    solved(&EDGES.split(' ').filter(|edge| edge.contains(face)).collect::<Vec<_>>().join(" "))
}

/// Edges oriented for an axis: an edge has a label on a facelet of `first`, or else on one of the axis.
pub fn oriented_edges(axis: &str, first: &str) -> Labels {
    let mut labels = [0; 54];
    for edge in EDGES.split(' ') {
        let facelets = [&edge[..2], &edge[2..]];
        let of = |faces: &str| facelets.iter().find(|name| faces.contains(&name[..1])).copied();
        labels[facelet(of(first).or(of(axis)).unwrap())] = 1;
    }
    labels
}

pub fn oriented_corners() -> Labels {
    let mut labels = [0; 54];
    pieces(CORNERS).for_each(|facelets| labels[facelets[0]] = 1);
    labels
}

/// Both, of pieces apart.
pub fn both(one: Labels, other: Labels) -> Labels {
    std::array::from_fn(|facelet| one[facelet].max(other[facelet]))
}

/// Domino reduction on U and D: also the four edges between them are there.
pub fn domino_reduction() -> Labels {
    reduced("UD", "FB", ["F6", "F4", "B4", "B6"])
}

/// Domino reduction on an axis: the edges between its faces are labelled on another.
fn reduced(axis: &str, other: &str, between: [&str; 4]) -> Labels {
    let mut labels = oriented_edges(other, axis);
    let corners = (0..54).filter(|at| [0, 2, 6, 8].contains(&(at % 9)) && axis.contains(&"URFDLB"[at / 9..=at / 9]));
    corners.for_each(|corner| labels[corner] = 1);
    between.into_iter().for_each(|name| labels[facelet(name)] = 2);
    labels
}

/// Random sequences of moves.
pub fn walks(count: usize) -> Vec<String> {
    let (count, nowhere) = (count.to_string(), Path::new("/nowhere"));
    let (code, walks, stderr) = run_json(nowhere, &["random", "cube3", "-n", &count, "--seed", "11", "--walk", "25"]);
    assert_eq!(code, 0, "{stderr}");
    walks.iter().map(|walk| walk["moves"].as_str().unwrap().to_owned()).collect()
}

/// The JSON that a command prints about lines of standard input.
pub fn of_lines(args: &[&str], lines: &[String]) -> Vec<Value> {
    let output = twistbase(&GOALS, &[args, &["--json"]].concat()).output_of(lines.join("\n")).unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(object).collect()
}

pub fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("{value}"))
}

/// The only line that a command prints with `--json`.
pub fn only(args: &[&str]) -> Value {
    let (code, mut lines, stderr) = run_json(&GOALS, args);
    assert_eq!((code, lines.len()), (0, 1), "{args:?}: {stderr}");
    lines.remove(0)
}

#[test]
fn distances_and_solutions_are_those_of_a_plain_search() {
    let walks = walks(40);
    for (goal, labels) in [
        ("eo", oriented_edges("FB", "UD")),
        ("eo:UD", oriented_edges("UD", "RL")),
        ("eo:DU", oriented_edges("UD", "FB")),
        ("eo:L", oriented_edges("RL", "UD")),
        ("line", solved("D2F8 D8B8")),
        ("co", oriented_corners()),
    ] {
        let all = distances(&labels, ALL_MOVES);
        let answers = of_lines(&["query", "cube3", "-", "--goal", goal, "--detail", "full"], &walks);
        let listed = of_lines(&["query", "cube3", "-", "--goal", goal, "--solutions"], &walks);
        assert_eq!(answers.len(), walks.len(), "{goal}");
        for (walk, answer) in walks.iter().zip(&answers) {
            let start = after(&labels, walk);
            assert_eq!(answer["distance"], all[&start], "{goal}: {answer}");
            let ways = shortest_ways(&start, ALL_MOVES, &all);
            let listed: Vec<_> = listed.iter().filter(|line| text(line, "input") == walk).collect();
            let found: BTreeSet<_> = listed.iter().map(|line| text(line, "solution").to_owned()).collect();
            assert_eq!((&found, listed.len()), (&ways, ways.len()), "{goal}: {walk}");
            assert!(listed.iter().all(|line| line["length"] == all[&start]), "{goal}: {walk}");
            assert_eq!(answer["solutions"], ways.len(), "{goal}: {answer}");
            assert!(ways.contains(text(answer, "solution")), "{goal}: {answer}");
        }
        for walk in &walks[..3] {
            let answer = only(&["query", "cube3", walk, "--goal", goal]);
            for next in answer["moves"].as_array().unwrap() {
                let there = after(&labels, &format!("{walk} {}", text(next, "move")));
                assert_eq!(next["distance"], all[&there], "{goal}: {answer}");
            }
        }
    }
}

/// In quarter turns, too: a half turn is one turn of a solution and counts two.
#[test]
fn quarter_turns_to_goals_are_those_of_a_plain_search() {
    let walks = walks(25);
    for (goal, labels) in [
        ("eo", oriented_edges("FB", "UD")),
        ("eo:UD", oriented_edges("UD", "RL")),
        ("line", solved("D2F8 D8B8")),
        ("co", oriented_corners()),
    ] {
        let all = distances_in_quarter_turns(&labels, ALL_MOVES);
        let asked = |options: &[&str]| {
            of_lines(&[&["query", "cube3", "-", "--goal", goal, "--metric", "qtm"], options].concat(), &walks)
        };
        let (answers, listed) = (asked(&["--detail", "full"]), asked(&["--solutions"]));
        let solved = of_lines(&["solve", "cube3", "-", "--goal", goal, "--metric", "qtm"], &walks);
        assert_eq!((answers.len(), solved.len()), (walks.len(), walks.len()), "{goal}");
        for ((walk, answer), solved) in walks.iter().zip(&answers).zip(&solved) {
            let start = after(&labels, walk);
            let ways = ways_in_quarter_turns(&start, ALL_MOVES, &all);
            assert_eq!(
                (&answer["distance"], &answer["metric"]),
                (&json!(all[&start]), &json!("qtm")),
                "{goal}: {answer}"
            );
            let listed: Vec<_> = listed.iter().filter(|line| text(line, "input") == walk).collect();
            let found: BTreeSet<_> = listed.iter().map(|line| text(line, "solution").to_owned()).collect();
            assert_eq!((&found, listed.len()), (&ways, ways.len()), "{goal}: {walk}");
            assert_eq!(answer["solutions"], ways.len(), "{goal}: {answer}");
            assert!(ways.contains(text(solved, "solution")) && solved["length"] == all[&start], "{goal}: {solved}");
        }
        check("query", &answers);
        check("solution", &solved);
        let answer = only(&["query", "cube3", &walks[0], "--goal", goal, "--metric", "qtm"]);
        let moves = answer["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 12, "{answer}");
        for next in moves {
            let there = after(&labels, &format!("{} {}", walks[0], text(next, "move")));
            assert_eq!(next["distance"], all[&there], "{goal}: {answer}");
        }
    }
    // The nearest side, and statistics of scrambles.
    let distance = |goal: &str| {
        let answers = of_lines(&["query", "cube3", "-", "--goal", goal, "--metric", "qtm"], &walks);
        answers.iter().map(|answer| answer["distance"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let sides: Vec<_> = "URFDLB".chars().map(|side| distance(&format!("cross:{side}"))).collect();
    let nearest: Vec<u64> = (0..walks.len()).map(|walk| sides.iter().map(|side| side[walk]).min().unwrap()).collect();
    assert_eq!(distance("cross:any"), nearest);
    let counts = of_lines(&["stats", "--scrambles", "-", "--goals", "cross:any", "--metric", "qtm"], &walks);
    let mean = nearest.iter().sum::<u64>() as f64 / nearest.len() as f64;
    assert!((counts[0]["mean"].as_f64().unwrap() - mean).abs() < 1e-9 && counts[0]["metric"] == "qtm", "{counts:?}");
}

/// Floppy reduction, with and without the edges of the slice, by trying every sequence.
#[test]
fn floppy_reduction_is_that_of_a_plain_search() {
    const FLOPPY: &str = "R2 L2 F2 B2";
    let whole = solved(&[EDGES, CORNERS].join(" "));
    let edges: Vec<&str> = EDGES.split(' ').filter(|edge| edge.contains(['U', 'D'])).collect();
    let no_slice = solved(&[&edges.join(" "), CORNERS].join(" "));
    for (goal, faces, labels, ends) in [
        ("fr-from-htr", HALF_TURNS, whole, FLOPPY),
        ("fr-leave-slice", HALF_TURNS, no_slice, FLOPPY),
        ("finish-leave-slice", HALF_TURNS, no_slice, ""),
        ("fr-finish", FLOPPY, whole, ""),
    ] {
        let goals = if ends.is_empty() { HashMap::from([(labels, 0)]) } else { distances(&labels, ends) };
        let names = &faces.split(' ').collect::<Vec<&str>>();
        let moves = |number: usize| (0..5).map(move |at| names[(number * (2 * at + 3) + at * at) % names.len()]);
        let walks: BTreeSet<String> = (0..14).map(|number| moves(number).collect::<Vec<_>>().join(" ")).collect();
        let walks: Vec<String> = walks.into_iter().collect();
        let answers = of_lines(&["query", "cube3", "-", "--goal", goal, "--detail", "full"], &walks);
        let listed = of_lines(&["query", "cube3", "-", "--goal", goal, "--solutions"], &walks);
        for (walk, answer) in walks.iter().zip(&answers) {
            let start = after(&labels, walk);
            let (length, ways) = shortest_by_trying(&start, &|labels| goals.contains_key(labels), &turns(faces));
            let found: BTreeSet<_> = listed
                .iter()
                .filter(|line| text(line, "input") == walk)
                .map(|line| text(line, "solution").to_owned())
                .collect();
            assert_eq!((&answer["distance"], &found), (&json!(length), &ways), "{goal}: {answer}");
        }
    }
    // Along another axis it is that of the cube turned.
    assert_eq!(only(&["query", "cube3", "U2 R2 D2 L2", "--goal", "fr-from-htr:FB"])["distance"], 0);
    assert_ne!(only(&["query", "cube3", "U2 R2 D2 L2", "--goal", "fr-from-htr"])["distance"], 0);
}

/// Names of goals and states are read in capitals, as people write them.
#[test]
fn goals_are_read_in_capitals() {
    for (asked, usual) in
        [("CROSS", "cross"), ("Cross:r", "cross:R"), ("EO:ud", "eo:UD"), ("DR", "dr"), (" eo : Any ", "eo:any")]
    {
        let [one, other] = [asked, usual].map(|goal| only(&["query", "cube3", SCRAMBLE, "--goal", goal]));
        assert_eq!((&one, &one["goal"]), (&other, &json!(usual)));
        assert_eq!(only(&["solve", "cube3", SCRAMBLE, "--goal", asked, "-q"])["length"], one["distance"], "{asked}");
    }
    assert_eq!(only(&["query", "cube2", "R U", "--goal", "OLL"])["goal"], "oll");
    assert_eq!(only(&["query", "square1", "/", "--goal", "Cube-Shape"])["goal"], "cube-shape");
    assert_eq!(only(&["steps", "cube3", "F R", "EO:FB"])["steps"][0]["goal"], "eo:FB");
    assert_eq!(run(&GOALS, &["random", "cube3", "--state", "LL"]).0, 0);
    assert_eq!(run(&GOALS, &["stats", "CUBE3-EO"]).1, run(&GOALS, &["stats", "cube3-eo"]).1);
}

/// Exports of goals have positions as people write them, at the distances of the records.
#[test]
fn exports_of_goals_have_facelets() {
    for (puzzle, goal) in
        [("cube3", "eo"), ("cube3", "line"), ("cube3", "fr-finish"), ("cube3", "co-qtm"), ("cube2", "co")]
    {
        let table = format!("{puzzle}-{goal}");
        let (code, records, stderr) =
            run(&GOALS, &["export", &table, "--format", "csv", "-o", "-", "--columns", "index,position,distance"]);
        assert_eq!(code, 0, "{stderr}");
        let records: Vec<Vec<&str>> = records.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert!(records.len() > 100, "{table}");
        let positions: Vec<String> = records.iter().map(|record| record[1].to_owned()).collect();
        let mut args = vec!["query", puzzle, "-", "--goal", goal.trim_end_matches("-qtm")];
        args.extend(goal.ends_with("-qtm").then_some(["--metric", "qtm"]).into_iter().flatten());
        let answers = of_lines(&args, &positions);
        assert_eq!(answers.len(), records.len(), "{table}");
        for (record, answer) in records.iter().zip(answers) {
            let [index, distance] = ["index", "distance"].map(|member| answer[member].to_string());
            assert_eq!([record[0], record[2]], [&*index, &*distance], "{table}: {answer}");
        }
        let dir = store();
        let file = dir.path().join("positions.txt");
        fs::write(&file, format!("{}\nR2 F2\n", positions[7])).unwrap();
        let given = ["export", &table, "--format", "csv", "-o", "-", "--positions", file.to_str().unwrap()];
        let (code, given, stderr) = run(&GOALS, &given);
        assert_eq!((code, given.lines().count()), (0, 3), "{stderr}");
        assert!(given.lines().nth(1).unwrap().starts_with(records[7][0]), "{given}");
    }
}

#[test]
fn solutions_reach_their_goals() {
    let walks = walks(25);
    for (goal, labels) in [
        ("block-222", solved("D8B8 D4L8 B6L4 D7L7B9")),
        ("eo-line", both(oriented_edges("FB", "UD"), solved("D2F8 D8B8"))),
    ] {
        let answers = of_lines(&["query", "cube3", "-", "--goal", goal], &walks);
        let distances: HashMap<_, _> = answers.iter().map(|it| (text(it, "input"), &it["distance"])).collect();
        let solved = of_lines(&["solve", "cube3", "-", "--goal", goal], &walks);
        let listed = of_lines(&["query", "cube3", "-", "--goal", goal, "--solutions", "--limit", "3"], &walks);
        assert_eq!((answers.len(), solved.len()), (walks.len(), walks.len()), "{goal}");
        for solution in solved.iter().chain(&listed) {
            let (walk, moves) = (text(solution, "input"), text(solution, "solution"));
            assert_eq!(after(&labels, &format!("{walk} {moves}")), labels, "{goal}: {solution}");
            let length = json!(moves.split_whitespace().count());
            assert_eq!((&solution["length"], distances[walk]), (&length, &length), "{solution}");
        }
    }
}

/// Oriented edges, domino reduction, half-turn reduction and half turns, one after another, solve the cube.
#[test]
fn steps_by_fewer_and_fewer_moves_solve_the_cube() {
    let mut positions = walks(20);
    for (goal, faces, labels) in [
        ("eo", ALL_MOVES, Some(oriented_edges("FB", "UD"))),
        ("dr-from-eo", EO_MOVES, Some(domino_reduction())),
        ("htr-from-dr", "U D R2 L2 F2 B2", None),
        ("half-turns", HALF_TURNS, Some(solved(&[EDGES, CORNERS].join(" ")))),
    ] {
        let allowed: HashSet<String> = turns(faces).into_iter().map(|(name, _)| name).collect();
        let solutions = of_lines(&["solve", "cube3", "-", "--goal", goal], &positions);
        assert_eq!(solutions.len(), positions.len());
        for (position, solution) in positions.iter_mut().zip(solutions) {
            let moves = text(&solution, "solution");
            assert!(moves.split_whitespace().all(|name| allowed.contains(name)), "{goal}: {solution}");
            *position = [position, moves].join(" ");
            assert!(labels.is_none_or(|labels| after(&labels, position) == labels), "{goal}: {solution}");
        }
    }
}

/// The cross on each face is that of the cube turned, and the nearest of them is the cross of any side.
#[test]
fn a_goal_of_another_side_is_that_of_the_cube_turned() {
    let walks = walks(20);
    let faces = [('U', "x2"), ('R', "z"), ('F', "x'"), ('D', ""), ('L', "z'"), ('B', "x")];
    let turned: Vec<_> =
        faces.iter().flat_map(|(_, turn)| walks.iter().map(move |walk| format!("{walk} {turn}"))).collect();
    let distances = |goal: &str, lines: &[String]| -> Vec<u64> {
        let answers = of_lines(&["query", "cube3", "-", "--goal", goal, "--detail", "full"], lines);
        answers.iter().map(|answer| answer["distance"].as_u64().unwrap_or_else(|| panic!("{answer}"))).collect()
    };
    let listed = |goal: &str| -> Vec<(usize, String)> {
        let number = |line: &Value| walks.iter().position(|walk| walk == text(line, "input")).unwrap();
        let lines = of_lines(&["query", "cube3", "-", "--goal", goal, "--solutions"], &walks);
        lines.iter().map(|line| (number(line), text(line, "solution").to_owned())).collect()
    };
    let length = |moves: &str| moves.split_whitespace().count() as u64;
    let (of_turned, nearest) = (distances("cross", &turned), distances("cross:any", &walks));
    let mut expected = BTreeSet::new();
    for (&(face, _), of_turned) in faces.iter().zip(of_turned.chunks(walks.len())) {
        for (number, moves) in listed(&format!("cross:{face}")) {
            let all = format!("{} {moves}", walks[number]);
            assert_eq!((length(&moves), after(&cross(face), &all)), (of_turned[number], cross(face)), "{face}: {all}");
            if length(&moves) == nearest[number] {
                expected.insert((number, moves));
            }
        }
    }
    for (number, &nearest) in nearest.iter().enumerate() {
        let least = of_turned.iter().skip(number).step_by(walks.len()).min();
        assert_eq!(Some(&nearest), least, "{}", walks[number]);
    }
    // Each solution is listed once.
    let found = listed("cross:any");
    assert_eq!((found.len(), found.into_iter().collect::<BTreeSet<_>>()), (expected.len(), expected));
}

/// Distances and all shortest ways are those of every short sequence, tried on stickers. The nearest axis is that of the three.
#[test]
fn domino_reduction_is_that_of_a_plain_search() {
    let short = |walk: &String| walk.split(' ').take(3).collect::<Vec<_>>().join(" ");
    let (walks, turns): (Vec<String>, _) = (walks(12).iter().map(short).collect(), turns(ALL_MOVES));
    let axes = [
        ("dr", domino_reduction()),
        ("dr:FB", reduced("FB", "UD", ["U4", "U6", "D4", "D6"])),
        ("dr:LR", reduced("RL", "UD", ["U2", "U8", "D2", "D8"])),
    ];
    let listed = |goal: &str| of_lines(&["query", "cube3", "-", "--goal", goal, "--solutions"], &walks);
    let distances = |goal: &str| of_lines(&["query", "cube3", "-", "--goal", goal, "--detail", "full"], &walks);
    let mut nearest = vec![u64::MAX; walks.len()];
    for (goal, reduced) in axes {
        let (listed, answers) = (listed(goal), distances(goal));
        for ((walk, answer), nearest) in walks.iter().zip(&answers).zip(&mut nearest) {
            let (length, ways) = shortest_by_trying(&after(&reduced, walk), &|labels| *labels == reduced, &turns);
            let listed: Vec<_> = listed.iter().filter(|line| text(line, "input") == walk).collect();
            let found: BTreeSet<_> = listed.iter().map(|line| text(line, "solution").to_owned()).collect();
            assert_eq!((&found, listed.len()), (&ways, ways.len()), "{goal}: {walk}");
            assert_eq!((&answer["distance"], &answer["solutions"]), (&json!(length), &json!(ways.len())), "{answer}");
            *nearest = (length as u64).min(*nearest);
        }
    }
    let any: Vec<_> = distances("dr:any").iter().map(|answer| answer["distance"].as_u64().unwrap()).collect();
    assert_eq!(any, nearest);
    // After each move the distance is that of its position.
    let answer = only(&["query", "cube3", SCRAMBLE, "--goal", "dr"]);
    let moves = answer["moves"].as_array().unwrap();
    let there: Vec<_> = moves.iter().map(|next| format!("{SCRAMBLE} {}", text(next, "move"))).collect();
    let after = of_lines(&["query", "cube3", "-", "--table", "phase1"], &there);
    for (next, after) in moves.iter().zip(&after) {
        assert_eq!(next["distance"], after["to_h"], "{next} {after}");
    }
    assert_eq!(moves.len(), 18);
}

/// Half-turn reduction: opposite faces have two colours, and half turns make the order of the corners.
#[test]
fn half_turn_reduction_is_that_of_a_plain_search() {
    let whole = solved(&[EDGES, CORNERS].join(" "));
    let of_corners = |labels: &Labels| -> Vec<u8> { pieces(CORNERS).flatten().map(|corner| labels[corner]).collect() };
    let (mut orders, mut open) = (HashSet::new(), vec![whole]);
    while let Some(labels) = open.pop() {
        if orders.insert(of_corners(&labels)) {
            open.extend(turns(HALF_TURNS).iter().map(|(_, from)| from.map(|from| labels[from])));
        }
    }
    assert_eq!(orders.len(), 96);
    let is_reduced = |labels: &Labels| {
        let axis = |sticker: usize| sticker / 9 % 3;
        let is_there = |(at, label): (usize, &u8)| *label == 0 || axis(at) == axis(usize::from(*label) - 1);
        labels.iter().enumerate().all(is_there) && orders.contains(&of_corners(labels))
    };
    let near = |(number, walk): (usize, &String)| {
        let moves: Vec<_> = walk.split(' ').take(1 + number % 3).collect();
        format!("R2 U2 F2 L2 D2 R2 B2 {}", moves.join(" "))
    };
    // Each once: solutions are told apart by their input.
    let walks: BTreeSet<String> = walks(9).iter().enumerate().map(near).collect();
    let (walks, turns): (Vec<String>, _) = (walks.into_iter().collect(), turns(ALL_MOVES));
    let answers = of_lines(&["query", "cube3", "-", "--goal", "htr", "--detail", "full"], &walks);
    let listed = of_lines(&["query", "cube3", "-", "--goal", "htr:any", "--solutions"], &walks);
    for (walk, answer) in walks.iter().zip(&answers) {
        let (length, ways) = shortest_by_trying(&after(&whole, walk), &is_reduced, &turns);
        let listed: Vec<_> = listed.iter().filter(|line| text(line, "input") == walk).collect();
        let found: BTreeSet<_> = listed.iter().map(|line| text(line, "solution").to_owned()).collect();
        assert_eq!((&found, listed.len()), (&ways, ways.len()), "{walk}");
        assert_eq!((&answer["distance"], &answer["solutions"]), (&json!(length), &json!(ways.len())), "{answer}");
    }
    check("query", &answers);
    // Of a far position: between the distance to domino reduction and a way by steps, and it is one.
    let solution = only(&["solve", "cube3", SCRAMBLE, "--goal", "htr"]);
    assert!(is_reduced(&after(&whole, &format!("{SCRAMBLE} {}", text(&solution, "solution")))), "{solution}");
    let [least, most] =
        ["dr:any", "htr"].map(|goal| only(&["query", "cube3", SCRAMBLE, "--goal", goal])["distance"].as_u64());
    assert!(least <= most && most == solution["length"].as_u64(), "{least:?} {solution}");
    let (code, _, stderr) = run(&GOALS, &["query", "cube3", "R", "--goal", "htr:UR"]);
    assert!(code == 2 && stderr.contains("for a side"), "{stderr}");
}

#[test]
fn text_and_json_tell_the_goal() {
    let (code, text, _) = run(&GOALS, &["query", "cube3", SCRAMBLE, "--goal", "cross"]);
    assert_eq!(code, 0);
    for line in [
        "  goal       cross\n",
        "  distance   5 moves (htm)\n",
        "  solutions  5 shortest\n",
        "    4 nearer     3:  L2 B B'\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let (code, text, stderr) = run(&GOALS, &["solve", "cube3", SCRAMBLE, "--goal", "cross"]);
    assert_eq!((code, text.as_str()), (0, "5\tL2 B' D' R F2\n"), "{stderr}");
    for goal in ["eo", "line:any", "eo:UD", "half-turns:any"] {
        let position = if goal.starts_with("half") { "R2 U2" } else { SCRAMBLE };
        for detail in ["brief", "full"] {
            let answer = only(&["query", "cube3", position, "--goal", goal, "--detail", detail]);
            assert_eq!(
                (&answer["goal"], answer["index"].is_u64()),
                (&json!(goal), ["eo", "half-turns:any"].contains(&goal)),
                "{answer}"
            );
            check("query", &[answer]);
        }
        check("solution", &[only(&["solve", "cube3", position, "--goal", goal])]);
        let (code, listed, _) = run_json(&GOALS, &["query", "cube3", position, "--goal", goal, "--solutions"]);
        assert_eq!(code, 0);
        check("solution", &listed);
    }
    let answer = only(&["query", "cube3", "R U x", "--goal", "line", "--normalize"]);
    assert!(answer["turned"].is_string(), "{answer}");
    check("query", &[answer]);
    let reached = only(&["query", "cube3", "U", "--goal", "line"]);
    assert_eq!((&reached["distance"], &reached["solution"], &reached["solutions"]), (&json!(0), &json!(""), &json!(1)));
}

#[test]
fn what_is_no_goal_is_refused() {
    let refused = |args: &[&str], status: i32, words: &[&str]| {
        let (code, text, stderr) = run(&GOALS, args);
        assert_eq!((code, text.as_str()), (status, ""), "{args:?}: {stderr}");
        assert!(words.iter().all(|words| stderr.contains(words)), "{args:?}: {stderr}");
    };
    let query = |goal, options: &[&'static str]| [&["query", "cube3", SCRAMBLE, "--goal", goal], options].concat();
    refused(&query("crozz", &[]), 2, &["no goal \"crozz\" of cube3", "choose from: cross, xcross", "2gen"]);
    for goal in ["cross:UR", "cross:Q", "cross:", "cross:all", "eo:UDR", "cross:DFR", "block-222:UDF", "block-222:DDF"]
    {
        refused(&query(goal, &[]), 2, &["for a side", ":R for a face", ":UD for an axis", ":any"]);
        refused(&["solve", "cube3", SCRAMBLE, "--goal", goal], 2, &["for a side"]);
    }
    for goal in ["half-turns", "dr-from-eo", "htr"] {
        refused(&query(goal, &["--metric", "qtm"]), 2, &["--metric qtm does not apply", "choose from: htm"]);
    }
    refused(&query("cross", &["--metric", "twists"]), 2, &["--metric twists does not apply", "choose from: htm, qtm"]);
    refused(&query("cross", &["--table", "phase1"]), 2, &["--table does not apply", "with a goal"]);
    refused(&query("cross", &["--exact"]), 2, &["--exact does not apply", "with a goal"]);
    refused(&query("cross", &["--middle"]), 2, &["--middle does not apply", "with a goal"]);
    refused(&["solve", "cube3", "R", "--goal", "cross", "--method", "optimal"], 2, &["--method does not apply"]);
    refused(&["query", "cube3-cross", "R"], 2, &["invalid value 'cube3-cross'", "cube3"]);
    refused(&query("half-turns", &[]), 3, &["no turns of U2 D2 R2 L2 F2 B2 lead from here to the goal half-turns"]);
    refused(&["solve", "cube3", "R", "--goal", "half-turns"], 3, &["no turns of U2"]);
    // From another side it is reduced already.
    refused(&["query", "cube3", "F", "--goal", "dr-from-eo"], 3, &["no turns of"]);
    assert_eq!(only(&["query", "cube3", "F", "--goal", "dr-from-eo:any"])["distance"], 0);
    let lines = of_lines(&["query", "cube3", "-", "--goal", "half-turns"], &["R".to_owned(), "R2 U2".to_owned()]);
    assert_eq!((&lines[0]["error"]["code"], &lines[1]["distance"]), (&json!("invalid"), &json!(2)), "{lines:?}");
    let dir = store();
    let (code, _, stderr) = run(dir.path(), &["query", "cube3", "R", "--goal", "cross"]);
    assert!(code == 4 && stderr.contains("twistbase build cube3-cross"), "{stderr}");
}

/// The nearest side counts, also if others are beyond the depth of the table.
#[test]
fn sides_beyond_the_depth_of_a_table_are_farther() {
    let dir = store();
    twistbase(dir.path(), &["build", "cube3-cross", "--depth", "4"]).succeed();
    let mut within = 0;
    for scramble in walks(6) {
        let args = ["query", "cube3", &scramble, "--goal", "cross:any"];
        let (expected, (code, answers, stderr)) = (only(&args), run_json(dir.path(), &args));
        let listed = |dir: &Path| run(dir, &[&args[..], &["--solutions"]].concat()).1;
        if expected["distance"].as_u64().unwrap() > 4 {
            assert!(code == 4 && stderr.contains("farther than 4 moves"), "{stderr}");
            continue;
        }
        within += 1;
        // Moves to a distance of 5, and to those that a farther side is nearer after.
        assert_eq!((code, &answers[0]), (0, &expected), "{stderr}");
        assert_eq!(listed(dir.path()), listed(&GOALS));
        let (_, counts, stderr) = counted_in(dir.path(), &scramble);
        assert_eq!(counts[0]["mean"].as_f64(), expected["distance"].as_f64(), "{stderr}");
    }
    assert!((1..6).contains(&within), "{within}");
}

/// `stats --scrambles` of one scramble.
fn counted_in(dir: &Path, scramble: &str) -> (i32, Vec<Value>, String) {
    let file = dir.join("scramble.txt");
    fs::write(&file, scramble).unwrap();
    run_json(dir, &["stats", "--scrambles", file.to_str().unwrap(), "--goals", "cross:any"])
}

/// People find every goal in the help and in the guide, and its table in the list of tables, but none among the puzzles.
#[test]
fn every_goal_is_listed_where_people_look() {
    let (_, help, _) = run(&GOALS, &["query", "--help"]);
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ENTERING.md")).unwrap();
    let tables: HashSet<_> =
        run_json(&GOALS, &["tables"]).1.iter().map(|info| text(info, "table").to_owned()).collect();
    let puzzles = run(&GOALS, &["puzzles"]).1;
    // Other tests of this process add puzzles.
    let infos = run_json(&GOALS, &["puzzles"]).1;
    let goals_of = |info: &Value| -> Vec<(String, String)> {
        let goals = info["goals"].as_array().unwrap().iter().filter_map(Value::as_str);
        goals.map(|goal| (text(info, "puzzle").to_owned(), goal.to_owned())).collect()
    };
    let goals: Vec<_> = infos.iter().flat_map(goals_of).collect();
    assert!(goals.len() >= 19 && !puzzles.contains("cube3-cross") && !puzzles.contains("cube2-"), "{puzzles}");
    for (puzzle, goal) in &goals {
        let (puzzle, goal) = (puzzle.as_str(), goal.as_str());
        // The others are in the answer of puzzle show.
        let of_data = || run(&GOALS, &["puzzle", "show", puzzle]).1.contains(&format!(" {goal}: "));
        assert!(help.contains(&format!("\n    {goal} ")) || of_data(), "{puzzle} {goal}: {help}");
        assert!(guide.contains(&format!("`{goal}`")), "{goal} is not in ENTERING.md");
        let table = match (puzzle, goal) {
            // A search finds its distances.
            ("megaminx", "star") => continue,
            ("cube3", "dr" | "htr") => "phase1".to_owned(),
            // Shapes need no table.
            (puzzle, "cube-shape" | "cube-shape-parity") => puzzle.to_owned(),
            (puzzle, goal) => format!("{puzzle}-{goal}"),
        };
        assert!(tables.contains(&table), "{goal}: {tables:?}");
    }
}
