//! Arrangements of eight labels in four pairs that are alike: labels 2k and 2k + 1 are of kind k.

use twistbase_core::math::perm8::Perm8;

/// Numbers arrangements of four pairs: the kinds of the first four slots show how many arrangements there are before, those of the
/// last four which of them it is.
pub(super) struct PairRanks {
    /// By the kinds of four slots, two bits each: the rank of the first arrangement that begins with them.
    first: [u16; 256],
    /// The number among those of the same kinds.
    last: [u8; 256],
}

/// The only instance, computed by the compiler.
pub(super) static PAIR_RANKS: PairRanks = {
    let mut ranks = PairRanks { first: [0; 256], last: [0; 256] };
    // How many of each kind there are, two bits each.
    let (mut of_kinds, mut counts, mut before, mut four) = ([0u8; 256], [0; 256], 0, 0);
    while four < 256 {
        let (mut slot, mut is_possible) = (0, true);
        while slot < 4 {
            let kind = four >> (2 * slot) & 3;
            is_possible &= counts[four] >> (2 * kind) & 3 < 2;
            counts[four] += 1 << (2 * kind);
            slot += 1;
        }
        if is_possible {
            ranks.last[four] = of_kinds[counts[four]];
            of_kinds[counts[four]] += 1;
        } else {
            counts[four] = 0;
        }
        four += 1;
    }
    four = 0;
    while four < 256 {
        if counts[four] > 0 {
            ranks.first[four] = before;
            // The other half holds what is left of two of each kind.
            before += of_kinds[0b10_10_10_10 - counts[four]] as u16;
        }
        four += 1;
    }
    ranks
};

impl PairRanks {
    /// The rank of labels of which 2k and 2k + 1 are alike, 0..2520.
    #[inline]
    pub fn rank(&self, labels: &Perm8) -> usize {
        // The upper two bits of each label, brought together for four slots at a time.
        let kinds = u64::from_le_bytes(*labels) >> 1 & 0x0303_0303_0303_0303;
        let pairs = (kinds | kinds >> 6) & 0x000F_000F_000F_000F;
        let fours = pairs | pairs >> 12;
        usize::from(self.first[(fours & 0xFF) as usize]) + usize::from(self.last[(fours >> 32 & 0xFF) as usize])
    }
}

/// The labels with the kinds of a number (two bits a slot, slot 0 lowest), if it has two of each kind; of the two
/// labels of a kind, the lower one comes first.
pub(super) fn pairs_from_kinds(kinds: usize) -> Option<Perm8> {
    let mut used = [0u8; 4];
    let mut labels = [0; 8];
    for (slot, to) in labels.iter_mut().enumerate() {
        let kind = kinds >> (2 * slot) & 3;
        *to = (kind * 2) as u8 + used[kind];
        used[kind] += 1;
        if used[kind] > 2 {
            return None;
        }
    }
    Some(labels)
}
