//! Drawings as PNG.

use std::ops::RangeInclusive;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::drawing::Drawing;
use super::svg::svg;
use twistbase_core::error::{Error, Result};

/// How long the longer side of a picture can be, in pixels.
pub const PNG_PIXELS: RangeInclusive<u32> = 16..=4096;

/// A drawing in pixels, of which `pixels` are along its longer side. What is not drawn on is transparent.
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
    let tree = Tree::from_str(&svg(drawing, ""), &Options::default()).expect("an SVG file of ours is well-formed");
    let size = tree.size();
    let scale = pixels as f32 / size.width().max(size.height());
    let [width, height] = [size.width(), size.height()].map(|length| ((length * scale).round() as u32).max(1));
    let mut pixmap = Pixmap::new(width, height).expect("neither too small nor too large");
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    Ok(pixmap.encode_png().expect("writing to memory does not fail"))
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
