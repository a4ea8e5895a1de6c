//! Nets of cubes of any size.

use super::scene::{Colour, Point, Scene, Tile};

/// Between the faces, in stickers.
const GAP: f64 = 1.0;
/// The faces in the order of facelets, with the colours that competitions prescribe for white above and green in front,
/// and their column and row in the net.
const FACES: [(char, Colour, [usize; 2]); 6] = [
    ('U', Colour::WHITE, [1, 0]),
    ('R', Colour::RED, [2, 1]),
    ('F', Colour::GREEN, [1, 1]),
    ('D', Colour::YELLOW, [1, 2]),
    ('L', Colour::ORANGE, [0, 1]),
    ('B', Colour::BLUE, [3, 1]),
];

/// The net of a cube with `order` stickers along an edge, by its facelets: faces in the order U R F D L B, each row by row, a
/// letter for each colour. The middle sticker of each face is labelled, where there is one.
pub fn scene(order: usize, facelets: &str) -> Scene {
    let pitch = order as f64 + GAP;
    let sticker = |(number, letter): (usize, char)| {
        let (face, within) = (number / (order * order), number % (order * order));
        let [column, row] = FACES[face].2.map(|step| step as f64 * pitch);
        let corner = Point::new(column + (within % order) as f64, row + (within / order) as f64);
        let tile = Tile::rectangle(corner, 1.0, 1.0, colour(letter), letter);
        let is_middle = order % 2 == 1 && within == order * order / 2;
        if is_middle { tile.labelled(corner) } else { tile }
    };
    let tiles = facelets.chars().enumerate().map(sticker).collect();
    Scene { width: 4.0 * pitch - GAP, height: 3.0 * pitch - GAP, tiles }
}

fn colour(letter: char) -> Colour {
    FACES.iter().find(|face| face.0 == letter).map_or(Colour::GREY, |face| face.1)
}
