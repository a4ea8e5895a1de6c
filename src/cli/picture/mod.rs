//! Small pictures of positions, for people at a terminal: drawings of the library as coloured half blocks.

mod raster;
mod terminal;

use std::env;
use std::io;

use twistbase_database::{Answer, WrittenPosition};
use twistbase_picture::{ColourScheme, Drawing, Viewpoint};

use self::terminal::Palette;
use super::{format, standard_error};

/// Pixels to a sticker of a net.
const NET_SCALE: f64 = 2.0;
/// Pixels to half the edge of a solved layer of Square-1.
const LAYER_SCALE: f64 = 9.0;
/// Pixels to half the edge of a cube, of a puzzle that is laid out flat.
const FACE_SCALE: f64 = 6.0;
/// Before each line.
const INDENT: &str = "  ";

/// Whether positions are shown as pictures, too: standard output is a terminal that knows colours, and neither options nor
/// `NO_COLOR` (<https://no-color.org>) object.
pub fn is_wanted(no_picture: bool, json: bool, quiet: bool) -> bool {
    let is_refused = no_picture || json || quiet || !standard_error::are_colours_allowed();
    !is_refused && standard_error::is_capable(&io::stdout())
}

/// The position of an answer in lines, without their ends; `None` where the terminal is too narrow, and of a puzzle without pictures.
pub fn of(answer: &Answer) -> Option<Vec<String>> {
    let scale = match answer {
        Answer::Square1(_) => LAYER_SCALE,
        Answer::Table(answer) if matches!(answer.position.written(), WrittenPosition::KPattern(_)) => FACE_SCALE,
        Answer::Cube3(_) | Answer::Table(_) => NET_SCALE,
    };
    lines(&answer.picture()?.drawing(Viewpoint::Flat, ColourScheme::Wca), scale)
}

fn lines(drawing: &Drawing, scale: f64) -> Option<Vec<String>> {
    if INDENT.len() + (drawing.width * scale).ceil() as usize > format::width() {
        return None;
    }
    let lines = terminal::coloured(drawing, scale, palette());
    let is_empty = |line: &&String| line.is_empty();
    let above = lines.iter().take_while(is_empty).count();
    let below = lines[above..].iter().rev().take_while(is_empty).count();
    Some(lines[above..lines.len() - below].iter().map(|line| format!("{INDENT}{line}")).collect())
}

/// The colours of the terminal. No variable of all terminals announces 256 colours; all terminals in use have them.
fn palette() -> Palette {
    match env::var("COLORTERM").as_deref() {
        Ok("truecolor" | "24bit") => Palette::True,
        _ => Palette::Indexed,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase_picture::Picture;
    use twistbase_puzzle::cube3::notation::parse_position;
    use twistbase_puzzle::square1::{Colouring, Middle, Piece, Position, TwistSequence, random_position};

    use super::raster::Raster;
    use super::terminal::letters;
    use super::*;

    fn layers(position: &Position, middle: Option<Middle>) -> Drawing {
        let picture = Picture::square1(position, middle, &TwistSequence::default(), Colouring::Square1).unwrap();
        picture.drawing(Viewpoint::Flat, ColourScheme::Wca)
    }

    #[test]
    fn a_turn_of_the_right_face_is_seen() {
        let upper = "        UUUUFF";
        let around = "LLLLLL  FFFFDD  RRRRRR  UUBBBB";
        let lower = "        DDDDBB";
        let net =
            Picture::cube3(&parse_position("R").unwrap().position, &[]).drawing(Viewpoint::Flat, ColourScheme::Wca);
        assert_eq!(
            letters(&net, NET_SCALE),
            [upper, upper, upper, "", around, around, around, "", lower, lower, lower]
        );
    }

    #[test]
    fn the_solved_layers_stand_upright() {
        let lines = letters(&layers(&Position::SOLVED, Some(Middle::Square)), LAYER_SCALE);
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
        let lines = letters(&layers(&twisted, Some(twisted.middle())), LAYER_SCALE);
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

    /// At the usual size of terminals no label covers another.
    #[test]
    fn all_pieces_of_any_position_are_named() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        for _ in 0..40 {
            let position = random_position(&mut rng);
            let drawing = layers(&position, None);
            let raster = Raster::new(&drawing, LAYER_SCALE);
            let named: BTreeSet<char> = (raster.lines().enumerate())
                .flat_map(|(line, pixels)| (0..pixels.count()).map(move |x| (x, line)))
                .filter_map(|(x, line)| raster.label(x, line))
                .map(|tile| drawing.tiles[tile].letter)
                .collect();
            assert_eq!(named.len(), Piece::COUNT, "{position:?}");
        }
    }
}
