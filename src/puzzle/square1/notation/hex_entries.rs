//! The positions of many entries of a row in hexadecimal digits, without making a position of each.

use super::hex;
use crate::square1::coordinate::Coordinate;
use crate::square1::{Piece, Place, Position, Shape};
use twistbase_core::math::perm8::PERMUTATIONS;

/// Characters of a position: sixteen digits and the dash between the layers.
pub const HEX_LENGTH: usize = 17;

/// Writes what [`hex::print`] writes of [`Coordinate::position`], for places of one row.
///
/// All positions of a row have their slots in the same places of the text, and all of a class the same outer pieces
/// there, so that of each position only the eight inner pieces are written.
#[derive(Debug, Clone)]
pub struct HexEntries {
    coordinate: &'static Coordinate,
    row: u32,
    /// Where the outer and the inner pieces stand in the text, by slot.
    outer: [u8; 8],
    inner: [u8; 8],
    class: Option<u32>,
    text: [u8; HEX_LENGTH],
}

impl HexEntries {
    /// For the entries of a row; `None` if there is no such row.
    pub fn new(coordinate: &'static Coordinate, row: u32) -> Option<Self> {
        let shape = Shape::new(u8::try_from(row).ok()?)?;
        let labelled = hex::print(&Position::with_pieces_in_order(shape))?;
        let mut places = [[0; 8]; 2];
        for (at, digit) in (0..).zip(labelled.chars()) {
            if let Some(piece) = Piece::from_hex_digit(digit) {
                places[usize::from(piece.is_big())][usize::from(piece.rank())] = at;
            }
        }
        let [small, big] = places;
        let (&outer, &inner) = coordinate.split(&big, &small);
        // The dash is in its place already.
        let text = labelled.into_bytes().try_into().ok()?;
        Some(Self { coordinate, row, outer, inner, class: None, text })
    }

    /// The position at an entry; `None` if the row has none of that number.
    #[inline]
    pub fn text(&mut self, entry: u32) -> Option<&str> {
        let (class, rank) = (entry / PERMUTATIONS as u32, entry % PERMUTATIONS as u32);
        if self.class != Some(class) {
            self.begin_class(class)?;
        }
        let digits = &self.coordinate.inner_digits()[rank as usize];
        for (&at, &digit) in self.inner.iter().zip(digits) {
            self.text[usize::from(at)] = digit;
        }
        std::str::from_utf8(&self.text).ok()
    }

    #[cold]
    fn begin_class(&mut self, class: u32) -> Option<()> {
        let position = self.coordinate.position(Place { row: self.row, entry: class * PERMUTATIONS as u32 })?;
        let text = hex::print(&position)?;
        for &at in &self.outer {
            self.text[usize::from(at)] = text.as_bytes()[usize::from(at)];
        }
        self.class = Some(class);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square1::Colouring;

    #[test]
    fn the_texts_are_those_of_the_positions() {
        for colouring in Colouring::ALL {
            let coordinate = Coordinate::of(colouring);
            for row in 0..Shape::COUNT as u32 {
                let mut entries = HexEntries::new(coordinate, row).unwrap();
                for entry in (0..coordinate.entries()).step_by(104_729).chain([coordinate.entries() - 1, 1]) {
                    let position = coordinate.position(Place { row, entry }).unwrap();
                    assert_eq!(
                        entries.text(entry).map(str::to_owned),
                        hex::print(&position),
                        "row {row}, entry {entry}"
                    );
                }
                assert_eq!(entries.text(coordinate.entries()), None);
            }
            assert!(HexEntries::new(coordinate, 90).is_none());
        }
    }
}
