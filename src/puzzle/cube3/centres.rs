//! How a cube is held: the colours of its centres.

use super::moves::{Face, Move};
use super::symmetry::Symmetry;

/// The colours of the centres by face, each named like the face that has it when the cube is held with white up and green in
/// front.
///
/// A position names colours by the faces whose centres have them *as the cube is held*, so that moves and solutions are those
/// of the cube in the hand; the centres say which colours these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Centres([Face; 6]);

impl Default for Centres {
    fn default() -> Self {
        Self::USUAL
    }
}

impl Centres {
    /// White up, green in front.
    pub const USUAL: Self = Self(Face::ALL);

    /// Centres of these colours, of which no two are equal.
    pub(crate) const fn new(colours: [Face; 6]) -> Self {
        Self(colours)
    }

    /// The colour of the centre of a face.
    pub const fn colour(self, face: Face) -> Face {
        self.0[face as usize]
    }

    /// The face whose centre has a colour.
    pub fn face_with(self, colour: Face) -> Face {
        Face::ALL.into_iter().find(|&face| self.colour(face) == colour).unwrap_or(colour)
    }

    /// Turns the whole cube like a face.
    pub(super) fn turn(&mut self, like: Face, quarters: u8) {
        let (ring, quarters) = match like {
            Face::U => ([Face::F, Face::L, Face::B, Face::R], quarters),
            Face::R => ([Face::F, Face::U, Face::B, Face::D], quarters),
            Face::F => ([Face::U, Face::R, Face::D, Face::L], quarters),
            Face::D | Face::L | Face::B => return self.turn(like.opposite(), 4 - quarters),
        };
        let mut centres = ring.map(|face| self.colour(face));
        centres.rotate_right(usize::from(quarters));
        for (face, centre) in ring.into_iter().zip(centres) {
            self.0[face as usize] = centre;
        }
    }

    /// The same after the whole cube was turned so that `turned` would be the centres if these were the usual ones.
    #[must_use]
    pub fn then(self, turned: Self) -> Self {
        Self(turned.0.map(|face| self.colour(face)))
    }

    /// The rotation whose image of a position, named by the usual centres, is that position named by these; `None` if no turning
    /// about leads to them.
    pub fn rotation(self) -> Option<Symmetry> {
        let is_it =
            |symmetry: &Symmetry| Face::ALL.into_iter().all(|face| symmetry.of_face(face) == self.face_with(face));
        Symmetry::rotations().find(is_it)
    }

    /// The centres of a position whose colours a symmetry has given other names.
    #[must_use]
    pub(crate) fn renamed(self, by: Symmetry) -> Self {
        let mut renamed = self;
        Face::ALL.into_iter().for_each(|face| renamed.0[by.of_face(face) as usize] = self.colour(face));
        renamed
    }

    /// Every way of holding a cube, and the turns that lead there from the usual one, such as `x' y2`.
    pub(crate) fn all() -> impl Iterator<Item = (String, Self)> {
        const FIRST: [(&str, Face, u8); 6] = [
            ("", Face::R, 0),
            ("x", Face::R, 1),
            ("x2", Face::R, 2),
            ("x'", Face::R, 3),
            ("z", Face::F, 1),
            ("z'", Face::F, 3),
        ];
        const SECOND: [(&str, u8); 4] = [("", 0), ("y", 1), ("y2", 2), ("y'", 3)];
        FIRST.into_iter().flat_map(|first| SECOND.map(|second| (first, second))).map(
            |((first, like, quarters), (second, more))| {
                let mut centres = Self::USUAL;
                centres.turn(like, quarters);
                centres.turn(Face::U, more);
                (format!("{first} {second}").trim().to_owned(), centres)
            },
        )
    }

    /// Of the turns that [`all`](Self::all) lists those after which a cube with these centres has the others, and how they turn it.
    pub(crate) fn turns_to(self, others: Self) -> Option<(String, Self)> {
        Self::all().find(|(_, turned)| self.then(*turned) == others)
    }

    /// Facelets whose letters name colours by the faces of their centres, with the usual letters of the colours.
    pub fn painted(self, facelets: &str) -> String {
        self.painted_in(facelets, Face::ALL.map(Face::letter))
    }

    /// The same with these letters for the colours, in the order of [`Face::ALL`].
    pub fn painted_in(self, facelets: &str, letters: [char; 6]) -> String {
        let letter = |face| letters[self.colour(face) as usize];
        facelets.chars().map(|c| Face::from_letter(c).map_or(c, letter)).collect()
    }
}

impl Symmetry {
    /// The image of a face.
    pub fn of_face(self, face: Face) -> Face {
        self.of_move(Move::new(face, 1)).face()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Centres {
        fn turns_home(self) -> Option<String> {
            self.turns_to(Self::USUAL).map(|(turns, _)| turns)
        }
    }

    fn all() -> Vec<Centres> {
        Centres::all().map(|(_, centres)| centres).collect()
    }

    #[test]
    fn there_are_24_and_turns_lead_home() {
        let ways: std::collections::HashSet<_> = all().into_iter().collect();
        assert_eq!(ways.len(), 24);
        assert_eq!(Centres::USUAL.turns_home().as_deref(), Some(""));
        let homes: std::collections::HashSet<_> =
            all().into_iter().map(|centres| centres.turns_home().unwrap()).collect();
        assert_eq!(homes.len(), 24);
        let mut mirrored = Face::ALL;
        mirrored.swap(Face::L as usize, Face::R as usize);
        assert_eq!((Centres::new(mirrored).turns_home(), Centres::new(mirrored).rotation()), (None, None));
    }

    #[test]
    fn rotations_belong_to_centres() {
        for centres in all() {
            let rotation = centres.rotation().unwrap();
            assert_eq!(Centres::USUAL.renamed(rotation), centres);
            for other in all() {
                assert_eq!(centres.then(other).rotation(), Some(other.rotation().unwrap().after(rotation)));
            }
            assert!(Face::ALL.into_iter().all(|face| centres.face_with(centres.colour(face)) == face));
        }
    }
}
