//! Positions by distance, as text.

use comfy_table::Table;
use twistbase_database::{CountUnit, LevelCount, LevelCounts};

use super::format::{self, Align};

/// Width of the bars of a plot, in characters.
const BAR_WIDTH: usize = 40;

/// The unit of the counts, in a word.
pub const fn noun(of: CountUnit) -> &'static str {
    match of {
        CountUnit::Positions => "positions",
        CountUnit::Entries => "entries",
    }
}

/// The part of the largest count that each count is, on a linear or a logarithmic scale.
pub fn heights(levels: &LevelCounts, of: CountUnit, scale: Scale) -> impl Iterator<Item = f64> {
    let most = levels.iter().map(|level| level.count(of)).max().unwrap_or(0);
    levels.iter().map(move |level| scale.height(level.count(of), most))
}

/// A table of distances, counts and what was expected of them.
pub fn compared(levels: &LevelCounts) -> Table {
    let mut table = columns(levels, CountUnit::Positions, &[("expected", Align::Right), ("", Align::Left)]);
    for level in levels {
        let verdict = match level.expected {
            Some(expected) if expected == level.positions => "equal",
            Some(_) => "DIFFERENT",
            None => "",
        };
        let expected = level.expected.map_or_else(String::new, format::grouped);
        table.add_row(cells(level, CountUnit::Positions, [expected, verdict.to_owned()]));
    }
    table
}

/// A table of distances, counts, shares and bars.
pub fn plotted(levels: &LevelCounts, of: CountUnit, scale: Scale) -> Table {
    let mut table = columns(levels, of, &[("%", Align::Right), (scale.heading(), Align::Left)]);
    let total = levels.total(of);
    for (level, height) in levels.iter().zip(heights(levels, of, scale)) {
        table.add_row(cells(level, of, [format::share(level.count(of), total), format::bar(height, BAR_WIDTH)]));
    }
    table
}

/// An empty table that begins with the distance, its other number, and the count.
fn columns(levels: &LevelCounts, of: CountUnit, further: &[(&str, Align)]) -> Table {
    let mut columns = vec![("distance", Align::Right)];
    if levels.iter().any(|level| level.level.is_some()) {
        columns.push(("level", Align::Right));
    }
    columns.push((noun(of), Align::Right));
    columns.extend(further);
    format::table(&columns)
}

fn cells(level: &LevelCount, of: CountUnit, further: [String; 2]) -> Vec<String> {
    let mut cells = vec![format!("{}{}", level.distance, if level.or_more { "+" } else { "" })];
    cells.extend(level.level.map(|level| level.to_string()));
    cells.push(format::grouped(level.count(of)));
    cells.extend(further);
    cells
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
    use twistbase_tables::find;

    fn levels(table: &str, counts: &[u64]) -> LevelCounts {
        LevelCounts::new(find(table).unwrap(), counts)
    }

    #[test]
    fn what_is_not_as_expected_shows() {
        let cube21 = levels("cube21", &[1, 3]).with_expected(&[1]);
        assert!(compared(&cube21).to_string().contains("DIFFERENT"));
    }

    #[test]
    fn the_last_distance_may_stand_for_more() {
        let levels = levels("nx-eo1-ep1-htm", &[1, 12]);
        assert!(plotted(&levels, CountUnit::Positions, Scale::Linear).to_string().contains("1+"));
    }

    #[test]
    fn entries_are_plotted_like_positions() {
        let levels = levels("phase1", &[1, 4]).with_entries(&[1, 1]);
        let plot = plotted(&levels, CountUnit::Entries, Scale::Linear).to_string();
        assert!(plot.contains("entries") && plot.contains("50.00"), "{plot}");
    }

    #[test]
    fn an_empty_distribution_is_no_problem() {
        let levels = levels("square1", &[0, 0]);
        assert!(heights(&levels, CountUnit::Positions, Scale::Logarithmic).all(|height| height == 0.0));
        assert!(!plotted(&levels, CountUnit::Positions, Scale::Linear).to_string().is_empty());
    }
}
