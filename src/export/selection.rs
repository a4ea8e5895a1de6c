//! Which entries of a table.

use std::ops::RangeInclusive;

use serde::Serialize;

use twistbase_core::error::{Error, Result};

/// Which entries of a table are exported: those that all of these select.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only those at these distances (or with these bounds).
    pub levels: Option<Vec<RangeInclusive<u8>>>,
    /// Only those in these rows.
    pub rows: Option<Vec<RangeInclusive<u32>>>,
    /// The size of a random sample of these.
    pub sample: Option<Sample>,
}

/// A uniform random sample of different entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// How many.
    pub count: u64,
    /// The same seed draws the same entries.
    pub seed: u64,
}

impl Sample {
    /// The sample that is asked for, if any: its size, and its seed, 0 by default.
    ///
    /// # Errors
    /// [`Error::Usage`] for a seed without a number.
    pub fn drawn(count: Option<u64>, seed: Option<u64>) -> Result<Option<Self>> {
        match (count, seed) {
            (None, Some(_)) => Err(Error::Usage("a seed needs the size of a sample".to_owned())),
            (count, seed) => Ok(count.map(|count| Self { count, seed: seed.unwrap_or(0) })),
        }
    }
}

/// A set of levels below 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SelectedLevels(u64);

impl SelectedLevels {
    pub const ALL: Self = Self(u64::MAX);

    pub fn contains(self, level: u8) -> bool {
        self.0.checked_shr(level.into()).is_some_and(|bits| bits & 1 == 1)
    }

    pub fn are_all(self) -> bool {
        self == Self::ALL
    }
}

impl Selection {
    /// # Errors
    /// [`Error::Usage`] for levels that no table has, or an empty range.
    pub(super) fn levels(&self) -> Result<SelectedLevels> {
        let Some(ranges) = &self.levels else { return Ok(SelectedLevels::ALL) };
        let mut set = 0;
        for range in ranges {
            if range.is_empty() || *range.end() >= 63 {
                return Err(Error::Usage(format!("{}..{} is not a range of levels", range.start(), range.end())));
            }
            range.clone().for_each(|level| set |= 1u64 << level);
        }
        Ok(SelectedLevels(set))
    }

    /// The rows in order, each once.
    ///
    /// # Errors
    /// [`Error::Usage`] for rows beyond the last, or an empty range.
    pub(super) fn rows(&self, rows: u32, table: &str) -> Result<Vec<u32>> {
        let Some(ranges) = &self.rows else { return Ok((0..rows).collect()) };
        if let Some(bad) = ranges.iter().find(|range| range.is_empty() || *range.end() >= rows) {
            let (first, last) = (bad.start(), bad.end());
            return Err(Error::Usage(format!("table {table} has the rows 0 to {}, not {first}..{last}", rows - 1)));
        }
        let mut all: Vec<u32> = ranges.iter().cloned().flatten().collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_out_of_range_refused() {
        let of =
            |ranges: Vec<RangeInclusive<u32>>| Selection { rows: Some(ranges), ..Selection::default() }.rows(9, "t");
        assert_eq!(of(vec![5..=7, 0..=0, 6..=8]).unwrap(), [0, 5, 6, 7, 8]);
        assert!(of(vec![8..=9]).is_err());
        #[expect(clippy::reversed_empty_ranges, reason = "it is what a person may write")]
        let empty = of(vec![3..=2]);
        assert!(empty.is_err());
        assert_eq!(Selection::default().rows(3, "t").unwrap(), [0, 1, 2]);
    }

    #[test]
    fn a_seed_needs_a_sample() {
        assert_eq!(Sample::drawn(None, None).unwrap(), None);
        assert_eq!(Sample::drawn(Some(5), None).unwrap(), Some(Sample { count: 5, seed: 0 }));
        assert_eq!(Sample::drawn(Some(5), Some(9)).unwrap(), Some(Sample { count: 5, seed: 9 }));
        assert!(matches!(Sample::drawn(None, Some(0)), Err(Error::Usage(_))));
    }

    #[test]
    fn levels_are_a_set() {
        let of = |ranges: Vec<RangeInclusive<u8>>| Selection { levels: Some(ranges), ..Selection::default() }.levels();
        let set = of(vec![0..=1, 11..=12]).unwrap();
        assert_eq!((0..255).filter(|&level| set.contains(level)).collect::<Vec<_>>(), [0, 1, 11, 12]);
        assert!(of(vec![60..=63]).is_err());
        assert!(Selection::default().levels().unwrap().are_all());
    }
}
