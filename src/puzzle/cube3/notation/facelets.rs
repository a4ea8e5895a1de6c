//! Positions as the colours of the 54 stickers, the notation of Herbert Kociemba's programs.
//!
//! The faces come in the order U R F D L B, each row by row as one looks at it (U with B at its top, D with F at its
//! top, the others with U at their top). A colour is named like the face whose centre has it, or by its own letter: W
//! white, R red, G green, Y yellow, O orange, B blue. Either case; spaces and commas are ignored.
//!
//! ```text
//!             U1 U2 U3
//!             U4 U5 U6
//!             U7 U8 U9
//!   L1 L2 L3  F1 F2 F3  R1 R2 R3  B1 B2 B3
//!   L4 L5 L6  F4 F5 F6  R4 R5 R6  B4 B5 B6
//!   L7 L8 L9  F7 F8 F9  R7 R8 R9  B7 B8 B9
//!             D1 D2 D3
//!             D4 D5 D6
//!             D7 D8 D9
//! ```
//!
//! The cube may be held in any way: the centres show which colour stands for which face, and moves are those of the cube as it
//! is held. So any scheme of colours is read. Letters of faces must be those of a cube that can be turned so. R and B are
//! letters of either kind: the other letters decide. Any other six letters or digits are read, too, if nothing else is
//! written and there are nine of each.
//!
//! Where the order U R F D L B gives no cube, the usual other ones ([`FaceletOrder`]) are tried: U L F R B D and its like, and
//! the rows of a net, as in the picture. One that gives a cube is taken if no other one gives another cube, or if the
//! cube is solved.
//!
//! Source: Herbert Kociemba, <https://kociemba.org/cube.htm>.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::order::FaceletOrder;
use super::{Cube3Notation, HeldCube, Pieces, plain, text};
use crate::cube3::Centres;
use crate::cube3::colours::{self, CORNER_FACES, EDGE_FACES, shown};
use crate::cube3::cube::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES};
use crate::cube3::cubies::IllegalReason;
use crate::cube3::moves::Face;
use crate::input::{Reader, quoted};
use twistbase_core::error::{InvalidInput, Problem};

/// Stickers of a cube.
pub const FACELETS: usize = 54;
/// Stickers of a face.
pub(super) const OF_FACE: usize = 9;
/// The centre among the stickers of its face.
pub(super) const CENTRE: usize = 4;

/// The facelets of each corner place, on its faces in turn: U9 R1 F3, U7 F1 L3, …
#[doc(hidden)]
pub const CORNER_FACELETS: [[usize; 3]; CORNERS] =
    [[8, 9, 20], [6, 18, 38], [0, 36, 47], [2, 45, 11], [29, 26, 15], [27, 44, 24], [33, 53, 42], [35, 17, 51]];
/// The facelets of each edge place, on its faces in turn: U6 R2, U8 F2, …
#[doc(hidden)]
pub const EDGE_FACELETS: [[usize; 2]; EDGES] = [
    [5, 10],
    [7, 19],
    [3, 37],
    [1, 46],
    [32, 16],
    [28, 25],
    [30, 43],
    [34, 52],
    [23, 12],
    [21, 41],
    [50, 39],
    [48, 14],
];

/// Reads a position.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str) -> Result<Cube, InvalidInput> {
    text(input, 0, Cube3Notation::Facelets).read(read).map(|held| held.position)
}

/// The number of the face that each capital letter names; no number of a face for any other byte.
static NUMBERS: [u8; 256] = {
    let mut numbers = [Face::ALL.len() as u8; 256];
    let mut number = 0;
    while number < Face::ALL.len() {
        numbers[StickerNames::Faces.letters()[number] as usize] = number as u8;
        number += 1;
    }
    numbers
};

/// The usual form, so many capital letters of faces and nothing else, as the numbers of the faces; what is not of that form has
/// other numbers among them, or another length.
#[inline]
pub(crate) fn numbers<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut numbers: [u8; N] = text.as_bytes().try_into().ok()?;
    // A loop rather than `map`, which is not inlined here.
    for number in &mut numbers {
        *number = NUMBERS[usize::from(*number)];
    }
    Some(numbers)
}

/// The position as 54 capital letters.
pub fn print(position: &Cube) -> String {
    let mut text = String::with_capacity(FACELETS);
    append(position, &mut text);
    text
}

/// Appends the same to a text.
#[doc(hidden)]
pub fn append(position: &Cube, text: &mut String) {
    text.push_str(str::from_utf8(&LETTERS.of(position)).expect("letters of faces"));
}

/// What is written for the colours of pieces, so that nobody need look for it position by position.
pub(super) struct ColourBytes {
    /// Of each face.
    faces: [u8; 6],
    /// Of each corner by its corner orientation, on the faces of its place in turn.
    corners: [[[u8; 3]; 3]; CORNERS],
    /// Of each edge by its edge orientation, likewise.
    edges: [[[u8; 2]; 2]; EDGES],
}

static LETTERS: LazyLock<ColourBytes> = LazyLock::new(|| ColourBytes::new(letter));

impl ColourBytes {
    /// For colours that are written so.
    pub(super) fn new(colour: fn(Face) -> u8) -> Self {
        Self {
            faces: Face::ALL.map(colour),
            corners: CORNER_FACES.map(|faces| {
                std::array::from_fn(|corner_orientation| shown(faces, corner_orientation as u8).map(colour))
            }),
            edges: EDGE_FACES
                .map(|faces| std::array::from_fn(|edge_orientation| shown(faces, edge_orientation as u8).map(colour))),
        }
    }

    /// What is written for the stickers of a position.
    pub(super) fn of(&self, position: &Cube) -> [u8; FACELETS] {
        let mut stickers: [u8; FACELETS] = std::array::from_fn(|facelet| self.faces[facelet / OF_FACE]);
        for (place, facelets) in CORNER_FACELETS.iter().enumerate() {
            let shown = self.corners[usize::from(position.cp[place])][usize::from(position.co[place])];
            facelets.iter().zip(shown).for_each(|(&facelet, colour)| stickers[facelet] = colour);
        }
        for (place, facelets) in EDGE_FACELETS.iter().enumerate() {
            let shown = self.edges[usize::from(position.ep[place])][usize::from(position.eo[place])];
            facelets.iter().zip(shown).for_each(|(&facelet, colour)| stickers[facelet] = colour);
        }
        stickers
    }
}

fn letter(face: Face) -> u8 {
    // Letters of faces are ASCII.
    face.letter() as u8
}

/// What stickers are named by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StickerNames {
    /// The faces whose centres have the same colour.
    Faces,
    /// Colours.
    Colours,
    /// Letters or digits of somebody's own, which say nothing of faces.
    Own([char; 6]),
}

impl StickerNames {
    /// The letters, in the order of [`Face::ALL`]; colours stand as on most cubes: white is up, green in front.
    const fn letters(self) -> [char; 6] {
        match self {
            Self::Faces => ['U', 'R', 'F', 'D', 'L', 'B'],
            Self::Colours => Face::COLOUR_LETTERS,
            Self::Own(letters) => letters,
        }
    }

    /// The six letters or digits that a text is made of, as many of each as a face has facelets, unless they are those of faces
    /// or of colours.
    pub(crate) fn own(text: &str, of_face: usize) -> Option<Self> {
        let mut letters: Vec<char> = text.chars().filter(|&c| !is_space(c)).map(upper).collect();
        let is_whole = letters.len() == Face::ALL.len() * of_face && letters.iter().all(|c| c.is_alphanumeric());
        letters.sort_unstable();
        let is_even = letters.chunks(of_face).all(|chunk| chunk.iter().all(|letter| *letter == chunk[0]));
        letters.dedup();
        let is_usual = |names: Self| letters.iter().all(|letter| names.letters().contains(letter));
        let is_own = is_whole && is_even && !is_usual(Self::Faces) && !is_usual(Self::Colours);
        letters.try_into().ok().filter(|_| is_own).map(Self::Own)
    }

    /// The face that a letter stands for, in either case and of any width.
    fn face(self, letter: char) -> Option<Face> {
        let letter = upper(letter);
        let number = self.letters().iter().position(|known| *known == letter)?;
        Face::ALL.get(number).copied()
    }

    /// Whether a letter is of these and not of the others.
    fn is_alone_in(self, letter: char) -> bool {
        let other = if self == Self::Faces { Self::Colours } else { Self::Faces };
        self.face(letter).is_some() && other.face(letter).is_none()
    }
}

/// How many letters of stickers it takes for a text to be meant as facelets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaceletLetters {
    /// Letters in a row that are enough.
    pub in_a_row: usize,
    /// Letters that are enough where there is nothing else.
    pub alone: usize,
    /// Of these the letters of the longest run, at least.
    pub alone_in_a_row: usize,
}

impl FaceletLetters {
    /// Whether a text without prefix is to be read as facelets, named by faces or by colours.
    pub fn are_in(self, text: &str) -> bool {
        let is_face = |c| StickerNames::Faces.face(c).is_some();
        self.are_many(text, is_face, |_| true) || self.are_many(text, is_sticker, name_colours)
    }

    fn are_many(self, text: &str, is_letter: impl Fn(char) -> bool, is_meant: impl Fn(&str) -> bool) -> bool {
        let is_only_letters = text.chars().all(|c| is_space(c) || is_letter(c));
        let has_commas = text.chars().any(|c| plain(c) == ',');
        let count = text.chars().filter(|&c| is_letter(c)).count();
        let mut runs = text.split(|c| !is_letter(c));
        let length = |run: &str| run.chars().count();
        runs.clone().any(|run| length(run) >= self.in_a_row && is_meant(run))
            || is_only_letters
                && count >= self.alone
                && (has_commas || runs.any(|run| length(run) >= self.alone_in_a_row))
                && is_meant(text)
    }
}

/// Whether a text of letters of one's own is meant as facelets although each letter may be a move: it is nothing but capitals or
/// nothing but small letters, and the centres differ.
pub(super) fn has_centres(text: &str) -> bool {
    let text = text.trim();
    let centres: HashSet<char> = text.chars().skip(CENTRE).step_by(OF_FACE).collect();
    centres.len() == Face::ALL.len() && (text.chars().all(char::is_uppercase) || text.chars().all(char::is_lowercase))
}

/// The usual capital of a letter.
fn upper(letter: char) -> char {
    plain(letter).to_ascii_uppercase()
}

/// Whether a character only separates stickers.
fn is_space(c: char) -> bool {
    c.is_whitespace() || plain(c) == ','
}

/// Skips characters between stickers; whether anything is left.
fn skip_spaces(reader: &mut Reader<'_>) -> bool {
    while reader.take(is_space) {}
    reader.at < reader.text.len()
}

/// Whether a character names a sticker.
fn is_sticker(c: char) -> bool {
    StickerNames::Faces.face(c).or(StickerNames::Colours.face(c)).is_some()
}

/// Whether letters of stickers cannot be a sequence, because some name colours. `Rw` and `y` are moves: what names colours
/// is all capitals or none, and has more than a `y`.
fn name_colours(text: &str) -> bool {
    let mut letters = text.chars().map(plain).filter(char::is_ascii_alphabetic);
    let is_uniform = letters.clone().all(|c| c.is_ascii_uppercase()) || letters.clone().all(|c| c.is_ascii_lowercase());
    is_uniform && letters.any(|c| matches!(c.to_ascii_uppercase(), 'W' | 'G' | 'O'))
}

/// A sticker that was read.
#[derive(Clone)]
pub(crate) struct Sticker {
    pub(crate) colour: Face,
    /// The letter that names it in messages.
    letter: char,
    at: Range<usize>,
}

/// Reads a position from the text behind a prefix.
pub(super) fn read(text: &str) -> Result<HeldCube<Cube>, Vec<Problem>> {
    let (stickers, names, mut problems) = read_stickers(text, OF_FACE);
    let are_all_known = problems.is_empty();
    check_counts(&stickers, names, OF_FACE, &mut problems);
    if !are_all_known || stickers.len() != FACELETS {
        // Nobody knows to which places they belong.
        return Err(problems);
    }
    let can_be_sorted = problems.is_empty();
    read_in_order(stickers.clone(), names, problems).or_else(|problems| {
        let read = |stickers| can_be_sorted.then(|| read_in_order(stickers, names, Vec::new()).ok()).flatten();
        FaceletOrder::only(&stickers, problems, Cube::SOLVED, read)
    })
}

/// Reads all stickers in the usual order; `problems` were found with them before.
fn read_in_order(
    mut stickers: Vec<Sticker>,
    names: StickerNames,
    problems: Vec<Problem>,
) -> Result<HeldCube<Cube>, Vec<Problem>> {
    let mut pieces = Pieces::after(problems);
    let centres = check_centres(&stickers, names, &mut pieces);
    match centres {
        Some(centres) => stickers.iter_mut().for_each(|sticker| sticker.colour = centres.face_with(sticker.colour)),
        None if names == StickerNames::Faces => {}
        None => return Err(pieces.problems),
    }
    read_corners(&stickers, &CORNER_FACELETS, &mut pieces);
    read_edges(&stickers, &mut pieces);
    // Without centres, nobody knows how pieces are turned.
    let checked = Cube::from_cubies(&pieces.cubies);
    let position = pieces.checked(checked, |reason| {
        let is_sum = matches!(reason, IllegalReason::Twist { .. } | IllegalReason::Flip | IllegalReason::Parity);
        centres.is_some() || !is_sum
    })?;
    // Letters of somebody's own say nothing of colours.
    let centres = centres.filter(|_| !matches!(names, StickerNames::Own(_))).unwrap_or_default();
    Ok(HeldCube { centres, ..HeldCube::from(position) })
}

/// The stickers of a text, and what names them; runs of characters that are none are problems, and so are names of
/// both kinds. Colours are taken for those of most cubes.
pub(crate) fn read_stickers(text: &str, of_face: usize) -> (Vec<Sticker>, StickerNames, Vec<Problem>) {
    let own = StickerNames::own(text, of_face);
    let is_sticker = |c| own.map_or_else(|| is_sticker(c), |names| names.face(c).is_some());
    let mut reader = Reader::new(text);
    let mut letters = Vec::new();
    while skip_spaces(&mut reader) {
        let start = reader.at;
        if let Some(letter) = reader.take_some(|c| is_sticker(c).then(|| upper(c))) {
            letters.push((letter, start..reader.at));
        } else {
            while reader.take(|c| !is_space(c) && !is_sticker(c)) {}
            let found = quoted(&text[start..reader.at]);
            let message = format!("{found} is not a colour: use U, R, F, D, L, B, or W, R, G, Y, O, B");
            reader.problem("bad-character", message, start..reader.at);
        }
    }
    let first_of = |names: StickerNames| letters.iter().find(|(letter, _)| own.is_none() && names.is_alone_in(*letter));
    let (face, colour) = (first_of(StickerNames::Faces), first_of(StickerNames::Colours));
    if let (Some((face, face_at)), Some((colour, colour_at))) = (face, colour) {
        let at = if face_at.start < colour_at.start { colour_at } else { face_at };
        let message = format!("{face} names a face and {colour} a colour: use only U R F D L B, or only W R G Y O B");
        reader.problem("mixed-colours", message, at.clone());
    }
    let usual = if face.is_none() && colour.is_some() { StickerNames::Colours } else { StickerNames::Faces };
    let names = own.unwrap_or(usual);
    let stickers = letters.into_iter().filter_map(|(letter, at)| {
        let colour = names.face(letter).or(StickerNames::Colours.face(letter))?;
        Some(Sticker { colour, letter, at })
    });
    (stickers.collect(), names, reader.problems)
}

/// Checks the number of stickers, and of those of each colour, of which each of the six faces has `of_face`.
pub(crate) fn check_counts(stickers: &[Sticker], names: StickerNames, of_face: usize, problems: &mut Vec<Problem>) {
    let (count, facelets) = (stickers.len(), Face::ALL.len() * of_face);
    if count != facelets {
        let message = format!("{count} facelets; expected {facelets}");
        problems.push(Problem { code: "facelet-count", message, at: None });
    }
    if problems.iter().any(|problem| problem.code == "mixed-colours") {
        return;
    }
    for letter in names.letters() {
        let found = stickers.iter().filter(|sticker| sticker.letter == letter).count();
        if found > of_face || found < of_face && count == facelets {
            let message = format!("colour {letter} appears {found} times; expected {of_face}");
            problems.push(Problem { code: "colour-count", message, at: None });
        }
    }
}

fn centre(stickers: &[Sticker], face: Face) -> &Sticker {
    &stickers[face as usize * OF_FACE + CENTRE]
}

/// The centres, if they are those of a cube: all different, and if they are named by faces, those of a cube that is held in
/// some way.
fn check_centres(stickers: &[Sticker], names: StickerNames, pieces: &mut Pieces) -> Option<Centres> {
    let known = pieces.problems.len();
    let centre = |face: Face| centre(stickers, face);
    let mut problem = |code, face, message| pieces.problem(code, message, Some(centre(face).at.clone()));
    let colours = Face::ALL.map(|face| centre(face).colour);
    for (number, face) in Face::ALL.into_iter().enumerate() {
        if let Some(first) = colours[..number].iter().position(|&earlier| earlier == colours[number]) {
            let [first, second] = [Face::ALL[first], face].map(Face::letter);
            problem("equal-centres", face, format!("the centres of {first} and {second} have the same colour"));
        }
    }
    if names == StickerNames::Faces {
        for face in [Face::U, Face::R, Face::F] {
            let [one, other] = [face, face.opposite()].map(|face| colours[face as usize]);
            if one != other && one.opposite() != other {
                let [one, other, first, second] = [one, other, face, face.opposite()].map(Face::letter);
                let message = format!(
                    "the centres of {first} and {second} are {one} and {other}, which are not opposite colours"
                );
                problem("misplaced-centres", face, message);
            }
        }
        if pieces.problems.len() == known && colours::corner([colours[0], colours[1], colours[2]]).is_none() {
            let message = "the centres are those of a mirror image: hold the cube with U up and F in front".to_owned();
            pieces.problem("mirrored-centres", message, Some(centre(Face::U).at.clone()));
        }
    }
    (pieces.problems.len() == known).then_some(Centres::new(colours))
}

/// Reads the corners, whose places have these facelets.
pub(crate) fn read_corners(stickers: &[Sticker], corner_facelets: &[[usize; 3]; CORNERS], pieces: &mut Pieces) {
    for (place, facelets) in corner_facelets.iter().enumerate() {
        let shown = facelets.map(|facelet| &stickers[facelet]);
        let [a, b, c] = shown.map(|sticker| sticker.colour);
        let at = stickers[facelets[0]].at.clone();
        let corner = colours::corner([a, b, c]);
        if corner.is_none() {
            let name = CORNER_NAMES[place];
            let (code, message) = match colours::corner([a, c, b]) {
                Some(corner) => {
                    let mirrored = CORNER_NAMES[usize::from(corner.piece)];
                    ("mirrored-corner", format!("the stickers at {name} are the mirror image of corner {mirrored}"))
                }
                None => (
                    "impossible-corner",
                    format!("the stickers at {name} are {}; no corner has these colours", list(&shown)),
                ),
            };
            pieces.problem(code, message, Some(at.clone()));
        }
        pieces.put_corner(place, corner, at);
    }
}

/// Reads the edges, as [`read_corners`] the corners.
fn read_edges(stickers: &[Sticker], pieces: &mut Pieces) {
    for (place, facelets) in EDGE_FACELETS.iter().enumerate() {
        let shown = facelets.map(|facelet| &stickers[facelet]);
        let colours = shown.map(|sticker| sticker.colour);
        let at = stickers[facelets[0]].at.clone();
        let edge = colours::edge(colours);
        if edge.is_none() {
            let message =
                format!("the stickers at {} are {}; no edge has these colours", EDGE_NAMES[place], list(&shown));
            pieces.problem("impossible-edge", message, Some(at.clone()));
        }
        pieces.put_edge(place, edge, at);
    }
}

/// The colours of stickers, separated by commas.
fn list(stickers: &[&Sticker]) -> String {
    stickers.iter().map(|sticker| sticker.letter.to_string()).collect::<Vec<_>>().join(", ")
}
