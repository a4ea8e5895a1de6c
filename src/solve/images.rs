//! Positions of the cube that are images of each other by a symmetry: where any solution will do, one of them is searched.

use twistbase_puzzle::cube3::{Cube, Symmetry};

/// The images of a position and of its inverse, the position first.
pub(super) fn images(position: &Cube) -> impl Iterator<Item = Cube> {
    [*position, position.inverse()].into_iter().flat_map(|side| Symmetry::all().map(move |symmetry| symmetry.of(&side)))
}

/// Whether a symmetry other than the identity takes a position to itself.
pub(super) fn is_symmetric(position: &Cube) -> bool {
    Symmetry::all().skip(1).any(|symmetry| symmetry.of(position) == *position)
}

/// Whether a position is an image of itself, or of its inverse.
pub(super) fn is_symmetric_with_its_inverse(position: &Cube) -> bool {
    images(position).skip(1).any(|image| image == *position)
}

#[cfg(test)]
pub(super) mod tests;
