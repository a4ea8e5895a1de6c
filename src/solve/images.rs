//! Positions of the cube that are images of each other by a symmetry: where any solution will do, one of them is searched.

use crate::puzzle::cube3::{Cube, Symmetry};

/// The images of a position and of its inverse, the position first.
pub(super) fn images(position: &Cube) -> impl Iterator<Item = Cube> {
    [*position, position.inverse()].into_iter().flat_map(|side| Symmetry::all().map(move |symmetry| symmetry.of(&side)))
}

/// Whether a symmetry other than the identity takes a position to itself.
pub(super) fn is_symmetric(position: &Cube) -> bool {
    Symmetry::all().skip(1).any(|symmetry| symmetry.of(position) == *position)
}

/// The least of some positions: edges, corners and their orientations.
pub(super) fn least(positions: impl Iterator<Item = Cube>) -> Option<[[u8; 12]; 4]> {
    let pad = |corners: &[u8; 8]| std::array::from_fn(|i| corners.get(i).copied().unwrap_or(0));
    let bytes = |image: Cube| {
        [*image.edges(), *image.edge_orientations(), pad(image.corners()), pad(image.corner_orientations())]
    };
    positions.map(bytes).min()
}
