//! What the pruning tables of optimal solvers distinguish about the edges besides where the middle ones are.

use super::phase_one::{SLICES, SliceKind, edge_orientation, lowest_bits, set_edge_orientation};
use crate::cube3::cube::{Cube, EDGES};
use crate::cube3::moves::Move;
use crate::cube3::symmetry::Symmetry;
use twistbase_core::math::bits;

/// Sets of four of eight places: 8 choose 4.
pub(super) const LAYERS: usize = 70;
/// Orders of the middle edges: 4!.
const ORDERS: usize = 24;

/// Sets of four of eight places as masks, in rising order.
pub(super) static LAYER_MASKS: [u8; LAYERS] = {
    let (mut masks, mut found, mut mask) = ([0; LAYERS], 0, 0u16);
    while mask < 256 {
        if mask.count_ones() == 4 {
            masks[found] = mask as u8;
            found += 1;
        }
        mask += 1;
    }
    masks
};

/// The number of each such mask; of other masks 255.
pub(super) static LAYER_RANKS: [u8; 256] = {
    let (mut ranks, mut rank) = ([u8::MAX; 256], 0);
    while rank < LAYERS {
        ranks[LAYER_MASKS[rank] as usize] = rank as u8;
        rank += 1;
    }
    ranks
};

/// Which edge orientations of edges are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EoKind {
    /// Those of the four middle edges: bit `i` for the `i`th place that holds one.
    Middle,
    /// Those of the eight others: bit `i` for the `i`th place that holds one.
    Layers,
    /// All: [`edge_orientation`].
    All,
}

/// What is distinguished about the permutation of the edges, besides the places of the middle ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EpKind {
    /// Nothing.
    None,
    /// The order of the middle edges in their places: the rank of it that [`SliceKind::Sorted`] has.
    Middle,
    /// Which of the eight other places hold U edges: the rank of the mask, its bit `i` for the `i`th of these places,
    /// among the masks with four bits.
    Layers,
    /// Both: 24 × the rank of the mask + that of the order.
    Both,
}

impl EoKind {
    /// All three, coarsest first.
    pub const ALL: [Self; 3] = [Self::Middle, Self::Layers, Self::All];

    /// Number of values: 2^4, 2^8 or 2^11.
    pub const fn count(self) -> usize {
        match self {
            Self::Middle => 16,
            Self::Layers => 256,
            Self::All => 2048,
        }
    }

    /// The number of a position's edge orientations.
    #[inline]
    pub fn rank(self, position: &Cube) -> u16 {
        match self {
            Self::Middle => compress(lowest_bits(&position.eo), middle_places(position)),
            Self::Layers => compress(lowest_bits(&position.eo), !middle_places(position) & 0xfff),
            Self::All => edge_orientation(position),
        }
    }

    /// Sets the edge orientations to those of a number, and of the others as few as the parity demands; the edges must
    /// be in place.
    #[doc(hidden)]
    pub fn set(self, position: &mut Cube, rank: u16) {
        let told = match self {
            Self::Middle => middle_places(position),
            Self::Layers => !middle_places(position) & 0xfff,
            Self::All => return set_edge_orientation(position, rank),
        };
        let mut bits = rank;
        for (place, edge_orientation) in position.eo.iter_mut().enumerate() {
            *edge_orientation = if told >> place & 1 == 1 { (bits & 1) as u8 } else { 0 };
            bits >>= told >> place & 1;
        }
        position.eo[told.trailing_ones() as usize] ^= (rank.count_ones() & 1) as u8;
    }
}

impl EpKind {
    /// All four, coarsest first.
    pub const ALL: [Self; 4] = [Self::None, Self::Middle, Self::Layers, Self::Both];

    /// Number of values: 1, 4!, 8 choose 4, or the product of these.
    pub const fn count(self) -> usize {
        self.layers() * self.orders()
    }

    /// Masks of U edges that are distinguished.
    #[doc(hidden)]
    pub const fn layers(self) -> usize {
        match self {
            Self::None | Self::Middle => 1,
            Self::Layers | Self::Both => LAYERS,
        }
    }

    /// Orders of middle edges that are distinguished.
    #[doc(hidden)]
    pub const fn orders(self) -> usize {
        match self {
            Self::None | Self::Layers => 1,
            Self::Middle | Self::Both => ORDERS,
        }
    }

    /// Edges of that number, with the middle ones in the places of `slice`; what is not distinguished is in rising order.
    #[doc(hidden)]
    pub fn edges(self, slice: u16, rank: u16) -> [u8; EDGES] {
        let (layers, order) = (usize::from(rank) / self.orders(), usize::from(rank) % self.orders());
        let mut edges = SliceKind::Sorted.edges(slice * ORDERS as u16 + order as u16);
        if self.layers() > 1 {
            let (mut upper, mut lower) = (0..4, 4..8);
            let others = edges.iter_mut().filter(|edge| **edge < 8);
            for (place, edge) in others.enumerate() {
                let next = if LAYER_MASKS[layers] >> place & 1 == 1 { upper.next() } else { lower.next() };
                // Four bits of the mask are set.
                *edge = next.unwrap_or_default();
            }
        }
        edges
    }

    /// The number of a position's edges.
    #[inline]
    pub fn rank(self, position: &Cube) -> u16 {
        let order = || SliceKind::Sorted.rank(&position.ep) % ORDERS as u16;
        let layers = || {
            // Bit 2 of the others' numbers tells D from U.
            let upper = lowest_bits(&position.ep.map(|edge| (edge >> 2 & 1) ^ 1));
            u16::from(LAYER_RANKS[usize::from(compress(upper, !middle_places(position) & 0xfff))])
        };
        match self {
            Self::None => 0,
            Self::Middle => order(),
            Self::Layers => layers(),
            Self::Both => layers() * ORDERS as u16 + order(),
        }
    }
}

/// The places that hold middle edges, a bit each.
#[inline]
fn middle_places(position: &Cube) -> u16 {
    lowest_bits(&position.ep.map(|edge| edge >> 3))
}

/// The bits of `bits` that `mask` selects, moved together.
#[inline]
pub(super) fn compress(bits: u16, mask: u16) -> u16 {
    bits::gather(bits.into(), mask.into()) as u16
}

/// What a move and then a symmetry that keeps the axis do to edges.
pub struct EdgeMoves {
    /// What is then in place `i` was in place `from[i]`.
    from: [u8; EDGES],
    /// The places in which an edge of a layer is turned over then, a bit each, and those in which a middle one is.
    turned: [u16; 2],
}

/// What these do, given where the middle edges are.
///
/// Places are counted among those that hold middle edges, among those that hold others, or all, always in rising order:
/// what is then in the `i`th place was in place `from[i]`.
#[derive(Debug, Clone)]
pub struct EdgeMove {
    /// Where the middle edges are then.
    pub slice: u16,
    /// By places of middle edges, of others, and all.
    pub middle: [u8; 4],
    /// See `middle`.
    pub layers: [u8; 8],
    /// See `middle`.
    pub all: [u8; EDGES],
    /// The edges that are turned over, a bit for each place they are in then, counted in the same three ways.
    pub turned: [u16; 3],
}

impl EdgeMoves {
    /// What `turn` and then `symmetry` do.
    pub fn new(turn: Move, symmetry: Symmetry) -> Self {
        let (moved, back) = (turn.cube(), symmetry.inverse().motion());
        let mut turned = [0; 2];
        // Whether an edge is turned over depends on its place and on whether it is a middle one. Three sets of four
        // places are enough to see each kind in each place.
        for places in [0x00f, 0x0f0, 0xf00] {
            let before = Cube { ep: SliceKind::Places.edges(SliceKind::rank_of_places(places)), ..Cube::SOLVED };
            let after = symmetry.of(&before.turned(turn));
            let (flipped, middle) = (lowest_bits(&after.eo), middle_places(&after));
            turned[0] |= flipped & !middle;
            turned[1] |= flipped & middle;
        }
        Self { from: back.ep.map(|place| moved.ep[usize::from(place)]), turned }
    }

    /// What they do when the middle edges are where `slice` says.
    pub fn at(&self, slice: u16) -> EdgeMove {
        let was = SLICES.masks[usize::from(slice)];
        let is = (0..).zip(&self.from).fold(0, |is, (to, &from)| is | (was >> from & 1) << to);
        let others = !is & 0xfff;
        let flipped = (self.turned[0] & others) | (self.turned[1] & is);
        EdgeMove {
            slice: SliceKind::rank_of_places(is),
            middle: among(&self.from, was, is),
            layers: among(&self.from, !was & 0xfff, others),
            all: self.from,
            turned: [compress(flipped, is), compress(flipped, others), flipped],
        }
    }
}

impl EdgeMove {
    /// By places of the kind of edges whose edge orientations are distinguished.
    pub fn from(&self, kind: EoKind) -> &[u8] {
        match kind {
            EoKind::Middle => &self.middle,
            EoKind::Layers => &self.layers,
            EoKind::All => &self.all,
        }
    }

    /// What is turned over of these.
    pub fn turned(&self, kind: EoKind) -> u16 {
        self.turned[kind as usize]
    }
}

/// Places of edges in the mask `is` as numbers within the mask `was` of the places that they come from.
fn among<const N: usize>(all: &[u8; EDGES], was: u16, mut is: u16) -> [u8; N] {
    std::array::from_fn(|_| {
        // Both masks have N bits.
        let from = all[is.trailing_zeros() as usize];
        is &= is - 1;
        (was & ((1 << from) - 1)).count_ones() as u8
    })
}

/// What a symmetry that keeps the axis renames the middle edges to, all counted from 0.
pub fn middle_names(symmetry: Symmetry) -> [u8; 4] {
    std::array::from_fn(|edge| symmetry.motion().ep[edge + 8] - 8)
}

/// Whether a symmetry that keeps the axis exchanges the layers.
pub fn exchanges_layers(symmetry: Symmetry) -> bool {
    symmetry.motion().ep[0] >= 4
}

/// Where orders of middle edges go: what is then in the `i`th place was in place `from[i]`, and the edges are renamed.
pub fn order_images(names: &[u8; 4], from: &[u8; 4]) -> Box<[u16]> {
    let image = |order: &[u8; 4]| {
        let edge = |&place: &u8| usize::from(names[usize::from(order[usize::from(place)])]);
        let code = from.iter().fold(0, |code, place| code << 2 | edge(place));
        SLICES.order[code].into()
    };
    SLICES.orders.iter().map(image).collect()
}

/// The same for which of the eight other places hold U edges, or which of their eight U corners, when the layers are
/// exchanged or not.
pub fn layer_images(exchanged: bool, from: &[u8; 8]) -> Box<[u16]> {
    let exchanged = if exchanged { u8::MAX } else { 0 };
    let image = |&mask: &u8| {
        let moved = (0..).zip(from).fold(0, |moved, (to, &place)| moved | (mask >> place & 1) << to);
        LAYER_RANKS[usize::from(moved ^ exchanged)].into()
    };
    LAYER_MASKS.iter().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube3::{Metric, random_cube};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn masks_have_ranks() {
        assert!((0..).zip(&LAYER_MASKS).all(|(rank, &mask)| LAYER_RANKS[usize::from(mask)] == rank));
        assert_eq!((LAYER_MASKS[0], LAYER_MASKS[69]), (0x0f, 0xf0));
    }

    /// Every coordinate of a position after a move and a symmetry follows from those before.
    #[test]
    fn moves_of_coordinates_are_those_of_positions() {
        let mut rng = ChaCha8Rng::seed_from_u64(70);
        for _ in 0..20 {
            let position = random_cube(&mut rng);
            let slice = SliceKind::Places.rank(&position.ep);
            for (turn, symmetry) in Metric::Htm.moves().flat_map(|m| Symmetry::keeping_axis().map(move |s| (m, s))) {
                let image = symmetry.of(&position.turned(turn));
                let moved = EdgeMoves::new(turn, symmetry).at(slice);
                assert_eq!(moved.slice, SliceKind::Places.rank(&image.ep));
                for kind in EoKind::ALL {
                    // The edge orientations that are distinguished, and the last one that follows from the others.
                    let rank = kind.rank(&position);
                    let bits = if kind == EoKind::All { rank | (rank.count_ones() as u16 & 1) << 11 } else { rank };
                    let to = (0..).zip(moved.from(kind)).fold(0, |to, (i, &from)| to | (bits >> from & 1) << i);
                    let right = (to ^ moved.turned(kind)) & (kind.count() - 1) as u16;
                    assert_eq!(right, kind.rank(&image), "{kind:?}");
                }
                let orders = order_images(&middle_names(symmetry), &moved.middle);
                let layers = layer_images(exchanges_layers(symmetry), &moved.layers);
                assert_eq!(orders[usize::from(EpKind::Middle.rank(&position))], EpKind::Middle.rank(&image));
                assert_eq!(layers[usize::from(EpKind::Layers.rank(&position))], EpKind::Layers.rank(&image));
                let both = [EpKind::Layers, EpKind::Middle].map(|kind| kind.rank(&image));
                assert_eq!(EpKind::Both.rank(&image), both[0] * 24 + both[1]);
            }
        }
    }
}
