//! Colours, and which colour a face has.

use std::fmt;

use serde::{Serialize, Serializer};

/// A colour of 8 bits a channel: red, green, blue. As text `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Where nothing is distinguished.
    pub const GREY: Self = Self(0x8C, 0x8C, 0x8C);
    /// The body behind stickers.
    pub const BODY: Self = Self(0x1A, 0x1A, 0x1A);

    /// The same colour, darker by an eighth.
    #[must_use]
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

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(red, green, blue) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Colours that are distinguished by people who see no difference between red and green, and white (Okabe and Ito, 2008).
const OKABE_ITO: [Colour; 8] = [
    Colour(0xFF, 0xFF, 0xFF),
    Colour(0xD5, 0x5E, 0x00),
    Colour(0x00, 0x9E, 0x73),
    Colour(0xF0, 0xE4, 0x42),
    Colour(0xCC, 0x79, 0xA7),
    Colour(0x00, 0x72, 0xB2),
    Colour(0x56, 0xB4, 0xE9),
    Colour(0xE6, 0x9F, 0x00),
];

const WHITE: Colour = Colour(0xF2, 0xF2, 0xF2);
const RED: Colour = Colour(0xC8, 0x1E, 0x2B);
const GREEN: Colour = Colour(0x14, 0x9A, 0x46);
const YELLOW: Colour = Colour(0xFF, 0xD8, 0x1A);
const ORANGE: Colour = Colour(0xFF, 0x7F, 0x11);
const BLUE: Colour = Colour(0x1B, 0x52, 0xC4);
const PURPLE: Colour = Colour(0x7A, 0x2E, 0xA8);

/// The colours of a puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourScheme {
    /// Those that competitions prescribe: white opposite yellow, red opposite orange, green opposite blue.
    #[default]
    Wca,
    /// Colours that are distinguished by people who see no difference between red and green (Okabe and Ito, 2008).
    ColourBlind,
}

impl ColourScheme {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Wca, Self::ColourBlind];

    /// Its name: `wca` or `colour-blind`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wca => "wca",
            Self::ColourBlind => "colour-blind",
        }
    }

    /// The colours of the faces of a cube, in the order U, R, F, D, L, B.
    pub const fn cube(self) -> [Colour; 6] {
        match self {
            Self::Wca => [WHITE, RED, GREEN, YELLOW, ORANGE, BLUE],
            Self::ColourBlind => {
                let [white, vermilion, green, yellow, purple, blue, ..] = OKABE_ITO;
                [white, vermilion, green, yellow, purple, blue]
            }
        }
    }

    /// The colour of a letter of facelets: U, R, F, D, L or B.
    pub fn of_letter(self, letter: char) -> Option<Colour> {
        "URFDLB".find(letter).map(|face| self.cube()[face])
    }

    /// The colours of the faces of a Platonic solid, by their names: as cubers know the pyraminx, the cube, the FTO and the megaminx.
    /// Where no names are usual, the colours of a list, and then the same darker.
    pub fn of_faces(self, names: &[&str]) -> Vec<Colour> {
        const PYRAMINX: [(&str, Colour); 4] = [("F", GREEN), ("D", YELLOW), ("BL", RED), ("BR", BLUE)];
        const FTO: [(&str, Colour); 8] = [
            ("U", WHITE),
            ("F", RED),
            ("R", GREEN),
            ("L", PURPLE),
            ("D", YELLOW),
            ("B", BLUE),
            ("BL", ORANGE),
            ("BR", Colour::GREY),
        ];
        const MEGAMINX: [(&str, Colour); 12] = [
            ("U", WHITE),
            ("F", GREEN),
            ("R", RED),
            ("BR", BLUE),
            ("BL", YELLOW),
            ("L", PURPLE),
            ("D", Colour::GREY),
            ("B", Colour(0x8B, 0xE0, 0x50)),
            ("DL", ORANGE),
            ("FL", Colour(0x7F, 0xD0, 0xF5)),
            ("FR", Colour(0xF3, 0xE6, 0xB0)),
            ("DR", Colour(0xF5, 0x9A, 0xC0)),
        ];
        let usual: &[(&str, Colour)] = match names.len() {
            4 => &PYRAMINX,
            8 => &FTO,
            _ => &MEGAMINX,
        };
        let usual_colours: Vec<Colour> = usual.iter().map(|(_, colour)| *colour).collect();
        let colour = |(number, name): (usize, &&str)| {
            let of_cube = || name.chars().next().and_then(|letter| self.of_letter(letter));
            let of_name = || usual.iter().find(|(of, _)| of == name).map(|(_, colour)| *colour);
            let list = if self == Self::Wca { &usual_colours[..] } else { &OKABE_ITO };
            let of_number = || {
                let colour = list[number % list.len()];
                (0..4 * (number / list.len())).fold(colour, |colour, _| colour.shaded())
            };
            match (names.len(), self) {
                (6, _) => of_cube(),
                (4 | 8 | 12, Self::Wca) => of_name(),
                _ => None,
            }
            .unwrap_or_else(of_number)
        };
        names.iter().enumerate().map(colour).collect()
    }

    /// The two colours of Cube21: above and below.
    pub const fn cube21(self) -> [Colour; 2] {
        match self {
            Self::Wca => [Colour(0xC4, 0xCB, 0xD2), Colour(0xD0, 0x9A, 0x22)],
            Self::ColourBlind => [Colour(0xBB, 0xC8, 0xD4), Colour(0xE6, 0x9F, 0x00)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_dark_on_light_colours() {
        let [white, red, green, yellow, orange, blue] = ColourScheme::Wca.cube();
        let light = [white, yellow, orange].into_iter().chain(ColourScheme::Wca.cube21());
        assert!(light.into_iter().all(Colour::is_light));
        assert!(![red, green, blue].into_iter().any(Colour::is_light));
    }

    #[test]
    fn colours_are_written_as_stylesheets_do() {
        assert_eq!(Colour(0, 10, 255).to_string(), "#000aff");
    }
}
