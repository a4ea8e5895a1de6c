//! A position's edges along the three axes.
//!
//! H goes with the axis from U to D. Turned about the corner URF, a position is in a coset of H for each of the three
//! axes, and of each its edges give the class of edge orientations and middle edges' places. These three classes follow
//! from one of them and from which of the other edges belong between L and R and which between F and B: in 70 ways.

use std::sync::LazyLock;

use super::crossings::{Crossings, layer};
use super::edge_cosets::{LAYER_MASKS, LAYERS};
use super::phase_one::{
    EDGE_ORIENTATIONS, FlipSliceClasses, SliceClasses, SliceKind, edge_orientation, edge_orientation_images,
    set_edge_orientation,
};
use crate::cube3::cube::{Cube, EDGES};
use crate::cube3::symmetry::{AXIS_SYMMETRIES, Symmetry};
use twistbase_core::math::perm8::is_odd;

/// Edges of each [layer].
const LAYERS_BETWEEN: [[u8; 4]; 3] = [[0, 2, 4, 6], [1, 3, 5, 7], [8, 9, 10, 11]];

/// The turns by 120° and 240° about the corner URF.
fn other_axes() -> [Symmetry; 2] {
    [1, 2].map(|turns| Symmetry::from_index(AXIS_SYMMETRIES * turns))
}

/// What an arrangement of the edges looks like along another axis: what is added to the edge orientations, and the
/// number of the middle edges' places.
type Seen = (u16, u16);

/// The classes along the other axes, by that along the first and by the arrangement of the other edges.
pub struct AxisClasses {
    classes: &'static FlipSliceClasses,
    /// Per axis: where its turn takes edge orientations, less what it adds to none.
    images: [[u16; EDGE_ORIENTATIONS]; 2],
    /// Per class of the middle edges' places and per arrangement.
    seen: Vec<[[Seen; 2]; LAYERS]>,
    /// Likewise: the layer that the edge in each place belongs in.
    layers: Vec<[[u8; EDGES]; LAYERS]>,
}

impl AxisClasses {
    /// Arrangements of the eight other edges in their places: 8 choose 4.
    pub const ARRANGEMENTS: usize = LAYERS;

    /// The only instance; computed, in milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static AXES: LazyLock<AxisClasses> = LazyLock::new(AxisClasses::new);
        &AXES
    }

    fn new() -> Self {
        let slices = SliceClasses::get(SliceKind::Places).classes();
        let arranged = slices.iter().map(|class| LAYER_MASKS.map(|mask| arranged(class.representative, mask)));
        let arranged: Vec<[Cube; LAYERS]> = arranged.collect();
        let seen = |position: &Cube| {
            other_axes().map(|axis| {
                let image = axis.of(position);
                (edge_orientation(&image), SliceKind::Places.rank(&image.ep))
            })
        };
        Self {
            classes: FlipSliceClasses::get(),
            images: other_axes().map(edge_orientation_images),
            seen: arranged.iter().map(|positions| positions.each_ref().map(seen)).collect(),
            layers: arranged.iter().map(|positions| positions.map(|position| position.ep.map(layer))).collect(),
        }
    }

    /// The classes along the axes of a position, from its images.
    pub fn of(position: &Cube) -> [u16; 3] {
        let [second, third] = other_axes();
        [Symmetry::IDENTITY, second, third].map(|axis| FlipSliceClasses::get().place(&axis.of(position)).class)
    }

    /// The crossings of positions whose class is `class`, with one of the [arrangements](Self::ARRANGEMENTS) of the other
    /// edges.
    pub fn crossings(&self, class: u16, arrangement: usize) -> Crossings {
        let class = &self.classes.classes()[usize::from(class)];
        let mut position = Cube::SOLVED;
        set_edge_orientation(&mut position, class.edge_orientation);
        Crossings::of_layers(&self.layers[usize::from(class.slice)][arrangement], &position.eo)
    }

    /// The classes along the other two axes of positions whose class is `class`, with one of the
    /// [arrangements](Self::ARRANGEMENTS) of the other edges.
    #[inline]
    pub fn others(&self, class: u16, arrangement: usize) -> [u16; 2] {
        let class = &self.classes.classes()[usize::from(class)];
        let seen = &self.seen[usize::from(class.slice)][arrangement];
        std::array::from_fn(|axis| {
            let (added, places) = seen[axis];
            self.classes.of(self.images[axis][usize::from(class.edge_orientation)] ^ added, places).0
        })
    }
}

/// A position without edge orientations with the middle edges in the places of that number, and edges from between L
/// and R in those of the other places, in rising order, that have a bit in `mask`.
fn arranged(placement: u16, mask: u8) -> Cube {
    let middle = SliceKind::Places.edges(placement).map(|edge| edge >= 8);
    let mut left = LAYERS_BETWEEN.map(<[u8; 4]>::into_iter);
    let mut others = 0;
    let ep: [u8; EDGES] = middle.map(|is_middle| {
        let layer = if is_middle { 2 } else { usize::from(mask >> others & 1) };
        others += u8::from(!is_middle);
        left[layer].next().expect("four edges of each layer")
    });
    let mut position = Cube { ep, ..Cube::SOLVED };
    if is_odd(&position.ep) {
        position.cp.swap(0, 1);
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::random_cube;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// The arrangement of a position that is that of its class's representative along the first axis.
    fn arrangement(position: &Cube) -> usize {
        let others = position.ep.iter().filter(|&&edge| edge < 8);
        let mask = (0..).zip(others).fold(0u8, |mask, (place, edge)| mask | (edge & 1) << place);
        LAYER_MASKS.iter().position(|&other| other == mask).unwrap()
    }

    #[test]
    fn classes_follow_from_one_and_the_arrangement() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        let axes = AxisClasses::get();
        for _ in 0..2000 {
            let position = random_cube(&mut rng);
            let classes = FlipSliceClasses::get();
            let (class, symmetry) = classes.of(edge_orientation(&position), SliceKind::Places.rank(&position.ep));
            let home = symmetry.of(&position);
            let [first, others @ ..] = AxisClasses::of(&home);
            assert_eq!((first, others), (class, axes.others(class, arrangement(&home))));
            assert_eq!(axes.crossings(class, arrangement(&home)), Crossings::of(&position));
            let sorted = |mut classes: [u16; 3]| {
                classes.sort_unstable();
                classes
            };
            let all = sorted(AxisClasses::of(&position));
            assert!(Symmetry::all().all(|symmetry| sorted(AxisClasses::of(&symmetry.of(&position))) == all));
        }
    }

    #[test]
    fn arrangements_have_all_edges() {
        let kinds = |position: &Cube| {
            let mut edges = position.ep;
            edges.sort_unstable();
            edges
        };
        for (placement, &mask) in (0..495).flat_map(|placement| LAYER_MASKS.iter().map(move |mask| (placement, mask))) {
            let position = arranged(placement, mask);
            assert_eq!(kinds(&position), Cube::SOLVED.ep);
            assert_eq!(SliceKind::Places.rank(&position.ep), placement);
        }
    }
}
