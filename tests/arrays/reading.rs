//! Arrays that are positions, nearly or not at all, against the same as texts.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twistbase::error::InvalidInput;
use twistbase::puzzle::cube2::{self, random_cube2};
use twistbase::puzzle::cube3::{self, Metric, random_cube, random_walk};
use twistbase::puzzle::square1::notation::hex;
use twistbase::puzzle::square1::{Colouring, notation, random_position};

use super::numbers;
use twistbase_testing::stickers::{Stickers, corner_facelets};

/// Arrays of each puzzle that are changed.
const CHANGED: usize = 20_000;

/// Changes a few numbers of an array: to another, to one that stands for nothing, with each other.
fn change<R: Rng>(array: &mut [u8], symbols: u8, rng: &mut R) {
    for _ in 0..rng.random_range(0..4) {
        let [one, other] = [(); 2].map(|()| rng.random_range(0..array.len()));
        match rng.random_range(0..12) {
            0 => array[one] = rng.random(),
            1..4 => array[one] = rng.random_range(0..=symbols),
            4..6 => array[one] = array[other],
            6..8 => array.rotate_left(one),
            _ => array.swap(one, other),
        }
    }
}

/// Compares what is read of an array with what is read of its text, which has `symbols` for the numbers.
fn compare<T: PartialEq + std::fmt::Debug>(
    array: &[u8],
    symbols: &str,
    read: Result<T, InvalidInput>,
    of_text: impl Fn(&str) -> Result<T, InvalidInput>,
) -> bool {
    let symbol = |&number: &u8| symbols.chars().nth(number.into()).unwrap_or('?');
    let text: String = array.iter().map(symbol).collect();
    if !text.contains('?') {
        let expected = of_text(&text);
        if let (Err(read), Err(expected)) = (&read, &expected) {
            assert_eq!((&read.input, &read.problems), (&text, &expected.problems));
        } else {
            assert_eq!(read.as_ref().ok(), expected.as_ref().ok(), "{array:?}");
        }
        return read.is_ok();
    }
    let problems = read.expect_err("a number that stands for nothing").problems;
    for at in (0..array.len()).filter(|&at| text.as_bytes()[at] == b'?') {
        let told = problems.iter().find(|problem| problem.at == Some(at..at + 1)).expect("its place");
        assert!(told.code == "bad-number" && told.message.starts_with(&array[at].to_string()), "{told:?}");
    }
    assert!(!problems.iter().any(|problem| problem.code == "bad-character"));
    false
}

/// How many are read of arrays that are nearly right: some and not all.
fn assert_some(read: usize) {
    assert!((CHANGED / 20..CHANGED).contains(&read), "{read} of {CHANGED}");
}

#[test]
fn arrays_of_the_cube_are_read_as_its_facelets_are() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let is_read = |_: &usize| {
        let mut array = cube3::notation::array::write(&random_cube(&mut rng)).to_vec();
        change(&mut array, 6, &mut rng);
        compare(&array, "URFDLB", cube3::notation::array::read(&array), cube3::notation::facelets::parse)
    };
    assert_some((0..CHANGED).filter(is_read).count());
}

#[test]
fn arrays_of_the_2x2x2_cube_are_read_as_its_facelets_are() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let of_text = |text: &str| {
        let parsed = cube2::notation::parse_position(&format!("facelets:{text}"));
        parsed.map(|(position, _)| position).map_err(|mut error| {
            let places = error.problems.iter_mut().filter_map(|problem| problem.at.as_mut());
            places.for_each(|at| *at = at.start - 9..at.end - 9);
            error
        })
    };
    let is_read = |_: &usize| {
        let mut array = cube2::notation::array::write(&random_cube2(&mut rng)).to_vec();
        change(&mut array, 6, &mut rng);
        compare(&array, "URFDLB", cube2::notation::array::read(&array), of_text)
    };
    assert_some((0..CHANGED).filter(is_read).count());
}

#[test]
fn arrays_of_pieces_are_read_as_hexadecimal_positions_are() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for colouring in Colouring::ALL {
        let is_read = |_: &usize| {
            let mut array = notation::array::write(&random_position(&mut rng)).to_vec();
            change(&mut array, 16, &mut rng);
            let of_text = |text: &str| hex::parse(text, colouring).map(|parsed| parsed.position);
            compare(&array, "0123456789ABCDEF", notation::array::read(&array, colouring), of_text)
        };
        assert_some((0..CHANGED).filter(is_read).count());
    }
}

/// A cube that is held otherwise is read as it is held.
#[test]
fn cubes_are_read_however_they_are_held() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for turned in ["", "x", "y2", "z'", "x y", "x2 y'", "z y2"] {
        let (moves, _) = random_walk(&mut rng, Metric::Htm, 30);
        let moves = format!("{moves} {turned}");
        let (stickers, cube) = (Stickers::after(&moves), cube3::notation::parse_position(&moves).unwrap().position);
        let array = numbers("cube3", &stickers.to_string());
        assert_eq!(cube3::notation::array::read(&array), Ok(cube), "{turned}");
        let corners = numbers("cube2", &corner_facelets(&stickers));
        let expected = cube2::notation::parse_position(&moves).unwrap().0;
        assert_eq!(cube2::notation::array::read(&corners), Ok(expected), "{turned}");
    }
}

/// Nobody would hear of the order.
#[test]
fn arrays_in_another_order_of_the_faces_are_refused() {
    let stickers = Stickers::after("R U2 F' L D B2 R' U");
    let read = |puzzle: &str, array: &[u8]| match puzzle {
        "cube3" => cube3::notation::array::read(array).map(drop),
        _ => cube2::notation::array::read(array).map(drop),
    };
    for (puzzle, facelets) in [("cube3", stickers.to_string()), ("cube2", corner_facelets(&stickers))] {
        assert_eq!(read(puzzle, &numbers(puzzle, &facelets)), Ok(()));
        let of_face = facelets.len() / 6;
        let face = |face: char| &facelets[of_face * "URFDLB".find(face).unwrap()..][..of_face];
        let ordered: String = "ULFRBD".chars().map(face).collect();
        let problems = read(puzzle, &numbers(puzzle, &ordered)).unwrap_err().problems;
        let told: Vec<_> = problems.iter().map(|problem| (problem.code, problem.message.as_str())).collect();
        let message = "the facelets are in the order U L F R B D; arrays have U R F D L B";
        assert_eq!(told, [("facelet-order", message)], "{puzzle}");
    }
}

#[test]
fn arrays_of_another_length_are_refused() {
    let codes = |read: Result<(), InvalidInput>| {
        read.unwrap_err().problems.iter().map(|problem| problem.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(cube3::notation::array::read(&[0; 53]).map(drop))[0], "facelet-count");
    assert_eq!(codes(cube2::notation::array::read(&[]).map(drop)), ["facelet-count"]);
    assert!(codes(notation::array::read(&[1; 17], Colouring::Square1).map(drop)).contains(&"piece-count"));
}
