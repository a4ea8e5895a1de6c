//! A set of permutations of eight, as bits.

use std::sync::LazyLock;

use bytemuck::{Pod, Zeroable};

use super::modulo3::BlockModulo3;
use twistbase_core::math::perm8::{self, PERMUTATIONS, WORDS, unrank};
use twistbase_core::math::prefetch::prefetch;

/// Words of a block: 630 for the 40,320 permutations and two of padding, so that a block is 79 whole cache lines.
pub const BLOCK_WORDS: usize = 632;

/// A set of permutations of eight: bit `rank % 64` of word `rank / 64` says whether the permutation of that
/// [rank](twistbase_core::math::perm8::rank) is in it. The two words of padding are zero.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
pub struct Block(pub(super) [u64; BLOCK_WORDS]);

const _: () = assert!(size_of::<Block>() == BLOCK_WORDS * 8 && WORDS * 64 == PERMUTATIONS);

impl Block {
    /// The empty set.
    pub const EMPTY: Self = Self([0; BLOCK_WORDS]);

    /// The even permutations, 20,160 of them.
    pub fn even() -> &'static Self {
        static EVEN: LazyLock<Block> = LazyLock::new(|| {
            let mut even = Block::EMPTY;
            (0..PERMUTATIONS as u32).filter(|&r| !perm8::is_odd(&unrank(r))).for_each(|rank| even.insert(rank));
            even
        });
        &EVEN
    }

    /// All 40,320 permutations.
    pub const FULL: Self = {
        let mut words = [u64::MAX; BLOCK_WORDS];
        let mut padding = WORDS;
        while padding < BLOCK_WORDS {
            words[padding] = 0;
            padding += 1;
        }
        Self(words)
    };

    /// The words, padding included.
    pub fn words(&self) -> &[u64; BLOCK_WORDS] {
        &self.0
    }

    /// Whether the permutation with that rank (0..40320) is in the set.
    pub fn contains(&self, rank: u32) -> bool {
        self.0[rank as usize / 64] >> (rank % 64) & 1 == 1
    }

    /// Adds the permutation with that rank (0..40320).
    pub fn insert(&mut self, rank: u32) {
        assert!((rank as usize) < PERMUTATIONS, "rank {rank} out of range");
        self.0[rank as usize / 64] |= 1 << (rank % 64);
    }

    /// Adds the permutation with that rank (0..40320); returns whether it is new.
    #[inline]
    pub fn add(&mut self, rank: u32) -> bool {
        let (word, bit) = (&mut self.0[rank as usize / 64], 1 << (rank % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Starts to load the block, which will soon be read.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.0);
    }

    /// Number of permutations in the set.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Number of permutations of the set that are in `mask`.
    #[inline]
    pub fn count_in(&self, mask: &Self) -> u64 {
        self.0.iter().zip(&mask.0).map(|(word, mask)| u64::from((word & mask).count_ones())).sum()
    }

    /// The ranks of the permutations in the set, rising.
    pub fn ranks(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).flat_map(|(word, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(word * 64 + bit)
            })
        })
    }

    /// Whether all permutations are in the set; most sets that are not full are recognised by their first words.
    pub fn is_full(&self) -> bool {
        self.0[..WORDS].iter().all(|&word| word == u64::MAX)
    }

    /// Whether every permutation of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).fold(0, |missing, (mine, theirs)| missing | (mine & !theirs)) == 0
    }

    /// The permutations of `self` that are in `mask`, and those of `other` that are not.
    pub fn select(&self, other: &Self, mask: &Self) -> Self {
        let mut result = Self::EMPTY;
        let words = self.0.iter().zip(&other.0).zip(&mask.0);
        for (to, ((&mine, &theirs), &mask)) in result.0.iter_mut().zip(words) {
            *to = (mine & mask) | (theirs & !mask);
        }
        result
    }

    /// Applies `f` to corresponding words of the two sets.
    pub fn combine(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut result = Self::EMPTY;
        for (to, (&mine, &theirs)) in result.0.iter_mut().zip(self.0.iter().zip(&other.0)) {
            *to = f(mine, theirs);
        }
        result
    }
}

/// The levels of the permutations of one block modulo 15, as four bit planes of `15 - level % 15`; 0 in all four is
/// "not reached".
///
/// The complement makes fresh zeroed memory the empty state, and adding a level an OR.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub struct BlockLevels(pub(super) [Block; 4]);

/// The nibble of an entry that no level holds. Levels are stored modulo this.
pub const UNSET: u8 = 15;

impl BlockLevels {
    /// The permutations that have a level.
    pub fn reached(&self) -> Block {
        let [a, b, c, d] = &self.0;
        let mut reached = Block::EMPTY;
        for (i, to) in reached.0.iter_mut().enumerate() {
            *to = a.0[i] | b.0[i] | c.0[i] | d.0[i];
        }
        reached
    }

    /// Gives `level`, of which the remainder by 15 is stored, to the permutations of `set`, which must have none yet.
    pub fn assign(&mut self, set: &Block, level: u8) {
        for (bit, plane) in self.0.iter_mut().enumerate() {
            if (UNSET - level % UNSET) >> bit & 1 == 1 {
                plane.0.iter_mut().zip(&set.0).for_each(|(to, new)| *to |= new);
            }
        }
    }

    /// The permutations with `level`, or one that leaves the same remainder by 15.
    pub fn at(&self, level: u8) -> Block {
        let mut set = Block::FULL;
        for (bit, plane) in self.0.iter().enumerate() {
            let flip = if (UNSET - level % UNSET) >> bit & 1 == 1 { 0 } else { u64::MAX };
            set.0.iter_mut().zip(&plane.0).for_each(|(to, word)| *to &= word ^ flip);
        }
        set
    }

    /// The same levels modulo 3; all permutations must have one.
    pub fn modulo3(&self) -> BlockModulo3 {
        let [a, b, c, d] = &self.0;
        let mut planes = BlockModulo3::zeroed();
        for i in 0..WORDS {
            // The planes are of 15 - level, of weight 1, 2, 4, 8: 1 and 4 leave 1, 2 and 8 leave 2. So the level leaves
            // what the sum of b and d leaves less that of a and c.
            let (plus, minus) = ([b.0[i], d.0[i]], [a.0[i], c.0[i]]);
            let [plus_two, plus_one] = [plus[0] & plus[1], plus[0] ^ plus[1]];
            let [minus_two, minus_one] = [minus[0] & minus[1], minus[0] ^ minus[1]];
            let (plus_none, minus_none) = (!(plus_two | plus_one), !(minus_two | minus_one));
            let zero = (plus_none & minus_none) | (plus_one & minus_one) | (plus_two & minus_two);
            let one = (plus_one & minus_none) | (plus_two & minus_one) | (plus_none & minus_two);
            let two = !(zero | one);
            planes.0[0].0[i] = zero | two;
            planes.0[1].0[i] = one | two;
        }
        planes
    }

    /// Takes the levels from nibbles, as [`BlockLevels::write_nibbles`] writes them.
    pub fn read_nibbles(&mut self, nibbles: &[u8]) {
        assert_eq!(nibbles.len(), PERMUTATIONS / 2);
        for (word, bytes) in nibbles.chunks_exact(32).enumerate() {
            let mut planes = [0u64; 4];
            for (i, eight) in bytes.chunks_exact(4).enumerate() {
                let complement = !u32::from_le_bytes(eight.try_into().expect("four bytes"));
                for (bit, plane) in planes.iter_mut().enumerate() {
                    *plane |= u64::from(lowest_of_nibbles(complement >> bit)) << (8 * i);
                }
            }
            for (to, plane) in self.0.iter_mut().zip(planes) {
                to.0[word] = plane;
            }
        }
    }

    /// Writes the levels modulo 15 as nibbles, two a byte, the lower rank in the low half; unreached ones as 15.
    /// `nibbles` holds 20,160 bytes.
    pub fn write_nibbles(&self, nibbles: &mut [u8]) {
        assert_eq!(nibbles.len(), PERMUTATIONS / 2);
        for (word, bytes) in nibbles.chunks_exact_mut(32).enumerate() {
            let planes = [0, 1, 2, 3].map(|bit| self.0[bit].0[word].to_le_bytes());
            for (i, out) in bytes.chunks_exact_mut(4).enumerate() {
                let spread = |bit: usize| SPREAD[planes[bit][i] as usize] << bit;
                let complement = spread(0) | spread(1) | spread(2) | spread(3);
                out.copy_from_slice(&(!complement).to_le_bytes());
            }
        }
    }
}

/// The lowest bit of each of eight nibbles, as a byte.
fn lowest_of_nibbles(nibbles: u32) -> u8 {
    let ones = nibbles & 0x1111_1111;
    let pairs = (ones | ones >> 3) & 0x0303_0303;
    let fours = (pairs | pairs >> 6) & 0x000f_000f;
    (fours | fours >> 12) as u8
}

/// The eight bits of a byte, each moved to the lowest bit of its own nibble.
const SPREAD: [u32; 256] = {
    let mut spread = [0u32; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= ((byte as u32 >> bit) & 1) << (4 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_read_back_as_sets_and_as_nibbles() {
        let mut levels = BlockLevels::zeroed();
        for level in 0..UNSET {
            let mut set = Block::EMPTY;
            (0..PERMUTATIONS as u32).filter(|rank| rank % 17 == u32::from(level)).for_each(|rank| set.insert(rank));
            levels.assign(&set, level);
        }
        let mut nibbles = vec![0; PERMUTATIONS / 2];
        levels.write_nibbles(&mut nibbles);
        for rank in 0..PERMUTATIONS as u32 {
            let expected = (rank % 17).min(15) as u8;
            assert_eq!(nibbles[rank as usize / 2] >> (4 * (rank % 2)) & 15, expected);
            assert_eq!(levels.reached().contains(rank), expected < 15);
            assert!((0..UNSET).all(|level| levels.at(level).contains(rank) == (level == expected)));
        }
        let mut read = BlockLevels::zeroed();
        read.read_nibbles(&nibbles);
        assert!((0..4).all(|plane| read.0[plane].0 == levels.0[plane].0));
        assert_eq!(levels.at(0).0[WORDS..], [0, 0], "padding stays empty");
    }

    #[test]
    fn full_and_empty_differ_by_every_permutation() {
        assert_eq!((Block::FULL.count(), Block::EMPTY.count()), (PERMUTATIONS as u64, 0));
        assert!(Block::EMPTY.is_subset(&Block::FULL) && !Block::FULL.is_subset(&Block::EMPTY));
        assert!(Block::FULL.is_full() && !Block::EMPTY.is_full());
        for missing in [0, 20_000, PERMUTATIONS - 1] {
            let mut most = Block::FULL;
            most.0[missing / 64] ^= 1 << (missing % 64);
            assert!(!most.is_full());
        }
    }
}
