//! Where a position of H has its bit.
//!
//! A row holds the positions with one permutation of the corners. Sixteen rows that turns of U and D make of each other
//! are a square; their edges are taken as they were before those turns, so that the turns change nothing but the row.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::packed_cube::{CubeKernel, PackedCube, order_bits};
use twistbase_core::math::perm8::{PERMUTATIONS, Perm8, SETS, Subsets, compose, is_odd, rank, unrank};
use twistbase_core::math::square::{COSETS, Order, compose4};
use twistbase_levelset::{BLOCK_WORDS, SQUARE, SlotMove, Spread, SpreadSource};
use twistbase_puzzle::cube3::coordinate::{PhaseTwoPlace, PhaseTwoPosition, middle_coset, middle_of_coset};
use twistbase_puzzle::cube3::{Face, Move};

/// The place of a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BitPlace {
    /// The corners: `16 × square + 4 × quarter turns of U + quarter turns of D`, 0..40320.
    pub row: u32,
    /// The middle edges, 0..12, as in [`PhaseTwoPlace::middle`].
    pub block: u8,
    /// [Rank](twistbase_core::math::perm8::rank) of the U and D edges before the turns.
    pub rank: u16,
}

/// The numbering of the rows.
pub(super) struct BitPlaces {
    /// By rank of the corners.
    rows: Vec<u16>,
    /// By row: rank of the corners.
    corners: Vec<u16>,
    /// The turns of U and D by place in a square, and what undoes them.
    turns: [[PhaseTwoPosition; 2]; SQUARE],
}

impl BitPlaces {
    /// The only instance; computed, in a millisecond or two, when first asked for.
    pub fn get() -> &'static Self {
        static PLACES: LazyLock<BitPlaces> = LazyLock::new(BitPlaces::new);
        &PLACES
    }

    fn new() -> Self {
        let turn = |face, quarters: usize| {
            let quarter = h_position(Move::new(face, 1));
            (0..quarters).fold(PhaseTwoPosition::SOLVED, |made, _| made.then(&quarter))
        };
        let turns = std::array::from_fn(|i| {
            let [there, back] = [[i / 4, i % 4], [(4 - i / 4) % 4, (4 - i % 4) % 4]]
                .map(|[up, down]| turn(Face::U, up).then(&turn(Face::D, down)));
            [there, back]
        });
        let mut places = Self { rows: vec![u16::MAX; PERMUTATIONS], corners: Vec::new(), turns };
        for number in 0..PERMUTATIONS {
            if places.rows[number] == u16::MAX {
                let first = unrank(number as u32);
                for [there, _] in &places.turns {
                    let corners = rank(&compose(&first, &there.corners));
                    places.rows[corners as usize] = places.corners.len() as u16;
                    places.corners.push(corners as u16);
                }
            }
        }
        places
    }

    /// The place of a position in H.
    #[inline]
    pub fn of(&self, position: &PhaseTwoPosition) -> BitPlace {
        let row = self.rows[rank(&position.corners) as usize];
        let [_, back] = &self.turns[usize::from(row) % SQUARE];
        let edges = compose(&position.edges, &back.edges);
        BitPlace { row: row.into(), block: middle_coset(position.middle).0, rank: rank(&edges) as u16 }
    }

    /// The position with that place.
    pub fn position(&self, place: BitPlace) -> PhaseTwoPosition {
        let [there, _] = &self.turns[place.row as usize % SQUARE];
        let corners = unrank(self.corners[place.row as usize].into());
        let edges = compose(&unrank(place.rank.into()), &there.edges);
        let middle = middle_of_coset(place.block, is_odd(&corners) ^ is_odd(&edges));
        PhaseTwoPosition { corners, edges, middle }
    }

    /// The row after something that does that to the corners.
    pub fn after(&self, row: usize, corners: &Perm8) -> usize {
        self.rows[rank(&compose(&unrank(self.corners[row].into()), corners)) as usize].into()
    }

    /// What the turns of U and D that lead to a place in a square do to the edges.
    pub fn edge_turns(&self, place: usize) -> &Perm8 {
        &self.turns[place][0].edges
    }

    /// The moves of H between the places.
    pub fn spread(&self) -> Spread {
        let half_turns: Vec<PhaseTwoPosition> =
            [Face::F, Face::R, Face::B, Face::L].map(|face| h_position(Move::new(face, 2))).into();
        let mut slots = Vec::new();
        let mut numbers: HashMap<Perm8, u16> = HashMap::new();
        let mut sources = Vec::with_capacity(self.corners.len() * half_turns.len());
        for (row, &corners) in self.corners.iter().enumerate() {
            for turn in &half_turns {
                let from = self.rows[rank(&compose(&unrank(corners.into()), &turn.corners)) as usize];
                let [there, back] = [self.turns[row % SQUARE][0], self.turns[usize::from(from) % SQUARE][1]];
                let moved = compose(&compose(&there.edges, &turn.edges), &back.edges);
                let number = *numbers.entry(moved).or_insert_with(|| {
                    slots.push(SlotMove::new(&moved));
                    slots.len() as u16 - 1
                });
                sources.push(SpreadSource { row: from.into(), slots: number });
            }
        }
        let block =
            |turn: &PhaseTwoPosition, number: u8| middle_coset(compose4(middle_of_coset(number, false), turn.middle)).0;
        let blocks = |turn| (0..PhaseTwoPlace::MIDDLES as u8).map(|number| block(turn, number).into()).collect();
        Spread::new(half_turns.iter().map(blocks).collect(), slots, sources)
    }
}

/// Finds places of positions as the search has them.
pub(super) struct BitFinder {
    /// By rank of the corners: the row.
    rows: Vec<u16>,
    /// Parts of a rank, by the places of labels 0 to 3 (a bit each), and by the orders of the labels 0 to 3 and 4 to 7
    /// ([`order_bits`]).
    sets: [u16; 256],
    first: [u16; 256],
    second: [u16; 256],
    /// By order of the middle edges: the first word of the block.
    middles: [u16; 256],
    /// The turns of U and D that lead to a place in a square, and what undoes them.
    there: [[u8; 16]; SQUARE],
    back: [[u8; 16]; SQUARE],
}

impl BitFinder {
    pub fn new(places: &BitPlaces) -> Self {
        let lanes = |edges: &Perm8| std::array::from_fn(|place| edges.get(place).copied().unwrap_or(place as u8));
        let mut finder = Self {
            rows: places.rows.clone(),
            sets: [0; 256],
            first: [0; 256],
            second: [0; 256],
            middles: [0; 256],
            there: std::array::from_fn(|i| lanes(&places.turns[i][0].edges)),
            back: std::array::from_fn(|i| lanes(&places.turns[i][1].edges)),
        };
        for (number, set) in (0..SETS).map(|set| (set, Subsets::get().mask(set))) {
            finder.sets[usize::from(set)] = (number * (PERMUTATIONS / SETS)) as u16;
        }
        for order in (0..=255u8).map(|code| [0, 2, 4, 6].map(|shift| code >> shift & 3)) {
            if (0..4).all(|label| order.contains(&label)) {
                let bits = |bit: u32| {
                    (0..).zip(order).fold(0, |bits, (place, label)| bits | u32::from(label >> bit & 1) << place)
                };
                let code = order_bits(bits(0), bits(1));
                let Order { coset, element } = Order::of(order);
                let (coset, element) = (u16::from(coset), element.index() as u16);
                finder.first[code] = (coset * COSETS as u16 * 8 + element) * 8;
                finder.second[code] = coset * 64 + element;
                finder.middles[code] = u16::from(middle_coset(order).0) * BLOCK_WORDS as u16;
            }
        }
        finder
    }

    /// The row of a position in H, and where its bit is in the row: `64 × word + bit of the word`.
    #[inline(always)]
    pub fn find<K: CubeKernel>(&self, kernel: K, pieces: &PackedCube) -> (u32, u32) {
        let corners = [
            kernel.corner_bits::<0>(&pieces.corners),
            kernel.corner_bits::<1>(&pieces.corners),
            kernel.corner_bits::<2>(&pieces.corners),
        ];
        let row = self.rows[self.rank_of(kernel, corners) as usize];
        let edges = kernel.edges(&pieces.edges, &self.back[usize::from(row) % SQUARE]);
        let bits = [kernel.edge_bits::<0>(&edges), kernel.edge_bits::<1>(&edges)];
        let middle = self.middles[order_bits(bits[0] >> 8, bits[1] >> 8)];
        (row.into(), u32::from(middle) * 64 + self.rank_of_edges(kernel, &edges))
    }

    /// The rank of the U and D edges, which are in the lowest three bits of the lowest eight lanes.
    #[inline(always)]
    pub fn rank_of_edges<K: CubeKernel>(&self, kernel: K, edges: &[u8; 16]) -> u32 {
        let low = kernel.edge_bits::<0>(edges) & 0xff;
        let high = kernel.edge_bits::<1>(edges) & 0xff;
        let upper = kernel.edge_bits::<2>(edges) & 0xff;
        self.rank_of(kernel, [low, high, upper])
    }

    /// What something that does `edges` to the edges, and leads from one row to another, does to those of the rows.
    #[inline(always)]
    pub fn between_rows<K: CubeKernel>(&self, kernel: K, from: usize, edges: &[u8; 16], to: usize) -> [u8; 16] {
        kernel.edges(&kernel.edges(&self.there[from % SQUARE], edges), &self.back[to % SQUARE])
    }

    /// The [rank](twistbase_core::math::perm8::rank) of a permutation, given by the three bits of its labels.
    #[inline(always)]
    fn rank_of<K: CubeKernel>(&self, kernel: K, [low, high, upper]: [u32; 3]) -> u32 {
        let lower = !upper & 0xff;
        let first = order_bits(kernel.gather(low, lower), kernel.gather(high, lower));
        let second = order_bits(kernel.gather(low, upper), kernel.gather(high, upper));
        u32::from(self.sets[lower as usize & 0xff] + self.first[first & 0xff] + self.second[second & 0xff])
    }

    /// The rank in its block of a bit at such a place in a row.
    pub const fn rank(place: u32) -> u32 {
        place % (BLOCK_WORDS as u32 * 64)
    }
}

/// A move of H.
fn h_position(turn: Move) -> PhaseTwoPosition {
    PhaseTwoPosition::of(&turn.cube()).expect("a move of H")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed_cube::{CubeWork, Portable, on_this_processor};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase_puzzle::cube3::random_in_h;

    struct PlacesCheck;

    impl CubeWork for PlacesCheck {
        type Output = ();

        fn run<K: CubeKernel>(self, kernel: K) {
            let (places, mut rng) = (BitPlaces::get(), ChaCha8Rng::seed_from_u64(5));
            let finder = BitFinder::new(places);
            for _ in 0..5000 {
                let position = random_in_h(&mut rng);
                let h_position = PhaseTwoPosition::of(&position).unwrap();
                let place = places.of(&h_position);
                assert_eq!(places.position(place), h_position);
                let (row, bit) = finder.find(kernel, &PackedCube::of(&position));
                assert_eq!(
                    (row, bit),
                    (place.row, u32::from(place.block) * BLOCK_WORDS as u32 * 64 + u32::from(place.rank))
                );
                assert_eq!(BitFinder::rank(bit), u32::from(place.rank));
            }
        }
    }

    #[test]
    fn every_kernel_finds_the_place_of_a_position() {
        PlacesCheck.run(Portable);
        on_this_processor(PlacesCheck);
    }

    #[test]
    fn turns_of_u_and_d_change_the_row_alone() {
        let (places, mut rng) = (BitPlaces::get(), ChaCha8Rng::seed_from_u64(6));
        for _ in 0..500 {
            let position = random_in_h(&mut rng);
            let place = places.of(&PhaseTwoPosition::of(&position).unwrap());
            for turn in Move::all().filter(|turn| matches!(turn.face(), Face::U | Face::D)) {
                let after = places.of(&PhaseTwoPosition::of(&position.turned(turn)).unwrap());
                assert_eq!((after.block, after.rank), (place.block, place.rank));
                let [line, column] = [after.row / 4 == place.row / 4, after.row % 4 == place.row % 4];
                assert!(after.row / 16 == place.row / 16 && line != column);
            }
        }
    }
}
