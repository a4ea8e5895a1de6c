//! Searching the cosets that `phase1` and `huge` hold: corner orientations, edge orientations, and the middle edges'
//! places or order.
//!
//! Rows are classes of the middle edges under the 16 symmetries that keep the axis, parts of rows are corner
//! orientations, and words are edge orientations.

use std::collections::HashMap;

use super::generated::{sum, weighed};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_levelset::{
    KnownOrientations, MovableOrientations, Options, OrientationLevels, OrientationMoves, OrientationSeed,
    OrientationSet12, OrientationShape, OrientationSource, OrientationSpace, PartMove, generate_orientations,
};
use twistbase_puzzle::cube3::coordinate::{
    CORNER_ORIENTATIONS, FlipSliceClasses, SliceClass, SliceClasses, SliceKind, corner_orientation, edge_orientation,
    moved_corner_orientations,
};
use twistbase_puzzle::cube3::{Cube, Metric, Move};
use twistbase_store::RowLevels;

/// Searches all cosets, with the middle edges distinguished as `kind` says.
pub(super) fn search_slice_cosets<const P: usize>(
    kind: SliceKind,
    metric: Metric,
    known: Option<KnownOrientations<'_, OrientationSet12, P>>,
    depth: Option<u8>,
    options: &Options,
    ctx: &Context,
) -> Result<OrientationLevels<OrientationSet12, P>> {
    let classes = SliceClasses::get(kind);
    let solved = classes.of(kind.rank(Cube::SOLVED.edges())).0;
    let part = corner_orientation(&Cube::SOLVED).into();
    let seed = OrientationSeed { row: solved.into(), part, group: 0, orientations: edge_orientation(&Cube::SOLVED) };
    generate_orientations(&slice_coset_space(kind, metric), &[seed], known, depth, options.memory, ctx)
}

/// The size of the space of cosets.
pub(super) fn slice_coset_shape(kind: SliceKind, metric: Metric) -> OrientationShape {
    let rows = SliceClasses::get(kind).classes().len();
    OrientationShape { rows, parts: CORNER_ORIENTATIONS, groups: 1, moves: metric.moves().count(), gathered: 0 }
}

/// The moves between cosets.
fn slice_coset_space(kind: SliceKind, metric: Metric) -> OrientationSpace<OrientationSet12> {
    let classes = SliceClasses::get(kind);
    let mut corner_orientations = HashMap::new();
    let mut numbers = HashMap::new();
    let mut parts = Vec::new();
    let mut edge_orientations = Vec::new();
    let rows = classes.classes().iter().map(|class| {
        let position = Cube { ep: kind.edges(class.representative), ..Cube::SOLVED };
        let source = |turn: Move| {
            let moved = position.turned(turn);
            let (row, symmetry) = classes.of(kind.rank(moved.edges()));
            let (corner_orientations, map) = corner_orientations.entry((turn, symmetry)).or_insert_with(|| {
                let (turned, back) = (turn.cube(), symmetry.inverse().motion());
                edge_orientations
                    .push(OrientationSet12::map(&back.edges().map(|place| turned.edges()[usize::from(place)])));
                let images = FlipSliceClasses::get().corner_orientations(symmetry);
                let moved = moved_corner_orientations(turn)
                    .iter()
                    .map(|&corner_orientation| images[usize::from(corner_orientation)]);
                (moved.collect::<Vec<u16>>(), edge_orientations.len() as u16 - 1)
            });
            let turned = symmetry
                .of(&moved)
                .edge_orientations()
                .iter()
                .rev()
                .fold(0, |bits, &edge_orientation| bits << 1 | u16::from(edge_orientation));
            let number = *numbers.entry((turn, symmetry, turned)).or_insert_with(|| {
                let part = |&part: &u16| PartMove { part, turned, orientations: *map, ..PartMove::default() };
                parts.push(corner_orientations.iter().map(part).collect());
                parts.len() as u32 - 1
            });
            OrientationSource { row: row.into(), parts: number }
        };
        metric.moves().map(source).collect()
    });
    let rows = rows.collect();
    OrientationSpace::new(
        CORNER_ORIENTATIONS,
        0,
        OrientationMoves { parts, orientations: edge_orientations, outer: Vec::new(), inner: Vec::new() },
        rows,
    )
}

/// Positions by level of a space of cosets.
pub(super) fn slice_coset_distribution<const P: usize>(
    kind: SliceKind,
    levels: &OrientationLevels<OrientationSet12, P>,
) -> Vec<u64> {
    let classes = SliceClasses::get(kind).classes().iter().enumerate();
    sum(classes.map(|(row, class)| weighed_row(levels, row, class).positions))
}

pub(super) fn weighed_row<const P: usize>(
    levels: &OrientationLevels<OrientationSet12, P>,
    row: usize,
    class: &SliceClass,
) -> RowLevels {
    weighed(levels.counts(row), |entries| entries * class.size())
}
