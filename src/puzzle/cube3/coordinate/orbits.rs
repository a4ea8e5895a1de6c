//! Classes of numbered things under symmetries.

use crate::cube3::symmetry::Symmetry;

/// A class of things under symmetries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymmetryClass<T> {
    /// The member with the lowest number, which stands for the class.
    pub representative: T,
    /// The symmetries that keep the representative, a bit each.
    pub stabiliser: u64,
    size: u64,
}

impl<T> SymmetryClass<T> {
    /// Number of things in the class.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// The classes, in the order of their representatives, and where each thing belongs.
#[derive(Debug)]
pub struct SymmetryClasses<T> {
    classes: Vec<SymmetryClass<T>>,
    /// Per number: its class, and a symmetry that takes it to the representative.
    members: Vec<(u16, u8)>,
}

/// No class has this number.
const UNKNOWN: (u16, u8) = (u16::MAX, 0);

impl<T> SymmetryClasses<T> {
    /// The classes of `count` things, whose images under a group of symmetries `images` lists. `named` tells a thing by its number.
    pub(super) fn new<I>(count: usize, images: impl Fn(usize) -> I, named: impl Fn(usize) -> T) -> Self
    where
        I: Iterator<Item = (Symmetry, usize)>,
    {
        let mut members = vec![UNKNOWN; count];
        let mut classes = Vec::new();
        for number in 0..count {
            if members[number] != UNKNOWN {
                continue;
            }
            let (mut stabiliser, mut symmetries) = (0u64, 0);
            for (symmetry, image) in images(number) {
                if members[image] == UNKNOWN {
                    members[image] = (classes.len() as u16, symmetry.inverse().index() as u8);
                }
                stabiliser |= u64::from(image == number) << symmetry.index();
                symmetries += 1;
            }
            let size = symmetries / u64::from(stabiliser.count_ones());
            classes.push(SymmetryClass { representative: named(number), stabiliser, size });
        }
        Self { classes, members }
    }

    /// The classes, by number.
    pub fn classes(&self) -> &[SymmetryClass<T>] {
        &self.classes
    }

    /// The class of a thing, and a symmetry that takes it to the representative.
    #[inline]
    pub(super) fn member(&self, number: usize) -> (u16, Symmetry) {
        let (class, symmetry) = self.members[number];
        (class, Symmetry::from_index(symmetry.into()))
    }
}
