//! How positions of the 2×2×2 cube are written, and reading whatever of it a person types.
//!
//! | notation | solved, or an example |
//! |---|---|
//! | `facelets` | `UUUURRRRFFFFDDDDLLLLBBBB` |
//! | `wca`, a sequence | `R U2 F'`, `x (R U)3 L'`, `F1R1U2` |
//!
//! Facelets are the colours of the 24 stickers. The faces come in the order U R F D L B, each row by row as one looks at
//! it (U with B at its top, D with F at its top, the others with U at their top). A colour is named like the face that
//! has it when the cube is solved, or by its own letter: W white, R red, G green, Y yellow, O orange, B blue. There is no
//! centre to show which colours are opposite to each other: they are taken for those of most cubes, or if that gives no
//! cube, those are opposite that no corner has both of. So any other six letters or digits are read, too, if nothing else is
//! written and there are four of each. Either case; spaces and commas are ignored. Where the order U R F D L B gives no cube, other
//! ones are tried as for the [3×3×3](facelets).
//!
//! ```text
//!          U1 U2
//!          U3 U4
//!   L1 L2  F1 F2  R1 R2  B1 B2
//!   L3 L4  F3 F4  R3 R4  B3 B4
//!          D1 D2
//!          D3 D4
//! ```
//!
//! A sequence stands for the position to which it leads from the solved one, as a scramble does. It is written as for
//! the [3×3×3](wca) and does what it does to that cube's corners: `Rw` turns those that `R` turns. `M`, `E` and `S` are refused:
//! this cube has no middle layers. So are layers with numbers (`2R`): counted on this cube they are others.
//!
//! In either notation the cube may be held in any way, and moves are those of the cube as it is held: what is read is the
//! position whose colours are named so that corner DBL is in its place.
//!
//! [`parse_position`] takes both. A prefix `facelets:` or `wca:` names the notation; without one it follows from the
//! text: no text at all, and the word `solved`, are the solved position; text with eight letters URFDLB in a row and no
//! comment (`//` or `/*`), and text of nothing but these letters, at least twelve and some of them next to each other, are
//! facelets, likewise letters of colours (WRGYOB), if all or none are capitals; so is text of nothing but any other six letters
//! or digits, four of each, unless it is a sequence; any other text is a sequence.

pub mod array;

use super::{Cube2Position, HELD};
use crate::cube3::notation::facelets::{
    self, FaceletLetters, Sticker, StickerNames, check_counts, read_corners, read_stickers,
};
use crate::cube3::notation::{Cube3Notation, FaceletOrder, HeldCube, Motion, Pieces, has_comment, sequence_text, wca};
use crate::cube3::{CORNERS, Centres, Cube, Face};
use crate::input::{self, Text, names_solved};
use twistbase_core::error::{InvalidInput, Problem};

/// Stickers of a cube.
const FACELETS: usize = 24;
/// Stickers of a face.
const OF_FACE: usize = 4;

/// The facelets of each corner place, on its faces in turn: U4 R1 F2, U3 F1 L2, …
const CORNER_FACELETS: [[usize; 3]; CORNERS] =
    [[3, 4, 9], [2, 8, 17], [0, 16, 21], [1, 20, 5], [13, 11, 6], [12, 19, 10], [14, 23, 18], [15, 7, 22]];

/// Reads a position in either notation, by the rules of the [module](self), and says which it was.
///
/// # Errors
/// Fails with every reason found.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_puzzle as puzzle; }
/// use twistbase::puzzle::cube2::notation;
///
/// let (position, _) = notation::parse_position("R U2 F' // any comment")?;
/// let printed = notation::print(&position);
/// assert_eq!(notation::parse_position(&printed)?.0, position);
/// # Ok::<(), twistbase::error::InvalidInput>(())
/// ```
pub fn parse_position(input: &str) -> Result<(Cube2Position, Cube3Notation), InvalidInput> {
    match facelets::numbers(input).and_then(|numbers| array::read_quickly(&numbers)) {
        Some(position) => Ok((position, Cube3Notation::Facelets)),
        None => parse_in_full(input).map(|(held, notation)| (held.position, notation)),
    }
}

/// Reads the same with how the cube is held.
///
/// # Errors
/// As [`parse_position`].
pub fn parse_held(input: &str) -> Result<HeldCube<Cube2Position>, InvalidInput> {
    parse_in_full(input).map(|(held, _)| held)
}

/// Reads a sequence, with or without the prefix `wca:`, and how the whole cube is turned by it.
///
/// # Errors
/// Fails with every reason found.
pub fn parse_motion(input: &str) -> Result<Motion, InvalidInput> {
    sequence_text(input).read(wca::read_for_cube2)
}

impl HeldCube<Cube2Position> {
    /// The corners of a 3×3×3 whose colours have these names.
    fn of_cube3(cube: &Cube, centres: Centres) -> Self {
        let (position, renamed) = Cube2Position::of_cube3(cube);
        Self { centres: centres.renamed(renamed), ..Self::from(position) }
    }

    /// The cube after a sequence, as it is held then.
    #[must_use]
    pub fn after(&self, motion: &Motion) -> Self {
        Self::of_cube3(&motion.apply(&self.position.cube()), self.centres.then(motion.centres))
    }

    /// The cube turned about until the corner of the colours yellow, orange and blue is where it is with white up and green in
    /// front, and the turns that do it; `None` of other colours.
    pub fn turned_home(&self) -> Option<(Self, String)> {
        Centres::all().find_map(|(turns, centres)| {
            let turned = self.after(&centres.into());
            (turned.centres == Centres::USUAL).then_some((turned, turns))
        })
    }
}

/// The same for every form of a position, with every reason where there is none.
fn parse_in_full(input: &str) -> Result<(HeldCube<Cube2Position>, Cube3Notation), InvalidInput> {
    let notation_of = |name: &str| match name.to_ascii_lowercase().as_str() {
        "facelets" => Some(Cube3Notation::Facelets),
        "wca" => Some(Cube3Notation::Wca),
        _ => None,
    };
    let prefixed = input::prefix(input).and_then(|(name, start)| Some((start, notation_of(name)?)));
    let (start, notation) = prefixed.unwrap_or_else(|| {
        let start = input::after_list_number(input);
        (start, guess(&input[start..]))
    });
    let solved = HeldCube::from(Cube2Position::SOLVED);
    let held = if notation == Cube3Notation::Wca && names_solved(&input[start..]) {
        solved
    } else if notation == Cube3Notation::Facelets {
        Text { input, start, expected: "2×2×2 cube as facelets" }.read(read_facelets)?
    } else {
        let motion = Text { input, start, expected: "sequence of cube moves" }.read(wca::read_for_cube2)?;
        solved.after(&motion)
    };
    Ok((held, notation))
}

/// The position as 24 capital letters.
pub fn print(position: &Cube2Position) -> String {
    let mut text = String::with_capacity(FACELETS);
    append(position, &mut text);
    text
}

/// Appends the same to a text.
#[doc(hidden)]
pub fn append(position: &Cube2Position, text: &mut String) {
    text.extend(stickers(position).map(Face::letter));
}

/// The stickers of the corners of a 3×3×3 as 24 capital letters.
#[doc(hidden)]
pub fn print_corners(cube: &Cube) -> String {
    stickers_of(cube).map(Face::letter).into_iter().collect()
}

/// The colours of the stickers.
fn stickers(position: &Cube2Position) -> [Face; FACELETS] {
    stickers_of(&position.cube())
}

fn stickers_of(corners: &Cube) -> [Face; FACELETS] {
    let mut stickers = [Face::U; FACELETS];
    for (place, facelets) in CORNER_FACELETS.iter().enumerate() {
        facelets.iter().zip(corners.corner_colours(place)).for_each(|(&facelet, colour)| stickers[facelet] = colour);
    }
    stickers
}

/// The notation of a text without prefix, by the rules of the [module](self).
fn guess(text: &str) -> Cube3Notation {
    let letters = FaceletLetters { in_a_row: 2 * OF_FACE, alone: 12, alone_in_a_row: 2 };
    // No centres show whether letters that are moves are meant otherwise.
    let are_own = || StickerNames::own(text, OF_FACE).is_some() && wca::read_for_cube2(text).is_err();
    let are_many = letters.are_in(text) || are_own();
    let are_facelets = input::is_too_long(text) || are_many && !names_solved(text) && !has_comment(text);
    if are_facelets { Cube3Notation::Facelets } else { Cube3Notation::Wca }
}

/// Reads facelets from the text behind a prefix.
fn read_facelets(text: &str) -> Result<HeldCube<Cube2Position>, Vec<Problem>> {
    let (stickers, names, mut problems) = read_stickers(text, OF_FACE);
    let are_all_known = problems.is_empty();
    check_counts(&stickers, names, OF_FACE, &mut problems);
    if !are_all_known || stickers.len() != FACELETS {
        // Nobody knows to which places they belong.
        return Err(problems);
    }
    let can_be_other = problems.is_empty();
    let held = read_in_order(&stickers, problems).or_else(|problems| {
        let read = |stickers: Vec<Sticker>| match names {
            _ if !can_be_other => None,
            StickerNames::Faces => read_in_order(&stickers, Vec::new()).ok(),
            _ => read_in_order(&stickers, Vec::new()).ok().or_else(|| read_by_corners(stickers)),
        };
        read(stickers.clone()).map_or_else(|| FaceletOrder::only(&stickers, problems, Cube2Position::SOLVED, read), Ok)
    })?;
    // Letters of somebody's own say nothing of colours.
    let centres = if matches!(names, StickerNames::Own(_)) { Centres::USUAL } else { held.centres };
    Ok(HeldCube { centres, ..held })
}

/// Reads all stickers in the usual order, colours taken for those of most cubes; `problems` were found with them before.
fn read_in_order(stickers: &[Sticker], problems: Vec<Problem>) -> Result<HeldCube<Cube2Position>, Vec<Problem>> {
    let mut pieces = Pieces::after(problems);
    read_corners(stickers, &CORNER_FACELETS, &mut pieces);
    let checked = Cube2Position::from_corners_renamed(&pieces.cubies.corners);
    let (position, renamed) = pieces.checked(checked, |_| true)?;
    Ok(HeldCube { centres: Centres::USUAL.renamed(renamed), ..HeldCube::from(position) })
}

/// The same, those colours taken for opposite that no corner has both of.
fn read_by_corners(mut stickers: Vec<Sticker>) -> Option<HeldCube<Cube2Position>> {
    let corners = CORNER_FACELETS.map(|facelets| facelets.map(|facelet| stickers[facelet].colour));
    let opposite = |colour: Face| {
        let beside = |other: &Face| corners.iter().any(|corner| corner.contains(&colour) && corner.contains(other));
        let mut others = Face::ALL.into_iter().filter(|other| !beside(other));
        others.next().filter(|_| others.next().is_none())
    };
    // The corner in place DBL shows which colours belong to D, B and L.
    let mut colours = [None; 6];
    for (colour, face) in corners[HELD].into_iter().zip([Face::D, Face::B, Face::L]) {
        colours[face as usize] = Some(colour);
        colours[face.opposite() as usize] = opposite(colour);
    }
    let colours: Vec<Face> = colours.into_iter().collect::<Option<_>>()?;
    let are_all = Face::ALL.into_iter().all(|colour| colours.contains(&colour));
    let centres = Centres::new(colours.try_into().ok().filter(|_| are_all)?);
    stickers.iter_mut().for_each(|sticker| sticker.colour = centres.face_with(sticker.colour));
    let held = read_in_order(&stickers, Vec::new()).ok()?;
    Some(HeldCube { centres, ..held })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SOLVED: &str = "UUUURRRRFFFFDDDDLLLLBBBB";

    fn position(text: &str) -> Cube2Position {
        parse_position(text).unwrap().0
    }

    fn in_full(text: &str) -> Result<(Cube2Position, Cube3Notation), InvalidInput> {
        parse_in_full(text).map(|(held, notation)| (held.position, notation))
    }

    fn codes(text: &str) -> Vec<&'static str> {
        parse_position(text)
            .map_or_else(|error| error.problems.iter().map(|problem| problem.code).collect(), |_| vec![])
    }

    #[test]
    fn solved_is_read_however_it_is_held() {
        assert_eq!(print(&Cube2Position::SOLVED), SOLVED);
        for text in [
            SOLVED,
            "Facelets: uuuu rrrr ffff dddd llll bbbb",
            "FFFFUUUURRRRBBBBDDDDLLLL",
            "FFFFRRRRDDDDBBBBLLLLUUUU",
            "wca:",
            "// nothing: at all",
            "x y z",
            "U D' y'",
            "(R U R' U')6",
            "Rw L' x'",
            "r l' x'",
        ] {
            assert!(position(text).is_solved(), "{text}");
        }
    }

    #[test]
    fn notations_are_told_apart() {
        for (text, notation) in [
            ("UUUU RRRR FFFF DDDD LLLL BBBB", Cube3Notation::Facelets),
            ("R U R U R U R U R U R U R U R U R U R U R U R U", Cube3Notation::Wca),
            ("wca: UUUURRRRFFFFDDDDLLLLBBBB", Cube3Notation::Wca),
            ("RURURU", Cube3Notation::Wca),
            ("R U // UUUURRRRFFFFDDDDLLLLBBBB", Cube3Notation::Wca),
            ("WWWW RRRR GGGG YYYY OOOO BBBB", Cube3Notation::Facelets),
            ("RwBwRwBwRwBw", Cube3Notation::Wca),
            (&"urfxyz".repeat(4), Cube3Notation::Wca),
        ] {
            assert_eq!(parse_position(text).map(|(_, notation)| notation), Ok(notation), "{text}");
        }
        assert_eq!(position("wca:UUUURRRRFFFFDDDDLLLLBBBB"), Cube2Position::SOLVED);
    }

    #[test]
    fn every_reason_is_given() {
        assert_eq!(codes("facelets:"), ["facelet-count"]);
        assert_eq!(codes("UUUURRRRFFFFDDDDLLLLBBB"), ["facelet-count"]);
        assert_eq!(codes("UUUURRRRFFFFDDDDLLLLBBBX?"), ["bad-character", "facelet-count"]);
        assert_eq!(codes(&"U".repeat(54)), ["facelet-count", "colour-count"]);
        assert_eq!(codes("wca: R U3 Q"), ["bad-character"]);
        assert_eq!(codes("2Rw 3R"), ["ambiguous-layers", "ambiguous-layers"]);
        assert_eq!(codes("M R E2 S' 2M"), ["no-middle-layer"; 4]);
        assert!(parse_motion("M").unwrap_err().to_string().contains("use turns of faces"));
        assert_eq!(codes("WWWWRRRRGGGGYYYYOOOOBBBU"), ["mixed-colours"]);
        assert_eq!(codes(&"R".repeat(20_000)), ["too-long"]);
        // URF twisted: its stickers are U4, R1 and F2.
        assert_eq!(codes("UUUFURRRFRFFDDDDLLLLBBBB"), ["twisted-corner"]);
        // Two stickers of it exchanged.
        assert_eq!(codes("UUURURRRFFFFDDDDLLLLBBBB"), ["mirrored-corner", "missing-piece"]);
        // U4 and D1 exchanged.
        let found = codes("UUUDRRRRFFFFUDDDLLLLBBBB");
        assert_eq!(found, ["mirrored-corner", "mirrored-corner", "missing-piece"]);
        assert_eq!(codes("UUUBRRRRFFFFDDDDLLLLBBBU"), ["impossible-corner", "impossible-corner", "missing-piece"]);
        let duplicate = "UUUURRRRFFFFDDDDLLLLBBBB".replacen("UUUU", "UUUD", 1).replacen("FFFF", "FRFF", 1);
        assert!(codes(&duplicate.replacen("RRRR", "FRRR", 1)).contains(&"duplicate-piece"));
        let error = parse_position("facelets: UUUFURRRFRFFDDDDLLLLBBBB").unwrap_err();
        assert!(error.to_string().contains("a corner is twisted"), "{error}");
    }

    #[test]
    fn a_cube_is_read_as_it_is_held() {
        let text = "BOBWRWRWOGWGGYGRYYOOBRBY";
        let held = parse_held(text).unwrap();
        assert!(held.after(&parse_motion("L' B").unwrap()).position.is_solved(), "{held:?}");
        assert_eq!(held.centres.painted(&print(&held.position)), "BLBURURULFUFFDFRDDLLBRBD");
        let turned = parse_held("R U2 F' x y").unwrap();
        let (home, turns) = turned.turned_home().unwrap();
        assert_eq!((print(&home.position), turns.as_str()), (print(&position("R U2 F'")), "z' y'"));
        assert_eq!(
            (parse_held("R U F").unwrap().turned_home().unwrap().1.as_str(), home.centres),
            ("", Centres::USUAL)
        );
        // What D, L and B do is seen in the hand.
        assert!(position("D L B' R").moved_by("R' B L' D'").is_solved());
        assert!(parse_motion("2R").is_err() && parse_position("2R").is_err());
    }

    impl Cube2Position {
        fn moved_by(self, moves: &str) -> Self {
            HeldCube::from(self).after(&parse_motion(moves).unwrap()).position
        }
    }

    #[test]
    fn schemes_are_found_from_the_corners() {
        let scrambled = position("R U2 F' L D B2 R' U");
        let renamed = |text: &str, letters: &str| -> String {
            text.chars().map(|c| char::from(letters.as_bytes()["URFDLB".find(c).unwrap()])).collect()
        };
        assert!(parse_position("WOWYRBYYRWROBWBRGGOGGOBY").is_ok());
        for letters in ["WRGBOY", "WOGYRB", "ABCDEF", "012345", "WRGYOP", "SRGYOB", "sbmely", "123WGO"] {
            assert_eq!(position(&renamed(&print(&scrambled), letters)), scrambled, "{letters}");
        }
        // Letters of one's own say nothing of how the cube is held, also where they happen to be those of the usual scheme.
        for turned in ["URFDLB", "RFULBD", "ULBDRF"] {
            let held = parse_held(&renamed(&renamed(&print(&scrambled), turned), "ABCDEF")).unwrap();
            assert_eq!((held.position, held.centres), (scrambled, Centres::USUAL), "{turned}");
        }
        let text = print(&scrambled);
        let faces: Vec<&str> = "ULFRBD".chars().map(|face| &text[4 * "URFDLB".find(face).unwrap()..][..4]).collect();
        let read = parse_held(&renamed(&faces.concat(), "WRGYOB")).unwrap();
        assert_eq!((read.position, read.order.to_string().as_str()), (scrambled, "U L F R B D"));
        let net = parse_held("UUUU LLFFRRBB LLFFRRBB DDDD").unwrap();
        assert!(net.position.is_solved() && net.order.to_string().starts_with("U, the rows"), "{net:?}");
    }

    #[test]
    fn letters_of_colours_are_those_of_most_cubes() {
        let scrambled = position("R U2 F' L D B2 R' U");
        let colour = |c| char::from(b"WRGYOB"["URFDLB".find(c).unwrap()]);
        let text: String = print(&scrambled).chars().map(colour).collect();
        assert_eq!((position(&text), position(&text.to_lowercase())), (scrambled, scrambled));
        assert!(position("GGGGWWWWRRRRBBBBYYYYOOOO").is_solved());
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(permutation in 0..5040u16, orientation in 0..729u16) {
            let cube = Cube2Position::from_coordinates(permutation, orientation).unwrap();
            prop_assert_eq!(parse_position(&print(&cube)), Ok((cube, Cube3Notation::Facelets)));
        }

        #[test]
        fn what_is_read_quickly_is_what_is_read_in_full(
            permutation in 0..5040u16, orientation in 0..729u16, at in 0..FACELETS, other in 0..FACELETS, letter in "[URFDLBuW ]"
        ) {
            let mut text = print(&Cube2Position::from_coordinates(permutation, orientation).unwrap());
            prop_assert!(facelets::numbers(&text).and_then(|numbers| array::read_quickly(&numbers)).is_some());
            prop_assert_eq!(parse_position(&text), in_full(&text));
            let swapped = [&text[other..=other], &text[at..=at]].map(str::to_owned);
            text.replace_range(at..=at, &swapped[0]);
            text.replace_range(other..=other, &swapped[1]);
            prop_assert_eq!(parse_position(&text), in_full(&text));
            text.replace_range(at..=at, &letter);
            prop_assert_eq!(parse_position(&text), in_full(&text));
        }
    }

    /// Reads a text. Whatever is wrong must be told, at places that exist.
    fn read(text: &str) {
        match parse_position(text) {
            Ok((cube, _)) => assert_eq!(position(&print(&cube)), cube),
            Err(error) => {
                assert!(!error.problems.is_empty() && !error.to_string().is_empty());
                let is_there = |at: std::ops::Range<usize>| error.input.get(at).is_some_and(|found| !found.is_empty());
                assert!(error.problems.iter().all(|problem| problem.at.clone().is_none_or(is_there)), "{error:?}");
            }
        }
    }

    #[test]
    fn nearly_right_text_is_read_or_rejected_with_reasons() {
        let right = [
            SOLVED,
            "facelets:LUULBRRBRFFUDDFFLLDDBBUR",
            "WWWWRRRRGGGGYYYYOOOOBBBB",
            "wca:R U2 F' (L D)3 Rw l' x y2 z'",
            "",
        ];
        twistbase_testing::fuzz::fuzz_text("positions of the 2×2×2 cube", 3000, &right, 1 << 20, read);
    }
}
