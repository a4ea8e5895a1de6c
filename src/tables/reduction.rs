//! How the states of a puzzle become the entries of a table: from all that can be assembled to what is stored, a step at a
//! time.

use serde::Serialize;

use super::{DefinedTable, Definition, Goal, Kind, Notation};
use twistbase_core::math::perm8::PERMUTATIONS;
use twistbase_definition::Orbit;
use twistbase_puzzle::cube3::coordinate::{
    CORNER_COSETS, CORNER_ORIENTATIONS, CornerClasses, CornerCosetClasses, EDGE_ORIENTATIONS, EoKind, EpKind,
    FlipSliceClasses, PhaseTwoPlace, SliceClasses, SliceKind,
};
use twistbase_puzzle::cube3::{CORNERS, EDGES};
use twistbase_puzzle::square1::{Colouring, Coordinate, EndingCoordinate, Piece, Shape};

/// A step from all states to entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReductionStep {
    /// How many there are after it.
    pub count: u128,
    /// The objects, and the reason for their number.
    pub what: String,
}

impl ReductionStep {
    fn new(count: u128, what: impl Into<String>) -> Self {
        Self { count, what: what.into() }
    }
}

/// The steps of a table; the last has as many as the table has entries.
pub fn reduction(table: Kind) -> Vec<ReductionStep> {
    match table {
        Kind::Twists(table) => {
            let coordinate = Coordinate::of(table.colouring());
            let mut steps = square1(table.colouring());
            let relabellings = coordinate.relabellings().into();
            divide(&mut steps, relabellings, "relabellings that keep solved solved do not change the distance");
            steps
        }
        Kind::Endings(table) => {
            let coordinate = EndingCoordinate::of(table.colouring());
            let mut steps = square1(table.colouring());
            let what =
                "relabellings that keep solved and the position before the last twist do not change the distance";
            divide(&mut steps, coordinate.relabellings().into(), what);
            let (rows, last) = (coordinate.rows(), steps.last().map_or(0, |step| step.count));
            if rows < Shape::COUNT {
                let what = format!("one shape of each mirrored pair: {rows} of {}", Shape::COUNT);
                steps.push(ReductionStep::new(last / Shape::COUNT as u128 * rows as u128, what));
            }
            steps
        }
        Kind::PhaseOne(_) => {
            let mut steps = cube3();
            cosets(&mut steps, "H", SliceKind::Places);
            let classes = FlipSliceClasses::get().classes().len();
            let what =
                format!("{classes} classes of flips and middle edges by {} × {CORNER_ORIENTATIONS} twists", AXIS);
            steps.push(ReductionStep::new((classes * CORNER_ORIENTATIONS) as u128, what));
            steps
        }
        Kind::Huge(_) => {
            let mut steps = cube3();
            cosets(&mut steps, "the positions in H whose middle edges are solved", SliceKind::Sorted);
            let classes = SliceClasses::get(SliceKind::Sorted).classes().len();
            let rest = EDGE_ORIENTATIONS * CORNER_ORIENTATIONS;
            let what = format!(
                "{classes} classes of middle edges by {AXIS} × {EDGE_ORIENTATIONS} flips × {CORNER_ORIENTATIONS} twists"
            );
            steps.push(ReductionStep::new((classes * rest) as u128, what));
            steps
        }
        Kind::PhaseTwo(table) => phase_two(table.is_exact()),
        Kind::Pruning(table) => match table.goal() {
            Goal::PruningSubgroup { eo, ep } => pruning(eo, ep, table.layout().entries()),
            // No other goal is a pruning table's.
            _ => Vec::new(),
        },
        Kind::Defined(table) if table.notation() == Notation::Cube2 => cube2(),
        Kind::Defined(table) => defined(table),
    }
}

/// By what classes of the cube are taken.
const AXIS: &str = "the 16 symmetries that keep the axis from U to D";

fn factorial(n: usize) -> u128 {
    (1..=n as u128).product()
}

/// Adds a step that divides the count.
fn divide(steps: &mut Vec<ReductionStep>, by: u128, what: &str) {
    if let Some(last) = steps.last().filter(|_| by > 1) {
        steps.push(ReductionStep::new(last.count / by, format!("÷ {by}: {what}")));
    }
}

/// The arrangements of the pieces of Square-1 in its shapes.
fn square1(colouring: Colouring) -> Vec<ReductionStep> {
    let orders = PERMUTATIONS as u128;
    let shapes = Shape::COUNT;
    let in_shapes = format!(
        "{shapes} shapes, up to turns and flips, × {orders} orders of the small pieces × {orders} of the big ones"
    );
    let mut steps = vec![
        ReductionStep::new(factorial(Piece::COUNT), "orders of the 16 pieces in a row: 16!"),
        ReductionStep::new(shapes as u128 * orders * orders, in_shapes),
    ];
    let pieces = || (0..Piece::COUNT as u8).filter_map(Piece::new);
    let alike = |kind: Piece| pieces().filter(|&piece| colouring.kind(piece) == kind).count();
    let by = pieces().filter(|&piece| colouring.kind(piece) == piece).map(|kind| factorial(alike(kind))).product();
    divide(&mut steps, by, "small pieces that look alike are interchangeable");
    steps
}

/// The positions of the cube.
fn cube3() -> Vec<ReductionStep> {
    let (corner_twists, edge_flips) = (3_u128.pow(CORNERS as u32), 2_u128.pow(EDGES as u32));
    let assemblies = factorial(CORNERS) * corner_twists * factorial(EDGES) * edge_flips;
    let mut steps = vec![ReductionStep::new(assemblies, "ways to assemble the cube: 8! × 3^8 × 12! × 2^12")];
    let what = "positions of the cube: twists add up to whole turns (3), flips to pairs (2), and corners are exchanged as \
                often as edges (2)";
    divide(&mut steps, 3 * 2 * 2, what);
    steps
}

/// Adds the cosets of a subgroup that differ in edge and corner orientations and the middle edges.
fn cosets(steps: &mut Vec<ReductionStep>, of: &str, slice: SliceKind) {
    let (flips, twists, slices) = (EDGE_ORIENTATIONS, CORNER_ORIENTATIONS, slice.count());
    let what = format!("cosets of {of}: {flips} flips × {twists} twists × {slices} placements of the middle edges");
    steps.push(ReductionStep::new((flips * twists * slices) as u128, what));
}

fn phase_two(is_exact: bool) -> Vec<ReductionStep> {
    let (orders, classes) = (PERMUTATIONS as u128, CornerClasses::get().classes().len());
    let mut steps = cube3();
    let of_middle = if is_exact { factorial(4) } else { 1 };
    if is_exact {
        let what = "arrangements in H: 8! of the corners × 8! of the U and D edges × 4! of the middle edges";
        steps.push(ReductionStep::new(orders * orders * of_middle, what));
        divide(&mut steps, 2, "positions in H: corners are exchanged as often as edges");
    } else {
        let what = "positions in H without the middle edges: 8! of the corners × 8! of the U and D edges";
        steps.push(ReductionStep::new(orders * orders, what));
    }
    let middles = if is_exact { PhaseTwoPlace::MIDDLES as u128 } else { 1 };
    let of_middle = if is_exact { format!(" × {middles} of the middle edges") } else { String::new() };
    let what = format!("{classes} classes of corners by {AXIS} × {orders} of the U and D edges{of_middle}");
    steps.push(ReductionStep::new(classes as u128 * orders * middles, what));
    steps
}

fn pruning(eo: EoKind, ep: EpKind, entries: u64) -> Vec<ReductionStep> {
    let (slices, flips, orders) = (SliceKind::Places.count(), eo.count(), ep.count());
    let of_edges = (slices * flips * orders) as u128;
    let rest = format!("{slices} placements of the middle edges × {flips} flips × {orders} orders of edges");
    let classes = CornerCosetClasses::get().classes().len();
    let mut steps = cube3();
    steps.push(ReductionStep::new(
        CORNER_COSETS as u128 * of_edges,
        format!("cosets of its subgroup: {CORNER_COSETS} of the corners × {rest}"),
    ));
    steps.push(ReductionStep::new(
        classes as u128 * of_edges,
        format!("{classes} classes of corners by {AXIS} × {rest}"),
    ));
    let (used, slots) = (super::BLOCK_ENTRIES, super::BLOCK_SLOTS);
    let what = format!("entries with padding: {used} placements and their minimum take a block of {slots}");
    steps.push(ReductionStep::new(entries.into(), what));
    steps
}

fn cube2() -> Vec<ReductionStep> {
    let assemblies = factorial(CORNERS) * 3_u128.pow(CORNERS as u32);
    let mut steps = vec![ReductionStep::new(assemblies, "ways to assemble the cube: 8! × 3^8")];
    divide(&mut steps, 3, "twists add up to whole turns");
    divide(&mut steps, 24, "positions, the cube held in one way: corner DBL in its place");
    steps
}

/// The arrangements and orientations of the pieces of a definition, and what the space leaves of them.
fn defined(table: &DefinedTable) -> Vec<ReductionStep> {
    let definition = table.definition();
    let power = |base: usize, exponent: usize| (0..exponent).fold(1u128, |all, _| all.saturating_mul(base as u128));
    let of_orbit = |orbit: &Orbit| {
        let orders = (1..=orbit.pieces as u128).fold(1u128, |all, number| all.saturating_mul(number));
        orders.saturating_mul(power(orbit.orientations, orbit.pieces))
    };
    let assemblies = definition.orbits.iter().map(of_orbit).fold(1u128, u128::saturating_mul);
    let orbits = definition.orbits.iter().map(|Orbit { pieces, orientations, .. }| match orientations {
        1 => format!("{pieces}!"),
        _ => format!("{pieces}! × {orientations}^{pieces}"),
    });
    let all = format!("ways to assemble the puzzle: {}", orbits.collect::<Vec<_>>().join(" × "));
    let layout = table.layout();
    let entries = format!(
        "arrangements and orientations that moves reach, orbit by orbit: {} rows × {}",
        layout.rows,
        layout.row_entries()
    );
    vec![ReductionStep::new(assemblies, all), ReductionStep::new(layout.entries().into(), entries)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all;

    #[test]
    fn the_last_step_is_the_entries_of_the_table() {
        for table in all() {
            let (steps, name) = (reduction(table.kind()), table.layout().name);
            assert!(steps.len() > 1, "{name}");
            assert_eq!(steps.last().map(|step| step.count), Some(table.layout().entries().into()), "{name}: {steps:?}");
            let is_room = |step: &ReductionStep| step.what.starts_with("entries with padding");
            let are_falling = steps.windows(2).all(|pair| is_room(&pair[1]) || pair[0].count > pair[1].count);
            assert!(are_falling, "{name}: {steps:?}");
        }
    }

    #[test]
    fn the_positions_of_the_cube_s_tables_are_a_step() {
        for table in all().iter().filter(|table| table.puzzle() == "cube3") {
            let steps = reduction(table.kind());
            assert!(steps.iter().any(|step| step.count == table.positions().into()), "{}", table.layout().name);
        }
    }

    #[test]
    fn known_numbers_come_out() {
        let counts = |name| reduction(crate::find(name).unwrap().kind()).into_iter().map(|step| step.count);
        let cube21: Vec<u128> = counts("cube21").collect();
        assert_eq!(cube21, [20_922_789_888_000, 146_313_216_000, 9_144_576_000, 1_143_072_000]);
        assert_eq!(counts("phase1").nth(1), Some(43_252_003_274_489_856_000));
        assert_eq!(counts("phase2-exact").nth(3), Some(19_508_428_800));
    }
}
