//! The cube as cubies: where each piece is and how it is turned.

use std::array;

use twistbase_core::math::perm8::is_odd;

/// Corners.
pub const CORNERS: usize = 8;
/// Edges.
pub const EDGES: usize = 12;

/// Names of the corners, and of their places, by number.
pub const CORNER_NAMES: [&str; CORNERS] = ["URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB"];
/// Names of the edges, and of their places, by number. The last four belong to the middle layer.
pub const EDGE_NAMES: [&str; EDGES] = ["UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR"];

/// A position of the cube, or what a sequence of moves does to the solved one: which piece is in each place, and how
/// far it is turned there.
///
/// Orientation: a corner's corner orientation 0..3 counts clockwise turns from having its U or D sticker on the U or D
/// face; an edge's edge orientation 0..2 is 0 if it can be brought home without quarter turns of F and B. Only
/// positions that moves of the faces can reach are ever held ([`Cube::from_cubies`] refuses others).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    #[doc(hidden)]
    pub cp: [u8; CORNERS],
    #[doc(hidden)]
    pub co: [u8; CORNERS],
    #[doc(hidden)]
    pub ep: [u8; EDGES],
    #[doc(hidden)]
    pub eo: [u8; EDGES],
}

impl Cube {
    /// The solved cube.
    pub const SOLVED: Self = Self {
        cp: [0, 1, 2, 3, 4, 5, 6, 7],
        co: [0; CORNERS],
        ep: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        eo: [0; EDGES],
    };

    /// The corner in each place.
    pub const fn corners(&self) -> &[u8; CORNERS] {
        &self.cp
    }

    /// The corner orientation, 0..3, of the corner in each place.
    pub const fn corner_orientations(&self) -> &[u8; CORNERS] {
        &self.co
    }

    /// The edge in each place.
    pub const fn edges(&self) -> &[u8; EDGES] {
        &self.ep
    }

    /// The edge orientation, 0..2, of the edge in each place.
    pub const fn edge_orientations(&self) -> &[u8; EDGES] {
        &self.eo
    }

    /// The position that `other`, applied to this one as a sequence of moves would be, gives.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        Self {
            cp: other.cp.map(|from| self.cp[from as usize]),
            co: array::from_fn(|i| sum_of_twists(self.co[other.cp[i] as usize], other.co[i])),
            ep: other.ep.map(|from| self.ep[from as usize]),
            eo: array::from_fn(|i| self.eo[other.ep[i] as usize] ^ other.eo[i]),
        }
    }

    /// The position that undoes this one: `self.then(&self.inverse())` is solved.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut inverse = Self::SOLVED;
        for (place, &piece) in self.cp.iter().enumerate() {
            inverse.cp[piece as usize] = place as u8;
            inverse.co[piece as usize] = opposite_corner_orientation(self.co[place]);
        }
        for (place, &piece) in self.ep.iter().enumerate() {
            inverse.ep[piece as usize] = place as u8;
            inverse.eo[piece as usize] = self.eo[place];
        }
        inverse
    }

    /// Whether this is the solved cube.
    pub fn is_solved(&self) -> bool {
        *self == Self::SOLVED
    }

    /// Whether the position is in H = ⟨U, D, R2, F2, L2, B2⟩: no corner twisted, no edge flipped, and the edges of the
    /// middle layer within it.
    pub fn is_in_h(&self) -> bool {
        self.co == [0; CORNERS] && self.eo == [0; EDGES] && self.ep[8..].iter().all(|&edge| edge >= 8)
    }

    /// The same if the permutations of corners and edges have the same parity, otherwise with UR and UF exchanged: no
    /// coordinate of cosets tells these two apart.
    #[must_use]
    #[doc(hidden)]
    pub fn with_parity_by_upper_edges(mut self) -> Self {
        if is_odd(&self.cp) != is_odd(&self.ep) {
            for edge in self.ep.iter_mut().filter(|edge| **edge < 2) {
                *edge ^= 1;
            }
        }
        self
    }

    /// Whether an odd number of quarter turns leads to this position.
    pub fn is_odd(&self) -> bool {
        is_odd(&self.cp)
    }
}

impl Default for Cube {
    fn default() -> Self {
        Self::SOLVED
    }
}

/// The sum of two corner orientations below 3, without a division or a branch: what is below 3 wraps to a large number
/// when 3 is taken away.
#[inline]
const fn sum_of_twists(first: u8, second: u8) -> u8 {
    let (sum, less) = (first + second, (first + second).wrapping_sub(3));
    if less < sum { less } else { sum }
}

/// The sum of two corner orientations. From 3 on, a corner orientation is that of a mirror image (corner orientation 3
/// + t): only symmetries have such. The mirror reverses the sense in which what follows it counts.
pub(super) const fn added_corner_orientation(first: u8, second: u8) -> u8 {
    let (a, b) = (first % 3, second % 3);
    match (first >= 3, second >= 3) {
        (false, false) => (a + b) % 3,
        (false, true) => 3 + (a + b) % 3,
        (true, false) => 3 + (3 + a - b) % 3,
        (true, true) => (3 + a - b) % 3,
    }
}

/// The corner orientation that cancels `corner_orientation`.
pub(super) const fn opposite_corner_orientation(corner_orientation: u8) -> u8 {
    if corner_orientation >= 3 { corner_orientation } else { (3 - corner_orientation) % 3 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::{Face, Move};

    #[test]
    fn twists_cancel() {
        for corner_orientation in 0..6 {
            let cancelled = [
                added_corner_orientation(corner_orientation, opposite_corner_orientation(corner_orientation)),
                added_corner_orientation(opposite_corner_orientation(corner_orientation), corner_orientation),
            ];
            assert_eq!(cancelled, [0, 0], "{corner_orientation}");
        }
    }

    #[test]
    fn positions_are_a_group() {
        let [u, r, f] = [Face::U, Face::R, Face::F].map(|face| Move::new(face, 1).cube());
        let position = u.then(&r).then(&f);
        assert_eq!(position, u.then(&r.then(&f)));
        assert!(position.then(&position.inverse()).is_solved() && position.inverse().then(&position).is_solved());
        assert!(position.is_odd() && !position.then(&u).is_odd());
        assert!(u.is_in_h() && !r.is_in_h() && r.then(&r).is_in_h() && !f.is_in_h());
    }
}
