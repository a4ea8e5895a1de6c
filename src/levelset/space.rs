//! A space as the engine sees it: which blocks the states of a block are reached from.

use std::sync::Arc;

use twistbase_core::math::perm8::{Perm8, Relabelling, SETS, Subsets, WORDS, word_index};
use twistbase_core::math::square::{COSETS, Order};

use super::block::BLOCK_WORDS;

/// How a permutation of the eight slots acts on a block: state `s` is taken from state `s ∘ slots`
/// (which holds in slot `i` what `s` holds in slot `slots[i]`), before any relabelling.
///
/// Per destination word: the word it is taken from, and the elements of D4 by which its two
/// coordinates are multiplied from the right.
pub struct SlotMove {
    /// Source words without and with an exchange of P and Q; padding words point at padding.
    pub(super) words: [[u16; BLOCK_WORDS]; 2],
    /// Right factor of the coordinate dP.
    pub(super) p: [u8; BLOCK_WORDS],
    /// Right factor of the coordinate dQ.
    pub(super) q: [u8; BLOCK_WORDS],
}

impl SlotMove {
    /// Tables for the slot permutation `slots`, a permutation of 0..8.
    pub fn new(slots: &Perm8) -> Self {
        let padding = WORDS as u16;
        let mut tables = Self { words: [[padding; BLOCK_WORDS]; 2], p: [0; BLOCK_WORDS], q: [0; BLOCK_WORDS] };
        let subsets = Subsets::get();
        for set in 0..SETS {
            let mask = subsets.mask(set);
            let (p_source, p_places) = moved_places(slots, mask);
            let (_, q_places) = moved_places(slots, !mask);
            for p_coset in 0..COSETS {
                for q_coset in 0..COSETS {
                    let word = word_index(set, p_coset, q_coset);
                    let p = Order::moved_coset(p_coset, p_places);
                    let q = Order::moved_coset(q_coset, q_places);
                    let (pc, qc) = (p.coset as usize, q.coset as usize);
                    tables.words[0][word] = word_index(subsets.rank(p_source), pc, qc) as u16;
                    tables.words[1][word] = word_index(subsets.rank(!p_source), qc, pc) as u16;
                    tables.p[word] = p.element.index() as u8;
                    tables.q[word] = q.element.index() as u8;
                }
            }
        }
        tables
    }
}

/// For the labels that sit in the slots `mask`: the slots that they sit in after the move, and the place (0..4, in
/// slot order) that each place of those comes from.
fn moved_places(slots: &Perm8, mask: u8) -> (u8, [u8; 4]) {
    let mut moved = 0u8;
    let mut places = [0; 4];
    let mut next = 0;
    for (to, &from) in slots.iter().enumerate() {
        if mask >> from & 1 == 1 {
            moved |= 1 << to;
            places[next] = (mask & ((1 << from) - 1)).count_ones() as u8;
            next += 1;
        }
    }
    (moved, places)
}

/// Where one block of a row is reached from under one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockSource {
    /// The block of the source row.
    pub block: u32,
    /// The relabelling that brought it to its representative.
    pub relabelling: Relabelling,
}

/// Which states of a block a [`RowSource`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Part {
    /// All of them.
    #[default]
    All,
    /// The even permutations.
    Even,
    /// The odd permutations.
    Odd,
}

/// The largest cost of a move.
pub const MOST_COST: u8 = 2;

/// One move into a row: the state (row, b, s) is reached from the state
/// (`row`, `blocks[b].block`, `blocks[b].relabelling ∘ s ∘ slots`).
pub struct RowSource {
    /// The row it comes from.
    pub row: u32,
    /// How many levels the move counts, 1 or 2.
    pub cost: u8,
    /// The permutations `s` that come from there. Two sources, for the even ones and for the odd ones, make one move
    /// where the parity of `s` decides the block.
    pub part: Part,
    /// How its slots move; moves that do the same share it.
    pub slots: Arc<SlotMove>,
    /// Per block of the destination row.
    pub blocks: Vec<BlockSource>,
}

/// A space of rows × blocks × 40,320 states, with the moves into each row.
///
/// The moves must come in inverse pairs, and the set of the starting states must be closed under whatever symmetry
/// makes two states of a row one position: the engine then keeps every level closed.
pub struct Space {
    blocks: usize,
    rows: Vec<Vec<RowSource>>,
}

impl Space {
    /// A space of `rows.len()` rows of `blocks` blocks, with the moves into each row.
    ///
    /// # Panics
    /// If a move names a row or block that does not exist, or costs nothing or more than `MOST_COST`.
    pub fn new(blocks: usize, rows: Vec<Vec<RowSource>>) -> Self {
        for source in rows.iter().flatten() {
            assert!((1..=MOST_COST).contains(&source.cost));
            assert!((source.row as usize) < rows.len() && source.blocks.len() == blocks);
            assert!(source.blocks.iter().all(|from| (from.block as usize) < blocks));
        }
        Self { blocks, rows }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Number of blocks in each row.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The moves into a row.
    pub fn sources(&self, row: usize) -> &[RowSource] {
        &self.rows[row]
    }

    /// The largest cost of any move, at least 1: this number of levels back the engine looks.
    pub fn most_cost(&self) -> u8 {
        self.rows.iter().flatten().map(|source| source.cost).max().unwrap_or(1)
    }

    /// Number of blocks in all rows.
    pub fn total_blocks(&self) -> usize {
        self.rows() * self.blocks
    }
}
