//! Goals as facelets of which some do not matter, beside a plain search over labels of stickers.

use std::collections::BTreeSet;

use super::goals::{CORNERS, EDGES, GOALS, of_lines, only, solved, text, walks};
use super::schemas::check;
use super::{run, run_json};
use twistbase_testing::labels::{
    ALL_MOVES, after, distances, distances_in_quarter_turns, shortest_ways, ways_in_quarter_turns,
};
use twistbase_testing::stickers::Stickers;

const CROSS: &str = "?????????????R??R?????F??F??D?DDD?D?????L??L?????B??B?";

/// The facelets after moves, of the pieces that are home at these places alone.
fn pattern(pieces: &str, moves: &str) -> String {
    let (labels, facelets) = (after(&solved(pieces), moves), Stickers::after(moves).to_string());
    let shown = facelets.chars().zip(labels).map(|(colour, label)| if label == 0 { '?' } else { colour });
    shown.collect()
}

#[test]
fn patterns_are_reached_as_by_a_plain_search() {
    let walks = walks(8);
    for (pieces, arrangement) in [
        ("D2F8 D8B8", ""),
        ("D2F8 D8B8", "R U F' L2 D B"),
        ("D2F8 D3R7F9", "F R' U2 L B D'"),
        ("U9F3R1 D7L7B9", "B2 R F U' L"),
    ] {
        let labels = solved(pieces);
        let all = distances(&after(&labels, arrangement), ALL_MOVES);
        let goal = pattern(pieces, arrangement);
        let answers = of_lines(&["query", "cube3", "-", "--goal", &goal, "--detail", "full"], &walks);
        let listed = of_lines(&["query", "cube3", "-", "--goal", &goal, "--solutions"], &walks);
        let solutions = of_lines(&["solve", "cube3", "-", "--goal", &goal], &walks);
        assert_eq!((answers.len(), solutions.len()), (walks.len(), walks.len()));
        check("query", &answers);
        check("solution", &[&solutions[..], &listed].concat());
        for ((walk, answer), solution) in walks.iter().zip(&answers).zip(&solutions) {
            let start = after(&labels, walk);
            assert_eq!(answer["distance"], all[&start], "{goal}: {answer}");
            assert_eq!((&answer["distance"], &answer["distance"]), (&answer["at_least"], &solution["length"]));
            let ways = shortest_ways(&start, ALL_MOVES, &all);
            let of_walk = listed.iter().filter(|line| text(line, "input") == walk);
            let found: Vec<_> = of_walk.map(|line| text(line, "solution").to_owned()).collect();
            assert_eq!((found.len(), found.into_iter().collect()), (ways.len(), ways.clone()), "{goal}: {walk}");
            assert_eq!(answer["solutions"], ways.len(), "{goal}: {answer}");
            assert!(ways.contains(text(answer, "solution")) && ways.contains(text(solution, "solution")), "{answer}");
        }
        let all = distances_in_quarter_turns(&after(&labels, arrangement), ALL_MOVES);
        let listed = of_lines(&["query", "cube3", "-", "--goal", &goal, "--metric", "qtm", "--solutions"], &walks);
        for walk in &walks {
            let ways = ways_in_quarter_turns(&after(&labels, walk), ALL_MOVES, &all);
            let of_walk = listed.iter().filter(|line| text(line, "input") == walk);
            let found: Vec<_> = of_walk.map(|line| text(line, "solution").to_owned()).collect();
            assert_eq!((found.len(), found.into_iter().collect()), (ways.len(), ways), "{goal}: {walk}");
        }
        let brief = of_lines(&["query", "cube3", "-", "--goal", &goal], &walks);
        assert!(brief.iter().zip(&answers).all(|(brief, answer)| brief["distance"] == answer["distance"]));
    }
}

#[test]
fn a_named_goal_is_a_pattern() {
    assert_eq!(
        CROSS,
        pattern("D2F8 D6R8 D8B8 D4L8", "")
            .chars()
            .enumerate()
            .map(|(at, letter)| {
                // The centres are given, too.
                if [13, 22, 31, 40, 49].contains(&at) { CROSS.chars().nth(at).unwrap() } else { letter }
            })
            .collect::<String>()
    );
    for walk in &walks(4) {
        let of = |goal: &str| {
            let (code, lines, stderr) = run_json(&GOALS, &["query", "cube3", walk, "--goal", goal, "--solutions"]);
            assert_eq!(code, 0, "{stderr}");
            lines.iter().map(|line| text(line, "solution").to_owned()).collect::<BTreeSet<_>>()
        };
        assert_eq!(of(&CROSS.replace('?', ".")), of("cross"), "{walk}");
    }
    let args = ["solve", "cube3", "R U F2 D L2 B' R", "--goal", CROSS, "--link"];
    let (code, printed, stderr) = run(&GOALS, &args);
    let link = "  https://alg.cubing.net/?setup=R_U_F2_D_L2_B-_R&alg=";
    assert!(code == 0 && printed.starts_with("5\t") && printed.contains(link), "{printed}{stderr}");
    // All pieces but two edges: exchanged, they leave the corners odd.
    let all_but = [EDGES.split(' ').skip(2).collect::<Vec<_>>().join(" "), CORNERS.to_owned()].join(" ");
    let answer = only(&["query", "cube3", "R U", "--goal", &pattern(&all_but, "")]);
    assert_eq!(answer["distance"], 2);
    // All pieces.
    let all: String = "URFDLB".chars().flat_map(|face| [face; 9]).collect();
    assert_eq!(only(&["query", "cube3", "R U", "--goal", &all])["distance"], 2);
}

#[test]
fn what_no_cube_has_is_refused() {
    let with = |changes: &[(usize, char)]| {
        let mut letters: Vec<char> = CROSS.chars().collect();
        changes.iter().for_each(|&(at, letter)| letters[at] = letter);
        letters.into_iter().collect::<String>()
    };
    let twisted = {
        // Every corner, one of them twisted: U9 R1 F3.
        let mut letters: Vec<char> = pattern(CORNERS, "").chars().collect();
        (letters[8], letters[9], letters[20]) = ('F', 'U', 'R');
        letters.into_iter().collect::<String>()
    };
    for (goal, words) in [
        (CROSS[1..].to_owned(), "53 stickers; expected 54"),
        (with(&[(31, 'U')]), "the centre of D is U"),
        (with(&[(28, 'B')]), "the stickers at DF are B, F; no edge has these colours"),
        (with(&[(25, '?')]), "the stickers at DF are D, ?; give all of them, or none"),
        (with(&[(28, 'D'), (25, 'R')]), "edge DR appears twice: at DR and at DF"),
        ("?".repeat(53) + ".", "no piece is given"),
        (twisted, "twist"),
    ] {
        for command in ["solve", "query"] {
            let (code, _, stderr) = run(&GOALS, &[command, "cube3", "R U", "--goal", &goal]);
            assert!(code == 3 && stderr.contains(words), "{goal}: {stderr}");
        }
    }
    for (args, words) in [(&["--metric", "wca"][..], "--metric wca"), (&["--time", "1s"], "--time")] {
        let (code, _, stderr) = run(&GOALS, &[&["solve", "cube3", "R U", "--goal", CROSS], args].concat());
        assert!(code == 2 && stderr.contains(words), "{stderr}");
    }
}
