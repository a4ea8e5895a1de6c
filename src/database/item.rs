//! The contents of a database: tables, and results for cosets.

use std::fmt;
use std::str::FromStr;

use super::{Database, TableId};
use twistbase_core::error::{Error, Result};
use twistbase_cosets::COSETS_NAME;
use twistbase_puzzle::cube3::Cover;
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_store::TableState;

/// A part of a database that can be checked and rebuilt.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::database::StoreItem;
///
/// let table: StoreItem = "square1-corners".parse()?;
/// assert_eq!((table.name(), table.row_noun()), ("square1-corners", "shape"));
/// assert_eq!("cosets".parse::<StoreItem>()?, StoreItem::Cosets);
/// # Ok::<(), twistbase::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreItem {
    /// A table.
    Table(TableId),
    /// The results for cosets of H (Rubik's cube).
    Cosets,
}

impl StoreItem {
    /// All possible items, in the order of listings.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        TableId::all().map(Self::Table).chain([Self::Cosets])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table(table) => table.name(),
            Self::Cosets => COSETS_NAME,
        }
    }

    /// The word for a row, for instance "shape".
    pub fn row_noun(self) -> &'static str {
        match self {
            Self::Table(table) => table.definition().row_noun(),
            Self::Cosets => "coset",
        }
    }

    /// The name of a row; for a coset its number in the cover, if it has one.
    pub fn row_name(self, row: u32) -> Option<String> {
        match self {
            Self::Table(table) => Some(table.definition().row_name(row)),
            Self::Cosets => {
                let number = Cover::get().number(CosetOfH::from_number(row)?)?;
                Some(format!("{number} of the cover"))
            }
        }
    }
}

impl FromStr for StoreItem {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        if name == COSETS_NAME { Ok(Self::Cosets) } else { name.parse().map(Self::Table) }
    }
}

impl fmt::Display for StoreItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Database {
    /// The items that can be checked: those with a file that claims to be complete, or built to a depth.
    ///
    /// # Errors
    /// [`Error::Io`] if a file of the folder cannot be read.
    pub fn built(&self) -> Result<Vec<StoreItem>> {
        self.kept(|state| !matches!(state, TableState::Missing | TableState::Unfinished(_)))
    }

    /// The items that can be rebuilt: those with any file, even from an interrupted build.
    ///
    /// # Errors
    /// As [`Database::built`].
    pub fn begun(&self) -> Result<Vec<StoreItem>> {
        self.kept(|state| !matches!(state, TableState::Missing))
    }

    fn kept(&self, counts: impl Fn(&TableState) -> bool) -> Result<Vec<StoreItem>> {
        let mut kept = Vec::new();
        for table in TableId::all() {
            if counts(&self.store().status(table.definition().layout())?.state) {
                kept.push(StoreItem::Table(table));
            }
        }
        if self.cosets().results().is_there()? {
            kept.push(StoreItem::Cosets);
        }
        Ok(kept)
    }
}
