//! The rows that a row is pulled from, and the tasks in which that is done.

use crate::orientation::moves::{OrientationSource, OrientationSpace, PartMove};
use crate::orientation::representation::{Frontier, OrientationPlanes, PartSet};
use crate::row_store::RowStore;
use twistbase_core::simd::VectorWork;

use super::pullable::{PreparedSpace, PullableOrientations};

/// A row, and the rows to pull its states from.
pub struct RowSources<'a, S: PullableOrientations, const P: usize> {
    pub(super) space: &'a OrientationSpace<S>,
    /// The row's own blocks.
    pub(super) own: &'a [OrientationPlanes<S, P>],
    pub(super) sources: Vec<SourceRow<'a, S, P>>,
    /// The code of the states to pull.
    pub(super) code: u8,
}

/// A row to pull from.
pub(super) struct SourceRow<'a, S: PullableOrientations, const P: usize> {
    /// What the move from there does, by part.
    pub(super) parts: &'a [PartMove],
    /// The same, prepared for the kernel.
    pub(super) prepared: &'a S::Prepared,
    pub(super) blocks: &'a [OrientationPlanes<S, P>],
    /// The parts that have states to pull.
    pub(super) last: PartSet<'a>,
}

/// What a part is pulled from by one move.
pub struct PartSource<'a, S: PullableOrientations, const P: usize> {
    /// The part that is pulled into.
    pub(super) number: usize,
    /// What the move does to it.
    pub(super) part: &'a PartMove,
    /// What the move does to all parts, prepared for the kernel.
    pub(super) prepared: &'a S::Prepared,
    /// The groups of the part that it comes from.
    pub(super) groups: &'a [OrientationPlanes<S, P>],
}

impl<'a, S: PullableOrientations, const P: usize> RowSources<'a, S, P> {
    /// The live sources of a row, for the states of that code.
    pub(crate) fn new(
        prepared: &'a PreparedSpace<'a, S>,
        row: usize,
        rows: &'a RowStore<S>,
        frontier: &'a Frontier,
        code: u8,
    ) -> Self {
        let space = prepared.space;
        let blocks = |row: usize| space.shape().blocks_of(rows.row(row));
        let live = space.sources(row).iter().filter(|source| frontier.live[source.row as usize]);
        let sources = live.map(|source| {
            let row = source.row as usize;
            (source, blocks(row), frontier.parts.row(row))
        });
        Self::over(prepared, blocks(row), sources, code)
    }

    /// The same for a row with these blocks. Of each row that a move leads from: the move, the blocks, and the parts that have states
    /// of that code.
    pub(crate) fn over(
        prepared: &'a PreparedSpace<'a, S>,
        own: &'a [OrientationPlanes<S, P>],
        sources: impl Iterator<Item = (&'a OrientationSource, &'a [OrientationPlanes<S, P>], PartSet<'a>)>,
        code: u8,
    ) -> Self {
        let space = prepared.space;
        let source = |(source, blocks, last): (&'a OrientationSource, _, _)| SourceRow {
            parts: space.part_moves(source),
            prepared: &prepared.moves[source.parts as usize],
            blocks,
            last,
        };
        Self { space, own, sources: sources.map(source).collect(), code }
    }

    /// The sources of a part that have states to pull.
    #[inline(always)]
    pub(super) fn of_part(&self, number: usize) -> impl Iterator<Item = PartSource<'_, S, P>> {
        let groups = self.space.shape().groups;
        self.sources.iter().filter_map(move |source| {
            let part = &source.parts[number];
            let at = usize::from(part.part);
            source.last.has(at).then(|| {
                let groups = &source.blocks[at * groups..][..groups];
                PartSource { number, part, prepared: source.prepared, groups }
            })
        })
    }
}

/// Some parts of a row, to be pulled.
pub struct PullTask<'a, S: PullableOrientations, const P: usize> {
    pub(crate) row: &'a RowSources<'a, S, P>,
    /// The first of the parts.
    pub(crate) first: usize,
    /// Groups of a part.
    pub(crate) groups: usize,
    /// What is found, and how many states of it in each part.
    pub(crate) found: &'a mut [S],
    pub(crate) fresh: &'a mut [u32],
}

impl<S: PullableOrientations, const P: usize> VectorWork for PullTask<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        S::pull(self);
    }
}

/// Keeps of what was found in a part what has not been reached before; returns how many states that are.
#[inline(always)]
pub(super) fn keep_unreached<S: PullableOrientations, const P: usize>(
    near: &mut [S],
    own: &[OrientationPlanes<S, P>],
) -> u32 {
    let mut count = 0;
    for (near, own) in near.iter_mut().zip(own) {
        *near = near.and(&own.unreached());
        count += near.count();
    }
    count
}
