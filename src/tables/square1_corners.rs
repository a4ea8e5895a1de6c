//! Square-1 with its small pieces all alike: a small table of its own, and a lower bound for Square-1.

use super::twists::{TwistTable, layout};
use super::{EndingTable, endings};
use twistbase_puzzle::square1::Colouring;
use twistbase_store::TableLayout;

/// The corners of Square-1: 90 shapes × 8! orders of big pieces.
pub static TABLE: TwistTable = TwistTable {
    layout: TableLayout { name: "square1-corners", id: 3, ..layout(1) },
    colouring: Colouring::Corners,
    summary: "Square-1 with all edges alike: shape and corners",
    first_level: 0,
    expected: published!("square1-corners"),
    with_middle: None,
    not_identified: None,
    wca: None,
};

/// The distances to the position one twist from solved: 90 shapes × 8! orders of big pieces.
pub static ENDINGS: EndingTable = EndingTable {
    layout: TableLayout { name: "square1-corners-endings", id: 6, ..endings::layout(90, 1) },
    colouring: Colouring::Corners,
    summary: "twists to the position one twist from solved, for WCA's metric",
    expected: published!("square1-corners-endings"),
};
