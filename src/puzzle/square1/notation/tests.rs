//! Tests of the notations.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::input::MOST_PROBLEMS;
use crate::square1::{Coordinate, Place, Shape, Step, Turn, random_position, random_walk};

fn codes(result: Result<ParsedSquare1, InvalidInput>) -> Vec<&'static str> {
    result.unwrap_err().problems.iter().map(|problem| problem.code).collect()
}

fn hex_codes(text: &str, colouring: Colouring) -> Vec<&'static str> {
    codes(hex::parse(text, colouring))
}

fn marked(error: &InvalidInput) -> Vec<&str> {
    error.problems.iter().filter_map(|p| p.at.clone().map(|at| &error.input[at])).collect()
}

fn position(text: &str) -> Position {
    parse_position(text, Colouring::Square1).unwrap().position
}

#[test]
fn arrays_of_entries_are_those_of_their_positions() {
    for colouring in Colouring::ALL {
        let coordinate = Coordinate::of(colouring);
        for row in 0..Shape::COUNT as u32 {
            for entry in (0..coordinate.entries()).step_by(104_729).chain([coordinate.entries() - 1]) {
                let place = Place { row, entry };
                let (pieces, position) = (coordinate.pieces(place).unwrap(), coordinate.position(place).unwrap());
                assert_eq!(array::write_canonical(&pieces), array::write(&position), "{place:?}");
                assert_eq!(Position::from_canonical(pieces.shape, &pieces.big, &pieces.small), Ok(position));
            }
            assert_eq!(coordinate.pieces(Place { row, entry: coordinate.entries() }), None);
        }
    }
}

#[test]
fn solved_is_read_in_every_notation() {
    let ways = "01234567-89ABCDEF|0123456789abcdef| 01234567 – 89ABCDEF − |hex:01234567-89ABCDEF|\
        A1B2C3D45E6F7G8H|a1b2c3d45e6f7g8h-|A1B2C3D4-5E6F7G8H|Jaap: A1B2C3D45E6F7G8H|wca:|cube21:|//|\
        (0,0)|(1,0)(11,0)|x2 x2'/ /|!!|cube21:(5,-3)(-5,3)";
    for way in ways.split('|') {
        assert_eq!(position(way), Position::SOLVED, "{way:?}");
    }
}

/// What differs from a text by a character that is another one, missing, or one too many, or by two that are exchanged.
fn slightly_changed<'a>(text: &'a str, characters: &'a str) -> impl Iterator<Item = String> + 'a {
    (0..text.len()).flat_map(move |at| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let replaced = characters.chars().map(move |c| format!("{before}{c}{after}"));
        let inserted = characters.chars().map(move |c| format!("{before}{c}{}", &text[at..]));
        let exchanged = (0..at).map(move |earlier| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.swap(at, earlier);
            String::from_utf8(bytes).unwrap()
        });
        replaced.chain(inserted).chain(exchanged).chain([before.to_owned() + after])
    })
}

#[test]
fn what_is_read_quickly_is_what_is_read_in_full() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let check = |text: &str| {
        for colouring in Colouring::ALL {
            assert_eq!(parse_position(text, colouring), parse_in_full(text, colouring), "{text:?}");
        }
    };
    for number in 0..3000 {
        let position = random_position(&mut rng);
        let position = position.turn(position.unstraddling_turn());
        let whole = hex::print_with_middle(&position).unwrap();
        let bare = &whole[..HEX_LENGTH];
        let joined = bare.replacen('-', "", 1);
        for text in [&whole, bare, &joined, &(joined.clone() + "-"), &whole.to_lowercase()] {
            assert!(hex::read_quickly(text.as_bytes()).is_some(), "{text:?}");
            check(text);
            if number < 5 {
                slightly_changed(text, "0189AaFfGg-/: @`!,.").for_each(|text| check(&text));
            }
        }
    }
    let golden = include_str!("../../../../data/cube21_author.csv");
    golden.split([',', '\n']).for_each(check);
}

#[test]
fn notations_are_told_apart() {
    let notation = |text: &str| parse_position(text, Colouring::Square1).unwrap().notation;
    assert_eq!(notation("01234567-89ABCDEF"), Square1Notation::Hex);
    assert_eq!(notation("A1B2C3D45E6F7G8H"), Square1Notation::Jaap);
    assert_eq!(notation("1,0/3,3/"), Square1Notation::Wca);
    assert_eq!(notation(" / "), Square1Notation::Wca);
    assert_eq!(notation("/!"), Square1Notation::Cube21);
    assert_eq!(notation("CUBE21: /"), Square1Notation::Cube21);
}

#[test]
fn middle_layers_are_told() {
    let middle = |text: &str| {
        let parsed = parse_position(text, Colouring::Square1).unwrap();
        (parsed.position.middle(), parsed.middle_given)
    };
    for (text, expected) in [
        ("01234567-89ABCDEF", (Middle::Square, false)),
        ("0123456789ABCDEF-", (Middle::Square, true)),
        ("01234567-89ABCDEF /", (Middle::Kite, true)),
        ("A1B2C3D45E6F7G8H", (Middle::Square, false)),
        ("A1B2C3D45E6F7G8H/", (Middle::Kite, true)),
        ("A1B2C3D4/5E6F7G8H", (Middle::Kite, true)),
        ("A1B2C3D4-5E6F7G8H-", (Middle::Square, true)),
        ("/", (Middle::Kite, true)),
        ("//", (Middle::Square, true)),
    ] {
        assert_eq!(middle(text), expected, "{text:?}");
    }
    assert_eq!(codes(jaap::parse("A1B2C3D4-5E6F7G8H/", Colouring::Square1)), ["contradictory-middle"]);
}

#[test]
fn every_reason_is_named() {
    let all = |text| hex_codes(text, Colouring::Square1);
    assert_eq!(all("01234567-89ABCDEG"), ["bad-character", "piece-count", "missing-piece", "layer-size"]);
    assert_eq!(all("01234567-89ABCDEE"), ["duplicate-piece", "missing-piece", "layer-size"]);
    assert_eq!(all("01234567-89ABCDE"), ["piece-count", "missing-piece", "layer-size"]);
    assert_eq!(all("1234567-089ABCDEF"), ["layer-size", "layer-size"]);
}

#[test]
fn places_of_problems_are_marked() {
    let error = parse_position("hex: 0123é567-89ABCDDF", Colouring::Square1).unwrap_err();
    assert_eq!(marked(&error), ["é", "D", "0123é567", "89ABCDDF"]);
    let error = parse_position("hex:013579B2468ACEDF", Colouring::Square1).unwrap_err();
    assert_eq!(marked(&error), ["B"]);
    assert_eq!(error.problems[0].code, "straddling-piece");
    let error = parse_position("wca: (1,2)/(3;4)/(12,0) ? (1,1", Colouring::Square1).unwrap_err();
    assert_eq!(marked(&error), ["(3;4)", "12", "?", "(1,1"]);
    assert!(error.to_string().contains("^^^^^"));
}

#[test]
fn blocked_twists_are_marked() {
    let error = parse_position("//(2,0)/(3,3)/", Colouring::Square1).unwrap_err();
    assert_eq!(error.problems.len(), 1);
    assert_eq!(error.problems[0].code, "blocked-twist");
    assert_eq!(error.problems[0].at, Some(7..8));
    let message = &error.problems[0].message;
    assert!(
        message.starts_with("twist 3: the cut is blocked: big piece 5 crosses slots 5|6 of the top layer"),
        "{message}"
    );
}

#[test]
fn alike_pieces_may_share_a_name() {
    let read = |text| hex::parse(text, Colouring::Cube21).unwrap().position;
    assert_eq!(read("01034547-898BCDCF"), Position::SOLVED);
    assert_eq!(hex::print(&read("21234567-89ABCDEF")).as_deref(), Some("21034567-89ABCDEF"));
    assert_eq!(hex_codes("01034507-89ABCDEF", Colouring::Cube21), ["duplicate-piece", "missing-piece"]);
    assert_eq!(hex_codes("01034567-89ABCDEF", Colouring::Square1), ["duplicate-piece", "missing-piece"]);
    let jaap = jaap::parse("A1B1C4D45E6F7G8H", Colouring::Cube21).unwrap().position;
    assert!(jaap.is_solved(Colouring::Cube21));
    let corners = hex::parse("01030507-090B0D0F", Colouring::Corners).unwrap().position;
    assert_eq!(corners, Position::SOLVED);
}

#[test]
fn misplaced_marks_are_rejected() {
    let all = |text| hex_codes(text, Colouring::Square1);
    assert_eq!(all("-0123456789ABCDEF"), ["misplaced-mark"]);
    assert_eq!(all("01234567/89ABCDEF"), ["misplaced-mark"]);
    assert_eq!(all("0123-4567-89ABCDEF"), ["misplaced-mark", "layer-size", "layer-size"]);
    assert_eq!(all("01234567-89ABCDEF--"), ["misplaced-mark"]);
}

#[test]
fn no_text_is_the_solved_position() {
    for text in ["", " ", "solved", " Solved", "wca: "] {
        for colouring in Colouring::ALL {
            let parsed = parse_position(text, colouring).unwrap();
            assert_eq!((parsed.position, parsed.middle_given), (Position::SOLVED, true), "{text:?}");
        }
    }
    assert_eq!(wca::parse(""), Ok(TwistSequence::default()));
    assert_eq!(hex_codes("", Colouring::Square1), ["piece-count", "missing-piece"]);
    assert_eq!(codes(parse_position("hex: solved", Colouring::Square1))[0], "bad-character");
}

#[test]
fn a_turn_behind_a_position_is_made() {
    for text in ["01234567-89ABCDEF", "hex: 13A8DEF2-70964B5C/", "A1B2C3D45E6F7G8H-", "jaap:F4A81B5EH2C63D7G"] {
        let alone = parse_position(text, Colouring::Square1).unwrap();
        for (turn, made) in
            [("(-1,0)", Turn::from_wca(-1, 0)), (" ( 2, −3 ) ", Turn::from_wca(2, -3)), ("", Turn::NONE)]
        {
            let turned = parse_position(&format!("{text}{turn}"), Colouring::Square1).unwrap();
            assert_eq!(turned, ParsedSquare1 { position: alone.position.turn(made), ..alone }, "{text}{turn}");
        }
    }
    for (text, expected, marked_text) in [
        ("01234567-89ABCDEF(1,0)/", vec!["moves-after-position"], vec!["(1,0)/"]),
        ("01234567-89ABCDEF-(1,0)(1,0)", vec!["moves-after-position"], vec!["(1,0)(1,0)"]),
        (
            "01234567-89ABCDEE(1;0)",
            vec!["duplicate-piece", "missing-piece", "layer-size", "bad-turn"],
            vec!["E", "89ABCDEE", "(1;0)"],
        ),
    ] {
        let error = parse_position(text, Colouring::Square1).unwrap_err();
        assert_eq!(marked(&error), marked_text, "{error}");
        assert_eq!(codes(Err(error)), expected);
    }
    // Sequences are none: they have commas, or nothing that could be a piece.
    for text in ["1,0/3,3/-1,0/0,-3/(1,0)", "x2x2x2x2x2(1,0)", "//////////(1,0)"] {
        assert_eq!(parse_position(text, Colouring::Square1).unwrap().notation, Square1Notation::Wca, "{text}");
    }
}

#[test]
fn errors_name_the_notation_of_a_text() {
    for (text, marked_text, words) in [
        ("R U R'", "R U R'", "this is a sequence for cubes"),
        ("wca: R U R' ", "R U R'", "this is a sequence for cubes"),
        ("10/33/", "10/33/", "karnotation is not supported"),
        (" u' m D'", "u' m D'", "karnotation is not supported"),
        ("W B' e", "W B' e", "karnotation is not supported"),
        ("[U'/R' D' R]", "[U'/R' D' R]", "commutators and conjugates are not supported"),
        ("1,0/3,0/-1,-1/3,0/-5,1/-1", "-1", "(-1,0) turns the top layer alone"),
        ("-1", "-1", "(-1,0) turns the top layer alone"),
        ("10/33/-1", "10/33/-1", "karnotation is not supported"),
        ("R²", "R²", "this is a sequence for cubes"),
        ("(1,0)/(3,3)/*", "*", "leave out this mark"),
        ("/ *", "*", "leave out this mark"),
    ] {
        for error in [parse_position(text, Colouring::Square1).unwrap_err(), parse_sequence(text).unwrap_err()] {
            assert!(error.problems.len() == 1 && error.problems[0].message.contains(words), "{text}: {error}");
            assert_eq!(marked(&error), [marked_text], "{text}");
            assert!(!error.to_string().contains("hexadecimal"), "{error}");
        }
    }
    // What can be read is not judged by its looks.
    let blocked = parse_position("(2,0)/x2", Colouring::Square1).unwrap_err();
    assert_eq!(blocked.problems[0].code, "blocked-twist");
}

#[test]
fn long_inputs_are_rejected() {
    let long = "(1,0)".repeat(LONGEST_INPUT / 5);
    assert!(parse_sequence(&long).is_ok());
    assert_eq!(codes(parse_position(&(long + "/"), Colouring::Square1)), ["too-long"]);
    let error = parse_sequence(&"? ".repeat(1000)).unwrap_err();
    assert!(error.problems.len() == 1 && error.problems[0].message.ends_with("(1000 times)"), "{error}");
    let letter = |number: usize| char::from(b'a' + number as u8);
    let words: String =
        (0..1000).map(|n| format!("?{}{}{} ", letter(n / 100), letter(n / 10 % 10), letter(n % 10))).collect();
    let error = parse_sequence(&words).unwrap_err();
    assert_eq!(error.problems.len(), MOST_PROBLEMS);
    assert_eq!(error.problems[MOST_PROBLEMS - 1].message, "and 969 more problems");
}

#[test]
fn full_width_text_and_numbers_of_lists_are_read() {
    let same = parse_position("(1,0)/(3,-3)/", Colouring::Square1).unwrap().position;
    for text in [
        "（1,0）/（3,-3）/",
        "（１，０）／（３，－３）／",
        "1. (1,0)/(3,-3)/",
        "12) １，０／３，－３／",
        "wca:（1,0）/(3,-3)/",
    ] {
        assert_eq!(parse_position(text, Colouring::Square1).unwrap().position, same, "{text}");
    }
    let position = parse_position("０１２３４５６７－８９ＡＢＣＤＥＦ", Colouring::Square1).unwrap().position;
    assert!(position.is_solved(Colouring::Square1));
    let error = parse_position("（1,0）/ｑ", Colouring::Square1).unwrap_err();
    assert_eq!(marked(&error), ["ｑ"]);
}

#[test]
fn long_mistakes_are_cut_in_messages() {
    let error = parse_position(&"é".repeat(300), Colouring::Square1).unwrap_err();
    assert_eq!(error.problems[0].message.chars().filter(|&c| c == 'é').count(), 40);
    assert_eq!(error.problems[0].at, Some(0..600));
}

#[test]
fn wca_sequences_are_read_in_all_their_styles() {
    let expected = wca::parse("(1,0)/(3,-3)/").unwrap();
    for text in ["(1,0)/ (3,-3)/", "(1, 0) / (3, -3) /", "1,0/3,-3/", "[1,0]/[3,-3]/", "( +1 ,0)/(3,−3)/", "-11,0/3,9/"]
    {
        assert_eq!(wca::parse(text).as_ref(), Ok(&expected), "{text}");
    }
    assert_eq!(expected.steps()[0], Step::Turn(Turn::new(-1, 0)));
    assert_eq!(wca::print(&expected), "(1, 0) / (3, -3) /");
    assert_eq!(wca::print_compact(&expected), "(1,0)/(3,-3)/");
    assert_eq!(cube21::print(&expected), "(-1,0)/(-3,-3)/");
    let open_ended = wca::parse("/(1,0)").unwrap();
    assert_eq!(open_ended.steps(), [Step::Twist, Step::Turn(Turn::from_wca(1, 0))]);
    let commented = "(1,0)/ // a (name), and x2\n(3,-3)/ //  Another";
    assert_eq!(wca::parse(commented).as_ref(), Ok(&expected));
    assert_eq!(position(commented), position("(1,0)/(3,-3)/"));
    for (text, twists) in [("// x2 /", 3), ("//(1,0)/", 3), ("/ // x", 1), ("(1,0)// /", 3)] {
        let sequence = wca::parse(text).unwrap();
        assert_eq!(sequence.steps().iter().filter(|step| **step == Step::Twist).count(), twists, "{text}");
    }
}

#[test]
fn cube21_and_wca_turns_differ_by_the_sign_of_the_top() {
    assert_eq!(position("cube21:(-1,0)/(3,-3)/"), position("wca:(1,0)/(-3,-3)/"));
    assert_eq!(position("(0,-1)/!(3,1)/"), position("wca:(0,-1)/x2(-3,1)/"));
}

#[test]
fn turn_overs_can_be_put_off() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..100 {
        let mut position = Position::SOLVED;
        let mut steps = Vec::new();
        for _ in 0..10 {
            if rng.random() {
                position = position.turn_over();
                steps.push(Step::TurnOver);
            }
            let turn = position.alignments().nth(rng.random_range(0..4)).unwrap();
            position = position.turn(turn).twist().unwrap();
            steps.extend([Step::Turn(turn), Step::Twist]);
        }
        let (same, is_over) = TwistSequence::new(steps).without_turn_overs();
        let end = same.apply(&Position::SOLVED).unwrap();
        assert_eq!(if is_over { end.turn_over() } else { end }, position);
        assert!(!same.steps().contains(&Step::TurnOver));
    }
}

/// sq1optim's own model: 24 places, the top layer clockwise from the front end of the seam, then the
/// bottom layer clockwise seen from below; big pieces twice. A model of its rules, not of its code.
struct Sq1optim([char; 24], Middle);

impl Sq1optim {
    fn solved() -> Self {
        let mut places = "AA1BB2CC3DD45EE6FF7GG8HH".chars();
        Self(std::array::from_fn(|_| places.next().unwrap()), Middle::Square)
    }

    /// Clockwise turns, as its help text has them.
    fn turn(&mut self, top: i8, bottom: i8) {
        self.0[..12].rotate_right(top.rem_euclid(12) as usize);
        self.0[12..].rotate_right(bottom.rem_euclid(12) as usize);
    }

    fn twist(&mut self) {
        let (top, bottom) = self.0.split_at_mut(12);
        top[6..].swap_with_slice(&mut bottom[..6]);
        self.1 = self.1.twisted();
    }

    fn print(&self) -> String {
        let mut text: Vec<_> = self.0.to_vec();
        text.dedup();
        text.push(self.1.symbol());
        text.into_iter().collect()
    }
}

#[test]
fn jaap_strings_follow_sq1optim() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    assert_eq!(jaap::print(&Position::SOLVED).as_deref(), Some("A1B2C3D45E6F7G8H-"));
    for _ in 0..100 {
        let twists = rng.random_range(0..20);
        let (sequence, position) = random_walk(&mut rng, twists);
        let mut model = Sq1optim::solved();
        for step in sequence.steps() {
            match step {
                Step::Turn(turn) => model.turn(turn.wca().0, turn.wca().1),
                _ => model.twist(),
            }
        }
        assert_eq!(jaap::print(&position), Some(model.print()));
    }
}

#[test]
fn jaap_strings_agree_with_virtual_sq1() {
    // An example of its README.
    let print = |text| jaap::print(&position(text)).unwrap();
    assert_eq!(print("/ (3,0) / (-3,-3) / (0,3) /"), "A1C3B2D45E7G6F8H-");
}

#[test]
fn straddling_pieces_cannot_be_printed() {
    let straddling = Position::SOLVED.turn(Turn::new(1, -1));
    assert_eq!(straddling.unstraddling_turn(), Turn::new(1, 0));
    assert_eq!((hex::print(&straddling), jaap::print(&straddling)), (None, None));
    assert!(hex::print(&straddling.turn(straddling.unstraddling_turn())).is_some());
}

#[test]
fn the_middle_can_be_printed_in_hex() {
    let text = hex::print_with_middle(&position("/")).unwrap();
    assert_eq!(position(&text), position("/"));
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (-11..12_i32, -11..12_i32).prop_map(|(top, bottom)| Step::Turn(Turn::new(top, bottom))),
        Just(Step::Twist),
        Just(Step::TurnOver),
    ]
}

proptest! {
    #[test]
    fn sequences_come_back(steps in proptest::collection::vec(step(), 0..30)) {
        let sequence = TwistSequence::new(steps);
        prop_assert_eq!(&wca::parse(&wca::print(&sequence)).unwrap(), &sequence);
        prop_assert_eq!(&wca::parse(&wca::print_compact(&sequence)).unwrap(), &sequence);
        prop_assert_eq!(&cube21::parse(&cube21::print(&sequence)).unwrap(), &sequence);
        prop_assert_eq!(&sequence.inverse().inverse(), &sequence);
    }

    #[test]
    fn positions_come_back(seed: u64) {
        let position = random_position(&mut ChaCha8Rng::seed_from_u64(seed));
        for colouring in Colouring::ALL {
            for text in [hex::print_with_middle(&position), jaap::print(&position)] {
                let parsed = parse_position(&text.unwrap(), colouring).unwrap();
                prop_assert!(parsed.middle_given);
                prop_assert_eq!(parsed.position, position);
            }
        }
    }
}

/// Reads a text in every way. Whatever is wrong must be told, at places that exist; what is right comes back when it is
/// printed.
fn read(text: &str) {
    let positions = Colouring::ALL.map(|colouring| (colouring, parse_position(text, colouring)));
    let mut wrong = Vec::new();
    for (colouring, parsed) in positions {
        match parsed {
            Ok(ParsedSquare1 { position, .. }) => {
                if let Some(printed) = jaap::print(&position) {
                    assert_eq!(parse_position(&printed, colouring).unwrap().position, position);
                }
            }
            Err(error) => wrong.push(error),
        }
    }
    let sequences = [(parse_sequence(text), 0), (wca::parse(text), 0), (cube21::parse(text), 1)];
    for (parsed, notation) in sequences {
        match parsed {
            Ok(sequence) if notation == 0 => assert_eq!(wca::parse(&wca::print(&sequence)).unwrap(), sequence),
            Ok(sequence) => assert_eq!(cube21::parse(&cube21::print(&sequence)).unwrap(), sequence),
            Err(error) => wrong.push(error),
        }
    }
    for error in wrong {
        assert!(!error.problems.is_empty() && !error.to_string().is_empty());
        let is_there = |at: std::ops::Range<usize>| error.input.get(at).is_some_and(|found| !found.is_empty());
        assert!(error.problems.iter().all(|problem| problem.at.clone().is_none_or(is_there)), "{error:?}");
    }
}

fn fuzz(inputs: u64) {
    let right = [
        "01234567-89ABCDEF",
        "hex:9856E70B-F43A21CD/",
        "9856E70B-F43A21CD/(-1,0)",
        "A1B2C3D45E6F7G8H-",
        "jaap: F4A81B5EH2C63D7G/",
        "wca:(1,0)/(3,3)/(-1,0)/",
        "(1,0)/(3,-3)/ x2 /(−1, 6)",
        "cube21:(-1,0)/!(5,-3)(-5,3)",
        "1,0 / 3,3 / -1,0",
        "//",
        "",
    ];
    twistbase_testing::fuzz::fuzz_text("positions and sequences of the Square-1 family", inputs, &right, 1 << 17, read);
}

#[test]
fn nearly_right_text_is_read_or_rejected_with_reasons() {
    fuzz(3000);
}

#[test]
#[ignore = "long suite: a million texts"]
fn a_million_nearly_right_texts_are_read_or_rejected_with_reasons() {
    fuzz(twistbase_testing::fuzz::many(600_000));
}
