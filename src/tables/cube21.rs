//! Cube21: big pieces all different, small pieces of four kinds, two of each.

use super::twists::{TwistTable, layout};
use super::{EndingTable, KnownWcaCounts, endings};
use twistbase_puzzle::square1::Colouring;
use twistbase_store::TableLayout;

/// The complete level database of Cube21: 90 shapes × 315 classes of small pieces × 8! orders of big ones.
pub static TABLE: TwistTable = TwistTable {
    layout: TableLayout { name: "cube21", id: 1, ..layout(315) },
    colouring: Colouring::Cube21,
    summary: "Cube21 (two-coloured Square-1), every position",
    first_level: 1,
    expected: published!("cube21"),
    with_middle: Some(published!("cube21, with the middle layer")),
    not_identified: None,
    wca: Some(KnownWcaCounts {
        twistable: published!("cube21, wca, twistable"),
        blocked: published!("cube21, wca, blocked"),
    }),
};

/// The distances to the position one twist from solved: 90 shapes × 1260 classes of small pieces × 8! orders of big ones.
pub static ENDINGS: EndingTable = EndingTable {
    layout: TableLayout { name: "cube21-endings", id: 5, ..endings::layout(90, 1260) },
    colouring: Colouring::Cube21,
    summary: "twists to the position one twist from solved, for WCA's metric",
    expected: published!("cube21-endings"),
};
