//! Positions as hexadecimal digits, the notation of Cube21: `01234567-89ABCDEF`.
//!
//! The 16 [pieces](Piece) by slot, top layer first, each layer anticlockwise seen from above from the
//! front end of the seam. Either case; spaces are ignored; a dash between the layers is optional.
//! The middle layer may follow: `-` for the square, `/` for the kite (`01234567-89ABCDEF/`).
//!
//! A big piece in slots 11 and 0 of its layer cannot be written: turn the layer by a unit first. A turn behind the position turns it
//! back: `01234567-89ABCDEF/(-1,0)`.
//!
//! Source: Pavel Savara, <http://cube21.sf.net/>. The symbol of the middle layer is Jaap Scherphuis's.

use super::strings::Alphabet;
use super::{HEX_LENGTH, NotationText, ParsedSquare1, Square1Notation};
use crate::square1::{Colouring, Middle, Piece, PieceList, Position};
use twistbase_core::error::InvalidInput;

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

/// The piece of each digit; no piece for any other byte.
static NUMBERS: [u8; 256] = {
    let mut numbers = [Piece::COUNT as u8; 256];
    let mut byte = 0;
    while byte < numbers.len() {
        if let Some(number) = (byte as u8 as char).to_digit(16) {
            numbers[byte] = number as u8;
        }
        byte += 1;
    }
    numbers
};

/// Reads the usual form: the digits of sixteen different pieces, a dash between the layers or none, the symbol of the middle layer
/// or none, nothing else. Of anything else it says neither what it is, nor what is wrong with it.
#[inline]
pub(super) fn read_quickly(text: &[u8]) -> Option<(PieceList, Option<Middle>)> {
    let last = *text.last()?;
    let middle = if last == b'/' { Middle::Kite } else { Middle::Square };
    let is_given = matches!(last, b'-' | b'/');
    let digits = if is_given { &text[..text.len() - 1] } else { text };
    let (digits, top_pieces) = match digits.len() {
        Piece::COUNT => (digits.try_into().ok()?, None),
        HEX_LENGTH => {
            let (digits, before) = without_dash(digits.try_into().ok()?)?;
            (digits, Some(before))
        }
        _ => return None,
    };
    let mut numbers: [u8; Piece::COUNT] = digits;
    // A loop rather than `map`, which is not inlined here.
    for number in &mut numbers {
        *number = NUMBERS[usize::from(*number)];
    }
    let list = PieceList::new(&numbers)?;
    let is_parted = top_pieces.is_none_or(|top_pieces| top_pieces == list.top_pieces());
    is_parted.then(|| (list, is_given.then_some(middle)))
}

/// Sixteen digits without the dash between them, and how many are before it; `None` unless one is where it can be: a layer has
/// six to ten pieces.
#[inline]
fn without_dash(text: &[u8; HEX_LENGTH]) -> Option<([u8; Piece::COUNT], usize)> {
    const FIRST: usize = 6;
    const LOW: u64 = u64::from_le_bytes([1; 8]);
    // The bytes that are a dash become 0; of those below the lowest 0 none borrows.
    let [_, _, _, _, _, _, a, b, c, d, e, ..] = *text;
    let differing = u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]) ^ (LOW * u64::from(b'-'));
    let dashes = differing.wrapping_sub(LOW) & !differing & (LOW << 7);
    if dashes == 0 {
        return None;
    }
    let before = FIRST + dashes.trailing_zeros() as usize / 8;
    let is_before = (1u128 << (8 * before)) - 1;
    let [first, second] = [*text.first_chunk()?, *text.last_chunk()?];
    let digits = u128::from_le_bytes(first) & is_before | u128::from_le_bytes(second) & !is_before;
    Some((digits.to_le_bytes(), before))
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
