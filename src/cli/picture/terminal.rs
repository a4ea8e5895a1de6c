//! Pictures as lines of a terminal: coloured half blocks, or letters alone.

use std::fmt::Write;

use twistbase_picture::{Colour, Drawing};

use super::raster::Raster;

/// How colours are sent to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// 24 bits a colour.
    True,
    /// The nearest of the 256 that every terminal emulator has (6 × 6 × 6 and a ramp of greys).
    Indexed,
}

/// The steps of a channel in the 6 × 6 × 6 colours that start at number 16.
const CUBE_STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
const BLACK: Colour = Colour(0x10, 0x10, 0x10);
const WHITE: Colour = Colour(0xF2, 0xF2, 0xF2);

/// The picture in colour. Every line ends in the terminal's own colours.
pub fn coloured(drawing: &Drawing, scale: f64, palette: Palette) -> Vec<String> {
    let raster = Raster::new(drawing, scale);
    let line = |(number, pixels)| coloured_line(drawing, &raster, number, pixels, palette);
    raster.lines().enumerate().map(line).collect()
}

fn coloured_line(
    drawing: &Drawing,
    raster: &Raster<'_>,
    number: usize,
    pixels: impl Iterator<Item = [Option<usize>; 2]>,
    palette: Palette,
) -> String {
    let (mut line, mut style) = (String::new(), Style::default());
    for (x, halves) in pixels.enumerate() {
        let (next, character) = match raster.label(x, number) {
            Some(tile) => label(&drawing.tiles[tile].colour, drawing.tiles[tile].letter),
            None => blocks(halves.map(|tile| tile.map(|tile| drawing.tiles[tile].colour))),
        };
        if next != style {
            next.write(palette, &mut line);
            style = next;
        }
        line.push(character);
    }
    if style != Style::default() {
        line.push_str("\x1b[0m");
    }
    line.truncate(line.trim_end_matches(' ').len());
    line
}

/// The picture as letters, one for each character: of the label there, or of the upper pixel.
#[cfg(test)]
pub fn letters(drawing: &Drawing, scale: f64) -> Vec<String> {
    let raster = Raster::new(drawing, scale);
    let letter = |tile: usize| drawing.tiles[tile].letter;
    let line = |(number, pixels): (usize, _)| {
        let characters = Iterator::enumerate(pixels)
            .map(|(x, [upper, _]): (usize, [Option<usize>; 2])| raster.label(x, number).or(upper).map_or(' ', letter));
        characters.collect::<String>().trim_end().to_owned()
    };
    raster.lines().enumerate().map(line).collect()
}

/// The colours of a character and of its background; `None` is the terminal's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Style {
    front: Option<Colour>,
    back: Option<Colour>,
}

/// A letter that is read well on a colour.
fn label(back: &Colour, letter: char) -> (Style, char) {
    let front = if back.is_light() { BLACK } else { WHITE };
    (Style { front: Some(front), back: Some(*back) }, letter)
}

/// The character that shows two pixels, one above the other.
fn blocks([upper, lower]: [Option<Colour>; 2]) -> (Style, char) {
    match (upper, lower) {
        (upper, lower) if upper == lower => (Style { front: None, back: upper }, ' '),
        (None, lower) => (Style { front: lower, back: None }, '▄'),
        (upper, lower) => (Style { front: upper, back: lower }, '▀'),
    }
}

impl Style {
    /// The escape sequence (ECMA-48, select graphic rendition) that turns to this style from any other.
    fn write(self, palette: Palette, line: &mut String) {
        line.push_str("\x1b[0");
        for (colour, layer) in [(self.front, 38), (self.back, 48)] {
            let Some(Colour(red, green, blue)) = colour else { continue };
            // Writing to a string cannot fail.
            let _ = match palette {
                Palette::True => write!(line, ";{layer};2;{red};{green};{blue}"),
                Palette::Indexed => write!(line, ";{layer};5;{}", nearest(Colour(red, green, blue))),
            };
        }
        line.push('m');
    }
}

/// The number of the nearest of the 256 colours.
fn nearest(Colour(red, green, blue): Colour) -> u8 {
    let step = |channel: u8| {
        let distance = |&step: &usize| CUBE_STEPS[step].abs_diff(channel);
        (0..CUBE_STEPS.len()).min_by_key(distance).unwrap_or(0)
    };
    let in_cube = [red, green, blue].map(step);
    let grey = |number: u8| 8 + 10 * number;
    let in_ramp = (0..24).min_by_key(|&number| far(Colour(red, green, blue), [grey(number); 3])).unwrap_or(0);
    let [r, g, b] = in_cube;
    if far(Colour(red, green, blue), [grey(in_ramp); 3]) < far(Colour(red, green, blue), in_cube.map(|s| CUBE_STEPS[s]))
    {
        232 + in_ramp
    } else {
        (16 + 36 * r + 6 * g + b) as u8
    }
}

/// The square of the distance of two colours.
fn far(Colour(red, green, blue): Colour, other: [u8; 3]) -> u32 {
    [red, green, blue].iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_picture::{Point, Tile};

    fn drawing() -> Drawing {
        let tile = |x, colour, letter| Tile::rectangle(Point::new(x, 0.0), 1.0, 1.0, colour, letter);
        let low = Tile::rectangle(Point::new(3.0, 0.5), 1.0, 0.5, Colour(27, 82, 196), 'B');
        let tiles =
            vec![tile(0.0, Colour(200, 30, 43), 'R'), tile(1.0, WHITE, 'W').labelled(Point::new(1.1, 0.1)), low];
        Drawing { width: 4.0, height: 1.0, tiles }
    }

    #[test]
    fn colours_change_only_where_they_do() {
        assert_eq!(
            coloured(&drawing(), 2.0, Palette::True),
            ["\x1b[0;48;2;200;30;43m  \x1b[0;38;2;16;16;16;48;2;242;242;242mW\x1b[0;48;2;242;242;242m \x1b[0m  \
              \x1b[0;38;2;27;82;196m▄▄\x1b[0m"]
        );
        assert_eq!(
            coloured(&drawing(), 2.0, Palette::Indexed),
            ["\x1b[0;48;5;160m  \x1b[0;38;5;233;48;5;255mW\x1b[0;48;5;255m \x1b[0m  \x1b[0;38;5;26m▄▄\x1b[0m"]
        );
    }

    #[test]
    fn letters_stand_for_what_is_seen() {
        assert_eq!(letters(&drawing(), 2.0), ["RRWW"]);
    }

    #[test]
    fn indexed_colours_are_near() {
        assert_eq!(nearest(Colour(0, 0, 0)), 16);
        assert_eq!(nearest(Colour(255, 255, 255)), 231);
        assert_eq!(nearest(Colour(255, 0, 0)), 196);
        assert_eq!(nearest(Colour(0x8C, 0x8C, 0x8C)), 245);
    }
}
