//! Sets of classes of edge orientations and middle edges' places.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::cube3::coordinate::{AxisClasses, CosetOfH, Crossings, FlipSliceClasses};

/// Bytes of a set: a bit for each class.
pub(super) const BYTES: usize = FlipSliceClasses::COUNT.div_ceil(8);

/// A set of classes: a bit for each, the lowest bit of a byte first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverClasses(Vec<u8>);

impl CoverClasses {
    /// The set with these bytes; `None` if they are of no set of classes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let unused = BYTES * 8 - FlipSliceClasses::COUNT;
        let is_set = bytes.len() == BYTES && u32::from(bytes[BYTES - 1]).leading_zeros() as usize - 24 >= unused;
        is_set.then(|| Self(bytes.to_vec()))
    }

    pub(super) fn of_bytes(bytes: &[u8; BYTES]) -> Self {
        Self(bytes.to_vec())
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    #[doc(hidden)]
    pub fn of_bools(classes: &[bool]) -> Self {
        let byte = |eight: &[bool]| (0..).zip(eight).fold(0, |byte, (bit, &is_in)| byte | u8::from(is_in) << bit);
        Self(classes.chunks(8).map(byte).collect())
    }

    #[doc(hidden)]
    pub fn to_bools(&self) -> Vec<bool> {
        (0..FlipSliceClasses::COUNT as u16).map(|class| self.has(class)).collect()
    }

    pub(super) fn has(&self, class: u16) -> bool {
        self.0[usize::from(class) / 8] >> (class % 8) & 1 == 1
    }

    /// Their identity: the first 16 digits of the BLAKE3 hash of its bytes.
    pub fn identity(&self) -> String {
        identity(&self.0)
    }

    /// Number of its classes.
    pub fn count(&self) -> usize {
        self.0.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    /// Number of cosets of its classes, each class with all its corner orientations.
    pub fn cosets(&self) -> u64 {
        let costs = (0u16..).zip(class_costs()).filter(|&(class, _)| self.has(class));
        costs.map(|(_, &cost)| u64::from(cost)).sum()
    }

    /// The cover without classes that it can do without, the dearest left out first.
    #[doc(hidden)]
    pub fn thinned_out(mut self) -> Self {
        let mut missed = self.missed();
        let mut classes: Vec<u16> = (0..FlipSliceClasses::COUNT as u16).filter(|&class| self.has(class)).collect();
        classes.sort_by_key(|&class| std::cmp::Reverse(class_costs()[usize::from(class)]));
        for class in classes {
            let lost = self.met_by_alone(class);
            let is_needed = |crossings: &Crossings| {
                let inverse = crossings.inverse();
                missed.contains(&inverse) || lost.contains(&inverse)
            };
            if !lost.iter().any(is_needed) {
                self.0[usize::from(class) / 8] &= !(1 << (class % 8));
                missed.extend(lost);
            }
        }
        self
    }

    /// The crossings with which some edges have a class along the axes and no other of the set.
    pub(super) fn met_by_alone(&self, class: u16) -> HashSet<Crossings> {
        let axes = AxisClasses::get();
        let is_alone =
            |&number: &usize| axes.others(class, number).into_iter().all(|other| other == class || !self.has(other));
        (0..AxisClasses::ARRANGEMENTS).filter(is_alone).map(|number| axes.crossings(class, number)).collect()
    }

    /// Whether every position, or its inverse, has one of the classes along some axis.
    pub fn is_cover(&self) -> bool {
        let missed = self.missed();
        missed.iter().all(|crossings| !missed.contains(&crossings.inverse()))
    }

    /// The crossings with which some edges have none of the classes along any axis. Every position is the image of one whose
    /// class along the first axis is its own representative, so it is enough to go through the classes and the
    /// arrangements of the other edges.
    pub(crate) fn missed(&self) -> HashSet<Crossings> {
        let axes = AxisClasses::get();
        let is_met = |class, number| axes.others(class, number).into_iter().any(|other| self.has(other));
        let others = (0..FlipSliceClasses::COUNT as u16).filter(|&class| !self.has(class));
        let all = others.flat_map(|class| (0..AxisClasses::ARRANGEMENTS).map(move |number| (class, number)));
        all.filter(|&(class, number)| !is_met(class, number))
            .map(|(class, number)| axes.crossings(class, number))
            .collect()
    }
}

/// The first 16 digits of the BLAKE3 hash of a set's bytes.
pub(super) fn identity(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// Per class the number of its cosets: of its corner orientations up to what the class's symmetries make of them.
pub fn class_costs() -> &'static [u16] {
    static COSTS: LazyLock<Vec<u16>> = LazyLock::new(|| {
        // Classes with the same symmetries have the same corner orientations.
        let mut known = std::collections::HashMap::new();
        let classes = FlipSliceClasses::get().classes().iter();
        classes
            .map(|class| {
                *known.entry(class.stabiliser).or_insert_with(|| CosetOfH::corner_orientations(class).count() as u16)
            })
            .collect()
    });
    &COSTS
}
