//! Cosets of H by what must come right in phase 1: the places of the middle edges, the edge orientations of the edges,
//! the corner orientations of the corners.

use std::sync::LazyLock;

use super::orbits::{SymmetryClass, SymmetryClasses};
use crate::cube3::cube::{Cube, EDGES};
use crate::cube3::moves::Move;
use crate::cube3::symmetry::{AXIS_SYMMETRIES, Symmetry};
use twistbase_core::math::bits;

/// Corner orientations of all corners: 3^7, the last corner's following from the others.
pub const CORNER_ORIENTATIONS: usize = 2187;
/// Edge orientations of all edges: 2^11, the last edge's following from the others.
pub const EDGE_ORIENTATIONS: usize = 2048;

/// The corner orientations as a number, 0..2187: in base 3, the first corner's digit the lowest, the last corner left
/// out.
#[inline]
pub fn corner_orientation(position: &Cube) -> u16 {
    corner_orientation_number(u64::from_le_bytes(position.co))
}

/// The number of the corner orientations in the eight places, a byte each.
#[inline(always)]
pub fn corner_orientation_number(corner_orientations: u64) -> u16 {
    // A product adds up digits times powers of 3 in its top byte: 1 × first + 3 × second + … is below 81.
    let four = |digits: u32| u16::from((digits.wrapping_mul(0x0103_091b) >> 24) as u8);
    four(corner_orientations as u32) + 81 * four((corner_orientations >> 32) as u32 & 0xff_ffff)
}

/// The edge orientations as a number, 0..2048: bit `i` for the edge in place `i`, the last place left out.
#[inline]
pub fn edge_orientation(position: &Cube) -> u16 {
    lowest_bits(&position.eo) & 0x7ff
}

/// The lowest bit of each of twelve bytes, as the bits of a number.
#[inline]
pub(super) fn lowest_bits(bytes: &[u8; EDGES]) -> u16 {
    let [a, b, c, d, e, f, g, h, rest @ ..] = *bytes;
    let [i, j, k, l] = rest;
    let eight = |bytes: [u8; 8]| bits::lowest_of_bytes(u64::from_le_bytes(bytes)) as u16;
    eight([a, b, c, d, e, f, g, h]) | eight([i, j, k, l, 0, 0, 0, 0]) << 8
}

/// Sets the corner orientations to those with number `corner_orientation`, which must be below 2187.
pub fn set_corner_orientation(position: &mut Cube, corner_orientation: u16) {
    let mut rest = corner_orientation;
    let mut sum = 0;
    for digit in &mut position.co[..7] {
        *digit = (rest % 3) as u8;
        sum += rest % 3;
        rest /= 3;
    }
    position.co[7] = ((21 - sum) % 3) as u8;
}

/// Where a move takes each of the corner orientations.
pub fn moved_corner_orientations(turn: Move) -> &'static [u16] {
    static MOVED: LazyLock<Vec<Vec<u16>>> = LazyLock::new(|| {
        let moved = |turn: Move, number| {
            let mut position = Cube::SOLVED;
            set_corner_orientation(&mut position, number);
            corner_orientation(&position.turned(turn))
        };
        Move::all().map(|turn| (0..CORNER_ORIENTATIONS as u16).map(|number| moved(turn, number)).collect()).collect()
    });
    &MOVED[turn.index()]
}

/// Sets the edge orientations to those with number `edge_orientation`, which must be below 2048.
pub fn set_edge_orientation(position: &mut Cube, edge_orientation: u16) {
    for (place, bit) in position.eo.iter_mut().enumerate() {
        *bit =
            if place < 11 { (edge_orientation >> place & 1) as u8 } else { (edge_orientation.count_ones() & 1) as u8 };
    }
}

/// What is distinguished about the four middle edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// The set of their places: UDSlice, 495 values.
    Places,
    /// Which of them is where: UDSliceSorted, 11,880 values.
    Sorted,
}

impl SliceKind {
    /// Number of values: 12 choose 4, or 12 × 11 × 10 × 9.
    pub const fn count(self) -> usize {
        match self {
            Self::Places => 495,
            Self::Sorted => 11_880,
        }
    }

    /// The number of where the middle edges are. For [`SliceKind::Places`] it is the rank of the set of places, as a
    /// mask of bits, among all sets; for [`SliceKind::Sorted`] that times 24, plus the rank of the order of edges in
    /// these places. H is the last number of the first kind.
    #[inline]
    pub fn rank(self, edges: &[u8; EDGES]) -> u16 {
        // Bit 3 marks a middle edge.
        let places = Self::rank_of_places(lowest_bits(&edges.map(|edge| edge >> 3)));
        match self {
            Self::Places => places,
            Self::Sorted => {
                let middle = edges.iter().filter(|&&edge| edge >= 8);
                let order = middle.fold(0, |order, &edge| order << 2 | usize::from(edge - 8));
                places * 24 + u16::from(SLICES.order[order])
            }
        }
    }

    /// The number of the middle edges' places, given as a bit for each: 0..495.
    #[inline]
    #[doc(hidden)]
    pub fn rank_of_places(places: u16) -> u16 {
        SLICES.rank[usize::from(places)]
    }

    /// Edges with the middle ones where `rank` says, in rising order if it does not say in which, and the others in
    /// rising order.
    #[doc(hidden)]
    pub fn edges(self, rank: u16) -> [u8; EDGES] {
        let (places, order) = match self {
            Self::Places => (rank, SLICES.orders[0]),
            Self::Sorted => (rank / 24, SLICES.orders[usize::from(rank % 24)]),
        };
        let mask = SLICES.masks[usize::from(places)];
        let (mut middle, mut others) = (order.into_iter(), 0..8u8);
        std::array::from_fn(|place| {
            let edge = if mask >> place & 1 == 1 { middle.next().map(|edge| edge + 8) } else { others.next() };
            edge.expect("four middle edges and eight others")
        })
    }
}

pub(super) struct Slices {
    /// Sets of four of twelve places by rank, and the way back.
    pub(super) masks: Vec<u16>,
    rank: Vec<u16>,
    /// Orders of four edges by rank, and their ranks by [`SliceKind::rank`]'s code.
    pub(super) orders: Vec<[u8; 4]>,
    pub(super) order: [u8; 256],
}

pub(super) static SLICES: LazyLock<Slices> = LazyLock::new(|| {
    let masks: Vec<u16> = (0..4096u16).filter(|mask| mask.count_ones() == 4).collect();
    let mut rank = vec![u16::MAX; 4096];
    (0..).zip(&masks).for_each(|(number, &mask)| rank[usize::from(mask)] = number);
    let codes = (0..=255u8).map(|code| (code, [6, 4, 2, 0].map(|shift| code >> shift & 3)));
    let codes: Vec<_> = codes.filter(|(_, order)| (0..4).all(|edge| order.contains(&edge))).collect();
    let mut order = [u8::MAX; 256];
    (0..).zip(&codes).for_each(|(number, &(code, _))| order[usize::from(code)] = number);
    Slices { masks, rank, orders: codes.into_iter().map(|(_, order)| order).collect(), order }
});

/// A class of placements of the middle edges under the 16 symmetries that keep the axis.
pub type SliceClass = SymmetryClass<u16>;

/// The classes of placements of the middle edges, and where each placement belongs.
#[derive(Debug)]
pub struct SliceClasses;

impl SliceClasses {
    /// Those of a kind; computed, in milliseconds, when first asked for.
    pub fn get(kind: SliceKind) -> &'static SymmetryClasses<u16> {
        static CLASSES: [LazyLock<SymmetryClasses<u16>>; 2] = [
            LazyLock::new(|| SliceClasses::find(SliceKind::Places)),
            LazyLock::new(|| SliceClasses::find(SliceKind::Sorted)),
        ];
        &CLASSES[kind as usize]
    }

    fn find(kind: SliceKind) -> SymmetryClasses<u16> {
        let images = |number: usize| {
            let position = Cube { ep: kind.edges(number as u16), ..Cube::SOLVED };
            Symmetry::keeping_axis().map(move |symmetry| (symmetry, kind.rank(&symmetry.of(&position).ep).into()))
        };
        SymmetryClasses::new(kind.count(), images, |number| number as u16)
    }
}

impl SymmetryClasses<u16> {
    /// The class of the placement with that number, and a symmetry that takes it to the representative.
    #[inline]
    pub fn of(&self, placement: u16) -> (u16, Symmetry) {
        self.member(placement.into())
    }
}

/// A coset of H, after the symmetry that makes its edge orientations and its middle edges' places the representative of
/// their class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhaseOnePlace {
    /// Class of edge orientations and middle edges' places (FlipUDSlice), 0..64,430.
    pub class: u16,
    /// Corner orientations, 0..2187.
    pub corner_orientation: u16,
}

/// A class of FlipUDSlice: edge orientations with the middle edges' places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlipSliceClass {
    /// The class of the middle edges' places; the representative has theirs.
    pub slice: u16,
    /// The representative's edge orientations.
    pub edge_orientation: u16,
    /// The symmetries that keep the representative, a bit each.
    pub stabiliser: u16,
}

impl FlipSliceClass {
    /// Number of pairs of edge orientations and places in the class.
    pub fn size(&self) -> u64 {
        AXIS_SYMMETRIES as u64 / u64::from(self.stabiliser.count_ones())
    }

    /// A position with the representative's edge orientations and middle edges' places, its corners solved. Parities
    /// need not agree.
    #[doc(hidden)]
    pub fn position(&self) -> Cube {
        let slices = SliceClasses::get(SliceKind::Places);
        let edges = SliceKind::Places.edges(slices.classes()[usize::from(self.slice)].representative);
        let mut position = Cube { ep: edges, ..Cube::SOLVED };
        set_edge_orientation(&mut position, self.edge_orientation);
        position
    }
}

/// A coset brought to the representative of its class of middle edges' places.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// The class of the places.
    pub slice: u16,
    /// The symmetry that did it.
    pub symmetry: Symmetry,
    /// What it adds to any edge orientations.
    added: u16,
    /// The corner orientations under it.
    pub corner_orientation: u16,
}

/// The classes of FlipUDSlice, in the order of their slices' classes, and where each pair of edge orientations and
/// places belongs.
pub struct FlipSliceClasses {
    classes: Vec<FlipSliceClass>,
    /// Per class of the places and edge orientations under its representative: the class, and a symmetry that takes
    /// them to its representative.
    members: Vec<[(u16, u8); EDGE_ORIENTATIONS]>,
    /// Per number of the places: class, symmetry, and what the symmetry adds to any edge orientations.
    slices: Vec<(u16, u8, u16)>,
    /// Per symmetry: where it takes edge orientations when the middle edges are at home, less what it adds to none.
    images: Vec<[u16; EDGE_ORIENTATIONS]>,
    /// Per symmetry: where it takes corner orientations.
    corner_orientations: Vec<[u16; CORNER_ORIENTATIONS]>,
}

impl FlipSliceClasses {
    /// How many there are.
    pub const COUNT: usize = 64_430;

    /// The only instance; computed, in a few milliseconds, when first asked for.
    pub fn get() -> &'static Self {
        static CLASSES: LazyLock<FlipSliceClasses> = LazyLock::new(FlipSliceClasses::new);
        &CLASSES
    }

    fn new() -> Self {
        let kind = SliceKind::Places;
        let placed = SliceClasses::get(kind);
        let images: Vec<[u16; EDGE_ORIENTATIONS]> = Symmetry::keeping_axis().map(edge_orientation_images).collect();
        let added = |placement: u16, symmetry: Symmetry| {
            edge_orientation(&symmetry.of(&Cube { ep: kind.edges(placement), ..Cube::SOLVED }))
        };
        let slices = (0..kind.count() as u16).map(|placement| {
            let (class, symmetry) = placed.of(placement);
            (class, symmetry.index() as u8, added(placement, symmetry))
        });
        let slices = slices.collect();
        let mut classes = Vec::with_capacity(Self::COUNT);
        let mut members = Vec::with_capacity(placed.classes().len());
        for (slice, class) in (0..).zip(placed.classes()) {
            let stabiliser = Symmetry::keeping_axis().filter(|s| class.stabiliser >> s.index() & 1 == 1);
            let stabiliser: Vec<_> = stabiliser.map(|s| (s, added(class.representative, s))).collect();
            members.push(orientation_orbits(slice, &stabiliser, &images, &mut classes));
        }
        let corner_orientations = Symmetry::keeping_axis().map(corner_orientation_images).collect();
        Self { classes, members, slices, images, corner_orientations }
    }

    /// The classes, by number.
    pub fn classes(&self) -> &[FlipSliceClass] {
        &self.classes
    }

    /// The class of edge orientations (0..2048) and middle edges' places (0..495), and a symmetry that takes them to
    /// the representative.
    #[inline]
    pub fn of(&self, edge_orientation: u16, places: u16) -> (u16, Symmetry) {
        let placed = self.placed(places, 0);
        let (class, second, _) = self.flipped(&placed, edge_orientation);
        (class, second.after(placed.symmetry))
    }

    /// The first half of reducing a coset: by the places of the middle edges alone. (Inlining these into the solver
    /// saves a tenth of its time.)
    #[inline(always)]
    #[doc(hidden)]
    pub fn placed(&self, places: u16, corner_orientation: u16) -> Placed {
        let (slice, symmetry, added) = self.slices[usize::from(places)];
        let corner_orientation = self.corner_orientations[usize::from(symmetry)][usize::from(corner_orientation)];
        Placed { slice, symmetry: Symmetry::from_index(symmetry.into()), added, corner_orientation }
    }

    /// The second half: the class, the symmetry that takes what the first half left to its representative, and the
    /// corner orientations then.
    #[inline(always)]
    #[doc(hidden)]
    pub fn flipped(&self, placed: &Placed, edge_orientation: u16) -> (u16, Symmetry, u16) {
        let edge_orientation = self.images[placed.symmetry.index()][usize::from(edge_orientation)] ^ placed.added;
        let (class, symmetry) = self.members[usize::from(placed.slice)][usize::from(edge_orientation)];
        let corner_orientation =
            self.corner_orientations[usize::from(symmetry)][usize::from(placed.corner_orientation)];
        (class, Symmetry::from_index(symmetry.into()), corner_orientation)
    }

    /// Where a symmetry that keeps the axis takes each of the corner orientations.
    #[inline]
    pub fn corner_orientations(&self, symmetry: Symmetry) -> &[u16; CORNER_ORIENTATIONS] {
        &self.corner_orientations[symmetry.index()]
    }

    /// The place of a position's coset.
    #[inline]
    pub fn place(&self, position: &Cube) -> PhaseOnePlace {
        let placed = self.placed(SliceKind::Places.rank(&position.ep), corner_orientation(position));
        let (class, _, corner_orientation) = self.flipped(&placed, edge_orientation(position));
        PhaseOnePlace { class, corner_orientation }
    }
}

/// Where a symmetry takes all edge orientations, less what it adds to none: that part depends on where the middle edges
/// are.
pub(super) fn edge_orientation_images(symmetry: Symmetry) -> [u16; EDGE_ORIENTATIONS] {
    let image = |number| {
        let mut position = Cube::SOLVED;
        set_edge_orientation(&mut position, number);
        edge_orientation(&symmetry.of(&position))
    };
    let none = image(0);
    std::array::from_fn(|number| image(number as u16) ^ none)
}

fn corner_orientation_images(symmetry: Symmetry) -> [u16; CORNER_ORIENTATIONS] {
    std::array::from_fn(|number| {
        let mut position = Cube::SOLVED;
        set_corner_orientation(&mut position, number as u16);
        corner_orientation(&symmetry.of(&position))
    })
}

/// Adds the classes of edge orientations under the symmetries that keep the places of the middle edges; each comes with
/// what it adds to any edge orientations. Returns where each of the edge orientations belongs.
fn orientation_orbits(
    slice: u16,
    stabiliser: &[(Symmetry, u16)],
    images: &[[u16; EDGE_ORIENTATIONS]],
    classes: &mut Vec<FlipSliceClass>,
) -> [(u16, u8); EDGE_ORIENTATIONS] {
    let image = |edge_orientation: usize| {
        let image = move |&(symmetry, added): &(Symmetry, u16)| {
            (symmetry, (images[symmetry.index()][edge_orientation] ^ added).into())
        };
        stabiliser.iter().map(image)
    };
    let first = classes.len() as u16;
    let found = SymmetryClasses::new(EDGE_ORIENTATIONS, image, |edge_orientation| edge_orientation as u16);
    let class = |&SymmetryClass { representative: edge_orientation, stabiliser, .. }: &SymmetryClass<u16>| {
        FlipSliceClass { slice, edge_orientation, stabiliser: stabiliser as u16 }
    };
    classes.extend(found.classes().iter().map(class));
    std::array::from_fn(|edge_orientation| {
        let (class, symmetry) = found.member(edge_orientation);
        (first + class, symmetry.index() as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::Move;

    fn walk(count: usize) -> impl Iterator<Item = Cube> {
        let mut state = 7u64;
        let mut position = Cube::SOLVED;
        (0..count).map(move |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position = position.turned(Move::from_index((state >> 33) as usize % Move::COUNT).unwrap());
            position
        })
    }

    #[test]
    fn twists_and_flips_read_back() {
        let mut position = Cube::SOLVED;
        for number in 0..CORNER_ORIENTATIONS as u16 {
            set_corner_orientation(&mut position, number);
            assert_eq!((corner_orientation(&position), position.co.iter().sum::<u8>() % 3), (number, 0));
        }
        for number in 0..EDGE_ORIENTATIONS as u16 {
            set_edge_orientation(&mut position, number);
            assert_eq!((edge_orientation(&position), position.eo.iter().sum::<u8>() % 2), (number, 0));
        }
    }

    #[test]
    fn placements_read_back_and_fall_into_classes() {
        for (kind, count) in [(SliceKind::Places, None), (SliceKind::Sorted, Some(788))] {
            let classes = SliceClasses::get(kind);
            assert!((0..kind.count() as u16).all(|number| kind.rank(&kind.edges(number)) == number));
            assert_eq!(classes.classes().iter().map(SliceClass::size).sum::<u64>(), kind.count() as u64);
            assert!(count.is_none_or(|count| classes.classes().len() == count), "{}", classes.classes().len());
            for number in 0..kind.count() as u16 {
                let (class, symmetry) = classes.of(number);
                let image = symmetry.of(&Cube { ep: kind.edges(number), ..Cube::SOLVED });
                assert_eq!(kind.rank(&image.ep), classes.classes()[usize::from(class)].representative);
            }
        }
    }

    #[test]
    fn every_pair_of_flips_and_places_has_its_class() {
        let classes = FlipSliceClasses::get();
        assert_eq!(classes.classes().len(), FlipSliceClasses::COUNT);
        assert_eq!(classes.classes().iter().map(FlipSliceClass::size).sum::<u64>(), 495 * EDGE_ORIENTATIONS as u64);
        for places in 0..495 {
            let mut position = Cube { ep: SliceKind::Places.edges(places), ..Cube::SOLVED };
            for number in 0..EDGE_ORIENTATIONS as u16 {
                set_edge_orientation(&mut position, number);
                let (class, symmetry) = classes.of(number, places);
                let (image, home) = (symmetry.of(&position), classes.classes()[usize::from(class)].position());
                assert_eq!(
                    (edge_orientation(&image), SliceKind::Places.rank(&image.ep)),
                    (edge_orientation(&home), SliceKind::Places.rank(&home.ep))
                );
            }
        }
    }

    #[test]
    fn images_of_a_position_share_its_place_or_those_of_its_stabiliser() {
        let classes = FlipSliceClasses::get();
        for position in walk(500) {
            let place = classes.place(&position);
            let stabiliser = classes.classes()[usize::from(place.class)].stabiliser;
            for symmetry in Symmetry::keeping_axis() {
                let other = classes.place(&symmetry.of(&position));
                assert!(other == place || (other.class == place.class && stabiliser != 1));
            }
        }
        let home = classes.place(&Cube::SOLVED);
        assert_eq!(classes.classes()[usize::from(home.class)].stabiliser, u16::MAX);
    }
}
