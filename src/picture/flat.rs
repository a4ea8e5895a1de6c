//! Positions laid out flat: the net of a cube; the layers of Square-1 from outside, and its middle layer from the front.

use super::colour::{Colour, ColourScheme};
use super::drawing::{Drawing, Point, Tile};
use super::square1::{CORNER, SEAM, SLOT, face_colour, first_slots, rim, side_colours};
use twistbase_puzzle::square1::{Colouring, Middle, Piece, Position};

/// Between the faces of a net, in stickers.
const NET_GAP: f64 = 1.0;
/// Column and row of each face of a net, in the order of facelets.
const NET: [[usize; 2]; 6] = [[1, 0], [2, 1], [1, 1], [1, 2], [0, 1], [3, 1]];

/// How much of the way out from the centre the sticker of a layer's face takes; those of the sides have the rest.
const FACE: f64 = 0.76;
/// How far from the centre a big piece and a small one are labelled.
const LABELS: [f64; 2] = [0.78, 0.56];
/// Between the layers and the middle layer.
const LAYER_GAP: f64 = 0.3;

/// The net of a cube with `order` stickers along an edge, by its facelets: faces in the order U R F D L B, each row by row, a
/// letter for each colour. U is above F, D below it, L to the left, R and B to the right. The middle sticker of each face is
/// labelled, where there is one. A sticker's edge is the unit.
pub(super) fn net(order: usize, facelets: &str, scheme: ColourScheme) -> Drawing {
    let pitch = order as f64 + NET_GAP;
    let sticker = |(number, letter): (usize, char)| {
        let (face, within) = (number / (order * order), number % (order * order));
        let [column, row] = NET[face].map(|step| step as f64 * pitch);
        let corner = Point::new(column + (within % order) as f64, row + (within / order) as f64);
        let colour = scheme.of_letter(letter).unwrap_or(Colour::GREY);
        let tile = Tile::rectangle(corner, 1.0, 1.0, colour, letter);
        let is_middle = order % 2 == 1 && within == order * order / 2;
        if is_middle { tile.labelled(Point::new(corner.x + 0.5, corner.y + 0.5)) } else { tile }
    };
    let tiles = facelets.chars().enumerate().map(sticker).collect();
    Drawing { width: 4.0 * pitch - NET_GAP, height: 3.0 * pitch - NET_GAP, tiles }
}

/// A position of the Square-1 family. The top layer is seen from above with its front below, the bottom layer from below with
/// its front above, as if the puzzle had been turned over towards the reader; between them, if `middle` is given, the middle layer
/// from the front. In both layers a solved one is a square that stands upright; half its edge is the unit.
pub(super) fn layers(
    position: &Position,
    middle: Option<Middle>,
    colouring: Colouring,
    scheme: ColourScheme,
) -> Drawing {
    let layer_at = |x: f64| Point::new(x + CORNER, CORNER);
    let strip = if middle.is_some() { 2.0 + LAYER_GAP } else { 0.0 };
    let mut tiles = layer(position.top(), layer_at(0.0), false, colouring, scheme);
    tiles.extend(
        middle
            .into_iter()
            .flat_map(|middle| front(middle, Point::new(2.0 * CORNER + LAYER_GAP, CORNER), colouring, scheme)),
    );
    tiles.extend(layer(position.bottom(), layer_at(2.0 * CORNER + LAYER_GAP + strip), true, colouring, scheme));
    Drawing { width: 4.0 * CORNER + LAYER_GAP + strip, height: 2.0 * CORNER, tiles }
}

/// A layer around its centre. `is_below` mirrors it, so that its front is above.
fn layer(slots: &[Piece; 12], centre: Point, is_below: bool, colouring: Colouring, scheme: ColourScheme) -> Vec<Tile> {
    let place = |degrees: f64, radius: f64| centre.toward(if is_below { -degrees } else { degrees }, radius);
    let piece = |slot: usize| {
        let begin = SEAM + SLOT * slot as f64;
        let sides = side_colours(slots[slot], is_below, colouring, scheme);
        piece(slots[slot], begin, &sides, face_colour(slots[slot], colouring, scheme), colouring, &place)
    };
    first_slots(slots).flat_map(piece).collect()
}

/// The stickers of a piece that begins at an angle: those of the sides, and on top of them that of the face.
fn piece(
    piece: Piece,
    begin: f64,
    sides: &[Colour],
    face: Colour,
    colouring: Colouring,
    place: &impl Fn(f64, f64) -> Point,
) -> Vec<Tile> {
    let corners = rim(piece, begin);
    let outline = |scale: f64, corners: &[(f64, f64)]| {
        let rim = corners.iter().map(|&(degrees, radius)| place(degrees, scale * radius));
        std::iter::once(place(0.0, 0.0)).chain(rim).collect::<Vec<_>>()
    };
    let letter = colouring.kind(piece).hex_digit();
    let tile = |outline, colour| Tile { outline, colour, letter, label: None, id: None };
    let walls = corners.windows(2).zip(sides);
    let mut tiles: Vec<_> = walls.map(|(corners, &colour)| tile(outline(1.0, corners), colour)).collect();
    let middle = begin + SLOT * piece.width() as f64 / 2.0;
    let label = place(middle, LABELS[usize::from(!piece.is_big())]);
    tiles.push(tile(outline(FACE, &corners), face).labelled(label));
    tiles
}

/// The middle layer from the front, its left end and the middle of its height given: the left half stays; the right half is
/// as in the solved puzzle, or turned by half a turn, which shows its shorter end, of the colour of the back.
fn front(middle: Middle, left: Point, colouring: Colouring, scheme: ColourScheme) -> Vec<Tile> {
    const HEIGHT: f64 = 0.5;
    let seam = 1.0 - (SLOT / 2.0).to_radians().tan();
    let [front, back] = super::square1::middle_colours(colouring, scheme);
    let (width, colour) = match middle {
        Middle::Square => (2.0 - seam, front),
        Middle::Kite => (seam, back),
    };
    let half = |x: f64, width: f64, colour| {
        Tile::rectangle(Point::new(left.x + x, left.y - HEIGHT / 2.0), width, HEIGHT, colour, middle.symbol())
    };
    vec![half(0.0, seam, front), half(seam, width, colour)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const WCA: ColourScheme = ColourScheme::Wca;

    /// The big piece between front and right comes to the bottom, its red side to the back of its green one.
    #[test]
    fn a_twist_turns_pieces_over() {
        let sides = |position: &Position| {
            let tiles = layers(position, None, Colouring::Square1, WCA).tiles;
            let of_piece: Vec<_> = tiles.into_iter().filter(|tile| tile.letter == '1').collect();
            [0, 1].map(|side| of_piece[side].colour)
        };
        let [_, red, green, ..] = WCA.cube();
        assert_eq!(sides(&Position::SOLVED), [red, green]);
        let twisted = Position::SOLVED.twist().unwrap();
        assert_eq!(sides(&twisted), [green, red]);
        assert_eq!(sides(&twisted.twist().unwrap()), [red, green]);
    }

    #[test]
    fn alike_pieces_look_alike() {
        let tiles = |piece: u8| {
            let place = |degrees: f64, radius: f64| Point::new(0.0, 0.0).toward(degrees, radius);
            let (piece, colouring) = (Piece::new(piece).unwrap(), Colouring::Cube21);
            let sides = side_colours(piece, false, colouring, WCA);
            super::piece(piece, SEAM, &sides, face_colour(piece, colouring, WCA), colouring, &place)
        };
        assert_eq!(tiles(0), tiles(2));
        assert_ne!(tiles(0), tiles(4));
        assert_ne!(tiles(0)[0].colour, tiles(8)[0].colour);
    }
}
