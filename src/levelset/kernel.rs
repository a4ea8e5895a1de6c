//! The inner step: OR a moved and relabelled block into another.

use std::sync::LazyLock;

use twistbase_core::math::perm8::{Relabelling, WORDS};
use twistbase_core::math::square::{D4, D4_ORDER};
use twistbase_core::simd::{Gfni512, VectorWork, Words256};

use super::block::{BLOCK_WORDS, Block};
use super::space::SlotMove;
#[cfg(target_arch = "x86_64")]
use super::{avx2, gfni};

/// Which implementation of the inner step of breadth-first search runs.
///
/// Those for some processors only hold a witness that this one has the instructions: [`Kernel::available`] makes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Table look-ups on 64-bit words; runs everywhere.
    Portable,
    /// AVX2: four words at a time, permuted by byte shuffles and exchanges of bits.
    Avx2(Words256),
    /// AVX-512 (F, BW, DQ, VL) with GFNI: eight words at a time.
    Avx512Gfni(Gfni512),
}

impl Kernel {
    /// The names of all, the slowest first.
    pub const NAMES: [&str; 3] = ["portable", "avx2", "avx512-gfni"];

    /// Those that this processor has, the slowest first. The portable one is always there.
    pub fn available() -> Vec<Self> {
        let kernels =
            [Some(Self::Portable), Words256::detect().map(Self::Avx2), Gfni512::detect().map(Self::Avx512Gfni)];
        kernels.into_iter().flatten().collect()
    }

    /// The fastest that this processor has.
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    /// Its name, for listings and benchmarks.
    pub const fn name(self) -> &'static str {
        let [portable, avx2, avx512_gfni] = Self::NAMES;
        match self {
            Self::Portable => portable,
            Self::Avx2(_) => avx2,
            Self::Avx512Gfni(_) => avx512_gfni,
        }
    }

    /// Adds to `to` every state `s` whose source `relabelling ∘ s ∘ slots` is in `from`.
    #[inline]
    pub fn or_moved(self, to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
        match self {
            Self::Portable => or_moved_portable(to, from, slots, relabelling),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(instructions) => avx2::or_moved(instructions, to, from, slots, relabelling),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Gfni(instructions) => gfni::or_moved(instructions, to, from, slots, relabelling),
        }
    }

    /// Makes each of 4 × 4 blocks the union of those in its line and its column (block `4 i + j` is in line `i` and column
    /// `j`).
    #[inline]
    pub(super) fn or_lines(self, to: &mut [&mut Block; 16], from: &[&Block; 16]) {
        self.run(OrLines { to, from });
    }

    /// Number of permutations of a set that are in `mask`.
    #[inline]
    pub fn count_in(self, set: &Block, mask: &Block) -> u64 {
        self.run(CountIn { set, mask })
    }

    /// Does something that is compiled for the kernel's registers.
    #[inline]
    fn run<W: VectorWork>(self, work: W) -> W::Output {
        match self {
            Self::Portable => work.run(),
            Self::Avx2(instructions) => instructions.run(work),
            Self::Avx512Gfni(instructions) => instructions.run(work),
        }
    }
}

/// See [`Kernel::count_in`].
struct CountIn<'a> {
    set: &'a Block,
    mask: &'a Block,
}

impl VectorWork for CountIn<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.set.count_in(self.mask)
    }
}

/// The maps `d -> left d right` of D4 on indices, as tables, by `left × 8 + right`.
pub(super) struct Products {
    /// `index[left × 8 + right][d]`: index of the product.
    pub(super) index: [[u8; D4_ORDER]; 64],
    /// `bits[left × 8 + right][byte]`: the byte whose bit `d` is bit `left d right` of `byte`.
    bits: [[u8; 256]; 64],
}

impl Products {
    pub(super) fn get() -> &'static Self {
        static PRODUCTS: LazyLock<Products> = LazyLock::new(|| {
            let mut products = Products { index: [[0; 8]; 64], bits: [[0; 256]; 64] };
            for left in D4::all() {
                for right in D4::all() {
                    let map = left.index() * 8 + right.index();
                    for d in D4::all() {
                        products.index[map][d.index()] = left.then_after(d).then_after(right).index() as u8;
                    }
                    let index = products.index[map];
                    for byte in 0..=255u8 {
                        products.bits[map][byte as usize] =
                            (0..8).fold(0, |moved, d| moved | (byte >> index[d] & 1) << d);
                    }
                }
            }
            products
        });
        &PRODUCTS
    }
}

/// With the exchange, the transposed word has the roles of P and Q, and so of their relabellings, exchanged too.
pub(super) fn left_factors(relabelling: Relabelling) -> (usize, usize) {
    let (p, q) = (relabelling.p.index(), relabelling.q.index());
    if relabelling.swap { (q, p) } else { (p, q) }
}

fn or_moved_portable(to: &mut Block, from: &Block, slots: &SlotMove, relabelling: Relabelling) {
    let products = Products::get();
    let (p_left, q_left) = left_factors(relabelling);
    let words = &slots.words[usize::from(relabelling.swap)];
    for (word, &from_word) in words[..WORDS].iter().enumerate() {
        let source = from.0[from_word as usize];
        if source == 0 {
            continue;
        }
        let source = if relabelling.swap { transpose(source) } else { source };
        let bytes = &products.index[p_left * 8 + usize::from(slots.p[word])];
        let bits = &products.bits[q_left * 8 + usize::from(slots.q[word])];
        let moved: [u8; 8] = std::array::from_fn(|d| bits[(source >> (8 * bytes[d]) & 0xff) as usize]);
        to.0[word] |= u64::from_le_bytes(moved);
    }
}

/// See [`Kernel::or_lines`].
struct OrLines<'t, 'b, 'f> {
    to: &'t mut [&'b mut Block; 16],
    from: &'f [&'f Block; 16],
}

impl VectorWork for OrLines<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        /// Words at a time: a cache line.
        const STEP: usize = 8;
        for first in (0..BLOCK_WORDS).step_by(STEP) {
            let (mut lines, mut columns) = ([[0u64; STEP]; 4], [[0u64; STEP]; 4]);
            for (i, block) in self.from.iter().enumerate() {
                let words = &block.0[first..first + STEP];
                for (word, (line, column)) in words.iter().zip(lines[i / 4].iter_mut().zip(&mut columns[i % 4])) {
                    *line |= word;
                    *column |= word;
                }
            }
            for (i, block) in self.to.iter_mut().enumerate() {
                let words = &mut block.0[first..first + STEP];
                for (word, (line, column)) in words.iter_mut().zip(lines[i / 4].iter().zip(&columns[i % 4])) {
                    *word = line | column;
                }
            }
        }
    }
}

/// Transposes an 8 × 8 bit matrix (bit `8 i + j` and bit `8 j + i` change places), in three rounds of exchanges.
fn transpose(mut m: u64) -> u64 {
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let t = (m ^ (m >> shift)) & mask;
        m ^= t ^ (t << shift);
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use twistbase_core::math::perm8::{PERMUTATIONS, Perm8, compose, rank, unrank};

    fn random_block(rng: &mut impl Rng, density: f64) -> Block {
        let mut block = Block::EMPTY;
        (0..PERMUTATIONS as u32).filter(|_| rng.random_bool(density)).for_each(|rank| block.insert(rank));
        block
    }

    /// The definition, one state at a time.
    fn or_moved_slowly(to: &mut Block, from: &Block, slots: &Perm8, relabelling: Relabelling) {
        for state in 0..PERMUTATIONS as u32 {
            let source = compose(&relabelling.labels(), &compose(&unrank(state), slots));
            if from.contains(rank(&source)) {
                to.insert(state);
            }
        }
    }

    #[test]
    fn every_kernel_follows_the_definition() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for trial in 0..200 {
            let slots = unrank(rng.random_range(0..PERMUTATIONS as u32));
            let element = |rng: &mut ChaCha8Rng| D4::from_index(rng.random_range(0..8));
            let relabelling = Relabelling { swap: trial % 2 == 1, p: element(&mut rng), q: element(&mut rng) };
            let density = [0.5, 0.001, 0.99][trial % 3];
            let (from, before) = (random_block(&mut rng, density), random_block(&mut rng, 0.1));
            let mut expected = before;
            or_moved_slowly(&mut expected, &from, &slots, relabelling);
            let tables = SlotMove::new(&slots);
            for kernel in Kernel::available() {
                let mut found = before;
                kernel.or_moved(&mut found, &from, &tables, relabelling);
                assert_eq!(found.words(), expected.words(), "{} {slots:?} {relabelling:?}", kernel.name());
            }
        }
    }

    /// All relabellings, and moves that multiply both coordinates by each element, on words of any bits.
    #[test]
    fn every_kernel_does_as_the_portable_one() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let moves: Vec<_> = (0..40).map(|_| SlotMove::new(&unrank(rng.random_range(0..PERMUTATIONS as u32)))).collect();
        for factor in 0..D4_ORDER as u8 {
            assert!(moves.iter().any(|slots| slots.p[..WORDS].contains(&factor)));
            assert!(moves.iter().any(|slots| slots.q[..WORDS].contains(&factor)));
        }
        let (from, before) = (random_block(&mut rng, 0.5), random_block(&mut rng, 0.1));
        for (swap, p, q) in
            [false, true].into_iter().flat_map(|s| D4::all().flat_map(move |p| D4::all().map(move |q| (s, p, q))))
        {
            let relabelling = Relabelling { swap, p, q };
            for slots in &moves {
                let mut expected = before;
                Kernel::Portable.or_moved(&mut expected, &from, slots, relabelling);
                for kernel in Kernel::available() {
                    let mut found = before;
                    kernel.or_moved(&mut found, &from, slots, relabelling);
                    assert_eq!(found.words(), expected.words(), "{} {relabelling:?}", kernel.name());
                }
            }
        }
    }

    /// Those that are missing here are missing in all tests.
    #[test]
    fn kernels_are_told_by_their_names() {
        let available: Vec<_> = Kernel::available().iter().map(|kernel| kernel.name()).collect();
        let in_order: Vec<_> = Kernel::NAMES.into_iter().filter(|name| available.contains(name)).collect();
        assert_eq!(available, in_order);
        assert_eq!(Some(&Kernel::detect().name()), available.last());
        for missing in Kernel::NAMES.iter().filter(|name| !available.contains(name)) {
            twistbase_testing::skipped::skipped(&format!("this processor has no kernel {missing}"));
        }
    }

    #[test]
    fn transpose_exchanges_row_and_column() {
        for (row, column) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            assert_eq!(transpose(1 << (8 * row + column)), 1 << (8 * column + row));
        }
    }
}
