//! Positions as arrays of numbers: the 16 [pieces](Piece), 0 to 15, in the order of the [`hex`] notation.
//!
//! The middle layer is no part of an array. What is read has a square one.

use super::hex;
use crate::error::InvalidInput;
use crate::puzzle::input;
use crate::puzzle::square1::{Colouring, Middle, Piece, Position};

/// Numbers of a position.
pub const LENGTH: usize = Piece::COUNT;

/// Reads a position; one in which every piece has its own number is read quickly. With a colouring in which pieces are
/// alike, a kind may be named by any of its numbers.
///
/// # Errors
/// Fails with every reason found, as the notation does; another length than [`LENGTH`] is one.
pub fn read(array: &[u8], colouring: Colouring) -> Result<Position, InvalidInput> {
    let quick = array.try_into().ok().and_then(read_quickly);
    if let Some(Pieces16 { position, .. }) = quick {
        return Ok(position);
    }
    let parse = |text: &str| hex::ALPHABET.parse(text, colouring).map(|(position, _)| position);
    input::read_numbers(array, b"0123456789ABCDEF", "piece", "Square-1 position as an array of pieces", parse)
}

/// A position whose sixteen pieces have each its own number.
pub(super) struct Pieces16 {
    /// The position, the middle layer square.
    pub position: Position,
    /// How many of the pieces fill the top layer.
    pub top_pieces: usize,
}

/// Reads a position in which every piece has its own number, without telling what is wrong with one. No branch depends on
/// which piece is where.
#[inline]
pub(super) fn read_quickly(array: &[u8; LENGTH]) -> Option<Pieces16> {
    const ALL: u32 = (1 << Piece::COUNT) - 1;
    const TOP: u32 = (1 << 12) - 1;
    // Sixteen big pieces would fill 32 slots; each piece is written to the slot behind its first one, too, which is its own
    // or that of the next piece.
    let mut slots = [Piece::from_low_bits(0); 33];
    let (mut found, mut starts, mut slot) = (0u32, 0u32, 0);
    for &number in array {
        let piece = Piece::from_low_bits(number);
        found |= 1 << number.min(Piece::COUNT as u8);
        starts |= 1 << (slot & 31);
        slots[slot & 31] = piece;
        slots[(slot & 31) + 1] = piece;
        slot += piece.width();
    }
    // All pieces are there: they fill 24 slots. The bottom layer has to start with one of them.
    if found != ALL || starts & (TOP + 1) == 0 {
        return None;
    }
    let ([top, bottom], _) = slots.as_chunks() else { return None };
    let position = Position::from_legal_layers(*top, *bottom, Middle::Square);
    Some(Pieces16 { position, top_pieces: (starts & TOP).count_ones() as usize })
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
