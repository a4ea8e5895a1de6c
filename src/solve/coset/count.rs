//! Counting positions with weights.

use std::collections::BTreeSet;

use super::places::BitPlaces;
use super::weights::CosetWeights;
use twistbase_core::math::perm8::{PERMUTATIONS, compose, rank, unrank};
use twistbase_levelset::{Block, Kernel, SQUARE};

/// Weights by place of a bit.
pub(super) struct Weigher {
    /// Per place of a row in its square, and rank in a block.
    weights: Vec<u16>,
    /// Per weight other than 0: the weight, and per place in a square the ranks that have it.
    masks: Vec<(u64, Vec<Block>)>,
}

impl Weigher {
    /// The weights of the edges, as the rows see them.
    pub fn new(weights: &CosetWeights) -> Self {
        let places = BitPlaces::get();
        let weight = |place: usize, number: usize| {
            weights.by_edges()[rank(&compose(&unrank(number as u32), places.edge_turns(place))) as usize]
        };
        let by_place: Vec<u16> =
            (0..SQUARE * PERMUTATIONS).map(|i| weight(i / PERMUTATIONS, i % PERMUTATIONS)).collect();
        let different: BTreeSet<u16> = by_place.iter().copied().filter(|&weight| weight != 0).collect();
        let mask = |weight: u16, place: &[u16]| {
            let mut mask = Block::EMPTY;
            (0..).zip(place).filter(|&(_, &of_rank)| of_rank == weight).for_each(|(rank, _)| mask.insert(rank));
            mask
        };
        let masks = |weight| by_place.chunks(PERMUTATIONS).map(|place| mask(weight, place)).collect();
        let masks = different.into_iter().map(|weight| (u64::from(weight), masks(weight))).collect();
        Self { weights: by_place, masks }
    }

    /// The weight of a bit.
    #[inline]
    pub fn weight(&self, row: u32, rank: u32) -> u64 {
        self.weights[row as usize % SQUARE * PERMUTATIONS + rank as usize].into()
    }

    /// The sum of the weights of the bits of a row.
    pub fn of_row(&self, row: usize, blocks: &[Block], kernel: Kernel) -> u64 {
        let of_weight = |(weight, masks): &(u64, Vec<Block>)| {
            let mask = &masks[row % SQUARE];
            weight * blocks.iter().map(|block| kernel.count_in(block, mask)).sum::<u64>()
        };
        self.masks.iter().map(of_weight).sum()
    }
}
