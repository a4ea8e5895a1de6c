//! Positions as Jaap Scherphuis writes them: `A1B2C3D45E6F7G8H-`.
//!
//! Letters are big pieces (corners), digits small ones (edges). Both layers start at the front end of
//! the seam and go clockwise seen from their own face: the top layer through the left half first, the
//! bottom layer through the right half first. So the first top piece ends at top slot 11, and the
//! bottom pieces stand in the order of the bottom slots. At the end may follow the middle layer: `-`
//! for the square, `/` for the kite. Either case; spaces are ignored.
//!
//! The symbol of the middle layer may stand between the layers instead, as the Python module
//! `virtual_sq1` writes it: `A1B2C3D4-5E6F7G8H`.
//!
//! As for [`hex`](super::hex), a big piece in slots 11 and 0 of its layer can be written only with a turn behind the position.
//!
//! Source: the help text and the class `FullPosition` of Jaap's optimal solver sq1optim,
//! <https://www.jaapsch.net/puzzles/square1.htm>.

use super::strings::Alphabet;
use super::{NotationText, ParsedSquare1, Square1Notation};
use crate::square1::{Colouring, Piece, Position};
use twistbase_core::error::InvalidInput;

/// Jaap's names of the pieces 0 to F: those that the solved `A1B2C3D45E6F7G8H` has in the slots of
/// the solved `01234567-89ABCDEF`.
const SYMBOLS: [u8; Piece::COUNT] = *b"4D3C2B1A5E6F7G8H";

pub(super) static ALPHABET: Alphabet = Alphabet {
    piece: piece_of,
    symbol: |piece| SYMBOLS[usize::from(piece.index())] as char,
    symbols: "letters A-H and digits 1-8",
    is_top_reversed: true,
    is_middle_between_layers: true,
};

fn piece_of(symbol: char) -> Option<Piece> {
    let index = SYMBOLS.iter().position(|&known| char::from(known) == symbol.to_ascii_uppercase())?;
    Piece::new(index as u8)
}

/// Reads a position. With a colouring in which pieces are alike, a kind may be named by any of its
/// symbols.
///
/// # Errors
/// Fails with every reason found.
pub fn parse(input: &str, colouring: Colouring) -> Result<ParsedSquare1, InvalidInput> {
    NotationText::whole(input, Square1Notation::Jaap).parse_position(colouring)
}

/// The position with its middle layer, as in `A1B2C3D45E6F7G8H-`; `None` when a big piece fills slots
/// 11 and 0 of a layer (see [`Position::unstraddling_turn`]).
pub fn print(position: &Position) -> Option<String> {
    let [top, bottom] = ALPHABET.print(position)?;
    Some(format!("{top}{bottom}{}", position.middle().symbol()))
}
