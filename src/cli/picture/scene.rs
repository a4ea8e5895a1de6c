//! What a picture is made of: flat, coloured polygons, whatever they are written as.

/// A colour of 8 bits a channel: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    pub const WHITE: Self = Self(0xF2, 0xF2, 0xF2);
    pub const YELLOW: Self = Self(0xFF, 0xD8, 0x1A);
    pub const RED: Self = Self(0xC8, 0x1E, 0x2B);
    pub const ORANGE: Self = Self(0xFF, 0x7F, 0x11);
    pub const GREEN: Self = Self(0x14, 0x9A, 0x46);
    pub const BLUE: Self = Self(0x1B, 0x52, 0xC4);
    pub const GREY: Self = Self(0x8C, 0x8C, 0x8C);
    pub const SILVER: Self = Self(0xC4, 0xCB, 0xD2);
    pub const GOLD: Self = Self(0xD0, 0x9A, 0x22);

    /// The same colour, darker by an eighth.
    pub fn shaded(self) -> Self {
        let Self(red, green, blue) = self;
        let [red, green, blue] = [red, green, blue].map(|channel| channel - channel / 8);
        Self(red, green, blue)
    }

    /// Whether dark letters are read better on it than light ones: its relative luminance (ITU-R BT.709) is above half.
    pub fn is_light(self) -> bool {
        let Self(red, green, blue) = self;
        2126 * u32::from(red) + 7152 * u32::from(green) + 722 * u32::from(blue) > 10_000 * 128
    }
}

/// A place in a picture: to the right, and down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The place `radius` away from this one in a direction in degrees, anticlockwise from the right.
    pub fn toward(self, degrees: f64, radius: f64) -> Self {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Self { x: self.x + radius * cosine, y: self.y - radius * sine }
    }
}

/// A sticker: what its outline holds has its colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    pub outline: Vec<Point>,
    pub colour: Colour,
    /// What names the tile where there is no colour.
    pub letter: char,
    /// Where its letter is written in colour, too; `None` when it is not.
    pub label: Option<Point>,
}

impl Tile {
    /// A rectangle without a label, by its upper left corner.
    pub fn rectangle(corner: Point, width: f64, height: f64, colour: Colour, letter: char) -> Self {
        let Point { x, y } = corner;
        let outline = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
        Self { outline: outline.map(|(x, y)| Point { x, y }).to_vec(), colour, letter, label: None }
    }

    /// The tile with its letter written at a place.
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

/// A picture: tiles from the one that lies lowest to the one on top, inside of a width and a height.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    pub tiles: Vec<Tile>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_hold_what_is_inside() {
        let tile = Tile::rectangle(Point::new(1.0, 1.0), 2.0, 1.0, Colour::RED, 'R');
        let held =
            [(2.0, 1.5), (0.5, 1.5), (3.5, 1.5), (2.0, 0.5), (2.0, 2.5)].map(|(x, y)| tile.holds(Point { x, y }));
        assert_eq!(held, [true, false, false, false, false]);
    }

    #[test]
    fn letters_are_dark_on_light_colours() {
        let light = [Colour::WHITE, Colour::YELLOW, Colour::ORANGE, Colour::SILVER, Colour::GOLD];
        let dark = [Colour::RED, Colour::GREEN, Colour::BLUE];
        assert!(light.into_iter().all(Colour::is_light) && !dark.into_iter().any(Colour::is_light));
    }
}
