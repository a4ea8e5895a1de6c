//! Tests of what people and programs write besides the letters of moves.

use crate::cube3::notation::{parse_position, parse_sequence};

fn read(text: &str) -> String {
    parse_sequence(text).map_or_else(|error| panic!("{error}"), |sequence| sequence.to_string())
}

/// The codes of the problems of a text, and the parts that they mark.
fn wrong(text: &str) -> Vec<(&'static str, String)> {
    let error = parse_sequence(text).expect_err(text);
    let part = |at: Option<std::ops::Range<usize>>| at.map_or_else(String::new, |at| error.input[at].to_owned());
    error.problems.iter().map(|problem| (problem.code, part(problem.at.clone()))).collect()
}

#[test]
fn counts_of_moves_at_the_end_are_comments() {
    for (text, moves) in [
        ("R1 (1f)", "R"),
        ("U2 R2 (2f)", "U2 R2"),
        ("R2 U2 (2f*) //name", "R2 U2"),
        ("R2 U2(2f*)\n", "R2 U2"),
        ("R2 (1 f*)\r\nU", "R2 U"),
        ("R U (2q)", "R U"),
        ("M (1s*)", "R L'"),
        ("R2 U (2 HTM)", "R2 U"),
        ("R2 (2qtm) /* q */", "R2"),
        ("R U (2 moves)", "R U"),
        ("(0f)", ""),
        // These are moves.
        ("(2f) U", "B L"),
        ("(2f)", "B"),
        ("R (2f) U", "R B L"),
        ("R (2f)2", "R B B"),
        ("R (2F)", "R B F'"),
    ] {
        assert_eq!(read(text), moves, "{text:?}");
    }
    assert_eq!(wrong("(18f*)")[0].0, "layer-out-of-range");
    assert_eq!(wrong("R (4f) U")[0].0, "layer-out-of-range");
}

#[test]
fn other_ways_of_writing_moves_are_read() {
    for (text, moves) in [
        ("R'2 U'3 F2'", "R2 U F2"),
        ("Ri Ui2 F", "R' U2 F"),
        ("R² U³ F¹ D⁻¹", "R2 U' F D'"),
        ("R.U.F2", "R U F2"),
        ("R · U", "R U"),
        ("R /* c */ U/**/F", "R U F"),
        ("R /* (U\n// */ U", "R U"),
        ("Ｒ Ｕ２ Ｆ＇　（ＲＵ）２", "R U2 F' R U R U"),
        ("2-3r U", "R' F"),
        ("2-3Rw U", "R' F"),
        ("2\u{2013}3R' U", "R B"),
        ("1-2r U", "L F"),
        ("1-3r U", "F"),
        ("2-2R U", "L R' F"),
        ("3-3r U", "L' U"),
        ("M2 U' M2 U M2", "R2 L2 D' R2 L2 U R2 L2"),
        ("R // a\rU", "R U"),
    ] {
        assert_eq!(read(text), moves, "{text:?}");
    }
    for (text, code, part) in [
        ("R /* c", "unclosed-comment", "/*"),
        ("R'2F", "ambiguous-number", "R'2"),
        ("R'2-3r", "ambiguous-number", "R'2"),
        ("R'4", "turn-out-of-range", "R'4"),
        ("3-2r", "layer-out-of-range", "3-2r"),
        ("2-4Rw", "layer-out-of-range", "2-4Rw"),
        ("1-2M", "layer-out-of-range", "1-2M"),
        ("2-R", "bad-character", "2-"),
        ("Ｒ Ｑ", "bad-character", "Ｑ"),
        ("U R''", "repeated-apostrophe", "R''"),
        ("U R2’’ F", "repeated-apostrophe", "R2’’"),
        ("1.R U", "bad-character", "1"),
    ] {
        assert_eq!(wrong(text)[0], (code, part.to_owned()), "{text:?}");
    }
}

#[test]
fn brackets_are_repeated_however_that_is_written() {
    for text in ["(R U')3", "(R U') x3", "(R U')x3", "(R U') X3", "(R U') ×3", "(R U')^3", "(R U') * 3", "(U R')'3"] {
        assert_eq!(read(text), "R U' R U' R U'", "{text:?}");
    }
    assert_eq!(read("(R U R' U') x6").split(' ').count(), 24);
    // Turns of the whole cube.
    assert_eq!((read("(R) x U"), read("(R) x' U"), read("(R) x2' U")), ("R F".into(), "R B".into(), "R D".into()));
    assert_eq!(wrong("(R U) x2"), [("ambiguous-repetition", "x2".to_owned())]);
    assert_eq!(wrong("(R U)x1 F"), [("ambiguous-repetition", "x1".to_owned())]);
    assert_eq!(wrong("(R U) x0"), [("bad-repetition", ") x0".to_owned())]);
    let message = parse_sequence("(R U) x2").unwrap_err().to_string();
    assert!(message.contains("write (…)2 to repeat it, x x to turn the cube"), "{message}");
}

#[test]
fn commutators_and_conjugates_are_read() {
    for (text, moves) in [
        ("[R, U]", "R U R' U'"),
        ("[r: U]", "L F L'"),
        ("[R U R', D]2", "R U R' D R U' R' D' R U R' D R U' R' D'"),
        ("[R, U]'", "U R U' R'"),
        ("[U: [R, F2]]", "U R F2 R' F2 U'"),
        ("[[R, U]: F]", "R U R' U' F U R U' R'"),
        ("[x: U]", "F"),
        ("([R, U] F)2", "R U R' U' F R U R' U' F"),
        ("[R,U] // a comment, with: signs", "R U R' U'"),
        ("［Ｒ，Ｕ］", "R U R' U'"),
    ] {
        assert_eq!(read(text), moves, "{text:?}");
    }
    for (text, code, part) in [
        ("[R]", "bad-brackets", "[R]"),
        ("[R, ]", "bad-brackets", "[R, ]"),
        ("[: U]", "bad-brackets", "[: U]"),
        ("[R, U, F]", "misplaced-sign", ","),
        ("R, U", "misplaced-sign", ","),
        ("(R: U)", "misplaced-sign", ":"),
        ("[R, U", "unclosed-bracket", "["),
        ("[R, U)", "unopened-bracket", ")"),
        ("R]", "unopened-bracket", "]"),
    ] {
        assert_eq!(wrong(text)[0], (code, part.to_owned()), "{text:?}");
    }
    // Each doubles what is in it.
    let nested = format!("{}R{}", "[".repeat(40), ", U]".repeat(40));
    assert_eq!(wrong(&nested).iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["too-many-moves"]);
    assert_eq!(wrong(&"[".repeat(2000)), [("unclosed-bracket", "[".to_owned())]);
}

#[test]
fn what_is_of_square1_is_said_to_be() {
    for text in ["(1,0)/(3,3)/", "/ (-1, 0) / (3, -3) /", "1,0/3,3/", "01234567-89ABCDEF", "01234567-89ABCDEF/"] {
        let error = parse_position(text).unwrap_err();
        assert_eq!(error.problems.len(), 1, "{error}");
        assert_eq!(error.problems[0].code, "other-puzzle", "{text}");
        assert!(error.to_string().contains("for Square-1; give the puzzle square1 or cube21"), "{error}");
    }
    for text in ["B2D2F2B2D2F2B2D2", "// 1,2"] {
        assert!(parse_position(text).is_ok(), "{text}");
    }
}

#[test]
fn no_text_and_the_word_are_the_solved_position() {
    for text in ["", "  ", "solved", " Solved\n", "wca:", "wca: solved"] {
        assert!(parse_position(text).unwrap().position.is_solved(), "{text:?}");
        assert!(crate::cube2::notation::parse_position(text).unwrap().0.is_solved(), "{text:?}");
    }
    assert!(parse_position("facelets:").is_err() && parse_sequence("solved").is_err());
}
