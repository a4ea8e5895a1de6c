//! Square-1 and its relatives: both layers from outside, and the middle layer from the front.
//!
//! The top layer is seen from above with its front below, the bottom layer from below with its front above, as if the puzzle had
//! been turned over towards the reader. In both, a solved layer is a square that stands upright; the seam leans by 15°.

use twistbase::puzzle::square1::{Colouring, Middle, Piece, Position};

use super::scene::{Colour, Point, Scene, Tile};

/// Half the edge of a solved layer.
const HALF: f64 = 1.0;
/// How far a corner of a solved layer is from the centre: √2.
const CORNER: f64 = std::f64::consts::SQRT_2 * HALF;
/// How much of the way out from the centre the sticker of the layer's face takes; those of the sides have the rest.
const FACE: f64 = 0.76;
/// How far from the centre a big piece and a small one are labelled.
const LABELS: [f64; 2] = [0.78 * HALF, 0.56 * HALF];
/// Between the layers and the middle layer.
const GAP: f64 = 0.3;
/// Degrees of a slot.
const SLOT: f64 = 30.0;
/// Where slot 0 begins: at the front end of the seam, half a slot before the front's middle.
const SEAM: f64 = -90.0 - SLOT / 2.0;

/// A position as it looks. Without a middle layer only the layers are shown.
pub fn scene(position: &Position, colouring: Colouring, middle: Option<Middle>) -> Scene {
    let layer_at = |x: f64| Point::new(x + CORNER, CORNER);
    let strip = if middle.is_some() { 2.0 * HALF + GAP } else { 0.0 };
    let mut tiles = layer(position.top(), colouring, layer_at(0.0), false);
    tiles.extend(middle.into_iter().flat_map(|middle| front(middle, Point::new(2.0 * CORNER + GAP, CORNER))));
    tiles.extend(layer(position.bottom(), colouring, layer_at(2.0 * CORNER + GAP + strip), true));
    Scene { width: 4.0 * CORNER + GAP + strip, height: 2.0 * CORNER, tiles }
}

/// A layer around its centre. `is_below` mirrors it, so that its front is above.
fn layer(slots: &[Piece; 12], colouring: Colouring, centre: Point, is_below: bool) -> Vec<Tile> {
    let begins = |slot: &usize| slots[*slot] != slots[(slot + 11) % 12];
    let place = |degrees: f64, radius: f64| centre.toward(if is_below { -degrees } else { degrees }, radius);
    let piece = |slot: usize| piece(slots[slot], is_below, colouring, SEAM + SLOT * slot as f64, &place);
    (0..12).filter(begins).flat_map(piece).collect()
}

/// The stickers of a piece that begins at an angle: those of the sides, and on top of them that of the face.
fn piece(
    piece: Piece,
    is_below: bool,
    colouring: Colouring,
    begin: f64,
    place: &impl Fn(f64, f64) -> Point,
) -> Vec<Tile> {
    let rim = HALF / (SLOT / 2.0).to_radians().cos();
    let end = begin + SLOT * piece.width() as f64;
    let middle = (begin + end) / 2.0;
    let corners =
        if piece.is_big() { vec![(begin, rim), (middle, CORNER), (end, rim)] } else { vec![(begin, rim), (end, rim)] };
    let outline = |scale: f64, corners: &[(f64, f64)]| {
        let rim = corners.iter().map(|&(degrees, radius)| place(degrees, scale * radius));
        std::iter::once(place(0.0, 0.0)).chain(rim).collect::<Vec<_>>()
    };
    let letter = colouring.kind(piece).hex_digit();
    let tile = |outline, colour| Tile { outline, colour, letter, label: None };
    let sides = corners.windows(2).zip(side_colours(piece, is_below, colouring));
    let mut tiles: Vec<_> = sides.map(|(corners, colour)| tile(outline(1.0, corners), colour)).collect();
    let face = tile(outline(FACE, &corners), face_colour(piece, colouring));
    tiles.push(face.labelled(place(middle, LABELS[usize::from(!piece.is_big())])));
    tiles
}

/// Which face of the solved puzzle a side is of: front, right, back, left. The pieces of each layer begin with the small one at the
/// front and go to the right. A twist turns a piece over, so that in the other layer its sides come the other way round.
fn side_colours(piece: Piece, is_below: bool, colouring: Colouring) -> Vec<Colour> {
    const SIDES: [Colour; 4] = [Colour::RED, Colour::GREEN, Colour::ORANGE, Colour::BLUE];
    let side = usize::from(piece.rank() % 4);
    let mut colours = match colouring {
        // Its sides have the colour of the face.
        Colouring::Cube21 => vec![face_colour(piece, colouring); piece.width()],
        Colouring::Corners if !piece.is_big() => vec![Colour::GREY],
        _ if piece.is_big() => vec![SIDES[side], SIDES[(side + 1) % 4]],
        _ => vec![SIDES[side]],
    };
    if (piece.index() < 8) == is_below {
        colours.reverse();
    }
    colours
}

/// The colour of the layer that a piece belongs to when the puzzle is solved.
fn face_colour(piece: Piece, colouring: Colouring) -> Colour {
    let [top, bottom] = match colouring {
        Colouring::Cube21 => [Colour::SILVER, Colour::GOLD],
        Colouring::Corners if !piece.is_big() => [Colour::GREY; 2],
        Colouring::Square1 | Colouring::Corners => [Colour::YELLOW, Colour::WHITE],
    };
    let colour = if piece.index() < 8 { top } else { bottom };
    // A shade tells neighbours of one colour apart: big and small ones.
    if piece.is_big() { colour } else { colour.shaded() }
}

/// The middle layer from the front, its left end and the middle of its height given: the left half stays; the right half is
/// as in the solved puzzle, or turned by half a turn, which shows its shorter end, of the colour of the back.
fn front(middle: Middle, left: Point) -> Vec<Tile> {
    let height = 0.5 * HALF;
    let seam = HALF * (1.0 - (SLOT / 2.0).to_radians().tan());
    let (width, colour) = match middle {
        Middle::Square => (2.0 * HALF - seam, Colour::RED),
        Middle::Kite => (seam, Colour::ORANGE),
    };
    let half = |x: f64, width: f64, colour| {
        Tile::rectangle(Point::new(left.x + x, left.y - height / 2.0), width, height, colour, middle.symbol())
    };
    vec![half(0.0, seam, Colour::RED), half(seam, width, colour)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase::puzzle::square1::random_position;

    use super::*;
    use crate::cli::picture::LAYER_SCALE;
    use crate::cli::picture::raster::Raster;
    use crate::cli::picture::terminal::letters;

    #[test]
    fn the_solved_layers_stand_upright() {
        let lines = letters(&scene(&Position::SOLVED, Colouring::Square1, Some(Middle::Square)), LAYER_SCALE);
        assert_eq!(
            lines,
            [
                "",
                "",
                "    555555544443333333                               FFFFFF888889999999",
                "    555555544433333333                               FFFFFFF88899999999",
                "    555555554433333333                               FFFFFFF88899999999",
                "    555555554333333332      ------------------       FFFFFFFF899999999A",
                "    666666665322222222      ------------------       EEEEEEEEFAAAAAAAAA",
                "    667777770111111222      ------------------       EEDDDDDDCBBBBBBAAA",
                "    777777770011111111                               DDDDDDDDCCBBBBBBBB",
                "    777777700011111111                               DDDDDDDCCCBBBBBBBB",
                "    777777700001111111                               DDDDDDDCCCCBBBBBBB",
                "",
                "",
            ]
        );
    }

    #[test]
    fn a_twist_exchanges_the_right_halves() {
        let twisted = Position::SOLVED.twist().unwrap();
        let lines = letters(&scene(&twisted, Colouring::Square1, Some(twisted.middle())), LAYER_SCALE);
        assert_eq!(
            lines,
            [
                "",
                "                                                             33333",
                "    555555544448                                     FFFFFF33333333",
                "    5555555444888889                                 FFFFFFF33333333",
                "    5555555544888999999                              FFFFFFF3333332222",
                "    55555555488999999999    /////////////            FFFFFFFF3332222221",
                "    6666666659999999999     /////////////            EEEEEEEEF1111111111",
                "    66777777BBAAAAA999      /////////////            EEDDDDDDC01111111111",
                "    77777777BBBBAAAAA                                DDDDDDDDCC0011111111",
                "    7777777BBBBBBBAA                                 DDDDDDDCCC0000111",
                "    7777777BBBBBBBB                                  DDDDDDDCCCC00",
                "            BBBBB",
                "               B",
            ]
        );
    }

    /// The big piece between front and right comes to the bottom, its red side to the back of its green one.
    #[test]
    fn a_twist_turns_pieces_over() {
        let sides = |position: &Position| {
            let tiles = scene(position, Colouring::Square1, None).tiles;
            let of_piece: Vec<_> = tiles.into_iter().filter(|tile| tile.letter == '1').collect();
            [0, 1].map(|side| of_piece[side].colour)
        };
        assert_eq!(sides(&Position::SOLVED), [Colour::RED, Colour::GREEN]);
        let twisted = Position::SOLVED.twist().unwrap();
        assert_eq!(sides(&twisted), [Colour::GREEN, Colour::RED]);
        assert_eq!(sides(&twisted.twist().unwrap()), [Colour::RED, Colour::GREEN]);
    }

    #[test]
    fn alike_pieces_look_alike() {
        let tiles = |piece: u8| {
            let place = |degrees: f64, radius: f64| Point::new(0.0, 0.0).toward(degrees, radius);
            super::piece(Piece::new(piece).unwrap(), false, Colouring::Cube21, SEAM, &place)
        };
        assert_eq!(tiles(0), tiles(2));
        assert_ne!(tiles(0), tiles(4));
        assert_ne!(tiles(0)[0].colour, tiles(8)[0].colour);
    }

    /// At the size that terminals are shown, no label lies on another.
    #[test]
    fn all_pieces_of_any_position_are_named() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        for _ in 0..40 {
            let position = random_position(&mut rng);
            let scene = scene(&position, Colouring::Square1, None);
            let raster = Raster::new(&scene, LAYER_SCALE);
            let named: BTreeSet<char> = (raster.lines().enumerate())
                .flat_map(|(line, pixels)| (0..pixels.count()).map(move |x| (x, line)))
                .filter_map(|(x, line)| raster.label(x, line))
                .map(|tile| scene.tiles[tile].letter)
                .collect();
            assert_eq!(named.len(), Piece::COUNT, "{position:?}");
        }
    }
}
