//! Cubes of any size in space.

use super::colour::{Colour, ColourScheme};
use super::scene::{Facet, LetterColour, Scene, SceneChoice, SceneStep, Solid, SolidTurn};
use twistbase_core::math::vector::Vector;
use twistbase_puzzle::cube2;
use twistbase_puzzle::cube3::notation::{facelets, wca};
use twistbase_puzzle::cube3::{Centres, Cube, Face, Move};

/// The faces in the order of facelets: letter, direction outward, and the directions in which its columns and its rows go for
/// whoever looks at it.
const FACES: [(char, [Vector; 3]); 6] = [
    ('U', [Vector::new(0.0, 1.0, 0.0), Vector::new(1.0, 0.0, 0.0), Vector::new(0.0, 0.0, 1.0)]),
    ('R', [Vector::new(1.0, 0.0, 0.0), Vector::new(0.0, 0.0, -1.0), Vector::new(0.0, -1.0, 0.0)]),
    ('F', [Vector::new(0.0, 0.0, 1.0), Vector::new(1.0, 0.0, 0.0), Vector::new(0.0, -1.0, 0.0)]),
    ('D', [Vector::new(0.0, -1.0, 0.0), Vector::new(1.0, 0.0, 0.0), Vector::new(0.0, 0.0, -1.0)]),
    ('L', [Vector::new(-1.0, 0.0, 0.0), Vector::new(0.0, 0.0, 1.0), Vector::new(0.0, -1.0, 0.0)]),
    ('B', [Vector::new(0.0, 0.0, -1.0), Vector::new(-1.0, 0.0, 0.0), Vector::new(0.0, -1.0, 0.0)]),
];

/// A cube of some size, as it is held.
#[derive(Debug, Clone)]
pub(super) struct HeldSolid {
    /// Stickers along an edge.
    pub order: usize,
    /// Its corners, of order 3 its edges, too.
    position: Cube,
    /// Which colours these are.
    pub centres: Centres,
}

impl HeldSolid {
    /// A cube with white up and green in front.
    pub fn new(order: usize, position: Cube) -> Self {
        Self { order, position, centres: Centres::USUAL }
    }

    /// Its facelets, in the colours that are seen: faces in the order U R F D L B, each row by row.
    pub fn facelets(&self) -> String {
        self.facelets_in(Face::ALL.map(Face::letter))
    }

    /// The same with these letters for the colours.
    fn facelets_in(&self, letters: [char; 6]) -> String {
        let print = if self.order == 2 { cube2::notation::print_corners } else { facelets::print };
        self.centres.painted_in(&print(&self.position), letters)
    }

    /// The letters of the colours in text that is read as this cube, held the same way. Those of faces are read of the usual
    /// colour scheme alone.
    fn letters(&self) -> [char; 6] {
        if self.centres.rotation().is_some() { Face::ALL.map(Face::letter) } else { Face::COLOUR_LETTERS }
    }

    /// Text that is read as this cube, held the same way.
    fn written(&self) -> String {
        self.facelets_in(self.letters())
    }

    fn after(&self, moves: &[Move]) -> Self {
        Self { position: self.position.after(moves), ..*self }
    }
}

/// A cube, moves from there on, and all moves after these. A move turns one layer.
pub(super) fn scene(position: &HeldSolid, moves: &[Move], scheme: ColourScheme) -> Scene {
    let (order, written) = (position.order, position.written());
    let solids = solids(order, &position.facelets(), scheme);
    let mut held = HeldCubies { order, middles: solids.iter().map(Solid::centre).collect() };
    let steps = moves.iter().map(|&turn| held.step(turn)).collect();
    let end = position.after(moves);
    let choice = |turn: Move| SceneChoice {
        step: held.clone().step(turn),
        key: key(turn),
        position: Some(end.after(&[turn]).written()),
        moves: wca::print(&[moves, &[turn]].concat()),
    };
    let colours = position.letters().into_iter().zip(scheme.cube());
    let letters = colours.map(|(letter, colour)| LetterColour { letter, colour }).collect();
    let choices = Move::all().map(choice).collect();
    Scene { written, letters, solids, steps, leads_to: Some(end.written()), choices }
}

/// The letter of the face for a quarter turn; a capital turns it back.
fn key(turn: Move) -> Option<char> {
    match turn.quarters() {
        1 => Some(turn.face().letter().to_ascii_lowercase()),
        3 => Some(turn.face().letter()),
        _ => None,
    }
}

/// The cubies that are seen.
pub(super) fn solids(order: usize, facelets: &str, scheme: ColourScheme) -> Vec<Solid> {
    let facelets: Vec<char> = facelets.chars().collect();
    let places = (0..order.pow(3)).map(|number| [number % order, number / order % order, number / order.pow(2)]);
    let is_outside = |place: &[usize; 3]| place.iter().any(|&step| step == 0 || step + 1 == order);
    places.filter(is_outside).map(|place| cubie(order, place, &facelets, scheme)).collect()
}

/// Where a cubie of a row of `order` has its middle.
fn along(order: usize, step: usize) -> f64 {
    (2 * step + 1) as f64 / order as f64 - 1.0
}

/// The cubie at a place, which is counted from the left, from below and from behind.
fn cubie(order: usize, place: [usize; 3], facelets: &[char], scheme: ColourScheme) -> Solid {
    let [x, y, z] = place.map(|step| along(order, step));
    let (middle, half) = (Vector::new(x, y, z), 1.0 / order as f64);
    let is_at = |outward: Vector| middle.dot(outward) > 1.0 - 1.5 * half;
    let facet = |number: usize| {
        let (_, [outward, right, down]) = FACES[number];
        let corner = |across: f64, below: f64| {
            middle.plus(outward.times(half)).plus(right.times(across * half)).plus(down.times(below * half))
        };
        // Columns go to the right and rows down, so this is anticlockwise.
        let corners = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
        let at = is_at(outward).then(|| facelet(order, number, middle));
        Facet { corners, colour: at.map(|at| scheme.of_letter(facelets[at]).unwrap_or(Colour::GREY)), at }
    };
    let at = FACES.iter().filter(|(_, [outward, ..])| is_at(*outward));
    Solid { name: at.map(|(letter, _)| letter).collect(), facets: (0..FACES.len()).map(facet).collect() }
}

/// The number of the facelet on a face of the cubie with this middle.
fn facelet(order: usize, face: usize, middle: Vector) -> usize {
    let (_, [_, right, down]) = FACES[face];
    let step = |direction: Vector| ((middle.dot(direction) + 1.0) / 2.0 * order as f64) as usize;
    (face * order + step(down)) * order + step(right)
}

/// Where the cubies have their middles while moves are made, in the order of the solids.
#[derive(Debug, Clone)]
struct HeldCubies {
    order: usize,
    middles: Vec<Vector>,
}

impl HeldCubies {
    /// Makes a move.
    fn step(&mut self, turn: Move) -> SceneStep {
        let axis = outward(turn.face());
        // Clockwise for whoever looks at the face is against the right-hand rule about the direction outward.
        let degrees = -90.0 * f64::from(if turn.quarters() == 3 { -1 } else { turn.quarters() as i8 });
        let is_in_layer = |middle: &Vector| middle.dot(axis) > 1.0 - 1.5 / self.order as f64;
        let solids: Vec<usize> = (0..self.middles.len()).filter(|&at| is_in_layer(&self.middles[at])).collect();
        for &solid in &solids {
            self.middles[solid] = self.middles[solid].turned(axis, degrees);
        }
        let [text, undo] = [turn, turn.inverse()].map(|turn| wca::print(&[turn]));
        SceneStep { text, undo, turns: vec![SolidTurn { axis, degrees, solids }] }
    }
}

/// The direction out of a face.
fn outward(face: Face) -> Vector {
    let found = FACES.iter().find(|(letter, _)| *letter == face.letter());
    found.map_or(Vector::ORIGIN, |(_, [outward, ..])| *outward)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::tests::stickers;
    use twistbase_puzzle::cube2::random_cube2;
    use twistbase_puzzle::cube3::notation::facelets;
    use twistbase_puzzle::cube3::{Metric, random_cube, random_walk};

    const SCHEME: ColourScheme = ColourScheme::Wca;

    /// Turning solids in space is another model of the cube.
    #[test]
    fn moves_lead_to_the_position_after_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(33);
        for _ in 0..20 {
            let start = random_cube(&mut rng);
            let moves = random_walk(&mut rng, Metric::Htm, 12).0.moves().to_vec();
            let played = scene(&HeldSolid::new(3, start), &moves, SCHEME);
            let end = scene(&HeldSolid::new(3, start.after(&moves)), &[], SCHEME);
            assert_eq!(stickers(&played.end()), stickers(&end.solids));
            assert_eq!(played.choices.len(), 18);
            for (choice, turn) in played.choices.iter().zip(Move::all()) {
                let there = start.after(&moves).turned(turn);
                assert_eq!(choice.position, Some(facelets::print(&there)), "{}", choice.moves);
                let mut solids = played.end();
                choice.step.make(&mut solids);
                assert_eq!(stickers(&solids), stickers(&scene(&HeldSolid::new(3, there), &[], SCHEME).solids));
            }
        }
    }

    #[test]
    fn small_cubes_have_eight_solids() {
        let position = random_cube2(&mut ChaCha8Rng::seed_from_u64(2));
        let scene = scene(&HeldSolid::new(2, position.cube()), &[], SCHEME);
        assert_eq!((scene.solids.len(), stickers(&scene.solids).len()), (8, 24));
    }

    #[test]
    fn every_facet_looks_outward() {
        let solids = scene(&HeldSolid::new(3, Cube::SOLVED), &[], SCHEME).solids;
        assert_eq!(solids.len(), 26);
        for solid in &solids {
            assert!(solid.facets.iter().all(|facet| facet.outside(solid.centre()) < 0.0), "{}", solid.name);
        }
    }
}
