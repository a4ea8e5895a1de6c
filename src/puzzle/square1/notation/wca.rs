//! Sequences as the World Cube Association writes them: `(1, 0) / (3, 3) /`.
//!
//! `(x, y)` turns the top layer by `x` and the bottom layer by `y` units of 30°, clockwise seen from
//! each layer's own face; `/` is a twist. Amounts are -11..=11, with `-`, `−`, `–` or `+` before them;
//! brackets may be round, square or left out; spaces are ignored; a sequence may start or end with
//! `/`, have turns and twists one after another, or be empty.
//!
//! `//`, a space and a letter start a comment that ends with the line: `(1,0)/ // my scramble`.
//!
//! The regulations have no symbol for turning the puzzle over; here it is `x2`, as for their other
//! puzzles. [`TwistSequence::without_turn_overs`] gets rid of it.
//!
//! Source: WCA Regulations, article 12c, <https://www.worldcubeassociation.org/regulations/>.

use super::moves::Dialect;
use super::{NotationText, Square1Notation};
use crate::square1::{Step, Turn, TwistSequence};
use twistbase_core::error::InvalidInput;

pub(super) static DIALECT: Dialect = Dialect { turn: Turn::from_wca, turn_over: "x2" };

/// Reads a sequence.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str) -> Result<TwistSequence, InvalidInput> {
    NotationText::whole(input, Square1Notation::Wca).parse_sequence()
}

/// The sequence as `(1, 0) / (3, 3) /`, which other programs (cubing.js for one) read reliably.
pub fn print(sequence: &TwistSequence) -> String {
    let mut text = String::new();
    append(sequence.steps(), &mut text);
    text
}

/// The sequence as `(1,0) / (3,3) /`, as the scrambles of the World Cube Association's program are written.
pub fn print_scramble(sequence: &TwistSequence) -> String {
    print(sequence).replace(", ", ",")
}

/// Appends steps as [`print()`] writes them.
pub fn append(steps: &[Step], text: &mut String) {
    for (at, step) in steps.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        match step {
            Step::Turn(turn) => {
                let (top, bottom) = turn.wca();
                text.push('(');
                append_amount(top, text);
                text.push_str(", ");
                append_amount(bottom, text);
                text.push(')');
            }
            Step::Twist => text.push('/'),
            Step::TurnOver => text.push_str(DIALECT.turn_over),
        }
    }
}

/// An amount of a turn is one digit: -5..=6.
fn append_amount(amount: i8, text: &mut String) {
    if amount < 0 {
        text.push('-');
    }
    text.push(char::from(b'0' + amount.unsigned_abs()));
}

/// The sequence as `(1,0)/(3,3)/`.
pub fn print_compact(sequence: &TwistSequence) -> String {
    print(sequence).replace(' ', "")
}
