//! Sequences as the World Cube Association writes them: `R U2 F' Rw M x`.
//!
//! - `U R F D L B` turn a face, `Uw` or `u` and so on turn it with the layer next to it, `M E S` turn the layer between
//!   L and R (like L), U and D (like D), F and B (like F), and `x y z` the whole cube like R, U, F.
//! - A number before the letter is that of layers, counted from the face: `3Rw` and `3r` turn three layers, which is the
//!   whole cube, `2Rw` is `Rw`; `2R` turns the second layer alone (like `M'`), `3R` the third (like `L'`). Digits that
//!   touch the move before them are its quarter turns: `U2R` is `U2 R`, `U 2R` is `U M'`.
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
//! Sources: WCA Regulations, article 12a, <https://www.worldcubeassociation.org/regulations/>; for single inner layers
//! SiGN, <https://mzrg.com/rubik/nota.shtml>, and cubing.js, which agree.

use super::{Cube3Notation, text};
use crate::cube3::{Face, Move, MoveSequence};
use crate::input::{Reader, quoted};
use twistbase_core::error::{InvalidInput, Problem};

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
pub(crate) fn read(text: &str) -> Result<MoveSequence, Vec<Problem>> {
    read_with(text, true)
}

/// The same for a 2×2×2 cube, whose layers have other numbers.
pub(crate) fn read_for_cube2(text: &str) -> Result<MoveSequence, Vec<Problem>> {
    read_with(text, false)
}

fn read_with(text: &str, has_layer_numbers: bool) -> Result<MoveSequence, Vec<Problem>> {
    let reader = Reader::new(text);
    let mut parser = Parser { reader, groups: vec![Group::default()], moves: 0, has_layer_numbers };
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

    /// The same with a number before its letter, if that means something.
    fn of_layers(self, number: usize) -> Option<Self> {
        match (self.layers, number) {
            (Layers::Face | Layers::Two, 1) => Some(Self { layers: Layers::Face, ..self }),
            (Layers::Two, 2) => Some(self),
            (Layers::Two, 3) => Some(Self { layers: Layers::All, ..self }),
            (Layers::Face, 2) => Some(Self { layers: Layers::Middle, ..self }),
            (Layers::Face, 3) => Some(Self { face: self.face.opposite(), ..self.inverse() }),
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
    /// Whether layers may have numbers.
    has_layer_numbers: bool,
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
        } else {
            self.turn(start);
        }
    }

    /// Reads a move that begins at `start`, or past what is none.
    fn turn(&mut self, start: usize) {
        let number = self.number();
        let Some((layers, face)) = self.layers() else {
            self.reader.at = start;
            return self.skip_foreign();
        };
        let named = start..self.reader.at;
        let Some(quarters) = self.quarters(start) else { return };
        let written = Written { layers, face, quarters };
        match number.map_or(Some(written), |number| written.of_layers(number)) {
            Some(written) if number.is_none() || self.has_layer_numbers => self.add(vec![written], start),
            Some(_) => {
                let found = &self.reader.text[named.clone()];
                let message = format!(
                    "{found:?} may count layers of this cube, or of the 3×3×3, whose moves are read: write it without a number"
                );
                self.reader.problem("ambiguous-layers", message, named);
            }
            None => {
                let found = &self.reader.text[named.clone()];
                let message = format!(
                    "{found:?} names no layers: of a face there are 1 to 3, as in 2R (the second) or 3Rw (all)"
                );
                self.reader.problem("layer-out-of-range", message, named);
            }
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
        let message = format!("{found} is no move: moves are U R F D L B, Uw to Bw, u to b, 2R, 3Rw, M E S, x y z");
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
