//! Positions by distance, as text and as JSON.

use comfy_table::Table;
use serde::Serialize;
use twistbase::tables::Definition;

use super::format::{self, Align};

/// Width of the bars of a plot, in characters.
const BAR_WIDTH: usize = 40;

/// How many positions there are at one distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Level {
    /// Distance from solved.
    pub distance: usize,
    /// What the author of the table's numbers calls this distance, where that is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Whether that stands for all greater distances, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub or_more: bool,
    /// Positions at this distance.
    pub positions: u64,
    /// Entries that stand for them, where that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// Positions that there must be, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<u64>,
}

/// The positions at each distance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Levels(Vec<Level>);

impl Levels {
    /// Counts by distance, numbered as `table` says.
    pub fn new(table: &dyn Definition, counts: &[u64]) -> Self {
        let first = usize::from(table.first_level());
        let level = |distance| (first != 0).then_some(distance + first);
        let last = counts.len().saturating_sub(1);
        let counts = counts.iter().enumerate();
        Self(
            counts
                .map(|(distance, &positions)| Level {
                    distance,
                    level: level(distance),
                    or_more: table.last_is_open() && distance == last,
                    positions,
                    entries: None,
                    expected: None,
                })
                .collect(),
        )
    }

    /// The same, beside what must come out.
    pub fn with_expected(mut self, expected: &[u64]) -> Self {
        for level in &mut self.0 {
            level.expected = Some(expected.get(level.distance).copied().unwrap_or(0));
        }
        self
    }

    /// The same, with the entries at each distance.
    pub fn with_entries(mut self, entries: &[u64]) -> Self {
        for level in &mut self.0 {
            level.entries = Some(entries.get(level.distance).copied().unwrap_or(0));
        }
        self
    }

    /// What there is at all distances.
    pub fn total(&self, of: Form) -> u64 {
        self.0.iter().map(|level| level.count(of)).sum()
    }

    /// The mean distance, 0 where there is nothing.
    pub fn mean(&self, of: Form) -> f64 {
        let sum: f64 = self.0.iter().map(|level| level.distance as f64 * level.count(of) as f64).sum();
        sum / self.total(of).max(1) as f64
    }

    /// The largest distance.
    pub fn farthest(&self) -> Option<usize> {
        self.0.iter().rev().find(|level| level.positions > 0).map(|level| level.distance)
    }

    /// The part of the largest count that each count is, on a linear or a logarithmic scale.
    pub fn heights(&self, of: Form, scale: Scale) -> impl Iterator<Item = f64> {
        let most = self.0.iter().map(|level| level.count(of)).max().unwrap_or(0);
        self.0.iter().map(move |level| scale.height(level.count(of), most))
    }

    /// A table of distances, counts and what was expected of them.
    pub fn compared(&self) -> Table {
        let mut table = self.columns(Form::Positions, &[("expected", Align::Right), ("", Align::Left)]);
        for level in &self.0 {
            let verdict = match level.expected {
                Some(expected) if expected == level.positions => "equal",
                Some(_) => "DIFFERENT",
                None => "",
            };
            let expected = level.expected.map_or_else(String::new, format::grouped);
            table.add_row(level.cells(Form::Positions, [expected, verdict.to_owned()]));
        }
        table
    }

    /// A table of distances, counts, shares and bars.
    pub fn plotted(&self, of: Form, scale: Scale) -> Table {
        let mut table = self.columns(of, &[("%", Align::Right), (scale.heading(), Align::Left)]);
        let total = self.total(of);
        for (level, height) in self.0.iter().zip(self.heights(of, scale)) {
            table.add_row(level.cells(of, [format::share(level.count(of), total), format::bar(height, BAR_WIDTH)]));
        }
        table
    }

    /// An empty table that begins with the distance, its other number, and the count.
    fn columns(&self, of: Form, further: &[(&str, Align)]) -> Table {
        let mut columns = vec![("distance", Align::Right)];
        if self.0.iter().any(|level| level.level.is_some()) {
            columns.push(("level", Align::Right));
        }
        columns.push((of.noun(), Align::Right));
        columns.extend(further);
        format::table(&columns)
    }
}

impl Level {
    /// Positions or entries at this distance.
    fn count(&self, of: Form) -> u64 {
        match of {
            Form::Positions => self.positions,
            Form::Entries => self.entries.unwrap_or(0),
        }
    }

    fn cells(&self, of: Form, further: [String; 2]) -> Vec<String> {
        let mut cells = vec![format!("{}{}", self.distance, if self.or_more { "+" } else { "" })];
        cells.extend(self.level.map(|level| level.to_string()));
        cells.push(format::grouped(self.count(of)));
        cells.extend(further);
        cells
    }
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Positions of the puzzle: entries weighted by how many positions they stand for.
    Positions,
    /// Entries of the table, as they are stored: reduced by symmetry.
    Entries,
}

impl Form {
    /// What is counted, in a word.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Positions => "positions",
            Self::Entries => "entries",
        }
    }
}

/// The scale of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// A bar is as long as its count.
    Linear,
    /// A bar is as long as the logarithm of its count: small levels show.
    Logarithmic,
}

impl Scale {
    fn height(self, count: u64, most: u64) -> f64 {
        // One more, so that a single position has a bar and none has none.
        let log = |n: u64| ((n as f64) + 1.0).ln();
        match self {
            _ if most == 0 => 0.0,
            Self::Linear => count as f64 / most as f64,
            Self::Logarithmic => log(count) / log(most),
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Linear => "",
            Self::Logarithmic => "(logarithmic)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase::tables::find;

    #[test]
    fn distances_are_numbered_as_their_author_did() {
        let cube21 = Levels::new(find("cube21").unwrap(), &[1, 3]).with_expected(&[1]);
        let json = serde_json::to_value(&cube21).unwrap();
        assert_eq!(json[1], serde_json::json!({"distance": 1, "level": 2, "positions": 3, "expected": 0}));
        assert!(cube21.compared().to_string().contains("DIFFERENT"));
        let square1 = serde_json::to_value(Levels::new(find("square1").unwrap(), &[1])).unwrap();
        assert_eq!(square1[0], serde_json::json!({"distance": 0, "positions": 1}));
    }

    #[test]
    fn the_last_distance_may_stand_for_more() {
        let levels = Levels::new(find("nx-eo1-ep1-htm").unwrap(), &[1, 12]);
        let json = serde_json::to_value(&levels).unwrap();
        assert_eq!(json[0], serde_json::json!({"distance": 0, "positions": 1}));
        assert_eq!(json[1], serde_json::json!({"distance": 1, "or_more": true, "positions": 12}));
        assert!(levels.plotted(Form::Positions, Scale::Linear).to_string().contains("1+"));
    }

    #[test]
    fn entries_are_counted_beside_positions() {
        let levels = Levels::new(find("phase1").unwrap(), &[1, 4]).with_entries(&[1, 1]);
        assert_eq!((levels.total(Form::Positions), levels.total(Form::Entries)), (5, 2));
        assert_eq!((levels.mean(Form::Positions), levels.mean(Form::Entries)), (0.8, 0.5));
        let plot = levels.plotted(Form::Entries, Scale::Linear).to_string();
        assert!(plot.contains("entries") && plot.contains("50.00"), "{plot}");
    }

    #[test]
    fn an_empty_distribution_is_no_problem() {
        let levels = Levels::new(find("square1").unwrap(), &[0, 0]);
        assert_eq!((levels.total(Form::Positions), levels.mean(Form::Positions), levels.farthest()), (0, 0.0, None));
        assert!(levels.heights(Form::Positions, Scale::Logarithmic).all(|height| height == 0.0));
        assert!(!levels.plotted(Form::Positions, Scale::Linear).to_string().is_empty());
    }
}
