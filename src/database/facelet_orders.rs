//! The orders of the faces in many texts: a front notes those that may surprise.

use std::fmt;

use crate::position::PuzzlePosition;
use crate::puzzle_info::{CUBE2, CUBE3};
use twistbase_puzzle::cube3::notation::FaceletOrder;

/// The facelets of the smallest cube. A shorter text has no facelets.
const LEAST_FACELETS: usize = 24;

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
    pub fn of<'a>(puzzle: &str, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let read = match puzzle {
            CUBE3 => PuzzlePosition::read_cube3,
            CUBE2 => PuzzlePosition::read_cube2,
            _ => return Self::default(),
        };
        let mut orders = Self::default();
        for text in texts.into_iter().filter(|text| may_be_reordered(text)) {
            if let Some(order) = read(text).ok().and_then(|position| position.order()) {
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

/// Whether to read a text for its order. Reading takes longer than this check, and a batch has millions of texts: most are sequences,
/// or 54 letters with the centres U R F D L B.
fn may_be_reordered(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_usual = bytes.len() == 54 && bytes.iter().skip(4).step_by(9).eq(b"URFDLB");
    bytes.len() >= LEAST_FACELETS && !is_usual && !bytes.contains(&b'\'')
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
            let whole = FaceletOrders::of(puzzle, texts);
            assert_eq!(notes(&whole), expected, "{puzzle}");
            let mut parts = FaceletOrders::of(puzzle, texts[..3].iter().copied());
            parts.append(FaceletOrders::of(puzzle, texts[3..].iter().copied()));
            assert_eq!(parts, whole, "{puzzle}");
            assert_eq!(notes(&FaceletOrders::of("square1", texts)), [""; 0]);
        }
    }
}
