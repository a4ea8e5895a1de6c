//! The cube of pieces against the cube of stickers, and both against golden answers.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use twistbase::puzzle::cube3::notation::{facelets, parse_position, parse_sequence, reid, wca};
use twistbase::puzzle::cube3::{Cube, Metric, Move, random_walk};

use crate::support::golden;
use twistbase_testing::stickers::Stickers;

/// The facelets of the places in Reid's order: the first letter of each name is the first facelet, and so on.
const CUBIES: &str = "U8F2 U6R2 U2B2 U4L2 D2F8 D6R8 D8B8 D4L8 F6R4 F4L6 B4R6 B6L4 \
    U9F3R1 U3R3B1 U1B3L1 U7L3F1 D3R7F9 D1F7L9 D7L7B9 D9B7R9";

/// The stickers as cubies.
fn cubies(stickers: &Stickers) -> String {
    let word = |places: &str| -> String {
        (0..places.len()).step_by(2).map(|start| stickers.at(&places[start..start + 2])).collect()
    };
    CUBIES.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// Checks that a position and stickers are the same in every notation.
fn assert_same(cube: &Cube, stickers: &Stickers, sequence: &str) {
    assert_eq!(facelets::print(cube), stickers.to_string(), "{sequence}");
    assert_eq!(reid::print(cube), cubies(stickers), "{sequence}");
    assert_eq!(facelets::parse(&stickers.to_string()), Ok(*cube), "{sequence}");
    assert_eq!(reid::parse(&cubies(stickers)), Ok(*cube), "{sequence}");
}

#[test]
fn every_move_does_the_same_to_pieces_and_stickers() {
    assert_same(&Cube::SOLVED, &Stickers::solved(), "");
    for turn in Move::all() {
        let name = wca::print(&[turn]);
        assert_same(&turn.cube(), &Stickers::after(&name), &name);
        assert_eq!(parse_position(&name).unwrap().position, turn.cube());
    }
}

#[test]
fn random_sequences_lead_to_the_same_pieces_and_stickers() {
    let mut rng = ChaCha8Rng::seed_from_u64(54);
    for metric in [Metric::Htm, Metric::Qtm] {
        for length in 0..200 {
            let (sequence, cube) = random_walk(&mut rng, metric, length);
            let sequence = sequence.to_string();
            assert_same(&cube, &Stickers::after(&sequence), &sequence);
        }
    }
}

#[test]
fn layers_that_move_centres_lead_to_the_same_cube_as_it_is_held_then() {
    let letters: Vec<_> = "URFDLBurfdlbMESxyz".chars().collect();
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let every = letters.iter().flat_map(|letter| ["", "2", "'"].map(|suffix| format!("{letter}{suffix}")));
    let random = (0..500).map(|_| {
        let moves = (0..20)
            .map(|_| format!("{}{}", letters.choose(&mut rng).unwrap(), ["", "2", "'"].choose(&mut rng).unwrap()));
        moves.collect::<Vec<_>>().join(" ")
    });
    for sequence in every.collect::<Vec<_>>().into_iter().chain(random) {
        let there = parse_position(&sequence).unwrap();
        let read = parse_position(&Stickers::after(&sequence).to_string()).unwrap();
        assert_eq!((read.position, read.centres), (there.position, there.centres), "{sequence}");
        // Turns without the whole cube lead to the same cube turned home.
        let (home, turns) = there.held().turned_home().unwrap();
        assert_eq!(home.position, wca::parse(&sequence).unwrap().apply(&Cube::SOLVED), "{sequence}");
        assert_eq!(Stickers::after(&format!("{sequence} {turns}")).to_string(), facelets::print(&home.position));
    }
}

#[test]
fn golden_scrambles_lead_to_their_facelets_and_solutions_back() {
    for (name, metric, length_column, lines) in [
        ("optimal_333.csv", Some(Metric::Htm), 2, 40),
        ("optimal_333_qtm.csv", Some(Metric::Qtm), 2, 5),
        ("phase2.csv", None, 3, 100),
    ] {
        let mut count = 0;
        for line in golden(name).records().map(|line| line.expect("a line")) {
            let solution_column = length_column + 1;
            let (scramble, expected, solution) = (&line[0], &line[1], &line[solution_column]);
            let position = parse_position(scramble).unwrap().position;
            assert_same(&position, &Stickers::after(scramble), scramble);
            assert_eq!(facelets::print(&position), expected);
            let solution = parse_sequence(solution).unwrap();
            assert!(solution.apply(&position).is_solved(), "{scramble}");
            let length = solution.length(metric.unwrap_or_default());
            assert_eq!(length.to_string(), line[length_column], "{scramble}");
            if metric.is_none() {
                assert!(position.is_in_h() && solution.moves().iter().all(|turn| turn.is_in_h()), "{scramble}");
            }
            count += 1;
        }
        assert_eq!(count, lines, "{name}");
    }
}
