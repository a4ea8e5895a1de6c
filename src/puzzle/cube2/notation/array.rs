//! Positions as arrays of numbers: the colours of the 24 [facelets](super), 0 to 5 for U, R, F, D, L, B.

use super::{CORNER_FACELETS, FACELETS, read_facelets, stickers};
use crate::cube2::Cube2Position;
use crate::cube3::notation::HeldCube;
use crate::cube3::{Face, corner_shown};
use crate::input;
use twistbase_core::error::InvalidInput;

/// Numbers of a position.
pub const LENGTH: usize = FACELETS;

/// Reads a position, however the cube is held.
///
/// # Errors
/// Fails with every reason found, as the notation does; another length than [`LENGTH`] is one, and so is another order of the
/// faces.
pub fn read(array: &[u8]) -> Result<Cube2Position, InvalidInput> {
    let quick = array.try_into().ok().and_then(read_quickly);
    if let Some(position) = quick {
        return Ok(position);
    }
    let letters = Face::ALL.map(|face| face.letter() as u8);
    let read = |text: &str| read_facelets(text).and_then(HeldCube::in_usual_order);
    input::read_numbers(array, &letters, "colour", "2×2×2 cube as an array of facelets", read)
}

/// Reads a position without telling what is wrong with one.
pub(super) fn read_quickly(array: &[u8; LENGTH]) -> Option<Cube2Position> {
    let corners = CORNER_FACELETS.map(|facelets| corner_shown(facelets.map(|facelet| array[facelet])));
    Cube2Position::from_corners(&corners).ok()
}

/// The position as numbers.
pub fn write(position: &Cube2Position) -> [u8; LENGTH] {
    stickers(position).map(|colour| colour as u8)
}
