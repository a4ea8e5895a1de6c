//! The orders of four edges with their sixteen edge orientations, moved in registers: which kernel there is for them.

use crate::orientation::representation::OrientationSet4;
use twistbase_core::simd::{Gfni512, Words256};

use super::sources::{RowSources, SourceRow};
use super::{avx2, avx512};

/// Sets that are moved at once: 24 = 4!.
pub(super) const ORDERS: usize = 24;

/// Bit planes of a block.
pub(super) const PLANES: usize = 2;

/// Proof that the groups of a space are moved here: the lower half of their number is an order of four edges, blocks
/// have two planes, and this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub(super) enum OrderRegisters {
    /// As one register.
    Avx512(Gfni512),
    /// As two registers.
    Avx2(Words256),
}

impl OrderRegisters {
    /// The fastest for groups whose number's lower half has this number of values, with blocks of this number of planes.
    pub fn detect(lower: usize, planes: usize) -> Option<Self> {
        if (lower, planes) != (ORDERS, PLANES) {
            return None;
        }
        Gfni512::detect().map(Self::Avx512).or_else(|| Words256::detect().map(Self::Avx2))
    }

    /// Adds to the groups `found` of a row what some of its parts are next to by one move.
    #[inline]
    pub fn add_parts<const P: usize>(
        self,
        row: &RowSources<'_, OrientationSet4, P>,
        source: &SourceRow<'_, OrientationSet4, P>,
        parts: &[u16],
        found: &mut [OrientationSet4],
    ) {
        match self {
            Self::Avx512(instructions) => avx512::add_orders(instructions, row, source, parts, found),
            Self::Avx2(instructions) => avx2::add_orders(instructions, row, source, parts, found),
        }
    }
}

/// The planes of a block that are inverted, those for which the code's bit is 0: the first in the lower half.
pub(super) fn inverted_planes(code: u8) -> i32 {
    let inverted = [1, 2].map(|bit| if code & bit == 0 { u32::from(u16::MAX) } else { 0 });
    (inverted[0] | inverted[1] << 16) as i32
}
