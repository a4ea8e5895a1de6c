//! Sets of tables to build together.

use std::fmt;
use std::str::FromStr;

use super::{TableId, puzzle_name};
use twistbase_core::error::{Error, Result};

/// A named set of tables. Its name differs from all tables' names.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::database::TableSet;
///
/// let family: TableSet = "square1-family".parse()?;
/// let names: Vec<_> = family.tables().map(|table| table.name()).collect();
/// assert_eq!(names, ["cube21", "square1", "square1-corners"]);
/// # Ok::<(), twistbase::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSet {
    name: &'static str,
    summary: &'static str,
    tables: &'static [&'static str],
}

/// All sets.
const SETS: [TableSet; 2] = [
    TableSet {
        name: "cube3",
        summary: "tables for queries and both solving methods of the Rubik's cube",
        tables: &["phase1", "phase2", "phase2-exact", "nx-eo1-ep2-htm"],
    },
    TableSet {
        name: "square1-family",
        summary: "Square-1, Cube21, and Square-1 with all edges alike",
        tables: &["cube21", "square1", "square1-corners"],
    },
];

impl TableSet {
    /// All sets, in the order of listings.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        SETS.into_iter()
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Its purpose in words.
    pub const fn summary(self) -> &'static str {
        self.summary
    }

    /// Its tables, in the order of listings.
    pub fn tables(self) -> impl Iterator<Item = TableId> {
        TableId::all().filter(move |table| self.tables.contains(&table.name()))
    }
}

impl FromStr for TableSet {
    type Err = Error;

    /// # Errors
    /// [`Error::Usage`] that lists the sets.
    fn from_str(name: &str) -> Result<Self> {
        let puzzle = puzzle_name::find(name).map_or(name, |found| found.puzzle);
        Self::all().find(|set| set.name == puzzle).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            Error::Usage(format!("there is no set of tables {name:?}; choose from: {}", names.join(", ")))
        })
    }
}

impl fmt::Display for TableSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_a_table_and_a_set() {
        for set in TableSet::all() {
            assert!(set.name().parse::<TableId>().is_err(), "{set}");
            assert_eq!(TableSet::all().filter(|other| other.name() == set.name()).count(), 1, "{set}");
            assert_eq!(set.name().parse::<TableSet>().unwrap(), set);
        }
    }

    #[test]
    fn sets_consist_of_tables() {
        for set in TableSet::all() {
            let names: Vec<_> = set.tables().map(TableId::name).collect();
            assert_eq!(names, set.tables, "{set}: every name, in the order of listings");
        }
        assert!("cube4".parse::<TableSet>().unwrap_err().to_string().contains("cube3, square1-family"));
    }

    #[test]
    fn the_set_of_the_cube_takes_about_a_gigabyte() {
        let cube3: TableSet = "cube3".parse().unwrap();
        let disk = |table: TableId| {
            let layout = table.definition().layout();
            layout.bytes()
        };
        let memory = cube3.tables().map(|table| table.definition().working_set()).max().unwrap();
        let disk: u64 = cube3.tables().map(disk).sum();
        assert!(memory < 1_100_000_000, "{memory}");
        assert!(disk < 1_700_000_000, "{disk}");
    }
}
