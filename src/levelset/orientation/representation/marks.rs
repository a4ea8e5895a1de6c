//! Which parts of the rows have states of some level.

use twistbase_core::math::bits::lowest_of_bytes;

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// A set of parts for each row. They are bits, because the first levels are in very few parts: all others of a row are
/// skipped in a few words.
pub(crate) struct PartMarks {
    words: Vec<u64>,
    /// Words of a row.
    per_row: usize,
}

impl PartMarks {
    /// No part of any row.
    pub(crate) fn new(rows: usize, parts: usize) -> Self {
        let per_row = parts.div_ceil(BITS);
        Self { words: vec![0; rows * per_row], per_row }
    }

    /// Bytes that the marks of this number of rows take.
    pub(crate) fn bytes(rows: usize, parts: usize) -> usize {
        rows * parts.div_ceil(BITS) * size_of::<u64>()
    }

    /// Removes all parts.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds a part of a row.
    pub(crate) fn insert(&mut self, row: usize, part: usize) {
        self.words[row * self.per_row + part / BITS] |= 1 << (part % BITS);
    }

    /// The parts of a row.
    pub(crate) fn row(&self, row: usize) -> PartSet<'_> {
        PartSet(&self.words[row * self.per_row..][..self.per_row])
    }

    /// The words of the rows from `first` on, a slice each.
    pub(crate) fn rows_mut(&mut self, first: usize) -> std::slice::ChunksExactMut<'_, u64> {
        self.words[first * self.per_row..].chunks_exact_mut(self.per_row)
    }

    /// Makes the marked parts those of a row; returns them.
    #[inline(always)]
    pub(crate) fn mark(row: &mut [u64], mut marked: impl Iterator<Item = bool>) -> PartSet<'_> {
        for word in &mut *row {
            let mut bytes = [0; BITS];
            bytes.iter_mut().zip(&mut marked).for_each(|(byte, marked)| *byte = u8::from(marked));
            let eights = bytes.as_chunks::<8>().0.iter().rev();
            *word = eights.fold(0, |word, &eight| word << 8 | u64::from(lowest_of_bytes(u64::from_le_bytes(eight))));
        }
        PartSet(row)
    }
}

/// Some parts of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartSet<'a>(&'a [u64]);

impl<'a> PartSet<'a> {
    /// Whether a part is in the set.
    #[inline(always)]
    pub(crate) fn has(self, part: usize) -> bool {
        self.0[part / BITS] >> (part % BITS) & 1 == 1
    }

    /// How many are in the set.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Part by part, whether it is in the set.
    #[inline(always)]
    pub(crate) fn flags(self) -> impl Iterator<Item = bool> + use<'a> {
        self.0.iter().flat_map(|word| (0..BITS).map(move |bit| word >> bit & 1 == 1))
    }

    /// The parts in the set, in order.
    #[inline(always)]
    pub(crate) fn members(self) -> impl Iterator<Item = usize> + use<'a> {
        self.0.iter().enumerate().flat_map(|(number, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(number * BITS + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_that_were_set() {
        let mut marks = PartMarks::new(3, 70);
        let chosen = [0, 1, 63, 64, 69];
        let flags = (0..70).map(|part| chosen.contains(&part));
        let row = marks.rows_mut(1).next().unwrap();
        assert_eq!(PartMarks::mark(row, flags.clone()).count(), chosen.len());
        let set = marks.row(1);
        assert_eq!(set.members().collect::<Vec<_>>(), chosen);
        assert_eq!(set.count(), chosen.len());
        assert!(set.flags().zip(flags.clone()).all(|(found, expected)| found == expected));
        assert!(flags.enumerate().all(|(part, expected)| set.has(part) == expected));
        assert!([0, 2].iter().all(|&row| marks.row(row).count() == 0));
        marks.clear();
        assert_eq!(marks.row(1).members().count(), 0);
    }
}
