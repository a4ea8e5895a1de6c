//! Pieces by the colours of their stickers. A colour is named like the face that has it when the cube is solved.

use std::sync::LazyLock;

use super::cube::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES};
use super::cubies::Cubie;
use super::moves::Face;

/// The colours of each corner, and the faces of its place, clockwise, that on U or D first.
pub(super) const CORNER_FACES: [[Face; 3]; CORNERS] = faces(&CORNER_NAMES);
/// The colours of each edge, and the faces of its place; the first tells whether the edge is flipped.
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

/// The corner with three colours in clockwise order.
pub(super) fn corner(colours: [Face; 3]) -> Option<usize> {
    find(&CORNER_FACES, colours).map(|(corner, _)| corner)
}

/// The edge with two colours.
pub(super) fn edge(colours: [Face; 2]) -> Option<usize> {
    find(&EDGE_FACES, colours).map(|(edge, _)| edge)
}

/// The place that has these faces, clockwise, and the corner that shows these colours on them in turn, each if there
/// is one.
pub(super) fn corner_in_place(faces: [Face; 3], colours: [Face; 3]) -> (Option<usize>, Option<Cubie>) {
    in_place(&CORNER_FACES, faces, colours)
}

/// The place that has these faces, and the edge that shows these colours on them in turn, each if there is one.
pub(super) fn edge_in_place(faces: [Face; 2], colours: [Face; 2]) -> (Option<usize>, Option<Cubie>) {
    in_place(&EDGE_FACES, faces, colours)
}

/// The orientation of a piece says how many stickers after the first of its place its own first sticker is.
fn in_place<const N: usize>(
    pieces: &[[Face; N]],
    faces: [Face; N],
    colours: [Face; N],
) -> (Option<usize>, Option<Cubie>) {
    let place = find(pieces, faces);
    let first = place.map_or(0, |(_, first)| first);
    let cubie = find(pieces, colours)
        .map(|(piece, shift)| Cubie { piece: piece as u8, orientation: ((shift + N - first) % N) as u8 });
    (place.map(|(place, _)| place), cubie)
}

/// The corner that shows these colours, numbers of faces, on the faces of its place in turn, if there is one.
#[inline]
pub(in crate::puzzle) fn corner_shown(colours: [u8; 3]) -> Option<Cubie> {
    static CUBIES: LazyLock<ByColours> = LazyLock::new(|| cubies_by_colours(&CORNER_FACES));
    *CUBIES.get(code(&colours)?)?
}

/// The edge that shows these colours, as [`corner_shown`].
#[inline]
pub(super) fn edge_shown(colours: [u8; 2]) -> Option<Cubie> {
    static CUBIES: LazyLock<ByColours> = LazyLock::new(|| cubies_by_colours(&EDGE_FACES));
    *CUBIES.get(code(&colours)?)?
}

/// Pieces by the [`code`] of the colours that they show.
type ByColours = Vec<Option<Cubie>>;

/// Colours as the digits of a number; `None` unless they are colours.
#[inline]
fn code(colours: &[u8]) -> Option<usize> {
    const COLOURS: usize = Face::ALL.len();
    colours
        .iter()
        .map(|&colour| usize::from(colour))
        .try_fold(0, |code, colour| (colour < COLOURS).then_some(code * COLOURS + colour))
}

fn cubies_by_colours<const N: usize>(pieces: &[[Face; N]]) -> ByColours {
    let mut cubies = vec![None; Face::ALL.len().pow(N as u32)];
    for (piece, faces) in (0..).zip(pieces) {
        for orientation in 0..N as u8 {
            let colours = shown(*faces, orientation).map(|face| face as u8);
            let cubie = code(&colours).and_then(|code| cubies.get_mut(code));
            cubie.into_iter().for_each(|cubie| *cubie = Some(Cubie { piece, orientation }));
        }
    }
    cubies
}

/// The colours that a piece shows on the faces of its place in turn.
pub(super) fn shown<const N: usize>(mut colours: [Face; N], orientation: u8) -> [Face; N] {
    colours.rotate_right(usize::from(orientation) % N);
    colours
}

impl Cube {
    /// The colours on the faces of a corner place in turn.
    pub(in crate::puzzle) fn corner_colours(&self, place: usize) -> [Face; 3] {
        shown(CORNER_FACES[usize::from(self.cp[place])], self.co[place])
    }

    /// The colours on the faces of an edge place in turn.
    pub(super) fn edge_colours(&self, place: usize) -> [Face; 2] {
        shown(EDGE_FACES[usize::from(self.ep[place])], self.eo[place])
    }
}
