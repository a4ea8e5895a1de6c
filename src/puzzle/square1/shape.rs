//! Shapes: where the big and the small pieces are, whichever they are.

use std::cmp::Reverse;
use std::fmt;
use std::sync::LazyLock;

use super::Position;
use super::position::{boundaries, cuts};

/// The pattern of big and small pieces of a layer, up to rotation: one of 29.
///
/// The *canonical* rotation is the one whose pattern is first in the alphabet, `C` (big) before `e`
/// (small), so it starts with a big piece and no piece straddles its ends. Ids are given by number of
/// big pieces in the order 4, 5, 3, 6, 2 (10, 3, 10, 1, 5 half-shapes), and among equal numbers from
/// the last pattern of the alphabet to the first: the square `CeCeCeCe` is half-shape 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HalfShape(u8);

/// The shape of a position up to turns of the layers and turning over: one of 90.
///
/// An unordered pair of half-shapes with 8 big pieces together. Its *canonical* order is by half-shape
/// id, so the first ring has at least as many big pieces as the second; shapes are numbered in the
/// order of those pairs. The solved shape, two squares, is shape 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape(u8);

/// What fills a slot of a shape's canonical rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Whether a big piece fills it (and one of its neighbours).
    pub is_big: bool,
    /// The index 0..8 of that piece among the big or among the small pieces of the shape, counted
    /// along the first canonical ring and then along the second.
    pub index: u8,
}

/// A ring's half-shape and how to rotate it.
#[derive(Clone, Copy)]
pub(super) struct RingMatch {
    half_shape: HalfShape,
    /// Element `i` of the canonical ring is element `(i + rotation) % 12` of this one.
    rotation: u8,
}

struct HalfShapeData {
    pattern: String,
    boundaries: u16,
    big_pieces: u8,
    symmetry_order: u8,
}

/// Where a piece starts: in which canonical ring, at which element.
#[derive(Clone, Copy, Default)]
pub(super) struct Start {
    pub(super) ring: u8,
    pub(super) element: u8,
}

pub(super) struct ShapeData {
    halves: [HalfShape; 2],
    pub(super) big: [Start; 8],
    pub(super) small: [Start; 8],
}

struct ShapeTables {
    half_shapes: Vec<HalfShapeData>,
    /// By boundary mask. Masks that no ring has are matched with half-shape 0; no legal position
    /// leads to them.
    rings: Vec<RingMatch>,
    shapes: Vec<ShapeData>,
    /// By the ids of two half-shapes, in either order.
    pairs: [[Shape; HalfShape::COUNT]; HalfShape::COUNT],
}

static TABLES: LazyLock<ShapeTables> = LazyLock::new(ShapeTables::build);

/// The patterns of `big` big pieces that are first in the alphabet among their rotations.
fn canonical_patterns(big: u32) -> impl Iterator<Item = String> {
    let pieces = 12 - big as usize;
    (0_u32..1 << pieces).filter(move |bits| bits.count_ones() == big).filter_map(move |bits| {
        let pattern: String = (0..pieces).map(|i| if bits >> i & 1 == 1 { 'C' } else { 'e' }).collect();
        let is_first = (1..pieces).all(|i| pattern <= [&pattern[i..], &pattern[..i]].concat());
        is_first.then_some(pattern)
    })
}

/// The boundary mask of a ring of this pattern.
fn pattern_boundaries(pattern: &str) -> u16 {
    starts(pattern).fold(0, |mask, (element, _)| mask | 1 << element)
}

/// The first element of each piece of the pattern, and whether the piece is big.
fn starts(pattern: &str) -> impl Iterator<Item = (u8, bool)> {
    pattern.chars().scan(0, |element, piece| {
        let is_big = piece == 'C';
        let start = *element;
        *element += if is_big { 2 } else { 1 };
        Some((start, is_big))
    })
}

/// The mask of a ring whose element `i` is element `i + amount` of a ring of mask `mask`; amounts are 0 to 12.
pub(super) const fn rotate(mask: u16, amount: u8) -> u16 {
    (mask >> amount | mask << (12 - amount)) & 0xFFF
}

impl HalfShapeData {
    fn new(pattern: String) -> Self {
        let boundaries = pattern_boundaries(&pattern);
        Self {
            boundaries,
            big_pieces: pattern.chars().filter(|&piece| piece == 'C').count() as u8,
            symmetry_order: (0..12).filter(|&amount| rotate(boundaries, amount) == boundaries).count() as u8,
            pattern,
        }
    }
}

impl ShapeData {
    fn new(halves: [HalfShape; 2], patterns: [&str; 2]) -> Self {
        let mut data = Self { halves, big: [Start::default(); 8], small: [Start::default(); 8] };
        let mut counts = [0; 2];
        for (ring, pattern) in (0..).zip(patterns) {
            for (element, is_big) in starts(pattern) {
                let list = if is_big { &mut data.big } else { &mut data.small };
                list[counts[usize::from(is_big)]] = Start { ring, element };
                counts[usize::from(is_big)] += 1;
            }
        }
        data
    }
}

impl ShapeTables {
    fn build() -> Self {
        let half_shapes: Vec<_> = [4, 5, 3, 6, 2]
            .into_iter()
            .flat_map(|big| {
                let mut patterns: Vec<_> = canonical_patterns(big).collect();
                patterns.sort_by_key(|pattern| Reverse(pattern.clone()));
                patterns
            })
            .map(HalfShapeData::new)
            .collect();
        let shapes = Self::build_shapes(&half_shapes);
        let mut pairs = [[Shape(0); HalfShape::COUNT]; HalfShape::COUNT];
        for (id, shape) in (0..).zip(&shapes) {
            let [a, b] = shape.halves.map(|half| usize::from(half.0));
            pairs[a][b] = Shape(id);
            pairs[b][a] = Shape(id);
        }
        Self { rings: Self::build_rings(&half_shapes), half_shapes, shapes, pairs }
    }

    fn build_shapes(half_shapes: &[HalfShapeData]) -> Vec<ShapeData> {
        let mut shapes = Vec::with_capacity(Shape::COUNT);
        for (a, first) in (0..).zip(half_shapes) {
            for (b, second) in (0..).zip(half_shapes).skip(usize::from(a)) {
                if first.big_pieces + second.big_pieces == 8 {
                    shapes.push(ShapeData::new([HalfShape(a), HalfShape(b)], [&first.pattern, &second.pattern]));
                }
            }
        }
        shapes
    }

    fn build_rings(half_shapes: &[HalfShapeData]) -> Vec<RingMatch> {
        let mut rings = vec![RingMatch { half_shape: HalfShape(0), rotation: 0 }; 1 << 12];
        for (id, half_shape) in (0..).zip(half_shapes) {
            // Downwards, so that the least rotation is the one that stays.
            for rotation in (0..12).rev() {
                let ring = rotate(half_shape.boundaries, (12 - rotation) % 12);
                rings[usize::from(ring)] = RingMatch { half_shape: HalfShape(id), rotation };
            }
        }
        rings
    }
}

impl HalfShape {
    /// How many half-shapes there are: 1, 3, 10, 10, 5 with 6, 5, 4, 3, 2 big pieces.
    pub const COUNT: usize = 29;

    /// The half-shape of an id in 0..29; `None` beyond.
    pub const fn new(id: u8) -> Option<Self> {
        if (id as usize) < Self::COUNT { Some(Self(id)) } else { None }
    }

    /// Every half-shape in the order of ids.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The id, 0..29.
    pub const fn id(self) -> u8 {
        self.0
    }

    fn data(self) -> &'static HalfShapeData {
        &TABLES.half_shapes[usize::from(self.0)]
    }

    /// That of a ring, in which two neighbouring elements are equal exactly when the same piece fills them, and where its pieces
    /// start in the canonical order, each with whether it is big.
    pub(super) fn of_ring<T: PartialEq>(ring: &[T; 12]) -> (Self, impl Iterator<Item = (usize, bool)>) {
        let RingMatch { half_shape, rotation } = TABLES.rings[usize::from(boundaries(ring))];
        let start = move |(element, is_big)| (usize::from(element + rotation) % 12, is_big);
        (half_shape, starts(half_shape.pattern()).map(start))
    }

    /// The canonical pattern, `C` for a big piece and `e` for a small one, for instance `CeCeCeCe`.
    pub fn pattern(self) -> &'static str {
        &self.data().pattern
    }

    /// The canonical ring as a 12-bit mask: bit `i` is set when a piece starts at element `i`.
    pub fn boundaries(self) -> u16 {
        self.data().boundaries
    }

    /// How many big pieces it has, 2..=6.
    pub fn big_pieces(self) -> u8 {
        self.data().big_pieces
    }

    /// How many of the 12 rotations map it to itself.
    pub fn symmetry_order(self) -> u8 {
        self.data().symmetry_order
    }
}

impl fmt::Display for HalfShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pattern())
    }
}

impl fmt::Debug for HalfShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HalfShape({} {})", self.0, self.pattern())
    }
}

impl Shape {
    /// How many shapes there are.
    pub const COUNT: usize = 90;

    /// The shape of the solved position.
    pub const SOLVED: Self = Self(0);

    /// The shape of an id in 0..90; `None` beyond.
    pub const fn new(id: u8) -> Option<Self> {
        if (id as usize) < Self::COUNT { Some(Self(id)) } else { None }
    }

    /// Every shape in the order of ids.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The shape of two half-shapes, in either order; `None` unless they have 8 big pieces together.
    pub fn of_halves(a: HalfShape, b: HalfShape) -> Option<Self> {
        let has_eight = a.big_pieces() + b.big_pieces() == 8;
        has_eight.then(|| TABLES.pairs[usize::from(a.0)][usize::from(b.0)])
    }

    /// The id, 0..90.
    pub const fn id(self) -> u8 {
        self.0
    }

    pub(super) fn data(self) -> &'static ShapeData {
        &TABLES.shapes[usize::from(self.0)]
    }

    /// Its half-shapes in canonical order.
    pub fn half_shapes(self) -> [HalfShape; 2] {
        self.data().halves
    }

    /// The patterns of its half-shapes, for instance `CeCeCeCe/CeCeCeCe`.
    pub fn name(self) -> String {
        let [first, second] = self.half_shapes();
        format!("{first}/{second}")
    }

    /// How many rotations of the rings, with or without exchanging them, map it to itself: the product
    /// of the half-shapes' symmetry orders, twice that when they are the same. 32 for the solved shape.
    pub fn stabiliser_order(self) -> u8 {
        let [first, second] = self.half_shapes();
        let exchanges = if first == second { 2 } else { 1 };
        first.symmetry_order() * second.symmetry_order() * exchanges
    }

    /// What fills each element of the two canonical rings.
    pub fn layout(self) -> [[Slot; 12]; 2] {
        let mut rings = [[Slot { is_big: false, index: 0 }; 12]; 2];
        let data = self.data();
        for (is_big, starts) in [(true, &data.big), (false, &data.small)] {
            for (index, start) in (0..).zip(starts) {
                let width = if is_big { 2 } else { 1 };
                let element = usize::from(start.element);
                // Canonical rings start with a piece boundary, so no piece wraps around.
                rings[usize::from(start.ring)][element..element + width].fill(Slot { is_big, index });
            }
        }
        rings
    }

    /// The moves of the shape: every `(u, v)` for which the first canonical ring can be cut before
    /// elements `u` and `u + 6`, the second before `v` and `v + 6`, with `u` in 0..6 and `v` in 0..12.
    /// The others, `(u + 6, v + 6)`, give the same positions turned over. 1,390 over all shapes.
    pub fn alignments(self) -> Vec<(u8, u8)> {
        let [first, second] = self.half_shapes().map(|half| cuts(half.boundaries()));
        let can_cut = |cuts: u16, at: u8| cuts >> at & 1 == 1;
        (0..6)
            .filter(|&u| can_cut(first, u))
            .flat_map(|u| (0..12).filter(|&v| can_cut(second, v)).map(move |v| (u, v)))
            .collect()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape({} {})", self.0, self.name())
    }
}

/// A pair of rings brought to canonical form: which of them comes first, and how far each is rotated.
#[derive(Debug, Clone, Copy)]
pub(super) struct CanonicalForm {
    pub(super) shape: Shape,
    /// Canonical ring `r` is ring `source[r]` of the pair.
    source: [usize; 2],
    /// Element `i` of canonical ring `r` is element `(i + rotation[r]) % 12` of its source.
    rotation: [usize; 2],
}

impl CanonicalForm {
    /// The canonical form of a legal pair of rings, in which two neighbouring elements are equal
    /// exactly when the same piece fills them.
    pub(super) fn of<T: PartialEq>(rings: &[[T; 12]; 2]) -> Self {
        let tables = &*TABLES;
        let [a, b] = [0, 1].map(|r| tables.rings[usize::from(boundaries(&rings[r]))]);
        let shape = tables.pairs[usize::from(a.half_shape.0)][usize::from(b.half_shape.0)];
        let rotation = [a.rotation, b.rotation].map(usize::from);
        // Rings alike stay in the order in which they are: either order would be canonical.
        if a.half_shape <= b.half_shape {
            Self { shape, source: [0, 1], rotation }
        } else {
            Self { shape, source: [1, 0], rotation: [rotation[1], rotation[0]] }
        }
    }

    /// Where cuts before these elements of the canonical rings cut the two rings of the pair.
    pub(super) fn physical_cuts(&self, cuts: [u8; 2]) -> [u8; 2] {
        let mut physical = [0; 2];
        for (ring, cut) in cuts.into_iter().enumerate() {
            physical[self.source[ring]] = (usize::from(cut) + self.rotation[ring]) as u8 % 12;
        }
        physical
    }

    /// Where elements of the two rings of the pair come to be in the canonical ones, and whether the first canonical ring
    /// is the second one of the pair.
    pub(super) fn landing(&self, elements: [u8; 2]) -> ([u8; 2], bool) {
        let landed = |ring: usize| (usize::from(elements[self.source[ring]]) + 12 - self.rotation[ring]) as u8 % 12;
        ([landed(0), landed(1)], self.source[0] == 1)
    }

    /// What starts there in the pair of rings that this is the canonical form of.
    pub(super) fn read<T: Copy>(&self, rings: &[[T; 12]; 2], start: Start) -> T {
        let ring = usize::from(start.ring);
        let element = usize::from(start.element) + self.rotation[ring];
        rings[self.source[ring]][if element < 12 { element } else { element - 12 }]
    }
}

impl Position {
    /// The shape, up to turns of the layers and turning over.
    pub fn shape(&self) -> Shape {
        CanonicalForm::of(&self.rings()).shape
    }
}
