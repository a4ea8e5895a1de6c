//! Solutions by insertions, beside a plain search for what can stand for each stretch of a skeleton, over a cube of 54 stickers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::goals::{CORNERS, EDGES, GOALS, solved, text, walks};
use super::schemas::check;
use super::steps::inverse;
use super::{run, run_json, twistbase};
use crate::support::program::Run;
use twistbase_testing::labels::{Labels, after};

const SCRAMBLE: &str = "D2 R U2 D2 B' U B2 U R2 F2 B L' F R' F' L F R F' L' D' R' B D U R2";
const SKELETON: &str = "R2 U' D' B' R D L B' F2 R2 U' B2 U' B D2 U2 R' D2";

fn insertions(args: &[&str]) -> Vec<Value> {
    let (code, lines, stderr) = run_json(&GOALS, &[&["insertions", "cube3"], args].concat());
    assert_eq!(code, 0, "{args:?}: {stderr}");
    check("insertions", &lines);
    lines
}

fn cube() -> Labels {
    solved(&[EDGES, CORNERS].join(" "))
}

/// Each solution replayed, its insertions too, and its counts.
fn replay(scramble: &str, skeleton: &str, solutions: &[Value]) {
    for solution in solutions {
        let moves = text(solution, "solution");
        assert_eq!(after(&cube(), &format!("{scramble} {moves}")), cube(), "{solution}");
        assert_eq!(solution["length"], moves.split_whitespace().count(), "{solution}");
        let made = solution["insertions"].as_array().unwrap();
        for (number, insertion) in made.iter().enumerate() {
            let parts = ["before", "inserted", "after"].map(|part| text(insertion, part));
            let counts = parts.map(|part| part.split_whitespace().count());
            assert_eq!(insertion["moves"], json!(counts), "{solution}");
            let joined = parts.join(" ");
            match number + 1 == made.len() {
                true => {
                    assert_eq!(after(&cube(), &format!("{scramble} {joined}")), cube(), "{solution}");
                    assert_eq!(insertion["total"], solution["length"], "{solution}");
                }
                false => assert!(insertion["total"].as_u64().unwrap() as usize <= counts.iter().sum(), "{solution}"),
            }
            if number == 0 {
                let around = format!("{} {}", parts[0], parts[2]);
                assert!(around.split_whitespace().eq(skeleton.split_whitespace()), "{solution}");
            }
        }
    }
}

/// Positions up to three moves from solved, each with its sequences of fewest moves.
fn near() -> HashMap<Labels, Vec<String>> {
    let turns: Vec<String> =
        "U R F D L B".split(' ').flat_map(|face| ["", "2", "'"].map(|turn| format!("{face}{turn}"))).collect();
    let mut known = HashMap::from([(cube(), vec![String::new()])]);
    let mut last = known.clone();
    for _ in 0..3 {
        let mut next: HashMap<Labels, Vec<String>> = HashMap::new();
        for (labels, ways) in &last {
            for turn in &turns {
                let then = after(labels, turn);
                if !known.contains_key(&then) {
                    next.entry(then).or_default().extend(ways.iter().map(|way| format!("{way} {turn}")));
                }
            }
        }
        known.extend(next.iter().map(|(labels, ways)| (*labels, ways.clone())));
        last = next;
    }
    known
}

/// No clock counts it.
#[test]
fn a_time_without_end_is_no_limit() {
    let forever = "9999999999999999999s";
    let [timed, plain] = [&["--time", forever][..], &[]].map(|time| insertions(&[&["R U", "U'"], time].concat()));
    assert_eq!(timed, plain);
    let (code, _, stderr) = run(&GOALS, &["steps", "cube3", "R2 U2", "half-turns", "--time", forever]);
    assert_eq!(code, 0, "{stderr}");
}

/// `steps` prints moves on the inverse in brackets.
#[test]
fn brackets_of_a_skeleton_are_moves_on_the_inverse() {
    let scramble = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F";
    let [one, other] = ["D B' (D2 R' F B') // eo\n(L' D L D2 L)\n(U' L2 U')", "D B' U L2 U L' D2 L' D' L B F' R D2"]
        .map(|skeleton| insertions(&[scramble, skeleton]));
    assert_eq!(one, other);
    // A group that is repeated stays one.
    let [one, other] = ["(R U)2 R'", "R U R U R'"].map(|skeleton| insertions(&["R U' R' U' R'", skeleton]));
    assert_eq!(one, other);
}

#[test]
fn one_insertion_is_the_shortest_that_a_plain_search_finds() {
    let near = near();
    let skeleton = "R U2 F' L D";
    let moves: Vec<&str> = skeleton.split(' ').collect();
    for (number, walk) in walks(12).iter().enumerate() {
        // Two moves of the skeleton are replaced by three others.
        let (place, new) = (number % 4, walk.split_whitespace().take(3).collect::<Vec<_>>());
        let whole = [&moves[..place], &new, &moves[place + 2..]].concat().join(" ");
        let scramble = inverse(&whole);
        let mut found: BTreeMap<usize, BTreeSet<Vec<u8>>> = BTreeMap::new();
        for from in 0..=moves.len() {
            for to in from..=moves.len() {
                // What stands for the stretch undoes the rest, the scramble and what is before it.
                let around = [&moves[to..], &[&*scramble], &moves[..from]].concat().join(" ");
                let Some(ways) = near.get(&after(&cube(), &inverse(&around))) else { continue };
                for way in ways {
                    let all = [&moves[..from], &way.split_whitespace().collect::<Vec<_>>(), &moves[to..]].concat();
                    found.entry(all.len()).or_default().insert(all.join(" ").into_bytes());
                }
            }
        }
        let (least, _) = found.first_key_value().expect("the replacement itself");
        let solutions = insertions(&[&scramble, skeleton, "--longest", "3", "--count", "1000"]);
        replay(&scramble, skeleton, &solutions);
        let lengths: Vec<u64> = solutions.iter().map(|solution| solution["length"].as_u64().unwrap()).collect();
        assert_eq!((lengths[0], lengths.is_sorted()), (*least as u64, true), "{scramble}");
        // Every one of the fewest moves is found, perhaps with turns of opposite faces in another order.
        let shortest: BTreeSet<&str> =
            solutions.iter().filter(|it| it["length"] == *least).map(|it| text(it, "solution")).collect();
        let sorted = |moves: &str| {
            let mut moves: Vec<&str> = moves.split(' ').collect();
            moves.sort_unstable();
            moves.join(" ")
        };
        let [ours, theirs] = [
            shortest.iter().map(|moves| sorted(moves)).collect::<BTreeSet<_>>(),
            found[least].iter().map(|moves| sorted(std::str::from_utf8(moves).unwrap())).collect(),
        ];
        assert_eq!(ours, theirs, "{scramble}");
    }
}

#[test]
fn a_skeleton_that_leaves_three_corners_is_solved() {
    let one = insertions(&[SCRAMBLE, SKELETON, "--count", "2"]);
    replay(SCRAMBLE, SKELETON, &one);
    assert!(one.len() == 2 && one[0]["length"].as_u64().unwrap() <= 22, "{one:?}");
    let two = insertions(&[SCRAMBLE, SKELETON, "--insertions", "2", "--width", "3"]);
    replay(SCRAMBLE, SKELETON, &two);
    assert!(two[0]["length"].as_u64() <= one[0]["length"].as_u64());

    let (code, printed, stderr) = run(&GOALS, &["insertions", "cube3", SCRAMBLE, SKELETON, "--link"]);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(code == 0 && lines.len() == 3, "{printed}{stderr}");
    let [length, moves] = ["length", "solution"].map(|member| one[0][member].to_string().replace('"', ""));
    assert_eq!(lines[0], format!("{length}\t{moves}"));
    assert!(lines[1].contains('[') && lines[1].ends_with(&format!(" = {length}")), "{printed}");
    assert!(lines[2].trim().starts_with("https://alg.cubing.net/"), "{printed}");
}

/// The second insertion is needed where no single stretch of few moves may be replaced.
#[test]
fn two_insertions_solve_what_one_does_not() {
    // Two cycles of three corners, far apart in the skeleton.
    let whole = "R U R' D2 R U' R' D2 F L2 B' U F2 D' L' D R D' L D R'";
    let (scramble, skeleton) = (inverse(whole), "F L2 B' U F2");
    let one = ["insertions", "cube3", &scramble, skeleton, "--longest", "8"];
    let (code, _, stderr) = run(&GOALS, &one);
    assert!(code == 7 && stderr.contains("no insertion of at most 8 moves into \"F L2 B' U F2\""), "{stderr}");
    let two = insertions(&[&scramble, skeleton, "--longest", "8", "--insertions", "2"]);
    replay(&scramble, skeleton, &two);
    assert_eq!(two[0]["insertions"].as_array().unwrap().len(), 2, "{two:?}");
    assert!(two[0]["length"].as_u64().unwrap() <= 21, "{two:?}");
}

/// Skeletons of one position, and positions with skeletons, on lines of standard input.
#[test]
fn lines_of_skeletons_are_solved() {
    let (scramble, skeletons) = ("R U F2 D L2 B' R", ["B' U' L2 D' F2 U' R'", "R' B L2 D' F2 U' R'"]);
    let answers: Vec<String> = skeletons
        .iter()
        .map(|skeleton| {
            let answer = &insertions(&[scramble, skeleton])[0];
            format!("\t{}\t{}\n", answer["length"], text(answer, "solution"))
        })
        .collect();
    let ask = |args: &[&str], input: &str| {
        let output = twistbase(&GOALS, &[&["insertions", "cube3"], args].concat()).output_of(input).unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), stdout, stderr)
    };
    let lines = |before: &str| skeletons.map(|skeleton| format!("{before}{skeleton}"));
    let expected = |lines: &[String]| {
        lines.iter().zip(&answers).map(|(line, answer)| [&**line, answer].concat()).collect::<String>()
    };
    let list = lines("");
    assert_eq!(ask(&[scramble, "-"], &format!("# mine\n{}\n", list.join("\n"))), (0, expected(&list), String::new()));
    let list = lines(&format!("{scramble}\t"));
    assert_eq!(ask(&["-"], &list.join("\n")), (0, expected(&list), String::new()));
    let (code, stdout, stderr) = ask(&["-"], &format!("R U\n{}\nR U\tQ\n", list[0]));
    assert!(code == 3 && stderr.contains("2 of 3 lines failed"), "{code} {stderr}");
    let printed: Vec<&str> = stdout.lines().collect();
    assert!(printed[0].starts_with("R U\terror: no tab: a line is a position, a tab and a skeleton"), "{stdout}");
    assert!(printed[1].starts_with(&list[0]) && printed[2].starts_with("R U\tQ\terror: "), "{stdout}");
    for args in [&["-", "R"][..], &["R", "-", "--link"], &["-", "--link"], &["R"]] {
        assert_eq!(ask(args, "").0, 2, "{args:?}");
    }
}

/// A time that suffices changes nothing; without time nothing is found.
#[test]
fn a_time_ends_the_search() {
    let (scramble, skeleton) = ("R U F2 D L2 B' R", "B' U' L2 D' F2 U' R'");
    let args = [scramble, skeleton, "--count", "3"];
    assert_eq!(insertions(&[&args[..], &["--time", "1h"]].concat()), insertions(&args));
    let (code, stdout, stderr) = run(&GOALS, &["insertions", "cube3", scramble, skeleton, "--time", "0"]);
    assert!((code, stdout.as_str()) == (7, "") && stderr.contains("time limit reached"), "{code} {stderr}");
}

#[test]
fn what_is_no_skeleton_is_refused() {
    let long = "R U ".repeat(51);
    for (args, expected, words) in [
        (&["cube2", "R", "R'"][..], 2, "insertions are for cube3, not for cube2"),
        (&["cube3", "R", "R'", "--longest", "16"], 2, "16"),
        (&["cube3", "R", "R'", "--insertions", "3"], 2, "3"),
        (&["cube3", "R", &long], 2, "at most 100 moves, not 102"),
        (&["cube3", "R", "R Q"], 3, "Q"),
        (&["cube3", "R U?", "R"], 3, "U?"),
        (&["cube3", "R"], 2, "SKELETON"),
    ] {
        let (code, _, stderr) = run(&GOALS, &[&["insertions"], args].concat());
        assert!(code == expected && stderr.contains(words), "{args:?}: {code} {stderr}");
    }
    // Nothing to insert.
    assert_eq!(run(&GOALS, &["insertions", "cube3", "R", "R'"]).1, "1\tR'\n");
    let nothing = insertions(&["solved", "R R'"]);
    assert_eq!((&nothing[0]["length"], text(&nothing[0], "solution")), (&json!(0), ""));
}
