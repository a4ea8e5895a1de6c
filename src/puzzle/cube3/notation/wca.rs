//! Sequences as the World Cube Association writes them: `R U2 F' Rw M x`.
//!
//! - `U R F D L B` turn a face, `Uw`, `u` or `uw` and so on turn it with the layer next to it, `M E S` turn the layer between
//!   L and R (like L), U and D (like D), F and B (like F), and `x y z` the whole cube like R, U, F.
//! - A number before the letter is that of layers, counted from the face: `3Rw` and `3r` turn three layers, which is the
//!   whole cube, `2Rw` is `Rw`; `2R` turns the second layer alone (like `M'`), `3R` the third (like `L'`); `2-3r` turns the
//!   second and the third. Digits that touch the move before them are its quarter turns: `U2R` is `U2 R`, `U 2R` is `U M'`.
//! - After that may come the number of quarter turns, 1 to 3, and `'` (or ’ and its like, or `i`) for anticlockwise, in either
//!   order: `R2'`, `R'2`, `Ri`, `R²`.
//! - `(R U R' U')3`, `(…)*3`, `(…)^3` or `(…)x3` repeats, `(…)'` undoes. `(…)x2` is refused: it may as well be the turn `x2`.
//! - `[A, B]` is the commutator `A B A' B'`, `[A: B]` the conjugate `A B A'`; what may follow round brackets may follow these.
//!   Brackets may contain brackets.
//! - `//` starts a comment that ends with the line; `/* … */` is one, too. So is a count of moves in brackets at the end of a
//!   line, as Herbert Kociemba's programs write it: `(18f*)`, `(20q)`, `(16s)`, `(18 HTM)`.
//!
//! Spaces and dots may stand between moves or be left out. So this reads `F1R1U2`, as Tomas Rokicki's programs write, too.
//! Full-width letters and digits are read as the usual ones. Square brackets around a single sequence are refused: with some
//! they stand for turns of the whole cube.
//!
//! What is read is a sequence of turns of faces, named by their centres: when the layers between or the whole cube
//! turn, it is these turns as seen by somebody who moves along with the centres. A [`Motion`] also says where the centres
//! are in the end: the position to which a sequence leads is that of the cube as it is held then.
//!
//! Sources: WCA Regulations, article 12a, <https://www.worldcubeassociation.org/regulations/>; for inner layers, commutators
//! and conjugates SiGN, <https://mzrg.com/rubik/nota.shtml>, and cubing.js, which agree.

mod parser;
#[cfg(test)]
mod tests;

use self::parser::Parser;
use super::{Cube3Notation, text};
use crate::cube3::{Centres, Cube, Face, Move, MoveSequence};
use twistbase_core::error::{InvalidInput, Problem};

/// The most moves that a sequence may have as it is written, brackets repeated.
pub const LONGEST_SEQUENCE: usize = 10_000;
/// Pieces of Square-1, each a digit of its positions.
const PIECES_OF_SQUARE1: usize = 16;

/// Reads a sequence.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str) -> Result<MoveSequence, InvalidInput> {
    text(input, 0, Cube3Notation::Wca).read(read).map(|motion| motion.turns)
}

/// The moves as `R U2 F'`.
pub fn print(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// What a sequence does to a cube.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Motion {
    /// Turns of faces, which are named by their centres: as if the cube were held still.
    pub turns: MoveSequence,
    /// The centres afterwards, if they were the usual ones before: how the whole cube is turned.
    pub centres: Centres,
}

/// The whole cube turned, and no face of it.
impl From<Centres> for Motion {
    fn from(centres: Centres) -> Self {
        Self { turns: MoveSequence::default(), centres }
    }
}

impl Motion {
    /// The position to which it leads from another, each named by the centres as the cube is held then.
    #[must_use]
    pub fn apply(&self, position: &Cube) -> Cube {
        let there = self.turns.apply(position);
        self.centres.rotation().map_or(there, |rotation| rotation.of(&there))
    }
}

/// Reads a sequence from the text behind a prefix, going on after each mistake to find the next.
pub(crate) fn read(text: &str) -> Result<Motion, Vec<Problem>> {
    read_with(text, true)
}

/// The same for a 2×2×2 cube, which has no middle layers, and whose layers have other numbers.
pub(crate) fn read_for_cube2(text: &str) -> Result<Motion, Vec<Problem>> {
    read_with(text, false)
}

fn read_with(text: &str, has_middle_layers: bool) -> Result<Motion, Vec<Problem>> {
    let read = Parser::new(text, has_middle_layers).read();
    read.map(turns_of_faces).map_err(|problems| of_square1(text).map_or(problems, |problem| vec![problem]))
}

/// What is wrong with a text that is none for this puzzle but for Square-1.
fn of_square1(text: &str) -> Option<Problem> {
    let text = text.trim_end();
    let is_all = |allowed: fn(char) -> bool| text.chars().all(|c| allowed(c) || c.is_whitespace());
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    let is_sequence =
        has_digit && text.contains(',') && is_all(|c| c.is_ascii_digit() || "()[],/!+-\u{2212}\u{2013}x".contains(c));
    let is_position = has_digit
        && text.chars().filter(char::is_ascii_hexdigit).count() == PIECES_OF_SQUARE1
        && is_all(|c| c.is_ascii_hexdigit() || "-/".contains(c));
    let what = if is_sequence { "sequence" } else { "position" };
    (is_sequence || is_position).then(|| Problem {
        code: "other-puzzle",
        message: format!("this is a {what} for Square-1; give the puzzle square1 or cube21"),
        at: Some(0..text.len()),
    })
}

/// Which layers a move turns.
#[derive(Clone, Copy, PartialEq)]
enum Layers {
    /// The face.
    Face,
    /// The face and the layer next to it.
    Two,
    /// The layer next to it.
    Middle,
    /// All three.
    All,
}

/// A move as it is written.
#[derive(Clone, Copy)]
struct Written {
    layers: Layers,
    /// The face that is turned along, or would be, as the cube is held.
    face: Face,
    /// Clockwise quarter turns, 1 to 3.
    quarters: u8,
}

impl Written {
    fn inverse(self) -> Self {
        Self { quarters: 4 - self.quarters, ..self }
    }

    /// The same of the layers with these numbers, counted from the face, if that means something.
    fn of_layers(self, first: usize, last: usize) -> Option<Self> {
        let from_other_side = |layers| Self { layers, face: self.face.opposite(), ..self.inverse() };
        let has_numbers = matches!(self.layers, Layers::Face | Layers::Two);
        match (first, last) {
            _ if !has_numbers => None,
            (1, 1) => Some(Self { layers: Layers::Face, ..self }),
            (1, 2) => Some(Self { layers: Layers::Two, ..self }),
            (1, 3) => Some(Self { layers: Layers::All, ..self }),
            (2, 2) => Some(Self { layers: Layers::Middle, ..self }),
            (2, 3) => Some(from_other_side(Layers::Two)),
            (3, 3) => Some(from_other_side(Layers::Face)),
            _ => None,
        }
    }

    /// The turns of faces that make the same of the pieces, seen from the centres; afterwards these turn with `face`,
    /// unless only a face is turned.
    fn turns(self) -> impl Iterator<Item = (Face, u8)> {
        let Self { layers, face, quarters } = self;
        // The whole cube turned, then the layers turned back that should have stayed.
        let stays_behind = matches!(layers, Layers::Two | Layers::Middle);
        let turns = [
            (layers == Layers::Face).then_some((face, quarters)),
            stays_behind.then_some((face.opposite(), quarters)),
            (layers == Layers::Middle).then_some((face, 4 - quarters)),
        ];
        turns.into_iter().flatten()
    }
}

/// The moves as turns of faces named by their centres.
fn turns_of_faces(moves: Vec<Written>) -> Motion {
    let mut centres = Centres::USUAL;
    let mut turns = Vec::new();
    for written in moves {
        turns.extend(written.turns().map(|(face, quarters)| Move::new(centres.colour(face), quarters)));
        if written.layers != Layers::Face {
            centres.turn(written.face, written.quarters);
        }
    }
    Motion { turns: MoveSequence::new(turns), centres }
}
