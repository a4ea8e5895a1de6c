//! Square-1 with its small pieces all alike: a small table of its own, and a lower bound for Square-1.

use super::twists::{TwistTable, layout};
use super::{Distribution, EndingTable, endings};
use twistbase_puzzle::square1::Colouring;
use twistbase_store::TableLayout;

/// The corners of Square-1: 90 shapes × 8! orders of big pieces.
pub static TABLE: TwistTable = TwistTable {
    layout: TableLayout { name: "square1-corners", id: 3, ..layout(1) },
    colouring: Colouring::Corners,
    summary: "Square-1 with all edges alike: shape and corners",
    first_level: 0,
    expected: Distribution {
        positions: &[1, 24, 260, 2_337, 20_452, 162_520, 965_994, 1_486_536, 64_576],
        source: "breadth-first search over positions as arrays, in twistbase's tests",
    },
    with_middle: None,
    not_identified: None,
    wca: None,
};

/// The distances to the position one twist from solved: 90 shapes × 8! orders of big pieces.
pub static ENDINGS: EndingTable = EndingTable {
    layout: TableLayout { name: "square1-corners-endings", id: 6, ..endings::layout(90, 1) },
    colouring: Colouring::Corners,
    summary: "twists to the position one twist from solved, for WCA's metric",
    expected: Distribution {
        positions: &[1, 8, 108, 1_259, 13_618, 136_812, 893_486, 1_575_338, 82_070],
        source: "twistbase, 2026: `prove square1-corners --metric wca`",
    },
};
