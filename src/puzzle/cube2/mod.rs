//! The 2×2×2 cube, by its corners.
//!
//! Corners, faces, moves, canonical sequences and metrics are those of the [3×3×3](super::cube3). There are no centres
//! to say which colour belongs to which face. So that each position has one form, colours are named so that the corner in
//! place DBL is corner DBL, not twisted: solved is every cube whose faces have one colour each, and moves are those of the
//! cube as it is held. Then U, R and F are all there is to turn: D turns the corners as U does when the cube is turned about
//! afterwards, and likewise L and B.

pub mod notation;

use std::array;

use rand::{Rng, RngExt};

use super::cube3::coordinate::{corner_orientation_number, set_corner_orientation};
use super::cube3::{self, CORNERS, Cube, Cubie, IllegalCube, Metric, Move, MoveSequence, Symmetry};

/// The corner by which the cube is held, and its place: DBL.
const HELD: usize = 6;
/// The places of the other corners.
const FREE: [usize; CORNERS - 1] = [0, 1, 2, 3, 4, 5, 7];
/// Turns of U, R and F: the first of all moves by number.
const MOVES: usize = 9;

/// A position of the 2×2×2 cube, its colours named so that corner DBL is in its place, not twisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube2Position {
    cp: [u8; CORNERS],
    co: [u8; CORNERS],
}

impl Cube2Position {
    /// The solved cube.
    pub const SOLVED: Self = Self { cp: Cube::SOLVED.cp, co: Cube::SOLVED.co };

    /// Permutations of the corners: 7!, DBL being held.
    pub const PERMUTATIONS: usize = 5_040;
    /// Orientations of the corners: 3^6, DBL being held and the last one following from the others.
    pub const ORIENTATIONS: usize = 729;
    /// Positions: 7! × 3^6.
    pub const COUNT: usize = Self::PERMUTATIONS * Self::ORIENTATIONS;

    /// The position with these corners, whichever of them is in place DBL.
    ///
    /// # Errors
    /// Fails with every reason why no moves lead there. The sum of the corner orientations is checked if every corner
    /// is there.
    pub fn from_corners(corners: &[Option<Cubie>; CORNERS]) -> Result<Self, IllegalCube> {
        Self::from_corners_renamed(corners).map(|(position, _)| position)
    }

    /// The same with the rotation that gives the colours their names.
    pub(crate) fn from_corners_renamed(corners: &[Option<Cubie>; CORNERS]) -> Result<(Self, Symmetry), IllegalCube> {
        let (cp, co) = cube3::check_corners(corners)?;
        Ok(Self { cp, co }.renamed())
    }

    /// The corner in each place.
    pub const fn corners(&self) -> &[u8; CORNERS] {
        &self.cp
    }

    /// The corner orientation, 0..3, of the corner in each place.
    pub const fn corner_orientations(&self) -> &[u8; CORNERS] {
        &self.co
    }

    /// The position with that permutation and orientation, `None` unless these are below
    /// [`Cube2Position::PERMUTATIONS`] and [`Cube2Position::ORIENTATIONS`].
    pub fn from_coordinates(permutation: u16, orientation: u16) -> Option<Self> {
        if usize::from(permutation) >= Self::PERMUTATIONS || usize::from(orientation) >= Self::ORIENTATIONS {
            return None;
        }
        let mut oriented = Cube::SOLVED;
        // Below 3^6, the seventh corner, which is DBL, has orientation 0.
        set_corner_orientation(&mut oriented, orientation);
        Some(Self { cp: unranked(permutation), co: oriented.co })
    }

    /// The permutation of the corners as a number, 0..5040: the rank, in lexicographic order, of the free corners in
    /// their places.
    pub fn permutation(&self) -> u16 {
        let corner = |i: usize| self.cp[FREE[i]];
        let count = FREE.len();
        (0..count).fold(0, |rank, i| {
            let less_after = (i + 1..count).filter(|&later| corner(later) < corner(i)).count();
            rank * (count - i) as u16 + less_after as u16
        })
    }

    /// The corner orientations as a number, 0..729: in base 3, the first corner's digit the lowest.
    pub fn orientation(&self) -> u16 {
        corner_orientation_number(u64::from_le_bytes(self.co))
    }

    /// The position after a turn of any face.
    #[must_use]
    pub fn turned(&self, turn: Move) -> Self {
        self.then(&turn.cube()).renamed().0
    }

    /// The position after some moves of the cube as it is held.
    #[must_use]
    pub fn after<'a>(&self, moves: impl IntoIterator<Item = &'a Move>) -> Self {
        moves.into_iter().fold(*self, |cube, &turn| cube.turned(turn))
    }

    /// Whether this is the solved cube.
    pub fn is_solved(&self) -> bool {
        *self == Self::SOLVED
    }

    /// The corners of a position of the 3×3×3, and the rotation that gives the colours their names.
    pub(crate) fn of_cube3(cube: &Cube) -> (Self, Symmetry) {
        Self { cp: cube.cp, co: cube.co }.renamed()
    }

    /// A 3×3×3 with these corners and solved edges: no position of it, but its corners move as these do.
    #[doc(hidden)]
    pub fn cube(&self) -> Cube {
        Cube { cp: self.cp, co: self.co, ..Cube::SOLVED }
    }

    /// The corners after what `motion` does to them.
    fn then(&self, motion: &Cube) -> Self {
        Self {
            cp: motion.cp.map(|from| self.cp[usize::from(from)]),
            co: array::from_fn(|place| (self.co[usize::from(motion.cp[place])] + motion.co[place]) % 3),
        }
    }

    /// The same with colours named so that DBL is in its place, not twisted, and the rotation that does that.
    fn renamed(&self) -> (Self, Symmetry) {
        let is_it = |rotation: &Symmetry| {
            let motion = rotation.motion();
            let (corner, orientation) = (usize::from(self.cp[HELD]), self.co[HELD]);
            (usize::from(motion.cp[corner]), (motion.co[corner] + orientation) % 3) == (HELD, 0)
        };
        let mut rotations = Symmetry::rotations();
        let rotation = rotations.find(is_it).unwrap_or(Symmetry::IDENTITY);
        let solved = Self { cp: rotation.motion().cp, co: rotation.motion().co };
        (solved.then(&self.cube()), rotation)
    }
}

/// The corners of a 3×3×3 with their colours exchanged as a rotation carries faces, and turned about as a whole until corner DBL is in its
/// place, not twisted. With it the symmetry that turns moves back: a face of this cube is its image on the cube as it was held.
#[doc(hidden)]
pub fn seen_with_colours(corners: &Cube, colours: Symmetry) -> (Cube, Symmetry) {
    let exchanged = colours.motion();
    let exchanged = Cube2Position { cp: exchanged.cp, co: exchanged.co }.then(corners);
    let held = |turned: &Cube2Position| (usize::from(turned.cp[HELD]), turned.co[HELD]) == (HELD, 0);
    let all = Symmetry::rotations().map(|rotation| (exchanged.then(rotation.motion()), rotation));
    let (turned, back) = all.into_iter().find(|(turned, _)| held(turned)).unwrap_or((exchanged, Symmetry::IDENTITY));
    (turned.cube(), back)
}

/// Moves as turns of U, R and F alone. D turns the corners as U does when the cube is turned about afterwards.
#[doc(hidden)]
pub fn by_free_faces(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut held = Symmetry::IDENTITY;
    let made = |turn: Move| {
        let turn = held.of_move(turn);
        if turn.index() < MOVES {
            return turn;
        }
        held = about(turn).after(held);
        Move::new(turn.face().opposite(), turn.quarters())
    };
    moves.into_iter().map(made).collect()
}

/// The rotation of the whole cube that turns a face as a move does.
fn about(turn: Move) -> Symmetry {
    let moved = turn.cube().cp;
    let turns_alike = |rotation: &Symmetry| {
        let all = rotation.motion().cp.into_iter().zip(moved).enumerate();
        all.into_iter().all(|(place, (whole, of_face))| usize::from(of_face) == place || of_face == whole)
    };
    Symmetry::rotations().find(turns_alike).unwrap_or(Symmetry::IDENTITY)
}

/// The free corners in their places, by their rank below 7!.
fn unranked(mut rank: u16) -> [u8; CORNERS] {
    let mut less_after = [0; FREE.len()];
    for (left, digit) in (1..).zip(less_after.iter_mut().rev()) {
        *digit = usize::from(rank % left);
        rank /= left;
    }
    let mut corners = FREE.map(|corner| corner as u8).to_vec();
    let mut cp = Cube::SOLVED.cp;
    FREE.into_iter().zip(less_after).for_each(|(place, less_after)| cp[place] = corners.remove(less_after));
    cp
}

/// The moves that count one in a metric: 9 or 6 turns of U, R and F.
pub fn moves(metric: Metric) -> impl Iterator<Item = Move> + Clone {
    metric.moves().take_while(|turn| turn.index() < MOVES)
}

/// A position drawn uniformly from all 3,674,160.
pub fn random_cube2<R: Rng + ?Sized>(rng: &mut R) -> Cube2Position {
    let permutation = rng.random_range(0..Cube2Position::PERMUTATIONS as u16);
    let orientation = rng.random_range(0..Cube2Position::ORIENTATIONS as u16);
    Cube2Position::from_coordinates(permutation, orientation).unwrap_or(Cube2Position::SOLVED)
}

/// A [canonical](cube3::CanonicalState) sequence of `length` turns of U, R and F that count one in the metric, each
/// drawn uniformly from those allowed, and the position to which it leads from the solved cube.
pub fn random_walk<R: Rng + ?Sized>(rng: &mut R, metric: Metric, length: usize) -> (MoveSequence, Cube2Position) {
    let sequence = cube3::random_sequence(rng, metric, length, moves(metric));
    let position = Cube2Position::SOLVED.after(sequence.moves());
    (sequence, position)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::cube3::Face;

    /// A position, its corners and orientations checked.
    fn checked(cube: Cube2Position) -> Cube2Position {
        let corner = |place: usize| Cubie { piece: cube.cp[place], orientation: cube.co[place] };
        assert_eq!(Cube2Position::from_corners(&array::from_fn(|place| Some(corner(place)))), Ok(cube));
        cube
    }

    /// With exchanged colours, moves do what those that are turned back do to the cube as it is held.
    #[test]
    fn moves_follow_exchanged_colours_and_a_cube_held_otherwise() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..20 {
            let (cube, (walk, _)) = (random_cube2(&mut rng).cube(), cube3::random_walk(&mut rng, Metric::Htm, 12));
            for colours in Symmetry::rotations() {
                let (seen, back) = seen_with_colours(&cube, colours);
                assert_eq!((seen.cp[HELD], seen.co[HELD]), (HELD as u8, 0));
                let free = by_free_faces(walk.moves().iter().copied());
                assert!(free.len() == walk.moves().len() && free.iter().all(|turn| turn.index() < MOVES));
                let made = by_free_faces(free.iter().map(|&turn| back.of_move(turn)));
                let (after, _) = seen_with_colours(&cube.after(&made), colours);
                let expected = seen.after(&free);
                assert_eq!((after.cp, after.co), (expected.cp, expected.co));
                // The cube after any moves is that after turns of U, R and F alone, held otherwise.
                let [any, free] = [cube.after(walk.moves()), cube.after(&free)];
                assert_eq!(seen_with_colours(&any, colours).0, seen_with_colours(&free, colours).0);
            }
        }
    }

    /// The face of a colour is that of the exchanged one.
    #[test]
    fn colours_are_exchanged_as_rotations_carry_faces() {
        for colours in Symmetry::rotations() {
            let after = Cube::SOLVED.turned(Move::new(Face::U, 1));
            let (seen, _) = seen_with_colours(&after, colours);
            let has_face = |cube: &Cube, colour: Face| {
                let of = |place: usize| cube.corner_colours(place);
                let faces = (0..CORNERS).filter(|&place| of(place).contains(&colour));
                let at: Vec<Face> = faces
                    .map(|place| {
                        Cube::SOLVED.corner_colours(place)[of(place).iter().position(|it| *it == colour).unwrap()]
                    })
                    .collect();
                at.iter().all(|face| *face == at[0])
            };
            for colour in Face::ALL {
                assert_eq!(
                    has_face(&after, colour),
                    has_face(&seen, colours.of_face(colour)),
                    "{colours:?} {colour:?}"
                );
            }
        }
    }

    #[test]
    fn every_position_has_coordinates_of_its_own() {
        for permutation in 0..Cube2Position::PERMUTATIONS as u16 {
            let cube = checked(Cube2Position::from_coordinates(permutation, permutation % 729).unwrap());
            assert_eq!((cube.permutation(), cube.orientation()), (permutation, permutation % 729));
        }
        for orientation in 0..Cube2Position::ORIENTATIONS as u16 {
            let cube = checked(Cube2Position::from_coordinates(5 * orientation, orientation).unwrap());
            assert_eq!((cube.permutation(), cube.orientation()), (5 * orientation, orientation));
        }
        assert_eq!((Cube2Position::SOLVED.permutation(), Cube2Position::SOLVED.orientation()), (0, 0));
        assert_eq!((Cube2Position::from_coordinates(5040, 0), Cube2Position::from_coordinates(0, 729)), (None, None));
    }

    /// Each coordinate of a position after a move follows from that coordinate before it: the generator relies on it.
    #[test]
    fn coordinates_move_independently() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for turn in moves(Metric::Htm) {
            for cube in (0..200).map(|_| random_cube2(&mut rng)) {
                let [cp, co] = [(cube.permutation(), 0), (0, cube.orientation())]
                    .map(|(cp, co)| checked(Cube2Position::from_coordinates(cp, co).unwrap().turned(turn)));
                let turned = checked(cube.turned(turn));
                assert_eq!((turned.permutation(), turned.orientation()), (cp.permutation(), co.orientation()));
            }
        }
    }

    #[test]
    fn turns_of_opposite_faces_do_the_same() {
        for (one, turn) in [(Face::U, Face::D), (Face::R, Face::L), (Face::F, Face::B)] {
            for quarters in 1..4 {
                let [one, other] = [one, turn].map(|face| Cube2Position::SOLVED.turned(Move::new(face, quarters)));
                assert_eq!(one, other, "{turn:?}{quarters}");
            }
        }
        assert_eq!((moves(Metric::Htm).count(), moves(Metric::Qtm).count()), (9, 6));
        assert!(moves(Metric::Htm).all(|turn| matches!(turn.face(), Face::U | Face::R | Face::F)));
    }

    #[test]
    fn a_cube_of_other_colours_is_the_same_and_moves_are_those_in_the_hand() {
        let mut rng = ChaCha8Rng::seed_from_u64(24);
        for rotation in Symmetry::rotations() {
            let cube = random_cube2(&mut rng);
            assert_eq!(Cube2Position::of_cube3(&rotation.motion().then(&cube.cube())), (cube, rotation.inverse()));
            let moves: Vec<Move> =
                (0..20).map(|_| Move::from_index(rng.random_range(0..Move::COUNT)).unwrap()).collect();
            assert_eq!(cube.after(&moves), Cube2Position::of_cube3(&cube.cube().after(&moves)).0);
        }
    }

    #[test]
    fn walks_are_canonical_and_positions_spread() {
        let mut rng = ChaCha8Rng::seed_from_u64(222);
        for metric in [Metric::Htm, Metric::Qtm] {
            let (sequence, position) = random_walk(&mut rng, metric, 50);
            assert_eq!((sequence.moves().len(), sequence.length(metric)), (50, 50));
            assert!(sequence.moves().iter().all(|turn| turn.index() < MOVES));
            assert!(metric == Metric::Qtm || sequence.canonical() == sequence);
            assert!(checked(position).after(sequence.inverse().moves()).is_solved());
        }
        let mut counts = [0; CORNERS];
        (0..7000).for_each(|_| counts[usize::from(random_cube2(&mut rng).corners()[0])] += 1);
        assert!(FREE.iter().all(|&corner| (850..1150).contains(&counts[corner])), "{counts:?}");
    }
}
