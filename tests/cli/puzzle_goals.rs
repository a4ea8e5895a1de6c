//! Goals of the 2×2×2 cube and of Square-1, beside plain searches over stickers and over rows of pieces.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use serde_json::{Value, json};

use super::goals::{CORNERS, GOALS, of_lines, text};
use super::schemas::check;
use super::{run, run_json};
use twistbase_testing::labels::{
    Labels, NamedTurn, after, distances_within, quarter_turns, shortest_ways, turns, ways_in_quarter_turns,
};
use twistbase_testing::stickers::facelet;

/// The moves of a 2×2×2 that is held by its corner DBL.
const FREE: &str = "U R F";

fn random(args: &[&str]) -> Vec<Value> {
    let (code, lines, stderr) = run_json(Path::new("/nowhere"), &[&["random"], args].concat());
    assert_eq!(code, 0, "{stderr}");
    lines
}

/// The corners of a cube with a label where it matters: the stickers of `colour` and of the opposite one, and whole pieces of it.
fn corners(goal: &str, colour: char) -> Labels {
    let opposite = "DLBURF".as_bytes()["URFDLB".find(colour).unwrap()] as char;
    let mut labels = [0; 54];
    for piece in CORNERS.split(' ') {
        for name in [&piece[..2], &piece[2..4], &piece[4..]] {
            labels[facelet(name)] = match (goal, name.starts_with(colour), name.starts_with(opposite)) {
                ("layer", ..) if piece.contains(colour) => facelet(name) as u8 + 1,
                ("face" | "co" | "oll", true, _) | ("co", _, true) => 1,
                ("oll", _, true) => 2,
                _ => 0,
            };
        }
    }
    labels
}

/// All labels that the free moves lead to from a goal, held in any way, with their distances.
fn distances(goal: Labels) -> HashMap<Labels, usize> {
    distances_by(goal, &turns(FREE))
}

fn distances_by(goal: Labels, turns: &[NamedTurn]) -> HashMap<Labels, usize> {
    let mut level: HashSet<Labels> = HashSet::from([goal]);
    for _ in 0..6 {
        let turned = level.iter().flat_map(|labels| ["x", "y"].map(|turn| after(labels, turn)));
        level = turned.chain(level.iter().copied()).collect();
    }
    distances_within(&level.into_iter().collect::<Vec<_>>(), turns, usize::MAX)
}

/// Distances and all solutions of the goal of each colour, and of any of them, are those of a search over stickers. Layers have many
/// more positions than the others: the long suite has them.
#[test]
fn cube2_goals_are_those_of_a_plain_search() {
    compare_with_a_plain_search(&[("face", "URFDLB"), ("oll", "U"), ("co", "U")]);
}

#[test]
fn cube2_goals_in_quarter_turns_are_those_of_a_plain_search() {
    let walks: Vec<String> = random(&["cube2", "-n", "12", "--seed", "5", "--walk", "20"])
        .iter()
        .map(|walk| text(walk, "moves").to_owned())
        .collect();
    for (goal, colour) in [("face:R", 'R'), ("co:U", 'U')] {
        let labels = corners(&goal[..goal.len() - 2], colour);
        let all = distances_by(labels, &quarter_turns(FREE));
        let listed = of_lines(&["query", "cube2", "-", "--goal", goal, "--metric", "qtm", "--solutions"], &walks);
        for walk in &walks {
            let start = after(&labels, walk);
            let ways = ways_in_quarter_turns(&start, FREE, &all);
            let listed = listed.iter().filter(|line| text(line, "input") == walk);
            let listed: Vec<_> =
                listed.map(|line| (text(line, "solution").to_owned(), line["length"].clone())).collect();
            let expected: Vec<_> = ways.into_iter().map(|way| (way, json!(all[&start]))).collect();
            let sorted: BTreeSet<_> = listed.iter().map(|(way, _)| way).collect();
            assert!(
                sorted.into_iter().eq(expected.iter().map(|(way, _)| way)) && listed.len() == expected.len(),
                "{goal}: {walk}"
            );
            assert!(listed.iter().all(|(_, length)| *length == expected[0].1), "{goal}: {walk}");
        }
    }
}

#[test]
#[ignore = "long suite: layers, and other goals of more colours"]
fn cube2_goals_of_more_colours_are_those_of_a_plain_search() {
    compare_with_a_plain_search(&[("layer", "URFDLB"), ("oll", "URF"), ("co", "URF")]);
}

/// Compares goals of colours, and of any of these if they are all.
fn compare_with_a_plain_search(goals: &[(&str, &str)]) {
    let walks: Vec<String> = random(&["cube2", "-n", "12", "--seed", "5", "--walk", "20"])
        .iter()
        .map(|walk| text(walk, "moves").to_owned())
        .collect();
    for (goal, colours) in goals {
        let searched: Vec<(char, HashMap<Labels, usize>)> =
            colours.chars().map(|colour| (colour, distances(corners(goal, colour)))).collect();
        let ways = |walk: &str, (colour, distances): &(char, HashMap<Labels, usize>)| {
            let start = after(&corners(goal, *colour), walk);
            (distances[&start], shortest_ways(&start, FREE, distances))
        };
        let nearest = |walk: &str| {
            let all: Vec<_> = searched.iter().map(|of| ways(walk, of)).collect();
            let least = all.iter().map(|(distance, _)| *distance).min().unwrap();
            (least, all.into_iter().filter(|(distance, _)| *distance == least).flat_map(|(_, ways)| ways).collect())
        };
        let compare = |name: &str, expected: &dyn Fn(&str) -> (usize, BTreeSet<String>)| {
            let answers = of_lines(&["query", "cube2", "-", "--goal", name, "--detail", "full"], &walks);
            let listed = of_lines(&["query", "cube2", "-", "--goal", name, "--solutions"], &walks);
            let solved = of_lines(&["solve", "cube2", "-", "--goal", name], &walks);
            for ((walk, answer), solved) in walks.iter().zip(&answers).zip(&solved) {
                let (distance, ways) = expected(walk);
                let listed: Vec<_> = listed.iter().filter(|line| text(line, "input") == walk).collect();
                let found: BTreeSet<_> = listed.iter().map(|line| text(line, "solution").to_owned()).collect();
                assert_eq!((&found, listed.len()), (&ways, ways.len()), "{name}: {walk}");
                assert_eq!(
                    (&answer["distance"], &answer["solutions"]),
                    (&json!(distance), &json!(ways.len())),
                    "{name}: {answer}"
                );
                assert!(ways.contains(text(solved, "solution")) && ways.contains(text(answer, "solution")), "{solved}");
                let nearer: BTreeSet<_> =
                    ways.iter().filter_map(|way| way.split(' ').next()).filter(|it| !it.is_empty()).collect();
                let moves = answer["moves"].as_array().unwrap().iter();
                let found: BTreeSet<_> = moves
                    .filter(|next| next["distance"].as_u64() < answer["distance"].as_u64())
                    .map(|next| text(next, "move"))
                    .collect();
                assert_eq!(found, nearer, "{name}: {answer}");
            }
            check("query", &answers);
            check("solution", &solved);
        };
        for of in &searched {
            compare(&format!("{goal}:{}", of.0), &|walk| ways(walk, of));
        }
        // Without a colour it is this one.
        let own = match *goal {
            "oll" => &('D', distances(corners(goal, 'D'))),
            "co" => searched.iter().find(|of| of.0 == 'U').unwrap(),
            _ => searched.iter().find(|of| of.0 == 'D').unwrap(),
        };
        compare(goal, &|walk| ways(walk, own));
        if colours.len() > 1 {
            compare(&format!("{goal}:any"), &nearest);
        }
    }
}

#[test]
fn cube2_goals_hold_the_cube_as_it_is_given() {
    // The same position, held in two ways, after turns of other faces.
    let lines = ["D L2 B' R", "D L2 B' R x y'"].map(str::to_owned);
    let found = of_lines(&["query", "cube2", "-", "--goal", "layer:any", "--solutions"], &lines);
    assert!(!found.is_empty());
    let whole: Vec<String> =
        found.iter().map(|line| format!("{} {}", text(line, "input"), text(line, "solution"))).collect();
    for answer in of_lines(&["query", "cube2", "-", "--goal", "layer:any"], &whole) {
        assert_eq!(answer["distance"], 0, "{answer}");
    }
    for (args, status, words) in [
        (&["query", "cube2", "R", "--goal", "cross"][..], 2, "no goal \"cross\" of cube2; choose from: face, layer"),
        (&["query", "cube2", "R", "--goal", "face:UR"], 2, "for a side"),
        (&["query", "cube2", "R", "--goal", "face", "--metric", "wca"], 2, "choose from: htm, qtm"),
        (
            &["query", "square1", "/", "--goal", "cross"],
            2,
            "no goal \"cross\" of square1; choose from: cube-shape, cube-shape-parity",
        ),
        (&["query", "cube21", "/", "--goal", "cube-shape-parity"], 2, "choose from: cube-shape\n"),
        (&["query", "square1", "/", "--goal", "cube-shape", "--metric", "wca"], 2, "choose from: twists"),
        (&["query", "square1", "/", "--goal", "cube-shape", "--middle"], 2, "--middle does not apply"),
        (
            &["query", "skewb", "R", "--goal", "lay"],
            2,
            "no goal \"lay\"; did you mean layer? choose from: layer, centers",
        ),
        (&["query", "skewb", "R", "--goal", "only X"], 2, "\"X\" is no piece; choose from: UFR"),
        (
            &["query", "lse", "U", "--goal", "eo", "--middle"],
            2,
            "--middle does not apply to the puzzle lse with a goal",
        ),
    ] {
        let (code, out, stderr) = run(&GOALS, args);
        assert_eq!((code, out.as_str()), (status, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(words), "{args:?}: {stderr}");
    }
}

/// The layers of Square-1: the piece in each of the twelve slots, anticlockwise from above. A piece with an odd number fills two.
type Layers = [Vec<u8>; 2];

fn layers(hex: &str) -> Layers {
    let layer = |text: &str| {
        let pieces = text.chars().filter_map(|digit| digit.to_digit(16)).map(|piece| piece as u8);
        pieces.flat_map(|piece| vec![piece; usize::from(1 + piece % 2)]).collect()
    };
    let (top, bottom) = hex.split_once('-').unwrap();
    let bottom = bottom.split(['(', '-', '/']).next().unwrap();
    let layers: Layers = [layer(top), layer(bottom)];
    assert!(layers.iter().all(|layer| layer.len() == 12), "{hex}");
    layers
}

fn turned(layer: &[u8], by: usize) -> Vec<u8> {
    [&layer[by..], &layer[..by]].concat()
}

/// Both layers after every twist that a turn of each allows, and each with the number of these turns.
fn twisted(layers: &Layers) -> Vec<Layers> {
    let can_twist = |layer: &Vec<u8>| layer[11] != layer[0] && layer[5] != layer[6];
    let all = |layer: &Vec<u8>| (0..12).map(|by| turned(layer, by)).filter(can_twist).collect::<Vec<_>>();
    let (tops, bottoms) = (all(&layers[0]), all(&layers[1]));
    let pairs = tops.iter().flat_map(|top| bottoms.iter().map(move |bottom| (top, bottom)));
    let swapped = |half: &[u8], other: &[u8]| half[..6].iter().rev().chain(&other[6..]).copied().collect();
    pairs.map(|(top, bottom)| [swapped(bottom, top), swapped(top, bottom)]).collect()
}

/// The shape, and whether the order of the pieces is odd, read from everywhere where the shape is written as the least text.
fn orders(layers: &Layers) -> HashSet<(String, bool)> {
    let starts = |layer: &Vec<u8>| {
        (0..12).map(|by| turned(layer, by)).filter(|turned| turned[0] != turned[11]).collect::<Vec<_>>()
    };
    let shape = |layer: &[u8]| layer.iter().map(|piece| if piece % 2 == 1 { 'C' } else { 'e' }).collect::<String>();
    let least = |layer: &Vec<u8>| {
        let all = starts(layer);
        let least = all.iter().map(|turned| shape(turned)).min().unwrap();
        all.into_iter().filter(|turned| shape(turned) == least).collect::<Vec<_>>()
    };
    let (tops, bottoms) = (least(&layers[0]), least(&layers[1]));
    let both = tops.iter().flat_map(|top| bottoms.iter().map(move |bottom| [&top[..], bottom].concat()));
    both.map(|slots| {
        let mut pieces = slots.clone();
        let name = shape(&slots);
        pieces.dedup();
        let inversions: usize =
            (0..16).map(|at| pieces[at..].iter().filter(|&&later| later < pieces[at]).count()).sum();
        (name, inversions % 2 == 1)
    })
    .collect()
}

/// Twists to cube shape with an even order from each shape and order, by a plain search: level by level, from the solved puzzle.
fn twists_to_even_cube_shape() -> HashMap<(String, bool), u64> {
    let (mut found, mut level, mut twists) = (HashMap::new(), vec![layers("01234567-89ABCDEF")], 0);
    while !level.is_empty() {
        let mut new = Vec::new();
        for layers in level {
            let is_new = orders(&layers).into_iter().filter(|order| !found.contains_key(order)).count() > 0;
            if is_new {
                for order in orders(&layers) {
                    found.entry(order).or_insert(twists);
                }
                new.push(layers);
            }
        }
        level = new.iter().flat_map(twisted).collect();
        twists += 1;
    }
    found
}

/// The number of shortest ways, turns `(x,y)` and `(x+6,y+6)` being one.
fn ways(layers: &Layers, left: u64, distance: &dyn Fn(&Layers) -> u64, known: &mut HashMap<(Layers, u64), u64>) -> u64 {
    if left == 0 {
        return 1;
    }
    if let Some(&ways) = known.get(&(layers.clone(), left)) {
        return ways;
    }
    let nearer = twisted(layers).into_iter().filter(|there| distance(there) + 1 == left).collect::<Vec<_>>();
    let all: u64 = nearer.iter().map(|there| ways(there, left - 1, distance, known)).sum();
    known.insert((layers.clone(), left), all / 2);
    all / 2
}

#[test]
fn cube_shape_is_as_far_as_a_plain_search_finds() {
    let even = twists_to_even_cube_shape();
    // Of each shape the nearer of the two orders is the distance to cube shape with any.
    let mut any: HashMap<&str, u64> = HashMap::new();
    for ((shape, _), &twists) in &even {
        any.entry(shape).and_modify(|least| *least = twists.min(*least)).or_insert(twists);
    }
    let counts =
        |all: Vec<u64>| (0..=10).map(|twists| all.iter().filter(|it| **it == twists).count()).collect::<Vec<_>>();
    assert_eq!(any.values().max(), Some(&7), "{:?}", counts(any.values().copied().collect()));
    let positions: Vec<String> =
        random(&["square1", "-n", "40", "--seed", "4"]).iter().map(|it| text(it, "hex").to_owned()).collect();
    let key = |layers: &Layers| orders(layers).into_iter().next().unwrap();
    for goal in ["cube-shape", "cube-shape-parity"] {
        let distance = |layers: &Layers| {
            let key = key(layers);
            if goal == "cube-shape" { any[key.0.as_str()] } else { even[&key] }
        };
        let answers = of_lines(&["query", "square1", "-", "--goal", goal, "--detail", "full"], &positions);
        let solved = of_lines(&["solve", "square1", "-", "--goal", goal], &positions);
        for ((hex, answer), solved) in positions.iter().zip(&answers).zip(&solved) {
            let (start, expected) = (layers(hex), distance(&layers(hex)));
            assert_eq!((&answer["distance"], &answer["goal"]), (&json!(expected), &json!(goal)), "{answer}");
            assert_eq!((&solved["length"], &solved["goal"]), (&json!(expected), &json!(goal)), "{solved}");
            if expected < 4 {
                assert_eq!(answer["solutions"], ways(&start, expected, &distance, &mut HashMap::new()), "{answer}");
            }
        }
        check("query", &answers);
        check("solution", &solved);
        // Where solutions end, from a position given as moves.
        let walks: Vec<String> = random(&["square1", "-n", "10", "--seed", "4", "--walk", "12"])
            .iter()
            .map(|walk| text(walk, "moves").to_owned())
            .collect();
        let listed = of_lines(&["query", "square1", "-", "--goal", goal, "--solutions", "--limit", "20"], &walks);
        let ends: Vec<String> =
            listed.iter().map(|line| format!("{} {}", text(line, "input"), text(line, "solution"))).collect();
        for end in of_lines(&["query", "square1", "-", "--goal", goal], &ends) {
            assert_eq!((&end["distance"], distance(&layers(text(&end, "hex")))), (&json!(0), 0), "{end}");
        }
    }
}

#[test]
fn square1_tells_the_goal() {
    let (code, out, stderr) = run(&GOALS, &["query", "square1", "(1,0)/(3,3)/(-1,0)/", "--goal", "cube-shape"]);
    assert_eq!(code, 0, "{stderr}");
    for line in ["  goal       cube-shape\n", "  distance   1 twist, the middle layer ignored\n", "  shape      "] {
        assert!(out.contains(line), "{out}");
    }
    let (code, out, _) = run(&GOALS, &["solve", "cube21", "(1,0)/(3,3)/(-1,0)/", "--goal", "cube-shape"]);
    assert!(code == 0 && out.starts_with("1\t") && out.ends_with("/\n"), "{out}");
}
