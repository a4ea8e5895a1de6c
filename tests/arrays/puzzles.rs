//! Arrays of a puzzle's positions against texts, random positions and moves one at a time.

use twistbase::database::CubeState;
use twistbase::puzzle::cube3::notation::{parse_position, parse_sequence};
use twistbase::puzzle::square1::notation::{apply_sequence, hex};
use twistbase::puzzle::{cube2, cube3};
use twistbase::{Database, Metric, RandomRequest};

use super::{NAMES, SMALL, arrays, ctx, numbers, random_texts, refs};
use twistbase_testing::stickers::Stickers;

/// What can be asked of the random positions of a puzzle.
fn requests(puzzle: &str) -> Vec<RandomRequest> {
    let walk = |walk, metric| RandomRequest { walk: Some(walk), metric, ..RandomRequest::default() };
    let mut requests = vec![RandomRequest::default(), walk(0, None), walk(1, None), walk(9, None)];
    if puzzle == "cube3" || puzzle == "cube2" {
        requests.extend([walk(5, Some(Metric::Qtm)), walk(30, Some(Metric::Htm))]);
    }
    if puzzle == "cube3" {
        requests.push(RandomRequest { in_h: true, ..RandomRequest::default() });
        let state = CubeState::find("pll").ok();
        requests.push(RandomRequest { state, ..RandomRequest::default() });
    }
    requests
}

#[test]
fn random_arrays_are_the_random_positions_and_their_texts() {
    for puzzle in NAMES {
        let arrays = arrays(puzzle);
        for (seed, request) in (5..).zip(requests(puzzle)) {
            let texts = random_texts(puzzle, &request, seed, 3000);
            let mut drawn = vec![0xEE; texts.len() * arrays.width()];
            arrays.random(&request, seed, &mut drawn, &ctx()).unwrap();
            for (text, array) in texts.iter().zip(drawn.chunks(arrays.width())) {
                assert_eq!(array, numbers(puzzle, text), "{puzzle}: {text}");
            }
            assert_eq!(arrays.texts(&drawn, &ctx()).unwrap(), texts, "{puzzle}");
            let mut parsed = vec![0xEE; drawn.len()];
            arrays.parse(&refs(&texts), &mut parsed, &ctx()).unwrap();
            assert!(parsed == drawn, "{puzzle}");
        }
        // Fewer are the first of more, and none are none.
        let mut few = vec![0; 7 * arrays.width()];
        arrays.random(&RandomRequest::default(), 5, &mut few, &ctx()).unwrap();
        let texts = random_texts(puzzle, &RandomRequest::default(), 5, 7);
        assert_eq!(arrays.texts(&few, &ctx()).unwrap(), texts);
        arrays.random(&RandomRequest::default(), 5, &mut [], &ctx()).unwrap();
        assert_eq!(arrays.texts(&[], &ctx()).unwrap(), Vec::<String>::new());
        assert!(arrays.neighbours(&[], &ctx()).unwrap().positions.is_empty());
    }
}

#[test]
fn every_notation_is_read() {
    let texts = |puzzle, texts: &[&str]| {
        let arrays = arrays(puzzle);
        let mut array = vec![0; texts.len() * arrays.width()];
        arrays.parse(texts, &mut array, &ctx()).unwrap();
        arrays.texts(&array, &ctx()).unwrap()
    };
    let moves = "R U2 F' L D B2";
    let cube = parse_position(moves).unwrap().position;
    let [facelets, reid] = [cube3::notation::facelets::print(&cube), cube3::notation::reid::print(&cube)];
    assert_eq!(texts("cube3", &[moves, &facelets, &reid]), [facelets.as_str(); 3]);
    let corners = cube2::notation::print(&cube2::notation::parse_position(moves).unwrap().0);
    assert_eq!(texts("cube2", &[moves, &corners]), [corners.as_str(); 2]);
    // A kite is taken for square, and a layer that a big piece lies across is turned.
    let square1 =
        ["(0,-1)/(1,1)/", "cube21:(0,-1)/(-1,1)/", "1238567C-49AB0DEF/", "1238567C-49AB0DEF", "(0,-1)/(1,1)/(0,1)"];
    let read = texts("square1", &square1);
    assert_eq!(read[..4], ["1238567C-49AB0DEF"; 4]);
    let turned = hex::parse(&read[4], twistbase::puzzle::square1::Colouring::Square1).unwrap().position;
    assert!(turned.unstraddling_turn().is_none());
    assert_eq!(texts("square1-corners", &["index:0", "wca:"]).len(), 2);
}

#[test]
fn neighbours_of_cubes_are_what_their_moves_lead_to() {
    for (puzzle, count) in [("cube3", 18), ("cube2", 9)] {
        let arrays = arrays(puzzle);
        let (names, texts) = (arrays.moves(), random_texts(puzzle, &RandomRequest::default(), 3, 300));
        assert_eq!(names.len(), count);
        assert_eq!(names[..7], ["U", "U2", "U'", "R", "R2", "R'", "F"]);
        let mut array = vec![0; texts.len() * arrays.width()];
        arrays.parse(&refs(&texts), &mut array, &ctx()).unwrap();
        let found = arrays.neighbours(&array, &ctx()).unwrap();
        assert_eq!(found.moves.len(), texts.len() * count);
        let written = arrays.texts(&found.positions, &ctx()).unwrap();
        for (number, neighbour) in written.iter().enumerate() {
            let (origin, turn) = (number / count, number % count);
            assert_eq!((found.origins[number], usize::from(found.moves[number])), (origin, turn));
            let moves = parse_sequence(&names[turn]).unwrap();
            let expected = if puzzle == "cube3" {
                let mut stickers = Stickers::of(&texts[origin]);
                stickers.apply(&names[turn]);
                stickers.to_string()
            } else {
                let position = cube2::notation::parse_position(&texts[origin]).unwrap().0;
                cube2::notation::print(&position.after(moves.moves()))
            };
            assert_eq!(*neighbour, expected, "{puzzle}: {} {}", texts[origin], names[turn]);
        }
    }
}

#[test]
fn neighbours_of_the_square1_family_are_those_of_its_answers() {
    use twistbase::puzzle::square1::Colouring;
    for (puzzle, colouring) in [("square1", Colouring::Square1), ("cube21", Colouring::Cube21)] {
        let arrays = arrays(puzzle);
        let names = arrays.moves();
        assert_eq!((names.len(), names[0].as_str(), names[143].as_str()), (144, "(-5,-5)/", "(6,6)/"));
        assert_eq!((names[65].as_str(), names[64].as_str()), ("(0,0)/", "(0,-1)/"));
        let texts = random_texts(puzzle, &RandomRequest::default(), 3, 2500);
        let mut array = vec![0; texts.len() * arrays.width()];
        arrays.parse(&refs(&texts), &mut array, &ctx()).unwrap();
        let found = arrays.neighbours(&array, &ctx()).unwrap();
        let written = arrays.texts(&found.positions, &ctx()).unwrap();
        let mut all = found.origins.iter().zip(&found.moves).zip(&written);
        for (origin, text) in texts.iter().enumerate() {
            let position = hex::parse(text, colouring).unwrap().position;
            let mut turns: Vec<_> = position.distinct_alignments().map(|turn| turn.wca()).collect();
            turns.sort_unstable();
            for (top, bottom) in turns {
                let ((&from, &number), neighbour) = all.next().unwrap();
                let name = format!("({top},{bottom})/");
                assert_eq!((from, &names[usize::from(number)]), (origin, &name));
                let expected = apply_sequence(&name, &position).unwrap();
                assert_eq!(*neighbour, hex::print(&expected).unwrap(), "{text} {name}");
            }
        }
        assert_eq!(all.next(), None);
    }
}

/// The neighbours are the moves of a full answer, in their order, at the distances that it tells.
#[test]
fn neighbours_are_as_far_as_answers_tell() {
    use twistbase::database::ManyPositions;
    for (puzzle, count) in [("cube2", 60), ("square1-corners", 60)] {
        let (arrays, texts) = (arrays(puzzle), random_texts(puzzle, &RandomRequest::default(), 8, count));
        let mut array = vec![0; texts.len() * arrays.width()];
        arrays.parse(&refs(&texts), &mut array, &ctx()).unwrap();
        let found = arrays.neighbours(&array, &ctx()).unwrap();
        let mut distances = vec![0; found.moves.len()];
        let table = SMALL.table_arrays(super::table(puzzle), &ctx()).unwrap();
        table.distances(ManyPositions::Arrays(&found.positions), &mut distances, &ctx()).unwrap();
        let mut distances = distances.into_iter();
        for text in &texts {
            let answer = SMALL.puzzle(puzzle).unwrap().query(text, &Default::default(), &ctx()).unwrap();
            let answer = serde_json::to_value(&answer).unwrap();
            for told in answer["moves"].as_array().unwrap() {
                assert_eq!(told["distance"], distances.next().unwrap(), "{text} {told}");
            }
        }
        assert_eq!(distances.next(), None);
    }
}

#[test]
fn what_a_puzzle_does_not_have_is_refused() {
    let mut room = vec![0; 16];
    let in_h = RandomRequest { in_h: true, ..RandomRequest::default() };
    let refused = arrays("square1").random(&in_h, 0, &mut room, &ctx()).unwrap_err();
    assert!(refused.to_string().contains("in-h"), "{refused}");
    assert!(Database::open("nowhere").unwrap().puzzle("cube4").is_err());
    assert_eq!(NAMES.map(|puzzle| arrays(puzzle).width()), [54, 24, 16, 16, 16]);
}
