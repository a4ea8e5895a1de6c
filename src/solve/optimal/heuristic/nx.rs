//! The tables of Rokicki's family as guides.

use std::sync::LazyLock;

use super::{Blocks, Heuristic, Images};
use crate::packed_cube::{
    CubeKernel, DOWN_BIT, EDGE_ORIENTATION_BIT, MIDDLE_BIT, PackedCube, corner_orientation_number, order_bits,
};
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::coordinate::{
    CORNER_COSETS, CORNER_ORIENTATIONS, CornerCosetClasses, EDGE_ORIENTATIONS, EoKind, EpKind, SliceKind,
};
use twistbase_puzzle::cube3::{Cube, EDGES, Metric, Symmetry};
use twistbase_store::FlatTable;
use twistbase_tables::{CosetTable, Definition, NxTable, nx_entry};

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
pub(in crate::optimal) struct Nx<'a> {
    table: &'static NxTable,
    eo: EoKind,
    ep: EpKind,
    /// The edge orientations that are distinguished: `(middle edges' places ^ exchanged) & varying | fixed`.
    exchanged: u32,
    varying: u32,
    fixed: u32,
    class_entries: usize,
    /// Per corner coset: its class, and the symmetry to the representative of that.
    corners: &'static Corners,
    images: &'static Images,
    ranks: &'static Ranks,
    blocks: Blocks<'a>,
}

const ALL_EDGES: u32 = (1 << EDGES) - 1;

impl<'a> Nx<'a> {
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) when there are not as many bytes as the table has.
    pub fn new(table: &'static NxTable, bytes: &'a [u8]) -> Result<Self> {
        // Checks the length.
        FlatTable::new(*table.layout(), bytes)?;
        Ok(Self::over(table, bytes))
    }

    pub(super) fn over(table: &'static NxTable, bytes: &'a [u8]) -> Self {
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
            class_entries: table.class_entries() as usize,
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
        let (class, symmetry) = self.corners.of(key);
        let edges = self.images.of(kernel, symmetry, edges);
        let middle = kernel.edge_bits::<MIDDLE_BIT>(&edges);
        let others = middle ^ ALL_EDGES;
        let told_apart = (middle ^ self.exchanged) & self.varying | self.fixed;
        let eo = kernel.gather(kernel.edge_bits::<EDGE_ORIENTATION_BIT>(&edges), told_apart);
        let order = || {
            let low = kernel.gather(kernel.edge_bits::<0>(&edges), middle);
            let high = kernel.gather(kernel.edge_bits::<1>(&edges), middle);
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
        usize::from(class) * self.class_entries + nx_entry(self.eo, ep, eo as u16, 0) as usize + usize::from(slice)
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
