//! Drawings as PNG.

use std::ops::RangeInclusive;

use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};
use twistbase_core::error::{Error, Result};

use super::colour::Colour;
use super::drawing::{Drawing, Point};
use super::letters;
use super::svg::{LETTER, LINE_WIDTH, SCALE, ink_on, letter_corner};

/// How long the longer side of a picture can be, in pixels.
pub const PNG_PIXELS: RangeInclusive<u32> = 16..=4096;

/// A drawing in pixels, of which `pixels` are along its longer side. The background is transparent.
///
/// # Errors
/// [`Error::Usage`] if `pixels` is not in [`PNG_PIXELS`].
pub fn png(drawing: &Drawing, pixels: u32) -> Result<Vec<u8>> {
    if !PNG_PIXELS.contains(&pixels) {
        let (least, most) = (PNG_PIXELS.start(), PNG_PIXELS.end());
        return Err(Error::Usage(format!(
            "a picture has {least} to {most} pixels along its longer side, not {pixels}"
        )));
    }
    let [width, height] = [drawing.width, drawing.height].map(|length| (length * SCALE).ceil());
    let scale = f64::from(pixels) / width.max(height);
    let [across, down] = [width, height].map(|length| ((length * scale).round() as u32).max(1));
    let mut pixmap = Pixmap::new(across, down).expect("neither too small nor too large");
    let whole = Transform::from_scale(scale as f32, scale as f32);
    let rounded = |width: f64| Stroke { width: width as f32, line_join: LineJoin::Round, ..Stroke::default() };
    for tile in &drawing.tiles {
        let Some(path) = outline(&tile.outline) else { continue };
        pixmap.fill_path(&path, &paint(tile.colour), FillRule::Winding, whole, None);
        pixmap.stroke_path(&path, &paint(Colour::BODY), &rounded(LINE_WIDTH), whole, None);
    }
    for (tile, at) in drawing.tiles.iter().filter_map(|tile| Some((tile, tile.label?))) {
        if let Some(path) = letters::strokes(tile.letter).and_then(strokes) {
            let [left, above] = letter_corner(at);
            let place = whole.pre_translate(left as f32, above as f32).pre_scale(LETTER as f32, LETTER as f32);
            let stroke = Stroke { line_cap: LineCap::Round, ..rounded(1.0) };
            pixmap.stroke_path(&path, &paint(ink_on(tile)), &stroke, place, None);
        }
    }
    Ok(pixmap.encode_png().expect("writing to memory does not fail"))
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(Color::from_rgba8(red, green, blue, u8::MAX));
    paint
}

/// A polygon; `None` if it has no corners.
fn outline(corners: &[Point]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (number, corner) in corners.iter().enumerate() {
        let [x, y] = [corner.x, corner.y].map(|length| (length * SCALE).round() as f32);
        if number == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path.close();
    path.finish()
}

/// The strokes of a letter. Its path data are moves, lines and closings on a grid of single digits.
fn strokes(data: &str) -> Option<Path> {
    let mut path = PathBuilder::new();
    let mut digits = data.bytes().filter(u8::is_ascii_digit).map(|digit| f32::from(digit - b'0'));
    let mut number = || digits.next().expect("two numbers a corner");
    for command in data.bytes().filter(u8::is_ascii_alphabetic) {
        match command {
            b'M' => path.move_to(number(), number()),
            b'L' => path.line_to(number(), number()),
            _ => path.close(),
        }
    }
    path.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Colour, ColourScheme, Picture, Viewpoint};
    use twistbase_puzzle::cube3::Cube;

    /// The colour in the middle of each face of the net.
    #[test]
    fn stickers_have_their_colours() {
        let drawing = Picture::cube3(&Cube::SOLVED, &[]).drawing(Viewpoint::Flat, ColourScheme::Wca);
        let pixels = 600;
        let pixmap = Pixmap::decode_png(&png(&drawing, pixels).unwrap()).unwrap();
        assert_eq!(pixmap.width().max(pixmap.height()), pixels);
        let scale = f64::from(pixels) / drawing.width;
        for tile in &drawing.tiles {
            let corner = tile.outline[0];
            let [x, y] = [corner.x, corner.y].map(|from| ((from + 0.2) * scale) as u32);
            let found = pixmap.pixel(x, y).expect("inside").demultiply();
            assert_eq!(Colour(found.red(), found.green(), found.blue()), tile.colour);
        }
        // Between the faces nothing is drawn.
        assert_eq!(pixmap.pixel(1, 1).expect("inside").alpha(), 0);
    }

    #[test]
    fn sizes_are_bounded() {
        let drawing = Picture::cube3(&Cube::SOLVED, &[]).drawing(Viewpoint::Perspective, ColourScheme::Wca);
        for pixels in [0, 15, 4097, u32::MAX] {
            assert!(matches!(png(&drawing, pixels), Err(Error::Usage(_))), "{pixels}");
        }
        assert!(png(&drawing, *PNG_PIXELS.start()).is_ok());
    }
}
