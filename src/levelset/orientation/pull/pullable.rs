//! Sets that the search pulls.

use crate::orientation::moves::{MovableOrientations, OrientationMoves, OrientationSpace};
use crate::orientation::representation::{OrientationPlanes, OrientationSet4, OrientationSet8, OrientationSet12};

#[cfg(target_arch = "x86_64")]
use super::avx512::RegisterMoves;
use super::lanes::{self, LaneMoves};
use super::portable;
use super::sources::{PartSource, PullTask, RowSources};

/// A set of edge orientations that the search pulls, by the kernel for its size and for this processor.
pub trait PullableOrientations: MovableOrientations {
    /// What a move does to all parts, prepared for the kernel.
    #[doc(hidden)]
    type Prepared: Send + Sync;

    /// Blocks that one task pulls.
    #[doc(hidden)]
    const TASK_BLOCKS: usize = 512;

    /// Whether [`PullableOrientations::pull`] leaves the sets of parts where it finds nothing empty; otherwise they may
    /// be anything.
    #[doc(hidden)]
    const LEAVES_EMPTY: bool = false;

    /// Prepares all moves.
    #[doc(hidden)]
    fn prepare(moves: &OrientationMoves<Self>) -> Vec<Self::Prepared>;

    /// Finds what some parts of a row are next to: part by part, unless sets are so small that many are moved at once.
    #[doc(hidden)]
    #[inline(always)]
    fn pull<const P: usize>(task: PullTask<'_, Self, P>) {
        portable::pull_part_by_part(task);
    }

    /// Adds to group `i` of `near` what group `inner[i]` of `from` has of the row's code, moved as the part is.
    #[doc(hidden)]
    #[inline(always)]
    fn add_groups<const P: usize>(
        row: &RowSources<'_, Self, P>,
        source: &PartSource<'_, Self, P>,
        (from, inner): (&[OrientationPlanes<Self, P>], &[u16]),
        near: &mut [Self],
    ) {
        portable::add_groups(row, source.part, (from, inner), near);
    }
}

/// A space with its moves prepared.
pub struct PreparedSpace<'a, S: PullableOrientations> {
    pub(crate) space: &'a OrientationSpace<S>,
    /// By the numbers of [`OrientationMoves::parts`].
    pub(super) moves: Vec<S::Prepared>,
}

impl<'a, S: PullableOrientations> PreparedSpace<'a, S> {
    /// Prepares the moves of a space.
    pub(crate) fn new(space: &'a OrientationSpace<S>) -> Self {
        Self { space, moves: S::prepare(space.moves()) }
    }
}

impl PullableOrientations for OrientationSet4 {
    type Prepared = LaneMoves;
    /// All of a row.
    const TASK_BLOCKS: usize = usize::MAX;
    const LEAVES_EMPTY: bool = true;

    fn prepare(moves: &OrientationMoves<Self>) -> Vec<LaneMoves> {
        moves.parts.iter().map(|parts| LaneMoves::new(parts, &moves.orientations)).collect()
    }

    #[inline(always)]
    fn pull<const P: usize>(task: PullTask<'_, Self, P>) {
        lanes::pull(task);
    }
}

macro_rules! pulled_in_registers {
    ($set:ident) => {
        #[cfg(target_arch = "x86_64")]
        impl PullableOrientations for $set {
            type Prepared = RegisterMoves;

            fn prepare(moves: &OrientationMoves<Self>) -> Vec<RegisterMoves> {
                RegisterMoves::prepare(moves)
            }

            #[inline(always)]
            fn add_groups<const P: usize>(
                row: &RowSources<'_, Self, P>,
                source: &PartSource<'_, Self, P>,
                groups: (&[OrientationPlanes<Self, P>], &[u16]),
                near: &mut [Self],
            ) {
                if !source.prepared.add(groups, (source.part, source.number), row.code, near) {
                    portable::add_groups(row, source.part, groups, near);
                }
            }
        }

        #[cfg(not(target_arch = "x86_64"))]
        impl PullableOrientations for $set {
            type Prepared = ();

            fn prepare(moves: &OrientationMoves<Self>) -> Vec<()> {
                vec![(); moves.parts.len()]
            }
        }
    };
}

pulled_in_registers! { OrientationSet8 }
pulled_in_registers! { OrientationSet12 }
