//! The moves: turns of the six faces.

use std::fmt;
use std::sync::LazyLock;

use super::cube::Cube;

/// A face, in the order of facelet strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Face {
    /// Up.
    U,
    /// Right.
    R,
    /// Front.
    F,
    /// Down.
    D,
    /// Left.
    L,
    /// Back.
    B,
}

impl Face {
    /// All six, by number.
    pub const ALL: [Self; 6] = [Self::U, Self::R, Self::F, Self::D, Self::L, Self::B];

    /// The letters of the colours white, red, green, yellow, orange and blue, which the faces have in this order when the cube is
    /// solved and held with white up and green in front.
    pub const COLOUR_LETTERS: [char; 6] = ['W', 'R', 'G', 'Y', 'O', 'B'];

    /// Its letter.
    pub const fn letter(self) -> char {
        ['U', 'R', 'F', 'D', 'L', 'B'][self as usize]
    }

    /// The face with that letter, in either case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_uppercase() {
            'U' => Some(Self::U),
            'R' => Some(Self::R),
            'F' => Some(Self::F),
            'D' => Some(Self::D),
            'L' => Some(Self::L),
            'B' => Some(Self::B),
            _ => None,
        }
    }

    /// The face on the other side.
    pub const fn opposite(self) -> Self {
        Self::ALL[(self as usize + 3) % 6]
    }
}

/// A turn of a face by a quarter, a half or three quarters of a circle clockwise: number `3 × face + quarters - 1`,
/// 0..18.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u8);

impl Move {
    /// How many there are.
    pub const COUNT: usize = 18;

    /// The turn of `face` by `quarters` % 4 quarters, which must not be 0.
    pub const fn new(face: Face, quarters: u8) -> Self {
        assert!(!quarters.is_multiple_of(4), "a move turns its face");
        Self(face as u8 * 3 + quarters % 4 - 1)
    }

    /// The move with that number.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// Its number, 0..18.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All eighteen, by number.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The moves of a mask, where bit [`Move::index`] stands for each, by number.
    #[inline]
    pub fn of_mask(mut mask: u32) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let turn = Self::from_index(mask.trailing_zeros() as usize)?;
            mask &= mask - 1;
            Some(turn)
        })
    }

    /// The face that turns.
    pub const fn face(self) -> Face {
        Face::ALL[self.0 as usize / 3]
    }

    /// By how many quarters of a circle clockwise, 1..=3.
    pub const fn quarters(self) -> u8 {
        self.0 % 3 + 1
    }

    /// The move that undoes it.
    pub const fn inverse(self) -> Self {
        Self::new(self.face(), 4 - self.quarters())
    }

    /// Whether it keeps positions in H: any turn of U and D, half turns of the others.
    pub const fn is_in_h(self) -> bool {
        matches!(self.face(), Face::U | Face::D) || self.quarters() == 2
    }

    /// What it does to the solved cube.
    pub fn cube(self) -> Cube {
        static CUBES: LazyLock<[Cube; Move::COUNT]> = LazyLock::new(|| {
            std::array::from_fn(|index| {
                let quarter = QUARTER_TURNS[index / 3];
                (0..index % 3).fold(quarter, |cube, _| cube.then(&quarter))
            })
        });
        CUBES[self.index()]
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.face().letter(), ["", "2", "'"][self.0 as usize % 3])
    }
}

impl Cube {
    /// The position after a move.
    #[must_use]
    pub fn turned(&self, turn: Move) -> Self {
        self.then(&turn.cube())
    }

    /// The position after some moves.
    #[must_use]
    pub fn after<'a>(&self, moves: impl IntoIterator<Item = &'a Move>) -> Self {
        moves.into_iter().fold(*self, |cube, &turn| cube.turned(turn))
    }
}

/// How moves are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// Half-turn metric: every turn of a face is one move.
    #[default]
    Htm,
    /// Quarter-turn metric: a half turn is two moves.
    Qtm,
}

impl Metric {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Htm => "htm",
            Self::Qtm => "qtm",
        }
    }

    /// What a move counts.
    pub const fn cost(self, turn: Move) -> u8 {
        match self {
            Self::Qtm if turn.quarters() == 2 => 2,
            _ => 1,
        }
    }

    /// The moves that count one: 18 or 12. All others are made of these.
    pub fn moves(self) -> impl Iterator<Item = Move> + Clone {
        Move::all().filter(move |&turn| self.cost(turn) == 1)
    }

    /// The number of moves in a sequence.
    pub fn length<'a>(self, moves: impl IntoIterator<Item = &'a Move>) -> usize {
        moves.into_iter().map(|&turn| usize::from(self.cost(turn))).sum()
    }
}

/// The quarter turns of the faces, clockwise.
const QUARTER_TURNS: [Cube; 6] = [
    Cube { cp: [3, 0, 1, 2, 4, 5, 6, 7], ep: [3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11], ..Cube::SOLVED },
    Cube {
        cp: [4, 1, 2, 0, 7, 5, 6, 3],
        co: [2, 0, 0, 1, 1, 0, 0, 2],
        ep: [8, 1, 2, 3, 11, 5, 6, 7, 4, 9, 10, 0],
        ..Cube::SOLVED
    },
    Cube {
        cp: [1, 5, 2, 3, 0, 4, 6, 7],
        co: [1, 2, 0, 0, 2, 1, 0, 0],
        ep: [0, 9, 2, 3, 4, 8, 6, 7, 1, 5, 10, 11],
        eo: [0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0],
    },
    Cube { cp: [0, 1, 2, 3, 5, 6, 7, 4], ep: [0, 1, 2, 3, 5, 6, 7, 4, 8, 9, 10, 11], ..Cube::SOLVED },
    Cube {
        cp: [0, 2, 6, 3, 4, 1, 5, 7],
        co: [0, 1, 2, 0, 0, 2, 1, 0],
        ep: [0, 1, 10, 3, 4, 5, 9, 7, 8, 2, 6, 11],
        ..Cube::SOLVED
    },
    Cube {
        cp: [0, 1, 3, 7, 4, 5, 2, 6],
        co: [0, 0, 1, 2, 0, 0, 2, 1],
        ep: [0, 1, 2, 11, 4, 5, 6, 10, 8, 9, 3, 7],
        eo: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_undo_and_add_up() {
        for turn in Move::all() {
            assert!(turn.cube().turned(turn.inverse()).is_solved(), "{turn}");
            let quarter = Move::new(turn.face(), 1);
            assert_eq!(Cube::SOLVED.after(&vec![quarter; turn.quarters().into()]), turn.cube());
            assert_eq!(turn.is_in_h(), turn.cube().is_in_h(), "{turn}");
            assert_eq!(turn.cube().is_odd(), turn.quarters() % 2 == 1);
            assert_eq!(Move::from_index(turn.index()), Some(turn));
        }
        assert_eq!(Move::from_index(18), None);
    }

    #[test]
    fn opposite_faces_commute_and_neighbours_do_not() {
        for (a, b) in Face::ALL.into_iter().flat_map(|a| Face::ALL.map(|b| (a, b))) {
            let [a_turn, b_turn] = [a, b].map(|face| Move::new(face, 1).cube());
            let commute = a_turn.then(&b_turn) == b_turn.then(&a_turn);
            assert_eq!(commute, a == b || a.opposite() == b);
        }
    }

    #[test]
    fn known_orders_come_out() {
        let order = |names: &str| {
            let moves: Vec<Move> =
                names.split(' ').map(|name| Move::all().find(|m| m.to_string() == name).unwrap()).collect();
            let once = Cube::SOLVED.after(&moves);
            1 + std::iter::successors(Some(once), |cube| Some(cube.then(&once)))
                .position(|cube| cube.is_solved())
                .unwrap()
        };
        // Published orders of elements.
        assert_eq!([order("R U"), order("R U R' U'"), order("R U2 D' B D'"), order("F2 B2")], [105, 6, 1260, 2]);
    }
}
