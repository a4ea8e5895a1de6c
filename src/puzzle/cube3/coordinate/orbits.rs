//! Numbers that symmetries take to each other.

use crate::cube3::symmetry::Symmetry;

/// A number that is in no class yet.
const UNKNOWN: (u16, u8) = (u16::MAX, 0);

/// A class of numbers.
pub(super) struct Orbit {
    /// The lowest of them, which stands for the class.
    pub representative: usize,
    /// The symmetries that keep it, a bit each: the lowest 16 those that keep the axis.
    pub stabiliser: u64,
}

/// Sorts the numbers below `count` into classes, the lowest representative first; `images` gives where symmetries, a group of
/// them, take a number. Returns the classes, and per number its class and a symmetry that takes it to the representative.
pub(super) fn orbits<I: Iterator<Item = (Symmetry, usize)>>(
    count: usize,
    images: impl Fn(usize) -> I,
) -> (Vec<Orbit>, Vec<(u16, u8)>) {
    let mut members = vec![UNKNOWN; count];
    let mut classes = Vec::new();
    for representative in 0..count {
        if members[representative] != UNKNOWN {
            continue;
        }
        let mut stabiliser = 0;
        for (symmetry, image) in images(representative) {
            if members[image] == UNKNOWN {
                members[image] = (classes.len() as u16, symmetry.inverse().index() as u8);
            }
            stabiliser |= u64::from(image == representative) << symmetry.index();
        }
        classes.push(Orbit { representative, stabiliser });
    }
    (classes, members)
}
