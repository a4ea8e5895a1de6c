//! Sequences as the World Cube Association writes them: `R U2 F' Rw M x`.
//!
//! - `U R F D L B` turn a face, `Uw` or `u` and so on turn it with the layer next to it, `M E S` turn the layer between
//!   L and R (like L), U and D (like D), F and B (like F), and `x y z` the whole cube like R, U, F.
//! - After that may come the number of quarter turns, 1 to 3, and then `'` (or ’ and its like) for anticlockwise.
//! - `(R U R' U')3` or `(…)*3` repeats, `(…)'` undoes. Brackets may contain brackets.
//! - `//` starts a comment that ends with the line.
//!
//! Spaces may be left out. So this reads `F1R1U2`, as Tomas Rokicki's programs write, too. Square brackets are refused,
//! because they stand for commutators with some and for turns of the whole cube with others.
//!
//! What is read is a sequence of turns of faces, named by their centres: when the layers between or the whole cube
//! turn, it is these turns as seen by somebody who moves along with the centres. In the end the cube is held with all
//! centres where they were.
//!
//! Source: WCA Regulations, article 12a, <https://www.worldcubeassociation.org/regulations/>.

use super::{Cube3Notation, text};
use crate::error::{InvalidInput, Problem};
use crate::puzzle::cube3::{Face, Move, MoveSequence};
use crate::puzzle::input::{Reader, quoted};

/// The most moves that a sequence may have as it is written, brackets repeated.
pub const LONGEST_SEQUENCE: usize = 10_000;

/// Reads a sequence.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str) -> Result<MoveSequence, InvalidInput> {
    text(input, 0, Cube3Notation::Wca).read(read)
}

/// The moves as `R U2 F'`.
pub fn print(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads a sequence from the text behind a prefix, going on after each mistake to find the next.
pub(in crate::puzzle) fn read(text: &str) -> Result<MoveSequence, Vec<Problem>> {
    let mut parser = Parser { reader: Reader::new(text), groups: vec![Group::default()], moves: 0 };
    while parser.reader.skip_spaces() {
        parser.item();
    }
    let Parser { mut reader, groups, .. } = parser;
    for group in groups.iter().skip(1) {
        reader.problem("unclosed-bracket", "bracket is not closed", group.opened..group.opened + 1);
    }
    if reader.problems.is_empty() {
        Ok(turns_of_faces(groups.into_iter().flat_map(|group| group.moves)))
    } else {
        Err(reader.problems)
    }
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

/// How the cube is held: the centre at each face.
struct Frame([Face; 6]);

impl Frame {
    /// Turns the whole cube like a face.
    fn turn(&mut self, like: Face, quarters: u8) {
        let (ring, quarters) = match like {
            Face::U => ([Face::F, Face::L, Face::B, Face::R], quarters),
            Face::R => ([Face::F, Face::U, Face::B, Face::D], quarters),
            Face::F => ([Face::U, Face::R, Face::D, Face::L], quarters),
            Face::D | Face::L | Face::B => return self.turn(like.opposite(), 4 - quarters),
        };
        let mut centres = ring.map(|face| self.0[face as usize]);
        centres.rotate_right(usize::from(quarters));
        for (face, centre) in ring.into_iter().zip(centres) {
            self.0[face as usize] = centre;
        }
    }
}

/// The moves as turns of faces named by their centres.
fn turns_of_faces(moves: impl Iterator<Item = Written>) -> MoveSequence {
    let mut frame = Frame(Face::ALL);
    let mut turns = Vec::new();
    for written in moves {
        turns.extend(written.turns().map(|(face, quarters)| Move::new(frame.0[face as usize], quarters)));
        if written.layers != Layers::Face {
            frame.turn(written.face, written.quarters);
        }
    }
    MoveSequence::new(turns)
}

/// The moves of a pair of brackets, so far.
#[derive(Default)]
struct Group {
    /// Where it opens.
    opened: usize,
    moves: Vec<Written>,
}

struct Parser<'a> {
    reader: Reader<'a>,
    /// Those that are open; first the sequence as a whole, which never closes.
    groups: Vec<Group>,
    /// Moves in all of them.
    moves: usize,
}

impl Parser<'_> {
    /// Reads a move, a bracket or a comment, or past a mistake. Always reads at least one character.
    fn item(&mut self) {
        let start = self.reader.at;
        if self.reader.take_word("//") {
            while self.reader.take(|c| c != '\n') {}
        } else if self.reader.take(|c| c == '(') {
            self.groups.push(Group { opened: start, moves: Vec::new() });
        } else if self.reader.take(|c| c == ')') {
            self.close(start);
        } else if let Some((layers, face)) = self.layers() {
            if let Some(quarters) = self.quarters(start) {
                self.add(vec![Written { layers, face, quarters }], start);
            }
        } else {
            self.skip_foreign();
        }
    }

    /// Reads the letters of a move.
    fn layers(&mut self) -> Option<(Layers, Face)> {
        let (layers, face) = self.reader.take_some(named)?;
        let is_wide = layers == Layers::Face && self.reader.take(|c| c == 'w');
        Some((if is_wide { Layers::Two } else { layers }, face))
    }

    /// Reads how far a move that began at `start` turns.
    fn quarters(&mut self, start: usize) -> Option<u8> {
        let quarters = self.number();
        let is_inverse = self.reader.take(is_prime);
        match quarters.unwrap_or(1) {
            quarters @ 1..=3 if is_inverse => Some(4 - quarters as u8),
            quarters @ 1..=3 => Some(quarters as u8),
            _ => {
                let message = "a move has 1 to 3 quarter turns";
                self.reader.problem("turn-out-of-range", message, start..self.reader.at);
                None
            }
        }
    }

    /// Reads digits. A number that is too large for its type is the largest.
    fn number(&mut self) -> Option<usize> {
        let start = self.reader.at;
        while self.reader.take(|c| c.is_ascii_digit()) {}
        let digits = &self.reader.text[start..self.reader.at];
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX))
    }

    /// Reads what follows the bracket that closes at `start`, and adds the moves to the group around it.
    fn close(&mut self, start: usize) {
        let repetitions = self.repetitions();
        let is_inverse = self.reader.take(is_prime);
        let group = if self.groups.len() > 1 { self.groups.pop() } else { None };
        let Some(Group { opened, mut moves }) = group else {
            return self.reader.problem("unopened-bracket", "bracket was not opened", start..start + 1);
        };
        self.moves -= moves.len();
        if is_inverse {
            moves = moves.into_iter().rev().map(Written::inverse).collect();
        }
        match repetitions {
            None | Some(0) => {
                let message = "brackets are repeated a whole number of times, at least once";
                self.reader.problem("bad-repetition", message, start..self.reader.at);
            }
            // One more than is allowed is as wrong as any larger number.
            Some(times) => {
                let longest = (LONGEST_SEQUENCE + 1).div_ceil(moves.len().max(1));
                self.add(moves.repeat(times.min(longest)), opened);
            }
        }
    }

    /// Reads `3`, `*3` or nothing; `None` if the number is lacking.
    fn repetitions(&mut self) -> Option<usize> {
        let end = self.reader.at;
        self.reader.skip_spaces();
        if self.reader.take(|c| c == '*') {
            self.reader.skip_spaces();
            return self.number();
        }
        self.reader.at = end;
        self.number().or(Some(1))
    }

    /// Adds moves that begin at `start` to the innermost group, unless the sequence becomes too long.
    fn add(&mut self, moves: Vec<Written>, start: usize) {
        if self.moves + moves.len() > LONGEST_SEQUENCE {
            let message = format!("with this, the sequence has more than {LONGEST_SEQUENCE} moves");
            self.reader.problem("too-many-moves", message, start..self.reader.at);
        } else if let Some(group) = self.groups.last_mut() {
            self.moves += moves.len();
            group.moves.extend(moves);
        }
    }

    /// Reads past characters that have no meaning, and says so.
    fn skip_foreign(&mut self) {
        let start = self.reader.at;
        self.reader.take(|_| true);
        while self.reader.take(|c| !c.is_whitespace() && !"()/".contains(c) && named(c).is_none()) {}
        let found = quoted(&self.reader.text[start..self.reader.at]);
        let message = format!("{found} is no move: moves are U R F D L B, Uw to Bw, u to b, M E S, x y z");
        self.reader.problem("bad-character", message, start..self.reader.at);
    }
}

/// The layers that a letter names.
fn named(letter: char) -> Option<(Layers, Face)> {
    Some(match letter {
        'M' => (Layers::Middle, Face::L),
        'E' => (Layers::Middle, Face::D),
        'S' => (Layers::Middle, Face::F),
        'x' => (Layers::All, Face::R),
        'y' => (Layers::All, Face::U),
        'z' => (Layers::All, Face::F),
        _ if letter.is_ascii_lowercase() => (Layers::Two, Face::from_letter(letter)?),
        _ => (Layers::Face, Face::from_letter(letter)?),
    })
}

/// Whether a character is an apostrophe: web pages write all of these.
fn is_prime(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{2032}' | '\u{2bc}' | '`' | '\u{b4}')
}
