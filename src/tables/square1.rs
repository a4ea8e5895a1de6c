//! Square-1: all sixteen pieces different.

use super::twists::{TwistTable, layout};
use super::{EndingTable, KnownWcaCounts, endings};
use twistbase_puzzle::square1::Colouring;
use twistbase_store::TableLayout;

/// All of Square-1: 90 shapes × 1260 classes of big pieces × 8! orders of small ones.
pub static TABLE: TwistTable = TwistTable {
    layout: TableLayout { name: "square1", id: 2, ..layout(1260) },
    colouring: Colouring::Square1,
    summary: "Square-1, every position",
    first_level: 0,
    expected: published!("square1"),
    with_middle: Some(published!("square1, with the middle layer")),
    not_identified: Some(published!("square1, with the middle layer, turned over")),
    wca: Some(KnownWcaCounts {
        twistable: published!("square1, wca, twistable"),
        blocked: published!("square1, wca, blocked"),
    }),
};

/// The distances to the position one twist from solved: 65 shapes up to the mirror × 20,160 classes of big pieces × 8! orders of small ones.
pub static ENDINGS: EndingTable = EndingTable {
    layout: TableLayout { name: "square1-endings", id: 4, ..endings::layout(65, 20160) },
    colouring: Colouring::Square1,
    summary: "twists to the position one twist from solved, for WCA's metric",
    expected: published!("square1-endings"),
};
