//! Tests of the notations. Whether they agree with a cube of stickers, `tests/cube3/model.rs` tests.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::cube3::{Move, random_cube};
use crate::input::LONGEST_INPUT;

const SOLVED_FACELETS: &str = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB";
const SOLVED_CUBIES: &str = "UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR";

fn position(text: &str) -> Cube {
    parse_position(text).unwrap().position
}

fn codes(text: &str) -> Vec<&'static str> {
    parse_position(text).map_or_else(|error| error.problems.iter().map(|problem| problem.code).collect(), |_| vec![])
}

fn marked(text: &str) -> Vec<String> {
    let error = parse_position(text).unwrap_err();
    error.problems.iter().filter_map(|p| p.at.clone().map(|at| error.input[at].to_owned())).collect()
}

/// The solved cube with some of its facelets replaced.
fn facelets_with(changes: &[(usize, char)]) -> String {
    let mut letters: Vec<char> = SOLVED_FACELETS.chars().collect();
    changes.iter().for_each(|&(facelet, letter)| letters[facelet] = letter);
    letters.into_iter().collect()
}

#[test]
fn solved_is_read_in_every_notation() {
    let by_face = SOLVED_FACELETS.as_bytes().chunks(9).map(|face| str::from_utf8(face).unwrap()).collect::<Vec<_>>();
    assert_eq!(
        (facelets::print(&Cube::SOLVED).as_str(), reid::print(&Cube::SOLVED).as_str()),
        (SOLVED_FACELETS, SOLVED_CUBIES)
    );
    for text in [
        SOLVED_FACELETS,
        &by_face.join(" \n"),
        &format!("Facelets: {}", SOLVED_FACELETS.to_lowercase()),
        SOLVED_CUBIES,
        &format!("reid:{SOLVED_CUBIES}"),
        &format!("cubies: {}", SOLVED_CUBIES.to_lowercase().replace(' ', "\t")),
        "wca:",
        "// nothing: at all",
        "R R'",
        "(R U R' U')6",
        "x y z",
        "R1R3 F2F2'",
    ] {
        assert!(position(text).is_solved(), "{text:?}");
    }
}

#[test]
fn notations_are_told_apart() {
    let notation = |text: &str| parse_position(text).map_or_else(|error| error.expected, |p| p.notation.expected());
    for (text, expected) in [
        (SOLVED_FACELETS, Cube3Notation::Facelets),
        (&SOLVED_FACELETS[1..], Cube3Notation::Facelets),
        (&SOLVED_FACELETS.chars().flat_map(|c| [c, ' ']).collect::<String>(), Cube3Notation::Facelets),
        (&SOLVED_FACELETS.replace('B', "?"), Cube3Notation::Facelets),
        ("", Cube3Notation::Wca),
        ("facelets:", Cube3Notation::Facelets),
        (SOLVED_CUBIES, Cube3Notation::Reid),
        (&SOLVED_CUBIES[3..], Cube3Notation::Reid),
        ("UF UR", Cube3Notation::Wca),
        ("RUFRUF", Cube3Notation::Wca),
        ("x", Cube3Notation::Wca),
        ("?", Cube3Notation::Wca),
    ] {
        assert_eq!(notation(text), expected.expected(), "{text:?}");
    }
    assert_eq!(codes("facelets:"), ["facelet-count"]);
}

#[test]
fn sequences_are_read_as_they_are_written_everywhere() {
    let read = |text: &str| parse_sequence(text).unwrap().to_string();
    for (text, expected) in [
        ("F1R1U2", "F R U2"),
        ("B3L1F1", "B' L F"),
        ("U2' R\u{2019} F3' B\u{2032}", "U2 R' F B'"),
        ("wca: RUR'U'", "R U R' U'"),
        ("(R U)2", "R U R U"),
        ("(R (U D')2)*2' F", "D U' D U' R' D U' D U' R' F"),
        ("( L ) * 3", "L L L"),
        ("R // a comment: (U\nU", "R U"),
        ("Rw U", "L F"),
        ("r' U", "L' B"),
        ("M2 U2", "R2 L2 D2"),
        ("M F", "R L' U"),
        ("E F", "U D' L"),
        ("S U", "B F' L"),
        ("x R U y' F z B", "R F L R"),
        ("Lw Dw Bw", "R B L"),
        ("2Rw 2r' U", "L L' U"),
        ("1R 1Rw 1r2", "R R R2"),
        ("3Rw U", "F"),
        ("3u2 R 3Fw'", "L"),
        ("2R U", "L R' F"),
        ("2L2 U", "R2 L2 D"),
        ("3R U", "L' U"),
        ("U2R", "U2 R"),
        ("U3Rw2", "U' L2"),
        ("U 2R2", "U L2 R2"),
        ("(R U) 2R'", "R U L' R"),
    ] {
        assert_eq!(read(text), expected, "{text:?}");
    }
}

#[test]
fn mistakes_in_sequences_are_named_and_marked() {
    for (text, code, part) in [
        ("R4", "turn-out-of-range", "R4"),
        ("R U0' F", "turn-out-of-range", "U0'"),
        ("R99999999999999999999999", "turn-out-of-range", "R99999999999999999999999"),
        ("R Q? U", "bad-character", "Q?"),
        ("(R U", "unclosed-bracket", "("),
        ("R U)2", "unopened-bracket", ")"),
        ("(R)0", "bad-repetition", ")0"),
        ("(R)* U", "bad-repetition", ")* "),
        ("(R U)5001", "too-many-moves", "(R U)5001"),
        ("U ((((R)99)99)99)99", "too-many-moves", "(((R)99)99)99"),
        ("R é U", "bad-character", "é"),
        ("U 4R F", "layer-out-of-range", "4R"),
        ("0Rw", "layer-out-of-range", "0Rw"),
        ("2M'", "layer-out-of-range", "2M"),
        ("3x", "layer-out-of-range", "3x"),
        ("R 2 U", "bad-character", "2"),
    ] {
        assert_eq!((codes(text)[0], marked(text)[0].as_str()), (code, part), "{text:?}");
    }
    assert_eq!(codes("R4 ? (U"), ["turn-out-of-range", "bad-character", "unclosed-bracket"]);
    assert_eq!(codes("((R)5000)2"), Vec::<&str>::new());
    assert_eq!(codes(&"U ".repeat(LONGEST_INPUT)), ["too-long"]);
}

#[test]
fn every_reason_against_facelets_is_named() {
    assert_eq!(codes(&SOLVED_FACELETS[..53]), ["facelet-count"]);
    assert_eq!(codes(&format!("{SOLVED_FACELETS}B")), ["facelet-count", "colour-count"]);
    assert_eq!(codes(&SOLVED_FACELETS.replacen('R', "X", 1)), ["bad-character", "facelet-count"]);
    // URF with two colours exchanged; then twisted either way.
    let [mirrored, clockwise, anticlockwise] = ["RUF", "FUR", "RFU"].map(|colours| {
        let stickers: Vec<_> = [8, 9, 20].into_iter().zip(colours.chars()).collect();
        facelets_with(&stickers)
    });
    assert_eq!(codes(&mirrored), ["mirrored-corner", "missing-piece"]);
    assert_eq!((codes(&clockwise), codes(&anticlockwise)), (vec!["twisted-corner"], vec!["twisted-corner"]));
    let message = |text: &str| parse_position(text).unwrap_err().problems[0].message.clone();
    assert!(message(&clockwise).starts_with("a corner is twisted clockwise"), "{}", message(&clockwise));
    assert!(message(&anticlockwise).starts_with("a corner is twisted anticlockwise"), "{}", message(&anticlockwise));
    assert_eq!(codes(&facelets_with(&[(5, 'R'), (10, 'U')])), ["flipped-edge"]);
    assert_eq!(codes(&facelets_with(&[(10, 'F'), (19, 'R')])), ["exchanged-pieces"]);
    let all = codes(&facelets_with(&[(10, 'F'), (19, 'R'), (32, 'R'), (16, 'D'), (8, 'F'), (9, 'U'), (20, 'R')]));
    assert_eq!(all, ["twisted-corner", "flipped-edge", "exchanged-pieces"]);
    let text = format!("facelets: {}", facelets_with(&[(5, 'D'), (20, 'B')]));
    assert_eq!(
        codes(&text),
        [
            "colour-count",
            "colour-count",
            "colour-count",
            "colour-count",
            "mirrored-corner",
            "missing-piece",
            "duplicate-piece",
            "missing-piece"
        ]
    );
    assert_eq!(marked(&text), ["U", "D"]);
}

/// Facelets with other letters for those of faces, by the order of these.
fn renamed(facelets: &str, letters: &str) -> String {
    facelets.chars().map(|c| char::from(letters.as_bytes()["URFDLB".find(c).unwrap()])).collect()
}

#[test]
fn letters_of_colours_are_read_by_any_scheme_that_the_centres_tell() {
    let scrambled = position("R U2 F' L D B2 R' U");
    let text = facelets::print(&scrambled);
    // The schemes of the west and of Japan, a mirror image, and yellow up.
    for scheme in ["WRGYOB", "WRGBOY", "WOGYRB", "YOGWRB", "wrgyob"] {
        let renamed = renamed(&text, scheme);
        assert_eq!(position(&renamed), scrambled, "{scheme}");
        assert_eq!(position(&format!("facelets: {renamed}")), scrambled);
        let spaced: String = renamed.chars().flat_map(|c| [c, ' ']).collect();
        assert_eq!(position(&spaced), scrambled);
        assert_eq!(parse_position(&renamed).map(|read| read.notation), Ok(Cube3Notation::Facelets));
    }
    // What is a sequence remains one.
    assert_eq!(position("RwBwRwBwRwBw"), position("Rw Bw Rw Bw Rw Bw"));
    assert_eq!(position(&"r y b y ".repeat(8)), position("(r y b y)8"));
}

#[test]
fn every_reason_against_letters_of_colours_is_named() {
    let solved = renamed(SOLVED_FACELETS, "WRGYOB");
    assert_eq!(codes(&solved[..53]), ["facelet-count"]);
    assert_eq!(codes(&solved.replacen('W', "U", 1)), ["mixed-colours"]);
    assert_eq!(marked(&format!("{}F", &solved[..53])), ["F"]);
    assert_eq!(codes(&solved.replace('O', "L").replacen('L', "O", 1)), ["mixed-colours"]);
    let mut letters: Vec<char> = solved.chars().collect();
    letters[31] = 'W';
    letters[0] = 'Y';
    let equal: String = letters.iter().collect();
    assert_eq!(codes(&equal), ["equal-centres"]);
    assert!(parse_position(&equal).unwrap_err().problems[0].message.contains("U and D"));
    let message = |text: &str| parse_position(text).unwrap_err().problems[0].message.clone();
    assert_eq!(message(&solved.replacen('Y', "O", 1)), "colour Y appears 8 times; expected 9");
    // UR and the corner URF with colours that no piece has.
    let with = |facelet: usize, letter: char| {
        let mut letters: Vec<char> = solved.chars().collect();
        letters[facelet] = letter;
        parse_position(&letters.into_iter().collect::<String>()).unwrap_err().to_string()
    };
    assert!(with(5, 'O').contains("the stickers at UR are O, R; no edge has these colours"), "{}", with(5, 'O'));
    assert!(with(8, 'Y').contains("the stickers at URF are the mirror image of corner DFR"), "{}", with(8, 'Y'));
    assert!(with(8, 'B').contains("the stickers at URF are B, R, G; no corner has these colours"), "{}", with(8, 'B'));
}

#[test]
fn centres_are_checked() {
    // The centres of R and L exchanged; U, R and F turned about; U replaced.
    assert_eq!(codes(&facelets_with(&[(13, 'L'), (40, 'R')])), ["mirrored-centres"]);
    assert_eq!(codes(&facelets_with(&[(13, 'F'), (22, 'R')])), ["misplaced-centres", "misplaced-centres"]);
    assert_eq!(
        codes(&facelets_with(&[(4, 'R')])),
        ["colour-count", "colour-count", "equal-centres", "misplaced-centres"]
    );
    // Centres that are turned alone: half a turn is possible, a quarter is an odd permutation of the others.
    assert!(!position(&facelets_with(&[(4, 'D'), (31, 'U'), (22, 'B'), (49, 'F')])).is_solved());
    assert_eq!(codes(&facelets_with(&[(4, 'F'), (22, 'D'), (31, 'B'), (49, 'U')])), ["exchanged-pieces"]);
    let mirror = SOLVED_FACELETS.replace('R', "?").replace('L', "R").replace('?', "L");
    assert_eq!(codes(&mirror)[0], "mirrored-centres");
}

#[test]
fn a_cube_is_read_as_it_is_held() {
    // Texts, solutions in the hand, and turns of the whole cube that bring white up and green in front.
    for (text, solution, home) in [
        ("R U2 F' L D B2 Rw Uw'", "D F' D2 R' F' U L2 B'", "z y"),
        ("FFRFFRDDRFFFRRBRRBRRUDDBDDBBBUBBULLLDDBFLLFLLDLLUUUUUU", "U' B' R'", "x'"),
        ("R x", "R'", "x'"),
        ("R", "R'", ""),
    ] {
        let read = parse_position(text).unwrap();
        assert!(parse_sequence(solution).unwrap().apply(&read.position).is_solved(), "{text}");
        let (turned, turns) = read.held().turned_home().unwrap();
        assert_eq!((turns.as_str(), turned.centres), (home, Centres::USUAL), "{text}");
        assert_eq!(read.held().after(&parse_motion(&turns).unwrap()), turned, "{text}");
        // In the letters of its colours it is the same.
        let shown = read.centres.painted(&facelets::print(&read.position));
        assert_eq!(position(&renamed(&shown, "WRGYOB")), read.position, "{text}");
    }
    let other = renamed(&facelets::print(&position("R U")), "WRGBOY");
    assert_eq!(parse_position(&other).unwrap().held().turned_home(), None);
}

/// Facelets in another order of the faces.
fn ordered(facelets: &str, faces: &str) -> String {
    faces.chars().map(|face| &facelets[9 * "URFDLB".find(face).unwrap()..][..9]).collect()
}

#[test]
fn facelets_are_read_in_other_orders() {
    let scrambled = position("R U2 F' L D B2 R' U");
    let text = facelets::print(&scrambled);
    for order in ["ULFRBD", "UFRBLD", "FRBLUD", "UDLRFB"] {
        for letters in ["URFDLB", "WRGYOB", "ABCDEF", "210345"] {
            let read = parse_position(&renamed(&ordered(&text, order), letters)).unwrap();
            let spaced: String = order.chars().flat_map(|c| [c, ' ']).collect();
            assert_eq!((read.position, read.order.to_string()), (scrambled, spaced.trim().to_owned()), "{letters}");
        }
        // Of a cube that is no cube the reasons are those of the usual order.
        let wrong = ordered(&facelets_with(&[(5, 'R'), (10, 'U')]), order);
        assert_eq!(codes(&wrong)[0], "misplaced-centres");
    }
    let rows =
        |row: usize| ["L", "F", "R", "B"].map(|face| &text[9 * "URFDLB".find(face).unwrap() + 3 * row..][..3]).concat();
    let net = format!("{}\n{}\n{}\n{}\n{}", &text[..9], rows(0), rows(1), rows(2), &text[27..36]);
    let read = parse_position(&net).unwrap();
    assert_eq!((read.position, read.order.to_string().as_str()), (scrambled, "U, the rows of L F R B side by side, D"));
    let rows = "LLLFFFRRRBBB".repeat(3);
    let solved = parse_position(&format!("UUUUUUUUU{rows}DDDDDDDDD")).unwrap();
    assert!(solved.position.is_solved() && solved.order.to_string().starts_with("U, the rows"), "{solved:?}");
    // All orders show the same.
    assert!(position(&ordered(SOLVED_FACELETS, "ULFRBD")).is_solved());
    assert!(parse_position(&text).unwrap().order.is_usual());
}

#[test]
fn letters_of_ones_own_and_of_full_width_are_read() {
    let scrambled = position("R U2 F' L D B2 R' U");
    let text = facelets::print(&scrambled);
    for letters in
        ["ABCDEF", "012345", "123456", "WRGYOP", "wrgyop", "SRGYOB", "ybsrog", "WRGYLB", "123WGO", "URFDLM", "rbyluz"]
    {
        assert_eq!(position(&renamed(&text, letters)), scrambled, "{letters}");
    }
    let silver = "yborsbrrbrryyrgyyoggssgorsobobyygsssgysrobobygorobsbgg";
    assert_eq!(position(silver), position(&silver.replace('s', "w")));
    // What is a sequence remains one, unless its letters look like stickers.
    let spaced: String = renamed(&text, "URFDLM").chars().flat_map(|c| [c, ' ']).collect();
    for sequence in [&"URFDLM".repeat(9), &"U1R2L3".repeat(9), &"rbyluz".repeat(9), &spaced] {
        assert_eq!(parse_position(sequence).map(|read| read.notation), Ok(Cube3Notation::Wca), "{sequence}");
    }
    assert_eq!(position(&format!("facelets: {spaced}")), scrambled);
    let wide: String = text.chars().map(|c| char::from_u32(u32::from(c) + 0xFEE0).unwrap()).collect();
    assert_eq!(position(&wide), scrambled);
    assert_eq!(codes(&renamed(&text, "WRGYOP").replacen('P', "W", 1))[0], "bad-character");
}

#[test]
fn every_reason_against_cubies_is_named() {
    let with = |from: &str, to: &str| SOLVED_CUBIES.replacen(from, to, 1);
    assert_eq!(codes(&with("UF", "FU")), ["flipped-edge"]);
    assert_eq!(codes(&with("UFR", "FRU")), ["twisted-corner"]);
    assert_eq!(codes(&with("UF UR", "UR UF")), ["exchanged-pieces"]);
    assert_eq!(codes(&with("UFR", "URF")), ["mirrored-corner", "missing-piece"]);
    assert_eq!(codes(&with("UR", "UD")), ["bad-piece", "missing-piece"]);
    assert_eq!(codes(&with("UR", "UF")), ["duplicate-piece", "missing-piece"]);
    assert_eq!(codes(&with("BL ", "")), ["piece-count", "missing-piece"]);
    assert_eq!(codes(&format!("{SOLVED_CUBIES} UFR")), ["surplus-piece", "piece-count"]);
    assert_eq!(codes(&with("UFR URB", "UFR UF URB")), ["misplaced-piece", "surplus-piece", "piece-count"]);
    assert_eq!(codes(&with("UL", "X")), ["bad-piece", "missing-piece"]);
    let text = format!("reid: {}", with("UR", "ÜR").replacen("DRF", "ULF", 1));
    assert_eq!(codes(&text), ["bad-piece", "duplicate-piece", "missing-piece", "missing-piece"]);
    assert_eq!(marked(&text), ["ÜR", "ULF"]);
}

#[test]
fn known_cubies_are_read() {
    // After U the edges of the back have come to the right: pieces move clockwise.
    assert!(reid::print(&position("U")).starts_with("UR UB UL UF DF"));
    let superflip = "FU RU BU LU FD RD BD LD RF LF RB LB UFR URB UBL ULF DRF DFL DLB DBR";
    assert_eq!(position(superflip), position("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"));
    // Shown by the documentation of cube20src's twophase, whose solutions lead from solved to the position.
    for (cubies, solution) in [
        (
            "RU UL RD BU FD RF BL DL BD UF BR FL BDL FUL BRD FRU RFD BUR LUB FLD",
            "L1 F2 R2 D2 F2 U2 R1 U2 L3 B2 F1 R3 B2 U2 L1 F3 R1 U2 D1 L3",
        ),
        (
            "FD UB BD LD RU LF BL UL FU DR BR FR LDF FUL RFD FRU BRD BUR LUB LBD",
            "R1 B2 F2 R3 L2 F2 D2 F2 B1 D3 L3 B3 D1 L3 U3 D2 R2 B2 R2 F1",
        ),
        (
            "RD UL BD BU RU LF BL DF FU DL FR BR FDR FUL FLD FRU BRD BUR LUB LBD",
            "B1 R3 U2 F1 L2 B3 L1 U2 L1 U1 R2 B2 L1 B2 L3 B2 L3 U2 L3 B2",
        ),
    ] {
        assert_eq!(position(solution), position(cubies), "{cubies}");
        assert_eq!(reid::print(&position(solution)), cubies);
    }
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(seed: u64) {
        let cube = random_cube(&mut ChaCha8Rng::seed_from_u64(seed));
        for (text, notation) in [(facelets::print(&cube), Cube3Notation::Facelets), (reid::print(&cube), Cube3Notation::Reid)] {
            prop_assert_eq!(parse_position(&text), Ok(ParsedCube3::new(cube.into(), notation)));
        }
        prop_assert_eq!(facelets::parse(&facelets::print(&cube)), Ok(cube));
        prop_assert_eq!(reid::parse(&reid::print(&cube)), Ok(cube));
    }

    #[test]
    fn sequences_that_are_printed_are_read_back(numbers in prop::collection::vec(0..Move::COUNT, 0..50)) {
        let moves: Vec<_> = numbers.into_iter().filter_map(Move::from_index).collect();
        let sequence = MoveSequence::new(moves);
        prop_assert_eq!(wca::parse(&sequence.to_string()), Ok(sequence));
    }
}

/// Reads a text in every way. Whatever is wrong must be told, at places that exist; what is right comes back when it is
/// printed.
fn read(text: &str) {
    let mut wrong = Vec::new();
    match parse_position(text) {
        Ok(ParsedCube3 { position, .. }) => {
            assert_eq!(facelets::parse(&facelets::print(&position)), Ok(position));
            assert_eq!(reid::parse(&reid::print(&position)), Ok(position));
        }
        Err(error) => wrong.push(error),
    }
    wrong.extend([facelets::parse(text), reid::parse(text)].into_iter().filter_map(Result::err));
    for parsed in [parse_sequence(text), wca::parse(text)] {
        match parsed {
            // Repetitions that are written out may be longer than what is read.
            Ok(sequence) if sequence.to_string().len() > LONGEST_INPUT => {}
            Ok(sequence) => assert_eq!(wca::parse(&sequence.to_string()), Ok(sequence)),
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
        SOLVED_FACELETS,
        SOLVED_CUBIES,
        "facelets:DRLUUBFBRBLURRLRUBLRDDFDLFUFUFFDBRDUBRUFLLFDDBFLUBLRBD",
        "reid: UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR",
        "wca:R U2 F' (L D)3 Rw M' x y2 z'",
        "F1R1U2B3D2L3",
        "3Rw 2R' 2-3r U 3L2 R'2 Ｒ² /* c */ (2f*) // c",
        "[R: [U, (F x')3]] (R.U) x6",
        "WWWWWWWWWRRRRRRRRRGGGGGGGGGYYYYYYYYYOOOOOOOOOBBBBBBBBB",
        "R U R' U' (R' F)2 R2",
        "",
    ];
    // Repetitions are written out, up to the most moves that a sequence may have.
    twistbase_testing::fuzz::fuzz_text("positions and sequences of the Rubik's cube", inputs, &right, 1 << 20, read);
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

#[test]
fn what_is_read_quickly_is_what_is_read_in_full() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for number in 0..150 {
        let text = facelets::print(&random_cube(&mut rng));
        assert!(read_facelets(&text).is_some(), "{text}");
        assert_eq!(parse_position(&text), parse_in_full(&text));
        let at = number % text.len();
        for letter in "URFDLBurWGYO .".chars() {
            let changed = [&text[..at], &letter.to_string(), &text[at + 1..]].concat();
            assert_eq!(parse_position(&changed), parse_in_full(&changed), "{changed}");
        }
        let mut exchanged = text.into_bytes();
        (0..54).for_each(|other| {
            exchanged.swap(at, other);
            let text = String::from_utf8(exchanged.clone()).unwrap();
            assert_eq!(parse_position(&text), parse_in_full(&text), "{text}");
        });
    }
}
