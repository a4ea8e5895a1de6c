//! The moves of a text, brackets multiplied out.

use std::ops::Range;

use super::super::plain;
use super::{LONGEST_SEQUENCE, Layers, Written};
use crate::cube3::Face;
use crate::input::{Reader, quoted};
use twistbase_core::error::Problem;

/// The moves of a pair of brackets, so far.
#[derive(Default)]
struct Group {
    /// Its opening bracket.
    opened: Range<usize>,
    /// Whether the brackets are square.
    is_square: bool,
    /// The moves before the comma or colon of square brackets, and which of the two it is.
    first: Option<(Vec<Written>, char)>,
    moves: Vec<Written>,
}

/// Reads a sequence, going on after each mistake to find the next.
pub(super) struct Parser<'a> {
    reader: Reader<'a>,
    /// Those that are open; first the sequence as a whole, which never closes.
    groups: Vec<Group>,
    /// Moves in all of them.
    moves: usize,
    /// Whether there are layers in the middle, and layers may have numbers.
    has_middle_layers: bool,
}

impl<'a> Parser<'a> {
    /// At the start of a text.
    pub(super) fn new(text: &'a str, has_middle_layers: bool) -> Self {
        Self { reader: Reader::new(text), groups: vec![Group::default()], moves: 0, has_middle_layers }
    }

    /// Reads all moves.
    pub(super) fn read(mut self) -> Result<Vec<Written>, Vec<Problem>> {
        while self.reader.skip_spaces() {
            self.item();
        }
        let Self { mut reader, groups, .. } = self;
        if let Some(group) = groups.get(1) {
            reader.problem("unclosed-bracket", "bracket is not closed", group.opened.clone());
        }
        match reader.problems.is_empty() {
            true => Ok(groups.into_iter().flat_map(|group| group.moves).collect()),
            false => Err(reader.problems),
        }
    }

    /// Reads a move, a bracket or a comment, or past a mistake. Always reads at least one character.
    fn item(&mut self) {
        let start = self.reader.at;
        if self.reader.take_word("//") {
            while self.reader.take(|c| !is_line_end(c)) {}
        } else if self.reader.take_word("/*") {
            self.comment(start);
        } else if let Some(is_square) = self.take_some(|c| bracket(c, ['(', '['])) {
            let opened = start..self.reader.at;
            if is_square || !self.count_of_moves() {
                self.groups.push(Group { opened, is_square, ..Group::default() });
            }
        } else if let Some(is_square) = self.take_some(|c| bracket(c, [')', ']'])) {
            self.close(is_square, start..self.reader.at);
        } else if let Some(sign) = self.take_some(|c| matches!(c, ',' | ':').then_some(c)) {
            self.divide(sign, start);
        } else if !self.take(|c| matches!(c, '.' | '·')) {
            self.turn(start);
        }
    }

    /// Reads a comment that opens at `start` and has an end.
    fn comment(&mut self, start: usize) {
        match self.reader.text[self.reader.at..].find("*/") {
            Some(length) => self.reader.at += length + "*/".len(),
            None => {
                self.reader.at = self.reader.text.len();
                self.reader.problem("unclosed-comment", "comment is not closed: it ends with */", start..start + 2);
            }
        }
    }

    /// Reads what follows the bracket of a count of moves at the end of a line, or nothing.
    fn count_of_moves(&mut self) -> bool {
        const WORDS: [&str; 6] = ["htm", "ftm", "qtm", "stm", "moves", "move"];
        let start = self.reader.at;
        let count = self.number();
        self.reader.skip_spaces();
        let has_unit = WORDS.into_iter().any(|word| self.reader.take_word(word)) || self.take(|c| "fqsh".contains(c));
        self.take(|c| c == '*');
        let is_closed = self.take(|c| c == ')');
        let rest = self.reader.text[self.reader.at..].trim_start_matches([' ', '\t']);
        let is_last = rest.is_empty() || rest.starts_with(is_line_end) || rest.starts_with('/');
        // With nothing before it that it could count, `(2f)` is a move.
        let counts_something = self.moves > 0 && self.groups.len() == 1 || count == Some(0);
        let is_count = count.is_some() && has_unit && is_closed && is_last && counts_something;
        if !is_count {
            self.reader.at = start;
        }
        is_count
    }

    /// Begins the second part of square brackets.
    fn divide(&mut self, sign: char, start: usize) {
        match self.groups.last_mut() {
            Some(group) if group.is_square && group.first.is_none() => {
                group.first = Some((std::mem::take(&mut group.moves), sign));
            }
            _ => {
                let message = format!(
                    "misplaced {sign:?}: use it once in square brackets, as in [A, B] = A B A' B' or [A: B] = A B A'"
                );
                self.reader.problem("misplaced-sign", message, start..self.reader.at);
            }
        }
    }

    /// Reads a move that begins at `start`, or past what is none.
    fn turn(&mut self, start: usize) {
        let numbers = self.layer_numbers();
        let Some((layers, face)) = self.layers() else {
            self.reader.at = start;
            return self.skip_foreign();
        };
        let named = start..self.reader.at;
        let Some(quarters) = self.quarters(start) else { return };
        let written = Written { layers, face, quarters };
        let found = &self.reader.text[named.clone()];
        if layers == Layers::Middle && !self.has_middle_layers {
            let message = format!(
                "{found:?} turns a middle layer, which this cube does not have; use turns of faces, such as R or L"
            );
            return self.reader.problem("no-middle-layer", message, named);
        }
        let Some((first, last)) = numbers else { return self.add(vec![written], start) };
        // One number before a letter for two layers is how many there are.
        let first = first.unwrap_or(if layers == Layers::Two { 1 } else { last });
        match written.of_layers(first, last) {
            Some(written) if self.has_middle_layers => self.add(vec![written], start),
            Some(_) => {
                let message = format!("{found:?} counts layers, which the 2×2×2 does not have; leave out the number");
                self.reader.problem("ambiguous-layers", message, named);
            }
            None => {
                let message = format!(
                    "{found:?} counts layers out of range: use 1 to 3, as in 2R (the second), 3Rw (all) or 2-3Rw"
                );
                self.reader.problem("layer-out-of-range", message, named);
            }
        }
    }

    /// Reads the numbers of the layers before a letter: the first, where there are two, and the last.
    fn layer_numbers(&mut self) -> Option<(Option<usize>, usize)> {
        let number = self.number()?;
        let end = self.reader.at;
        if self.take(|c| matches!(c, '-' | '\u{2212}' | '\u{2013}'))
            && let Some(last) = self.number()
        {
            return Some((Some(number), last));
        }
        self.reader.at = end;
        Some((None, number))
    }

    /// Reads the letters of a move.
    fn layers(&mut self) -> Option<(Layers, Face)> {
        let (layers, face) = self.take_some(named)?;
        // `rw` is what `Rw` and `r` are.
        let is_wide = matches!(layers, Layers::Face | Layers::Two) && self.take(|c| c == 'w');
        Some((if is_wide { Layers::Two } else { layers }, face))
    }

    /// Reads how far a move that began at `start` turns.
    fn quarters(&mut self, start: usize) -> Option<u8> {
        let number = self.number();
        let is_inverse = self.take(is_prime);
        if is_inverse && self.take(is_prime) {
            while self.take(is_prime) {}
            let found = &self.reader.text[start..self.reader.at];
            let message =
                format!("{found:?} has several apostrophes: write one for an anticlockwise turn, 2 for a half turn");
            self.reader.problem("repeated-apostrophe", message, start..self.reader.at);
            return None;
        }
        let quarters = self.number_behind(number, is_inverse, start)?;
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

    /// A number, or that behind the apostrophe where there is none before it; `None` if that may as well belong to the move
    /// behind it.
    fn number_behind(&mut self, number: Option<usize>, is_inverse: bool, start: usize) -> Option<Option<usize>> {
        if number.is_some() || !is_inverse {
            return Some(number);
        }
        let number = self.number();
        let is_followed = self.reader.peek().is_some_and(|c| c == '-' || named(plain(c)).is_some());
        if number.is_some() && is_followed {
            let found = &self.reader.text[start..self.reader.at];
            let message = format!(
                "{found:?} is ambiguous: the number may belong to the next move; put a space before or after it"
            );
            self.reader.problem("ambiguous-number", message, start..self.reader.at);
            return None;
        }
        Some(number)
    }

    /// Reads digits. A number that is too large for its type is the largest.
    fn number(&mut self) -> Option<usize> {
        let mut number: Option<usize> = None;
        while let Some(digit) = self.take_some(|c| c.to_digit(10)) {
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
        }
        number
    }

    /// Reads what follows a bracket that closes, and adds the moves to the group around it.
    fn close(&mut self, is_square: bool, bracket: Range<usize>) {
        let is_opened = self.groups.len() > 1 && self.groups.last().is_some_and(|group| group.is_square == is_square);
        let group = if is_opened { self.groups.pop() } else { None };
        let number = self.repetitions();
        let is_inverse = self.take(is_prime);
        let Some(number) = number.and_then(|number| self.number_behind(number, is_inverse, bracket.start)) else {
            return;
        };
        let Some(group) = group else {
            return self.reader.problem("unopened-bracket", "bracket was not opened", bracket);
        };
        let opened = group.opened.start;
        self.moves -= group.moves.len() + group.first.as_ref().map_or(0, |(first, _)| first.len());
        let Some(mut moves) = group.multiplied_out() else {
            let message =
                "square brackets need two sequences: [A, B] is A B A' B', [A: B] is A B A'; x, y and z turn the cube";
            return self.reader.problem("bad-brackets", message, opened..bracket.end);
        };
        if is_inverse {
            moves = inverse(&moves);
        }
        match number.unwrap_or(1) {
            0 => {
                let message = "expected the number of repetitions after the bracket, at least 1";
                self.reader.problem("bad-repetition", message, bracket.start..self.reader.at);
            }
            // One more than is allowed is as wrong as any larger number.
            times => {
                let longest = (LONGEST_SEQUENCE + 1).div_ceil(moves.len().max(1));
                self.add(moves.repeat(times.min(longest)), opened);
            }
        }
    }

    /// Reads `3`, `*3`, `^3`, `x3` or nothing: 0 if the number is lacking, `None` for a mistake.
    fn repetitions(&mut self) -> Option<Option<usize>> {
        let end = self.reader.at;
        self.reader.skip_spaces();
        let sign = self.reader.at;
        if self.take(|c| matches!(c, '*' | '×' | '^')) {
            self.reader.skip_spaces();
            return Some(Some(self.number().unwrap_or(0)));
        }
        if self.take(|c| matches!(c, 'x' | 'X'))
            && let Some(times) = self.number()
            && !self.reader.peek().is_some_and(|c| is_prime(plain(c)))
        {
            // Nobody writes three quarter turns of the whole cube so.
            if !(1..=2).contains(&times) {
                return Some(Some(times));
            }
            let found = &self.reader.text[sign..self.reader.at];
            let message = format!(
                "{found:?} after a bracket is ambiguous: write (…){times} to repeat it, {} to turn the cube",
                ["x", "x x"][times - 1]
            );
            self.reader.problem("ambiguous-repetition", message, sign..self.reader.at);
            return None;
        }
        self.reader.at = end;
        Some(self.number())
    }

    /// Adds moves that begin at `start` to the innermost group, unless the sequence becomes too long: then nothing more is read.
    fn add(&mut self, moves: Vec<Written>, start: usize) {
        if self.moves + moves.len() > LONGEST_SEQUENCE {
            let message = format!("the sequence has more than {LONGEST_SEQUENCE} moves from here on");
            self.reader.problem("too-many-moves", message, start..self.reader.at);
            self.reader.at = self.reader.text.len();
            self.groups.truncate(1);
        } else if let Some(group) = self.groups.last_mut() {
            self.moves += moves.len();
            group.moves.extend(moves);
        }
    }

    /// Reads past characters that have no meaning, and says so.
    fn skip_foreign(&mut self) {
        let start = self.reader.at;
        self.reader.take(|_| true);
        while self.take(|c| !c.is_whitespace() && !"()[],:./".contains(c) && named(c).is_none()) {}
        let found = quoted(&self.reader.text[start..self.reader.at]);
        let message = format!("{found} is no move: moves are U R F D L B, Uw to Bw, u to b, 2R, 3Rw, M E S, x y z");
        self.reader.problem("bad-character", message, start..self.reader.at);
    }

    /// Reads a character that means something; one of full width means what the usual one does.
    fn take_some<T>(&mut self, meaning: impl Fn(char) -> Option<T>) -> Option<T> {
        self.reader.take_some(|c| meaning(plain(c)))
    }

    /// Reads a character that `wanted` accepts, likewise.
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        self.reader.take(|c| wanted(plain(c)))
    }
}

impl Group {
    /// Its moves, unless they are square brackets that do not hold two sequences.
    fn multiplied_out(self) -> Option<Vec<Written>> {
        let Self { is_square, first, moves: second, .. } = self;
        match first {
            None => (!is_square).then_some(second),
            Some((first, _)) if first.is_empty() || second.is_empty() => None,
            Some((first, ':')) => Some([&first[..], &second, &inverse(&first)].concat()),
            Some((first, _)) => Some([&first[..], &second, &inverse(&first), &inverse(&second)].concat()),
        }
    }
}

/// The moves that undo others.
fn inverse(moves: &[Written]) -> Vec<Written> {
    moves.iter().rev().map(|written| written.inverse()).collect()
}

/// Whether a bracket is the second of two kinds, if it is one of them.
fn bracket(c: char, [round, square]: [char; 2]) -> Option<bool> {
    (c == round || c == square).then_some(c == square)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
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

/// Whether a character makes a turn anticlockwise: an apostrophe, of which web pages write all of these, `i`, or the minus
/// sign of `R⁻¹`.
fn is_prime(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{2032}' | '\u{2bc}' | '`' | '\u{b4}' | 'i' | '\u{207b}')
}
