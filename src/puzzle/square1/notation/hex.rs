//! Positions as hexadecimal digits, the notation of Cube21: `01234567-89ABCDEF`.
//!
//! The 16 [pieces](Piece) by slot, top layer first, each layer anticlockwise seen from above from the
//! front end of the seam. Either case; spaces are ignored; a dash between the layers is optional.
//! The middle layer may follow: `-` for the square, `/` for the kite (`01234567-89ABCDEF/`).
//!
//! A big piece in slots 11 and 0 of its layer cannot be written: turn the layer by a unit first.
//!
//! Source: Pavel Savara, <http://cube21.sf.net/>. The symbol of the middle layer is Jaap Scherphuis's.

use super::strings::Alphabet;
use super::{NotationText, ParsedSquare1, Square1Notation};
use crate::error::InvalidInput;
use crate::puzzle::square1::{Colouring, Piece, Position};

pub(super) static ALPHABET: Alphabet = Alphabet {
    piece: Piece::from_hex_digit,
    symbol: Piece::hex_digit,
    symbols: "digits 0-9 and A-F",
    is_top_reversed: false,
    is_middle_between_layers: false,
};

/// Reads a position. With a colouring in which pieces are alike, a kind may be named by either of its
/// digits, as in `01034547-89ABCDEF`.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str, colouring: Colouring) -> Result<ParsedSquare1, InvalidInput> {
    NotationText::whole(input, Square1Notation::Hex).parse_position(colouring)
}

/// The position as `01234567-89ABCDEF`, without its middle layer; `None` when a big piece fills slots
/// 11 and 0 of a layer (see [`Position::unstraddling_turn`]).
pub fn print(position: &Position) -> Option<String> {
    let [top, bottom] = ALPHABET.print(position)?;
    Some(format!("{top}-{bottom}"))
}

/// As [`print()`], followed by the symbol of the middle layer: `01234567-89ABCDEF/`.
pub fn print_with_middle(position: &Position) -> Option<String> {
    let mut text = print(position)?;
    text.push(position.middle().symbol());
    Some(text)
}
