//! Positions as arrays of numbers: the colours of the 54 [`facelets`], 0 to 5 for U, R, F, D, L, B.

use std::sync::LazyLock;

use super::facelets::{self, CENTRE, CORNER_FACELETS, ColourBytes, EDGE_FACELETS, FACELETS, OF_FACE};
use crate::error::InvalidInput;
use crate::puzzle::cube3::colours::{corner_shown, edge_shown};
use crate::puzzle::cube3::{Cube, Cubies, Face};
use crate::puzzle::input;

/// Numbers of a position.
pub const LENGTH: usize = FACELETS;

static NUMBERS: LazyLock<ColourBytes> = LazyLock::new(|| ColourBytes::new(|face| face as u8));

/// Reads a position, however the cube is held; one with U up and F in front is read quickly.
///
/// # Errors
/// Fails with every reason found, as the notation does; another length than [`LENGTH`] is one.
pub fn read(array: &[u8]) -> Result<Cube, InvalidInput> {
    let quick = array.try_into().ok().and_then(read_quickly);
    if let Some(position) = quick {
        return Ok(position);
    }
    let letters = Face::ALL.map(|face| face.letter() as u8);
    input::read_numbers(array, &letters, "colour", "cube as an array of facelets", facelets::read)
}

/// Reads a position of a cube that is held as it should be, without telling what is wrong with one.
pub(super) fn read_quickly(array: &[u8; LENGTH]) -> Option<Cube> {
    let is_held = Face::ALL.into_iter().all(|face| array[face as usize * OF_FACE + CENTRE] == face as u8);
    let cubies = Cubies {
        corners: CORNER_FACELETS.map(|facelets| corner_shown(facelets.map(|facelet| array[facelet]))),
        edges: EDGE_FACELETS.map(|facelets| edge_shown(facelets.map(|facelet| array[facelet]))),
    };
    Cube::from_cubies(&cubies).ok().filter(|_| is_held)
}

/// The position as numbers.
pub fn write(position: &Cube) -> [u8; LENGTH] {
    NUMBERS.of(position)
}
