//! What guides the search: tables of bounds, each looked up its own way.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::AXES;
use super::bounds::Bounds;
use super::node::{OptimalNode, rotations};
use crate::error::Result;
use crate::math::{quarters, trits};
use crate::memory::Zeroed;
use crate::puzzle::cube3::coordinate::{
    CORNER_COSETS, CORNER_ORIENTATIONS, CornerCosetClasses, EDGE_ORIENTATIONS, EoKind, EpKind, FlipSliceClasses,
    SliceClasses, SliceKind,
};
use crate::puzzle::cube3::{AXIS_SYMMETRIES, Cube, EDGES, Metric, Symmetry};
use crate::query::cube3::Cosets;
use crate::solve::packed_cube::{
    CubeKernel, DOWN_BIT, EDGE_ORIENTATION_BIT, MIDDLE_BIT, PackedCube, Portable, corner_orientation_number, order_bits,
};
use crate::store::FlatTable;
use crate::tables::{
    BLOCK_BYTES, BLOCK_ENTRIES, BLOCK_SLOTS, CosetTable, Definition, HugeTable, NxTable, PhaseOneTable, nx_entry,
};

/// A table of lower bounds over its bytes: distances to a subgroup that holds all turns of U and D.
pub(super) trait Heuristic: Sync {
    /// Whether an entry tells its bound. Otherwise it tells the change since a neighbour: then the inverse, which jumps
    /// from coset to coset, is not looked up.
    const TELLS_BOUNDS: bool = true;

    /// How moves are counted.
    fn metric(&self) -> Metric;

    /// What tells the row of a position. (The three steps of a look-up, this and the two that follow, are each made for
    /// many positions: a processor overlaps short chains of dependent steps, not long ones.)
    #[inline(always)]
    fn key<K: CubeKernel>(&self, _kernel: K, seen: &PackedCube) -> u32 {
        corner_orientation_number(&seen.corners).into()
    }

    /// Where the bound of a position is, from its key and its edges.
    fn index<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> usize;

    /// Asks for what [`Heuristic::bound`] will read.
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize);

    /// The bound at an index, a move after another bound.
    fn bound(&self, index: usize, before: u8) -> u8;

    /// The bounds of a position that nothing is known of, where [entries do not tell](Heuristic::TELLS_BOUNDS) them.
    ///
    /// # Errors
    /// [`Error::Data`](crate::error::Error::Data) (damaged) if the table contradicts itself.
    fn first_bounds(&self, _seen: [Cube; AXES]) -> Result<Bounds> {
        Ok(Bounds::default())
    }
}

/// The bound of a position that nothing is known of.
pub(super) fn bound_of<G: Heuristic>(heuristic: &G, seen: &PackedCube) -> u8 {
    heuristic.bound(heuristic.index(Portable, heuristic.key(Portable, seen), &seen.edges), 0)
}

/// The bounds of a position and its inverse along all axes.
///
/// # Errors
/// [`Error::Data`](crate::error::Error::Data) (damaged) if the table contradicts itself.
pub(super) fn first_bounds<G: Heuristic>(heuristic: &G, position: &Cube) -> Result<Bounds> {
    if !G::TELLS_BOUNDS {
        return heuristic.first_bounds(rotations().map(|rotation| rotation.of(position)));
    }
    let node = OptimalNode::start(position, Bounds::default(), 0);
    Ok(Bounds::of(std::array::from_fn(|look_up| bound_of(heuristic, &node.seen()[look_up]))))
}

/// The edges of the symmetries that keep the axis, each with its inverse: what takes a position's edges to their image.
struct Images([[[u8; 16]; 2]; AXIS_SYMMETRIES]);

impl Images {
    /// The only instance.
    fn get() -> &'static Self {
        static IMAGES: LazyLock<Images> = LazyLock::new(|| {
            let edges = |symmetry: Symmetry| PackedCube::of(symmetry.motion()).edges;
            Images(std::array::from_fn(|index| {
                let symmetry = Symmetry::from_index(index);
                [edges(symmetry), edges(symmetry.inverse())]
            }))
        });
        &IMAGES
    }

    #[inline(always)]
    fn of<K: CubeKernel>(&self, kernel: K, symmetry: Symmetry, edges: &[u8; 16]) -> [u8; 16] {
        let [there, back] = &self.0[symmetry.index() % AXIS_SYMMETRIES];
        kernel.edges(&kernel.edges(there, edges), back)
    }
}

/// Bounds in two bits each: 1 to 3 more than a base, or the least value of the block, as in the tables of Rokicki's
/// family.
#[derive(Debug, Clone, Copy)]
struct Blocks<'a> {
    base: u8,
    blocks: &'a [[u8; BLOCK_BYTES]],
}

impl Blocks<'_> {
    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize) {
        kernel.prefetch(self.blocks.as_flattened(), index / 4);
    }

    #[inline(always)]
    fn bound(&self, index: usize) -> u8 {
        let block = &self.blocks[index / BLOCK_SLOTS];
        let value = quarters::pick(block[index % BLOCK_SLOTS / quarters::PER_BYTE], index);
        // The least value of the block is in the upper half of its last byte.
        let least = block[BLOCK_BYTES - 1] >> 4;
        if value == 0 { least } else { self.base + value }
    }
}

/// The distances of `phase1` or `phase1-qtm` as bounds in two bits each: half of the memory, and as good as all of what
/// they tell.
#[derive(Debug)]
pub(super) struct PackedPhaseOne {
    base: u8,
    blocks: Zeroed<[u8; BLOCK_BYTES]>,
}

/// Bytes of the table that make a block.
const BLOCK_SOURCE: usize = BLOCK_ENTRIES / 2;

impl PackedPhaseOne {
    /// # Errors
    /// [`Error::Usage`](crate::error::Error::Usage) when there are not as many bytes as the table has,
    /// [`Error::Budget`](crate::error::Error::Budget) when the memory cannot be had.
    pub fn new(table: &'static PhaseOneTable, bytes: &[u8]) -> Result<Self> {
        // Checks the length.
        FlatTable::new(*table.layout(), bytes)?;
        Self::pack(bytes, base_of(table))
    }

    fn pack(bytes: &[u8], base: u8) -> Result<Self> {
        const PART: usize = 1 << 12;
        let mut blocks = Zeroed::new(bytes.len().div_ceil(BLOCK_SOURCE))?;
        blocks.par_chunks_mut(PART).zip(bytes.par_chunks(PART * BLOCK_SOURCE)).for_each(|(blocks, bytes)| {
            blocks
                .iter_mut()
                .zip(bytes.chunks(BLOCK_SOURCE))
                .for_each(|(block, bytes)| *block = pack_block(bytes, base));
        });
        Ok(Self { base, blocks })
    }
}

/// The base for a table: two less than the distance that most cosets have.
fn base_of(table: &PhaseOneTable) -> u8 {
    let positions = table.expected().map_or(&[][..], |expected| expected.positions);
    let frequent = (0..).zip(positions).max_by_key(|(_, count)| **count).map_or(0, |(distance, _)| distance);
    frequent - frequent.min(2)
}

/// A block of the values in some bytes. (Whole arrays at once, for which a compiler finds vector instructions.)
fn pack_block(bytes: &[u8], base: u8) -> [u8; BLOCK_BYTES] {
    // What is past the end is not the least.
    let mut pairs = [u8::MAX; 2 * BLOCK_BYTES];
    pairs[..bytes.len()].copy_from_slice(bytes);
    let code = |value: u8| value.saturating_sub(base).min(3);
    let codes = pairs.map(|pair| code(pair & 15) | code(pair >> 4) << 2);
    let least = pairs.map(|pair| (pair & 15).min(pair >> 4)).into_iter().fold(u8::MAX, u8::min);
    let mut block = std::array::from_fn(|at| codes[2 * at] | codes[2 * at + 1] << 4);
    block[BLOCK_BYTES - 1] = block[BLOCK_BYTES - 1] & 15 | least << 4;
    block
}

/// `phase1` or `phase1-qtm`.
pub(super) struct PhaseOne<'a> {
    table: &'static PhaseOneTable,
    classes: &'static FlipSliceClasses,
    blocks: Blocks<'a>,
}

impl<'a> PhaseOne<'a> {
    pub fn new(table: &'static PhaseOneTable, packed: &'a PackedPhaseOne) -> Self {
        let PackedPhaseOne { base, blocks } = packed;
        Self { table, classes: FlipSliceClasses::get(), blocks: Blocks { base: *base, blocks } }
    }
}

impl Heuristic for PhaseOne<'_> {
    fn metric(&self) -> Metric {
        self.table.move_metric()
    }

    #[inline(always)]
    fn index<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> usize {
        let number = coset_number(self.classes, kernel, key, edges);
        // Each block has two places more than values.
        (number + 2 * (number / BLOCK_ENTRIES as u32)) as usize
    }

    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize) {
        self.blocks.prefetch(kernel, index);
    }

    #[inline(always)]
    fn bound(&self, index: usize, _before: u8) -> u8 {
        self.blocks.bound(index)
    }
}

/// The number of a coset of H in the tables of phase 1, from its corner orientations and its edges.
#[inline(always)]
fn coset_number<K: CubeKernel>(classes: &FlipSliceClasses, kernel: K, key: u32, edges: &[u8; 16]) -> u32 {
    let places = SliceKind::rank_of_places(kernel.edge_bits::<MIDDLE_BIT>(edges) as u16);
    let placed = classes.placed(places, key as u16);
    let edge_orientations = kernel.edge_bits::<EDGE_ORIENTATION_BIT>(edges) as usize % EDGE_ORIENTATIONS;
    let (class, _, corner_orientation) = classes.flipped(&placed, edge_orientations as u16);
    u32::from(class) * CORNER_ORIENTATIONS as u32 + u32::from(corner_orientation)
}

/// Per corner coset: the number of its class, and in the bits above 16 the symmetry that takes it to the class's
/// representative.
struct Corners(Vec<u32>);

impl Corners {
    /// The only instance; computed, in a few milliseconds, when first asked for.
    fn get() -> &'static Self {
        static CORNERS: LazyLock<Corners> = LazyLock::new(|| {
            let classes = CornerCosetClasses::get();
            let member = |coset| {
                let (class, symmetry) = classes.of(coset);
                u32::from(class) | (symmetry.index() as u32) << 16
            };
            Corners((0..CORNER_COSETS as u32).map(member).collect())
        });
        &CORNERS
    }

    #[inline(always)]
    fn of(&self, coset: u32) -> (u16, Symmetry) {
        let member = self.0[coset as usize];
        (member as u16, Symmetry::from_index((member >> 16) as usize))
    }

    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, coset: u32) {
        kernel.prefetch(bytemuck::cast_slice(&self.0), coset as usize * size_of::<u32>());
    }
}

/// What places and orders are as numbers.
struct Ranks {
    /// By the places of the middle edges, a bit each: what they add to the number of an entry.
    slices: Box<[u16; 1 << EDGES]>,
    /// By the places of the four U corners, or the four U edges among eight: their rank.
    layers: [u8; 256],
    /// By the [bits](order_bits) of the order of the middle edges: its rank.
    orders: [u8; 256],
}

impl Ranks {
    /// The only instance.
    fn get() -> &'static Self {
        static RANKS: LazyLock<Ranks> = LazyLock::new(Ranks::new);
        &RANKS
    }

    fn new() -> Self {
        let (mut layers, mut orders) = ([0; 256], [0; 256]);
        for mask in (0..=u8::MAX).filter(|mask| mask.count_ones() == 4) {
            let (mut upper, mut lower) = (0..4, 4..8);
            let edge = |place: usize| match place {
                8.. => Some(place as u8),
                _ if mask >> place & 1 == 1 => upper.next(),
                _ => lower.next(),
            };
            let position = Cube { ep: std::array::from_fn(edge).map(Option::unwrap_or_default), ..Cube::SOLVED };
            layers[usize::from(mask)] = EpKind::Layers.rank(&position) as u8;
        }
        for code in 0..256u16 {
            let order = [0, 2, 4, 6].map(|shift| (code >> shift & 3) as u8);
            if (0..4).all(|edge| order.contains(&edge)) {
                let mut position = Cube::SOLVED;
                position.ep[8..].iter_mut().zip(order).for_each(|(to, edge)| *to = 8 + edge);
                let bit = |bit: u8| (0..4).fold(0, |bits, i| bits | u32::from(order[i] >> bit & 1) << i);
                orders[order_bits(bit(0), bit(1))] = EpKind::Middle.rank(&position) as u8;
            }
        }
        let places = |places: usize| match places.count_ones() {
            4 => nx_entry(EoKind::Middle, 0, 0, SliceKind::rank_of_places(places as u16)) as u16,
            _ => 0,
        };
        Self { slices: Box::new(std::array::from_fn(places)), layers, orders }
    }
}

/// A table of Rokicki's family.
pub(super) struct Nx<'a> {
    table: &'static NxTable,
    eo: EoKind,
    ep: EpKind,
    /// The edge orientations that are told apart: `(middle edges' places ^ exchanged) & varying | fixed`.
    exchanged: u32,
    varying: u32,
    fixed: u32,
    row_entries: usize,
    /// Per corner coset: its row, and the symmetry to that.
    corners: &'static Corners,
    images: &'static Images,
    ranks: &'static Ranks,
    blocks: Blocks<'a>,
}

const ALL_EDGES: u32 = (1 << EDGES) - 1;

impl<'a> Nx<'a> {
    /// # Errors
    /// [`Error::Usage`](crate::error::Error::Usage) when there are not as many bytes as the table has.
    pub fn new(table: &'static NxTable, bytes: &'a [u8]) -> Result<Self> {
        // Checks the length.
        FlatTable::new(*table.layout(), bytes)?;
        Ok(Self::over(table, bytes))
    }

    fn over(table: &'static NxTable, bytes: &'a [u8]) -> Self {
        let (eo, ep) = table.edges();
        let (exchanged, varying, fixed) = match eo {
            EoKind::Middle => (0, ALL_EDGES, 0),
            EoKind::Layers => (ALL_EDGES, ALL_EDGES, 0),
            EoKind::All => (0, 0, EDGE_ORIENTATIONS as u32 - 1),
        };
        Self {
            table,
            eo,
            ep,
            exchanged,
            varying,
            fixed,
            row_entries: table.layout().row_entries() as usize,
            corners: Corners::get(),
            images: Images::get(),
            ranks: Ranks::get(),
            blocks: Blocks { base: table.base(), blocks: bytes.as_chunks().0 },
        }
    }
}

impl Heuristic for Nx<'_> {
    fn metric(&self) -> Metric {
        self.table.move_metric()
    }

    #[inline(always)]
    fn key<K: CubeKernel>(&self, kernel: K, seen: &PackedCube) -> u32 {
        let upper = !kernel.corner_bits::<DOWN_BIT>(&seen.corners) & 0xff;
        let key = u32::from(self.ranks.layers[upper as usize]) * CORNER_ORIENTATIONS as u32
            + u32::from(corner_orientation_number(&seen.corners));
        self.corners.prefetch(kernel, key);
        key
    }

    #[inline(always)]
    fn index<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> usize {
        let (row, symmetry) = self.corners.of(key);
        let edges = self.images.of(kernel, symmetry, edges);
        let middle = kernel.edge_bits::<MIDDLE_BIT>(&edges);
        let others = middle ^ ALL_EDGES;
        let told_apart = (middle ^ self.exchanged) & self.varying | self.fixed;
        let eo = kernel.gather(kernel.edge_bits::<EDGE_ORIENTATION_BIT>(&edges), told_apart);
        let order = || {
            let [low, high] =
                [kernel.edge_bits::<0>(&edges), kernel.edge_bits::<1>(&edges)].map(|bits| kernel.gather(bits, middle));
            u16::from(self.ranks.orders[order_bits(low, high)])
        };
        let layers = || {
            let lower = kernel.gather(kernel.edge_bits::<DOWN_BIT>(&edges), others);
            u16::from(self.ranks.layers[(!lower & 0xff) as usize])
        };
        let ep = match self.ep {
            EpKind::None => 0,
            EpKind::Middle => order(),
            EpKind::Layers => layers(),
            EpKind::Both => layers() * EpKind::Middle.count() as u16 + order(),
        };
        let slice = self.ranks.slices[(middle & ALL_EDGES) as usize];
        usize::from(row) * self.row_entries + nx_entry(self.eo, ep, eo as u16, 0) as usize + usize::from(slice)
    }

    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize) {
        self.blocks.prefetch(kernel, index);
    }

    #[inline(always)]
    fn bound(&self, index: usize, _before: u8) -> u8 {
        self.blocks.bound(index)
    }
}

/// Where the entry of a position is in a table of distances modulo 3.
pub(super) trait LocateEntry: Sync {
    /// The row and the entry of it, from the corner orientations and the edges.
    fn locate<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> (u16, usize);
}

/// A table of distances modulo 3, five to a byte, whose entries tell the change since a neighbour. A place for a digit of a
/// byte is one number.
pub(super) struct Modulo3Heuristic<'a, P> {
    table: &'static dyn CosetTable,
    locator: P,
    row_bytes: usize,
    bytes: &'a [u8],
}

/// Places that are counted for a byte.
const SLOTS: usize = 8;

impl<'a, P: LocateEntry> Modulo3Heuristic<'a, P> {
    /// # Errors
    /// [`Error::Usage`](crate::error::Error::Usage) when there are not as many bytes as the table has.
    fn new(table: &'static dyn CosetTable, locator: P, bytes: &'a [u8]) -> Result<Self> {
        // Checks the length.
        FlatTable::new(*table.layout(), bytes)?;
        Ok(Self { table, locator, row_bytes: table.layout().row_bytes(), bytes })
    }
}

impl<'a> Modulo3Heuristic<'a, LocatePhaseOne> {
    /// Over `phase1-kociemba`.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::error::Error::Usage) when there are not as many bytes as the table has.
    pub fn over_phase_one(table: &'static PhaseOneTable, bytes: &'a [u8]) -> Result<Self> {
        Self::new(table, LocatePhaseOne::get(), bytes)
    }
}

impl<'a> Modulo3Heuristic<'a, LocateHuge> {
    /// Over `huge`.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::error::Error::Usage) when there are not as many bytes as the table has.
    pub fn over_huge(table: &'static HugeTable, bytes: &'a [u8]) -> Result<Self> {
        Self::new(table, LocateHuge::get(), bytes)
    }
}

impl<P: LocateEntry> Heuristic for Modulo3Heuristic<'_, P> {
    const TELLS_BOUNDS: bool = false;

    fn metric(&self) -> Metric {
        self.table.move_metric()
    }

    #[inline(always)]
    fn index<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> usize {
        let (row, entry) = self.locator.locate(kernel, key, edges);
        let (byte, slot) = trits::locate(self.row_bytes, entry as u64);
        (usize::from(row) * self.row_bytes + byte) * SLOTS + slot
    }

    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize) {
        kernel.prefetch(self.bytes, index / SLOTS);
    }

    #[inline(always)]
    fn bound(&self, index: usize, before: u8) -> u8 {
        // A move changes the distance by one at most.
        trits::beside(before, trits::pick(self.bytes[index / SLOTS], index % SLOTS))
    }

    /// The distances of a position along the axes: walks tell them.
    fn first_bounds(&self, seen: [Cube; AXES]) -> Result<Bounds> {
        let cosets = Cosets::over(self.table, FlatTable::new(*self.table.layout(), self.bytes)?);
        let mut bounds = Bounds::default();
        for (axis, seen) in seen.iter().enumerate() {
            bounds = bounds.with(axis, cosets.distance(seen)?.moves());
        }
        Ok(bounds)
    }
}

/// Where entries of `phase1-kociemba` are.
pub(super) struct LocatePhaseOne(&'static FlipSliceClasses);

impl LocatePhaseOne {
    fn get() -> Self {
        Self(FlipSliceClasses::get())
    }
}

impl LocateEntry for LocatePhaseOne {
    #[inline(always)]
    fn locate<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> (u16, usize) {
        (0, coset_number(self.0, kernel, key, edges) as usize)
    }
}

/// Where entries of `huge` are.
pub(super) struct LocateHuge {
    classes: &'static SliceClasses,
    corner_orientations: &'static FlipSliceClasses,
    images: &'static Images,
}

impl LocateHuge {
    fn get() -> Self {
        let (classes, corner_orientations) = (SliceClasses::get(SliceKind::Sorted), FlipSliceClasses::get());
        Self { classes, corner_orientations, images: Images::get() }
    }
}

impl LocateEntry for LocateHuge {
    #[inline(always)]
    fn locate<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> (u16, usize) {
        let (row, symmetry) = self.classes.of(SliceKind::Sorted.rank(&std::array::from_fn(|place| edges[place] & 15)));
        let edge_orientations = kernel.edge_bits::<EDGE_ORIENTATION_BIT>(&self.images.of(kernel, symmetry, edges))
            as usize
            % EDGE_ORIENTATIONS;
        let corner_orientation = self.corner_orientations.corner_orientations(symmetry)[key as usize];
        (row, usize::from(corner_orientation) * EDGE_ORIENTATIONS + edge_orientations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::nibble;
    use crate::puzzle::cube3::random_cube;
    use crate::solve::packed_cube::{CubeWork, on_this_processor};
    use crate::store::Packing;
    use crate::tables;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// `phase1-kociemba`.
    fn modulo_3() -> &'static PhaseOneTable {
        tables::phase_one_tables(Metric::Htm).find(|table| table.layout().packing == Packing::Mod3).expect("a table")
    }

    /// A table without bytes.
    fn places_alone<P>(table: &'static dyn CosetTable, locator: P) -> Modulo3Heuristic<'static, P> {
        Modulo3Heuristic { table, locator, row_bytes: table.layout().row_bytes(), bytes: &[] }
    }

    /// Compares where a guide looks with the table's definition; `slots` is the number of places that a byte counts,
    /// `packed` tells where a place of the table is in what the solver makes of it.
    struct Places<'g, G> {
        heuristic: &'g G,
        table: &'static dyn CosetTable,
        slots: usize,
        packed: fn(usize) -> usize,
    }

    impl<G: Heuristic> CubeWork for Places<'_, G> {
        type Output = ();

        fn run<K: CubeKernel>(self, kernel: K) {
            let mut rng = ChaCha8Rng::seed_from_u64(4);
            let layout = self.table.layout();
            for _ in 0..500 {
                let position = random_cube(&mut rng);
                let (row, entry) = self.table.place(&position);
                let (byte, slot) = layout.packing.locate(layout.row_bytes(), entry);
                let place = (row as usize * layout.row_bytes() + byte) * self.slots + slot;
                let expected = (self.packed)(place);
                let seen = PackedCube::of(&position);
                let index = self.heuristic.index(kernel, self.heuristic.key(kernel, &seen), &seen.edges);
                assert_eq!(index, expected, "{}", layout.name);
            }
        }
    }

    fn check<G: Heuristic>(heuristic: &G, table: &'static dyn CosetTable, slots: usize, packed: fn(usize) -> usize) {
        Places { heuristic, table, slots, packed }.run(Portable);
        on_this_processor(Places { heuristic, table, slots, packed });
    }

    #[test]
    fn guides_look_where_the_definitions_say() {
        for metric in [Metric::Htm, Metric::Qtm] {
            let (table, blocks) = (tables::phase_one(metric), Blocks { base: 0, blocks: &[] });
            let heuristic = PhaseOne { table, classes: FlipSliceClasses::get(), blocks };
            check(&heuristic, table, 2, |place| place / BLOCK_ENTRIES * BLOCK_SLOTS + place % BLOCK_ENTRIES);
        }
        for table in tables::pruning_tables() {
            check(&Nx::over(table, &[]), table, 4, |place| place);
        }
        let table = modulo_3();
        check(&places_alone(table, LocatePhaseOne::get()), table, SLOTS, |place| place);
        let table = tables::huge();
        check(&places_alone(table, LocateHuge::get()), table, SLOTS, |place| place);
    }

    #[test]
    fn bases_are_two_below_most_distances() {
        assert_eq!([Metric::Htm, Metric::Qtm].map(|metric| base_of(tables::phase_one(metric))), [8, 9]);
    }

    /// Nothing more than the table's value is told, the value itself where it is among the most frequent ones, and of
    /// the others the least of a block.
    #[test]
    fn packed_distances_are_told_as_far_as_two_bits_go() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for length in [1, 30, 31, 32, 62, 1000] {
            let value = |rng: &mut ChaCha8Rng| (0..3).map(|_| rng.random_range(0..=4u8)).sum::<u8>();
            let values: Vec<u8> = (0..2 * length).map(|_| value(&mut rng)).collect();
            let bytes: Vec<u8> = values.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
            assert!(values.iter().enumerate().all(|(index, &value)| nibble::pick(bytes[index / 2], index) == value));
            let PackedPhaseOne { base, blocks } = &PackedPhaseOne::pack(&bytes, 4).unwrap();
            assert_eq!((*base, blocks.len()), (4, values.len().div_ceil(BLOCK_ENTRIES)));
            let told = Blocks { base: *base, blocks };
            for (block, values) in values.chunks(BLOCK_ENTRIES).enumerate() {
                let least = values.iter().copied().min().unwrap();
                for (at, &value) in values.iter().enumerate() {
                    let expected = if value <= *base { least } else { value.min(base + 3) };
                    assert_eq!(told.bound(block * BLOCK_SLOTS + at), expected, "{value} of {values:?}");
                }
            }
        }
    }

    #[test]
    fn changes_modulo_3_are_followed() {
        let table = tables::huge();
        for before in 0..14u8 {
            for after in [before.saturating_sub(1), before, before + 1] {
                let bytes = [after % 3 * 9];
                assert_eq!(Packing::Mod3.get(&bytes, 2), Some(after % 3));
                let heuristic =
                    Modulo3Heuristic { row_bytes: 1, bytes: &bytes, ..places_alone(table, LocateHuge::get()) };
                assert_eq!(heuristic.bound(2, before), after);
            }
        }
    }
}
