//! Positions as arrays of numbers: the 16 [pieces](Piece), 0 to 15, in the order of the [`hex`] notation.
//!
//! The middle layer is no part of an array. What is read has a square one.

use std::sync::LazyLock;

use super::hex;
use crate::input;
use crate::square1::{CanonicalPieces, Colouring, Piece, PieceList, Position, Shape};
use twistbase_core::error::InvalidInput;

/// Numbers of a position.
pub const LENGTH: usize = Piece::COUNT;

/// Reads a position; one in which every piece has its own number is read quickly. With a colouring in which pieces are
/// alike, a kind may be named by any of its numbers.
///
/// # Errors
/// Fails with every reason found, as the notation does; another length than [`LENGTH`] is one.
pub fn read(array: &[u8], colouring: Colouring) -> Result<Position, InvalidInput> {
    if let Some(list) = read_quickly(array) {
        return Ok(list.position());
    }
    let parse = |text: &str| hex::ALPHABET.parse(text, colouring).map(|(position, _)| position);
    input::read_numbers(array, b"0123456789ABCDEF", "piece", "Square-1 position as an array of pieces", parse)
}

/// Reads a position in which every piece has its own number, without telling what is wrong with one.
#[inline]
#[doc(hidden)]
pub fn read_quickly(array: &[u8]) -> Option<PieceList> {
    PieceList::new(array.try_into().ok()?)
}

/// What [`write`] makes of [`Position::from_canonical`].
#[inline]
#[doc(hidden)]
pub fn write_canonical(pieces: &CanonicalPieces) -> [u8; LENGTH] {
    /// By shape: which of the pieces in canonical order, the small and the big ones in turns, each number is.
    static PLACES: LazyLock<[[u8; LENGTH]; Shape::COUNT]> = LazyLock::new(|| {
        std::array::from_fn(|shape| write(&Position::with_pieces_in_order(Shape::new(shape as u8).expect("a shape"))))
    });
    let mut numbers = [0; LENGTH];
    for slot in 0..8 {
        numbers[2 * slot] = pieces.small[slot].index();
        numbers[2 * slot + 1] = pieces.big[slot].index();
    }
    PLACES[usize::from(pieces.shape.id())].map(|place| numbers[usize::from(place & 15)])
}

/// The position as numbers. A layer that a big piece lies across the end of is turned by a unit first.
pub fn write(position: &Position) -> [u8; LENGTH] {
    let whole = position.turn(position.unstraddling_turn());
    let starts = |layer: [Piece; 12]| (0..12).filter(move |&slot| slot == 0 || layer[slot - 1] != layer[slot]);
    let pieces =
        [*whole.top(), *whole.bottom()].into_iter().flat_map(|layer| starts(layer).map(move |slot| layer[slot]));
    let mut array = [0; LENGTH];
    array.iter_mut().zip(pieces).for_each(|(number, piece)| *number = piece.index());
    array
}
