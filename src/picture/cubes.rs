//! Cubes of any size in space.

use super::colour::{Colour, ColourScheme};
use super::scene::{Facet, Scene, SceneStep, Solid, SolidTurn, Vector};
use crate::puzzle::cube3::notation::wca;
use crate::puzzle::cube3::{Face, Move};

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

/// A cube with `order` stickers along an edge, by its facelets (faces in the order U R F D L B, each row by row), and moves from
/// there on. A move turns one layer.
pub(super) fn scene(order: usize, facelets: &str, moves: &[Move], scheme: ColourScheme) -> Scene {
    let facelets: Vec<char> = facelets.chars().collect();
    let places = (0..order.pow(3)).map(|number| [number % order, number / order % order, number / order.pow(2)]);
    let is_outside = |place: &[usize; 3]| place.iter().any(|&step| step == 0 || step + 1 == order);
    let solids: Vec<Solid> = places.filter(is_outside).map(|place| cubie(order, place, &facelets, scheme)).collect();
    let steps = steps(order, &solids, moves);
    Scene { solids, steps }
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
        Facet { corners, colour: is_at(outward).then(|| sticker(order, number, middle, facelets, scheme)) }
    };
    let at = FACES.iter().filter(|(_, [outward, ..])| is_at(*outward));
    Solid { name: at.map(|(letter, _)| letter).collect(), facets: (0..FACES.len()).map(facet).collect() }
}

/// The colour of the sticker on a face of the cubie with this middle.
fn sticker(order: usize, face: usize, middle: Vector, facelets: &[char], scheme: ColourScheme) -> Colour {
    let (_, [_, right, down]) = FACES[face];
    let step = |direction: Vector| ((middle.dot(direction) + 1.0) / 2.0 * order as f64) as usize;
    let letter = facelets[(face * order + step(down)) * order + step(right)];
    scheme.of_letter(letter).unwrap_or(Colour::GREY)
}

/// What moves turn, one after the other.
fn steps(order: usize, solids: &[Solid], moves: &[Move]) -> Vec<SceneStep> {
    let mut middles: Vec<Vector> = solids.iter().map(Solid::centre).collect();
    let mut step = |&turn: &Move| {
        let axis = outward(turn.face());
        // Clockwise for whoever looks at the face is against the right-hand rule about the direction outward.
        let degrees = -90.0 * f64::from(if turn.quarters() == 3 { -1 } else { turn.quarters() as i8 });
        let is_in_layer = |middle: &Vector| middle.dot(axis) > 1.0 - 1.5 / order as f64;
        let turning: Vec<usize> = (0..middles.len()).filter(|&solid| is_in_layer(&middles[solid])).collect();
        for &solid in &turning {
            middles[solid] = middles[solid].turned(axis, degrees);
        }
        SceneStep { text: wca::print(&[turn]), turns: vec![SolidTurn { axis, degrees, solids: turning }] }
    };
    moves.iter().map(&mut step).collect()
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
    use crate::picture::tests::stickers;
    use crate::puzzle::cube2::{self, random_cube2};
    use crate::puzzle::cube3::notation::facelets;
    use crate::puzzle::cube3::{Metric, random_cube, random_walk};

    const SCHEME: ColourScheme = ColourScheme::Wca;

    /// Turning solids in space is another model of the cube.
    #[test]
    fn moves_lead_to_the_position_after_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(33);
        for _ in 0..20 {
            let start = random_cube(&mut rng);
            let moves = random_walk(&mut rng, Metric::Htm, 12).0.moves().to_vec();
            let played = scene(3, &facelets::print(&start), &moves, SCHEME).end();
            let end = scene(3, &facelets::print(&start.after(&moves)), &[], SCHEME).solids;
            assert_eq!(stickers(&played), stickers(&end));
        }
    }

    #[test]
    fn small_cubes_have_eight_solids() {
        let position = random_cube2(&mut ChaCha8Rng::seed_from_u64(2));
        let scene = scene(2, &cube2::notation::print(&position), &[], SCHEME);
        assert_eq!((scene.solids.len(), stickers(&scene.solids).len()), (8, 24));
    }

    #[test]
    fn every_facet_looks_outward() {
        let solids = scene(3, &facelets::print(&crate::puzzle::cube3::Cube::SOLVED), &[], SCHEME).solids;
        assert_eq!(solids.len(), 26);
        for solid in &solids {
            assert!(solid.facets.iter().all(|facet| facet.outside(solid.centre()) < 0.0), "{}", solid.name);
        }
    }
}
