//! The tables of the Square-1 family: of each colouring the distances to solved, and to the position one twist from it.

use super::{Distribution, EndingTable, KnownWcaCounts, TwistTable};
use crate::published::published;
use twistbase_puzzle::square1::Colouring;

/// All of Square-1: 90 shapes × 1260 classes of big pieces × 8! orders of small ones.
pub(super) static SQUARE1: TwistTable = TwistTable {
    with_middle: Some(published("square1, with the middle layer")),
    not_identified: Some(published("square1, with the middle layer, turned over")),
    wca: Some(wca(published("square1, wca, twistable"), published("square1, wca, blocked"))),
    ..TwistTable::new(Colouring::Square1, 2, 1260, "Square-1, every position", published("square1"))
};

/// All of Cube21: 90 shapes × 315 classes of small pieces × 8! orders of big ones.
pub(super) static CUBE21: TwistTable = TwistTable {
    with_middle: Some(published("cube21, with the middle layer")),
    wca: Some(wca(published("cube21, wca, twistable"), published("cube21, wca, blocked"))),
    ..TwistTable::new(Colouring::Cube21, 1, 315, "Cube21 (two-coloured Square-1), every position", published("cube21"))
};

/// 90 shapes × 8! orders of the big pieces.
pub(super) static CORNERS: TwistTable = TwistTable::new(
    Colouring::Corners,
    3,
    1,
    "Square-1 with all edges alike: shape and corners",
    published("square1-corners"),
);

/// 65 shapes up to mirrors × 20160 classes of big pieces × 8! orders of small ones.
pub(super) static SQUARE1_ENDINGS: EndingTable =
    EndingTable::new(Colouring::Square1, ("square1-endings", 4), [65, 20160], published("square1-endings"));

/// 90 shapes × 1260 classes of small pieces × 8! orders of big ones.
pub(super) static CUBE21_ENDINGS: EndingTable =
    EndingTable::new(Colouring::Cube21, ("cube21-endings", 5), [90, 1260], published("cube21-endings"));

/// 90 shapes × 8! orders of the big pieces.
pub(super) static CORNERS_ENDINGS: EndingTable =
    EndingTable::new(Colouring::Corners, ("square1-corners-endings", 6), [90, 1], published("square1-corners-endings"));

const fn wca(twistable: Distribution, blocked: Distribution) -> KnownWcaCounts {
    KnownWcaCounts { twistable, blocked }
}
