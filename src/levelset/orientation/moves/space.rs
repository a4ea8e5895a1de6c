//! Spaces whose words are sets of edge orientations.

use super::movable::MovableOrientations;
use crate::orientation::representation::{OrientationPlanes, OrientationShape};

/// What a move does to a part: the state (part, group, f) of its row is reached from the state (`part`, moved group, f
/// moved by `orientations` and flipped where `turned` says) of the row that the move comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartMove {
    /// The part it comes from.
    pub part: u16,
    /// The places that are flipped, one bit each.
    pub turned: u16,
    /// How orientations move: a number of [`OrientationMoves::orientations`].
    pub orientations: u16,
    /// How the lower half of a group's number moves: a number of [`OrientationMoves::inner`].
    pub inner: u16,
    /// How the upper half moves: a number of [`OrientationMoves::outer`].
    pub outer: u32,
}

/// What moves do, and the maps that this refers to.
pub struct OrientationMoves<S: MovableOrientations> {
    /// What moves do, by part.
    pub parts: Vec<Box<[PartMove]>>,
    /// How orientations move.
    pub orientations: Vec<S::Map>,
    /// By the upper half of a group's number, the one it comes from.
    pub outer: Vec<Box<[u16]>>,
    /// By the lower half of a group's number, the one it comes from.
    pub inner: Vec<Box<[u16]>>,
}

/// One move into a row.
pub struct OrientationSource {
    /// The row it comes from.
    pub row: u32,
    /// What it does: a number of [`OrientationMoves::parts`].
    pub parts: u32,
}

/// A space of rows × parts × groups × edge orientations, with the moves into each row. The number of a group has two
/// halves, each of which moves by itself.
///
/// As for [`Space`](crate::Space), the moves must come in inverse pairs, and the seeds must be closed under
/// whatever symmetry makes two states of a row one position.
pub struct OrientationSpace<S: MovableOrientations> {
    shape: OrientationShape,
    moves: OrientationMoves<S>,
    rows: Vec<Vec<OrientationSource>>,
}

impl<S: MovableOrientations> OrientationMoves<S> {
    /// Values of the upper and of the lower half of a group's number.
    ///
    /// # Panics
    /// If maps of one half differ in size, or lead out of it.
    fn group_halves(&self) -> [usize; 2] {
        [&self.outer, &self.inner].map(|maps| {
            let len = maps.first().map_or(1, |map| map.len());
            assert!(maps.iter().all(|map| map.len() == len && map.iter().all(|&from| usize::from(from) < len)));
            len
        })
    }

    /// Whether a move of a part refers to what exists.
    fn has(&self, part: &PartMove, shape: &OrientationShape) -> bool {
        let has_groups = (part.outer as usize) < self.outer.len() && usize::from(part.inner) < self.inner.len();
        usize::from(part.part) < shape.parts
            && usize::from(part.orientations) < self.orientations.len()
            && (shape.groups == 1 || has_groups)
    }
}

impl<S: MovableOrientations> OrientationSpace<S> {
    /// A space of `rows.len()` rows, with the moves into each row.
    ///
    /// # Panics
    /// If a move names what does not exist.
    pub fn new(parts: usize, gathered: usize, moves: OrientationMoves<S>, rows: Vec<Vec<OrientationSource>>) -> Self {
        let [outer, inner] = moves.group_halves();
        let shape = OrientationShape {
            rows: rows.len(),
            parts,
            groups: outer * inner,
            moves: rows.iter().map(Vec::len).max().unwrap_or(0),
            gathered,
        };
        let exists = |all: &[PartMove]| all.len() == parts && all.iter().all(|part| moves.has(part, &shape));
        assert!(moves.parts.iter().all(|all| exists(all)));
        for source in rows.iter().flatten() {
            assert!((source.row as usize) < rows.len() && (source.parts as usize) < moves.parts.len());
        }
        Self { shape, moves, rows }
    }

    /// Its size.
    pub fn shape(&self) -> &OrientationShape {
        &self.shape
    }

    /// Bytes of what the moves do.
    pub(crate) fn bytes(&self) -> u64 {
        let parts: usize = self.moves.parts.iter().map(|parts| size_of_val(&**parts)).sum();
        parts as u64
    }

    /// What the moves do.
    pub(crate) fn moves(&self) -> &OrientationMoves<S> {
        &self.moves
    }

    /// The moves into a row.
    pub(crate) fn sources(&self, row: usize) -> &[OrientationSource] {
        &self.rows[row]
    }

    /// What a move does, by part.
    pub(crate) fn part_moves(&self, source: &OrientationSource) -> &[PartMove] {
        &self.moves.parts[source.parts as usize]
    }

    /// The orientations of a block with that code, moved.
    #[inline(always)]
    pub(crate) fn moved<const P: usize>(&self, block: &OrientationPlanes<S, P>, part: &PartMove, code: u8) -> S {
        block.of(code).moved(&self.moves.orientations[usize::from(part.orientations)], part.turned)
    }

    /// Values of the lower half of a group's number.
    pub(crate) fn lower_groups(&self) -> usize {
        self.moves.inner.first().map_or(1, |map| map.len())
    }

    /// The groups that those of a part come from: by the upper half of the number, and by the lower one.
    #[inline(always)]
    pub(crate) fn group_sources(&self, part: &PartMove) -> (&[u16], &[u16]) {
        (&self.moves.outer[part.outer as usize], &self.moves.inner[usize::from(part.inner)])
    }

    /// Brings the groups `from` into the order in which a part gets them; their orientations are not moved yet.
    #[inline(always)]
    pub(crate) fn collect<const P: usize>(
        &self,
        to: &mut [OrientationPlanes<S, P>],
        from: &[OrientationPlanes<S, P>],
        part: &PartMove,
    ) {
        let (outer, inner) = self.group_sources(part);
        for (to, &outer) in to.chunks_exact_mut(inner.len()).zip(outer) {
            let from = &from[usize::from(outer) * inner.len()..][..inner.len()];
            to.iter_mut().zip(inner).for_each(|(to, &inner)| *to = from[usize::from(inner)]);
        }
    }
}
