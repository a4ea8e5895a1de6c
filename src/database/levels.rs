//! Positions by distance.

use serde::Serialize;

use twistbase_tables::Definition;

/// The unit of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountUnit {
    /// Positions of the puzzle: each entry counts the positions that it represents.
    Positions,
    /// Stored entries of the table, reduced by symmetry.
    Entries,
}

/// The number of positions at one distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LevelCount {
    /// Distance from solved.
    pub distance: usize,
    /// The author's number for this distance, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Whether this level also covers all greater distances.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub or_more: bool,
    /// Positions at this distance.
    pub positions: u64,
    /// Entries that represent them, if counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// The expected number of positions, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<u64>,
}

impl LevelCount {
    /// Positions or entries at this distance.
    pub fn count(&self, of: CountUnit) -> u64 {
        match of {
            CountUnit::Positions => self.positions,
            CountUnit::Entries => self.entries.unwrap_or(0),
        }
    }
}

/// The positions at each distance, from 0 on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct LevelCounts(Vec<LevelCount>);

impl LevelCounts {
    /// Counts by distance, with the numbering of `table`.
    pub fn new(table: &dyn Definition, counts: &[u64]) -> Self {
        let first = usize::from(table.facts().first_level);
        let last = counts.len().saturating_sub(1);
        let level = |(distance, &positions): (usize, &u64)| LevelCount {
            distance,
            level: (first != 0).then_some(distance + first),
            or_more: table.facts().last_is_open && distance == last,
            positions,
            entries: None,
            expected: None,
        };
        Self(counts.iter().enumerate().map(level).collect())
    }

    /// Counts by distance, with the expected counts.
    #[must_use]
    pub fn with_expected(mut self, expected: &[u64]) -> Self {
        for level in &mut self.0 {
            level.expected = Some(expected.get(level.distance).copied().unwrap_or(0));
        }
        self
    }

    /// Counts by distance, with the entries at each distance.
    #[must_use]
    pub fn with_entries(mut self, entries: &[u64]) -> Self {
        for level in &mut self.0 {
            level.entries = Some(entries.get(level.distance).copied().unwrap_or(0));
        }
        self
    }

    /// The counts, by distance.
    pub fn iter(&self) -> std::slice::Iter<'_, LevelCount> {
        self.0.iter()
    }

    /// The sum over all distances.
    pub fn total(&self, of: CountUnit) -> u64 {
        self.0.iter().map(|level| level.count(of)).sum()
    }

    /// The mean distance; 0 for no positions.
    pub fn mean(&self, of: CountUnit) -> f64 {
        let all = self.0.iter().map(|level| level.distance as f64 * level.count(of) as f64);
        // Not `sum`: the empty sum of floats is -0.
        all.fold(0.0, |sum, of_level| sum + of_level) / self.total(of).max(1) as f64
    }

    /// The largest distance of a position.
    pub fn farthest(&self) -> Option<usize> {
        self.0.iter().rev().find(|level| level.positions > 0).map(|level| level.distance)
    }
}

impl<'a> IntoIterator for &'a LevelCounts {
    type Item = &'a LevelCount;
    type IntoIter = std::slice::Iter<'a, LevelCount>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_tables::find;

    #[test]
    fn distances_are_numbered_as_their_author_did() {
        let cube21 = LevelCounts::new(find("cube21").unwrap(), &[1, 3]).with_expected(&[1]);
        let json = serde_json::to_value(&cube21).unwrap();
        assert_eq!(json[1], serde_json::json!({"distance": 1, "level": 2, "positions": 3, "expected": 0}));
        let square1 = serde_json::to_value(LevelCounts::new(find("square1").unwrap(), &[1])).unwrap();
        assert_eq!(square1[0], serde_json::json!({"distance": 0, "positions": 1}));
    }

    #[test]
    fn the_last_distance_may_stand_for_more() {
        let levels = LevelCounts::new(find("nx-eo1-ep1-htm").unwrap(), &[1, 12]);
        let json = serde_json::to_value(&levels).unwrap();
        assert_eq!(json[0], serde_json::json!({"distance": 0, "positions": 1}));
        assert_eq!(json[1], serde_json::json!({"distance": 1, "or_more": true, "positions": 12}));
    }

    #[test]
    fn entries_are_counted_beside_positions() {
        let levels = LevelCounts::new(find("phase1").unwrap(), &[1, 4]).with_entries(&[1, 1]);
        assert_eq!((levels.total(CountUnit::Positions), levels.total(CountUnit::Entries)), (5, 2));
        assert_eq!((levels.mean(CountUnit::Positions), levels.mean(CountUnit::Entries)), (0.8, 0.5));
    }

    #[test]
    fn an_empty_distribution_is_no_problem() {
        let levels = LevelCounts::new(find("square1").unwrap(), &[0, 0]);
        let total = levels.total(CountUnit::Positions);
        assert_eq!((total, levels.mean(CountUnit::Positions), levels.farthest()), (0, 0.0, None));
        assert!(levels.mean(CountUnit::Positions).is_sign_positive(), "no text has a mean of -0");
    }
}
