//! The size of a space, and how the sets of a row are laid out: the planes of its blocks, then the least levels.

use super::planes::OrientationPlanes;
use super::set::OrientationSet;

/// Bit planes of a least level.
pub(crate) const LEAST_PLANES: usize = 4;

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
    /// How many successive parts share a least level for each group and orientation; 0 without least levels.
    pub gathered: usize,
}

impl OrientationShape {
    /// Blocks of a row: parts × groups.
    pub(crate) const fn blocks(&self) -> usize {
        self.parts * self.groups
    }

    /// Sets of a row with `planes` bit planes: these, and four for each least level.
    pub(crate) const fn row_sets(&self, planes: usize) -> usize {
        let gatherings = if self.gathered == 0 { 0 } else { self.parts.div_ceil(self.gathered) };
        self.blocks() * planes + gatherings * self.groups * LEAST_PLANES
    }

    /// The blocks of a row.
    pub(crate) fn blocks_of<'a, S: OrientationSet, const P: usize>(
        &self,
        row: &'a [S],
    ) -> &'a [OrientationPlanes<S, P>] {
        bytemuck::cast_slice(&row[..self.blocks() * P])
    }

    /// The blocks of a row, and its least levels.
    pub(crate) fn split_mut<'a, S: OrientationSet, const P: usize>(
        &self,
        row: &'a mut [S],
    ) -> (&'a mut [OrientationPlanes<S, P>], &'a mut [S]) {
        let (blocks, least) = row.split_at_mut(self.blocks() * P);
        (bytemuck::cast_slice_mut(blocks), least)
    }

    /// Where the least level of a group in one gathering of parts is in a row with `planes` bit planes.
    #[inline]
    pub(crate) const fn least_at(&self, planes: usize, gathering: usize, group: usize) -> usize {
        self.blocks() * planes + (gathering * self.groups + group) * LEAST_PLANES
    }
}
