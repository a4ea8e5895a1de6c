//! Known puzzles, and files that are wrong.

use std::collections::HashSet;
use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twistbase_core::context::Context;
use twistbase_core::error::Error;

use super::{
    Pattern, PuzzleDefinition, PuzzleSearch, PuzzleSpace, Restriction, SearchRequest, SpacePosition, Transformation,
};

/// The six faces of the 2×2×2 cube, as where pieces come from and how they are twisted where they arrive (Kociemba's corners).
const CUBE2: [(&str, [u8; 8], [u8; 8]); 6] = [
    ("U", [3, 0, 1, 2, 4, 5, 6, 7], [0; 8]),
    ("R", [4, 1, 2, 0, 7, 5, 6, 3], [2, 0, 0, 1, 1, 0, 0, 2]),
    ("F", [1, 5, 2, 3, 0, 4, 6, 7], [1, 2, 0, 0, 2, 1, 0, 0]),
    ("D", [0, 1, 2, 3, 5, 6, 7, 4], [0; 8]),
    ("L", [0, 2, 6, 3, 4, 1, 5, 7], [0, 1, 2, 0, 0, 2, 1, 0]),
    ("B", [0, 1, 3, 7, 4, 5, 2, 6], [0, 0, 1, 2, 0, 0, 2, 1]),
];

/// The 2×2×2 cube with some of its faces, as KPuzzle JSON.
fn cube2(faces: &str) -> PuzzleDefinition {
    let chosen = CUBE2.iter().filter(|(name, ..)| faces.contains(name));
    let moves: Vec<String> = chosen
        .map(|(name, from, twist)| {
            format!(r#""{name}":{{"CORNERS":{{"permutation":{from:?},"orientationDelta":{twist:?}}}}}"#)
        })
        .collect();
    let text = format!(
        r#"{{"name":"2x2x2","orbits":[{{"orbitName":"CORNERS","numPieces":8,"numOrientations":3}}],
        "defaultPattern":{{"CORNERS":{{"pieces":[0,1,2,3,4,5,6,7],"orientation":[0,0,0,0,0,0,0,0]}}}},
        "moves":{{{}}}}}"#,
        moves.join(",")
    );
    PuzzleDefinition::parse(&text).unwrap()
}

/// The pyraminx without its tips: a turn takes three of the four vertices round the fourth, and the edges with it.
fn pyraminx() -> PuzzleDefinition {
    let edges: Vec<[usize; 2]> = (0..4).flat_map(|a| (a + 1..4).map(move |b| [a, b])).collect();
    let mut text = "Name pyraminx\nSet CORNER 4 3\nSet EDGE 6 2\n".to_owned();
    for (vertex, round) in [(0, [1, 2, 3]), (1, [0, 3, 2]), (2, [0, 1, 3]), (3, [0, 2, 1])] {
        let image = |at: usize| round.iter().position(|&it| it == at).map_or(at, |i| round[(i + 1) % 3]);
        let (mut from, mut left) = ([0; 6], [0; 6]);
        for (edge, &[a, b]) in edges.iter().enumerate() {
            let moved = if a == vertex || b == vertex { [image(a), image(b)] } else { [a, b] };
            let to = edges.iter().position(|&[a, b]| [a, b] == moved || [b, a] == moved).unwrap();
            from[to] = edge + 1;
            left[edge] = usize::from(edges[to] != moved);
        }
        let twists: Vec<_> = (0..4).map(|at| usize::from(at == vertex)).collect();
        let (twists, from, left) = (row(&twists), row(&from), row(&left));
        writeln!(text, "Move M{vertex}\nCORNER\n1 2 3 4\n{twists}\nEDGE\n{from}\n{left}\nEnd").unwrap();
    }
    PuzzleDefinition::parse(&text).unwrap()
}

/// Pancakes: each move turns over the first of them.
pub(crate) fn pancakes(count: usize) -> PuzzleDefinition {
    let mut text = format!("Set P {count} 1\n");
    for turned in 2..=count {
        let row: Vec<_> = (1..=turned).rev().chain(turned + 1..=count).map(|at| at.to_string()).collect();
        writeln!(text, "Move F{turned}x # the first {turned}\nP\n{}\nEnd", row.join(" ")).unwrap();
    }
    PuzzleDefinition::parse(&text).unwrap()
}

fn levels(puzzle: &PuzzleDefinition, depth: usize) -> (Vec<u64>, bool) {
    let levels = puzzle.count_levels(depth, u64::MAX, None, &Context::silent(), |_, _| Ok(())).unwrap();
    (levels.counts, levels.complete)
}

#[test]
fn the_2x2x2_has_its_group_its_symmetries_and_its_levels() {
    let cube = cube2("URFDLB");
    assert_eq!((cube.group_order().to_string().as_str(), cube.symmetries()), ("88179840", Some(48)));
    assert_eq!(levels(&cube, 4), (vec![1, 18, 243, 2874, 28_000], false));
    let fixed = cube2("URF");
    assert_eq!((fixed.group_order().to_string().as_str(), fixed.symmetries()), ("3674160", Some(6)));
    assert_eq!(levels(&fixed, 6).0, [1, 9, 54, 321, 1847, 9992, 50_136]);
}

/// Published by Jaap Scherphuis.
#[test]
fn the_pyraminx_has_its_levels() {
    let pyraminx = pyraminx();
    assert_eq!((pyraminx.group_order().to_string().as_str(), pyraminx.symmetries()), ("933120", Some(24)));
    assert_eq!(levels(&pyraminx, 6).0, [1, 8, 48, 288, 1728, 9896, 51_808]);
}

#[test]
fn all_positions_of_the_pyraminx() {
    let counts = vec![1, 8, 48, 288, 1728, 9896, 51_808, 220_111, 480_467, 166_276, 2457, 32];
    assert_eq!(levels(&pyraminx(), 99), (counts, true));
}

/// OEIS A092113.
#[test]
fn pancakes_have_their_levels() {
    assert_eq!(levels(&pancakes(4), 99), (vec![1, 3, 6, 11, 3], true));
    assert_eq!(levels(&pancakes(6), 99), (vec![1, 5, 20, 79, 199, 281, 133, 2], true));
    assert_eq!(pancakes(20).group_order(), (1..=20u64).product::<u64>().into());
}

/// Pieces that look alike, and orientations that do not matter, are one position.
#[test]
fn patterns_leave_out_what_they_do_not_tell_apart() {
    let text = |solved: &str| {
        let turns = "Move U\nC\n4 1 2 3 5 6 7 8\nEnd\nMove R\nC\n5 2 3 1 8 6 7 4\n1 0 0 2 2 0 0 1\nEnd\n";
        format!("Set C 8 3\nSolved\nC\n{solved}\nEnd\n{turns}")
    };
    let positions = |solved: &str| {
        let puzzle = PuzzleDefinition::parse(&text(solved)).unwrap();
        let (counts, complete) = levels(&puzzle, 99);
        assert!(complete);
        counts.iter().sum::<u64>()
    };
    // Six corners move: which two places the pieces 5 and 8 are in; then the orientations of six corners.
    assert_eq!(positions("1 1 1 1 2 1 1 2\n? ? ? ? ? ? ? ?"), 15);
    assert_eq!(positions("1 1 1 1 1 1 1 1\n0 0 0 0 0 0 0 0"), 243);
    assert_eq!(positions("1 2 3 4 5 6 7 8\n? ? ? ? ? ? ? ?"), 120);
}

/// A twist is listed at the place that the piece leaves in one format, where it arrives in the other.
#[test]
fn the_formats_say_the_same() {
    let cube = cube2("R");
    let tws = "Name 2x2x2\nSet CORNERS 8 3\nSolved\nCORNERS\n1 2 3 4 5 6 7 8\nEnd\n\
               Move R\nCORNERS\n5 2 3 1 8 6 7 4\n1 0 0 2 2 0 0 1\nEnd\n";
    assert_eq!(PuzzleDefinition::parse(tws).unwrap(), cube);
    let more = format!("{tws}MoveSequence Q R2 R'\nMoveAlias S R'\nIllegal CORNERS 1 7 8\nSet X 1 1\n");
    assert!(PuzzleDefinition::parse(&more).is_err(), "an orbit after a move");
    let more = PuzzleDefinition::parse(more.trim_end_matches("Set X 1 1\n")).unwrap();
    assert_eq!((more.turns().len(), more.illegal.len(), more.derived.len()), (3, 2, 1));
    for puzzle in [cube, cube2("URFDLB"), pyraminx(), more] {
        assert_eq!(PuzzleDefinition::parse(&puzzle.to_tws()).unwrap(), puzzle);
        let mut read = PuzzleDefinition::parse(&puzzle.to_kpuzzle()).unwrap();
        read.illegal.clone_from(&puzzle.illegal);
        assert_eq!(read, puzzle);
    }
}

#[test]
fn transformations_compose_and_are_undone() {
    let cube = cube2("URFDLB");
    let [u, r] = [0, 1].map(|at| &cube.moves[at].transformation);
    let both = cube.compose(u, r);
    assert_eq!(cube.apply(&cube.solved, &both), cube.apply(&cube.apply(&cube.solved, u), r));
    assert_eq!(cube.compose(&both, &cube.inverse(&both)), cube.identity());
    assert_eq!(cube.order(&both), 15);
    let names: Vec<_> = cube.turns().into_iter().map(|turn| turn.name).take(4).collect();
    assert_eq!(names, ["U", "U2", "U'", "R"]);
}

#[test]
fn a_search_ends_at_its_memory() {
    let ended = cube2("URF").count_levels(99, 100_000, None, &Context::silent(), |_, _| Ok(())).unwrap();
    assert_eq!((ended.complete, &ended.counts[..5]), (false, &[1, 9, 54, 321, 1847][..]));
    let stopped = cube2("URF").count_levels(99, u64::MAX, None, &Context::silent(), |_, _| Err(Error::Interrupted));
    assert!(matches!(stopped, Err(Error::Interrupted)));
}

/// Sizes that no count here can hold, in both formats: an error, not a wrong number.
#[test]
fn what_is_too_large_is_refused() {
    let message = |text: &str| PuzzleDefinition::parse(text).unwrap_err().to_string();
    let sets = "Set A 255 3\nSet B 255 3\n";
    let found = message(&format!("{sets}Move U\nB\n{}\nEnd\n", row(&cycles(&[2]))));
    assert!(found.contains("line 2: B is too large: there are 1530 orientations of all pieces together"), "{found}");
    let many: String = (0..9).map(|number| format!("Set A{number} 255 1\n")).collect();
    let found = message(&format!("{many}Move U\nA8\n{}\nEnd\n", row(&cycles(&[2]))));
    assert!(found.contains("line 5: A4 is too large") && found.contains("line 9: A8"), "{found}");
    let orbit = |name: &str| format!(r#"{{"orbitName":"{name}","numPieces":255,"numOrientations":4}}"#);
    let found = message(&format!(r#"{{"orbits":[{},{}],"defaultPattern":{{}},"moves":{{}}}}"#, orbit("A"), orbit("B")));
    assert!(found.contains("/orbits/1: B is too large") && !found.contains("/orbits/0"), "{found}");
    // The order of this move has 21 digits.
    let (first, second) = (cycles(&[2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]), cycles(&[41, 43, 47, 53]));
    let [first, second] = [row(&first), row(&second)];
    let found = message(&format!("Set A 255 1\nSet B 255 1\nMove U\nA\n{first}\nB\n{second}\nEnd\n"));
    assert!(found.contains("the order of U is larger than 255"), "{found}");
    // Each move is one that may be, all together are not.
    let moves = |count: usize| -> String {
        let row = row(&cycles(&[251]));
        (0..count).map(|number| format!("Move M{number}\nA\n{row}\nEnd\n")).collect()
    };
    assert!(PuzzleDefinition::parse(&format!("Set A 255 1\n{}", moves(100))).is_ok());
    let found = message(&format!("Set A 255 1\n{}", moves(300)));
    assert!(found.contains("75000 moves and powers of moves are too many for its pieces"), "{found}");
    let swaps: String = (0..1_002).map(|number| format!("Move M{number}\nA\n2 1\nEnd\n")).collect();
    let found = message(&format!("Set A 2 1\n{swaps}"));
    assert!(found.contains("M1000 is one move too many: 1000 are the most") && found.contains("M1001"), "{found}");
    let names: String = (0..1_002).map(|number| format!("MoveAlias N{number} M{}\n", number % 2 + 1)).collect();
    let three = "Set A 3 1\nMove M1\nA\n2 1 3\nEnd\nMove M2\nA\n1 3 2\nEnd\n";
    let found = message(&format!("{three}{names}"));
    assert!(found.contains("N1000 is one name too many") && found.contains("N1001"), "{found}");
    for word in ["MoveAlias", "MoveSequence"] {
        let found = message(&format!("{three}{word} N {}\n", "M1 ".repeat(1_001)));
        assert!(found.contains("1001 moves are too many: 1000 are the most"), "{found}");
    }
}

/// However long and however wrong a text is, a hundred reasons say so at once.
#[test]
fn long_texts_are_refused_in_a_moment() {
    let all = |text: &str| match PuzzleDefinition::parse(text).unwrap_err() {
        Error::Invalid(error) => error.problems,
        error => panic!("{error}"),
    };
    let one = all(&"Foo bar\n".repeat((8 << 20) / 8 + 1));
    assert_eq!((one.len(), one[0].message.as_str()), (1, "a definition has at most 8388608 bytes"));
    assert_eq!(all(&format!("{{\"name\":\"{}\"}}", "a".repeat(8 << 20)))[0].message, one[0].message);
    let begin = "Set A 3 1\n";
    let json = |orbits: String, moves: String| {
        let pattern = r#"{"A":{"pieces":[0,1,2],"orientation":[0,0,0]}}"#;
        format!(r#"{{"orbits":[{orbits}],"defaultPattern":{pattern},"moves":{{{moves}}}}}"#)
    };
    let orbit = |name: &str| format!(r#"{{"orbitName":"{name}","numPieces":3,"numOrientations":1}}"#);
    let swap = r#"{"A":{"permutation":[1,0,2],"orientationDelta":[0,0,0]}}"#;
    let many = |of: &dyn Fn(usize) -> String| (0..60_000).map(of).collect::<Vec<_>>();
    for (text, first) in [
        (format!("{begin}{}", "Foo bar\n".repeat(1_000_000)), "Foo is not supported here"),
        (
            format!("{begin}Move M\n{}", "B\n1 2 3\n".repeat(1_000_000)),
            "B is no orbit of the puzzle; expected one, or End",
        ),
        (format!("{begin}Move M\n{}", "A\n".repeat(4_000_000)), "A has 0 rows; expected places, then orientations"),
        (format!("{begin}{}", "Move M\nA\n2 1 3\nEnd\n".repeat(400_000)), "the move M exists already"),
        (format!("{begin}{}", "Illegal A 4 4\n".repeat(500_000)), "expected 1 to 3"),
        (begin.repeat(500_000), "the orbit A exists already"),
        (json(vec![orbit("A"); 60_000].join(","), String::new()), "/orbits/1: the orbit A exists already"),
        (
            json(orbit("A"), many(&|number| format!(r#""M{number}":{swap}"#)).join(",")),
            "/moves/M1000: M1000 is one move too many: 1000 are the most",
        ),
    ] {
        let problems = all(&text);
        let last = problems.last().unwrap();
        assert_eq!((problems.len(), &problems[0].message[..]), (101, first));
        assert_eq!(
            (&last.message[..], &last.at),
            ("these are many mistakes: the rest of the text was not read", &None)
        );
    }
    // One row of all numbers, and a word of the whole text.
    let long = all(&format!("{begin}Move M\nA\n{}\nEnd\n", "9 ".repeat(4_000_000)));
    assert_eq!((long.len(), &long[0].message[..]), (1, "4000000 numbers where 3 are expected"));
    let word = all(&format!("{begin}{}", "x".repeat(8_000_000)));
    assert!(word[0].message.chars().count() == 401 && word[0].message.ends_with('…'));
}

/// Names that no file of twsearch and no terminal can have.
#[test]
fn names_are_words() {
    let json = cube2("UR").to_kpuzzle();
    for (from, to, part) in [
        ("\"2x2x2\"", "\"2x2\\nx2\"", "/name: a name has no line breaks"),
        ("CORNERS", "COR\\nNERS", "/orbits/0: \"COR\\nNERS\" is no name"),
        ("\"U\"", "\"U \"", "/moves/U : \"U \" is no name"),
        ("\"U\"", "\"\"", "/moves/: \"\" is no name"),
        ("\"U\"", "\"U\\u001b[2J\"", "/moves/U\u{FFFD}[2J: \"U\\u{1b}[2J\" is no name"),
    ] {
        assert!(json.contains(from), "{from}");
        let found = PuzzleDefinition::parse(&json.replace(from, to)).unwrap_err().to_string();
        assert!(found.contains(part), "{part}\n{found}");
    }
    let found = PuzzleDefinition::parse("Set A 2 1\n\u{1b}[2J\n").unwrap_err().to_string();
    assert!(found.contains("line 2: \u{FFFD}[2J is not supported here") && !found.contains('\u{1b}'), "{found}");
    // A name that is taken may stand for the same again.
    let text = "Set A 3 1\nMove M\nA\n2 3 1\nEnd\n";
    let puzzle = PuzzleDefinition::parse(&format!("{text}MoveAlias N M\nMoveAlias N M4\nMoveAlias M N\n")).unwrap();
    assert_eq!(puzzle.derived.len(), 1);
    let found = PuzzleDefinition::parse(&format!("{text}MoveAlias N M\nMoveAlias N M2\n")).unwrap_err().to_string();
    assert!(found.contains("line 7: the name N stands for another move already"), "{found}");
    let found = PuzzleDefinition::parse("Set A 2 1\nMove M\nA\n2 1\nA\n1 2\nEnd\n").unwrap_err().to_string();
    assert!(found.contains("line 5: A is there twice"), "{found}");
}

/// A name for two moves whose order no 64 bits hold: powers of it are found at once, and undone.
#[test]
fn names_of_several_moves_have_large_powers() {
    // Each pair of neighbours in a cycle is exchanged by one of two moves: of order 2 each, and together of a large one.
    let exchanged = |lengths: &[usize], begin: usize| {
        let mut from: Vec<usize> = (1..=255).collect();
        let mut at = 0;
        for &length in lengths {
            (at + begin..at + length - 1).step_by(2).for_each(|place| from.swap(place, place + 1));
            at += length;
        }
        row(&from)
    };
    let [a, b] = [&[2usize, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37][..], &[41, 43, 47, 53]];
    let of = |begin| format!("A\n{}\nB\n{}\nEnd\n", exchanged(a, begin), exchanged(b, begin));
    let text = format!("Set A 255 1\nSet B 255 1\nMove S\n{}Move T\n{}MoveAlias D S T\n", of(0), of(1));
    let puzzle = PuzzleDefinition::parse(&text).unwrap();
    let read = |sequence: &str| puzzle.read_sequence(sequence).unwrap();
    let d = read("D");
    assert_eq!(puzzle.order(&d), u64::MAX);
    assert_eq!(read("D'"), puzzle.inverse(&d));
    assert_eq!(read("D3 D2'"), d);
    assert_eq!(read("D1000000007 D1000000000' D7'"), puzzle.identity());
    assert_eq!(read("D18446744073709551614 D18446744073709551613'"), d);
}

/// A permutation of 255 places with cycles of these lengths, counted from 1.
fn cycles(lengths: &[usize]) -> Vec<usize> {
    let mut from: Vec<usize> = (1..=255).collect();
    let mut begin = 0;
    for length in lengths {
        from[begin..begin + length].rotate_left(1);
        begin += length;
    }
    from
}

fn row(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

/// Every reason is given, with its line or its JSON pointer.
#[test]
fn wrong_files_are_refused_with_every_reason() {
    let message = |text: &str| PuzzleDefinition::parse(text).unwrap_err().to_string();
    let text = "Set C 4 3\nSet C 4 300\nSolved\nC\n1 2 3\n0 0 3 0\nEnd\nMove U\nC\n2 2 1 3\nX\n1\nEnd\nMoveAlias W U V\nGroup\n";
    let found = message(text);
    for part in [
        "line 2: expected a number of orientations from 1 to 255\n    Set C 4 300\n            ^^^",
        "line 2: the orbit C exists already",
        "line 5: 3 numbers where 4 are expected\n    1 2 3\n    ^^^^^",
        "line 6: expected 0 to 2\n    0 0 3 0\n        ^",
        "line 10: 2 is there twice: no permutation of C\n    2 2 1 3\n      ^",
        "line 11: X is no orbit of the puzzle; expected one, or End\n    X\n    ^",
        "line 14: V is no move that was defined before",
        "line 15: Group is not supported here",
    ] {
        assert!(found.contains(part), "{part}\n{found}");
    }
    for (text, part) in [
        ("", "no pieces"),
        ("Set C 2 1\n", "no moves"),
        ("Set C 2 1\nMove U\nC\n2 1\n", "line 5: End is missing"),
        ("Set C 2 1\nMove xv\nC\n2 1\nEnd\n", "no moves"),
        ("{\"orbits\": 3}", "invalid type: integer `3`, expected a sequence"),
        ("{\n \"orbits\": [],\n oops}", "line 3"),
    ] {
        let found = message(text);
        assert!(found.contains(part), "{text:?}: {found}");
    }
    let json = cube2("UR").to_kpuzzle();
    for (from, to, part) in [
        ("[3,0,1,2,4,5,6,7]", "[3,0,1,2,4,5,6,8]", "/moves/U/CORNERS/permutation/7: 8 where 0 to 7 is expected"),
        ("[3,0,1,2,4,5,6,7]", "[3,0,1,2,4,5,6,6]", "/moves/U/CORNERS/permutation/7: the number is there twice"),
        ("[2,0,0,1,1,0,0,2]", "[2,0,0]", "/moves/R/CORNERS/orientationDelta: 3 numbers where 8 are expected"),
        ("\"numPieces\":8", "\"numPieces\":0", "/orbits/0/numPieces: expected 1 to 255"),
        ("\"U\":{\"CORNERS\"", "\"U\":{\"EDGES\"", "/moves/U/EDGES: no orbit of the puzzle"),
    ] {
        assert!(json.contains(from), "{from}");
        let found = message(&json.replacen(from, to, 1));
        assert!(found.contains(part), "{part}\n{found}");
    }
}

/// All levels by the plain search, and by the space.
fn both_levels(puzzle: &PuzzleDefinition) -> [Vec<u64>; 2] {
    let plain = puzzle.count_plainly(usize::MAX, usize::MAX, u64::MAX, &Context::silent(), &mut |_, _| Ok(())).unwrap();
    let (space, mut counts) = (PuzzleSpace::new(puzzle.clone()).unwrap(), Vec::new());
    let complete = space.product.count_levels(&space.solved, usize::MAX, &Context::silent(), |distance, count| {
        assert_eq!(distance, counts.len());
        counts.push(count);
        Ok(())
    });
    assert!(plain.complete && complete.unwrap());
    [plain.counts, counts]
}

/// Puzzles with pieces that look alike, ignored orientations, periods that differ in an orbit, orbits that are split, pieces that
/// never move.
pub(crate) fn small_puzzles() -> Vec<PuzzleDefinition> {
    let corners = |solved: &str| {
        let turns = "Move U\nC\n4 1 2 3 5 6 7 8\nEnd\nMove R\nC\n5 2 3 1 8 6 7 4\n1 0 0 2 2 0 0 1\nEnd\n";
        PuzzleDefinition::parse(&format!("Set C 8 3\nSolved\nC\n{solved}\nEnd\n{turns}")).unwrap()
    };
    // Ten tiles, of which six move: three in a row, and all six.
    let text =
        "Set T 10 2\nMove A\nT\n2 3 1 4 5 6 7 8 9 10\n1 0 0 0 0 0 0 0 0 0\nEnd\nMove B\nT\n2 3 4 5 6 1 7 8 9 10\nEnd\n";
    vec![
        corners("1 2 3 4 5 6 7 8\n0 0 0 0 0 0 0 0"),
        corners("1 1 1 1 2 1 1 2\n? ? ? ? ? ? ? ?"),
        corners("1 1 1 1 2 1 1 2\n0 0 0 0 0 0 0 0"),
        corners("1 2 2 4 5 5 7 8\n0 ? ? 0 0 0 0 0"),
        PuzzleDefinition::parse(text).unwrap(),
        pancakes(7),
        PuzzleDefinition::parse("Set X 2 1\nSet Y 3 1\nSolved\nX\n1 1\nY\n1 1 1\nEnd\nMove M\nX\n2 1\nEnd\n").unwrap(),
    ]
}

#[test]
fn spaces_have_the_levels_of_the_plain_search() {
    for puzzle in small_puzzles() {
        let [plain, product] = both_levels(&puzzle);
        assert_eq!(plain, product, "{}", puzzle.to_tws());
    }
}

/// 9! arrangements are more than a coordinate has: two classes.
#[test]
#[ignore = "long suite: 362,880 positions by a plain search"]
fn split_orbits_have_the_levels_of_the_plain_search() {
    let puzzle = pancakes(9);
    assert_eq!(PuzzleSpace::new(puzzle.clone()).unwrap().parts.len(), 4);
    let [plain, product] = both_levels(&puzzle);
    assert_eq!(plain, product);
}

/// Numbers of positions there and back, turns by number as turns of pieces, and what is kept of each distance.
#[test]
fn spaces_number_positions() {
    for puzzle in small_puzzles().into_iter().chain([pyraminx(), pancakes(10)]) {
        let space = PuzzleSpace::new(puzzle.clone()).unwrap();
        let drawer = puzzle.drawer();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut at = space.solved();
        for _ in 0..40 {
            for position in [space.draw(&drawer, &mut rng), at] {
                let pattern = space.pattern_of(position);
                assert_eq!(space.position_of(&pattern), Some(position));
                assert_eq!(space.read(&space.kpattern(position).to_string()).unwrap(), position);
                for (number, turn) in space.turns().iter().enumerate() {
                    let turned = puzzle.apply(&pattern, &turn.transformation);
                    assert_eq!(space.pattern_of(space.after(position, number)), turned, "{}", turn.name);
                    assert_eq!(space.moved(position, &turn.name).unwrap(), space.after(position, number));
                }
            }
            at = space.after(at, rng.random_range(0..space.turns().len()));
        }
        assert!(space.is_solved(space.solved()) && space.read("").unwrap() == space.solved());
    }
}

#[test]
fn levels_are_kept_modulo_3() {
    for puzzle in small_puzzles() {
        let space = PuzzleSpace::new(puzzle.clone()).unwrap();
        let levels = space.levels(&space.whole(), None, &Context::silent()).unwrap();
        let entries = space.entries() as usize;
        let rows: Vec<Vec<u8>> = (0..space.product.rows())
            .map(|row| {
                let mut quarters = vec![0; entries.div_ceil(4)];
                levels.write_row(row, &mut quarters);
                (0..entries).map(|entry| quarters[entry / 4] >> (2 * (entry % 4)) & 3).collect()
            })
            .collect();
        for (row, values) in rows.iter().enumerate() {
            let mut counts = [0; 4];
            values.iter().for_each(|&value| counts[usize::from(value)] += 1);
            let mut expected = [0, 0, 0, entries as u64];
            for (level, count) in levels.counts(row).into_iter().enumerate() {
                expected[level % 3] += count;
                expected[3] -= count;
            }
            assert_eq!(counts, expected);
            for (entry, &value) in (0..).zip(values).filter(|&(_, &value)| value != 3) {
                let position = SpacePosition { row: row as u32, entry };
                let nearer = (0..space.turns().len()).filter(|&turn| {
                    let after = space.after(position, turn);
                    rows[after.row as usize][after.entry as usize] == (value + 2) % 3
                });
                assert_eq!(nearer.count() == 0, space.is_solved(position));
            }
        }
    }
}

/// Every position of a small puzzle is drawn about as often as any other.
#[test]
fn positions_are_drawn_evenly() {
    let space = PuzzleSpace::new(pancakes(4)).unwrap();
    let (drawer, mut rng, mut drawn) = (space.definition().drawer(), ChaCha8Rng::seed_from_u64(1), [0u32; 24]);
    assert_eq!(drawer.group_order(), 24u32.into());
    for _ in 0..24 * 1000 {
        let SpacePosition { row, entry } = space.draw(&drawer, &mut rng);
        drawn[(u64::from(row) * space.entries() + entry) as usize] += 1;
    }
    // Five standard deviations.
    assert!(drawn.iter().all(|count| (840..=1160).contains(count)), "{drawn:?}");
}

#[test]
fn positions_that_are_none_are_refused_with_every_reason() {
    let space = PuzzleSpace::new(pyraminx()).unwrap();
    for (input, parts) in [
        (
            "M0 X M1' Y2",
            &["\"X\" is no move of this puzzle; choose from: M0 M1", "\"Y2\" is no move of this puzzle\n"][..],
        ),
        ("{\"CORNER\": 3}", &["invalid type"]),
        (
            r#"{"CORNER":{"pieces":[0,1,2,3],"orientation":[0,0,0,3]}}"#,
            &["/CORNER/orientation/3: 3 where 0 to 2", "the orbit EDGE is missing"],
        ),
        (
            r#"{"CORNER":{"pieces":[1,0,2,3],"orientation":[0,0,0,0]},"EDGE":{"pieces":[0,1,2,3,4,5],"orientation":[0,0,0,0,0,0]}}"#,
            &["the moves do not lead to this position"],
        ),
    ] {
        let found = space.read(input).unwrap_err().to_string();
        assert!(parts.iter().all(|part| found.contains(part)), "{found}");
    }
}

/// Turns that commute have one order: of two opposite faces, and of more.
#[test]
fn turns_that_commute_are_known() {
    let cube = PuzzleSpace::new(cube2("URFDLB")).unwrap();
    let names: Vec<&str> = cube.turns().iter().map(|turn| turn.name.as_str()).collect();
    let at = |name: &str| names.iter().position(|&other| other == name).unwrap();
    let [earlier, all] = cube.commuting()[at("D2")];
    let expected = |names: &[&str]| names.iter().fold(0u128, |bits, name| bits | 1 << at(name));
    assert_eq!(earlier, expected(&["U", "U2", "U'", "D"]));
    assert_eq!(all, expected(&["U", "U2", "U'", "D", "D2", "D'"]));
}

/// Orbits that hardly matter, by the dozen, and a group that is small beside the orders of its classes.
#[test]
fn odd_puzzles_are_numbered_or_refused_at_once() {
    let still = PuzzleDefinition::parse("Set T 3 1\nMove A\nT\n1 2 3\nEnd\n").unwrap();
    assert!(PuzzleSpace::new(still).unwrap_err().to_string().contains("no move changes anything"));
    // Forty orbits with a swap each: two moves of twenty swaps.
    let (mut sets, mut moves) = (String::new(), [String::new(), String::new()]);
    for orbit in 0..40 {
        writeln!(sets, "Set O{orbit} 2 1").unwrap();
        writeln!(moves[orbit % 2], "O{orbit}\n2 1").unwrap();
    }
    let [first, second] = moves;
    let puzzle = PuzzleDefinition::parse(&format!("{sets}Move A\n{first}End\nMove B\n{second}End\n")).unwrap();
    assert_eq!(levels(&puzzle, 9), (vec![1, 2, 1], true));
    // x + 1 and -1/x on the projective line of 71: 178,920 arrangements of 72 pieces, in twelve classes of orders.
    let inverse = |x: usize| (1..71).find(|y| x * y % 71 == 1).unwrap();
    let shift: Vec<_> = (0..72).map(|x| if x == 71 { 72 } else { (x + 1) % 71 + 1 }).collect();
    let turned: Vec<_> = (0..72)
        .map(|x| {
            if x == 71 {
                1
            } else if x == 0 {
                72
            } else {
                (71 - inverse(x)) % 71 + 1
            }
        })
        .collect();
    let text = format!("Set P 72 1\nMove S\nP\n{}\nEnd\nMove T\nP\n{}\nEnd\n", row(&shift), row(&turned));
    let puzzle = PuzzleDefinition::parse(&text).unwrap();
    assert_eq!(puzzle.group_order(), 178_920u32.into());
    let refused = PuzzleSpace::new(puzzle.clone()).unwrap_err().to_string();
    assert!(refused.contains("the orbit P has too many arrangements"), "{refused}");
}

/// The same position in each way that twsearch reads one; its rows are what twsearch prints of the moves.
#[test]
fn positions_of_twsearch_are_read() {
    let old = "Name mini\nSet A 4 3\nSet B 3 1\nMove S\nA\n2 3 1 4\n1 2 0 0\nB\n2 1 3\nEnd\nMove T\nA\n1 3 4 2\n0 1 1 1\nB\n1 3 2\nEnd\n";
    let new = "Name mini\nSet A 4 3\nSet B 3 1\nStartState\nA\n0 1 2 3\n0 0 0 0\nB\n0 1 2\nEnd\n\
               MoveTransformation S\nA\n1 2 0 3\n2 0 1 0\nB\n1 0 2\nEnd\n\
               MoveTransformation T\nA\n0 2 3 1\n0 1 1 1\nB\n0 2 1\nEnd\n";
    let mini = PuzzleDefinition::parse(old).unwrap();
    assert_eq!(PuzzleDefinition::parse(new).unwrap(), mini);
    let moved = mini.read_position("S T S2 T").unwrap();
    for text in [
        "Scramble noname\n   A\n   4 1 3 2\n   0 0 2 1\n   B\n   2 1 3\nEnd\n",
        "ScrambleState noname\nB\n1 0 2\nA\n3 0 2 1\n0 0 2 1\nEnd\n",
        "ScrambleAlg x\nS T\nS2 T\nEnd\n",
        "CPOS 9084102",
    ] {
        assert_eq!(mini.read_position(text).unwrap(), moved, "{text}");
    }
    let codes = |text: &str| match mini.read_position(text).unwrap_err() {
        Error::Invalid(error) => error.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(),
        error => panic!("{error}"),
    };
    assert_eq!(codes("ScrambleAlg x\nS Q R"), ["syntax", "unknown-move", "unknown-move"]);
    assert_eq!(
        codes("ScrambleState x\nC\n0 1\nA\n0 1 2 4\n0 0 3 0\nEnd\nEnd"),
        ["unknown-orbit", "number", "number", "syntax"]
    );
    assert_eq!(
        (codes("CPOS"), codes("CPOS 0!"), codes("CPOS 00000000")),
        (vec!["syntax"], vec!["syntax"], vec!["syntax"])
    );
}

/// A search that lists every symmetry finds the same numbers. Those of cube3 and of the small boxes are the 48 and 16 in space; a
/// larger puzzle can exchange inner layers, too.
#[test]
fn symmetries_are_counted_without_a_list() {
    for (name, symmetries) in [
        ("cube3", 48),
        ("4x4x4", 96),
        ("megaminx", 120),
        ("3x3x2", 16),
        ("2x2x3", 16),
        ("5x5x1", 32),
        ("7x7x1", 512),
        ("topspin-20-4", 2),
        ("pancake-8", 1),
        ("ivy", 24),
    ] {
        assert_eq!(PuzzleDefinition::named(name).unwrap().symmetries(), Some(symmetries), "{name}");
    }
}

/// Pieces that matter: the cross has its published levels, blocks their numbers of positions.
#[test]
fn pieces_that_matter_make_a_puzzle() {
    let cube = PuzzleDefinition::parse("c f 0.333").unwrap();
    let only = |pieces: &[&str]| {
        let pieces = Some(pieces.iter().map(|&name| name.to_owned()).collect());
        cube.restricted(&Restriction { pieces, ..Restriction::default() })
    };
    let levels = |pieces: &[&str]| {
        let levels = only(pieces).unwrap().count_levels(99, u64::MAX, None, &Context::silent(), |_, _| Ok(())).unwrap();
        assert!(levels.complete);
        levels.counts
    };
    assert_eq!(levels(&["DF", "DR", "DB", "DL"]), [1, 15, 158, 1_394, 9_809, 46_381, 97_254, 34_966, 102]);
    // In any order of letters, and by numbers of places.
    assert_eq!(levels(&["FD", "DR", "EDGE-l0"]), levels(&["DF", "RD", "UF"]));
    assert_eq!(levels(&["DFL", "DF", "DL", "FL"]), [1, 9, 90, 852, 7_169, 44_182, 131_636, 68_940, 561]);
    // The line with all edges oriented, and orientations alone.
    assert_eq!(levels(&["DF", "DB", "EDGE:orientations"]).iter().sum::<u64>(), 2_048 * 12 * 11);
    assert_eq!(levels(&["EDGE:orientations"]), [1, 2, 25, 202, 620, 900, 285, 13]);
    // A search finds as many moves as the levels say.
    let restriction = Restriction { pieces: Some(vec!["DFL".into(), "DF".into()]), ..Restriction::default() };
    let search = PuzzleSearch::new(cube.clone(), &restriction, &Context::silent()).unwrap();
    let position = search.read_position("F R' D2 L U").unwrap();
    let found = search.solutions(&position, &SearchRequest::default(), &Context::silent(), |_| {}).unwrap().solutions;
    let space = PuzzleSpace::new(search.definition().clone()).unwrap();
    let solved = search.read_position(&format!("F R' D2 L U {}", search.text(&found[0]))).unwrap();
    assert_eq!(solved, search.definition().solved);
    let shorter = SearchRequest { count: Some(1), turns: [0, found[0].len() - 1], ..SearchRequest::default() };
    assert!(search.solutions(&position, &shorter, &Context::silent(), |_| {}).unwrap().solutions.is_empty());
    assert_eq!(space.states(), 24 * 24);
    for (pieces, part) in [
        (&["DF", "DQ"][..], "\"DQ\" is no piece; choose from: "),
        (&[""], "\"\" is no piece"),
        (&[], "give at least one piece"),
    ] {
        let error = only(pieces).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let blocked = PuzzleDefinition::parse("Set TILE 3 1\nMove A\nTILE\n2 1 3\nEnd\nIllegal TILE 1 3\n").unwrap();
    let one = Restriction { pieces: Some(vec!["TILE-l0".into()]), ..Restriction::default() };
    assert!(blocked.restricted(&one).unwrap_err().to_string().contains("its place decides which moves are possible"));
}

/// A puzzle that is solved up to some sequences.
/// Pieces that may take each other's places, each with its orientation.
#[test]
fn pieces_may_count_as_alike() {
    let cube = PuzzleDefinition::parse("c f 0.333").unwrap();
    let slice = Restriction { pieces: words("FR=FL=BL=BR"), ..Restriction::default() };
    let slice = cube.restricted(&slice).unwrap();
    // Four of twelve places, and 2⁴ orientations.
    assert_eq!(PuzzleSpace::new(slice.clone()).unwrap().states(), 495 << 4);
    let [ours, plain] = both_levels(&slice);
    assert_eq!((ours.iter().sum::<u64>(), &ours), (495 << 4, &plain));
    for (pieces, expected) in [("FR=UFR", "cannot count as alike"), ("FR=XX", "\"XX\" is no piece")] {
        let restriction = Restriction { pieces: words(pieces), ..Restriction::default() };
        let error = cube.restricted(&restriction).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Some pieces of an orbit with their orientation, the others alike: few make one coordinate, for more the pieces guide their orientations.
#[test]
fn orientations_of_some_pieces_are_numbered() {
    let cube = PuzzleDefinition::parse("c f 0.333").unwrap();
    let only =
        |pieces: &str| cube.restricted(&Restriction { pieces: words(pieces), ..Restriction::default() }).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for (pieces, states) in [
        ("DF DR DB DL", 190_080),
        ("DF DR DB DL UF", 3_041_280),
        ("DF DR DB DL UF UFR ULF", 3_041_280 * 504),
        // Alike, and oriented.
        ("DF=DR=DB=DL=UF=UR=UB", 792 << 7),
    ] {
        let puzzle = only(pieces);
        let space = PuzzleSpace::new(puzzle.clone()).unwrap();
        assert_eq!(space.states(), states, "{pieces}");
        for _ in 0..300 {
            let (mut pattern, mut position) = (puzzle.solved.clone(), space.solved());
            for _ in 0..12 {
                let turn = rng.random_range(0..space.turns().len());
                pattern = puzzle.apply(&pattern, &space.turns()[turn].transformation);
                position = space.after(position, turn);
                assert_eq!(
                    (space.position_of(&pattern), space.pattern_of(position)),
                    (Some(position), pattern.clone())
                );
            }
        }
    }
    // All are reached, and as far as the plain search says.
    let [ours, plain] = both_levels(&only("DF DR DB"));
    assert_eq!(ours, plain);
}

fn up_to(puzzle: &PuzzleDefinition, sequences: &[&str]) -> Result<PuzzleDefinition, Error> {
    let up_to = Some(sequences.iter().map(|&sequence| sequence.to_owned()).collect());
    puzzle.restricted(&Restriction { up_to, ..Restriction::default() })
}

/// Whatever some transformations reach from some positions, by the number of them that it takes.
fn spread(puzzle: &PuzzleDefinition, from: Vec<Pattern>, by: &[&Transformation]) -> Vec<Vec<Pattern>> {
    let (mut seen, mut levels) = (HashSet::<Pattern>::from_iter(from.iter().cloned()), vec![from]);
    while levels.last().is_some_and(|level| !level.is_empty()) {
        let turned = levels[levels.len() - 1].iter().flat_map(|at| by.iter().map(|one| puzzle.apply(at, one)));
        let next = turned.filter(|next| seen.insert(next.clone())).collect();
        levels.push(next);
    }
    levels.pop();
    levels
}

/// A plain search from all positions that the sequences alone solve finds the same distances as one over cosets.
#[test]
fn cosets_are_as_far_as_their_positions() {
    let mut puzzles = small_puzzles();
    puzzles.push(PuzzleDefinition::parse("t v 0.333").unwrap().restricted(&ignoring(&["CORNER"])).unwrap());
    // All kinds of pieces that look alike, in blocks.
    let text = "Set T 6 2\nSolved\nT\n1 1 2 2 3 3\n? ? ? ? 0 1\nEnd\nMove A\nT\n3 4 1 2 5 6\nEnd\nMove B\nT\n2 3 4 5 6 1\n1 0 0 0 0 0\nEnd\n";
    puzzles.push(PuzzleDefinition::parse(text).unwrap());
    let (mut checked, mut alike, mut refused) = (0, 0, 0);
    for puzzle in puzzles {
        let names: Vec<String> = puzzle.turns().into_iter().map(|turn| turn.name).collect();
        let [first, last] = [names[0].as_str(), names[names.len() - 1].as_str()];
        for sequences in [&[first][..], &[last], &[&format!("{first} {last} {first}2"), &format!("{last}2")]] {
            let Ok(left) = up_to(&puzzle, sequences) else {
                refused += 1;
                continue;
            };
            let generators: Vec<_> = left.up_to.iter().map(|one| &one.transformation).collect();
            let solved: Vec<Pattern> = spread(&puzzle, vec![puzzle.solved.clone()], &generators).concat();
            let turns = left.turns();
            let turns: Vec<_> = turns.iter().map(|turn| &turn.transformation).collect();
            let (size, found) = (solved.len(), spread(&puzzle, solved, &turns));
            let space = PuzzleSpace::new(left.clone()).unwrap();
            let mut distances = vec![None; space.states() as usize];
            for (distance, patterns) in found.iter().enumerate() {
                for pattern in patterns {
                    let SpacePosition { row: 0, entry } = space.position_of(pattern).unwrap() else {
                        panic!("one row")
                    };
                    let known = *distances[entry as usize].get_or_insert(distance);
                    assert_eq!(known, distance, "{sequences:?} of {}", puzzle.to_tws());
                }
            }
            assert!(distances.iter().all(Option::is_some));
            let counts: Vec<_> = found.iter().map(|patterns| (patterns.len() / size) as u64).collect();
            assert_eq!(levels(&left, 99), (counts, true), "{sequences:?} of {}", puzzle.to_tws());
            checked += 1;
            alike += usize::from(!puzzle.tells_all_apart());
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let drawer = puzzle.drawer();
            for _ in 0..20 {
                let position = space.draw(&drawer, &mut rng);
                let pattern = space.pattern_of(position);
                assert_eq!(space.read(&space.kpattern(position).to_string()).unwrap(), position);
                for (number, turn) in space.turns().iter().enumerate() {
                    let turned = puzzle.apply(&pattern, &turn.transformation);
                    assert_eq!(space.position_of(&turned), Some(space.after(position, number)));
                }
            }
        }
    }
    assert!(checked > 12 && alike > 5 && refused > 5, "{checked} {alike} {refused}");
}

fn ignoring(orbits: &[&str]) -> Restriction {
    Restriction { ignored: orbits.iter().map(|orbit| orbit.parse().unwrap()).collect(), ..Restriction::default() }
}

fn words(words: &str) -> Option<Vec<String>> {
    Some(words.split(' ').map(str::to_owned).collect())
}

/// The half turns of the 3×3×3. The counts are those of a program of its own that knows corners by the least of their 96 images, and
/// edges by the places of a layer.
#[test]
fn half_turns_solve_the_cube() {
    let cube = PuzzleDefinition::named("cube3").unwrap();
    let half_turns = words("U2 D2 R2 L2 F2 B2");
    let domino = Restriction { moves: words("U D R2 L2 F2 B2"), up_to: half_turns.clone(), ..Restriction::default() };
    let whole = cube.restricted(&domino).unwrap();
    assert_eq!(levels(&whole, 99).0, [1, 2, 9, 36, 124, 530, 1806, 3732, 5158, 7070, 7218, 3202, 488, 24]);
    assert_eq!(whole.report().positions.as_deref(), Some("29400"));
    assert_eq!(whole.symmetries(), Some(16));
    let corners = cube.restricted(&Restriction { ignored: ignoring(&["EDGE"]).ignored, ..domino }).unwrap();
    assert_eq!(levels(&corners, 99).0, [1, 2, 5, 12, 18, 50, 44, 52, 68, 96, 52, 20]);
    // Restrictions one after the other are one.
    let twice = up_to(&cube, &["U2", "D2", "R2"]).unwrap();
    let twice = twice.restricted(&Restriction { up_to: words("U2 L2 F2 B2"), ..Restriction::default() }).unwrap();
    assert_eq!(up_to(&cube, &["U2", "D2", "R2", "L2", "F2", "B2"]).unwrap(), twice);
    let error = PuzzleSpace::new(up_to(&cube, &["U2", "R2"]).unwrap()).unwrap_err().to_string();
    assert!(error.contains("more than 1048576 positions"), "{error}");
    let error = up_to(&cube, &["Q", "U R X"]).unwrap_err().to_string();
    assert!(error.contains("\"Q\" is no move; choose from: U") && error.contains("\"X\" is no move"), "{error}");
    for blank in [&[][..], &["U", " "]] {
        assert!(up_to(&cube, blank).unwrap_err().to_string().contains("name the moves up to which"), "{blank:?}");
    }
    let cross = cube.restricted(&Restriction { pieces: words("DF DR DB DL"), ..Restriction::default() }).unwrap();
    assert_eq!(PuzzleSpace::new(up_to(&cross, &["D"]).unwrap()).unwrap().states(), 190_080 / 4);
    assert!(
        up_to(&cross, &["R"]).unwrap_err().to_string().contains("cannot be solved up to R: pieces that look alike")
    );
}

#[test]
#[ignore = "long suite: 918,540 cosets"]
fn half_turns_solve_the_corners() {
    let cube = PuzzleDefinition::named("cube3").unwrap().restricted(&ignoring(&["EDGE"])).unwrap();
    let counts = vec![1, 6, 63, 468, 3068, 15_828, 72_606, 268_200, 454_968, 102_296, 1036];
    assert_eq!(levels(&up_to(&cube, &["U2", "D2", "R2", "L2", "F2", "B2"]).unwrap(), 99), (counts, true));
}

/// The numbers of cosets depend on the group alone, not on what generates it.
#[test]
fn cosets_have_numbers_of_their_own() {
    let puzzle = cube2("UR");
    let [one, other] = [&["U2", "R2"][..], &["R2 U2 R2", "U2 R2 U2", "U2 R2"]]
        .map(|sequences| PuzzleSpace::new(up_to(&puzzle, sequences).unwrap()).unwrap());
    assert_eq!(one.states(), other.states());
    for word in ["U R", "R U' R2 U", "U R U R U R' U", "R' U2 R U R' U R"] {
        let [first, second] = [&one, &other].map(|space| space.read(word).unwrap());
        assert_eq!((first, one.pattern_of(first)), (second, other.pattern_of(second)), "{word}");
    }
    assert!(one.is_solved(one.read("R2 U2 R2").unwrap()) && !one.is_solved(one.read("R2 U").unwrap()));
}

#[test]
fn definitions_keep_what_they_are_solved_up_to() {
    let puzzle = up_to(&cube2("UR"), &["U2", "R2 U R2"]).unwrap();
    let json = puzzle.to_kpuzzle();
    assert_eq!(PuzzleDefinition::parse(&json).unwrap(), puzzle);
    let message = |text: &str| PuzzleDefinition::parse(text).unwrap_err().to_string();
    let begin = json.find("upTo").unwrap();
    for (from, to, part) in [
        ("R2 U R2", "U2", "/upTo/U2: U2 is listed already"),
        ("CORNERS", "EDGES", "/upTo/U2/EDGES: no orbit of the puzzle"),
        ("[2,3,0,1", "[2,3,0,8", "/upTo/U2/CORNERS/permutation/3: 8 where 0 to 7 is expected"),
        ("[2,3,0,1", "[2,3,0,0", "/upTo/U2/CORNERS/permutation/3: the number is there twice"),
    ] {
        assert!(json[begin..].contains(from), "{from} in {}", &json[begin..]);
        let found = message(&format!("{}{}", &json[..begin], json[begin..].replacen(from, to, 1)));
        assert!(found.contains(part), "{part}\n{found}");
    }
    let alike = json.replacen("[0,1,2,3,4,5,6,7]", "[0,0,2,3,4,5,6,7]", 1);
    assert!(message(&alike).contains("/upTo/U2: it cannot be solved up to U2: pieces that look alike"));
    let cube = PuzzleDefinition::named("cube3").unwrap();
    assert_eq!(PuzzleDefinition::parse(&up_to(&cube, &["U"]).unwrap().to_kpuzzle()).unwrap().up_to.len(), 1);
    let blocked = PuzzleDefinition::parse("Set TILE 3 1\nMove A\nTILE\n2 1 3\nEnd\nIllegal TILE 1 3\n").unwrap();
    assert!(up_to(&blocked, &["A"]).unwrap_err().to_string().contains("some positions are illegal"));
}
