//! Sequences as Pavel Savara's Cube21 writes them: `(-1,0)/!(-3,3)/`.
//!
//! `(t, b)` turns the top layer by `t` and the bottom layer by `b` units of 30°, anticlockwise seen
//! **from above** for both; `/` is a twist, `!` turns the whole puzzle over. The same liberties are
//! taken as in [`wca`](super::wca) notation, of which `(-t, b)` is the same turn.
//!
//! Source: Pavel Savara, <http://cube21.sf.net/>.

use super::moves::Dialect;
use super::{NotationText, Square1Notation, print_steps};
use crate::square1::{Step, Turn, TwistSequence};
use twistbase_core::error::InvalidInput;

pub(super) static DIALECT: Dialect = Dialect { turn: Turn::new, turn_over: "!" };

/// Reads a sequence.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str) -> Result<TwistSequence, InvalidInput> {
    NotationText::whole(input, Square1Notation::Cube21).parse_sequence()
}

/// The sequence as `(-1,0)/!(-3,3)/`.
pub fn print(sequence: &TwistSequence) -> String {
    print_steps(sequence, "", |step| match step {
        Step::Turn(turn) => format!("({},{})", turn.top(), turn.bottom()),
        Step::Twist => "/".to_owned(),
        Step::TurnOver => DIALECT.turn_over.to_owned(),
    })
}
