//! Drawings: flat, coloured polygons, whatever they are written as.

use super::colour::Colour;

/// A place in a drawing: to the right, and down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl Point {
    /// A place by its distances from the upper left corner.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The place `radius` away from this one in a direction in degrees, anticlockwise from the right.
    #[must_use]
    pub fn toward(self, degrees: f64, radius: f64) -> Self {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Self { x: self.x + radius * cosine, y: self.y - radius * sine }
    }
}

/// A sticker: what its outline holds has its colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    /// The corners of a polygon.
    pub outline: Vec<Point>,
    /// Its fill.
    pub colour: Colour,
    /// What names the tile where there is no colour.
    pub letter: char,
    /// Where its letter is written in colour, too; `None` when it is not.
    pub label: Option<Point>,
    /// Its name in a file; `None` if it has none.
    pub id: Option<String>,
}

impl Tile {
    /// A rectangle without a label, by its upper left corner.
    pub fn rectangle(corner: Point, width: f64, height: f64, colour: Colour, letter: char) -> Self {
        let Point { x, y } = corner;
        let outline = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
        Self { outline: outline.map(|(x, y)| Point { x, y }).to_vec(), colour, letter, label: None, id: None }
    }

    /// The tile with its letter written at a place.
    #[must_use]
    pub fn labelled(self, at: Point) -> Self {
        Self { label: Some(at), ..self }
    }

    /// Whether a place is inside, by the parity of the sides that a ray to the right of it crosses.
    pub fn holds(&self, place: Point) -> bool {
        let sides = self.outline.iter().zip(self.outline.iter().cycle().skip(1));
        let crossed = sides.filter(|(from, to)| {
            (from.y > place.y) != (to.y > place.y)
                && place.x < (to.x - from.x) * (place.y - from.y) / (to.y - from.y) + from.x
        });
        crossed.count() % 2 == 1
    }
}

/// A picture: tiles from the lowest to the topmost, inside a width and a height.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// The polygons, from the lowest to the uppermost.
    pub tiles: Vec<Tile>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_hold_what_is_inside() {
        let tile = Tile::rectangle(Point::new(1.0, 1.0), 2.0, 1.0, Colour::GREY, 'R');
        let held =
            [(2.0, 1.5), (0.5, 1.5), (3.5, 1.5), (2.0, 0.5), (2.0, 2.5)].map(|(x, y)| tile.holds(Point { x, y }));
        assert_eq!(held, [true, false, false, false, false]);
    }
}
