//! Positions as the cubie in each place, the notation of David Singmaster in the order of Michael Reid's programs.
//!
//! `UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR` is solved. The 20 words stand for the places
//! of these names: each is the piece there, its letters the colours on the faces of the place in turn. So `FU` in the
//! first place is the edge UF, flipped, and after the move U the string starts with `UR UB UL UF`. Either case; any
//! spaces separate the words.
//!
//! Sources: Michael Reid's optimal solver (1997); Tomas Rokicki's cube20src (2010), which reads and writes the same.

use std::ops::Range;

use super::{Cube3Notation, Pieces, text};
use crate::cube3::colours;
use crate::cube3::cube::{CORNERS, Cube, EDGES};
use crate::cube3::moves::Face;
use crate::input::{Reader, quoted};
use twistbase_core::error::{InvalidInput, Problem};

/// Places and pieces: 12 edges and 8 corners.
const PLACES: usize = EDGES + CORNERS;
/// The edge places in this order, by number.
const EDGE_ORDER: [usize; EDGES] = [1, 0, 3, 2, 5, 4, 7, 6, 8, 9, 11, 10];
/// The corner places in this order, by number.
const CORNER_ORDER: [usize; CORNERS] = [0, 3, 2, 1, 4, 5, 6, 7];

/// What has been clockwise becomes anticlockwise, as the corners are named here, and vice versa.
fn reversed([first, second, third]: [Face; 3]) -> [Face; 3] {
    [first, third, second]
}

/// Reads a position.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str) -> Result<Cube, InvalidInput> {
    text(input, 0, Cube3Notation::Reid).read(read)
}

/// The position as twenty words in capital letters.
pub fn print(position: &Cube) -> String {
    let word = |colours: &[Face]| colours.iter().map(|face| face.letter()).collect::<String>();
    let edges = EDGE_ORDER.map(|place| word(&position.edge_colours(place)));
    let corners = CORNER_ORDER.map(|place| word(&reversed(position.corner_colours(place))));
    [&edges[..], &corners[..]].concat().join(" ")
}

/// The colours of a word, if it has so many letters and all are colours.
fn colours_of<const N: usize>(word: &str) -> Option<[Face; N]> {
    let colours: Option<Vec<_>> = word.chars().map(Face::from_letter).collect();
    colours?.try_into().ok()
}

/// Whether a word is a piece.
pub(super) fn is_piece(word: &str) -> bool {
    let edge = colours_of(word).and_then(colours::edge);
    edge.or_else(|| colours_of(word).and_then(|word| colours::corner(reversed(word)))).is_some()
}

/// Reads a position from the text behind a prefix.
pub(super) fn read(text: &str) -> Result<Cube, Vec<Problem>> {
    let mut reader = Reader::new(text);
    let mut words = Words::default();
    while reader.skip_spaces() {
        let start = reader.at;
        while reader.take(|c| !c.is_whitespace()) {}
        words.add(&text[start..reader.at], start..reader.at);
    }
    let Words { edges, corners, mut pieces } = words;
    let count = edges + corners;
    if count != PLACES {
        pieces.problem("piece-count", format!("{count} pieces; expected {PLACES}"), None);
    }
    let checked = Cube::from_cubies(&pieces.cubies);
    pieces.checked(checked, |_| true)
}

/// What was read of a text.
#[derive(Default)]
struct Words {
    /// Words for places of edges.
    edges: usize,
    /// Words for places of corners.
    corners: usize,
    pieces: Pieces,
}

impl Words {
    /// Gives the next place of its kind to a word. What is no piece takes a place of the kind of its length.
    fn add(&mut self, word: &str, at: Range<usize>) {
        let is_edge = match word.chars().count() {
            2 => true,
            3 => false,
            _ => self.corners == 0 && self.edges < EDGES,
        };
        if is_edge && self.corners > 0 {
            let message = format!("edge {} follows a corner: write the {EDGES} edges first", quoted(word));
            self.pieces.problem("misplaced-piece", message, Some(at.clone()));
        }
        if is_edge {
            self.edges += 1;
            self.add_edge(word, at);
        } else {
            self.corners += 1;
            self.add_corner(word, at);
        }
    }

    fn add_edge(&mut self, word: &str, at: Range<usize>) {
        let Some(&place) = EDGE_ORDER.get(self.edges - 1) else {
            let message = format!("{} is one edge too many; expected {EDGES}", quoted(word));
            return self.pieces.problem("surplus-piece", message, Some(at));
        };
        let edge = colours_of(word).and_then(colours::edge);
        if edge.is_none() {
            self.pieces.problem("bad-piece", format!("{} is not an edge", quoted(word)), Some(at.clone()));
        }
        self.pieces.put_edge(place, edge, at);
    }

    fn add_corner(&mut self, word: &str, at: Range<usize>) {
        let Some(&place) = CORNER_ORDER.get(self.corners - 1) else {
            let message = format!("{} is one corner too many; expected {CORNERS}", quoted(word));
            return self.pieces.problem("surplus-piece", message, Some(at));
        };
        let colours = colours_of(word);
        let corner = colours.and_then(|seen| colours::corner(reversed(seen)));
        if corner.is_none() {
            let (code, message) = match colours.and_then(colours::corner) {
                Some(_) => ("mirrored-corner", format!("{} is the mirror image of a corner", quoted(word))),
                None => ("bad-piece", format!("{} is not a corner", quoted(word))),
            };
            self.pieces.problem(code, message, Some(at.clone()));
        }
        self.pieces.put_corner(place, corner, at);
    }
}
