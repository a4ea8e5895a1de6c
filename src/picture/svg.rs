//! Drawings as SVG.

use std::fmt::Write;

use super::colour::Colour;
use super::drawing::{Drawing, Point, Tile};
use super::letters;

/// Units of the file to a unit of the drawing: coordinates have no decimals then.
pub(super) const SCALE: f64 = 100.0;
/// Units of the file to a step of the grid of a letter.
pub(super) const LETTER: f64 = 3.0;
/// Units of the file that the outline of a tile is wide.
pub(super) const LINE_WIDTH: f64 = 2.0;
const DARK: Colour = Colour(0x10, 0x10, 0x10);
const LIGHT: Colour = Colour(0xF2, 0xF2, 0xF2);

/// How long the longer side of a picture is, in pixels, unless whoever shows it says otherwise.
pub const DEFAULT_PIXELS: u32 = 480;

/// A drawing as a file of its own. `title` is for people who do not see it.
pub fn svg(drawing: &Drawing, title: &str) -> String {
    let [width, height] = [drawing.width, drawing.height].map(|length| (length * SCALE).ceil());
    let pixels = f64::from(DEFAULT_PIXELS) / width.max(height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{:.0}\" height=\"{:.0}\" \
         role=\"img\" stroke=\"{}\" stroke-width=\"{LINE_WIDTH}\" stroke-linejoin=\"round\">\n<title>{}</title>\n",
        width * pixels,
        height * pixels,
        Colour::BODY,
        escaped(title)
    );
    for tile in &drawing.tiles {
        // Writing to a string cannot fail.
        let id = tile.id.as_ref().map_or_else(String::new, |id| format!("id=\"{id}\" "));
        let _ = writeln!(text, "<path {id}fill=\"{}\" d=\"{}\"/>", tile.colour, path(&tile.outline));
    }
    for (tile, at) in drawing.tiles.iter().filter_map(|tile| Some((tile, tile.label?))) {
        text += &label(tile, at);
    }
    text + "</svg>\n"
}

/// The outline of a polygon.
fn path(outline: &[Point]) -> String {
    let place = |Point { x, y }: &Point| format!("{:.0} {:.0}", x * SCALE, y * SCALE);
    format!("M{}Z", outline.iter().map(place).collect::<Vec<_>>().join("L"))
}

/// The letter of a tile; nothing if it has no strokes.
fn label(tile: &Tile, at: Point) -> String {
    let Some(strokes) = letters::strokes(tile.letter) else { return String::new() };
    let (colour, [left, above]) = (ink_on(tile), letter_corner(at));
    format!(
        "<path transform=\"translate({left:.0} {above:.0}) scale({LETTER})\" fill=\"none\" stroke=\"{colour}\" \
         stroke-width=\"1\" stroke-linecap=\"round\" d=\"{strokes}\"/>\n"
    )
}

/// The colour of the letter of a tile.
pub(super) fn ink_on(tile: &Tile) -> Colour {
    if tile.colour.is_light() { DARK } else { LIGHT }
}

/// Left and upper end of a letter with its middle at a point, in units of the file.
pub(super) fn letter_corner(Point { x, y }: Point) -> [f64; 2] {
    [(x, letters::WIDTH), (y, letters::HEIGHT)].map(|(at, size)| at * SCALE - size * LETTER / 2.0)
}

/// Text as it stands between tags.
fn escaped(text: &str) -> String {
    let escape = |letter: char| match letter {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        // No file may hold these, whatever a position was read from.
        control if control.is_control() => " ".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_cannot_be_taken_for_tags() {
        assert_eq!(escaped("a<b>&\u{0}"), "a&lt;b&gt;&amp; ");
    }

    #[test]
    fn a_drawing_is_a_file() {
        let tile =
            Tile::rectangle(Point::new(0.0, 0.0), 1.0, 1.0, Colour(255, 0, 0), 'R').labelled(Point::new(0.5, 0.5));
        let text = svg(&Drawing { width: 1.0, height: 1.0, tiles: vec![tile] }, "R");
        assert!(text.contains("viewBox=\"0 0 100 100\"") && text.contains("M0 0L100 0L100 100L0 100Z"), "{text}");
        assert!(text.contains("fill=\"#ff0000\"") && text.contains("translate(44 41) scale(3)"), "{text}");
    }
}
