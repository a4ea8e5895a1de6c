//! Tables by name.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::puzzle_name;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_tables::{self as tables, Definition, TableMetric};

/// A possible table, by its name.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::TableId;
///
/// let table: TableId = "cube21".parse()?;
/// assert_eq!((table.name(), table.definition().puzzle()), ("cube21", "cube21"));
/// assert!("cube22".parse::<TableId>().is_err());
/// # Ok::<(), twistbase::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct TableId(&'static dyn Definition);

impl TableId {
    /// All tables, in the order of listings.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        tables::all().iter().copied().map(Self)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Its definition.
    pub fn definition(self) -> &'static dyn Definition {
        self.0
    }

    /// Rejects a table of another metric.
    ///
    /// # Errors
    /// [`Error::Usage`].
    #[doc(hidden)]
    pub fn check_metric(self, asked: Option<Metric>) -> Result<()> {
        let own = self.0.metric();
        match asked {
            Some(asked) if own != TableMetric::FaceTurns(asked) => {
                Err(Error::Usage(format!("table {self} counts moves in {own}")))
            }
            _ => Ok(()),
        }
    }

    /// The row with a number or a name.
    ///
    /// # Errors
    /// [`Error::Usage`] that says which rows exist.
    pub fn find_row(self, name: &str) -> Result<u32> {
        let rows = self.0.layout().rows;
        let number = name.parse().ok().filter(|&row| row < rows);
        number.or_else(|| (0..rows).find(|&row| self.0.row_name(row) == name)).ok_or_else(|| {
            let (last, table) = (rows - 1, self.name());
            Error::Usage(format!(
                "{table} has no row {name:?}; give a number from 0 to {last}, or a name that stats {table} --rows lists"
            ))
        })
    }
}

impl From<&'static dyn Definition> for TableId {
    fn from(table: &'static dyn Definition) -> Self {
        Self(table)
    }
}

impl FromStr for TableId {
    type Err = Error;

    /// The table with a name. A table named like its puzzle also has the puzzle's [other names](super::Database::find_puzzle).
    fn from_str(name: &str) -> Result<Self> {
        let of_puzzle = || puzzle_name::find(name).and_then(|found| tables::find(found.puzzle).ok());
        tables::find(name).or_else(|unknown| of_puzzle().ok_or(unknown)).map(Self)
    }
}

impl PartialEq for TableId {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for TableId {}

impl Hash for TableId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TableId").field(&self.name()).finish()
    }
}

impl Serialize for TableId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
