//! Positions as the colours of the 54 stickers, the notation of Herbert Kociemba's programs.
//!
//! The faces come in the order U R F D L B, each row by row as one looks at it (U with B at its top, D with F at its
//! top, the others with U at their top). A colour is named like the face whose centre has it. Either case; spaces are
//! ignored.
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
//! The cube may be held in any way: when its centres are those of a cube that was turned as a whole, the position is
//! that of the cube turned back. Places in messages are named by the colours of the centres.
//!
//! Source: Herbert Kociemba, <https://kociemba.org/cube.htm>.

use std::ops::Range;
use std::sync::LazyLock;

use super::{Cube3Notation, Pieces, text};
use crate::error::{InvalidInput, Problem};
use crate::puzzle::cube3::colours::{self, CORNER_FACES, EDGE_FACES, shown};
use crate::puzzle::cube3::cube::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES};
use crate::puzzle::cube3::cubies::IllegalReason;
use crate::puzzle::cube3::moves::Face;
use crate::puzzle::input::{Reader, quoted};

/// Stickers of a cube.
pub(super) const FACELETS: usize = 54;
/// Stickers of a face.
pub(super) const OF_FACE: usize = 9;
/// The centre among the stickers of its face.
pub(super) const CENTRE: usize = 4;

/// The facelets of each corner place, on its faces in turn: U9 R1 F3, U7 F1 L3, …
pub(super) const CORNER_FACELETS: [[usize; 3]; CORNERS] =
    [[8, 9, 20], [6, 18, 38], [0, 36, 47], [2, 45, 11], [29, 26, 15], [27, 44, 24], [33, 53, 42], [35, 17, 51]];
/// The facelets of each edge place, on its faces in turn: U6 R2, U8 F2, …
pub(super) const EDGE_FACELETS: [[usize; 2]; EDGES] = [
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
    text(input, 0, Cube3Notation::Facelets).read(read)
}

/// The position as 54 capital letters.
pub fn print(position: &Cube) -> String {
    let mut text = String::with_capacity(FACELETS);
    append(position, &mut text);
    text
}

/// Appends the same to a text.
pub(crate) fn append(position: &Cube, text: &mut String) {
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

/// A sticker that was read.
pub(in crate::puzzle) struct Sticker {
    colour: Face,
    at: Range<usize>,
}

/// Reads a position from the text behind a prefix.
pub(super) fn read(text: &str) -> Result<Cube, Vec<Problem>> {
    let (stickers, mut problems) = read_stickers(text);
    let are_all_known = problems.is_empty();
    check_counts(&stickers, OF_FACE, &mut problems);
    if !are_all_known || stickers.len() != FACELETS {
        // Nobody knows to which places they belong.
        return Err(problems);
    }
    let mut pieces = Pieces::after(problems);
    let frame = check_centres(&stickers, &mut pieces);
    let is_oriented = frame.is_some();
    let face_of = frame.unwrap_or(Face::ALL);
    read_corners(&stickers, &CORNER_FACELETS, face_of, &mut pieces);
    read_edges(&stickers, face_of, &mut pieces);
    // Without centres, nobody knows how pieces are turned.
    let checked = Cube::from_cubies(&pieces.cubies);
    pieces.checked(checked, |reason| {
        let is_sum = matches!(reason, IllegalReason::Twist { .. } | IllegalReason::Flip | IllegalReason::Parity);
        is_oriented || !is_sum
    })
}

/// The stickers of a text; runs of characters that are none are problems.
pub(in crate::puzzle) fn read_stickers(text: &str) -> (Vec<Sticker>, Vec<Problem>) {
    let mut reader = Reader::new(text);
    let mut stickers = Vec::new();
    while reader.skip_spaces() {
        let start = reader.at;
        if let Some(colour) = reader.take_some(Face::from_letter) {
            stickers.push(Sticker { colour, at: start..reader.at });
        } else {
            while reader.take(|c| !c.is_whitespace() && Face::from_letter(c).is_none()) {}
            let message = format!("{} is no colour: colours are U, R, F, D, L, B", quoted(&text[start..reader.at]));
            reader.problem("bad-character", message, start..reader.at);
        }
    }
    (stickers, reader.problems)
}

/// Checks the number of stickers, and of those of each colour, of which each of the six faces has `of_face`.
pub(in crate::puzzle) fn check_counts(stickers: &[Sticker], of_face: usize, problems: &mut Vec<Problem>) {
    let (count, facelets) = (stickers.len(), Face::ALL.len() * of_face);
    if count != facelets {
        let message = format!("{count} colours, not {facelets}");
        problems.push(Problem { code: "facelet-count", message, at: None });
    }
    for face in Face::ALL {
        let found = stickers.iter().filter(|sticker| sticker.colour == face).count();
        if found > of_face || found < of_face && count == facelets {
            let message = format!("colour {} is there {found} times, not {of_face}", face.letter());
            problems.push(Problem { code: "colour-count", message, at: None });
        }
    }
}

/// The colours of the centres by face, if they are those of a cube, however it is held.
fn check_centres(stickers: &[Sticker], pieces: &mut Pieces) -> Option<[Face; 6]> {
    let known = pieces.problems.len();
    let centre = |face: Face| &stickers[face as usize * OF_FACE + CENTRE];
    let mut problem = |code, face, message| pieces.problem(code, message, Some(centre(face).at.clone()));
    let colours = Face::ALL.map(|face| centre(face).colour);
    for (number, face) in Face::ALL.into_iter().enumerate() {
        if let Some(first) = colours[..number].iter().position(|&earlier| earlier == colours[number]) {
            let [first, second] = [Face::ALL[first], face].map(Face::letter);
            problem("equal-centres", face, format!("the centres of {first} and {second} have the same colour"));
        }
    }
    for face in [Face::U, Face::R, Face::F] {
        let [one, other] = [face, face.opposite()].map(|face| colours[face as usize]);
        if one != other && one.opposite() != other {
            let [one, other, first, second] = [one, other, face, face.opposite()].map(Face::letter);
            let message =
                format!("the colours {one} and {other}, of the centres of {first} and {second}, are no opposites");
            problem("misplaced-centres", face, message);
        }
    }
    if pieces.problems.len() == known && colours::corner([colours[0], colours[1], colours[2]]).is_none() {
        let message = "the centres are those of a mirror image: hold the cube with U up and F in front".to_owned();
        pieces.problem("mirrored-centres", message, Some(centre(Face::U).at.clone()));
    }
    (pieces.problems.len() == known).then_some(colours)
}

/// Reads the corners, whose places have these facelets. `face_of` says which face each becomes when the cube is held as
/// it should be.
pub(in crate::puzzle) fn read_corners(
    stickers: &[Sticker],
    corner_facelets: &[[usize; 3]; CORNERS],
    face_of: [Face; 6],
    pieces: &mut Pieces,
) {
    for (facelets, faces) in corner_facelets.iter().zip(CORNER_FACES) {
        let [a, b, c] = facelets.map(|facelet| stickers[facelet].colour);
        let at = stickers[facelets[0]].at.clone();
        let (place, corner) = colours::corner_in_place(faces.map(|face| face_of[face as usize]), [a, b, c]);
        let Some(place) = place else { continue };
        if corner.is_none() {
            let name = CORNER_NAMES[place];
            let (code, message) = match colours::corner([a, c, b]) {
                Some(corner) => {
                    ("mirrored-corner", format!("in place {name} is the mirror image of {}", CORNER_NAMES[corner]))
                }
                None => {
                    ("impossible-corner", format!("no corner has the colours in place {name}: {}", list(&[a, b, c])))
                }
            };
            pieces.problem(code, message, Some(at.clone()));
        }
        pieces.put_corner(place, corner, at);
    }
}

/// Reads the edges, as [`read_corners`] the corners.
fn read_edges(stickers: &[Sticker], face_of: [Face; 6], pieces: &mut Pieces) {
    for (facelets, faces) in EDGE_FACELETS.iter().zip(EDGE_FACES) {
        let colours = facelets.map(|facelet| stickers[facelet].colour);
        let at = stickers[facelets[0]].at.clone();
        let (place, edge) = colours::edge_in_place(faces.map(|face| face_of[face as usize]), colours);
        let Some(place) = place else { continue };
        if edge.is_none() {
            let message = format!("no edge has the colours in place {}: {}", EDGE_NAMES[place], list(&colours));
            pieces.problem("impossible-edge", message, Some(at.clone()));
        }
        pieces.put_edge(place, edge, at);
    }
}

/// Colours, separated by commas.
fn list(colours: &[Face]) -> String {
    colours.iter().map(|face| face.letter().to_string()).collect::<Vec<_>>().join(", ")
}
