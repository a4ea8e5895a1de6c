//! Permutations of eight things, ranked so that moves and relabellings act on whole words.
//!
//! The rank splits the eight labels into P = 0..4 and Q = 4..8:
//!
//! `rank = (((set × 3 + cP) × 3 + cQ) × 8 + dP) × 8 + dQ`, 0..40320, where `set` (0..70) is the set of
//! slots that hold P, and (cP, dP), (cQ, dQ) are the orders of P and of Q in their slots as
//! [`Order`]s. A 64-bit word is the 8 × 8 elements (dP, dQ) of one (set, cP, cQ).

use super::square::{COSETS, D4, D4_ORDER, Order, Perm4};

/// A permutation of eight: `p[slot] = label`.
pub type Perm8 = [u8; 8];

/// 8!
pub const PERMUTATIONS: usize = 40_320;
/// Four-element subsets of eight slots: 8 choose 4.
pub const SETS: usize = 70;
/// Words (set, cP, cQ) of 64 permutations each: 70 × 3 × 3.
pub const WORDS: usize = SETS * COSETS * COSETS;

/// Four-element subsets of eight slots, as bit masks in increasing order, and the way back.
pub struct Subsets {
    masks: [u8; SETS],
    rank: [u8; 256],
}

static SUBSETS: Subsets = {
    let mut subsets = Subsets { masks: [0; SETS], rank: [u8::MAX; 256] };
    let (mut mask, mut rank) = (0usize, 0);
    while mask < 256 {
        if mask.count_ones() == 4 {
            subsets.masks[rank] = mask as u8;
            subsets.rank[mask] = rank as u8;
            rank += 1;
        }
        mask += 1;
    }
    subsets
};

impl Subsets {
    /// The only instance, computed by the compiler.
    pub fn get() -> &'static Self {
        &SUBSETS
    }

    /// The set with rank `rank` (0..70) as a mask of slots.
    pub fn mask(&self, rank: usize) -> u8 {
        self.masks[rank]
    }

    /// The rank (0..70) of a mask with four bits set.
    pub fn rank(&self, mask: u8) -> usize {
        debug_assert_eq!(mask.count_ones(), 4);
        self.rank[mask as usize] as usize
    }
}

/// The word of (set, cP, cQ), 0..630.
pub const fn word_index(set: usize, p_coset: usize, q_coset: usize) -> usize {
    (set * COSETS + p_coset) * COSETS + q_coset
}

/// The rank (0..40320) of `perm`, which must be a permutation of 0..8.
#[inline]
pub fn rank(perm: &Perm8) -> u32 {
    // The three bits of each label, brought together for four slots at a time.
    let labels = u64::from_le_bytes(*perm);
    let pairs = (labels | labels >> 5) & 0x003F_003F_003F_003F;
    let fours = pairs | pairs >> 10;
    let (first, last) = (FOURS[(fours & 0xFFF) as usize], FOURS[(fours >> 32 & 0xFFF) as usize]);
    let codes_p = u32::from(first.p) | u32::from(last.p) << first.p_bits;
    let codes_q = u32::from(first.q) | u32::from(last.q) << (8 - first.p_bits);
    let (p, q) = (Order::of_code(codes_p as usize), Order::of_code(codes_q as usize));
    let word = word_index(Subsets::get().rank(first.mask | last.mask << 4), p.coset as usize, q.coset as usize);
    ((word * D4_ORDER + p.element.index()) * D4_ORDER + q.element.index()) as u32
}

/// Four slots of a permutation.
#[derive(Clone, Copy)]
struct Four {
    /// The slots that hold labels of P.
    mask: u8,
    /// The labels of P, and of Q less 4, two bits each, in their order.
    p: u8,
    q: u8,
    /// Bits of `p`.
    p_bits: u8,
}

/// Four slots by their labels, three bits each.
static FOURS: [Four; 1 << 12] = {
    let mut fours = [Four { mask: 0, p: 0, q: 0, p_bits: 0 }; 1 << 12];
    let mut code = 0;
    while code < fours.len() {
        let (four, mut slot, mut q_bits) = (&mut fours[code], 0, 0);
        while slot < 4 {
            let label = (code >> (3 * slot) & 7) as u8;
            if label < 4 {
                four.mask |= 1 << slot;
                four.p |= label << four.p_bits;
                four.p_bits += 2;
            } else {
                four.q |= (label & 3) << q_bits;
                q_bits += 2;
            }
            slot += 1;
        }
        code += 1;
    }
    fours
};

/// The permutation of rank `rank`, which must be below 40320.
pub fn unrank(rank: u32) -> Perm8 {
    let rank = rank as usize;
    let (word, p_element, q_element) = (rank / 64, rank / 8 % 8, rank % 8);
    let (set, p_coset, q_coset) = (word / 9, word / 3 % 3, word % 3);
    let p = Order { coset: p_coset as u8, element: D4::from_index(p_element) }.perm();
    let q = Order { coset: q_coset as u8, element: D4::from_index(q_element) }.perm();
    let mask = Subsets::get().mask(set);
    let (mut next_p, mut next_q) = (p.into_iter(), q.into_iter());
    std::array::from_fn(|slot| {
        let label = if mask >> slot & 1 == 1 { next_p.next() } else { next_q.next().map(|label| label + 4) };
        label.expect("four slots of each half")
    })
}

/// `a ∘ b`: first `b`, then `a`.
#[inline]
pub fn compose(a: &Perm8, b: &Perm8) -> Perm8 {
    // A loop rather than `map`, which is not always inlined.
    let mut product = *b;
    for label in &mut product {
        *label = a[usize::from(*label & 7)];
    }
    product
}

/// The inverse permutation.
pub fn inverse(perm: &Perm8) -> Perm8 {
    let mut inverse = [0; 8];
    for (slot, &label) in perm.iter().enumerate() {
        inverse[label as usize] = slot as u8;
    }
    inverse
}

/// Whether a permutation of `0..N` is odd; N is at most 32.
#[inline]
pub fn is_odd<const N: usize>(permutation: &[u8; N]) -> bool {
    // Elements that came before and are greater are the pairs out of order. How many bits are set in all words together is odd
    // where it is in their sum without carries.
    let (mut before, mut out_of_order) = (0u32, 0);
    for &element in permutation {
        let element = u32::from(element) & 31;
        out_of_order ^= before >> element;
        before |= 1 << element;
    }
    out_of_order.count_ones() % 2 == 1
}

/// Whether `perm` holds each of 0..8 once.
pub fn is_permutation(perm: &Perm8) -> bool {
    perm.iter().fold(0u16, |seen, &x| seen | 1u16.checked_shl(x.into()).unwrap_or(0)) == 0xff
}

/// A relabelling that keeps the split into P and Q: a symmetry of the square on each half, after exchanging
/// the halves (label `x` with `x + 4`) or not. 8 × 8 × 2 = 128 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Relabelling {
    /// Whether P and Q are exchanged first.
    pub swap: bool,
    /// What then happens to the labels 0..4.
    pub p: D4,
    /// What then happens to the labels 4..8.
    pub q: D4,
}

impl Relabelling {
    /// The relabelling `label -> labels[label]`, if it is one that the rank can follow.
    pub fn from_labels(labels: &Perm8) -> Option<Self> {
        let [first, second]: [Perm4; 2] = [0, 4].map(|from| std::array::from_fn(|i| labels[from + i]));
        let low = |half: Perm4| half.iter().all(|&label| label < 4);
        let high = |half: Perm4| half.iter().all(|&label| (4..8).contains(&label));
        let down = |half: Perm4| half.map(|label| label - 4);
        if low(first) && high(second) {
            Some(Self { swap: false, p: D4::from_perm(first)?, q: D4::from_perm(down(second))? })
        } else if high(first) && low(second) {
            Some(Self { swap: true, p: D4::from_perm(second)?, q: D4::from_perm(down(first))? })
        } else {
            None
        }
    }

    /// The relabelling that undoes this one.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self::from_labels(&inverse(&self.labels())).expect("relabellings are a group")
    }

    /// This relabelling, then `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self::from_labels(&compose(&next.labels(), &self.labels())).expect("relabellings are a group")
    }

    /// The labels by label.
    pub fn labels(self) -> Perm8 {
        std::array::from_fn(|label| {
            let half = (label >= 4) ^ self.swap;
            let corner = label % 4;
            if half { self.q.perm()[corner] + 4 } else { self.p.perm()[corner] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_and_unrank_are_inverse_on_all_of_s8() {
        let mut seen = vec![false; PERMUTATIONS];
        for r in 0..PERMUTATIONS as u32 {
            let perm = unrank(r);
            assert!(is_permutation(&perm));
            assert_eq!(rank(&perm), r);
            let code = perm.iter().fold(0u32, |n, &x| n * 8 + u32::from(x));
            let lexicographic = (0..8).fold(0, |n, i| n * (8 - i) + (i + 1..8).filter(|&j| perm[j] < perm[i]).count());
            assert!(!std::mem::replace(&mut seen[lexicographic], true), "{code:o} twice");
        }
    }

    #[test]
    fn there_are_128_relabellings() {
        let found: Vec<_> = (0..PERMUTATIONS as u32).map(unrank).filter_map(|p| Relabelling::from_labels(&p)).collect();
        assert_eq!(found.len(), 128);
        for relabelling in found {
            assert_eq!(Relabelling::from_labels(&relabelling.labels()), Some(relabelling));
            assert_eq!(relabelling.then(relabelling.inverse()), Relabelling::default());
        }
    }

    #[test]
    fn permutations_with_a_label_out_of_range_are_refused() {
        assert!(is_permutation(&[7, 6, 5, 4, 3, 2, 1, 0]));
        assert!(!is_permutation(&[7, 6, 5, 4, 3, 2, 1, 1]));
        assert!(!is_permutation(&[7, 6, 5, 4, 3, 2, 1, 200]));
    }
}
