//! Reading sequences: what the notations of moves have in common.

use super::{Spanned, is_dash};
use crate::input::{Reader, quoted};
use crate::square1::{Step, Turn, TwistSequence};
use twistbase_core::error::Problem;

/// The largest amount of a turn, either way.
const LARGEST_AMOUNT: i32 = 11;

/// In what a notation of moves differs from the others.
pub(super) struct Dialect {
    /// The turn by a top and a bottom amount in -11..=11.
    pub(super) turn: fn(i32, i32) -> Turn,
    /// The symbol of turning over, lower case.
    pub(super) turn_over: &'static str,
}

impl Dialect {
    /// Reads a sequence, going on after each mistake to find the next.
    pub(super) fn parse(&self, text: &str) -> Result<Spanned, Vec<Problem>> {
        let mut reader = Reader::new(text);
        let mut steps = Vec::new();
        let mut spans = Vec::new();
        while reader.skip_spaces() {
            let start = reader.at;
            if self.is_comment(&reader.text[start..]) {
                while reader.take(|c| !matches!(c, '\n' | '\r')) {}
            } else if let Some(step) = self.step(&mut reader) {
                steps.push(step);
                spans.push(start..reader.at);
            }
        }
        if reader.problems.is_empty() {
            Ok(Spanned { sequence: TwistSequence::new(steps), spans })
        } else {
            Err(reader.problems)
        }
    }

    /// Whether a text begins with a comment: two slashes, a space and a letter, which is not that of turning over.
    fn is_comment(&self, text: &str) -> bool {
        text.strip_prefix("//").is_some_and(|rest| {
            let words = rest.trim_start();
            let is_turn_over = Reader::new(words).take_word(self.turn_over);
            words.len() < rest.len() && words.starts_with(char::is_alphabetic) && !is_turn_over
        })
    }

    /// Reads one step, or past a mistake. Always reads at least one character.
    fn step(&self, reader: &mut Reader<'_>) -> Option<Step> {
        if reader.take(|c| c == '/') {
            return Some(Step::Twist);
        }
        if reader.take_word(self.turn_over) {
            // A half turn is its own inverse, and some write it so.
            reader.take(|c| c == '\'');
            return Some(Step::TurnOver);
        }
        if !reader.peek().is_some_and(starts_turn) {
            reader.skip_foreign(self.turn_over);
            return None;
        }
        reader.turn().map(|(top, bottom)| Step::Turn((self.turn)(top, bottom)))
    }
}

/// Whether a turn may start with this character.
fn starts_turn(c: char) -> bool {
    is_opening(c) || is_sign(c) || c.is_ascii_digit()
}

fn is_opening(c: char) -> bool {
    matches!(c, '(' | '[')
}

fn is_sign(c: char) -> bool {
    c == '+' || is_dash(c)
}

/// The closing bracket that belongs to an opening one.
fn closing(opening: char) -> char {
    if opening == '(' { ')' } else { ']' }
}

impl Reader<'_> {
    /// Reads past characters that have no meaning, and says so.
    fn skip_foreign(&mut self, turn_over: &str) {
        let start = self.at;
        let first_of_word = turn_over.chars().next();
        let has_meaning = |c: char| c == '/' || starts_turn(c) || c.is_whitespace() || Some(c) == first_of_word;
        self.take(|_| true);
        while self.take(|c| !has_meaning(c)) {}
        let found = &self.text[start..self.at];
        let more = if found == "*" { "; leave out this mark of some lists" } else { "" };
        let message = format!("{} is not a move: a turn is (top, bottom), a twist is /{more}", quoted(found));
        self.problem("bad-character", message, start..self.at);
    }

    /// Reads a turn; on a mistake, goes on before the next twist or bracket.
    fn turn(&mut self) -> Option<(i32, i32)> {
        let start = self.at;
        let known = self.problems.len();
        let amounts = self.amounts();
        if amounts.is_none() {
            while self.take(|c| c != '/' && !is_opening(c)) {}
            let end = start + self.text[start..self.at].trim_end().len();
            let found = &self.text[start..end];
            let mut message = format!("{} is not a turn: write (top, bottom) with two whole numbers", quoted(found));
            if found.replace(is_dash, "-").parse::<i32>().is_ok() {
                message += &format!("; ({found},0) turns the top layer alone, (0,{found}) the bottom layer");
            }
            self.problem("bad-turn", message, start..end);
        }
        amounts.filter(|_| self.problems.len() == known)
    }

    /// Reads `(top, bottom)` with or without brackets; `None` when it is not written so.
    fn amounts(&mut self) -> Option<(i32, i32)> {
        let opening = self.peek().filter(|&c| is_opening(c));
        self.take(is_opening);
        let top = self.amount()?;
        self.skip_spaces();
        if !self.take(|c| c == ',') {
            return None;
        }
        let bottom = self.amount()?;
        let Some(opening) = opening else { return Some((top, bottom)) };
        self.skip_spaces();
        self.take(|c| c == closing(opening)).then_some((top, bottom))
    }

    /// Reads a number; one that is too large is a problem, but a number.
    fn amount(&mut self) -> Option<i32> {
        self.skip_spaces();
        let start = self.at;
        let is_negative = self.peek().is_some_and(is_dash);
        self.take(is_sign);
        let first_digit = self.at;
        while self.take(|c| c.is_ascii_digit()) {}
        let digits = &self.text[first_digit..self.at];
        if digits.is_empty() {
            return None;
        }
        // A number with too many digits for the type is too large in any case.
        let size = digits.parse().unwrap_or(i32::MAX);
        if size > LARGEST_AMOUNT {
            let message =
                format!("a turn by {} units of 30° is out of range: -11 to 11", quoted(&self.text[start..self.at]));
            self.problem("turn-out-of-range", message, start..self.at);
        }
        Some(if is_negative { -size } else { size })
    }
}
