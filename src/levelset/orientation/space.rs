//! Spaces whose words are sets of edge orientations.

use super::set::{OrientationPlanes, OrientationSet};

/// What a move does to a part: the state (part, group, f) of its row is reached from the state (`part`, moved group, f
/// moved by `orientations` and turned over by `turned`) of the row that the move comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartMove {
    /// The part it comes from.
    pub part: u16,
    /// What is turned over.
    pub turned: u16,
    /// How the edge orientations move: a number of [`OrientationMoves::orientations`].
    pub orientations: u16,
    /// How the lower half of a group's number moves: a number of [`OrientationMoves::inner`].
    pub inner: u16,
    /// How the upper half moves: a number of [`OrientationMoves::outer`].
    pub outer: u32,
}

/// What a move does to a part, with the part's number; and what makes the move ready.
pub type PartOrigin<'a, S> = ((&'a PartMove, usize), &'a <S as OrientationSet>::Ready);

/// What moves do, and what that refers to.
pub struct OrientationMoves<S: OrientationSet> {
    /// What moves do, by part.
    pub parts: Vec<Box<[PartMove]>>,
    /// How edge orientations move.
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
/// halves, which move each for itself.
///
/// As for [`Space`](crate::levelset::Space), the moves must come in inverse pairs, and the seeds must be closed under
/// whatever symmetry makes two states of a row one position.
pub struct OrientationSpace<S: OrientationSet> {
    shape: OrientationShape,
    moves: OrientationMoves<S>,
    /// The moves made ready, by the same numbers as [`OrientationMoves::parts`].
    ready: Vec<S::Ready>,
    rows: Vec<Vec<OrientationSource>>,
}

/// The size of a space of edge orientations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrientationShape {
    /// Rows.
    pub rows: usize,
    /// Parts of a row.
    pub parts: usize,
    /// Groups of a part.
    pub groups: usize,
    /// Moves into a row, at most.
    pub moves: usize,
    /// How many parts, in order, share a least level for each group and edge orientations; 0 if nothing asks for that.
    pub gathered: usize,
}

impl OrientationShape {
    /// Blocks of a row: parts × groups.
    pub(super) const fn blocks(&self) -> usize {
        self.parts * self.groups
    }

    /// Sets of a row with `planes` bit planes: these, and four for each least level.
    pub(super) const fn row_sets(&self, planes: usize) -> usize {
        let least = if self.gathered == 0 { 0 } else { self.parts.div_ceil(self.gathered) * self.groups * 4 };
        self.blocks() * planes + least
    }
}

impl<S: OrientationSet> OrientationSpace<S> {
    /// A space of `rows.len()` rows, with the moves into each row.
    ///
    /// # Panics
    /// If a move names what does not exist.
    pub fn new(parts: usize, gathered: usize, moves: OrientationMoves<S>, rows: Vec<Vec<OrientationSource>>) -> Self {
        let [outer, inner] = [&moves.outer, &moves.inner].map(|maps| maps.first().map_or(1, |map| map.len()));
        for (maps, len) in [(&moves.outer, outer), (&moves.inner, inner)] {
            assert!(maps.iter().all(|map| map.len() == len && map.iter().all(|&from| usize::from(from) < len)));
        }
        let shape = OrientationShape {
            rows: rows.len(),
            parts,
            groups: outer * inner,
            moves: rows.iter().map(Vec::len).max().unwrap_or(0),
            gathered,
        };
        let exists = |part: &PartMove| {
            usize::from(part.part) < parts
                && usize::from(part.orientations) < moves.orientations.len()
                && (shape.groups == 1
                    || ((part.outer as usize) < moves.outer.len() && usize::from(part.inner) < moves.inner.len()))
        };
        assert!(moves.parts.iter().all(|all| all.len() == parts && all.iter().all(exists)));
        for source in rows.iter().flatten() {
            assert!((source.row as usize) < rows.len() && (source.parts as usize) < moves.parts.len());
        }
        let ready = S::ready(&moves.parts, &moves.orientations);
        Self { shape, moves, ready, rows }
    }

    /// Its size.
    pub fn shape(&self) -> &OrientationShape {
        &self.shape
    }

    /// The moves into a row.
    pub(super) fn sources(&self, row: usize) -> &[OrientationSource] {
        &self.rows[row]
    }

    /// What a move does, by part; and made ready.
    pub(super) fn parts(&self, source: &OrientationSource) -> (&[PartMove], &S::Ready) {
        (&self.moves.parts[source.parts as usize], &self.ready[source.parts as usize])
    }

    /// The edge orientations of a block with that code, moved.
    #[inline(always)]
    pub(super) fn moved<const P: usize>(&self, block: &OrientationPlanes<S, P>, part: &PartMove, code: u8) -> S {
        block.of(code).moved(&self.moves.orientations[usize::from(part.orientations)], part.turned)
    }

    /// Values of the lower half of a group's number.
    pub(super) fn lower_groups(&self) -> usize {
        self.moves.inner.first().map_or(1, |map| map.len())
    }

    /// Which groups a part gets: by the upper half of its number, and by the lower one.
    #[inline(always)]
    pub(super) fn orders(&self, part: &PartMove) -> (&[u16], &[u16]) {
        (&self.moves.outer[part.outer as usize], &self.moves.inner[usize::from(part.inner)])
    }

    /// The groups of a part in the order in which it gets them from the groups `from`, their edge orientations not
    /// moved yet.
    #[inline(always)]
    pub(super) fn collect<const P: usize>(
        &self,
        to: &mut [OrientationPlanes<S, P>],
        from: &[OrientationPlanes<S, P>],
        part: &PartMove,
    ) {
        let (outer, inner) = self.orders(part);
        for (to, &outer) in to.chunks_exact_mut(inner.len()).zip(outer) {
            let from = &from[usize::from(outer) * inner.len()..][..inner.len()];
            to.iter_mut().zip(inner).for_each(|(to, &inner)| *to = from[usize::from(inner)]);
        }
    }

    /// Adds to the groups `near` of a part every state whose source in the groups `from` has that code.
    #[inline(always)]
    pub(super) fn add_moved<const P: usize>(
        &self,
        near: &mut [S],
        from: &[OrientationPlanes<S, P>],
        origin: PartOrigin<'_, S>,
        code: u8,
    ) {
        if let ([near], [from]) = (&mut *near, from) {
            return self.add_groups(std::slice::from_mut(near), std::slice::from_ref(from), &[0], origin, code);
        }
        let (outer, inner) = self.orders(origin.0.0);
        for (near, &outer) in near.chunks_exact_mut(inner.len()).zip(outer) {
            self.add_groups(near, &from[usize::from(outer) * inner.len()..][..inner.len()], inner, origin, code);
        }
    }

    /// The same of groups with one upper half of their number: group `i` gets what group `inner[i]` has.
    #[inline(always)]
    fn add_groups<const P: usize>(
        &self,
        near: &mut [S],
        from: &[OrientationPlanes<S, P>],
        inner: &[u16],
        origin: PartOrigin<'_, S>,
        code: u8,
    ) {
        if !S::add_ready(near, from, inner, origin, code) {
            for (near, &inner) in near.iter_mut().zip(inner) {
                near.add(&self.moved(&from[usize::from(inner)], origin.0.0, code));
            }
        }
    }
}
