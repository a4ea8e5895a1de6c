//! Positions as arrays of numbers: the colours of the 54 [`facelets`], 0 to 5 for U, R, F, D, L, B.

use std::sync::LazyLock;

use super::HeldCube;
use super::facelets::{self, CENTRE, CORNER_FACELETS, ColourBytes, EDGE_FACELETS, FACELETS, OF_FACE};
use crate::cube3::colours::{PackedCubie, are_colours};
use crate::cube3::cube::{CORNERS, EDGES};
use crate::cube3::{Cube, Face};
use crate::input;
use twistbase_core::error::InvalidInput;

/// Numbers of a position.
pub const LENGTH: usize = FACELETS;

static NUMBERS: LazyLock<ColourBytes> = LazyLock::new(|| ColourBytes::new(|face| face as u8));

/// Reads a position, however the cube is held; one with U up and F in front is read quickly.
///
/// # Errors
/// Fails with every reason found, as the notation does; another length than [`LENGTH`] is one, and so is another order of the
/// faces.
pub fn read(array: &[u8]) -> Result<Cube, InvalidInput> {
    let quick = array.try_into().ok().and_then(read_quickly);
    if let Some(position) = quick {
        return Ok(position);
    }
    let letters = Face::ALL.map(|face| face.letter() as u8);
    let read = |text: &str| facelets::read(text).and_then(HeldCube::in_usual_order);
    input::read_numbers(array, &letters, "colour", "cube as an array of facelets", read)
}

/// Reads a position of a cube that is held as it should be, without telling what is wrong with one.
#[inline]
pub(super) fn read_quickly(array: &[u8; LENGTH]) -> Option<Cube> {
    let is_held = Face::ALL.into_iter().all(|face| array[face as usize * OF_FACE + CENTRE] == face as u8);
    if !is_held || !are_colours(array) {
        return None;
    }
    let (mut corners, mut edges) = ([PackedCubie::NONE; CORNERS], [PackedCubie::NONE; EDGES]);
    // Loops rather than `map`, which is not inlined here.
    for (corner, [a, b, c]) in corners.iter_mut().zip(CORNER_FACELETS) {
        *corner = PackedCubie::of_corner([array[a], array[b], array[c]]);
    }
    for (edge, [a, b]) in edges.iter_mut().zip(EDGE_FACELETS) {
        *edge = PackedCubie::of_edge([array[a], array[b]]);
    }
    Cube::from_packed(&corners, &edges)
}

/// The position as numbers.
pub fn write(position: &Cube) -> [u8; LENGTH] {
    NUMBERS.of(position)
}
