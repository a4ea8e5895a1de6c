//! Pieces by the colours of their stickers. A colour is named like the face that has it when the cube is solved.

use super::cube::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES};
use super::cubies::Cubie;
use super::moves::Face;

/// The colours of each corner, and the faces of its place, clockwise, that on U or D first.
pub(super) const CORNER_FACES: [[Face; 3]; CORNERS] = faces(&CORNER_NAMES);
/// The colours of each edge, and the faces of its place; the first shows whether the edge is flipped.
pub(super) const EDGE_FACES: [[Face; 2]; EDGES] = faces(&EDGE_NAMES);

const fn faces<const N: usize, const LETTERS: usize>(names: &[&str; N]) -> [[Face; LETTERS]; N] {
    let mut faces = [[Face::U; LETTERS]; N];
    let mut letter = 0;
    while letter < N * LETTERS {
        let (piece, index) = (letter / LETTERS, letter % LETTERS);
        faces[piece][index] = Face::from_letter(names[piece].as_bytes()[index] as char).expect("names are of faces");
        letter += 1;
    }
    faces
}

/// Which of `pieces` has these colours in this cyclic order, and where its first colour stands among them.
fn find<const N: usize>(pieces: &[[Face; N]], colours: [Face; N]) -> Option<(usize, usize)> {
    let shift_of = |piece: &[Face; N]| (0..N).find(|shift| (0..N).all(|i| colours[(shift + i) % N] == piece[i]));
    pieces.iter().enumerate().find_map(|(number, piece)| Some((number, shift_of(piece)?)))
}

/// The corner that shows three colours on the faces of its place in turn, if there is one.
pub(super) fn corner(colours: [Face; 3]) -> Option<Cubie> {
    find(&CORNER_FACES, colours).map(cubie)
}

/// The edge that shows two colours on the faces of its place in turn, if there is one.
pub(super) fn edge(colours: [Face; 2]) -> Option<Cubie> {
    find(&EDGE_FACES, colours).map(cubie)
}

/// The orientation of a piece says how many stickers after the first of its place its own first sticker is.
fn cubie((piece, shift): (usize, usize)) -> Cubie {
    Cubie { piece: piece as u8, orientation: shift as u8 }
}

/// The corner that shows these colours, numbers of faces, on the faces of its place in turn, if there is one.
#[inline]
pub(crate) fn corner_shown(colours: [u8; 3]) -> Option<Cubie> {
    are_colours(&colours).then(|| PackedCubie::of_corner(colours).cubie()).flatten()
}

/// Whether numbers are those of faces.
#[inline]
pub(super) fn are_colours(numbers: &[u8]) -> bool {
    // Eight at a time: below 6 are those that stay below 8 when 2 is added.
    const TWO: u64 = u64::from_le_bytes([2; 8]);
    const BEYOND: u64 = u64::from_le_bytes([0xF8; 8]);
    let beyond = |numbers: u64| (numbers | numbers.wrapping_add(TWO)) & BEYOND;
    let (eights, rest) = numbers.as_chunks();
    let found = eights.iter().fold(0, |found, &eight| found | beyond(u64::from_le_bytes(eight)));
    rest.iter().fold(found, |found, &number| found | beyond(number.into())) == 0
}

/// Colours there are.
const COLOURS: usize = Face::ALL.len();

/// A piece and its orientation in a byte, or none: what a look-up of colours yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedCubie(u8);

/// Pieces by the numbers that their colours are the digits of, the first the highest.
type ByColours = [PackedCubie; 256];

static SHOWN_CORNERS: ByColours = by_colours(&CORNER_FACES);
static SHOWN_EDGES: ByColours = by_colours(&EDGE_FACES);

const fn by_colours<const N: usize>(pieces: &[[Face; N]]) -> ByColours {
    let mut shown = [PackedCubie::NONE; 256];
    let mut number = 0;
    while number < pieces.len() * N {
        let (piece, orientation) = (number / N, number % N);
        let (mut code, mut place) = (0, 0);
        while place < N {
            code = COLOURS * code + pieces[piece][(place + N - orientation) % N] as usize;
            place += 1;
        }
        shown[code] = PackedCubie((orientation << 4 | piece) as u8);
        number += 1;
    }
    shown
}

impl PackedCubie {
    /// No piece.
    pub const NONE: Self = Self(u8::MAX);

    /// The corner that shows these colours, as [`corner_shown`]; of numbers that are no colours it means nothing.
    #[inline]
    pub const fn of_corner([a, b, c]: [u8; 3]) -> Self {
        const BASE: u8 = COLOURS as u8;
        SHOWN_CORNERS[a.wrapping_mul(BASE).wrapping_add(b).wrapping_mul(BASE).wrapping_add(c) as usize]
    }

    /// The edge that shows these colours, likewise.
    #[inline]
    pub const fn of_edge([a, b]: [u8; 2]) -> Self {
        SHOWN_EDGES[a.wrapping_mul(COLOURS as u8).wrapping_add(b) as usize]
    }

    /// The piece; 15, which none has, where there is none.
    #[inline]
    pub const fn piece(self) -> u8 {
        self.0 & 15
    }

    /// The orientation.
    #[inline]
    pub const fn orientation(self) -> u8 {
        self.0 >> 4
    }

    fn cubie(self) -> Option<Cubie> {
        (self != Self::NONE).then(|| Cubie { piece: self.piece(), orientation: self.orientation() })
    }
}

/// The colours that a piece shows on the faces of its place in turn.
pub(super) fn shown<const N: usize>(mut colours: [Face; N], orientation: u8) -> [Face; N] {
    colours.rotate_right(usize::from(orientation) % N);
    colours
}

impl Cube {
    /// The colours on the faces of a corner place in turn.
    pub(crate) fn corner_colours(&self, place: usize) -> [Face; 3] {
        shown(CORNER_FACES[usize::from(self.cp[place])], self.co[place])
    }

    /// The colours on the faces of an edge place in turn.
    pub(super) fn edge_colours(&self, place: usize) -> [Face; 2] {
        shown(EDGE_FACES[usize::from(self.ep[place])], self.eo[place])
    }
}
