//! The 48 symmetries of the cube: rotations and reflections.

use std::sync::LazyLock;

use super::cube::{Cube, added_corner_orientation};
use super::moves::Move;

/// A symmetry, number `16 × a + 8 × b + 2 × c + d`: after `d` reflections left to right, `c` quarter turns of the
/// whole cube like U, `b` half turns like F2 and `a` turns by 120° about the corner URF.
///
/// The first 16 keep the axis from U to D; 0 is the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symmetry(u8);

/// Number of symmetries.
pub const SYMMETRIES: usize = 48;
/// Number of those that keep the axis from U to D.
pub const AXIS_SYMMETRIES: usize = 16;

/// A symmetry as a movement of the places, with corner orientations from 3 on for reflections: not a position.
#[derive(Clone, Copy, PartialEq)]
struct Movement(Cube);

impl Movement {
    fn then(&self, other: &Self) -> Self {
        // The corner orientations of a product of positions are summed otherwise; the rest is the same.
        let without = |cube: &Cube| Cube { co: [0; 8], ..*cube };
        let co = std::array::from_fn(|i| added_corner_orientation(self.0.co[other.0.cp[i] as usize], other.0.co[i]));
        Self(Cube { co, ..without(&self.0).then(&without(&other.0)) })
    }
}

const ABOUT_URF: Movement = Movement(Cube {
    cp: [0, 4, 5, 1, 3, 7, 6, 2],
    co: [1, 2, 1, 2, 2, 1, 2, 1],
    ep: [1, 8, 5, 9, 3, 11, 7, 10, 0, 4, 6, 2],
    eo: [1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1],
});
const LIKE_F2: Movement =
    Movement(Cube { cp: [5, 4, 7, 6, 1, 0, 3, 2], ep: [6, 5, 4, 7, 2, 1, 0, 3, 9, 8, 11, 10], ..Cube::SOLVED });
const LIKE_U: Movement = Movement(Cube {
    cp: [3, 0, 1, 2, 7, 4, 5, 6],
    ep: [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10],
    eo: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
    ..Cube::SOLVED
});
const LEFT_TO_RIGHT: Movement = Movement(Cube {
    cp: [1, 0, 3, 2, 5, 4, 7, 6],
    co: [3; 8],
    ep: [2, 1, 0, 3, 6, 5, 4, 7, 9, 8, 11, 10],
    eo: [0; 12],
});

struct SymmetryTables {
    motions: [Movement; SYMMETRIES],
    products: [[u8; SYMMETRIES]; SYMMETRIES],
    inverses: [u8; SYMMETRIES],
    moves: [[u8; Move::COUNT]; SYMMETRIES],
}

static TABLES: LazyLock<SymmetryTables> = LazyLock::new(|| {
    let power = |motion: &Movement, n: usize| (0..n).fold(Movement(Cube::SOLVED), |power, _| power.then(motion));
    let motions: [Movement; SYMMETRIES] = std::array::from_fn(|s| {
        power(&ABOUT_URF, s / 16)
            .then(&power(&LIKE_F2, s / 8 % 2))
            .then(&power(&LIKE_U, s / 2 % 4))
            .then(&power(&LEFT_TO_RIGHT, s % 2))
    });
    let number = |motion: &Movement| motions.iter().position(|m| m == motion).expect("symmetries are a group") as u8;
    let products = std::array::from_fn(|a| std::array::from_fn(|b| number(&motions[a].then(&motions[b]))));
    let products: [[u8; SYMMETRIES]; SYMMETRIES] = products;
    let inverses = products.map(|row| row.iter().position(|&product| product == 0).expect("has an inverse") as u8);
    let moves = std::array::from_fn(|s| {
        std::array::from_fn(|m| {
            let turn = Movement(Move::from_index(m).expect("below 18").cube());
            let image = motions[s].then(&turn).then(&motions[inverses[s] as usize]);
            Move::all().position(|other| other.cube() == image.0).expect("a symmetry turns moves into moves") as u8
        })
    });
    SymmetryTables { motions, products, inverses, moves }
});

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Self = Self(0);

    /// All 48, by number.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        (0..SYMMETRIES as u8).map(Self)
    }

    /// The 24 that are made by turning the cube about, by number.
    pub fn rotations() -> impl Iterator<Item = Self> + Clone {
        Self::all().filter(|symmetry| !symmetry.is_reflection())
    }

    /// The 16 that keep the axis from U to D, by number.
    pub fn keeping_axis() -> impl Iterator<Item = Self> + Clone {
        (0..AXIS_SYMMETRIES as u8).map(Self)
    }

    /// The symmetry with number `index % 48`.
    pub const fn from_index(index: usize) -> Self {
        Self((index % SYMMETRIES) as u8)
    }

    /// Its number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is a reflection: it cannot be made by turning the cube about.
    pub const fn is_reflection(self) -> bool {
        self.0 % 2 == 1
    }

    /// First `other`, then `self`: `(self.after(other)).of(p) == self.of(other.of(p))`.
    #[must_use]
    pub fn after(self, other: Self) -> Self {
        Self(TABLES.products[self.index()][other.index()])
    }

    /// The symmetry that undoes it.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self(TABLES.inverses[self.index()])
    }

    /// The image of a position: what it becomes when the cube is turned about or reflected, and the colours are
    /// exchanged so that solved stays solved. Sequences go along: the image of a position after some moves is the
    /// image of the position after the images of the moves.
    pub fn of(self, position: &Cube) -> Cube {
        let tables = &*TABLES;
        let there = tables.motions[self.index()].then(&Movement(*position));
        there.then(&tables.motions[tables.inverses[self.index()] as usize]).0
    }

    /// Where each place is carried from, with corner orientations from 3 on for reflections: not a position.
    #[doc(hidden)]
    pub fn motion(self) -> &'static Cube {
        &TABLES.motions[self.index()].0
    }

    /// The image of a move.
    pub fn of_move(self, turn: Move) -> Move {
        Move::from_index(TABLES.moves[self.index()][turn.index()] as usize).unwrap_or(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrambled() -> Cube {
        let moves: Vec<Move> = [0, 4, 8, 9, 14, 15, 3, 7, 11, 16].map(|i| Move::from_index(i).unwrap()).into();
        Cube::SOLVED.after(&moves)
    }

    #[test]
    fn there_are_48_and_they_are_a_group() {
        let images: std::collections::HashSet<_> = Symmetry::all().map(|s| s.of(&scrambled())).collect();
        assert_eq!(images.len(), SYMMETRIES);
        for (a, b) in Symmetry::all().flat_map(|a| Symmetry::all().map(move |b| (a, b))) {
            assert_eq!(a.after(b).of(&scrambled()), a.of(&b.of(&scrambled())));
        }
        assert!(Symmetry::all().all(|s| s.after(s.inverse()) == Symmetry::IDENTITY && s.of(&Cube::SOLVED).is_solved()));
    }

    #[test]
    fn images_follow_the_moves() {
        for symmetry in Symmetry::all() {
            for turn in Move::all() {
                let image = symmetry.of(&scrambled().turned(turn));
                assert_eq!(image, symmetry.of(&scrambled()).turned(symmetry.of_move(turn)));
                assert!(image.co.iter().all(|&corner_orientation| corner_orientation < 3));
            }
            let keeps = [0, 9].map(|m| symmetry.of_move(Move::from_index(m).unwrap()).is_in_h()) == [true, true];
            assert_eq!(keeps, symmetry.index() < AXIS_SYMMETRIES);
        }
    }

    #[test]
    fn reflections_are_told_apart() {
        let quarter = Move::from_index(0).unwrap();
        for symmetry in Symmetry::all() {
            assert_eq!(symmetry.of_move(quarter).quarters() == 3, symmetry.is_reflection());
        }
    }
}
