//! The bounds of a position along the axes.

use super::{AXES, LOOK_UPS};

/// Six lower bounds: of a position seen along each axis, then of its inverse; 0 for what has not been looked up.
///
/// A byte each of one number, so that all are compared at once. Bounds are at most 127.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bounds(u64);

/// A one in each of the six bytes.
const ONES: u64 = 0x0101_0101_0101;
/// The highest bit of each byte, and those of one side.
const HIGH: u64 = 0x80 * ONES;
const HIGH_OF_SIDE: u64 = 0x80_8080;

impl Bounds {
    pub fn of(bounds: [u8; LOOK_UPS]) -> Self {
        (0..).zip(bounds).fold(Self::default(), |all, (look_up, bound)| all.with(look_up, bound))
    }

    /// The bound of a look-up.
    #[inline(always)]
    pub fn get(self, look_up: usize) -> u8 {
        (self.0 >> (8 * look_up)) as u8
    }

    /// With the bound of a look-up that had none.
    #[inline(always)]
    #[must_use]
    pub fn with(self, look_up: usize, bound: u8) -> Self {
        Self(self.0 | u64::from(bound) << (8 * look_up))
    }

    /// The highest bit of each byte that is at least `least`, 1 to 128.
    #[inline(always)]
    fn at_least(self, least: u8) -> u64 {
        (self.0 + (0x80 - u64::from(least)) * ONES) & HIGH
    }

    /// The axes along which the position, or with `inverse` its inverse, has a bound of at least `left`: a bit each.
    #[inline(always)]
    pub fn axes_at_least(self, inverse: bool, left: u8) -> u32 {
        let side = self.at_least(left) >> (8 * AXES * usize::from(inverse));
        (side >> 7 & 1 | side >> 14 & 2 | side >> 21 & 4) as u32
    }

    /// Whether these rule out that this number of moves, at least 1, are enough: one is greater, or those along all axes are
    /// equal, so that no first or no last move is left.
    #[inline(always)]
    pub fn are_hopeless(self, left: u8) -> bool {
        let equal = !self.at_least(left);
        let side = |side: usize| equal >> (8 * AXES * side) & HIGH_OF_SIDE == 0;
        self.at_least(left + 1) != 0 || side(0) || side(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn bytes_are_compared_as_numbers() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..20_000 {
            let left = rng.random_range(1..20u8);
            let bounds: [u8; LOOK_UPS] = std::array::from_fn(|_| rng.random_range(left.saturating_sub(2)..=left + 1));
            let bounds = bounds.map(|bound| if rng.random_bool(0.1) { 0 } else { bound.min(left + 1) });
            let all = Bounds::of(bounds);
            assert_eq!(std::array::from_fn(|look_up| all.get(look_up)), bounds);
            let (position, inverse) = bounds.split_at(AXES);
            for (side, is_inverse) in [(position, false), (inverse, true)] {
                let axes = (0..AXES).filter(|&axis| side[axis] >= left).fold(0, |mask, axis| mask | 1 << axis);
                assert_eq!(all.axes_at_least(is_inverse, left), axes, "{bounds:?} {left}");
            }
            let ruled_out = bounds.iter().any(|&bound| bound > left)
                || [position, inverse].iter().any(|side| side.iter().all(|&bound| bound == left));
            assert_eq!(all.are_hopeless(left), ruled_out, "{bounds:?} {left}");
        }
    }
}
