//! The orders of the faces in many texts: a front notes those that may surprise.

use std::fmt;

use arrayvec::ArrayVec;

use crate::position::PuzzlePosition;
use crate::puzzle_info::{CUBE2, CUBE3};
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::notation::FaceletOrder;
use twistbase_puzzle::{cube2, cube3};

/// The facelets of the smaller cube, and of the larger. A shorter text has no facelets.
const LEAST_FACELETS: usize = 24;
const MOST_FACELETS: usize = 54;

/// The orders other than U R F D L B in which facelets were read, with their texts. It prints as one line per order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaceletOrders(Vec<OrderedTexts>);

/// The texts in one order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OrderedTexts {
    order: FaceletOrder,
    first: String,
    /// The number of texts after the first.
    more: u64,
}

impl FaceletOrders {
    /// The orders in texts, read as positions of a puzzle. Skips texts that are no position.
    pub fn of(puzzle: &str, texts: &[&str]) -> Self {
        let order: fn(&str) -> Option<FaceletOrder> = match puzzle {
            CUBE3 => {
                |text| order(text, PuzzlePosition::read_cube3, |array| cube3::notation::array::read(array).is_ok())
            }
            CUBE2 => {
                |text| order(text, PuzzlePosition::read_cube2, |array| cube2::notation::array::read(array).is_ok())
            }
            _ => return Self::default(),
        };
        let mut orders = Self::default();
        for &text in texts {
            if let Some(order) = order(text) {
                orders.add(OrderedTexts { order, first: text.to_owned(), more: 0 });
            }
        }
        orders
    }

    /// Adds the orders of later texts.
    pub fn append(&mut self, later: Self) {
        later.0.into_iter().for_each(|texts| self.add(texts));
    }

    fn add(&mut self, texts: OrderedTexts) {
        match self.0.iter_mut().find(|known| known.order == texts.order) {
            Some(known) => known.more += 1 + texts.more,
            None => self.0.push(texts),
        }
    }

    /// Notes for a person, one per order.
    pub fn notes(&self) -> impl Iterator<Item = impl fmt::Display> {
        self.0.iter()
    }
}

impl fmt::Display for OrderedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { order, first, more } = self;
        write!(f, "facelets read in the order {order}: {first}")?;
        if *more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

/// The order of the facelets in a text, if it is not the usual one. A batch has millions of texts: sequences, and the letters U R F D L B
/// of a cube in the usual order. `is_usual` reads the latter much faster than `read`.
fn order(
    text: &str,
    read: impl FnOnce(&str) -> Result<PuzzlePosition>,
    is_usual: impl FnOnce(&[u8]) -> bool,
) -> Option<FaceletOrder> {
    let bytes = text.as_bytes();
    if bytes.len() < LEAST_FACELETS || bytes.contains(&b'\'') {
        return None;
    }
    let face = |letter: &u8| b"URFDLB".iter().position(|face| face == letter).map(|face| face as u8);
    let array: Option<ArrayVec<u8, MOST_FACELETS>> =
        (bytes.len() <= MOST_FACELETS).then(|| bytes.iter().map(face).collect()).flatten();
    if array.is_some_and(|array| is_usual(&array)) {
        return None;
    }
    read(text).ok()?.order()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Facelets with their faces in another order.
    fn reordered(facelets: &str, order: &str) -> String {
        let of_face = facelets.len() / 6;
        order.chars().map(|face| &facelets[of_face * "URFDLB".find(face).unwrap()..][..of_face]).collect()
    }

    #[test]
    fn each_order_is_noted_with_its_first_text() {
        for (puzzle, read) in
            [("cube3", PuzzlePosition::read_cube3 as fn(&str) -> _), ("cube2", PuzzlePosition::read_cube2)]
        {
            let facelets = |moves| read(moves).unwrap().to_string();
            let usual = facelets("R U2 F' L D B2 R' U");
            let texts = [
                reordered(&usual, "ULFRBD"),
                "R U2 F' L D B2 R' U R U2 F' L D B2 R' U".to_owned(),
                usual.clone(),
                reordered(&usual, "FRBLUD"),
                "no position, but long enough".to_owned(),
                reordered(&facelets("L U F B2 R D2"), "ULFRBD"),
            ];
            let texts = texts.each_ref().map(String::as_str);
            let notes = |orders: &FaceletOrders| orders.notes().map(|note| note.to_string()).collect::<Vec<_>>();
            let expected = [
                format!("facelets read in the order U L F R B D: {} and 1 more", texts[0]),
                format!("facelets read in the order F R B L U D: {}", texts[3]),
            ];
            let whole = FaceletOrders::of(puzzle, &texts);
            assert_eq!(notes(&whole), expected, "{puzzle}");
            let mut parts = FaceletOrders::of(puzzle, &texts[..3]);
            parts.append(FaceletOrders::of(puzzle, &texts[3..]));
            assert_eq!(parts, whole, "{puzzle}");
            assert_eq!(notes(&FaceletOrders::of("square1", &texts)), [""; 0]);
        }
    }
}
