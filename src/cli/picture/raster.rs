//! Pictures as square pixels, two of which, one above the other, fit into a character of a terminal.

use twistbase_picture::{Drawing, Point};

/// A picture in pixels: the tile that is seen in each.
pub struct Raster<'a> {
    drawing: &'a Drawing,
    scale: f64,
    width: usize,
    height: usize,
    tiles: Vec<Option<usize>>,
}

impl<'a> Raster<'a> {
    /// A drawing, `scale` pixels to its unit. The number of rows is even.
    pub fn new(drawing: &'a Drawing, scale: f64) -> Self {
        let pixels = |length: f64| (length * scale).ceil() as usize;
        let (width, height) = (pixels(drawing.width), pixels(drawing.height).next_multiple_of(2));
        let middle = |pixel: usize| (pixel as f64 + 0.5) / scale;
        let seen = |pixel: usize| {
            let place = Point::new(middle(pixel % width), middle(pixel / width));
            drawing.tiles.iter().rposition(|tile| tile.holds(place))
        };
        Self { drawing, scale, width, height, tiles: (0..width * height).map(seen).collect() }
    }

    /// Pairs of pixels, the upper one first: row by row, what the characters of a line show.
    pub fn lines(&self) -> impl Iterator<Item = impl Iterator<Item = [Option<usize>; 2]>> {
        (0..self.height / 2)
            .map(move |line| (0..self.width).map(move |x| [0, 1].map(|half| self.at(x, 2 * line + half))))
    }

    /// The tile whose label is written in a character.
    pub fn label(&self, x: usize, line: usize) -> Option<usize> {
        let is_here = |at: Point| (at.x * self.scale) as usize == x && (at.y * self.scale / 2.0) as usize == line;
        self.drawing.tiles.iter().rposition(|tile| tile.label.is_some_and(is_here))
    }

    fn at(&self, x: usize, y: usize) -> Option<usize> {
        self.tiles[y * self.width + x]
    }
}
