//! The orders in which facelets are written.

use std::fmt;

use super::HeldCube;
use crate::cube3::{Centres, Face};
use twistbase_core::error::Problem;

/// The order in which the facelets of a cube were written: its number in `ORDERS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FaceletOrder(u8);

/// The order that is read first, and those of other programs and pages.
const ORDERS: [&str; 11] =
    ["URFDLB", "ULFRBD", "UFRBLD", "ULBRFD", "UFDBLR", "UDLRFB", "UDFBLR", "FRBLUD", "FBLRUD", "LFRBUD", NET];
/// A net: of its middle four faces the rows stand side by side.
const NET: &str = "U LFRB D";

impl FaceletOrder {
    /// The order U R F D L B, as Herbert Kociemba's programs write.
    pub const USUAL: Self = Self(0);

    /// Whether it is that one.
    pub const fn is_usual(self) -> bool {
        self.0 == 0
    }

    /// It, unless it is that one.
    pub fn unusual(self) -> Option<Self> {
        (!self.is_usual()).then_some(self)
    }

    fn faces(self) -> &'static str {
        ORDERS[usize::from(self.0)]
    }

    /// Things that are written in this order, in the order U R F D L B: of each face as many.
    fn sorted<T: Clone>(self, written: &[T]) -> Vec<T> {
        let (of_face, faces) = (written.len() / Face::ALL.len(), self.faces());
        let row = of_face.isqrt();
        let at = |face: Face, facelet: usize| match (face, faces) {
            (Face::U, NET) => facelet,
            (Face::D, NET) => 5 * of_face + facelet,
            (_, NET) => {
                let column = "LFRB".find(face.letter()).expect("a face of the middle");
                of_face + (facelet / row * 4 + column) * row + facelet % row
            }
            _ => faces.find(face.letter()).expect("every face") * of_face + facelet,
        };
        let sorted = Face::ALL.into_iter().flat_map(|face| (0..of_face).map(move |facelet| at(face, facelet)));
        sorted.map(|at| written[at].clone()).collect()
    }

    /// The cube that `read` makes of what is written in other orders, if it is the same in all orders that give one, or solved in
    /// any: few write a cube that only looks solved. Symmetric cubes fit several orders; the one with white up and green in front is
    /// preferred.
    ///
    /// # Errors
    /// If no order gives a cube, `problems`: those of the usual order. If several give different ones, that.
    pub(crate) fn only<S: Clone, P: PartialEq + Copy>(
        written: &[S],
        problems: Vec<Problem>,
        solved: P,
        read: impl Fn(Vec<S>) -> Option<HeldCube<P>>,
    ) -> Result<HeldCube<P>, Vec<Problem>> {
        let orders = (1..ORDERS.len() as u8).map(Self);
        let found = orders.filter_map(|order| Some(HeldCube { order, ..read(order.sorted(written))? }));
        let mut found: Vec<HeldCube<P>> = found.collect();
        if found.iter().any(|held| held.position == solved) {
            found.retain(|held| held.position == solved);
        }
        let first = found.iter().find(|held| held.centres == Centres::USUAL).or(found.first()).ok_or(problems)?;
        if found.iter().any(|other| other.position != first.position) {
            let message = "the facelets fit several orders of the faces, each with another cube; write them in the order \
                           U R F D L B";
            return Err(vec![Problem { code: "ambiguous-order", message: message.to_owned(), at: None }]);
        }
        Ok(*first)
    }
}

impl fmt::Display for FaceletOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.faces() {
            NET => f.write_str("U, the rows of L F R B side by side, D"),
            faces => f.write_str(&faces.chars().map(String::from).collect::<Vec<_>>().join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_every_face_once() {
        for order in (0..ORDERS.len() as u8).map(FaceletOrder) {
            for size in [24, 54] {
                let written: Vec<usize> = (0..size).collect();
                let mut sorted = order.sorted(&written);
                sorted.sort_unstable();
                assert_eq!(sorted, written, "{order}");
            }
        }
        assert_eq!(FaceletOrder::default().to_string(), "U R F D L B");
    }

    #[test]
    fn of_several_cubes_only_the_solved_one_is_taken() {
        let written: Vec<usize> = (0..54).collect();
        // Cubes that are distinguished by one sticker.
        let only = |solved| FaceletOrder::only(&written, Vec::new(), solved, |sorted| Some(HeldCube::from(sorted[9])));
        assert_eq!(only(54).unwrap_err()[0].code, "ambiguous-order");
        // In the order U F D B L R this is the first sticker of R.
        let found = only(45).unwrap();
        assert_eq!((found.position, found.order.to_string().as_str()), (45, "U F D B L R"));
        let none = FaceletOrder::only(&written, Vec::new(), 0, |_| None);
        assert_eq!(none, Err(Vec::new()));
    }

    #[test]
    fn rows_of_a_net_are_sorted() {
        let net = FaceletOrder(ORDERS.len() as u8 - 1);
        let written: Vec<char> = "UUUU LLFFRRBB llffrrbb DDDD".replace(' ', "").chars().collect();
        assert_eq!(net.sorted(&written).into_iter().collect::<String>(), "UUUURRrrFFffDDDDLLllBBbb");
    }
}
